//===- LongFunctions.h - What takes too long for functions of many addresses ---------===//
//
// Straight-line strength reduction of LLVM 22 compares each address with those before it: for a
// product of 256 x 256 x 256 that loads single bytes, 1,734 addresses, that is 11 s, nine tenths of
// what its code takes. Long functions do without.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace llvm {
class FunctionPass;
}

namespace gluonc::codegen::amd {

/// In front of a pass: it leaves long functions alone.
llvm::FunctionPass *createOmission();
/// Behind it: passes look at all functions again.
llvm::FunctionPass *createOmissionEnd();

} // namespace gluonc::codegen::amd

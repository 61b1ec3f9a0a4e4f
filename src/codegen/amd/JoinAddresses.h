//===- JoinAddresses.h - One base, a number of 32 bits for each lane ----------------===//
//
//   gep (gep p, zext x), 8192   ⇒     gep p, zext (x + 8192)
//
// An access to global memory takes an address in scalar registers, a number of 32 bits from each
// lane, and an immediate of a few thousand bytes. Where all lanes share p and the constant is
// beyond the immediates, the sum of such numbers takes one instruction and one register, that of
// addresses two each.
//
// Not where an index has many such constants: registers hold the sums from the first access to the
// last.
//
// Runs when nothing splits addresses any more (codegen/passes/AddressSplit.h, InstCombine, LLVM's
// reassociation).
//
//===----------------------------------------------------------------------===//
#pragma once

namespace llvm {
class FunctionPass;
}

namespace gluonc::codegen::amd {

llvm::FunctionPass *createJoinAddresses();

} // namespace gluonc::codegen::amd

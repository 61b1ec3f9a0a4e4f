//===- RegisterNeed.h - How many registers hold what a function computes -------------===//
#pragma once

namespace llvm {
class Function;
}

namespace gluonc::codegen::amd {

/// Most 32-bit words of vectors and floats that are alive together where instructions stay in the
/// order that they have, which is often more than they need: what loads early can wait. Integers
/// and addresses are not counted: they are computed again, or shared by all lanes.
unsigned registersNeeded(const llvm::Function &function);

} // namespace gluonc::codegen::amd

//===- MatrixInstructions.h - MFMA and WMMA as LLVM knows them ------------------===//
//
// D = A * B + C by a whole wave. Which products there are is said in
// target/amd/MatrixInstructions.h; here is what LLVM calls them and how it wants their
// operands (IntrinsicsAMDGPU.td).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Isa.h"
#include "target/amd/MatrixInstructions.h"

namespace gluonc::codegen::amd {

using Element = target::amd::MatrixElement;

enum class Family { Mfma, Wmma };

/// How LLVM wants the operands of a lane.
enum class Packing {
  /// A vector of the element type, or the element itself where there is one.
  Elements,
  /// bf16 as i16.
  Shorts,
  /// Words of 32 bits; of 64 bits where that is all.
  Words,
};

/// Nullopt where LLVM has no such instruction.
struct MatrixIntrinsic {
  llvm::Intrinsic::ID id;
  Packing packing;
};
std::optional<MatrixIntrinsic> matrixIntrinsic(Family family, unsigned m, unsigned k, Element a,
                                               Element b, bool tf32);

} // namespace gluonc::codegen::amd

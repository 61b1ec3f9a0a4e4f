//===- MatrixInstructions.h - MFMA and WMMA as LLVM knows them ------------------===//
//
// D = A * B + C by a whole wave. An instruction is found by what its layouts say
// (family, version, rows and columns) and by the types of its elements.
//
// Sources: AMD, Instruction Set Architecture documents of MI300, CDNA4, RDNA3 and RDNA4,
// "Matrix arithmetic"; LLVM, IntrinsicsAMDGPU.td.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Isa.h"

namespace gluonc::codegen::amd {

/// Types of operands, as instructions tell them apart.
enum class Element { F64, F32, TF32, F16, BF16, Fp8, Bf8, I8 };

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

struct MatrixInstruction {
  Family family;
  /// Versions of the layout, as a set: 1 << version.
  unsigned versions;
  Element a, b;
  unsigned rows, columns, depth;
  /// Along K, in a lane.
  unsigned elements;
  Packing packing;
  llvm::Intrinsic::ID id;

  /// Of the sum, in a lane.
  unsigned sums(unsigned lanes) const { return rows * columns / lanes; }
};

struct MatrixQuestion {
  Family family;
  int64_t version;
  Element a, b;
  unsigned rows, columns;
  /// The layout's own, and how many elements along K a lane has.
  unsigned depth, elements;
};

/// The one whose depth the layout names; else the deepest that the elements of a lane fill. Null
/// where the chip has none.
const MatrixInstruction *findMatrixInstruction(const MatrixQuestion &question);

} // namespace gluonc::codegen::amd

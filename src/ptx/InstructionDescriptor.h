//===- InstructionDescriptor.h - What a product of tensor memory multiplies -------===//
//
// 32 bits that say shape and types (PTX ISA 9.7.16.4.2), read as the instruction's kind
// wants them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/MatrixElements.h"

#include <string>

namespace gluonc::ptx {

enum class ProductKind : uint8_t { None, F16, Tf32, F8f6f4, I8, Mxf8f6f4, Mxf4, Mxf4nvf4 };

/// By its name ("f16" of `.kind::f16`).
ProductKind productKindNamed(llvm::StringRef name);

struct ScaleRule {
  /// Elements of K that share a scale; 0 without scales.
  unsigned elements = 0;
  /// Eight bits of exponent, else the fp8 format e4m3 without its sign.
  bool isExponent = true;
  /// The byte of a word that has the first one.
  unsigned firstA = 0, firstB = 0;
};

struct InstructionDescriptor {
  unsigned m = 0, n = 0, k = 0;
  ElementType a, b;
  bool negatesA = false, negatesB = false;
  /// Its rows are contiguous, not K.
  bool transposesA = false, transposesB = false;
  bool saturates = false;
  /// "f16", "f32", "s32".
  llvm::StringRef sum;
  ScaleRule scales;
};

/// `ctas`: 1 or 2; `perScale` is what an instruction's modifiers say. The error is why the bits say
/// nothing.
std::optional<InstructionDescriptor> decodeInstruction(ProductKind kind, unsigned ctas,
                                                       unsigned perScale, uint32_t bits,
                                                       std::string &error);

} // namespace gluonc::ptx

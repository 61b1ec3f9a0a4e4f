//===- Elements.h - Numbers that matrices consist of ------------------------------===//
#pragma once

#include "amdgcn/Module.h"
#include "numeric/FloatFormats.h"

#include "llvm/ADT/StringRef.h"

namespace gluonc::amdgcn {

enum class Element : uint8_t {
  None,
  F64,
  F32,
  XF32,
  F16,
  BF16,
  FP8,
  BF8,
  FP6,
  BF6,
  FP4,
  I8,
  U8,
  I4,
  U4,
  I32
};

/// "f16", "bf16_1k", "fp8"; None for others.
Element elementNamed(llvm::StringRef name);
unsigned bitsOfElement(Element element);
/// Element `index` of packed words. FNUZ says which kinds of 8-bit floats there are.
double valueOf(Element element, const uint32_t *words, unsigned index, bool isFnuz);
/// An E8M0, E5M3 or E4M3 scale (0, 1, 2).
double scaleValue(unsigned kind, uint8_t bits);

} // namespace gluonc::amdgcn

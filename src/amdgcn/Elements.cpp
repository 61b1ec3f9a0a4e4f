#include "amdgcn/Elements.h"

#include "llvm/ADT/StringSwitch.h"

#include <bit>
#include <cmath>
#include <limits>

namespace gluonc::amdgcn {

using numeric::FloatFormat;

static constexpr FloatFormat kF6E2M3 = {2, 3, 1, 0x1f, 0, 0};
static constexpr FloatFormat kF6E3M2 = {3, 2, 3, 0x1f, 0, 0};

Element elementNamed(llvm::StringRef name) {
  return llvm::StringSwitch<Element>(name)
      .Case("f64", Element::F64)
      .Case("f32", Element::F32)
      .Case("xf32", Element::XF32)
      .Case("f16", Element::F16)
      .Cases({"bf16", "bf16_1k"}, Element::BF16)
      .Case("fp8", Element::FP8)
      .Case("bf8", Element::BF8)
      .Case("fp6", Element::FP6)
      .Case("bf6", Element::BF6)
      .Cases({"fp4", "f4"}, Element::FP4)
      .Cases({"i8", "iu8"}, Element::I8)
      .Cases({"iu4", "i4"}, Element::I4)
      .Case("i32", Element::I32)
      .Default(Element::None);
}

unsigned bitsOfElement(Element element) {
  switch (element) {
  case Element::F64:
    return 64;
  case Element::None:
  case Element::F32:
  case Element::XF32:
  case Element::I32:
    return 32;
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::FP8:
  case Element::BF8:
  case Element::I8:
  case Element::U8:
    return 8;
  case Element::FP6:
  case Element::BF6:
    return 6;
  case Element::FP4:
  case Element::I4:
  case Element::U4:
    return 4;
  }
  return 32;
}

static uint64_t packedBits(const uint32_t *words, unsigned index, unsigned bits) {
  unsigned at = index * bits;
  uint64_t value = words[at / 32] >> at % 32;
  if (at % 32 + bits > 32)
    value |= uint64_t(words[at / 32 + 1]) << (32 - at % 32);
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

double valueOf(Element element, const uint32_t *words, unsigned index, bool isFnuz) {
  uint64_t wide = packedBits(words, index, bitsOfElement(element));
  auto bits = static_cast<uint32_t>(wide);
  switch (element) {
  case Element::F64:
    return std::bit_cast<double>(wide);
  case Element::F32:
    return std::bit_cast<float>(bits);
  case Element::XF32:
    // Ten bits of the mantissa are left.
    return std::bit_cast<float>(bits & 0xffffe000u);
  case Element::F16:
    return numeric::halfToFloat(static_cast<uint16_t>(bits));
  case Element::BF16:
    return numeric::bfloatToFloat(static_cast<uint16_t>(bits));
  case Element::FP8:
    return numeric::decode(isFnuz ? numeric::kF8E4M3FNUZ : numeric::kF8E4M3FN, bits);
  case Element::BF8:
    return numeric::decode(isFnuz ? numeric::kF8E5M2FNUZ : numeric::kF8E5M2, bits);
  case Element::FP6:
    return numeric::decode(kF6E2M3, bits);
  case Element::BF6:
    return numeric::decode(kF6E3M2, bits);
  case Element::FP4:
    return numeric::decode(numeric::kF4E2M1, bits);
  case Element::I8:
    return static_cast<int8_t>(bits);
  case Element::I4:
    return static_cast<int>(bits ^ 8) - 8;
  case Element::U8:
  case Element::U4:
    return bits;
  case Element::I32:
    return static_cast<int32_t>(bits);
  case Element::None:
    return 0;
  }
  return 0;
}

double scaleValue(unsigned kind, uint8_t bits) {
  if (kind == 0)
    return bits == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - 127);
  static constexpr FloatFormat kE5M3 = {5, 3, 15, 0xfe, 0xff, 0};
  if (kind == 1)
    return std::fabs(numeric::decode(kE5M3, bits));
  return numeric::decode(numeric::kF8E4M3FN, bits & 0x7f);
}

} // namespace gluonc::amdgcn

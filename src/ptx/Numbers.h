//===- Numbers.h - Registers' bits as numbers --------------------------------===//
#pragma once

#include "ptx/Module.h"

#include "numeric/FloatFormats.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace gluonc::ptx {

enum class Round : uint8_t { Nearest, Zero, Down, Up };

/// Of `.rn`, `.rz`, `.rm`, `.rp` among an instruction's modifiers.
inline Round roundingOf(const Instruction &instruction) {
  return instruction.has("rz")   ? Round::Zero
         : instruction.has("rm") ? Round::Down
         : instruction.has("rp") ? Round::Up
                                 : Round::Nearest;
}

/// The formats of six bits; they have neither infinities nor NaNs.
inline constexpr numeric::FloatFormat e2m3Format = {2, 3, 1, 0x1f, 0, 0};
inline constexpr numeric::FloatFormat e3m2Format = {3, 2, 3, 0x1f, 0, 0};

inline float asFloat(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
inline double asDouble(uint64_t bits) { return std::bit_cast<double>(bits); }
inline uint64_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }

/// The exact value of 16, 32 or 64 bits.
inline double decodeFloat(Type type, uint64_t bits) {
  if (type.bits == 64)
    return asDouble(bits);
  if (type.bits == 32 && !type.packed)
    return asFloat(bits);
  return numeric::decode(type.kind == TypeKind::BFloat ? numeric::kBF16 : numeric::kF16,
                         static_cast<uint16_t>(bits));
}

inline constexpr uint32_t canonicalNan32 = 0x7fffffff;
inline constexpr uint64_t canonicalNan64 = 0x7ff8000000000000;

/// Rounds a value to a type's bits. `Down` and `Up` are for 32 and 64 bits only.
uint64_t encodeFloat(Type type, double value, Round round);

/// f32: subnormal numbers become zeros of their sign.
inline float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

/// a op b (op c) with one rounding. `Operation` is one of "+-*/f" (f: fma) or 's' for the square
/// root of a.
template <typename T> T roundedArithmetic(char operation, T a, T b, T c, Round round);

} // namespace gluonc::ptx

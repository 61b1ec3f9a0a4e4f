//===- FloatFormats.h - Small floating formats, bit by bit -----------------===//
//
// Every format narrower than float that the language knows, as facts, with one
// decoder and one encoder that work for all of them. f16 and bf16 also have
// branch-free conversions from and to float, since whole tiles go through those.
//
// Arithmetic on f16 and bf16 is done in float and rounded back: float holds more
// than twice their precision, so the second rounding never changes the result
// of + - * / and square root (Figueroa, "When is double rounding innocuous?").
//
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstdint>

namespace gluonc::numeric {

enum class Rounding : uint8_t { NearestEven, TowardZero };

/// What a value beyond the largest finite one becomes: infinity (NaN where there is none, the
/// largest where there is neither), or the largest, as the GPUs' conversions to fp8 do.
enum class Overflow : uint8_t { Infinity, Saturate };

struct FloatFormat {
  unsigned exponentBits;
  unsigned mantissaBits;
  int bias;
  /// Encoding of the largest finite magnitude.
  uint32_t maxFinite;
  /// Encoding of a NaN; for the FNUZ formats this is the would-be negative zero. 0: there is none.
  uint32_t nan;
  /// Encoding of infinity; 0 where the format has none.
  uint32_t infinity;
  bool hasNegativeZero = true;

  constexpr unsigned bits() const { return 1 + exponentBits + mantissaBits; }
};

inline constexpr FloatFormat kF16 = {5, 10, 15, 0x7bff, 0x7fff, 0x7c00};
inline constexpr FloatFormat kBF16 = {8, 7, 127, 0x7f7f, 0x7fff, 0x7f80};
inline constexpr FloatFormat kF8E4M3FN = {4, 3, 7, 0x7e, 0x7f, 0};
inline constexpr FloatFormat kF8E5M2 = {5, 2, 15, 0x7b, 0x7f, 0x7c};
inline constexpr FloatFormat kF8E4M3FNUZ = {4, 3, 8, 0x7f, 0x80, 0, false};
inline constexpr FloatFormat kF8E5M2FNUZ = {5, 2, 16, 0x7f, 0x80, 0, false};
inline constexpr FloatFormat kF8E4M3B15 = {4, 3, 15, 0x7f, 0, 0};
inline constexpr FloatFormat kF4E2M1 = {2, 1, 1, 0x7, 0, 0};

/// Exact value of an encoding.
double decode(const FloatFormat &format, uint32_t bits);
/// Rounds once from double; floats widen to double exactly, so this serves them too. NaN loses its
/// sign and payload; 0 where the format has none.
uint32_t encode(const FloatFormat &format, double value, Rounding rounding,
                Overflow overflow = Overflow::Infinity);
/// Double to float with the given rounding.
float narrowToFloat(double value, Rounding rounding);

inline float halfToFloat(uint16_t half) {
  uint32_t magnitude = (uint32_t(half) & 0x7fffu) << 13;
  // Read as a float the bits mean value * 2^-112, subnormals included.
  uint32_t scaled = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  uint32_t special = magnitude | 0x7f800000u;
  uint32_t result = magnitude >= 0x0f800000u ? special : scaled;
  return std::bit_cast<float>(result | (uint32_t(half & 0x8000u) << 16));
}

inline uint16_t floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  // Adding 0.5 leaves a unit in the last place of 2^-24, the subnormal step of f16.
  uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
                       std::bit_cast<uint32_t>(0.5f);
  uint32_t normal = (magnitude + 0xc8000fffu + ((magnitude >> 13) & 1)) >> 13;
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477ff000u ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? 0x7fffu : result;
  return static_cast<uint16_t>(result | sign);
}

inline float bfloatToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

inline uint16_t floatToBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  uint32_t nan = ((bits >> 16) & 0x8000u) | 0x7fffu;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

/// Value of an encoding of at most 8 bits, from a table.
template <const FloatFormat &Format> float decodeByte(uint8_t bits) {
  static const struct Table {
    float values[256];
    Table() {
      for (uint32_t code = 0; code < 256; ++code)
        values[code] = static_cast<float>(decode(Format, code));
    }
  } table;
  return table.values[bits];
}

/// a * b + c rounded once to a format with less than half of double's precision.
double fusedMultiplyAddToOdd(double a, double b, double c);

} // namespace gluonc::numeric

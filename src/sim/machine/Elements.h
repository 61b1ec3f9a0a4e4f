//===- Elements.h - Element kinds and how kernels compute on them ----------===//
//
// ElementKind is the run-time name of an element type. For each kind there is a
// tag (I1 … F64) that tells an elementwise kernel how elements are stored and in
// which host type it computes; kernels are templates over tags.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "numeric/FloatFormats.h"
#include "support/Error.h"

#include <type_traits>

namespace gluonc::sim {

using numeric::decode, numeric::encode, numeric::decodeByte, numeric::narrowToFloat;
using numeric::FloatFormat, numeric::Overflow, numeric::Rounding;
using numeric::floatToHalf, numeric::halfToFloat, numeric::floatToBfloat, numeric::bfloatToFloat;
using numeric::fusedMultiplyAddToOdd;
using numeric::kF16, numeric::kBF16, numeric::kF8E4M3FN, numeric::kF8E5M2;
using numeric::kF8E4M3FNUZ, numeric::kF8E5M2FNUZ, numeric::kF4E2M1;

enum class ElementKind : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  F16,
  BF16,
  F32,
  F64,
  Pointer,
  /// A shared-memory descriptor (Shared.h); never computed with.
  Descriptor,
  /// A tensor descriptor (TensorDescription.h); never computed with.
  TensorDescriptor,
  /// To a request for the work of another program; never computed with.
  LaunchAnswer,
};

inline constexpr uint32_t kDescriptorBytes = 64;
inline constexpr uint32_t kTensorDescriptorBytes = 192;
inline constexpr uint32_t kLaunchAnswerBytes = 16;

inline uint32_t byteSize(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
  case ElementKind::I8:
  case ElementKind::F8E4M3FN:
  case ElementKind::F8E5M2:
  case ElementKind::F8E4M3FNUZ:
  case ElementKind::F8E5M2FNUZ:
    return 1;
  case ElementKind::I16:
  case ElementKind::F16:
  case ElementKind::BF16:
    return 2;
  case ElementKind::I32:
  case ElementKind::F32:
    return 4;
  case ElementKind::I64:
  case ElementKind::F64:
  case ElementKind::Pointer:
    return 8;
  case ElementKind::Descriptor:
    return kDescriptorBytes;
  case ElementKind::TensorDescriptor:
    return kTensorDescriptorBytes;
  case ElementKind::LaunchAnswer:
    return kLaunchAnswerBytes;
  }
  GL_UNREACHABLE("element kind");
}

inline bool isInteger(ElementKind kind) { return kind <= ElementKind::I64; }
inline bool isFloat(ElementKind kind) {
  return kind >= ElementKind::F8E4M3FN && kind <= ElementKind::F64;
}

/// Integers are stored unsigned; i1 takes a byte that holds 0 or 1.
template <ElementKind K, class T, unsigned BitCount> struct IntElement {
  static constexpr ElementKind kKind = K;
  static constexpr unsigned kBits = BitCount;
  using Storage = T;
  using Signed = std::make_signed_t<T>;
  static constexpr T kMask = BitCount == 1 ? T(1) : T(~T(0));
  static constexpr T kSignBit = T(T(1) << (BitCount - 1));
  static T wrap(T value) { return value & kMask; }
  static Signed toSigned(T value) {
    if constexpr (BitCount == 1)
      return static_cast<Signed>(-static_cast<Signed>(value & 1));
    else
      return static_cast<Signed>(value);
  }
};
using I1 = IntElement<ElementKind::I1, uint8_t, 1>;
using I8 = IntElement<ElementKind::I8, uint8_t, 8>;
using I16 = IntElement<ElementKind::I16, uint16_t, 16>;
using I32 = IntElement<ElementKind::I32, uint32_t, 32>;
using I64 = IntElement<ElementKind::I64, uint64_t, 64>;

template <class Element> using StorageOf = typename Element::Storage;

struct F16 {
  static constexpr ElementKind kKind = ElementKind::F16;
  using Storage = uint16_t;
  using Compute = float;
  static float load(uint16_t bits) { return halfToFloat(bits); }
  static uint16_t store(float value) { return floatToHalf(value); }
  static uint16_t round(double value, Rounding rounding) {
    return static_cast<uint16_t>(encode(kF16, value, rounding));
  }
};
struct BF16 {
  static constexpr ElementKind kKind = ElementKind::BF16;
  using Storage = uint16_t;
  using Compute = float;
  static float load(uint16_t bits) { return bfloatToFloat(bits); }
  static uint16_t store(float value) { return floatToBfloat(value); }
  static uint16_t round(double value, Rounding rounding) {
    return static_cast<uint16_t>(encode(kBF16, value, rounding));
  }
};
struct F32 {
  static constexpr ElementKind kKind = ElementKind::F32;
  using Storage = float;
  using Compute = float;
  static float load(float value) { return value; }
  static float store(float value) { return value; }
  static float round(double value, Rounding rounding) { return narrowToFloat(value, rounding); }
};
struct F64 {
  static constexpr ElementKind kKind = ElementKind::F64;
  using Storage = double;
  using Compute = double;
  static double load(double value) { return value; }
  static double store(double value) { return value; }
  static double round(double value, Rounding) { return value; }
};
template <ElementKind K, const FloatFormat &Format> struct ByteFloat {
  static constexpr ElementKind kKind = K;
  using Storage = uint8_t;
  using Compute = float;
  static float load(uint8_t bits) { return decodeByte<Format>(bits); }
  static uint8_t store(float value) { return round(value, Rounding::NearestEven); }
  static uint8_t round(double value, Rounding rounding) {
    return static_cast<uint8_t>(encode(Format, value, rounding, Overflow::Saturate));
  }
};
using E4M3FN = ByteFloat<ElementKind::F8E4M3FN, kF8E4M3FN>;
using E5M2 = ByteFloat<ElementKind::F8E5M2, kF8E5M2>;
using E4M3FNUZ = ByteFloat<ElementKind::F8E4M3FNUZ, kF8E4M3FNUZ>;
using E5M2FNUZ = ByteFloat<ElementKind::F8E5M2FNUZ, kF8E5M2FNUZ>;

/// Calls `use(Tag())` with the integer tag of `kind`; false if it is not an integer.
template <class Use> bool withIntElement(ElementKind kind, Use &&use) {
  switch (kind) {
  case ElementKind::I1:
    return use(I1()), true;
  case ElementKind::I8:
    return use(I8()), true;
  case ElementKind::I16:
    return use(I16()), true;
  case ElementKind::I32:
    return use(I32()), true;
  case ElementKind::I64:
    return use(I64()), true;
  default:
    return false;
  }
}

/// The floats that hardware computes in. fp8 is a storage format only.
template <class Use> bool withArithmeticFloat(ElementKind kind, Use &&use) {
  switch (kind) {
  case ElementKind::F16:
    return use(F16()), true;
  case ElementKind::BF16:
    return use(BF16()), true;
  case ElementKind::F32:
    return use(F32()), true;
  case ElementKind::F64:
    return use(F64()), true;
  default:
    return false;
  }
}

template <class Use> bool withFloatElement(ElementKind kind, Use &&use) {
  switch (kind) {
  case ElementKind::F8E4M3FN:
    return use(E4M3FN()), true;
  case ElementKind::F8E5M2:
    return use(E5M2()), true;
  case ElementKind::F8E4M3FNUZ:
    return use(E4M3FNUZ()), true;
  case ElementKind::F8E5M2FNUZ:
    return use(E5M2FNUZ()), true;
  default:
    return withArithmeticFloat(kind, use);
  }
}

} // namespace gluonc::sim

#include "driver/host/NumberFormat.h"
#include "support/Error.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>
#include <mutex>

namespace gluonc::driver {

using sema::DType;
using sema::ScalarKind;

static const llvm::fltSemantics &semanticsOf(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Float8E5:
    return llvm::APFloat::Float8E5M2();
  case ScalarKind::Float8E5B16:
    return llvm::APFloat::Float8E5M2FNUZ();
  case ScalarKind::Float8E4NV:
    return llvm::APFloat::Float8E4M3FN();
  case ScalarKind::Float8E4B8:
    return llvm::APFloat::Float8E4M3FNUZ();
  case ScalarKind::Float16:
    return llvm::APFloat::IEEEhalf();
  case ScalarKind::BFloat16:
    return llvm::APFloat::BFloat();
  default:
    GL_UNREACHABLE("not a small float");
  }
}

/// fp8e4b15: four bits of exponent with bias 15, no infinities, no NaN. LLVM does not know it.
static double decodeE4B15(unsigned code) {
  int exponent = static_cast<int>(code >> 3 & 15);
  double mantissa = (code & 7) / 8.0;
  double magnitude = exponent ? std::ldexp(1 + mantissa, exponent - 15) : std::ldexp(mantissa, -14);
  return code & 0x80 ? -magnitude : magnitude;
}

/// Every value of a format of at most 16 bits, made on first use.
static const double *decodeTable(ScalarKind kind, unsigned bits) {
  static const double *tables[32] = {};
  static std::once_flag made[32];
  unsigned slot = static_cast<unsigned>(kind);
  std::call_once(made[slot], [&] {
    double *table = new double[size_t(1) << bits];
    for (unsigned code = 0; code != 1u << bits; ++code) {
      if (kind == ScalarKind::Float8E4B15) {
        table[code] = decodeE4B15(code);
        continue;
      }
      llvm::APFloat value(semanticsOf(kind), llvm::APInt(bits, code));
      bool loses = false;
      value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
      table[code] = value.convertToDouble();
    }
    tables[slot] = table;
  });
  return tables[slot];
}

template <typename T> static T read(const void *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

double decodeElement(DType dtype, const void *bytes) {
  switch (dtype.scalarKind()) {
  case ScalarKind::Int1:
    return read<uint8_t>(bytes) != 0;
  case ScalarKind::Int8:
    return read<int8_t>(bytes);
  case ScalarKind::Int16:
    return read<int16_t>(bytes);
  case ScalarKind::Int32:
    return read<int32_t>(bytes);
  case ScalarKind::Int64:
    return static_cast<double>(read<int64_t>(bytes));
  case ScalarKind::UInt8:
    return read<uint8_t>(bytes);
  case ScalarKind::UInt16:
    return read<uint16_t>(bytes);
  case ScalarKind::UInt32:
    return read<uint32_t>(bytes);
  case ScalarKind::UInt64:
    return static_cast<double>(read<uint64_t>(bytes));
  case ScalarKind::Float32:
    return read<float>(bytes);
  case ScalarKind::Float64:
    return read<double>(bytes);
  case ScalarKind::Float16:
  case ScalarKind::BFloat16:
    return decodeTable(dtype.scalarKind(), 16)[read<uint16_t>(bytes)];
  case ScalarKind::Float8E5:
  case ScalarKind::Float8E5B16:
  case ScalarKind::Float8E4NV:
  case ScalarKind::Float8E4B8:
  case ScalarKind::Float8E4B15:
    return decodeTable(dtype.scalarKind(), 8)[read<uint8_t>(bytes)];
  case ScalarKind::Void:
    break;
  }
  GL_UNREACHABLE("void has no elements");
}

/// Rounds a double to an IEEE format of 16 bits without going through float, which would round
/// twice. The mantissa keeps `mantissaBits`; the exponent has what is left of 15 bits.
static uint16_t encodeIeee16(double value, int mantissaBits) {
  const int exponentBits = 15 - mantissaBits;
  const int bias = (1 << (exponentBits - 1)) - 1;
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  uint16_t sign = static_cast<uint16_t>(bits >> 63 << 15);
  uint16_t infinity = static_cast<uint16_t>(((1 << exponentBits) - 1) << mantissaBits);
  if (std::isnan(value))
    return sign | infinity | static_cast<uint16_t>(1 << (mantissaBits - 1));
  int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  if (exponent > bias)
    return sign | infinity;
  // Subnormals shift the implicit one down into the mantissa.
  int shift = 52 - mantissaBits;
  uint64_t kept = mantissa | (exponent == -1023 ? 0 : uint64_t(1) << 52);
  uint64_t base = 0;
  if (exponent < 1 - bias) {
    shift += 1 - bias - exponent;
    if (shift > 62)
      return sign;
  } else {
    base = static_cast<uint64_t>(exponent + bias - 1) << mantissaBits;
  }
  uint64_t rounded = kept >> shift;
  uint64_t rest = kept & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (rounded & 1)))
    ++rounded;
  // A carry out of the mantissa moves into the exponent, up to infinity, as it should.
  return static_cast<uint16_t>(sign | (base + rounded));
}

/// The nearest code; saturates. Codes of one sign are ordered, so a search by halves would do,
/// but the format is rare enough for a walk.
static uint8_t encodeE4B15(double value) {
  uint8_t sign = std::signbit(value) ? 0x80 : 0;
  double magnitude = std::isnan(value) ? 0 : std::fabs(value);
  unsigned best = 0;
  for (unsigned code = 1; code != 0x80; ++code) {
    double now = std::fabs(decodeE4B15(code) - magnitude);
    double before = std::fabs(decodeE4B15(best) - magnitude);
    if (now < before || (now == before && code % 2 == 0))
      best = code;
  }
  return static_cast<uint8_t>(sign | best);
}

static uint8_t encodeFloat8(ScalarKind kind, double value) {
  if (kind == ScalarKind::Float8E4B15)
    return encodeE4B15(value);
  llvm::APFloat number(value);
  bool loses = false;
  number.convert(semanticsOf(kind), llvm::APFloat::rmNearestTiesToEven, &loses);
  return static_cast<uint8_t>(number.bitcastToAPInt().getZExtValue());
}

/// A C cast of a double that is out of range is undefined; here it saturates, then wraps.
static int64_t toInteger(double value) {
  if (std::isnan(value))
    return 0;
  if (value >= 9223372036854775808.0)
    return value >= 18446744073709551615.0 ? -1
                                           : static_cast<int64_t>(static_cast<uint64_t>(value));
  if (value < -9223372036854775808.0)
    return INT64_MIN;
  return static_cast<int64_t>(value);
}

void encodeInteger(DType dtype, int64_t value, void *bytes) {
  if (dtype.isBool()) {
    uint8_t truth = value != 0;
    std::memcpy(bytes, &truth, 1);
    return;
  }
  // Little-endian: the low bytes come first.
  std::memcpy(bytes, &value, dtype.byteSize());
}

int64_t decodeInteger(DType dtype, const void *bytes) {
  switch (dtype.scalarKind()) {
  case ScalarKind::Int1:
    return read<uint8_t>(bytes) != 0;
  case ScalarKind::Int8:
    return read<int8_t>(bytes);
  case ScalarKind::Int16:
    return read<int16_t>(bytes);
  case ScalarKind::Int32:
    return read<int32_t>(bytes);
  case ScalarKind::UInt8:
    return read<uint8_t>(bytes);
  case ScalarKind::UInt16:
    return read<uint16_t>(bytes);
  case ScalarKind::UInt32:
    return read<uint32_t>(bytes);
  default:
    return read<int64_t>(bytes);
  }
}

void encodeElement(DType dtype, double value, void *bytes) {
  switch (dtype.scalarKind()) {
  case ScalarKind::Float64:
    std::memcpy(bytes, &value, 8);
    return;
  case ScalarKind::Float32: {
    float narrow = static_cast<float>(value);
    std::memcpy(bytes, &narrow, 4);
    return;
  }
  case ScalarKind::Float16:
  case ScalarKind::BFloat16: {
    uint16_t code = encodeIeee16(value, dtype.scalarKind() == ScalarKind::Float16 ? 10 : 7);
    std::memcpy(bytes, &code, 2);
    return;
  }
  case ScalarKind::Float8E5:
  case ScalarKind::Float8E5B16:
  case ScalarKind::Float8E4NV:
  case ScalarKind::Float8E4B8:
  case ScalarKind::Float8E4B15: {
    uint8_t code = encodeFloat8(dtype.scalarKind(), value);
    std::memcpy(bytes, &code, 1);
    return;
  }
  case ScalarKind::Int1: {
    uint8_t truth = value != 0;
    std::memcpy(bytes, &truth, 1);
    return;
  }
  default:
    encodeInteger(dtype, toInteger(value), bytes);
  }
}

} // namespace gluonc::driver

//===- Conversions.cpp - From one number format to another ---------------------===//
#include "amdgcn/Lanes.h"

namespace gluonc::amdgcn {

using numeric::FloatFormat;
using numeric::Overflow;
using numeric::Rounding;
using U = uint32_t;
using I = int32_t;

/// Rounds toward zero and stays in range; NaN is 0.
template <typename T, typename F> static T truncated(F value) {
  if (std::isnan(value))
    return 0;
  double wide = std::trunc(double(value));
  if (wide <= double(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (wide >= double(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(wide);
}

template <unsigned byte> static void fromByte(Step &step) {
  elementwise<[](U a) { return float(a >> 8 * byte & 0xff); }>(step);
}

template <typename T> static T normalized(float value, float scale) {
  float limited = std::fmax(std::fmin(value, 1.0f), std::is_signed_v<T> ? -1.0f : 0.0f);
  return std::isnan(value) ? T(0) : static_cast<T>(std::nearbyint(limited * scale));
}

static void addFromIntegers(HandlerTable &table) {
  table["v_cvt_f32_i32"] = elementwise<[](I a) { return float(a); }>;
  table["v_cvt_f32_u32"] = elementwise<[](U a) { return float(a); }>;
  table["v_cvt_i32_f32"] = elementwise<[](float a) { return truncated<I>(a); }>;
  table["v_cvt_u32_f32"] = elementwise<[](float a) { return truncated<U>(a); }>;
  table["v_cvt_f64_i32"] = elementwise<[](I a) { return double(a); }>;
  table["v_cvt_f64_u32"] = elementwise<[](U a) { return double(a); }>;
  table["v_cvt_i32_f64"] = elementwise<[](double a) { return truncated<I>(a); }>;
  table["v_cvt_u32_f64"] = elementwise<[](double a) { return truncated<U>(a); }>;
  table["v_cvt_f32_f64"] = elementwise<[](double a) { return float(a); }>;
  table["v_cvt_f64_f32"] = elementwise<[](float a) { return double(a); }>;
  table["v_cvt_f16_f32"] = elementwise<[](float a) { return Half{a}; }>;
  table["v_cvt_f32_f16"] = elementwise<[](Half a) { return a.value; }>;
  table["v_cvt_f32_bf16"] = elementwise<[](Brain a) { return a.value; }>;
  table["v_cvt_f16_u16"] = elementwise<[](uint16_t a) { return Half{float(a)}; }>;
  table["v_cvt_f16_i16"] = elementwise<[](int16_t a) { return Half{float(a)}; }>;
  table["v_cvt_u16_f16"] = elementwise<[](Half a) { return truncated<uint16_t>(a.value); }>;
  table["v_cvt_i16_f16"] = elementwise<[](Half a) { return truncated<int16_t>(a.value); }>;
  table["v_cvt_i32_i16"] = elementwise<[](int16_t a) { return I(a); }>;
  table["v_cvt_u32_u16"] = elementwise<[](uint16_t a) { return U(a); }>;
  table["v_cvt_rpi_i32_f32"] = table["v_cvt_nearest_i32_f32"] =
      elementwise<[](float a) { return truncated<I>(std::floor(a + 0.5f)); }>;
  table["v_cvt_flr_i32_f32"] = table["v_cvt_floor_i32_f32"] =
      elementwise<[](float a) { return truncated<I>(std::floor(a)); }>;
  table["v_cvt_f32_ubyte0"] = fromByte<0>;
  table["v_cvt_f32_ubyte1"] = fromByte<1>;
  table["v_cvt_f32_ubyte2"] = fromByte<2>;
  table["v_cvt_f32_ubyte3"] = fromByte<3>;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

static U halfTowardZero(float value) {
  return numeric::encode(numeric::kF16, value, Rounding::TowardZero);
}

static void addPairs(HandlerTable &table) {
  table["v_pack_b32_f16"] = elementwise<[](uint16_t a, uint16_t b) { return U(a) | U(b) << 16; }>;
  table["v_cvt_pkrtz_f16_f32"] = table["v_cvt_pk_rtz_f16_f32"] =
      elementwise<[](float a, float b) { return halfTowardZero(a) | halfTowardZero(b) << 16; }>;
  table["v_cvt_pk_f16_f32"] = elementwise<[](float a, float b) {
    return U(numeric::floatToHalf(a)) | U(numeric::floatToHalf(b)) << 16;
  }>;
  table["v_cvt_pk_bf16_f32"] = elementwise<[](float a, float b) {
    return U(numeric::floatToBfloat(a)) | U(numeric::floatToBfloat(b)) << 16;
  }>;
  table["v_cvt_pk_u16_u32"] =
      elementwise<[](U a, U b) { return std::min(a, 0xffffu) | std::min(b, 0xffffu) << 16; }>;
  table["v_cvt_pk_i16_i32"] = elementwise<[](I a, I b) {
    auto narrow = [](I x) { return U(uint16_t(std::clamp(x, -32768, 32767))); };
    return narrow(a) | narrow(b) << 16;
  }>;
  table["v_cvt_pk_i16_f32"] = elementwise<[](float a, float b) {
    return U(uint16_t(truncated<int16_t>(a))) | U(uint16_t(truncated<int16_t>(b))) << 16;
  }>;
  table["v_cvt_pk_u16_f32"] = elementwise<[](float a, float b) {
    return U(truncated<uint16_t>(a)) | U(truncated<uint16_t>(b)) << 16;
  }>;
  table["v_cvt_pknorm_i16_f32"] = table["v_cvt_pk_norm_i16_f32"] =
      elementwise<[](float a, float b) {
        return U(uint16_t(normalized<int16_t>(a, 32767))) |
               U(uint16_t(normalized<int16_t>(b, 32767))) << 16;
      }>;
  table["v_cvt_pknorm_u16_f32"] = table["v_cvt_pk_norm_u16_f32"] =
      elementwise<[](float a, float b) {
        return U(normalized<uint16_t>(a, 65535)) | U(normalized<uint16_t>(b, 65535)) << 16;
      }>;
  table["v_cvt_pk_u8_f32"] = elementwise<[](float a, U b, U c) {
    unsigned shift = 8 * (b & 3);
    return (c & ~(0xffu << shift)) | U(truncated<uint8_t>(a)) << shift;
  }>;
}

//===----------------------------------------------------------------------===//
// Eight bits
//===----------------------------------------------------------------------===//

/// gfx942 has formats without negative zero, later chips the common ones.
static const FloatFormat &byteFormat(const Step &step, bool isBf8) {
  if (step.machine.chip.is942)
    return isBf8 ? numeric::kF8E5M2FNUZ : numeric::kF8E4M3FNUZ;
  return isBf8 ? numeric::kF8E5M2 : numeric::kF8E4M3FN;
}

static U encodeByte(const Step &step, bool isBf8, double value) {
  // MODE bit 23 asks for the largest number where infinity or NaN would come.
  bool saturates = step.wave.mode >> 23 & 1;
  return numeric::encode(byteFormat(step, isBf8), value, Rounding::NearestEven,
                         saturates ? Overflow::Saturate : Overflow::Infinity);
}

/// Two floats to bytes of one half of the register; the other half stays.
template <bool isBf8, typename T> static void toBytePair(Step &step) {
  Source<T> a(step, 1), b(step, 2);
  const Operand &target = step.operand(0);
  uint32_t *row = step.wave.row(target.reg);
  const Modifiers &modifiers = step.instruction.modifiers;
  bool isHigh =
      target.half >= 0 ? target.half == 1 : modifiers.opSel > 0 && (modifiers.opSel & ~3) != 0;
  auto number = [](auto value) {
    if constexpr (std::is_same_v<decltype(value), float>)
      return value;
    else
      return value.value;
  };
  step.eachLane([&](unsigned lane) {
    U pair = encodeByte(step, isBf8, number(T(a[lane]))) |
             encodeByte(step, isBf8, number(T(b[lane]))) << 8;
    row[lane] = isHigh ? (row[lane] & 0xffff) | pair << 16 : (row[lane] & 0xffff0000u) | pair;
  });
}

/// Two bytes to two floats: those of the half that a selection names.
template <bool isBf8> static void fromBytePair(Step &step) {
  Source<U> a(step, 1);
  const Operand &source = step.operand(1);
  const Modifiers &modifiers = step.instruction.modifiers;
  bool isHigh = source.half >= 0 ? source.half == 1 : modifiers.opSel > 0 && modifiers.opSel & 1;
  const FloatFormat &format = byteFormat(step, isBf8);
  Result<float> low(step, step.operand(0));
  uint32_t *high = step.wave.row(step.operand(0).reg + 1);
  step.eachLane([&](unsigned lane) {
    U bits = U(a[lane]) >> (isHigh ? 16 : 0);
    float second = static_cast<float>(numeric::decode(format, bits >> 8 & 0xff));
    low.set(lane, static_cast<float>(numeric::decode(format, bits & 0xff)));
    high[lane] = std::bit_cast<U>(second);
  });
}

template <bool isBf8> static void fromByteOne(Step &step) {
  DppScope dpp(step);
  Source<U> a(step, 1, dpp.row);
  const Modifiers &modifiers = step.instruction.modifiers;
  // SDWA has taken the byte already; byte_sel and op_sel name one.
  auto which = static_cast<unsigned>(modifiers.number("byte_sel"));
  if (modifiers.opSel > 0)
    which = (modifiers.opSel & 1 ? 2 : 0) | (modifiers.opSel & 2 ? 1 : 0);
  const FloatFormat &format = byteFormat(step, isBf8);
  Result<float> result(step, step.operand(0));
  step.eachLane([&](unsigned lane) {
    result.set(lane, static_cast<float>(numeric::decode(format, U(a[lane]) >> 8 * which & 0xff)));
  });
}

static void addBytes(HandlerTable &table) {
  table["v_cvt_pk_fp8_f32"] = toBytePair<false, float>;
  table["v_cvt_pk_bf8_f32"] = toBytePair<true, float>;
  table["v_cvt_pk_f32_fp8"] = fromBytePair<false>;
  table["v_cvt_pk_f32_bf8"] = fromBytePair<true>;
  table["v_cvt_f32_fp8"] = fromByteOne<false>;
  table["v_cvt_f32_bf8"] = fromByteOne<true>;
}

void addConversions(HandlerTable &table) {
  addFromIntegers(table);
  addPairs(table);
  addBytes(table);
}

} // namespace gluonc::amdgcn

//===- Packed.cpp - Two numbers in one register, or in a pair -------------------===//
#include "amdgcn/Lanes.h"

namespace gluonc::amdgcn {

using U = uint32_t;

/// One of two parts of a source, for each lane.
template <typename T> class PackedSource {
public:
  PackedSource(Step &step, unsigned place) {
    const Operand &operand = step.operand(1 + place);
    const Modifiers &modifiers = step.instruction.modifiers;
    // Unless it is written otherwise, parts are those of their own number.
    part[0] = modifiers.opSel > 0 && (modifiers.opSel >> place & 1);
    part[1] = modifiers.opSelHi < 0 || (modifiers.opSelHi >> place & 1);
    negate[0] = modifiers.negLo >> place & 1;
    negate[1] = modifiers.negHi >> place & 1;
    isFloat = isFloating<T>;
    if (operand.bank == Bank::Vector) {
      low = step.wave.row(operand.reg);
      high = step.wave.row(operand.reg + (operand.count > 1));
    } else if (operand.bank == Bank::Scalar) {
      held[0] = step.scalar(operand);
      held[1] = operand.count > 1 ? static_cast<U>(step.scalarWide(operand) >> 32) : held[0];
    } else {
      held[0] = static_cast<U>(literalBits<T>(operand));
      held[1] = held[0];
    }
  }
  T get(unsigned lane, unsigned which) const {
    bool isUpper = bitsOf<T> == 32 && part[which];
    U bits = !low ? held[isUpper] : (isUpper ? high : low)[lane];
    if constexpr (bitsOf<T> == 16)
      bits = bits >> (part[which] ? 16 : 0) & 0xffff;
    if (isFloat && negate[which])
      bits ^= bitsOf<T> == 16 ? 0x8000u : 0x80000000u;
    return fromBits<T>(bits, 0);
  }

private:
  const U *low = nullptr, *high = nullptr;
  U held[2] = {};
  bool part[2], negate[2], isFloat;
};

template <typename T> static U packedBits(const Step &step, T value) {
  bool clamps = step.instruction.modifiers.clamp;
  if constexpr (std::is_same_v<T, Half>)
    return numeric::floatToHalf(clamps ? unitClamped(value.value) : value.value);
  else if constexpr (std::is_same_v<T, Brain>)
    return numeric::floatToBfloat(clamps ? unitClamped(value.value) : value.value);
  else if constexpr (std::is_same_v<T, HalfOfDouble>)
    return numeric::encode(numeric::kF16, clamps ? unitClamped(value.value) : value.value,
                           numeric::Rounding::NearestEven);
  else if constexpr (std::is_same_v<T, BrainOfDouble>)
    return numeric::encode(numeric::kBF16, clamps ? unitClamped(value.value) : value.value,
                           numeric::Rounding::NearestEven);
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<U>(clamps ? unitClamped(value) : value);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<U>(value);
  else
    return 0;
}
template <typename T> static U packedBits(const Step &step, Saturating<T> value) {
  if (step.instruction.modifiers.clamp)
    value.value = std::clamp<__int128>(value.value, std::numeric_limits<T>::min(),
                                       std::numeric_limits<T>::max());
  return static_cast<U>(value.value) & 0xffff;
}

/// Both results come before either is written: sources and destination may be the same.
template <auto F> static void packed(Step &step) {
  using Facts = detail::Signature<decltype(F)>;
  Facts::call([&]<typename... A>() {
    [&]<size_t... N>(std::index_sequence<N...>) {
      std::tuple<PackedSource<A>...> sources{PackedSource<A>(step, N)...};
      uint32_t *low = step.wave.row(step.operand(0).reg);
      constexpr bool isWide = bitsOf<typename Facts::Out> == 32;
      uint32_t *high = isWide ? step.wave.row(step.operand(0).reg + 1) : nullptr;
      step.eachLane([&](unsigned lane) {
        U first = packedBits(step, F(std::get<N>(sources).get(lane, 0)...));
        U second = packedBits(step, F(std::get<N>(sources).get(lane, 1)...));
        if constexpr (isWide) {
          low[lane] = first;
          high[lane] = second;
        } else {
          low[lane] = (first & 0xffff) | second << 16;
        }
      });
    }(std::index_sequence_for<A...>());
  });
}

/// v_pk_mov_b32: the low result is a part of the first source, the high one of the second.
static void packedMove(Step &step) {
  PackedSource<U> a(step, 0), b(step, 1);
  uint32_t *low = step.wave.row(step.operand(0).reg),
           *high = step.wave.row(step.operand(0).reg + 1);
  step.eachLane([&](unsigned lane) {
    U first = a.get(lane, 0), second = b.get(lane, 0);
    low[lane] = first;
    high[lane] = second;
  });
}

static float smaller(float a, float b) {
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}
static float larger(float a, float b) {
  return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
}

template <typename H> static void addFloats(HandlerTable &table, llvm::StringRef suffix) {
  using D = std::conditional_t<std::is_same_v<H, Half>, HalfOfDouble, BrainOfDouble>;
  auto name = [&](llvm::StringRef text) { return ("v_pk_" + text + "_" + suffix).str(); };
  table[name("add")] = packed<[](H a, H b) { return H{a.value + b.value}; }>;
  table[name("mul")] = packed<[](H a, H b) { return H{a.value * b.value}; }>;
  table[name("fma")] = packed<[](H a, H b, H c) {
    return D{numeric::fusedMultiplyAddToOdd(a.value, b.value, c.value)};
  }>;
  table[name("min")] = table[name("min_num")] =
      packed<[](H a, H b) { return H{smaller(a.value, b.value)}; }>;
  table[name("max")] = table[name("max_num")] =
      packed<[](H a, H b) { return H{larger(a.value, b.value)}; }>;
  table[name("minimum")] = packed<[](H a, H b) {
    bool isNan = std::isnan(a.value) || std::isnan(b.value);
    return H{isNan ? a.value + b.value : smaller(a.value, b.value)};
  }>;
  table[name("maximum")] = packed<[](H a, H b) {
    bool isNan = std::isnan(a.value) || std::isnan(b.value);
    return H{isNan ? a.value + b.value : larger(a.value, b.value)};
  }>;
  table[name("minimum3")] = packed<[](H a, H b, H c) {
    bool isNan = std::isnan(a.value) || std::isnan(b.value) || std::isnan(c.value);
    return H{isNan ? a.value + b.value + c.value : smaller(smaller(a.value, b.value), c.value)};
  }>;
  table[name("maximum3")] = packed<[](H a, H b, H c) {
    bool isNan = std::isnan(a.value) || std::isnan(b.value) || std::isnan(c.value);
    return H{isNan ? a.value + b.value + c.value : larger(larger(a.value, b.value), c.value)};
  }>;
}

static void addShorts(HandlerTable &table) {
  using H = uint16_t;
  using S = int16_t;
  using SU = Saturating<H>;
  using SI = Saturating<S>;
  table["v_pk_add_u16"] = packed<[](H a, H b) { return SU{__int128(a) + b}; }>;
  table["v_pk_sub_u16"] = packed<[](H a, H b) { return SU{__int128(a) - b}; }>;
  table["v_pk_add_i16"] = packed<[](S a, S b) { return SI{__int128(a) + b}; }>;
  table["v_pk_sub_i16"] = packed<[](S a, S b) { return SI{__int128(a) - b}; }>;
  table["v_pk_mul_lo_u16"] = packed<[](H a, H b) { return H(U(a) * b); }>;
  table["v_pk_mad_u16"] = packed<[](H a, H b, H c) { return H(U(a) * b + c); }>;
  table["v_pk_mad_i16"] = packed<[](S a, S b, S c) { return H(int32_t(a) * b + c); }>;
  table["v_pk_min_u16"] = packed<[](H a, H b) { return std::min(a, b); }>;
  table["v_pk_max_u16"] = packed<[](H a, H b) { return std::max(a, b); }>;
  table["v_pk_min_i16"] = packed<[](S a, S b) { return H(std::min(a, b)); }>;
  table["v_pk_max_i16"] = packed<[](S a, S b) { return H(std::max(a, b)); }>;
  table["v_pk_min3_u16"] = packed<[](H a, H b, H c) { return std::min({a, b, c}); }>;
  table["v_pk_max3_u16"] = packed<[](H a, H b, H c) { return std::max({a, b, c}); }>;
  table["v_pk_min3_i16"] = packed<[](S a, S b, S c) { return H(std::min({a, b, c})); }>;
  table["v_pk_max3_i16"] = packed<[](S a, S b, S c) { return H(std::max({a, b, c})); }>;
  table["v_pk_lshlrev_b16"] = packed<[](H a, H b) { return H(b << (a & 15)); }>;
  table["v_pk_lshrrev_b16"] = packed<[](H a, H b) { return H(b >> (a & 15)); }>;
  table["v_pk_ashrrev_i16"] = packed<[](H a, S b) { return H(b >> (a & 15)); }>;
}

//===----------------------------------------------------------------------===//
// Sums of products with sources of 16 or 32 bits
//===----------------------------------------------------------------------===//

/// op_sel_hi says that a source is a half, op_sel which.
static double mixedSource(const Step &step, unsigned place, unsigned lane, bool isBrain) {
  const Operand &operand = step.operand(1 + place);
  const Modifiers &modifiers = step.instruction.modifiers;
  bool isHalf = modifiers.opSelHi > 0 && (modifiers.opSelHi >> place & 1);
  bool isHigh =
      operand.half >= 0 ? operand.half == 1 : modifiers.opSel > 0 && (modifiers.opSel >> place & 1);
  U bits;
  if (operand.bank == Bank::Vector)
    bits = step.wave.row(operand.reg)[lane];
  else if (operand.bank == Bank::Literal && isHalf)
    bits = static_cast<U>(isBrain ? literalBits<Brain>(operand) : literalBits<Half>(operand));
  else
    bits = step.scalar(operand);
  if (isHigh && operand.bank != Bank::Literal)
    bits >>= 16;
  auto half = static_cast<uint16_t>(bits);
  double value = !isHalf   ? std::bit_cast<float>(bits)
                 : isBrain ? numeric::bfloatToFloat(half)
                           : numeric::halfToFloat(half);
  if (operand.absolute)
    value = std::fabs(value);
  return operand.negate ? -value : value;
}

/// target: 0 a float, 1 a half in the low part, 2 one in the high part.
template <unsigned target, bool isBrain> static void mixed(Step &step) {
  uint32_t *row = step.wave.row(step.operand(0).reg);
  step.eachLane([&](unsigned lane) {
    double value = numeric::fusedMultiplyAddToOdd(mixedSource(step, 0, lane, isBrain),
                                                  mixedSource(step, 1, lane, isBrain),
                                                  mixedSource(step, 2, lane, isBrain));
    if (step.instruction.modifiers.clamp)
      value = unitClamped(value);
    if (target == 0) {
      row[lane] = std::bit_cast<U>(static_cast<float>(value));
      return;
    }
    U bits = numeric::encode(isBrain ? numeric::kBF16 : numeric::kF16, value,
                             numeric::Rounding::NearestEven);
    row[lane] = target == 1 ? (row[lane] & 0xffff0000u) | bits : (row[lane] & 0xffff) | bits << 16;
  });
}

/// Dot products of pairs, added to a float.
template <typename H> static void dotOfPairs(Step &step) {
  PackedSource<H> a(step, 0), b(step, 1);
  bool isLong = step.operands() > 3;
  Source<float> c(step, step.operand(isLong ? 3 : 0), nullptr, 2);
  Result<float> result(step, step.operand(0));
  step.eachLane([&](unsigned lane) {
    double sum = double(a.get(lane, 0).value) * b.get(lane, 0).value +
                 double(a.get(lane, 1).value) * b.get(lane, 1).value + c[lane];
    result.set(lane, static_cast<float>(sum));
  });
}

template <bool signedA, bool signedB, unsigned bits> static void dotOfIntegers(Step &step) {
  Source<U> a(step, 1), b(step, 2);
  bool isLong = step.operands() > 3;
  Source<U> c(step, step.operand(isLong ? 3 : 0), nullptr, 2);
  Result<U> result(step, step.operand(0));
  unsigned signs = step.instruction.modifiers.negLo;
  bool mixedSigns = step.instruction.mnemonic.find("_iu") != std::string::npos;
  auto element = [](U word, unsigned i, bool isSigned) {
    U part = word >> bits * i & ((1u << bits) - 1);
    bool isNegative = isSigned && part >> (bits - 1);
    return int64_t(part) - (isNegative ? int64_t(1) << bits : 0);
  };
  step.eachLane([&](unsigned lane) {
    bool sa = mixedSigns ? signs & 1 : signedA, sb = mixedSigns ? signs & 2 : signedB;
    bool isSigned = mixedSigns || signedA;
    int64_t sum = isSigned ? int64_t(int32_t(c[lane])) : int64_t(c[lane]);
    for (unsigned i = 0; i != 32 / bits; ++i)
      sum += element(a[lane], i, sa) * element(b[lane], i, sb);
    if (step.instruction.modifiers.clamp)
      sum = isSigned ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX)
                     : std::clamp<int64_t>(sum, 0, UINT32_MAX);
    result.set(lane, static_cast<U>(sum));
  });
}

void addPacked(HandlerTable &table) {
  addFloats<Half>(table, "f16");
  addFloats<Brain>(table, "bf16");
  addShorts(table);
  using F = float;
  table["v_pk_add_f32"] = packed<[](F a, F b) { return a + b; }>;
  table["v_pk_mul_f32"] = packed<[](F a, F b) { return a * b; }>;
  table["v_pk_fma_f32"] = packed<[](F a, F b, F c) { return std::fma(a, b, c); }>;
  table["v_pk_mov_b32"] = packedMove;
  table["v_fma_mix_f32"] = table["v_mad_mix_f32"] = mixed<0, false>;
  table["v_fma_mixlo_f16"] = table["v_mad_mixlo_f16"] = mixed<1, false>;
  table["v_fma_mixhi_f16"] = table["v_mad_mixhi_f16"] = mixed<2, false>;
  table["v_fma_mix_f32_bf16"] = mixed<0, true>;
  table["v_fma_mixlo_bf16"] = mixed<1, true>;
  table["v_fma_mixhi_bf16"] = mixed<2, true>;
  table["v_dot2_f32_f16"] = table["v_dot2c_f32_f16"] = table["v_dot2acc_f32_f16"] =
      dotOfPairs<Half>;
  table["v_dot2_f32_bf16"] = table["v_dot2c_f32_bf16"] = table["v_dot2acc_f32_bf16"] =
      dotOfPairs<Brain>;
  table["v_dot4_i32_i8"] = table["v_dot4c_i32_i8"] = table["v_dot4_i32_iu8"] =
      dotOfIntegers<true, true, 8>;
  table["v_dot4_u32_u8"] = dotOfIntegers<false, false, 8>;
  table["v_dot8_i32_i4"] = table["v_dot8c_i32_i4"] = table["v_dot8_i32_iu4"] =
      dotOfIntegers<true, true, 4>;
  table["v_dot8_u32_u4"] = dotOfIntegers<false, false, 4>;
  table["v_dot2_i32_i16"] = table["v_dot2c_i32_i16"] = dotOfIntegers<true, true, 16>;
  table["v_dot2_u32_u16"] = dotOfIntegers<false, false, 16>;
}

} // namespace gluonc::amdgcn

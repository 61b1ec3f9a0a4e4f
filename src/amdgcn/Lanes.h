//===- Lanes.h - Operands of vector instructions, lane by lane ------------------===//
//
// A source is a row of registers, a scalar register or a constant that all lanes
// read; modifiers, parts of registers (SDWA, op_sel, .l and .h) and values of other
// lanes (DPP) are applied here, so that arithmetic is functions of C++ types:
//
//   table["v_add_f32"] = elementwise<[](float a, float b) { return a + b; }>;
//
//===----------------------------------------------------------------------===//
#pragma once

#include "amdgcn/Handlers.h"
#include "amdgcn/Rounding.h"
#include "numeric/FloatFormats.h"

#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

namespace gluonc::amdgcn {

/// A 16-bit float, computed with in single precision.
struct Half {
  float value = 0;
};
struct Brain {
  float value = 0;
};
/// A half that is rounded from double once.
struct HalfOfDouble {
  double value = 0;
};
struct BrainOfDouble {
  double value = 0;
};
/// A result that `clamp` saturates to T; otherwise it wraps.
template <typename T> struct Saturating {
  __int128 value = 0;
};

/// A value of another lane for the first source, and which lanes get one.
struct DppRow {
  uint32_t low[64], high[64];
  uint64_t written = 0;
};
void readDpp(const Step &step, const Operand &operand, DppRow &row);

template <typename T> inline constexpr unsigned bitsOf = sizeof(T) * 8;
template <> inline constexpr unsigned bitsOf<Half> = 16;
template <> inline constexpr unsigned bitsOf<Brain> = 16;
template <> inline constexpr unsigned bitsOf<HalfOfDouble> = 16;
template <> inline constexpr unsigned bitsOf<BrainOfDouble> = 16;
template <typename T> inline constexpr unsigned bitsOf<Saturating<T>> = bitsOf<T>;

template <typename T>
inline constexpr bool isFloating =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, Brain> ||
    std::is_same_v<T, HalfOfDouble> || std::is_same_v<T, BrainOfDouble>;

/// A literal's bits for a source of type T.
template <typename T> uint64_t literalBits(const Operand &operand) {
  if (!operand.isFloat) {
    bool isUpperHalf = std::is_same_v<T, double> && operand.isHex && !operand.isWide;
    return isUpperHalf ? operand.value << 32 : operand.value;
  }
  if constexpr (bitsOf<T> == 64)
    return std::bit_cast<uint64_t>(operand.real);
  else if constexpr (std::is_same_v<T, Brain> || std::is_same_v<T, BrainOfDouble>)
    return numeric::floatToBfloat(static_cast<float>(operand.real));
  else if constexpr (bitsOf<T> == 16)
    return numeric::floatToHalf(static_cast<float>(operand.real));
  else
    return std::bit_cast<uint32_t>(static_cast<float>(operand.real));
}

inline float flushed(float value) {
  return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}
inline double flushed(double value) {
  return std::fabs(value) < 0x1p-1022 ? std::copysign(0.0, value) : value;
}

template <typename T> T fromBits(uint32_t low, uint32_t high) {
  if constexpr (std::is_same_v<T, Half>)
    return {numeric::halfToFloat(static_cast<uint16_t>(low))};
  else if constexpr (std::is_same_v<T, Brain>)
    return {numeric::bfloatToFloat(static_cast<uint16_t>(low))};
  else if constexpr (bitsOf<T> == 64)
    return std::bit_cast<T>(low | (uint64_t(high) << 32));
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(low);
  else
    return static_cast<T>(low);
}

template <typename T> class Source {
public:
  Source(Step &step, unsigned index, DppRow *dpp = nullptr, unsigned place = ~0u)
      : Source(step, step.operand(index), dpp && index == 1 ? dpp : nullptr,
               place == ~0u ? index - 1 : place) {}
  Source(Step &step, const Operand &operand, const DppRow *dpp, unsigned place) {
    negate = operand.negate;
    absolute = operand.absolute;
    flush = std::is_same_v<T, float> ? step.wave.flushesFloat()
                                     : std::is_same_v<T, double> && step.wave.flushesDouble();
    locate(step, operand, dpp);
    selectPart(step, operand, place);
    isPlain = !negate && !absolute && !flush && !isPart;
  }

  T operator[](unsigned lane) const {
    uint32_t first = low ? low[lane] : held[0];
    uint32_t second = bitsOf<T> != 64 ? 0 : low ? high[lane] : held[1];
    return isPlain ? fromBits<T>(first, second) : modified(first, second);
  }

private:
  void locate(Step &step, const Operand &operand, const DppRow *dpp) {
    if (dpp) {
      low = dpp->low;
      high = dpp->high;
    } else if (operand.bank == Bank::Vector) {
      low = step.wave.row(operand.reg);
      high = step.wave.row(operand.reg + (operand.count > 1));
    } else if (operand.bank == Bank::Scalar) {
      held[0] = operand.reg == nullSlot ? 0 : step.wave.scalars[operand.reg];
      held[1] =
          operand.reg == nullSlot || operand.count < 2 ? 0 : step.wave.scalars[operand.reg + 1];
    } else {
      uint64_t bits = literalBits<T>(operand);
      held[0] = static_cast<uint32_t>(bits);
      held[1] = static_cast<uint32_t>(bits >> 32);
    }
  }
  void selectPart(const Step &step, const Operand &operand, unsigned place) {
    const Modifiers &modifiers = step.instruction.modifiers;
    part = {0, static_cast<uint8_t>(std::min(bitsOf<T>, 32u))};
    if (modifiers.sdwa.present && place < 2 && operand.isRegister()) {
      part = modifiers.sdwa.source[place];
      isSigned = operand.signExtend;
      isPart = part.bits != 32 || isSigned;
    } else if (bitsOf<T> == 16 && operand.isRegister()) {
      bool isHigh = operand.half >= 0 ? operand.half == 1
                                      : modifiers.opSel >= 0 && (modifiers.opSel >> place & 1);
      part.shift = isHigh ? 16 : 0;
      isPart = isHigh;
    }
  }
  T modified(uint32_t first, uint32_t second) const {
    if (isPart) {
      first >>= part.shift;
      if (part.bits < 32) {
        first &= (1u << part.bits) - 1;
        if (isSigned)
          first = static_cast<uint32_t>(static_cast<int32_t>(first << (32 - part.bits)) >>
                                        (32 - part.bits));
      }
    }
    uint32_t sign = bitsOf<T> == 16 ? 0x8000u : 0x80000000u;
    uint32_t &top = bitsOf<T> == 64 ? second : first;
    if (absolute)
      top &= ~sign;
    if (negate)
      top ^= sign;
    T value = fromBits<T>(first, second);
    if constexpr (std::is_floating_point_v<T>)
      return flush ? flushed(value) : value;
    else
      return value;
  }

  /// Of lanes; null where all lanes read the same.
  const uint32_t *low = nullptr, *high = nullptr;
  uint32_t held[2] = {};
  bool negate, absolute, flush, isPart = false, isSigned = false, isPlain;
  Selection part;
};

/// Writes results to a vector register: output modifiers, parts of registers.
template <typename T> class Result {
public:
  Result(Step &step, const Operand &operand);
  void set(unsigned lane, T value) const;

private:
  uint64_t toBits(T value) const;
  T limited(T value) const;
  uint32_t merged(uint32_t old, uint32_t bits) const;

  uint32_t *low, *high;
  const Modifiers &modifiers;
  bool isPlain = true, isHigh = false, keepsOther = false, flush = false;
  bool saturates = false;
  /// Of halves, as MODE has it.
  unsigned rounding = 0;
};

template <typename T>
Result<T>::Result(Step &step, const Operand &operand)
    : low(step.wave.row(operand.reg)), high(step.wave.row(operand.reg + (bitsOf<T> == 64))),
      modifiers(step.instruction.modifiers) {
  if constexpr (bitsOf<T> == 16) {
    unsigned place = step.operands() - 1;
    isHigh = operand.half >= 0 ? operand.half == 1
                               : modifiers.opSel >= 0 && (modifiers.opSel >> place & 1);
    llvm::StringRef name = step.instruction.mnemonic;
    // On gfx9 only the newer instructions keep the other half.
    keepsOther = isHigh || step.machine.chip.generation != 9 || name == "v_fma_f16" ||
                 name == "v_mad_f16" || name == "v_mad_u16" || name == "v_mad_i16" ||
                 name == "v_div_fixup_f16";
  }
  if constexpr (std::is_same_v<T, float>)
    flush = step.wave.flushesFloat();
  if constexpr (std::is_same_v<T, double>)
    flush = step.wave.flushesDouble();
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, HalfOfDouble>)
    rounding = step.wave.mode >> 2 & 3;
  saturates = modifiers.clamp;
  isPlain =
      !modifiers.clamp && !modifiers.omod && !modifiers.sdwa.present && bitsOf<T> != 16 && !flush;
}

template <typename T> uint64_t Result<T>::toBits(T value) const {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, HalfOfDouble>)
    if (rounding)
      return halfRounded(value.value, rounding);
  if constexpr (std::is_same_v<T, Half>)
    return numeric::floatToHalf(value.value);
  else if constexpr (std::is_same_v<T, Brain>)
    return numeric::floatToBfloat(value.value);
  else if constexpr (std::is_same_v<T, HalfOfDouble>)
    return numeric::encode(numeric::kF16, value.value, numeric::Rounding::NearestEven);
  else if constexpr (std::is_same_v<T, BrainOfDouble>)
    return numeric::encode(numeric::kBF16, value.value, numeric::Rounding::NearestEven);
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<uint64_t>(value);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<std::make_unsigned_t<T>>(value);
  else
    return static_cast<uint64_t>(value.value);
}

/// clamp of floats: to 0…1, NaN becomes 0.
template <typename F> F unitClamped(F value) {
  return value > 0 ? (value < 1 ? value : F(1)) : F(0);
}

template <typename T> T Result<T>::limited(T value) const {
  if constexpr (isFloating<T>) {
    auto adjust = [&](auto number) {
      if (modifiers.omod)
        number = std::ldexp(number, modifiers.omod);
      return saturates ? unitClamped(number) : number;
    };
    if constexpr (std::is_floating_point_v<T>) {
      value = adjust(value);
      return flush ? flushed(value) : value;
    } else {
      value.value = adjust(value.value);
    }
  }
  return value;
}

template <typename T> struct SaturatedType;
template <typename T> struct SaturatedType<Saturating<T>> {
  using Type = T;
};

template <typename T> uint32_t Result<T>::merged(uint32_t old, uint32_t bits) const {
  if (modifiers.sdwa.present && modifiers.sdwa.destination.bits != 32) {
    Selection part = modifiers.sdwa.destination;
    uint32_t mask = ((1u << part.bits) - 1) << part.shift;
    uint32_t value = (bits << part.shift) & mask;
    if (modifiers.sdwa.unused == Sdwa::Preserve)
      return (old & ~mask) | value;
    if (modifiers.sdwa.unused == Sdwa::SignExtend && (value >> (part.shift + part.bits - 1) & 1))
      return value | ~0u << (part.shift + part.bits - 1);
    return value;
  }
  if (bitsOf<T> != 16)
    return bits;
  if (!keepsOther)
    return bits & 0xffff;
  return isHigh ? (old & 0xffff) | (bits << 16) : (old & 0xffff0000u) | (bits & 0xffff);
}

template <typename T> void Result<T>::set(unsigned lane, T value) const {
  if constexpr (requires { typename SaturatedType<T>::Type; }) {
    using Limited = typename SaturatedType<T>::Type;
    if (saturates)
      value.value =
          std::min<__int128>(std::max<__int128>(value.value, std::numeric_limits<Limited>::min()),
                             std::numeric_limits<Limited>::max());
  }
  uint64_t bits = isPlain ? toBits(value) : toBits(limited(value));
  if constexpr (bitsOf<T> == 64) {
    low[lane] = static_cast<uint32_t>(bits);
    high[lane] = static_cast<uint32_t>(bits >> 32);
  } else {
    uint32_t word = static_cast<uint32_t>(bits);
    low[lane] = isPlain ? word : merged(low[lane], word);
  }
}

namespace detail {

template <typename F> struct Signature : Signature<decltype(&F::operator())> {};
template <typename C, typename R, typename... A> struct Signature<R (C::*)(A...) const> {
  using Out = R;
  template <typename G> static void call(G function) { function.template operator()<A...>(); }
};

} // namespace detail

/// Prepares the values of other lanes if the instruction asks for them, and takes away lanes that
/// get none.
struct DppScope {
  DppScope(Step &step, unsigned source = 1) {
    if (!step.instruction.isDpp)
      return;
    readDpp(step, step.operand(source), storage);
    step.active &= storage.written;
    row = &storage;
  }
  DppRow storage;
  DppRow *row = nullptr;
};

/// D = F(sources), in every active lane. `First` is the number of the first source; an
/// accumulating instruction has its destination as the last one.
template <auto F, bool Accumulates = false, unsigned First = 1> void elementwise(Step &step) {
  using Facts = detail::Signature<decltype(F)>;
  DppScope dpp(step, First);
  Facts::call([&]<typename... A>() {
    [&]<size_t... I>(std::index_sequence<I...>) {
      constexpr size_t count = sizeof...(A);
      std::tuple<Source<A>...> sources{
          Source<A>(step, step.operand(Accumulates && I + 1 == count ? 0 : First + I),
                    I == 0 ? dpp.row : nullptr, I)...};
      Result<typename Facts::Out> result(step, step.operand(0));
      step.eachLane([&](unsigned lane) { result.set(lane, F(std::get<I>(sources)[lane]...)); });
    }(std::index_sequence_for<A...>());
  });
}

template <auto F> void accumulating(Step &step) { elementwise<F, true>(step); }

} // namespace gluonc::amdgcn

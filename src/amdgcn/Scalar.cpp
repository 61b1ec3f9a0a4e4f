//===- Scalar.cpp - Arithmetic of scalar registers, scalar loads ---------------===//
#include "amdgcn/Handlers.h"

#include "numeric/FloatFormats.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <type_traits>

namespace gluonc::amdgcn {

using llvm::StringRef;

template <typename T> static T read(Step &step, unsigned i) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(step.scalarWide(step.operand(i)));
  else
    return std::bit_cast<T>(step.scalar(i));
}

template <typename T> static void write(Step &step, T value) {
  if constexpr (sizeof(T) == 8)
    step.setScalarWide(step.operand(0), std::bit_cast<uint64_t>(value));
  else
    step.setScalar(step.operand(0), std::bit_cast<uint32_t>(value));
}

/// What happens to SCC.
enum class Scc { Keep, NonZero };

template <typename T, auto F, Scc scc> static void unary(Step &step) {
  auto result = F(read<T>(step, 1));
  write(step, result);
  if (scc == Scc::NonZero)
    step.setScc(result != 0);
}

template <typename T, auto F, Scc scc> static void binary(Step &step) {
  auto result = F(read<T>(step, 1), read<T>(step, 2));
  write(step, result);
  if (scc == Scc::NonZero)
    step.setScc(result != 0);
}

/// Functions that see SCC and change it.
template <typename T, auto F> static void withCarry(Step &step) {
  bool carry = step.wave.scalars[sccSlot];
  auto result = F(read<T>(step, 1), read<T>(step, 2), carry);
  write(step, result);
  step.setScc(carry);
}

template <typename T, auto F> static void compare(Step &step) {
  step.setScc(F(read<T>(step, 0), read<T>(step, 1)));
}

/// s_movk, s_addk, ...: the destination is a source, too.
template <auto F> static void withConstant(Step &step) {
  auto constant = static_cast<int32_t>(static_cast<int16_t>(step.operand(1).value));
  bool scc = step.wave.scalars[sccSlot];
  write(step, static_cast<uint32_t>(F(static_cast<int32_t>(step.scalar(0)), constant, scc)));
  step.setScc(scc);
}

template <typename T, auto F> static void compareConstant(Step &step) {
  auto constant = static_cast<T>(step.operand(1).value);
  constant = std::is_signed_v<T> ? static_cast<T>(static_cast<int16_t>(constant))
                                 : static_cast<T>(static_cast<uint16_t>(constant));
  step.setScc(F(static_cast<T>(step.scalar(0)), constant));
}

/// s_and_saveexec and the like: EXEC becomes F(source, EXEC).
template <auto F> static void saveExec(Step &step) {
  uint64_t old = step.wave.exec();
  uint64_t result = F(step.mask(step.operand(1)), old) & step.wave.allLanes();
  step.setMask(step.operand(0), old);
  step.wave.setMask(execSlot, result);
  step.setScc(result != 0);
}

/// s_andn1_wrexec and the like: the new EXEC is the result, too.
template <auto F> static void writeExec(Step &step) {
  uint64_t result = F(step.mask(step.operand(1)), step.wave.exec()) & step.wave.allLanes();
  step.setMask(step.operand(0), result);
  step.wave.setMask(execSlot, result);
  step.setScc(result != 0);
}

template <typename T> static void select(Step &step) {
  write(step, read<T>(step, step.wave.scalars[sccSlot] ? 1 : 2));
}

template <typename T> static void moveIf(Step &step) {
  if (step.wave.scalars[sccSlot])
    write(step, read<T>(step, 1));
}

static void moveConstantIf(Step &step) {
  if (step.wave.scalars[sccSlot])
    write(step, static_cast<uint32_t>(static_cast<int16_t>(step.operand(1).value)));
}

template <typename T> static T fieldOf(T value, uint32_t what) {
  constexpr unsigned bits = sizeof(T) * 8;
  unsigned offset = what & (bits - 1);
  unsigned width = std::min(what >> 16 & 0x7f, bits);
  if (width == 0)
    return 0;
  if (offset + width < bits) {
    value = static_cast<T>(static_cast<std::make_unsigned_t<T>>(value) << (bits - offset - width));
    return static_cast<T>(value >> (bits - width));
  }
  return static_cast<T>(value >> offset);
}

template <typename T> static void bitField(Step &step) {
  T result = fieldOf(read<T>(step, 1), step.scalar(2));
  write(step, result);
  step.setScc(result != 0);
}

template <typename T> static void bitFieldMask(Step &step) {
  constexpr unsigned mask = sizeof(T) * 8 - 1;
  T ones = (T(1) << (step.scalar(1) & mask)) - 1;
  write(step, static_cast<T>(ones << (step.scalar(2) & mask)));
}

template <typename T, auto F> static void shift(Step &step) {
  T result = F(read<T>(step, 1), step.scalar(2) & (sizeof(T) * 8 - 1));
  write(step, result);
  step.setScc(result != 0);
}

template <unsigned amount> static uint32_t shiftAdd(uint32_t a, uint32_t b, bool &scc) {
  uint64_t sum = (uint64_t(a) << amount) + b;
  scc = sum >> 32 != 0;
  return static_cast<uint32_t>(sum);
}

/// s_bcnt, s_ff1, ...: counts of 32-bit results.
template <typename T, auto F, Scc scc> static void count(Step &step) {
  auto result = static_cast<uint32_t>(F(read<T>(step, 1)));
  write(step, result);
  if (scc == Scc::NonZero)
    step.setScc(result != 0);
}

template <typename T> static uint32_t firstDifferent(T value) {
  constexpr int bits = sizeof(T) * 8;
  T flipped = value >> (bits - 1) & 1 ? ~value : value;
  return flipped == 0 ? ~0u : static_cast<uint32_t>(std::countl_zero(flipped));
}

template <typename T, bool set> static void setBit(Step &step) {
  T value = read<T>(step, 0);
  T bit = T(1) << (step.scalar(1) & (sizeof(T) * 8 - 1));
  write(step, static_cast<T>(set ? value | bit : value & ~bit));
}

template <typename T> static T quadMask(T value) {
  T result = 0;
  for (unsigned i = 0; i != sizeof(T) * 2; ++i)
    result |= T((value >> 4 * i & 0xf) != 0) << i;
  return result;
}

template <typename T> static T wholeQuads(T value) {
  T result = 0;
  for (unsigned i = 0; i != sizeof(T) * 2; ++i)
    result |= (value >> 4 * i & 0xf ? T(0xf) : T(0)) << 4 * i;
  return result;
}

template <unsigned highA, unsigned highB> static void pack(Step &step) {
  uint32_t a = step.scalar(1) >> 16 * highA & 0xffff, b = step.scalar(2) >> 16 * highB & 0xffff;
  write(step, a | b << 16);
}

/// The register whose number M0 is added to.
template <unsigned words, bool toRegister> static void moveRelative(Step &step) {
  unsigned offset = step.wave.scalars[m0Slot];
  unsigned target = step.operand(0).reg + (toRegister ? offset : 0);
  unsigned source = step.operand(1).reg + (toRegister ? 0 : offset);
  if (std::max(target, source) + words > vccSlot)
    return step.fail(0, "M0 names a register that there is not");
  for (unsigned i = 0; i != words; ++i)
    step.wave.scalars[target + i] = step.wave.scalars[source + i];
}

template <typename T> static uint64_t product(T a, T b) {
  return static_cast<uint64_t>(static_cast<__int128>(a) * b);
}
template <typename T> static void multiplyHigh(Step &step) {
  write(step, static_cast<uint32_t>(product(read<T>(step, 1), read<T>(step, 2)) >> 32));
}

template <typename T> static void absoluteDifference(Step &step) {
  int32_t difference = static_cast<int32_t>(step.scalar(1) - step.scalar(2));
  uint32_t result =
      difference < 0 ? 0u - static_cast<uint32_t>(difference) : static_cast<uint32_t>(difference);
  write(step, result);
  step.setScc(result != 0);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

template <typename T> static void addLogic(HandlerTable &table, StringRef suffix) {
  auto name = [&](StringRef text) { return ("s_" + text + "_" + suffix).str(); };
  table[name("mov")] = unary<T, [](T a) { return a; }, Scc::Keep>;
  table[name("not")] = unary<T, [](T a) { return T(~a); }, Scc::NonZero>;
  table[name("and")] = binary<T, [](T a, T b) { return T(a & b); }, Scc::NonZero>;
  table[name("or")] = binary<T, [](T a, T b) { return T(a | b); }, Scc::NonZero>;
  table[name("xor")] = binary<T, [](T a, T b) { return T(a ^ b); }, Scc::NonZero>;
  table[name("nand")] = binary<T, [](T a, T b) { return T(~(a & b)); }, Scc::NonZero>;
  table[name("nor")] = binary<T, [](T a, T b) { return T(~(a | b)); }, Scc::NonZero>;
  table[name("xnor")] = binary<T, [](T a, T b) { return T(~(a ^ b)); }, Scc::NonZero>;
  table[name("andn2")] = table[name("and_not1")] =
      binary<T, [](T a, T b) { return T(a & ~b); }, Scc::NonZero>;
  table[name("orn2")] = table[name("or_not1")] =
      binary<T, [](T a, T b) { return T(a | ~b); }, Scc::NonZero>;
  table[name("lshl")] = shift<T, [](T a, unsigned b) { return T(a << b); }>;
  table[name("lshr")] = shift<T, [](T a, unsigned b) { return T(a >> b); }>;
  table[name("bfm")] = bitFieldMask<T>;
  table[name("cselect")] = select<T>;
  table[name("cmov")] = moveIf<T>;
  table[name("brev")] = unary<T,
                              [](T a) {
                                T result = 0;
                                for (unsigned i = 0; i != sizeof(T) * 8; ++i)
                                  result |= (a >> i & 1) << (sizeof(T) * 8 - 1 - i);
                                return result;
                              },
                              Scc::Keep>;
  table[name("wqm")] = unary<T, [](T a) { return wholeQuads(a); }, Scc::NonZero>;
  table[name("quadmask")] = unary<T, [](T a) { return quadMask(a); }, Scc::NonZero>;
  table[name("bitset0")] = setBit<T, false>;
  table[name("bitset1")] = setBit<T, true>;
  table[name("bitcmp0")] =
      compare<T, [](T a, T b) { return !(a >> (b & (sizeof(T) * 8 - 1)) & 1); }>;
  table[name("bitcmp1")] = compare<T, [](T a, T b) { return a >> (b & (sizeof(T) * 8 - 1)) & 1; }>;
  // Results of 32 bits, whatever is counted.
  StringRef bits = suffix;
  auto counter = [&](StringRef text, StringRef kind) {
    return ("s_" + text + "_" + kind + "_" + bits).str();
  };
  table[counter("bcnt0", "i32")] = count<T, [](T a) { return std::popcount(T(~a)); }, Scc::NonZero>;
  table[counter("bcnt1", "i32")] = count<T, [](T a) { return std::popcount(a); }, Scc::NonZero>;
  auto firstOne = count<T, [](T a) { return a ? std::countr_zero(a) : -1; }, Scc::Keep>;
  table[counter("ff1", "i32")] = table[counter("ctz", "i32")] = firstOne;
  table[counter("ff0", "i32")] =
      count<T, [](T a) { return T(~a) ? std::countr_zero(T(~a)) : -1; }, Scc::Keep>;
  table[counter("flbit", "i32")] =
      count<T, [](T a) { return a ? std::countl_zero(a) : -1; }, Scc::Keep>;
  table[sizeof(T) == 8 ? "s_clz_i32_u64" : "s_clz_i32_u32"] = table[counter("flbit", "i32")];
  auto sign = count<T, [](T a) { return firstDifferent(a); }, Scc::Keep>;
  table[sizeof(T) == 8 ? "s_flbit_i32_i64" : "s_flbit_i32"] = sign;
  table[sizeof(T) == 8 ? "s_cls_i32_i64" : "s_cls_i32"] = sign;
}

static void addMasks(HandlerTable &table, StringRef suffix) {
  auto name = [&](StringRef text) { return ("s_" + text + "_saveexec_" + suffix).str(); };
  using U = uint64_t;
  table[name("and")] = saveExec<[](U s, U e) { return s & e; }>;
  table[name("or")] = saveExec<[](U s, U e) { return s | e; }>;
  table[name("xor")] = saveExec<[](U s, U e) { return s ^ e; }>;
  table[name("nand")] = saveExec<[](U s, U e) { return ~(s & e); }>;
  table[name("nor")] = saveExec<[](U s, U e) { return ~(s | e); }>;
  table[name("xnor")] = saveExec<[](U s, U e) { return ~(s ^ e); }>;
  table[name("andn2")] = table[name("and_not1")] = saveExec<[](U s, U e) { return s & ~e; }>;
  table[name("orn2")] = table[name("or_not1")] = saveExec<[](U s, U e) { return s | ~e; }>;
  table[name("andn1")] = table[name("and_not0")] = saveExec<[](U s, U e) { return ~s & e; }>;
  table[name("orn1")] = table[name("or_not0")] = saveExec<[](U s, U e) { return ~s | e; }>;
  table[("s_andn1_wrexec_" + suffix).str()] = table[("s_and_not0_wrexec_" + suffix).str()] =
      writeExec<[](U s, U e) { return ~s & e; }>;
  table[("s_andn2_wrexec_" + suffix).str()] = table[("s_and_not1_wrexec_" + suffix).str()] =
      writeExec<[](U s, U e) { return s & ~e; }>;
}

template <typename T> static void addCompares(HandlerTable &table, StringRef suffix) {
  auto name = [&](StringRef text) { return ("s_cmp_" + text + "_" + suffix).str(); };
  table[name("eq")] = compare<T, [](T a, T b) { return a == b; }>;
  table[name("lg")] = compare<T, [](T a, T b) { return a != b; }>;
  table[name("gt")] = compare<T, [](T a, T b) { return a > b; }>;
  table[name("ge")] = compare<T, [](T a, T b) { return a >= b; }>;
  table[name("lt")] = compare<T, [](T a, T b) { return a < b; }>;
  table[name("le")] = compare<T, [](T a, T b) { return a <= b; }>;
  auto constant = [&](StringRef text) { return ("s_cmpk_" + text + "_" + suffix).str(); };
  table[constant("eq")] = compareConstant<T, [](T a, T b) { return a == b; }>;
  table[constant("lg")] = compareConstant<T, [](T a, T b) { return a != b; }>;
  table[constant("gt")] = compareConstant<T, [](T a, T b) { return a > b; }>;
  table[constant("ge")] = compareConstant<T, [](T a, T b) { return a >= b; }>;
  table[constant("lt")] = compareConstant<T, [](T a, T b) { return a < b; }>;
  table[constant("le")] = compareConstant<T, [](T a, T b) { return a <= b; }>;
}

static void addSums(HandlerTable &table) {
  using U = uint32_t;
  table["s_add_u32"] = table["s_add_co_u32"] = withCarry<U, [](U a, U b, bool &scc) {
    scc = U(a + b) < a;
    return U(a + b);
  }>;
  table["s_sub_u32"] = table["s_sub_co_u32"] = withCarry<U, [](U a, U b, bool &scc) {
    scc = a < b;
    return U(a - b);
  }>;
  table["s_addc_u32"] = table["s_add_co_ci_u32"] = withCarry<U, [](U a, U b, bool &scc) {
    uint64_t sum = uint64_t(a) + b + scc;
    scc = sum >> 32 != 0;
    return U(sum);
  }>;
  table["s_subb_u32"] = table["s_sub_co_ci_u32"] = withCarry<U, [](U a, U b, bool &scc) {
    U result = a - b - scc;
    scc = uint64_t(b) + scc > a;
    return result;
  }>;
  table["s_add_i32"] = table["s_add_co_i32"] = withCarry<U, [](U a, U b, bool &scc) {
    U sum = a + b;
    scc = (~(a ^ b) & (a ^ sum)) >> 31;
    return sum;
  }>;
  table["s_sub_i32"] = table["s_sub_co_i32"] = withCarry<U, [](U a, U b, bool &scc) {
    U result = a - b;
    scc = ((a ^ b) & (a ^ result)) >> 31;
    return result;
  }>;
  table["s_add_nc_u64"] = table["s_add_u64"] =
      binary<uint64_t, [](uint64_t a, uint64_t b) { return a + b; }, Scc::Keep>;
  table["s_sub_nc_u64"] = table["s_sub_u64"] =
      binary<uint64_t, [](uint64_t a, uint64_t b) { return a - b; }, Scc::Keep>;
  table["s_mul_u64"] = binary<uint64_t, [](uint64_t a, uint64_t b) { return a * b; }, Scc::Keep>;
  table["s_lshl1_add_u32"] = withCarry<U, [](U a, U b, bool &c) { return shiftAdd<1>(a, b, c); }>;
  table["s_lshl2_add_u32"] = withCarry<U, [](U a, U b, bool &c) { return shiftAdd<2>(a, b, c); }>;
  table["s_lshl3_add_u32"] = withCarry<U, [](U a, U b, bool &c) { return shiftAdd<3>(a, b, c); }>;
  table["s_lshl4_add_u32"] = withCarry<U, [](U a, U b, bool &c) { return shiftAdd<4>(a, b, c); }>;
  table["s_mul_i32"] = binary<U, [](U a, U b) { return a * b; }, Scc::Keep>;
  table["s_mul_hi_u32"] = multiplyHigh<uint32_t>;
  table["s_mul_hi_i32"] = multiplyHigh<int32_t>;
  table["s_absdiff_i32"] = absoluteDifference<int32_t>;
}

static void addExtremes(HandlerTable &table) {
  // SCC says that the first source was taken.
  table["s_min_i32"] = withCarry<int32_t, [](int32_t a, int32_t b, bool &scc) {
    scc = a < b;
    return scc ? a : b;
  }>;
  table["s_max_i32"] = withCarry<int32_t, [](int32_t a, int32_t b, bool &scc) {
    scc = a >= b;
    return scc ? a : b;
  }>;
  table["s_min_u32"] = withCarry<uint32_t, [](uint32_t a, uint32_t b, bool &scc) {
    scc = a < b;
    return scc ? a : b;
  }>;
  table["s_max_u32"] = withCarry<uint32_t, [](uint32_t a, uint32_t b, bool &scc) {
    scc = a >= b;
    return scc ? a : b;
  }>;
  table["s_abs_i32"] =
      unary<uint32_t, [](uint32_t a) { return a >> 31 ? 0u - a : a; }, Scc::NonZero>;
  table["s_sext_i32_i8"] =
      unary<uint32_t, [](uint32_t a) { return uint32_t(int8_t(a)); }, Scc::Keep>;
  table["s_sext_i32_i16"] =
      unary<uint32_t, [](uint32_t a) { return uint32_t(int16_t(a)); }, Scc::Keep>;
  table["s_ashr_i32"] = shift<int32_t, [](int32_t a, unsigned b) { return a >> b; }>;
  table["s_ashr_i64"] = shift<int64_t, [](int64_t a, unsigned b) { return a >> b; }>;
}

static void addConstants(HandlerTable &table) {
  table["s_movk_i32"] = withConstant<[](int32_t, int32_t k, bool &) { return k; }>;
  table["s_addk_i32"] = table["s_addk_co_i32"] = withConstant<[](int32_t d, int32_t k, bool &scc) {
    int64_t sum = int64_t(d) + k;
    scc = sum != int32_t(sum);
    return int32_t(sum);
  }>;
  table["s_mulk_i32"] =
      withConstant<[](int32_t d, int32_t k, bool &) { return int32_t(uint32_t(d) * uint32_t(k)); }>;
  table["s_cmovk_i32"] = moveConstantIf;
}

/// Floats in scalar registers (gfx11.5, gfx12).
static void addFloatArithmetic(HandlerTable &table) {
  using F = float;
  table["s_add_f32"] = binary<F, [](F a, F b) { return a + b; }, Scc::Keep>;
  table["s_sub_f32"] = binary<F, [](F a, F b) { return a - b; }, Scc::Keep>;
  table["s_mul_f32"] = binary<F, [](F a, F b) { return a * b; }, Scc::Keep>;
  auto smaller = binary<F, [](F a, F b) { return std::fmin(a, b); }, Scc::Keep>;
  auto larger = binary<F, [](F a, F b) { return std::fmax(a, b); }, Scc::Keep>;
  table["s_min_f32"] = table["s_min_num_f32"] = smaller;
  table["s_max_f32"] = table["s_max_num_f32"] = larger;
  table["s_fmac_f32"] = [](Step &step) {
    write(step, std::fma(read<F>(step, 1), read<F>(step, 2), read<F>(step, 0)));
  };
  table["s_fmaak_f32"] = table["s_fmamk_f32"] = [](Step &step) {
    write(step, std::fma(read<F>(step, 1), read<F>(step, 2), read<F>(step, 3)));
  };
  table["s_ceil_f32"] = unary<F, [](F a) { return std::ceil(a); }, Scc::Keep>;
  table["s_floor_f32"] = unary<F, [](F a) { return std::floor(a); }, Scc::Keep>;
  table["s_trunc_f32"] = unary<F, [](F a) { return std::trunc(a); }, Scc::Keep>;
  table["s_rndne_f32"] = unary<F, [](F a) { return std::nearbyint(a); }, Scc::Keep>;
  table["s_cvt_f32_i32"] =
      count<int32_t, [](int32_t a) { return std::bit_cast<uint32_t>(F(a)); }, Scc::Keep>;
  table["s_cvt_f32_u32"] =
      count<uint32_t, [](uint32_t a) { return std::bit_cast<uint32_t>(F(a)); }, Scc::Keep>;
  table["s_cvt_i32_f32"] = count<F,
                                 [](F a) {
                                   return uint32_t(std::isnan(a)   ? 0
                                                   : a >= 0x1p31f  ? INT32_MAX
                                                   : a <= -0x1p31f ? INT32_MIN
                                                                   : int32_t(a));
                                 },
                                 Scc::Keep>;
  table["s_cvt_u32_f32"] =
      count<F, [](F a) { return std::isnan(a) || a <= 0 ? 0u
                                : a >= 0x1p32f          ? ~0u
                                                        : uint32_t(a); },
            Scc::Keep>;
  table["s_cvt_f16_f32"] = count<F, [](F a) { return numeric::floatToHalf(a); }, Scc::Keep>;
  table["s_cvt_f32_f16"] =
      count<uint32_t,
            [](uint32_t a) { return std::bit_cast<uint32_t>(numeric::halfToFloat(uint16_t(a))); },
            Scc::Keep>;
  table["s_cmp_lt_f32"] = compare<F, [](F a, F b) { return a < b; }>;
  table["s_cmp_eq_f32"] = compare<F, [](F a, F b) { return a == b; }>;
  table["s_cmp_le_f32"] = compare<F, [](F a, F b) { return a <= b; }>;
  table["s_cmp_gt_f32"] = compare<F, [](F a, F b) { return a > b; }>;
  table["s_cmp_ge_f32"] = compare<F, [](F a, F b) { return a >= b; }>;
  table["s_cmp_lg_f32"] = compare<F, [](F a, F b) { return a < b || a > b; }>;
  table["s_cmp_o_f32"] = compare<F, [](F a, F b) { return a == a && b == b; }>;
  table["s_cmp_u_f32"] = compare<F, [](F a, F b) { return a != a || b != b; }>;
  table["s_cmp_nge_f32"] = compare<F, [](F a, F b) { return !(a >= b); }>;
  table["s_cmp_ngt_f32"] = compare<F, [](F a, F b) { return !(a > b); }>;
  table["s_cmp_nle_f32"] = compare<F, [](F a, F b) { return !(a <= b); }>;
  table["s_cmp_nlt_f32"] = compare<F, [](F a, F b) { return !(a < b); }>;
  table["s_cmp_neq_f32"] = compare<F, [](F a, F b) { return !(a == b); }>;
  table["s_cmp_nlg_f32"] = compare<F, [](F a, F b) { return !(a < b || a > b); }>;
}

void addScalar(HandlerTable &table) {
  addLogic<uint32_t>(table, "b32");
  addLogic<uint64_t>(table, "b64");
  addMasks(table, "b32");
  addMasks(table, "b64");
  addCompares<int32_t>(table, "i32");
  addCompares<uint32_t>(table, "u32");
  addCompares<uint64_t>(table, "u64");
  addSums(table);
  addExtremes(table);
  addConstants(table);
  addFloatArithmetic(table);
  table["s_bfe_u32"] = bitField<uint32_t>;
  table["s_bfe_i32"] = bitField<int32_t>;
  table["s_bfe_u64"] = bitField<uint64_t>;
  table["s_bfe_i64"] = bitField<int64_t>;
  table["s_pack_ll_b32_b16"] = pack<0, 0>;
  table["s_pack_lh_b32_b16"] = pack<0, 1>;
  table["s_pack_hh_b32_b16"] = pack<1, 1>;
  table["s_pack_hl_b32_b16"] = pack<1, 0>;
  table["s_movrels_b32"] = moveRelative<1, false>;
  table["s_movrels_b64"] = moveRelative<2, false>;
  table["s_movreld_b32"] = moveRelative<1, true>;
  table["s_movreld_b64"] = moveRelative<2, true>;
}

//===----------------------------------------------------------------------===//
// Scalar loads
//===----------------------------------------------------------------------===//

/// Of an offset operand, whose register counts as unsigned.
static uint64_t offsetOf(const Step &step, const Operand &operand) {
  if (operand.bank == Bank::Scalar)
    return step.scalar(operand);
  return operand.bank == Bank::Literal ? operand.value : 0;
}

static void scalarLoad(Step &step) {
  const Access &access = step.instruction.access;
  const Operand &base = step.operand(1);
  bool isBuffer = access.operation == 1;
  uint64_t offset =
      offsetOf(step, step.operand(2)) + static_cast<uint64_t>(step.instruction.modifiers.offset);
  uint64_t address = step.scalarWide(base);
  uint64_t limit = ~uint64_t(0);
  if (isBuffer) {
    uint32_t second = step.wave.scalars[base.reg + 1];
    if (step.machine.chip.is1250) {
      address &= (uint64_t(1) << 57) - 1;
      limit = second >> 25 | uint64_t(step.wave.scalars[base.reg + 2]) << 7;
    } else {
      address &= (uint64_t(1) << 48) - 1;
      uint32_t stride = second >> 16 & 0x3fff;
      limit = uint64_t(step.wave.scalars[base.reg + 2]) * std::max(stride, 1u);
    }
  }
  unsigned words = std::max<unsigned>(access.bytes / 4, 1);
  // Loads of words ignore the lowest bits of addresses.
  uint64_t begin = address + offset;
  if (access.bytes >= 4)
    begin &= ~uint64_t(3);
  for (unsigned i = 0; i != words; ++i) {
    uint32_t value = 0;
    unsigned bytes = std::min<unsigned>(access.bytes, 4);
    if (!isBuffer || offset + 4 * i + bytes <= limit) {
      uint8_t *at = step.machine.global(begin + 4 * i, bytes);
      if (!at)
        return step.fail(0, "a scalar load at 0x" + llvm::Twine::utohexstr(begin + 4 * i) +
                                " is outside of all memory that the kernel was given");
      std::memcpy(&value, at, bytes);
    }
    if (access.isSigned)
      value = bytes == 1 ? uint32_t(int8_t(value)) : uint32_t(int16_t(value));
    if (step.operand(0).reg != nullSlot)
      step.wave.scalars[step.operand(0).reg + i] = value;
  }
  InFlight entry;
  entry.registers.push_back({Bank::Scalar, step.operand(0).reg, static_cast<uint16_t>(words)});
  entry.isOrdered = false;
  step.wave.counters.issue(step.machine.chip.hasSplitCounters() ? Counter::Scalar : Counter::Lds,
                           std::move(entry));
}

Handler chooseScalarMemory(Instruction &instruction) {
  StringRef name = instruction.mnemonic;
  bool isBuffer = name.consume_front("s_buffer_load_");
  if (!isBuffer && !name.consume_front("s_load_"))
    return nullptr;
  instruction.access.bytes = llvm::StringSwitch<uint8_t>(name)
                                 .Cases({"dword", "b32"}, 4)
                                 .Cases({"dwordx2", "b64"}, 8)
                                 .Cases({"dwordx3", "b96"}, 12)
                                 .Cases({"dwordx4", "b128"}, 16)
                                 .Cases({"dwordx8", "b256"}, 32)
                                 .Cases({"dwordx16", "b512"}, 64)
                                 .Cases({"u8", "i8"}, 1)
                                 .Cases({"u16", "i16"}, 2)
                                 .Default(0);
  instruction.access.isSigned = name == "i8" || name == "i16";
  instruction.access.operation = isBuffer;
  return instruction.access.bytes && instruction.operands.size() >= 3 ? scalarLoad : nullptr;
}

} // namespace gluonc::amdgcn

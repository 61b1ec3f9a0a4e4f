//===- Scalar.cpp - Integers and masks of scalar registers ---------------------===//
#include "amdgcn/ScalarOps.h"

#include <type_traits>

namespace gluonc::amdgcn {

using llvm::StringRef;

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

} // namespace gluonc::amdgcn

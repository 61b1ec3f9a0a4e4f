//===- Integers.cpp - Integers and bits of vector registers -------------------===//
#include "amdgcn/Lanes.h"

namespace gluonc::amdgcn {

using U = uint32_t;
using I = int32_t;

/// Sums with a mask that carries: D, mask = S0 + S1 (+ mask).
template <auto F, bool takesCarry> static void carrying(Step &step) {
  DppScope dpp(step, 2);
  Source<U> a(step, step.operand(2), dpp.row, 0), b(step, step.operand(3), nullptr, 1);
  Result<U> result(step, step.operand(0));
  uint64_t in = takesCarry ? step.mask(step.operand(4)) : 0, out = 0;
  step.eachLane([&](unsigned lane) {
    int64_t sum = F(int64_t(U(a[lane])), int64_t(U(b[lane])), int64_t(in >> lane & 1));
    out |= uint64_t(sum < 0 || sum >> 32) << lane;
    U value = static_cast<U>(sum);
    if (step.instruction.modifiers.clamp && (sum < 0 || sum >> 32))
      value = sum < 0 ? 0 : ~0u;
    result.set(lane, value);
  });
  step.setMask(step.operand(1), out);
}

/// v_mad_u64_u32: a sum of 64 bits, and what did not fit.
template <typename T> static void multiplyAddWide(Step &step) {
  Source<T> a(step, step.operand(2), nullptr, 0), b(step, step.operand(3), nullptr, 1);
  Source<uint64_t> c(step, step.operand(4), nullptr, 2);
  Result<uint64_t> result(step, step.operand(0));
  uint64_t out = 0;
  using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  using Addend = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  step.eachLane([&](unsigned lane) {
    Wide sum = Wide(T(a[lane])) * Wide(T(b[lane])) + Wide(static_cast<Addend>(c[lane]));
    out |= uint64_t(sum != Wide(static_cast<Addend>(sum))) << lane;
    result.set(lane, static_cast<uint64_t>(sum));
  });
  step.setMask(step.operand(1), out);
}

/// D = mask ? S1 : S0; without a mask operand VCC decides.
template <typename T> static void select(Step &step) {
  DppScope dpp(step);
  Source<T> no(step, step.operand(1), dpp.row, 0), yes(step, step.operand(2), nullptr, 1);
  Result<T> result(step, step.operand(0));
  uint64_t mask = step.operands() > 3 ? step.mask(step.operand(3)) : step.wave.mask(vccSlot);
  step.eachLane([&](unsigned lane) { result.set(lane, mask >> lane & 1 ? yes[lane] : no[lane]); });
}

static U permuteBytes(U a, U b, U selector) {
  uint64_t bytes = uint64_t(a) << 32 | b;
  U result = 0;
  for (unsigned i = 0; i != 4; ++i) {
    unsigned which = selector >> 8 * i & 0xff;
    U byte = which < 8     ? U(bytes >> 8 * which & 0xff)
             : which < 12  ? (bytes >> (16 * (which - 8) + 15) & 1 ? 0xffu : 0u)
             : which == 12 ? 0u
                           : 0xffu;
    result |= byte << 8 * i;
  }
  return result;
}

static U signedField(I value, U offset, U width) {
  offset &= 31;
  width &= 31;
  if (width == 0)
    return 0;
  if (offset + width < 32)
    return static_cast<U>(static_cast<I>(static_cast<U>(value) << (32 - offset - width)) >>
                          (32 - width));
  return static_cast<U>(value >> offset);
}

static U unsignedField(U value, U offset, U width) {
  offset &= 31;
  width &= 31;
  return (value >> offset) & ((1u << width) - 1);
}

template <typename T> static T median(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

static I leading(I value) {
  U flipped = static_cast<U>(value < 0 ? ~value : value);
  return flipped ? std::countl_zero(flipped) : -1;
}

static U absoluteSum(U a, U b, U c) {
  for (unsigned i = 0; i != 32; i += 8) {
    I difference = static_cast<I>(a >> i & 0xff) - static_cast<I>(b >> i & 0xff);
    c += static_cast<U>(std::abs(difference));
  }
  return c;
}

/// Any function of three bits, as a table of eight. Without a third source its bits are zero.
template <typename T, bool hasThird = true> static void anyLogic(Step &step) {
  Operand zero;
  zero.bank = Bank::Literal;
  Source<T> a(step, 1), b(step, 2), c(step, hasThird ? step.operand(3) : zero, nullptr, 2);
  Result<T> result(step, step.operand(0));
  auto truth = static_cast<unsigned>(step.instruction.modifiers.number("bitop3"));
  step.eachLane([&](unsigned lane) {
    U x = a[lane], y = b[lane], z = c[lane], value = 0;
    for (unsigned row = 0; row != 8; ++row)
      if (truth >> row & 1)
        value |= (row & 4 ? x : ~x) & (row & 2 ? y : ~y) & (row & 1 ? z : ~z);
    result.set(lane, static_cast<T>(value));
  });
}

static I low24(I value) { return static_cast<I>(static_cast<U>(value) << 8) >> 8; }

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static void addSums(HandlerTable &table) {
  using SU = Saturating<uint32_t>;
  using SI = Saturating<int32_t>;
  table["v_add_u32"] = table["v_add_nc_u32"] =
      elementwise<[](U a, U b) { return SU{__int128(a) + b}; }>;
  table["v_sub_u32"] = table["v_sub_nc_u32"] =
      elementwise<[](U a, U b) { return SU{__int128(a) - b}; }>;
  table["v_subrev_u32"] = table["v_subrev_nc_u32"] =
      elementwise<[](U a, U b) { return SU{__int128(b) - a}; }>;
  table["v_add_i32"] = table["v_add_nc_i32"] =
      elementwise<[](I a, I b) { return SI{__int128(a) + b}; }>;
  table["v_sub_i32"] = table["v_sub_nc_i32"] =
      elementwise<[](I a, I b) { return SI{__int128(a) - b}; }>;
  auto add = carrying<[](int64_t a, int64_t b, int64_t c) { return a + b + c; }, false>;
  auto subtract = carrying<[](int64_t a, int64_t b, int64_t c) { return a - b - c; }, false>;
  auto reversed = carrying<[](int64_t a, int64_t b, int64_t c) { return b - a - c; }, false>;
  table["v_add_co_u32"] = add;
  table["v_sub_co_u32"] = subtract;
  table["v_subrev_co_u32"] = reversed;
  table["v_addc_co_u32"] = table["v_add_co_ci_u32"] =
      carrying<[](int64_t a, int64_t b, int64_t c) { return a + b + c; }, true>;
  table["v_subb_co_u32"] = table["v_sub_co_ci_u32"] =
      carrying<[](int64_t a, int64_t b, int64_t c) { return a - b - c; }, true>;
  table["v_subbrev_co_u32"] = table["v_subrev_co_ci_u32"] =
      carrying<[](int64_t a, int64_t b, int64_t c) { return b - a - c; }, true>;
  table["v_mad_u64_u32"] = table["v_mad_co_u64_u32"] = multiplyAddWide<uint32_t>;
  table["v_mad_i64_i32"] = table["v_mad_co_i64_i32"] = multiplyAddWide<int32_t>;
  using W = uint64_t;
  table["v_lshl_add_u64"] = elementwise<[](W a, U b, W c) { return (a << (b & 7)) + c; }>;
  table["v_add_nc_u64"] = table["v_add_u64"] = elementwise<[](W a, W b) { return a + b; }>;
  table["v_sub_nc_u64"] = table["v_sub_u64"] = elementwise<[](W a, W b) { return a - b; }>;
  table["v_mul_u64"] = elementwise<[](W a, W b) { return a * b; }>;
  table["v_mad_nc_u64_u32"] = elementwise<[](U a, U b, W c) { return W(a) * b + c; }>;
  table["v_mad_nc_i64_i32"] = elementwise<[](I a, I b, W c) { return W(int64_t(a) * b) + c; }>;
  table["v_min_u64"] = elementwise<[](W a, W b) { return std::min(a, b); }>;
  table["v_max_u64"] = elementwise<[](W a, W b) { return std::max(a, b); }>;
  table["v_min_i64"] = elementwise<[](int64_t a, int64_t b) { return std::min(a, b); }>;
  table["v_max_i64"] = elementwise<[](int64_t a, int64_t b) { return std::max(a, b); }>;
  table["v_mad_u32"] = elementwise<[](U a, U b, U c) { return a * b + c; }>;
}

static void addProducts(HandlerTable &table) {
  table["v_mul_lo_u32"] = elementwise<[](U a, U b) { return a * b; }>;
  table["v_mul_hi_u32"] = elementwise<[](U a, U b) { return U(uint64_t(a) * b >> 32); }>;
  table["v_mul_hi_i32"] = elementwise<[](I a, I b) { return U(int64_t(a) * b >> 32); }>;
  table["v_mul_u32_u24"] = elementwise<[](U a, U b) { return (a & 0xffffff) * (b & 0xffffff); }>;
  table["v_mul_hi_u32_u24"] =
      elementwise<[](U a, U b) { return U(uint64_t(a & 0xffffff) * (b & 0xffffff) >> 32); }>;
  table["v_mul_i32_i24"] = elementwise<[](I a, I b) { return U(low24(a)) * U(low24(b)); }>;
  table["v_mul_hi_i32_i24"] =
      elementwise<[](I a, I b) { return U(int64_t(low24(a)) * low24(b) >> 32); }>;
  table["v_mad_u32_u24"] =
      elementwise<[](U a, U b, U c) { return (a & 0xffffff) * (b & 0xffffff) + c; }>;
  table["v_mad_i32_i24"] = elementwise<[](I a, I b, U c) { return U(low24(a)) * U(low24(b)) + c; }>;
  table["v_mad_u32_u16"] = elementwise<[](uint16_t a, uint16_t b, U c) { return U(a) * b + c; }>;
  table["v_mad_i32_i16"] = elementwise<[](int16_t a, int16_t b, U c) { return U(I(a) * b) + c; }>;
}

static void addBits(HandlerTable &table) {
  table["v_mov_b32"] = elementwise<[](U a) { return a; }>;
  table["v_mov_b64"] = elementwise<[](uint64_t a) { return a; }>;
  table["v_mov_b16"] = elementwise<[](uint16_t a) { return a; }>;
  table["v_accvgpr_read_b32"] = table["v_accvgpr_write_b32"] = table["v_accvgpr_mov_b32"] =
      table["v_accvgpr_read"] = table["v_accvgpr_write"] = table["v_mov_b32"];
  table["v_cndmask_b32"] = select<U>;
  table["v_cndmask_b16"] = select<uint16_t>;
  table["v_not_b32"] = elementwise<[](U a) { return ~a; }>;
  table["v_not_b16"] = elementwise<[](uint16_t a) { return uint16_t(~a); }>;
  table["v_and_b32"] = elementwise<[](U a, U b) { return a & b; }>;
  table["v_or_b32"] = elementwise<[](U a, U b) { return a | b; }>;
  table["v_xor_b32"] = elementwise<[](U a, U b) { return a ^ b; }>;
  table["v_xnor_b32"] = elementwise<[](U a, U b) { return ~(a ^ b); }>;
  using H = uint16_t;
  table["v_and_b16"] = elementwise<[](H a, H b) { return H(a & b); }>;
  table["v_or_b16"] = elementwise<[](H a, H b) { return H(a | b); }>;
  table["v_xor_b16"] = elementwise<[](H a, H b) { return H(a ^ b); }>;
  table["v_and_or_b32"] = elementwise<[](U a, U b, U c) { return (a & b) | c; }>;
  table["v_or3_b32"] = elementwise<[](U a, U b, U c) { return a | b | c; }>;
  table["v_xor3_b32"] = elementwise<[](U a, U b, U c) { return a ^ b ^ c; }>;
  table["v_xad_u32"] = elementwise<[](U a, U b, U c) { return (a ^ b) + c; }>;
  table["v_add3_u32"] = elementwise<[](U a, U b, U c) { return a + b + c; }>;
  table["v_lshl_add_u32"] = elementwise<[](U a, U b, U c) { return (a << (b & 31)) + c; }>;
  table["v_add_lshl_u32"] = elementwise<[](U a, U b, U c) { return (a + b) << (c & 31); }>;
  table["v_lshl_or_b32"] = elementwise<[](U a, U b, U c) { return (a << (b & 31)) | c; }>;
  table["v_bfi_b32"] = elementwise<[](U a, U b, U c) { return (a & b) | (~a & c); }>;
  table["v_bfm_b32"] = elementwise<[](U a, U b) { return ((1u << (a & 31)) - 1) << (b & 31); }>;
  table["v_bfe_u32"] = elementwise<[](U a, U b, U c) { return unsignedField(a, b, c); }>;
  table["v_bfe_i32"] = elementwise<[](I a, U b, U c) { return signedField(a, b, c); }>;
  table["v_perm_b32"] = elementwise<[](U a, U b, U c) { return permuteBytes(a, b, c); }>;
  table["v_alignbit_b32"] =
      elementwise<[](U a, U b, U c) { return U((uint64_t(a) << 32 | b) >> (c & 31)); }>;
  table["v_alignbyte_b32"] =
      elementwise<[](U a, U b, U c) { return U((uint64_t(a) << 32 | b) >> 8 * (c & 3)); }>;
  table["v_bfrev_b32"] = elementwise<[](U a) { return __builtin_bitreverse32(a); }>;
  table["v_bcnt_u32_b32"] = elementwise<[](U a, U b) { return U(std::popcount(a)) + b; }>;
  table["v_ffbh_u32"] = table["v_clz_i32_u32"] =
      elementwise<[](U a) { return a ? std::countl_zero(a) : -1; }>;
  table["v_ffbl_b32"] = table["v_ctz_i32_b32"] =
      elementwise<[](U a) { return a ? std::countr_zero(a) : -1; }>;
  table["v_ffbh_i32"] = table["v_cls_i32"] = elementwise<[](I a) { return leading(a); }>;
  table["v_sad_u8"] = elementwise<[](U a, U b, U c) { return absoluteSum(a, b, c); }>;
  table["v_sad_u32"] = elementwise<[](U a, U b, U c) { return (a > b ? a - b : b - a) + c; }>;
  table["v_bitop3_b32"] = anyLogic<U>;
  table["v_bitop2_b32"] = anyLogic<U, false>;
  table["v_bitop3_b16"] = anyLogic<uint16_t>;
}

static void addShifts(HandlerTable &table) {
  using H = uint16_t;
  using W = uint64_t;
  table["v_lshlrev_b32"] = elementwise<[](U a, U b) { return b << (a & 31); }>;
  table["v_lshrrev_b32"] = elementwise<[](U a, U b) { return b >> (a & 31); }>;
  table["v_ashrrev_i32"] = elementwise<[](U a, I b) { return U(b >> (a & 31)); }>;
  table["v_lshlrev_b64"] = elementwise<[](U a, W b) { return b << (a & 63); }>;
  table["v_lshrrev_b64"] = elementwise<[](U a, W b) { return b >> (a & 63); }>;
  table["v_ashrrev_i64"] = elementwise<[](U a, int64_t b) { return W(b >> (a & 63)); }>;
  table["v_lshlrev_b16"] = elementwise<[](H a, H b) { return H(b << (a & 15)); }>;
  table["v_lshrrev_b16"] = elementwise<[](H a, H b) { return H(b >> (a & 15)); }>;
  table["v_ashrrev_i16"] = elementwise<[](H a, int16_t b) { return H(b >> (a & 15)); }>;
}

/// A sum and the larger or smaller of it and another number; `clamp` is the sum's.
template <typename T, bool isMax> static void addAndCompare(Step &step) {
  using Sum = Saturating<T>;
  if (step.instruction.modifiers.clamp)
    return elementwise<[](T a, T b, T c) {
      __int128 sum = __int128(a) + b;
      return Sum{isMax ? std::max(sum, __int128(c)) : std::min(sum, __int128(c))};
    }>(step);
  elementwise<[](T a, T b, T c) {
    auto sum = static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    return isMax ? std::max(sum, c) : std::min(sum, c);
  }>(step);
}

template <typename T> static void addExtremes(HandlerTable &table, llvm::StringRef suffix) {
  auto name = [&](llvm::StringRef text) { return ("v_" + text + "_" + suffix).str(); };
  table[name("min")] = elementwise<[](T a, T b) { return std::min(a, b); }>;
  table[name("max")] = elementwise<[](T a, T b) { return std::max(a, b); }>;
  table[name("min3")] = elementwise<[](T a, T b, T c) { return std::min(std::min(a, b), c); }>;
  table[name("max3")] = elementwise<[](T a, T b, T c) { return std::max(std::max(a, b), c); }>;
  table[name("med3")] = elementwise<[](T a, T b, T c) { return median(a, b, c); }>;
  table[name("minmax")] = elementwise<[](T a, T b, T c) { return std::max(std::min(a, b), c); }>;
  table[name("maxmin")] = elementwise<[](T a, T b, T c) { return std::min(std::max(a, b), c); }>;
}

static void addShorts(HandlerTable &table) {
  using H = uint16_t;
  using SU = Saturating<uint16_t>;
  using SI = Saturating<int16_t>;
  table["v_add_u16"] = table["v_add_nc_u16"] =
      elementwise<[](H a, H b) { return SU{__int128(a) + b}; }>;
  table["v_sub_u16"] = table["v_sub_nc_u16"] =
      elementwise<[](H a, H b) { return SU{__int128(a) - b}; }>;
  table["v_subrev_u16"] = elementwise<[](H a, H b) { return SU{__int128(b) - a}; }>;
  table["v_add_i16"] = table["v_add_nc_i16"] =
      elementwise<[](int16_t a, int16_t b) { return SI{__int128(a) + b}; }>;
  table["v_sub_i16"] = table["v_sub_nc_i16"] =
      elementwise<[](int16_t a, int16_t b) { return SI{__int128(a) - b}; }>;
  table["v_mul_lo_u16"] = elementwise<[](H a, H b) { return H(U(a) * b); }>;
  table["v_mad_u16"] = table["v_mad_legacy_u16"] =
      elementwise<[](H a, H b, H c) { return H(U(a) * b + c); }>;
  table["v_mad_i16"] = table["v_mad_legacy_i16"] =
      elementwise<[](int16_t a, int16_t b, int16_t c) { return H(I(a) * b + c); }>;
}

void addIntegers(HandlerTable &table) {
  addSums(table);
  addProducts(table);
  addBits(table);
  addShifts(table);
  addExtremes<uint32_t>(table, "u32");
  addExtremes<int32_t>(table, "i32");
  addExtremes<uint16_t>(table, "u16");
  addExtremes<int16_t>(table, "i16");
  addShorts(table);
  table["v_add_max_i32"] = addAndCompare<int32_t, true>;
  table["v_add_min_i32"] = addAndCompare<int32_t, false>;
  table["v_add_max_u32"] = addAndCompare<uint32_t, true>;
  table["v_add_min_u32"] = addAndCompare<uint32_t, false>;
}

} // namespace gluonc::amdgcn

#include "amdgcn/Atomics.h"

#include "numeric/FloatFormats.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace gluonc::amdgcn {

AtomicOp atomicNamed(llvm::StringRef name, uint8_t &bytes) {
  bytes = 4;
  if (name.consume_back("_x2") || name.ends_with("64"))
    bytes = 8;
  return llvm::StringSwitch<AtomicOp>(name)
      .Cases({"swap", "swap_b32", "swap_b64", "wrxchg_rtn_b32"}, AtomicOp::Swap)
      .Cases({"cmpswap", "cmpswap_b32", "cmpswap_b64"}, AtomicOp::CompareSwap)
      .Cases({"add", "add_u32", "add_u64"}, AtomicOp::Add)
      .Cases({"sub", "sub_u32", "sub_u64"}, AtomicOp::Sub)
      .Cases({"rsub", "rsub_u32", "rsub_u64"}, AtomicOp::ReverseSub)
      .Cases({"smin", "min_i32", "min_i64"}, AtomicOp::SignedMin)
      .Cases({"umin", "min_u32", "min_u64"}, AtomicOp::UnsignedMin)
      .Cases({"smax", "max_i32", "max_i64"}, AtomicOp::SignedMax)
      .Cases({"umax", "max_u32", "max_u64"}, AtomicOp::UnsignedMax)
      .Cases({"and", "and_b32", "and_b64"}, AtomicOp::And)
      .Cases({"or", "or_b32", "or_b64"}, AtomicOp::Or)
      .Cases({"xor", "xor_b32", "xor_b64"}, AtomicOp::Xor)
      .Cases({"inc", "inc_u32", "inc_u64"}, AtomicOp::Inc)
      .Cases({"dec", "dec_u32", "dec_u64"}, AtomicOp::Dec)
      .Cases({"add_f32", "add_f64"}, AtomicOp::FloatAdd)
      .Cases({"min_f32", "min_f64", "min_num_f32", "min_num_f64"}, AtomicOp::FloatMin)
      .Cases({"max_f32", "max_f64", "max_num_f32", "max_num_f64"}, AtomicOp::FloatMax)
      .Case("pk_add_f16", AtomicOp::PackedAddHalf)
      .Case("pk_add_bf16", AtomicOp::PackedAddBrain)
      .Cases({"sub_clamp_u32", "csub_u32"}, AtomicOp::SubClamp)
      .Cases({"mskor_b32", "mskor_b64"}, AtomicOp::MaskedOr)
      .Default(AtomicOp::None);
}

template <typename F, typename U> static U floatResult(AtomicOp op, U old, U value) {
  F a = std::bit_cast<F>(old), b = std::bit_cast<F>(value);
  F result = op == AtomicOp::FloatAdd   ? a + b
             : op == AtomicOp::FloatMin ? std::fmin(a, b)
                                        : std::fmax(a, b);
  return std::bit_cast<U>(result);
}

static uint32_t addPacked(AtomicOp op, uint32_t old, uint32_t value) {
  uint32_t result = 0;
  for (unsigned shift : {0u, 16u}) {
    auto a = static_cast<uint16_t>(old >> shift), b = static_cast<uint16_t>(value >> shift);
    uint32_t sum =
        op == AtomicOp::PackedAddHalf
            ? numeric::floatToHalf(numeric::halfToFloat(a) + numeric::halfToFloat(b))
            : numeric::floatToBfloat(numeric::bfloatToFloat(a) + numeric::bfloatToFloat(b));
    result |= sum << shift;
  }
  return result;
}

template <typename U> static U resultOf(AtomicOp op, U old, U value, U compared) {
  using S = std::make_signed_t<U>;
  using F = std::conditional_t<sizeof(U) == 8, double, float>;
  switch (op) {
  case AtomicOp::None:
    return old;
  case AtomicOp::Swap:
    return value;
  case AtomicOp::CompareSwap:
    return old == compared ? value : old;
  case AtomicOp::Add:
    return old + value;
  case AtomicOp::Sub:
    return old - value;
  case AtomicOp::ReverseSub:
    return value - old;
  case AtomicOp::SignedMin:
    return static_cast<U>(std::min(static_cast<S>(old), static_cast<S>(value)));
  case AtomicOp::UnsignedMin:
    return std::min(old, value);
  case AtomicOp::SignedMax:
    return static_cast<U>(std::max(static_cast<S>(old), static_cast<S>(value)));
  case AtomicOp::UnsignedMax:
    return std::max(old, value);
  case AtomicOp::And:
    return old & value;
  case AtomicOp::Or:
    return old | value;
  case AtomicOp::Xor:
    return old ^ value;
  case AtomicOp::Inc:
    return old >= value ? 0 : old + 1;
  case AtomicOp::Dec:
    return old == 0 || old > value ? value : old - 1;
  case AtomicOp::FloatAdd:
  case AtomicOp::FloatMin:
  case AtomicOp::FloatMax:
    return floatResult<F>(op, old, value);
  case AtomicOp::PackedAddHalf:
  case AtomicOp::PackedAddBrain:
    return addPacked(op, static_cast<uint32_t>(old), static_cast<uint32_t>(value));
  case AtomicOp::SubClamp:
    return old < value ? 0 : old - value;
  case AtomicOp::MaskedOr:
    return (old & ~value) | compared;
  }
  return old;
}

uint64_t applyAtomic(AtomicOp op, unsigned bytes, uint8_t *at, uint64_t value, uint64_t compared) {
  if (bytes == 8) {
    uint64_t old;
    std::memcpy(&old, at, 8);
    uint64_t result = resultOf<uint64_t>(op, old, value, compared);
    std::memcpy(at, &result, 8);
    return old;
  }
  uint32_t old;
  std::memcpy(&old, at, 4);
  uint32_t result =
      resultOf<uint32_t>(op, old, static_cast<uint32_t>(value), static_cast<uint32_t>(compared));
  std::memcpy(at, &result, 4);
  return old;
}

} // namespace gluonc::amdgcn

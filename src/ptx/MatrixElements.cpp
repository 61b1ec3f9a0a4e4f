#include "ptx/MatrixElements.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

namespace gluonc::ptx {

using llvm::StringRef;

ElementType elementNamed(StringRef name) {
  using D = double (*)(uint64_t);
  static constexpr D f16 = [](uint64_t bits) {
    return numeric::decode(numeric::kF16, uint32_t(bits));
  };
  static constexpr D bf16 = [](uint64_t bits) {
    return numeric::decode(numeric::kBF16, uint32_t(bits));
  };
  static constexpr D tf32 = [](uint64_t bits) { return double(asFloat(bits & ~uint64_t(0x1fff))); };
  static constexpr D e4m3 = [](uint64_t bits) {
    return numeric::decode(numeric::kF8E4M3FN, uint32_t(bits));
  };
  static constexpr D e5m2 = [](uint64_t bits) {
    return numeric::decode(numeric::kF8E5M2, uint32_t(bits));
  };
  static constexpr D e2m3 = [](uint64_t bits) {
    return numeric::decode(e2m3Format, uint32_t(bits));
  };
  static constexpr D e3m2 = [](uint64_t bits) {
    return numeric::decode(e3m2Format, uint32_t(bits));
  };
  static constexpr D e2m1 = [](uint64_t bits) {
    return numeric::decode(numeric::kF4E2M1, uint32_t(bits));
  };
  static constexpr D s8 = [](uint64_t bits) { return double(int8_t(bits)); };
  static constexpr D u8 = [](uint64_t bits) { return double(uint8_t(bits)); };
  static constexpr D f64 = [](uint64_t bits) { return asDouble(bits); };
  return llvm::StringSwitch<ElementType>(name)
      .Case("f16", {16, f16})
      .Case("bf16", {16, bf16})
      .Case("tf32", {32, tf32})
      .Case("e4m3", {8, e4m3})
      .Case("e5m2", {8, e5m2})
      .Case("e2m3", {6, e2m3})
      .Case("e3m2", {6, e3m2})
      .Case("e2m1", {4, e2m1})
      .Case("s8", {8, s8})
      .Case("u8", {8, u8})
      .Case("f64", {64, f64})
      .Default({});
}

void gather(Step &step, const Operand &operand, ElementType type, unsigned k, unsigned rowGroups,
            double (*to)[maxK]) {
  llvm::ArrayRef<Operand> registers = partsOf(operand);
  unsigned width = std::max(type.bits, 32u), each = width / type.bits;
  uint64_t mask = type.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << type.bits) - 1;
  for (unsigned lane = 0; lane != warpLanes; ++lane)
    for (unsigned r = 0; r != registers.size(); ++r) {
      uint64_t bits = step.read(registers[r], lane);
      unsigned row = lane / 4 + 8 * (r % rowGroups),
               at = lane % 4 * each + r / rowGroups * 4 * each;
      for (unsigned i = 0; i != each && at + i < k; ++i)
        to[row][at + i] = type.decode(bits >> (i * type.bits) & mask);
    }
}

uint64_t rounded(StringRef type, double value, bool saturates) {
  if (type == "f64")
    return bitsOf(value);
  if (type == "f32")
    return encodeFloat({TypeKind::Float, 32}, value, Round::Nearest);
  if (type == "f16")
    return encodeFloat({TypeKind::Float, 16}, value, Round::Nearest);
  if (saturates)
    value = std::clamp(value, -2147483648.0, 2147483647.0);
  return static_cast<uint32_t>(static_cast<int64_t>(value));
}

double valueOf(StringRef type, uint64_t bits) {
  return type == "f64"   ? asDouble(bits)
         : type == "f32" ? asFloat(bits)
         : type == "f16" ? numeric::decode(numeric::kF16, uint32_t(bits & 0xffff))
                         : double(int32_t(bits));
}

} // namespace gluonc::ptx

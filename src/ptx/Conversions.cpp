//===- Conversions.cpp - cvt --------------------------------------------------===//
//
// PTX ISA 9.7.9.21. The last two modifiers are the type of the result and that of
// the source; pairs have two sources, the first of which becomes the upper half.
//
//===----------------------------------------------------------------------===//
#include "ptx/Handlers.h"
#include "ptx/Numbers.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <limits>

namespace gluonc::ptx {
namespace {

using llvm::StringRef;

/// Formats of eight bits and less by the name of a pair ("e4m3x2").
struct SmallFormat {
  const numeric::FloatFormat *format = nullptr;
  /// How many a number takes in a register.
  unsigned bits = 8;
  /// Eight bits of exponent, no sign.
  bool isExponent = false;
  explicit operator bool() const { return format || isExponent; }

  double decode(uint64_t code) const {
    if (isExponent)
      return code == 0xff ? NAN : std::ldexp(1.0, int(code) - 127);
    return numeric::decode(*format, static_cast<uint32_t>(code));
  }
};

SmallFormat smallFormat(StringRef name) {
  return llvm::StringSwitch<SmallFormat>(name)
      .Case("e4m3x2", {&numeric::kF8E4M3FN})
      .Case("e5m2x2", {&numeric::kF8E5M2})
      .Case("e2m3x2", {&e2m3Format})
      .Case("e3m2x2", {&e3m2Format})
      .Case("e2m1x2", {&numeric::kF4E2M1, 4})
      .Case("ue8m0x2", {nullptr, 8, true})
      .Default({});
}

/// The whole number next to x in a direction (`.rni`, `.rzi`, `.rmi`, `.rpi`).
double wholeNumber(const Instruction &instruction, double x) {
  if (instruction.has("rzi"))
    return std::trunc(x);
  if (instruction.has("rmi"))
    return std::floor(x);
  if (instruction.has("rpi"))
    return std::ceil(x);
  return instruction.has("rni") ? std::nearbyint(x) : x;
}

/// Beyond the range a conversion to an integer gives its ends; a NaN gives 0, or the top bit for 64
/// bits.
uint64_t toInteger(Type to, double value) {
  if (std::isnan(value))
    return to.bits == 64 ? uint64_t(1) << 63 : 0;
  double limit = std::ldexp(1.0, to.bits - to.isSigned());
  if (value >= limit) {
    uint64_t ones = to.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << to.bits) - 1;
    return to.isSigned() ? ones >> 1 : ones;
  }
  if (to.isSigned())
    return value < -limit ? uint64_t(1) << (to.bits - 1)
                          : static_cast<uint64_t>(static_cast<int64_t>(value));
  return value < 0 ? 0 : static_cast<uint64_t>(value);
}

uint64_t extended(Type from, uint64_t bits) {
  if (from.bits == 64)
    return bits;
  uint64_t mask = (uint64_t(1) << from.bits) - 1, sign = uint64_t(1) << (from.bits - 1);
  bits &= mask;
  return from.isSigned() && (bits & sign) ? bits | ~mask : bits;
}

/// `.sat` of integers: the nearest value that the result's type has.
uint64_t saturated(Type to, Type from, uint64_t value) {
  if (from.isSigned()) {
    int64_t number = static_cast<int64_t>(value);
    if (!to.isSigned() && number < 0)
      return 0;
    if (to.bits < 64) {
      int64_t high =
          to.isSigned() ? (int64_t(1) << (to.bits - 1)) - 1 : (int64_t(1) << to.bits) - 1;
      int64_t low = to.isSigned() ? -high - 1 : 0;
      return static_cast<uint64_t>(std::clamp(number, low, high));
    }
    return value;
  }
  uint64_t high =
      to.bits - to.isSigned() == 64 ? ~uint64_t(0) : (uint64_t(1) << (to.bits - to.isSigned())) - 1;
  return std::min(value, high);
}

uint64_t integerToFloat(Type to, Type from, uint64_t value, Round round) {
  if (to.bits == 32 && !to.packed && round == Round::Nearest)
    return bitsOf(from.isSigned() ? float(int64_t(value)) : float(value));
  // 64-bit integers have more bits than double; what is lost is kept as a sticky bit.
  double number = from.isSigned() ? double(int64_t(value)) : double(value);
  return encodeFloat(to, number, round);
}

uint64_t convertOne(const Instruction &instruction, Type to, Type from, uint64_t bits) {
  Round round = roundingOf(instruction);
  if (from.isInteger()) {
    uint64_t value = extended(from, bits);
    // A register that is wider than the result's type gets it extended.
    if (to.isInteger())
      return extended(to, instruction.has("sat") ? saturated(to, from, value) : value);
    return integerToFloat(to, from, value, round);
  }
  double value = decodeFloat(from, bits);
  if (instruction.has("ftz") && from.bits == 32)
    value = flush(float(value));
  value = wholeNumber(instruction, value);
  if (to.isInteger())
    return extended(to, toInteger(to, value));
  if (instruction.has("relu"))
    value = value > 0 || std::isnan(value) ? value : 0;
  if (instruction.has("sat"))
    value = value > 0 ? std::min(value, 1.0) : 0.0;
  if (to.bits == 16 && std::isnan(value))
    return 0x7fff;
  uint64_t result = encodeFloat(to, value, round);
  return instruction.has("ftz") && to.bits == 32 ? bitsOf(flush(asFloat(result))) : result;
}

void convert(Step &step) {
  Type to = step.instruction.type(0), from = step.instruction.type(1);
  step.eachLane([&](unsigned lane) {
    step.write(0, lane, convertOne(step.instruction, to, from, step.read(1, lane)));
  });
}

/// Two numbers of f32 into halves.
void convertPair(Step &step) {
  Type to = step.instruction.type(0), half = {to.kind, 16}, from = {TypeKind::Float, 32};
  step.eachLane([&](unsigned lane) {
    uint64_t upper = convertOne(step.instruction, half, from, step.read(1, lane));
    uint64_t lower = convertOne(step.instruction, half, from, step.read(2, lane));
    step.write(0, lane, (upper & 0xffff) << 16 | (lower & 0xffff));
  });
}

/// The power of 2 at a magnitude or, rounded to zero or up, next to it.
uint64_t encodeExponent(double value, bool up, bool saturates) {
  if (std::isnan(value))
    return 0xff;
  value = std::fabs(value);
  if (std::isinf(value))
    return saturates ? 0xfe : 0xff;
  if (value == 0)
    return 0;
  int exponent = std::ilogb(value);
  exponent += up && std::ldexp(1.0, exponent) < value;
  if (exponent > 127)
    return saturates ? 0xfe : 0xff;
  return static_cast<uint64_t>(std::max(exponent, -127) + 127);
}

uint64_t encodeSmall(const Instruction &instruction, const SmallFormat &to, double value) {
  if (to.isExponent)
    return encodeExponent(value, instruction.has("rp"), instruction.has("satfinite"));
  if (instruction.has("relu") && value < 0)
    value = 0;
  // A NaN becomes the greatest number where there is none.
  if (std::isnan(value))
    return to.format->nan ? 0x7f : to.format->maxFinite;
  return numeric::encode(*to.format, value, numeric::Rounding::NearestEven,
                         numeric::Overflow::Saturate);
}

/// Pairs of f32, f16 or bf16 to pairs of small formats, saturating.
void convertToSmall(Step &step) {
  const Instruction &instruction = step.instruction;
  SmallFormat to = smallFormat(instruction.modifiers.end()[-2]);
  Type from = instruction.type();
  step.eachLane([&](unsigned lane) {
    uint64_t bits = step.read(1, lane);
    double upper = from.packed ? decodeFloat(from, bits >> 16 & 0xffff) : asFloat(bits);
    double lower = from.packed ? decodeFloat(from, bits & 0xffff) : asFloat(step.read(2, lane));
    step.write(0, lane,
               encodeSmall(instruction, to, upper) << to.bits |
                   encodeSmall(instruction, to, lower));
  });
}

void convertFromSmall(Step &step) {
  SmallFormat from = smallFormat(step.instruction.modifiers.back());
  Type half = {step.instruction.type().kind, 16};
  bool rectifies = step.instruction.has("relu");
  uint64_t mask = (1u << from.bits) - 1;
  step.eachLane([&](unsigned lane) {
    uint64_t bits = step.read(1, lane), result = 0;
    for (unsigned i = 0; i != 2; ++i) {
      double value = from.decode(bits >> (from.bits * i) & mask);
      value = rectifies && value < 0 ? 0 : value;
      result |= (std::isnan(value) ? 0x7fff : encodeFloat(half, value, Round::Nearest)) << (16 * i);
    }
    step.write(0, lane, result);
  });
}

/// tf32 keeps 10 bits of the fraction; ties go away from zero (`.rna`) or to even.
void convertToTf32(Step &step) {
  bool away = step.instruction.has("rna");
  step.eachLane([&](unsigned lane) {
    uint32_t bits = static_cast<uint32_t>(step.read(1, lane));
    if (std::isnan(asFloat(bits)))
      bits = canonicalNan32;
    else if ((bits & 0x7f800000) != 0x7f800000)
      bits = (bits + (away ? 0x1000 : 0xfff + (bits >> 13 & 1))) & ~uint32_t(0x1fff);
    step.write(0, lane, bits);
  });
}

Handler choose(const Instruction &instruction) {
  if (instruction.modifiers.size() < 2)
    return nullptr;
  StringRef to = instruction.modifiers.end()[-2], from = instruction.modifiers.back();
  if (instruction.has("rs"))
    return nullptr;
  if (to == "tf32")
    return from == "f32" ? convertToTf32 : nullptr;
  if (smallFormat(to))
    return from == "f32" || from == "f16x2" || from == "bf16x2" ? convertToSmall : nullptr;
  if (smallFormat(from))
    return to == "f16x2" || to == "bf16x2" ? convertFromSmall : nullptr;
  if (!typeNamed(to).bits || !typeNamed(from).bits || instruction.types.size() != 2)
    return nullptr;
  if (typeNamed(to).packed)
    return from == "f32" && instruction.operands.size() == 3 ? convertPair : nullptr;
  return convert;
}

} // namespace

void addConversions(HandlerTable &table) { table["cvt"] = choose; }

} // namespace gluonc::ptx

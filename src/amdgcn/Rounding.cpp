//===- Rounding.cpp - The directions that MODE names ------------------------------===//
#include "amdgcn/Rounding.h"

#include "amdgcn/Machine.h"
#include "numeric/FloatFormats.h"

#include <cfenv>
#include <cmath>

namespace gluonc::amdgcn {

using llvm::StringRef;

uint16_t halfRounded(double value, unsigned direction) {
  auto bits =
      static_cast<uint16_t>(numeric::encode(numeric::kF16, value, numeric::Rounding::TowardZero));
  bool isAway = direction == (std::signbit(value) ? 2 : 1);
  // Encodings count up with the magnitude, infinity behind the largest number.
  return isAway && std::isfinite(value) && numeric::decode(numeric::kF16, bits) != value ? bits + 1
                                                                                         : bits;
}

namespace {

/// The host's rounding, until the end of the scope.
class HostRounding {
public:
  explicit HostRounding(unsigned direction) {
    static constexpr int directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    std::fesetround(directions[direction]);
  }
  ~HostRounding() { std::fesetround(FE_TONEAREST); }
  HostRounding(const HostRounding &) = delete;
  HostRounding &operator=(const HostRounding &) = delete;
};

/// What MODE means for an instruction.
enum class Rounds { Never, Result32, Result16Or64, Halves, Unknown };

} // namespace

static bool isArithmetic(StringRef operation) {
  for (StringRef name : {"add", "sub", "subrev", "mul", "fma", "fmac", "fmaak", "fmamk"})
    if (operation == name)
      return true;
  return false;
}

/// Has floats, but no rounding: moves, comparisons, whole numbers.
static bool isExact(StringRef name) {
  for (StringRef start :
       {"cmp",         "min",           "max",          "med3",       "floor",
        "ceil",        "trunc",         "rndne",        "fract",      "frexp",
        "cvt_i",       "cvt_u",         "cvt_pkrtz",    "cvt_pk_rtz", "cvt_f64",
        "cvt_f32_f16", "cvt_f32_ubyte", "cvt_f32_bf16", "pack",       "div_fixup"})
    if (name.starts_with(start))
      return true;
  return false;
}

static Rounds roundsOf(const Instruction &instruction) {
  StringRef name = instruction.mnemonic;
  bool hasFloats = name.contains("_f32") || name.contains("_f64") || name.contains("f16") ||
                   name.contains("f8") || name.contains("fp4");
  if (!hasFloats || !name.consume_front("v_"))
    return StringRef(instruction.mnemonic).starts_with("s_") && hasFloats ? Rounds::Unknown
                                                                          : Rounds::Never;
  name.consume_front("dual_");
  if (isExact(name))
    return Rounds::Never;
  if (name == "cvt_f32_f64" || name == "cvt_f32_i32" || name == "cvt_f32_u32")
    return Rounds::Result32;
  if (name == "cvt_f16_f32" || name == "cvt_f16_u16" || name == "cvt_f16_i16")
    return Rounds::Halves;
  bool isPacked = name.consume_front("pk_");
  auto [operation, type] = name.rsplit('_');
  if (!isArithmetic(operation))
    return Rounds::Unknown;
  if (type == "f32")
    return Rounds::Result32;
  if (type == "f64")
    return Rounds::Result16Or64;
  if (type != "f16" || isPacked)
    return Rounds::Unknown;
  // Sums of two halves round alike twice; sums of products are exact but for a last bit that says
  // "and more".
  return operation.starts_with("fma") ? Rounds::Halves : Rounds::Result16Or64;
}

void executeRounded(Step &step) {
  const Instruction &instruction = step.instruction;
  Rounds rounds = roundsOf(instruction);
  if (instruction.second) {
    Rounds second = roundsOf(*instruction.second);
    if (rounds == Rounds::Never)
      rounds = second;
    else if (second != Rounds::Never && second != rounds)
      rounds = Rounds::Unknown;
  }
  unsigned single = step.wave.mode & 3, other = step.wave.mode >> 2 & 3;
  unsigned direction = rounds == Rounds::Result32       ? single
                       : rounds == Rounds::Result16Or64 ? other
                                                        : 0;
  if (rounds == Rounds::Unknown)
    return step.fail(0,
                     "the executor only rounds this instruction to nearest, MODE says otherwise");
  HostRounding scope(direction);
  instruction.handler(step);
}

} // namespace gluonc::amdgcn

//===- Arithmetic.cpp - Numbers, bits, comparisons, moves --------------------===//
#include "ptx/Extremes.h"
#include "ptx/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <limits>

namespace gluonc::ptx {
namespace {

// -- Integers ----------------------------------------------------------------------

template <typename T> using Unsigned = std::make_unsigned_t<T>;
/// Of twice the bits, with T's sign.
template <typename T, bool isSigned = std::is_signed_v<T>> struct WideOf {
  using type = std::conditional_t<isSigned, int64_t, uint64_t>;
};
template <> struct WideOf<int64_t, true> {
  using type = __int128;
};
template <> struct WideOf<uint64_t, false> {
  using type = unsigned __int128;
};
template <typename T> using Wide = typename WideOf<T>::type;

struct Add {
  template <typename T> static T of(T a, T b) { return T(Unsigned<T>(a) + Unsigned<T>(b)); }
};
struct Sub {
  template <typename T> static T of(T a, T b) { return T(Unsigned<T>(a) - Unsigned<T>(b)); }
};
struct MulLow {
  template <typename T> static T of(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
};
struct MulHigh {
  template <typename T> static T of(T a, T b) {
    return T((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
  }
};
struct Div {
  template <typename T> static T of(T a, T b) {
    if (b == 0)
      return T(-1);
    if (std::is_signed_v<T> && b == T(-1))
      return T(0 - Unsigned<T>(a));
    return T(a / b);
  }
};
struct Rem {
  template <typename T> static T of(T a, T b) {
    if (b == 0)
      return a;
    return std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
  }
};
struct Min {
  template <typename T> static T of(T a, T b) { return std::min(a, b); }
};
struct Max {
  template <typename T> static T of(T a, T b) { return std::max(a, b); }
};
struct And {
  template <typename T> static T of(T a, T b) { return a & b; }
};
struct Or {
  template <typename T> static T of(T a, T b) { return a | b; }
};
struct Xor {
  template <typename T> static T of(T a, T b) { return a ^ b; }
};

template <typename T, typename Op> void binary(Step &step) {
  step.eachLane([&](unsigned lane) {
    T result =
        Op::template of<T>(static_cast<T>(step.read(1, lane)), static_cast<T>(step.read(2, lane)));
    step.write(0, lane, static_cast<uint64_t>(result));
  });
}

/// Handler<T> for the T of a type.
template <template <typename, typename> class Make, typename Op> Handler byInteger(Type type) {
  bool isSigned = type.isSigned();
  switch (type.bits) {
  case 8:
    return isSigned ? Make<int8_t, Op>::handler : Make<uint8_t, Op>::handler;
  case 16:
    return isSigned ? Make<int16_t, Op>::handler : Make<uint16_t, Op>::handler;
  case 32:
    return isSigned ? Make<int32_t, Op>::handler : Make<uint32_t, Op>::handler;
  case 64:
    return isSigned ? Make<int64_t, Op>::handler : Make<uint64_t, Op>::handler;
  default:
    return nullptr;
  }
}
template <typename T, typename Op> struct Binary {
  static constexpr Handler handler = binary<T, Op>;
};

/// a * b of twice the bits, and with a third operand a sum.
template <typename T, typename Op> struct Widening {
  static void run(Step &step) {
    step.eachLane([&](unsigned lane) {
      auto product = static_cast<uint64_t>(Wide<T>(static_cast<T>(step.read(1, lane))) *
                                           Wide<T>(static_cast<T>(step.read(2, lane))));
      if (step.instruction.operands.size() == 4)
        product += step.read(3, lane);
      step.write(0, lane, product);
    });
  }
  static constexpr Handler handler = run;
};
template <typename T, typename Op> struct MultiplyAdd {
  static void run(Step &step) {
    step.eachLane([&](unsigned lane) {
      T product = Op::template of<T>(static_cast<T>(step.read(1, lane)),
                                     static_cast<T>(step.read(2, lane)));
      step.write(0, lane,
                 static_cast<uint64_t>(Add::of<T>(product, static_cast<T>(step.read(3, lane)))));
    });
  }
  static constexpr Handler handler = run;
};

// -- Floating-point numbers --------------------------------------------------------

template <typename T> T number(uint64_t bits) {
  if constexpr (sizeof(T) == sizeof(float))
    return asFloat(bits);
  else
    return asDouble(bits);
}

uint64_t withNan(float value) { return std::isnan(value) ? canonicalNan32 : bitsOf(value); }
uint64_t withNan(double value) { return std::isnan(value) ? canonicalNan64 : bitsOf(value); }

/// + - * / fma and square root of f32 and f64, by an instruction's rounding, flush and saturation.
/// A second type, f16 or bf16, is that of all operands but the last (add.f32.f16, fma.f32.bf16).
template <typename T, char operation> void arithmetic(Step &step) {
  const Instruction &instruction = step.instruction;
  Round round = roundingOf(instruction);
  bool flushes = sizeof(T) == 4 && instruction.has("ftz"), saturates = instruction.has("sat");
  size_t count = instruction.operands.size();
  const Type narrow = instruction.type(1);
  step.eachLane([&](unsigned lane) {
    T values[3] = {};
    for (unsigned i = 1; i < count && i < 4; ++i) {
      uint64_t bits = step.read(i, lane);
      values[i - 1] = narrow.isFloat() && i + 1 != count ? T(decodeFloat(narrow, bits & 0xffff))
                                                         : number<T>(bits);
      if (flushes)
        values[i - 1] = T(flush(float(values[i - 1])));
    }
    T result = roundedArithmetic(operation, values[0], values[1], values[2], round);
    if (flushes)
      result = T(flush(float(result)));
    if (saturates)
      result = result > 0 ? std::min(result, T(1)) : T(0);
    step.write(0, lane, withNan(result));
  });
}

/// The halves of packed numbers, or the one of others.
template <typename Function> uint64_t eachHalf(Type type, Function function) {
  uint64_t result = function(0);
  if (type.packed)
    result |= function(16) << 16;
  return result;
}

template <char operation> void narrowArithmetic(Step &step) {
  Type type = step.instruction.type();
  size_t count = step.instruction.operands.size();
  bool rectifies = step.instruction.has("relu"), saturates = step.instruction.has("sat");
  step.eachLane([&](unsigned lane) {
    uint64_t bits[3] = {};
    for (unsigned i = 1; i < count && i < 4; ++i)
      bits[i - 1] = step.read(i, lane);
    step.write(0, lane, eachHalf(type, [&](unsigned shift) {
                 double values[3];
                 for (unsigned i = 0; i != 3; ++i)
                   values[i] = decodeFloat(type, (bits[i] >> shift) & 0xffff);
                 // Products and sums of 16-bit numbers are exact in double but for sums far apart.
                 double result =
                     roundedArithmetic(operation, values[0], values[1], values[2], Round::Nearest);
                 if (rectifies && result < 0)
                   result = 0;
                 if (saturates)
                   result = result > 0 ? std::min(result, 1.0) : 0.0;
                 if (std::isnan(result))
                   return uint64_t(0x7fff);
                 return encodeFloat(type, result, Round::Nearest);
               }));
  });
}

/// Two numbers of f32 in 64 bits.
template <char operation> void pairArithmetic(Step &step) {
  const Instruction &instruction = step.instruction;
  Round round = roundingOf(instruction);
  bool flushes = instruction.has("ftz");
  size_t count = instruction.operands.size();
  step.eachLane([&](unsigned lane) {
    uint64_t result = 0;
    for (unsigned shift : {0u, 32u}) {
      float values[3] = {};
      for (unsigned i = 1; i < count && i < 4; ++i) {
        float value = asFloat(step.read(i, lane) >> shift);
        values[i - 1] = flushes ? flush(value) : value;
      }
      float half = roundedArithmetic(operation, values[0], values[1], values[2], round);
      result |= withNan(flushes ? flush(half) : half) << shift;
    }
    step.write(0, lane, result);
  });
}

template <char operation> Handler floatHandler(Type type) {
  if (type.packed && type.bits == 64)
    return operation == '/' || operation == 's' ? nullptr : pairArithmetic<operation>;
  return type.bits == 64                   ? arithmetic<double, operation>
         : type.bits == 32 && !type.packed ? arithmetic<float, operation>
                                           : narrowArithmetic<operation>;
}

/// min and max of two or three numbers; with `.xorsign` the result's sign is that of the product.
template <bool greater> void extreme(Step &step) {
  Type type = step.instruction.type();
  bool combinesSigns = step.instruction.has("xorsign");
  unsigned count = static_cast<unsigned>(step.instruction.operands.size());
  uint64_t sign = uint64_t(1) << (type.packed ? 15 : type.bits - 1);
  step.eachLane([&](unsigned lane) {
    step.write(0, lane, eachHalf(type, [&](unsigned shift) {
                 FloatExtreme best(step.instruction, greater);
                 uint64_t signs = 0;
                 for (unsigned i = 1; i != count; ++i) {
                   uint64_t bits = step.read(i, lane) >> shift;
                   best.add(decodeFloat(type, type.packed ? bits & 0xffff : bits));
                   signs ^= bits & sign;
                 }
                 return best.bits(type) ^ (combinesSigns ? signs : 0);
               }));
  });
}

uint64_t signBit(Type type) { return type.packed ? 0x80008000 : uint64_t(1) << (type.bits - 1); }

void floatAbs(Step &step) {
  Type type = step.instruction.type();
  bool flushes = step.instruction.has("ftz");
  step.eachLane([&](unsigned lane) {
    uint64_t bits = step.read(1, lane) & ~signBit(type);
    step.write(0, lane, flushes && type.bits == 32 ? bitsOf(flush(asFloat(bits))) : bits);
  });
}
void floatNeg(Step &step) {
  uint64_t sign = signBit(step.instruction.type());
  step.eachLane([&](unsigned lane) { step.write(0, lane, step.read(1, lane) ^ sign); });
}
void copySign(Step &step) {
  uint64_t sign = signBit(step.instruction.type());
  step.eachLane([&](unsigned lane) {
    step.write(0, lane, (step.read(1, lane) & sign) | (step.read(2, lane) & ~sign));
  });
}

/// The functions of the special function unit, by the host's: not bit for bit those of a GPU.
template <double (*function)(double)> void approximate(Step &step) {
  Type type = step.instruction.type();
  bool flushes = step.instruction.has("ftz");
  step.eachLane([&](unsigned lane) {
    step.write(0, lane, eachHalf(type, [&](unsigned shift) {
                 uint64_t bits = step.read(1, lane) >> shift;
                 double value = decodeFloat(type, type.packed ? bits & 0xffff : bits);
                 if (flushes && type.bits == 32)
                   value = flush(float(value));
                 uint64_t result = encodeFloat(type, function(value), Round::Nearest);
                 return flushes && type.bits == 32 && !type.packed ? bitsOf(flush(asFloat(result)))
                                                                   : result;
               }));
  });
}
double reciprocal(double x) { return 1 / x; }
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double exponential2(double x) { return std::exp2(x); }
double logarithm2(double x) { return std::log2(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double hyperbolicTangent(double x) { return std::tanh(x); }

/// 1 / x with a stated rounding.
template <typename T> void exactReciprocal(Step &step) {
  Round round = roundingOf(step.instruction);
  bool flushes = step.instruction.has("ftz");
  step.eachLane([&](unsigned lane) {
    T value = number<T>(step.read(1, lane));
    if (flushes)
      value = T(flush(float(value)));
    T result = roundedArithmetic('/', T(1), value, T(0), round);
    step.write(0, lane, withNan(flushes ? T(flush(float(result))) : result));
  });
}

void testProperty(Step &step) {
  Type type = step.instruction.type();
  llvm::StringRef property = step.instruction.modifiers.front();
  step.eachLane([&](unsigned lane) {
    double value = decodeFloat(type, step.read(1, lane));
    bool holds = property == "finite"     ? std::isfinite(value)
                 : property == "infinite" ? std::isinf(value)
                 : property == "number"   ? !std::isnan(value)
                 : property == "notanumber"
                     ? std::isnan(value)
                     : type.bits == 32 && (std::fpclassify(float(value)) ==
                                           (property == "normal" ? FP_NORMAL : FP_SUBNORMAL));
    step.write(0, lane, holds);
  });
}

// -- Bits --------------------------------------------------------------------------

void bitNot(Step &step) {
  bool isPredicate = step.instruction.type().kind == TypeKind::Predicate;
  step.eachLane([&](unsigned lane) {
    uint64_t value = step.read(1, lane);
    step.write(0, lane, isPredicate ? !value : ~value);
  });
}
template <typename T, typename Op> struct Negate {
  static void run(Step &step) {
    step.eachLane([&](unsigned lane) { step.write(0, lane, uint64_t(0) - step.read(1, lane)); });
  }
  static constexpr Handler handler = run;
};
template <typename T, typename Op> struct Absolute {
  static void run(Step &step) {
    step.eachLane([&](unsigned lane) {
      T value = static_cast<T>(step.read(1, lane));
      step.write(0, lane,
                 value < T(0) ? uint64_t(0) - static_cast<uint64_t>(value)
                              : static_cast<uint64_t>(value));
    });
  }
  static constexpr Handler handler = run;
};
template <typename T, typename Op> struct ShiftLeft {
  static void run(Step &step) {
    step.eachLane([&](unsigned lane) {
      uint64_t by = static_cast<uint32_t>(step.read(2, lane));
      step.write(0, lane, by < 8 * sizeof(T) ? step.read(1, lane) << by : 0);
    });
  }
  static constexpr Handler handler = run;
};
template <typename T, typename Op> struct ShiftRight {
  static void run(Step &step) {
    step.eachLane([&](unsigned lane) {
      uint64_t by =
          std::min<uint64_t>(static_cast<uint32_t>(step.read(2, lane)), 8 * sizeof(T) - 1);
      bool gone =
          static_cast<uint32_t>(step.read(2, lane)) >= 8 * sizeof(T) && !std::is_signed_v<T>;
      step.write(0, lane,
                 gone ? 0 : static_cast<uint64_t>(T(static_cast<T>(step.read(1, lane)) >> by)));
    });
  }
  static constexpr Handler handler = run;
};

void funnelShift(Step &step) {
  bool left = step.instruction.has("l"), wraps = step.instruction.has("wrap");
  step.eachLane([&](unsigned lane) {
    uint64_t both = (step.read(2, lane) << 32) | static_cast<uint32_t>(step.read(1, lane));
    uint32_t by = static_cast<uint32_t>(step.read(3, lane));
    by = wraps ? by & 31 : std::min(by, 32u);
    step.write(0, lane, left ? (both << by) >> 32 : both >> by);
  });
}

template <typename T, typename Op> struct Extract {
  static void run(Step &step) {
    constexpr unsigned bits = 8 * sizeof(T);
    step.eachLane([&](unsigned lane) {
      T value = static_cast<T>(step.read(1, lane));
      unsigned at = step.read(2, lane) & 255, length = step.read(3, lane) & 255;
      uint64_t field = 0;
      bool sign = std::is_signed_v<T> && length &&
                  ((static_cast<uint64_t>(value) >> std::min(at + length - 1, bits - 1)) & 1);
      for (unsigned i = 0; i != bits; ++i) {
        bool bit =
            i < length && at + i < bits ? (static_cast<uint64_t>(value) >> (at + i)) & 1 : sign;
        field |= uint64_t(bit) << i;
      }
      step.write(0, lane, field);
    });
  }
  static constexpr Handler handler = run;
};

void insertBits(Step &step) {
  unsigned bits = step.instruction.type().bits;
  step.eachLane([&](unsigned lane) {
    uint64_t from = step.read(1, lane), into = step.read(2, lane);
    unsigned at = step.read(3, lane) & 255, length = step.read(4, lane) & 255;
    for (unsigned i = 0; i < length && at + i < bits; ++i)
      into = (into & ~(uint64_t(1) << (at + i))) | (((from >> i) & 1) << (at + i));
    step.write(0, lane, into);
  });
}

/// The generic form: each digit of the selector names a byte of {b, a}; its high bit spreads a
/// sign.
void permuteBytes(Step &step) {
  step.eachLane([&](unsigned lane) {
    uint64_t bytes = (step.read(2, lane) << 32) | static_cast<uint32_t>(step.read(1, lane));
    uint64_t selector = step.read(3, lane), result = 0;
    for (unsigned i = 0; i != 4; ++i) {
      unsigned digit = (selector >> (4 * i)) & 15;
      uint64_t byte = (bytes >> (8 * (digit & 7))) & 255;
      if (digit & 8)
        byte = byte & 128 ? 255 : 0;
      result |= byte << (8 * i);
    }
    step.write(0, lane, result);
  });
}

void anyLogic(Step &step) {
  step.eachLane([&](unsigned lane) {
    uint32_t a = uint32_t(step.read(1, lane)), b = uint32_t(step.read(2, lane)),
             c = uint32_t(step.read(3, lane)), result = 0;
    for (unsigned row = 0; row != 8; ++row)
      if ((step.read(4, lane) >> row) & 1)
        result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    step.write(0, lane, result);
  });
}

void countOnes(Step &step) {
  step.eachLane([&](unsigned lane) { step.write(0, lane, std::popcount(step.read(1, lane))); });
}
void countLeadingZeros(Step &step) {
  unsigned bits = step.instruction.type().bits;
  step.eachLane([&](unsigned lane) {
    step.write(0, lane, std::countl_zero(step.read(1, lane)) - (64 - bits));
  });
}
void reverseBits(Step &step) {
  unsigned bits = step.instruction.type().bits;
  step.eachLane([&](unsigned lane) {
    uint64_t value = step.read(1, lane), result = 0;
    for (unsigned i = 0; i != bits; ++i)
      result |= ((value >> i) & 1) << (bits - 1 - i);
    step.write(0, lane, result);
  });
}
void findLeadingBit(Step &step) {
  Type type = step.instruction.type();
  bool amount = step.instruction.has("shiftamt");
  step.eachLane([&](unsigned lane) {
    uint64_t value = step.read(1, lane);
    if (type.isSigned() && (value >> (type.bits - 1)) & 1)
      value = ~value & (type.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << type.bits) - 1);
    uint32_t at = value ? 63 - std::countl_zero(value) : ~uint32_t(0);
    step.write(0, lane, value && amount ? type.bits - 1 - at : at);
  });
}

// -- Comparisons and choices -------------------------------------------------------

enum class Relation : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
  None
};

Relation relationNamed(llvm::StringRef name) {
  return llvm::StringSwitch<Relation>(name)
      .Case("eq", Relation::Eq)
      .Case("ne", Relation::Ne)
      .Cases({"lt", "lo"}, Relation::Lt)
      .Cases({"le", "ls"}, Relation::Le)
      .Cases({"gt", "hi"}, Relation::Gt)
      .Cases({"ge", "hs"}, Relation::Ge)
      .Case("equ", Relation::Equ)
      .Case("neu", Relation::Neu)
      .Case("ltu", Relation::Ltu)
      .Case("leu", Relation::Leu)
      .Case("gtu", Relation::Gtu)
      .Case("geu", Relation::Geu)
      .Case("num", Relation::Num)
      .Case("nan", Relation::Nan)
      .Default(Relation::None);
}

template <typename T> bool holds(Relation relation, T a, T b) {
  bool unordered = a != a || b != b;
  switch (relation) {
  case Relation::Eq:
    return a == b;
  case Relation::Ne:
    return a != b && !unordered;
  case Relation::Lt:
    return a < b;
  case Relation::Le:
    return a <= b;
  case Relation::Gt:
    return a > b;
  case Relation::Ge:
    return a >= b;
  case Relation::Equ:
    return unordered || a == b;
  case Relation::Neu:
    return a != b;
  case Relation::Ltu:
    return unordered || a < b;
  case Relation::Leu:
    return unordered || a <= b;
  case Relation::Gtu:
    return unordered || a > b;
  case Relation::Geu:
    return unordered || a >= b;
  case Relation::Num:
    return !unordered;
  case Relation::Nan:
    return unordered;
  case Relation::None:
    break;
  }
  return false;
}

int64_t signExtended(uint64_t value, unsigned bits) {
  return bits == 64 ? int64_t(value) : int64_t(value << (64 - bits)) >> (64 - bits);
}

bool compare(Relation relation, Type type, uint64_t a, uint64_t b, bool flushes) {
  if (type.isFloat()) {
    double x = decodeFloat(type, a), y = decodeFloat(type, b);
    if (flushes && type.bits == 32) {
      x = flush(float(x));
      y = flush(float(y));
    }
    return holds(relation, x, y);
  }
  if (type.isSigned())
    return holds(relation, signExtended(a, type.bits), signExtended(b, type.bits));
  uint64_t mask = type.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << type.bits) - 1;
  return holds(relation, a & mask, b & mask);
}

/// setp.cmp{.and|.or|.xor}.type p{|q}, a, b{, r}; q is the same of the complement.
void setPredicate(Step &step) {
  const Instruction &instruction = step.instruction;
  Relation relation = relationNamed(instruction.modifiers.front());
  Type type = instruction.type();
  bool flushes = instruction.has("ftz");
  bool combines = instruction.operands.size() == 4;
  auto combined = [&](bool value, unsigned lane) {
    if (!combines)
      return value;
    bool other = step.read(3, lane) != 0;
    return instruction.has("and")  ? value && other
           : instruction.has("or") ? value || other
                                   : value != other;
  };
  step.eachLane([&](unsigned lane) {
    bool value = compare(relation, type, step.read(1, lane), step.read(2, lane), flushes);
    bool first = combined(value, lane), second = combined(!value, lane);
    step.write(0, lane, first);
    step.writeRegister(step.operand(0).second, lane, second);
  });
}

/// set.cmp.dtype.stype d, a, b: ones or 1.0.
void setValue(Step &step) {
  const Instruction &instruction = step.instruction;
  Relation relation = relationNamed(instruction.modifiers.front());
  Type to = instruction.type(0), from = instruction.type(1);
  step.eachLane([&](unsigned lane) {
    bool value =
        compare(relation, from, step.read(1, lane), step.read(2, lane), instruction.has("ftz"));
    step.write(0, lane,
               !value         ? 0
               : to.isFloat() ? encodeFloat(to, 1, Round::Nearest)
                              : ~uint64_t(0));
  });
}

void select(Step &step) {
  step.eachLane([&](unsigned lane) {
    step.write(0, lane, step.read(3, lane) ? step.read(1, lane) : step.read(2, lane));
  });
}

// -- Moves -------------------------------------------------------------------------

/// A move; a vector on one side is packed or taken apart, lowest bits first.
void move(Step &step) {
  const Operand &to = step.operand(0), &from = step.operand(1);
  unsigned bits = step.instruction.type().bits;
  step.eachLane([&](unsigned lane) {
    if (to.kind == OperandKind::Vector && from.kind == OperandKind::Vector) {
      for (size_t i = 0; i != std::min(to.elements.size(), from.elements.size()); ++i)
        step.write(to.elements[i], lane, step.read(from.elements[i], lane));
    } else if (to.kind == OperandKind::Vector) {
      uint64_t value = step.read(from, lane);
      unsigned each = bits / static_cast<unsigned>(to.elements.size()), at = 0;
      for (const Operand &element : to.elements) {
        step.write(element, lane, value >> at);
        at += each;
      }
    } else if (from.kind == OperandKind::Vector) {
      unsigned each = bits / static_cast<unsigned>(from.elements.size()), at = 0;
      uint64_t value = 0;
      for (const Operand &element : from.elements) {
        value |= (step.read(element, lane) & ((uint64_t(1) << each) - 1)) << at;
        at += each;
      }
      step.write(to, lane, value);
    } else {
      step.write(to, lane, step.read(from, lane));
    }
  });
}

/// Between a space's window and generic addresses; global memory has none.
void convertAddress(Step &step) {
  const Instruction &instruction = step.instruction;
  bool isShared = instruction.has("shared") || instruction.has("shared::cta") ||
                  instruction.has("shared::cluster");
  uint64_t window = isShared                   ? sharedWindow
                    : instruction.has("local") ? localWindow
                    : instruction.has("param") ? parameterWindow
                                               : 0;
  bool back = instruction.has("to");
  step.eachLane([&](unsigned lane) {
    uint64_t value = step.read(1, lane);
    step.write(0, lane, back ? value - window : value + window);
  });
}

bool isPair(const Instruction &instruction) {
  return instruction.type().packed && instruction.type().bits == 64;
}

template <typename IntegerOp> Handler integerOr(const Instruction &instruction, Handler floating) {
  Type type = instruction.type();
  return type.isFloat() ? floating : byInteger<Binary, IntegerOp>(type);
}

/// Of predicates and of integers.
template <typename Op> Handler logic(const Instruction &instruction) {
  Type type = instruction.type();
  return type.kind == TypeKind::Predicate ? binary<uint8_t, Op> : byInteger<Binary, Op>(type);
}

Handler chooseMultiply(const Instruction &instruction) {
  Type type = instruction.type();
  if (type.isFloat())
    return floatHandler<'*'>(type);
  return instruction.has("wide") ? byInteger<Widening, void>(type)
         : instruction.has("hi") ? byInteger<Binary, MulHigh>(type)
                                 : byInteger<Binary, MulLow>(type);
}

Handler chooseMultiplyAdd(const Instruction &instruction) {
  Type type = instruction.type();
  if (type.isFloat())
    return floatHandler<'f'>(type);
  return instruction.has("wide") ? byInteger<Widening, void>(type)
         : instruction.has("hi") ? byInteger<MultiplyAdd, MulHigh>(type)
                                 : byInteger<MultiplyAdd, MulLow>(type);
}

Handler chooseReciprocal(const Instruction &instruction) {
  if (instruction.has("approx"))
    return approximate<reciprocal>;
  return instruction.type().bits == 64 ? exactReciprocal<double> : exactReciprocal<float>;
}

Handler chooseRelation(const Instruction &instruction, Handler handler) {
  return !instruction.modifiers.empty() &&
                 relationNamed(instruction.modifiers.front()) != Relation::None
             ? handler
             : nullptr;
}

} // namespace

void addArithmetic(HandlerTable &table) {
  using I = const Instruction &;
  table["add"] = [](I i) { return integerOr<Add>(i, floatHandler<'+'>(i.type())); };
  table["sub"] = [](I i) { return integerOr<Sub>(i, floatHandler<'-'>(i.type())); };
  table["div"] = [](I i) { return integerOr<Div>(i, floatHandler<'/'>(i.type())); };
  table["rem"] = [](I i) { return integerOr<Rem>(i, nullptr); };
  table["min"] = [](I i) { return integerOr<Min>(i, isPair(i) ? nullptr : extreme<false>); };
  table["max"] = [](I i) { return integerOr<Max>(i, isPair(i) ? nullptr : extreme<true>); };
  table["mul"] = chooseMultiply;
  table["mad"] = chooseMultiplyAdd;
  table["fma"] = chooseMultiplyAdd;
  table["neg"] = [](I i) {
    return i.type().isFloat() ? floatNeg : byInteger<Negate, void>(i.type());
  };
  table["abs"] = [](I i) {
    return i.type().isFloat() ? floatAbs : byInteger<Absolute, void>(i.type());
  };
  table["copysign"] = [](I) -> Handler { return copySign; };
  table["testp"] = [](I) -> Handler { return testProperty; };
  table["sqrt"] = [](I i) { return floatHandler<'s'>(i.type()); };
  table["rcp"] = chooseReciprocal;
  table["rsqrt"] = [](I) -> Handler { return approximate<reciprocalRoot>; };
  table["ex2"] = [](I) -> Handler { return approximate<exponential2>; };
  table["lg2"] = [](I) -> Handler { return approximate<logarithm2>; };
  table["sin"] = [](I) -> Handler { return approximate<sine>; };
  table["cos"] = [](I) -> Handler { return approximate<cosine>; };
  table["tanh"] = [](I) -> Handler { return approximate<hyperbolicTangent>; };
  table["and"] = logic<And>;
  table["or"] = logic<Or>;
  table["xor"] = logic<Xor>;
  table["not"] = [](I) -> Handler { return bitNot; };
  table["shl"] = [](I i) { return byInteger<ShiftLeft, void>(i.type()); };
  table["shr"] = [](I i) { return byInteger<ShiftRight, void>(i.type()); };
  table["shf"] = [](I) -> Handler { return funnelShift; };
  table["bfe"] = [](I i) { return byInteger<Extract, void>(i.type()); };
  table["bfi"] = [](I) -> Handler { return insertBits; };
  table["prmt"] = [](I i) -> Handler { return i.modifiers.size() == 1 ? permuteBytes : nullptr; };
  table["lop3"] = [](I i) -> Handler { return i.operands.size() == 5 ? anyLogic : nullptr; };
  table["popc"] = [](I) -> Handler { return countOnes; };
  table["clz"] = [](I) -> Handler { return countLeadingZeros; };
  table["brev"] = [](I) -> Handler { return reverseBits; };
  table["bfind"] = [](I) -> Handler { return findLeadingBit; };
  table["setp"] = [](I i) { return chooseRelation(i, setPredicate); };
  table["set"] = [](I i) { return chooseRelation(i, setValue); };
  table["selp"] = [](I) -> Handler { return select; };
  table["mov"] = [](I) -> Handler { return move; };
  table["cvta"] = [](I) -> Handler { return convertAddress; };
}

} // namespace gluonc::ptx

#include "explain/nvidia/MachineStep.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Error.h"

#include <cmath>

namespace gluonc::explain::machine {

using llvm::StringRef;
using Kind = Operand::Kind;

// -- Sums and products -----------------------------------------------------------

namespace {

/// The operand with `-` as its complement and one more, so that carries are right.
struct Summand {
  Summand(const Step &step, unsigned i) : value(step.word(step.source(i))) {
    const Operand &operand = step.source(i);
    if (operand.isNegated || operand.isInverted)
      value = eachLane([](uint32_t x) { return ~x; }, value);
    one = operand.isNegated;
  }
  Value value;
  unsigned one;
};

} // namespace

void addIntegers(Step &step) {
  const unsigned count = step.instruction.family == "VIADD" ? 2 : 3;
  std::array<uint64_t, lanes> sums = {};
  uint32_t known = allLanes;
  unsigned i = 0;
  for (; i != count; ++i) {
    const Summand summand(step, i);
    known &= summand.value.known;
    for (unsigned lane = 0; lane != lanes; ++lane)
      sums[lane] += uint64_t(summand.value.of[lane]) + summand.one;
  }
  if (step.has("X"))
    for (; i < step.instruction.sources.size(); ++i) {
      const Bits in = step.predicate(i);
      known &= in.known;
      for (unsigned lane = 0; lane != lanes; ++lane)
        sums[lane] += bit(in.value, lane);
    }
  Value result;
  result.known = known;
  for (unsigned lane = 0; lane != lanes; ++lane)
    result.of[lane] = static_cast<uint32_t>(sums[lane]);
  step.write(result);
  for (unsigned carry = 0; carry != step.instruction.predicateResults.size(); ++carry)
    step.write(Bits{bitsOf([&](unsigned lane) { return sums[lane] >> 32 > carry; }) & known, known},
               carry);
}

namespace {

struct Pair {
  std::array<uint64_t, lanes> of = {};
  uint32_t known = 0;
};

} // namespace

/// Two registers or words of constants.
static Pair pairOf(const Step &step, unsigned i) {
  const Operand &operand = step.source(i);
  const Value low = step.word(operand), high = step.word(operand, 1);
  Pair pair;
  pair.known = low.known & high.known;
  for (unsigned lane = 0; lane != lanes; ++lane) {
    const uint64_t number = uint64_t(high.of[lane]) << 32 | low.of[lane];
    pair.of[lane] = operand.isNegated ? 0 - number : operand.isInverted ? ~number : number;
  }
  return pair;
}

static void multiplyWide(Step &step) {
  const Value a = step.value(0), b = step.value(1);
  const Pair c = pairOf(step, 2);
  const Bits carry = step.has("X") ? step.carry(3) : Bits{0, allLanes};
  const bool isUnsigned = step.has("U32");
  const uint32_t known = a.known & b.known & c.known & carry.known;
  std::array<uint64_t, lanes> results;
  uint32_t carries = 0;
  for (unsigned lane = 0; lane != lanes; ++lane) {
    const uint64_t product =
        isUnsigned ? uint64_t(a.of[lane]) * b.of[lane]
                   : static_cast<uint64_t>(int64_t(int32_t(a.of[lane])) * int32_t(b.of[lane]));
    results[lane] = product + c.of[lane] + bit(carry.value, lane);
    carries |= uint32_t(results[lane] < product) << lane;
  }
  step.write(Bits{carries & known, known});
  if (!step.has("HI"))
    return step.writePair(results, known);
  Value high;
  high.known = known;
  for (unsigned lane = 0; lane != lanes; ++lane)
    high.of[lane] = static_cast<uint32_t>(results[lane] >> 32);
  step.write(high);
}

void multiply(Step &step) {
  if (step.has("WIDE") || step.has("HI"))
    return multiplyWide(step);
  Value result = eachLane([](uint32_t a, uint32_t b, uint32_t c) { return a * b + c; },
                          step.value(0), step.value(1), step.value(2));
  if (step.has("X")) {
    const Bits carry = step.carry(3);
    for (unsigned lane = 0; lane != lanes; ++lane)
      result.of[lane] += bit(carry.value, lane);
    result.known &= carry.known;
  }
  step.write(result);
}

/// LEA: a sum with one that is shifted, perhaps the upper half of that.
void addShifted(Step &step) {
  const Value a = step.word(step.source(0));
  const bool isHigh = step.has("HI"), isSigned = step.has("SX32");
  const unsigned shiftAt = isHigh && !isSigned ? 3 : 2;
  const Value upper = isHigh && !isSigned ? step.value(2) : same(0), shift = step.value(shiftAt);
  const Summand b(step, 1);
  const Bits carry = step.has("X") ? step.carry(shiftAt + 1) : Bits{0, allLanes};
  const bool isNegated = step.source(0).isNegated;
  Value result;
  result.known = a.known & b.value.known & upper.known & shift.known & carry.known;
  uint32_t carries = 0;
  for (unsigned lane = 0; lane != lanes; ++lane) {
    uint64_t wide = isSigned ? static_cast<uint64_t>(int64_t(int32_t(a.of[lane])))
                             : uint64_t(upper.of[lane]) << 32 | a.of[lane];
    wide = isNegated ? 0 - wide : wide;
    const uint64_t shifted = wide << (shift.of[lane] & 31);
    const uint64_t sum = (isHigh ? shifted >> 32 : shifted & allLanes) + b.value.of[lane] + b.one +
                         bit(carry.value, lane);
    result.of[lane] = static_cast<uint32_t>(sum);
    carries |= uint32_t(sum >> 32 != 0) << lane;
  }
  step.write(result);
  step.write(Bits{carries & result.known, result.known});
}

// -- Bits ------------------------------------------------------------------------

static uint32_t lookUp(uint32_t a, uint32_t b, uint32_t c, unsigned table) {
  uint32_t result = 0;
  for (unsigned i = 0; i != 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

void logic(Step &step) {
  const auto table = static_cast<unsigned>(step.source(3).number);
  const Value a = step.value(0), b = step.value(1), c = step.value(2);
  const Value result =
      eachLane([&](uint32_t x, uint32_t y, uint32_t z) { return lookUp(x, y, z, table); }, a, b, c);
  step.write(result);
  const Bits in = step.carry(4);
  const uint32_t known = result.known & in.known;
  step.write(Bits{bitsOf([&](unsigned i) { return result.of[i] != 0 || bit(in.value, i); }) & known,
                  known});
}

void predicateLogic(Step &step) {
  const Bits a = step.predicate(0), b = step.predicate(1), c = step.predicate(2);
  for (unsigned i = 0; i != 2; ++i) {
    const auto table = static_cast<unsigned>(step.source(3 + i).number);
    // A bit is known where those that are not known change nothing.
    uint32_t low = allLanes, high = 0;
    for (unsigned guess = 0; guess != 8; ++guess) {
      const uint32_t result =
          lookUp(a.value | (guess & 4 ? ~a.known : 0), b.value | (guess & 2 ? ~b.known : 0),
                 c.value | (guess & 1 ? ~c.known : 0), table);
      low &= result, high |= result;
    }
    const uint32_t known = ~(low ^ high);
    step.write(Bits{low & known, known}, i);
  }
}

void shift(Step &step) {
  const Value low = step.value(0), by = step.value(1), high = step.value(2);
  const bool isLeft = step.has("L"), takesHigh = step.has("HI");
  const bool isSigned = step.has("S32") || step.has("S64"),
             is64 = step.has("U64") || step.has("S64");
  const bool wraps = step.has("W");
  step.write(eachLane(
      [&](uint32_t l, uint32_t n, uint32_t h) -> uint64_t {
        const uint64_t value = uint64_t(h) << 32 | l;
        n = wraps ? n & (is64 ? 63 : 31) : std::min(n, is64 ? 63u : 32u);
        const uint64_t shifted = isLeft     ? value << n
                                 : isSigned ? static_cast<uint64_t>(int64_t(value) >> n)
                                            : value >> n;
        return takesHigh ? shifted >> 32 : shifted;
      },
      low, by, high));
}

void permute(Step &step) {
  step.write(eachLane(
      [](uint32_t a, uint32_t selector, uint32_t c) {
        const uint64_t bytes = uint64_t(c) << 32 | a;
        uint32_t result = 0;
        for (unsigned i = 0; i != 4; ++i) {
          const unsigned nibble = selector >> 4 * i & 15;
          auto byte = static_cast<uint8_t>(bytes >> 8 * (nibble & 7));
          if (nibble & 8)
            byte = byte & 0x80 ? 0xff : 0;
          result |= uint32_t(byte) << 8 * i;
        }
        return result;
      },
      step.value(0), step.value(1), step.value(2)));
}

void extend(Step &step) {
  const bool isUnsigned = step.has("U32");
  step.write(eachLane(
      [&](uint32_t a, uint32_t bits) -> uint32_t {
        if (bits >= 32)
          return a;
        if (!bits)
          return 0;
        const uint32_t moved = a << (32 - bits);
        return isUnsigned ? moved >> (32 - bits) : uint32_t(int32_t(moved) >> (32 - bits));
      },
      step.value(0), step.value(1)));
}

void makeMask(Step &step) {
  step.write(eachLane(
      [](uint32_t begin, uint32_t bits) {
        const uint64_t ones = (uint64_t(1) << std::min(bits, 32u)) - 1;
        return begin < 32 ? ones << begin : 0;
      },
      step.value(0), step.value(1)));
}

void countBits(Step &step) {
  step.write(eachLane([](uint32_t a) { return llvm::popcount(a); }, step.value(0)));
}

void findFirst(Step &step) {
  if (!step.has("U32"))
    return step.writeUnknown();
  const bool isShift = step.has("SH");
  step.write(eachLane(
      [&](uint32_t a) {
        const auto zeros = static_cast<uint32_t>(llvm::countl_zero(a));
        return !a ? allLanes : isShift ? zeros : 31 - zeros;
      },
      step.value(0)));
}

// -- Choices ---------------------------------------------------------------------

void select(Step &step) {
  const Value a = step.value(0), b = step.value(1);
  const Bits chosen = step.predicate(2);
  Value result;
  for (unsigned i = 0; i != lanes; ++i)
    result.of[i] = bit(chosen.value, i) ? a.of[i] : b.of[i];
  result.known = chosen.known & ((chosen.value & a.known) | (~chosen.value & b.known));
  step.write(result);
}

void extreme(Step &step) {
  if (step.has("U16x2") || step.has("S16x2") || step.has("RELU"))
    return step.writeUnknown();
  Value a = step.value(0);
  unsigned source = 1;
  if (step.instruction.family == "VIADDMNMX") {
    const Summand first(step, 0), second(step, source++);
    a.known = first.value.known & second.value.known;
    for (unsigned i = 0; i != lanes; ++i)
      a.of[i] = first.value.of[i] + first.one + second.value.of[i] + second.one;
  }
  const Value b = step.value(source);
  const Bits isLeast = step.carry(source + 1);
  const bool isUnsigned = step.has("U32");
  Value result;
  for (unsigned i = 0; i != lanes; ++i) {
    const bool isLess = isUnsigned ? a.of[i] < b.of[i] : int32_t(a.of[i]) < int32_t(b.of[i]);
    result.of[i] = isLess == bit(isLeast.value, i) ? a.of[i] : b.of[i];
  }
  result.known = a.known & b.known & isLeast.known;
  step.write(result);
}

template <typename Number> static bool compare(StringRef how, Number a, Number b) {
  return how == "EQ"   ? a == b
         : how == "NE" ? a != b
         : how == "LT" ? a < b
         : how == "LE" ? a <= b
         : how == "GT" ? a > b
         : how == "GE" ? a >= b
                       : how == "T";
}

static uint32_t combine(StringRef how, uint32_t a, uint32_t b) {
  return how == "OR" ? a | b : how == "XOR" ? a ^ b : a & b;
}

void compareIntegers(Step &step) {
  if (step.instruction.modifiers.empty())
    return step.writeUnknown();
  const StringRef how = step.instruction.modifiers.front();
  const Value a = step.value(0), b = step.value(1);
  const Bits with = step.predicate(2);
  const bool isUnsigned = step.has("U32"), isUpper = step.has("EX");
  const Bits lower = isUpper ? step.predicate(3) : Bits{0, allLanes};
  const StringRef joined = step.has("OR") ? "OR" : step.has("XOR") ? "XOR" : "AND";
  uint32_t result = 0;
  for (unsigned i = 0; i != lanes; ++i) {
    bool is;
    if (isUpper && a.of[i] == b.of[i])
      is = bit(lower.value, i);
    else
      is = isUnsigned ? compare(how, a.of[i], b.of[i])
                      : compare(how, int32_t(a.of[i]), int32_t(b.of[i]));
    result |= uint32_t(is) << i;
  }
  const uint32_t known = a.known & b.known & lower.known;
  for (unsigned i = 0; i != 2; ++i) {
    const uint32_t mine = i ? ~result : result;
    // `false and what is unknown` is known.
    uint32_t both = known & with.known;
    if (joined != "XOR") {
      const uint32_t decides = joined == "OR" ? allLanes : 0;
      both |= known & ~(mine ^ decides);
      both |= with.known & ~(with.value ^ decides);
    }
    step.write(Bits{combine(joined, mine & known, with.value) & both, both}, i);
  }
}

// -- Numbers, as integer division takes them -------------------------------------

void absolute(Step &step) {
  step.write(eachLane([](uint32_t a) { return int32_t(a) < 0 ? 0 - a : a; }, step.value(0)));
}

void roundUp(Step &step) {
  if (!step.has("RP") || step.has("U64") || step.has("S64") || step.has("F64"))
    return step.writeUnknown();
  const bool isUnsigned = step.has("U32");
  step.write(eachLane(
      [&](uint32_t a) {
        const double exact = isUnsigned ? double(a) : double(int32_t(a));
        auto rounded = static_cast<float>(exact);
        if (double(rounded) < exact)
          rounded = std::nextafter(rounded, INFINITY);
        return llvm::bit_cast<uint32_t>(rounded);
      },
      step.value(0)));
}

void reciprocal(Step &step) {
  if (!step.has("RCP"))
    return step.writeUnknown();
  step.write(
      eachLane([](uint32_t a) { return llvm::bit_cast<uint32_t>(1.0f / llvm::bit_cast<float>(a)); },
               step.value(0)));
}

void truncate(Step &step) {
  if (!step.has("U32") || !step.has("TRUNC") || step.has("F64"))
    return step.writeUnknown();
  step.write(eachLane(
      [](uint32_t a) -> uint32_t {
        const auto number = llvm::bit_cast<float>(a);
        return !(number > 0)             ? 0
               : number >= 4294967296.0f ? allLanes
                                         : static_cast<uint32_t>(number);
      },
      step.value(0)));
}

/// HFMA2 with zeros in front of two halves is a constant.
void halves(Step &step) {
  const auto isZero = [&](unsigned i) {
    return step.source(i).kind == Kind::Register && step.source(i).index == Operand::none;
  };
  if (step.instruction.sources.size() != 4 || !isZero(0) || !isZero(1))
    return step.writeUnknown();
  uint32_t result = 0;
  for (unsigned i = 2; i != 4; ++i) {
    llvm::APFloat half(llvm::APFloat::IEEEhalf());
    llvm::Expected<llvm::APFloat::opStatus> status =
        half.convertFromString(step.source(i).text, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return step.writeUnknown();
    }
    result = result << 16 | static_cast<uint32_t>(half.bitcastToAPInt().getZExtValue());
  }
  step.write(same(result));
}

} // namespace gluonc::explain::machine

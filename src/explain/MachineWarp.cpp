#include "explain/MachineWarp.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Error.h"

#include <cmath>
#include <cstring>

namespace gluonc::explain::machine {

using llvm::StringRef;
using Kind = Operand::Kind;
constexpr uint32_t all = ~0u;

static Value same(uint32_t number) {
  Value value;
  value.of.fill(number);
  value.known = all;
  return value;
}

/// Of each lane, from what is in that lane of the operands.
template <typename Compute, typename... Values>
static Value eachLane(Compute compute, const Values &...values) {
  Value result;
  for (unsigned i = 0; i != lanes; ++i)
    result.of[i] = static_cast<uint32_t>(compute(values.of[i]...));
  result.known = (all & ... & values.known);
  return result;
}

/// Those bits of which `test` is true.
template <typename Test> static uint32_t bitsOf(Test test) {
  uint32_t bits = 0;
  for (unsigned i = 0; i != lanes; ++i)
    bits |= uint32_t(test(i)) << i;
  return bits;
}

static bool bit(uint32_t bits, unsigned i) { return bits >> i & 1; }

Warp::Warp(const MachineLaunch &launch, const Place &place)
    : launch(launch), place(place), registers(256), uniforms(256) {}

Bits Warp::predicate(const Operand &operand) const {
  if (!operand.isPredicate())
    return {};
  Bits bits = {all, all};
  if (operand.index != Operand::none)
    bits = (operand.kind == Kind::Predicate ? predicates : uniformPredicates)[operand.index];
  if (operand.isInverted)
    bits.value = ~bits.value & bits.known;
  return bits;
}

/// One instruction: reads its sources, writes its results for the lanes that execute it.
struct Step {
  Warp &warp;
  const Decoded &instruction;
  /// Lanes whose guard holds, and those of which nobody knows that.
  uint32_t mask, perhaps;

  const Operand &source(unsigned i) const {
    static const Operand missing;
    return i < instruction.sources.size() ? instruction.sources[i] : missing;
  }
  bool has(StringRef modifier) const { return instruction.has(modifier); }

  const Value *storage(Kind kind, unsigned index) const {
    auto &file = kind == Kind::Register ? warp.registers : warp.uniforms;
    return index < file.size() ? &file[index] : nullptr;
  }
  /// What stands in the operand or `ahead` words behind it, before `-` or `~`.
  Value word(const Operand &operand, unsigned ahead = 0) const {
    if (operand.isRegister()) {
      if (operand.index == Operand::none)
        return same(0);
      const Value *value = storage(operand.kind, operand.index + ahead);
      return value ? *value : Value();
    }
    if (operand.kind == Kind::Number)
      return same(ahead ? (operand.number < 0 ? all : 0) : static_cast<uint32_t>(operand.number));
    return operand.kind == Kind::Constant ? constant(operand, 4 * ahead, 4) : Value();
  }
  Value constant(const Operand &operand, unsigned ahead, unsigned bytes) const {
    Value result;
    Value index = same(0);
    if (operand.index != Operand::none)
      index = word({.kind = Kind::Register, .index = operand.index});
    if (operand.uniform != Operand::none)
      index = eachLane(std::plus<>(), index, word({.kind = Kind::Uniform, .index = operand.uniform}));
    for (unsigned i = 0; i != lanes; ++i) {
      const uint64_t at = uint64_t(index.of[i]) + static_cast<uint64_t>(operand.number) + ahead;
      bool isKnown = bit(index.known, i);
      for (unsigned byte = 0; isKnown && byte != bytes; ++byte) {
        isKnown = at + byte < warp.launch.constants.size() && warp.launch.constants[at + byte] >= 0;
        if (isKnown)
          result.of[i] |= uint32_t(warp.launch.constants[at + byte]) << 8 * byte;
      }
      result.known |= uint32_t(isKnown) << i;
    }
    return result;
  }
  Value value(unsigned i) const {
    const Operand &operand = source(i);
    Value result = word(operand);
    if (operand.isNegated)
      return eachLane([](uint32_t x) { return 0 - x; }, result);
    return operand.isInverted ? eachLane([](uint32_t x) { return ~x; }, result) : result;
  }
  Bits predicate(unsigned i) const { return warp.predicate(source(i)); }
  /// The first predicate among the sources from `i` on; false where there is none.
  Bits carry(unsigned i) const {
    for (; i < instruction.sources.size(); ++i)
      if (source(i).isPredicate())
        return predicate(i);
    return {0, all};
  }

  void write(const Value &value, unsigned ahead = 0) {
    const Operand &result = instruction.result;
    if (!result.isRegister() || result.index == Operand::none)
      return;
    Value &place = const_cast<Value &>(*storage(result.kind, std::min(255u, result.index + ahead)));
    if (result.kind == Kind::Uniform) {
      const uint32_t lanesOf = mask ? mask : perhaps;
      if (!lanesOf)
        return;
      const auto first = static_cast<unsigned>(llvm::countr_zero(lanesOf));
      place = same(value.of[first]);
      place.known = mask && bit(value.known, first) ? all : 0;
      return;
    }
    for (unsigned i = 0; i != lanes; ++i)
      if (bit(mask, i))
        place.of[i] = value.of[i];
    place.known = (place.known & ~(mask | perhaps)) | (value.known & mask);
  }
  void write(Bits bits, unsigned number = 0) {
    if (number >= instruction.predicateResults.size())
      return;
    const Operand &result = instruction.predicateResults[number];
    if (result.index == Operand::none)
      return;
    if (result.kind == Kind::UniformPredicate) {
      const uint32_t lanesOf = mask ? mask : perhaps;
      if (!lanesOf)
        return;
      const auto first = static_cast<unsigned>(llvm::countr_zero(lanesOf));
      const bool isKnown = mask && bit(bits.known, first);
      warp.uniformPredicates[result.index] = {isKnown && bit(bits.value, first) ? all : 0,
                                              isKnown ? all : 0};
      return;
    }
    Bits &place = warp.predicates[result.index];
    place.known = (place.known & ~(mask | perhaps)) | (bits.known & mask);
    place.value = ((place.value & ~mask) | (bits.value & mask)) & place.known;
  }
  void writeUnknown() {
    for (unsigned i = 0; i != instruction.width; ++i)
      write(Value(), i);
    for (unsigned i = 0; i != instruction.predicateResults.size(); ++i)
      write(Bits(), i);
  }
  void writePair(llvm::ArrayRef<uint64_t> numbers, uint32_t known) {
    Value low, high;
    for (unsigned i = 0; i != lanes; ++i)
      low.of[i] = static_cast<uint32_t>(numbers[i]), high.of[i] = static_cast<uint32_t>(numbers[i] >> 32);
    low.known = high.known = known;
    write(low);
    write(high, 1);
  }
};

namespace {

// -- Sums and products -----------------------------------------------------------------------------

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

void add(Step &step) {
  const unsigned count = step.instruction.family == "VIADD" ? 2 : 3;
  std::array<uint64_t, lanes> sums = {};
  uint32_t known = all;
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

struct Pair {
  std::array<uint64_t, lanes> of = {};
  uint32_t known = 0;
};

/// Two registers or words of constants.
Pair pairOf(const Step &step, unsigned i) {
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

void multiplyWide(Step &step) {
  const Value a = step.value(0), b = step.value(1);
  const Pair c = pairOf(step, 2);
  const Bits carry = step.has("X") ? step.carry(3) : Bits{0, all};
  const bool isUnsigned = step.has("U32");
  const uint32_t known = a.known & b.known & c.known & carry.known;
  std::array<uint64_t, lanes> results;
  uint32_t carries = 0;
  for (unsigned lane = 0; lane != lanes; ++lane) {
    const uint64_t product = isUnsigned ? uint64_t(a.of[lane]) * b.of[lane]
                                        : static_cast<uint64_t>(int64_t(int32_t(a.of[lane])) *
                                                                int32_t(b.of[lane]));
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
  Value result = eachLane([](uint32_t a, uint32_t b, uint32_t c) { return a * b + c; }, step.value(0),
                          step.value(1), step.value(2));
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
  const Bits carry = step.has("X") ? step.carry(shiftAt + 1) : Bits{0, all};
  const bool isNegated = step.source(0).isNegated;
  Value result;
  result.known = a.known & b.value.known & upper.known & shift.known & carry.known;
  uint32_t carries = 0;
  for (unsigned lane = 0; lane != lanes; ++lane) {
    uint64_t wide = isSigned ? static_cast<uint64_t>(int64_t(int32_t(a.of[lane])))
                             : uint64_t(upper.of[lane]) << 32 | a.of[lane];
    wide = isNegated ? 0 - wide : wide;
    const uint64_t shifted = wide << (shift.of[lane] & 31);
    const uint64_t sum = (isHigh ? shifted >> 32 : shifted & all) + b.value.of[lane] + b.one +
                         bit(carry.value, lane);
    result.of[lane] = static_cast<uint32_t>(sum);
    carries |= uint32_t(sum >> 32 != 0) << lane;
  }
  step.write(result);
  step.write(Bits{carries & result.known, result.known});
}

// -- Bits ------------------------------------------------------------------------------------------

uint32_t lookUp(uint32_t a, uint32_t b, uint32_t c, unsigned table) {
  uint32_t result = 0;
  for (unsigned i = 0; i != 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

void logic(Step &step) {
  const auto table = static_cast<unsigned>(step.source(3).number);
  // A mask of which nothing is left, and the like: what is not known may not matter.
  const Value a = step.value(0), b = step.value(1), c = step.value(2);
  const Value result =
      eachLane([&](uint32_t x, uint32_t y, uint32_t z) { return lookUp(x, y, z, table); }, a, b, c);
  step.write(result);
  const Bits in = step.carry(4);
  const uint32_t known = result.known & in.known;
  step.write(
      Bits{bitsOf([&](unsigned i) { return result.of[i] != 0 || bit(in.value, i); }) & known, known});
}

void predicateLogic(Step &step) {
  const Bits a = step.predicate(0), b = step.predicate(1), c = step.predicate(2);
  for (unsigned i = 0; i != 2; ++i) {
    const auto table = static_cast<unsigned>(step.source(3 + i).number);
    // A bit is known where those that are not known change nothing.
    uint32_t low = all, high = 0;
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
  const bool isSigned = step.has("S32") || step.has("S64"), is64 = step.has("U64") || step.has("S64");
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

void count(Step &step) {
  step.write(eachLane([](uint32_t a) { return llvm::popcount(a); }, step.value(0)));
}

void findFirst(Step &step) {
  if (!step.has("U32"))
    return step.writeUnknown();
  const bool isShift = step.has("SH");
  step.write(eachLane(
      [&](uint32_t a) {
        const auto zeros = static_cast<uint32_t>(llvm::countl_zero(a));
        return !a ? all : isShift ? zeros : 31 - zeros;
      },
      step.value(0)));
}

// -- Choices ---------------------------------------------------------------------------------------

void move(Step &step) {
  step.write(step.value(0));
}

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
  if (step.has("U16x2") || step.has("S16x2"))
    return step.writeUnknown();
  const Value a = step.value(0), b = step.value(1);
  const Bits isLeast = step.carry(2);
  const bool isUnsigned = step.has("U32");
  Value result;
  for (unsigned i = 0; i != lanes; ++i) {
    const bool isLess = isUnsigned ? a.of[i] < b.of[i] : int32_t(a.of[i]) < int32_t(b.of[i]);
    result.of[i] = isLess == bit(isLeast.value, i) ? a.of[i] : b.of[i];
  }
  result.known = a.known & b.known & isLeast.known;
  step.write(result);
}

template <typename Number> bool compare(StringRef how, Number a, Number b) {
  return how == "EQ"   ? a == b
         : how == "NE" ? a != b
         : how == "LT" ? a < b
         : how == "LE" ? a <= b
         : how == "GT" ? a > b
         : how == "GE" ? a >= b
                       : how == "T";
}

uint32_t combine(StringRef how, uint32_t a, uint32_t b) {
  return how == "OR" ? a | b : how == "XOR" ? a ^ b : a & b;
}

void compareIntegers(Step &step) {
  const Value a = step.value(0), b = step.value(1);
  const Bits with = step.predicate(2);
  const StringRef how = step.instruction.modifiers.front();
  const bool isUnsigned = step.has("U32"), isUpper = step.has("EX");
  const Bits lower = isUpper ? step.predicate(3) : Bits{0, all};
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
      const uint32_t decides = joined == "OR" ? all : 0;
      both |= known & ~(mine ^ decides);
      both |= with.known & ~(with.value ^ decides);
    }
    step.write(Bits{combine(joined, mine & known, with.value) & both, both}, i);
  }
}

// -- The warp --------------------------------------------------------------------------------------

void vote(Step &step) {
  const Bits about = step.predicate(static_cast<unsigned>(step.instruction.sources.size()) - 1);
  const uint32_t active = step.mask, yes = about.value & active;
  const bool isKnown = !step.perhaps && !(active & ~about.known);
  Value ballot = same(yes);
  ballot.known = isKnown ? all : 0;
  step.write(ballot);
  const bool result = step.has("ALL")  ? yes == active
                      : step.has("EQ") ? yes == active || !yes
                                       : yes != 0;
  step.write(Bits{isKnown && result ? all : 0, isKnown ? all : 0});
}

void elect(Step &step) {
  const uint32_t first = step.mask & (0 - step.mask);
  step.write(Bits{step.perhaps ? 0 : first, step.perhaps ? 0 : all});
  step.write(step.perhaps ? Value() : same(static_cast<uint32_t>(llvm::countr_zero(first))));
}

void shuffle(Step &step) {
  const Value a = step.value(0), b = step.value(1), c = step.value(2);
  Value result;
  uint32_t inside = 0;
  for (unsigned i = 0; i != lanes; ++i) {
    const unsigned segment = c.of[i] >> 8 & 31, clamp = c.of[i] & 31;
    const unsigned least = i & segment, most = least | (clamp & ~segment);
    const unsigned by = b.of[i] & 31;
    unsigned from = step.has("UP")     ? i - by
                    : step.has("DOWN") ? i + by
                    : step.has("BFLY") ? i ^ by
                                       : least | (by & ~segment);
    const bool isInside = step.has("UP") ? int(from) >= int(most) : from <= most;
    from = isInside && from < lanes ? from : i;
    inside |= uint32_t(isInside) << i;
    result.of[i] = a.of[from];
    result.known |= uint32_t(bit(a.known, from)) << i;
  }
  result.known &= b.known & c.known;
  step.write(result);
  step.write(Bits{inside & b.known & c.known, b.known & c.known});
}

void readSpecial(Step &step) {
  const StringRef name = step.source(0).text;
  const Place &place = step.warp.where();
  Value result = same(0);
  if (name == "SR_TID.X")
    for (unsigned i = 0; i != lanes; ++i)
      result.of[i] = place.warp * lanes + i;
  else if (name == "SR_LANEID")
    for (unsigned i = 0; i != lanes; ++i)
      result.of[i] = i;
  else if (name == "SR_LTMASK" || name == "SR_LEMASK" || name == "SR_EQMASK")
    for (unsigned i = 0; i != lanes; ++i)
      result.of[i] = name == "SR_EQMASK" ? 1u << i : (1u << i) - 1 + (name == "SR_LEMASK" ? 1u << i : 0);
  else if (name == "SR_CTAID.X" || name == "SR_CTAID.Y" || name == "SR_CTAID.Z")
    result = same(place.cta[static_cast<unsigned>(name.back() - 'X')]);
  else if (name == "SR_CgaCtaId")
    result = same(place.ctaOfCluster);
  else if (name != "SRZ" && name != "SR_TID.Y" && name != "SR_TID.Z")
    result.known = 0;
  step.write(result);
  if (step.instruction.width == 2)
    step.write(name == "SRZ" ? same(0) : Value(), 1);
}

void predicatesToRegister(Step &step) {
  if (step.source(0).text != "PR" || step.instruction.family != "P2R")
    return step.writeUnknown();
  const auto mask = static_cast<uint32_t>(step.source(2).number);
  Value result = eachLane([&](uint32_t a) { return a & ~mask; }, step.value(1));
  for (unsigned p = 0; p != 7; ++p) {
    if (!(mask >> p & 1))
      continue;
    const Bits bits = step.warp.predicate({.kind = Kind::Predicate, .index = p});
    for (unsigned i = 0; i != lanes; ++i)
      result.of[i] |= uint32_t(bit(bits.value, i)) << p;
    result.known &= bits.known;
  }
  step.write(result);
}

// -- Memory ----------------------------------------------------------------------------------------

void loadConstant(Step &step) {
  const Operand &from = step.source(0);
  if (from.kind != Kind::Constant)
    return step.writeUnknown();
  const bool isByte = step.has("U8") || step.has("S8"), isHalf = step.has("U16") || step.has("S16");
  for (unsigned i = 0; i != step.instruction.width; ++i) {
    Value value = step.constant(from, 4 * i, isByte ? 1 : isHalf ? 2 : 4);
    if (step.has("S8"))
      value = eachLane([](uint32_t x) { return uint32_t(int8_t(x)); }, value);
    if (step.has("S16"))
      value = eachLane([](uint32_t x) { return uint32_t(int16_t(x)); }, value);
    step.write(value, i);
  }
}

void loadGlobal(Step &step) {
  const Operand &from = step.source(0);
  const bool isByte = step.has("U8") || step.has("S8"), isHalf = step.has("U16") || step.has("S16");
  step.writeUnknown();
  if (from.kind != Kind::Memory || from.hasUniformIndex || !from.isWide ||
      from.uniform != Operand::none)
    return;
  const Operand base = {.kind = Kind::Register, .index = from.index};
  const Value low = step.word(base), high = step.word(base, 1);
  const unsigned bytes = isByte ? 1 : isHalf ? 2 : 4;
  for (unsigned word = 0; word != step.instruction.width; ++word) {
    Value value;
    for (unsigned i = 0; i != lanes; ++i) {
      if (!bit(step.mask & low.known & high.known, i))
        continue;
      const uint64_t address = (uint64_t(high.of[i]) << 32 | low.of[i]) +
                               static_cast<uint64_t>(from.number) + 4 * word;
      const bool isThere = llvm::any_of(step.warp.ofLaunch().memory, [&](const auto &range) {
        return address >= range.first && address + bytes <= range.second;
      });
      if (!isThere)
        continue;
      std::memcpy(&value.of[i], reinterpret_cast<const void *>(address), bytes);
      if (step.has("S8"))
        value.of[i] = uint32_t(int8_t(value.of[i]));
      if (step.has("S16"))
        value.of[i] = uint32_t(int16_t(value.of[i]));
      value.known |= 1u << i;
    }
    step.write(value, word);
  }
}

// -- Numbers, as integer division takes them --------------------------------------------------------

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
  step.write(eachLane(
      [](uint32_t a) { return llvm::bit_cast<uint32_t>(1.0f / llvm::bit_cast<float>(a)); },
      step.value(0)));
}

void truncate(Step &step) {
  if (!step.has("U32") || !step.has("TRUNC") || step.has("F64"))
    return step.writeUnknown();
  step.write(eachLane(
      [](uint32_t a) -> uint32_t {
        const auto number = llvm::bit_cast<float>(a);
        return !(number > 0) ? 0 : number >= 4294967296.0f ? all : static_cast<uint32_t>(number);
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

void isOver(Step &step) {
  step.writeUnknown();
  // Of barriers' phases, and registers that a warpgroup asks for.
  if (step.has("PHASECHK") || step.has("TRY_ALLOC"))
    step.write(Bits{all, all});
}

} // namespace

Handler handlerOf(StringRef family) {
  static const llvm::StringMap<Handler> handlers = {
      {"IADD3", add},          {"VIADD", add},
      {"IMAD", multiply},      {"LEA", addShifted},
      {"LOP3", logic},         {"PLOP3", predicateLogic},
      {"SHF", shift},          {"PRMT", permute},
      {"SGXT", extend},        {"BMSK", makeMask},
      {"POPC", count},         {"FLO", findFirst},
      {"MOV", move},           {"SEL", select},
      {"IMNMX", extreme},      {"VIMNMX", extreme},
      {"ISETP", compareIntegers},
      {"VOTE", vote},          {"VOTEU", vote},
      {"ELECT", elect},
      {"SHFL", shuffle},       {"S2R", readSpecial},
      {"S2UR", readSpecial},   {"CS2R", readSpecial},
      {"R2UR", move},          {"P2R", predicatesToRegister},
      {"LDC", loadConstant},   {"LDCU", loadConstant},
      {"LDG", loadGlobal},     {"LD", loadGlobal},
      {"I2F", roundUp},        {"MUFU", reciprocal},
      {"F2I", truncate},       {"HFMA2", halves},
      {"SYNCS", isOver},       {"SETMAXREG", isOver},
  };
  auto found = handlers.find(family);
  return found == handlers.end() ? Handler([](Step &step) { step.writeUnknown(); }) : found->second;
}

/// R2P: one that sets all predicates has none of them as an operand.
void Warp::setPredicates(const Step &step) {
  const Value value = step.value(1);
  const auto which = static_cast<uint32_t>(step.source(2).number);
  for (unsigned p = 0; p != 7; ++p) {
    if (!(which >> p & 1))
      continue;
    Bits &place = predicates[p];
    const uint32_t bits = bitsOf([&](unsigned i) { return value.of[i] >> p & 1; });
    place.known = (place.known & ~(step.mask | step.perhaps)) | (value.known & step.mask);
    place.value = ((place.value & ~step.mask) | (bits & step.mask)) & place.known;
  }
}

void Warp::execute(const Decoded &instruction, uint32_t mask) {
  const Bits guard = predicate(instruction.guard);
  Step step{*this, instruction, mask & guard.value, mask & ~guard.known};
  if (!step.mask && !step.perhaps)
    return;
  if (instruction.family == "R2P")
    setPredicates(step);
  else
    instruction.handler(step);
}

} // namespace gluonc::explain::machine

#include "explain/nvidia/MachineStep.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cstring>

namespace gluonc::explain::machine {

using llvm::StringRef;
using Kind = Operand::Kind;

Warp::Warp(const MachineLaunch &launch, const Place &place, SharedWords &words)
    : launch(launch), place(place), words(words), registers(256), uniforms(256) {}

Bits Warp::predicate(const Operand &operand) const {
  if (!operand.isPredicate())
    return {};
  Bits bits = {allLanes, allLanes};
  if (operand.index != Operand::none)
    bits = (operand.kind == Kind::Predicate ? predicates : uniformPredicates)[operand.index];
  if (operand.isInverted)
    bits.value = ~bits.value & bits.known;
  return bits;
}

const Operand &Step::source(unsigned i) const {
  static const Operand missing;
  return i < instruction.sources.size() ? instruction.sources[i] : missing;
}

Value &Step::storage(Kind kind, unsigned index) const {
  auto &file = kind == Kind::Register ? warp.registers : warp.uniforms;
  // The last one is RZ, which is not read from there.
  return file[std::min<size_t>(index, file.size() - 1)];
}

Value Step::word(const Operand &operand, unsigned ahead) const {
  if (operand.isRegister()) {
    if (operand.index == Operand::none)
      return same(0);
    return storage(operand.kind, operand.index + ahead);
  }
  if (operand.kind == Kind::Number)
    return same(ahead ? (operand.number < 0 ? allLanes : 0)
                      : static_cast<uint32_t>(operand.number));
  return operand.kind == Kind::Constant ? constant(operand, 4 * ahead, 4) : Value();
}

Value Step::constant(const Operand &operand, unsigned ahead, unsigned bytes) const {
  Value result;
  const std::vector<int16_t> &bank = operand.bank ? warp.launch.tables : warp.launch.constants;
  Value index = same(0);
  if (operand.index != Operand::none)
    index = word({.kind = Kind::Register, .index = operand.index});
  if (operand.uniform != Operand::none)
    index = eachLane(std::plus<>(), index, word({.kind = Kind::Uniform, .index = operand.uniform}));
  for (unsigned i = 0; i != lanes; ++i) {
    const uint64_t at = uint64_t(index.of[i]) + static_cast<uint64_t>(operand.number) + ahead;
    bool isKnown = bit(index.known, i) && (!operand.bank || operand.bank == tablesBank);
    for (unsigned byte = 0; isKnown && byte != bytes; ++byte) {
      isKnown = at + byte < bank.size() && bank[at + byte] >= 0;
      if (isKnown)
        result.of[i] |= uint32_t(bank[at + byte]) << 8 * byte;
    }
    result.known |= uint32_t(isKnown) << i;
  }
  return result;
}

Value Step::value(unsigned i) const {
  const Operand &operand = source(i);
  Value result = word(operand);
  if (operand.isNegated)
    return eachLane([](uint32_t x) { return 0 - x; }, result);
  return operand.isInverted ? eachLane([](uint32_t x) { return ~x; }, result) : result;
}

Bits Step::carry(unsigned i) const {
  for (; i < instruction.sources.size(); ++i)
    if (source(i).isPredicate())
      return predicate(i);
  return {0, allLanes};
}

void Step::write(const Value &value, unsigned ahead) {
  const Operand &result = instruction.result;
  if (!result.isRegister() || result.index == Operand::none)
    return;
  Value &place = storage(result.kind, result.index + ahead);
  if (result.kind == Kind::Uniform) {
    const uint32_t lanesOf = mask ? mask : perhaps;
    if (!lanesOf)
      return;
    const auto first = static_cast<unsigned>(llvm::countr_zero(lanesOf));
    place = same(value.of[first]);
    place.known = mask && bit(value.known, first) ? allLanes : 0;
    return;
  }
  for (unsigned i = 0; i != lanes; ++i)
    if (bit(mask, i))
      place.of[i] = value.of[i];
  place.known = (place.known & ~(mask | perhaps)) | (value.known & mask);
}

void Step::write(Bits bits, unsigned number) {
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
    warp.uniformPredicates[result.index] = {isKnown && bit(bits.value, first) ? allLanes : 0,
                                            isKnown ? allLanes : 0};
    return;
  }
  Bits &place = warp.predicates[result.index];
  place.known = (place.known & ~(mask | perhaps)) | (bits.known & mask);
  place.value = ((place.value & ~mask) | (bits.value & mask)) & place.known;
}

void Step::writeUnknown() {
  for (unsigned i = 0; i != instruction.width; ++i)
    write(Value(), i);
  for (unsigned i = 0; i != instruction.predicateResults.size(); ++i)
    write(Bits(), i);
}

void Step::writePair(llvm::ArrayRef<uint64_t> numbers, uint32_t known) {
  Value low, high;
  for (unsigned i = 0; i != lanes; ++i)
    low.of[i] = static_cast<uint32_t>(numbers[i]),
    high.of[i] = static_cast<uint32_t>(numbers[i] >> 32);
  low.known = high.known = known;
  write(low);
  write(high, 1);
}

namespace {

void move(Step &step) { step.write(step.value(0)); }

// -- The warp --------------------------------------------------------------------

void vote(Step &step) {
  const Bits about = step.predicate(static_cast<unsigned>(step.instruction.sources.size()) - 1);
  const uint32_t active = step.mask, yes = about.value & active;
  const bool isKnown = !step.perhaps && !(active & ~about.known);
  Value ballot = same(yes);
  ballot.known = isKnown ? allLanes : 0;
  step.write(ballot);
  const bool result = step.has("ALL")  ? yes == active
                      : step.has("EQ") ? yes == active || !yes
                                       : yes != 0;
  step.write(Bits{isKnown && result ? allLanes : 0, isKnown ? allLanes : 0});
}

void elect(Step &step) {
  const uint32_t first = step.mask & (0 - step.mask);
  step.write(Bits{step.perhaps ? 0 : first, step.perhaps ? 0 : allLanes});
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
      result.of[i] =
          name == "SR_EQMASK" ? 1u << i : (1u << i) - 1 + (name == "SR_LEMASK" ? 1u << i : 0);
  else if (name == "SR_CTAID.X" || name == "SR_CTAID.Y" || name == "SR_CTAID.Z")
    result = same(place.cta[static_cast<unsigned>(name.back() - 'X')]);
  else if (name == "SR_CgaCtaId")
    result = same(place.ctaOfCluster);
  else if (name == "SR_SWINHI")
    result = same(sharedWindow);
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

// -- Memory ----------------------------------------------------------------------

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
  // The result may take the address's own registers.
  const Operand base = {.kind = Kind::Register, .index = from.index};
  const Value low = step.word(base), high = step.word(base, 1);
  step.writeUnknown();
  if (from.kind != Kind::Memory || from.isUnread || !from.isWide || from.uniform != Operand::none)
    return;
  const unsigned bytes = isByte ? 1 : isHalf ? 2 : 4;
  for (unsigned word = 0; word != step.instruction.width; ++word) {
    Value value;
    for (unsigned i = 0; i != lanes; ++i) {
      if (!bit(step.mask & low.known & high.known, i))
        continue;
      const uint64_t address =
          (uint64_t(high.of[i]) << 32 | low.of[i]) + static_cast<uint64_t>(from.number) + 4 * word;
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

void isOver(Step &step) {
  step.writeUnknown();
  // Of barriers' phases, and registers that a warpgroup asks for.
  if (step.has("PHASECHK") || step.has("TRY_ALLOC"))
    step.write(Bits{allLanes, allLanes});
}

} // namespace

Handler handlerOf(StringRef family) {
  static const llvm::StringMap<Handler> handlers = {
      {"IADD3", addIntegers}, {"VIADD", addIntegers},  {"IMAD", multiply},
      {"LEA", addShifted},    {"LOP3", logic},         {"PLOP3", predicateLogic},
      {"SHF", shift},         {"PRMT", permute},       {"SGXT", extend},
      {"BMSK", makeMask},     {"POPC", countBits},     {"FLO", findFirst},
      {"MOV", move},          {"SEL", select},         {"IMNMX", extreme},
      {"VIMNMX", extreme},    {"VIADDMNMX", extreme},  {"ISETP", compareIntegers},
      {"VOTE", vote},         {"VOTEU", vote},         {"ELECT", elect},
      {"SHFL", shuffle},      {"S2R", readSpecial},    {"S2UR", readSpecial},
      {"CS2R", readSpecial},  {"R2UR", move},          {"P2R", predicatesToRegister},
      {"LDC", loadConstant},  {"LDCU", loadConstant},  {"LDG", loadGlobal},
      {"LD", loadGlobal},     {"I2F", roundUp},        {"MUFU", reciprocal},
      {"F2I", truncate},      {"HFMA2", halves},       {"SYNCS", isOver},
      {"SETMAXREG", isOver},  {"ATOMS", updateShared}, {"IABS", absolute},
      {"STS", storeShared},   {"LDS", loadShared},
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

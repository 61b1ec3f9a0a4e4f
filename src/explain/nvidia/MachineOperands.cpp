#include "explain/nvidia/MachineOperands.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace gluonc::explain::machine {

using llvm::StringRef;
using Kind = Operand::Kind;

/// `R12`, `RZ`, `UP3`, `UPT`; false for other names.
static bool readName(StringRef text, Kind &kind, unsigned &index) {
  const bool isUniform = text.consume_front("U");
  if (text.consume_front("R"))
    kind = isUniform ? Kind::Uniform : Kind::Register;
  else if (text.consume_front("P"))
    kind = isUniform ? Kind::UniformPredicate : Kind::Predicate;
  else
    return false;
  if (text == "Z" || text == "T") {
    index = Operand::none;
    return true;
  }
  const bool isPredicate = kind == Kind::Predicate || kind == Kind::UniformPredicate;
  const unsigned most = isPredicate ? 8 : 255;
  return !text.getAsInteger(10, index) && index < most;
}

static bool readNumber(StringRef text, int64_t &number) {
  const bool isNegative = text.consume_front("-");
  uint64_t value = 0;
  if (!text.consume_front("0x") || text.getAsInteger(16, value))
    return false;
  number = isNegative ? -int64_t(value) : int64_t(value);
  return true;
}

/// `R8.64+UR4+0x200`, `UR4-0x10`.
static bool readSum(StringRef text, Operand &sum) {
  std::string spaced;
  for (char c : text)
    spaced += c == '-' ? std::string("+-") : std::string(1, c);
  for (StringRef part : llvm::split(spaced, '+')) {
    if (part.empty())
      continue;
    if (int64_t number = 0; readNumber(part, number)) {
      sum.number += number;
      continue;
    }
    const bool isWide = part.consume_back(".64");
    part.consume_back(".U32");
    Kind kind;
    unsigned index = 0;
    if (!readName(part, kind, index))
      return false;
    if (kind == Kind::Register && sum.index == Operand::none) {
      sum.index = index;
      sum.isWide = isWide;
    } else if (kind == Kind::Uniform && sum.uniform == Operand::none) {
      sum.uniform = index;
    } else {
      return false;
    }
  }
  return true;
}

Operand readOperand(StringRef text) {
  Operand operand;
  text = text.trim();
  operand.text = text;
  text.consume_back(".reuse");
  if (readNumber(text, operand.number)) {
    operand.kind = Kind::Number;
    return operand;
  }
  operand.isNegated = text.consume_front("-");
  operand.isInverted = text.consume_front("~") || text.consume_front("!");
  if (text.starts_with("SR")) {
    operand.kind = Kind::Special;
    return operand;
  }
  if (text.consume_front("c[0x")) {
    if (!text.consumeInteger(16, operand.bank) && text.consume_front("][") &&
        text.consume_back("]") && readSum(text, operand))
      operand.kind = Kind::Constant;
    return operand;
  }
  if (text.starts_with("desc["))
    text = text.split(']').second;
  if (text.consume_front("[")) {
    // Even where it is of a form that is not known it is no result.
    operand.kind = Kind::Memory;
    if (!text.consume_back("]") || !readSum(text, operand))
      operand.isUnread = true;
    return operand;
  }
  operand.isWide = text.consume_back(".64");
  if (!readName(text, operand.kind, operand.index))
    operand.kind = Kind::Other;
  return operand;
}

bool Decoded::has(StringRef modifier) const { return llvm::is_contained(modifiers, modifier); }

/// Those whose first operand is no result, whatever it is.
static bool hasNoResult(StringRef family) {
  static constexpr StringRef prefixes[] = {"ST",     "RED.",   "REDG",  "REDS",   "TMA", "BLK",
                                           "CGABAR", "MEMBAR", "FENCE", "ERRBAR", "CCTL"};
  static constexpr StringRef names[] = {"BAR",   "BRA",   "EXIT",     "RET",       "CALL", "BSSY",
                                        "BSYNC", "BREAK", "WARPSYNC", "NANOSLEEP", "RED",  "DEPBAR",
                                        "YIELD", "BRX",   "JMX",      "JMP",       "KILL"};
  return llvm::is_contained(names, family) ||
         llvm::any_of(prefixes, [&](StringRef prefix) { return family.starts_with(prefix); });
}

static unsigned widthOf(const Decoded &decoded) {
  if (decoded.has("128"))
    return 4;
  if (decoded.has("64") || decoded.has("WIDE") || decoded.has("F64") ||
      (decoded.family == "CS2R" && !decoded.has("32")))
    return 2;
  return 1;
}

Decoded decode(const MachineInstruction &instruction) {
  Decoded decoded;
  StringRef name = instruction.name;
  std::tie(decoded.family, name) = name.split('.');
  name.split(decoded.modifiers, '.', -1, false);
  decoded.guard = readOperand(instruction.guard);
  if (instruction.guard.empty())
    decoded.guard.kind = Kind::Predicate;

  llvm::SmallVector<Operand, 8> operands;
  for (const std::string &text : instruction.operands)
    operands.push_back(readOperand(text));
  const bool isUniform = decoded.family.size() > 2 && decoded.family.starts_with("U");
  if (isUniform)
    decoded.family = decoded.family.drop_front();
  decoded.width = widthOf(decoded);

  llvm::ArrayRef<Operand> rest = operands;
  if (!hasNoResult(decoded.family)) {
    // A vote's last predicate is what it is about; PLOP3 has two results.
    const size_t sources = decoded.family.starts_with("VOTE") ? 1 : 0;
    const size_t most = decoded.family == "PLOP3" ? 2 : ~size_t(0);
    bool hasResult = false;
    while (rest.size() > sources) {
      if (rest.front().isPredicate() && decoded.predicateResults.size() < most)
        decoded.predicateResults.push_back(rest.front());
      else if (rest.front().isRegister() && !hasResult && !rest.front().isNegated &&
               !llvm::is_contained({"ISETP", "PLOP3", "FSETP", "HSETP2", "DSETP"},
                                   decoded.family)) {
        hasResult = true;
        decoded.result = rest.front();
      } else
        break;
      rest = rest.drop_front();
    }
  }
  decoded.sources.assign(rest.begin(), rest.end());
  return decoded;
}

} // namespace gluonc::explain::machine

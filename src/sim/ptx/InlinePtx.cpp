#include "sim/ptx/InlinePtx.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <bit>
#include <chrono>

namespace gluonc::sim {

bool PtxInstruction::has(llvm::StringRef modifier) const {
  return llvm::is_contained(modifiers, modifier);
}

static bool lists(llvm::StringRef list, char separator, llvm::StringRef word) {
  for (llvm::StringRef each : llvm::split(list, separator))
    if (each == word)
      return true;
  return false;
}

bool PtxForm::matches(llvm::ArrayRef<llvm::StringRef> givenTypes,
                      llvm::ArrayRef<llvm::StringRef> givenModifiers) const {
  if (givenTypes.size() != (*sources ? 2 : 1) || !lists(types, ' ', givenTypes[0]) ||
      (*sources && !lists(sources, ' ', givenTypes[1])))
    return false;
  for (llvm::StringRef group : llvm::split(modifiers, ' ')) {
    bool isRequired = group.consume_front("!");
    if (!givenModifiers.empty() && lists(group, '|', givenModifiers[0]))
      givenModifiers = givenModifiers.drop_front();
    else if (isRequired)
      return false;
  }
  return givenModifiers.empty();
}

/// `f32`, `u16x2`, `pred`, `bf16`; nullopt for what is no type.
static std::optional<PtxType> readType(llvm::StringRef text) {
  if (text == "pred")
    return PtxType{'p', 1, 1};
  PtxType type;
  bool isPair = text.consume_back("x2");
  if (text.consume_front("bf"))
    type.kind = 'h';
  else if (!text.empty() && llvm::StringRef("busf").contains(text[0])) {
    type.kind = text[0];
    text = text.drop_front();
  } else {
    return std::nullopt;
  }
  unsigned bits = 0;
  if (text.getAsInteger(10, bits) || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return std::nullopt;
  type.bits = uint8_t(bits);
  type.elements = isPair ? 2 : 1;
  return type;
}

/// Statements one after the other; registers and labels by name.
class PtxParser {
public:
  PtxParser(size_t results, size_t operands, llvm::ArrayRef<PtxSpace> spaces) : spaces(spaces) {
    program.firstOperand = uint32_t(results);
    program.registerCount = uint32_t(results + operands);
  }

  std::optional<PtxProgram> parse(llvm::StringRef text, std::string &why) {
    std::string plain = withoutComments(text);
    llvm::StringRef rest = plain;
    while (!(rest = skipBraces(rest)).empty()) {
      if (std::optional<llvm::StringRef> after = readLabel(rest)) {
        rest = *after;
        continue;
      }
      auto [statement, tail] = rest.split(';');
      if (statement.size() == rest.size()) {
        why = "`" + statement.trim().str() + "` ends without a semicolon";
        return std::nullopt;
      }
      rest = tail;
      if (!readStatement(statement.trim())) {
        why = problem;
        return std::nullopt;
      }
    }
    for (auto [at, label] : branches) {
      auto place = labels.find(label);
      if (place == labels.end()) {
        why = "there is no label `" + label + "`";
        return std::nullopt;
      }
      program.code[at].target = int32_t(place->second);
    }
    return std::move(program);
  }

private:
  bool fail(const llvm::Twine &text) {
    problem = text.str();
    return false;
  }

  static std::string withoutComments(llvm::StringRef text) {
    std::string plain;
    while (!text.empty()) {
      if (text.starts_with("//")) {
        text = text.drop_until([](char c) { return c == '\n'; });
      } else if (text.starts_with("/*")) {
        size_t end = text.find("*/");
        text = end == llvm::StringRef::npos ? "" : text.drop_front(end + 2);
        plain += ' ';
      } else {
        plain += text.front();
        text = text.drop_front();
      }
    }
    return plain;
  }

  /// Scopes do not matter: names are unique within a fragment.
  static llvm::StringRef skipBraces(llvm::StringRef text) { return text.ltrim(" \t\r\n{};"); }

  std::optional<llvm::StringRef> readLabel(llvm::StringRef text) {
    llvm::StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    llvm::StringRef after = text.drop_front(name.size()).ltrim();
    if (name.empty() || !after.consume_front(":"))
      return std::nullopt;
    labels[name] = uint32_t(program.code.size());
    return after;
  }

  uint32_t registerOf(llvm::StringRef name) {
    auto [entry, isNew] = named.try_emplace(name, program.registerCount);
    if (isNew)
      ++program.registerCount;
    return entry->second;
  }

  /// `.reg .b32 a, b<4>`: a, b0, b1, b2, b3.
  bool declare(llvm::StringRef text) {
    llvm::StringRef type = text.ltrim().take_until(llvm::isSpace);
    llvm::StringRef names = text.ltrim().drop_front(type.size());
    if (!type.starts_with(".") || !readType(type.drop_front()))
      return fail("registers of type `" + type + "` are not simulated");
    for (llvm::StringRef name : llvm::split(names, ',')) {
      name = name.trim();
      auto [prefix, count] = name.split('<');
      unsigned number = 0;
      if (prefix.size() == name.size()) {
        declared.insert(name);
        continue;
      }
      if (!count.consume_back(">") || count.getAsInteger(10, number) || number > 4096)
        return fail("`" + name + "` declares no registers");
      for (unsigned i = 0; i < number; ++i)
        declared.insert((prefix + llvm::Twine(i)).str());
    }
    return true;
  }

  bool readStatement(llvm::StringRef text) {
    if (text.consume_front(".reg"))
      return declare(text);
    PtxInstruction instruction;
    if (text.consume_front("@")) {
      instruction.predicateNegated = text.consume_front("!");
      llvm::StringRef name = text.take_until(llvm::isSpace);
      PtxOperand predicate;
      if (!readOperand(name, {'p', 1, 1}, predicate) || predicate.registers.size() != 1)
        return fail("`" + name + "` is no predicate");
      instruction.predicate = int32_t(predicate.registers[0]);
      text = text.drop_front(name.size()).ltrim();
    }
    llvm::StringRef opcode = text.take_until(llvm::isSpace);
    text = text.drop_front(opcode.size()).trim();
    llvm::SmallVector<llvm::StringRef> parts, types, modifiers;
    opcode.split(parts, '.');
    llvm::StringRef name = parts[0];
    for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front()) {
      if (std::optional<PtxType> type = readType(part)) {
        (types.empty() ? instruction.type : instruction.source) = *type;
        types.push_back(part);
      } else {
        modifiers.push_back(part);
        instruction.modifiers.push_back(part.str());
      }
    }
    if (types.size() < 2)
      instruction.source = instruction.type;
    if (name == "bra" && (modifiers.empty() || opcode == "bra.uni")) {
      branches.emplace_back(program.code.size(), text.str());
      program.code.push_back(std::move(instruction));
      return true;
    }
    // Launches follow one another here: what comes before is complete.
    if (name == "griddepcontrol" && text.empty())
      return true;
    if (name == "ld" || name == "st")
      if (std::optional<PtxSpace> space = spaceOf(types, modifiers);
          space && llvm::is_contained(spaces, *space)) {
        instruction.space = *space;
        return readAccess(name == "ld", opcode, text, std::move(instruction));
      }
    const PtxForm *form = llvm::find_if(ptxForms(), [&](const PtxForm &each) {
      return name == each.opcode && each.matches(types, modifiers);
    });
    if (form == ptxForms().end())
      return fail("`" + opcode + "` is not simulated");
    instruction.run = form->run;
    // Commas inside of braces belong to vectors.
    llvm::SmallVector<std::string> operands;
    int depth = 0;
    for (char c : text) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (operands.empty())
        operands.emplace_back();
      if (c == ',' && depth == 0)
        operands.emplace_back();
      else
        operands.back() += c;
    }
    for (auto [i, operand] : llvm::enumerate(operands)) {
      PtxOperand &read = instruction.operands.emplace_back();
      llvm::StringRef name = llvm::StringRef(operand).trim();
      bool isClock = name == "%globaltimer", isSpecial = isClock || name == "%cluster_ctarank";
      if (isClock && i > 0)
        instruction.clock = int32_t(registerOf("%globaltimer"));
      if ((isSpecial && i == 0) || !readOperand(llvm::StringRef(operand).trim(),
                                                i ? instruction.source : instruction.type, read))
        return fail("`" + llvm::StringRef(operand).trim() + "` is not simulated as an operand");
    }
    if (instruction.operands.size() != form->operands)
      return fail("`" + opcode + "` has " + llvm::Twine(unsigned(form->operands)) +
                  " operands, not " + llvm::Twine(instruction.operands.size()));
    if (instruction.operands[0].isImmediate)
      return fail("`" + opcode + "` needs a register for its result");
    for (const PtxOperand &operand : instruction.operands)
      if (size_t parts = operand.registers.size(); parts > 1) {
        bool divides = parts == 2 || (parts == 4 && instruction.type.bits > 16);
        if (name != "mov" || instruction.type.kind != 'b' || !divides)
          return fail("`" + opcode + "` with a vector of " + llvm::Twine(parts) +
                      " is not simulated");
      }
    program.code.push_back(std::move(instruction));
    return true;
  }

  /// Of `ld.shared.b32`, `st.volatile.shared::cta.v2.f32`, `ld.global.nc.b8`.
  static std::optional<PtxSpace> spaceOf(llvm::ArrayRef<llvm::StringRef> types,
                                         llvm::ArrayRef<llvm::StringRef> modifiers) {
    unsigned shared = 0, global = 0, others = 0;
    for (llvm::StringRef modifier : modifiers)
      if (modifier == "shared" || modifier == "shared::cta")
        ++shared;
      else if (modifier == "global")
        ++global;
      else if (!llvm::is_contained({"volatile", "weak", "nc", "v2", "v4"}, modifier))
        ++others;
    if (types.size() != 1 || types[0] == "pred" || shared + global != 1 || others)
      return std::nullopt;
    return shared ? PtxSpace::Shared : PtxSpace::Global;
  }

  /// `$0, [$1+8]` of a load, `[$1+8], $0` of a store.
  bool readAccess(bool isLoad, llvm::StringRef opcode, llvm::StringRef text,
                  PtxInstruction instruction) {
    llvm::StringRef before = text.take_until([](char c) { return c == '['; });
    llvm::StringRef inside = text.drop_front(before.size());
    llvm::StringRef place = inside.drop_front(inside.empty() ? 0 : 1).split(']').first;
    llvm::StringRef value =
        isLoad ? before.rtrim(" \t\n,") : text.split(']').second.ltrim(" \t\n,");
    auto [base, offset] = place.split('+');
    PtxOperand address, moved;
    const uint8_t bits = instruction.space == PtxSpace::Global ? 64 : 32;
    bool fits = readOperand(base.trim(), {'u', bits, 1}, address) &&
                address.registers.size() == 1 &&
                readOperand(value.trim(), instruction.type, moved) &&
                (offset.empty() || !offset.trim().getAsInteger(0, instruction.addressOffset));
    unsigned count = instruction.has("v4") ? 4 : instruction.has("v2") ? 2 : 1;
    fits = fits && (moved.isImmediate ? !isLoad && count == 1 : moved.registers.size() == count);
    if (!fits)
      return fail("`" + opcode + " " + text + "` is not simulated");
    instruction.access = isLoad ? PtxInstruction::Access::Load : PtxInstruction::Access::Store;
    instruction.operands = {std::move(moved), std::move(address)};
    program.code.push_back(std::move(instruction));
    return true;
  }

  bool readOperand(llvm::StringRef text, PtxType type, PtxOperand &operand) {
    if (text.consume_front("{")) {
      text.consume_back("}");
      llvm::SmallVector<llvm::StringRef> parts;
      text.split(parts, ',');
      for (llvm::StringRef part : parts) {
        PtxOperand element;
        if (!readOperand(part.trim(), type, element) || element.registers.size() != 1)
          return false;
        operand.registers.push_back(element.registers[0]);
      }
      return true;
    }
    if (text.consume_front("$")) {
      uint32_t number = 0;
      if (text.getAsInteger(10, number))
        return false;
      operand.registers.push_back(number);
      return true;
    }
    if (readNumber(text, type, operand.immediate)) {
      operand.isImmediate = true;
      return true;
    }
    // All programs run on one multiprocessor.
    if (text == "%smid" && type.bits == 32)
      return operand.isImmediate = true;
    if (text == "%cluster_ctarank" && type.bits == 32) {
      operand.registers.push_back(registerOf(text));
      program.rank = int32_t(operand.registers.back());
      return true;
    }
    if (text == "%globaltimer" && type.bits == 64) {
      operand.registers.push_back(registerOf(text));
      return true;
    }
    // Other special registers, which say which thread this is, are declared by nobody.
    if (!declared.contains(text))
      return false;
    operand.registers.push_back(registerOf(text));
    return true;
  }

  /// 12, -3, 0x1F, 1.5, 0f3F800000, 0d3FF0000000000000, as the bits of `type`.
  static bool readNumber(llvm::StringRef text, PtxType type, uint64_t &bits) {
    llvm::StringRef hex = text;
    if ((hex.consume_front("0f") || hex.consume_front("0F")) && hex.size() == 8)
      return !hex.getAsInteger(16, bits);
    hex = text;
    if ((hex.consume_front("0d") || hex.consume_front("0D")) && hex.size() == 16)
      return !hex.getAsInteger(16, bits);
    int64_t integer = 0;
    text.consume_back("U");
    if (!text.getAsInteger(0, integer)) {
      bits = uint64_t(integer);
      return true;
    }
    if (!text.getAsInteger(0, bits))
      return true;
    double number = 0;
    bool isNumber = type.bits >= 32 && !text.empty() &&
                    (llvm::isDigit(text[0]) || text[0] == '-') && !text.getAsDouble(number);
    if (isNumber)
      bits = type.bits == 64 ? std::bit_cast<uint64_t>(number)
                             : std::bit_cast<uint32_t>(float(number));
    return isNumber;
  }

  PtxProgram program;
  llvm::ArrayRef<PtxSpace> spaces;

  std::string problem;
  llvm::StringSet<> declared;
  llvm::StringMap<uint32_t> named, labels;
  std::vector<std::pair<size_t, std::string>> branches;
};

std::optional<PtxProgram> PtxProgram::parse(llvm::StringRef text, size_t results, size_t operands,
                                            std::string &why, llvm::ArrayRef<PtxSpace> spaces) {
  return PtxParser(results, operands, spaces).parse(text, why);
}

bool PtxProgram::accesses(PtxSpace space, PtxInstruction::Access kind) const {
  return llvm::any_of(code, [&](const PtxInstruction &instruction) {
    return instruction.access == kind && instruction.space == space;
  });
}

/// Element by element, the lowest first; false after a fault.
static bool access(const PtxInstruction &instruction, std::vector<uint64_t> &registers,
                   PtxMemory &memory) {
  const PtxOperand &moved = instruction.operands[0];
  uint32_t bytes = std::max(1u, instruction.type.bits * instruction.type.elements / 8u);
  uint64_t address = registers[instruction.operands[1].registers[0]] +
                     static_cast<uint64_t>(instruction.addressOffset);
  if (instruction.space == PtxSpace::Shared)
    address = static_cast<uint32_t>(address);
  if (moved.isImmediate)
    return memory.store(instruction.space, address, bytes, moved.immediate);
  for (uint32_t reg : moved.registers) {
    bool isLoad = instruction.access == PtxInstruction::Access::Load;
    if (!(isLoad ? memory.load(instruction.space, address, bytes, registers[reg])
                 : memory.store(instruction.space, address, bytes, registers[reg])))
      return false;
    address += bytes;
  }
  return true;
}

static uint64_t nanoseconds() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::string PtxProgram::run(std::vector<uint64_t> &registers, PtxMemory *memory) const {
  // Fragments are short; one that takes longer does not end.
  constexpr uint32_t kMaxSteps = 1u << 20;
  uint32_t steps = 0;
  for (auto [operand, result] : ties)
    registers[result] = registers[firstOperand + operand];
  if (rank >= 0)
    registers[rank] = memory ? memory->ctaRank() : 0;
  for (size_t at = 0; at < code.size();) {
    if (++steps > kMaxSteps)
      return "inline assembly has executed " + std::to_string(kMaxSteps) + " instructions";
    const PtxInstruction &instruction = code[at++];
    if (instruction.predicate >= 0 &&
        bool(registers[instruction.predicate] & 1) == instruction.predicateNegated)
      continue;
    if (instruction.target >= 0)
      at = size_t(instruction.target);
    else if (instruction.access != PtxInstruction::Access::None) {
      if (!access(instruction, registers, *memory))
        return "";
    } else {
      if (instruction.clock >= 0)
        registers[instruction.clock] = nanoseconds();
      instruction.run(instruction, registers);
    }
  }
  return "";
}

} // namespace gluonc::sim

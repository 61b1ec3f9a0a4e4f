//===- Parser.cpp - Reads what the disassembler writes ------------------------===//
#include "amdgcn/Instruction.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstdlib>

namespace gluonc::amdgcn {

using llvm::StringRef;

bool Modifiers::has(StringRef flag) const {
  for (const std::string &each : flags)
    if (each == flag)
      return true;
  return false;
}

StringRef Modifiers::text(StringRef name) const {
  for (const auto &[key, value] : values)
    if (key == name)
      return value;
  return {};
}

int64_t Modifiers::number(StringRef name) const {
  int64_t value = 0;
  text(name).getAsInteger(0, value);
  return value;
}

/// Splits at commas and the like that no bracket encloses.
static llvm::SmallVector<StringRef, 8> splitOutside(StringRef text, char separator) {
  llvm::SmallVector<StringRef, 8> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i != text.size(); ++i) {
    char c = text[i];
    depth += c == '[' || c == '(';
    depth -= c == ']' || c == ')';
    if (c == separator && depth == 0) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin).trim());
  return parts;
}

static std::optional<uint16_t> specialScalar(StringRef name, uint16_t &count) {
  count =
      llvm::StringSwitch<uint16_t>(name)
          .Cases({"vcc", "exec", "flat_scratch", "xnack_mask"}, 2)
          .Cases({"src_shared_base", "src_shared_limit", "src_private_base", "src_private_limit"},
                 2)
          .Default(1);
  int slot =
      llvm::StringSwitch<int>(name)
          .Cases({"vcc", "vcc_lo"}, vccSlot)
          .Case("vcc_hi", vccSlot + 1)
          .Cases({"exec", "exec_lo"}, execSlot)
          .Case("exec_hi", execSlot + 1)
          .Case("m0", m0Slot)
          .Case("null", nullSlot)
          .Cases({"flat_scratch", "flat_scratch_lo", "src_flat_scratch_base_lo"}, flatScratchSlot)
          .Cases({"flat_scratch_hi", "src_flat_scratch_base_hi"}, flatScratchSlot + 1)
          .Cases({"xnack_mask", "xnack_mask_lo"}, xnackSlot)
          .Case("xnack_mask_hi", xnackSlot + 1)
          .Cases({"scc", "src_scc"}, sccSlot)
          .Case("src_shared_base", sharedBaseSlot)
          .Case("src_shared_limit", sharedLimitSlot)
          .Case("src_private_base", privateBaseSlot)
          .Case("src_private_limit", privateLimitSlot)
          .Default(-1);
  if (slot < 0)
    return std::nullopt;
  return static_cast<uint16_t>(slot);
}

/// "v7", "s[0:3]", "a[4:5]", "ttmp9", "v3.h"
static bool parseRegister(StringRef text, Operand &operand) {
  uint16_t count = 1;
  if (std::optional<uint16_t> slot = specialScalar(text, count)) {
    operand.bank = Bank::Scalar;
    operand.reg = *slot;
    operand.count = count;
    return true;
  }
  unsigned base = 0;
  if (text.consume_front("ttmp")) {
    operand.bank = Bank::Scalar;
    base = ttmpSlot;
  } else if (text.consume_front("v")) {
    operand.bank = Bank::Vector;
  } else if (text.consume_front("a")) {
    operand.bank = Bank::Vector;
    base = accumulatorRow;
  } else if (text.consume_front("s")) {
    operand.bank = Bank::Scalar;
  } else {
    return false;
  }
  if (text.consume_back(".l"))
    operand.half = 0;
  else if (text.consume_back(".h"))
    operand.half = 1;
  unsigned first = 0, last = 0;
  if (text.consume_front("[") && text.consume_back("]")) {
    auto [low, high] = text.split(':');
    if (low.getAsInteger(10, first) || high.getAsInteger(10, last) || last < first)
      return false;
  } else if (text.getAsInteger(10, first)) {
    return false;
  } else {
    last = first;
  }
  operand.reg = static_cast<uint16_t>(base + first);
  operand.count = static_cast<uint16_t>(last - first + 1);
  return true;
}

static bool parseNumber(StringRef text, Operand &operand) {
  operand.isWide = text.starts_with("lit64(");
  if (text.consume_front("lit64(") || text.consume_front("lit("))
    text.consume_back(")");
  int64_t integer = 0;
  uint64_t natural = 0;
  operand.bank = Bank::Literal;
  operand.isHex = text.starts_with("0x") || text.starts_with("-0x");
  if (!text.getAsInteger(0, natural) || !text.getAsInteger(0, integer)) {
    operand.value = text.starts_with("-") ? static_cast<uint64_t>(integer) : natural;
    // gfx1250 has literals of 64 bits.
    operand.isWide |= operand.isHex && text.size() > 10;
    return true;
  }
  operand.isFloat = true;
  return !text.getAsDouble(operand.real);
}

static Operand parseOperand(StringRef text) {
  Operand operand;
  StringRef inner = text;
  StringRef rest = inner;
  // Not the sign of a number: "-1.0" and "-v1" read alike, "-16" does not.
  if (rest.size() > 1 && rest[0] == '-' && !llvm::isDigit(rest[1])) {
    operand.negate = true;
    rest = rest.drop_front();
  } else if (rest.starts_with("neg(") && rest.ends_with(")")) {
    operand.negate = true;
    rest = rest.drop_front(4).drop_back();
  }
  if (rest.size() > 2 && rest.front() == '|' && rest.back() == '|') {
    operand.absolute = true;
    rest = rest.drop_front().drop_back();
  } else if (rest.starts_with("abs(") && rest.ends_with(")")) {
    operand.absolute = true;
    rest = rest.drop_front(4).drop_back();
  }
  if (rest.starts_with("sext(") && rest.ends_with(")")) {
    operand.signExtend = true;
    rest = rest.drop_front(5).drop_back();
  }
  if (parseRegister(rest, operand))
    return operand;
  bool isNumber =
      !rest.empty() && (llvm::isDigit(rest[0]) || rest[0] == '-' || rest.starts_with("lit"));
  if (isNumber && parseNumber(rest, operand))
    return operand;
  operand = {};
  operand.bank = Bank::Word;
  operand.word = text.str();
  return operand;
}

/// The bits of a list like [0,1,1].
static unsigned parseBits(StringRef text) {
  unsigned mask = 0, place = 0;
  text.consume_front("[");
  text.consume_back("]");
  for (StringRef part : splitOutside(text, ','))
    mask |= unsigned(part == "1") << place++;
  return mask;
}

static Selection parseSelection(StringRef name) {
  return llvm::StringSwitch<Selection>(name)
      .Case("BYTE_0", {0, 8})
      .Case("BYTE_1", {8, 8})
      .Case("BYTE_2", {16, 8})
      .Case("BYTE_3", {24, 8})
      .Case("WORD_0", {0, 16})
      .Case("WORD_1", {16, 16})
      .Default({0, 32});
}

static bool parseDpp(StringRef key, StringRef value, Dpp &dpp) {
  unsigned amount = 0;
  value.getAsInteger(0, amount);
  dpp.kind = llvm::StringSwitch<DppKind>(key)
                 .Case("quad_perm", DppKind::QuadPerm)
                 .Case("row_shl", DppKind::RowShl)
                 .Case("row_shr", DppKind::RowShr)
                 .Case("row_ror", DppKind::RowRor)
                 .Case("wave_shl", DppKind::WaveShl)
                 .Case("wave_rol", DppKind::WaveRol)
                 .Case("wave_shr", DppKind::WaveShr)
                 .Case("wave_ror", DppKind::WaveRor)
                 .Case("row_mirror", DppKind::Mirror)
                 .Case("row_half_mirror", DppKind::HalfMirror)
                 .Case("row_bcast", amount == 15 ? DppKind::Bcast15 : DppKind::Bcast31)
                 .Case("row_newbcast", DppKind::NewBcast)
                 .Case("row_share", DppKind::Share)
                 .Case("row_xmask", DppKind::XMask)
                 .Case("dpp8", DppKind::Eight)
                 .Default(dpp.kind);
  if (dpp.kind == DppKind::None)
    return false;
  if (key == "row_mask") {
    dpp.rowMask = static_cast<uint8_t>(amount);
  } else if (key == "bank_mask") {
    dpp.bankMask = static_cast<uint8_t>(amount);
  } else if (key == "bound_ctrl") {
    dpp.boundCtrl = true;
  } else if (key == "fi") {
    dpp.fetchInactive = amount != 0;
  } else if (key == "quad_perm" || key == "dpp8") {
    unsigned place = 0;
    for (StringRef part : splitOutside(value.drop_front().drop_back(), ','))
      if (!part.getAsInteger(10, amount) && place < 8)
        dpp.lanes[place++] = static_cast<uint8_t>(amount);
  } else if (key.starts_with("row_") || key.starts_with("wave_")) {
    dpp.amount = static_cast<uint8_t>(amount);
  } else {
    return false;
  }
  return true;
}

static bool parseSdwa(StringRef key, StringRef value, Sdwa &sdwa) {
  if (key == "dst_sel")
    sdwa.destination = parseSelection(value);
  else if (key == "src0_sel")
    sdwa.source[0] = parseSelection(value);
  else if (key == "src1_sel")
    sdwa.source[1] = parseSelection(value);
  else if (key == "dst_unused")
    sdwa.unused = value == "UNUSED_SEXT"       ? Sdwa::SignExtend
                  : value == "UNUSED_PRESERVE" ? Sdwa::Preserve
                                               : Sdwa::Pad;
  else
    return false;
  return true;
}

static void parseModifier(StringRef text, Instruction &instruction) {
  Modifiers &modifiers = instruction.modifiers;
  auto [key, value] = text.split(':');
  if (value.empty()) {
    if (key == "clamp")
      modifiers.clamp = true;
    else if (key == "row_mirror" || key == "row_half_mirror")
      parseDpp(key, "0", modifiers.dpp);
    else
      modifiers.flags.push_back(key.str());
    return;
  }
  if (parseDpp(key, value, modifiers.dpp) || parseSdwa(key, value, modifiers.sdwa))
    return;
  int64_t number = 0;
  value.getAsInteger(0, number);
  if (key == "offset")
    modifiers.offset = number;
  else if (key == "offset0")
    modifiers.offset0 = number;
  else if (key == "offset1")
    modifiers.offset1 = number;
  else if (key == "op_sel")
    modifiers.opSel = static_cast<int>(parseBits(value));
  else if (key == "op_sel_hi")
    modifiers.opSelHi = static_cast<int>(parseBits(value));
  else if (key == "neg_lo")
    modifiers.negLo = parseBits(value);
  else if (key == "neg_hi")
    modifiers.negHi = parseBits(value);
  else if (key == "mul")
    modifiers.omod = number == 4 ? 2 : 1;
  else if (key == "div")
    modifiers.omod = -1;
  if (key == "offset" && value.starts_with("swizzle"))
    modifiers.values.push_back({"swizzle", value.str()});
  else
    modifiers.values.push_back({key.str(), value.str()});
}

static void dropSuffix(Instruction &instruction, StringRef mnemonic) {
  if (mnemonic.consume_back("_e64_dpp") || mnemonic.consume_back("_dpp"))
    instruction.isDpp = true;
  else if (mnemonic.consume_back("_sdwa"))
    instruction.isSdwa = true;
  else if (!mnemonic.consume_back("_e32"))
    mnemonic.consume_back("_e64");
  instruction.mnemonic = mnemonic.str();
}

std::unique_ptr<Instruction> parse(StringRef text) {
  text = text.trim();
  if (text.empty())
    return nullptr;
  auto instruction = std::make_unique<Instruction>();
  instruction->text = text.str();
  std::replace(instruction->text.begin(), instruction->text.end(), '\t', ' ');
  StringRef clean = instruction->text;
  if (size_t pair = clean.find(" :: "); pair != clean.npos) {
    instruction->second = parse(clean.substr(pair + 4));
    if (!instruction->second)
      return nullptr;
    clean = clean.substr(0, pair);
  }
  auto [mnemonic, rest] = clean.split(' ');
  dropSuffix(*instruction, mnemonic);
  rest = rest.trim();
  if (rest.empty())
    return instruction;
  // What waits and delays name is no list of registers.
  if (mnemonic == "s_waitcnt" || mnemonic == "s_delay_alu" || mnemonic == "s_waitcnt_depctr" ||
      mnemonic == "s_wait_alu" || mnemonic == "s_sendmsg") {
    Operand operand;
    operand.bank = Bank::Word;
    operand.word = rest.str();
    instruction->operands.push_back(operand);
    return instruction;
  }
  llvm::SmallVector<StringRef, 8> parts = splitOutside(rest, ',');
  llvm::SmallVector<StringRef, 8> last = splitOutside(parts.pop_back_val(), ' ');
  for (StringRef part : parts)
    instruction->operands.push_back(parseOperand(part));
  for (size_t i = 0; i != last.size(); ++i) {
    if (last[i].empty())
      continue;
    if (i == 0)
      instruction->operands.push_back(parseOperand(last[i]));
    else
      parseModifier(last[i], *instruction);
  }
  instruction->modifiers.sdwa.present = instruction->isSdwa;
  return instruction;
}

} // namespace gluonc::amdgcn

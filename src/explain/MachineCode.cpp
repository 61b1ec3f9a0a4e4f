#include "explain/MachineCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

namespace gluonc::explain {

using llvm::StringRef;

/// `//## File "k.py", line 18`
static bool readPlace(StringRef line, MachineInstruction &place) {
  if (!line.consume_front("//## File \""))
    return false;
  auto [file, rest] = line.split('"');
  uint32_t number = 0;
  if (!rest.consume_front(", line ") || rest.consumeInteger(10, number))
    return false;
  place.file = file.str();
  place.line = number;
  return true;
}

/// The mnemonic of `/*0080*/   @!P0 LDG.E R4, desc[UR4][R2.64] ;`; empty for other lines.
static StringRef mnemonicOf(StringRef line) {
  if (!line.consume_front("/*") || !line.contains("*/"))
    return "";
  line = line.split("*/").second.ltrim();
  if (line.starts_with("@"))
    line = line.split(' ').second.ltrim();
  return line.take_until([](char c) { return c == ' ' || c == ';'; });
}

std::vector<MachineInstruction> readDisassembly(StringRef text) {
  std::vector<MachineInstruction> instructions;
  MachineInstruction place;
  for (StringRef line : llvm::split(text, '\n')) {
    line = line.trim();
    if (line.starts_with(".section"))
      place = {};
    if (readPlace(line, place))
      continue;
    StringRef name = mnemonicOf(line);
    // What fills the code up to its end.
    if (name.empty() || name == "NOP")
      continue;
    instructions.push_back(place);
    instructions.back().name = name.str();
  }
  return instructions;
}

Pipe machinePipeOf(StringRef name) {
  StringRef family = name.split('.').first;
  if (family.contains("MMA") || family == "WARPGROUP")
    return Pipe::Tensor;
  // Uniform instructions do the same for a whole warp.
  StringRef plain = family;
  plain.consume_front("U");
  return llvm::StringSwitch<Pipe>(plain)
      .Cases({"MEMBAR", "FENCE", "ERRBAR", "DEPBAR", "LDGDEPBAR", "SYNCS", "ELECT", "YIELD"},
             Pipe::Control)
      .Cases({"SHFL", "VOTE", "MATCH", "REDUX"}, Pipe::Shuffle)
      .Case("FLO", Pipe::Integer)
      .StartsWith("LD", plain.starts_with("LDC") ? Pipe::Move : Pipe::Memory)
      .StartsWith("ST", Pipe::Memory)
      .StartsWith("ATOM", Pipe::Memory)
      .StartsWith("RED", Pipe::Memory)
      .StartsWith("BLK", Pipe::Memory)
      .StartsWith("TMA", Pipe::Memory)
      .StartsWith("CCTL", Pipe::Memory)
      .Case("MUFU", Pipe::Special)
      .Cases({"MOV", "S2R", "S2UR", "CS2R", "R2UR", "P2R", "R2P", "SEL", "PRMT"}, Pipe::Move)
      .Cases({"EXIT", "BRA", "BAR", "BSSY", "BSYNC", "WARPSYNC", "CALL", "RET", "NANOSLEEP"},
             Pipe::Control)
      .Cases({"BREAK", "BRX", "KILL", "PREEXIT", "ACQBULK", "SETMAXREG"}, Pipe::Control)
      .StartsWith("CGABAR", Pipe::Control)
      .StartsWith("F", Pipe::Float)
      .StartsWith("H", Pipe::Float)
      .StartsWith("D", Pipe::Float)
      .Default(Pipe::Integer);
}

void addMachineCode(Profile &profile, llvm::ArrayRef<MachineInstruction> instructions) {
  profile.hasMachineCode = true;
  for (const MachineInstruction &instruction : instructions) {
    const unsigned pipe = unsigned(machinePipeOf(instruction.name));
    ++profile.total.machine[pipe];
    auto isOf = [&](const Line &line) {
      return line.number == instruction.line && (line.file->path() == instruction.file ||
                                                 llvm::sys::path::filename(line.file->path()) ==
                                                     llvm::sys::path::filename(instruction.file));
    };
    if (auto line = llvm::find_if(profile.lines, isOf); line != profile.lines.end())
      ++line->cost.machine[pipe];
  }
}

} // namespace gluonc::explain

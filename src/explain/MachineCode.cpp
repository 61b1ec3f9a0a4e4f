#include "explain/MachineCode.h"
#include "explain/MachineFlow.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

namespace gluonc::explain {

using llvm::StringRef;

/// `"k.py", line 18`
static bool readFileAndLine(StringRef &text, std::pair<std::string, uint32_t> &place) {
  if (!text.consume_front("\""))
    return false;
  auto [file, rest] = text.split('"');
  place.first = file.str();
  text = rest;
  return text.consume_front(", line ") && !text.consumeInteger(10, place.second);
}

/// `//## File "k.py", line 18`, perhaps with ` inlined at "k.py", line 40`: then the next line is
/// of that place.
static bool readPlace(StringRef line, MachineInstruction &place, bool &isInlined) {
  std::pair<std::string, uint32_t> here, call;
  if (!line.consume_front("//## File ") || !readFileAndLine(line, here))
    return false;
  const bool isOfCall = isInlined;
  isInlined = line.consume_front(" inlined at ") && readFileAndLine(line, call);
  if (!isOfCall) {
    std::tie(place.file, place.line) = here;
    place.calls.clear();
  }
  if (isInlined)
    place.calls.push_back(std::move(call));
  return true;
}

/// Reads `/*0080*/   @!P0 LDG.E R4, desc[UR4][R2.64] ;`; false for other lines.
static bool readInstruction(StringRef line, MachineInstruction &instruction) {
  if (!line.consume_front("/*") || !line.contains("*/"))
    return false;
  line = line.split("*/").second.ltrim();
  if (line.consume_front("@")) {
    instruction.guard = line.split(' ').first.str();
    line = line.split(' ').second.ltrim();
  }
  line = line.split(';').first.rtrim();
  auto [name, operands] = line.split(' ');
  instruction.name = name.str();
  for (StringRef operand : llvm::split(operands, ','))
    if (operand = operand.trim(); !operand.empty())
      instruction.operands.push_back(operand.str());
  return !instruction.name.empty();
}

/// The label that an operand is: `(.L_x_8)
static StringRef labelOf(StringRef operand) {
  return operand.consume_front("`(") && operand.consume_back(")") ? operand : StringRef();
}

static bool endsBlock(StringRef name) {
  return llvm::is_contained({"BRA", "BRX", "JMP", "EXIT", "RET", "CALL", "BREAK", "KILL"},
                            name.split('.').first);
}

static void resolveBranches(std::vector<MachineInstruction> &instructions,
                            const llvm::StringMap<size_t> &labels) {
  for (MachineInstruction &instruction : instructions)
    for (StringRef operand : instruction.operands)
      if (auto found = labels.find(labelOf(operand)); found != labels.end())
        instruction.branchTarget = found->second;
}

static void beginSection(MachineInstruction &place) {
  const unsigned block = place.block + 1;
  place = {};
  place.block = block;
}

/// What fills the code up to its end.
static void dropPadding(std::vector<MachineInstruction> &instructions) {
  while (!instructions.empty() && instructions.back().name == "NOP")
    instructions.pop_back();
}

std::vector<MachineInstruction> readDisassembly(StringRef text) {
  std::vector<MachineInstruction> instructions;
  llvm::StringMap<size_t> labels;
  MachineInstruction place;
  bool isInlined = false;
  for (StringRef line : llvm::split(text, '\n')) {
    line = line.trim();
    if (line.starts_with(".section")) {
      dropPadding(instructions);
      beginSection(place), isInlined = false;
    }
    if (readPlace(line, place, isInlined))
      continue;
    if (line.ends_with(":")) {
      labels[line.drop_back()] = instructions.size();
      ++place.block;
    }
    MachineInstruction instruction = place;
    if (!readInstruction(line, instruction))
      continue;
    if (endsBlock(instruction.name))
      ++place.block;
    instructions.push_back(std::move(instruction));
  }
  dropPadding(instructions);
  resolveBranches(instructions, labels);
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
      .Cases({"EXIT", "BRA", "NOP", "BAR", "BSSY", "BSYNC", "WARPSYNC", "CALL", "RET", "NANOSLEEP"},
             Pipe::Control)
      .Cases({"BREAK", "BRX", "KILL", "PREEXIT", "ACQBULK", "SETMAXREG"}, Pipe::Control)
      .StartsWith("CGABAR", Pipe::Control)
      .StartsWith("F", Pipe::Float)
      .StartsWith("H", Pipe::Float)
      .StartsWith("D", Pipe::Float)
      .Default(Pipe::Integer);
}

static bool isSameFile(StringRef path, StringRef other) {
  return path == other || llvm::sys::path::filename(path) == llvm::sys::path::filename(other);
}

static bool isAt(const Line &line, StringRef file, uint32_t number) {
  return line.number == number && isSameFile(line.file->path(), file);
}

/// Whether a call was inlined by way of these, the innermost first.
static bool hasChain(const Call &call, llvm::ArrayRef<std::pair<std::string, uint32_t>> chain) {
  return llvm::equal(call.chain, chain, [](diag::Span span, const auto &place) {
    return span && span.file->position(span.begin).line == place.second &&
           isSameFile(span.file->path(), place.first);
  });
}

/// What is in machine code has no columns: of several calls in one line that one gets it that
/// executes the line.
static void addToCall(std::vector<Call> &calls, const MachineInstruction &instruction,
                      llvm::ArrayRef<std::pair<std::string, uint32_t>> chain, unsigned pipe) {
  Call *first = nullptr;
  for (Call &call : calls) {
    if (!hasChain(call, chain))
      continue;
    first = first ? first : &call;
    auto line = llvm::find_if(call.lines, [&](const Line &line) {
      return isAt(line, instruction.file, instruction.line);
    });
    if (line == call.lines.end())
      continue;
    ++line->cost.machine[pipe];
    ++call.cost.machine[pipe];
    return;
  }
  if (first)
    ++first->cost.machine[pipe];
}

/// What reads special registers is named with them, since units differ: "S2R SR_TID.X".
static std::string opcodeOf(const MachineInstruction &instruction) {
  const bool isRead = instruction.name == "S2R" && instruction.operands.size() == 2;
  return isRead ? instruction.name + " " + instruction.operands.back() : instruction.name;
}

void addMachineCode(Profile &profile, llvm::ArrayRef<MachineInstruction> instructions,
                    llvm::ArrayRef<double> executions, const MachineFlow *flow) {
  profile.hasMachineCode = true;
  for (const auto &[i, instruction] : llvm::enumerate(instructions)) {
    const unsigned pipe = unsigned(machinePipeOf(instruction.name));
    Profile::Opcode &opcode = profile.opcodes[opcodeOf(instruction)];
    ++opcode.instructions;
    if (!executions.empty())
      opcode.executed += executions[i];
    if (flow) {
      opcode.wavefronts += flow->shared[i].wavefronts;
      opcode.unknownWavefronts += flow->shared[i].unknown;
    }
    ++profile.total.machine[pipe];
    auto line = llvm::find_if(profile.lines, [&](const Line &line) {
      return isAt(line, instruction.file, instruction.line);
    });
    if (line != profile.lines.end())
      ++line->cost.machine[pipe];
    llvm::ArrayRef chain = instruction.calls;
    for (; !chain.empty(); chain = chain.drop_front())
      addToCall(profile.calls, instruction, chain, pipe);
  }
}

} // namespace gluonc::explain

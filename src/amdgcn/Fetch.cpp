//===- Fetch.cpp - From a place in the code to an instruction ---------------------===//
#include "amdgcn/Handlers.h"

namespace gluonc::amdgcn {

/// What s_set_vgpr_msb says: two bits for each source, then the destination's.
static void addBanks(Instruction &instruction, unsigned banks) {
  llvm::StringRef name = instruction.mnemonic;
  bool isMemory = name.starts_with("global_") || name.starts_with("flat_") ||
                  name.starts_with("scratch_") || name.starts_with("ds_") ||
                  name.starts_with("buffer_") || name.starts_with("cluster_");
  // Where a load to LDS goes is in a register at a result's place.
  bool isStore = isMemory && name.contains("store");
  constexpr unsigned sources = 3;
  auto bank = [&](unsigned place) { return static_cast<uint16_t>((banks >> 2 * place & 3) * 256); };
  bool hasNoResult = isStore || name.starts_with("v_cmpx_") ||
                     (isMemory && !instruction.access.returns && name.contains("atomic"));
  bool hasTwoResults = name.contains("_co_") || name.starts_with("v_div_scale") ||
                       name.starts_with("v_mad_u64") || name.starts_with("v_mad_i64");
  bool isBuffer = name.starts_with("buffer_");
  unsigned results = isBuffer ? 1 : hasNoResult ? 0 : hasTwoResults ? 2 : 1;
  for (unsigned i = 0; i != instruction.operands.size(); ++i)
    // Scales of products come behind the sources, and are always of the first 256.
    if (Operand &operand = instruction.operands[i];
        operand.bank == Bank::Vector && i < results + sources)
      operand.reg += bank(i < results ? sources : i - results);
  if (instruction.second)
    addBanks(*instruction.second, banks);
}

std::unique_ptr<Instruction> Machine::decode(uint64_t pc, unsigned banks, std::string &problem) {
  unsigned size = 0;
  llvm::ArrayRef<uint8_t> bytes(module.image + pc, std::min<uint64_t>(module.imageBytes - pc, 32));
  std::string text = disassembler.read(bytes, pc, size);
  if (text.empty()) {
    problem = "this is no instruction";
    return nullptr;
  }
  std::unique_ptr<Instruction> instruction = parse(text);
  if (!instruction) {
    problem = "the executor cannot read '" + text + "'";
    return nullptr;
  }
  instruction->offset = pc;
  instruction->bytes = size;
  instruction->handler = findHandler(*instruction, chip);
  if (!instruction->handler)
    problem = "the executor does not know this instruction";
  if (banks)
    addBanks(*instruction, banks);
  return instruction;
}

const Instruction *Machine::fetch(Workgroup &workgroup, Wave &wave) {
  if (wave.pc >= module.imageBytes || wave.pc % 4) {
    failAt(workgroup, wave, nullptr, 0, "the program counter is outside of the code");
    return nullptr;
  }
  std::unique_ptr<Instruction> &place =
      wave.registerBanks ? decodedInBanks[wave.pc << 8 | wave.registerBanks] : decoded[wave.pc / 4];
  if (place)
    return place.get();
  std::string problem;
  place = decode(wave.pc, wave.registerBanks, problem);
  if (problem.empty())
    return place.get();
  failAt(workgroup, wave, place.get(), 0, problem);
  place = nullptr;
  return nullptr;
}

} // namespace gluonc::amdgcn

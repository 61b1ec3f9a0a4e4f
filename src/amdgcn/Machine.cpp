//===- Machine.cpp - Launches, turns, faults ----------------------------------===//
#include "amdgcn/Machine.h"

#include "amdgcn/Barriers.h"
#include "amdgcn/Handlers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace gluonc::amdgcn {

/// Instructions of a wave before others have a turn.
constexpr unsigned turnLength = 4096;
/// Of each lane where the code object does not say how much private memory a kernel needs.
constexpr uint64_t dynamicStackBytes = 16384;

//===----------------------------------------------------------------------===//
// A launch
//===----------------------------------------------------------------------===//

Machine::Machine(const Module &module, const Kernel &kernel, const Launch &launch)
    : module(module), chip(module.chip), kernel(kernel), launch(launch),
      ranges(launch.memory.begin(), launch.memory.end()) {
  prepareArguments();
  preparePacket();
  auto add = [&](const void *begin, uint64_t bytes) {
    ranges.push_back(
        {reinterpret_cast<uint64_t>(begin), reinterpret_cast<uint64_t>(begin) + bytes});
  };
  add(module.image, module.imageBytes);
  add(kernarg.data(), kernarg.size() * 8);
  add(packet.data(), packet.size() * 8);
  privateBytes = kernel.descriptor.privateBytes;
  if (kernel.hasDynamicStack || privateBytes)
    privateBytes += dynamicStackBytes;
  hasDisassembler = disassembler.open(chip.name, kernel.waveSize);
  decoded.resize(module.imageBytes / 4 + 1);
}

void Machine::writeHidden(const Argument &argument) {
  llvm::StringRef kind = argument.kind;
  auto put = [&](uint64_t value) {
    std::memcpy(reinterpret_cast<uint8_t *>(kernarg.data()) + argument.offset, &value,
                std::min(argument.size, 8u));
  };
  for (unsigned axis = 0; axis != 3; ++axis) {
    char letter = static_cast<char>('x' + axis);
    if (!kind.ends_with(std::string("_") + letter))
      continue;
    if (kind.starts_with("hidden_block_count"))
      put(launch.grid[axis]);
    else if (kind.starts_with("hidden_group_size"))
      put(axis == 0 ? launch.threads : 1);
  }
  if (kind == "hidden_grid_dims")
    put(launch.grid[2] > 1 ? 3 : launch.grid[1] > 1 ? 2 : 1);
  else if (kind == "hidden_dynamic_lds_size")
    put(launch.sharedBytes);
  else if (kind == "hidden_private_base")
    put(privateWindow >> 32);
  else if (kind == "hidden_shared_base")
    put(sharedWindow >> 32);
}

void Machine::prepareArguments() {
  uint64_t bytes = kernel.descriptor.kernargBytes;
  for (const Argument &argument : kernel.arguments)
    bytes = std::max<uint64_t>(bytes, argument.offset + argument.size);
  // Preloads read whole pieces, also behind the end.
  kernarg.assign(bytes / 8 + 32, 0);
  size_t next = 0;
  for (const Argument &argument : kernel.arguments) {
    if (llvm::StringRef(argument.kind).starts_with("hidden_")) {
      writeHidden(argument);
      continue;
    }
    // Values of more than eight bytes take several slots.
    for (unsigned done = 0; done < argument.size && next != launch.slots.size(); done += 8)
      std::memcpy(reinterpret_cast<uint8_t *>(kernarg.data()) + argument.offset + done,
                  &launch.slots[next++], std::min(argument.size - done, 8u));
  }
}

/// The packet that a queue holds for a launch (HSA's kernel dispatch packet).
void Machine::preparePacket() {
  packet.assign(8, 0);
  auto *bytes = reinterpret_cast<uint8_t *>(packet.data());
  auto put = [&](unsigned at, uint64_t value, unsigned size) {
    std::memcpy(bytes + at, &value, size);
  };
  put(2, 3, 2);
  put(4, launch.threads, 2);
  put(6, 1, 2);
  put(8, 1, 2);
  put(12, uint64_t(launch.grid[0]) * launch.threads, 4);
  put(16, launch.grid[1], 4);
  put(20, launch.grid[2], 4);
  put(24, privateBytes, 4);
  put(28, kernel.descriptor.sharedBytes + launch.sharedBytes, 4);
  put(40, reinterpret_cast<uint64_t>(kernarg.data()), 8);
}

void Machine::setItems(Wave &wave) {
  uint32_t *items = wave.row(0);
  for (unsigned lane = 0; lane != wave.lanes; ++lane)
    items[lane] = wave.number * wave.lanes + lane;
}

void Machine::setScalars(Workgroup &workgroup, Wave &wave) {
  const KernelDescriptor &descriptor = kernel.descriptor;
  unsigned at = 0;
  auto pair = [&](unsigned bit, uint64_t value) {
    if (!(descriptor.properties >> bit & 1))
      return;
    wave.setWide(at, value);
    at += 2;
  };
  if (descriptor.properties & 1)
    at += 4;
  pair(1, reinterpret_cast<uint64_t>(packet.data()));
  pair(2, 0);
  pair(3, reinterpret_cast<uint64_t>(kernarg.data()));
  pair(4, 0);
  pair(5, 0);
  if (descriptor.properties >> 6 & 1)
    wave.scalars[at++] = static_cast<uint32_t>(privateBytes);
  unsigned length = descriptor.preload & 0x7f, first = descriptor.preload >> 7;
  const auto *words = reinterpret_cast<const uint32_t *>(kernarg.data());
  for (unsigned i = 0; i != length && (first + i) < kernarg.size() * 2 && at < vccSlot; ++i)
    wave.scalars[at++] = words[first + i];
  at = descriptor.rsrc2 >> 1 & (chip.is1250 ? 0x3f : 0x1f);
  if (chip.generation >= 12) {
    std::array<uint32_t, 3> place = workgroup.coordinates;
    unsigned peers = launch.workgroupsPerCluster;
    if (peers > 1)
      place[0] /= peers;
    wave.scalars[ttmpSlot + 9] = place[0];
    wave.scalars[ttmpSlot + 7] = (place[1] & 0xffff) | (place[2] << 16);
    wave.scalars[ttmpSlot + 8] = wave.number << 25;
    wave.scalars[ttmpSlot + 6] = workgroup.rank | (peers - 1) << 12 | (peers - 1) << 24;
    return;
  }
  for (unsigned axis = 0; axis != 3; ++axis)
    if (descriptor.rsrc2 >> (7 + axis) & 1)
      wave.scalars[at++] = workgroup.coordinates[axis];
}

void Machine::startWave(Workgroup &workgroup, Wave &wave) {
  wave.lanes = kernel.waveSize;
  wave.vectors.assign(size_t(chip.is1250 ? 1024 : 512) * wave.lanes, 0x7fc0dead);
  wave.scalars.fill(0xbad0bad0);
  for (unsigned slot = vccSlot; slot != scalarSlots; ++slot)
    wave.scalars[slot] = 0;
  wave.setWide(sharedBaseSlot, sharedWindow);
  wave.setWide(privateBaseSlot, privateWindow);
  wave.setWide(flatScratchSlot, privateWindow);
  unsigned left = launch.threads - wave.number * wave.lanes;
  wave.setWide(execSlot, left >= wave.lanes ? wave.allLanes() : (uint64_t(1) << left) - 1);
  uint32_t rsrc1 = kernel.descriptor.rsrc1;
  wave.mode = (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9 |
              (rsrc1 >> 26 & 1) << 23;
  setScalars(workgroup, wave);
  setItems(wave);
  wave.privateMemory.assign(privateBytes * wave.lanes, 0xdb);
  // Firmware that has loaded arguments leaves out the code that does it.
  wave.pc = kernel.entry + (kernel.descriptor.preload & 0x7f && !chip.is1250 ? 256 : 0);
}

void Machine::startCluster(uint64_t number) {
  unsigned peers = launch.workgroupsPerCluster;
  uint64_t across = launch.grid[0] / peers;
  std::array<uint32_t, 3> place = {static_cast<uint32_t>(number % across) * peers,
                                   static_cast<uint32_t>(number / across % launch.grid[1]),
                                   static_cast<uint32_t>(number / across / launch.grid[1])};
  workgroups.clear();
  workgroups.resize(peers);
  clusterBarrier = {};
  for (unsigned rank = 0; rank != peers; ++rank) {
    Workgroup &workgroup = workgroups[rank];
    workgroup.coordinates = {place[0] + rank, place[1], place[2]};
    workgroup.rank = rank;
    workgroup.shared.assign(kernel.descriptor.sharedBytes + launch.sharedBytes, 0xdb);
    workgroup.waves.resize(llvm::divideCeil(launch.threads, kernel.waveSize));
    for (unsigned i = 0; i != workgroup.waves.size(); ++i) {
      workgroup.waves[i].number = i;
      startWave(workgroup, workgroup.waves[i]);
    }
  }
}

std::optional<Fault> Machine::run() {
  auto refuse = [](const char *message) {
    Fault refused;
    refused.message = message;
    return refused;
  };
  if (!hasDisassembler)
    return refuse("this LLVM has no disassembler for the chip");
  unsigned peers = launch.workgroupsPerCluster;
  if (!peers || peers > 16 || launch.grid[0] % peers)
    return refuse("the grid is no multiple of the cluster");
  if (!launch.threads || launch.threads > 1024)
    return refuse("a workgroup has 1 to 1024 threads");
  uint64_t clusters = uint64_t(launch.grid[0]) / peers * launch.grid[1] * launch.grid[2];
  for (uint64_t number = 0; number != clusters && !fault; ++number) {
    startCluster(number);
    runCluster();
  }
  return fault;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

bool Machine::isOver() const {
  for (const Workgroup &workgroup : workgroups)
    for (const Wave &wave : workgroup.waves)
      if (wave.state != WaveState::Ended)
        return false;
  return true;
}

void Machine::runCluster() {
  while (!fault && !isOver())
    if (!runRound() && !fault)
      failWaiting();
}

bool Machine::runRound() {
  bool any = false;
  for (Workgroup &workgroup : workgroups)
    for (Wave &wave : workgroup.waves) {
      if (fault)
        return any;
      any |= runWave(workgroup, wave);
    }
  return any;
}

static bool namesPending(const Instruction &instruction, const Wave &wave, const Operand *&which) {
  for (unsigned i = 0; i != instruction.operands.size(); ++i) {
    const Operand &operand = instruction.operands[i];
    if (!wave.counters.isPending(operand))
      continue;
    // Loads end in order: a later one may write where an earlier one does.
    bool isLoad = !instruction.access.isStore && !instruction.access.half && i == 0 &&
                  (llvm::StringRef(instruction.mnemonic).starts_with("global_load") ||
                   llvm::StringRef(instruction.mnemonic).starts_with("buffer_load") ||
                   llvm::StringRef(instruction.mnemonic).starts_with("scratch_load"));
    if (isLoad && wave.counters.isPendingOnlyIn(operand, Counter::Load))
      continue;
    which = &operand;
    return true;
  }
  return instruction.second && namesPending(*instruction.second, wave, which);
}

static std::string registerName(const Operand &operand, unsigned part = 0) {
  unsigned reg = operand.reg + part;
  if (operand.bank == Bank::Scalar) {
    if (reg >= ttmpSlot && reg < ttmpSlot + 16)
      return "ttmp" + std::to_string(reg - ttmpSlot);
    switch (reg) {
    case vccSlot:
      return "vcc_lo";
    case vccSlot + 1:
      return "vcc_hi";
    case execSlot:
      return "exec_lo";
    case execSlot + 1:
      return "exec_hi";
    case m0Slot:
      return "m0";
    case sccSlot:
      return "scc";
    }
    return "s" + std::to_string(reg);
  }
  return "v" + std::to_string(reg);
}

bool Machine::runWave(Workgroup &workgroup, Wave &wave) {
  if (wave.state == WaveState::Ended || !mayGoOn(*this, workgroup, wave))
    return false;
  for (unsigned turn = 0; turn != turnLength; ++turn) {
    const Instruction *instruction = fetch(workgroup, wave);
    if (!instruction)
      return true;
    const Operand *pending = nullptr;
    if (!wave.counters.isIdle() && namesPending(*instruction, wave, pending)) {
      failAt(workgroup, wave, instruction, 0,
             registerName(*pending) + " is still being loaded: nothing has waited for " +
                 nameOf(wave.counters.counterOf(*pending), chip.generation));
      return true;
    }
    if (++wave.steps > launch.stepLimit) {
      failAt(workgroup, wave, instruction, 0, "the wave runs without end");
      return true;
    }
    ++clock;
    wave.pc += instruction->bytes;
    Step step{*this, workgroup, wave, *instruction, wave.exec()};
    instruction->handler(step);
    if (fault || wave.state != WaveState::Runs || step.yields)
      return true;
  }
  return true;
}

void Machine::failWaiting() {
  for (Workgroup &workgroup : workgroups)
    for (Wave &wave : workgroup.waves)
      if (wave.state == WaveState::AtBarrier) {
        wave.pc -= 4;
        const Instruction *instruction = fetch(workgroup, wave);
        return failAt(workgroup, wave, instruction, 0,
                      "the wave waits at a barrier for ever: others wait elsewhere");
      }
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// What s_set_vgpr_msb says: two bits for each source, then the destination's.
static void addBanks(Instruction &instruction, unsigned banks) {
  llvm::StringRef name = instruction.mnemonic;
  bool isMemory = name.starts_with("global_") || name.starts_with("flat_") ||
                  name.starts_with("scratch_") || name.starts_with("ds_") ||
                  name.starts_with("buffer_") || name.starts_with("cluster_");
  bool isStore = isMemory && (name.contains("store") || name.contains("_async_"));
  auto bank = [&](unsigned place) { return static_cast<uint16_t>((banks >> 2 * place & 3) * 256); };
  unsigned place =
      isStore || (isMemory && !instruction.access.returns && name.contains("atomic")) ? 0 : 3;
  for (Operand &operand : instruction.operands) {
    if (operand.bank == Bank::Vector) {
      bool isBufferData = name.starts_with("buffer_") && &operand == &instruction.operands[0];
      operand.reg += bank(isBufferData ? 3 : place);
    }
    place = place == 3 ? 0 : place + 1;
  }
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

//===----------------------------------------------------------------------===//
// Memory, faults
//===----------------------------------------------------------------------===//

uint8_t *Machine::findGlobal(uint64_t address, unsigned bytes) {
  for (size_t i = 0; i != ranges.size(); ++i)
    if (address >= ranges[i].begin && address <= ranges[i].end &&
        ranges[i].end - address >= bytes) {
      lastRange = i;
      return reinterpret_cast<uint8_t *>(address);
    }
  return nullptr;
}

static void describeRegisters(const Instruction &instruction, const Wave &wave, unsigned lane,
                              std::vector<Fault::Register> &registers) {
  for (const Operand &operand : instruction.operands) {
    if (!operand.isRegister())
      continue;
    for (unsigned part = 0; part != std::min<unsigned>(operand.count, 16); ++part) {
      unsigned reg = operand.reg + part;
      uint32_t value =
          operand.bank == Bank::Scalar ? wave.scalars[reg] : wave.vectors[reg * wave.lanes + lane];
      registers.push_back({registerName(operand, part), value});
    }
  }
  if (instruction.second)
    describeRegisters(*instruction.second, wave, lane, registers);
}

void Machine::failAt(Workgroup &workgroup, Wave &wave, const Instruction *instruction,
                     unsigned lane, const llvm::Twine &message) {
  if (fault)
    return;
  fault.emplace();
  fault->message = message.str();
  fault->workgroup = workgroup.coordinates;
  fault->wave = wave.number;
  fault->lane = lane;
  fault->offset = wave.pc - kernel.entry;
  if (!instruction)
    return;
  fault->offset = instruction->offset - kernel.entry;
  fault->instruction = instruction->text;
  describeRegisters(*instruction, wave, lane, fault->registers);
}

//===----------------------------------------------------------------------===//
// Operands of scalar instructions
//===----------------------------------------------------------------------===//

uint32_t literalWord(const Operand &operand) {
  return operand.isFloat ? std::bit_cast<uint32_t>(static_cast<float>(operand.real))
                         : static_cast<uint32_t>(operand.value);
}

uint32_t Step::scalar(const Operand &operand) const {
  switch (operand.bank) {
  case Bank::Scalar:
    return operand.reg == nullSlot ? 0 : wave.scalars[operand.reg];
  case Bank::Vector:
    return wave.vectors[size_t(operand.reg) * wave.lanes];
  case Bank::Literal:
    return literalWord(operand);
  default:
    return 0;
  }
}

uint64_t Step::scalarWide(const Operand &operand) const {
  if (operand.bank == Bank::Scalar)
    return operand.reg == nullSlot ? 0
           : operand.count < 2     ? wave.scalars[operand.reg]
                                   : wave.wide(operand.reg);
  if (operand.bank == Bank::Literal)
    return operand.isFloat ? std::bit_cast<uint64_t>(operand.real) : operand.value;
  return 0;
}

void Step::setScalar(const Operand &operand, uint32_t value) {
  if (operand.bank == Bank::Scalar && operand.reg != nullSlot)
    wave.scalars[operand.reg] = value;
}

void Step::setScalarWide(const Operand &operand, uint64_t value) {
  if (operand.bank == Bank::Scalar && operand.reg != nullSlot)
    wave.setWide(operand.reg, value);
}

uint64_t Step::mask(const Operand &operand) const {
  if (operand.bank == Bank::Scalar && operand.reg != nullSlot)
    return wave.mask(operand.reg) & wave.allLanes();
  if (operand.bank == Bank::Literal)
    return operand.value & wave.allLanes();
  return 0;
}

void Step::setMask(const Operand &operand, uint64_t value) {
  if (operand.bank == Bank::Scalar && operand.reg != nullSlot)
    wave.setMask(operand.reg, value);
}

std::optional<Fault> execute(const Module &module, llvm::StringRef kernel, const Launch &launch) {
  auto found = module.kernels.find(kernel);
  if (found == module.kernels.end()) {
    Fault missing;
    missing.message = ("the code object has no kernel '" + kernel + "'").str();
    return missing;
  }
  return Machine(module, found->second, launch).run();
}

} // namespace gluonc::amdgcn

//===- Machine.cpp - Turns of waves, memory, faults -------------------------------===//
#include "amdgcn/Machine.h"

#include "amdgcn/Barriers.h"
#include "amdgcn/Rounding.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace gluonc::amdgcn {

/// Instructions of a wave before others have a turn.
constexpr unsigned turnLength = 4096;
/// Rounds of waves that sleep and change nothing before they count as endless.
constexpr unsigned idleRounds = 1 << 14;

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
  if (peers > 1 && !chip.is1250)
    return refuse("the chip has no clusters");
  const std::array<unsigned, 3> &meant = kernel.clusterSize;
  if (meant[0] && (meant[0] != peers || meant[1] != 1 || meant[2] != 1))
    return refuse("the code object is for clusters of another size");
  if (!launch.threads || launch.threads > 1024)
    return refuse("a workgroup has 1 to 1024 threads");
  uint64_t clusters = uint64_t(launch.grid[0]) / peers * launch.grid[1] * launch.grid[2];
  auto runOne = [&](uint64_t number) {
    startCluster(number);
    runCluster();
  };
  for (uint64_t number : launch.clusters)
    if (!fault && number < clusters)
      runOne(number);
  for (uint64_t number = 0; launch.clusters.empty() && number != clusters && !fault; ++number)
    runOne(number);
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
  unsigned idle = 0;
  while (!fault && !isOver()) {
    uint64_t before = progress;
    bool any = runRound();
    idle = before == progress && isAsleep() ? idle + 1 : 0;
    if ((!any || idle == idleRounds) && !fault) {
      if (launch.stepsOfWave)
        return;
      failWaiting();
    }
  }
  if (!fault && !launch.stepsOfWave)
    checkRequests(*this);
  flushPrinted();
}

void Machine::flushPrinted() {
  if (printed.flush(module.printFormats, launch.output) || fault)
    return;
  fault.emplace();
  fault->message = "what the kernel has printed fits none of the code object's formats";
}

/// Whether every wave waits at a barrier, or asks again and again.
bool Machine::isAsleep() const {
  for (const Workgroup &workgroup : workgroups)
    for (const Wave &wave : workgroup.waves)
      if (wave.state == WaveState::Runs && !wave.isAsleep)
        return false;
  return true;
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

/// Loads of one counter end in order: a later one may write where an earlier one does, or the other
/// half of its register.
static bool mayFollow(const Instruction &instruction, const Operand &target,
                      const Counters &counters) {
  llvm::StringRef name = instruction.mnemonic;
  if (instruction.access.isStore)
    return false;
  if (name.starts_with("ds_read") || name.starts_with("ds_load"))
    return counters.isPendingOnlyIn(target, Counter::Lds);
  return (name.starts_with("global_load") || name.starts_with("buffer_load") ||
          name.starts_with("scratch_load")) &&
         counters.isPendingOnlyIn(target, Counter::Load);
}

static bool namesPending(const Instruction &instruction, const Wave &wave, const Operand *&which) {
  for (unsigned i = 0; i != instruction.operands.size(); ++i) {
    const Operand &operand = instruction.operands[i];
    if (!wave.counters.isPending(operand))
      continue;
    if (i == 0 && mayFollow(instruction, operand, wave.counters))
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
    if (launch.stepsOfWave && wave.steps >= launch.stepsOfWave) {
      wave.state = WaveState::Ended;
      return true;
    }
    if (++wave.steps > launch.stepLimit) {
      failAt(workgroup, wave, instruction, 0, "the wave runs without end");
      return true;
    }
    ++clock;
    wave.pc += instruction->bytes;
    Step step{*this, workgroup, wave, *instruction, wave.exec()};
    touched.clear();
    const bool isSkipped = launch.skipsProducts && instruction->product.m;
    if (!isSkipped && wave.mode & 0xf)
      executeRounded(step);
    else if (!isSkipped)
      instruction->handler(step);
    if (launch.observer && !fault)
      launch.observer->executed({*instruction, instruction->offset, workgroup.coordinates,
                                 wave.number, step.active, touched});
    wave.isAsleep = step.yields;
    if (fault || wave.state != WaveState::Runs || step.yields)
      return true;
  }
  return true;
}

void Machine::failWaiting() {
  for (WaveState state : {WaveState::AtBarrier, WaveState::Runs})
    for (Workgroup &workgroup : workgroups)
      for (Wave &wave : workgroup.waves)
        if (wave.state == state) {
          wave.pc -= 4;
          const Instruction *instruction = fetch(workgroup, wave);
          return failAt(workgroup, wave, instruction, 0,
                        state == WaveState::AtBarrier
                            ? "the wave waits at a barrier for ever: others wait elsewhere"
                            : "the wave asks again and again for what no other wave will do");
        }
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

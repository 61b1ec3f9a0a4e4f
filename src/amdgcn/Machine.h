//===- Machine.h - The state that instructions change ------------------------===//
//
// All lanes of a wave are at one instruction; EXEC says which take part. The waves
// of a workgroup have turns, and a wave that waits at a barrier or asks again and
// again gives its turn away.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "amdgcn/Clusters.h"
#include "amdgcn/Counters.h"
#include "amdgcn/Disassembler.h"
#include "amdgcn/Instruction.h"
#include "amdgcn/Module.h"
#include "amdgcn/Observer.h"
#include "amdgcn/Races.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"

#include <bit>
#include <cstring>

namespace gluonc::amdgcn {

/// Flat addresses of LDS and of private memory begin here.
inline constexpr uint64_t sharedWindow = uint64_t(1) << 48;
inline constexpr uint64_t privateWindow = uint64_t(1) << 49;
inline constexpr uint64_t windowBytes = uint64_t(1) << 32;

enum class WaveState : uint8_t { Runs, AtBarrier, Ended };

struct Wave {
  unsigned number = 0;
  unsigned lanes = 64;
  uint64_t pc = 0;
  WaveState state = WaveState::Runs;
  /// Its last turn ended with a pause.
  bool isAsleep = false;
  /// Which barrier it waits at: -1 the workgroup's, -3 the cluster's, others by name.
  int waitsAt = -1;
  /// The phase of each barrier that the wave's last wait has used up.
  std::array<uint32_t, 20> passedPhase = {};
  /// The named barrier that it has joined; -1 for none.
  int joined = -1;
  /// Register r of lane l is at r * lanes + l. Accumulators follow the vector registers.
  std::vector<uint32_t> vectors;
  std::array<uint32_t, scalarSlots> scalars = {};
  /// The MODE register.
  uint32_t mode = 0;
  /// Upper bits of vector registers' numbers, as s_set_vgpr_msb gave them.
  uint8_t registerBanks = 0;
  Counters counters;
  SharedOrder order;
  /// Private memory, lane after lane.
  std::vector<uint8_t> privateMemory;
  uint64_t steps = 0;

  uint64_t exec() const { return wide(execSlot) & allLanes(); }
  uint64_t wide(unsigned slot) const { return scalars[slot] | (uint64_t(scalars[slot + 1]) << 32); }
  void setWide(unsigned slot, uint64_t value) {
    scalars[slot] = static_cast<uint32_t>(value);
    scalars[slot + 1] = static_cast<uint32_t>(value >> 32);
  }
  uint64_t allLanes() const { return lanes == 64 ? ~uint64_t(0) : 0xffffffffu; }
  /// A mask register: a pair where waves have 64 lanes.
  uint64_t mask(unsigned slot) const { return lanes == 64 ? wide(slot) : scalars[slot]; }
  void setMask(unsigned slot, uint64_t value) {
    if (lanes == 64)
      setWide(slot, value);
    else
      scalars[slot] = static_cast<uint32_t>(value);
  }
  uint32_t *row(unsigned reg) { return vectors.data() + size_t(reg) * lanes; }
  bool flushesFloat() const { return ((mode >> 4) & 3) != 3; }
  bool flushesDouble() const { return ((mode >> 6) & 3) != 3; }
};

struct BarrierState {
  unsigned arrived = 0;
  unsigned members = 0;
  uint32_t phase = 0;
  Meeting meeting;
};

struct Workgroup {
  std::array<uint32_t, 3> coordinates = {};
  /// In its cluster.
  unsigned rank = 0;
  std::vector<uint8_t> shared;
  SharedShadow shadow;
  /// Where waves meet at barriers in LDS, by their addresses.
  llvm::DenseMap<uint32_t, Meeting> meetings;
  std::vector<Wave> waves;
  /// 0 is the workgroup's, others have names.
  std::array<BarrierState, 20> barriers = {};
  /// One wave signals the cluster's barrier for all: how often one has.
  uint32_t clusterSignals = 0;
};

class Machine {
public:
  Machine(const Module &module, const Kernel &kernel, const Launch &launch);
  std::optional<Fault> run();

  const Module &module;
  const Chip &chip;
  const Kernel &kernel;
  const Launch &launch;
  /// The workgroups of the cluster that runs.
  std::vector<Workgroup> workgroups;
  BarrierState clusterBarrier;
  SharedRequests requests;
  std::optional<Fault> fault;
  /// Counts what others may wait for.
  uint64_t progress = 0;
  /// Of each lane.
  uint64_t privateBytes = 0;

  /// The host's address of `bytes` at an address of global memory; null outside of all ranges.
  uint8_t *global(uint64_t address, unsigned bytes) {
    const Range &last = ranges[lastRange];
    if (address >= last.begin && address <= last.end && last.end - address >= bytes)
      return reinterpret_cast<uint8_t *>(address);
    return findGlobal(address, bytes);
  }
  uint64_t base() const { return reinterpret_cast<uint64_t>(module.image); }
  uint64_t clock = 0;
  /// Of the instruction in hand, where the launch has an observer.
  Touched touched;

private:
  uint8_t *findGlobal(uint64_t address, unsigned bytes);
  void prepareArguments();
  void preparePacket();
  void writeHidden(const Argument &argument);
  void startCluster(uint64_t number);
  void startWave(Workgroup &workgroup, Wave &wave);
  void setScalars(Workgroup &workgroup, Wave &wave);
  void setItems(Wave &wave);
  void runCluster();
  void flushPrinted();
  bool runRound();
  bool isAsleep() const;
  bool runWave(Workgroup &workgroup, Wave &wave);
  void failWaiting();
  bool isOver() const;
  /// Null after a fault.
  const Instruction *fetch(Workgroup &workgroup, Wave &wave);
  void failAt(Workgroup &workgroup, Wave &wave, const Instruction *instruction, unsigned lane,
              const llvm::Twine &message);
  friend struct Step;

  std::vector<Range> ranges;
  size_t lastRange = 0;
  std::vector<uint64_t> kernarg, packet;
  PrintBuffer printed;
  Disassembler disassembler;
  bool hasDisassembler = false;
  /// By place in the code and by the bank bits, which change what registers are meant.
  std::vector<std::unique_ptr<Instruction>> decoded;
  llvm::DenseMap<uint64_t, std::unique_ptr<Instruction>> decodedInBanks;
  std::unique_ptr<Instruction> decode(uint64_t pc, unsigned banks, std::string &problem);
};

/// One instruction of a wave.
struct Step {
  Machine &machine;
  Workgroup &workgroup;
  Wave &wave;
  const Instruction &instruction;
  /// Lanes that take part.
  uint64_t active;
  /// The turn is over: the wave waits for others.
  bool yields = false;

  const Operand &operand(unsigned i) const { return instruction.operands[i]; }
  unsigned operands() const { return instruction.operands.size(); }
  uint32_t scalar(const Operand &operand) const;
  uint64_t scalarWide(const Operand &operand) const;
  uint32_t scalar(unsigned i) const { return scalar(operand(i)); }
  void setScalar(const Operand &operand, uint32_t value);
  void setScalarWide(const Operand &operand, uint64_t value);
  void setScc(bool value) { wave.scalars[sccSlot] = value; }
  /// A mask operand: VCC, EXEC or scalar registers.
  uint64_t mask(const Operand &operand) const;
  void setMask(const Operand &operand, uint64_t value);
  template <typename Function> void eachLane(Function function) const {
    for (uint64_t rest = active; rest; rest &= rest - 1)
      function(static_cast<unsigned>(std::countr_zero(rest)));
  }
  void fail(unsigned lane, const llvm::Twine &message) {
    machine.failAt(workgroup, wave, &instruction, lane, message);
  }
  bool failed() const { return machine.fault.has_value(); }
  void jump(int64_t words) {
    wave.pc = instruction.offset + instruction.bytes + static_cast<uint64_t>(words * 4);
  }
};

/// Bits of a literal for an operand of 32 bits; floats in single precision.
uint32_t literalWord(const Operand &operand);

} // namespace gluonc::amdgcn

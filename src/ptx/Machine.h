//===- Machine.h - The state that instructions change ------------------------===//
//
// Lanes of a warp have program counters of their own. The scheduler runs those
// together that are at the same instruction, the earliest first, so that lanes
// that went apart meet where the paths join; from time to time another group, so
// that a lane that spins does not keep away the one it waits for. An instruction
// that needs certain lanes (shfl.sync, mma) waits until all are there.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Clusters.h"
#include "ptx/TensorMemory.h"

#include "llvm/ADT/Twine.h"

#include <bit>
#include <cstring>
#include <deque>

namespace gluonc::ptx {

inline constexpr unsigned warpLanes = 32;
/// Where dynamic shared memory begins; static variables lie below.
inline constexpr unsigned dynamicSharedBase = 1024;
/// In the window of a cluster CTA r begins at r << 24, and so do the addresses of its own
/// variables.
inline constexpr unsigned clusterShift = 24;
inline constexpr uint64_t withinCta = (uint64_t(1) << clusterShift) - 1;
/// Generic addresses of shared memory are those of the cluster's window plus this.
inline constexpr uint64_t sharedWindow = uint64_t(1) << 60;
/// Those of local memory are places in a lane's memory plus this.
inline constexpr uint64_t localWindow = uint64_t(1) << 61;
/// And those of a kernel's parameters.
inline constexpr uint64_t parameterWindow = uint64_t(1) << 62;

enum class LaneState : uint8_t { Runs, AtBarrier, AtClusterBarrier, AtPeer, Ended };

/// The lanes whose value is this one.
template <typename Value> uint32_t maskOf(const std::array<Value, warpLanes> &values, Value value) {
  using Bits = std::conditional_t<sizeof(Value) == 1, uint8_t, uint32_t>;
  using Lanes = Bits __attribute__((ext_vector_type(warpLanes)));
  using Mask = bool __attribute__((ext_vector_type(warpLanes)));
  Lanes lanes;
  std::memcpy(&lanes, values.data(), sizeof lanes);
  return std::bit_cast<uint32_t>(
      __builtin_convertvector(lanes == Lanes(static_cast<Bits>(value)), Mask));
}

/// What products of a warp that run (`wgmma`) read of its registers.
class RunningProducts {
public:
  bool reads(int32_t reg) const { return !readers.empty() && readers[static_cast<size_t>(reg)]; }
  /// A product has begun, of a machine with so many registers.
  void begin(llvm::ArrayRef<Operand> read, size_t registers);
  void commit() { groups.push_back(std::exchange(open, {})); }
  /// All but the latest `pending` groups are over.
  void wait(size_t pending);

private:
  using Group = std::vector<int32_t>;
  /// How many read each register; empty until there is one.
  std::vector<uint16_t> readers;
  std::vector<Group> groups;
  Group open;
};

struct Warp {
  unsigned number = 0;
  std::array<uint32_t, warpLanes> pc = {};
  std::array<LaneState, warpLanes> state = {};
  /// Which hardware barrier a lane waits at.
  std::array<uint8_t, warpLanes> barrier = {};
  /// The cluster's barrier phase in which a lane arrived.
  std::array<uint32_t, warpLanes> clusterPhase = {};
  /// Calls that a lane is in: where each one goes on, the last one last.
  std::array<llvm::SmallVector<uint32_t, 2>, warpLanes> calls = {};
  /// Of each lane, one after another.
  std::vector<uint8_t> laneMemory;
  /// Register r of lane l is at r * 32 + l.
  std::vector<uint64_t> registers;
  uint64_t steps = 0;
  RunningProducts products;
  /// The latest question for a barrier that was not over.
  const Instruction *asked = nullptr;

  uint32_t lanesIn(LaneState which) const { return maskOf(state, which); }
  uint32_t lanesAt(uint32_t place) const { return maskOf(pc, place); }
};

struct HardwareBarrier {
  unsigned arrived = 0;
};

struct Cta {
  std::array<uint32_t, 3> coordinates = {};
  unsigned rank = 0;
  std::vector<uint8_t> shared;
  std::vector<Warp> warps;
  std::array<HardwareBarrier, 16> barriers = {};
  /// Null in CTAs that have not asked for any.
  std::unique_ptr<TensorMemory> tensor;
};

/// A cluster that has begun and is not at its end.
struct Resident {
  std::vector<Cta> ctas;
  unsigned clusterArrived = 0;
  uint32_t clusterPhase = 0;
  /// Rounds in which its warps only asked for barriers that are not over.
  unsigned asking = 0;
  /// Rounds in which nothing happened that others could wait for.
  unsigned idle = 0;
};

/// What one thread of the host executes of a launch.
class Machine : public Resident {
public:
  Machine(const Function &kernel, const Module &module, const Launch &launch, Clusters &clusters);
  /// Until no cluster is left.
  void run();
  /// What no launch of the kernel does here.
  std::optional<Fault> findUnknown() const;

  const Function &kernel;
  const Module &module;
  const Launch &launch;
  std::vector<uint8_t> parameters;
  std::optional<Fault> fault;
  /// Counts what others may wait for: stores, arrivals, ends.
  uint64_t progress = 0;

  /// The host's address of `bytes` at an address of global memory; null if they do not lie in one
  /// range.
  uint8_t *global(uint64_t address, unsigned bytes);
  /// The same in the window of a cluster.
  uint8_t *shared(uint64_t address, unsigned bytes);
  /// The first CTA of a cluster that has not begun, which never will; none if all have.
  std::optional<std::array<uint32_t, 3>> cancelCluster();
  /// Lets go on who waits at a barrier of a CTA.
  void release(Cta &cta, unsigned barrier);
  /// Ends the cluster barrier's phase if all have come.
  void settleClusterBarrier();
  /// What the instruction of the moment accesses, for the launch's observer.
  Touched touched;

private:
  /// By its number: x fastest.
  std::array<uint32_t, 3> clusterAt(uint64_t number) const;
  void begin(std::array<uint32_t, 3> coordinates);
  /// Takes a cluster unless there is one; false if none is left.
  bool hasCluster();
  /// Goes on with another cluster, one that has not begun if there may be one more.
  void turnToOther();
  /// Each warp's turn; whether any of them did anything.
  bool runRound();
  /// A fault in each lane that is alive: nothing comes that it waits for.
  void failWaiting();
  /// What is wrong with a cluster that can go on no more: who waits, what was not given back.
  void checkEnd();
  /// Runs a warp until it waits or its turn is over; whether it did anything.
  bool runWarp(Cta &cta, Warp &warp);
  /// The lanes to run next, all at one instruction; 0 if there are none.
  uint32_t choose(const Cta &cta, const Warp &warp) const;

  Clusters &clusters;
  /// By address.
  std::vector<Range> ranges;
  /// Of `ranges`: where the last access was.
  size_t recent = 0;
  /// In this round each warp has only asked for barriers that are not over.
  bool onlyAsks = false;
  /// Clusters that let others go on, and longest the first one.
  std::deque<Resident> others;
};

/// One instruction of the lanes of a warp that are at it and whose guard holds.
struct Step {
  Machine &machine;
  Cta &cta;
  Warp &warp;
  const Instruction &instruction;
  uint32_t active;
  /// The turn is over: the warp waits for others.
  bool yields = false;
  /// Collects what it accesses; null if nobody asks.
  Touched *touched = nullptr;

  const Operand &operand(unsigned i) const { return instruction.operands[i]; }
  uint64_t &cell(int32_t reg, unsigned lane) {
    return warp.registers[static_cast<size_t>(reg) * warpLanes + lane];
  }
  uint64_t read(const Operand &operand, unsigned lane) {
    if (operand.kind == OperandKind::Register) {
      uint64_t value = cell(operand.reg, lane);
      return operand.isNegated ? !value : value;
    }
    return operand.kind == OperandKind::Immediate
               ? operand.value + (operand.isShared ? ownWindow() : 0)
               : readSpecial(operand, lane);
  }
  uint64_t read(unsigned i, unsigned lane) { return read(operand(i), lane); }
  void write(const Operand &operand, unsigned lane, uint64_t value) {
    if (operand.kind == OperandKind::Register)
      writeRegister(operand.reg, lane, value);
  }
  void write(unsigned i, unsigned lane, uint64_t value) { write(operand(i), lane, value); }
  void writeRegister(int32_t reg, unsigned lane, uint64_t value) {
    if (reg < 0)
      return;
    if (warp.products.reads(reg))
      failRead(reg, lane);
    unsigned bits = machine.kernel.registerBits[static_cast<size_t>(reg)];
    cell(reg, lane) = bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
  }
  template <typename Function> void eachLane(Function function) const {
    for (uint32_t rest = active; rest; rest &= rest - 1)
      function(static_cast<unsigned>(std::countr_zero(rest)));
  }
  unsigned thread(unsigned lane) const { return warp.number * warpLanes + lane; }
  void fail(unsigned lane, const llvm::Twine &message, FaultKind kind = FaultKind::Other);
  /// Bytes of global memory that are not the kernel's.
  void failGlobal(unsigned lane, const llvm::Twine &message, uint64_t address, unsigned bytes);
  /// An address operand's value.
  uint64_t address(const Operand &operand, unsigned lane) {
    return operand.value + (operand.isShared ? ownWindow() : 0) +
           (operand.reg < 0 ? 0 : cell(operand.reg, lane));
  }
  /// Where the CTA's shared memory begins in the cluster's window.
  uint64_t ownWindow() const { return uint64_t(cta.rank) << clusterShift; }

private:
  /// A running product reads the register that is written.
  void failRead(int32_t reg, unsigned lane);
  /// 0 for what has no value.
  uint64_t readSpecial(const Operand &operand, unsigned lane) const;
};

/// The registers of a vector, or the one of others.
inline llvm::ArrayRef<Operand> partsOf(const Operand &operand) {
  return operand.kind == OperandKind::Vector ? llvm::ArrayRef<Operand>(operand.elements)
                                             : llvm::ArrayRef<Operand>(operand);
}

/// Registers of all threads that are not 0, shared and tensor memory of the cluster's CTAs, as
/// text.
void printState(const Machine &machine, llvm::raw_ostream &out);

/// Which lanes have to be at an instruction before it is executed; 0 if any group may go on.
uint32_t lanesNeeded(const Instruction &instruction, const Warp &warp, unsigned lane);

} // namespace gluonc::ptx

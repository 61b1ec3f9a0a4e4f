//===- Control.cpp - Branches, barriers, the end -------------------------------===//
#include "ptx/Handlers.h"

namespace gluonc::ptx {
namespace {

void branch(Step &step) {
  step.eachLane(
      [&](unsigned lane) { step.warp.pc[lane] = static_cast<uint32_t>(step.operand(0).value); });
}

void branchByIndex(Step &step) {
  const Operand &targets = step.operand(1);
  step.eachLane([&](unsigned lane) {
    uint64_t index = static_cast<uint32_t>(step.read(0, lane));
    if (index >= targets.elements.size())
      return step.fail(lane, "brx.idx beyond its targets");
    step.warp.pc[lane] = static_cast<uint32_t>(targets.elements[index].value);
  });
}

void end(Step &step) {
  step.eachLane([&](unsigned lane) { step.warp.state[lane] = LaneState::Ended; });
  step.machine.settleClusterBarrier();
  step.yields = true;
}

void trap(Step &step) { step.fail(std::countr_zero(step.active), "trap"); }
void nothing(Step &) {}
void giveWay(Step &step) { step.yields = true; }

/// bar.sync a{, b} and bar.arrive a, b (PTX ISA 9.7.13.1): b threads, or all of the CTA.
template <bool waits> void arriveAtBarrier(Step &step) {
  const Instruction &instruction = step.instruction;
  unsigned first = std::countr_zero(step.active);
  uint64_t number = step.read(0, first);
  if (number >= step.cta.barriers.size())
    return step.fail(first, "there are 16 barriers");
  uint64_t count =
      instruction.operands.size() > 1 ? step.read(1, first) : step.machine.launch.threads;
  HardwareBarrier &barrier = step.cta.barriers[number];
  if (waits)
    step.eachLane([&](unsigned lane) {
      step.warp.state[lane] = LaneState::AtBarrier;
      step.warp.barrier[lane] = static_cast<uint8_t>(number);
    });
  barrier.arrived += std::popcount(step.active);
  if (barrier.arrived > count)
    return step.fail(first, "more threads at barrier " + llvm::Twine(number) + " than it is for");
  if (barrier.arrived == count)
    step.machine.release(step.cta, static_cast<unsigned>(number));
  step.yields = waits;
}

void clusterArrive(Step &step) {
  step.eachLane([&](unsigned lane) { step.warp.clusterPhase[lane] = step.machine.clusterPhase; });
  step.machine.clusterArrived += std::popcount(step.active);
  step.machine.settleClusterBarrier();
}

void clusterWait(Step &step) {
  step.eachLane([&](unsigned lane) {
    if (step.warp.clusterPhase[lane] == step.machine.clusterPhase)
      step.warp.state[lane] = LaneState::AtClusterBarrier;
  });
  step.yields = true;
}

Handler chooseBarrier(const Instruction &instruction) {
  if (instruction.has("cluster"))
    return instruction.has("arrive") ? clusterArrive : clusterWait;
  if (instruction.has("warp"))
    return nothing;
  if (instruction.has("sync"))
    return arriveAtBarrier<true>;
  return instruction.has("arrive") ? arriveAtBarrier<false> : nullptr;
}

} // namespace

void addControl(HandlerTable &table) {
  using I = const Instruction &;
  table["bra"] = [](I i) -> Handler { return i.operands.size() == 1 ? branch : nullptr; };
  table["brx"] = [](I i) -> Handler { return i.operands.size() == 2 ? branchByIndex : nullptr; };
  table["ret"] = table["exit"] = [](I) -> Handler { return end; };
  table["trap"] = [](I) -> Handler { return trap; };
  table["bar"] = table["barrier"] = chooseBarrier;
  // Memory is coherent here, registers are not counted, and programs follow one another.
  for (const char *name :
       {"membar", "fence", "setmaxnreg", "griddepcontrol", "prefetch", "discard"})
    table[name] = [](I) -> Handler { return nothing; };
  table["nanosleep"] = [](I) -> Handler { return giveWay; };
}

} // namespace gluonc::ptx

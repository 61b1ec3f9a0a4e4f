//===- Control.cpp - Branches, barriers, the end -------------------------------===//
#include "ptx/Memory.h"

#include <atomic>

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
  ++step.machine.progress;
  step.machine.settleClusterBarrier();
  step.yields = true;
}

/// Copies parameters within a lane's memory.
void pass(Step &step, unsigned lane, uint64_t to, uint64_t from, unsigned bytes) {
  uint8_t *target = locate(step, Space::Parameter, to, bytes, lane);
  const uint8_t *source = locate(step, Space::Parameter, from, bytes, lane);
  if (target && source)
    std::memcpy(target, source, bytes);
}

/// Operands: where the code begins, where results go, where arguments are.
void call(Step &step) {
  const Function &callee = *step.instruction.callee;
  step.eachLane([&](unsigned lane) {
    for (auto [parameter, argument] : llvm::zip(callee.parameters, step.operand(2).elements))
      pass(step, lane, parameter.offset, argument.value, parameter.bytes);
    step.warp.calls[lane].push_back(step.warp.pc[lane]);
    step.warp.pc[lane] = static_cast<uint32_t>(step.operand(0).value);
  });
}

/// The end of a kernel, or back to behind the call, which is where the results go.
void returnFrom(Step &step) {
  uint32_t ends = 0;
  step.eachLane([&](unsigned lane) {
    auto &calls = step.warp.calls[lane];
    if (calls.empty()) {
      ends |= uint32_t(1) << lane;
      return;
    }
    step.warp.pc[lane] = calls.pop_back_val();
    const Instruction &origin = step.machine.kernel.code[step.warp.pc[lane] - 1];
    for (auto [result, place] : llvm::zip(origin.callee->results, origin.operands[1].elements))
      pass(step, lane, place.value, result.offset, result.bytes);
  });
  step.active = ends;
  if (ends)
    end(step);
}

void trap(Step &step) { step.fail(std::countr_zero(step.active), "trap"); }
void nothing(Step &) {}
/// Other CTAs may be executed by other threads of the host.
void fence(Step &) { std::atomic_thread_fence(std::memory_order_seq_cst); }
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
  if (step.touched)
    step.touched->signals.push_back(
        {waits ? Signal::Kind::Meet : Signal::Kind::Pass, number, static_cast<int64_t>(count)});
  barrier.arrived += std::popcount(step.active);
  ++step.machine.progress;
  if (barrier.arrived > count)
    return step.fail(first, "more threads at barrier " + llvm::Twine(number) + " than it is for");
  if (barrier.arrived == count)
    step.machine.release(step.cta, static_cast<unsigned>(number));
  step.yields = waits;
}

void clusterArrive(Step &step) {
  step.eachLane([&](unsigned lane) { step.warp.clusterPhase[lane] = step.machine.clusterPhase; });
  step.machine.clusterArrived += std::popcount(step.active);
  ++step.machine.progress;
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
  table["ret"] = [](I) -> Handler { return returnFrom; };
  table["exit"] = [](I) -> Handler { return end; };
  table["call"] = [](I i) -> Handler { return i.calleeName.empty() ? nullptr : call; };
  table["trap"] = [](I) -> Handler { return trap; };
  table["bar"] = table["barrier"] = chooseBarrier;
  table["membar"] = table["fence"] = [](I) -> Handler { return fence; };
  // Registers are not counted, and grids follow one another.
  for (const char *name : {"setmaxnreg", "griddepcontrol", "prefetch", "discard"})
    table[name] = [](I) -> Handler { return nothing; };
  table["nanosleep"] = [](I) -> Handler { return giveWay; };
  // For whoever watches.
  table["pmevent"] = [](I) -> Handler { return [](Step &) {}; };
}

} // namespace gluonc::ptx

//===- Barriers.cpp - s_barrier and its relatives ---------------------------------===//
//
// A wave that waits takes note of the phase that its wait has used up: the next one is for a later
// phase. Who joins a named barrier begins with the phase that is under way. Waits by name are for
// the barrier that the wave has joined, whichever number they give.
//
//===----------------------------------------------------------------------===//
#include "amdgcn/Barriers.h"
#include "amdgcn/Handlers.h"
#include "amdgcn/Transfers.h"

namespace gluonc::amdgcn {

static unsigned placeOf(int barrier) {
  return barrier == workgroupBarrier       ? 0
         : barrier == clusterBarrierNumber ? clusterPlace
                                           : static_cast<unsigned>(barrier);
}

static BarrierState &stateOf(Machine &machine, Workgroup &workgroup, int barrier) {
  return barrier == clusterBarrierNumber ? machine.clusterBarrier
                                         : workgroup.barriers[placeOf(barrier)];
}

static unsigned liveWaves(const Workgroup &workgroup) {
  unsigned count = 0;
  for (const Wave &wave : workgroup.waves)
    count += wave.state != WaveState::Ended;
  return count;
}

static void settleState(BarrierState &state) {
  if (state.arrived == 0 || state.arrived < state.members)
    return;
  state.arrived = 0;
  ++state.phase;
  state.meeting.complete();
}

void settle(Workgroup &workgroup) {
  workgroup.barriers[0].members = liveWaves(workgroup);
  settleState(workgroup.barriers[0]);
}

void settleCluster(Machine &machine) {
  machine.clusterBarrier.members = 0;
  for (const Workgroup &workgroup : machine.workgroups)
    machine.clusterBarrier.members += liveWaves(workgroup) != 0;
  settleState(machine.clusterBarrier);
}

//===----------------------------------------------------------------------===//
// Which barrier
//===----------------------------------------------------------------------===//

/// "-1", "m0", whose low bits are a number above zero. Nothing after a fault.
static std::optional<int> barrierNumber(Step &step) {
  const Operand &operand = step.operand(step.operands() - 1);
  int number = operand.bank == Bank::Literal ? static_cast<int16_t>(operand.value)
                                             : static_cast<int>(step.scalar(operand) & 0x1f);
  int named = static_cast<int>(step.machine.kernel.descriptor.rsrc3 >> 14 & 7) * 4;
  if (number == workgroupBarrier || number == 0 ||
      (number == clusterBarrierNumber && step.machine.chip.is1250))
    return number;
  if (number > 0 && number <= named)
    return number;
  step.fail(0, number > 0 ? "barrier " + llvm::Twine(number) + " is not one of the " +
                                llvm::Twine(named) + " named ones that the kernel asks for"
                          : "kernels have no barrier " + llvm::Twine(number));
  return std::nullopt;
}

/// How many waves belong to a named barrier, as m0 says above the number; 0 if it does not.
static unsigned membersIn(Step &step) {
  const Operand &operand = step.operand(0);
  return operand.bank == Bank::Literal ? 0 : step.scalar(operand) >> 16 & 0x7f;
}

//===----------------------------------------------------------------------===//
// Arrivals and waits
//===----------------------------------------------------------------------===//

static void signal(Step &step, int number) {
  BarrierState &state = stateOf(step.machine, step.workgroup, number);
  if (number > 0 && state.members <= state.arrived)
    return step.fail(0, state.members ? "barrier " + llvm::Twine(number) + " has fewer members (" +
                                            llvm::Twine(state.members) + ") than have signalled"
                                      : "nobody has said how many waves belong to barrier " +
                                            llvm::Twine(number));
  if (number == clusterBarrierNumber && step.workgroup.clusterSignals++ != state.phase)
    return step.fail(0, "a wave has signalled the cluster's barrier for this workgroup already");
  state.meeting.gathered.merge(step.wave.order.known);
  ++step.machine.progress;
  ++state.arrived;
  if (number == clusterBarrierNumber)
    settleCluster(step.machine);
  else if (number == workgroupBarrier)
    settle(step.workgroup);
  else
    settleState(state);
}

/// Whether the barrier has completed since the wave's last wait, which a wait uses up.
static bool pass(Machine &machine, Workgroup &workgroup, Wave &wave, int number) {
  const BarrierState &state = stateOf(machine, workgroup, number);
  uint32_t &passed = wave.passedPhase[placeOf(number)];
  if (state.phase == passed)
    return false;
  passed = state.phase;
  wave.order.known.merge(state.meeting.released);
  return true;
}

static void wait(Step &step, int number) {
  if (number == 0 || pass(step.machine, step.workgroup, step.wave, number))
    return;
  step.wave.state = WaveState::AtBarrier;
  step.wave.waitsAt = number;
}

bool mayGoOn(Machine &machine, Workgroup &workgroup, Wave &wave) {
  if (wave.state != WaveState::AtBarrier)
    return true;
  if (!pass(machine, workgroup, wave, wave.waitsAt))
    return false;
  wave.state = WaveState::Runs;
  return true;
}

static void barrier(Step &step) {
  signal(step, workgroupBarrier);
  wait(step, workgroupBarrier);
}

static void barrierSignal(Step &step) {
  std::optional<int> number = barrierNumber(step);
  if (!number || *number == 0)
    return;
  if (unsigned members = membersIn(step); members && *number > 0)
    step.workgroup.barriers[placeOf(*number)].members = members;
  signal(step, *number);
}

static void barrierSignalIsFirst(Step &step) {
  std::optional<int> number = barrierNumber(step);
  if (!number)
    return;
  step.setScc(*number && stateOf(step.machine, step.workgroup, *number).arrived == 0);
  barrierSignal(step);
}

static void barrierWait(Step &step) {
  int number = static_cast<int16_t>(step.operand(0).value);
  // A wait for any barrier by name is for the one that was joined.
  if (number > 0 && step.wave.joined < 0)
    return step.fail(0, "the wave has joined no barrier that it could wait for");
  if (number >= 0)
    return wait(step, std::max(step.wave.joined, 0));
  if (barrierNumber(step))
    wait(step, number);
}

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

/// A barrier that has a name, or the one that is always there and does nothing.
static std::optional<int> namedBarrier(Step &step) {
  std::optional<int> number = barrierNumber(step);
  if (!number || *number >= 0)
    return number;
  step.fail(0, "barrier " + llvm::Twine(*number) + " has no name");
  return std::nullopt;
}

static void barrierJoin(Step &step) {
  std::optional<int> number = namedBarrier(step);
  if (!number)
    return;
  step.wave.joined = *number;
  step.wave.passedPhase[*number] = step.workgroup.barriers[*number].phase;
}

static void barrierInit(Step &step) {
  std::optional<int> number = namedBarrier(step);
  if (!number || *number == 0)
    return;
  BarrierState &state = step.workgroup.barriers[*number];
  state.arrived = 0;
  state.members = step.wave.scalars[m0Slot] >> 16 & 0x7f;
}

static void barrierLeave(Step &step) {
  int joined = step.wave.joined;
  step.wave.joined = -1;
  if (joined <= 0 || step.workgroup.barriers[joined].members == 0)
    return;
  BarrierState &state = step.workgroup.barriers[joined];
  --state.members;
  settleState(state);
}

/// Bit 0: it is there; members from bit 4, and from bit 16 who has signalled. Counts as a scalar
/// load.
static void getBarrierState(Step &step) {
  std::optional<int> number = barrierNumber(step);
  if (!number)
    return;
  settle(step.workgroup);
  settleCluster(step.machine);
  const BarrierState &state = stateOf(step.machine, step.workgroup, *number);
  step.setScalar(step.operand(0), state.arrived << 16 | state.members << 4 | 1);
  InFlight entry;
  entry.registers.push_back({Bank::Scalar, step.operand(0).reg, 1});
  entry.isOrdered = false;
  step.wave.counters.issue(Counter::Scalar, std::move(entry));
}

//===----------------------------------------------------------------------===//
// Barriers in LDS (gfx1250)
//===----------------------------------------------------------------------===//

/// Bits 28 to 0 count who is still to come, bits 31 to 29 phases downward, and the upper half has
/// the count to begin with. How many phases have ended.
static unsigned countDown(uint64_t &state, uint64_t count) {
  uint64_t pending = state & 0x1fffffff, phase = state >> 29 & 7;
  uint64_t begin = state >> 32 & 0x1fffffff;
  unsigned ended = 0;
  for (; count > pending; ++ended) {
    count -= pending + 1;
    pending = begin;
    phase = (phase - 1) & 7;
  }
  state = (state & ~uint64_t(0xffffffff)) | phase << 29 | (pending - count);
  return ended;
}

uint64_t arriveAtBarrier(Step &step, unsigned lane, uint64_t address, uint64_t count,
                         const Knowledge &known) {
  if (address % 8) {
    step.fail(lane, "the barrier at 0x" + llvm::Twine::utohexstr(address) + " is not aligned");
    return 0;
  }
  Workgroup &workgroup = step.workgroup;
  bool isNew = address < workgroup.shared.size() &&
               !workgroup.shadow.isBarrier(static_cast<uint32_t>(address));
  uint8_t *at = sharedPlace(step, lane, address, 8, SharedUse::Arrive);
  if (!at)
    return 0;
  Meeting &meeting = workgroup.meetings[static_cast<uint32_t>(address)];
  if (isNew)
    meeting = {};
  meeting.gathered.merge(known);
  uint64_t old, state;
  std::memcpy(&old, at, 8);
  state = old;
  if (countDown(state, count))
    meeting.complete();
  std::memcpy(at, &state, 8);
  ++step.machine.progress;
  return old;
}

void addBarriers(HandlerTable &table) {
  table["s_barrier"] = barrier;
  table["s_barrier_signal"] = barrierSignal;
  table["s_barrier_signal_isfirst"] = barrierSignalIsFirst;
  table["s_barrier_wait"] = barrierWait;
  table["s_barrier_join"] = barrierJoin;
  table["s_barrier_init"] = barrierInit;
  table["s_barrier_leave"] = barrierLeave;
  table["s_get_barrier_state"] = getBarrierState;
}

} // namespace gluonc::amdgcn

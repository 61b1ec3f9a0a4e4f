// What to say when no fiber can go on.
#include "sim/machine/Cta.h"

namespace gluonc::sim {

static std::string countText(int64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string Cta::describeSync(const Fiber &waiting) const {
  std::string missing;
  for (uint32_t rank = 0; rank < program.ctas; ++rank) {
    auto peer = llvm::find_if(fibers, [&](const std::unique_ptr<Fiber> &each) {
      return each->cta == rank && each->partition == waiting.partition;
    });
    bool isThere = peer != fibers.end() && (*peer)->state == Fiber::State::WaitsForCtas &&
                   (*peer)->syncPlace == waiting.syncPlace;
    if (isThere)
      continue;
    missing += (missing.empty() ? "CTA " : ", CTA ") + std::to_string(rank);
    if (endedCtas >> rank & 1)
      missing += " (which has ended)";
  }
  return std::string(waiting.syncPlace == kClusterBarrier ? " waits at a barrier of the cluster"
                                                          : " waits to exchange elements") +
         " for " + missing;
}

/// "`free[2]` (phase 1), i = 5; the barrier lacks 1 arrival of 2".
std::string Cta::describeLack(const Fiber &waiting) const {
  Barrier barrier = const_cast<Cta *>(this)->barrierAt(waiting.barrier);
  int64_t coming = 0;
  for (const BarrierEvent &event : barrierEvents)
    if (llvm::is_contained(event.barriers, waiting.barrier))
      coming += event.bytes;
  std::string text;
  if (barrier.pending) {
    text = countText(barrier.pending, "arrival");
    if (barrier.count != barrier.pending)
      text += " of " + std::to_string(barrier.count);
  }
  if (barrier.bytes || coming)
    text += (text.empty() ? "" : " and ") + countText(barrier.bytes - coming, "byte");
  if (coming)
    text += " (beside " + std::to_string(coming) + " that are under way)";
  return text;
}

Step Cta::describeStep(const StepRecord &record) const {
  Step step{record.place, "", {}, countsOf(program, record.place, record.counts)};
  auto onBarrier = [&](const char *verb) {
    step.does = verb + barrierText(record.offset) + " (phase " + std::to_string(record.phase) + ")";
    step.memory = barrierNameAt(record.offset);
    step.memory.phase = record.phase;
  };
  auto onBuffer = [&](const char *verb) {
    step.does = verb + bufferText(record.offset);
    step.memory = memoryAt(record.offset);
    step.memory.element.clear();
  };
  switch (record.doing) {
  case Doing::Waits:
    onBarrier("has waited for ");
    break;
  case Doing::Arrives:
    onBarrier("arrives on ");
    break;
  case Doing::Loads:
    onBuffer("begins a copy into ");
    break;
  case Doing::Stores:
    onBuffer("begins a copy from ");
    break;
  case Doing::Multiplies:
    onBuffer("begins a product of ");
    break;
  case Doing::Reads:
    onBuffer("reads ");
    break;
  case Doing::Writes:
    onBuffer("writes ");
    break;
  }
  return step;
}

Stuck Cta::describeWait(const Fiber &waiting) {
  Stuck stuck;
  stuck.place = waiting.waitPlace;
  stuck.actor = actorOf(waiting);
  stuck.actor.counts =
      countsOf(program, waiting.waitPlace, loopValues(*this, waiting.cta, waiting.waitPlace));
  waiting.steps.forEach(
      [&](const StepRecord &record) { stuck.last.push_back(describeStep(record)); });
  stuck.text = nameOf(waiting);
  if (waiting.state == Fiber::State::WaitsForPartitions) {
    stuck.text += " waits for the other partitions to end";
  } else if (waiting.state == Fiber::State::WaitsForCtas) {
    stuck.text += describeSync(waiting) + countsText(stuck.actor.counts);
  } else {
    stuck.memory = barrierNameAt(waiting.barrier);
    stuck.memory.phase = waiting.parity;
    stuck.text += " waits for " + barrierText(waiting.barrier) + " (phase " +
                  std::to_string(waiting.parity) + ")" + countsText(stuck.actor.counts) +
                  "; the barrier lacks " + describeLack(waiting);
  }
  return stuck;
}

void Cta::reportDeadlock() {
  // A fiber that waits for a barrier tells more than one that waits for the others.
  auto firstThat = [&](Fiber::State state) {
    return llvm::find_if(fibers, [&](const auto &each) { return each->state == state; });
  };
  auto first = firstThat(Fiber::State::WaitsForBarrier);
  if (first == fibers.end())
    first = firstThat(Fiber::State::WaitsForCtas);
  if (first == fibers.end())
    first = firstThat(Fiber::State::WaitsForPartitions);
  const Fiber &culprit = **first;
  Stuck reported = describeWait(culprit);
  Fault fault = makeFault(culprit.waitPlace, diag::Kind::Deadlock, {reported.text});
  fault.actor = reported.actor;
  fault.memory = reported.memory;
  // The text has told it.
  if (!isCluster())
    fault.actor.text.clear();
  fault.stuck.push_back(std::move(reported));
  for (const std::unique_ptr<Fiber> &other : fibers)
    if (other.get() != &culprit && other->state != Fiber::State::Done)
      fault.stuck.push_back(describeWait(*other));
  faults.add(std::move(fault));
}

} // namespace gluonc::sim

#include "debug/Inspect.h"

namespace gluonc::debug {

using namespace sim;

std::string textOf(const Barrier &barrier) {
  std::string text = "phase " + std::to_string(barrier.phase) + ", " +
                     std::to_string(barrier.pending) + " of " + std::to_string(barrier.count) +
                     " arrivals to come";
  if (barrier.bytes)
    text += ", " + std::to_string(barrier.bytes) + " bytes to come";
  return text;
}

std::vector<Fact> barriersOf(Cta &machine) {
  std::vector<Fact> facts;
  for (uint64_t at = 0; machine.shared.contains(at, 8); at += 8)
    if (machine.shared.state(at) == SharedMemory::Barrier)
      facts.push_back({machine.barrierText(at), textOf(machine.barrierAt(uint32_t(at)))});
  return facts;
}

std::vector<Fact> operationsOf(Cta &machine, const Lines &lines) {
  std::vector<Fact> facts;
  auto add = [&](const AsyncOperation &operation, const std::string &end) {
    if (operation.isComplete)
      return;
    const Trace &trace = lines.traceAt(operation.place);
    std::string text = trace.empty() ? "" : "of " + placeText(trace.back());
    if (const Region *target = operation.target())
      text += ", writes " + machine.bufferText(target->start());
    if (operation.writesGlobal())
      text += ", writes global memory";
    if (operation.isReading && !operation.reads.empty())
      text += ", reads " + machine.bufferText(operation.reads.front().start());
    facts.push_back({operation.name, text + end});
  };
  auto addGroup = [&](const AsyncGroup &group, const std::string &end) {
    for (const std::shared_ptr<AsyncOperation> &operation : group)
      add(*operation, end);
  };
  for (const BarrierEvent &event : machine.barrierEvents) {
    std::string end;
    for (uint32_t barrier : event.barriers)
      end += ", completes " + machine.barrierText(barrier);
    addGroup(event.operations, end);
  }
  for (const std::unique_ptr<Fiber> &fiber : machine.fibers) {
    const std::string by = ", issued by " + machine.nameOf(*fiber);
    const std::string end = machine.fibers.size() > 1 ? by : "";
    addGroup(fiber->openCopies, end + ", not committed");
    addGroup(fiber->products, end);
    for (const std::deque<AsyncGroup> &queue : fiber->queues)
      for (const AsyncGroup &group : queue)
        addGroup(group, end);
  }
  return facts;
}

} // namespace gluonc::debug

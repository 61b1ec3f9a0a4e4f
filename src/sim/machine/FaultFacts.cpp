// Faults as JSON: the same names and numbers that their texts have.
#include "sim/machine/Faults.h"

#include "diag/Facts.h"

namespace gluonc::sim {

using llvm::json::Array;
using llvm::json::Object;

static Array list(llvm::ArrayRef<int64_t> numbers) {
  Array all;
  for (int64_t number : numbers)
    all.push_back(number);
  return all;
}

static Array programNumbers(uint64_t program, std::array<uint32_t, 3> grid) {
  uint64_t rest = program / grid[0];
  return list({int64_t(program % grid[0]), int64_t(rest % grid[1]), int64_t(rest / grid[1])});
}

static void addCounts(Object &object, const Counts &counts) {
  Array loops;
  for (const auto &[name, value] : counts)
    loops.push_back(Object{{"name", llvm::json::fixUTF8(name)}, {"value", value}});
  if (!loops.empty())
    object["loops"] = std::move(loops);
}

static void addActor(Object &object, const Actor &actor) {
  if (actor.cta >= 0)
    object["cta"] = actor.cta;
  if (!actor.partition.empty())
    object["partition"] = llvm::json::fixUTF8(actor.partition);
  if (actor.worker >= 0)
    object["worker"] = actor.worker;
  addCounts(object, actor.counts);
}

static void addMemory(Object &object, const MemoryName &memory) {
  if (!memory.buffer.empty())
    object["buffer"] = llvm::json::fixUTF8(memory.buffer);
  if (!memory.index.empty())
    object["index"] = list(memory.index);
  if (!memory.element.empty())
    object["buffer_element"] = list(memory.element);
  if (memory.byte >= 0)
    object["byte"] = memory.byte;
  if (memory.phase >= 0)
    object["phase"] = memory.phase;
  if (memory.cta >= 0)
    object["memory_of_cta"] = memory.cta;
}

static void addPlace(Object &object, const Place &place) {
  object["operation"] = llvm::json::fixUTF8(place.operation);
  if (!place.span)
    return;
  object["file"] = llvm::json::fixUTF8(place.span.file->path());
  object["line"] = place.span.file->position(place.span.begin).line;
}

static Object stuckObject(const Stuck &stuck, llvm::ArrayRef<Place> places) {
  Object object;
  addPlace(object, places[stuck.place]);
  addActor(object, stuck.actor);
  addMemory(object, stuck.memory);
  Array last;
  for (const Step &step : stuck.last) {
    Object entry{{"does", llvm::json::fixUTF8(step.does)}};
    addPlace(entry, places[step.place]);
    addMemory(entry, step.memory);
    addCounts(entry, step.counts);
    last.push_back(std::move(entry));
  }
  object["last"] = std::move(last);
  return object;
}

std::shared_ptr<const diag::Facts> factsOf(const Fault &fault, llvm::ArrayRef<Place> places,
                                           std::array<uint32_t, 3> grid) {
  auto facts = std::make_shared<diag::Facts>();
  Object &object = facts->object;
  const Place &place = places[fault.place];
  object["operation"] = llvm::json::fixUTF8(place.operation);
  object["program"] = programNumbers(fault.program, grid);
  if (fault.otherProgram)
    object["other_program"] = programNumbers(*fault.otherProgram, grid);
  if (fault.count)
    object["programs_at_fault"] = int64_t(fault.count);
  if (fault.element >= 0 && !place.shape.empty())
    object["element"] = list(elementNumbers(fault.element, place.shape));
  addActor(object, fault.actor);
  addMemory(object, fault.memory);
  if (!fault.stuck.empty()) {
    Array stuck;
    for (const Stuck &each : fault.stuck)
      stuck.push_back(stuckObject(each, places));
    object["waiting"] = std::move(stuck);
  }
  return facts;
}

} // namespace gluonc::sim

#include "sim/machine/Names.h"

#include "sim/machine/Cta.h"
#include "sim/machine/SharedView.h"

#include <algorithm>

namespace gluonc::sim {

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static int64_t valueIn(Cta &cta, uint32_t rank, Slot slot, ElementKind kind) {
  int64_t value = 0;
  withIntElement(kind, [&](auto element) {
    using E = decltype(element);
    typename E::Storage bits;
    std::memcpy(&bits, cta.frameOf(rank, slot), sizeof bits);
    value = int64_t(E::toSigned(bits));
  });
  return value;
}

LoopValues loopValues(Cta &cta, uint32_t rank, uint32_t place) {
  LoopValues found;
  const std::vector<Loop> &loops = cta.program.loops;
  for (int32_t at = cta.program.places[place].loop; at >= 0; at = loops[at].outer)
    for (const Loop::Variable &variable : loops[at].variables) {
      if (found.count == LoopValues::kMost)
        return found;
      int64_t value = valueIn(cta, rank, variable.slot, variable.kind);
      if (variable.reversed)
        value = valueIn(cta, rank, variable.reversed->first, variable.kind) +
                valueIn(cta, rank, variable.reversed->second, variable.kind) - value;
      found.values[found.count++] = value;
    }
  return found;
}

Counts countsOf(const Program &program, uint32_t place, const LoopValues &values) {
  Counts counts;
  size_t next = 0;
  for (int32_t at = program.places[place].loop; at >= 0; at = program.loops[at].outer)
    for (const Loop::Variable &variable : program.loops[at].variables)
      if (next < values.count)
        counts.emplace_back(variable.name, values.values[next++]);
  std::reverse(counts.begin(), counts.end());
  llvm::append_range(counts, program.places[place].unrolled);
  return counts;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Whether the byte at `offset` of an element's place is one of its own.
static bool holds(const AddressTable &table, uint32_t start, uint64_t offset) {
  return offset >= start && offset < uint64_t(start) + table.elementBytes;
}

/// The element of a buffer that has a byte; nothing for padding.
static llvm::SmallVector<int64_t, 4> elementWith(const AddressTable &table, uint64_t byte,
                                                 uint32_t cta) {
  const uint64_t offset = byte + uint64_t(cta & ~table.copyBits) * kCtaSharedStride;
  llvm::SmallVector<int64_t, 4> shape(table.bufferShape.begin(), table.bufferShape.end());
  for (auto [element, start] : llvm::enumerate(table.offsets))
    if (holds(table, start, offset))
      return elementNumbers(int64_t(element), shape);
  return {};
}

/// Where a byte lies in a buffer: from its beginning, and from that of its columns. Nothing where
/// it lies elsewhere.
struct Inside {
  uint64_t byte, column;
};
static std::optional<Inside> insideOf(const Program &program, const Allocation &allocation,
                                      uint64_t byte) {
  if (byte < allocation.base)
    return std::nullopt;
  const uint64_t inside = byte - allocation.base;
  const uint64_t column =
      allocation.table->inTensorMemory ? inside % program.tensorRowBytes : inside;
  return column < allocation.bytes ? std::optional(Inside{inside, column}) : std::nullopt;
}

MemoryName Cta::memoryAt(uint64_t offset) const {
  MemoryName found;
  const uint32_t owner = uint32_t(offset / kCtaSharedStride);
  uint64_t byte = isCluster() ? offset % kCtaSharedStride : offset;
  found.cta = isCluster() ? int(owner) : -1;
  found.byte = int64_t(byte);
  // Buffers that live one after the other share memory: it is that of the last.
  const Allocation *last = nullptr;
  uint64_t lastTime = 0;
  for (auto [id, allocation] : llvm::enumerate(program.allocations))
    if (allocationTimes[id] > lastTime &&
        isTensorMemory(offset) == allocation.table->inTensorMemory &&
        insideOf(program, allocation, byte)) {
      last = &allocation;
      lastTime = allocationTimes[id];
    }
  if (!last || last->name.empty())
    return found;
  found.buffer = last->name;
  const Inside inside = *insideOf(program, *last, byte);
  byte = inside.byte;
  const AddressTable &table = *last->table;
  if (table.ringDims) {
    llvm::SmallVector<int64_t, 4> ring(table.shape.begin(), table.shape.begin() + table.ringDims);
    const uint64_t buffer = inside.column / table.bufferBytes;
    llvm::append_range(found.index, elementNumbers(int64_t(buffer), ring));
    byte -= buffer * table.bufferBytes;
  }
  found.byte = int64_t(byte);
  found.element = elementWith(table, byte, isCluster() ? owner : 0);
  return found;
}

bool Cta::isTensorMemory(uint64_t offset) const {
  return program.tensorRowBytes &&
         (isCluster() ? offset % kCtaSharedStride : offset) >= kTensorMemoryBase;
}

std::string Cta::ofCta(uint64_t offset) const {
  return isCluster() ? " of CTA " + std::to_string(offset / kCtaSharedStride) : "";
}

std::string Cta::bufferText(uint64_t offset) const {
  std::string name = memoryAt(offset).text();
  if (name.empty())
    return isTensorMemory(offset) ? "tensor memory" : "shared memory";
  return name + ofCta(offset);
}

std::string Cta::byteText(uint64_t offset) const {
  MemoryName memory = memoryAt(offset);
  if (!memory.element.empty())
    return "element (" + listText(memory.element) + ")";
  if (isTensorMemory(offset)) {
    const uint64_t byte = (isCluster() ? offset % kCtaSharedStride : offset) - kTensorMemoryBase;
    return "row " + std::to_string(byte / program.tensorRowBytes) + ", column " +
           std::to_string(byte % program.tensorRowBytes / 4);
  }
  return "byte " + std::to_string(memory.byte) + (memory.buffer.empty() ? ofCta(offset) : "");
}

std::string Cta::barrierText(uint64_t offset, const char *otherwise) const {
  MemoryName memory = memoryAt(offset);
  if (!memory.buffer.empty())
    return memory.text() + ofCta(offset);
  return otherwise + std::to_string(memory.byte) + ofCta(offset);
}

MemoryName Cta::barrierNameAt(uint64_t offset) const {
  MemoryName memory = memoryAt(offset);
  memory.element.clear();
  if (!memory.buffer.empty())
    memory.byte = -1;
  return memory;
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

static std::string partitionText(const Fiber &which) {
  if (which.name)
    return which.name->text;
  return which.partition >= 0 ? "partition " + std::to_string(which.partition)
                              : "the default partition";
}

std::string Cta::nameOf(const Fiber &which) const {
  std::string cta = isCluster() ? "CTA " + std::to_string(which.cta) : "";
  if (isUndivided(which))
    return isCluster() ? cta : "it";
  return partitionText(which) + (isCluster() ? " of " + cta : "");
}

std::string Cta::nameOf(std::optional<uint32_t> index) const {
  for (const std::unique_ptr<Fiber> &each : fibers)
    if (each->index == index)
      return nameOf(*each);
  return "an asynchronous operation";
}

Actor Cta::actorOf(const Fiber &which) const {
  Actor actor;
  if (isCluster())
    actor.cta = int(which.cta);
  if (isUndivided(which))
    return actor;
  actor.worker = which.partition;
  actor.partition = which.name ? which.name->name : "";
  actor.text = partitionText(which);
  return actor;
}

Actor Cta::actorAt(uint32_t place) {
  Actor actor = actorOf(*fiber);
  actor.counts = countsOf(program, place, loopValues(*this, rank(), place));
  return actor;
}

} // namespace gluonc::sim

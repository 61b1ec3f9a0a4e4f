#include "sim/machine/Ordering.h"

#include <algorithm>

namespace gluonc::sim {

void Ordering::View::join(const View &other) {
  for (uint32_t i = 0; i < kClocks; ++i) {
    seen[i] = std::max(seen[i], other.seen[i]);
    fenced[i] = std::max(fenced[i], other.fenced[i]);
  }
}

Ordering::Ordering(uint32_t sharedBytes, uint32_t ctas)
    : ctas(ctas), writes((sharedBytes + kCellBytes - 1) / kCellBytes) {
  clear();
}

void Ordering::clear() {
  views.assign(ctas, View());
  for (uint32_t cta = 0; cta < ctas; ++cta)
    views[cta].seen[cta] = 1;
  barriers.clear();
  synchronized = View();
  std::fill(writes.begin(), writes.end(), Cell());
  reads.clear();
  barrierTimes = {};
  nextBarrierClock = kFibers;
  concurrent = ctas > 1;
  reads.resize(ctas);
}

//===----------------------------------------------------------------------===//
// What orders
//===----------------------------------------------------------------------===//

/// The clock of a program that outlives it stops, which hides races.
void Ordering::stepOn(uint32_t fiber) {
  uint32_t &time = views[fiber].seen[fiber];
  time = std::min(time + 1, kMaxClock);
}

void Ordering::release(uint32_t fiber, View &to) {
  to.join(views[fiber]);
  stepOn(fiber);
}

void Ordering::start(uint32_t parent, uint32_t fiber) {
  concurrent = true;
  if (views.size() <= fiber)
    views.resize(fiber + 1);
  if (reads.size() <= fiber)
    reads.resize(fiber + 1);
  // Its clock goes on where an earlier fiber of that number left off, or nobody could tell
  // the two apart.
  views[fiber].join(views[parent]);
  stepOn(fiber);
  stepOn(parent);
}

void Ordering::join(uint32_t parent, uint32_t fiber) {
  views[parent].join(views[fiber]);
  stepOn(parent);
  concurrent = ctas > 1;
}

void Ordering::fence(uint32_t fiber) {
  views[fiber].fenced = views[fiber].seen;
  stepOn(fiber);
}

void Ordering::synchronize(uint32_t fiber) {
  views[fiber].join(synchronized);
  release(fiber, synchronized);
}

Ordering::BarrierState &Ordering::stateOf(uint32_t barrier) {
  BarrierState &state = barriers[barrier];
  if (!state.clock) {
    state.clock = nextBarrierClock;
    nextBarrierClock = nextBarrierClock + 1 < kClocks ? nextBarrierClock + 1 : kFibers;
  }
  return state;
}

void Ordering::completePhase(uint32_t barrier) {
  BarrierState &state = barriers[barrier];
  state.completed.join(state.arrived);
}

Ordering::Epoch Ordering::complete(llvm::ArrayRef<uint32_t> completing, Proxy proxy) {
  uint32_t clock = stateOf(completing.front()).clock;
  uint32_t &time = barrierTimes[clock];
  time = std::min(time + 1, kMaxClock);
  for (uint32_t barrier : completing)
    barriers[barrier].arrived.seen[clock] = time;
  return epochOf(clock, time) | (proxy == Proxy::Async ? kAsyncBit : 0);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

bool Ordering::Access::fail(uint64_t cell, uint32_t place, std::optional<uint32_t> other,
                            bool otherWrites, bool lacksFence) {
  conflict = {cell * kCellBytes, place, other, otherWrites, lacksFence};
  return false;
}

/// Whether the last write of a cell is known, through the proxy of this access.
bool Ordering::Access::knows(uint64_t cell, uint32_t bytes) {
  const Cell &last = ordering.writes[cell];
  if (last.epoch == known || !(last.bytes & bytes))
    return true;
  const View &view = ordering.views[fiber];
  uint32_t clock = clockOf(last.epoch), time = timeOf(last.epoch);
  bool isOrdered = view.seen[clock] >= time;
  bool needsFence = proxy == Proxy::Async && !(last.epoch & kAsyncBit);
  if (!isOrdered || (needsFence && view.fenced[clock] < time))
    return fail(cell, last.place, clock < kFibers ? std::optional(clock) : std::nullopt,
                /*otherWrites=*/true, /*lacksFence=*/isOrdered);
  known = last.epoch;
  return true;
}

bool Ordering::Access::readRest(uint64_t cell, uint64_t offset, uint32_t bytes) {
  for (; cell * kCellBytes < offset + bytes; ++cell)
    if (!knows(cell, bytesOf(cell, offset, bytes)))
      return false;
  return true;
}

bool Ordering::Access::write(uint64_t offset, uint32_t bytes) {
  if (!read(offset, bytes))
    return false;
  // Without others only a fence can be missing.
  if (!ordering.concurrent && proxy == Proxy::Generic)
    return true;
  const View &view = ordering.views[fiber];
  const uint64_t end = (offset + bytes + kCellBytes - 1) / kCellBytes;
  for (uint32_t reader = 0; reader < ordering.reads.size(); ++reader) {
    if (reader == fiber && proxy == Proxy::Generic)
      continue;
    const Reads &theirs = ordering.reads[reader];
    if (theirs.chunks.empty())
      continue;
    // The last that was found to be in order, as most cells have the reads of their neighbours; 0
    // is of cells that nobody has read.
    Epoch fine = 0;
    for (uint64_t cell = offset / kCellBytes; cell < end;) {
      const uint64_t chunkEnd = std::min(end, (cell / kChunkCells + 1) * kChunkCells);
      const Cell *last = theirs.find(cell);
      for (uint64_t i = 0; last && i < chunkEnd - cell; ++i) {
        if (last[i].epoch == fine || !(last[i].bytes & bytesOf(cell + i, offset, bytes)))
          continue;
        const uint32_t time = timeOf(last[i].epoch);
        const bool isOrdered = reader == fiber || time <= view.seen[reader];
        const bool needsFence = proxy == Proxy::Async && !(last[i].epoch & kAsyncBit);
        if (!isOrdered || (needsFence && time > view.fenced[reader]))
          return fail(cell + i, last[i].place, reader, /*otherWrites=*/false,
                      /*lacksFence=*/isOrdered);
        fine = last[i].epoch;
      }
      cell = chunkEnd;
    }
  }
  return true;
}

void Ordering::noteRead(uint32_t fiber, uint64_t offset, uint32_t bytes, uint32_t place,
                        Proxy proxy) {
  std::vector<std::vector<Cell>> &chunks = reads[fiber].chunks;
  const Epoch now = views[fiber].seen[fiber] | (proxy == Proxy::Async ? kAsyncBit : 0);
  const uint64_t end = (offset + bytes + kCellBytes - 1) / kCellBytes;
  // Of a cell that is read as a whole nothing is kept.
  const uint64_t wholeBegin = (offset + kCellBytes - 1) / kCellBytes;
  const uint64_t wholeEnd = (offset + bytes) / kCellBytes;
  const Cell whole = {now, place, (1u << kCellBytes) - 1};
  for (uint64_t cell = offset / kCellBytes; cell < end;) {
    const uint64_t chunk = cell / kChunkCells;
    if (chunks.size() <= chunk)
      chunks.resize(chunk + 1);
    if (chunks[chunk].empty())
      chunks[chunk].resize(kChunkCells);
    Cell *const cells = &chunks[chunk][cell % kChunkCells];
    if (cell < wholeBegin || cell >= wholeEnd) {
      note(*cells, now, place, bytesOf(cell, offset, bytes));
      ++cell;
      continue;
    }
    const uint64_t count = std::min(wholeEnd, (chunk + 1) * kChunkCells) - cell;
    std::fill_n(cells, count, whole);
    cell += count;
  }
}

void Ordering::noteWrite(Epoch epoch, uint64_t offset, uint32_t bytes, uint32_t place) {
  const uint64_t end = offset + bytes;
  uint64_t cell = offset / kCellBytes;
  auto notePartial = [&] {
    note(writes[cell], epoch, place, bytesOf(cell, offset, bytes));
    ++cell;
  };
  if (offset % kCellBytes)
    notePartial();
  // Of a cell that is written as a whole nothing is kept.
  for (const Cell whole = {epoch, place, (1u << kCellBytes) - 1}; cell < end / kCellBytes; ++cell)
    writes[cell] = whole;
  if (cell * kCellBytes < end)
    notePartial();
}

} // namespace gluonc::sim

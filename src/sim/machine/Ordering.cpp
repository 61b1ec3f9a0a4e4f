#include "sim/machine/Ordering.h"

#include <bit>

namespace gluonc::sim {

void Ordering::View::join(const View &other) {
  for (uint32_t i = 0; i < kClocks; ++i) {
    seen[i] = std::max(seen[i], other.seen[i]);
    fenced[i] = std::max(fenced[i], other.fenced[i]);
  }
}

Ordering::Ordering(uint32_t sharedBytes, uint32_t ctas)
    : ctas(ctas), writes((sharedBytes + kBlockBytes - 1) / kBlockBytes) {
  clear();
}

void Ordering::clear() {
  views.assign(ctas, View());
  for (uint32_t cta = 0; cta < ctas; ++cta)
    views[cta].seen[cta] = 1;
  barriers.clear();
  synchronized = View();
  for (WrittenBlock &block : writes) {
    block.common = Cell();
    block.isCommon = true;
    block.readers = 0;
  }
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
bool Ordering::Access::knows(const Cell &last, uint64_t cell) {
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

bool Ordering::Access::read(uint64_t offset, uint32_t bytes) {
  return forEachBlock(offset, bytes, [&](uint64_t at, uint64_t begin, uint64_t end) {
    const Block &block = ordering.writes[at];
    if (block.isCommon)
      return block.common.epoch == known || knows(block.common, begin);
    const Cell *cells = &block.cells[begin % kBlockCells];
    for (uint64_t i = 0; i < end - begin; ++i)
      if (cells[i].epoch != known && (cells[i].bytes & bytesOf(begin + i, offset, bytes)) &&
          !knows(cells[i], begin + i))
        return false;
    return true;
  });
}

/// Whether what somebody has read last of a cell may be overwritten.
bool Ordering::Access::mayReplace(uint32_t reader, const Cell &last, uint64_t cell) {
  const View &view = ordering.views[fiber];
  const uint32_t time = timeOf(last.epoch);
  const bool isOrdered = reader == fiber || time <= view.seen[reader];
  const bool needsFence = proxy == Proxy::Async && !(last.epoch & kAsyncBit);
  return (isOrdered && (!needsFence || time <= view.fenced[reader])) ||
         fail(cell, last.place, reader, /*otherWrites=*/false, /*lacksFence=*/isOrdered);
}

bool Ordering::Access::write(uint64_t offset, uint32_t bytes) {
  if (!read(offset, bytes))
    return false;
  // Without others only a fence can be missing.
  if (!ordering.concurrent && proxy == Proxy::Generic)
    return true;
  return forEachBlock(offset, bytes, [&](uint64_t at, uint64_t begin, uint64_t end) {
    if (const uint64_t these = ordering.writes[at].readers;
        these != mask || chunk != at / kChunkBlocks)
      findReaders(these, at / kChunkBlocks);
    for (const Reader &reader : readers) {
      const ReadBlock &block = reader.blocks[at % kChunkBlocks];
      if (block.latest <= reader.seen && block.latestGeneric <= reader.fenced)
        continue;
      for (uint64_t cell = begin; cell < end; ++cell)
        if (const Cell &last = block.at(cell);
            (last.bytes & bytesOf(cell, offset, bytes)) && !mayReplace(reader.fiber, last, cell))
          return false;
    }
    return true;
  });
}

void Ordering::Access::findReaders(uint64_t newMask, uint64_t newChunk) {
  mask = newMask;
  chunk = newChunk;
  readers.clear();
  const View &view = ordering.views[fiber];
  for (uint64_t left = mask; left; left &= left - 1) {
    const uint32_t reader = uint32_t(std::countr_zero(left));
    readers.push_back({reader, reader == fiber ? kMaxClock : view.seen[reader],
                       proxy == Proxy::Generic ? kMaxClock : view.fenced[reader],
                       ordering.reads[reader].chunks[chunk].data()});
  }
}

void Ordering::Block::notePart(uint64_t block, uint64_t offset, uint32_t bytes, Epoch epoch,
                               uint32_t place) {
  const uint64_t first = block * kBlockBytes;
  const uint64_t begin = std::max(offset, first);
  const uint64_t end = std::min(offset + bytes, first + kBlockBytes);
  if (isCommon) {
    if (common == Cell{epoch, place, kWholeCell})
      return;
    if (!cells)
      cells = std::make_unique<Cell[]>(kBlockCells);
    std::fill_n(cells.get(), kBlockCells, common);
    isCommon = false;
  }
  for (uint64_t cell = begin / kCellBytes; cell * kCellBytes < end; ++cell) {
    Cell &last = cells[cell % kBlockCells];
    const uint32_t touched = bytesOf(cell, offset, bytes);
    last = {epoch, place, last.epoch == epoch ? last.bytes | touched : touched};
  }
}

void Ordering::noteRead(uint32_t fiber, uint64_t offset, uint32_t bytes, uint32_t place,
                        Proxy proxy) {
  std::vector<std::vector<ReadBlock>> &chunks = reads[fiber].chunks;
  const uint32_t time = views[fiber].seen[fiber];
  const Epoch epoch = time | (proxy == Proxy::Async ? kAsyncBit : 0);
  ReadBlock *blocks = nullptr;
  uint64_t chunk = 0;
  forEachBlock(offset, bytes, [&](uint64_t at, uint64_t, uint64_t) {
    if (!blocks || chunk != at / kChunkBlocks) {
      chunk = at / kChunkBlocks;
      if (chunks.size() <= chunk)
        chunks.resize(chunk + 1);
      if (chunks[chunk].empty())
        chunks[chunk].resize(kChunkBlocks);
      blocks = chunks[chunk].data();
    }
    ReadBlock &block = blocks[at % kChunkBlocks];
    if (!block.latest)
      writes[at].readers |= uint64_t(1) << fiber;
    block.latest = time;
    if (proxy == Proxy::Generic)
      block.latestGeneric = time;
    block.note(at, offset, bytes, epoch, place);
    return true;
  });
}

void Ordering::noteWrite(Epoch epoch, uint64_t offset, uint32_t bytes, uint32_t place) {
  forEachBlock(offset, bytes, [&](uint64_t at, uint64_t, uint64_t) {
    writes[at].note(at, offset, bytes, epoch, place);
    return true;
  });
}

} // namespace gluonc::sim

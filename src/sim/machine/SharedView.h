//===- SharedView.h - Where elements of a shared-memory view lie ------------===//
//
// A memdesc value is a Descriptor: the byte where its buffer begins and the
// coordinates where the view begins within the buffer. Where an element lies then
// depends on the type alone: its AddressTable is the inverse of the encoding's
// linear layout over the whole buffer, spelled out once per type.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/Share.h"

namespace gluonc::sim {

struct Descriptor {
  static constexpr unsigned kMaxRank = 8;
  uint32_t base;
  uint32_t origin[kMaxRank];
};
static_assert(sizeof(Descriptor) <= kDescriptorBytes);

/// Where tensor memory begins, row by row, behind the shared memory of a CTA: more than any chip
/// has.
inline constexpr uint32_t kTensorMemoryBase = 1u << 18;
/// CTAs of a cluster have their memories this far apart.
inline constexpr uint32_t kCtaSharedStride = 2 * kTensorMemoryBase;

struct AddressTable : OpData {
  uint32_t elementBytes = 0;
  /// One buffer: padding included, in one CTA.
  uint32_t bufferBytes = 0;
  /// The view's own shape, and how many leading dims of it count buffers of a ring.
  llvm::SmallVector<uint32_t, 4> shape;
  uint32_t ringDims = 0;
  /// The buffer's shape without ring dims, which `offsets` is row-major over.
  llvm::SmallVector<uint32_t, 4> bufferShape;
  /// The view's shape is the buffer's, so that both count elements alike.
  bool isWhole = false;
  /// Dims of the buffer before those of the view; the view has them at 0.
  uint32_t hiddenDims = 0;
  /// Of several CTAs that hold an element, in the first.
  std::vector<uint32_t> offsets;
  /// Bits of a CTA's number that make no difference to what it holds.
  uint32_t copyBits = 0;
  /// Elements in a row that start at a multiple of this, a power of two, and are as
  /// many, lie one behind the other.
  uint32_t run = 1;
  bool inTensorMemory = false;
  /// Places of each element, so many bytes apart, of which `offsets` has the first: scales are
  /// there for each warp.
  uint32_t places = 1, placeStride = 0;
  /// The view is a whole buffer whose elements fill it without gaps, whatever their order.
  bool fillsBuffer = false;
};

/// The elements of a view, or of one CTA's share of it.
struct Region {
  const AddressTable *table = nullptr;
  Descriptor view;
  /// Null for the whole view.
  const Share *share = nullptr;
  uint32_t rank = 0;
  /// To the CTA among those with copies.
  uint32_t copyOffset = 0;
  /// Which halves of the warps hold each element (StageOrder.h); null for both.
  const uint8_t *halves = nullptr;
  /// CTAs may go different ways to this access: who comes here stores for itself.
  bool isApart = false;

  uint32_t elements() const {
    if (share)
      return share->elements;
    uint32_t count = 1;
    for (uint32_t size : table->shape)
      count *= size;
    return count;
  }
  /// A byte of its buffer.
  uint64_t start() const { return view.base + uint64_t(rank) * kCtaSharedStride; }
  /// The byte where an element of the view lies, by its row-major number.
  uint64_t offsetOf(uint32_t element) const {
    return table->isWhole ? view.base + table->offsets[element] + copyOffset
                          : offsetWithin(element);
  }
  uint64_t offsetWithin(uint32_t element) const;
  /// Bits of a CTA's number in which copies differ, and the share does, too: a store writes all of
  /// these.
  uint32_t spreadBits() const {
    uint32_t spread = 0;
    for (uint32_t rest = share ? table->copyBits : 0; rest; rest &= rest - 1)
      spread |= share->begins[rest & -rest] ? rest & -rest : 0;
    return spread;
  }
  /// Where several CTAs store the same share: whether this one stores the element at a byte. The
  /// one that owns the memory does, or else the first of those that come to these copies.
  bool stores(uint64_t offset) const {
    uint32_t owner = uint32_t(offset / kCtaSharedStride);
    if (!share || isApart || (owner | share->together) == (rank | share->together))
      return true;
    return share->begins[owner] != share->begins[rank] &&
           share->isLeast(rank, table->copyBits & ~spreadBits());
  }
};

/// Calls `visit(region)` for all copies that a store of the region writes, until it gives false.
template <class Visit> bool forEachStoredCopy(const Region &region, Visit &&visit) {
  const uint32_t spread = region.spreadBits();
  if (!spread)
    return visit(region);
  Region copy = region;
  const uint32_t own = region.rank & region.table->copyBits & ~spread;
  for (uint32_t bits = spread;; bits = (bits - 1) & spread) {
    copy.copyOffset = (own | bits) * kCtaSharedStride;
    if (!visit(copy))
      return false;
    if (!bits)
      return true;
  }
}

/// Calls `visit(region)` for all places of the elements, until it gives false.
template <class Visit> bool forEachPlace(const Region &region, Visit &&visit) {
  Region place = region;
  for (uint32_t i = 0; i < region.table->places; ++i, place.view.base += region.table->placeStride)
    if (!visit(place))
      return false;
  return true;
}

/// Like forEachSharedRun, for a share.
template <class Visit> void forEachShareRun(const Region &region, Visit &&visit) {
  const AddressTable &table = *region.table;
  const uint32_t rank = uint32_t(table.shape.size());
  uint32_t run = 1;
  if (rank && table.ringDims != rank) {
    uint32_t aligned = table.shape.back() | region.view.origin[rank - 1] | region.share->run;
    run = std::min(table.run, aligned & (~aligned + 1));
  }
  for (uint32_t element = 0; element < region.share->elements; element += run)
    visit(element, region.offsetOf(region.share->toWhole(element, region.rank)), run);
}

/// Calls `visit(element, offset, count)` for runs of elements that lie one behind the other
/// from a byte offset on; elements are row-major over the view.
template <class Visit> void forEachSharedRun(const Region &region, Visit &&visit) {
  if (region.share)
    return forEachShareRun(region, visit);
  const AddressTable &table = *region.table;
  const Descriptor &view = region.view;
  uint32_t rank = static_cast<uint32_t>(table.shape.size());
  uint32_t rowLength = rank ? table.shape.back() : 1;
  uint32_t rows = 1;
  for (uint32_t dim = 0; dim + 1 < rank; ++dim)
    rows *= table.shape[dim];
  // A view whose only dims count buffers steps from one to the next.
  bool stepsRing = table.ringDims == rank;
  uint32_t run = 1;
  if (rank && !stepsRing) {
    uint32_t aligned = rowLength | view.origin[rank - 1];
    run = std::min(table.run, aligned & (~aligned + 1));
  }
  uint32_t element = 0;
  // Most views are of rows of one buffer.
  if (rank == 2 && !table.ringDims && !table.hiddenDims) {
    const uint32_t *offsets =
        table.offsets.data() + view.origin[0] * table.bufferShape[1] + view.origin[1];
    for (uint32_t row = 0; row < rows; ++row, offsets += table.bufferShape[1])
      for (uint32_t i = 0; i < rowLength; i += run, element += run)
        visit(element, view.base + uint64_t(offsets[i]), run);
    return;
  }
  for (uint32_t row = 0; row < rows; ++row) {
    // Coordinates of the row within ring and buffer.
    uint32_t rest = row, ring = 0, ringStride = 1, start = 0, stride = 1;
    for (uint32_t dim = rank; dim-- > 0;) {
      uint32_t coordinate = view.origin[dim];
      if (dim + 1 < rank) {
        coordinate += rest % table.shape[dim];
        rest /= table.shape[dim];
      }
      if (dim >= table.ringDims) {
        start += coordinate * stride;
        stride *= table.bufferShape[dim - table.ringDims + table.hiddenDims];
      } else {
        ring += coordinate * ringStride;
        ringStride *= table.shape[dim];
      }
    }
    uint64_t base = view.base + uint64_t(ring) * table.bufferBytes;
    for (uint32_t i = 0; i < rowLength; i += run, element += run)
      visit(element,
            stepsRing ? base + uint64_t(i) * table.bufferBytes + table.offsets[0]
                      : base + table.offsets[start + i],
            run);
  }
}

} // namespace gluonc::sim

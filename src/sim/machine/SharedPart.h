//===- SharedPart.h - Parts of shared memory that a region fills -------------===//
//
// What holds for bytes alike need not know their elements. A whole buffer whose elements
// fill it is one stretch of memory in each CTA that has some of it, whatever their order;
// so is what one CTA, or a pair, of a cluster has of such.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/SharedView.h"

namespace gluonc::sim {

struct SharedPart {
  uint64_t offset;
  uint32_t bytes;
};

/// The parts that the elements of a region fill without gaps, one in each CTA; empty where there
/// may be gaps.
llvm::SmallVector<SharedPart, 4> partsOf(const Region &region);

/// Calls `visit(offset, bytes)` for parts of memory that make up a region.
template <class Visit> void forEachPart(const Region &region, Visit &&visit) {
  const llvm::SmallVector<SharedPart, 4> parts = partsOf(region);
  for (auto [offset, bytes] : parts)
    visit(offset, bytes);
  if (parts.empty())
    forEachSharedRun(region, [&](uint32_t, uint64_t offset, uint32_t count) {
      visit(offset, count * region.table->elementBytes);
    });
}

} // namespace gluonc::sim

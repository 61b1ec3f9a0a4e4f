//===- SharedPart.h - Parts of shared memory that a region fills -------------===//
//
// What holds for bytes alike need not know their elements. A whole buffer whose elements
// fill it is one stretch of memory, whatever their order, and so is the share that one
// CTA of a cluster has of such.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/SharedView.h"

#include <optional>

namespace gluonc::sim {

struct SharedPart {
  uint64_t offset;
  uint32_t bytes;
};

/// The part that the elements of a region fill without gaps; nullopt where they may be several.
std::optional<SharedPart> partOf(const Region &region);

/// Calls `visit(offset, bytes)` for parts of memory that make up a region.
template <class Visit> void forEachPart(const Region &region, Visit &&visit) {
  if (std::optional<SharedPart> part = partOf(region))
    return visit(part->offset, part->bytes);
  forEachSharedRun(region, [&](uint32_t, uint64_t offset, uint32_t count) {
    visit(offset, count * region.table->elementBytes);
  });
}

} // namespace gluonc::sim

//===- Blocks.h - What stays within the CTAs of a cluster ------------------===//
#pragma once

#include "layout/linear/LinearLayout.h"

namespace gluonc::layout {

/// Whether `map` (…, block -> …, block) leaves every CTA to itself. What mapToShared finds is such
/// a map wherever it can be: a CTA whose memory has a copy of an element uses its own.
bool staysInBlock(const LinearLayout &map);

/// The bits of the CTA's number along which `layout`, of memory or of a tensor, repeats itself:
/// CTAs that differ in them alone have the same elements at the same places.
///   block: [0], [16]  ->  0b1
uint32_t blockCopies(const LinearLayout &layout);

/// The bits along which memory in layout `shared` repeats itself, although a tensor in layout
/// `distributed` does not. Who stores the tensor has to reach each of these
/// copies, as no CTA fills one alone.
///   distributed block: [16], shared block: [0]  ->  0b1
uint32_t copiesToStore(const LinearLayout &distributed, const LinearLayout &shared);

/// The numbers made of bits of `mask`, 0 first.
///   0b101  ->  0 1 4 5
llvm::SmallVector<uint32_t, 4> combinations(uint32_t mask);

} // namespace gluonc::layout

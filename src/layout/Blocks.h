//===- Blocks.h - What stays within the CTAs of a cluster ------------------===//
#pragma once

#include "layout/LinearLayout.h"

namespace gluonc::layout {

/// Whether `map` (…, block -> …, block) leaves every CTA to itself. What mapToShared finds is such
/// a map wherever it can be: a CTA whose memory has a copy of an element uses its own.
bool staysInBlock(const LinearLayout &map);

} // namespace gluonc::layout

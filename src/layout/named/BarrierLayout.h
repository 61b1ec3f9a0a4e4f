//===- BarrierLayout.h - Where the barriers of a cluster lie ----------------------------===//
#pragma once

#include "layout/named/Layouts.h"

namespace gluonc::layout {

/// The layout of a barrier for each of `ctas` CTAs, a power of two, or for each pair of them.
inline SwizzledSharedLayout barrierLayout(int64_t ctas, bool pairs) {
  SwizzledSharedLayout layout{1, 1, 1, {0}, {}};
  if (pairs && ctas > 1)
    layout.cga.push_back({0});
  for (int64_t barrier = 1; barrier < (pairs ? ctas / 2 : ctas); barrier *= 2)
    layout.cga.push_back({barrier});
  return layout;
}

} // namespace gluonc::layout

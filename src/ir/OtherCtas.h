//===- OtherCtas.h - Views of memory of other CTAs ---------------------------===//
#pragma once

#include "ir/Dialects.h"

namespace gluonc {

/// Whether a view may begin in the memory of another CTA than that which asks: it is cut out of a
/// larger buffer along a dim that is split among CTAs.
bool beginsInOtherCta(ttg::MemDescType buffer);

} // namespace gluonc

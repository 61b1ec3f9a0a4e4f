//===- Findings.h - What a kernel pays for nothing -------------------------------===//
//
// Counts and facts to diagnostics: what, why, and how to mend it. Findings are in the
// order of what they cost, the most expensive one first, by figures that are good for
// that only (README.md).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "explain/Profile.h"

namespace gluonc::explain {

struct Finding {
  diag::Diagnostic diagnostic;
  /// Cycles of multiprocessors, roughly; 0 where nobody can say.
  uint64_t cycles = 0;
};

std::vector<Finding> findWaste(const Profile &profile);

} // namespace gluonc::explain

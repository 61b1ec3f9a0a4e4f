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

/// "`tile`, 32x128xf32 in BlockedLayout(…): 32 registers"
std::string textOf(const Pressure::Value &value, const Facts &facts);
/// "`buffer`, 2x64x64 f16: 16384 bytes, lines 12 to 30"
std::string textOf(const OnChipFact &fact);

std::vector<Finding> findWaste(const Profile &profile);

} // namespace gluonc::explain

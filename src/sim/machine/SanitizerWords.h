//===- SanitizerWords.h - Faults in the words of Triton's sanitizers -----------===//
//
// Scripts and tests that were written for a sanitizer of Triton look for its words.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/machine/Faults.h"

namespace gluonc::sim {

/// What the sanitizer of concurrency prints where it finds the fault; "" for those that it does not
/// look for.
std::string concurrencyWords(const Fault &fault, llvm::ArrayRef<Place> places);

} // namespace gluonc::sim

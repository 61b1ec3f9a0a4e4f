//===- ReleaseWaits.h - Releases that wait in loops, too --------------------------------===//
#pragma once

#include "target/Target.h"

#include "llvm/IR/Module.h"

namespace gluonc::codegen::amd {

/// Has the wave wait, where it releases, for its own accesses: to LDS, and unless the release is of
/// LDS alone, to global memory. LLVM inserts such waits, but LLVM 22 takes one out of a loop that
/// needs it from the second iteration on only. Atomics that release become a fence and one that
/// does not.
void waitAtReleases(llvm::Module &module, const target::Target &target);

} // namespace gluonc::codegen::amd

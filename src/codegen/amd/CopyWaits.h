//===- CopyWaits.h - Waits for groups of copies as counts of instructions --------------===//
#pragma once

#include "llvm/IR/Module.h"

namespace gluonc::codegen::amd {

/// Hardware counts instructions, not groups. A wait that leaves n groups unfinished leaves as many
/// copies as were begun since the group before those was closed, on the path to the wait that has
/// fewest. Marks that close groups (llvm.sideeffect) and that wait for them (s.wait.asynccnt with
/// the number of groups) go. On gfx9 copies count `asLoads`.
///
/// LDS that is loaded is said to be none that copies write, and barriers wait for other accesses to
/// LDS only: LLVM would wait for all copies.
void countCopies(llvm::Module &module, bool asLoads);

} // namespace gluonc::codegen::amd

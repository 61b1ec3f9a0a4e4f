//===- CopyWaits.h - Waits for groups of copies as counts of instructions --------------===//
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace gluonc::codegen::amd {

/// Which engine makes copies; each has groups and a counter of its own. Of the tensor mover, the
/// instructions of an operation are a group.
enum class CopyEngine { Lanes, TensorMover };

/// Marks that countCopies makes waits of: where a group ends, and where all groups but `pending`
/// are awaited.
void closeCopies(llvm::IRBuilder<> &builder, CopyEngine engine);
void awaitCopies(llvm::IRBuilder<> &builder, CopyEngine engine, unsigned pending);

/// Hardware counts instructions, not groups. A wait that leaves n groups unfinished leaves as many
/// copies as were begun since the group before those was closed, on the path to the wait that has
/// fewest. On gfx9 copies count `asLoads`.
///
/// LDS that is loaded is said to be none that copies write, and barriers wait for other accesses to
/// LDS only: LLVM would wait for all copies.
void countCopies(llvm::Module &module, bool asLoads);

} // namespace gluonc::codegen::amd

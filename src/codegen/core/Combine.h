//===- Combine.h - Regions that combine elements ----------------------------------===//
//
// A reduction or scan carries a region that combines two tuples of scalars, one
// scalar per operand; it is emitted again for every pair that is combined.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/core/Emitter.h"

namespace gluonc::codegen {

/// One value per operand.
using Tuple = Registers;

/// Emits `region` on two tuples. Nullopt where it holds something without machine code.
std::optional<Tuple> combine(Emitter &emitter, mlir::Region &region, const Tuple &left,
                             const Tuple &right);

/// All tuples combined, in order, as a balanced tree. Needs at least one.
std::optional<Tuple> combineAll(Emitter &emitter, mlir::Region &region,
                                llvm::SmallVector<Tuple> tuples);
/// The same, one after the other.
std::optional<Tuple> combineInOrder(Emitter &emitter, mlir::Region &region,
                                    llvm::ArrayRef<Tuple> tuples);

} // namespace gluonc::codegen

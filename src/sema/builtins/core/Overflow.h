//===- Overflow.h - Checks of debug builds for integers that overflow -----------===//
#pragma once

#include "sema/builtins/Ops.h"

#include "mlir/IR/Region.h"

namespace gluonc::sema::ops {

/// In debug builds, unless they are not wanted: asserts that `result`, a sum, difference or product
/// of signed integers of up to 32 bits, is what it would be in 64. Leaves everything else alone.
void assertNoOverflow(Context &context, const Value &result);

/// Takes such asserts out of a region that combines elements.
void dropOverflowChecks(mlir::Region &region);

} // namespace gluonc::sema::ops

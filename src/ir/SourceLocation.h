//===- SourceLocation.h - Spans as MLIR locations ---------------------------===//
//
// A span becomes the FileLineColLoc of its first character, as Triton prints it
// (columns are 1-based here). Nested inlining becomes CallSiteLoc.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Source.h"

#include "mlir/IR/Location.h"

#include <vector>

namespace gluonc {

/// UnknownLoc for a span without a file.
mlir::Location locationOf(mlir::MLIRContext *context, diag::Span span);

/// The innermost place that `location` names, as one character of a registered file; an empty Span
/// where there is none. Names and fused locations are looked through.
diag::Span spanOf(mlir::Location location, const diag::SourceManager &sources);

/// The calls that led to `location`, innermost first, without `location` itself.
std::vector<diag::Span> callChainOf(mlir::Location location, const diag::SourceManager &sources);

} // namespace gluonc

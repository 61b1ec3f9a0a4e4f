//===- SourceLocation.h - Spans as MLIR locations ---------------------------===//
//
// A span becomes the FileLineColLoc of its first character, as Triton prints it
// (columns are 1-based here). Nested inlining becomes CallSiteLoc. What the source has a name for
// may have that in a NameLoc around.
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

/// `location` with the name that the source has for what is there.
mlir::Location withName(mlir::Location location, llvm::StringRef name);

/// That name, also after inlining; "" where there is none.
llvm::StringRef nameOf(mlir::Location location);

/// The calls that led to `location`, innermost first, without `location` itself.
std::vector<diag::Span> callChainOf(mlir::Location location, const diag::SourceManager &sources);

} // namespace gluonc

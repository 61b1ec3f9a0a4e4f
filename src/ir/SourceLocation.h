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

#include <string>
#include <utility>
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

/// `location` of a value that a variable holds, too, since what is at `binding`; without changing
/// what else `location` says.
mlir::Location withVariable(mlir::Location location, llvm::StringRef name, mlir::Location binding);

/// The variables that hold the value at `location`, each with the location of its binding.
std::vector<std::pair<llvm::StringRef, mlir::Location>> variablesOf(mlir::Location location);

/// What loops count that are no loops of the IR, because they were unrolled: those of `outer`,
/// which may be null, and one more inside.
mlir::Attribute addIndex(mlir::MLIRContext *context, mlir::Attribute outer, llvm::StringRef name,
                         int64_t index);

/// `location` in an iteration of unrolled loops; null: in none.
mlir::Location withIndices(mlir::Location location, mlir::Attribute indices);

/// What the unrolled loops around it count, outermost first, those around calls that were inlined
/// included.
std::vector<std::pair<std::string, int64_t>> indicesOf(mlir::Location location);

/// `location` of a call that is inlined, with the name of the function that it calls.
mlir::Location withCallee(mlir::Location location, llvm::StringRef name);

/// That name; "" where there is none.
llvm::StringRef calleeOf(mlir::Location location);

/// The calls that led to `location`, innermost first, without `location` itself.
std::vector<diag::Span> callChainOf(mlir::Location location, const diag::SourceManager &sources);

} // namespace gluonc

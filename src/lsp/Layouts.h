//===- Layouts.h - Where the elements of a value are ---------------------------===//
#pragma once

#include "mlir/IR/Types.h"

#include <string>

namespace gluonc::lsp {

/// What a tensor takes of each thread, or a buffer of shared memory, and a picture of its first
/// elements, in Markdown; empty for other types.
std::string describeLayout(mlir::Type type);

} // namespace gluonc::lsp

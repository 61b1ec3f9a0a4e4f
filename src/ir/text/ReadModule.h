//===- ReadModule.h - IR from text ---------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gluonc {

/// The module that `text` spells, verified; null after an error was reported to `context`. `text`
/// is followed by a null character in memory. What MLIR's parser does not survive is refused
/// before (CheckText.h).
mlir::OwningOpRef<mlir::ModuleOp> readModule(mlir::MLIRContext &context, llvm::StringRef text,
                                             llvm::StringRef file = "");

} // namespace gluonc

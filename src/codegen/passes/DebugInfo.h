//===- DebugInfo.h - Line tables -----------------------------------------------===//
//
// Kernel lines only: no variables, no types. Code that came from another
// function by inlining is shown at its own line.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace gluonc::codegen {

class DebugInfo {
public:
  explicit DebugInfo(llvm::Module &module) : module(module), builder(module) {}
  /// Gives `function` a subprogram at `location`.
  void declare(llvm::Function &function, mlir::Location location);
  /// Null where the location names no line.
  llvm::DebugLoc locationOf(mlir::Location location, llvm::Function &function);
  void finish() { builder.finalize(); }

private:
  llvm::DIFile *fileOf(mlir::FileLineColLoc location);

  llvm::Module &module;
  llvm::DIBuilder builder;
  llvm::DICompileUnit *unit = nullptr;
};

/// Gives casts of what is loaded the places of the loads: instruction selection makes one load of
/// both, at the cast's place.
void placeCastsAtLoads(llvm::Module &module);

/// The innermost file position of a location, through names, calls and fusions.
std::optional<mlir::FileLineColLoc> filePosition(mlir::Location location);

} // namespace gluonc::codegen

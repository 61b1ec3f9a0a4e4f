//===- DebugInfo.h - Line tables -----------------------------------------------===//
//
// Kernel lines only: no variables, no types. Code that came from another
// function by inlining is shown at its own line, and knows the calls that led to it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"

#include <map>
#include <optional>

namespace gluonc::codegen {

class DebugInfo {
public:
  /// `hasInlined`: the unit says itself which calls were inlined (DWARF). Else line tables are all
  /// that is written.
  DebugInfo(llvm::Module &module, bool hasInlined)
      : module(module), builder(module), hasInlined(hasInlined) {}
  /// Gives `function` a subprogram at `location`.
  void declare(llvm::Function &function, mlir::Location location);
  /// Null where the location names no line.
  llvm::DebugLoc locationOf(mlir::Location location, llvm::Function &function);
  void finish() { builder.finalize(); }

private:
  /// A function, and the call of it that was inlined; null for one that was not.
  struct Scope {
    llvm::DISubprogram *subprogram;
    llvm::DILocation *call;
  };
  llvm::DIFile *fileOf(mlir::FileLineColLoc location);
  llvm::DISubprogram *inlined(llvm::StringRef name, mlir::FileLineColLoc inside);
  /// Null where the location names no line.
  llvm::DILocation *locationOf(mlir::Location location, Scope scope);

  llvm::Module &module;
  llvm::DIBuilder builder;
  bool hasInlined;
  llvm::DICompileUnit *unit = nullptr;
  std::map<std::pair<std::string, const llvm::DIFile *>, llvm::DISubprogram *> functions;
  /// By place, and by the call that the place itself was inlined by.
  std::map<std::pair<const void *, const llvm::Metadata *>, llvm::DILocation *> calls;
};

/// Gives casts of what is loaded the places of the loads: instruction selection makes one load of
/// both, at the cast's place.
void placeCastsAtLoads(llvm::Module &module);

/// The innermost file position of a location, through names, calls and fusions.
std::optional<mlir::FileLineColLoc> filePosition(mlir::Location location);

} // namespace gluonc::codegen

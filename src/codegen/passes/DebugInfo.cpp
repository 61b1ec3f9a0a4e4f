#include "codegen/passes/DebugInfo.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gluonc::codegen {

std::optional<mlir::FileLineColLoc> filePosition(mlir::Location location) {
  using Result = std::optional<mlir::FileLineColLoc>;
  return TypeSwitch<mlir::LocationAttr, Result>(location)
      .Case([](mlir::FileLineColLoc position) { return position; })
      .Case([](mlir::NameLoc named) { return filePosition(named.getChildLoc()); })
      .Case([](mlir::CallSiteLoc call) { return filePosition(call.getCallee()); })
      .Case([](mlir::FusedLoc fused) -> Result {
        for (mlir::Location part : fused.getLocations())
          if (Result position = filePosition(part))
            return position;
        return std::nullopt;
      })
      .Default([](mlir::LocationAttr) { return std::nullopt; });
}

void placeCastsAtLoads(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *cast = dyn_cast<BitCastInst>(&instruction))
        if (auto *load = dyn_cast<LoadInst>(cast->getOperand(0)))
          cast->setDebugLoc(load->getDebugLoc());
}

DIFile *DebugInfo::fileOf(mlir::FileLineColLoc location) {
  StringRef path = location.getFilename().getValue();
  return builder.createFile(sys::path::filename(path), sys::path::parent_path(path));
}

void DebugInfo::declare(Function &function, mlir::Location location) {
  std::optional<mlir::FileLineColLoc> position = filePosition(location);
  if (!position)
    return;
  DIFile *file = fileOf(*position);
  if (!unit) {
    module.addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
    unit = builder.createCompileUnit(dwarf::DW_LANG_C, file, "gluonc", /*isOptimized=*/true, "", 0,
                                     "", DICompileUnit::DebugDirectivesOnly);
  }
  DISubroutineType *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  function.setSubprogram(
      builder.createFunction(file, function.getName(), function.getName(), file,
                             position->getLine(), type, position->getLine(), DINode::FlagZero,
                             DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized));
}

DebugLoc DebugInfo::locationOf(mlir::Location location, Function &function) {
  std::optional<mlir::FileLineColLoc> position = filePosition(location);
  DISubprogram *subprogram = function.getSubprogram();
  if (!position || !subprogram)
    return DebugLoc();
  DIScope *scope = subprogram;
  DIFile *file = fileOf(*position);
  if (file != subprogram->getFile())
    scope = builder.createLexicalBlockFile(subprogram, file);
  return DILocation::get(function.getContext(), position->getLine(), position->getColumn(), scope);
}

} // namespace gluonc::codegen

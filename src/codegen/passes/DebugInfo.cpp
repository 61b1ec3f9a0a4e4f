#include "codegen/passes/DebugInfo.h"

#include "ir/SourceLocation.h"

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
    unit = builder.createCompileUnit(
        dwarf::DW_LANG_C, file, "gluonc", /*isOptimized=*/true, "", 0, "",
        hasInlined ? DICompileUnit::LineTablesOnly : DICompileUnit::DebugDirectivesOnly);
  }
  DISubroutineType *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  function.setSubprogram(
      builder.createFunction(file, function.getName(), function.getName(), file,
                             position->getLine(), type, position->getLine(), DINode::FlagZero,
                             DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized));
}

DISubprogram *DebugInfo::inlined(StringRef name, mlir::FileLineColLoc inside) {
  DIFile *file = fileOf(inside);
  DISubprogram *&function = functions[{name.str(), file}];
  if (!function)
    function = builder.createFunction(
        file, name, name, file, 0, builder.createSubroutineType(builder.getOrCreateTypeArray({})),
        0, DINode::FlagZero,
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized |
            DISubprogram::SPFlagLocalToUnit);
  return function;
}

DILocation *DebugInfo::locationOf(mlir::Location location, Scope scope) {
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(location))
    return locationOf(named.getChildLoc(), scope);
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations())
      if (filePosition(part))
        return locationOf(part, scope);
    return nullptr;
  }
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(location)) {
    std::optional<mlir::FileLineColLoc> inside = filePosition(call.getCallee());
    DILocation *place = inside ? locationOf(call.getCaller(), scope) : nullptr;
    if (!place)
      return locationOf(call.getCallee(), scope);
    // What is inlined by one call has one node in common.
    const void *caller = mlir::Location(call.getCaller()).getAsOpaquePointer();
    const Metadata *outer = scope.call ? static_cast<Metadata *>(scope.call) : scope.subprogram;
    DILocation *&node = calls[{caller, outer}];
    if (!node)
      node = DILocation::getDistinct(place->getContext(), place->getLine(), place->getColumn(),
                                     place->getScope(), place->getInlinedAt());
    return locationOf(call.getCallee(), {inlined(calleeOf(call.getCaller()), *inside), node});
  }
  auto position = mlir::dyn_cast<mlir::FileLineColLoc>(location);
  if (!position)
    return nullptr;
  DIScope *block = scope.subprogram;
  DIFile *file = fileOf(position);
  if (file != scope.subprogram->getFile())
    block = builder.createLexicalBlockFile(scope.subprogram, file);
  return DILocation::get(module.getContext(), position.getLine(), position.getColumn(), block,
                         scope.call);
}

DebugLoc DebugInfo::locationOf(mlir::Location location, Function &function) {
  DISubprogram *subprogram = function.getSubprogram();
  return subprogram ? DebugLoc(locationOf(location, {subprogram, nullptr})) : DebugLoc();
}

} // namespace gluonc::codegen

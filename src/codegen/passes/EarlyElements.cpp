#include "codegen/passes/EarlyElements.h"

#include "codegen/passes/Preserved.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gluonc::codegen {
namespace {

/// Whether `load` gives elements of a register each, and nothing but those is used.
bool givesElements(const LoadInst &load) {
  auto *type = dyn_cast<FixedVectorType>(load.getType());
  return type && type->getScalarSizeInBits() == 32 && all_of(load.users(), [](const User *user) {
           auto *element = dyn_cast<ExtractElementInst>(user);
           return element && isa<ConstantInt>(element->getIndexOperand());
         });
}

bool runOn(LoadInst &load) {
  bool changed = false;
  for (User *user : load.users())
    if (auto *element = cast<Instruction>(user); element->getParent() != load.getParent()) {
      element->moveAfter(&load);
      changed = true;
    }
  return changed;
}

} // namespace

PreservedAnalyses EarlyElementsPass::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  if (function.getParent()->getTargetTriple().isNVPTX())
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && givesElements(*load))
          changed |= runOn(*load);
  return preservedAfter(changed);
}

} // namespace gluonc::codegen

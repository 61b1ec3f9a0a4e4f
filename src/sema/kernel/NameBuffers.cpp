#include "sema/kernel/NameBuffers.h"

#include "ir/Dialects.h"
#include "ir/SourceLocation.h"
#include "sema/value/Flatten.h"

namespace gluonc::sema {

/// Calls `visit(item, path)` where `value` has items.
template <class Visit>
static bool forEachItem(const Value &value, llvm::StringRef path, Visit &&visit) {
  if (!value.is(ValueKind::Tuple) && !value.is(ValueKind::Instance))
    return false;
  llvm::ArrayRef<std::string> fields = value.fieldNames();
  for (auto [i, item] : llvm::enumerate(value.items()))
    visit(item,
          (i < fields.size() ? path + "." + fields[i] : path + "[" + llvm::Twine(uint64_t(i)) + "]")
              .str());
  return true;
}

void nameBuffers(const Value &value, llvm::StringRef variable) {
  if (forEachItem(value, variable, nameBuffers))
    return;
  if (!value.is(ValueKind::MemDesc))
    return;
  auto allocation = value.ir().getDefiningOp<ttg::LocalAllocOp>();
  if (allocation && nameOf(allocation.getLoc()).empty())
    allocation->setLoc(withName(allocation.getLoc(), variable));
}

void nameVariables(const Value &value, llvm::StringRef variable, mlir::Location binding) {
  auto nameItem = [&](const Value &item, llvm::StringRef path) {
    nameVariables(item, path, binding);
  };
  if (forEachItem(value, variable, nameItem))
    return;
  llvm::SmallVector<mlir::Value> parts;
  flatten(value, parts);
  if (parts.empty())
    return;
  // Of a descriptor the first part stands for all.
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(parts.front()))
    return argument.setLoc(withVariable(argument.getLoc(), variable, binding));
  mlir::Operation *definition = parts.front().getDefiningOp();
  // Results have no locations of their own.
  if (definition->getNumResults() == 1)
    definition->setLoc(withVariable(definition->getLoc(), variable, binding));
}

} // namespace gluonc::sema

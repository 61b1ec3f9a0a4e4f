// Which values variables of the source have, for debuggers.
#include "sim/lower/Lowering.h"
#include "sim/machine/SharedAccess.h"
#include "sim/machine/Taint.h"
#include "sim/machine/Variables.h"

#include "ir/Encoding.h"
#include "ir/SourceLocation.h"

namespace gluonc::sim {

using Names = std::vector<std::pair<llvm::StringRef, mlir::Location>>;

static void runVariables(const Instruction &, Cta &) {}

const VariableData *variablesAt(const Instruction &instruction) {
  return instruction.run == runVariables ? static_cast<const VariableData *>(instruction.data)
                                         : nullptr;
}

static Names namesOf(mlir::Value value);

/// Whatever way the branch goes, the variable has its result.
static Names namesOfBranch(mlir::scf::IfOp branch, unsigned index) {
  Names names = namesOf(branch.thenYield().getOperand(index));
  Names others = namesOf(branch.elseYield().getOperand(index));
  llvm::erase_if(names, [&](const auto &name) {
    return llvm::none_of(others, [&](const auto &other) { return other.first == name.first; });
  });
  return names;
}

static Names namesOf(mlir::Value value) {
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    return variablesOf(argument.getLoc());
  mlir::Operation *definition = value.getDefiningOp();
  unsigned index = mlir::cast<mlir::OpResult>(value).getResultNumber();
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(definition))
    return namesOf(loop.getRegionIterArg(index));
  if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(definition))
    return namesOf(loop.getAfterArguments()[index]);
  if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(definition))
    return namesOfBranch(branch, index);
  return definition->getNumResults() == 1 ? variablesOf(definition->getLoc()) : Names();
}

void Lowering::noteVariables(mlir::Operation *operation, mlir::ValueRange values) {
  if (!forDebugger)
    return;
  std::vector<Variable> variables;
  for (mlir::Value value : values) {
    auto slot = slots.find(value);
    if (slot == slots.end())
      continue;
    mlir::Type type = value.getType();
    Variable variable;
    variable.slot = slot->second;
    variable.kind = kindOf(value);
    variable.share = shareOf(type);
    llvm::raw_string_ostream(variable.type) << type;
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
      variable.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
      if (const layout::LinearLayout *linear =
              tensor.getEncoding() ? linearOrNull(tensor) : nullptr)
        variable.linear = *linear;
    } else if (auto view = mlir::dyn_cast<ttg::MemDescType>(type)) {
      variable.shape.assign(view.getShape().begin(), view.getShape().end());
      variable.table = addressTable(*this, operation, value);
      variable.viewed = elementKindOf(view.getElementType());
    }
    if (auto pointer = mlir::dyn_cast<tt::PointerType>(mlir::getElementTypeOrSelf(type)))
      variable.pointeeBytes = elementBytes(pointer.getPointeeType());
    for (const auto &[name, binding] : namesOf(value)) {
      variable.name = name.str();
      variable.callers = callersOf(binding);
      variables.push_back(variable);
    }
  }
  if (variables.empty())
    return;
  VariableData *data = addData<VariableData>();
  data->variables = std::move(variables);
  emit(runVariables, taintNothing, Slot(), {}).data = data;
}

} // namespace gluonc::sim

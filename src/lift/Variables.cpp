//===- Variables.cpp - What loops and branches carry ------------------------------===//
#include "lift/Body.h"

#include "ir/Dialects.h"

using namespace mlir;

namespace gluonc::lift {

void Body::define(Value value, const std::string &name) {
  named[value] = name;
  bound[name] = value;
  firstSet.try_emplace(name, firstSet.size());
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The operation of `block` in which `op` stands; null where it does not.
static Operation *ancestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

/// Whether assigning `name` at `op` takes it from nothing that is computed behind it. `except`: a
/// use that is over then.
bool Body::isFree(llvm::StringRef name, Operation *op, OpOperand *except) const {
  auto at = bound.find(name);
  if (at == bound.end())
    return true;
  Value old = at->second;
  // A loop in between would carry the variable.
  Block *scope = old.getParentBlock();
  for (Block *block = op->getBlock(); block != scope; block = block->getParentOp()->getBlock()) {
    auto branch = dyn_cast_or_null<scf::IfOp>(block->getParentOp());
    auto plan = branch ? plans.find(branch) : plans.end();
    if (plan == plans.end() || !llvm::is_contained(plan->second, name))
      return false;
  }
  for (OpOperand &use : old.getUses()) {
    if (&use == except)
      continue;
    for (Block *block = op->getBlock();; block = block->getParentOp()->getBlock()) {
      Operation *there = ancestorIn(block, use.getOwner());
      Operation *here = ancestorIn(block, op);
      if (there && there == here && there != op && !isa<scf::IfOp>(there))
        return false;
      // Branches assign at their ends, loops at once.
      if (there == op &&
          (use.getOwner() == op ? isa<scf::ForOp, scf::WhileOp>(op) : !isa<scf::IfOp>(op)))
        return false;
      if (there && there != here && here->isBeforeInBlock(there))
        return false;
      if (block == scope || there)
        break;
    }
  }
  return true;
}

/// The variable that a value is assigned to at the end of its block.
std::optional<std::string> Body::carriedNameFor(Value value) {
  Operation *op = value.getDefiningOp();
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (user->getBlock() != op->getBlock())
      continue;
    if (isa<scf::YieldOp>(user)) {
      llvm::SmallVector<std::string> &variables = plan(user->getParentOp());
      unsigned i = use.getOperandNumber();
      // Before it in a branch are those that it assigns first.
      bool inOrder =
          isSet(variables[i]) || llvm::all_of(llvm::ArrayRef(variables).take_front(i),
                                              [&](const std::string &v) { return isSet(v); });
      if (inOrder && isFree(variables[i], op, &use))
        return variables[i];
    }
    bool isInit = isa<scf::WhileOp>(user) || (isa<scf::ForOp>(user) && use.getOperandNumber() >= 3);
    if (isInit && value.hasOneUse()) {
      llvm::SmallVector<std::string> &variables = plan(user);
      unsigned i = use.getOperandNumber() - (isa<scf::ForOp>(user) ? 3 : 0);
      bool inOrder = llvm::all_of(llvm::ArrayRef(variables).take_front(i),
                                  [&](const std::string &v) { return isSet(v); });
      if (inOrder && !isAccumulator(user->getResult(i)) && isFree(variables[i], op, &use))
        return variables[i];
    }
  }
  return std::nullopt;
}

std::string Body::variableFor(Value value) {
  std::optional<std::string> carried = carriedNameFor(value);
  std::string name = carried ? *carried : fresh(wantedName(value));
  define(value, name);
  return name;
}

/// What the value that a loop or branch gives is called, from what it carries.
static Value namesake(Operation *op, unsigned i) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getYieldedValues()[i];
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return branch.thenYield().getOperand(i);
  return cast<scf::WhileOp>(op).getYieldOp().getOperand(i);
}

llvm::SmallVector<std::string> &Body::plan(Operation *op) {
  auto [at, isNew] = plans.try_emplace(op);
  if (!isNew)
    return at->second;
  llvm::SmallVector<std::string> variables;
  int64_t last = -1;
  bool anyNew = false;
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    std::optional<std::string> carried = carriedNameFor(result);
    // A branch gives its variables in the order of their first assignments.
    bool fits = carried && !llvm::is_contained(variables, *carried);
    if (fits && isa<scf::IfOp>(op) && isSet(*carried))
      fits = !anyNew && int64_t(firstSet[*carried]) > last;
    if (!fits)
      carried = fresh(wantedName(namesake(op, unsigned(i))));
    anyNew |= !isSet(*carried);
    if (isSet(*carried))
      last = firstSet[*carried];
    variables.push_back(*carried);
  }
  return plans[op] = std::move(variables);
}

/// Gives other names to variables of a loop that would be carried in another order.
void Body::settleOrder(Operation *op, OperandRange initial) {
  llvm::SmallVector<std::string> &variables = plan(op);
  int64_t last = -1;
  bool anyNew = false;
  for (auto [i, variable] : llvm::enumerate(variables)) {
    OpOperand *init = &op->getOpOperand(initial.getBeginOperandIndex() + unsigned(i));
    bool fits = !isSet(variable) ||
                (!anyNew && int64_t(firstSet[variable]) > last && isFree(variable, op, init));
    if (!fits)
      variable = fresh(variable);
    anyNew |= !isSet(variable);
    if (isSet(variable))
      last = firstSet[variable];
  }
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

static bool isAccumulatorAmong(Value value, llvm::SmallPtrSetImpl<void *> &seen) {
  if (!seen.insert(value.getAsOpaquePointer()).second)
    return false;
  auto among = [&](ValueRange values) {
    return llvm::any_of(values, [&](Value other) { return isAccumulatorAmong(other, seen); });
  };
  Operation *op = value.getDefiningOp();
  unsigned number =
      op ? cast<OpResult>(value).getResultNumber() : cast<BlockArgument>(value).getArgNumber();
  if (auto dot = dyn_cast_or_null<ttng::WarpGroupDotOp>(op))
    return dot.getIsAsync();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return among({select.getTrueValue(), select.getFalseValue()});
  if (auto loop = dyn_cast_or_null<scf::ForOp>(op))
    return among({loop.getInitArgs()[number], loop.getYieldedValues()[number]});
  if (auto branch = dyn_cast_or_null<scf::IfOp>(op))
    return among({branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)});
  auto loop = op ? scf::ForOp() : dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
  return loop && number > 0 &&
         among({loop.getInitArgs()[number - 1], loop.getYieldedValues()[number - 1]});
}

bool Body::isAccumulator(Value value) const {
  llvm::SmallPtrSet<void *, 8> seen;
  return isa<RankedTensorType>(value.getType()) && isAccumulatorAmong(value, seen);
}

/// A value as what is carried: integers have a sign.
std::string Body::assignedText(Value value, bool asAccumulator) {
  Attribute element = constantOf(value);
  if (element && !isa<RankedTensorType>(value.getType()) && hasOwnType(element))
    return numberText(element);
  llvm::DenseSet<Operation *> none;
  std::string made = Tree(*this, none).signedArgument(value);
  if (asAccumulator && !isAccumulator(value))
    return file.vendorModule("nvidia", "hopper") + ".warpgroup_mma_init(" + made + ")";
  return made;
}

/// All at once where one takes what another one assigns.
void Body::copyAll(llvm::MutableArrayRef<Copy> copies) {
  bool clashes = false;
  std::string targets, values;
  for (auto [i, copy] : llvm::enumerate(copies)) {
    for (const Copy &earlier : copies.take_front(i))
      clashes |= copy.text == earlier.name ||
                 llvm::StringRef(copy.text).contains(earlier.name + ".") ||
                 llvm::StringRef(copy.text).contains("(" + earlier.name + ")");
    targets += (targets.empty() ? "" : ", ") + copy.name;
    values += (values.empty() ? "" : ", ") + copy.text;
  }
  if (clashes)
    return line(targets + " = " + values);
  for (const Copy &copy : copies)
    line(copy.name + " = " + copy.text);
}

/// Assigns what a loop begins with; `inside` are its values in the body.
void Body::enter(Operation *op, ValueRange initial, ValueRange inside) {
  llvm::SmallVector<Copy> copies;
  for (auto [variable, value, result] : llvm::zip_equal(plan(op), initial, op->getResults())) {
    bool isAccumulator = this->isAccumulator(result);
    std::string text = assignedText(value, isAccumulator);
    if (text != variable)
      copies.push_back({variable, text});
  }
  copyAll(copies);
  for (auto [variable, value, result] : llvm::zip_equal(plan(op), inside, op->getResults())) {
    define(value, variable);
    facts[value].isAccumulator = isAccumulator(result);
  }
}

/// Assigns what a block yields to the variables of `op`.
void Body::leave(Operation *op, ValueRange values) {
  flushAll();
  llvm::SmallVector<Copy> copies;
  for (auto [variable, value, result] : llvm::zip_equal(plan(op), values, op->getResults())) {
    std::string text = assignedText(value, isAccumulator(result));
    if (text != variable)
      copies.push_back({variable, text});
  }
  copyAll(copies);
  for (const std::string &variable : plan(op))
    firstSet.try_emplace(variable, firstSet.size());
}

} // namespace gluonc::lift

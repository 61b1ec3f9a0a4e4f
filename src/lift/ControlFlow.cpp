#include "lift/Body.h"

#include "ir/Dialects.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace gluonc::lift {

/// Prints lines one level deeper, with roots and names of their own.
bool Body::nested(llvm::function_ref<bool()> print) {
  llvm::StringMap<Value> before = bound;
  std::vector<Root> waiting = std::exchange(roots, {});
  size_t size = text.size();
  ++depth;
  bool isFine = print();
  if (isFine && text.size() == size)
    line("pass");
  --depth;
  roots = std::move(waiting);
  bound = std::move(before);
  return isFine;
}

bool Body::loop(scf::ForOp op) {
  if (!allowsStatements)
    return refuse(op);
  flushAll();
  settleOrder(op, op.getInitArgs());
  enter(op, op.getInitArgs(), op.getRegionIterArgs());
  llvm::DenseSet<Operation *> none;
  Tree tree(*this, none);
  auto bound = [&](Value value) {
    return value.getType().isInteger(32) ? tree.plainArgument(value) : tree.signedArgument(value);
  };
  std::string lower = bound(op.getLowerBound()), upper = bound(op.getUpperBound());
  std::string step = bound(op.getStep());
  std::string range = (lower == "0" && step == "1" ? "" : lower + ", ") + upper;
  std::string variable = fresh(wantedName(op.getInductionVar()));
  line("for " + variable + " in range(" + range + (step == "1" ? "" : ", " + step) + "):");
  bool isFine = nested([&] {
    define(op.getInductionVar(), variable);
    if (!statements(*op.getBody()))
      return false;
    leave(op, op.getYieldedValues());
    return true;
  });
  for (auto [variable, result] : llvm::zip_equal(plan(op), op.getResults())) {
    define(result, variable);
    facts[result].isAccumulator = isAccumulator(result);
  }
  return isFine;
}

/// The test of a loop as one expression.
std::optional<std::string> Body::test(scf::WhileOp op) {
  llvm::SaveAndRestore expression(allowsStatements, false);
  scf::ConditionOp end = op.getConditionOp();
  if (!statements(*op.getBeforeBody()))
    return std::nullopt;
  std::optional<Root> made = compose(
      end, [&](Tree &tree) -> std::optional<Expr> { return tree.value(end.getCondition()); });
  if (made && roots.empty())
    return made->expr.text;
  refuse(op);
  return std::nullopt;
}

bool Body::whileLoop(scf::WhileOp op) {
  // The test passes on what the loop carries.
  if (!allowsStatements || !llvm::equal(op.getConditionOp().getArgs(), op.getBeforeArguments()))
    return refuse(op);
  flushAll();
  settleOrder(op, op.getInits());
  enter(op, op.getInits(), op.getBeforeArguments());
  for (auto [variable, value] : llvm::zip_equal(plan(op), op.getAfterArguments()))
    define(value, variable);
  std::optional<std::string> condition = test(op);
  if (!condition)
    return false;
  line("while " + *condition + ":");
  bool isFine = nested([&] {
    if (!statements(*op.getAfterBody()))
      return false;
    leave(op, op.getYieldOp().getOperands());
    return true;
  });
  for (auto [variable, result] : llvm::zip_equal(plan(op), op.getResults()))
    define(result, variable);
  return isFine;
}

bool Body::arm(scf::IfOp op, Block *block) {
  return nested([&] {
    if (!statements(*block))
      return false;
    leave(op, block->getTerminator()->getOperands());
    return true;
  });
}

std::optional<std::string> Body::conditionOf(Operation *op, Value condition) {
  std::optional<Root> made;
  if (allowsStatements)
    made = compose(op, [&](Tree &tree) -> std::optional<Expr> { return tree.value(condition); });
  if (!made) {
    refuse(op);
    return std::nullopt;
  }
  flushAll();
  return made->expr.text;
}

bool Body::branch(scf::IfOp op) {
  std::optional<std::string> condition = conditionOf(op, op.getCondition());
  if (!condition)
    return false;
  plan(op);
  line("if " + *condition + ":");
  if (!arm(op, op.thenBlock()))
    return false;
  if (op.elseBlock()) {
    size_t size = text.size();
    line("else:");
    std::string nothing = text + std::string(4 * (depth + 1), ' ') + "pass\n";
    if (!arm(op, op.elseBlock()))
      return false;
    if (text == nothing)
      text.resize(size);
  }
  for (auto [variable, result] : llvm::zip_equal(plan(op), op.getResults())) {
    define(result, variable);
    facts[result].isAccumulator = isAccumulator(result);
  }
  return true;
}

/// One of two blocks, as a scalar decides: where it is a function, `gl.where` takes a block.
bool Body::choice(arith::SelectOp op) {
  std::optional<std::string> condition = conditionOf(op, op.getCondition());
  if (!condition)
    return false;
  bool isSum = isAccumulator(op.getResult());
  std::string yes = assignedText(op.getTrueValue(), isSum);
  std::string no = assignedText(op.getFalseValue(), isSum);
  std::string variable = variableFor(op.getResult());
  facts[op.getResult()].isAccumulator = isSum;
  std::string inner(4, ' ');
  line("if " + *condition + ":");
  line(inner + (yes == variable ? "pass" : variable + " = " + yes));
  if (no == variable)
    return true;
  line("else:");
  line(inner + variable + " = " + no);
  return true;
}

} // namespace gluonc::lift

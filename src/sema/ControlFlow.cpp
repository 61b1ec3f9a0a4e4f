// Branches of kernels.
//
// Bodies are walked into detached blocks first. Only then is it
// known which variables they change, so the scf operation is built around the
// finished block with exactly those as results: no dry run, nothing discarded.
//
//   x = 1                          %r = scf.if %c -> (i32) {
//   if c:                     ⇒      %y = arith.addi %x, %one
//       x += 1                       scf.yield %y
//                                  } else { scf.yield %x }

#include "sema/Flatten.h"
#include "sema/Language.h"

#include "ir/Dialects.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

namespace {

/// Does a `return` stand anywhere in these statements (nested functions aside)?
bool containsReturn(ast::Stmts body) {
  for (const ast::Stmt *stmt : body) {
    if (llvm::isa<ast::Return>(stmt))
      return true;
    if (const auto *branch = llvm::dyn_cast<ast::If>(stmt)) {
      if (containsReturn(branch->body) || containsReturn(branch->orelse))
        return true;
    } else if (const auto *loop = llvm::dyn_cast<ast::For>(stmt)) {
      if (containsReturn(loop->body))
        return true;
    } else if (const auto *loop = llvm::dyn_cast<ast::While>(stmt)) {
      if (containsReturn(loop->body))
        return true;
    } else if (const auto *with = llvm::dyn_cast<ast::With>(stmt)) {
      if (containsReturn(with->body))
        return true;
    }
  }
  return false;
}

} // namespace

// -- if -------------------------------------------------------------------------------

Flow Interpreter::runIf(const ast::If &node, const Rest *rest) {
  MaybeValue condition = eval(node.test);
  if (!condition)
    return Flow::Failed;
  if (condition->isTensor()) {
    context->span = node.test->span;
    MaybeValue bit = ops::condition(*context, *condition, node.test->span);
    if (!bit)
      return Flow::Failed;
    if (bit->isTensor()) {
      bool returns = containsReturn(node.body) || containsReturn(node.orelse);
      return returns ? runReturningIf(node, *bit, rest) : runDynamicIf(node, *bit);
    }
    condition = bit;
  }
  switch (condition->kind()) {
  case ValueKind::Bool:
  case ValueKind::Int:
  case ValueKind::None:
    break;
  default:
    report(Kind::BadCondition, node.test->span, condition->typeName()).end();
    return Flow::Failed;
  }
  std::optional<bool> holds = truth(*condition, node.test->span);
  return runKernel(*holds ? node.body : node.orelse, rest);
}

namespace {

/// Ends a branch with its results.
void yieldAt(mlir::OpBuilder &builder, mlir::Block *block, mlir::Location loc,
             llvm::ArrayRef<mlir::Value> values) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  builder.create<mlir::scf::YieldOp>(loc, values);
}

mlir::scf::IfOp buildIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition,
                        mlir::Region &thenRegion, mlir::Region &elseRegion,
                        llvm::ArrayRef<mlir::Value> thenValues,
                        llvm::ArrayRef<mlir::Value> elseValues) {
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value value : thenValues)
    types.push_back(value.getType());
  yieldAt(builder, &thenRegion.front(), loc, thenValues);
  bool needsElse = !types.empty() || !elseRegion.front().empty();
  if (needsElse)
    yieldAt(builder, &elseRegion.front(), loc, elseValues);
  mlir::OperationState state(loc, mlir::scf::IfOp::getOperationName());
  state.addOperands(condition);
  state.addTypes(types);
  mlir::Region *thenTarget = state.addRegion();
  mlir::Region *elseTarget = state.addRegion();
  thenTarget->takeBody(thenRegion);
  if (needsElse)
    elseTarget->takeBody(elseRegion);
  return mlir::cast<mlir::scf::IfOp>(builder.create(state));
}

/// Points the builder into a fresh block of `region`.
void enter(mlir::OpBuilder &builder, mlir::Region &region) {
  region.push_back(new mlir::Block);
  builder.setInsertionPointToStart(&region.front());
}

} // namespace

Flow Interpreter::runDynamicIf(const ast::If &node, const Value &condition) {
  mlir::OpBuilder &builder = context->builder;
  context->span = node.test->span;
  mlir::Location loc = context->loc();
  Scope before = frame().scope;
  mlir::Region thenRegion, elseRegion;
  Scope afterThen, afterElse;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    enter(builder, thenRegion);
    if (runKernel(node.body, nullptr) != Flow::Next)
      return Flow::Failed;
    afterThen = std::move(frame().scope);
    frame().scope = before;
    enter(builder, elseRegion);
    if (runKernel(node.orelse, nullptr) != Flow::Next)
      return Flow::Failed;
    afterElse = std::move(frame().scope);
    frame().scope = before;
  }

  // What the branches leave behind: changed names, and names that both define.
  llvm::SmallVector<std::pair<const Binding *, const Binding *>> merged;
  for (const Binding &one : afterThen.all()) {
    const Binding *two = afterElse.find(one.name);
    const Binding *old = before.find(one.name);
    if (!two) {
      frame().scope.remove(one.name);
      frame().scope.lose(one.name, one.span, "only one branch of the `if` defines it");
      continue;
    }
    if (old && one.value == old->value && two->value == old->value)
      continue;
    if (one.isPoison() || two->isPoison()) {
      frame().scope.poison(one.name, one.span);
      continue;
    }
    const Value *mismatch = !sameType(one.value, two->value)          ? &two->value
                            : old && !sameType(one.value, old->value) ? &old->value
                                                                      : nullptr;
    if (mismatch) {
      bool isIncoming = mismatch != &two->value;
      report(Kind::IfTypeMismatch, node.test->span, one.name, describe(one.value),
             describe(two->value))
          .label(one.span, "{0}", describe(one.value))
          .label(isIncoming ? old->span : two->span, "{0}", describe(*mismatch));
      frame().hasFailed = true;
      frame().scope.poison(one.name, one.span);
      continue;
    }
    merged.push_back({&one, two});
  }
  for (const Binding &two : afterElse.all())
    if (!afterThen.find(two.name)) {
      frame().scope.remove(two.name);
      frame().scope.lose(two.name, two.span, "only one branch of the `if` defines it");
    }

  llvm::SmallVector<mlir::Value> thenValues, elseValues;
  for (auto [one, two] : merged) {
    flatten(one->value, thenValues);
    flatten(two->value, elseValues);
  }
  auto op = buildIf(builder, loc, condition.ir(), thenRegion, elseRegion, thenValues, elseValues);
  llvm::SmallVector<mlir::Value> results(op.getResults());
  llvm::ArrayRef<mlir::Value> remaining = results;
  for (auto [one, two] : merged)
    frame().scope.set(one->name, unflatten(one->value, remaining), one->span, one->isConstexpr);
  return Flow::Next;
}

/// Runs what follows the `if` until the function ends; gives the function's result.
static Flow finish(Flow flow, const Rest *rest) {
  for (; flow == Flow::Next && rest; rest = rest->next)
    flow = rest->run(rest->next);
  return flow;
}

Flow Interpreter::runReturningIf(const ast::If &node, const Value &condition, const Rest *rest) {
  if (frame().deviceLoops) {
    // Walking on would find the `return` itself, but only in the branch that is looked at first.
    report(Kind::ReturnInLoop, node.test->span)
        .hint("store the result in a variable and return it after the loop");
    return Flow::Failed;
  }
  mlir::OpBuilder &builder = context->builder;
  context->span = node.test->span;
  mlir::Location loc = context->loc();
  Scope before = frame().scope;
  mlir::Region regions[2];
  Value results[2];
  Span spans[2];
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    for (int i = 0; i < 2; ++i) {
      enter(builder, regions[i]);
      frame().scope = before;
      frame().result = Value::none();
      frame().returnSpan = node.test->span;
      Flow flow = finish(runKernel(i == 0 ? node.body : node.orelse, rest), rest);
      if (flow == Flow::Failed)
        return Flow::Failed;
      results[i] = frame().result;
      spans[i] = frame().returnSpan;
    }
    // There is no result to merge; what the branches said is all there is to say.
    if (frame().hasFailed)
      return Flow::Returned;
    // A number that differs between the returns becomes a run-time value.
    bool bothPlain = results[0].isCompileTime() && results[1].isCompileTime();
    if (!(bothPlain && results[0] == results[1]))
      for (int i = 0; i < 2; ++i) {
        builder.setInsertionPointToEnd(&regions[i].front());
        MaybeValue made = materialized(results[i], "return", spans[i]);
        if (!made)
          return Flow::Failed;
        results[i] = *made;
      }
  }
  if (!sameType(results[0], results[1])) {
    report(Kind::ReturnTypeMismatch, spans[1], describe(results[0]), describe(results[1]))
        .label(spans[0], "{0}", describe(results[0]))
        .label(spans[1], "{0}", describe(results[1]));
    return Flow::Failed;
  }
  llvm::SmallVector<mlir::Value> thenValues, elseValues;
  flatten(results[0], thenValues);
  flatten(results[1], elseValues);
  auto op = buildIf(builder, loc, condition.ir(), regions[0], regions[1], thenValues, elseValues);
  llvm::SmallVector<mlir::Value> merged(op.getResults());
  llvm::ArrayRef<mlir::Value> remaining = merged;
  frame().result = unflatten(results[0], remaining);
  frame().returnSpan = spans[0];
  return Flow::Returned;
}

MaybeValue Interpreter::evalDynamicIfExp(const ast::IfExp &node, const Value &test) {
  context->span = node.test->span;
  MaybeValue condition = ops::condition(*context, test, node.test->span);
  if (!condition)
    return std::nullopt;
  mlir::OpBuilder &builder = context->builder;
  context->span = node.span;
  mlir::Location loc = context->loc();
  mlir::Region regions[2];
  Value values[2];
  Scope before = frame().scope;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    for (int i = 0; i < 2; ++i) {
      enter(builder, regions[i]);
      const ast::Expr *side = i == 0 ? node.body : node.orelse;
      MaybeValue value = eval(side);
      frame().scope = before;
      if (!value)
        return std::nullopt;
      bool isRuntime = value->isIr() || value->isNumber() || value->is(ValueKind::Tuple) ||
                       value->is(ValueKind::Instance);
      if (!isRuntime) {
        report(Kind::ConstexprRequired, node.test->span,
               ("the condition between " + kindName(value->kind()) + " values").str(),
               test.typeName())
            .end();
        return std::nullopt;
      }
      value = materialized(*value, "", side->span);
      if (!value)
        return std::nullopt;
      values[i] = *value;
    }
  }
  // What a side assigns would be known on that side only.
  NameSet assigned;
  collectAssigned(*node.body, assigned);
  collectAssigned(*node.orelse, assigned);
  for (llvm::StringRef name : assigned) {
    frame().scope.remove(name);
    frame().scope.lose(name, node.span, "one side of a conditional expression assigns it");
  }
  if (!sameType(values[0], values[1])) {
    report(Kind::TernaryTypeMismatch, node.span, describe(values[0]), describe(values[1]))
        .label(node.body->span, "{0}", describe(values[0]))
        .label(node.orelse->span, "{0}", describe(values[1]));
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Value> thenValues, elseValues;
  flatten(values[0], thenValues);
  flatten(values[1], elseValues);
  auto op = buildIf(builder, loc, condition->ir(), regions[0], regions[1], thenValues, elseValues);
  llvm::SmallVector<mlir::Value> results(op.getResults());
  llvm::ArrayRef<mlir::Value> remaining = results;
  return unflatten(values[0], remaining);
}

} // namespace gluonc::sema

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
//
// A `return` in one branch: the rest of the function goes into the other (KernelStatements.h). A
// `return` that leaves several ways on: the rest would go to the end of each of them, k times in a
// row 2^k times. So they meet first, with a bit that tells who has returned, and what:
//
//   if c:                    %done, %r = scf.if %c -> (i1, i32) {
//       if d:                  … scf.if %d { scf.yield %true, %a }
//           return a                  else { scf.yield %false, %poison } …
//   rest               ⇒     } else { scf.yield %false, %poison }
//   return b                 scf.if %done { scf.yield %r } else { rest; scf.yield %b }
//
// So that thousands of returns in a row do not nest, functions that have many do the same with all.

#include "sema/kernel/KernelStatements.h"
#include "sema/value/Flatten.h"

#include "ir/Dialects.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/Support/SaveAndRestore.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

namespace {

/// Returns that take what follows into the other branch, each inside of the one before, until what
/// follows stands under their bits. MLIR looks through all that is nested in an operation whenever
/// a part of it changes.
constexpr unsigned maxReturnDepth = 16;

/// How often a `return` stands in these statements (nested functions aside).
unsigned countReturns(ast::Stmts body) {
  unsigned count = 0;
  for (const ast::Stmt *stmt : body) {
    if (llvm::isa<ast::Return>(stmt))
      ++count;
    else if (const auto *branch = llvm::dyn_cast<ast::If>(stmt))
      count += countReturns(branch->body) + countReturns(branch->orelse);
    else if (const auto *loop = llvm::dyn_cast<ast::For>(stmt))
      count += countReturns(loop->body);
    else if (const auto *loop = llvm::dyn_cast<ast::While>(stmt))
      count += countReturns(loop->body);
    else if (const auto *with = llvm::dyn_cast<ast::With>(stmt))
      count += countReturns(with->body);
  }
  return count;
}

/// May a way lead past these statements, whatever their conditions are?
bool mayGoOn(ast::Stmts body) {
  return llvm::none_of(body, [](const ast::Stmt *stmt) {
    if (llvm::isa<ast::Return>(stmt))
      return true;
    const auto *branch = llvm::dyn_cast<ast::If>(stmt);
    return branch && !mayGoOn(branch->body) && !mayGoOn(branch->orelse);
  });
}

} // namespace

// -- if -------------------------------------------------------------------------------

Flow KernelStatements::runIf(const ast::If &node, const Rest *rest) {
  MaybeValue condition = eval(node.test);
  if (!condition)
    return Flow::Failed;
  if (condition->isTensor()) {
    context->span = node.test->span;
    MaybeValue bit = ops::condition(*context, *condition, node.test->span);
    if (!bit)
      return Flow::Failed;
    if (bit->isTensor()) {
      bool returns = countReturns(node.body) || countReturns(node.orelse);
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
  return run(*holds ? node.body : node.orelse, rest);
}

namespace {

/// Ends a branch with its results.
void yieldAt(mlir::OpBuilder &builder, mlir::Block *block, mlir::Location loc,
             llvm::ArrayRef<mlir::Value> values) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  mlir::scf::YieldOp::create(builder, loc, values);
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

/// One branch of an `if`, and how it ends.
struct KernelStatements::Arm {
  mlir::Region region;
  Flow flow = Flow::Next;
  /// Of MayReturn: the bit.
  mlir::Value hasReturned;
  /// What those that return do return.
  Value result = Value::none();
  Span returnSpan;
  /// The variables of those that go on.
  Scope scope;

  bool returns() const { return flow != Flow::Next; }
  bool goesOn() const { return flow != Flow::Returned; }
};

/// Runs `body` at the end of an arm.
void KernelStatements::walkArm(Arm &arm, const Scope &before, Span span,
                               llvm::function_ref<Flow()> body) {
  mlir::OpBuilder &builder = context->builder;
  mlir::OpBuilder::InsertionGuard guard(builder);
  if (arm.region.empty())
    enter(builder, arm.region);
  else
    builder.setInsertionPointToEnd(&arm.region.front());
  frame().scope = before;
  frame().result = Value::none();
  frame().returnSpan = span;
  arm.flow = body();
  arm.hasReturned = frame().hasReturned;
  arm.result = frame().result;
  arm.returnSpan = frame().returnSpan;
  arm.scope = std::move(frame().scope);
}

Flow KernelStatements::runDynamicIf(const ast::If &node, const Value &condition) {
  Scope before = frame().scope;
  Arm arms[2];
  for (int i = 0; i < 2 && arms[0].flow != Flow::Failed; ++i)
    walkArm(arms[i], before, node.test->span,
            [&] { return run(i == 0 ? node.body : node.orelse, nullptr); });
  return closeIf(node.test->span, condition.ir(), arms, before);
}

/// Both go on: changed names, and names that both define.
void KernelStatements::mergeScopes(Span span, llvm::MutableArrayRef<Arm> arms, const Scope &before,
                                   llvm::SmallVectorImpl<Binding> &merged) {
  for (const Binding &one : arms[0].scope.all()) {
    const Binding *two = arms[1].scope.find(one.name);
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
      report(Kind::IfTypeMismatch, span, one.name, describe(one.value), describe(two->value))
          .label(one.span, "{0}", describe(one.value))
          .label(isIncoming ? old->span : two->span, "{0}", describe(*mismatch));
      frame().hasFailed = true;
      frame().scope.poison(one.name, one.span);
      continue;
    }
    merged.push_back(one);
  }
  for (const Binding &two : arms[1].scope.all())
    if (!arms[0].scope.find(two.name)) {
      frame().scope.remove(two.name);
      frame().scope.lose(two.name, two.span, "only one branch of the `if` defines it");
    }
}

/// One of them goes on: what it changed.
void KernelStatements::takeScope(llvm::MutableArrayRef<Arm> arms, const Scope &before,
                                 llvm::SmallVectorImpl<Binding> &changed) {
  Scope &scope = arms[0].goesOn() ? arms[0].scope : arms[1].scope;
  frame().scope = scope;
  for (const Binding &binding : scope.all()) {
    const Binding *old = before.find(binding.name);
    if (binding.isPoison() || (old && old->value == binding.value))
      continue;
    if (canFlatten(binding.value)) {
      changed.push_back(binding);
      continue;
    }
    frame().scope.remove(binding.name);
    frame().scope.lose(binding.name, binding.span, "only one branch of the `if` defines it");
  }
}

/// What the arms return becomes one kind of value; false after a report.
bool KernelStatements::agreeOnResult(llvm::MutableArrayRef<Arm> arms) {
  bool both = arms[0].returns() && arms[1].returns();
  bool bothPlain = arms[0].result.isCompileTime() && arms[1].result.isCompileTime();
  // A number that differs between the returns becomes a run-time value.
  if (bothPlain && (!both || arms[0].result == arms[1].result))
    return true;
  for (Arm &arm : arms) {
    if (!arm.returns())
      continue;
    mlir::OpBuilder::InsertionGuard guard(context->builder);
    context->builder.setInsertionPointToEnd(&arm.region.front());
    MaybeValue made = materialized(arm.result, "return", arm.returnSpan);
    if (!made)
      return false;
    arm.result = *made;
  }
  if (!both || sameType(arms[0].result, arms[1].result))
    return true;
  report(Kind::ReturnTypeMismatch, arms[1].returnSpan, describe(arms[0].result),
         describe(arms[1].result))
      .label(arms[0].returnSpan, "{0}", describe(arms[0].result))
      .label(arms[1].returnSpan, "{0}", describe(arms[1].result));
  return false;
}

/// Where there is nothing to yield.
static void yieldPoison(mlir::OpBuilder &builder, mlir::Location loc, mlir::Block *block,
                        const Value &model, llvm::SmallVectorImpl<mlir::Value> &values) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  llvm::SmallVector<mlir::Value> wanted;
  flatten(model, wanted);
  for (mlir::Value value : wanted)
    values.push_back(mlir::ub::PoisonOp::create(builder, loc, value.getType(),
                                                mlir::ub::PoisonAttr::get(builder.getContext())));
}

/// Builds the `if` around its finished arms, and the state behind it.
Flow KernelStatements::closeIf(Span span, mlir::Value condition, llvm::MutableArrayRef<Arm> arms,
                               const Scope &before) {
  frame().scope = before;
  if (arms[0].flow == Flow::Failed || arms[1].flow == Flow::Failed)
    return Flow::Failed;
  bool returns = arms[0].returns() || arms[1].returns();
  bool goesOn = arms[0].goesOn() || arms[1].goesOn();
  // There is no result to merge; what the branches said is all there is to say.
  if (frame().hasFailed) {
    frame().result = arms[0].result = arms[1].result = Value::none();
    if (!goesOn)
      return Flow::Returned;
  }
  if (returns && !agreeOnResult(arms))
    return Flow::Failed;
  llvm::SmallVector<Binding> changed;
  if (arms[0].goesOn() && arms[1].goesOn())
    mergeScopes(span, arms, before, changed);
  else if (goesOn)
    takeScope(arms, before, changed);

  mlir::OpBuilder &builder = context->builder;
  context->span = span;
  mlir::Location loc = context->loc();
  Arm &returning = arms[arms[0].returns() ? 0 : 1];
  llvm::SmallVector<mlir::Value> values[2];
  for (int i = 0; i < 2; ++i) {
    Arm &arm = arms[i];
    mlir::Block *block = &arm.region.front();
    if (returns && goesOn && arm.flow != Flow::MayReturn) {
      mlir::OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(block);
      arm.hasReturned = mlir::arith::ConstantIntOp::create(builder, loc, arm.returns(), 1);
    }
    if (returns && goesOn)
      values[i].push_back(arm.hasReturned);
    if (arm.returns())
      flatten(arm.result, values[i]);
    else
      yieldPoison(builder, loc, block, returning.result, values[i]);
    for (const Binding &binding : changed)
      if (arm.goesOn())
        flatten(arm.scope.find(binding.name)->value, values[i]);
      else
        yieldPoison(builder, loc, block, binding.value, values[i]);
  }
  auto op = buildIf(builder, loc, condition, arms[0].region, arms[1].region, values[0], values[1]);
  llvm::SmallVector<mlir::Value> results(op.getResults());
  llvm::ArrayRef<mlir::Value> remaining = results;
  if (returns && goesOn) {
    frame().hasReturned = remaining.front();
    remaining = remaining.drop_front();
  }
  frame().result = unflatten(returning.result, remaining);
  frame().returnSpan = returning.returnSpan;
  for (const Binding &binding : changed)
    frame().scope.set(binding.name, unflatten(binding.value, remaining), binding.span,
                      binding.isConstexpr);
  return !returns ? Flow::Next : !goesOn ? Flow::Returned : Flow::MayReturn;
}

Flow KernelStatements::runGuarded(llvm::function_ref<Flow()> body) {
  Scope before = frame().scope;
  mlir::Value hasReturned = frame().hasReturned;
  Span span = frame().returnSpan;
  Arm arms[2];
  arms[0].region.push_back(new mlir::Block);
  arms[0].flow = Flow::Returned;
  arms[0].result = frame().result;
  arms[0].returnSpan = span;
  walkArm(arms[1], before, span, body);
  return closeIf(span, hasReturned, arms, before);
}

Flow KernelStatements::finish(Flow flow, const Rest *rest) {
  for (; rest && (flow == Flow::Next || flow == Flow::MayReturn); rest = rest->next) {
    auto run = [&] { return rest->run(rest->next); };
    flow = flow == Flow::MayReturn ? runGuarded(run) : run();
  }
  auto returnNone = [&] {
    frame().result = Value::none();
    return Flow::Returned;
  };
  if (flow == Flow::Next)
    return returnNone();
  if (flow == Flow::MayReturn)
    return frame().result.isNone() ? Flow::Returned : runGuarded(returnNone);
  return flow;
}

static bool isEmpty(const Rest *rest) {
  while (rest && rest->isEmpty)
    rest = rest->next;
  return !rest;
}

Flow KernelStatements::runReturningIf(const ast::If &node, const Value &condition,
                                      const Rest *rest) {
  if (frame().deviceLoops) {
    // Walking on would find the `return` itself, but only in the branch that is looked at first.
    report(Kind::ReturnInLoop, node.test->span)
        .hint("store the result in a variable and return it after the loop");
    return Flow::Failed;
  }
  Span span = node.test->span;
  Scope before = frame().scope;
  if (!frame().returnDepth && countReturns(frame().function->def->body) > maxReturnDepth)
    frame().returnDepth = maxReturnDepth;
  unsigned depth = frame().returnDepth;
  bool nests = depth < maxReturnDepth;
  // Both would take the rest along.
  bool meets = !nests || (mayGoOn(node.body) && mayGoOn(node.orelse) && !isEmpty(rest));
  Arm arms[2];
  {
    llvm::SaveAndRestore inside(frame().returnDepth, meets ? maxReturnDepth : depth + 1);
    for (int i = 0; i < 2 && arms[0].flow != Flow::Failed; ++i)
      walkArm(arms[i], before, span, [&] {
        ast::Stmts body = i == 0 ? node.body : node.orelse;
        return meets ? run(body, nullptr) : finish(run(body, rest), rest);
      });
  }
  // One of them does after all.
  for (int i = 0; i < 2; ++i)
    if (nests && meets && arms[i].flow == Flow::Next && arms[1 - i].flow == Flow::Returned) {
      llvm::SaveAndRestore inside(frame().returnDepth, depth + 1);
      Scope scope = std::move(arms[i].scope);
      walkArm(arms[i], scope, span, [&] { return finish(Flow::Next, rest); });
    }
  return closeIf(span, condition.ir(), arms, before);
}

MaybeValue KernelStatements::conditional(const ast::IfExp &node, const Value &test) {
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
                       value->is(ValueKind::Instance) || value->is(ValueKind::None);
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

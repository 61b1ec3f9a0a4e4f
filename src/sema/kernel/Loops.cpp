// Loops of kernels.
//
// The body is walked once, into a detached block that has an argument for every
// variable that it may change (one that exists before the loop and that the body
// assigns somewhere). Arguments that turn out unchanged are dropped, and the scf
// operation is built around the finished block.
//
//   acc = gl.zeros(…)               %r = scf.for %i = … iter_args(%a = %zeros) {
//   for i in range(n):         ⇒      %b = arith.addf %a, %x
//       acc += x                      scf.yield %b
//                                    }

#include "sema/kernel/KernelStatements.h"
#include "sema/value/Arithmetic.h"
#include "sema/value/Flatten.h"

#include "ir/Dialects.h"
#include "ir/LoopHints.h"
#include "ir/SourceLocation.h"

#include "llvm/Support/SaveAndRestore.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

namespace {

/// The variables that a loop may change, as block arguments.
struct CarriedSet {
  struct Variable {
    Binding before;
    Value inside;
  };
  llvm::SmallVector<Variable> variables;
  llvm::SmallVector<mlir::Value> initial;

  CarriedSet(const Scope &scope, const NameSet &assigned) {
    for (const Binding &binding : scope.all())
      if (assigned.contains(binding.name)) {
        variables.push_back({binding, {}});
        flatten(binding.value, initial);
      }
  }

  /// Adds the arguments to `block` and makes the variables refer to them.
  void enter(mlir::Block *block, Scope &scope, mlir::Location loc) {
    llvm::SmallVector<mlir::Value> arguments;
    for (mlir::Value value : initial)
      arguments.push_back(block->addArgument(value.getType(), loc));
    llvm::ArrayRef<mlir::Value> remaining = arguments;
    for (Variable &variable : variables) {
      variable.inside = unflatten(variable.before.value, remaining);
      scope.set(variable.before.name, variable.inside, variable.before.span,
                variable.before.isConstexpr);
    }
  }

  void note(KernelStatements &walk) const {
    for (const Variable &variable : variables)
      walk.noteVariable(variable.before.name, variable.inside, variable.before.span);
  }

  /// Lets the scalars' arguments have the variables' names, for the simulator's reports.
  void nameScalars() {
    for (Variable &variable : variables)
      if (variable.inside.isTensor() && !variable.inside.isBlock()) {
        auto argument = mlir::cast<mlir::BlockArgument>(variable.inside.ir());
        argument.setLoc(withName(argument.getLoc(), variable.before.name));
      }
  }

  /// Reads the values at the end of the body. A variable whose type has changed is reported and
  /// poisoned.
  void leave(Interpreter &interpreter, Scope &scope, llvm::SmallVectorImpl<mlir::Value> &values) {
    for (Variable &variable : variables) {
      const Binding *after = scope.find(variable.before.name);
      bool isSame = after && sameType(variable.before.value, after->value);
      // An inner loop or branch may have taken the name away: nothing to carry, and gone
      // afterwards too.
      flatten(isSame ? after->value : variable.inside, values);
      if (!after || isSame)
        continue;
      if (!after->isPoison() && !variable.before.isPoison())
        reportChange(interpreter, variable.before, *after);
      scope.poison(variable.before.name, after->span);
    }
  }

  static void reportChange(Interpreter &interpreter, const Binding &before, const Binding &after) {
    interpreter.frame().hasFailed = true;
    bool isRuntime = before.value.isIr() || before.value.is(ValueKind::Tuple) ||
                     before.value.is(ValueKind::Instance) || before.value.is(ValueKind::Descriptor);
    if (before.isConstexpr || !isRuntime) {
      interpreter.report(Kind::ConstexprInLoop, after.span, before.name)
          .label(before.span, "{0} before the loop", describe(before.value))
          .hint("make it a run-time value before the loop: `{0} = gl.to_tensor(…)`", before.name);
      return;
    }
    interpreter
        .report(Kind::LoopTypeMismatch, after.span, before.name, describe(before.value),
                describe(after.value))
        .label(before.span, "{0} before the loop", describe(before.value))
        .hint("give it the same type, shape and layout before the loop");
  }
};

/// Positions whose value the body changes; the other arguments are replaced by their initial
/// value and dropped from `block` (whose carried arguments start at `first`).
llvm::SmallVector<bool> dropUnchanged(mlir::Block *block, unsigned first,
                                      llvm::ArrayRef<mlir::Value> initial,
                                      llvm::SmallVectorImpl<mlir::Value> &yielded) {
  llvm::SmallVector<bool> changed;
  for (size_t i = 0; i < initial.size(); ++i)
    changed.push_back(yielded[i] != block->getArgument(first + unsigned(i)));
  for (size_t i = initial.size(); i-- > 0;)
    if (!changed[i]) {
      mlir::BlockArgument argument = block->getArgument(first + unsigned(i));
      // Another variable may have taken this one's value: that one changes, to the initial value.
      for (mlir::Value &value : yielded)
        if (value == argument)
          value = initial[i];
      argument.replaceAllUsesWith(initial[i]);
      block->eraseArgument(first + unsigned(i));
    }
  return changed;
}

llvm::SmallVector<mlir::Value> keep(llvm::ArrayRef<mlir::Value> values,
                                    llvm::ArrayRef<bool> wanted) {
  llvm::SmallVector<mlir::Value> result;
  for (auto [value, isWanted] : llvm::zip(values, wanted))
    if (isWanted)
      result.push_back(value);
  return result;
}

llvm::SmallVector<mlir::Type> typesOf(llvm::ArrayRef<mlir::Value> values) {
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value value : values)
    types.push_back(value.getType());
  return types;
}

/// Points the builder into a fresh block of `region`.
mlir::Block *enter(mlir::OpBuilder &builder, mlir::Region &region) {
  region.push_back(new mlir::Block);
  builder.setInsertionPointToStart(&region.front());
  return &region.front();
}

} // namespace

/// After a loop its variables have the loop's results; names that only the body defined are gone.
static void bindResults(Scope &scope, const Scope &before, const Scope &inside,
                        const CarriedSet &carried, llvm::ArrayRef<bool> changed,
                        llvm::ArrayRef<mlir::Value> results) {
  llvm::SmallVector<mlir::Value> values;
  size_t next = 0;
  for (size_t i = 0; i < changed.size(); ++i)
    values.push_back(changed[i] ? results[next++] : carried.initial[i]);
  scope = before;
  llvm::ArrayRef<mlir::Value> remaining = values;
  for (const CarriedSet::Variable &variable : carried.variables) {
    const Binding *after = inside.find(variable.before.name);
    Value result = unflatten(variable.before.value, remaining);
    if (after && after->isPoison()) {
      scope.poison(variable.before.name, after->span);
      continue;
    }
    if (after) {
      scope.set(variable.before.name, result, after->span, variable.before.isConstexpr);
      continue;
    }
    scope.remove(variable.before.name);
    scope.lose(variable.before.name, variable.before.span, "a loop or branch inside took it over");
  }
  for (const Binding &binding : inside.all())
    if (!before.find(binding.name))
      scope.lose(binding.name, binding.span, "it exists inside the loop only");
}

// -- for --------------------------------------------------------------------------------

Flow KernelStatements::runFor(const ast::For &node, const Rest *rest) {
  MaybeValue range = eval(node.iter);
  if (!range)
    return Flow::Failed;
  if (!range->is(ValueKind::Range)) {
    report(Kind::NotIterable, node.iter->span, range->typeName())
        .hint("loop over `range(…)` or, at compile time, `gl.static_range(…)`");
    return Flow::Failed;
  }
  if (!llvm::isa<ast::Name>(node.target)) {
    report(Kind::UnsupportedConstruct, node.target->span, "this loop variable").end();
    return Flow::Failed;
  }
  if (range->isWrapped())
    return runStaticFor(node, *range, *range->bounds()[0].asInt64(), rest);
  return runDeviceFor(node, *range);
}

/// Unrolled from `index` on. The scope is shared by the iterations.
Flow KernelStatements::runStaticFor(const ast::For &node, const Value &range, int64_t index,
                                    const Rest *rest) {
  llvm::StringRef name = llvm::cast<ast::Name>(node.target)->id;
  int64_t stop = *range.bounds()[1].asInt64(), stride = *range.bounds()[2].asInt64();
  bool fails = false;
  mlir::Attribute around = frame().unrolled;
  auto hasMore = [&] { return stride > 0 ? index < stop : index > stop; };
  auto iterate = [&] {
    interpreter.observe(node.target->span, Value::integer(index));
    frame().scope.set(name, Value::integer(index), node.target->span, /*isConstexpr=*/true);
    llvm::SaveAndRestore here(frame().unrolled,
                              addIndex(context->mlirContext(), around, name, index));
    if (__builtin_add_overflow(index, stride, &index))
      index = stop;
    // A `return` in the body takes the other iterations along into its branches.
    auto runOthers = [&, index = index](const Rest *next) {
      llvm::SaveAndRestore outside(frame().unrolled, around);
      return runStaticFor(node, range, index, next);
    };
    Rest others{runOthers, rest, !hasMore()};
    bool hadFailed = std::exchange(frame().hasFailed, false);
    Flow flow = run(node.body, &others);
    fails = frame().hasFailed;
    frame().hasFailed |= hadFailed;
    return flow;
  };
  Flow flow = Flow::Next;
  while (hasMore()) {
    if (!step(node.target->span))
      return Flow::Failed;
    flow = flow == Flow::MayReturn ? runGuarded(iterate) : iterate();
    if (flow != Flow::Next && flow != Flow::MayReturn)
      return flow;
    // The other iterations would most likely say the same again.
    if (fails)
      return recover(node) ? flow : Flow::Failed;
  }
  return flow;
}

/// The wider of two integer types; of equal widths the unsigned one.
static DType promoteBounds(DType a, DType b) {
  if (a.bitWidth() != b.bitWidth())
    return a.bitWidth() > b.bitWidth() ? a : b;
  return a.isUnsignedInt() ? a : b;
}

/// Hints of `tl.range`, as attributes under the names that dumps of Triton give them.
static void addHints(mlir::OperationState &state, mlir::OpBuilder &builder, const Value &range) {
  static constexpr llvm::StringLiteral names[] = {
      "tt.num_stages", "tt.loop_unroll_factor", "tt.disallow_acc_multi_buffer",
      "tt.flatten",    "tt.warp_specialize",    disableLicmAttr};
  for (auto [name, hint] : llvm::zip(names, range.rangeHints())) {
    if (hint.is(ValueKind::Bool)) {
      if (hint.asBool())
        state.addAttribute(name, builder.getUnitAttr());
    } else if (std::optional<int64_t> number = hint.asInt64())
      state.addAttribute(name, builder.getI32IntegerAttr(int32_t(*number)));
  }
}

/// What scf.for counts: integers of one type, upwards.
struct KernelStatements::DeviceRange {
  /// Lower and upper bound, step.
  Value bounds[3];
  /// Whether the kernel counts downwards over the same values.
  bool isReversed;
};

std::optional<KernelStatements::DeviceRange> KernelStatements::deviceRange(const Value &range,
                                                                           Span span) {
  std::optional<int64_t> step = range.bounds()[2].asInt64();
  if (step == 0) {
    report(Kind::ZeroStep, span).end();
    return std::nullopt;
  }
  bool isReversed = step && *step < 0;
  DeviceRange found = {
      {range.bounds()[isReversed ? 1 : 0], range.bounds()[isReversed ? 0 : 1], range.bounds()[2]},
      isReversed};
  if (isReversed)
    found.bounds[2] =
        *binary(ast::Operator::Sub, Value::integer(0), found.bounds[2], span, span, span);
  DType type = dtypes::int32;
  for (auto [i, bound] : llvm::enumerate(found.bounds)) {
    context->span = span;
    MaybeValue made =
        bound.isNumber() || bound.isTensor() ? ops::materialize(*context, bound, span) : bound;
    if (!made)
      return std::nullopt;
    if (!made->isTensor() || made->isBlock() || !made->dtype().isInt()) {
      static constexpr const char *names[] = {"lower bound", "upper bound", "step"};
      report(Kind::BadLoopBound, span, names[i < 2 && isReversed ? 1 - i : i], bound.typeName())
          .end();
      return std::nullopt;
    }
    bound = *made;
    type = i == 0 ? made->dtype() : promoteBounds(type, made->dtype());
  }
  for (Value &bound : found.bounds) {
    MaybeValue converted = ops::cast(*context, bound, type, span);
    if (!converted)
      return std::nullopt;
    bound = *converted;
  }
  return found;
}

Flow KernelStatements::runDeviceFor(const ast::For &node, const Value &range) {
  mlir::OpBuilder &builder = context->builder;
  std::optional<DeviceRange> counted = deviceRange(range, node.iter->span);
  if (!counted)
    return Flow::Failed;
  auto &[bounds, isReversed] = *counted;
  DType type = bounds[0].dtype();
  context->span = node.iter->span;
  mlir::Location loc = context->loc();

  llvm::StringRef name = llvm::cast<ast::Name>(node.target)->id;
  NameSet assigned;
  for (const ast::Stmt *stmt : node.body)
    collectAssigned(*stmt, assigned);
  assigned.remove(name);
  Scope before = frame().scope;
  CarriedSet carried(before, assigned);
  mlir::Region body;
  llvm::SmallVector<mlir::Value> yielded;
  llvm::SmallVector<bool> changed;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *block = enter(builder, body);
    mlir::Location named = withName(loc, name);
    mlir::Value induction = block->addArgument(bounds[0].irType(), isReversed ? loc : named);
    carried.enter(block, frame().scope, loc);
    carried.note(*this);
    Value variable = Value::tensor(induction, type);
    if (isReversed) {
      // Counts up over the same values: first + last - i.
      mlir::Value sum = mlir::arith::AddIOp::create(builder, loc, bounds[1].ir(), bounds[0].ir());
      variable = Value::tensor(mlir::arith::SubIOp::create(builder, named, sum, induction), type);
    }
    interpreter.observe(node.target->span, variable);
    frame().scope.set(name, variable, node.target->span);
    ++frame().deviceLoops;
    Flow flow = run(node.body, nullptr);
    --frame().deviceLoops;
    if (flow != Flow::Next)
      return Flow::Failed;
    carried.leave(interpreter, frame().scope, yielded);
    changed = dropUnchanged(block, 1, carried.initial, yielded);
    builder.setInsertionPointToEnd(block);
    mlir::scf::YieldOp::create(builder, loc, keep(yielded, changed));
  }
  llvm::SmallVector<mlir::Value> initial = keep(carried.initial, changed);
  mlir::OperationState state(loc, mlir::scf::ForOp::getOperationName());
  state.addOperands({bounds[0].ir(), bounds[1].ir(), bounds[2].ir()});
  addHints(state, builder, range);
  state.addOperands(initial);
  state.addTypes(typesOf(initial));
  state.addRegion()->takeBody(body);
  mlir::Operation *op = builder.create(state);
  Scope inside = std::move(frame().scope);
  llvm::SmallVector<mlir::Value> results(op->getResults());
  bindResults(frame().scope, before, inside, carried, changed, results);
  // The loop variable has no value after the loop.
  frame().scope.remove(name);
  frame().scope.lose(name, node.target->span, "a loop variable has no value after its loop");
  return Flow::Next;
}

// -- while ------------------------------------------------------------------------------

/// Whether `test`, which was evaluated without a report, is `tl.condition(…, disable_licm=True)`.
static bool disablesLicm(Interpreter &interpreter, const ast::Expr &test) {
  const auto *call = llvm::dyn_cast<ast::Call>(&test);
  if (!call || (call->keywords.empty() && call->args.size() < 2))
    return false;
  MaybeValue callee = interpreter.eval(call->func);
  if (!callee || !callee->is(ValueKind::Builtin) || callee->asBuiltin().name != "condition")
    return false;
  const ast::Expr *hint = call->args.size() > 1 ? call->args[1] : nullptr;
  for (const ast::Keyword *keyword : call->keywords)
    if (keyword->arg == "disable_licm")
      hint = keyword->value;
  MaybeValue value = hint ? interpreter.eval(hint) : std::nullopt;
  return value && truthOf(*value).value_or(false);
}

Flow KernelStatements::runDeviceWhile(const ast::While &node) {
  NameSet inTest;
  collectAssigned(*node.test, inTest);
  if (!inTest.empty()) {
    report(Kind::UnsupportedConstruct, node.test->span, "assignment in the condition of a loop")
        .hint("assign `{0}` before the loop and at the end of its body", inTest.front());
    return Flow::Failed;
  }
  mlir::OpBuilder &builder = context->builder;
  context->span = node.test->span;
  mlir::Location loc = context->loc();
  NameSet assigned;
  for (const ast::Stmt *stmt : node.body)
    collectAssigned(*stmt, assigned);
  Scope before = frame().scope;
  CarriedSet carried(before, assigned);
  mlir::Region testRegion, body;
  Value condition;
  llvm::SmallVector<mlir::Value> yielded;
  llvm::SmallVector<bool> changed;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *testBlock = enter(builder, testRegion);
    carried.enter(testBlock, frame().scope, loc);
    carried.nameScalars();
    carried.note(*this);
    MaybeValue test = eval(node.test);
    if (!test)
      return Flow::Failed;
    if (!test->isTensor() || test->isBlock()) {
      report(Kind::BadCondition, node.test->span, describe(*test))
          .hint("`while` needs a scalar that the loop changes, such as a comparison");
      return Flow::Failed;
    }
    MaybeValue bit = ops::condition(*context, *test, node.test->span);
    if (!bit)
      return Flow::Failed;
    condition = *bit;
    mlir::Block *block = enter(builder, body);
    frame().scope = before;
    carried.enter(block, frame().scope, loc);
    carried.nameScalars();
    carried.note(*this);
    ++frame().deviceLoops;
    Flow flow = run(node.body, nullptr);
    --frame().deviceLoops;
    if (flow != Flow::Next)
      return Flow::Failed;
    carried.leave(interpreter, frame().scope, yielded);
    changed = dropUnchanged(block, 0, carried.initial, yielded);
    for (size_t i = changed.size(); i-- > 0;)
      if (!changed[i]) {
        if (condition.ir() == testBlock->getArgument(unsigned(i)))
          condition = Value::tensor(carried.initial[i], condition.dtype());
        testBlock->getArgument(unsigned(i)).replaceAllUsesWith(carried.initial[i]);
        testBlock->eraseArgument(unsigned(i));
      }
    builder.setInsertionPointToEnd(testBlock);
    mlir::scf::ConditionOp::create(builder, loc, condition.ir(), testBlock->getArguments());
    builder.setInsertionPointToEnd(block);
    mlir::scf::YieldOp::create(builder, loc, keep(yielded, changed));
  }
  llvm::SmallVector<mlir::Value> initial = keep(carried.initial, changed);
  mlir::OperationState state(loc, mlir::scf::WhileOp::getOperationName());
  state.addOperands(initial);
  state.addTypes(typesOf(initial));
  state.addRegion()->takeBody(testRegion);
  state.addRegion()->takeBody(body);
  if (disablesLicm(interpreter, *node.test))
    state.addAttribute(disableLicmAttr, builder.getUnitAttr());
  mlir::Operation *op = builder.create(state);
  Scope inside = std::move(frame().scope);
  llvm::SmallVector<mlir::Value> results(op->getResults());
  bindResults(frame().scope, before, inside, carried, changed, results);
  return Flow::Next;
}

} // namespace gluonc::sema

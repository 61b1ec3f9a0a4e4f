// Statements of kernels, but for control flow (ControlFlow.cpp).

#include "sema/kernel/KernelStatements.h"

#include "sema/eval/Classes.h"
#include "sema/host/HostStatements.h"
#include "sema/kernel/NameBuffers.h"
#include "sema/names/Language.h"

#include "ir/Scope.h"
#include "ir/amdg/AmdOps.h"

#include "llvm/Support/SaveAndRestore.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

void collectAssigned(const ast::Node &node, NameSet &names) {
  if (llvm::isa<ast::FunctionDef>(node) || llvm::isa<ast::Lambda>(node))
    return;
  // The variables of a comprehension are its own.
  if (const auto *comprehension = llvm::dyn_cast<ast::Comprehension>(&node)) {
    collectAssigned(*comprehension->iter, names);
    return;
  }
  if (const auto *name = llvm::dyn_cast<ast::Name>(&node))
    if (name->ctx == ast::ExprContext::Store)
      names.insert(name->id);
  ast::forEachChild(node, [&](const ast::Node &child) { collectAssigned(child, names); });
}

bool KernelStatements::recover(const ast::Stmt &stmt) {
  frame().hasFailed = true;
  if (interpreter.isExhausted)
    return false;
  NameSet assigned;
  collectAssigned(stmt, assigned);
  for (llvm::StringRef name : assigned)
    frame().scope.poison(name, stmt.span);
  return true;
}

Flow KernelStatements::run(ast::Stmts body, const Rest *rest) {
  Flow flow = runStatements(body, rest);
  while (flow == Flow::MayReturn && !body.empty())
    flow = runGuarded([&] { return runStatements(body, rest); });
  return flow;
}

/// As far as all go on; takes what it ran from the front of `body`.
Flow KernelStatements::runStatements(ast::Stmts &body, const Rest *rest) {
  while (!body.empty()) {
    const ast::Stmt &stmt = *body.front();
    body = body.drop_front();
    Interpreter::DepthScope nested(interpreter);
    if (!step(stmt.span)) {
      interpreter.isExhausted = true;
      return Flow::Failed;
    }
    auto runRemaining = [remaining = body, this, place = frame().unrolled](const Rest *next) {
      llvm::SaveAndRestore here(frame().unrolled, place);
      return run(remaining, next);
    };
    Rest here{runRemaining, rest, body.empty()};
    Flow flow = runStatement(stmt, &here);
    if (flow == Flow::Failed && recover(stmt)) {
      // What stands behind a `return` is dead, also when its value is wrong.
      if (!llvm::isa<ast::Return>(stmt) || frame().deviceLoops)
        continue;
      flow = Flow::Returned;
    }
    if (flow != Flow::Next)
      return flow;
  }
  return Flow::Next;
}

static Flow nextIf(bool done) { return done ? Flow::Next : Flow::Failed; }

Flow KernelStatements::runStatement(const ast::Stmt &stmt, const Rest *rest) {
  using ast::NodeKind;
  if (!checkSupported(stmt))
    return Flow::Failed;
  switch (stmt.kind) {
  case NodeKind::Pass:
    return Flow::Next;
  case NodeKind::ExprStmt: {
    const auto &node = llvm::cast<ast::ExprStmt>(stmt);
    // A docstring is no call of anything.
    if (llvm::isa<ast::Constant>(node.value))
      return Flow::Next;
    const ast::Expr *outer = std::exchange(interpreter.unusedCall, node.value);
    bool done = eval(node.value).has_value();
    interpreter.unusedCall = outer;
    return nextIf(done);
  }
  case NodeKind::Return:
    return runReturn(llvm::cast<ast::Return>(stmt));
  case NodeKind::Assign: {
    const auto &node = llvm::cast<ast::Assign>(stmt);
    MaybeValue value = eval(node.value);
    return nextIf(value && assign(node.targets[0], *value, node.value->span,
                                  /*isConstexpr=*/false));
  }
  case NodeKind::AnnAssign:
    return nextIf(annotatedAssign(llvm::cast<ast::AnnAssign>(stmt)));
  case NodeKind::AugAssign:
    return nextIf(augment(llvm::cast<ast::AugAssign>(stmt)));
  case NodeKind::If:
    return runIf(llvm::cast<ast::If>(stmt), rest);
  case NodeKind::For:
    return runFor(llvm::cast<ast::For>(stmt), rest);
  case NodeKind::While:
    return runDeviceWhile(llvm::cast<ast::While>(stmt));
  case NodeKind::Assert:
    return nextIf(runAssert(llvm::cast<ast::Assert>(stmt)));
  case NodeKind::Raise:
    return HostStatements(interpreter).runRaise(llvm::cast<ast::Raise>(stmt));
  case NodeKind::With:
    return runWith(llvm::cast<ast::With>(stmt), rest);
  default:
    report(Kind::UnsupportedConstruct, stmt.span, "this statement").end();
    return Flow::Failed;
  }
}

/// The contexts that the language has: stages of a warp pipeline, which the mark of their end
/// opens, and regions of timelines. The mark then goes behind the statements.
Flow KernelStatements::runWith(const ast::With &node, const Rest *rest) {
  llvm::SmallVector<mlir::Operation *, 1> borders;
  for (const ast::WithItem *item : node.items) {
    mlir::OpBuilder &builder = context->builder;
    auto lastOp = [&] {
      return builder.getInsertionPoint() == builder.getInsertionBlock()->begin()
                 ? nullptr
                 : &*std::prev(builder.getInsertionPoint());
    };
    mlir::Operation *before = lastOp();
    MaybeValue opened = eval(item->context_expr);
    if (!opened)
      return Flow::Failed;
    mlir::Operation *last = lastOp();
    auto stage = llvm::dyn_cast_or_null<rocdl::SchedBarrierOp>(last);
    auto scope = last == before ? gluon::ScopeOp() : llvm::dyn_cast_or_null<gluon::ScopeOp>(last);
    const bool isBorder =
        (stage && stage->hasAttr(rocdl::borderAttr) && !llvm::is_contained(borders, last)) ||
        (scope && !scope.getEnds() && opened->is(ValueKind::None));
    if (!isBorder || item->optional_vars) {
      report(Kind::UnsupportedConstruct, item->context_expr->span, "`with` over this").end();
      return Flow::Failed;
    }
    // The other border stands there until it is known where the region ends.
    if (scope) {
      last = builder.clone(*last);
      llvm::cast<gluon::ScopeOp>(last).setEnds(true);
    }
    borders.push_back(last);
  }
  Flow flow = run(node.body, rest);
  // What an early return leaves to the other branch is behind the region, too.
  const bool isReturn = !node.body.empty() && llvm::isa<ast::Return>(node.body.back());
  for (mlir::Operation *border : llvm::reverse(borders)) {
    const bool isScope = llvm::isa<gluon::ScopeOp>(border);
    if (flow == Flow::Returned && isScope && !isReturn) {
      report(Kind::UnsupportedConstruct, node.span, "a return out of a scope")
          .hint("end the scope before the branch that returns");
      return Flow::Failed;
    }
    if (flow == Flow::Next || isScope)
      border->moveBefore(context->builder.getInsertionBlock(),
                         context->builder.getInsertionPoint());
    else
      border->erase();
  }
  return flow;
}

Flow KernelStatements::runReturn(const ast::Return &node) {
  if (frame().deviceLoops) {
    report(Kind::ReturnInLoop, node.span)
        .hint("store the result in a variable and return it after the loop");
    return Flow::Failed;
  }
  MaybeValue value = node.value ? eval(node.value) : Value::none();
  if (!value)
    return Flow::Failed;
  frame().result = *value;
  frame().returnSpan = node.span;
  return Flow::Returned;
}

MaybeValue KernelStatements::materialized(const Value &value, llvm::StringRef name, Span span) {
  switch (value.kind()) {
  case ValueKind::Bool:
  case ValueKind::Int:
  case ValueKind::Float:
    context->span = span;
    return ops::materialize(*context, value, span);
  case ValueKind::Tuple: {
    std::vector<Value> items;
    for (const Value &item : value.items()) {
      MaybeValue made = materialized(item, name, span);
      if (!made)
        return std::nullopt;
      items.push_back(std::move(*made));
    }
    return Value::tuple(std::move(items), value.fieldNames().vec());
  }
  case ValueKind::None:
  case ValueKind::DType:
  case ValueKind::BlockType:
  case ValueKind::Instance:
  case ValueKind::Tensor:
  case ValueKind::MemDesc:
  case ValueKind::Accumulator:
  case ValueKind::FloatPairs:
  case ValueKind::LaunchAnswer:
  case ValueKind::Descriptor:
  case ValueKind::Handle:
    return value;
  default:
    report(Kind::NeedsConstexpr, span, kindName(value.kind()), name)
        .hint("write `{0}: gl.constexpr = …`", name);
    return std::nullopt;
  }
}

bool KernelStatements::assign(const ast::Expr *target, const Value &value, Span valueSpan,
                              bool isConstexpr) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(target)) {
    isConstexpr |= frame().scope.takeExpectation(name->id);
    MaybeValue bound = isConstexpr ? value : materialized(value, name->id, valueSpan);
    if (!bound)
      return false;
    nameBuffers(*bound, name->id);
    noteVariable(name->id, *bound, target->span);
    // As in Triton, the annotation lets run-time values through; uses tell which they need.
    interpreter.observe(target->span, *bound);
    frame().scope.set(name->id, *bound, target->span, isConstexpr && bound->isCompileTime());
    return true;
  }
  if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(target))
    return Classes(interpreter).setField(*attribute, value);
  llvm::ArrayRef<const ast::Expr *> elements;
  if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    elements = tuple->elts;
  else if (const auto *list = llvm::dyn_cast<ast::List>(target))
    elements = list->elts;
  else {
    if (checkSupported(*target))
      report(Kind::UnsupportedConstruct, target->span, "this assignment target").end();
    return false;
  }
  // A starred target takes any number: the count below would mislead.
  for (const ast::Expr *element : elements)
    if (llvm::isa<ast::Starred>(element) && !checkSupported(*element))
      return false;
  std::optional<std::vector<Value>> items = iterate(value, valueSpan);
  if (!items)
    return false;
  if (items->size() != elements.size()) {
    report(Kind::UnpackCount, target->span, items->size(), elements.size())
        .label(valueSpan, "{0}", value.typeName());
    return false;
  }
  for (auto [element, item] : llvm::zip(elements, *items))
    if (!assign(element, item, valueSpan, isConstexpr))
      return false;
  return true;
}

void KernelStatements::noteVariable(llvm::StringRef name, const Value &value, Span span) {
  if (context && context->options.namesVariables)
    nameVariables(value, name, interpreter.location(context->mlirContext(), span));
}

bool KernelStatements::annotatedAssign(const ast::AnnAssign &node) {
  const auto *name = llvm::dyn_cast<ast::Name>(node.target);
  if (!name) {
    report(Kind::UnsupportedConstruct, node.target->span, "an annotation on this target").end();
    return false;
  }
  bool isConstexpr = node.annotation->span.text().find("constexpr") != std::string_view::npos;
  const Binding *existing = frame().scope.find(name->id);
  if (isConstexpr && existing) {
    report(Kind::ConstexprReassigned, node.target->span, name->id)
        .label(existing->span, "first defined here");
    return false;
  }
  if (!node.value) {
    if (isConstexpr)
      frame().scope.expectConstexpr(name->id);
    return true;
  }
  MaybeValue value = eval(node.value);
  if (!value)
    return false;
  return assign(node.target, *value, node.value->span, isConstexpr);
}

bool KernelStatements::augment(const ast::AugAssign &node) {
  if (!llvm::isa<ast::Name>(node.target)) {
    report(Kind::UnsupportedConstruct, node.target->span, "augmented assignment to this target")
        .end();
    return false;
  }
  MaybeValue old = eval(node.target);
  MaybeValue operand = old ? eval(node.value) : std::nullopt;
  if (!operand)
    return false;
  if (node.op == ast::Operator::MatMult) {
    report(Kind::UnsupportedConstruct, node.opSpan, "the operator `@`").end();
    return false;
  }
  MaybeValue result =
      binary(node.op, *old, *operand, node.span, node.target->span, node.value->span);
  return result && assign(node.target, *result, node.span, /*isConstexpr=*/false);
}

bool KernelStatements::runAssert(const ast::Assert &node) {
  MaybeValue test = eval(node.test);
  if (!test)
    return false;
  MaybeValue message = node.msg ? eval(node.msg) : Value::string("");
  if (!message)
    return false;
  const Builtin *builtin = ops::findBuiltin("device_assert");
  // Assertions of the device exist in debug builds only.
  if (!context->options.debug || !builtin)
    return true;
  CallArguments arguments;
  arguments.span = node.span;
  arguments.add(*test, node.test->span);
  arguments.add(*message, node.msg ? node.msg->span : node.span);
  return call(Value::builtin(builtin), arguments).has_value();
}

} // namespace gluonc::sema

// Statements of compile-time code: bodies of constexpr functions, launch helpers.

#include "sema/Language.h"

namespace gluonc::sema {

using diag::Kind;

std::shared_ptr<Closure> capture(Frame &frame) {
  auto closure = std::make_shared<Closure>();
  closure->scope = frame.scope;
  // Enclosing functions outlive the call only through copies of their scopes.
  if (frame.closure)
    closure->outer = std::make_shared<Closure>(*frame.closure);
  return closure;
}

MaybeValue Interpreter::evalLambda(const ast::Lambda &node) {
  if (!frame().module) {
    report(Kind::UnsupportedHostConstruct, node.span, "a lambda here").end();
    return std::nullopt;
  }
  return Value::function(makeLambda(*this, *frame().module, node, capture(frame())));
}

bool Interpreter::defineNested(const ast::FunctionDef &node) {
  auto function = makeFunction(*this, *frame().module, node, capture(frame()));
  frame().scope.set(node.name, Value::function(std::move(function)), node.nameSpan);
  return true;
}

Flow Interpreter::runHost(ast::Stmts body) {
  for (const ast::Stmt *stmt : body) {
    DepthScope nested(*this);
    if (!step(stmt->span))
      return Flow::Failed;
    if (Flow flow = runHostStatement(*stmt); flow != Flow::Next)
      return flow;
  }
  return Flow::Next;
}

static Flow nextIf(bool done) { return done ? Flow::Next : Flow::Failed; }

Flow Interpreter::runHostStatement(const ast::Stmt &stmt) {
  using ast::NodeKind;
  if (!checkSupported(stmt))
    return Flow::Failed;
  switch (stmt.kind) {
  case NodeKind::Pass:
  case NodeKind::Import:
  case NodeKind::ImportFrom:
    // Modules are found through the file's scope; a local import adds nothing to that.
    return Flow::Next;
  case NodeKind::Break:
    return Flow::Break;
  case NodeKind::Continue:
    return Flow::Continue;
  case NodeKind::ExprStmt:
    return nextIf(eval(llvm::cast<ast::ExprStmt>(stmt).value).has_value());
  case NodeKind::Return: {
    const auto &node = llvm::cast<ast::Return>(stmt);
    MaybeValue value = node.value ? eval(node.value) : Value::none();
    if (!value)
      return Flow::Failed;
    frame().result = *value;
    return Flow::Returned;
  }
  case NodeKind::Assign: {
    const auto &node = llvm::cast<ast::Assign>(stmt);
    MaybeValue value = eval(node.value);
    if (!value)
      return Flow::Failed;
    for (const ast::Expr *target : node.targets)
      if (!assignHost(target, *value))
        return Flow::Failed;
    return Flow::Next;
  }
  case NodeKind::AnnAssign: {
    const auto &node = llvm::cast<ast::AnnAssign>(stmt);
    if (!node.value)
      return Flow::Next;
    MaybeValue value = eval(node.value);
    return nextIf(value && assignHost(node.target, *value));
  }
  case NodeKind::AugAssign:
    return nextIf(augmentHost(llvm::cast<ast::AugAssign>(stmt)));
  case NodeKind::If: {
    const auto &node = llvm::cast<ast::If>(stmt);
    MaybeValue test = eval(node.test);
    std::optional<bool> holds = test ? truth(*test, node.test->span) : std::nullopt;
    if (!holds)
      return Flow::Failed;
    return runHost(*holds ? node.body : node.orelse);
  }
  case NodeKind::For:
    return runHostFor(llvm::cast<ast::For>(stmt));
  case NodeKind::While:
    return runHostWhile(llvm::cast<ast::While>(stmt));
  case NodeKind::Assert:
    return runHostAssert(llvm::cast<ast::Assert>(stmt));
  case NodeKind::Raise:
    return runHostRaise(llvm::cast<ast::Raise>(stmt));
  case NodeKind::ClassDef:
    return nextIf(defineNestedClass(llvm::cast<ast::ClassDef>(stmt)));
  case NodeKind::FunctionDef:
    return nextIf(defineNested(llvm::cast<ast::FunctionDef>(stmt)));
  default:
    report(Kind::UnsupportedHostConstruct, stmt.span, "this statement").end();
    return Flow::Failed;
  }
}

Flow Interpreter::runHostFor(const ast::For &node) {
  MaybeValue iterable = eval(node.iter);
  if (!iterable)
    return Flow::Failed;
  std::optional<std::vector<Value>> items = iterate(*iterable, node.iter->span);
  if (!items)
    return Flow::Failed;
  for (const Value &item : *items) {
    if (!assignHost(node.target, item))
      return Flow::Failed;
    Flow flow = runHost(node.body);
    if (flow == Flow::Break)
      return Flow::Next;
    if (flow == Flow::Returned || flow == Flow::Failed)
      return flow;
  }
  return runHost(node.orelse);
}

Flow Interpreter::runHostWhile(const ast::While &node) {
  while (true) {
    MaybeValue test = eval(node.test);
    std::optional<bool> holds = test ? truth(*test, node.test->span) : std::nullopt;
    if (!holds)
      return Flow::Failed;
    if (!*holds)
      return runHost(node.orelse);
    Flow flow = runHost(node.body);
    if (flow == Flow::Break)
      return Flow::Next;
    if (flow == Flow::Returned || flow == Flow::Failed)
      return flow;
  }
}

Flow Interpreter::runHostAssert(const ast::Assert &node) {
  MaybeValue test = eval(node.test);
  std::optional<bool> holds = test ? truth(*test, node.test->span) : std::nullopt;
  if (!holds)
    return Flow::Failed;
  if (*holds)
    return Flow::Next;
  MaybeValue message = node.msg ? eval(node.msg) : Value::none();
  if (!message)
    return Flow::Failed;
  report(Kind::CompileTimeRaise, node.test->span,
         message->isNone() ? "AssertionError" : "AssertionError: " + message->str())
      .end();
  return Flow::Failed;
}

Flow Interpreter::runHostRaise(const ast::Raise &node) {
  // Exceptions are never caught, so their text is all that matters.
  std::string text = node.exc ? std::string(node.exc->span.text()) : "an exception";
  if (const auto *call = llvm::dyn_cast_or_null<ast::Call>(node.exc);
      call && call->args.size() == 1) {
    MaybeValue message = eval(call->args[0]);
    if (!message)
      return Flow::Failed;
    text = std::string(call->func->span.text()) + ": " + message->str();
  }
  report(Kind::CompileTimeRaise, node.span, text).end();
  return Flow::Failed;
}

bool Interpreter::assignHost(const ast::Expr *target, const Value &value) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(target)) {
    frame().scope.set(name->id, value, target->span, value.isCompileTime());
    return true;
  }
  if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(target))
    return setField(*attribute, value);
  llvm::ArrayRef<const ast::Expr *> elements;
  if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    elements = tuple->elts;
  else if (const auto *list = llvm::dyn_cast<ast::List>(target))
    elements = list->elts;
  else if (const auto *subscript = llvm::dyn_cast<ast::Subscript>(target)) {
    MaybeValue object = eval(subscript->value);
    MaybeValue index = object ? eval(subscript->slice) : std::nullopt;
    if (!index)
      return false;
    if (object->is(ValueKind::Dict)) {
      auto &items = object->dictItems();
      llvm::erase_if(items, [&](const auto &item) { return item.first == *index; });
      items.emplace_back(*index, value);
      return true;
    }
    std::optional<int64_t> at = index->asInt64();
    if (!object->is(ValueKind::List) || !at) {
      report(Kind::BadIndex, target->span, "a " + object->typeName() + " cannot be stored into")
          .end();
      return false;
    }
    auto &items = object->listItems();
    int64_t size = int64_t(items.size());
    if (*at < -size || *at >= size) {
      report(Kind::IndexOutOfRange, target->span, *at, size).end();
      return false;
    }
    items[size_t(*at < 0 ? *at + size : *at)] = value;
    return true;
  } else {
    report(Kind::UnsupportedHostConstruct, target->span, "this assignment target").end();
    return false;
  }
  std::optional<std::vector<Value>> items = iterate(value, target->span);
  if (!items)
    return false;
  if (items->size() != elements.size()) {
    report(Kind::UnpackCount, target->span, items->size(), elements.size()).end();
    return false;
  }
  for (auto [element, item] : llvm::zip(elements, *items))
    if (!assignHost(element, item))
      return false;
  return true;
}

bool Interpreter::augmentHost(const ast::AugAssign &node) {
  MaybeValue old = eval(node.target);
  MaybeValue operand = old ? eval(node.value) : std::nullopt;
  if (!operand)
    return false;
  // `list += …` extends the object that others may share.
  if (node.op == ast::Operator::Add && old->is(ValueKind::List)) {
    std::optional<std::vector<Value>> added = iterate(*operand, node.value->span);
    if (!added)
      return false;
    auto &items = old->listItems();
    items.insert(items.end(), added->begin(), added->end());
    return true;
  }
  MaybeValue result =
      binary(node.op, *old, *operand, node.span, node.target->span, node.value->span);
  return result && assignHost(node.target, *result);
}

} // namespace gluonc::sema

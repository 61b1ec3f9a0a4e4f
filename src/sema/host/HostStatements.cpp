// Statements of compile-time code: bodies of constexpr functions, launch helpers.

#include "sema/host/HostStatements.h"

#include "sema/eval/Classes.h"
#include "sema/names/Language.h"
#include "sema/names/ProgramState.h"
#include "sema/value/Arithmetic.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

MaybeValue HostStatements::lambda(const ast::Lambda &node) {
  if (!frame().module) {
    report(Kind::UnsupportedHostConstruct, node.span, "a lambda here").end();
    return std::nullopt;
  }
  std::shared_ptr<Function> function =
      makeLambda(interpreter, *frame().module, node, interpreter.capture());
  if (!fixDefaults(*function))
    return std::nullopt;
  return Value::function(std::move(function));
}

bool HostStatements::fixDefaults(Function &function) {
  for (Parameter &parameter : function.parameters) {
    if (!parameter.defaultValue)
      continue;
    MaybeValue value = eval(parameter.defaultValue);
    if (!value)
      return false;
    parameter.constant = *value;
  }
  return true;
}

bool HostStatements::define(const ast::FunctionDef &node) {
  std::shared_ptr<Function> function =
      makeFunction(interpreter, *frame().module, node, interpreter.capture());
  if (!fixDefaults(*function))
    return false;
  frame().scope.set(node.name, Value::function(std::move(function)), node.nameSpan);
  return true;
}

Flow HostStatements::run(ast::Stmts body) {
  for (const ast::Stmt *stmt : body) {
    Interpreter::DepthScope nested(interpreter);
    if (!step(stmt->span))
      return Flow::Failed;
    if (Flow flow = runStatement(*stmt); flow != Flow::Next)
      return flow;
  }
  return Flow::Next;
}

static Flow nextIf(bool done) { return done ? Flow::Next : Flow::Failed; }

Flow HostStatements::runStatement(const ast::Stmt &stmt) {
  using ast::NodeKind;
  if (!checkSupported(stmt))
    return Flow::Failed;
  switch (stmt.kind) {
  case NodeKind::Pass:
    return Flow::Next;
  case NodeKind::Import:
    return nextIf(runImport(llvm::cast<ast::Import>(stmt)));
  case NodeKind::ImportFrom:
    return nextIf(runImport(llvm::cast<ast::ImportFrom>(stmt)));
  case NodeKind::Delete:
    for (const ast::Expr *target : llvm::cast<ast::Delete>(stmt).targets)
      if (!remove(target))
        return Flow::Failed;
    return Flow::Next;
  case NodeKind::Nonlocal:
    for (llvm::StringRef name : llvm::cast<ast::Nonlocal>(stmt).names)
      frame().nonlocals.push_back(name);
    return Flow::Next;
  case NodeKind::Try:
    return runTry(llvm::cast<ast::Try>(stmt));
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
      if (!assign(target, *value))
        return Flow::Failed;
    return Flow::Next;
  }
  case NodeKind::AnnAssign: {
    const auto &node = llvm::cast<ast::AnnAssign>(stmt);
    if (!node.value)
      return Flow::Next;
    MaybeValue value = eval(node.value);
    return nextIf(value && assign(node.target, *value));
  }
  case NodeKind::AugAssign:
    return nextIf(augment(llvm::cast<ast::AugAssign>(stmt)));
  case NodeKind::If: {
    const auto &node = llvm::cast<ast::If>(stmt);
    MaybeValue test = eval(node.test);
    std::optional<bool> holds = test ? truth(*test, node.test->span) : std::nullopt;
    if (!holds)
      return Flow::Failed;
    return run(*holds ? node.body : node.orelse);
  }
  case NodeKind::For:
    return runFor(llvm::cast<ast::For>(stmt));
  case NodeKind::While:
    return runWhile(llvm::cast<ast::While>(stmt));
  case NodeKind::Assert:
    return runAssert(llvm::cast<ast::Assert>(stmt));
  case NodeKind::Raise:
    return runRaise(llvm::cast<ast::Raise>(stmt));
  case NodeKind::ClassDef:
    return nextIf(Classes(interpreter).define(llvm::cast<ast::ClassDef>(stmt)));
  case NodeKind::FunctionDef:
    return nextIf(define(llvm::cast<ast::FunctionDef>(stmt)));
  default:
    report(Kind::UnsupportedHostConstruct, stmt.span, "this statement").end();
    return Flow::Failed;
  }
}

Flow HostStatements::runFor(const ast::For &node) {
  MaybeValue iterable = eval(node.iter);
  if (!iterable)
    return Flow::Failed;
  std::optional<std::vector<Value>> items = iterate(*iterable, node.iter->span);
  if (!items)
    return Flow::Failed;
  for (const Value &item : *items) {
    if (!assign(node.target, item))
      return Flow::Failed;
    Flow flow = run(node.body);
    if (flow == Flow::Break)
      return Flow::Next;
    if (flow == Flow::Returned || flow == Flow::Failed)
      return flow;
  }
  return run(node.orelse);
}

Flow HostStatements::runWhile(const ast::While &node) {
  while (true) {
    MaybeValue test = eval(node.test);
    std::optional<bool> holds = test ? truth(*test, node.test->span) : std::nullopt;
    if (!holds)
      return Flow::Failed;
    if (!*holds)
      return run(node.orelse);
    Flow flow = run(node.body);
    if (flow == Flow::Break)
      return Flow::Next;
    if (flow == Flow::Returned || flow == Flow::Failed)
      return flow;
  }
}

/// The Python exception that a report stands for.
static std::string exceptionOf(const diag::Diagnostic &diagnostic) {
  switch (diagnostic.kind) {
  case Kind::CompileTimeRaise:
    return diagnostic.arguments[0];
  case Kind::BadArgument:
    return "ValueError";
  case Kind::IndexOutOfRange:
    return "IndexError";
  case Kind::MissingKey:
    return "KeyError";
  case Kind::CompileTimeDivisionByZero:
    return "ZeroDivisionError";
  case Kind::NumberTooLarge:
    return "OverflowError";
  case Kind::UnknownAttribute:
  case Kind::UnknownField:
    return "AttributeError";
  case Kind::UnknownName:
    return "NameError";
  case Kind::EvaluationTooLong:
  case Kind::NestingTooDeepToEvaluate:
  case Kind::UnsupportedHostConstruct:
  case Kind::NotSupportedYet:
    // Nothing that the program could do something about.
    return "";
  default:
    return "TypeError";
  }
}

static bool catches(llvm::StringRef type, llvm::StringRef exception) {
  type = type.rsplit('.').second.empty() ? type : type.rsplit('.').second;
  if (type == exception || type == "Exception" || type == "BaseException")
    return true;
  if (type == "LookupError")
    return exception == "KeyError" || exception == "IndexError";
  return type == "ArithmeticError" &&
         (exception == "ZeroDivisionError" || exception == "OverflowError");
}

/// Does `except <type>` take the exception?
static bool catches(const ast::ExceptHandler &handler, llvm::StringRef exception) {
  if (exception.empty())
    return false;
  if (!handler.type)
    return true;
  if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(handler.type))
    return llvm::any_of(tuple->elts, [&](const ast::Expr *type) {
      return catches(llvm::StringRef(type->span.text()), exception);
    });
  return catches(llvm::StringRef(handler.type->span.text()), exception);
}

Flow HostStatements::runHandler(const ast::Try &node, const diag::Diagnostic &problem) {
  std::string exception = exceptionOf(problem);
  for (const ast::ExceptHandler *handler : node.handlers) {
    if (!catches(*handler, exception))
      continue;
    if (!handler->name.empty()) {
      // The value of an exception is its text: that is all that programs ask of it.
      llvm::StringRef text = problem.message;
      if (problem.kind == Kind::CompileTimeRaise) {
        text = problem.arguments[1];
        if (!text.consume_front(": "))
          text = "";
      }
      frame().scope.set(handler->name, Value::string(text.str()), handler->span);
    }
    return run(handler->body);
  }
  return Flow::Failed;
}

Flow HostStatements::runTry(const ast::Try &node) {
  diag::Collector problems;
  Flow flow;
  {
    Interpreter::SinkScope caught(interpreter, problems);
    flow = run(node.body);
  }
  bool failed = flow == Flow::Failed;
  diag::Diagnostic *problem = nullptr;
  for (diag::Diagnostic &diagnostic : problems.diagnostics)
    if (failed && diagnostic.severity == diag::Severity::Error)
      problem = &diagnostic;
    else
      interpreter.sink->submit(std::move(diagnostic));
  if (flow == Flow::Next)
    flow = run(node.orelse);
  else if (problem) {
    flow = runHandler(node, *problem);
    // Nobody took it: it goes on to whoever is outside.
    if (flow == Flow::Failed && !llvm::any_of(node.handlers, [&](const ast::ExceptHandler *h) {
          return catches(*h, exceptionOf(*problem));
        }))
      interpreter.sink->submit(std::move(*problem));
  }
  Flow last = run(node.finalbody);
  return last == Flow::Next ? flow : last;
}

Flow HostStatements::runAssert(const ast::Assert &node) {
  MaybeValue test = eval(node.test);
  std::optional<bool> holds = test ? truth(*test, node.test->span) : std::nullopt;
  if (!holds)
    return Flow::Failed;
  if (*holds)
    return Flow::Next;
  MaybeValue message = node.msg ? eval(node.msg) : Value::none();
  if (!message)
    return Flow::Failed;
  report(Kind::CompileTimeRaise, node.test->span, "AssertionError",
         message->isNone() ? "" : ": " + message->str())
      .end();
  return Flow::Failed;
}

Flow HostStatements::runRaise(const ast::Raise &node) {
  // What the exception is called, and what is said of it.
  std::string_view type = node.exc ? node.exc->span.text() : "an exception";
  std::string text;
  if (const auto *call = llvm::dyn_cast_or_null<ast::Call>(node.exc)) {
    type = call->func->span.text();
    text = node.exc->span.text().substr(type.size());
    if (call->args.size() == 1) {
      MaybeValue message = eval(call->args[0]);
      if (!message)
        return Flow::Failed;
      text = ": " + message->str();
    }
  }
  diag::Builder builder = report(Kind::CompileTimeRaise, node.span, llvm::StringRef(type), text);
  if (interpreter.inKernel())
    (void)std::move(builder).note(
        "only a branch that is decided at compile time may raise: a kernel "
        "that runs cannot");
  return Flow::Failed;
}

bool HostStatements::runImport(const ast::Import &node) {
  Module *module = frame().module;
  if (!module || module->isBuiltin())
    return true;
  for (const ast::Alias *alias : node.names) {
    // `import a.b` binds `a`; `import a.b as c` binds the submodule.
    bool isRenamed = alias->asname.data();
    llvm::StringRef dotted = isRenamed ? alias->name : alias->name.split('.').first;
    Value value = importModule(program, static_cast<SourceModule &>(*module), dotted, /*level=*/0,
                               interpreter);
    frame().scope.set(isRenamed ? alias->asname : dotted, value, alias->span);
  }
  return true;
}

bool HostStatements::runImport(const ast::ImportFrom &node) {
  Module *module = frame().module;
  if (!module || module->isBuiltin())
    return true;
  auto &source = static_cast<SourceModule &>(*module);
  for (const ast::Alias *alias : node.names) {
    llvm::StringRef name = alias->asname.data() ? alias->asname : alias->name;
    MaybeValue value = source.evaluateImport(node, name, interpreter);
    if (!value)
      return false;
    frame().scope.set(name, *value, alias->span);
  }
  return true;
}

/// Where a name of compile-time code lives: here, or where `nonlocal` says.
Scope &HostStatements::scopeOf(llvm::StringRef name) {
  if (llvm::is_contained(frame().nonlocals, name))
    for (const Closure *closure = frame().closure; closure; closure = closure->outer.get())
      if (closure->scope->find(name))
        return *closure->scope;
  return frame().scope;
}

bool HostStatements::remove(const ast::Expr *target) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(target)) {
    if (!lookup(name->id, name->span))
      return false;
    scopeOf(name->id).remove(name->id);
    return true;
  }
  const auto *subscript = llvm::dyn_cast<ast::Subscript>(target);
  MaybeValue object = subscript ? eval(subscript->value) : std::nullopt;
  MaybeValue index = object ? eval(subscript->slice) : std::nullopt;
  if (!subscript)
    report(Kind::UnsupportedHostConstruct, target->span, "`del` of this").end();
  // Finding the item says whether there is one.
  if (!index || !interpreter.subscript(*object, *index, target->span))
    return false;
  if (object->is(ValueKind::Dict)) {
    llvm::erase_if(object->dictItems(), [&](const auto &item) { return item.first == *index; });
    return true;
  }
  std::optional<int64_t> at = index->asInt64();
  if (!object->is(ValueKind::List) || !at) {
    report(Kind::BadIndex, target->span, "nothing of this can be deleted").end();
    return false;
  }
  auto &items = object->listItems();
  int64_t size = int64_t(items.size());
  if (*at < -size || *at >= size) {
    report(Kind::IndexOutOfRange, target->span, *at, size).end();
    return false;
  }
  items.erase(items.begin() + (*at < 0 ? *at + size : *at));
  return true;
}

void setDictItem(const Value &dict, const Value &key, const Value &value) {
  for (auto &item : dict.dictItems())
    if (item.first == key) {
      // A key keeps its place.
      item.second = value;
      return;
    }
  spend(sizeof dict.dictItems()[0]);
  dict.dictItems().emplace_back(key, value);
}

/// `a, *rest, z = items`: the starred target takes what the others leave.
bool HostStatements::unpack(ast::Exprs targets, const Value &value, Span span) {
  std::optional<std::vector<Value>> items = iterate(value, span);
  if (!items)
    return false;
  size_t star = 0;
  while (star < targets.size() && !llvm::isa<ast::Starred>(targets[star]))
    ++star;
  bool hasStar = star < targets.size();
  if (hasStar ? items->size() + 1 < targets.size() : items->size() != targets.size()) {
    report(Kind::UnpackCount, span, items->size(), targets.size()).end();
    return false;
  }
  size_t taken = hasStar ? items->size() + 1 - targets.size() : 0;
  size_t next = 0;
  for (const ast::Expr *target : targets) {
    const auto *starred = llvm::dyn_cast<ast::Starred>(target);
    if (!starred) {
      if (!assign(target, (*items)[next++]))
        return false;
      continue;
    }
    std::vector<Value> rest(items->begin() + int64_t(next), items->begin() + int64_t(next + taken));
    next += taken;
    if (!assign(starred->value, Value::list(std::move(rest))))
      return false;
  }
  return true;
}

bool HostStatements::assign(const ast::Expr *target, const Value &value) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(target)) {
    scopeOf(name->id).set(name->id, value, target->span, value.isCompileTime());
    return true;
  }
  if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(target))
    return Classes(interpreter).setField(*attribute, value);
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
    if (holdsPayload(value, object->rawPayload()) && object->rawPayload()) {
      report(Kind::BadIndex, target->span, "an object cannot hold itself").end();
      return false;
    }
    if (object->is(ValueKind::Dict)) {
      setDictItem(*object, *index, value);
      return true;
    }
    if (object->is(ValueKind::List) && index->is(ValueKind::Slice))
      return assignSlice(interpreter, *object, *index, value, target->span);
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
  return unpack(elements, value, target->span);
}

bool HostStatements::augment(const ast::AugAssign &node) {
  MaybeValue old = eval(node.target);
  MaybeValue operand = old ? eval(node.value) : std::nullopt;
  if (!operand)
    return false;
  // `list += …` extends the object that others may share.
  if (node.op == ast::Operator::Add && old->is(ValueKind::List)) {
    std::optional<std::vector<Value>> added = iterate(*operand, node.value->span);
    if (!added)
      return false;
    return extendList(interpreter, *old, *added, node.span);
  }
  MaybeValue result =
      binary(node.op, *old, *operand, node.span, node.target->span, node.value->span);
  return result && assign(node.target, *result);
}

} // namespace gluonc::sema

#include "sema/HostScope.h"

#include "sema/Evaluator.h"
#include "sema/ProgramState.h"

namespace gluonc::sema {

using diag::Kind;

/// The line that Python gives as a definition's first: of its first decorator, if it has any.
static unsigned firstLine(llvm::ArrayRef<const ast::Expr *> decorators, diag::Span name) {
  diag::Span first = decorators.empty() ? name : decorators.front()->span;
  return first.file->position(first.begin).line;
}

/// The definition of `name` that starts at `line`, at any depth.
template <typename Definition>
static const Definition *findDefinition(const ast::Node &node, llvm::StringRef name,
                                        unsigned line) {
  if (const auto *definition = llvm::dyn_cast<Definition>(&node))
    if (definition->name == name &&
        firstLine(definition->decorator_list, definition->nameSpan) == line)
      return definition;
  const Definition *found = nullptr;
  ast::forEachChild(node, [&](const ast::Node &child) {
    // Definitions are statements: no expression holds one.
    if (!found && llvm::isa<ast::Stmt, ast::ExceptHandler>(child))
      found = findDefinition<Definition>(child, name, line);
  });
  return found;
}

static FunctionKind functionKind(HostBindingKind kind) {
  switch (kind) {
  case HostBindingKind::JitFunction:
    return FunctionKind::Jit;
  case HostBindingKind::ConstexprFunction:
    return FunctionKind::Constexpr;
  default:
    return FunctionKind::Host;
  }
}

std::shared_ptr<const Function> SourceModule::functionAt(llvm::StringRef name, unsigned line,
                                                         FunctionKind kind,
                                                         Interpreter &interpreter) {
  auto &known = functionsByLine[line];
  if (known && known->name == name)
    return known;
  const auto *def = findDefinition<ast::FunctionDef>(*tree, name, line);
  if (!def)
    return nullptr;
  Frame frame;
  frame.module = this;
  frame.isModuleScope = true;
  Interpreter::FrameScope active(interpreter, frame);
  auto made = std::make_shared<Function>(*makeFunction(interpreter, *this, *def, nullptr));
  // A function may be decorated by a call: `kernel = gluon.jit(f)`.
  made->kind = kind;
  return functionsByLine[line] = std::move(made);
}

std::optional<Value> SourceModule::makeHostValue(const HostBinding &binding,
                                                 Interpreter &interpreter) {
  diag::Collector ignored;
  if (binding.kind == HostBindingKind::Expression) {
    auto *values = program.load("<value>", "", ignored);
    return evaluate(program, *values, binding.text, {}, "<value>", ignored);
  }
  auto *module =
      static_cast<SourceModule *>(program.load(binding.path, binding.text, ignored, binding.scope));
  switch (binding.kind) {
  case HostBindingKind::Expression:
    break;
  case HostBindingKind::Module:
    return Value::module(module);
  case HostBindingKind::Class: {
    const auto *def = findDefinition<ast::ClassDef>(*module->tree, binding.name, binding.line);
    Frame frame;
    frame.module = module;
    frame.isModuleScope = true;
    Interpreter::FrameScope active(interpreter, frame);
    if (def)
      if (std::shared_ptr<const Class> cls = makeClass(interpreter, *module, *def, nullptr))
        return Value::classValue(std::move(cls));
    return std::nullopt;
  }
  case HostBindingKind::JitFunction:
  case HostBindingKind::ConstexprFunction:
  case HostBindingKind::HostFunction:
    if (std::shared_ptr<const Function> function =
            module->functionAt(binding.name, binding.line, functionKind(binding.kind), interpreter))
      return Value::function(std::move(function));
    break;
  }
  return std::nullopt;
}

std::optional<Value> SourceModule::lookupHost(llvm::StringRef name, Interpreter &interpreter) {
  const HostResolver &resolver = program.state().resolver;
  if (!resolver || (!scope && !name.starts_with(hostObjectPrefix)))
    return std::nullopt;
  auto [entry, isNew] = hostValues.try_emplace(name);
  if (!isNew)
    return entry->second;
  // While a value is made, its own name is looked up in the source: classes name themselves.
  std::optional<HostBinding> binding = resolver(scope, name);
  if (!binding)
    return std::nullopt;
  diag::Collector problems;
  Interpreter::SinkScope quiet(interpreter, problems);
  std::optional<Value> value = makeHostValue(*binding, interpreter);
  hostValues[name] = value;
  return value;
}

void Program::setResolver(HostResolver resolver) { impl->resolver = std::move(resolver); }

std::shared_ptr<const Function> Program::kernelAt(Module &module, llvm::StringRef name,
                                                  unsigned line, diag::Sink &sink) {
  Interpreter interpreter(*this, sink);
  auto &source = static_cast<SourceModule &>(module);
  if (std::shared_ptr<const Function> function =
          source.functionAt(name, line, FunctionKind::Jit, interpreter))
    return function;
  // Another function of that name would be a guess.
  sink.report(Kind::MissingKernel, {}, name, source.file.path())
      .note("no function of that name begins at line {0}", line);
  return nullptr;
}

} // namespace gluonc::sema

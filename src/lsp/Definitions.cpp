#include "lsp/Definitions.h"

#include "sema/eval/Interpreter.h"

namespace gluonc::lsp {

using sema::SourceModule;
using sema::Value;
using sema::ValueKind;

static std::optional<diag::Span> globalDefinition(const View &view, SourceModule &module,
                                                  llvm::StringRef name, unsigned imports = 0);

/// The statement that an alias is part of, among those at the top level.
static const ast::Stmt *importOf(const ast::Node &node, const ast::Alias &alias) {
  const ast::Stmt *found = nullptr;
  ast::forEachChild(node, [&](const ast::Node &child) {
    if (&child == &alias)
      found = llvm::cast<ast::Stmt>(&node);
    else if (!found)
      found = importOf(child, alias);
  });
  return found;
}

static SourceModule *importedModule(const View &view, SourceModule &from, llvm::StringRef dotted,
                                    int level) {
  diag::Collector ignored;
  sema::Interpreter interpreter(view.analysis.program, ignored);
  sema::Frame frame;
  frame.module = &from;
  frame.isModuleScope = true;
  sema::Interpreter::FrameScope active(interpreter, frame);
  Value module = sema::importModule(view.analysis.program, from, dotted, level, interpreter);
  if (!module.is(ValueKind::Module) || module.asModule().isBuiltin())
    return nullptr;
  return static_cast<SourceModule *>(&module.asModule());
}

static diag::Span startOf(const SourceModule &module) { return {&module.file, 0, 0}; }

/// What an import brings; nullopt for modules of the language and those that are not there.
static std::optional<diag::Span> importedDefinition(const View &view, SourceModule &module,
                                                    const ast::Alias &alias, unsigned imports) {
  const ast::Stmt *stmt = importOf(*module.tree, alias);
  if (const auto *from = llvm::dyn_cast_or_null<ast::ImportFrom>(stmt)) {
    if (SourceModule *other = importedModule(view, module, from->module, from->level))
      if (auto span = globalDefinition(view, *other, alias.name, imports + 1))
        return span;
    std::string dotted = (from->module + (from->module.empty() ? "" : ".") + alias.name).str();
    if (SourceModule *other = importedModule(view, module, dotted, from->level))
      return startOf(*other);
  } else if (SourceModule *other = importedModule(view, module, alias.name, 0)) {
    return startOf(*other);
  }
  return std::nullopt;
}

static std::optional<diag::Span> globalDefinition(const View &view, SourceModule &module,
                                                  llvm::StringRef name, unsigned imports) {
  // Modules may import each other in a circle.
  constexpr unsigned mostImports = 16;
  const NameScope &scope = view.analysis.mentionsOf(module).scope(0);
  auto found = scope.bindings.find(name);
  if (found == scope.bindings.end() || imports == mostImports)
    return std::nullopt;
  const Binding &binding = found->second;
  if (const auto *alias = llvm::dyn_cast<ast::Alias>(binding.node))
    if (auto span = importedDefinition(view, module, *alias, imports))
      return span;
  return binding.span;
}

static std::optional<diag::Span> memberDefinition(const sema::Class &cls, llvm::StringRef name) {
  if (std::optional<size_t> field = cls.findField(name)) {
    diag::Span span = cls.fields[*field].span;
    span.end = std::min(span.end, span.begin + static_cast<uint32_t>(name.size()));
    return span;
  }
  const sema::Class::Member *member = cls.findMember(name);
  if (member && member->value.is(ValueKind::Function))
    return member->value.asFunction().span;
  return std::nullopt;
}

const sema::Class *classOf(const Value &value) {
  return value.is(ValueKind::Class) || value.is(ValueKind::Instance) ? &value.asClass() : nullptr;
}

static std::optional<diag::Span>
attributeDefinition(const View &view, const ast::Attribute &attribute, unsigned scope) {
  std::optional<Value> object = view.valueOf(*attribute.value, scope);
  if (object && object->is(ValueKind::Module) && !object->asModule().isBuiltin())
    return globalDefinition(view, static_cast<SourceModule &>(object->asModule()), attribute.attr);
  if (const sema::Class *cls = object ? classOf(*object) : nullptr)
    return memberDefinition(*cls, attribute.attr);
  return std::nullopt;
}

static std::optional<diag::Span> keywordDefinition(const View &view, const ast::Call &call,
                                                   llvm::StringRef name, unsigned scope) {
  std::optional<Value> callee = view.valueOf(*call.func, scope);
  if (!callee)
    return std::nullopt;
  if (const sema::Class *cls = classOf(*callee))
    return memberDefinition(*cls, name);
  if (!callee->is(ValueKind::Function))
    return std::nullopt;
  const sema::Parameter *parameter = callee->asFunction().findParameter(name);
  if (!parameter || !parameter->span)
    return std::nullopt;
  diag::Span span = parameter->span;
  span.end = span.begin + static_cast<uint32_t>(name.size());
  return span;
}

std::optional<diag::Span> definitionOf(const View &view, const Mention &mention) {
  switch (mention.kind) {
  case Mention::Kind::Attribute:
    return attributeDefinition(view, *llvm::cast<ast::Attribute>(mention.node), mention.scope);
  case Mention::Kind::Keyword:
    return keywordDefinition(view, *llvm::cast<ast::Call>(mention.node), mention.name,
                             mention.scope);
  case Mention::Kind::Import:
    if (auto span = importedDefinition(view, view.module, *llvm::cast<ast::Alias>(mention.node), 0))
      return span;
    return mention.span;
  case Mention::Kind::Name:
  case Mention::Kind::Parameter:
  case Mention::Kind::Definition:
    break;
  }
  if (unsigned scope = view.mentions.resolve(mention.name, mention.scope))
    return view.mentions.scope(scope).bindings.find(mention.name)->second.span;
  return globalDefinition(view, view.module, mention.name);
}

} // namespace gluonc::lsp

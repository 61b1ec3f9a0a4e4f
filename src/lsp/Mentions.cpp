#include "lsp/Mentions.h"

namespace gluonc::lsp {

using Kind = Mention::Kind;

/// `size` bytes from `begin` on.
static diag::Span part(diag::Span of, uint32_t begin, size_t size) {
  return {of.file, begin, begin + static_cast<uint32_t>(size)};
}

class MentionWalk {
public:
  explicit MentionWalk(Mentions &result) : result(result) {}

  void visitModule(const ast::Module &tree) {
    enter(tree, 0);
    visitAll(tree.body, 0);
  }

private:
  unsigned enter(const ast::Node &node, unsigned outer) {
    result.scopes.push_back({&node, outer, {}});
    return static_cast<unsigned>(result.scopes.size() - 1);
  }
  void mention(Kind kind, llvm::StringRef name, diag::Span span, const ast::Node &node,
               unsigned scope) {
    result.mentions.push_back({kind, name, span, &node, scope});
  }
  void bind(llvm::StringRef name, diag::Span span, const ast::Node &node, unsigned scope) {
    result.scopes[scope].bindings.try_emplace(name, Binding{span, &node});
  }

  template <typename List> void visitAll(const List &nodes, unsigned scope) {
    for (const auto *node : nodes)
      if (node)
        visit(*node, scope);
  }

  template <typename Def> void visitFunction(const Def &def, unsigned scope) {
    mention(Kind::Definition, def.name, def.nameSpan, def, scope);
    bind(def.name, def.nameSpan, def, scope);
    visitAll(def.decorator_list, scope);
    if (def.returns)
      visit(*def.returns, scope);
    unsigned inner = enter(def, scope);
    visitParameters(*def.args, scope, inner);
    visitAll(def.body, inner);
  }

  void visitClass(const ast::ClassDef &cls, unsigned scope) {
    mention(Kind::Definition, cls.name, cls.nameSpan, cls, scope);
    bind(cls.name, cls.nameSpan, cls, scope);
    visitAll(cls.decorator_list, scope);
    visitAll(cls.bases, scope);
    visitAll(cls.body, enter(cls, scope));
  }

  void visitParameters(const ast::Arguments &arguments, unsigned scope, unsigned inner) {
    auto add = [&](const ast::Arg *arg) {
      if (!arg)
        return;
      diag::Span span = part(arg->span, arg->span.begin, arg->arg.size());
      mention(Kind::Parameter, arg->arg, span, *arg, inner);
      bind(arg->arg, span, *arg, inner);
      if (arg->annotation)
        visit(*arg->annotation, scope);
    };
    for (ast::Args list : {arguments.posonlyargs, arguments.args, arguments.kwonlyargs})
      for (const ast::Arg *arg : list)
        add(arg);
    add(arguments.vararg);
    add(arguments.kwarg);
    visitAll(arguments.defaults, scope);
    visitAll(arguments.kw_defaults, scope);
  }

  void visitAlias(const ast::Alias &alias, unsigned scope) {
    if (alias.name == "*")
      return;
    diag::Span imported = part(alias.span, alias.span.begin, alias.name.size());
    mention(Kind::Import, alias.name, imported, alias, scope);
    if (!alias.asname.data())
      return bind(alias.name.split('.').first, imported, alias, scope);
    diag::Span own = part(alias.span, alias.span.end - static_cast<uint32_t>(alias.asname.size()),
                          alias.asname.size());
    mention(Kind::Import, alias.asname, own, alias, scope);
    bind(alias.asname, own, alias, scope);
  }

  void visitCall(const ast::Call &call, unsigned scope) {
    visit(*call.func, scope);
    visitAll(call.args, scope);
    for (const ast::Keyword *keyword : call.keywords) {
      if (keyword->arg.data())
        mention(Kind::Keyword, keyword->arg,
                part(keyword->span, keyword->span.begin, keyword->arg.size()), call, scope);
      visit(*keyword->value, scope);
    }
  }

  void visit(const ast::Node &node, unsigned scope) {
    if (const auto *def = llvm::dyn_cast<ast::FunctionDef>(&node))
      return visitFunction(*def, scope);
    if (const auto *def = llvm::dyn_cast<ast::AsyncFunctionDef>(&node))
      return visitFunction(*def, scope);
    if (const auto *cls = llvm::dyn_cast<ast::ClassDef>(&node))
      return visitClass(*cls, scope);
    if (const auto *alias = llvm::dyn_cast<ast::Alias>(&node))
      return visitAlias(*alias, scope);
    if (const auto *call = llvm::dyn_cast<ast::Call>(&node))
      return visitCall(*call, scope);
    if (const auto *lambda = llvm::dyn_cast<ast::Lambda>(&node)) {
      unsigned inner = enter(node, scope);
      visitParameters(*lambda->args, scope, inner);
      return visit(*lambda->body, inner);
    }
    if (const auto *name = llvm::dyn_cast<ast::Name>(&node)) {
      mention(Kind::Name, name->id, name->span, node, scope);
      if (name->ctx == ast::ExprContext::Store)
        bind(name->id, name->span, node, scope);
      return;
    }
    if (const auto *handler = llvm::dyn_cast<ast::ExceptHandler>(&node);
        handler && handler->name.data())
      bind(handler->name, handler->span, node, scope);
    ast::forEachChild(node, [&](const ast::Node &child) { visit(child, scope); });
    if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(&node))
      mention(Kind::Attribute, attribute->attr, attribute->attrSpan, node, scope);
  }

  Mentions &result;
};

Mentions::Mentions(const ast::Module &tree) { MentionWalk(*this).visitModule(tree); }

const Mention *Mentions::at(uint32_t offset) const {
  for (const Mention &mention : mentions)
    if (mention.span.begin <= offset && offset <= mention.span.end)
      return &mention;
  return nullptr;
}

unsigned Mentions::scopeAt(uint32_t offset) const {
  unsigned found = 0;
  // Inner ones come later.
  for (unsigned i = 1; i != scopes.size(); ++i)
    if (scopes[i].node->span.begin <= offset && offset <= scopes[i].node->span.end)
      found = i;
  return found;
}

unsigned Mentions::resolve(llvm::StringRef name, unsigned from) const {
  for (unsigned scope = from; scope; scope = scopes[scope].outer)
    if ((scope == from || !scopes[scope].isClass()) && scopes[scope].bindings.count(name))
      return scope;
  return 0;
}

/// Decorators are no part of what they decorate, and parameter lists may be empty.
static bool isAround(const ast::Node &node, uint32_t offset) {
  return llvm::isa<ast::FunctionDef, ast::AsyncFunctionDef, ast::ClassDef, ast::Arguments>(node) ||
         (node.span.begin <= offset && offset <= node.span.end);
}

static bool collect(const ast::Node &node, uint32_t offset, std::vector<const ast::Node *> &path) {
  if (!isAround(node, offset))
    return false;
  path.push_back(&node);
  bool found = false;
  ast::forEachChild(node,
                    [&](const ast::Node &child) { found = found || collect(child, offset, path); });
  if (found || (node.span.begin <= offset && offset <= node.span.end))
    return true;
  path.pop_back();
  return false;
}

std::vector<const ast::Node *> nodesAt(const ast::Module &tree, uint32_t offset) {
  std::vector<const ast::Node *> path;
  collect(tree, offset, path);
  return path;
}

} // namespace gluonc::lsp

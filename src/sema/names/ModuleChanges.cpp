#include "sema/names/ModuleChanges.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Casting.h"

using llvm::StringRef;

namespace gluonc::sema {

using ast::ExprContext;

void ModuleChanges::Effects::add(const Effects &other) {
  for (StringRef name : other.rebound.keys())
    rebound.insert(name);
  for (StringRef name : other.changed.keys())
    changed.insert(name);
  for (StringRef name : other.passed.keys())
    passed.insert(name);
  isAny |= other.isAny;
}

/// Functions of these modules leave their arguments as they are.
static bool isHarmlessModule(StringRef name) {
  static const llvm::StringSet<> known = {
      "triton",  "gluonc", "math",    "functools", "itertools",   "operator", "typing",
      "copy",    "enum",   "os",      "sys",       "torch",       "numpy",    "dataclasses",
      "logging", "string", "pathlib", "pytest",    "collections", "re"};
  return known.contains(name);
}

static bool isHarmlessBuiltin(StringRef name) {
  static const llvm::StringSet<> known = {
      "abs",     "all",     "any",  "bool",  "dict",  "enumerate",  "filter",   "float",
      "getattr", "hasattr", "hash", "id",    "int",   "isinstance", "len",      "list",
      "map",     "max",     "min",  "print", "range", "repr",       "reversed", "set",
      "sorted",  "str",     "sum",  "tuple", "type",  "zip",        "frozenset"};
  return known.contains(name);
}

static bool isMutator(StringRef method) {
  static const llvm::StringSet<> known = {"add",
                                          "append",
                                          "clear",
                                          "discard",
                                          "extend",
                                          "insert",
                                          "pop",
                                          "remove",
                                          "popitem",
                                          "setdefault",
                                          "sort",
                                          "reverse",
                                          "update",
                                          "__setitem__",
                                          "__delitem__",
                                          "__iadd__",
                                          "difference_update",
                                          "intersection_update",
                                          "symmetric_difference_update"};
  return known.contains(method);
}

/// The name that a chain of subscripts, attributes and calls begins with, or null.
static const ast::Expr *rootOf(const ast::Expr *expr) {
  for (;;) {
    if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(expr))
      expr = attribute->value;
    else if (const auto *subscript = llvm::dyn_cast<ast::Subscript>(expr))
      expr = subscript->value;
    else if (const auto *starred = llvm::dyn_cast<ast::Starred>(expr))
      expr = starred->value;
    else
      return expr;
  }
}

static StringRef nameOf(const ast::Expr *expr) {
  const auto *name = llvm::dyn_cast_or_null<ast::Name>(expr);
  return name ? name->id : StringRef();
}

/// `globals()` or the like.
static bool isNamespace(const ast::Expr *expr) {
  const auto *call = llvm::dyn_cast<ast::Call>(expr);
  StringRef callee = call ? nameOf(call->func) : StringRef();
  return callee == "globals" || callee == "locals" || callee == "vars";
}

/// `if __name__ == "__main__"`, which does not hold for a module.
static bool isMainGuard(const ast::Stmt &stmt) {
  const auto *branch = llvm::dyn_cast<ast::If>(&stmt);
  const auto *test = branch ? llvm::dyn_cast<ast::Compare>(branch->test) : nullptr;
  return test && nameOf(test->left) == "__name__" && test->ops.size() == 1 &&
         test->ops[0] == ast::CompareOperator::Eq;
}

/// Reads expressions and, of functions, bodies.
class ModuleChanges::Reader {
public:
  explicit Reader(const ModuleChanges &module) : module(module) {}

  Effects effects;
  llvm::StringSet<> mentions, stored, declaredGlobal;
  bool calls = false;

  /// A statement of the module without those inside it.
  void readHead(const ast::Stmt &stmt) {
    const auto *annotation = llvm::dyn_cast<ast::AnnAssign>(&stmt);
    if (isMainGuard(stmt) || (annotation && !annotation->value))
      return;
    if (const auto *def = llvm::dyn_cast<ast::FunctionDef>(&stmt)) {
      decorate(def->decorator_list);
      readAll(def->args->defaults);
      readAll(def->args->kw_defaults);
    } else if (const auto *cls = llvm::dyn_cast<ast::ClassDef>(&stmt)) {
      decorate(cls->decorator_list);
      readAll(cls->bases);
      readAll(cls->keywords);
    } else {
      read(stmt, /*withStatements=*/false);
    }
  }

  /// With all statements inside, as for bodies of functions.
  void readWhole(const ast::Stmt &stmt) { read(stmt, /*withStatements=*/true); }

private:
  template <class Nodes> void readAll(const Nodes &nodes) {
    for (const auto *node : nodes)
      if (node)
        read(*node, /*withStatements=*/false);
  }

  void decorate(ast::Exprs decorators) {
    calls |= !decorators.empty();
    readAll(decorators);
  }

  void read(const ast::Node &node, bool withStatements) {
    readThis(node);
    // Comprehensions and lambdas have scopes of their own.
    bool isScope =
        llvm::isa<ast::ListComp, ast::SetComp, ast::DictComp, ast::GeneratorExp, ast::Lambda>(
            &node);
    scopes += isScope;
    ast::forEachChild(node, [&](const ast::Node &child) {
      if (withStatements || !llvm::isa<ast::Stmt>(&child))
        read(child, withStatements);
    });
    scopes -= isScope;
  }

  void readThis(const ast::Node &node) {
    if (const auto *name = llvm::dyn_cast<ast::Name>(&node)) {
      if (name->ctx == ExprContext::Load)
        mentions.insert(name->id);
      else if (!scopes)
        store(name->id);
    } else if (const auto *walrus = llvm::dyn_cast<ast::NamedExpr>(&node)) {
      // It binds outside of comprehensions.
      store(nameOf(walrus->target));
    } else if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(&node)) {
      if (attribute->ctx != ExprContext::Load)
        change(attribute->value, nullptr);
    } else if (const auto *subscript = llvm::dyn_cast<ast::Subscript>(&node)) {
      if (subscript->ctx != ExprContext::Load)
        change(subscript->value, subscript->slice);
    } else if (const auto *augmented = llvm::dyn_cast<ast::AugAssign>(&node)) {
      change(augmented->target, nullptr);
    } else if (const auto *global = llvm::dyn_cast<ast::Global>(&node)) {
      for (StringRef name : global->names)
        declaredGlobal.insert(name);
    } else if (const auto *as = llvm::dyn_cast<ast::MatchAs>(&node)) {
      store(as->name);
    } else if (const auto *star = llvm::dyn_cast<ast::MatchStar>(&node)) {
      store(star->name);
    } else if (const auto *mapping = llvm::dyn_cast<ast::MatchMapping>(&node)) {
      store(mapping->rest);
    } else if (const auto *call = llvm::dyn_cast<ast::Call>(&node)) {
      readCall(*call);
    } else if (const auto *arg = llvm::dyn_cast<ast::Arg>(&node); arg && !scopes) {
      stored.insert(arg->arg);
    }
  }

  void store(StringRef name) {
    if (!name.empty())
      stored.insert(name);
  }

  /// What `target` is, or is part of, changes.
  void change(const ast::Expr *target, const ast::Expr *key) {
    const ast::Expr *root = rootOf(target);
    if (StringRef name = nameOf(root); !name.empty()) {
      effects.changed.insert(name);
    } else if (isNamespace(root)) {
      const auto *text = llvm::dyn_cast_or_null<ast::Constant>(key);
      if (root == target && text && text->isStr())
        effects.rebound.insert(text->text);
      else
        effects.isAny = true;
    }
  }

  void readCall(const ast::Call &call) {
    calls = true;
    StringRef callee = nameOf(call.func);
    effects.isAny |= callee == "exec";
    const auto *method = llvm::dyn_cast<ast::Attribute>(call.func);
    if (method && isMutator(method->attr))
      change(method->value, nullptr);
    if ((callee == "setattr" || callee == "delattr") && !call.args.empty())
      change(call.args[0], nullptr);
    if (!mayChangeArguments(call))
      return;
    for (const ast::Expr *arg : call.args)
      pass(arg);
    for (const ast::Keyword *keyword : call.keywords)
      pass(keyword->value);
  }

  bool mayChangeArguments(const ast::Call &call) const {
    const ast::Expr *root = rootOf(call.func);
    StringRef name = nameOf(root);
    if (name.empty())
      return !llvm::isa<ast::Constant>(root);
    if (auto import = module.imports.find(name); import != module.imports.end())
      return !isHarmlessModule(import->second);
    if (auto known = module.callables.find(name); known != module.callables.end())
      return known->second.changesArguments;
    if (const auto *method = llvm::dyn_cast<ast::Attribute>(call.func))
      return !isMutator(method->attr);
    return !isHarmlessBuiltin(name);
  }

  void pass(const ast::Expr *argument) {
    const ast::Expr *root = rootOf(argument);
    if (StringRef name = nameOf(root); !name.empty())
      effects.passed.insert(name);
    else if (llvm::isa<ast::List, ast::Tuple, ast::Dict, ast::Set>(root))
      ast::forEachChild(*root, [&](const ast::Node &child) {
        if (const auto *item = llvm::dyn_cast<ast::Expr>(&child))
          pass(item);
      });
  }

  const ModuleChanges &module;
  /// Comprehensions and lambdas around.
  unsigned scopes = 0;
};

ModuleChanges::ModuleChanges(ast::Stmts body) {
  declare(body);
  read(body);
}

/// Calls `visit(statements)` for the bodies of a statement that the module itself executes.
template <class Visit> static void forEachBody(const ast::Stmt &stmt, Visit &&visit) {
  if (llvm::isa<ast::FunctionDef, ast::AsyncFunctionDef>(&stmt))
    return;
  if (isMainGuard(stmt))
    return visit(llvm::cast<ast::If>(&stmt)->orelse);
  ast::visit(stmt, [&](const auto &self) {
    self.fields([&](StringRef, const auto &field) {
      using T = std::decay_t<decltype(field)>;
      if constexpr (std::is_same_v<T, ast::Stmts>)
        visit(field);
      else if constexpr (std::is_same_v<T, ast::ExceptHandlers> ||
                         std::is_same_v<T, ast::MatchCases>)
        for (const auto *part : field)
          visit(part->body);
    });
  });
}

void ModuleChanges::declare(ast::Stmts body) {
  for (const ast::Stmt *stmt : body) {
    if (const auto *import = llvm::dyn_cast<ast::Import>(stmt)) {
      for (const ast::Alias *alias : import->names)
        imports[alias->asname.data() ? alias->asname : alias->name.split('.').first] =
            alias->name.split('.').first;
    } else if (const auto *from = llvm::dyn_cast<ast::ImportFrom>(stmt)) {
      for (const ast::Alias *alias : from->names)
        imports[alias->asname.data() ? alias->asname : alias->name] =
            from->level ? StringRef() : from->module.split('.').first;
    }
    const auto *def = llvm::dyn_cast<ast::FunctionDef>(stmt);
    const auto *cls = llvm::dyn_cast<ast::ClassDef>(stmt);
    if (def || cls) {
      Reader reader(*this);
      reader.readWhole(*stmt);
      Callable &callable = callables[def ? def->name : cls->name];
      for (StringRef name : reader.mentions.keys())
        callable.mentions.insert(name);
      callable.effects.isAny |= reader.effects.isAny;
      for (StringRef name : reader.declaredGlobal.keys())
        callable.effects.rebound.insert(name);
      for (StringRef name : reader.effects.rebound.keys())
        callable.effects.rebound.insert(name);
      auto keep = [&](const llvm::StringSet<> &names, llvm::StringSet<> &ofModule) {
        for (StringRef name : names.keys())
          if (reader.stored.contains(name) && !reader.declaredGlobal.contains(name))
            callable.changesArguments = true;
          else
            ofModule.insert(name);
      };
      keep(reader.effects.changed, callable.effects.changed);
      keep(reader.effects.passed, callable.effects.passed);
    }
    if (!cls)
      forEachBody(*stmt, [&](ast::Stmts inner) { declare(inner); });
  }
}

ModuleChanges::Effects ModuleChanges::effectsOf(const llvm::StringSet<> &mentions) const {
  Effects all;
  llvm::StringSet<> seen;
  llvm::SmallVector<StringRef> open;
  auto reach = [&](const llvm::StringSet<> &names) {
    for (StringRef name : names.keys())
      if (callables.contains(name) && seen.insert(name).second)
        open.push_back(name);
  };
  reach(mentions);
  while (!open.empty()) {
    const Callable &callable = callables.find(open.pop_back_val())->second;
    all.add(callable.effects);
    reach(callable.mentions);
  }
  return all;
}

void ModuleChanges::read(ast::Stmts body) {
  for (const ast::Stmt *stmt : body) {
    Reader reader(*this);
    reader.readHead(*stmt);
    Effects effects = std::move(reader.effects);
    for (StringRef name : reader.stored.keys())
      effects.rebound.insert(name);
    if (reader.calls)
      effects.add(effectsOf(reader.mentions));
    record(*stmt, effects);
    forEachBody(*stmt, [&](ast::Stmts inner) { read(inner); });
  }
}

void ModuleChanges::record(const ast::Stmt &stmt, const Effects &effects) {
  for (StringRef name : effects.changed.keys())
    changes.try_emplace(name, stmt.span);
  for (StringRef name : effects.passed.keys())
    passes.try_emplace(name, stmt.span);
  if (effects.isAny || !effects.rebound.empty())
    statements[&stmt] = effects;
}

bool ModuleChanges::rebinds(const ast::Stmt &stmt, StringRef name) const {
  auto found = statements.find(&stmt);
  return found != statements.end() && (found->second.isAny || found->second.rebound.contains(name));
}

bool ModuleChanges::isBoundByFunction(StringRef name) const {
  return llvm::any_of(callables,
                      [&](const auto &each) { return each.second.effects.rebound.contains(name); });
}

std::optional<diag::Span> ModuleChanges::changeOf(StringRef name, bool passed) const {
  if (auto found = changes.find(name); found != changes.end())
    return found->second;
  auto found = passes.find(name);
  return passed && found != passes.end() ? std::optional(found->second) : std::nullopt;
}

} // namespace gluonc::sema

//===- Mentions.h - Where a file names something ------------------------------===//
//
// Every identifier of a file with the scope that it stands in. What a scope binds is
// known without evaluating anything, as Python decides it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "syntax/Ast.h"

#include "llvm/ADT/StringMap.h"

#include <vector>

namespace gluonc::lsp {

struct Mention {
  enum class Kind : uint8_t {
    Name,
    /// The last part of `object.name`.
    Attribute,
    /// `name` of `f(name=…)`.
    Keyword,
    Parameter,
    /// The name in `def` or `class`.
    Definition,
    /// In an import, what the other module calls it, or what it is called here.
    Import,
  };
  Kind kind;
  llvm::StringRef name;
  diag::Span span;
  /// The Name, Attribute, Arg, FunctionDef, …; of a Keyword the Call.
  const ast::Node *node;
  /// Index of a scope.
  unsigned scope;
};

struct Binding {
  diag::Span span;
  /// The statement, or the Arg, Name or Alias, that binds it first.
  const ast::Node *node;
};

struct NameScope {
  /// Module, FunctionDef, Lambda or ClassDef.
  const ast::Node *node;
  /// Of the module its own index.
  unsigned outer;
  llvm::StringMap<Binding> bindings;

  bool isClass() const { return llvm::isa<ast::ClassDef>(node); }
};

class Mentions {
public:
  explicit Mentions(const ast::Module &tree);

  llvm::ArrayRef<Mention> all() const { return mentions; }
  /// The one whose identifier holds or ends at `offset`, or null.
  const Mention *at(uint32_t offset) const;
  /// The innermost function or class around `offset`; 0 is the module.
  unsigned scopeAt(uint32_t offset) const;
  const NameScope &scope(unsigned index) const { return scopes[index]; }
  /// The scope that `name` belongs to where it is used in `from`; 0 also for names that are nowhere
  /// bound.
  unsigned resolve(llvm::StringRef name, unsigned from) const;

private:
  friend class MentionWalk;
  std::vector<Mention> mentions;
  std::vector<NameScope> scopes;
};

/// The nodes around `offset`, outermost first.
std::vector<const ast::Node *> nodesAt(const ast::Module &tree, uint32_t offset);

} // namespace gluonc::lsp

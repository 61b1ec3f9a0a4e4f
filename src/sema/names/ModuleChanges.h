//===- ModuleChanges.h - What a file changes other than by assigning names ------===//
//
// A name of a file means what the last statement bound to it that binds names by
// assignment, definition or import. Files do more than that while Python executes
// them:
//
//   CONFIGS.append(…)   TABLE["x"] = 1   (x := 2)   globals()["x"] = 3   match …
//   setup()             # whose body says `global x`
//
// This finds such changes from the tree alone, too many rather than too few. What they
// touch is a value of the host program, which a kernel cannot use.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "syntax/Ast.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

namespace gluonc::sema {

class ModuleChanges {
public:
  explicit ModuleChanges(ast::Stmts body);

  /// Whether the statement itself, not those inside it, may bind `name`.
  bool rebinds(const ast::Stmt &stmt, llvm::StringRef name) const;
  /// Whether a function of the module, whoever calls it, binds `name` (`global name`).
  bool isBoundByFunction(llvm::StringRef name) const;
  /// Where what `name` is bound to is changed in place; with `passed`, also where a function gets
  /// it that may do so.
  std::optional<diag::Span> changeOf(llvm::StringRef name, bool passed) const;

private:
  /// What happens to names of the module.
  struct Effects {
    llvm::StringSet<> rebound, changed, passed;
    /// Any name may be bound: `exec`, `globals().update(…)`.
    bool isAny = false;

    void add(const Effects &other);
  };
  /// A function or class: what a call may do, and which others it names.
  struct Callable {
    Effects effects;
    llvm::StringSet<> mentions;
    /// Changes what one of its parameters is bound to.
    bool changesArguments = false;
  };
  class Reader;

  void declare(ast::Stmts body);
  void read(ast::Stmts body);
  void record(const ast::Stmt &stmt, const Effects &effects);
  /// Of all that is reached from these names.
  Effects effectsOf(const llvm::StringSet<> &mentions) const;

  llvm::StringMap<Callable> callables;
  /// The first part of the module that a name was imported from.
  llvm::StringMap<llvm::StringRef> imports;
  llvm::DenseMap<const ast::Stmt *, Effects> statements;
  llvm::StringMap<diag::Span> changes, passes;
};

} // namespace gluonc::sema

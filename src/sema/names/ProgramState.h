//===- ProgramState.h - What a Program keeps ----------------------------------===//
#pragma once

#include "sema/names/Imports.h"
#include "sema/names/Language.h"
#include "sema/names/ModuleChanges.h"
#include "sema/names/Program.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <deque>
#include <map>

namespace gluonc::sema {

/// A module of the built-in language; names resolve in Language.cpp.
class LanguageModule : public Module {
public:
  LanguageModule(Program &program, std::string path) : Module(std::move(path)), program(program) {}
  std::optional<Value> lookup(llvm::StringRef name, Interpreter &interpreter) override;
  std::vector<llvm::StringRef> names() const override;
  bool isBuiltin() const override { return true; }

private:
  Program &program;
};

class SourceModule;

/// A package without an __init__.py, which `import a.b.c` goes through: its names are modules.
class PlainFolder : public Module {
public:
  /// `name` is that of the package, `inside` that of a module in it that is there.
  PlainFolder(SourceModule &importer, std::string name, std::string inside)
      : Module(std::move(name)), importer(importer), inside(std::move(inside)) {}
  std::optional<Value> lookup(llvm::StringRef name, Interpreter &interpreter) override;
  std::vector<llvm::StringRef> names() const override { return {}; }
  bool isBuiltin() const override { return true; }

private:
  SourceModule &importer;
  std::string inside;
};

/// A source file. Names are evaluated on first use.
class SourceModule : public Module {
public:
  SourceModule(Program &program, std::string name, const diag::SourceFile &file,
               std::shared_ptr<ast::Module> tree, uint64_t scope)
      : Module(std::move(name)), program(program), file(file), tree(std::move(tree)), scope(scope) {
  }

  std::optional<Value> lookup(llvm::StringRef name, Interpreter &interpreter) override;
  diag::Span definition(llvm::StringRef name) const override;
  llvm::StringRef opaqueReason(llvm::StringRef name) const override;
  /// Whether `name`, which has been looked up and is Opaque, may be good for kernels all the same:
  /// what the host finds out decides (`if torch.cuda.is_available():`, `dispatch(f)`).
  bool isUndecided(llvm::StringRef name) const;
  std::vector<llvm::StringRef> names() const override;
  bool isBuiltin() const override { return false; }

  /// What `from m import name` binds; `name` is one of its names.
  std::optional<Value> evaluateImport(const ast::ImportFrom &node, llvm::StringRef name,
                                      Interpreter &interpreter);
  /// Reports names that `from m import name` asks of a known module in vain.
  void checkImport(const ast::ImportFrom &node, Interpreter &interpreter);

  /// How many packages hold this module: what `from ...m` may climb.
  unsigned packageDepth();
  /// The outermost package around the file, as its path tells; without a name if there is none.
  struct Package {
    std::string name;
    /// The folder that it is in.
    std::string holder;
  };
  const Package &outermostPackage();

  /// See Unfinished.h.
  void forgetUnfinished();

  Program &program;
  const diag::SourceFile &file;
  /// Shared with the other scopes of the file.
  std::shared_ptr<ast::Module> tree;
  /// Of the host program; 0 for none.
  uint64_t scope;
  /// Nullopt until the module is imported or asks.
  std::optional<unsigned> knownPackageDepth;
  std::optional<Package> knownPackage;
  /// The module that imported this one first; null for files that the host named.
  SourceModule *importer = nullptr;
  /// Values given from outside, ahead of the source.
  llvm::StringMap<Value> overrides;

private:
  struct Entry {
    Value value;
    diag::Span definition;
    std::string reason;
    bool isEvaluating = false;
    bool isUndecided = false;
  };

  /// The statement that binds `name` last among those that run and begin before `end`, or null.
  const ast::Stmt *findBinding(ast::Stmts body, llvm::StringRef name, Interpreter &interpreter,
                               uint32_t end);
  const ast::Stmt *findInside(const ast::Stmt &stmt, llvm::StringRef name, Interpreter &interpreter,
                              uint32_t end);
  /// Whether the first branch runs; nullopt where the host decides.
  std::optional<bool> takenBranch(const ast::If &branch, Interpreter &interpreter);
  std::optional<Value> evaluateBinding(const ast::Stmt &stmt, llvm::StringRef name,
                                       Interpreter &interpreter);
  /// What `name` means to the statement that is being evaluated, where another one binds it last.
  std::optional<Value> lookupEarlier(llvm::StringRef name, Interpreter &interpreter);
  /// False after a report: the import would leave the package.
  bool staysInPackage(const ast::ImportFrom &node, Interpreter &interpreter);
  /// What `from m import *` gives `name`; nullopt if nothing. `isChosen`: it is known to be what
  /// binds the name, which is being evaluated.
  std::optional<Value> starImport(const ast::ImportFrom &node, llvm::StringRef name,
                                  Interpreter &interpreter, bool isChosen = false);
  /// What `import dotted` binds `name` to.
  Value evaluateImport(const ast::Alias &alias, llvm::StringRef name, Interpreter &interpreter);
  /// A module of this package, by a name that the package itself does not bind.
  std::optional<Value> submodule(llvm::StringRef name, Interpreter &interpreter);
  /// Says why `name`, which is being evaluated, is no value.
  void explain(llvm::StringRef name, std::string reason);
  /// Says of `name`, which is being evaluated, that the host decides what it is.
  void leaveUndecided(llvm::StringRef name);
  /// Whether what a statement binds, which could not be evaluated, may be good for kernels.
  bool isLeftToHost(const ast::Stmt &stmt, llvm::StringRef name, Interpreter &interpreter);
  bool mayBeOfKernels(const ast::Expr *value, Interpreter &interpreter);
  /// Whether there may be names that no statement here binds.
  bool hasNamesOfOthers();
  const ModuleChanges &changes();
  /// Opaque, with the reason, for a list or the like that the module changes later.
  Value unlessChanged(llvm::StringRef name, Value value);
  /// What the host program says, as `lookup`; nullopt for what it leaves to the source.
  std::optional<std::optional<Value>> lookupHost(llvm::StringRef name, Interpreter &interpreter);

  std::optional<ModuleChanges> knownChanges;
  llvm::StringMap<Entry> entries;
  /// Where the statement begins that is being evaluated: as when Python runs it, what is below has
  /// not happened yet.
  uint32_t now = afterAll;
  static constexpr uint32_t afterAll = UINT32_MAX;
  /// Values of bindings that later ones replace; empty while they are evaluated.
  std::map<std::pair<const ast::Stmt *, std::string>, std::optional<Value>> earlier;
  /// What `takenBranch` found.
  std::map<const ast::If *, std::optional<bool>> branches;
  llvm::StringMap<std::optional<std::optional<Value>>> hostValues;
};

struct Program::State {
  FileReader reader;
  std::vector<std::string> searchPath;
  HostResolver resolver;
  /// Objects of the host program, by number; empty while they are made.
  std::map<uint64_t, std::optional<Value>> hostObjects;
  std::vector<std::unique_ptr<SourceModule>> files;
  std::vector<std::unique_ptr<PlainFolder>> folders;
  llvm::StringMap<std::unique_ptr<LanguageModule>> language;
  /// Files of the library that a kernel has used, by name (library/Library.h).
  llvm::StringMap<std::unique_ptr<SourceModule>> library;
  /// Stand-ins for names of the language that are not implemented yet.
  llvm::StringMap<std::unique_ptr<Intrinsic>> stubs;
  /// Trees of expression texts whose lambdas may outlive the evaluation.
  std::vector<std::unique_ptr<ast::Expression>> expressions;
  llvm::StringSet<> names;
  /// Scopes that functions of theirs may hold.
  std::vector<std::shared_ptr<Scope>> captured;

  ~State() {
    for (const std::shared_ptr<Scope> &scope : captured)
      *scope = Scope();
  }
};

/// Gives parameters the defaults that they have now, in the current frame: Python evaluates them
/// where the function is defined. What cannot be evaluated yet fails where it is used.
void fixKnownDefaults(Interpreter &interpreter, Function &function);

/// The module that `import dotted` in `from` means; an Opaque value for unknown ones. `missing`
/// then says where they were looked for.
Value importModule(Program &program, SourceModule &from, llvm::StringRef dotted, int level,
                   Interpreter &interpreter, std::string *missing = nullptr);

} // namespace gluonc::sema

//===- Program.h - Source files, module scopes, functions --------------------===//
//
// A Program owns the parsed files of one compilation: the kernel file and the
// sibling files that it imports. Module scopes are lazy: an assignment or import
// at module level is evaluated when a kernel (or the command line) first reaches
// the name, so files full of torch, pytest and plotting cost nothing and break
// nothing. `triton…`, `triton.experimental.gluon…` and `gluonc…` imports resolve
// to the built-in language; unknown modules become Opaque values.
//
// Not thread-safe; one Program per compilation, or a lock around it. Functions and
// modules point into their Program, so it must outlive the Values that name them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "sema/host/HostScope.h"
#include "sema/value/Value.h"

#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gluonc::ast {
struct Module;
struct Expr;
struct FunctionDef;
struct Lambda;
struct ClassDef;
} // namespace gluonc::ast

namespace gluonc::sema {

class Interpreter;
class Program;
class Module;

enum class ParameterKind : uint8_t { Positional, Variadic, KeywordOnly, KeywordVariadic };

struct Parameter {
  llvm::StringRef name;
  diag::Span span;
  ParameterKind kind = ParameterKind::Positional;
  bool isConstexpr = false;
  /// `x: tl.const`: nothing is written through the pointer.
  bool isConst = false;
  /// do_not_specialize / do_not_specialize_on_alignment.
  bool noSpecialize = false;
  bool noAlignment = false;
  /// A type that the annotation fixes (`x: gl.int32`, `x: "*fp16"`).
  std::optional<DType> annotatedType;
  const ast::Expr *annotation = nullptr;
  const ast::Expr *defaultValue = nullptr;
  /// Instead of `defaultValue`: what it was when the function was defined.
  Value constant = {};

  bool hasDefault() const { return defaultValue || constant; }
};

enum class FunctionKind : uint8_t {
  /// @gluon.jit or @triton.jit.
  Jit,
  /// @gluon.constexpr_function.
  Constexpr,
  /// Undecorated: callable from compile-time code only.
  Host,
};

/// The language that a function of the device is written in.
enum class Dialect : uint8_t {
  /// @gluon.jit: the author states where the elements of each tensor are.
  Gluon,
  /// @triton.jit: the compiler chooses.
  Triton,
};

/// Variables of an enclosing function that a nested def or lambda sees.
struct Closure;

/// A `def` or `lambda` in source.
class Class;

class Function {
public:
  FunctionKind kind = FunctionKind::Host;
  Dialect dialect = Dialect::Gluon;
  std::string name;
  Module *module = nullptr;
  const ast::FunctionDef *def = nullptr;
  const ast::Lambda *lambda = nullptr;
  std::vector<Parameter> parameters;
  bool isNoinline = false;
  /// Of `@must_use_result`: how its message goes on. Empty when the result may be dropped.
  std::string mustUse;
  /// From the name in `def`.
  diag::Span span;
  std::shared_ptr<Closure> closure;
  /// The class whose body holds the definition. It owns the function, hence weak.
  std::weak_ptr<const Class> owner;

  const Parameter *findParameter(llvm::StringRef name) const;
};

enum class ClassKind : uint8_t {
  /// `@gluon.aggregate`: its fields may be IR.
  Aggregate,
  NamedTuple,
  /// Any other class, also a dataclass: kernels see it as a compile-time value only.
  Plain,
};

/// A class in source.
class Class {
public:
  struct Field {
    llvm::StringRef name;
    diag::Span span;
    const ast::Expr *annotation = nullptr;
    const ast::Expr *defaultValue = nullptr;
    /// Instead of `defaultValue`, where no text has it.
    Value constant = {};
    /// Instead of `annotation`: a tuple of types, one of which values have. Empty for any.
    Value types = {};
  };
  enum class Access : uint8_t { Bound, Property, Static, OfClass };
  struct Member {
    Value value;
    Access access = Access::Bound;
  };

  std::string name;
  Module *module = nullptr;
  diag::Span span;
  ClassKind kind = ClassKind::Plain;
  /// Inherited ones first.
  std::vector<Field> fields;
  /// Host code may add to them after the definition: `C.shape = …`.
  mutable llvm::StringMap<Member> members;
  std::vector<std::shared_ptr<const Class>> bases;
  std::shared_ptr<Closure> closure;

  /// Index into `fields`.
  std::optional<size_t> findField(llvm::StringRef field) const;
  const Member *findMember(llvm::StringRef member) const;
  bool isOrDerivesFrom(const Class &other) const;
};

/// One source file, or one module of the built-in language.
class Module {
public:
  virtual ~Module() = default;
  /// Dotted, as imported: "triton.experimental.gluon.language", "k".
  llvm::StringRef name() const { return moduleName; }
  /// Value of a name at module level; nullopt (and no report) when there is none. What cannot
  /// be evaluated is an Opaque value.
  virtual std::optional<Value> lookup(llvm::StringRef name, Interpreter &interpreter) = 0;
  /// Where the name is defined, and why its value is Opaque, for diagnostics.
  virtual diag::Span definition(llvm::StringRef) const { return {}; }
  virtual llvm::StringRef opaqueReason(llvm::StringRef) const { return {}; }
  /// Every name, for "did you mean".
  virtual std::vector<llvm::StringRef> names() const = 0;
  virtual bool isBuiltin() const = 0;

protected:
  explicit Module(std::string name) : moduleName(std::move(name)) {}

private:
  std::string moduleName;
};

/// Text of a file by path; nullopt when there is none. Injectable for tests and bindings.
using FileReader = std::function<std::optional<std::string>(llvm::StringRef path)>;

class Program {
public:
  /// `reader` serves imports of sibling files; by default the file system.
  explicit Program(diag::SourceManager &sources, FileReader reader = {});
  ~Program();

  /// Parses `text` as the file `path`. Never null; syntax errors are in the sink and
  /// every function that parsed stays usable.
  /// A `scope` other than 0 is one that the resolver knows: it answers for names ahead of the
  /// source. One file may be loaded in several scopes.
  Module *load(std::string path, std::string text, diag::Sink &sink, uint64_t scope = 0);
  void setResolver(HostResolver resolver);

  /// The function `name` at the top level of `module`, which must be decorated as a
  /// kernel. Null after a report (MissingKernel, NotAKernel).
  std::shared_ptr<const Function> kernel(Module &module, llvm::StringRef name, diag::Sink &sink);
  /// The function `name` whose definition begins at `line`, at any depth, taken as a kernel.
  std::shared_ptr<const Function> kernelAt(Module &module, llvm::StringRef name, unsigned line,
                                           diag::Sink &sink);
  /// Every jit function at the top level, in source order.
  std::vector<std::shared_ptr<const Function>> kernels(Module &module, diag::Sink &sink);

  diag::SourceManager &sources() const { return sourceManager; }
  /// Every file reached so far, in order of loading (for cache keys).
  std::vector<const diag::SourceFile *> files() const;

  /// A value for `name` in the module's scope, ahead of the source: what a host
  /// program's resolver supplies (Python globals captured by a kernel).
  void define(Module &module, llvm::StringRef name, Value value);

  struct State;
  State &state() { return *impl; }

private:
  diag::SourceManager &sourceManager;
  std::unique_ptr<State> impl;
};

} // namespace gluonc::sema

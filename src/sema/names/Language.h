//===- Language.h - The built-in modules and what runs at compile time -------===//
//
// `gluon`, `gl`, `triton`, `tl`, `math` and their submodules are Modules whose
// names resolve to dtypes, to builtins of sema/ops, or to Intrinsics: functions
// that the interpreter itself performs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/eval/Interpreter.h"

namespace gluonc::sema {

struct Intrinsic;

/// Arguments of an intrinsic: bound like a builtin's, plus where the call is.
struct IntrinsicCall {
  const Intrinsic &self;
  BoundArgs arguments;
  diag::Span span;

  const Value &operator[](size_t i) const { return arguments[i]; }
  bool has(size_t i) const { return !arguments[i].isAbsent(); }
};

using IntrinsicFn = MaybeValue (*)(Interpreter &, const IntrinsicCall &);

/// What kernels may do with an intrinsic.
enum class Visibility : uint8_t {
  /// A member of a language module.
  Member,
  /// A Python builtin that kernels see too.
  Everywhere,
  /// A Python builtin for compile-time code only.
  HostOnly,
};

struct Intrinsic : Builtin {
  IntrinsicFn evaluate;
  Visibility visibility = Visibility::Member;

  constexpr Intrinsic(llvm::StringRef name, Signature signature, IntrinsicFn evaluate,
                      Visibility visibility = Visibility::Member)
      : Builtin{name, signature}, evaluate(evaluate), visibility(visibility) {}
  constexpr Intrinsic(llvm::StringRef name, Signature signature, IntrinsicFn evaluate,
                      llvm::StringRef doc)
      : Builtin{name, signature, nullptr, {}, doc}, evaluate(evaluate) {}
};

/// Builtins without an emit function are intrinsics.
inline const Intrinsic *asIntrinsic(const Value &value) {
  if (!value.is(ValueKind::Builtin) || value.asBuiltin().emit)
    return nullptr;
  return &static_cast<const Intrinsic &>(value.asBuiltin());
}
/// Is `value` the intrinsic of this name, e.g. "constexpr", "jit"?
inline bool isIntrinsic(const Value &value, llvm::StringRef name) {
  const Intrinsic *intrinsic = asIntrinsic(value);
  return intrinsic && intrinsic->name == name;
}

/// `gluon.jit` or `triton.jit`.
bool isJit(const Value &value);
/// Which language functions have that `jit` decorates.
Dialect dialectOf(const Value &jit);

/// Evaluates the call of a class that is for `isinstance` and annotations: reports it.
MaybeValue typeOnly(Interpreter &interpreter, const IntrinsicCall &call);
/// `gl.dtype("uint16")`, `tl.dtype("fp32")`: the type of a name; reports names of none.
MaybeValue dtypeOf(Interpreter &interpreter, const IntrinsicCall &call);

/// len, range, min, …; null when there is none.
const Intrinsic *findPythonBuiltin(llvm::StringRef name);
/// constexpr, static_assert, BlockedLayout, …; null when there is none.
const Intrinsic *findLanguageIntrinsic(llvm::StringRef name);
const Intrinsic *findLayoutConstructor(llvm::StringRef name);
/// bank_conflicts, of types that kernels or host code have.
const Intrinsic &bankConflictsOfTypes();
/// Methods of types of the IR and of host code; null where there is none.
const Intrinsic *findTypeMethod(const Value &type, llvm::StringRef name);
/// Methods of layouts.
llvm::ArrayRef<Intrinsic> layoutMethods();
/// `CachePolicy` and the like; by the path below `gl`, as for layouts.
const Intrinsic *findCachePolicy(llvm::StringRef name);
bool isFractionalEvictionPolicy(const Value &value);
const Intrinsic *findMathFunction(llvm::StringRef name);
/// What compile-time code uses of Python's own modules: "copy.deepcopy", "functools.partial".
const Intrinsic *findHostFunction(llvm::StringRef path);
/// `x.__add__(y)` of a tensor; null when there is no such operator.
const Intrinsic *findOperatorMethod(llvm::StringRef name);
/// Methods of compile-time values: `n.bit_length()`, `s.join(…)`, `l.append(…)`.
const Intrinsic *findMethod(ValueKind kind, llvm::StringRef name);

/// A name of `tl` that Gluon does not have, by its path below `tl`; those of the library aside.
MaybeValue findTritonMember(llvm::StringRef path);
/// `tl.constexpr_type(value)`, the type of a number, a string or None of compile time.
Value constexprType(const Value &value);
/// `tl.tuple_type(types)`, the type of a tuple.
Value tupleType(const Value &types);
void appendTritonNames(std::vector<llvm::StringRef> &names);

/// The candidate that `name` is most likely a misspelling of; empty when none is close.
llvm::StringRef nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

/// Every intrinsic and layout class that `gl` has, for suggestions.
void appendLanguageNames(std::vector<llvm::StringRef> &names);
void appendLayoutNames(std::vector<llvm::StringRef> &names);
void appendCachePolicyNames(std::vector<llvm::StringRef> &names);
/// The fields of every layout class, for Python's classes; see gluonc_language_layouts.
std::string layoutSchemas();

/// Is the value a name of the language that is still to come? Then so are its members.
bool isStub(const Value &value);
Value stubMember(Program &program, const Value &stub, llvm::StringRef name);

/// A module of the language by its path as written in imports; null for other paths.
Module *findLanguageModule(Program &program, llvm::StringRef dotted);

/// `__add__` and `__radd__`; empty for operators that no method means.
struct OperatorNames {
  llvm::StringRef forward, reflected;
};
OperatorNames methodNames(ast::Operator op);
OperatorNames methodNames(ast::CompareOperator op);
/// `logical_and`, `logical_or`.
OperatorNames methodNames(ast::BoolOperator op);
llvm::StringRef methodName(ast::UnaryOperator op);

/// Calls an operator's method of an instance; nullopt when it has none, or that does not take it
/// on.
std::optional<MaybeValue> callOperator(Interpreter &interpreter, const Value &owner,
                                       llvm::StringRef name, llvm::ArrayRef<Value> others,
                                       diag::Span span);
/// `a + b` by `a.__add__(b)` or `b.__radd__(a)`; nullopt when neither exists and takes it on.
std::optional<MaybeValue> operatorMethod(Interpreter &interpreter, OperatorNames names,
                                         const Value &lhs, const Value &rhs, diag::Span span);

/// Binds evaluated arguments to a parameter list (see ops/Signature.h). False after a report.
struct BoundStorage {
  llvm::SmallVector<Value, 8> values;
  llvm::SmallVector<diag::Span, 8> spans;
};
bool bindBuiltin(Interpreter &interpreter, const Builtin &builtin, const CallArguments &arguments,
                 BoundStorage &bound);

/// Reports that `what` is a value of the host program; `name` is that of the global it came from.
void reportHostValue(Interpreter &interpreter, diag::Span span, const std::string &what,
                     llvm::StringRef name);
/// What a Python value is inside a kernel: lists become tuples, at every depth.
Value asKernelArgument(const Value &value);

/// A Function for a `def`, its decorators classified, unless `kind` says what it is. `closure` is
/// that of the enclosing function.
std::shared_ptr<Function> makeFunction(Interpreter &interpreter, Module &module,
                                       const ast::FunctionDef &def,
                                       std::shared_ptr<Closure> closure,
                                       std::optional<FunctionKind> kind = std::nullopt);
/// A Class for a `class` statement.
std::shared_ptr<const Class> makeClass(Interpreter &interpreter, Module &module,
                                       const ast::ClassDef &def, std::shared_ptr<Closure> closure);
/// An aggregate that the host program defined, so far without bases and members.
std::shared_ptr<Class> startHostAggregate(Interpreter &interpreter, Module &module,
                                          const ast::ClassDef &def);
/// The fields of a plain class are what its constructor assigns.
void addAssignedFields(Class &cls, const ast::FunctionDef &init);
/// Makes the class of each base one of `cls`, whose own fields stay behind and ahead of theirs.
void addBases(Class &cls, llvm::ArrayRef<Value> bases);
/// Is `payload` the object itself, or part of it? Values that hold themselves never end.
bool holdsPayload(const Value &value, const Payload *payload);
/// `list.extend(items)`; false after a report.
bool extendList(Interpreter &interpreter, const Value &list, llvm::ArrayRef<Value> items,
                diag::Span span);
/// `list[slice] = value`; false after a report.
bool assignSlice(Interpreter &interpreter, const Value &list, const Value &slice,
                 const Value &value, diag::Span span);
/// `dict[key] = value`.
void setDictItem(const Value &dict, const Value &key, const Value &value);
/// Python's isinstance. `type` is a class of the language or of the source, or a tuple of them.
bool isInstance(const Value &value, const Value &type);
std::shared_ptr<Function> makeLambda(Interpreter &interpreter, Module &module,
                                     const ast::Lambda &lambda, std::shared_ptr<Closure> closure);

} // namespace gluonc::sema

//===- Interpreter.h - The walk over functions and expressions ---------------===//
//
// One evaluator serves compile-time code and kernels. In a Host frame it is a
// small Python: module scope, constexpr functions, launch expressions. In a
// Kernel frame the same expressions may also meet IR values, and then go to
// sema/ops; statements follow the rules of gluon-language §2 and become scf.
//
// Errors are reported where they are found; every function that can fail says
// so in its result (nullopt, Flow::Failed). In kernels the statement is where the
// walk recovers: what it would have assigned becomes poison, whose readers fail
// silently, and the next statement is looked at, so that one run reports all
// errors that do not follow from each other.
//
// Structured control flow only.  A dynamic `if` with a `return` inside takes the
// rest of the function into its branches:
//
//   if c: return a        scf.if c { yield a }
//   rest; return b   ⇒    else     { rest; yield b }
//
// so calls are inlined by walking the callee in place, whatever it contains. Where
// both branches may go on, a bit tells who has returned, and what follows stands
// once, under an `scf.if` of that bit (ControlFlow.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/Context.h"
#include "sema/Evaluator.h"
#include "sema/Program.h"
#include "sema/Scope.h"
#include "sema/Work.h"
#include "sema/ops/Ops.h"
#include "syntax/Ast.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace gluonc::sema {

using MaybeValue = std::optional<Value>;

enum class Mode : uint8_t { Host, Kernel };

enum class Flow : uint8_t {
  Next,
  Returned,
  /// Where Frame::hasReturned is true; what follows is for the others. Kernels only.
  MayReturn,
  Break,
  Continue,
  Failed
};

/// One activation of a function (or of module scope).
struct Frame {
  const Function *function = nullptr;
  Module *module = nullptr;
  Mode mode = Mode::Host;
  /// Shared with the functions that are defined inside, which see later assignments.
  std::shared_ptr<Scope> sharedScope = std::make_shared<Scope>();
  Scope &scope = *sharedScope;
  /// Names that `nonlocal` gives to an enclosing function.
  llvm::SmallVector<llvm::StringRef, 2> nonlocals;
  const Closure *closure = nullptr;
  Frame *caller = nullptr;
  /// In the caller.
  diag::Span callSpan;
  /// Location of the call with its own chain, once computed.
  std::optional<mlir::Location> callLocation;
  Value result;
  diag::Span returnSpan;
  /// Of Flow::MayReturn: the bit.
  mlir::Value hasReturned;
  /// Branches around the current statement that took the rest of the function along.
  unsigned returnDepth = 0;
  /// Loops that run on the device around the current statement.
  unsigned deviceLoops = 0;
  /// Module scope: operations on Opaque values give Opaque values.
  bool isModuleScope = false;
  /// Has a tt.func of its own: locations inside do not name the call that came first.
  bool isOutlined = false;
  /// A statement was reported and skipped: there is no result, whatever else happens.
  bool hasFailed = false;
};

/// What a nested def or lambda sees: the variables themselves, not what they held at the time.
struct Closure {
  std::shared_ptr<Scope> scope;
  std::shared_ptr<Closure> outer;
};

/// What remains of the function after the current block; see the head of this file.
struct Rest {
  llvm::function_ref<Flow(const Rest *next)> run;
  const Rest *next;
  /// Nothing to run.
  bool isEmpty;
};

/// Each once, in the order of their first assignment.
using NameSet = llvm::SetVector<llvm::StringRef>;
/// Adds the names that the nodes below `node` assign, nested functions aside.
void collectAssigned(const ast::Node &node, NameSet &names);

/// Evaluated arguments of a call before they meet parameters.
struct CallArguments {
  struct Keyword {
    llvm::StringRef name;
    Value value;
    diag::Span span;
  };
  llvm::SmallVector<Value, 8> positional;
  llvm::SmallVector<diag::Span, 8> positionalSpans;
  llvm::SmallVector<Keyword, 4> keywords;
  diag::Span span;

  void add(Value value, diag::Span at) {
    positional.push_back(std::move(value));
    positionalSpans.push_back(at);
  }
};

/// `__add__` and `__radd__`; empty for operators that no method means.
struct OperatorNames {
  llvm::StringRef forward, reflected;
};
OperatorNames methodNames(ast::Operator op);
OperatorNames methodNames(ast::CompareOperator op);
/// `logical_and`, `logical_or`.
OperatorNames methodNames(ast::BoolOperator op);
llvm::StringRef methodName(ast::UnaryOperator op);

class Interpreter {
public:
  Interpreter(Program &program, diag::Sink &sink) : program(program), sink(&sink) {}

  /// Set while a kernel is specialized: where IR goes.
  void setContext(Context *newContext, mlir::Operation *newModule) {
    context = newContext;
    irModule = newModule;
  }
  Context *emitContext() const { return context; }

  // -- Expressions (Expressions.cpp, Operators.cpp, Subscripts.cpp) --------------
  MaybeValue eval(const ast::Expr *expr);
  /// A value as a Python condition; nullopt after a report.
  std::optional<bool> truth(const Value &value, diag::Span span);
  std::optional<bool> truthOfInstance(const Value &value, diag::Span span);
  MaybeValue binary(ast::Operator op, const Value &lhs, const Value &rhs, diag::Span span,
                    diag::Span lhsSpan, diag::Span rhsSpan);
  MaybeValue compare(ast::CompareOperator op, const Value &lhs, const Value &rhs, diag::Span span,
                     diag::Span lhsSpan, diag::Span rhsSpan);
  MaybeValue unary(ast::UnaryOperator op, const Value &operand, diag::Span span,
                   diag::Span operandSpan);
  MaybeValue subscript(const Value &object, const Value &index, diag::Span span);
  /// Items of anything compile-time code can iterate over.
  std::optional<std::vector<Value>> iterate(const Value &value, diag::Span span);

  /// What a parameter is that no argument is given for; it has a default.
  MaybeValue defaultValue(const Function &function, const Parameter &parameter);

  // -- Names and attributes (Names.cpp, Attributes.cpp) ---------------------------
  MaybeValue lookup(llvm::StringRef name, diag::Span span);
  MaybeValue attribute(const Value &object, llvm::StringRef name, diag::Span span);

  // -- Calls (Calls.cpp) ----------------------------------------------------------
  MaybeValue call(const Value &callee, CallArguments &arguments);
  MaybeValue callFunction(const Value &function, CallArguments &arguments);
  /// Reports what would be wrong with these arguments whatever their values: count, names.
  void checkFunctionCall(const Function &function, CallArguments &arguments);

  // -- Classes (Classes.cpp) --------------------------------------------------------
  /// `C(…)`: an instance, or a named tuple.
  MaybeValue construct(const Value &cls, CallArguments &arguments);
  /// `aggregate_replace(instance, field=…)`.
  MaybeValue replaceFields(CallArguments &arguments);

  // -- Statements (HostStatements.cpp, KernelStatements.cpp, ControlFlow.cpp) ------
  Flow runHost(ast::Stmts body);
  Flow runKernel(ast::Stmts body, const Rest *rest);
  /// The body of a function: Returned or Failed.
  Flow runKernelBody(ast::Stmts body) { return finish(runKernel(body, nullptr), nullptr); }

  // -- Bookkeeping (Interpreter.cpp) -----------------------------------------------
  template <typename... Args>
  diag::Builder report(diag::Kind kind, diag::Span at, const Args &...args) {
    diag::Builder builder = sink->report(kind, at, args...);
    addCallChain(builder);
    return builder;
  }
  void addCallChain(diag::Builder &builder) const;
  mlir::Location location(mlir::MLIRContext *mlirContext, diag::Span span);
  /// Reports and gives false when the work of this compilation exceeds its budget.
  bool step(diag::Span span);
  /// A string that compile-time code makes; reports what is too long.
  MaybeValue text(std::string text, diag::Span span);
  /// Reports and gives false when this kind of code does not have the construct.
  bool checkSupported(const ast::Node &node);
  Frame &frame() { return *current; }
  bool inKernel() const { return current && current->mode == Mode::Kernel; }

  /// Pushes a frame for its own lifetime.
  class FrameScope {
  public:
    FrameScope(Interpreter &interpreter, Frame &frame) : interpreter(interpreter) {
      frame.caller = interpreter.current;
      interpreter.current = &frame;
    }
    ~FrameScope() { interpreter.current = interpreter.current->caller; }

  private:
    Interpreter &interpreter;
  };
  /// Counts nesting of evaluation for its own lifetime.
  class DepthScope {
  public:
    explicit DepthScope(Interpreter &interpreter) : interpreter(interpreter) {
      ++interpreter.depth;
    }
    ~DepthScope() { --interpreter.depth; }

  private:
    Interpreter &interpreter;
  };
  /// Reports into another sink for its own lifetime.
  class SinkScope {
  public:
    SinkScope(Interpreter &interpreter, diag::Sink &sink)
        : interpreter(interpreter), saved(interpreter.sink) {
      interpreter.sink = &sink;
    }
    ~SinkScope() { interpreter.sink = saved; }

  private:
    Interpreter &interpreter;
    diag::Sink *saved;
  };

  Program &program;
  diag::Sink *sink;

private:
  // Expressions.
  MaybeValue evalNode(const ast::Expr *expr);
  MaybeValue evalConstant(const ast::Constant &node);
  MaybeValue evalSequence(ast::Exprs elements, bool isList);
  MaybeValue evalDict(const ast::Dict &node);
  MaybeValue evalBinOp(const ast::BinOp &node);
  MaybeValue evalUnaryOp(const ast::UnaryOp &node);
  MaybeValue evalBoolOp(const ast::BoolOp &node);
  MaybeValue evalKernelBoolOp(const ast::BoolOp &node);
  MaybeValue evalCompare(const ast::Compare &node);
  MaybeValue evalIfExp(const ast::IfExp &node);
  MaybeValue evalDynamicIfExp(const ast::IfExp &node, const Value &condition);
  MaybeValue evalJoinedStr(const ast::JoinedStr &node);
  MaybeValue evalFormatted(const ast::FormattedValue &node);
  MaybeValue evalSubscript(const ast::Subscript &node);
  MaybeValue evalTensorSubscript(const Value &object, const ast::Expr *slice, diag::Span span);
  MaybeValue evalSlice(const ast::Slice &node);
  MaybeValue evalLambda(const ast::Lambda &node);
  MaybeValue evalNamedExpr(const ast::NamedExpr &node);
  MaybeValue evalComprehension(const ast::Expr *element, ast::Comprehensions generators);
  MaybeValue evalDictComp(const ast::DictComp &node);
  bool forEachBinding(ast::Comprehensions generators, llvm::function_ref<bool()> body);
  MaybeValue evalCall(const ast::Call &node);
  bool evalArguments(const ast::Call &node, CallArguments &arguments);
  MaybeValue logical(ast::BoolOperator op, const Value &lhs, const Value &rhs, diag::Span span,
                     diag::Span lhsSpan, diag::Span rhsSpan);
  std::nullopt_t reportOperands(llvm::StringRef op, const Value &lhs, const Value &rhs,
                                diag::Span span, diag::Span lhsSpan, diag::Span rhsSpan);
  MaybeValue memberTest(const Value &item, const Value &container, diag::Span span);

  // Names.
  MaybeValue lookupGlobal(llvm::StringRef name, diag::Span span);
  bool checkReadable(llvm::StringRef name, const Value &value, diag::Span span);
  void reportUnknownName(llvm::StringRef name, diag::Span span);

  // Calls.
  MaybeValue callPartial(bool isMaking, CallArguments &arguments);
  MaybeValue callFormat(CallArguments &arguments);
  MaybeValue callBuiltin(const Value &callee, CallArguments &arguments);
  bool checkRecursion(const Function &function, diag::Span span);
  MaybeValue runFunction(const std::shared_ptr<const Function> &function, CallArguments &arguments);
  bool bindFunction(const Function &function, CallArguments &arguments, Frame &frame);
  /// Evaluates the defaults of a function that is being defined in the current frame.
  bool fixDefaults(Function &function);

  // Functions that stay functions (Outline.cpp).
  struct Outlined {
    mlir::Operation *function;
    /// The result of its walk; calls give the same with their own values in it.
    Value result;
  };
  /// Calls `function`, whose parameters are bound in `callee`.
  std::string freshSymbol(llvm::StringRef name);
  MaybeValue callOutlined(const Function &function, Frame &callee, diag::Span span);
  std::optional<Outlined> outline(const Function &function, Frame &callee,
                                  llvm::ArrayRef<mlir::Value> operands);

  // Classes.
  /// Attributes of classes and instances; nullopt without a report when there is none.
  MaybeValue classMember(const Value &object, llvm::StringRef name, diag::Span span);
  bool setField(const ast::Attribute &target, const Value &value);
  bool bindFields(const Class &cls, CallArguments &arguments, std::vector<Value> &items);
  bool finishFields(const Class &cls, llvm::ArrayRef<Value> items, diag::Span span);
  /// `a + b` by `a.__add__(b)` or `b.__radd__(a)`; nullopt when neither exists and takes it on.
  std::optional<MaybeValue> operatorMethod(OperatorNames names, const Value &lhs, const Value &rhs,
                                           diag::Span span);
  std::optional<MaybeValue> callOperator(const Value &owner, llvm::StringRef name,
                                         llvm::ArrayRef<Value> others, diag::Span span);
  bool defineNestedClass(const ast::ClassDef &node);
  /// What functions and classes nested in the current frame see of it.
  std::shared_ptr<Closure> capture();

  // Statements.
  Flow runHostStatement(const ast::Stmt &stmt);
  Flow runHostFor(const ast::For &node);
  Flow runHostWhile(const ast::While &node);
  Flow runHostRaise(const ast::Raise &node);
  Flow runHostAssert(const ast::Assert &node);
  Flow runHostTry(const ast::Try &node);
  Flow runHandler(const ast::Try &node, const diag::Diagnostic &problem);
  bool importHost(const ast::Import &node);
  bool importHost(const ast::ImportFrom &node);
  Scope &scopeOf(llvm::StringRef name);
  bool deleteHost(const ast::Expr *target);
  bool unpackHost(ast::Exprs targets, const Value &value, diag::Span span);
  bool assignSlice(const Value &list, const Value &slice, const Value &value, diag::Span span);
  bool assignHost(const ast::Expr *target, const Value &value);
  bool augmentHost(const ast::AugAssign &node);
  bool defineNested(const ast::FunctionDef &node);

  Flow runStatements(ast::Stmts &body, const Rest *rest);
  Flow runKernelStatement(const ast::Stmt &stmt, const Rest *rest);
  /// After a report: poisons what the statement assigns. False when the walk must end.
  bool recover(const ast::Stmt &stmt);
  Flow runKernelReturn(const ast::Return &node);
  bool assignKernel(const ast::Expr *target, const Value &value, diag::Span valueSpan,
                    bool isConstexpr);
  bool annotatedAssign(const ast::AnnAssign &node);
  bool augmentKernel(const ast::AugAssign &node);
  MaybeValue materialized(const Value &value, llvm::StringRef name, diag::Span span);
  bool kernelAssert(const ast::Assert &node);

  Flow runIf(const ast::If &node, const Rest *rest);
  Flow runDynamicIf(const ast::If &node, const Value &condition);
  Flow runReturningIf(const ast::If &node, const Value &condition, const Rest *rest);
  struct Arm;
  void walkArm(Arm &arm, const Scope &before, diag::Span span, llvm::function_ref<Flow()> body);
  Flow closeIf(diag::Span span, mlir::Value condition, llvm::MutableArrayRef<Arm> arms,
               const Scope &before);
  bool agreeOnResult(llvm::MutableArrayRef<Arm> arms);
  void mergeScopes(diag::Span span, llvm::MutableArrayRef<Arm> arms, const Scope &before,
                   llvm::SmallVectorImpl<Binding> &merged);
  void takeScope(llvm::MutableArrayRef<Arm> arms, const Scope &before,
                 llvm::SmallVectorImpl<Binding> &changed);
  /// What follows a statement that may have returned, for those that have not.
  Flow runGuarded(llvm::function_ref<Flow()> body);
  /// Runs what follows until the function ends.
  Flow finish(Flow flow, const Rest *rest);
  Flow runFor(const ast::For &node, const Rest *rest);
  Flow runStaticFor(const ast::For &node, const Value &range, int64_t index, const Rest *rest);
  struct DeviceRange;
  /// Nullopt after a report.
  std::optional<DeviceRange> deviceRange(const Value &range, diag::Span span);
  Flow runDeviceFor(const ast::For &node, const Value &range);
  Flow runDeviceWhile(const ast::While &node);

  Frame *current = nullptr;
  Context *context = nullptr;
  /// Takes the functions that stay functions.
  mlir::Operation *irModule = nullptr;
  std::map<std::string, Outlined> outlined;
  /// How many functions of a name there are.
  llvm::StringMap<unsigned> outlinedNames;
  /// The expression that is a statement by itself.
  const ast::Expr *unusedCall = nullptr;
  unsigned depth = 0;
  WorkScope work;
  /// A budget is used up: everything unwinds.
  bool isExhausted = false;
};

} // namespace gluonc::sema

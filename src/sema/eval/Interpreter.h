//===- Interpreter.h - The walk over functions and expressions ---------------===//
//
// One evaluator serves compile-time code and kernels. In a Host frame it is a
// small Python: module scope, constexpr functions, launch expressions. In a
// Kernel frame the same expressions may also meet IR values, and then go to
// sema/ops, and statements become scf.
//
// The walk itself is made of parts (Walk.h). Errors are reported where they are found;
// every function that can fail says so in its result (nullopt, Flow::Failed).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/builtins/Context.h"
#include "sema/builtins/Ops.h"
#include "sema/eval/Evaluator.h"
#include "sema/eval/Work.h"
#include "sema/names/Program.h"
#include "sema/names/Scope.h"
#include "sema/value/Observer.h"
#include "syntax/Ast.h"

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
  /// Iteration of the unrolled loops around the current statement (ir/SourceLocation.h); null
  /// outside of such.
  mlir::Attribute unrolled;
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

/// Functions of the module that stay functions (Outline.h).
struct Outlined {
  mlir::Operation *function;
  /// The result of its walk; calls give the same with their own values in it.
  Value result;
};
struct OutlinedFunctions {
  mlir::Operation *module = nullptr;
  std::map<std::string, Outlined> found;
  /// How many functions of a name there are.
  llvm::StringMap<unsigned> names;
};

class Interpreter {
public:
  Interpreter(Program &program, diag::Sink &sink) : program(program), sink(&sink) {}

  /// Set while a kernel is specialized: where IR goes.
  void setContext(Context *newContext, mlir::Operation *newModule) {
    context = newContext;
    outlined.module = newModule;
  }
  Context *emitContext() const { return context; }

  // -- Expressions (Expressions.cpp, Operators.cpp, Subscripts.cpp) --------------
  MaybeValue eval(const ast::Expr *expr);
  /// A value as a Python condition; nullopt after a report.
  std::optional<bool> truth(const Value &value, diag::Span span);
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

  /// Tells the observer, if there is one, what an expression or a name being bound is.
  void observe(diag::Span place, const Value &value) {
    if (observer) [[unlikely]]
      observer(place, value);
  }

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
  /// What functions and classes nested in the current frame see of it.
  std::shared_ptr<Closure> capture();
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
  OutlinedFunctions outlined;
  ValueObserver observer;
  /// The expression that is a statement by itself.
  const ast::Expr *unusedCall = nullptr;
  /// A budget is used up: everything unwinds.
  bool isExhausted = false;

private:
  Frame *current = nullptr;
  Context *context = nullptr;
  unsigned depth = 0;
  WorkScope work;
};

} // namespace gluonc::sema

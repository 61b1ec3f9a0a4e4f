//===- Evaluation.h - One walk over a host expression -----------------------===//
#pragma once

#include "host/Expression.h"
#include "syntax/Ast.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace gluonc::host {

/// Arguments of a host function's call, bound to its parameters; null where not given.
using BoundExprs = llvm::SmallVector<const ast::Expr *, 6>;

class Evaluation {
public:
  Evaluation(HostScope &scope, diag::Sink &sink) : scope(scope), sink(sink) {}

  std::optional<HostValue> eval(const ast::Expr &expr);
  /// Of a call that `isDescriber` knows.
  std::optional<DescribedTensor> describe(const ast::Call &node);
  static bool isDescriber(const ast::Expr &function);

  /// For `allclose` without tolerances.
  std::optional<Tolerance> tolerance;
  std::vector<std::string> details;

private:
  using Result = std::optional<HostValue>;
  using HostFunction = Result (Evaluation::*)(const ast::Call &);
  struct Entry;

  // Deciding who evaluates (Expression.cpp).
  bool speaksOfTensors(const ast::Expr &expr) const;
  Result delegate(const ast::Expr &expr);
  Result mixed(const ast::Expr &expr);
  std::optional<sema::Value>
  evaluateText(const ast::Expr &expr,
               llvm::ArrayRef<std::pair<const ast::Expr *, sema::Value>> replaced);

  // Operators and views (Expression.cpp).
  Result binary(const ast::BinOp &node);
  Result unary(const ast::UnaryOp &node);
  Result compareChain(const ast::Compare &node);
  Result boolean(const ast::BoolOp &node);
  Result attribute(const ast::Attribute &node);
  Result subscript(const ast::Subscript &node);
  std::optional<Tensor> index(Tensor tensor, llvm::ArrayRef<const ast::Expr *> indices);
  std::optional<Tensor> slice(const Tensor &tensor, unsigned axis, const ast::Slice &node);

  // Calls (HostFunctions.cpp).
  static const Entry *findFunction(llvm::StringRef name);
  static const Entry *findMethod(llvm::StringRef name);
  static llvm::ArrayRef<Entry> functions();
  Result call(const ast::Call &node);
  Result invoke(const ast::Call &node, const Entry &entry, const Array *self);
  bool bindCall(const ast::Call &node, llvm::StringRef function, llvm::StringRef parameters,
                BoundExprs &bound);
  Result construct(const ast::Call &node, const Entry &entry, const BoundExprs &arguments);
  Result random(const Entry &entry, const BoundExprs &arguments, const ast::Call &node);
  Result range(const BoundExprs &arguments, const ast::Call &node);
  Result readFile(const BoundExprs &arguments, const ast::Call &node);
  Result literalTensor(const BoundExprs &arguments, const ast::Call &node);
  Result addresses(const BoundExprs &arguments, const ast::Call &node);
  Result allclose(const BoundExprs &arguments, const ast::Call &node);
  Result method(const Entry &entry, const Array &self, const BoundExprs &arguments,
                const ast::Call &node);

  // Reading values.
  std::optional<Array> array(const ast::Expr &expr);
  std::optional<sema::Value> scalar(const ast::Expr &expr, llvm::StringRef wanted);
  std::optional<int64_t> integer(const ast::Expr &expr);
  std::optional<double> number(const ast::Expr &expr);
  std::optional<Shape> shape(const ast::Expr &expr);
  std::optional<sema::DType> dtype(const ast::Expr *expr, sema::DType otherwise);
  /// Reports elements that nothing has written.
  bool usable(const Array &array, const ast::Expr &expr);
  void noteDifference(const ast::Expr &expr, const Array &lhs, const Array &rhs,
                      Tolerance tolerance);
  Result take(llvm::Expected<Array> result, const ast::Expr &expr);
  std::nullopt_t fail(const ast::Expr &expr, const llvm::Twine &what);

  HostScope &scope;
  diag::Sink &sink;
};

/// A function or method of the host language.
struct Evaluation::Entry {
  enum Kind {
    Make,
    Random,
    Range,
    File,
    Literal,
    Addresses,
    Map,
    Pair,
    Reduce,
    Where,
    Close,
    MatMul,
    Method
  };
  llvm::StringLiteral name;
  Kind kind;
  int op;
  /// Names in order; `=` after those that may be left out.
  llvm::StringLiteral parameters;
  /// Makes a tensor, whatever it is given.
  bool isConstructor() const { return kind <= Addresses; }
};

} // namespace gluonc::host

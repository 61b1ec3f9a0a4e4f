//===- Expressions.h - One kind of expression after the other -----------------===//
//
// Literals, displays, comprehensions and f-strings (Expressions.cpp), operators
// (Operators.cpp), subscripts (Subscripts.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/eval/Walk.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace gluonc::sema {

class Expressions : Walk {
public:
  using Walk::Walk;

  /// Interpreter::eval, after its look at the budget.
  MaybeValue evalNode(const ast::Expr *expr);
  MaybeValue evalDict(const ast::Dict &node);

private:
  MaybeValue evalConstant(const ast::Constant &node);
  MaybeValue evalSequence(ast::Exprs elements, bool isList);
  MaybeValue evalJoinedStr(const ast::JoinedStr &node);
  MaybeValue evalFormatted(const ast::FormattedValue &node);
  MaybeValue evalSlice(const ast::Slice &node);
  MaybeValue evalNamedExpr(const ast::NamedExpr &node);
  MaybeValue evalComprehension(const ast::Expr *element, ast::Comprehensions generators);
  MaybeValue evalDictComp(const ast::DictComp &node);
  bool forEachBinding(ast::Comprehensions generators, llvm::function_ref<bool()> body);

  MaybeValue evalBinOp(const ast::BinOp &node);
  MaybeValue evalUnaryOp(const ast::UnaryOp &node);
  MaybeValue evalBoolOp(const ast::BoolOp &node);
  struct Operand {
    MaybeValue value;
    diag::Span span;
  };
  /// `and` or `or` of operands that are evaluated in turn, as far as the result depends on them.
  /// A chain of comparisons is an `and` that blocks may be part of.
  enum class Joins { Words, Chain };
  MaybeValue join(ast::BoolOperator op, Joins what, size_t count, diag::Span whole,
                  llvm::function_ref<Operand(size_t)> next);
  MaybeValue logical(ast::BoolOperator op, const Value &lhs, const Value &rhs, diag::Span span,
                     diag::Span lhsSpan, diag::Span rhsSpan);
  MaybeValue evalCompare(const ast::Compare &node);
  MaybeValue evalChain(const ast::Compare &node, Value lhs);
  MaybeValue evalIfExp(const ast::IfExp &node);

  MaybeValue evalSubscript(const ast::Subscript &node);
  /// Whether all of its parts are None or not there.
  std::optional<bool> namesNoBounds(const ast::Slice &range);
  MaybeValue evalTensorSubscript(const Value &object, const ast::Expr *slice, diag::Span span);
};

} // namespace gluonc::sema

// Operators: compile-time operands stay at compile time, the rest goes to sema/ops.

#include "sema/eval/Expressions.h"

#include "sema/builtins/core/Overflow.h"
#include "sema/kernel/KernelStatements.h"
#include "sema/names/Language.h"
#include "sema/value/Arithmetic.h"
#include "sema/value/Format.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

static ops::BinaryOp toOps(ast::Operator op) {
  switch (op) {
  case ast::Operator::Add:
    return ops::BinaryOp::Add;
  case ast::Operator::Sub:
    return ops::BinaryOp::Sub;
  case ast::Operator::Mult:
    return ops::BinaryOp::Mul;
  case ast::Operator::MatMult:
    return ops::BinaryOp::MatMul;
  case ast::Operator::Div:
    return ops::BinaryOp::Div;
  case ast::Operator::Mod:
    return ops::BinaryOp::Mod;
  case ast::Operator::Pow:
    return ops::BinaryOp::Pow;
  case ast::Operator::LShift:
    return ops::BinaryOp::Shl;
  case ast::Operator::RShift:
    return ops::BinaryOp::Shr;
  case ast::Operator::BitOr:
    return ops::BinaryOp::Or;
  case ast::Operator::BitXor:
    return ops::BinaryOp::Xor;
  case ast::Operator::BitAnd:
    return ops::BinaryOp::And;
  case ast::Operator::FloorDiv:
    return ops::BinaryOp::FloorDiv;
  }
  return ops::BinaryOp::Add;
}

static std::optional<ops::CompareOp> toOps(ast::CompareOperator op) {
  switch (op) {
  case ast::CompareOperator::Eq:
    return ops::CompareOp::Eq;
  case ast::CompareOperator::NotEq:
    return ops::CompareOp::Ne;
  case ast::CompareOperator::Lt:
    return ops::CompareOp::Lt;
  case ast::CompareOperator::LtE:
    return ops::CompareOp::Le;
  case ast::CompareOperator::Gt:
    return ops::CompareOp::Gt;
  case ast::CompareOperator::GtE:
    return ops::CompareOp::Ge;
  default:
    return std::nullopt;
  }
}

/// What a module-level expression over host objects evaluates to.
static Value opaqueResult(Span span) { return Value::opaque(std::string(span.text())); }

static std::nullopt_t reportOperands(Interpreter &interpreter, llvm::StringRef op, const Value &lhs,
                                     const Value &rhs, Span span, Span lhsSpan, Span rhsSpan) {
  interpreter.report(Kind::BadOperands, span, op, lhs.typeName(), rhs.typeName())
      .label(lhsSpan, "{0}", lhs.typeName())
      .label(rhsSpan, "{0}", rhs.typeName());
  return std::nullopt;
}

MaybeValue Interpreter::binary(ast::Operator op, const Value &lhs, const Value &rhs, Span span,
                               Span lhsSpan, Span rhsSpan) {
  if (lhs.is(ValueKind::Instance) || rhs.is(ValueKind::Instance)) {
    if (std::optional<MaybeValue> result = operatorMethod(*this, methodNames(op), lhs, rhs, span))
      return *result;
    return reportOperands(*this, ast::spelling(op), lhs, rhs, span, lhsSpan, rhsSpan);
  }
  if (lhs.isIr() || rhs.isIr()) {
    if (!context) {
      report(Kind::NeedsKernel, span, ast::spelling(op)).end();
      return std::nullopt;
    }
    context->span = span;
    MaybeValue result = ops::binary(*context, toOps(op), lhs, rhs, lhsSpan, rhsSpan);
    if (result)
      ops::assertNoOverflow(*context, *result);
    return result;
  }
  if (lhs.is(ValueKind::Opaque) || rhs.is(ValueKind::Opaque)) {
    if (frame().isModuleScope)
      return opaqueResult(span);
    report(Kind::HostValue, lhs.is(ValueKind::Opaque) ? lhsSpan : rhsSpan,
           (lhs.is(ValueKind::Opaque) ? lhs : rhs).asString())
        .end();
    return std::nullopt;
  }
  if (op == ast::Operator::Mod && lhs.is(ValueKind::String)) {
    bool isTuple = rhs.is(ValueKind::Tuple);
    if (std::optional<std::string> shown =
            formatPercent(lhs.asString(), isTuple ? rhs.items() : llvm::ArrayRef<Value>(rhs)))
      return text(std::move(*shown), span);
  }
  ArithmeticResult result = applyBinary(op, lhs, rhs);
  if (result.value) {
    // constexpr op anything stays a constexpr.
    return lhs.isWrapped() || rhs.isWrapped() ? result.value->asWrapped() : *result.value;
  }
  if (result.error == Kind::BadOperands)
    return reportOperands(*this, ast::spelling(op), lhs, rhs, span, lhsSpan, rhsSpan);
  report(result.error, span).end();
  return std::nullopt;
}

MaybeValue Expressions::evalBinOp(const ast::BinOp &node) {
  MaybeValue lhs = eval(node.left);
  MaybeValue rhs = eval(node.right);
  if (!lhs || !rhs)
    return std::nullopt;
  return binary(node.op, *lhs, *rhs, node.span, node.left->span, node.right->span);
}

MaybeValue Expressions::evalUnaryOp(const ast::UnaryOp &node) {
  MaybeValue operand = eval(node.operand);
  return operand ? unary(node.op, *operand, node.span, node.operand->span) : std::nullopt;
}

MaybeValue Interpreter::unary(ast::UnaryOperator op, const Value &operand, Span span,
                              Span operandSpan) {
  if (operand.isIr()) {
    if (!context) {
      report(Kind::NeedsKernel, span, ast::spelling(op)).end();
      return std::nullopt;
    }
    static constexpr ops::UnaryOp table[] = {ops::UnaryOp::Invert, ops::UnaryOp::Not,
                                             ops::UnaryOp::Pos, ops::UnaryOp::Neg};
    context->span = span;
    return ops::unary(*context, table[unsigned(op)], operand, operandSpan);
  }
  if (operand.is(ValueKind::Instance)) {
    if (std::optional<MaybeValue> result = callOperator(*this, operand, methodName(op), {}, span))
      return *result;
  } else {
    if (operand.is(ValueKind::Opaque) && frame().isModuleScope)
      return opaqueResult(span);
    if (std::optional<Value> result = applyUnary(op, operand))
      return operand.isWrapped() ? result->asWrapped() : *result;
  }
  report(Kind::BadOperand, span, ast::spelling(op), operand.typeName()).end();
  return std::nullopt;
}

static MaybeValue memberTest(Interpreter &interpreter, const Value &item, const Value &container,
                             Span span) {
  if (container.is(ValueKind::String)) {
    if (!item.is(ValueKind::String))
      return reportOperands(interpreter, "in", item, container, span, span, span);
    spend(container.asString().size());
    return Value::boolean(container.asString().contains(item.asString()));
  }
  switch (container.kind()) {
  case ValueKind::Tuple:
  case ValueKind::List:
  case ValueKind::Set:
    return Value::boolean(llvm::is_contained(container.items(), item));
  case ValueKind::Dict:
    return Value::boolean(llvm::any_of(container.dictItems(),
                                       [&](const auto &entry) { return entry.first == item; }));
  default:
    std::optional<std::vector<Value>> items = interpreter.iterate(container, span);
    return items ? MaybeValue(Value::boolean(llvm::is_contained(*items, item))) : std::nullopt;
  }
}

MaybeValue Interpreter::compare(ast::CompareOperator op, const Value &lhs, const Value &rhs,
                                Span span, Span lhsSpan, Span rhsSpan) {
  if (op == ast::CompareOperator::In || op == ast::CompareOperator::NotIn) {
    MaybeValue found = memberTest(*this, lhs, rhs, span);
    if (!found)
      return std::nullopt;
    return Value::boolean(found->asBool() == (op == ast::CompareOperator::In));
  }
  std::optional<ops::CompareOp> emitted = toOps(op);
  if (emitted && (lhs.is(ValueKind::Instance) || rhs.is(ValueKind::Instance))) {
    if (std::optional<MaybeValue> result = operatorMethod(*this, methodNames(op), lhs, rhs, span))
      return *result;
    // Without a method, instances of compile-time code still compare by their fields.
    bool isPlain = lhs.isCompileTime() && rhs.isCompileTime() &&
                   (op == ast::CompareOperator::Eq || op == ast::CompareOperator::NotEq);
    if (!isPlain)
      return reportOperands(*this, ast::spelling(op), lhs, rhs, span, lhsSpan, rhsSpan);
  }
  if (emitted && (lhs.isTensor() || rhs.isTensor())) {
    if (!context) {
      report(Kind::NeedsKernel, span, ast::spelling(op)).end();
      return std::nullopt;
    }
    context->span = span;
    return ops::compare(*context, *emitted, lhs, rhs, lhsSpan, rhsSpan);
  }
  if (emitted && (lhs.is(ValueKind::Opaque) || rhs.is(ValueKind::Opaque)) && frame().isModuleScope)
    return opaqueResult(span);
  if (std::optional<bool> result = applyCompare(op, lhs, rhs)) {
    Value boolean = Value::boolean(*result);
    return lhs.isWrapped() || rhs.isWrapped() ? boolean.asWrapped() : boolean;
  }
  return reportOperands(*this, ast::spelling(op), lhs, rhs, span, lhsSpan, rhsSpan);
}

MaybeValue Expressions::evalCompare(const ast::Compare &node) {
  MaybeValue lhs = eval(node.left);
  if (!lhs)
    return std::nullopt;
  Span lhsSpan = node.left->span;
  if (node.ops.size() > 1)
    return evalChain(node, *lhs);
  const ast::Expr *comparator = node.comparators[0];
  MaybeValue rhs = eval(comparator);
  return rhs ? compare(node.ops[0], *lhs, *rhs, node.span, lhsSpan, comparator->span)
             : std::nullopt;
}

/// `a < b < c`: each operand evaluated once, and not behind a comparison that is known to fail.
MaybeValue Expressions::evalChain(const ast::Compare &node, Value lhs) {
  Span lhsSpan = node.left->span;
  auto next = [&](size_t i) -> Operand {
    const ast::Expr *comparator = node.comparators[i];
    Span span = lhsSpan.to(comparator->span);
    MaybeValue rhs = eval(comparator);
    if (!rhs)
      return {std::nullopt, span};
    MaybeValue result = compare(node.ops[i], lhs, *rhs, span, lhsSpan, comparator->span);
    lhs = *rhs;
    lhsSpan = comparator->span;
    return {std::move(result), span};
  };
  return join(ast::BoolOperator::And, Joins::Chain, node.ops.size(), node.span, next);
}

MaybeValue Expressions::evalBoolOp(const ast::BoolOp &node) {
  auto next = [&](size_t i) -> Operand { return {eval(node.values[i]), node.values[i]->span}; };
  return join(node.op, Joins::Words, node.values.size(), node.span, next);
}

MaybeValue Expressions::logical(ast::BoolOperator op, const Value &lhs, const Value &rhs, Span span,
                                Span lhsSpan, Span rhsSpan) {
  if (!lhs.is(ValueKind::Instance) && !rhs.is(ValueKind::Instance)) {
    context->span = span;
    return ops::logical(*context, op == ast::BoolOperator::And, lhs, rhs, lhsSpan, rhsSpan);
  }
  if (std::optional<MaybeValue> result =
          operatorMethod(interpreter, methodNames(op), lhs, rhs, span))
    return *result;
  return reportOperands(interpreter, ast::spelling(op), lhs, rhs, span, lhsSpan, rhsSpan);
}

MaybeValue Expressions::join(ast::BoolOperator op, Joins what, size_t count, Span whole,
                             llvm::function_ref<Operand(size_t)> next) {
  bool isAnd = op == ast::BoolOperator::And;
  llvm::SmallVector<std::pair<Value, Span>, 4> dynamic;
  MaybeValue last;
  for (size_t i = 0; i < count; ++i) {
    Operand operand = next(i);
    last = std::move(operand.value);
    if (!last)
      return std::nullopt;
    if (inKernel() && (last->isIr() || last->is(ValueKind::Instance))) {
      dynamic.emplace_back(*last, operand.span);
      continue;
    }
    std::optional<bool> holds = truth(*last, operand.span);
    if (!holds)
      return std::nullopt;
    // A compile-time operand decides, or says nothing.
    if (*holds != isAnd)
      return last;
  }
  if (dynamic.empty())
    return last;
  // Combined from the right, every operand evaluated: there is no short circuit on the device.
  auto [result, span] = dynamic.pop_back_val();
  while (!dynamic.empty()) {
    auto [lhs, lhsSpan] = dynamic.pop_back_val();
    bool areBits = what == Joins::Chain && lhs.isTensor() && result.isTensor();
    MaybeValue combined = areBits ? binary(ast::Operator::BitAnd, lhs, result, whole, lhsSpan, span)
                                  : logical(op, lhs, result, whole, lhsSpan, span);
    if (!combined)
      return std::nullopt;
    result = *combined;
    span = lhsSpan.to(span);
  }
  return result;
}

MaybeValue Expressions::evalIfExp(const ast::IfExp &node) {
  MaybeValue condition = eval(node.test);
  if (!condition)
    return std::nullopt;
  if (condition->isTensor() && inKernel())
    return KernelStatements(interpreter).conditional(node, *condition);
  std::optional<bool> holds = truth(*condition, node.test->span);
  if (!holds)
    return std::nullopt;
  return eval(*holds ? node.body : node.orelse);
}

} // namespace gluonc::sema

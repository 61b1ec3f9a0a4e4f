//===- Arithmetic.h - Python's operators on compile-time values -------------===//
//
// Pure: no frames, no reports. A failure names its diagnostic, which the caller
// places. Integers have arbitrary precision, `//` and `%` floor, as in Python.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "sema/Value.h"
#include "syntax/Ast.h"

namespace gluonc::sema {

/// Largest integer that compile-time code may make, in bits.
inline constexpr unsigned maxIntegerBits = 1 << 16;
/// Most items of a sequence, and bytes of a string, made by repetition or concatenation.
inline constexpr int64_t maxSequenceLength = 1 << 24;

struct ArithmeticResult {
  std::optional<Value> value;
  /// BadOperands, CompileTimeDivisionByZero or NumberTooLarge when there is no value.
  diag::Kind error = diag::Kind::BadOperands;

  ArithmeticResult(Value value) : value(std::move(value)) {}
  ArithmeticResult(diag::Kind error) : error(error) {}
};

ArithmeticResult applyBinary(ast::Operator op, const Value &lhs, const Value &rhs);
/// Nullopt for operand types that do not have the operator.
std::optional<Value> applyUnary(ast::UnaryOperator op, const Value &operand);
/// `==`, `!=` of anything; `<` and its relatives of numbers, strings and sequences.
std::optional<bool> applyCompare(ast::CompareOperator op, const Value &lhs, const Value &rhs);
/// Truth as Python has it; nullopt for IR and host objects.
std::optional<bool> truthOf(const Value &value);

} // namespace gluonc::sema

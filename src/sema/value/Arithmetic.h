//===- Arithmetic.h - Python's operators on compile-time values -------------===//
//
// Pure: no frames, no reports. A failure names its diagnostic, which the caller
// places. Integers have arbitrary precision, `//` and `%` floor, as in Python.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "sema/value/Value.h"
#include "syntax/Ast.h"

#include <compare>

namespace gluonc::sema {

/// Largest integer that compile-time code may make, in bits.
inline constexpr unsigned maxIntegerBits = 1 << 16;
/// Most items of a sequence, and bytes of a string, made by repetition or concatenation.
inline constexpr int64_t maxSequenceLength = 1 << 20;

struct ArithmeticResult {
  std::optional<Value> value;
  /// BadOperands, CompileTimeDivisionByZero or NumberTooLarge when there is no value.
  diag::Kind error = diag::Kind::BadOperands;

  ArithmeticResult(Value value) : value(std::move(value)) {}
  ArithmeticResult(diag::Kind error) : error(error) {}
};

/// The items of a Range of integers.
struct RangeBounds {
  int64_t start, step;
  uint64_t count;

  /// Nullopt for bounds that are not integers of 64 bits, and for a step of zero.
  static std::optional<RangeBounds> of(const Value &range);
  int64_t at(uint64_t i) const { return int64_t(uint64_t(start) + i * uint64_t(step)); }
};

/// Of any number; nullopt for integers beyond the range of float64.
std::optional<double> doubleOf(const Value &number);
/// The exact order of two numbers.
std::partial_ordering compareNumbers(const Value &lhs, const Value &rhs);
ArithmeticResult applyBinary(ast::Operator op, const Value &lhs, const Value &rhs);
/// Nullopt for operand types that do not have the operator.
std::optional<Value> applyUnary(ast::UnaryOperator op, const Value &operand);
/// `==`, `!=` of anything; `<` and its relatives of numbers, strings and sequences.
std::optional<bool> applyCompare(ast::CompareOperator op, const Value &lhs, const Value &rhs);
/// Truth as Python has it; nullopt for IR and host objects.
std::optional<bool> truthOf(const Value &value);

} // namespace gluonc::sema

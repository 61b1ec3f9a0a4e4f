#include "sema/value/Arithmetic.h"

#include "sema/eval/Work.h"
#include "sema/value/Numbers.h"

#include <cmath>

namespace gluonc::sema {

using ast::Operator;
using diag::Kind;
using llvm::APInt;

namespace {

bool isInteger(const Value &value) { return value.is(ValueKind::Int) || value.is(ValueKind::Bool); }
bool isSequence(const Value &value) {
  return value.is(ValueKind::Tuple) || value.is(ValueKind::List);
}

int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

/// The common cases without APInt; nullopt where the result may not fit.
std::optional<int64_t> smallBinary(Operator op, int64_t a, int64_t b) {
  int64_t result;
  switch (op) {
  case Operator::Add:
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Operator::Sub:
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Operator::Mult:
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Operator::FloorDiv:
    if (b == 0 || (a == INT64_MIN && b == -1))
      return std::nullopt;
    return floorDiv(a, b);
  case Operator::Mod:
    if (b == 0 || b == -1)
      return b == 0 ? std::nullopt : std::optional<int64_t>(0);
    return a - floorDiv(a, b) * b;
  case Operator::BitAnd:
    return a & b;
  case Operator::BitOr:
    return a | b;
  case Operator::BitXor:
    return a ^ b;
  case Operator::RShift:
    return b < 0 ? std::nullopt : std::optional(a >> std::min<int64_t>(b, 63));
  case Operator::LShift:
    if (b < 0 || b > 62 || (a << b) >> b != a)
      return std::nullopt;
    return a << b;
  default:
    return std::nullopt;
  }
}

/// Square and multiply; the caller has bounded the size of the result.
APInt power(APInt base, uint64_t exponent, unsigned bits) {
  APInt result(bits, 1);
  base = base.sext(bits);
  for (; exponent; exponent >>= 1) {
    spendOnProduct(base, base);
    if (exponent & 1)
      result *= base;
    if (exponent > 1)
      base *= base;
  }
  return result;
}

ArithmeticResult bigPower(const APInt &base, const Value &exponent) {
  std::optional<int64_t> count = exponent.asInt64();
  unsigned bits = base.getSignificantBits();
  if (!count || (bits > 2 && *count > int64_t(maxIntegerBits / (bits - 1))))
    return Kind::NumberTooLarge;
  // -1, 0 and 1 stay small whatever the exponent: keep only its parity.
  uint64_t effective =
      bits <= 1 || base.isOne() ? uint64_t(*count ? 2 - (*count & 1) : 0) : uint64_t(*count);
  if (effective > maxIntegerBits)
    return Kind::NumberTooLarge;
  uint64_t width = bits * std::max<uint64_t>(effective, 1) + 2;
  return Value::integer(power(base, effective, unsigned(width)));
}

ArithmeticResult bigShift(Operator op, const APInt &value, const Value &amount) {
  std::optional<int64_t> count = amount.asInt64();
  if (count && *count < 0)
    return Kind::BadOperands;
  if (op == Operator::RShift) {
    unsigned limit = value.getBitWidth() - 1;
    unsigned by = count && *count < limit ? unsigned(*count) : limit;
    return Value::integer(value.ashr(by));
  }
  if (value.isZero())
    return Value::integer(0);
  if (!count || *count + int64_t(value.getSignificantBits()) > maxIntegerBits)
    return Kind::NumberTooLarge;
  return Value::integer(value.sext(value.getBitWidth() + unsigned(*count)).shl(unsigned(*count)));
}

/// Nullopt stands for an overflow.
ArithmeticResult realResult(std::optional<double> value) {
  if (value)
    return Value::real(*value);
  return Kind::NumberTooLarge;
}

ArithmeticResult mixedBinary(Operator op, const Value &lhs, const Value &rhs);

ArithmeticResult integerBinary(Operator op, const Value &lhs, const Value &rhs) {
  if (lhs.asInt64() && rhs.asInt64())
    if (std::optional<int64_t> result = smallBinary(op, *lhs.asInt64(), *rhs.asInt64()))
      return Value::integer(*result);
  APInt a = lhs.asApInt(), b = rhs.asApInt();
  if (op == Operator::Div)
    return realResult(divide(a, b));
  if (op == Operator::LShift || op == Operator::RShift)
    return bigShift(op, a, rhs);
  if (op == Operator::Pow)
    return b.isNegative() ? mixedBinary(op, lhs, rhs) : bigPower(a, rhs);
  unsigned bits = op == Operator::Mult ? a.getBitWidth() + b.getBitWidth()
                                       : std::max(a.getBitWidth(), b.getBitWidth()) + 1;
  if (bits > maxIntegerBits)
    return Kind::NumberTooLarge;
  if (op == Operator::FloorDiv)
    return Value::integer(floorDivide(a, b).first);
  if (op == Operator::Mod)
    return Value::integer(floorDivide(a, b).second);
  if (op == Operator::Mult)
    spendOnProduct(a, b);
  a = a.sext(bits);
  b = b.sext(bits);
  switch (op) {
  case Operator::Add:
    return Value::integer(a + b);
  case Operator::Sub:
    return Value::integer(a - b);
  case Operator::Mult:
    return Value::integer(a * b);
  case Operator::BitAnd:
    return Value::integer(a & b);
  case Operator::BitOr:
    return Value::integer(a | b);
  case Operator::BitXor:
    return Value::integer(a ^ b);
  default:
    return Kind::BadOperands;
  }
}

/// C's `pow` but for what Python raises exceptions for, or has complex numbers.
ArithmeticResult realPower(double a, double b) {
  if (a == 0 && b < 0 && std::isfinite(b))
    return Kind::CompileTimeDivisionByZero;
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b))
    return Kind::BadOperands;
  double result = std::pow(a, b);
  bool overflows = std::isinf(result) && std::isfinite(a) && std::isfinite(b);
  return overflows ? ArithmeticResult(Kind::NumberTooLarge) : Value::real(result);
}

ArithmeticResult realBinary(Operator op, double a, double b) {
  switch (op) {
  case Operator::Add:
    return Value::real(a + b);
  case Operator::Sub:
    return Value::real(a - b);
  case Operator::Mult:
    return Value::real(a * b);
  case Operator::Pow:
    return realPower(a, b);
  case Operator::Div:
  case Operator::FloorDiv:
  case Operator::Mod:
    if (b == 0)
      return Kind::CompileTimeDivisionByZero;
    return Value::real(op == Operator::Div   ? a / b
                       : op == Operator::Mod ? floorRemainder(a, b)
                                             : floorQuotient(a, b));
  default:
    return Kind::BadOperands;
  }
}

/// An integer beside a float becomes one.
ArithmeticResult mixedBinary(Operator op, const Value &lhs, const Value &rhs) {
  std::optional<double> a = doubleOf(lhs), b = doubleOf(rhs);
  if (!a || !b)
    return Kind::NumberTooLarge;
  return realBinary(op, *a, *b);
}

Value makeLike(const Value &model, std::vector<Value> items) {
  return model.is(ValueKind::List) ? Value::list(std::move(items)) : Value::tuple(std::move(items));
}

ArithmeticResult repeat(const Value &value, const Value &count) {
  int64_t times = std::max<int64_t>(count.asInt64().value_or(INT64_MAX), 0);
  int64_t length = value.is(ValueKind::String) ? value.asString().size() : value.items().size();
  if (length && times > maxSequenceLength / length)
    return Kind::NumberTooLarge;
  if (length == 0)
    times = 0;
  if (value.is(ValueKind::String)) {
    std::string text;
    for (int64_t i = 0; i < times; ++i)
      text += value.asString();
    return Value::string(std::move(text));
  }
  std::vector<Value> items;
  for (int64_t i = 0; i < times; ++i)
    items.insert(items.end(), value.items().begin(), value.items().end());
  return makeLike(value, std::move(items));
}

ArithmeticResult concatenate(const Value &lhs, const Value &rhs) {
  if (lhs.is(ValueKind::String)) {
    if (int64_t(lhs.asString().size() + rhs.asString().size()) > maxSequenceLength)
      return Kind::NumberTooLarge;
    return Value::string((lhs.asString() + rhs.asString()).str());
  }
  if (int64_t(lhs.items().size() + rhs.items().size()) > maxSequenceLength)
    return Kind::NumberTooLarge;
  std::vector<Value> items(lhs.items());
  items.insert(items.end(), rhs.items().begin(), rhs.items().end());
  return makeLike(lhs.kind() == rhs.kind() || lhs.is(ValueKind::List) ? lhs : rhs,
                  std::move(items));
}

/// Whether one is a list and the other stands for one (Value::fixedList).
bool areLists(const Value &lhs, const Value &rhs) {
  auto isList = [](const Value &value) {
    return value.is(ValueKind::List) ||
           (value.is(ValueKind::Tuple) && value == Value::list(value.items()));
  };
  return isSequence(rhs) && lhs.kind() != rhs.kind() && isList(lhs) && isList(rhs);
}

/// `|`, `&`, `-` and `^` of sets.
ArithmeticResult setBinary(Operator op, const Value &lhs, const Value &rhs) {
  std::vector<Value> items;
  auto keep = [&](const Value &from, const Value &other, bool wanted) {
    for (const Value &item : from.items())
      if (!isWorkSpent() && llvm::is_contained(other.items(), item) == wanted)
        items.push_back(item);
  };
  switch (op) {
  case Operator::BitOr:
    items = lhs.items().vec();
    keep(rhs, lhs, false);
    break;
  case Operator::BitAnd:
    keep(lhs, rhs, true);
    break;
  case Operator::Sub:
    keep(lhs, rhs, false);
    break;
  case Operator::BitXor:
    keep(lhs, rhs, false);
    keep(rhs, lhs, false);
    break;
  default:
    return Kind::BadOperands;
  }
  return Value::set(items);
}

bool canRepeat(const Value &value) { return isSequence(value) || value.is(ValueKind::String); }

std::optional<std::partial_ordering> order(const Value &lhs, const Value &rhs);

/// The first items that differ decide, then the lengths.
std::optional<std::partial_ordering> orderItems(llvm::ArrayRef<Value> lhs,
                                                llvm::ArrayRef<Value> rhs) {
  Descent descent;
  if (descent.mustEnd())
    return std::nullopt;
  for (auto [a, b] : llvm::zip(lhs, rhs))
    if (!(a == b))
      return order(a, b);
  return lhs.size() <=> rhs.size();
}

/// The order of two values that have one; nullopt otherwise.
std::optional<std::partial_ordering> order(const Value &lhs, const Value &rhs) {
  spend(visitCost);
  if (lhs.isNumber() && rhs.isNumber())
    return compareNumbers(lhs, rhs);
  // Bytes of UTF-8 are in the order of the code points.
  if (lhs.is(ValueKind::String) && rhs.is(ValueKind::String))
    return lhs.asString().compare(rhs.asString()) <=> 0;
  if (isSequence(lhs) && lhs.kind() == rhs.kind())
    return orderItems(lhs.items(), rhs.items());
  return std::nullopt;
}

} // namespace

std::optional<RangeBounds> RangeBounds::of(const Value &range) {
  std::optional<int64_t> start = range.bounds()[0].asInt64(), stop = range.bounds()[1].asInt64(),
                         step = range.bounds()[2].asInt64();
  if (!start || !stop || !step || *step == 0)
    return std::nullopt;
  bool isUp = *step > 0;
  bool isEmpty = isUp ? *start >= *stop : *start <= *stop;
  uint64_t distance =
      isUp ? uint64_t(*stop) - uint64_t(*start) : uint64_t(*start) - uint64_t(*stop);
  uint64_t stride = isUp ? uint64_t(*step) : -uint64_t(*step);
  return RangeBounds{*start, *step, isEmpty ? 0 : (distance - 1) / stride + 1};
}

std::optional<double> doubleOf(const Value &number) {
  return number.is(ValueKind::Float) ? number.asDouble() : toDouble(number.asApInt());
}

std::partial_ordering compareNumbers(const Value &lhs, const Value &rhs) {
  if (lhs.asInt64() && rhs.asInt64())
    return *lhs.asInt64() <=> *rhs.asInt64();
  if (lhs.is(ValueKind::Float) && rhs.is(ValueKind::Float))
    return lhs.asDouble() <=> rhs.asDouble();
  if (rhs.is(ValueKind::Float))
    return compareExactly(lhs.asApInt(), rhs.asDouble());
  if (lhs.is(ValueKind::Float))
    return 0 <=> compareExactly(rhs.asApInt(), lhs.asDouble());
  unsigned bits = std::max(lhs.asApInt().getBitWidth(), rhs.asApInt().getBitWidth());
  APInt a = lhs.asApInt().sext(bits), b = rhs.asApInt().sext(bits);
  return a.slt(b) ? std::partial_ordering::less
         : a == b ? std::partial_ordering::equivalent
                  : std::partial_ordering::greater;
}

ArithmeticResult applyBinary(Operator op, const Value &lhs, const Value &rhs) {
  if (lhs.is(ValueKind::Set) && rhs.is(ValueKind::Set))
    return setBinary(op, lhs, rhs);
  if (isInteger(lhs) && isInteger(rhs)) {
    // Bools stay bools under the bitwise operators.
    if (lhs.is(ValueKind::Bool) && rhs.is(ValueKind::Bool)) {
      if (op == Operator::BitAnd)
        return Value::boolean(lhs.asBool() && rhs.asBool());
      if (op == Operator::BitOr)
        return Value::boolean(lhs.asBool() || rhs.asBool());
      if (op == Operator::BitXor)
        return Value::boolean(lhs.asBool() != rhs.asBool());
    }
    if ((op == Operator::FloorDiv || op == Operator::Mod || op == Operator::Div) &&
        rhs.asInt64() == 0)
      return Kind::CompileTimeDivisionByZero;
    return integerBinary(op, lhs, rhs);
  }
  if (lhs.isNumber() && rhs.isNumber())
    return mixedBinary(op, lhs, rhs);
  if (op == Operator::Add && canRepeat(lhs) && (lhs.kind() == rhs.kind() || areLists(lhs, rhs)))
    return concatenate(lhs, rhs);
  if (op == Operator::Mult && canRepeat(lhs) && isInteger(rhs))
    return repeat(lhs, rhs);
  if (op == Operator::Mult && canRepeat(rhs) && isInteger(lhs))
    return repeat(rhs, lhs);
  return Kind::BadOperands;
}

std::optional<Value> applyUnary(ast::UnaryOperator op, const Value &operand) {
  switch (op) {
  case ast::UnaryOperator::Not:
    if (std::optional<bool> truth = truthOf(operand))
      return Value::boolean(!*truth);
    return std::nullopt;
  case ast::UnaryOperator::Invert:
    if (!isInteger(operand))
      return std::nullopt;
    return Value::integer(~operand.asApInt());
  case ast::UnaryOperator::UAdd:
    if (!operand.isNumber())
      return std::nullopt;
    return isInteger(operand) ? Value::integer(operand.asApInt()) : operand;
  case ast::UnaryOperator::USub:
    if (operand.is(ValueKind::Float))
      return Value::real(-operand.asDouble());
    if (!isInteger(operand))
      return std::nullopt;
    return Value::integer(-operand.asApInt().sext(operand.asApInt().getBitWidth() + 1));
  }
  return std::nullopt;
}

std::optional<bool> applyCompare(ast::CompareOperator op, const Value &lhs, const Value &rhs) {
  switch (op) {
  case ast::CompareOperator::Eq:
    return lhs == rhs;
  case ast::CompareOperator::NotEq:
    return !(lhs == rhs);
  case ast::CompareOperator::Is:
    return lhs.isSame(rhs);
  case ast::CompareOperator::IsNot:
    return !lhs.isSame(rhs);
  default:
    break;
  }
  std::optional<std::partial_ordering> result = order(lhs, rhs);
  if (!result)
    return std::nullopt;
  switch (op) {
  case ast::CompareOperator::Lt:
    return *result < 0;
  case ast::CompareOperator::LtE:
    return *result <= 0;
  case ast::CompareOperator::Gt:
    return *result > 0;
  case ast::CompareOperator::GtE:
    return *result >= 0;
  default:
    return std::nullopt;
  }
}

std::optional<bool> truthOf(const Value &value) {
  switch (value.kind()) {
  case ValueKind::Absent:
  case ValueKind::None:
    return false;
  case ValueKind::Bool:
    return value.asBool();
  case ValueKind::Int:
    return value.asInt64() != 0;
  case ValueKind::Float:
    return value.asDouble() != 0;
  case ValueKind::String:
    return !value.asString().empty();
  case ValueKind::Tuple:
  case ValueKind::List:
  case ValueKind::Set:
    return !value.items().empty();
  case ValueKind::Dict:
    return !value.dictItems().empty();
  case ValueKind::Range:
    return RangeBounds::of(value).value_or(RangeBounds{0, 1, 1}).count != 0;
  case ValueKind::Opaque:
  case ValueKind::Tensor:
  case ValueKind::MemDesc:
  case ValueKind::Accumulator:
  case ValueKind::FloatPairs:
  case ValueKind::LaunchAnswer:
  case ValueKind::Descriptor:
  case ValueKind::Handle:
    return std::nullopt;
  default:
    return true;
  }
}

} // namespace gluonc::sema

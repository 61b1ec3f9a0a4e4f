// The functions of Python's `math` that compile-time code calls.

#include "sema/names/Language.h"

#include "sema/value/Arithmetic.h"
#include "sema/value/Numbers.h"

#include <cmath>

namespace gluonc::sema {

using diag::Kind;

namespace {

MaybeValue badNumber(Interpreter &interpreter, const IntrinsicCall &call) {
  interpreter
      .report(Kind::BadArgument, call.span,
              ("`math." + call.self.name + "` is not defined for these arguments").str())
      .end();
  return std::nullopt;
}

/// An argument as float64.
std::optional<double> numberOf(const IntrinsicCall &call, size_t i) {
  return call[i].isNumber() ? doubleOf(call[i]) : std::nullopt;
}

/// Python refuses what C calls nan or infinite for ordinary arguments.
MaybeValue checked(Interpreter &interpreter, const IntrinsicCall &call, double result,
                   std::initializer_list<double> arguments) {
  bool hasNan = llvm::any_of(arguments, [](double x) { return std::isnan(x); });
  bool areFinite = llvm::all_of(arguments, [](double x) { return std::isfinite(x); });
  if ((std::isnan(result) && !hasNan) || (std::isinf(result) && areFinite))
    return badNumber(interpreter, call);
  return Value::real(result);
}

template <double (*Function)(double)>
MaybeValue real(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<double> number = numberOf(call, 0);
  return number ? checked(interpreter, call, Function(*number), {*number})
                : badNumber(interpreter, call);
}

template <double (*Function)(double)>
MaybeValue rounded(Interpreter &interpreter, const IntrinsicCall &call) {
  if (call[0].is(ValueKind::Int) || call[0].is(ValueKind::Bool))
    return Value::integer(call[0].asApInt());
  if (!call[0].is(ValueKind::Float) || !std::isfinite(call[0].asDouble()))
    return badNumber(interpreter, call);
  return Value::integer(truncated(Function(call[0].asDouble())));
}

/// Of integers beyond float64, too: log(m * 2^e) = log m + e log 2, with m from a half to one.
template <double (*Function)(double)> double logarithmOf(const Value &value) {
  if (std::optional<double> number = doubleOf(value))
    return *number > 0 ? Function(*number) : NAN;
  llvm::APInt integer = value.asApInt();
  if (integer.isNegative())
    return NAN;
  unsigned bits = integer.getActiveBits();
  double mantissa = *divide(integer, llvm::APInt::getOneBitSet(bits + 2, bits));
  return Function(mantissa) + Function(2.0) * bits;
}

template <double (*Function)(double)>
MaybeValue logarithm(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].isNumber())
    return badNumber(interpreter, call);
  double result = logarithmOf<Function>(call[0]);
  bool isDefined = !std::isnan(result) || std::isnan(call[0].asDouble());
  return isDefined ? MaybeValue(Value::real(result)) : badNumber(interpreter, call);
}

MaybeValue naturalLogarithm(Interpreter &interpreter, const IntrinsicCall &call) {
  MaybeValue result = logarithm<std::log>(interpreter, call);
  if (!result || !call.has(1))
    return result;
  double base = call[1].isNumber() ? logarithmOf<std::log>(call[1]) : NAN;
  if (std::isnan(base) && !std::isnan(call[1].asDouble()))
    return badNumber(interpreter, call);
  return interpreter.binary(ast::Operator::Div, *result, Value::real(base), call.span, call.span,
                            call.arguments.span(1));
}

MaybeValue product(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<Value>> items = interpreter.iterate(call[0], call.span);
  if (!items)
    return std::nullopt;
  Value total = call.has(1) ? call[1] : Value::integer(1);
  for (const Value &item : *items) {
    MaybeValue next =
        interpreter.binary(ast::Operator::Mult, total, item, call.span, call.span, call.span);
    if (!next)
      return std::nullopt;
    total = *next;
  }
  return total;
}

/// The arguments as integers; nullopt after a report.
std::optional<std::vector<llvm::APInt>> integersOf(Interpreter &interpreter,
                                                   const IntrinsicCall &call) {
  std::vector<llvm::APInt> integers;
  for (const Value &item : call[0].items()) {
    if (!item.is(ValueKind::Int) && !item.is(ValueKind::Bool)) {
      badNumber(interpreter, call);
      return std::nullopt;
    }
    integers.push_back(item.asApInt());
  }
  return integers;
}

MaybeValue greatestCommonDivisor(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<llvm::APInt>> integers = integersOf(interpreter, call);
  if (!integers)
    return std::nullopt;
  llvm::APInt result(64, 0);
  for (const llvm::APInt &integer : *integers)
    result = sema::greatestCommonDivisor(result, integer);
  return Value::integer(result);
}

MaybeValue leastCommonMultiple(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<llvm::APInt>> integers = integersOf(interpreter, call);
  if (!integers)
    return std::nullopt;
  Value result = Value::integer(1);
  for (const llvm::APInt &integer : *integers) {
    if (integer.isZero())
      return Value::integer(0);
    llvm::APInt divisor = sema::greatestCommonDivisor(result.asApInt(), integer);
    Value part = Value::integer(floorDivide(integer, divisor).first);
    MaybeValue next =
        interpreter.binary(ast::Operator::Mult, result, part, call.span, call.span, call.span);
    if (!next)
      return std::nullopt;
    result = *next;
  }
  return applyUnary(
      result.asApInt().isNegative() ? ast::UnaryOperator::USub : ast::UnaryOperator::UAdd, result);
}

MaybeValue integerRoot(Interpreter &interpreter, const IntrinsicCall &call) {
  bool isInteger = call[0].is(ValueKind::Int) || call[0].is(ValueKind::Bool);
  if (!isInteger || call[0].asApInt().isNegative())
    return badNumber(interpreter, call);
  return Value::integer(squareRoot(call[0].asApInt()));
}

MaybeValue realPower(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<double> x = numberOf(call, 0), y = numberOf(call, 1);
  return x && y ? checked(interpreter, call, std::pow(*x, *y), {*x, *y})
                : badNumber(interpreter, call);
}

MaybeValue isInfinite(Interpreter &interpreter, const IntrinsicCall &call) {
  return call[0].isNumber() ? MaybeValue(Value::boolean(std::isinf(call[0].asDouble())))
                            : badNumber(interpreter, call);
}
MaybeValue isNotANumber(Interpreter &interpreter, const IntrinsicCall &call) {
  return call[0].isNumber() ? MaybeValue(Value::boolean(std::isnan(call[0].asDouble())))
                            : badNumber(interpreter, call);
}

MaybeValue isClose(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].isNumber() || !call[1].isNumber())
    return badNumber(interpreter, call);
  double a = call[0].asDouble(), b = call[1].asDouble();
  double relative = call.has(2) ? call[2].asDouble() : 1e-9;
  double absolute = call.has(3) ? call[3].asDouble() : 0;
  double largest = std::max(std::fabs(a), std::fabs(b));
  return Value::boolean(a == b || std::fabs(a - b) <= std::max(relative * largest, absolute));
}

const Intrinsic functions[] = {
    {"sqrt", "x", real<std::sqrt>},
    {"exp", "x", real<std::exp>},
    {"exp2", "x", real<std::exp2>},
    {"log", "x, base=", naturalLogarithm},
    {"log2", "x", logarithm<std::log2>},
    {"floor", "x", rounded<std::floor>},
    {"ceil", "x", rounded<std::ceil>},
    {"trunc", "x", rounded<std::trunc>},
    {"prod", "iterable, *, start=", product},
    {"lcm", "*integers", leastCommonMultiple},
    {"isqrt", "n", integerRoot},
    {"fabs", "x", real<std::fabs>},
    {"sin", "x", real<std::sin>},
    {"cos", "x", real<std::cos>},
    {"tanh", "x", real<std::tanh>},
    {"log10", "x", logarithm<std::log10>},
    {"pow", "x, y", realPower},
    {"isinf", "x", isInfinite},
    {"isnan", "x", isNotANumber},
    {"isclose", "a, b, *, rel_tol=, abs_tol=", isClose},
    {"gcd", "*integers", greatestCommonDivisor},
};

} // namespace

const Intrinsic *findMathFunction(llvm::StringRef name) {
  for (const Intrinsic &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

} // namespace gluonc::sema

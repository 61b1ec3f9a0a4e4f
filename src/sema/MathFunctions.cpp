// The functions of Python's `math` that compile-time code calls.

#include "sema/Language.h"

#include "sema/Arithmetic.h"

#include <cmath>
#include <numeric>

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

template <double (*Function)(double)>
MaybeValue real(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].isNumber())
    return badNumber(interpreter, call);
  double result = Function(call[0].asDouble());
  if (std::isnan(result) && !std::isnan(call[0].asDouble()))
    return badNumber(interpreter, call);
  return Value::real(result);
}

template <double (*Function)(double)>
MaybeValue rounded(Interpreter &interpreter, const IntrinsicCall &call) {
  if (call[0].is(ValueKind::Int) || call[0].is(ValueKind::Bool))
    return Value::integer(call[0].asApInt());
  if (!call[0].is(ValueKind::Float) || !(std::fabs(call[0].asDouble()) < 9.2e18))
    return badNumber(interpreter, call);
  return Value::integer(int64_t(Function(call[0].asDouble())));
}

MaybeValue logarithm(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].isNumber() || call[0].asDouble() <= 0 || (call.has(1) && !call[1].isNumber()))
    return badNumber(interpreter, call);
  double result = std::log(call[0].asDouble());
  return Value::real(call.has(1) ? result / std::log(call[1].asDouble()) : result);
}

MaybeValue log2(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].isNumber() || call[0].asDouble() <= 0)
    return badNumber(interpreter, call);
  return Value::real(std::log2(call[0].asDouble()));
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

MaybeValue greatestCommonDivisor(Interpreter &interpreter, const IntrinsicCall &call) {
  int64_t result = 0;
  for (const Value &item : call[0].items()) {
    std::optional<int64_t> number = item.asInt64();
    if (!number || *number == INT64_MIN)
      return badNumber(interpreter, call);
    result = std::gcd(result, *number);
  }
  return Value::integer(result);
}

MaybeValue leastCommonMultiple(Interpreter &interpreter, const IntrinsicCall &call) {
  int64_t result = 1;
  for (const Value &item : call[0].items()) {
    std::optional<int64_t> number = item.asInt64();
    if (!number || *number == INT64_MIN)
      return badNumber(interpreter, call);
    if (*number == 0)
      return Value::integer(0);
    int64_t part = std::abs(*number) / std::gcd(result, *number);
    if (__builtin_mul_overflow(result, part, &result))
      return badNumber(interpreter, call);
  }
  return Value::integer(result);
}

MaybeValue integerRoot(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<int64_t> number = call[0].asInt64();
  if (!number || *number < 0)
    return badNumber(interpreter, call);
  auto root = int64_t(std::sqrt(double(*number)));
  while (__int128(root) * root > *number)
    --root;
  while (__int128(root + 1) * (root + 1) <= *number)
    ++root;
  return Value::integer(root);
}

MaybeValue realPower(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].isNumber() || !call[1].isNumber())
    return badNumber(interpreter, call);
  return Value::real(std::pow(call[0].asDouble(), call[1].asDouble()));
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
    {"log", "x, base=", logarithm},
    {"log2", "x", log2},
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
    {"log10", "x", real<std::log10>},
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

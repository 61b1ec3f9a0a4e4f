//===- Math.cpp - Elementwise functions ---------------------------------------===//
#include "sema/builtins/Emit.h"
#include "sema/builtins/core/Overflow.h"

#include "ir/Dialects.h"

namespace gluonc::sema::ops {

namespace arith = mlir::arith;
namespace math = mlir::math;

// -- Functions of one float ------------------------------------------------------

static std::nullopt_t refuse(Context &context, const Operand &operand, llvm::StringRef name,
                             llvm::StringRef wanted, llvm::StringRef hint = "") {
  diag::Builder builder = context.report(diag::Kind::ArgumentKind, operand.span, name, wanted,
                                         operand.value.typeName());
  if (!hint.empty())
    std::move(builder).hint(hint);
  return std::nullopt;
}

static bool isSingleOrDouble(DType dtype) {
  return dtype == dtypes::float32 || dtype == dtypes::float64;
}

/// exp, log, …: float32 and float64.
template <typename Op> static Result emitMath(Context &context, const BoundArgs &arguments) {
  Operand x = operand(arguments, "x");
  Result value = materialize(context, x);
  if (!value)
    return std::nullopt;
  if (!isSingleOrDouble(value->dtype()))
    return refuse(context, x, "x", "float32 or float64", "cast with `.to(gl.float32)`");
  mlir::Value result = Op::create(context.builder, context.loc(), value->ir());
  return tensor(result, value->dtype());
}

static Result emitSqrtRn(Context &context, const BoundArgs &arguments) {
  Operand x = operand(arguments, "x");
  Result value = materialize(context, x);
  if (!value)
    return std::nullopt;
  if (!isSingleOrDouble(value->dtype()))
    return refuse(context, x, "x", "float32 or float64", "cast with `.to(gl.float32)`");
  return tensor(
      tt::PreciseSqrtOp::create(context.builder, context.loc(), value->irType(), value->ir()),
      value->dtype());
}

/// What `emit` makes of operands of one 8-bit type, by way of float16, which holds all of theirs.
static Result throughHalf(Context &context, llvm::MutableArrayRef<Operand> operands,
                          llvm::function_ref<mlir::Value()> emit) {
  DType dtype = operands.front().value.dtype();
  for (Operand &operand : operands) {
    Result half = castTensor(context, operand.value, dtypes::float16, operand.span);
    if (!half)
      return std::nullopt;
    operand.value = *half;
  }
  return castTensor(context, tensor(emit(), dtypes::float16), dtype, context.span);
}

static Result emitAbs(Context &context, const BoundArgs &arguments) {
  Operand x = operand(arguments, "x");
  Result value = materialize(context, x);
  if (!value)
    return std::nullopt;
  DType dtype = value->dtype();
  if (dtype.isPointer())
    return refuse(context, x, "x", "an integer or a float");
  // The NaN of these has the bits of a negative zero.
  if (dtype == ScalarKind::Float8E4B8 || dtype == ScalarKind::Float8E5B16) {
    Operand half{*value, x.span};
    return throughHalf(context, half, [&] {
      return math::AbsFOp::create(context.builder, context.loc(), half.value.ir()).getResult();
    });
  }
  // Of NaN, too, only the sign goes.
  if (dtype.isFp8()) {
    Value bits = *bitcastTensor(context, *value, dtypes::int8, x.span);
    mlir::Value mask = intConstant(context, bits.irType(), 0x7f);
    bits = tensor(arith::AndIOp::create(context.builder, context.loc(), bits.ir(), mask),
                  dtypes::int8);
    return bitcastTensor(context, bits, dtype, x.span);
  }
  if (dtype.isFloat())
    return tensor(math::AbsFOp::create(context.builder, context.loc(), value->ir()), dtype);
  if (dtype.isSignedInt())
    return tensor(math::AbsIOp::create(context.builder, context.loc(), value->ir()), dtype);
  return value;
}

// -- Arithmetic by name ----------------------------------------------------------

template <BinaryOp op> static Result emitOperator(Context &context, const BoundArgs &arguments) {
  Operand x = operand(arguments, "x"), y = operand(arguments, "y");
  if (x.isNumber() && y.isNumber()) {
    Result value = materialize(context, x);
    if (!value)
      return std::nullopt;
    x.value = *value;
  }
  std::optional<bool> checks = boolArgument(context, arguments, "sanitize_overflow");
  Result result = binary(context, op, x.value, y.value, x.span, y.span);
  if (result && checks.value_or(false))
    assertNoOverflow(context, *result);
  return checks ? result : std::nullopt;
}

/// (x + (d - 1)) // d
static Result emitCdiv(Context &context, const BoundArgs &arguments) {
  Operand x = operand(arguments, "x"), d = operand(arguments, "div");
  if (x.isNumber() && d.isNumber()) {
    Result value = materialize(context, x);
    if (!value)
      return std::nullopt;
    x.value = *value;
  }
  Result less =
      d.value.is(ValueKind::Int)
          ? Result(Value::integer(d.value.asApInt().sext(d.value.asApInt().getBitWidth() + 1) - 1))
          : binary(context, BinaryOp::Sub, d.value, Value::integer(1), d.span, d.span);
  if (!less)
    return std::nullopt;
  Result sum = binary(context, BinaryOp::Add, x.value, *less, x.span, d.span);
  return sum ? binary(context, BinaryOp::FloorDiv, *sum, d.value, x.span, d.span) : std::nullopt;
}

/// Of tensors of one type. Division of 16 bits goes by way of 32.
static Value emitDivision(Context &context, const Value &x, const Value &y, bool isPrecise) {
  DType dtype = x.dtype(), work = dtype.bitWidth() == 16 ? DType(dtypes::float32) : dtype;
  Value wideX = *castTensor(context, x, work, context.span);
  Value wideY = *castTensor(context, y, work, context.span);
  mlir::Type type = wideX.irType();
  mlir::Value quotient =
      isPrecise
          ? tt::PreciseDivFOp::create(context.builder, context.loc(), type, wideX.ir(), wideY.ir())
                .getResult()
          : arith::DivFOp::create(context.builder, context.loc(), wideX.ir(), wideY.ir())
                .getResult();
  return *castTensor(context, tensor(quotient, work), dtype, context.span);
}

/// fdiv, div_rn: two floats of one type; a number takes that of the other side.
static Result divide(Context &context, const BoundArgs &arguments, llvm::StringRef name,
                     bool isPrecise) {
  Operand x = operand(arguments, "x"), y = operand(arguments, "y");
  for (auto [side, parameter] : {std::pair(&x, "x"), std::pair(&y, "y")})
    if (!side->isNumber() && !(side->value.isTensor() && side->dtype().isStandardFloat()))
      return refuse(context, *side, parameter, "a float of at least 16 bits");
  if (!x.isNumber() && !y.isNumber() && x.dtype() != y.dtype()) {
    context
        .report(diag::Kind::BadOperands, context.span, name, x.value.typeName(), y.value.typeName())
        .hint("cast one side with `.to(…)`");
    return std::nullopt;
  }
  Promotion mode = x.isNumber() && y.isNumber() ? Promotion::Division : Promotion::Plain;
  if (!promote(context, name, mode, x, y))
    return std::nullopt;
  return emitDivision(context, x.value, y.value, isPrecise);
}

static Result emitFdiv(Context &context, const BoundArgs &arguments) {
  std::optional<bool> isIeee = boolArgument(context, arguments, "ieee_rounding");
  std::optional<bool> isApproximate = boolArgument(context, arguments, "approx");
  if (!isIeee || !isApproximate)
    return std::nullopt;
  if (*isIeee && *isApproximate) {
    context
        .report(diag::Kind::BadArgument, arguments.span("approx"),
                "a quotient that is approximate has no IEEE rounding")
        .end();
    return std::nullopt;
  }
  Result quotient = divide(context, arguments, "fdiv", *isIeee);
  if (*isApproximate && quotient && quotient->dtype() != dtypes::float32) {
    context.report(diag::Kind::NoArithmetic, context.span, "approx", quotient->dtype())
        .hint("cast with `.to(gl.float32)`");
    return std::nullopt;
  }
  return quotient;
}

static Result emitDivRn(Context &context, const BoundArgs &arguments) {
  for (llvm::StringRef name : {"x", "y"})
    if (Operand given = operand(arguments, name);
        given.value.isTensor() && given.dtype() != dtypes::float32)
      return refuse(context, given, name, "float32");
  return divide(context, arguments, "div_rn", true);
}

/// Comparisons of bfloat16 take place in float32, and stay there.
static void widenBfloat16(Context &context, llvm::MutableArrayRef<Operand> operands) {
  for (Operand &operand : operands)
    if (operand.value.isTensor() && operand.value.dtype() == dtypes::bfloat16)
      operand.value = *castTensor(context, operand.value, dtypes::float32, operand.span);
}

static Result emitUmulhi(Context &context, const BoundArgs &arguments) {
  Operand x = operand(arguments, "x"), y = operand(arguments, "y");
  if (!promote(context, "umulhi", Promotion::Typed, x, y))
    return std::nullopt;
  DType dtype = x.value.dtype();
  if (!dtype.isInt() || dtype.bitWidth() < 32)
    return refuse(context, x, "x", "an integer of 32 or 64 bits");
  return tensor(tt::MulhiUIOp::create(context.builder, context.loc(), x.value.irType(),
                                      x.value.ir(), y.value.ir()),
                dtype);
}

// -- Functions of three ------------------------------------------------------------

/// Three operands as tensors of one type and shape; numbers have the types that they take alone.
static bool promoteThree(Context &context, llvm::StringRef what, Operand (&operands)[3]) {
  Operand &x = operands[0], &y = operands[1], &z = operands[2];
  std::optional<DType> chosen;
  for (auto [lhs, rhs] : {std::pair(&x, &y), std::pair(&x, &z), std::pair(&y, &z)}) {
    std::optional<DType> pair = promotedType(context, what, Promotion::Typed, *lhs, *rhs);
    if (!pair)
      return false;
    bool wins = !chosen || (pair->isFloat() && !chosen->isFloat()) ||
                (pair == dtypes::float16 && chosen == dtypes::bfloat16) ||
                (pair->isFloat() == chosen->isFloat() && pair->bitWidth() > chosen->bitWidth());
    if (wins)
      chosen = pair;
  }
  mlir::Type like;
  for (const Operand &operand : operands)
    if (operand.isBlock())
      like = operand.value.irType();
  for (Operand &operand : operands) {
    Result value = toType(context, operand, *chosen, operand.isNumber() ? like : mlir::Type());
    if (!value)
      return false;
    operand.value = *value;
  }
  return broadcast(context, llvm::MutableArrayRef<Operand>(operands));
}

static Result emitFma(Context &context, const BoundArgs &arguments) {
  Operand operands[3] = {operand(arguments, "x"), operand(arguments, "y"), operand(arguments, "z")};
  if (!promoteThree(context, "fma", operands))
    return std::nullopt;
  auto &[x, y, z] = operands;
  if (!x.value.dtype().isStandardFloat())
    return refuse(context, x, "x", "a float of at least 16 bits");
  return tensor(
      math::FmaOp::create(context.builder, context.loc(), x.value.ir(), y.value.ir(), z.value.ir()),
      x.value.dtype());
}

/// A `propagate_nan` argument: gl.PropagateNan.NONE is 0, ALL is 0xffff.
static std::optional<bool> propagateNanArgument(Context &context, const BoundArgs &arguments) {
  if (!isGiven(arguments["propagate_nan"]))
    return false;
  std::optional<int64_t> value = intArgument(context, arguments, "propagate_nan");
  if (!value)
    return std::nullopt;
  return *value != 0;
}

static Result emitClamp(Context &context, const BoundArgs &arguments) {
  Operand operands[3] = {operand(arguments, "x"), operand(arguments, "min"),
                         operand(arguments, "max")};
  std::optional<bool> propagateNan = propagateNanArgument(context, arguments);
  widenBfloat16(context, operands);
  if (!propagateNan || !promoteThree(context, "clamp", operands))
    return std::nullopt;
  DType dtype = operands[0].value.dtype();
  if (!dtype.isStandardFloat())
    return refuse(context, operands[0], "x", "a float of at least 16 bits",
                  "integers take `gl.minimum` and `gl.maximum`");
  auto &[x, low, high] = operands;
  return tensor(
      tt::ClampFOp::create(context.builder, context.loc(), x.value.irType(), x.value.ir(),
                           low.value.ir(), high.value.ir(),
                           *propagateNan ? tt::PropagateNan::ALL : tt::PropagateNan::NONE),
      dtype);
}

// -- Minimum, maximum, where -------------------------------------------------------

mlir::Value extremum(Context &context, Extremum kind, mlir::Value lhs, mlir::Value rhs, DType dtype,
                     bool propagateNan) {
  mlir::OpBuilder &builder = context.builder;
  mlir::Location loc = context.loc();
  bool isMax = kind == Extremum::Max;
  if (dtype.isFloat() && propagateNan)
    return isMax ? builder.createOrFold<arith::MaximumFOp>(loc, lhs, rhs)
                 : builder.createOrFold<arith::MinimumFOp>(loc, lhs, rhs);
  if (dtype.isFloat())
    return isMax ? builder.createOrFold<arith::MaxNumFOp>(loc, lhs, rhs)
                 : builder.createOrFold<arith::MinNumFOp>(loc, lhs, rhs);
  if (dtype.isSignedInt())
    return isMax ? builder.createOrFold<arith::MaxSIOp>(loc, lhs, rhs)
                 : builder.createOrFold<arith::MinSIOp>(loc, lhs, rhs);
  return isMax ? builder.createOrFold<arith::MaxUIOp>(loc, lhs, rhs)
               : builder.createOrFold<arith::MinUIOp>(loc, lhs, rhs);
}

template <Extremum kind> static Result emitExtremum(Context &context, const BoundArgs &arguments) {
  Operand operands[2] = {operand(arguments, "x"), operand(arguments, "y")};
  std::optional<bool> propagateNan = propagateNanArgument(context, arguments);
  llvm::StringRef name = kind == Extremum::Max ? "maximum" : "minimum";
  widenBfloat16(context, operands);
  auto &[x, y] = operands;
  if (!propagateNan || !promote(context, name, Promotion::Typed, x, y))
    return std::nullopt;
  DType dtype = x.value.dtype();
  auto emit = [&] {
    return extremum(context, kind, x.value.ir(), y.value.ir(), x.value.dtype(), *propagateNan);
  };
  return dtype.isFp8() ? throughHalf(context, operands, emit) : tensor(emit(), dtype);
}

/// Two values of `where` as tensors of one type; pointers are fine when both are the same.
static bool unifySides(Context &context, Operand &lhs, Operand &rhs) {
  auto isPointer = [](const Operand &side) {
    return side.value.isTensor() && side.value.dtype().isPointer();
  };
  if (!isPointer(lhs) && !isPointer(rhs))
    return promote(context, "where", Promotion::Plain, lhs, rhs);
  if (lhs.value.isTensor() && rhs.value.isTensor() && lhs.value.dtype() == rhs.value.dtype())
    return broadcast(context, lhs, rhs);
  context
      .report(diag::Kind::BadOperands, context.span, "where", lhs.value.typeName(),
              rhs.value.typeName())
      .end();
  return false;
}

Result select(Context &context, const Operand &conditionValue, const Operand &lhsValue,
              const Operand &rhsValue) {
  Operand condition = conditionValue, lhs = lhsValue, rhs = rhsValue;
  Result decision = materialize(context, condition);
  if (!decision)
    return std::nullopt;
  decision = castTensor(context, *decision, dtypes::int1, condition.span);
  if (!decision || !unifySides(context, lhs, rhs))
    return std::nullopt;
  condition.value = *decision;
  Operand operands[] = {condition, lhs, rhs};
  if (!broadcast(context, llvm::MutableArrayRef<Operand>(operands)))
    return std::nullopt;
  return tensor(context.builder.createOrFold<arith::SelectOp>(context.loc(), operands[0].value.ir(),
                                                              operands[1].value.ir(),
                                                              operands[2].value.ir()),
                lhs.value.dtype());
}

static Result emitWhere(Context &context, const BoundArgs &arguments) {
  Operand condition = operand(arguments, "condition");
  if (context.isTriton() && condition.value.isTensor() && !condition.dtype().isBool())
    context.report(diag::Kind::ConditionNotBoolean, condition.span, condition.dtype()).end();
  return select(context, condition, operand(arguments, "x"), operand(arguments, "y"));
}

llvm::ArrayRef<Builtin> mathBuiltins() {
  static const Builtin table[] = {
      {"exp", "x: tensor", emitMath<math::ExpOp>, asMethod, R"(
e to the power of x.

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.exp(x)
)"},
      {"exp2", "x: tensor", emitMath<math::Exp2Op>, asMethod, R"(
2 to the power of x.

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.exp2(x)
)"},
      {"log", "x: tensor", emitMath<math::LogOp>, asMethod, R"(
The natural logarithm of x.

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.log(x)
)"},
      {"log2", "x: tensor", emitMath<math::Log2Op>, asMethod, R"(
The logarithm of x to base 2.

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.log2(x)
)"},
      {"cos", "x: tensor", emitMath<math::CosOp>, asMethod, R"(
The cosine of x, in radians.

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.cos(x)
)"},
      {"sin", "x: tensor", emitMath<math::SinOp>, asMethod, R"(
The sine of x, in radians.

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.sin(x)
)"},
      {"sqrt", "x: tensor", emitMath<math::SqrtOp>, asMethod, R"(
The square root of x.

Approximate in float32; `sqrt_rn` rounds correctly.

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.sqrt(x)
)"},
      {"rsqrt", "x: tensor", emitMath<math::RsqrtOp>, asMethod, R"(
1 / sqrt(x).

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.rsqrt(x)
)"},
      {"erf", "x: tensor", emitMath<math::ErfOp>, asMethod, R"(
The error function of x.

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.erf(x)
)"},
      {"floor", "x: tensor", emitMath<math::FloorOp>, asMethod, R"(
The largest whole number that is not above x.

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.floor(x)
)"},
      {"ceil", "x: tensor", emitMath<math::CeilOp>, asMethod, R"(
The smallest whole number that is not below x.

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.ceil(x)
)"},
      {"sqrt_rn", "x: tensor", emitSqrtRn, asMethod, R"(
The square root of x, rounded to the nearest float.

Gives: the type of `x`, float32 or float64, element by element.
Errors: other element types: cast first.

    z = gl.sqrt_rn(x)
)"},
      {"abs", "x: tensor", emitAbs, asMethod, R"(
The absolute value.

Gives: the type of `x`, element by element. The smallest integer of a type stays what it is.
Errors: pointers.

    z = gl.abs(x)
)"},
      {"add", "x: tensor, y: tensor, sanitize_overflow: bool = True", emitOperator<BinaryOp::Add>,
       asFunction, R"(
The sum x + y.

What the operator gives; the operands are brought to one type and shape. In debug builds
signed integers of up to 32 bits must not overflow, unless `sanitize_overflow` is False.

Gives: the common type, element by element. Integers wrap.
Errors: operands whose types, shapes or layouts do not go together.

    z = gl.add(x, y)
)"},
      {"sub", "x: tensor, y: tensor, sanitize_overflow: bool = True", emitOperator<BinaryOp::Sub>,
       asFunction, R"(
The difference x - y.

What the operator gives; the operands are brought to one type and shape. In debug builds
signed integers of up to 32 bits must not overflow, unless `sanitize_overflow` is False.

Gives: the common type, element by element. Integers wrap.
Errors: operands whose types, shapes or layouts do not go together.

    z = gl.sub(x, y)
)"},
      {"mul", "x: tensor, y: tensor, sanitize_overflow: bool = True", emitOperator<BinaryOp::Mul>,
       asFunction, R"(
The product x * y.

What the operator gives; the operands are brought to one type and shape. In debug builds
signed integers of up to 32 bits must not overflow, unless `sanitize_overflow` is False.

Gives: the common type, element by element. Integers wrap.
Errors: operands whose types, shapes or layouts do not go together.

    z = gl.mul(x, y)
)"},
      {"cdiv", "x: tensor, div: tensor", emitCdiv, asMethod, R"(
The quotient of integers, rounded up.

Numbers give a number at compile time.

Gives: the common integer type of both sides.
Errors: floats; operands whose types, shapes or layouts do not go together.

    blocks = gl.cdiv(n, 128)
)"},
      {"fdiv", "x: tensor, y: tensor, ieee_rounding: bool = False, approx: bool = False", emitFdiv,
       asFunction, R"(
The quotient of floats, approximate in float32 unless `ieee_rounding` is asked for.

`approx`, of float32 only, promises no more than that: 2 ulp, for denominators from 2^-126 to 2^126.

Gives: the common float type, element by element.
Errors: integers, floats of 8 bits, two different types.

    z = gl.fdiv(x, y)
)"},
      {"div_rn", "x: tensor, y: tensor", emitDivRn, asFunction, R"(
The quotient of float32, rounded to the nearest float.

Gives: float32, element by element.
Errors: tensors of other types; shapes or layouts that do not go together.

    z = gl.div_rn(x, y)
)"},
      {"umulhi", "x: tensor, y: tensor", emitUmulhi, asFunction, R"(
The upper half of the product of unsigned integers.

Gives: the common type of 32 or 64 bits, element by element.
Errors: floats; integers of other widths.

    high = gl.umulhi(i, i)
)"},
      {"fma", "x: tensor, y: tensor, z: tensor", emitFma, asFunction, R"(
x * y + z with one rounding.

Gives: the common float type, element by element.
Errors: integers; operands whose types, shapes or layouts do not go together.

    z = gl.fma(x, y, 1.0)
)"},
      {"clamp", "x: tensor, min: tensor, max: tensor, propagate_nan: value = PropagateNan.NONE",
       emitClamp, asFunction, R"(
x, but no less than `min` and no more than `max`.

With `propagate_nan=gl.PropagateNan.ALL` a NaN stays one; otherwise it gives way to the bounds.

Gives: the common float type, element by element.
Errors: integers; operands whose types, shapes or layouts do not go together.

    z = gl.clamp(x, 0.0, 1.0)
)"},
      {"minimum", "x: tensor, y: tensor, propagate_nan: value = PropagateNan.NONE",
       emitExtremum<Extremum::Min>, asFunction, R"(
The smaller of two elements.

With `propagate_nan=gl.PropagateNan.ALL` a NaN wins; otherwise the other side does.

Gives: the common type, element by element.
Errors: operands whose types, shapes or layouts do not go together.

    z = gl.minimum(x, y)
)"},
      {"maximum", "x: tensor, y: tensor, propagate_nan: value = PropagateNan.NONE",
       emitExtremum<Extremum::Max>, asFunction, R"(
The larger of two elements.

With `propagate_nan=gl.PropagateNan.ALL` a NaN wins; otherwise the other side does.

Gives: the common type, element by element.
Errors: operands whose types, shapes or layouts do not go together.

    z = gl.maximum(x, 0.0)
)"},
      {"where", "condition: tensor, x: tensor, y: tensor", emitWhere, asFunction, R"(
x where the condition holds, y elsewhere.

Both sides are computed. All three are broadcast to one shape.

Gives: the common type of `x` and `y`, element by element.
Errors: operands whose types, shapes or layouts do not go together.

    z = gl.where(x > 0.0, x, 0.0)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

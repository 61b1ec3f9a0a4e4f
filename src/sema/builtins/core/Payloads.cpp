//===- Payloads.cpp - fpsan.embed, fpsan.unembed -----------------------------------===//
//
// The map between floats and their payloads as arithmetic of integers
// (numeric/FloatPayload.h), so it is the same under the sanitizer and without it, on every
// target.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/core/Payloads.h"

#include "sema/builtins/Emit.h"

#include "numeric/FloatPayload.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::sema::ops {

namespace {

using Constants = numeric::FloatPayload::Constants;
namespace arith = mlir::arith;

DType integerOf(DType dtype) {
  switch (dtype.bitWidth()) {
  case 8:
    return dtypes::int8;
  case 16:
    return dtypes::int16;
  case 32:
    return dtypes::int32;
  default:
    return dtypes::int64;
  }
}

/// The encoding of 1 is the map's parameter; nothing for what has no payloads.
std::optional<Constants> constantsOf(DType dtype) {
  const uint64_t one = dtype.isPointer() ? 0
                                         : llvm::StringSwitch<uint64_t>(dtype.name())
                                               .Case("fp16", 0x3c00)
                                               .Case("bf16", 0x3f80)
                                               .Case("fp32", 0x3f800000)
                                               .Case("fp64", 0x3ff0000000000000)
                                               .Case("fp8e4nv", 0x38)
                                               .Case("fp8e5", 0x3c)
                                               .Cases({"fp8e4b8", "fp8e5b16"}, 0x40)
                                               .Default(0);
  if (!one)
    return std::nullopt;
  return numeric::FloatPayload(dtype.bitWidth(), one).constants();
}

/// Integers of one type.
class Integers {
public:
  Integers(Context &context, mlir::Type type) : context(context), type(type) {}

  mlir::Value masked(mlir::Value x, uint64_t mask) { return make<arith::AndIOp>(x, number(mask)); }
  mlir::Value times(mlir::Value x, uint64_t factor) {
    return make<arith::MulIOp>(x, number(factor));
  }
  mlir::Value xorShifted(mlir::Value x, unsigned distance) {
    return make<arith::XOrIOp>(x, make<arith::ShRUIOp>(x, number(distance)));
  }
  mlir::Value exclusive(mlir::Value x, mlir::Value y) { return make<arith::XOrIOp>(x, y); }
  mlir::Value either(mlir::Value x, mlir::Value y) { return make<arith::OrIOp>(x, y); }
  /// -x where `sign` is not 0, in the bits of `mask`.
  mlir::Value withSign(mlir::Value x, mlir::Value sign, uint64_t mask) {
    mlir::Value isNegative = context.builder.createOrFold<arith::CmpIOp>(
        context.loc(), arith::CmpIPredicate::ne, sign, number(0));
    mlir::Value negative = make<arith::SubIOp>(number(0), x);
    return masked(
        context.builder.createOrFold<arith::SelectOp>(context.loc(), isNegative, negative, x),
        mask);
  }

private:
  mlir::Value number(uint64_t value) {
    return intConstant(context, type, static_cast<int64_t>(value));
  }
  template <typename Op> mlir::Value make(mlir::Value x, mlir::Value y) {
    return context.builder.createOrFold<Op>(context.loc(), x, y);
  }

  Context &context;
  mlir::Type type;
};

Result refuse(Context &context, const BoundArgs &arguments, llvm::StringRef name,
              llvm::StringRef wanted, DType found) {
  context.report(diag::Kind::ArgumentKind, arguments.span(name), name, wanted, found.name()).end();
  return std::nullopt;
}

Result emitEmbed(Context &context, const BoundArgs &arguments) {
  const Operand input = operand(arguments, "input");
  Result value = materialize(context, input);
  if (!value)
    return std::nullopt;
  const std::optional<Constants> constants = constantsOf(value->dtype());
  if (!constants)
    return refuse(context, arguments, "input", "floats of 8 bits or more", value->dtype());
  const DType dtype = integerOf(value->dtype());
  Result bits = bitcastTensor(context, *value, dtype, input.span);
  if (!bits)
    return std::nullopt;
  Integers integers(context, bits->irType());
  const auto &[magnitude, first, second, firstInverse, secondInverse, shift] = *constants;
  mlir::Value low = integers.masked(bits->ir(), magnitude);
  mlir::Value sign = integers.exclusive(bits->ir(), low);
  mlir::Value mixed =
      integers.xorShifted(integers.masked(integers.times(low, first), magnitude), shift);
  mlir::Value payload = integers.withSign(integers.times(mixed, second), sign, magnitude);
  return tensor(integers.either(payload, sign), dtype);
}

Result emitUnembed(Context &context, const BoundArgs &arguments) {
  const Operand input = operand(arguments, "input");
  std::optional<DType> dtype = dtypeArgument(context, arguments, "dtype");
  Result value = dtype ? materialize(context, input) : std::nullopt;
  if (!value)
    return std::nullopt;
  const std::optional<Constants> constants = constantsOf(*dtype);
  if (!constants)
    return refuse(context, arguments, "dtype", "a float of 8 bits or more", *dtype);
  if (!value->dtype().isInt() || value->dtype().bitWidth() != dtype->bitWidth())
    return refuse(context, arguments, "input", "integers as wide as the float", value->dtype());
  Integers integers(context, value->irType());
  const auto &[magnitude, first, second, firstInverse, secondInverse, shift] = *constants;
  mlir::Value low = integers.masked(value->ir(), magnitude);
  mlir::Value sign = integers.exclusive(value->ir(), low);
  mlir::Value mixed = integers.withSign(integers.times(low, secondInverse), sign, magnitude);
  for (unsigned distance = shift; distance < dtype->bitWidth(); distance *= 2)
    mixed = integers.xorShifted(mixed, distance);
  mlir::Value encoding = integers.masked(integers.times(mixed, firstInverse), magnitude);
  return bitcastTensor(context, tensor(integers.either(encoding, sign), value->dtype()), *dtype,
                       input.span);
}

} // namespace

llvm::ArrayRef<Builtin> payloadBuiltins() {
  static const Builtin table[] = {
      {"fpsan.embed", "input: tensor", emitEmbed, asFunction, R"(
The payloads of floats: what the sanitizer `fpsan` computes with, as integers.

0, 1 and -1 are those of the integers. Under the sanitizer, sums and products of floats have the
sums and products of payloads; without it, this is a map of bits and nothing else.

Gives: integers of the same width and shape.
Errors: what are no floats of 8 bits or more.

    x = gl.load(p + offsets)
    payload = gl.fpsan.embed(x)
)"},
      {"fpsan.unembed", "input: tensor, dtype: dtype", emitUnembed, asFunction, R"(
The floats whose payloads these are: `embed` backwards.

Gives: floats of that dtype and the same shape.
Errors: a dtype that is no float of 8 bits or more; integers of another width.

    x = gl.load(p + offsets)
    y = gl.fpsan.unembed(2 * gl.fpsan.embed(x), gl.float32)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

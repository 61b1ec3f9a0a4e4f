//===- FloatPairs.cpp - Two float32 in an int64 --------------------------------===//
//
// The module `float2`: a tensor of int64 whose elements are two float32 each, with
// arithmetic on both at once. Blackwell has instructions for that.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"

namespace gluonc::sema::ops {

namespace arith = mlir::arith;

static std::nullopt_t refuse(Context &context, diag::Span span, llvm::StringRef name,
                             llvm::StringRef expected, const Value &got) {
  context.report(diag::Kind::ArgumentKind, span, name, expected, got.typeName()).end();
  return std::nullopt;
}

static bool pairsArgument(Context &context, const BoundArgs &arguments, llvm::StringRef name) {
  if (arguments[name].is(ValueKind::FloatPairs))
    return true;
  refuse(context, arguments.span(name), name, "a Float2Tensor", arguments[name]);
  return false;
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

static mlir::Value elementwise(Context &context, llvm::StringRef text, llvm::StringRef registers,
                               llvm::ArrayRef<mlir::Value> operands) {
  return tt::ElementwiseInlineAsmOp::create(context.builder, context.loc(),
                                            mlir::TypeRange(operands[0].getType()), text, registers,
                                            /*pure=*/true, /*packed_element=*/uint32_t(1), operands)
      ->getResult(0);
}

/// One of the instructions with two operands, "add.rn.f32x2".
static mlir::Value combine(Context &context, const llvm::Twine &instruction, mlir::Value lhs,
                           mlir::Value rhs) {
  return elementwise(context, (instruction + " $0, $1, $2;").str(), "=l,l,l", {lhs, rhs});
}

/// The low half of each element is of `low`.
static Value pairs(Context &context, mlir::Value low, mlir::Value high) {
  mlir::OpBuilder &builder = context.builder;
  const mlir::Location loc = context.loc();
  const mlir::Type words = typeWithElement(low.getType(), builder.getI32Type());
  const mlir::Type both = typeWithElement(low.getType(), builder.getI64Type());
  auto widen = [&](mlir::Value half) -> mlir::Value {
    return arith::ExtUIOp::create(builder, loc, both,
                                  tt::BitcastOp::create(builder, loc, words, half).getResult());
  };
  mlir::Value shifted =
      arith::ShLIOp::create(builder, loc, widen(high), intConstant(context, both, 32));
  return Value::floatPairs(arith::OrIOp::create(builder, loc, shifted, widen(low)));
}

/// The low or the high half of each element.
static Value half(Context &context, const Value &packed, bool isHigh) {
  mlir::OpBuilder &builder = context.builder;
  const mlir::Location loc = context.loc();
  const mlir::Type words = typeWithElement(packed.irType(), builder.getI32Type());
  mlir::Value bits = packed.ir();
  if (isHigh)
    bits = arith::ShRUIOp::create(builder, loc, bits, intConstant(context, bits.getType(), 32));
  bits = arith::TruncIOp::create(builder, loc, words, bits);
  const mlir::Type floats = typeWithElement(words, builder.getF32Type());
  return tensor(tt::BitcastOp::create(builder, loc, floats, bits), dtypes::float32);
}

static Result emitPack2(Context &context, const BoundArgs &arguments) {
  Operand low = operand(arguments, "x0"), high = operand(arguments, "x1");
  for (llvm::StringRef name : {"x0", "x1"})
    if (!arguments[name].isTensor() || arguments[name].dtype() != dtypes::float32)
      return refuse(context, arguments.span(name), name, "a tensor of float32", arguments[name]);
  if (!broadcast(context, low, high))
    return std::nullopt;
  return pairs(context, low.value.ir(), high.value.ir());
}

static Result emitUnpack2(Context &context, const BoundArgs &arguments) {
  if (!pairsArgument(context, arguments, "x"))
    return std::nullopt;
  const Value &packed = arguments["x"];
  return Value::tuple({half(context, packed, false), half(context, packed, true)});
}

/// Calls a function of the language.
static Result call(Context &context, llvm::StringRef name, llvm::ArrayRef<Value> values) {
  const Builtin *builtin = findBuiltin(name);
  llvm::SmallVector<Value> all(values);
  all.resize(builtin->signature.count());
  llvm::SmallVector<diag::Span> spans(all.size(), context.span);
  return emitCall(context, *builtin, all, spans);
}

/// `from`, then what is between, then `to`, as a tuple.
static Value dimsMoved(size_t rank, size_t from, size_t to) {
  std::vector<Value> dims;
  for (size_t dim = 0; dim < rank; ++dim)
    if (dim != from)
      dims.push_back(Value::integer(int64_t(dim)));
  dims.insert(dims.begin() + ptrdiff_t(to), Value::integer(int64_t(from)));
  return Value::tuple(std::move(dims));
}

static Result emitPack(Context &context, const BoundArgs &arguments) {
  const Value &block = arguments["x"];
  if (!block.isTensor() || !block.isBlock() || block.dtype() != dtypes::float32)
    return refuse(context, arguments.span("x"), "x", "a block of float32", block);
  std::optional<unsigned> axis = axisArgument(context, arguments, block.shape().size());
  if (!axis)
    return std::nullopt;
  llvm::SmallVector<int64_t> shape(block.shape());
  if (shape[*axis] < 2)
    return refuse(context, arguments.span("x"), "x",
                  "a block with two elements or more along the axis", block);
  shape[*axis] /= 2;
  shape.insert(shape.begin() + *axis + 1, 2);
  Result split = reshape(context, operand(arguments, "x"), shape, context.span);
  if (split)
    split =
        call(context, "permute", {*split, dimsMoved(shape.size(), *axis + 1, shape.size() - 1)});
  if (split)
    split = call(context, "split", {*split});
  if (!split)
    return std::nullopt;
  return pairs(context, split->items()[0].ir(), split->items()[1].ir());
}

static Result emitUnpack(Context &context, const BoundArgs &arguments) {
  if (!pairsArgument(context, arguments, "x"))
    return std::nullopt;
  const Value &packed = arguments["x"];
  llvm::SmallVector<int64_t> shape(packed.shape());
  std::optional<unsigned> axis = axisArgument(context, arguments, shape.size());
  if (!axis)
    return std::nullopt;
  shape[*axis] *= 2;
  Result joined =
      call(context, "join", {half(context, packed, false), half(context, packed, true)});
  if (joined)
    joined =
        call(context, "permute", {*joined, dimsMoved(shape.size() + 1, shape.size(), *axis + 1)});
  return joined ? reshape(context, {*joined, context.span}, shape, context.span) : std::nullopt;
}

static Result emitConstructor(Context &context, const BoundArgs &arguments) {
  const Value &value = arguments["value"];
  if (!value.isTensor() || value.dtype() != dtypes::int64)
    return refuse(context, arguments.span("value"), "value", "a tensor of int64", value);
  return Value::floatPairs(value.ir());
}

static Result emitFullLike(Context &context, const BoundArgs &arguments) {
  if (!pairsArgument(context, arguments, "x"))
    return std::nullopt;
  Operand fill = operand(arguments, "fill_value");
  const bool fits = fill.isNumber() || (fill.value.isTensor() && !fill.value.isBlock() &&
                                        fill.value.dtype() == dtypes::float32);
  if (!fits)
    return refuse(context, fill.span, "fill_value", "a number or a float32 scalar", fill.value);
  const mlir::Type type = arguments["x"].irType();
  const mlir::Type floats = typeWithElement(type, context.builder.getF32Type());
  Result value = toType(context, fill, dtypes::float32, floats);
  if (!value)
    return std::nullopt;
  if (auto block = mlir::dyn_cast<mlir::RankedTensorType>(floats); block && !value->isBlock())
    value = splat(context, *value, block);
  return pairs(context, value->ir(), value->ir());
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Whether two tensors of pairs have one type; reports otherwise.
static bool agree(Context &context, const Value &a, const Value &b) {
  if (a.irType() == b.irType())
    return true;
  context.report(diag::Kind::TensorsDiffer, context.span, a.typeName(), b.typeName()).end();
  return false;
}

Result floatPairsArithmetic(Context &context, BinaryOp op, const Value &lhs, const Value &rhs) {
  const llvm::StringRef name = op == BinaryOp::Add   ? "add"
                               : op == BinaryOp::Sub ? "sub"
                               : op == BinaryOp::Mul ? "mul"
                                                     : "";
  if (name.empty() || !lhs.is(ValueKind::FloatPairs) || !rhs.is(ValueKind::FloatPairs)) {
    context
        .report(diag::Kind::BadOperands, context.span,
                name.empty() ? llvm::StringRef("this operator") : name, lhs.typeName(),
                rhs.typeName())
        .hint("Float2Tensors are added, subtracted and multiplied with each other");
    return std::nullopt;
  }
  if (!agree(context, lhs, rhs))
    return std::nullopt;
  return Value::floatPairs(combine(context, name + ".rn.f32x2", lhs.ir(), rhs.ir()));
}

static Result emitFma(Context &context, const BoundArgs &arguments) {
  for (llvm::StringRef name : {"a", "b", "c"})
    if (!pairsArgument(context, arguments, name))
      return std::nullopt;
  const Value &a = arguments["a"], &b = arguments["b"], &c = arguments["c"];
  if (!agree(context, a, b) || !agree(context, a, c))
    return std::nullopt;
  return Value::floatPairs(
      elementwise(context, "fma.rn.f32x2 $0, $1, $2, $3;", "=l,l,l,l", {a.ir(), b.ir(), c.ir()}));
}

static Result emitSum(Context &context, const BoundArgs &arguments) {
  const Value &packed = arguments["x"];
  if (!mlir::isa<mlir::RankedTensorType>(packed.irType()))
    return refuse(context, context.span, "x", "a Float2Tensor with a shape", packed);
  const size_t rank = packed.shape().size();
  std::optional<unsigned> axis = axisArgument(context, arguments, rank);
  if (!axis)
    return std::nullopt;
  const Value block = tensor(packed.ir(), dtypes::int64);
  const Value sum = reduce(context, block, *axis, [&](mlir::Value lhs, mlir::Value rhs) {
    return combine(context, "add.rn.f32x2", lhs, rhs);
  });
  return Value::floatPairs(sum.ir());
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// Modules of later chips have add2 and its like alone.
static constexpr Traits onBlackwell = {.isInherited = false,
                                       .needs = target::Feature::PackedArithmetic};

llvm::ArrayRef<Builtin> floatPairBuiltins() {
  static const Builtin table[] = {
      {"nvidia.blackwell.float2.pack", "x: block, axis: int", emitPack, onBlackwell, R"(
Puts each two neighbours along an axis together, for arithmetic on both at once.

No data moves where a thread holds both.

Gives: a Float2Tensor, half as long along the axis; `.value` is its tensor of int64.
Errors: other types than float32; one element along the axis.

    # cuda:100a
    z = blackwell.float2.pack(tile, axis=1)
)"},
      {"nvidia.blackwell.float2.unpack", "x: value, axis: int", emitUnpack, onBlackwell, R"(
Takes a Float2Tensor apart: undoes `pack`.

Gives: a block of float32, twice as long along the axis.
Errors: what is no Float2Tensor.

    # cuda:100a
    z = blackwell.float2.unpack(blackwell.float2.pack(tile, axis=1), axis=1)
)"},
      {"nvidia.blackwell.float2.pack2", "x0: tensor, x1: tensor", emitPack2, onBlackwell, R"(
Puts two tensors together, element by element.

Gives: a Float2Tensor; `.value` is its tensor of int64, whose low halves are of `x0`.
Errors: other types than float32.

    # cuda:100a
    z = blackwell.float2.pack2(tile, tile)
)"},
      {"nvidia.blackwell.float2.unpack2", "x: value", emitUnpack2, onBlackwell, R"(
Takes a Float2Tensor apart: undoes `pack2`.

Gives: a tuple of two tensors of float32.
Errors: what is no Float2Tensor.

    # cuda:100a
    low, high = blackwell.float2.unpack2(blackwell.float2.pack2(tile, tile))
)"},
      {"nvidia.blackwell.float2.full_like", "x: value, fill_value: scalar", emitFullLike,
       onBlackwell, R"(
A Float2Tensor like another, with one number everywhere.

Gives: a Float2Tensor of the same shape and layout.
Errors: what is no Float2Tensor; a number that is no float32.

    # cuda:100a
    z = blackwell.float2.full_like(blackwell.float2.pack(tile, axis=1), 2.0)
)"},
      {"nvidia.blackwell.float2.fma", "a: value, b: value, c: value", emitFma, onBlackwell, R"(
a * b + c, rounded once.

Gives: a Float2Tensor.
Errors: what are no Float2Tensors of one type.

    # cuda:100a
    x2 = blackwell.float2.pack(tile, axis=1)
    z = blackwell.float2.fma(x2, x2, x2)
)"},
      {"nvidia.blackwell.float2.Float2Tensor", "value: tensor", emitConstructor, onBlackwell, R"(
Two float32 in each int64.

`+`, `-` and `*` combine two of them, `.sum(axis)` adds, `.value` is the tensor of int64.

Gives: a Float2Tensor.
Errors: what is no tensor of int64.

    # cuda:100a
    x2 = blackwell.float2.pack(tile, axis=1)
    z = blackwell.float2.Float2Tensor(x2.value) * x2
)"},
  };
  return table;
}

llvm::ArrayRef<Builtin> floatPairMethods() {
  static const Builtin table[] = {
      {"sum", "x: value, axis: int", emitSum, asFunction, R"(
Adds the pairs along an axis: low halves and high halves each.

Gives: a Float2Tensor without the axis.
Errors: an axis out of range.

    # cuda:100a
    low, high = blackwell.float2.unpack2(blackwell.float2.pack(tile, axis=1).sum(axis=1))
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

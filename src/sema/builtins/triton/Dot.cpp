//===- Dot.cpp - tl.dot ----------------------------------------------------------===//
//
// One `tt.dot` in AutoLayout, for which `assign` chooses an instruction. float32 operands
// that are to be multiplied more exactly than tensor cores do it become sums of parts,
// whose products are added from the smallest on.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"
#include "ir/tt/DotScaled.h"
#include "ir/ttng/ScaledProduct.h"

namespace gluonc::sema::ops {

namespace arith = mlir::arith;
using tt::InputPrecision;

namespace {

/// A product under construction.
struct Product {
  Context &context;
  diag::Span span;
  DType sum;
  int64_t maxImprecise = 0;

  /// a @ b + acc.
  Value emit(const Value &a, const Value &b, const Value &acc, InputPrecision precision) {
    return tensor(tt::DotOp::create(context.builder, context.loc(), acc.irType(), a.ir(), b.ir(),
                                    acc.ir(), precision, uint32_t(maxImprecise)),
                  sum);
  }
  Value splitTf32(const Value &a, const Value &b, const Value &acc);
  Value splitBf16(const Value &a, const Value &b, const Value &acc, unsigned parts);

private:
  Value cast(const Value &value, DType dtype) { return *castTensor(context, value, dtype, span); }
  Value subtract(const Value &lhs, const Value &rhs) {
    return *binary(context, BinaryOp::Sub, lhs, rhs, span, span);
  }
  Value add(const Value &lhs, const Value &rhs) {
    return *binary(context, BinaryOp::Add, lhs, rhs, span, span);
  }
  Value nearestTf32(const Value &value);
  Value zeroWhereNan(const Value &value);
  Value zeros(const Value &like) {
    return tensor(numberConstant(context, Value::real(0), sum, like.irType()), sum);
  }
};

} // namespace

/// The 10 leading bits of the mantissa, rounded to nearest, ties away from zero.
Value Product::nearestTf32(const Value &value) {
  Value bits = *bitcastTensor(context, value, dtypes::int32, span);
  mlir::OpBuilder &builder = context.builder;
  mlir::Value half = intConstant(context, bits.irType(), 0x1000);
  mlir::Value keep = intConstant(context, bits.irType(), ~int64_t{0x1fff});
  mlir::Value rounded = arith::AddIOp::create(builder, context.loc(), bits.ir(), half);
  Value cut = tensor(arith::AndIOp::create(builder, context.loc(), rounded, keep), dtypes::int32);
  return *bitcastTensor(context, cut, dtypes::float32, span);
}

/// Products of small parts are NaN where those of the large ones are infinite.
Value Product::zeroWhereNan(const Value &value) {
  Value isNumber = *compare(context, CompareOp::Eq, value, value, span, span);
  return *select(context, {isNumber, span}, {value, span}, {zeros(value), span});
}

Value Product::splitTf32(const Value &a, const Value &b, const Value &acc) {
  constexpr InputPrecision tf32 = InputPrecision::TF32;
  Value bigA = nearestTf32(a), bigB = nearestTf32(b);
  Value smallA = subtract(a, bigA), smallB = subtract(b, bigB);
  Value partial = emit(smallA, bigB, zeros(acc), tf32);
  partial = zeroWhereNan(emit(bigA, smallB, partial, tf32));
  return add(emit(bigA, bigB, partial, tf32), acc);
}

/// `parts` parts of 8 bits each: 2 for bf16x3, 3 for bf16x6.
Value Product::splitBf16(const Value &a, const Value &b, const Value &acc, unsigned parts) {
  auto split = [&](Value rest) {
    llvm::SmallVector<Value, 3> result;
    for (unsigned i = 0; i < parts; ++i) {
      result.push_back(cast(rest, dtypes::bfloat16));
      if (i + 1 < parts)
        rest = subtract(rest, cast(result.back(), dtypes::float32));
    }
    return result;
  };
  llvm::SmallVector<Value, 3> left = split(a), right = split(b);
  Value partial = zeros(acc);
  // Those whose places add up to more than the smallest part's are too small to count.
  for (unsigned place = parts - 1; place > 0; --place)
    for (unsigned i = 0; i <= place; ++i)
      partial = emit(left[i], right[place - i], partial, InputPrecision::IEEE);
  return add(emit(left[0], right[0], zeroWhereNan(partial), InputPrecision::IEEE), acc);
}

/// What the product of two element types is summed in; nullopt where there is none. `wanted` is
/// out_dtype, where given.
static std::optional<DType> sumType(DType a, DType b, std::optional<DType> wanted) {
  auto isOneOf = [](DType dtype, std::initializer_list<DType> list) {
    return llvm::is_contained(list, dtype);
  };
  auto either = [&](std::initializer_list<DType> list) -> std::optional<DType> {
    DType sum = wanted.value_or(*list.begin());
    return isOneOf(sum, list) ? std::optional(sum) : std::nullopt;
  };
  if (a.isFp8() && b.isFp8())
    return either({dtypes::float32, dtypes::float16});
  if (a != b)
    return std::nullopt;
  if (a == dtypes::int8)
    return dtypes::int32;
  if (a == dtypes::float16)
    return either({dtypes::float32, dtypes::float16});
  if (isOneOf(a, {dtypes::bfloat16, dtypes::float32}))
    return wanted && (*wanted == dtypes::float16 || *wanted == dtypes::bfloat16)
               ? std::nullopt
               : std::optional<DType>(dtypes::float32);
  return a == dtypes::float64 ? std::optional<DType>(a) : std::nullopt;
}

/// None and "" are the target's own: tf32 where tensor cores have it.
static std::optional<InputPrecision> readPrecision(Context &context, const BoundArgs &arguments) {
  const Value &allow = arguments["allow_tf32"], &given = arguments["input_precision"];
  bool isNvidia = context.options.target.isNvidia();
  if (isGiven(allow) && isGiven(given)) {
    context
        .report(diag::Kind::BadArgument, arguments.span("allow_tf32"),
                "`input_precision` says it already")
        .end();
    return std::nullopt;
  }
  if (isGiven(allow)) {
    std::optional<bool> allowed = boolArgument(context, arguments, "allow_tf32");
    if (!allowed)
      return std::nullopt;
    return *allowed ? InputPrecision::TF32 : InputPrecision::IEEE;
  }
  if (!isGiven(given))
    return isNvidia ? InputPrecision::TF32 : InputPrecision::IEEE;
  std::optional<llvm::StringRef> name = stringArgument(context, arguments, "input_precision");
  if (!name)
    return std::nullopt;
  std::optional<InputPrecision> precision = tt::symbolizeInputPrecision(*name);
  if (!precision)
    context
        .report(diag::Kind::ArgumentChoice, arguments.span("input_precision"), "input_precision",
                *name, "\"tf32\", \"tf32x3\", \"ieee\", \"bf16x3\", \"bf16x6\"")
        .end();
  return precision;
}

/// [.., M, K] and [.., K, N], of equal leading dimensions.
static bool checkShapes(Context &context, const Operand &a, const Operand &b) {
  llvm::ArrayRef<int64_t> x = a.value.shape(), y = b.value.shape();
  size_t rank = x.size();
  bool fits = rank >= 2 && y.size() == rank && x.drop_back(2) == y.drop_back(2) &&
              x[rank - 1] == y[rank - 2];
  if (!fits) {
    context.report(diag::Kind::DotOperandShapes, context.span, shapeText(x), shapeText(y))
        .label(a.span, "shape {0}", shapeText(x))
        .label(b.span, "shape {0}", shapeText(y));
    return false;
  }
  // Instructions take 256 bits of K at least.
  int64_t least = 256 / int64_t(std::max(a.dtype().bitWidth(), b.dtype().bitWidth()));
  if (!context.options.target.isNvidia() || x[rank - 1] >= least)
    return true;
  context.report(diag::Kind::DotDepth, context.span, x[rank - 1], least, a.dtype()).end();
  return false;
}

/// One leading dimension in place of several.
static Result joinBatches(Context &context, const Operand &block) {
  llvm::ArrayRef<int64_t> shape = block.value.shape();
  if (shape.size() <= 3)
    return block.value;
  int64_t batches = 1;
  for (int64_t size : shape.drop_back(2))
    batches *= size;
  return reshape(context, block, {batches, shape[shape.size() - 2], shape.back()}, block.span);
}

static Result readAccumulator(Context &context, const BoundArgs &arguments, DType sum,
                              llvm::ArrayRef<int64_t> shape, const Operand &a, const Operand &b) {
  const Value &given = arguments["acc"];
  if (!isGiven(given)) {
    auto type = mlir::RankedTensorType::get(shape, sum.toMlir(context.mlirContext()),
                                            gluon::AutoEncodingAttr::get(context.mlirContext()));
    return tensor(numberConstant(context, Value::integer(0), sum, type), sum);
  }
  if (!blockArgument(context, arguments, "acc"))
    return std::nullopt;
  if (given.shape() != shape) {
    context
        .report(diag::Kind::DotShape, arguments.span("acc"), shapeText(a.value.shape()),
                shapeText(b.value.shape()), shapeText(given.shape()))
        .end();
    return std::nullopt;
  }
  if (given.dtype() == sum)
    return openLayout(context, given);
  context.report(diag::Kind::DotTypes, arguments.span("acc"), a.dtype(), b.dtype(), given.dtype())
      .note("the product is {0}", sum);
  return std::nullopt;
}

/// After how many elements of K sums of 8-bit floats move to full precision: never, unless said.
static std::optional<int64_t> readImprecise(Context &context, const BoundArgs &arguments,
                                            int64_t depth, bool isFp8) {
  if (!isGiven(arguments["max_num_imprecise_acc"]))
    return isFp8 ? 1 << 30 : 0;
  std::optional<int64_t> count = intArgument(context, arguments, "max_num_imprecise_acc");
  if (!count || (*count >= 0 && (!isFp8 || *count <= depth)))
    return count;
  context
      .report(diag::Kind::ArgumentKind, arguments.span("max_num_imprecise_acc"),
              "max_num_imprecise_acc", "from 0 to K, " + std::to_string(depth), *count)
      .end();
  return std::nullopt;
}

static Result emitDot(Context &context, const BoundArgs &arguments) {
  for (llvm::StringRef name : {"input", "other"})
    if (!blockArgument(context, arguments, name))
      return std::nullopt;
  Operand a = operand(arguments, "input"), b = operand(arguments, "other");
  // No tensor core has this format.
  for (Operand *side : {&a, &b})
    if (side->dtype() == ScalarKind::Float8E4B15) {
      if (target::has(context.options.target, target::Feature::AsyncProxy))
        context.report(diag::Kind::Float8Deprecated, side->span, side->dtype()).end();
      Result half = castTensor(context, side->value, dtypes::float16, side->span);
      if (!half)
        return std::nullopt;
      side->value = *half;
    }
  std::optional<DType> wanted;
  if (isGiven(arguments["out_dtype"])) {
    wanted = dtypeArgument(context, arguments, "out_dtype");
    if (!wanted)
      return std::nullopt;
  } else if (isGiven(arguments["acc"]) && arguments["acc"].isTensor()) {
    wanted = arguments["acc"].dtype();
  }
  std::optional<DType> sum = sumType(a.dtype(), b.dtype(), wanted);
  if (!sum) {
    context
        .report(diag::Kind::DotTypes, context.span, a.dtype(), b.dtype(),
                wanted ? wanted->name() : "anything")
        .label(a.span, "{0}", a.dtype())
        .label(b.span, "{0}", b.dtype());
    return std::nullopt;
  }
  std::optional<InputPrecision> precision = readPrecision(context, arguments);
  if (!precision || !checkShapes(context, a, b))
    return std::nullopt;
  llvm::SmallVector<int64_t> shape(a.value.shape());
  std::optional<int64_t> imprecise =
      readImprecise(context, arguments, shape.back(), a.dtype().isFp8() && b.dtype().isFp8());
  shape.back() = b.value.shape().back();
  Result acc = readAccumulator(context, arguments, *sum, shape, a, b);
  if (!acc || !imprecise)
    return std::nullopt;
  context.choosesLayouts = true;
  Operand accumulator{*acc, arguments.span("acc")};
  for (Operand *block : {&a, &b, &accumulator}) {
    Result joined = joinBatches(context, *block);
    if (!joined)
      return std::nullopt;
    block->value = openLayout(context, *joined);
  }
  Product product{context, context.span, *sum, *imprecise};
  bool isFloat32 = a.dtype() == dtypes::float32;
  Value result;
  if (isFloat32 && *precision == InputPrecision::TF32x3)
    result = product.splitTf32(a.value, b.value, accumulator.value);
  else if (isFloat32 && *precision == InputPrecision::BF16x3)
    result = product.splitBf16(a.value, b.value, accumulator.value, 2);
  else if (isFloat32 && *precision == InputPrecision::BF16x6)
    result = product.splitBf16(a.value, b.value, accumulator.value, 3);
  else
    result = product.emit(a.value, b.value, accumulator.value,
                          isFloat32 ? *precision : InputPrecision::IEEE);
  return shape.size() <= 3 ? Result(result)
                           : reshape(context, {result, context.span}, shape, context.span);
}

/// A product of blocks with scales, for which `assign` uses tensor memory; None where the chip has
/// none. The library has checked the shapes.
static Result emitScaledProduct(Context &context, const BoundArgs &arguments) {
  auto format = [&](llvm::StringRef name) -> std::optional<tt::ScaleDotElemType> {
    std::optional<llvm::StringRef> text = stringArgument(context, arguments, name);
    return text ? tt::symbolizeScaleDotElemType(*text) : std::nullopt;
  };
  std::optional<tt::ScaleDotElemType> left = format("lhs_format"), right = format("rhs_format");
  if (!left || !right || context.noPartitions || context.numCtas() > 1 ||
      context.options.sanitizesFloats())
    return Value::none();
  for (llvm::StringRef name : {"lhs", "rhs", "lhs_scale", "rhs_scale"})
    if (!blockArgument(context, arguments, name))
      return std::nullopt;
  Operand a = operand(arguments, "lhs"), b = operand(arguments, "rhs"),
          aScale = operand(arguments, "lhs_scale"), bScale = operand(arguments, "rhs_scale");
  const int64_t k = a.value.shape()[1] * (*left == tt::ScaleDotElemType::E2M1 ? 2 : 1);
  ttng::ScaledProduct product{
      a.value.shape()[0],
      b.value.shape()[1],
      k,
      *left,
      *right,
      mlir::cast<mlir::RankedTensorType>(aScale.value.irType()).getElementType(),
      k / std::max<int64_t>(aScale.value.shape()[1], 1)};
  std::string why;
  if (!ttng::placesOf(product, context.options.target, context.numWarps(), why))
    return Value::none();
  Result acc = readAccumulator(context, arguments, dtypes::float32, {product.m, product.n}, a, b);
  if (!acc)
    return std::nullopt;
  context.choosesLayouts = true;
  for (Operand *block : {&a, &b, &aScale, &bScale})
    block->value = openLayout(context, block->value);
  Value sum = openLayout(context, *acc);
  return tensor(tt::DotScaledOp::create(context.builder, context.loc(), sum.irType(), a.value.ir(),
                                        b.value.ir(), sum.ir(), aScale.value.ir(),
                                        bScale.value.ir(), *left, *right, /*fastMath=*/false,
                                        /*lhs_k_pack=*/true, /*rhs_k_pack=*/true),
                dtypes::float32);
}

llvm::ArrayRef<Builtin> dotBuiltins() {
  static const Builtin table[] = {
      {"dot",
       "input: block, other: block, acc: block = None, input_precision: str = None, "
       "allow_tf32: bool = None, max_num_imprecise_acc: int = None, out_dtype: dtype = None",
       emitDot, asFunction, R"(
input @ other + acc.

Shapes are [.., M, K] and [.., K, N]; on NVIDIA's chips K is at least 256 bits. float16 and 8-bit
floats are summed in float32 or, where `out_dtype` or `acc` says so, in float16; bfloat16 and
float32 in float32, float64 in float64, int8 in int32. `input_precision` is for float32: "tf32"
(the default on NVIDIA's chips), "tf32x3", "bf16x3" and "bf16x6" use tensor cores, once or several
times; "ieee" (the default on AMD's) does not. `allow_tf32` is an older name for "tf32" and "ieee".

Gives: a block of [.., M, N].
Errors: other shapes or element types.

    x = tl.full([64, 32], 1.0, tl.float16)
    y = tl.full([32, 64], 2.0, tl.float16)
    z = tl.dot(x, y)
)"},
      {"_scaled_product",
       "lhs: block, lhs_scale: block, lhs_format: str, rhs: block, rhs_scale: block, "
       "rhs_format: str, acc: block = None",
       emitScaledProduct},
  };
  return table;
}

} // namespace gluonc::sema::ops

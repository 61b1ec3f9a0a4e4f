//===- Scales.cpp - AMD: products and conversions with scales -----------------===//
#include "sema/builtins/amd/Products.h"

#include "ir/Encoding.h"
#include "ir/amdg/AmdOps.h"
#include "ir/tt/DotScaled.h"
#include "layout/named/AmdOperands.h"
#include "layout/named/Inference.h"
#include "target/amd/MatrixInstructions.h"

namespace gluonc::sema::ops {

using layout::AMDMFMALayout;
using layout::AMDWMMALayout;
using layout::DotOperandLayout;

static std::nullopt_t bad(Context &context, diag::Span span, const llvm::Twine &text) {
  context.report(diag::Kind::BadArgument, span, text.str()).end();
  return std::nullopt;
}

// -- Products -------------------------------------------------------------------

namespace {

/// An operand with its scales.
struct ScaledOperand {
  Operand block, scale;
  tt::ScaleDotElemType format;
  unsigned index;

  bool isPacked() const { return format == tt::ScaleDotElemType::E2M1; }
  unsigned rank() const { return block.value.shape().size(); }
  int64_t lines() const { return block.value.shape()[rank() - 2 + index]; }
  int64_t depth() const { return block.value.shape()[rank() - 1 - index] * (isPacked() ? 2 : 1); }
  /// Of its scales, `block` of whose elements have one.
  llvm::SmallVector<int64_t, 3> scaleShape(int64_t size) const {
    llvm::SmallVector<int64_t, 3> shape(block.value.shape().drop_back(2));
    shape.append({lines(), depth() / size});
    return shape;
  }
  /// A block of scales, that is, not one for all nor none.
  bool hasBlock() const {
    return scale.isBlock() && scale.value.blockTensorType().getNumElements() != 1;
  }
  bool hasFloatScales() const {
    return scale.value.is(ValueKind::Float) ||
           (scale.value.isTensor() && scale.dtype() == ScalarKind::Float8E4NV);
  }
};

using ScaleLayout = layout::LayoutOrProblem (*)(const layout::Layout &, llvm::ArrayRef<int64_t>,
                                                int64_t);

} // namespace

static std::optional<ScaledOperand> readOperand(Context &context, const BoundArgs &arguments,
                                                unsigned index) {
  static constexpr llvm::StringLiteral names[2][3] = {{"a", "a_scale", "a_format"},
                                                      {"b", "b_scale", "b_format"}};
  const auto &name = names[index];
  if (!blockArgument(context, arguments, name[0]))
    return std::nullopt;
  std::optional<llvm::StringRef> text = stringArgument(context, arguments, name[2]);
  if (!text)
    return std::nullopt;
  ScaledOperand result = {operand(arguments, name[0]), operand(arguments, name[1]),
                          tt::ScaleDotElemType::E2M1, index};
  if (*text == "e4m3") {
    result.format = tt::ScaleDotElemType::E4M3;
  } else if (*text == "e5m2") {
    result.format = tt::ScaleDotElemType::E5M2;
  } else if (*text != "e2m1") {
    context
        .report(diag::Kind::ArgumentChoice, arguments.span(name[2]), name[2], *text,
                "\"e2m1\", \"e4m3\", \"e5m2\"")
        .end();
    return std::nullopt;
  }
  // Bytes stand for 8-bit floats, too.
  DType wanted = result.format == tt::ScaleDotElemType::E4M3   ? DType(ScalarKind::Float8E4NV)
                 : result.format == tt::ScaleDotElemType::E5M2 ? DType(ScalarKind::Float8E5)
                                                               : DType(dtypes::int8);
  DType given = result.block.dtype();
  bool isByte = given == dtypes::int8 || given == dtypes::uint8;
  if (given != wanted && !isByte) {
    context
        .report(diag::Kind::ArgumentKind, result.block.span, name[0],
                "a block of " + wanted.name() + " or bytes", result.block.value.typeName())
        .end();
    return std::nullopt;
  }
  if (given != wanted && !result.isPacked()) {
    Result view = bitcastTensor(context, result.block.value, wanted, result.block.span);
    if (!view)
      return std::nullopt;
    result.block.value = *view;
  }
  return result;
}

/// Elements that share a scale, as blocks of scales say; 32 where there are none.
static std::optional<int64_t> scaleBlock(Context &context, const ScaledOperand &a,
                                         const ScaledOperand &b) {
  std::optional<int64_t> block;
  for (const ScaledOperand *operand : {&a, &b}) {
    if (!operand->hasBlock())
      continue;
    llvm::ArrayRef<int64_t> shape = operand->scale.value.shape();
    int64_t size =
        shape.size() == operand->rank() && shape.back() ? operand->depth() / shape.back() : 0;
    bool fits = (size == 16 || size == 32) && shape == llvm::ArrayRef(operand->scaleShape(size)) &&
                size * shape.back() == operand->depth() && block.value_or(size) == size;
    if (!fits)
      return bad(context, operand->scale.span,
                 llvm::Twine("scales of this operand must have the shape ") +
                     shapeText(operand->scaleShape(block.value_or(32))) + ", one for each " +
                     llvm::Twine(block.value_or(32)) + " elements along K, got " +
                     shapeText(shape));
    block = size;
  }
  return block.value_or(32);
}

/// The layout of an operand, where WMMA's says of the cluster how it lies along M (or N) and K of
/// scales.
static layout::Layout withCtasAlongScales(const ScaledOperand &operand) {
  layout::Layout held = layoutOf(operand.block.value);
  const auto *dot = held.as<DotOperandLayout>();
  const auto *wmma = dot ? dot->parent.as<AMDWMMALayout>() : nullptr;
  if (!wmma)
    return held;
  AMDWMMALayout parent = *wmma;
  parent.cga = held.cga();
  if (operand.index == 1)
    for (layout::Ints &basis : parent.cga)
      std::swap(basis[operand.rank() - 2], basis[operand.rank() - 1]);
  return DotOperandLayout{dot->operandIndex, parent, dot->kWidth};
}

/// The scales of an operand as a block: one for all is spread, and none is one.
static std::optional<mlir::Value> scalesOfOperand(Context &context, const ScaledOperand &operand,
                                                  const ScaledOperand &other, int64_t block,
                                                  ScaleLayout scaleLayout) {
  const Operand &scale = operand.scale;
  if (operand.hasBlock()) {
    DType dtype = scale.dtype();
    if (dtype == dtypes::int8 || dtype == dtypes::uint8 || dtype == ScalarKind::Float8E4NV)
      return scale.value.ir();
    return bad(context, scale.span,
               "scales are bytes (exponents plus 127) or float8e4nv, not " + dtype.name());
  }
  llvm::SmallVector<int64_t, 3> shape = operand.scaleShape(block);
  layout::LayoutOrProblem layout = scaleLayout(withCtasAlongScales(operand), shape, block);
  if (const auto *problem = std::get_if<std::string>(&layout))
    return bad(context, operand.block.span, *problem);
  DType dtype = dtypes::uint8;
  Operand value = scale;
  if (!isGiven(scale.value)) {
    // Products of two operands of 4 bits have scales of one type.
    bool isFloat = operand.isPacked() && other.isPacked() && other.hasFloatScales();
    dtype = isFloat ? DType(ScalarKind::Float8E4NV) : DType(dtypes::uint8);
    value.value = isFloat ? Value::real(1.0) : Value::integer(127);
  } else if (scale.value.isTensor()) {
    dtype = scale.dtype();
    if (scale.isBlock())
      value.value = unsplat(context, scale.value);
    // One for all may be any integer, as arguments of a launch are.
    if (dtype.isInt() && dtype.bitWidth() > 8) {
      Result byte = castTensor(context, value.value, dtypes::uint8, scale.span);
      if (!byte)
        return std::nullopt;
      dtype = dtypes::uint8;
      value.value = *byte;
    } else if (!dtype.isInt() && dtype != ScalarKind::Float8E4NV) {
      return bad(context, scale.span,
                 "scales are bytes (exponents plus 127) or float8e4nv, not " + dtype.name());
    }
  } else if (scale.value.is(ValueKind::Float)) {
    dtype = ScalarKind::Float8E4NV;
  }
  std::optional<mlir::RankedTensorType> type =
      blockType(context, shape, scale.span, dtype, Value::layout(std::get<layout::Layout>(layout)),
                scale.span);
  if (!type)
    return std::nullopt;
  if (value.isNumber()) {
    Result filled = filledConstant(context, value, dtype, *type);
    return filled ? std::optional(filled->ir()) : std::nullopt;
  }
  return splat(context, value.value, *type).ir();
}

static Result emitScaled(Context &context, const ScaledOperand &a, const ScaledOperand &b,
                         const Operand &acc, ScaleLayout scaleLayout) {
  llvm::ArrayRef<int64_t> x = a.block.value.shape(), y = b.block.value.shape(),
                          z = acc.value.shape();
  const size_t rank = z.size();
  bool agree = (rank == 2 || rank == 3) && x.size() == rank && y.size() == rank &&
               x.drop_back() == z.drop_back() && y.drop_back(2) == z.drop_back(2) &&
               y.back() == z.back() && a.depth() == b.depth();
  if (!agree) {
    context.report(diag::Kind::DotShape, context.span, shapeText(x), shapeText(y), shapeText(z))
        .end();
    return std::nullopt;
  }
  if (acc.dtype() != dtypes::float32) {
    context
        .report(diag::Kind::MmaTypes, context.span, a.block.dtype().name(), b.block.dtype().name(),
                acc.dtype().name())
        .end();
    return std::nullopt;
  }
  std::optional<int64_t> block = scaleBlock(context, a, b);
  if (!block)
    return std::nullopt;
  std::optional<mlir::Value> ofA = scalesOfOperand(context, a, b, *block, scaleLayout),
                             ofB = scalesOfOperand(context, b, a, *block, scaleLayout);
  if (!ofA || !ofB)
    return std::nullopt;
  mlir::Value result = tt::DotScaledOp::create(
      context.builder, context.loc(), acc.value.irType(), a.block.value.ir(), b.block.value.ir(),
      acc.value.ir(), *ofA, *ofB, a.format, b.format, /*fastMath=*/false, /*lhs_k_pack=*/true,
      /*rhs_k_pack=*/true);
  return tensor(result, acc.dtype());
}

static Result emitMfmaScaled(Context &context, const BoundArgs &arguments) {
  std::optional<ScaledOperand> a = readOperand(context, arguments, 0);
  std::optional<ScaledOperand> b = a ? readOperand(context, arguments, 1) : std::nullopt;
  if (!b || !blockArgument(context, arguments, "acc"))
    return std::nullopt;
  Operand acc = operand(arguments, "acc");
  layout::Layout parent = layoutOf(acc.value);
  const auto *mfma = parent.as<AMDMFMALayout>();
  if (!mfma || mfma->version != 4 || mfma->instrShape[0] != mfma->instrShape[1]) {
    refuseLayout(context, acc, "acc",
                 "an AMDMFMALayout of version 4 with 16 x 16 or 32 x 32 results");
    return std::nullopt;
  }
  if (!checkOperands(context, {a->block, b->block, acc}))
    return std::nullopt;
  return withRegisterClass(context, arguments,
                           emitScaled(context, *a, *b, acc, layout::mfmaScaleLayout));
}

/// Whether `layout` is one of operands of version 3 whose instructions have these shapes.
static bool isWmma(const layout::Layout &layout, llvm::ArrayRef<layout::Ints> shapes) {
  const auto *wmma = layout.as<AMDWMMALayout>();
  return wmma && wmma->version == 3 && llvm::is_contained(shapes, wmma->instrShape);
}

static bool checkWmmaOperand(Context &context, const ScaledOperand &operand, llvm::StringRef name) {
  static const layout::Ints packed[] = {{16, 16, 64}, {32, 16, 64}};
  static const layout::Ints whole[] = {{16, 16, 128}, {32, 16, 128}, {16, 16, 64}, {32, 16, 64}};
  layout::Layout layout = layoutOf(operand.block.value);
  const auto *dot = layout.as<DotOperandLayout>();
  if (dot && dot->operandIndex == operand.index &&
      isWmma(dot->parent, operand.isPacked() ? llvm::ArrayRef(packed) : llvm::ArrayRef(whole)))
    return true;
  return refuseLayout(context, operand.block, name,
                      "DotOperandLayout(" + std::to_string(operand.index) +
                          ", AMDWMMALayout of version 3 whose instr_shape is [16, 16, " +
                          (operand.isPacked() ? "64] or [32, 16, 64])" : "128])"));
}

/// Which types of scales go with which formats: floats with 4-bit operands only, and then alike if
/// both have 4 bits.
static bool checkScaleTypes(Context &context, const ScaledOperand &a, const ScaledOperand &b) {
  for (const ScaledOperand *operand : {&a, &b})
    if (operand->hasFloatScales() && !operand->isPacked()) {
      bad(context, operand->scale.span, "scales of 8-bit floats are bytes, not float8e4nv");
      return false;
    }
  if (a.isPacked() && b.isPacked() && isGiven(a.scale.value) && isGiven(b.scale.value) &&
      a.hasFloatScales() != b.hasFloatScales()) {
    bad(context, b.scale.span, "two operands of 4 bits have scales of one type");
    return false;
  }
  return true;
}

static Result emitWmmaScaled(Context &context, const BoundArgs &arguments) {
  static const layout::Ints square[] = {{16, 16, 128}};
  static const layout::Ints either[] = {{16, 16, 128}, {32, 16, 128}};
  std::optional<ScaledOperand> a = readOperand(context, arguments, 0);
  std::optional<ScaledOperand> b = a ? readOperand(context, arguments, 1) : std::nullopt;
  if (!b || !blockArgument(context, arguments, "acc"))
    return std::nullopt;
  Operand acc = operand(arguments, "acc");
  bool isPacked = a->isPacked() && b->isPacked();
  if (!isWmma(layoutOf(acc.value), isPacked ? llvm::ArrayRef(either) : llvm::ArrayRef(square))) {
    refuseLayout(context, acc, "acc",
                 std::string("an AMDWMMALayout of version 3 whose instr_shape is [16, 16, 128]") +
                     (isPacked ? " or [32, 16, 128]" : ""));
    return std::nullopt;
  }
  if (!checkWmmaOperand(context, *a, "a") || !checkWmmaOperand(context, *b, "b") ||
      !checkScaleTypes(context, *a, *b))
    return std::nullopt;
  return emitScaled(context, *a, *b, acc, layout::wmmaScaleLayout);
}

// -- Conversions ------------------------------------------------------------------

static bool isByte(DType dtype) { return dtype == dtypes::int8 || dtype == dtypes::uint8; }

/// Whether scales are bytes.
static bool checkByteScales(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "scale"))
    return false;
  Operand scale = operand(arguments, "scale");
  if (isByte(scale.dtype()))
    return true;
  context
      .report(diag::Kind::ArgumentKind, scale.span, "scale", "a block of int8 or uint8",
              scale.value.typeName())
      .end();
  return false;
}

/// Whether there is a scale for each run along the axis, in the threads that have the elements.
static bool checkScales(Context &context, const Operand &scale, mlir::RankedTensorType elements,
                        unsigned axis, int64_t least) {
  llvm::ArrayRef<int64_t> shape = scale.value.shape(), whole = elements.getShape();
  bool fits = shape.size() == whole.size();
  for (size_t d = 0; fits && d < whole.size(); ++d)
    fits =
        d == axis ? whole[d] % shape[d] == 0 && whole[d] / shape[d] >= least : whole[d] == shape[d];
  if (!fits) {
    bad(context, scale.span,
        "scales of shape " + shapeText(shape) +
            " are not one for each run of elements along axis " + llvm::Twine(axis) + " of shape " +
            shapeText(whole) +
            (least > 1 ? ", of " + std::to_string(least) + " or more" : std::string()));
    return false;
  }
  layout::Layout held = layoutOf(scale.value), all = toLayout(elements.getEncoding());
  if (held.isPlaceholder() || all.isPlaceholder() ||
      layout::holdsScales(all.toLinear(whole), held.toLinear(shape), axis,
                          whole[axis] / shape[axis]))
    return true;
  context
      .report(diag::Kind::LayoutForbids, scale.span, "taking scales", held.toString(),
              "they must lie in the threads that have the elements")
      .hint("`get_scaled_upcast_fp4_scale_layout` is such a layout")
      .end();
  return false;
}

/// What bytes of 4-bit numbers become.
static std::optional<mlir::RankedTensorType> unpackedType(Context &context, const Operand &source,
                                                          unsigned axis, DType dtype) {
  llvm::SmallVector<int64_t> shape(source.value.shape());
  layout::Layout from = layoutOf(source.value);
  mlir::Attribute encoding = source.value.blockTensorType().getEncoding();
  if (!from.isPlaceholder()) {
    layout::Inferred inferred = layout::unpackLayout(from, shape, axis);
    if (!inferred) {
      context
          .report(diag::Kind::LayoutForbids, source.span, "scaled_upcast", from.toString(),
                  inferred.why)
          .end();
      return std::nullopt;
    }
    encoding = fromLayout(context.mlirContext(), *inferred.layout);
  }
  shape[axis] *= 2;
  if (!checkBlockShape(context, shape, context.span))
    return std::nullopt;
  return mlir::RankedTensorType::get(shape, dtype.toMlir(context.mlirContext()), encoding);
}

/// `elem_type` of an upcast: float16 or bfloat16.
static std::optional<DType> wideType(Context &context, const BoundArgs &arguments) {
  std::optional<DType> dtype = dtypeArgument(context, arguments, "elem_type");
  if (!dtype || *dtype == dtypes::float16 || *dtype == dtypes::bfloat16)
    return dtype;
  return bad(context, arguments.span("elem_type"),
             "`elem_type` must be float16 or bfloat16, got " + dtype->name());
}

static Result emitUpcast(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "src") || !checkByteScales(context, arguments))
    return std::nullopt;
  Operand source = operand(arguments, "src"), scale = operand(arguments, "scale");
  std::optional<DType> dtype = wideType(context, arguments);
  if (!dtype)
    return std::nullopt;
  if (source.dtype() == ScalarKind::Float8E4NV || source.dtype() == ScalarKind::Float8E5) {
    if (isGiven(arguments["axis"]))
      return bad(context, arguments.span("axis"), "8-bit floats have a scale each: no `axis`");
    if (scale.value.shape() != source.value.shape() ||
        layoutOf(scale.value) != layoutOf(source.value))
      return bad(context, scale.span, "8-bit floats have a scale each, in their shape and layout");
    mlir::Type type = typeWithElement(context, source.value.irType(), *dtype);
    return tensor(amdg::ScaledUpcastFp8Op::create(context.builder, context.loc(), type,
                                                  source.value.ir(), scale.value.ir()),
                  *dtype);
  }
  if (!isByte(source.dtype())) {
    context
        .report(diag::Kind::ArgumentKind, source.span, "src",
                "a block of bytes, float8e4nv or float8e5", source.value.typeName())
        .end();
    return std::nullopt;
  }
  if (!isGiven(arguments["axis"]))
    return bad(context, context.span, "pairs of 4-bit numbers need the `axis` that they lie along");
  std::optional<unsigned> axis = axisArgument(context, arguments, source.value.shape().size());
  std::optional<mlir::RankedTensorType> type =
      axis ? unpackedType(context, source, *axis, *dtype) : std::nullopt;
  if (!type || !checkScales(context, scale, *type, *axis, 1))
    return std::nullopt;
  return tensor(amdg::ScaledUpcastFp4Op::create(context.builder, context.loc(), *type,
                                                source.value.ir(), scale.value.ir(), *axis),
                *dtype);
}

static Result emitScaleLayout(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "src"))
    return std::nullopt;
  Operand source = operand(arguments, "src");
  std::optional<int64_t> block = intArgument(context, arguments, "scale_factor");
  std::optional<DType> dtype = wideType(context, arguments);
  if (!block || !dtype)
    return std::nullopt;
  std::optional<unsigned> axis = axisArgument(context, arguments, source.value.shape().size());
  std::optional<mlir::RankedTensorType> type =
      axis && isByte(source.dtype()) ? unpackedType(context, source, *axis, *dtype) : std::nullopt;
  if (axis && !isByte(source.dtype()))
    context
        .report(diag::Kind::ArgumentKind, source.span, "src", "a block of bytes",
                source.value.typeName())
        .end();
  if (!type)
    return std::nullopt;
  if (!layout::isPowerOf2(*block) || type->getShape()[*axis] % *block != 0)
    return bad(context, arguments.span("scale_factor"),
               llvm::Twine("a scale for ") + llvm::Twine(*block) +
                   " elements does not divide the size " + llvm::Twine(type->getShape()[*axis]) +
                   " of axis " + llvm::Twine(*axis));
  layout::Layout all = toLayout(type->getEncoding());
  if (all.isPlaceholder())
    return Value::layout(all);
  return Value::layout(
      layout::Layout(layout::scalesOf(all.toLinear(type->getShape()), *axis, *block)));
}

/// The format of a downcast; bytes for 4-bit numbers.
static std::optional<DType> packedType(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::StringRef> format = stringArgument(context, arguments, "format");
  if (!format)
    return std::nullopt;
  if (*format == "e4m3")
    return DType(ScalarKind::Float8E4NV);
  if (*format == "e5m2")
    return DType(ScalarKind::Float8E5);
  if (*format == "e2m1")
    return DType(dtypes::uint8);
  context
      .report(diag::Kind::ArgumentChoice, arguments.span("format"), "format", *format,
              "\"e4m3\", \"e5m2\", \"e2m1\"")
      .end();
  return std::nullopt;
}

/// The type of packed bytes whose pairs are the elements of `wide`: the blocked layout with half as
/// many elements per thread, or explicit bases without the lowest register.
static std::optional<mlir::RankedTensorType> halfType(Context &context, const Operand &wide,
                                                      unsigned axis, DType dtype) {
  llvm::SmallVector<int64_t> shape(wide.value.shape());
  layout::Layout from = layoutOf(wide.value);
  shape[axis] /= 2;
  layout::Layout result = from;
  bool fits = wide.value.shape()[axis] >= 2;
  if (const auto *blocked = from.as<layout::BlockedLayout>();
      blocked && blocked->sizePerThread[axis] >= 2) {
    layout::BlockedLayout half = *blocked;
    half.sizePerThread[axis] /= 2;
    result = half;
  } else if (fits && !from.isPlaceholder()) {
    layout::DistributedLinearLayout bases = layout::toExplicit(from.toLinear(wide.value.shape()));
    auto lowest = llvm::find_if(bases.regBases, [&](const layout::Ints &basis) {
      for (size_t d = 0; d < basis.size(); ++d)
        if (basis[d] != (d == axis ? 1 : 0))
          return false;
      return true;
    });
    fits = lowest != bases.regBases.end();
    if (fits)
      bases.regBases.erase(lowest);
    for (layout::BasisList *list :
         {&bases.regBases, &bases.laneBases, &bases.warpBases, &bases.blockBases})
      for (layout::Ints &basis : *list) {
        fits &= basis[axis] % 2 == 0;
        basis[axis] /= 2;
      }
    bases.shape.assign(shape.begin(), shape.end());
    result = bases;
  }
  if (!fits) {
    context
        .report(diag::Kind::LayoutForbids, wide.span, "packing pairs", from.toString(),
                "both numbers of a pair must lie in one thread")
        .end();
    return std::nullopt;
  }
  return mlir::RankedTensorType::get(shape, dtype.toMlir(context.mlirContext()),
                                     fromLayout(context.mlirContext(), result));
}

static Result emitDowncast(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "input") || !checkByteScales(context, arguments))
    return std::nullopt;
  Operand input = operand(arguments, "input"), scale = operand(arguments, "scale");
  std::optional<DType> dtype = packedType(context, arguments);
  if (!dtype)
    return std::nullopt;
  DType wide = input.dtype();
  if (wide != dtypes::float16 && wide != dtypes::bfloat16 && wide != dtypes::float32) {
    context
        .report(diag::Kind::ArgumentKind, input.span, "input",
                "a block of float16, bfloat16 or float32", input.value.typeName())
        .end();
    return std::nullopt;
  }
  std::optional<unsigned> axis = axisArgument(context, arguments, input.value.shape().size());
  if (!axis || !checkScales(context, scale, input.value.blockTensorType(), *axis, 8))
    return std::nullopt;
  if (*dtype != dtypes::uint8)
    return tensor(
        amdg::ScaledDowncastFp8Op::create(context.builder, context.loc(),
                                          typeWithElement(context, input.value.irType(), *dtype),
                                          input.value.ir(), scale.value.ir(), *axis),
        *dtype);
  std::optional<mlir::RankedTensorType> type = halfType(context, input, *axis, *dtype);
  if (!type)
    return std::nullopt;
  return tensor(amdg::ScaledDowncastFp4Op::create(context.builder, context.loc(), *type,
                                                  input.value.ir(), scale.value.ir(), *axis),
                *dtype);
}

// -- Parts of tensors ----------------------------------------------------------------

static Result emitSlice(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "source"))
    return std::nullopt;
  Operand source = operand(arguments, "source");
  std::optional<llvm::SmallVector<int64_t>> shape = intsArgument(context, arguments, "shape");
  std::optional<llvm::SmallVector<int64_t>> offsets =
      shape ? intsArgument(context, arguments, "offsets") : std::nullopt;
  if (!offsets || !checkBlockShape(context, *shape, arguments.span("shape")))
    return std::nullopt;
  llvm::ArrayRef<int64_t> whole = source.value.shape();
  bool fits = shape->size() == whole.size() && offsets->size() == whole.size();
  for (size_t d = 0; fits && d < whole.size(); ++d)
    fits = (*offsets)[d] >= 0 && (*offsets)[d] <= whole[d] - (*shape)[d];
  if (!fits)
    return bad(context, context.span,
               "a part of shape " + shapeText(*shape) + " at " + shapeText(*offsets) +
                   " does not lie within " + shapeText(whole));
  layout::Layout layout = layoutOf(source.value);
  if (!layout.isPlaceholder() &&
      !layout::holdsPart(layout.toLinear(whole), layout.toLinear(*shape), *offsets)) {
    context
        .report(diag::Kind::LayoutForbids, source.span, "amd.slice", layout.toString(),
                "each thread must hold its elements of the part already")
        .hint("parts are whole tiles of the layout; change it first with `gl.convert_layout`")
        .end();
    return std::nullopt;
  }
  mlir::RankedTensorType type = source.value.blockTensorType();
  return tensor(amdg::ExtractSliceOp::create(
                    context.builder, context.loc(),
                    mlir::RankedTensorType::get(*shape, type.getElementType(), type.getEncoding()),
                    source.value.ir(), *offsets),
                source.dtype());
}

llvm::ArrayRef<Builtin> amdScaleBuiltins() {
  static constexpr Traits repacking = {.isInherited = false,
                                       .needs = target::Feature::TransposedLdsLoad};
  static const Builtin table[] = {
      {"amd.cdna4.load_shared_fp4_repacked", "mem_desc: buffer, layout: layout",
       emitRepackedLoadForMfma, repacking, R"(
Reads 4-bit floats that are packed along M or N as an operand packed along K.

Each byte of the buffer holds two neighbours along M (of `a`) or N (of `b`), each byte of the result
two along K, the first in the low half.

Gives: a block of bytes, half as many along K and twice as many along M or N.
Errors: a buffer of other elements; a layout that is no `DotOperandLayout` of an `AMDMFMALayout`.

    # hip:gfx950
    mma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
    smem = gl.allocate_shared_memory(gl.uint8, [32, 128], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0])
    smem.store(gl.full([32, 128], 17, gl.uint8, wide))
    a = cdna4.load_shared_fp4_repacked(smem, gl.DotOperandLayout(0, mma, 16))
)"},
      {"amd.cdna5.load_shared_fp4_repacked",
       "mem_desc: buffer, layout: layout",
       emitRepackedLoadForWmma,
       {.needs = target::Feature::TransposedLdsLoad},
       R"(
Reads 4-bit floats that are packed along M or N as an operand packed along K.

Each byte of the buffer holds two neighbours along M (of `a`) or N (of `b`), each byte of the result
two along K, the first in the low half.

Gives: a block of bytes, half as many along K and twice as many along M or N.
Errors: a buffer of other elements; a layout that is no `DotOperandLayout` of an `AMDWMMALayout`.

    # hip:gfx1250
    mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 64])
    smem = gl.allocate_shared_memory(gl.uint8, [128, 32], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    tile: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    smem.store(gl.full([128, 32], 17, gl.uint8, tile))
    b = cdna5.load_shared_fp4_repacked(smem, gl.DotOperandLayout(1, mma, 16))
)"},
      {"amd.cdna4.mfma_scaled",
       "a: block, a_scale: value, a_format: str, b: block, b_scale: value, b_format: str, "
       "acc: block, cd_regclass: value = None",
       emitMfmaScaled,
       {.needs = target::Feature::ScaledMfma},
       R"(
a @ b + acc on the matrix cores of gfx950, where every 32 elements along K have a scale.

Formats are "e2m1" (two numbers in each byte, along K, the lower half first), "e4m3" and "e5m2". The
accumulator is float32 in an `AMDMFMALayout` of version 4, the operands lie in its
`DotOperandLayout`s. Scales are bytes, exponents plus 127, of shape [M, K / 32] and [N, K / 32], in
the layout of `get_mfma_scale_layout`; a number stands for all of them, None for one. `cd_regclass`
is that of `mfma`.

Gives: a block like `acc`.
Errors: other layouts, formats or shapes; another `cd_regclass`.

    # hip:gfx950
    mma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
    ofA: gl.constexpr = gl.DotOperandLayout(0, mma, 16)
    a = gl.full([64, 64], 1, gl.uint8, ofA)
    b = gl.full([128, 64], 1.0, gl.float8e4nv, gl.DotOperandLayout(1, mma, 16))
    scales = gl.full([64, 4], 127, gl.uint8, cdna4.get_mfma_scale_layout(ofA, [64, 4]))
    zero = gl.zeros([64, 64], gl.float32, mma)
    product = cdna4.mfma_scaled(a, scales, "e2m1", b, None, "e4m3", zero)
)"},
      {"amd.cdna5.wmma_scaled",
       "a: block, a_scale: value, a_format: str, b: block, b_scale: value, b_format: str, "
       "acc: block",
       emitWmmaScaled,
       {.needs = target::Feature::ScaledWmma},
       R"(
a @ b + acc on the matrix cores of gfx1250, where every 32 or 16 elements along K have a scale.

Formats are "e2m1" (two numbers in each byte, along K, the lower half first), "e4m3" and "e5m2". The
accumulator is float32 in an `AMDWMMALayout` of version 3 and instr_shape [16, 16, 128] (two
operands of 4 bits: or [32, 16, 128]), the operands in `DotOperandLayout`s, those of 4 bits with a K
of 64. In layouts of three dims all have a dim in front, of which each has a product of its own.
Scales are bytes, exponents plus 127, or, of 4-bit operands, float8e4nv, of shape [M, K / block] and
[N, K / block], in the layout of `get_wmma_scale_layout`; a number stands for all of them, None for
one.

Gives: a block like `acc`.
Errors: other layouts, formats or shapes.

    # hip:gfx1250
    mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])
    ofA: gl.constexpr = gl.DotOperandLayout(0, mma, 16)
    a = gl.full([64, 128], 1.0, gl.float8e5, ofA)
    b = gl.full([128, 64], 1.0, gl.float8e4nv, gl.DotOperandLayout(1, mma, 16))
    scales = gl.full([64, 4], 127, gl.uint8, cdna5.get_wmma_scale_layout(ofA, [64, 4]))
    zero = gl.zeros([64, 64], gl.float32, mma)
    product = cdna5.wmma_scaled(a, scales, "e5m2", b, 127, "e4m3", zero)
)"},
      {"amd.cdna3.scaled_upcast",
       "src: block, scale: block, elem_type: dtype, axis: int = None",
       emitUpcast,
       {.needs = target::Feature::ScaledUpcast},
       R"(
Small floats times their scales, as float16 or bfloat16.

Scales are bytes, exponents plus 127. Of 8-bit floats each has its own, in their shape and layout.
Of 4-bit floats two lie in each byte along `axis`, which gets twice as long; a scale belongs to one
or to a run of neighbours along it, and lies in the thread that has them.

Gives: the products, in the layout of `gl.fp4_to_fp` or of `src`.
Errors: other element types; scales of other shapes or in other threads; 4-bit floats without
`axis`.

    # hip:gfx942
    pairs: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [4, 1], [1, 0])
    bytes = gl.full([32, 128], 1, gl.uint8, pairs)
    run: gl.constexpr = cdna3.get_scaled_upcast_fp4_scale_layout(bytes, 32, gl.bfloat16, 1)
    z = cdna3.scaled_upcast(bytes, gl.full([32, 8], 127, gl.uint8, run), gl.bfloat16, axis=1)
)"},
      {"amd.cdna3.get_scaled_upcast_fp4_scale_layout",
       "src: block, scale_factor: int, elem_type: dtype, axis: int",
       emitScaleLayout,
       {.needs = target::Feature::ScaledUpcast},
       R"(
The layout that scales of 4-bit floats have for `scaled_upcast`, one for `scale_factor` neighbours.

Gives: a layout of blocks, whose size along `axis` is that of the floats divided by `scale_factor`.
Errors: what is no block of bytes; a factor that does not divide the size.

    # hip:gfx942
    pairs: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [4, 1], [1, 0])
    bytes = gl.full([32, 128], 1, gl.uint8, pairs)
    run: gl.constexpr = cdna3.get_scaled_upcast_fp4_scale_layout(bytes, 32, gl.float16, 1)
)"},
      {"amd.cdna4.scaled_downcast",
       "input: block, scale: block, format: str, axis: int = -1",
       emitDowncast,
       {.needs = target::Feature::ScaledDowncast},
       R"(
Floats divided by their scales, as small floats.

`format` is "e4m3", "e5m2" or "e2m1", of which two go into each byte along `axis`, the first one in
the lower half. What is too large becomes the largest. Scales are bytes, exponents plus 127, each
for a run of 8 or more neighbours along `axis`, in the thread that has them.

Gives: 8-bit floats like `input`, or bytes, half as many along `axis`.
Errors: other element types and formats; scales of other shapes or in other threads; pairs that lie
in two threads.

    # hip:gfx950
    wide: gl.constexpr = gl.BlockedLayout([1, 32], [8, 8], [4, 1], [1, 0])
    run: gl.constexpr = gl.BlockedLayout([1, 1], [8, 8], [4, 1], [1, 0])
    floats = gl.full([32, 256], 1.0, gl.float32, wide)
    z = cdna4.scaled_downcast(floats, gl.full([32, 8], 127, gl.uint8, run), "e2m1", axis=1)
)"},
      {"amd.slice",
       "source: block, shape: ints, offsets: ints",
       emitSlice,
       {.needs = target::Feature::BufferAccess},
       R"(
A part of a block that every thread has already: whole tiles of the layout.

Gives: a block of this shape, in the layout of `source`.
Errors: a part outside of the block; one for which elements would change their threads.

    # hip:gfx942
    waves: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
    part = gl.amd.slice(gl.full([64, 64], 1.0, gl.float32, waves), [32, 32], [32, 0])
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

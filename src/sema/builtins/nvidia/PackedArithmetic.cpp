//===- PackedArithmetic.cpp - Neighbouring elements by one instruction --------===//
//
// Two elements of 32 or 16 bits, or four of 8 bits and less. Which types go together
// is said in ir/ttng/PackedArith.h.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Encoding.h"
#include "ir/ttng/PackedArith.h"
#include "layout/named/Inference.h"

namespace gluonc::sema::ops {

using Kind = ttng::PackedArithOpKind;
using Operands = llvm::SmallVector<Operand, 3>;

static std::nullopt_t refuse(Context &context, diag::Span span, Kind kind, const llvm::Twine &why) {
  context
      .report(diag::Kind::PackedOperands, span, ttng::stringifyPackedArithOpKind(kind), why.str())
      .end();
  return std::nullopt;
}

/// The block whose shape the result has: the largest of floats; null where there are none.
static const Operand *referenceOf(llvm::ArrayRef<Operand> operands) {
  const Operand *largest = nullptr;
  auto size = [](const Operand &operand) {
    return operand.value.blockTensorType().getNumElements();
  };
  for (const Operand &operand : operands)
    if (operand.isBlock() && operand.dtype().isFloat() &&
        (!largest || size(operand) > size(*largest)))
      largest = &operand;
  return largest;
}

/// Whether it holds two e2m1 numbers a byte.
static bool isPacked(const Operand &operand, const Operand *reference) {
  return operand.isBlock() && operand.dtype().isInt() && operand.dtype().bitWidth() == 8 &&
         (!reference || operand.value.shape() != reference->value.shape());
}

/// Of two types the one with the greater number has room for both; those of 8 bits have none.
static unsigned rankOf(DType dtype) {
  return dtype == dtypes::float64    ? 4
         : dtype == dtypes::float32  ? 3
         : dtype == dtypes::float16  ? 2
         : dtype == dtypes::bfloat16 ? 1
                                     : 0;
}

/// The type of the result where none is asked for.
static DType inferredType(Kind kind, llvm::ArrayRef<Operand> operands, const Operand &reference) {
  const Operand &last = operands.back();
  const bool sums = kind == Kind::ADD || kind == Kind::SUB || kind == Kind::FMA;
  DType dtype = sums && last.isBlock() && last.dtype().isFp8() ? last.dtype() : reference.dtype();
  for (const Operand &operand : operands)
    if (operand.isBlock() && operand.dtype().isFloat() && rankOf(operand.dtype()) > rankOf(dtype))
      dtype = operand.dtype();
  return dtype;
}

/// Scalars become blocks of `dtype`, and all blocks but packed ones get one shape and layout.
static bool unify(Context &context, Operands &operands, const Operand *reference, DType dtype) {
  if (!reference)
    return true;
  const mlir::Type like = reference->value.irType();
  Operands whole;
  for (const Operand &operand : operands) {
    if (isPacked(operand, reference))
      continue;
    whole.push_back(operand);
    if (operand.isBlock())
      continue;
    Result value = toType(context, operand, dtype, like);
    if (!value)
      return false;
    whole.back().value = *value;
  }
  if (!broadcast(context, llvm::MutableArrayRef<Operand>(whole)))
    return false;
  const Operand *next = whole.begin();
  for (Operand &operand : operands)
    if (!isPacked(operand, reference))
      operand = *next++;
  return true;
}

/// The result of packed operands alone: twice as long along the last dim.
static std::optional<mlir::RankedTensorType> unpackedType(Context &context, Kind kind,
                                                          const Operand &operand, DType dtype) {
  mlir::RankedTensorType type = operand.value.blockTensorType();
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.back() *= 2;
  mlir::Attribute encoding = type.getEncoding();
  if (!isAuto(type)) {
    layout::Inferred layout =
        layout::unpackLayout(layoutOf(operand.value), type.getShape(), int64_t(shape.size()) - 1);
    if (!layout)
      return refuse(context, operand.span, kind, layout.why), std::nullopt;
    encoding = fromLayout(context.mlirContext(), *layout.layout);
  }
  return mlir::RankedTensorType::get(shape, dtype.toMlir(context.mlirContext()), encoding);
}

/// Whether an instruction does it: element types, shapes, elements of a thread.
static bool checkForm(Context &context, Kind kind, llvm::ArrayRef<Operand> operands,
                      mlir::RankedTensorType result, DType dtype) {
  llvm::SmallVector<mlir::Type, 3> elements;
  llvm::SmallVector<mlir::RankedTensorType, 3> types;
  std::string names;
  for (const Operand &operand : operands) {
    types.push_back(operand.value.blockTensorType());
    elements.push_back(types.back().getElementType());
    names += (names.empty() ? "" : ", ") + operand.dtype().name();
  }
  auto form = ttng::packedForm(kind, result.getElementType(), elements);
  if (!form)
    return refuse(context, context.span, kind,
                  "there is no instruction for " + names + " that gives " + dtype.name()),
           false;
  if (*form != ttng::PackedForm::Pairs &&
      !requireFeature(
          context,
          (ttng::stringifyPackedArithOpKind(kind) + " of " + names + " into " + dtype.name()).str(),
          target::Feature::MixedPackedArithmetic))
    return false;
  const bool halves = llvm::any_of(elements, [](mlir::Type type) { return type.isInteger(8); });
  if (halves && !ttng::packedAxis(result.getShape(), types))
    return refuse(context, context.span, kind,
                  "blocks of two e2m1 numbers a byte must have half of the other's elements along "
                  "one dimension"),
           false;
  const layout::LinearLayout *linear = linearOrNull(result);
  const unsigned lanes = ttng::lanesOf(*form);
  if (linear &&
      1u << linear->removeZeroBases(layout::Dim::Register).inLog2(layout::Dim::Register) < lanes)
    return refuse(context, context.span, kind,
                  "each thread must hold " + llvm::Twine(lanes) +
                      " elements or more, but in this layout it holds fewer"),
           false;
  return true;
}

template <Kind kind> static Result emitPacked(Context &context, const BoundArgs &arguments) {
  Operands operands;
  for (llvm::StringRef name : {"lhs", "rhs", "acc"})
    if (arguments.signature.find(name) < arguments.signature.count()) {
      if (!tensorArgument(context, arguments, name))
        return std::nullopt;
      operands.push_back(operand(arguments, name));
    }
  if (llvm::none_of(operands, [](const Operand &operand) { return operand.isBlock(); }))
    return refuse(context, context.span, kind, "at least one operand must be a block");
  const Operand *found = referenceOf(operands);
  std::optional<Operand> reference;
  if (found)
    reference = *found;
  const Operand *like = reference ? &*reference : nullptr;
  for (const Operand &operand : operands)
    if (!like && !isPacked(operand, like))
      return refuse(context, operand.span, kind, "one operand must be a block of floats");
  std::optional<DType> dtype;
  if (isGiven(arguments["dtype"]))
    dtype = dtypeArgument(context, arguments, "dtype");
  else if (like)
    dtype = inferredType(kind, operands, *like);
  else
    return refuse(
        context, context.span, kind,
        "blocks of two e2m1 numbers a byte do not say the type of the result: give `dtype`");
  if (dtype && !dtype->isFloat())
    return refuse(context, arguments.span("dtype"), kind,
                  "its result holds floats, not " + dtype->name());
  if (!dtype || !unify(context, operands, like, *dtype))
    return std::nullopt;
  std::optional<mlir::RankedTensorType> type;
  if (!like)
    type = unpackedType(context, kind, operands.front(), *dtype);
  else if (const Operand *whole = referenceOf(operands))
    type =
        mlir::cast<mlir::RankedTensorType>(typeWithElement(context, whole->value.irType(), *dtype));
  if (!type || !checkForm(context, kind, operands, *type, *dtype))
    return std::nullopt;
  auto values =
      llvm::map_to_vector<3>(operands, [](const Operand &each) { return each.value.ir(); });
  return tensor(
      ttng::PackedArithOp::create(context.builder, context.loc(), *type, kind, values).getResult(),
      *dtype);
}

static constexpr Traits onBlackwell = {.needs = target::Feature::PackedArithmetic};
static constexpr Traits onRubin = {.isInherited = false,
                                   .needs = target::Feature::MixedPackedArithmetic};

llvm::ArrayRef<Builtin> packedArithmeticBuiltins() {
  static const Builtin table[] = {
      {"nvidia.blackwell.add2", "lhs: tensor, rhs: tensor, dtype: dtype = None",
       emitPacked<Kind::ADD>, onBlackwell, R"(
Adds, two neighbouring elements of a thread by one instruction.

Of float32, float16 and bfloat16. Scalars fill the shape of the other operand.

Gives: a block of the operands' type.
Errors: no block; other types; a layout in which a thread holds one element.

    # cuda:100a
    z = blackwell.add2(tile, tile)
)"},
      {"nvidia.blackwell.sub2", "lhs: tensor, rhs: tensor, dtype: dtype = None",
       emitPacked<Kind::SUB>, onBlackwell, R"(
Subtracts, two neighbouring elements of a thread by one instruction.

Of float32, float16 and bfloat16. Scalars fill the shape of the other operand.

Gives: a block of the operands' type.
Errors: no block; other types; a layout in which a thread holds one element.

    # cuda:100a
    z = blackwell.sub2(tile, 1.0)
)"},
      {"nvidia.blackwell.mul2", "lhs: tensor, rhs: tensor, dtype: dtype = None",
       emitPacked<Kind::MUL>, onBlackwell, R"(
Multiplies, two neighbouring elements of a thread by one instruction.

Of float32, float16 and bfloat16. Scalars fill the shape of the other operand.

Gives: a block of the operands' type.
Errors: no block; other types; a layout in which a thread holds one element.

    # cuda:100a
    z = blackwell.mul2(tile, 0.5)
)"},
      {"nvidia.blackwell.fma2", "lhs: tensor, rhs: tensor, acc: tensor, dtype: dtype = None",
       emitPacked<Kind::FMA>, onBlackwell, R"(
lhs * rhs + acc, rounded once, two neighbouring elements of a thread by one instruction.

Of float32, float16 and bfloat16. Scalars fill the shape of the other operands.

Gives: a block of the operands' type.
Errors: no block; other types; a layout in which a thread holds one element.

    # cuda:100a
    z = blackwell.fma2(tile, tile, 1.0)
)"},
      {"nvidia.blackwell.min2", "lhs: tensor, rhs: tensor, dtype: dtype = None",
       emitPacked<Kind::MIN>, onBlackwell, R"(
The lesser of each two elements, two neighbours of a thread by one instruction.

Of float16 and bfloat16. A number is less than NaN.

Gives: a block of the operands' type.
Errors: no block; other types; a layout in which a thread holds one element.

    # cuda:100a
    z = blackwell.min2(tile.to(gl.float16), 1.0)
)"},
      {"nvidia.blackwell.max2", "lhs: tensor, rhs: tensor, dtype: dtype = None",
       emitPacked<Kind::MAX>, onBlackwell, R"(
The greater of each two elements, two neighbours of a thread by one instruction.

Of float16 and bfloat16. A number is greater than NaN.

Gives: a block of the operands' type.
Errors: no block; other types; a layout in which a thread holds one element.

    # cuda:100a
    z = blackwell.max2(tile.to(gl.float16), 0.0)
)"},
      {"nvidia.rubin.add4", "lhs: tensor, rhs: tensor, dtype: dtype = None", emitPacked<Kind::ADD>,
       onRubin, R"(
Adds, four neighbouring elements of a thread by one instruction.

Of 8-bit floats; `lhs` may be a block of int8 with two e2m1 numbers a byte, the lower one first,
which has half as many elements along one dimension. There is no machine code for it yet.

Gives: a block of the type of `rhs`.
Errors: no block; other types; a layout in which a thread holds fewer than four elements.

    # cuda:107a
    z = gl.nvidia.rubin.add4(tile.to(gl.float8e5), tile.to(gl.float8e4nv))
)"},
      {"nvidia.rubin.sub4", "lhs: tensor, rhs: tensor, dtype: dtype = None", emitPacked<Kind::SUB>,
       onRubin, R"(
Subtracts, four neighbouring elements of a thread by one instruction.

Of 8-bit floats; `lhs` may be a block of int8 with two e2m1 numbers a byte, the lower one first,
which has half as many elements along one dimension. There is no machine code for it yet.

Gives: a block of the type of `rhs`.
Errors: no block; other types; a layout in which a thread holds fewer than four elements.

    # cuda:107a
    z = gl.nvidia.rubin.sub4(tile.to(gl.float8e5), tile.to(gl.float8e4nv))
)"},
      {"nvidia.rubin.mul4", "lhs: tensor, rhs: tensor, dtype: dtype = None", emitPacked<Kind::MUL>,
       onRubin, R"(
Multiplies, four neighbouring elements of a thread by one instruction.

Of 8-bit floats, or blocks of int8 with two e2m1 numbers a byte, the lower one first. Of two such
`dtype` says the result's type. There is no machine code for it yet.

Gives: a block of `dtype`, float8e4nv or float8e5.
Errors: no block; other types; a layout in which a thread holds fewer than four elements.

    # cuda:107a
    z = gl.nvidia.rubin.mul4(tile.to(gl.float8e5), tile.to(gl.float8e5))
)"},
      {"nvidia.rubin.fma4", "lhs: tensor, rhs: tensor, acc: tensor, dtype: dtype = None",
       emitPacked<Kind::FMA>, onRubin, R"(
lhs * rhs + acc, four neighbouring elements of a thread by one instruction.

Of 8-bit floats; `lhs` and `rhs` may be blocks of int8 with two e2m1 numbers a byte, the lower one
first. There is no machine code for it yet.

Gives: a block of the type of `acc`.
Errors: no block; other types; a layout in which a thread holds fewer than four elements.

    # cuda:107a
    e: gl.constexpr = gl.float8e4nv
    z = gl.nvidia.rubin.fma4(tile.to(e), tile.to(e), tile.to(e))
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

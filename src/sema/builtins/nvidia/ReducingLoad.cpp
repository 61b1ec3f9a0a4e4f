//===- ReducingLoad.cpp - Loads from tensor memory that also reduce rows ------===//
#include "sema/builtins/nvidia/Hopper.h"

#include "ir/Encoding.h"
#include "ir/Views.h"
#include "ir/ttng/ReducingLoad.h"
#include "layout/named/Inference.h"
#include "sema/builtins/nvidia/TensorMemory.h"

namespace gluonc::sema::ops {

using Modifier = ttng::TMEMLoadReduceModifier;

/// PropagateNan.NONE or ALL, or None.
static std::optional<bool> propagatesNan(Context &context, const BoundArgs &arguments) {
  const Value &value = arguments["propagate_nan"];
  if (!isGiven(value))
    return false;
  std::optional<int64_t> number = value.is(ValueKind::Int) ? value.asInt64() : std::nullopt;
  std::optional<tt::PropagateNan> known =
      number ? tt::symbolizePropagateNan(uint32_t(*number)) : std::nullopt;
  if (known)
    return *known == tt::PropagateNan::ALL;
  context
      .report(diag::Kind::ArgumentKind, arguments.span("propagate_nan"), "propagate_nan",
              "gl.PropagateNan.NONE or gl.PropagateNan.ALL", value.typeName())
      .end();
  return std::nullopt;
}

template <Modifier modifier>
static Result emitReducingLoad(Context &context, const BoundArgs &arguments) {
  const llvm::StringRef name = modifier == Modifier::MIN ? "load_min" : "load_max";
  std::optional<mlir::RankedTensorType> type = loadedType(context, arguments, name);
  auto absolute = boolArgument(context, arguments, "abs");
  auto nan = propagatesNan(context, arguments);
  if (!type || !absolute || !nan || !requireFeature(context, name, target::Feature::ReducingLoad))
    return std::nullopt;
  if (std::string problem = ttng::whyNoReducingLoad(*type); !problem.empty()) {
    context.report(diag::Kind::TensorMemoryOperand, context.span, name, problem).end();
    return std::nullopt;
  }
  mlir::OpBuilder &builder = context.builder;
  layout::Inferred rows = layout::reduceLayout(toLayout(type->getEncoding()), 1);
  auto reduced = mlir::RankedTensorType::get(type->getShape().take_front(), type->getElementType(),
                                             fromLayout(context.mlirContext(), *rows.layout));
  const Value &buffer = arguments["tmem"];
  auto load = ttng::TMEMLoadOp::create(
      builder, context.loc(), *type, mlir::Type(), reduced, buffer.ir(), mlir::Value(),
      ttng::TMEMLoadReduceModifierAttr::get(context.mlirContext(), modifier),
      builder.getBoolAttr(*absolute), builder.getBoolAttr(*nan));
  return Value::tuple(
      {tensor(load.getResult(), buffer.dtype()), tensor(load.getRed(), buffer.dtype())});
}

llvm::ArrayRef<Builtin> reducingLoadMethods() {
  static const Builtin table[] = {
      {"load_min",
       "tmem: buffer, layout: layout = None, abs: bool = False, propagate_nan: value = None",
       emitReducingLoad<Modifier::MIN>, asFunction, R"(
Reads the whole buffer, and the least element of each row.

With `abs` the least absolute value. NaNs do not count, but with `gl.PropagateNan.ALL` a row that
has one gives NaN. It is for float32, in a layout in which a thread holds a row.

Gives: a tuple of the block, and a block of one number per row in the `SliceLayout` of dim 1.
Errors: other types and layouts; chips without this load: it needs cuda:103.

    # cuda:103a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    z, least = acc.load_min()
)"},
      {"load_max",
       "tmem: buffer, layout: layout = None, abs: bool = False, propagate_nan: value = None",
       emitReducingLoad<Modifier::MAX>, asFunction, R"(
Reads the whole buffer, and the greatest element of each row.

With `abs` the greatest absolute value. NaNs do not count, but with `gl.PropagateNan.ALL` a row
that has one gives NaN. It is for float32, in a layout in which a thread holds a row.

Gives: a tuple of the block, and a block of one number per row in the `SliceLayout` of dim 1.
Errors: other types and layouts; chips without this load: it needs cuda:103.

    # cuda:103a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    z, greatest = acc.load_max(abs=True)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

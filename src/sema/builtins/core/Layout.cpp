//===- Layout.cpp - Changing and inspecting layouts ---------------------------===//
#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "layout/named/Inference.h"
#include "layout/plan/Conversion.h"

namespace gluonc::sema::ops {

/// The encoding of a `layout` argument that suits a tensor of this shape.
static std::optional<mlir::Attribute> encodingArgument(Context &context, const BoundArgs &arguments,
                                                       llvm::ArrayRef<int64_t> shape) {
  const Value &layout = arguments["layout"];
  if (!layout.is(ValueKind::Layout)) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("layout"), "layout", "a layout",
                layout.typeName())
        .end();
    return std::nullopt;
  }
  if (!checkLayout(context, layout.asLayout(), shape, arguments.span("layout")))
    return std::nullopt;
  return fromLayout(context.mlirContext(), layout.asLayout());
}

/// Whether both types keep every element in the same thread.
static bool isTrivial(mlir::RankedTensorType from, mlir::RankedTensorType to) {
  layout::ConversionPlan plan = layout::planConversion(
      toLinear(from).removeZeroBases(layout::Dim::Register),
      toLinear(to).removeZeroBases(layout::Dim::Register), elementBits(from.getElementType()));
  return std::holds_alternative<layout::IdentityPlan>(plan) ||
         std::holds_alternative<layout::RegisterPlan>(plan);
}

static Result emitConvertLayout(Context &context, const BoundArgs &arguments) {
  std::optional<bool> assertTrivial = boolArgument(context, arguments, "assert_trivial");
  if (!assertTrivial || !blockArgument(context, arguments, "value"))
    return std::nullopt;
  const Value &source = arguments["value"];
  std::optional<mlir::Attribute> encoding = encodingArgument(context, arguments, source.shape());
  if (!encoding)
    return std::nullopt;
  mlir::RankedTensorType from = source.blockTensorType();
  if (*encoding == from.getEncoding())
    return source;
  auto to = mlir::RankedTensorType::get(from.getShape(), from.getElementType(), *encoding);
  layout::Layout fromLayout = layoutOf(source), toLayout = arguments["layout"].asLayout();
  bool isKnown = !fromLayout.isPlaceholder() && !toLayout.isPlaceholder();
  if (*assertTrivial && !(isKnown && isTrivial(from, to))) {
    diag::Builder builder = context.report(diag::Kind::ConversionNotTrivial, context.span,
                                           fromLayout.toString(), toLayout.toString());
    if (isKnown)
      std::move(builder)
          .note("from {0}", toLinear(from).toString())
          .note("to {0}", toLinear(to).toString());
    return std::nullopt;
  }
  return tensor(ttg::ConvertLayoutOp::create(context.builder, context.loc(), to, source.ir(),
                                             /*force_warp_shuffle=*/false),
                source.dtype());
}

static Result emitSetAutoLayout(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "value"))
    return std::nullopt;
  const Value &source = arguments["value"];
  if (!isAuto(source.blockTensorType())) {
    context.report(diag::Kind::LayoutNotAuto, arguments.span("value"), layoutOf(source).toString())
        .hint("use `gl.convert_layout`");
    return std::nullopt;
  }
  std::optional<mlir::Attribute> encoding = encodingArgument(context, arguments, source.shape());
  if (!encoding)
    return std::nullopt;
  return pinLayout(context, source, *encoding);
}

llvm::ArrayRef<Builtin> layoutBuiltins() {
  static const Builtin table[] = {
      {"convert_layout", "value: block, layout: layout, assert_trivial: bool = False",
       emitConvertLayout, asFunction, R"(
Moves the elements of a block to where another layout has them.

It costs nothing where both layouts agree, registers where only those differ, shuffles within a
warp, and shared memory otherwise. `assert_trivial` makes everything but the first two cases an
error.

Gives: the elements of `x` in `layout`.
Errors: a layout that does not fit shape or kernel; a conversion that is not trivial where that was
asked for.

    other: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    z = gl.convert_layout(x, other)
)"},
      {"set_auto_layout", "value: block, layout: layout", emitSetAutoLayout, asFunction, R"(
Decides the layout of a block that lies in `AutoLayout`.

What `x` was computed from gets the layouts that lead to this one.

Gives: `x` in `layout`.
Errors: a block that has a layout already; one that does not fit shape or kernel.

    z = gl.set_auto_layout(gl.arange(0, 128), layout)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

//===- PackedLoads.cpp - AMD: loads that repack 4-bit numbers -------------------===//
#include "sema/builtins/amd/Products.h"
#include "sema/builtins/shared/Shared.h"

#include "ir/amdg/AmdOps.h"

namespace gluonc::sema::ops {

static std::nullopt_t bad(Context &context, diag::Span span, const llvm::Twine &text) {
  context.report(diag::Kind::BadArgument, span, text.str()).end();
  return std::nullopt;
}

/// The operand's layout, with a parent of that kind; null after a report.
template <class Parent>
static const layout::DotOperandLayout *operandLayout(Context &context, const BoundArgs &arguments,
                                                     llvm::StringRef parent) {
  const Value &layout = arguments["layout"];
  const auto *operand = layout.is(ValueKind::Layout)
                            ? layout.asLayout().template as<layout::DotOperandLayout>()
                            : nullptr;
  if (operand && operand->parent.template as<Parent>())
    return operand;
  context
      .report(diag::Kind::ArgumentKind, arguments.span("layout"), "layout",
              ("a DotOperandLayout of an " + parent).str(),
              layout.is(ValueKind::Layout) ? layout.asLayout().toString() : layout.typeName())
      .end();
  return nullptr;
}

template <class Parent>
static Result emitRepackedLoad(Context &context, const BoundArgs &arguments,
                               llvm::StringRef parent) {
  const Value &buffer = arguments["mem_desc"];
  if (!bufferArgument(context, arguments, "mem_desc") ||
      !checkSingleBuffer(context, buffer, arguments.span("mem_desc"), "load_shared_fp4_repacked"))
    return std::nullopt;
  const auto *operand = operandLayout<Parent>(context, arguments, parent);
  if (!operand)
    return std::nullopt;
  llvm::SmallVector<int64_t> shape(buffer.shape());
  if (buffer.dtype() != ScalarKind::Int8 && buffer.dtype() != ScalarKind::UInt8)
    return bad(context, arguments.span("mem_desc"), "needs a buffer of int8 or uint8");
  if ((shape.size() != 2 && shape.size() != 3) || operand->rank() != shape.size())
    return bad(context, arguments.span("mem_desc"),
               "needs a buffer of two or three dims, as many as the layout has");
  size_t k = operand->kDim(), other = shape.size() - (operand->operandIndex == 0 ? 2 : 1);
  if (shape[k] % 2)
    return bad(context, arguments.span("mem_desc"), "needs an even number of bytes along K");
  shape[k] /= 2;
  shape[other] *= 2;
  std::optional<mlir::RankedTensorType> type = blockType(
      context, shape, context.span, buffer.dtype(), arguments["layout"], arguments.span("layout"));
  if (!type)
    return std::nullopt;
  return tensor(
      amdg::LocalLoadPackedTransposedOp::create(context.builder, context.loc(), *type, buffer.ir()),
      buffer.dtype());
}

Result emitRepackedLoadForMfma(Context &context, const BoundArgs &arguments) {
  return emitRepackedLoad<layout::AMDMFMALayout>(context, arguments, "AMDMFMALayout");
}

Result emitRepackedLoadForWmma(Context &context, const BoundArgs &arguments) {
  return emitRepackedLoad<layout::AMDWMMALayout>(context, arguments, "AMDWMMALayout");
}

} // namespace gluonc::sema::ops

//===- Products.cpp - Matrix products ---------------------------------------------------===//
#include "lift/ops/Handlers.h"

using namespace mlir;

namespace gluonc::lift {

/// The function that multiplies into a result of this layout.
static std::string functionFor(File &file, Attribute encoding) {
  if (isa<ttg::NvidiaMmaEncodingAttr>(encoding))
    return file.vendorModule("nvidia", "ampere") + ".mma_v2";
  if (isa<ttg::AMDMfmaEncodingAttr>(encoding))
    return file.vendorModule("amd", "cdna3") + ".mfma";
  if (auto wmma = dyn_cast<ttg::AMDWmmaEncodingAttr>(encoding)) {
    static constexpr llvm::StringLiteral modules[] = {"rdna3", "rdna4", "cdna5"};
    return file.vendorModule("amd", modules[wmma.getValue().version - 1]) + ".wmma";
  }
  return "gl.dot_fma";
}

static std::optional<Expr> handleDot(Tree &tree, tt::DotOp op) {
  Attribute encoding = cast<RankedTensorType>(op.getD().getType()).getEncoding();
  // The language multiplies float32 on AMD's matrix cores as it is, on NVIDIA's never.
  bool isCut = op.getInputPrecision() == tt::InputPrecision::TF32;
  if (getElementTypeOrSelf(op.getA().getType()).isF32() &&
      (isCut ? isa<ttg::AMDMfmaEncodingAttr>(encoding) : isa<ttg::NvidiaMmaEncodingAttr>(encoding)))
    return std::nullopt;
  Call call(tree, functionFor(tree.file(), encoding));
  return call.signedValue(op.getA()).signedValue(op.getB()).signedValue(op.getC()).end();
}

static std::optional<Expr> handleWarpGroupDot(Tree &tree, ttng::WarpGroupDotOp op) {
  if (op.getUnsignedA() || op.getUnsignedB())
    return std::nullopt;
  Call call(tree, tree.file().vendorModule("nvidia", "hopper") + ".warpgroup_mma");
  if (Value uses = op.getUseC())
    call.keyword("use_acc", tree.plainArgument(uses));
  call.signedValue(op.getA()).value(op.getB()).signedValue(op.getC());
  auto elementOf = [](Value value) {
    auto buffer = dyn_cast<ttg::MemDescType>(value.getType());
    return buffer ? buffer.getElementType() : getElementTypeOrSelf(value.getType());
  };
  auto isByteFloat = [&](Value value) {
    Type element = elementOf(value);
    return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
  };
  call.choice("precision", tt::stringifyInputPrecision(op.getInputPrecision()), "tf32");
  // What the language takes where nothing is said.
  uint32_t usual = isByteFloat(op.getA()) && isByteFloat(op.getB()) ? 1u << 30 : 0;
  if (op.getMaxNumImpreciseAcc() != usual)
    call.keyword("max_num_imprecise_acc", llvm::Twine(op.getMaxNumImpreciseAcc()));
  tree.setFacts(op.getD(), {.isAccumulator = op.getIsAsync()});
  return call.flag("is_async", op.getIsAsync()).end();
}

static std::optional<Expr> handleWait(Tree &tree, ttng::WarpGroupDotWaitOp op) {
  if (op.getWarpGroupLocal())
    return std::nullopt;
  Call call(tree, tree.file().vendorModule("nvidia", "hopper") + ".warpgroup_mma_wait");
  call.add(llvm::Twine(op.getPendings()));
  std::string inputs;
  for (Value input : op.getInputs())
    inputs += (inputs.empty() ? "" : ", ") + tree.signedArgument(input);
  return call.add("[" + inputs + "]").end();
}

void addProducts(HandlerTable &table) {
  on<tt::DotOp, handleDot>(table);
  on<ttng::WarpGroupDotOp, handleWarpGroupDot>(table);
  on<ttng::WarpGroupDotWaitOp, handleWait>(table);
}

} // namespace gluonc::lift

//===- LowerDescriptors.cpp - Descriptors that a kernel makes -----------------===//
//
// The copy engine reads a descriptor from 128 bytes of global memory. A kernel
// that makes one needs such a place, writes it there and tells the copy engine:
//
//   %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %1]
// ==>
//   %g = ttg.global_scratch_alloc {nbytes = 128, alignment = 128}
//   ttng.tensormap_create %g, %p, [box], [%n, %m], [%s * bytes], [1, 1] {codes}
//   ttng.tensormap_fenceproxy_acquire %g
//   %d = ttng.reinterpret_tensor_descriptor %g
//
// One place for each such operation, not for each time it runs: a kernel that
// makes a descriptor in a loop waits for the copies through the one before.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/Report.h"
#include "target/nvidia/BoxCopies.h"
#include "transform/Pipeline.h"

using namespace mlir;

namespace gluonc {

namespace tma = target::nvidia::tma;

namespace {

tma::ElementCode elementCode(Type element) {
  using enum tma::ElementCode;
  bool isSigned = !element.isUnsignedInteger();
  if (element.isF16())
    return F16;
  if (element.isBF16())
    return BF16;
  switch (element.getIntOrFloatBitWidth()) {
  case 8:
    return U8;
  case 16:
    return U16;
  case 32:
    return element.isF32() ? F32 : isSigned ? S32 : U32;
  default:
    return element.isF64() ? F64 : isSigned ? S64 : U64;
  }
}

struct Lowering {
  explicit Lowering(tt::MakeTensorDescOp op) : op(op), builder(op) {}

  void run() {
    auto encoding = cast<ttg::NVMMASharedEncodingAttr>(op.getType().getSharedLayout());
    const layout::NVMMASharedLayout &layout = encoding.getValue();
    Type element = op.getType().getElementType();
    int64_t bytes = elementBytes(ttng::signless(element));
    layout::Ints box = layout.messageShape(op.getType().getShape());
    size_t rank = box.size();
    llvm::SmallVector<Value> shape(op.getShape());
    // The block counts bytes, the descriptor the two elements in each.
    if (layout.fp4Padded) {
      box.back() *= 2;
      shape.back() = builder.createOrFold<arith::MulIOp>(op.getLoc(), shape.back(), number(2));
    }
    llvm::SmallVector<Value> lengths, extents, strides, steps(rank, number(1));
    // From the innermost dim outwards.
    for (size_t i = rank; i-- != 0;) {
      lengths.push_back(number(box[i]));
      extents.push_back(shape[i]);
      if (i + 1 != rank)
        strides.push_back(builder.createOrFold<arith::MulIOp>(
            op.getLoc(), op.getStrides()[i],
            arith::ConstantIntOp::create(builder, op.getLoc(), bytes, 64)));
    }
    auto pointer = tt::PointerType::get(builder.getI8Type(), 1);
    Value place = ttg::GlobalScratchAllocOp::create(builder, op.getLoc(), pointer,
                                                    tma::descriptorBytes, tma::descriptorBytes);
    ttng::TensormapCreateOp::create(
        builder, op.getLoc(), place, op.getBase(), lengths, extents, strides, steps,
        unsigned(layout.fp4Padded ? tma::ElementCode::Padded4Bits : elementCode(element)),
        /*interleave_layout=*/0, tma::swizzleCode(layout.swizzleByteWidth),
        op.getPadding() == tt::PaddingOption::PAD_NAN);
    ttng::TensormapFenceproxyAcquireOp::create(builder, op.getLoc(), place);
    op.replaceAllUsesWith(
        ttng::ReinterpretTensorDescOp::create(builder, op.getLoc(), op.getType(), place)
            .getResult());
    op.erase();
  }

private:
  Value number(int64_t value) {
    return arith::ConstantIntOp::create(builder, op.getLoc(), value, 32);
  }

  tt::MakeTensorDescOp op;
  OpBuilder builder;
};

struct LowerDescriptorsPass : PassWrapper<LowerDescriptorsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerDescriptorsPass)
  llvm::StringRef getArgument() const override { return "gluonc-lower-descriptors"; }
  llvm::StringRef getDescription() const override {
    return "Give descriptors that the kernel makes a place in global memory";
  }

  void runOnOperation() override {
    llvm::SmallVector<tt::MakeTensorDescOp> all;
    // AMD's engine takes descriptors from registers.
    getOperation().walk([&](tt::MakeTensorDescOp op) {
      if (isa<ttg::NVMMASharedEncodingAttr>(op.getType().getSharedLayout()))
        all.push_back(op);
    });
    for (tt::MakeTensorDescOp op : all)
      Lowering(op).run();
  }
};

struct AllocateGlobalScratchPass : PassWrapper<AllocateGlobalScratchPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllocateGlobalScratchPass)
  llvm::StringRef getArgument() const override { return "gluonc-allocate-global-scratch"; }
  llvm::StringRef getDescription() const override {
    return "Give allocations in global memory their offsets";
  }

  void runOnOperation() override {
    uint64_t bytes = 0, alignment = 1;
    Builder builder(&getContext());
    getOperation().walk([&](ttg::GlobalScratchAllocOp op) {
      // A function that was not inlined has no way to the memory.
      if (!op->getParentOfType<tt::FuncOp>().isPublic()) {
        report(diag::Kind::GlobalScratchInFunction, op.getLoc(), op->getName());
        return signalPassFailure();
      }
      bytes = llvm::alignTo(bytes, op.getAlignment());
      op->setAttr(ttg::globalScratchOffsetAttr, builder.getI32IntegerAttr(int32_t(bytes)));
      bytes += op.getNbytes();
      alignment = std::max<uint64_t>(alignment, op.getAlignment());
    });
    if (!bytes)
      return;
    getOperation()->setAttr(ttg::globalScratchAttr,
                            builder.getI32IntegerAttr(int32_t(llvm::alignTo(bytes, alignment))));
    getOperation()->setAttr(ttg::globalScratchAlignmentAttr,
                            builder.getI32IntegerAttr(int32_t(alignment)));
  }
};

} // namespace

std::unique_ptr<Pass> createLowerDescriptorsPass() {
  return std::make_unique<LowerDescriptorsPass>();
}
std::unique_ptr<Pass> createAllocateGlobalScratchPass() {
  return std::make_unique<AllocateGlobalScratchPass>();
}

} // namespace gluonc

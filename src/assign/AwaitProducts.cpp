//===- AwaitProducts.cpp - Products of tensor memory tell when they are over --------===//
//
// Until here a product by tcgen05 was over when the next operation began. Each gets a barrier, and
// a wait for it; of several in a row the last one does:
//
//   tc_gen5_mma %a, %b, %d      ==>    tc_gen5_mma %a, %b, %d, barrier
//                                      wait_barrier barrier
//
// In a loop there is one barrier before it, whose phase the loop carries.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/BoxCopies.h"
#include "assign/TensorMemoryProduct.h"
#include "ir/OpenLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gluonc {
namespace {

using assign::TensorMemoryProduct;
using Products = SmallVector<TensorMemoryProduct>;

Value number(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
}

/// Whether products may still run while it does: it touches neither their sums nor memory that
/// was there before them.
bool isHarmless(Operation *op) {
  return isMemoryEffectFree(op) || isa<ttg::LocalAllocOp, ttng::TMEMAllocOp>(op);
}

/// The products of a block after which there is a wait.
Products lastProducts(Block &block) {
  Products last;
  bool goesOn = false;
  for (Operation &op : block) {
    TensorMemoryProduct product(&op);
    if (product && !product.getIsAsync()) {
      if (goesOn)
        last.pop_back();
      last.push_back(product);
      goesOn = true;
    } else if (!isHarmless(&op)) {
      goesOn = false;
    }
  }
  return last;
}

void tellAndWait(OpBuilder &builder, TensorMemoryProduct product,
                 const assign::BoxBarriers &barrier, Value phase) {
  builder.setInsertionPoint(product.operation());
  Value first = number(builder, product->getLoc(), 0);
  barrier.tell(builder, first, product);
  builder.setInsertionPointAfter(product.operation());
  barrier.wait(builder, first, phase ? phase : first);
}

void awaitInLoop(scf::ForOp loop, ArrayRef<TensorMemoryProduct> products) {
  IRRewriter rewriter(loop.getContext());
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  auto made = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, number(rewriter, loc, 0), /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> phase) {
        Value next =
            arith::XOrIOp::create(builder, loc, phase.front(), number(builder, loc, 1)).getResult();
        return SmallVector<Value>{next};
      }));
  for (TensorMemoryProduct product : products) {
    rewriter.setInsertionPoint(made);
    assign::BoxBarriers barrier(rewriter, loc, 1);
    tellAndWait(rewriter, product, barrier, made.getRegionIterArgs().back());
    rewriter.setInsertionPointAfter(made);
    barrier.end(rewriter);
  }
}

void awaitHere(TensorMemoryProduct product) {
  OpBuilder builder(product.operation());
  assign::BoxBarriers barrier(builder, product->getLoc(), 1);
  tellAndWait(builder, product, barrier, Value());
  barrier.end(builder);
}

struct AwaitProductsPass : PassWrapper<AwaitProductsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AwaitProductsPass)
  llvm::StringRef getArgument() const override { return "gluonc-await-products"; }
  llvm::StringRef getDescription() const override {
    return "Let products of tensor memory tell when they are over, and wait for them";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<ModuleOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks) {
      Products last = lastProducts(*block);
      auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
      if (loop && !last.empty())
        awaitInLoop(loop, last);
      else
        llvm::for_each(last, awaitHere);
    }
    // A wait tells of all products before it.
    getOperation().walk([](Operation *op) {
      if (TensorMemoryProduct product(op); product)
        product.setIsAsync();
    });
  }
};

} // namespace

std::unique_ptr<Pass> createAwaitProductsPass() { return std::make_unique<AwaitProductsPass>(); }

} // namespace gluonc

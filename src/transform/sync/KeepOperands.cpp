//===- KeepOperands.cpp - Registers that a running product reads ------------------===//
//
// wgmma reads the registers of A while the threads go on, so they must not change before a wait for
// it (PTX ISA 9.7.15.5, wgmma.mma_async). A value that nobody uses any more loses its registers;
// the wait that ends the product takes it, so that it is used there:
//
//     %d = ttng.warp_group_dot %a, %b, %c {isAsync = true}        %a in registers
//     ttng.warp_group_dot_wait %d {pendings = 0}             ⇒    ttng.warp_group_dot_wait %d, %a
//
// Where that wait is in the next iteration of a loop the value goes there as an argument. Where it
// is in a branch, or in an iteration later still, the product is waited for before that.
//
//===----------------------------------------------------------------------===//
#include "ir/Dialects.h"
#include "transform/Pipeline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gluonc {
namespace {

bool isOfProducts(Operation *op) { return isa<ttng::WarpGroupDotOp, ttng::WarpGroupDotWaitOp>(op); }

/// Whether products may be begun or waited for inside of it.
bool hidesProducts(Operation *op) {
  if (isa<tt::CallOp>(op))
    return true;
  return op
      ->walk([&](Operation *inner) {
        return inner != op && (isOfProducts(inner) || isa<tt::CallOp>(inner))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

class Keeper {
public:
  explicit Keeper(ttng::WarpGroupDotOp dot) : rewriter(dot.getContext()), dot(dot) {}

  void run() { follow(dot->getNextNode(), dot.getA(), 0); }

private:
  /// From `op` on to the end of its block; `later` products have begun after this one.
  void follow(Operation *op, Value value, unsigned later) {
    for (; !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
      if (auto product = dyn_cast<ttng::WarpGroupDotOp>(op)) {
        // One that is not asynchronous waits for all.
        if (!product.getIsAsync())
          return waitBefore(op->getNextNode(), value, 0);
        ++later;
      } else if (auto wait = dyn_cast<ttng::WarpGroupDotWaitOp>(op)) {
        if (wait.getPendings() <= later)
          return take(wait, value);
      } else if (hidesProducts(op)) {
        return waitBefore(op, value, later);
      }
    }
    follow(op, value, later, dyn_cast<scf::ForOp>(op->getParentOp()));
  }

  /// Beyond the end of a block. What ends a function or a partition ends its products.
  void follow(Operation *end, Value value, unsigned later, scf::ForOp loop) {
    if (!isa<scf::SCFDialect>(end->getDialect()))
      return;
    if (!loop || isCarried)
      return waitBefore(end, value, later);
    isCarried = true;
    size_t place = llvm::find(end->getOperands(), value) - end->operand_begin();
    if (place == end->getNumOperands())
      loop = carry(loop, value);
    follow(&loop.getBody()->front(), loop.getRegionIterArg(place), later);
    follow(loop->getNextNode(), loop.getResult(place), later);
  }

  /// As the last argument; zeros before the first iteration.
  scf::ForOp carry(scf::ForOp loop, Value value) {
    rewriter.setInsertionPoint(loop);
    Value none = arith::ConstantOp::create(rewriter, loop.getLoc(),
                                           cast<TypedAttr>(rewriter.getZeroAttr(value.getType())));
    return cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, none, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>{value}; }));
  }

  void take(ttng::WarpGroupDotWaitOp wait, Value value) {
    if (llvm::is_contained(wait.getInputs(), value))
      return;
    SmallVector<Value> inputs(wait.getInputs());
    inputs.push_back(value);
    rewriter.setInsertionPoint(wait);
    auto made =
        ttng::WarpGroupDotWaitOp::create(rewriter, wait.getLoc(), ValueRange(inputs).getTypes(),
                                         inputs, wait.getPendings(), wait.getWarpGroupLocal());
    rewriter.replaceOp(wait, made.getResults().drop_back());
  }

  void waitBefore(Operation *op, Value value, unsigned pending) {
    rewriter.setInsertionPoint(op);
    ttng::WarpGroupDotWaitOp::create(rewriter, dot.getLoc(), value.getType(), value, pending,
                                     /*warpGroupLocal=*/false);
  }

  IRRewriter rewriter;
  ttng::WarpGroupDotOp dot;
  bool isCarried = false;
};

struct KeepOperandsPass : PassWrapper<KeepOperandsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepOperandsPass)
  llvm::StringRef getArgument() const override { return "gluonc-keep-operands"; }
  llvm::StringRef getDescription() const override {
    return "Keep registers that products read until they are waited for";
  }

  void runOnOperation() override {
    SmallVector<ttng::WarpGroupDotOp> running;
    getOperation().walk([&](ttng::WarpGroupDotOp dot) {
      if (dot.getIsAsync() && isa<RankedTensorType>(dot.getA().getType()))
        running.push_back(dot);
    });
    for (ttng::WarpGroupDotOp dot : running)
      Keeper(dot).run();
  }
};

} // namespace

std::unique_ptr<Pass> createKeepOperandsPass() { return std::make_unique<KeepOperandsPass>(); }

} // namespace gluonc

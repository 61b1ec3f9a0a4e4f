//===- MeetShares.cpp - CTAs of a cluster write what they themselves read -----------===//
//
// A block that is both operands of a product is loaded once, each CTA its rows of the sum. The
// other operand has rows of all CTAs in every one:
//
//   %b = ttg.local_alloc %x            rows divided among CTAs, to a buffer with all of them
//     ==>  %y = ttg.convert_layout %x  through the memory of both
//          %b = ttg.local_alloc %y
//
// The same where loops store it in a buffer of their own.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/CtaShares.h"
#include "assign/Settle.h"
#include "ir/Encoding.h"
#include "ir/tt/Coalescing.h"

using namespace mlir;

namespace gluonc {
namespace {

void meet(OpOperand &stored, ttg::MemDescType buffer) {
  auto type = cast<RankedTensorType>(stored.get().getType());
  if (!linearOrNull(type) || assign::areSharedAlike(type, buffer))
    return;
  Operation *store = stored.getOwner();
  Attribute encoding = fromLayout(store->getContext(),
                                  assign::registersSharedAs(type, assign::sharesOf(buffer), store));
  stored.set(assign::convertFor(stored.get(), encoding, store));
}

struct MeetSharesPass : PassWrapper<MeetSharesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MeetSharesPass)
  llvm::StringRef getArgument() const override { return "gluonc-meet-shares"; }
  llvm::StringRef getDescription() const override {
    return "Convert what goes to buffers that CTAs of a cluster share otherwise";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    getOperation().walk([](Operation *op) {
      if (!isa<ttg::LocalAllocOp, ttg::LocalStoreOp>(op) || ThreadCounts::at(op).ctas == 1)
        return;
      if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op); alloc && alloc.getSrc())
        meet(alloc.getSrcMutable()[0], alloc.getType());
      else if (auto store = dyn_cast<ttg::LocalStoreOp>(op))
        meet(store.getSrcMutable(), store.getDst().getType());
    });
  }
};

} // namespace

std::unique_ptr<Pass> createMeetSharesPass() { return std::make_unique<MeetSharesPass>(); }

} // namespace gluonc

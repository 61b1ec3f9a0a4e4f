//===- MeetShares.cpp - CTAs of a cluster write what they themselves read -----------===//
//
// A block that is both operands of a product is loaded once, each CTA its rows of the sum. The
// other operand has rows of all CTAs in every one:
//
//   %b = ttg.local_alloc %x            rows divided among CTAs, to a buffer with all of them
//     ==>  %y = ttg.convert_layout %x  through the memory of both
//          %b = ttg.local_alloc %y
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

void meet(ttg::LocalAllocOp alloc) {
  auto type = cast<RankedTensorType>(alloc.getSrc().getType());
  if (!linearOrNull(type) || assign::areSharedAlike(type, alloc.getType()))
    return;
  Attribute encoding =
      fromLayout(alloc.getContext(),
                 assign::registersSharedAs(type, assign::sharesOf(alloc.getType()), alloc));
  alloc.getSrcMutable().assign(assign::convertFor(alloc.getSrc(), encoding, alloc));
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
    getOperation().walk([](ttg::LocalAllocOp alloc) {
      if (alloc.getSrc() && ThreadCounts::at(alloc).ctas > 1)
        meet(alloc);
    });
  }
};

} // namespace

std::unique_ptr<Pass> createMeetSharesPass() { return std::make_unique<MeetSharesPass>(); }

} // namespace gluonc

//===- AllocateTensorMemory.cpp -----------------------------------------------===//
//
// Problem: place buffers in tensor memory, 128 rows by 512 columns, such that those
// alive at one time do not overlap. A buffer has whole columns, of all rows or, in
// tiles of 64 rows, of every second group of 16:
//
//   columns   0 .. 127      128 .. 191
//   rows 0    ┌──────────┐  ┌─half 0──┐
//   rows 16   │ 128 rows │  └─half 1──┘
//             └──────────┘
//
// First fit, largest first, over starting columns and halves. Products read a and write their
// sum in one half, so where one has such an `a` in tensor memory, all keep to half 0.
//
//===----------------------------------------------------------------------===//
#include "ir/Report.h"
#include "ir/ttng/TensorMemoryRules.h"
#include "transform/Pipeline.h"
#include "transform/analysis/Lifetimes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gluonc {

using diag::Kind;
namespace tmem = target::nvidia::tmem;

namespace {

enum Halves : unsigned { Lower = 1, Upper = 2, Both = 3 };

struct Owner {
  MemoryOwner life;
  int64_t columns;
  bool isHalf;
  int64_t begin = 0;
  unsigned halves = Both;

  int64_t end() const { return begin + columns; }
};

class AllocateFunction {
public:
  explicit AllocateFunction(ArrayRef<ttng::TMEMAllocOp> allocs, tt::FuncOp function) {
    llvm::SmallVector<Operation *> ops(allocs.begin(), allocs.end());
    Lifetimes lifetimes(function, ops);
    for (const MemoryOwner &life : lifetimes.owners()) {
      auto footprint =
          ttng::tensorMemoryFootprint(cast<ttng::TMEMAllocOp>(life.op).getResult().getType());
      owners.push_back(
          {life, footprint ? footprint->columns : 0, footprint && footprint->leavesHalf});
    }
    twice = lifetimes.secondLife();
    function.walk([&](ttng::TCGen5MMAOp dot) {
      auto a = dot.getA().getType();
      auto footprint = ttng::tensorMemoryFootprint(a);
      onlyLower |= a.isTensorMemory() && footprint && footprint->leavesHalf;
    });
  }

  /// An allocation that would have to live twice; null if there is none.
  Operation *twice = nullptr;

  /// Columns in use.
  int64_t run() {
    llvm::SmallVector<Owner *> queue, placed;
    for (Owner &owner : owners)
      queue.push_back(&owner);
    // Ties go in program order, which is the order of `owners`.
    llvm::sort(queue, [](Owner *a, Owner *b) {
      return a->columns != b->columns ? a->columns > b->columns : a < b;
    });
    int64_t end = 0;
    for (Owner *owner : queue) {
      place(*owner, placed);
      placed.push_back(owner);
      end = std::max(end, owner->end());
    }
    for (Owner &owner : owners) {
      Builder builder(owner.life.op);
      owner.life.op->setAttr(ttg::tensorMemoryColumnAttr, builder.getI32IntegerAttr(owner.begin));
      owner.life.op->setAttr(ttg::tensorMemoryRowAttr,
                             builder.getI32IntegerAttr(owner.halves == Upper ? tmem::halfRows : 0));
    }
    return end;
  }

private:
  void place(Owner &owner, ArrayRef<Owner *> placed) {
    // A buffer begins at 0 or behind another one.
    llvm::SmallVector<int64_t> begins = {0};
    for (const Owner *other : placed)
      begins.push_back(llvm::alignTo(other->end(), tmem::columnAlignment));
    llvm::sort(begins);
    llvm::SmallVector<unsigned, 2> choices = {Both};
    if (owner.isHalf)
      choices = {Lower, Upper};
    if (owner.isHalf && onlyLower)
      choices = {Lower};
    for (int64_t begin : begins)
      for (unsigned halves : choices) {
        owner.begin = begin;
        owner.halves = halves;
        if (llvm::none_of(placed, [&](const Owner *other) { return overlap(owner, *other); }))
          return;
      }
  }

  static bool overlap(const Owner &a, const Owner &b) {
    return (a.halves & b.halves) && a.begin < b.end() && b.begin < a.end() &&
           a.life.isAliveWith(b.life);
  }

  llvm::SmallVector<Owner> owners;
  bool onlyLower = false;
};

/// Says of the module whether products are of two CTAs; false where some are and some are not.
bool markTwoCtas(ModuleOp module) {
  module->removeAttr(ttg::twoCtasAttr);
  Operation *first = nullptr;
  bool twoCtas = false;
  WalkResult same = module.walk([&](Operation *op) {
    if (!isa<ttng::TCGen5MMAOp, ttng::TCGen5MMAScaledOp>(op))
      return WalkResult::advance();
    const bool isTwo = op->hasAttr("two_ctas");
    if (first && isTwo != twoCtas) {
      report(Kind::CtasOfProductsDiffer, op->getLoc()).attachNote(first->getLoc())
          << "this is one of the others";
      return WalkResult::interrupt();
    }
    first = op;
    twoCtas = isTwo;
    return WalkResult::advance();
  });
  if (twoCtas)
    module->setAttr(ttg::twoCtasAttr, Builder(module).getBoolAttr(true));
  return !same.wasInterrupted();
}

struct AllocateTensorMemoryPass : PassWrapper<AllocateTensorMemoryPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllocateTensorMemoryPass)
  llvm::StringRef getArgument() const override { return "gluonc-allocate-tensor-memory"; }
  llvm::StringRef getDescription() const override { return "Place buffers in tensor memory"; }

  explicit AllocateTensorMemoryPass(target::Target target) : target(std::move(target)) {}
  target::Target target;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Sizes of an earlier run (of a .ttgir file, say) mean nothing now.
    module->removeAttr(ttg::tensorMemorySizeAttr);
    module->removeAttr(ttg::tensorMemoryBaseAttr);
    if (!markTwoCtas(module))
      return signalPassFailure();
    int64_t most = 0;
    for (tt::FuncOp function : module.getOps<tt::FuncOp>()) {
      llvm::SmallVector<ttng::TMEMAllocOp> allocs;
      function.walk([&](ttng::TMEMAllocOp op) { allocs.push_back(op); });
      if (allocs.empty())
        continue;
      if (!function.isPublic()) {
        report(Kind::TensorMemoryInFunction, allocs.front().getLoc());
        return signalPassFailure();
      }
      AllocateFunction allocation(allocs, function);
      if (allocation.twice) {
        report(Kind::BufferOutlivesIteration, allocation.twice->getLoc());
        return signalPassFailure();
      }
      const int64_t columns = allocation.run();
      if (columns > int64_t(tmem::columns)) {
        InFlightDiagnostic error = report(Kind::TensorMemoryExceeded, function.getLoc(), columns,
                                          target.name(), tmem::columns);
        for (ttng::TMEMAllocOp alloc : allocs)
          error.attachNote(alloc.getLoc())
              << ttng::tensorMemoryFootprint(alloc.getResult().getType())->columns
              << " columns for a buffer of [" << alloc.getResult().getType().getShape() << "] "
              << alloc.getResult().getType().getElementType();
        return signalPassFailure();
      }
      most = std::max(most, columns);
    }
    if (!most)
      return;
    const int64_t size = std::max<int64_t>(tmem::minAllocation, llvm::PowerOf2Ceil(most));
    module->setAttr(ttg::tensorMemorySizeAttr, Builder(module).getI32IntegerAttr(size));
  }
};

} // namespace

std::unique_ptr<Pass> createAllocateTensorMemoryPass(const target::Target &target) {
  return std::make_unique<AllocateTensorMemoryPass>(target);
}

} // namespace gluonc

//===- AllocateWarpGroups.cpp -------------------------------------------------===//
//
// Problem: give the partitions of each warp_specialize warps of the CTA, and
// share out the registers where the program asks for numbers of them.
//
//   default 4 warps, partitions of 1, 4 and 2      start ids
//     warps  0 … 3   default
//     warps  4 … 7   the one of 4                  partition1: 4
//     warps  8,  9   the one of 2                  partition2: 8
//     warp  10       the one of 1                  partition0: 10
//     warp  11       idle, so that the total is a multiple of 4
//
// Largest first: groups of four warps then begin at multiples of four.
//
// Registers belong to groups of four warps (setmaxnreg): a group takes the most
// that one of its partitions requests, the default warps what is left over.
//
//===----------------------------------------------------------------------===//
#include "ir/Dialects.h"
#include "ir/Report.h"
#include "transform/Pipeline.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gluonc {

using diag::Kind;

namespace {

/// Registers of a chip's multiprocessor, and what one thread may have: setmaxnreg counts in eights.
constexpr int64_t registerFile = 65536;
constexpr int32_t fewestRegisters = 24, mostRegisters = 248;
/// Barriers of the hardware: one for the default warps, one where all meet.
constexpr size_t mostPartitions = 14;
constexpr int32_t mostWarps = 32;

/// What each thread of so many warps may have: a CTA with more would never be launched.
int32_t registersFor(int32_t warps) { return llvm::alignDown(registerFile / (32 * warps), 8); }

struct WarpGroups {
  ModuleOp module;
  int32_t defaultWarps;
  int32_t total;

  int32_t firstWarp() const { return llvm::alignTo(defaultWarps, 4); }

  /// False after an error.
  bool place(ttg::WarpSpecializeOp op) {
    ArrayRef<int32_t> warps = op.getPartitionNumWarps();
    if (warps.size() > mostPartitions) {
      report(Kind::TooManyPartitions, op.getLoc(), warps.size(), mostPartitions);
      return false;
    }
    auto indices = llvm::seq<size_t>(0, warps.size());
    llvm::SmallVector<size_t> order(indices.begin(), indices.end());
    llvm::stable_sort(order, [&](size_t a, size_t b) { return warps[a] > warps[b]; });
    llvm::SmallVector<int32_t> starts(warps.size());
    int32_t next = firstWarp();
    for (size_t index : order) {
      starts[index] = next;
      next += warps[index];
    }
    total = std::max<int32_t>(total, llvm::alignTo(next, 4));
    op.setWarpGroupStartIds(starts);
    if (total <= mostWarps)
      return true;
    report(Kind::TooManyWarps, op.getLoc(), total, mostWarps);
    return false;
  }

  int32_t registersAtStart() {
    int32_t limit = registersFor(total);
    if (auto given = module->getAttrOfType<IntegerAttr>(ttg::maxRegistersAttr))
      limit = std::min<int32_t>(limit, given.getInt());
    return std::clamp<int32_t>(limit / 8 * 8, fewestRegisters, mostRegisters);
  }

  /// Numbers of registers of the default warps and the partitions; none where the budget is short.
  void shareRegisters(ttg::WarpSpecializeOp op, int32_t atStart) {
    std::optional<ArrayRef<int32_t>> requests = op.getRequestedRegisters();
    op.removeActualRegistersAttr();
    if (!requests || defaultWarps % 4)
      return;
    ArrayRef<int32_t> warps = op.getPartitionNumWarps(), starts = *op.getWarpGroupStartIds();
    llvm::SmallVector<int32_t> groups((total - firstWarp()) / 4, 0);
    for (size_t i = 0; i < warps.size(); ++i)
      for (int32_t warp = starts[i]; warp < starts[i] + warps[i]; ++warp) {
        int32_t &most = groups[(warp - firstWarp()) / 4];
        int32_t wanted = std::clamp<int32_t>((*requests)[i], fewestRegisters, mostRegisters);
        most = std::max<int32_t>(most, llvm::alignTo(wanted, 8));
      }
    int64_t left = int64_t(atStart) * 32 * total;
    for (int32_t &group : groups) {
      group = std::max(group, fewestRegisters);
      left -= int64_t(group) * 128;
    }
    int64_t forDefault = std::min<int64_t>(left / (32 * defaultWarps), mostRegisters) / 8 * 8;
    if (forDefault < fewestRegisters) {
      report(Kind::RegistersNotFollowed, op.getLoc(), atStart, 32 * total,
             std::max<int64_t>(forDefault, 0), fewestRegisters);
      return;
    }
    llvm::SmallVector<int32_t> actual = {int32_t(forDefault)};
    for (int32_t start : starts)
      actual.push_back(groups[(start - firstWarp()) / 4]);
    op.setActualRegisters(actual);
    // ptxas wants to know what the kernel starts with.
    module->setAttr(ttg::maxRegistersAttr, Builder(module).getI32IntegerAttr(atStart));
  }
};

struct AllocateWarpGroupsPass : PassWrapper<AllocateWarpGroupsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllocateWarpGroupsPass)
  llvm::StringRef getArgument() const override { return "gluonc-allocate-warp-groups"; }
  llvm::StringRef getDescription() const override { return "Give partitions warps and registers"; }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::SmallVector<ttg::WarpSpecializeOp> ops;
    module.walk([&](ttg::WarpSpecializeOp op) { ops.push_back(op); });
    module->removeAttr(ttg::totalNumWarpsAttr);
    int32_t warps = ttg::numWarpsOf(module);
    if (ops.empty()) {
      auto given = module->getAttrOfType<IntegerAttr>(ttg::maxRegistersAttr);
      if (given && given.getInt() > registersFor(warps))
        module->setAttr(ttg::maxRegistersAttr,
                        Builder(module).getI32IntegerAttr(registersFor(warps)));
      return markAllAnalysesPreserved();
    }
    WarpGroups groups{module, warps, warps};
    for (ttg::WarpSpecializeOp op : ops)
      if (!groups.place(op))
        return signalPassFailure();
    module->setAttr(ttg::totalNumWarpsAttr, Builder(module).getI32IntegerAttr(groups.total));
    int32_t atStart = groups.registersAtStart();
    for (ttg::WarpSpecializeOp op : ops)
      groups.shareRegisters(op, atStart);
  }
};

} // namespace

std::unique_ptr<Pass> createAllocateWarpGroupsPass() {
  return std::make_unique<AllocateWarpGroupsPass>();
}

} // namespace gluonc

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
#include "target/Limits.h"
#include "target/nvidia/Barriers.h"
#include "target/nvidia/Registers.h"
#include "transform/Pipeline.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gluonc {

using diag::Kind;

namespace {

/// Of a thread in a partition.
constexpr int32_t fewestRegisters = target::nvidia::minReallocatedRegisters;
constexpr int32_t mostRegisters = target::nvidia::maxUsefulRegisters;
constexpr int32_t unit = target::nvidia::registerUnit;
/// Warps that own registers together.
constexpr int32_t groupWarps = target::nvidia::warpsPerReallocation;
/// Barriers of the hardware: one for the default warps, one of all threads.
constexpr size_t mostPartitions = target::nvidia::namedBarriers - 2;

struct WarpGroups {
  ModuleOp module;
  int32_t defaultWarps;
  int32_t total = defaultWarps;
  int32_t lanes = ttg::threadsPerWarpOf(module);

  int32_t firstWarp() const { return llvm::alignTo(defaultWarps, groupWarps); }

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
    total = std::max<int32_t>(total, llvm::alignTo(next, groupWarps));
    op.setWarpGroupStartIds(starts);
    int32_t most = target::maxThreadsPerCta / lanes;
    if (total <= most)
      return true;
    report(Kind::TooManyWarps, op.getLoc(), total, most);
    return false;
  }

  /// What each thread may have: a CTA with more would never be launched.
  int32_t registersForAll() const {
    return llvm::alignDown(target::nvidia::registerFile / (lanes * total), unit);
  }

  int32_t registersAtStart() {
    int32_t limit = registersForAll();
    if (auto given = module->getAttrOfType<IntegerAttr>(ttg::maxRegistersAttr))
      limit = std::min<int32_t>(limit, given.getInt());
    return std::clamp<int32_t>(limit / unit * unit, fewestRegisters, mostRegisters);
  }

  /// Numbers of registers of the default warps and the partitions; none where the budget is short.
  void shareRegisters(ttg::WarpSpecializeOp op, int32_t atStart) {
    std::optional<ArrayRef<int32_t>> requests = op.getRequestedRegisters();
    op.removeActualRegistersAttr();
    if (!requests || defaultWarps % groupWarps)
      return;
    ArrayRef<int32_t> warps = op.getPartitionNumWarps(), starts = *op.getWarpGroupStartIds();
    llvm::SmallVector<int32_t> groups((total - firstWarp()) / groupWarps, 0);
    for (size_t i = 0; i < warps.size(); ++i)
      for (int32_t warp = starts[i]; warp < starts[i] + warps[i]; ++warp) {
        int32_t &most = groups[(warp - firstWarp()) / groupWarps];
        int32_t wanted = std::clamp<int32_t>((*requests)[i], fewestRegisters, mostRegisters);
        most = std::max<int32_t>(most, llvm::alignTo(wanted, unit));
      }
    int64_t left = int64_t(atStart) * lanes * total;
    for (int32_t &group : groups) {
      group = std::max(group, fewestRegisters);
      left -= int64_t(group) * groupWarps * lanes;
    }
    int64_t forDefault =
        std::min<int64_t>(left / (lanes * defaultWarps), mostRegisters) / unit * unit;
    if (forDefault < fewestRegisters) {
      report(Kind::RegistersNotFollowed, op.getLoc(), atStart, lanes * total,
             std::max<int64_t>(forDefault, 0), fewestRegisters);
      return;
    }
    llvm::SmallVector<int32_t> actual = {int32_t(forDefault)};
    for (int32_t start : starts)
      actual.push_back(groups[(start - firstWarp()) / groupWarps]);
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
    WarpGroups groups{module, ttg::numWarpsOf(module)};
    if (ops.empty()) {
      int32_t most = groups.registersForAll();
      auto given = module->getAttrOfType<IntegerAttr>(ttg::maxRegistersAttr);
      if (given && given.getInt() > most)
        module->setAttr(ttg::maxRegistersAttr, Builder(module).getI32IntegerAttr(most));
      return markAllAnalysesPreserved();
    }
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

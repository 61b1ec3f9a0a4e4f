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
#include "target/Partitions.h"
#include "transform/Pipeline.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gluonc {

using diag::Kind;

namespace {

struct WarpGroups {
  ModuleOp module;
  const target::Target &target;
  target::PartitionRules rules;
  std::optional<target::RegisterRules> registers;
  int32_t defaultWarps = ttg::numWarpsOf(module);
  int32_t total = defaultWarps;
  int32_t lanes = ttg::threadsPerWarpOf(module);
  /// Warps that own registers together.
  int32_t groupWarps = int32_t(rules.groupWarps);

  WarpGroups(ModuleOp module, const target::Target &target)
      : module(module), target(target), rules(target::partitionRules(target)),
        registers(target::registerRules(target)) {}

  int32_t firstWarp() const { return llvm::alignTo(defaultWarps, groupWarps); }

  /// False after an error.
  bool place(ttg::WarpSpecializeOp op) {
    ArrayRef<int32_t> warps = op.getPartitionNumWarps();
    if (warps.size() > rules.maxPartitions) {
      report(Kind::TooManyPartitions, op.getLoc(), warps.size(), rules.maxPartitions);
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
    int32_t most = target::maxWarpsPerCta(lanes);
    if (total <= most)
      return true;
    report(Kind::TooManyWarps, op.getLoc(), total, most);
    return false;
  }

  /// What each thread may have: a CTA with more would never be launched.
  int32_t registersForAll() const {
    return llvm::alignDown(registers->file / (lanes * total), registers->unit);
  }

  std::optional<int32_t> limitGiven() const {
    auto given = module->getAttrOfType<IntegerAttr>(ttg::maxRegistersAttr);
    return given ? std::optional<int32_t>(given.getInt()) : std::nullopt;
  }

  void setLimit(int32_t count) {
    module->setAttr(ttg::maxRegistersAttr, Builder(module).getI32IntegerAttr(count));
  }

  void lowerLimit() {
    if (registers && limitGiven().value_or(0) > registersForAll())
      setLimit(registersForAll());
  }

  int32_t registersAtStart() const {
    int32_t limit = std::min(registersForAll(), limitGiven().value_or(registersForAll()));
    return std::clamp<int32_t>(llvm::alignDown(limit, registers->unit), registers->fewest,
                               registers->mostAtStart);
  }

  /// Registers of a thread in each group of warps behind the default ones.
  llvm::SmallVector<int32_t> registersOfGroups(ttg::WarpSpecializeOp op) const {
    const int32_t fewest = registers->fewest, most = registers->most;
    ArrayRef<int32_t> warps = op.getPartitionNumWarps(), starts = *op.getWarpGroupStartIds();
    llvm::SmallVector<int32_t> groups((total - firstWarp()) / groupWarps, fewest);
    for (auto [start, count, wanted] : llvm::zip_equal(starts, warps, *op.getRequestedRegisters()))
      for (int32_t warp = start; warp < start + count; ++warp) {
        int32_t &group = groups[(warp - firstWarp()) / groupWarps];
        group = std::max<int32_t>(group,
                                  llvm::alignTo(std::clamp(wanted, fewest, most), registers->unit));
      }
    return groups;
  }

  /// Numbers of registers of the default warps and the partitions; none where the budget is short,
  /// or where registers stay where they are.
  void shareRegisters(ttg::WarpSpecializeOp op) {
    op.removeActualRegistersAttr();
    if (!op.getRequestedRegisters())
      return;
    if (!registers || !registers->areMovable) {
      report(Kind::RegistersNotMovable, op.getLoc(), target.name());
      return;
    }
    if (defaultWarps % groupWarps)
      return;
    const int32_t fewest = registers->fewest, atStart = registersAtStart();
    llvm::SmallVector<int32_t> groups = registersOfGroups(op);
    int64_t left = int64_t(atStart) * lanes * total;
    for (int32_t group : groups)
      left -= int64_t(group) * groupWarps * lanes;
    int64_t forDefault = std::min<int64_t>(left / (lanes * defaultWarps), registers->most) /
                         registers->unit * registers->unit;
    if (forDefault < fewest) {
      report(Kind::RegistersNotFollowed, op.getLoc(), atStart, lanes * total,
             std::max<int64_t>(forDefault, 0), fewest);
      return;
    }
    llvm::SmallVector<int32_t> actual = {int32_t(forDefault)};
    ArrayRef<int32_t> placed = *op.getWarpGroupStartIds();
    for (int32_t start : placed)
      actual.push_back(groups[(start - firstWarp()) / groupWarps]);
    op.setActualRegisters(actual);
    // ptxas wants to know what the kernel starts with.
    setLimit(atStart);
  }
};

struct AllocateWarpGroupsPass : PassWrapper<AllocateWarpGroupsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllocateWarpGroupsPass)
  llvm::StringRef getArgument() const override { return "gluonc-allocate-warp-groups"; }
  llvm::StringRef getDescription() const override { return "Give partitions warps and registers"; }

  explicit AllocateWarpGroupsPass(target::Target target) : target(std::move(target)) {}
  target::Target target;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::SmallVector<ttg::WarpSpecializeOp> ops;
    module.walk([&](ttg::WarpSpecializeOp op) { ops.push_back(op); });
    module->removeAttr(ttg::totalNumWarpsAttr);
    WarpGroups groups(module, target);
    if (ops.empty()) {
      groups.lowerLimit();
      return markAllAnalysesPreserved();
    }
    for (ttg::WarpSpecializeOp op : ops)
      if (!groups.place(op))
        return signalPassFailure();
    module->setAttr(ttg::totalNumWarpsAttr, Builder(module).getI32IntegerAttr(groups.total));
    groups.lowerLimit();
    for (ttg::WarpSpecializeOp op : ops)
      groups.shareRegisters(op);
  }
};

} // namespace

std::unique_ptr<Pass> createAllocateWarpGroupsPass(const target::Target &target) {
  return std::make_unique<AllocateWarpGroupsPass>(target);
}

} // namespace gluonc

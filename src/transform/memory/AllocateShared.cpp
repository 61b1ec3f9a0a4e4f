//===- AllocateShared.cpp -----------------------------------------------------===//
//
// Problem: place buffers and scratch in shared memory so that those alive at
// the same time do not overlap, in few bytes.
//
//   %a = local_alloc       0 ┐            offset
//   … last use of %a       1 ┘            0     ┌──────a──────┐
//   %b = local_alloc       2 ┐                  └─────────────┘
//   convert_layout         3 │ scratch    0     ┌─scratch─┐┌──b──┐
//   … last use of %b       4 ┘                  └─────────┘└─────┘
//
// Operations are numbered in program order; an owner is alive from its number
// to that of its last use. A use inside a loop counts until the loop's end if
// the owner is outside, since the next iteration comes again; an owner that a
// loop carries around is alive throughout it.
//
// Then first fit, largest first: the large ones fix the shape, the small ones
// fill gaps. Cost: owners squared, and there are a few dozen.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/Report.h"
#include "ir/ttng/ClusterState.h"
#include "transform/Pipeline.h"
#include "transform/analysis/SharedUse.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gluonc {

using diag::Kind;

namespace {

struct Owner {
  Operation *op;
  int64_t bytes, alignment;
  /// Numbers of the first and last operation during which it is alive.
  unsigned first, last;
  int64_t offset = 0;
  /// The region of a warp_specialize that holds it: its default region or a partition.
  Region *partition = nullptr;
};

/// The region of a warp_specialize around `op`; null outside.
Region *partitionOf(Operation *op) {
  for (Region *region = op->getParentRegion(); region; region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    if (isa<ttg::WarpSpecializePartitionsOp>(parent))
      return region;
    auto specialize = dyn_cast<ttg::WarpSpecializeOp>(parent);
    if (specialize && region == &specialize.getDefaultRegion())
      return region;
  }
  return nullptr;
}

ttg::WarpSpecializeOp specializeOf(Region *partition) {
  Operation *parent = partition->getParentOp();
  if (auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(parent))
    parent = partitions->getParentOp();
  return cast<ttg::WarpSpecializeOp>(parent);
}

bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

struct AllocateFunction {
  tt::FuncOp function;
  /// First byte that this function may use.
  int64_t base;

  AllocateFunction(tt::FuncOp function, int64_t base) : function(function), base(base) {}

  llvm::DenseMap<Operation *, unsigned> number;
  /// Number of the last operation inside.
  llvm::DenseMap<Operation *, unsigned> endOf;
  llvm::SmallVector<Owner> owners;
  /// Operations that wait for what others started.
  llvm::SmallVector<std::pair<Operation *, Completion>> waits;
  bool failed = false;

  /// First byte beyond what this function uses.
  int64_t run() {
    collect();
    if (owners.empty())
      return base;
    followUses();
    coverBackEdges();
    place();
    int64_t end = base;
    for (Owner &owner : owners) {
      auto i32 = IntegerType::get(owner.op->getContext(), 32);
      owner.op->setAttr(ttg::allocationOffsetAttr, IntegerAttr::get(i32, owner.offset));
      if (!isa<ttg::LocalAllocOp>(owner.op))
        owner.op->setAttr(ttg::allocationSizeAttr, IntegerAttr::get(i32, owner.bytes));
      end = std::max(end, owner.offset + owner.bytes);
    }
    return end;
  }

  /// Notes about what is alive where most is, the largest first.
  void explain(InFlightDiagnostic &error) {
    llvm::SmallVector<const Owner *> most;
    int64_t peak = -1;
    for (const Owner &at : owners) {
      llvm::SmallVector<const Owner *> alive;
      int64_t bytes = 0;
      for (const Owner &owner : owners)
        if (owner.first <= at.first && at.first <= owner.last) {
          alive.push_back(&owner);
          bytes += owner.bytes;
        }
      if (bytes > peak) {
        peak = bytes;
        most = std::move(alive);
      }
    }
    llvm::stable_sort(most, [](const Owner *a, const Owner *b) { return a->bytes > b->bytes; });
    constexpr size_t shown = 8;
    for (const Owner *owner : ArrayRef(most).take_front(shown)) {
      Diagnostic &note = error.attachNote(owner->op->getLoc());
      note << owner->bytes << " bytes ";
      if (auto alloc = dyn_cast<ttg::LocalAllocOp>(owner->op))
        note << "for a buffer of [" << alloc.getType().getShape() << "] "
             << alloc.getType().getElementType();
      else
        note << "for what `" << owner->op->getName() << "` exchanges between threads";
    }
    if (most.size() > shown)
      error.attachNote(function.getLoc()) << most.size() - shown << " smaller ones beside them";
  }

  /// Numbers operations and finds the owners; a cheap no for kernels that have none.
  void collect() {
    llvm::SmallVector<Operation *> found;
    function.walk([&](Operation *op) {
      // Offsets of an earlier run (of a .ttgir file, say) mean nothing now.
      op->removeAttr(ttg::allocationOffsetAttr);
      op->removeAttr(ttg::allocationSizeAttr);
      auto alloc = dyn_cast<ttg::LocalAllocOp>(op);
      if ((alloc && alloc.getType().isShared()) || scratchBytesOf(op))
        found.push_back(op);
    });
    if (found.empty())
      return;
    numberRegion(function.getBody());
    for (Operation *op : found) {
      unsigned at = number[op];
      if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
        owners.push_back({op, bufferBytesOf(alloc), bufferAlignmentOf(alloc), at, at});
      else
        owners.push_back({op, scratchBytesOf(op), /*alignment=*/128, at, at});
      owners.back().partition = partitionOf(op);
      // What partitions captured may be read until all have synchronized again.
      owners.back().last = endOf[op];
    }
  }

  void numberRegion(Region &region) {
    for (Block &block : region)
      for (Operation &op : block) {
        unsigned at = number.size();
        number[&op] = at;
        if (auto onChip = dyn_cast<OnChipMemoryOpInterface>(op))
          if (std::optional<Completion> awaited = onChip.getAwaited())
            waits.push_back({&op, *awaited});
        for (Region &inner : op.getRegions())
          numberRegion(inner);
        endOf[&op] = number.size() - 1;
      }
  }

  void followUses() {
    BufferAliases aliases(function);
    llvm::DenseMap<Operation *, Owner *> ownerOf;
    for (Owner &owner : owners)
      ownerOf[owner.op] = &owner;
    for (Value value : aliases.values())
      for (unsigned index : aliases.of(value)->set_bits()) {
        ttg::LocalAllocOp alloc = aliases.allocations()[index];
        rejectSecondLife(alloc, value);
        // A buffer taken for another has to begin where that one may.
        if (auto view = value.getDefiningOp<ttg::MemDescReinterpretOp>())
          if (std::optional<layout::Layout> layout = layoutOf(view.getType().getEncoding()))
            ownerOf[alloc]->alignment =
                std::max(ownerOf[alloc]->alignment, layout::sharedAlignment(*layout));
        for (Operation *user : value.getUsers())
          extend(*ownerOf[alloc], user);
      }
  }

  /// An allocation has one place. Carried into the next iteration of the loop around it, its buffer
  /// would have to live beside the one that this iteration allocates.
  void rejectSecondLife(ttg::LocalAllocOp alloc, Value alias) {
    auto argument = dyn_cast<BlockArgument>(alias);
    Operation *loop = argument ? argument.getOwner()->getParentOp() : nullptr;
    if (!loop || !isLoop(loop) || !loop->isProperAncestor(alloc) || argument.use_empty())
      return;
    // What the first half of a `while` hands to the second stays in the iteration.
    if (auto both = dyn_cast<scf::WhileOp>(loop);
        both && argument.getOwner() == both.getAfterBody())
      return;
    report(Kind::BufferOutlivesIteration, alloc.getLoc());
    failed = true;
  }

  /// Asynchronous units read buffers until something waits for them. Who waits for what is written
  /// uses the buffer then.
  unsigned completionOf(Operation *user) {
    for (const MemoryAccess &access : accessesOf(user))
      if (access.kind == MemoryAccess::Read && access.completion != Completion::ProgramOrder)
        return firstWait(user, access.completion);
    return number[user];
  }

  unsigned firstWait(Operation *user, Completion completion) {
    unsigned found = std::numeric_limits<unsigned>::max();
    for (auto [wait, awaited] : waits)
      if (number[wait] > number[user] && awaited == completion)
        found = std::min(found, number[wait]);
    return found == std::numeric_limits<unsigned>::max() ? endOf.lookup(user) : found;
  }

  /// Keeps the owner alive up to `user`.
  void extend(Owner &owner, Operation *user) {
    unsigned at = completionOf(user), from = number[owner.op];
    // Partitions run at the same time: what others see lives as long as all run.
    if (Region *partition = partitionOf(user); partition && partition != owner.partition)
      at = std::max(at, endOf[specializeOf(partition)]);
    if (auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(user))
      at = std::max(at, endOf[partitions->getParentOp()]);
    // Loops around the user that do not hold the owner run again before the owner may go.
    for (Operation *outer = user->getParentOp(); outer != function; outer = outer->getParentOp()) {
      if (!isLoop(outer))
        continue;
      if (!outer->isProperAncestor(owner.op))
        at = std::max(at, endOf[outer]);
    }
    // A use that comes before: the loop around both carries the buffer to its next iteration. So
    // does a use outside of a loop that holds the owner.
    for (Operation *outer = owner.op->getParentOp(); outer != function;
         outer = outer->getParentOp()) {
      bool yielded = isa<scf::YieldOp>(user) && user->getParentOp() == outer;
      bool carried = number[user] <= from || !outer->isAncestor(user) || yielded;
      if (isLoop(outer) && carried) {
        owner.first = std::min(owner.first, number[outer]);
        at = std::max(at, endOf[outer]);
        if (outer->isProperAncestor(user))
          break;
      }
    }
    owner.first = std::min(owner.first, at);
    owner.last = std::max(owner.last, at);
  }

  /// Loops made of branches: whatever is alive at some point of the cycle is alive in all of it.
  void coverBackEdges() {
    for (Block &block : function.getBody()) {
      for (Block *target : block.getSuccessors()) {
        unsigned begin = number[&target->front()], end = number[block.getTerminator()];
        if (begin > end)
          continue;
        for (Owner &owner : owners) {
          if (owner.last < begin || owner.first > end || !isa<ttg::LocalAllocOp>(owner.op))
            continue;
          owner.first = std::min(owner.first, begin);
          owner.last = std::max(owner.last, end);
        }
      }
    }
  }

  void place() {
    llvm::SmallVector<Owner *> queue, placed;
    for (Owner &owner : owners)
      queue.push_back(&owner);
    // Ties go in program order, which is the order of `owners`.
    llvm::sort(queue, [](Owner *a, Owner *b) {
      return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
    });
    for (Owner *owner : queue) {
      owner->offset = firstFit(*owner, placed);
      // firstFit walks neighbours by offset.
      auto after = llvm::upper_bound(placed, owner,
                                     [](Owner *a, Owner *b) { return a->offset < b->offset; });
      placed.insert(after, owner);
    }
  }

  int64_t firstFit(const Owner &owner, ArrayRef<Owner *> placed) {
    int64_t offset = llvm::alignTo(base, owner.alignment);
    for (const Owner *other : placed) {
      bool together = other->first <= owner.last && owner.first <= other->last;
      together |= owner.partition && other->partition && owner.partition != other->partition &&
                  specializeOf(owner.partition) == specializeOf(other->partition);
      if (together && offset < other->offset + other->bytes && other->offset < offset + owner.bytes)
        offset = llvm::alignTo(other->offset + other->bytes, owner.alignment);
    }
    return offset;
  }
};

/// The partitions of the largest warp_specialize, if those of any may synchronize with other CTAs;
/// else 0.
int64_t partitionsThatSynchronize(ModuleOp module) {
  int64_t partitions = 0;
  bool synchronizes = false;
  if (ttg::numCtasOf(module) == 1)
    return 0;
  module.walk([&](ttg::WarpSpecializeOp op) {
    partitions = std::max<int64_t>(partitions, 1 + op.getPartitions().size());
    op.walk([&](Operation *inner) {
      // Its halves are for the default warps alone.
      std::optional<ClusterSync> sync = clusterSyncOf(inner);
      synchronizes |= (sync && sync->isWhole()) || reachesPeers(inner);
    });
  });
  return synchronizes ? partitions : 0;
}

struct AllocateSharedPass : PassWrapper<AllocateSharedPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllocateSharedPass)
  llvm::StringRef getArgument() const override { return "gluonc-allocate-shared"; }
  llvm::StringRef getDescription() const override { return "Place buffers in shared memory"; }

  explicit AllocateSharedPass(target::Target target) : target(std::move(target)) {}
  target::Target target;

  InFlightDiagnostic exceeded(Location location, int64_t bytes) const {
    return report(Kind::SharedMemoryExceeded, location, bytes, target.name(),
                  target.maxSharedBytes());
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Functions that stay functions get frames of their own below those of the kernels: a callee
    // never knows which of its callers' buffers are alive.
    int64_t frames = 0, total = 0;
    bool failed = false;
    auto allocate = [&](tt::FuncOp function) {
      AllocateFunction allocation(function, frames);
      int64_t end = allocation.run();
      failed |= allocation.failed;
      if (function.isPublic() && !failed && end > target.maxSharedBytes()) {
        InFlightDiagnostic error = exceeded(function.getLoc(), end);
        allocation.explain(error);
        failed = true;
      }
      return end;
    };
    for (tt::FuncOp function : module.getOps<tt::FuncOp>())
      if (function.isPrivate())
        frames = allocate(function);
    total = frames;
    for (tt::FuncOp function : module.getOps<tt::FuncOp>()) {
      if (function.isPrivate())
        continue;
      int64_t end = allocate(function);
      if (failed)
        return signalPassFailure();
      total = std::max(total, end);
    }
    if (!failed && total > target.maxSharedBytes()) {
      exceeded(module.getLoc(), total);
      failed = true;
    }
    if (failed)
      return signalPassFailure();
    // Where the default warps tell the others what to do.
    if (module->hasAttr(ttg::totalNumWarpsAttr)) {
      total = llvm::alignTo(total, 16);
      module->setAttr(ttg::warpStateAttr, Builder(module).getI32IntegerAttr(total));
      total += 16;
      if (int64_t partitions = partitionsThatSynchronize(module)) {
        module->setAttr(ttg::clusterStateAttr, Builder(module).getI32IntegerAttr(total));
        total += partitions * ttg::clusterStateBytes;
      }
    }
    module->setAttr(ttg::sharedAttr, Builder(module).getI32IntegerAttr(total));
  }
};

} // namespace

std::unique_ptr<Pass> createAllocateSharedPass(const target::Target &target) {
  return std::make_unique<AllocateSharedPass>(target);
}

} // namespace gluonc

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
// First fit, largest first: the large ones fix the shape, the small ones fill
// gaps. Who is alive when is Lifetimes' business. Cost: owners squared, and there are a few dozen.
// Where all that is more than the chip has, conversions do with half of their scratch, in twice
// as many passes, the largest first, until it fits.
//
// Where there is room, exchanges between threads that follow each other have scratch of their own:
// threads then need not wait until all have read the one before they write the other.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/Report.h"
#include "ir/ttng/ClusterState.h"
#include "transform/Pipeline.h"
#include "transform/analysis/Lifetimes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace gluonc {

using diag::Kind;

namespace {

struct Owner {
  MemoryOwner life;
  Operation *op;
  int64_t bytes, alignment;
  int64_t offset = 0;
};

/// Shared memory that keeps no program from a multiprocessor.
constexpr int64_t fewBytes = 4096;

struct AllocateFunction {
  tt::FuncOp function;
  /// The first byte that this function may use, and the first that it may not.
  int64_t base, limit;

  AllocateFunction(tt::FuncOp function, int64_t base, int64_t limit)
      : function(function), base(base), limit(limit) {}

  llvm::SmallVector<Owner> owners;
  bool failed = false;

  /// First byte beyond what this function uses.
  int64_t run() {
    collect();
    if (owners.empty())
      return base;
    int64_t end = place();
    spreadScratch(end);
    while (end > limit && halveScratch())
      end = place();
    for (Owner &owner : owners) {
      owner.op->setAttr(ttg::allocationOffsetAttr, i32(owner.offset));
      if (!isa<ttg::LocalAllocOp>(owner.op))
        owner.op->setAttr(ttg::allocationSizeAttr, i32(owner.bytes));
    }
    return end;
  }

  /// Lets each scratch live until the next exchange of its block, and the first one of a loop until
  /// the last one, if all bytes together still end where they did, or are few. `end`: beyond them.
  void spreadScratch(int64_t &end) {
    llvm::SmallVector<Owner> close = owners;
    llvm::MapVector<Block *, llvm::SmallVector<Owner *>> exchanges;
    for (Owner &owner : owners)
      if (!isa<ttg::LocalAllocOp>(owner.op))
        exchanges[owner.op->getBlock()].push_back(&owner);
    for (auto &[block, inOrder] : exchanges) {
      for (auto [one, next] : llvm::zip(inOrder, llvm::drop_begin(inOrder)))
        one->life.last = std::max(one->life.last, next->life.first);
      if (isa<LoopLikeOpInterface>(block->getParentOp()))
        inOrder.front()->life.last =
            std::max(inOrder.front()->life.last, inOrder.back()->life.first);
    }
    int64_t spread = place();
    if (spread > std::max(end, base + fewBytes))
      owners = std::move(close);
    else
      end = spread;
  }

  IntegerAttr i32(int64_t value) { return Builder(function.getContext()).getI32IntegerAttr(value); }

  /// Halves the largest scratch of a conversion that is alive with something beyond the limit;
  /// false where none can be smaller.
  bool halveScratch() {
    llvm::SmallVector<Owner *> conversions;
    for (Owner &owner : owners)
      if (isa<ttg::ConvertLayoutOp>(owner.op) && llvm::any_of(owners, [&](Owner &other) {
            return other.offset + other.bytes > limit && owner.life.isAliveWith(other.life);
          }))
        conversions.push_back(&owner);
    llvm::stable_sort(conversions, [](Owner *a, Owner *b) { return a->bytes > b->bytes; });
    for (Owner *owner : conversions) {
      owner->op->setAttr(ttg::allocationSizeAttr, i32(owner->bytes / 2));
      const int64_t before = std::exchange(owner->bytes, scratchBytesOf(owner->op));
      if (owner->bytes < before)
        return true;
    }
    return false;
  }

  /// Notes about what is alive where most is, the largest first.
  void explain(InFlightDiagnostic &error) {
    llvm::SmallVector<const Owner *> most;
    int64_t peak = -1;
    for (const Owner &at : owners) {
      llvm::SmallVector<const Owner *> alive;
      int64_t bytes = 0;
      for (const Owner &owner : owners)
        if (owner.life.first <= at.life.first && at.life.first <= owner.life.last) {
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

  /// Finds the owners; a cheap no for kernels that have none.
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
    Lifetimes lifetimes(function, found);
    llvm::DenseMap<Operation *, Owner *> ownerOf;
    for (const MemoryOwner &life : lifetimes.owners()) {
      auto alloc = dyn_cast<ttg::LocalAllocOp>(life.op);
      owners.push_back({life, life.op, alloc ? bufferBytesOf(alloc) : scratchBytesOf(life.op),
                        alloc ? bufferAlignmentOf(alloc) : 128});
    }
    for (Owner &owner : owners)
      ownerOf[owner.op] = &owner;
    const BufferAliases &aliases = lifetimes.aliases();
    for (Value value : aliases.values())
      // A buffer taken for another has to begin where that one may.
      if (auto view = value.getDefiningOp<ttg::MemDescReinterpretOp>())
        for (unsigned index : aliases.of(value)->set_bits())
          alignFor(ownerOf.lookup(aliases.allocations()[index]), view);
    if (Operation *alloc = lifetimes.secondLife()) {
      report(Kind::BufferOutlivesIteration, alloc->getLoc());
      failed = true;
    }
  }

  void alignFor(Owner *owner, ttg::MemDescReinterpretOp view) {
    std::optional<layout::Layout> layout = layoutOf(view.getType().getEncoding());
    if (owner && layout)
      owner->alignment = std::max(owner->alignment, layout::sharedAlignment(*layout));
  }

  /// The first byte beyond all owners.
  int64_t place() {
    int64_t end = base;
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
      end = std::max(end, owner->offset + owner->bytes);
    }
    return end;
  }

  int64_t firstFit(const Owner &owner, ArrayRef<Owner *> placed) {
    int64_t offset = llvm::alignTo(base, owner.alignment);
    for (const Owner *other : placed) {
      if (owner.life.isAliveWith(other->life) && offset < other->offset + other->bytes &&
          other->offset < offset + owner.bytes)
        offset = llvm::alignTo(other->offset + other->bytes, owner.alignment);
    }
    return offset;
  }
};

/// Of each thing that the code keeps behind the owners; also the size of most.
constexpr int64_t reservedAlignment = 16;

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

/// Bytes behind all owners, for what the code of `module` keeps in shared memory itself.
int64_t reservedBytes(ModuleOp module) {
  int64_t bytes = module->hasAttr(ttg::tensorMemorySizeAttr) ? reservedAlignment : 0;
  if (module->hasAttr(ttg::totalNumWarpsAttr))
    bytes += reservedAlignment + partitionsThatSynchronize(module) * ttg::clusterStateBytes;
  return bytes;
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
    const int64_t reserved = reservedBytes(module);
    const int64_t limit = target.maxSharedBytes() - llvm::alignTo(reserved, reservedAlignment);
    auto allocate = [&](tt::FuncOp function) {
      AllocateFunction allocation(function, frames, limit);
      int64_t end = allocation.run();
      failed |= allocation.failed;
      if (function.isPublic() && !failed && end > limit) {
        InFlightDiagnostic error = exceeded(function.getLoc(), end + reserved);
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
    if (!failed && total > limit) {
      exceeded(module.getLoc(), total + reserved);
      failed = true;
    }
    if (failed)
      return signalPassFailure();
    // Where the address of its tensor memory is put.
    if (module->hasAttr(ttg::tensorMemorySizeAttr)) {
      total = llvm::alignTo(total, reservedAlignment);
      module->setAttr(ttg::tensorMemoryBaseAttr, Builder(module).getI32IntegerAttr(total));
      total += reservedAlignment;
    }
    // Where the default warps tell the others what to do.
    if (module->hasAttr(ttg::totalNumWarpsAttr)) {
      total = llvm::alignTo(total, reservedAlignment);
      module->setAttr(ttg::warpStateAttr, Builder(module).getI32IntegerAttr(total));
      total += reservedAlignment;
      // Behind all else: the emitter begins what is from there to the end.
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

//===- DescriptorCopies.cpp - Accesses through descriptors become copies ------------===//
//
// The copy engine moves blocks between global and shared memory:
//
//   %x = tt.descriptor_load %d[%i]      buffer, barrier = local_alloc
//                                       barrier_expect barrier, bytes
//                                ==>    async_tma_copy_global_to_local %d[%i] buffer, barrier
//                                       wait_barrier barrier
//                                       %x = local_load buffer
//
//   tt.descriptor_store %d[%i], %x      buffer = local_alloc %x
//                                ==>    async_tma_copy_local_to_global %d[%i] buffer
//                                       async_tma_store_wait
//
// Blocks that are loaded one after the other arrive together, where shared memory has room for all:
// a copy is waited for where its block is used. What is loaded twice is loaded once.
//
// Conversions of what was loaded read the buffer themselves, and products that want it there take
// it as it is. What a loop stores has a buffer outside of the loop where that fits: the copy goes
// on while the loop does, until the buffer is needed again. A tensor that the function reads, too,
// is written before it goes on.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/BoxCopies.h"
#include "assign/Settle.h"
#include "assign/Writes.h"
#include "ir/Encoding.h"
#include "ir/OpenLayouts.h"
#include "ir/tt/Coalescing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Of shared memory, for what comes later: conversions, barriers.
constexpr int64_t spareBytes = 8192;

Value constant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, type, value);
}

/// Bytes of shared memory that no buffer of the function takes, if all were there at once.
int64_t freeBytes(tt::FuncOp function, const target::Target &target) {
  int64_t free = int64_t(target.maxSharedBytes()) - spareBytes;
  function.walk([&](ttg::LocalAllocOp alloc) { free -= assign::bytesOf(alloc.getType()); });
  return free;
}

/// Where a copy that starts at `load` has to be over: in front of what uses the block, or may write
/// to memory or wait. Other copies may start before.
Operation *endOf(tt::DescriptorLoadOp load) {
  Operation *op = load->getNextNode();
  auto uses = [&](Operation *user) { return load->getBlock()->findAncestorOpInBlock(*user) == op; };
  while (!op->hasTrait<OpTrait::IsTerminator>() && llvm::none_of(load->getUsers(), uses) &&
         (isMemoryEffectFree(op) || isa<tt::DescriptorLoadOp, tt::LoadOp>(op)))
    op = op->getNextNode();
  return op;
}

/// Blocks that are loaded twice, with nothing written in between, are loaded once, also where they
/// are wanted in two layouts.
void mergeLoads(tt::FuncOp function) {
  function.walk([](Block *block) {
    llvm::SmallVector<tt::DescriptorLoadOp> known;
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      auto load = dyn_cast<tt::DescriptorLoadOp>(op);
      if (!load) {
        if (!isMemoryEffectFree(&op) && !isa<tt::LoadOp>(op))
          known.clear();
        continue;
      }
      auto *same = llvm::find_if(known, [&](tt::DescriptorLoadOp other) {
        return other.getType().getShape() == load.getType().getShape() &&
               other->getOperands() == load->getOperands();
      });
      if (same == known.end()) {
        known.push_back(load);
        continue;
      }
      Value block = same->getResult();
      if (block.getType() != load.getType()) {
        OpBuilder builder(load);
        block = ttg::ConvertLayoutOp::create(builder, load.getLoc(), load.getType(), block,
                                             /*force_warp_shuffle=*/false);
      }
      load.replaceAllUsesWith(block);
      load.erase();
    }
  });
}

/// Erases loads that were made again elsewhere, and what branches return of them: where nothing
/// reads a buffer, its memory is another's while the copy still runs.
void eraseUnusedLoads(tt::FuncOp function) {
  llvm::SmallVector<Operation *> branches;
  function.walk([&](scf::IfOp branch) {
    if (branch.getNumResults())
      branches.push_back(branch);
  });
  RewritePatternSet patterns(function.getContext());
  scf::IfOp::getCanonicalizationPatterns(patterns, function.getContext());
  (void)applyOpPatternsGreedily(branches, std::move(patterns));
  assign::eraseUnused(function);
}

/// `free`: bytes of shared memory for copies that go on while others start.
void lowerLoad(tt::DescriptorLoadOp load, int64_t &free) {
  OpBuilder builder(load);
  Location loc = load.getLoc();
  tt::TensorDescType desc = load.getDesc().getType();
  Value yes = constant(builder, loc, builder.getI1Type(), 1);
  Value zero = constant(builder, loc, builder.getI32Type(), 0);
  // Those that have room for what products read.
  Type like = load.getType();
  for (Operation *user : load->getUsers())
    if (isa<ttg::LocalAllocOp>(user))
      like = user->getResult(0).getType();
  Attribute encoding = assign::bufferEncoding(desc, like);
  Value buffer = assign::allocateBuffer(builder, loc, desc, encoding);
  assign::BoxBarriers barrier(builder, loc, 1);
  barrier.expect(builder, zero, assign::bytesOf(desc, encoding), yes);
  barrier.copy(builder, load, load.getDesc(), load.getIndices(), zero, buffer, yes);
  free -= assign::bytesOf(desc, encoding);
  if (free >= 0)
    builder.setInsertionPoint(endOf(load));
  barrier.wait(builder, zero, zero);
  barrier.end(builder);
  // They are where the builder inserts.
  llvm::SmallVector<Operation *> replaced;
  for (Operation *user : load->getUsers()) {
    auto alloc = dyn_cast<ttg::LocalAllocOp>(user);
    bool takesBuffer = alloc && alloc.getType().getEncoding() == encoding;
    if (!takesBuffer && !isa<ttg::ConvertLayoutOp>(user))
      continue;
    Value result = user->getResult(0);
    result.replaceAllUsesWith(
        takesBuffer
            ? buffer
            : assign::readBuffer(builder, loc, cast<RankedTensorType>(result.getType()), buffer));
    replaced.push_back(user);
  }
  for (Operation *user : replaced)
    user->dropAllReferences();
  if (!load->use_empty())
    load.replaceAllUsesWith(assign::readBuffer(builder, loc, load.getType(), buffer));
  for (Operation *user : replaced)
    user->erase();
  load.erase();
}

/// Stores and reductions of one function.
class Stores {
public:
  Stores(tt::FuncOp function, const target::Target &target) {
    free = freeBytes(function, target);
    function.walk([&](Operation *op) {
      if (isa<tt::DescriptorStoreOp, tt::DescriptorReduceOp>(op))
        stores.push_back(op);
      else
        addRead(op);
    });
  }

  void lower() {
    for (Operation *op : stores)
      if (Operation *loop = loopFor(op))
        outliving[loop].push_back(op);
    for (Operation *op : stores)
      if (!loopOf.contains(op))
        lowerAlone(op);
    for (auto &[loop, inside] : outliving)
      lowerInLoop(loop, inside);
  }

private:
  static tt::TensorDescType descOf(Operation *op) {
    return cast<tt::TensorDescType>(op->getOperand(0).getType());
  }
  static Value blockOf(Operation *op) { return op->getOperands().back(); }
  static Attribute encodingFor(Operation *op) {
    return assign::bufferEncoding(descOf(op), blockOf(op).getType());
  }

  /// Where `op` reads global memory.
  void addRead(Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects)
      return;
    llvm::SmallVector<MemoryEffects::EffectInstance> all;
    effects.getEffects(all);
    for (const MemoryEffects::EffectInstance &effect : all)
      if (isa<MemoryEffects::Read>(effect.getEffect()) && effect.getValue() &&
          effect.getResource() == tt::GlobalMemory::get())
        read.insert(assign::baseOf(effect.getValue()));
  }

  /// Whether the function may read what `op` writes.
  bool mayBeRead(Operation *op) const {
    Value base = assign::baseOf(op->getOperand(0));
    return base ? read.contains(base) || read.contains(Value()) : !read.empty();
  }

  /// The outermost loop around `op`, where there is room for a buffer as long as it runs.
  Operation *loopFor(Operation *op) {
    Operation *outermost = nullptr;
    for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
      if (isa<LoopLikeOpInterface>(around))
        outermost = around;
    int64_t bytes = assign::bytesOf(descOf(op), encodingFor(op));
    if (!outermost || bytes > free || mayBeRead(op))
      return nullptr;
    free -= bytes;
    loopOf[op] = outermost;
    return outermost;
  }

  static void start(OpBuilder &builder, Operation *op, Value buffer) {
    if (auto reduce = dyn_cast<tt::DescriptorReduceOp>(op)) {
      ttng::AsyncTMAReduceOp::create(builder, op->getLoc(), reduce.getKind(), reduce.getDesc(),
                                     reduce.getIndices(), buffer);
      return;
    }
    auto store = cast<tt::DescriptorStoreOp>(op);
    ttng::AsyncTMACopyLocalToGlobalOp::create(builder, op->getLoc(), store.getDesc(),
                                              store.getIndices(), buffer, Attribute());
  }

  /// Until at most `pending` copies still read their buffers.
  static void wait(OpBuilder &builder, Location loc, int64_t pending) {
    ttng::TMAStoreWaitOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(pending)),
                                 builder.getUnitAttr());
  }

  void lowerAlone(Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Value buffer = assign::allocateBuffer(builder, loc, descOf(op), encodingFor(op));
    assign::fillBuffer(builder, loc, blockOf(op), buffer);
    start(builder, op, buffer);
    wait(builder, loc, 0);
    if (mayBeRead(op)) {
      // Written, not only read from the buffer, and for all threads.
      ttng::TMAStoreWaitOp::create(builder, loc, builder.getI32IntegerAttr(0), UnitAttr());
      if (ThreadCounts::at(op).ctas > 1)
        ttng::ClusterBarrierOp::create(builder, loc, /*relaxed=*/false);
      else
        ttg::BarrierOp::create(builder, loc, ttg::AddrSpace::All);
    }
    op->erase();
  }

  static void lowerInLoop(Operation *loop, ArrayRef<Operation *> inside) {
    // Those of one block take turns: of the others' copies each may leave one under way.
    bool takeTurns = llvm::all_of(
        inside, [&](Operation *op) { return op->getBlock() == inside.front()->getBlock(); });
    int64_t pending = takeTurns ? int64_t(inside.size()) - 1 : 0;
    for (Operation *op : inside) {
      OpBuilder outside(loop), builder(op);
      Location loc = op->getLoc();
      Value buffer = assign::allocateBuffer(outside, loc, descOf(op), encodingFor(op));
      wait(builder, loc, pending);
      assign::fillBuffer(builder, loc, blockOf(op), buffer);
      start(builder, op, buffer);
      op->erase();
    }
    OpBuilder behind(loop);
    behind.setInsertionPointAfter(loop);
    wait(behind, loop->getLoc(), 0);
  }

  int64_t free = 0;
  /// Arguments behind which the function reads; null among them: anything.
  llvm::DenseSet<Value> read;
  llvm::SmallVector<Operation *> stores;
  llvm::DenseMap<Operation *, Operation *> loopOf;
  llvm::MapVector<Operation *, llvm::SmallVector<Operation *>> outliving;
};

class DescriptorCopiesPass : public PassWrapper<DescriptorCopiesPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DescriptorCopiesPass)

  explicit DescriptorCopiesPass(const target::Target &target) : target(target) {}
  llvm::StringRef getArgument() const override { return "gluonc-descriptor-copies"; }
  llvm::StringRef getDescription() const override {
    return "Make copies through shared memory of accesses through descriptors";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      eraseUnusedLoads(function);
      mergeLoads(function);
      llvm::SmallVector<tt::DescriptorLoadOp> loads;
      function.walk([&](tt::DescriptorLoadOp load) { loads.push_back(load); });
      int64_t free = freeBytes(function, target);
      for (tt::DescriptorLoadOp load : loads)
        lowerLoad(load, free);
      Stores(function, target).lower();
    }
  }

private:
  target::Target target;
};

} // namespace

std::unique_ptr<Pass> createDescriptorCopiesPass(const target::Target &target) {
  return std::make_unique<DescriptorCopiesPass>(target);
}

} // namespace gluonc

//===- InsertProxyFences.cpp --------------------------------------------------===//
//
// Problem: threads reach shared memory through one path (the generic proxy),
// asynchronous units, the copy engine and tensor cores of a warpgroup, through
// another (the async proxy). A barrier orders threads, not these paths: a store before a barrier
// may still be invisible to the copy that one thread starts behind it.
//
//   local_store %x, %a                        local_store %x, %a
//   async_tma_copy_local_to_global %d, %a     fence_async_shared
//                                     ==>     async_tma_copy_local_to_global %d, %a
//
// Forward over each function we keep what threads read and wrote since the last
// fence. Where a unit is started on bytes that one of the two writes, a fence comes
// before it. InsertBarriers, which runs later, synchronizes the threads between
// the fence and the start if they must.
//
// What cp.async writes is there when a thread has waited for it (async_wait): a fence before
// the wait shows the units nothing of it, and what it writes needs none until then.
//
// The other direction needs none: whoever waits for a unit, at a barrier
// object or for a group, sees what it did.
//
// Barriers do not end an access here, and neither does the start of a partition:
// what the kernel stored before warp_specialize, a unit that a partition starts may read.
// Between partitions nothing is followed: the accesses of another partition are
// ordered by barrier objects, and the fence belongs to the partition that stores.
// A function that is not inlined starts as if its caller had touched all, and
// leaves all touched.
//
//===----------------------------------------------------------------------===//
#include "transform/Pipeline.h"
#include "transform/analysis/SharedFlow.h"

using namespace mlir;

namespace gluonc {
namespace {

/// What threads did since the last fence for their CTA, and since the last for their cluster.
struct State {
  llvm::BitVector local, cluster;
  /// Copies that no thread may have waited for yet.
  llvm::BitVector copies;

  explicit State(const SharedAccesses &accesses)
      : local(accesses.size()), cluster(accesses.size()), copies(accesses.size()) {}

  bool join(const State &other) {
    bool grows =
        other.local.test(local) || other.cluster.test(cluster) || other.copies.test(copies);
    local |= other.local;
    cluster |= other.cluster;
    copies |= other.copies;
    return grows;
  }
};

class FenceFlow final : public SharedFlow<State> {
public:
  using SharedFlow::SharedFlow;

private:
  State entry() override {
    State state(accesses);
    if (std::optional<unsigned> all = accesses.ofCallers()) {
      state.local.set(*all);
      state.cluster.set(*all);
    }
    return state;
  }

  Operation *create(OpBuilder &builder, Location location) override {
    return ttng::FenceAsyncSharedOp::create(builder, location, reachesCluster);
  }

  bool startsUnit(const Effect &effect) const {
    return llvm::any_of(llvm::concat<const unsigned>(effect.before, effect.synchronized),
                        [&](unsigned access) { return accesses[access].byUnit; });
  }

  bool touches(const Effect &effect, const llvm::BitVector &earlier) const {
    for (unsigned access : llvm::concat<const unsigned>(effect.before, effect.synchronized))
      if (accesses[access].byUnit)
        for (unsigned other : earlier.set_bits())
          if (accesses.conflict(access, other))
            return true;
    return false;
  }

  static void fence(State &state, bool cluster) {
    state.local.reset();
    if (cluster)
      state.cluster.reset();
  }

  void apply(Operation *op, State &state) override {
    if (auto there = dyn_cast<ttng::FenceAsyncSharedOp>(op))
      return fence(state, there.getBCluster());
    if (auto wait = dyn_cast<ttg::AsyncWaitOp>(op)) {
      state.local |= state.copies;
      state.cluster |= state.copies;
      if (wait.getNum() == 0)
        state.copies.reset();
    }
    // Who waits at the barrier object does not say for which copies.
    if (isa<ttng::AsyncCopyMbarrierArriveOp>(op)) {
      state.local |= state.copies;
      state.cluster |= state.copies;
    }
    const Effect *effect = accesses.of(op);
    if (!effect)
      return;
    bool isCopy = llvm::any_of(accessesOf(op), [](const MemoryAccess &access) {
      return access.completion == Completion::AsyncGroup;
    });
    // What is delivered to other CTAs needs a fence that they are in, too.
    reachesCluster = startsUnit(*effect) && cast<OnChipMemoryOpInterface>(op).accessesPeers();
    if (touches(*effect, reachesCluster ? state.cluster : state.local)) {
      require(op);
      fence(state, reachesCluster);
    }
    for (unsigned access : llvm::concat<const unsigned>(effect->before, effect->after)) {
      // Objects that units count on are used in their own ways.
      if (accesses[access].byUnit || accesses[access].object != Access::Object::No)
        continue;
      if (isCopy) {
        state.copies.set(access);
        continue;
      }
      state.local.set(access);
      state.cluster.set(access);
    }
  }

  bool reachesCluster = false;
};

bool startsUnit(Operation *op) {
  return llvm::any_of(accessesOf(op),
                      [](const MemoryAccess &access) { return access.proxy == Proxy::Async; });
}

struct InsertProxyFencesPass : PassWrapper<InsertProxyFencesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertProxyFencesPass)
  llvm::StringRef getArgument() const override { return "gluonc-insert-proxy-fences"; }
  llvm::StringRef getDescription() const override {
    return "Show asynchronous units what threads did to shared memory";
  }

  void runOnOperation() override {
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      // Most kernels use no asynchronous unit.
      WalkResult units = function.walk([](Operation *op) {
        return startsUnit(op) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (!units.wasInterrupted())
        continue;
      SharedAccesses accesses(function);
      if (accesses.haveUnits())
        FenceFlow(function, accesses).run();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createInsertProxyFencesPass() {
  return std::make_unique<InsertProxyFencesPass>();
}

} // namespace gluonc

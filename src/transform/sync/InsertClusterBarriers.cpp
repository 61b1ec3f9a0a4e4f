//===- InsertClusterBarriers.cpp ----------------------------------------------===//
//
// Problem: CTAs of a cluster reach into each other's shared memory and run ahead of
// each other. What a program does there with its own buffers it synchronizes
// itself; but it cannot know of scratch, nor of bytes that one allocation takes over
// from another. So all CTAs synchronize between two accesses to such bytes, if one of them
// writes and one reaches other CTAs:
//
//   reduce                                    reduce               peers read scratch
//   reduce                           ==>      cluster_barrier
//                                             reduce               its scratch again
//
// Operations that exchange data between CTAs synchronize once inside, between what each
// writes for itself and what others read.
// Where partitions take over such bytes, CTAs synchronize before the warp_specialize.
//
// Products of two CTAs read what threads of both wrote into their shared memory: as threads of a
// CTA synchronize in front of a product, those of the cluster do, outside of partitions.
//
// Barrier objects. Where others signal a barrier they must know that it has begun:
//
//   init_barrier %b                           init_barrier %b
//   wait_barrier %b                  ==>      fence_mbarrier_init_release_cluster
//                                             cluster_barrier {relaxed}
//                                             wait_barrier %b
//
// in front of the loop, branch or partition that leads to the first use. A cluster
// barrier that stands there anyway will do.
//
// Arrivals at barriers of other CTAs publish what was written before them, which
// costs the arriving thread a trip to the memory. Kernels that tell each other no
// more than that a buffer is empty, or that the copy engine filled it, need none of
// it: they are marked.
//
// The end. Nobody leaves while others may reach into its memory: a kernel that did
// not synchronize since then does so before it returns.
//
//===----------------------------------------------------------------------===//
#include "ir/ttng/ClusterState.h"
#include "transform/Pipeline.h"
#include "transform/analysis/SharedFlow.h"

using namespace mlir;

namespace gluonc {
namespace {

/// What happened since all CTAs synchronized.
struct State {
  /// Accesses, and those of other CTAs among them.
  llvm::BitVector accesses, ofPeers;
  bool reachedPeers = false;
  /// Barriers have begun; a fence has made them known to whoever synchronizes with this CTA.
  bool begun = false, fenced = false;

  explicit State(const SharedAccesses &all) : accesses(all.size()), ofPeers(all.size()) {}

  void clearAccesses() {
    accesses.reset();
    ofPeers.reset();
    reachedPeers = false;
  }
  bool join(const State &other) {
    bool grows = other.accesses.test(accesses) || other.ofPeers.test(ofPeers) ||
                 other.reachedPeers > reachedPeers || other.begun > begun || other.fenced > fenced;
    accesses |= other.accesses;
    ofPeers |= other.ofPeers;
    reachedPeers |= other.reachedPeers;
    begun |= other.begun;
    fenced |= other.fenced;
    return grows;
  }
};

/// Of operations that reach others: whether each CTA writes its own scratch, all synchronize, and
/// each reads that of others, and nothing else.
bool isExchange(Operation *op) {
  auto onChip = dyn_cast<OnChipMemoryOpInterface>(op);
  return onChip && !onChip.accessesPeers();
}

/// Whether it takes a barrier that has begun.
bool usesBarrier(Operation *op) {
  return llvm::any_of(accessesOf(op), [](const MemoryAccess &access) {
    return access.isOfBarrier() && access.kind != MemoryAccess::InitBarrier;
  });
}

bool beginsBarrier(Operation *op) {
  return llvm::any_of(accessesOf(op), [](const MemoryAccess &access) {
    return access.kind == MemoryAccess::InitBarrier;
  });
}

class ClusterFlow final : public SharedFlow<State> {
public:
  ClusterFlow(tt::FuncOp function, const SharedAccesses &accesses)
      : SharedFlow(function, accesses) {
    function.walk([&](Operation *op) {
      if (!reachesPeers(op))
        return;
      peers.insert({op, isExchange(op)});
      signals |= usesBarrier(op) || mayDoAnything(op);
    });
  }

private:
  enum class What { Fence, RelaxedBarrier, Barrier };

  Operation *create(OpBuilder &builder, Location location) override {
    if (what == What::Fence)
      return ttng::FenceMBarrierInitReleaseClusterOp::create(builder, location);
    return ttng::ClusterBarrierOp::create(builder, location, what == What::RelaxedBarrier);
  }

  void demand(Operation *op, What missing) {
    what = missing;
    require(op);
  }

  /// Barriers that have begun are known to all CTAs before anything that leads to a use.
  void visit(Operation *op, State &state) override {
    if (pairs && peers.contains(op) && !op->getParentOfType<ttg::WarpSpecializeOp>() &&
        readsWhatThreadsWrote(op, state)) {
      if (state.begun)
        demand(op, What::Fence);
      demand(op, What::Barrier);
      state.begun = state.fenced = false;
      state.clearAccesses();
    }
    if (!state.begun && !state.fenced)
      return;
    std::optional<ClusterSync> sync = clusterSyncOf(op);
    bool isBarrier = sync && sync->isWhole();
    bool leads = op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() || usesBarrier(op) ||
                 peers.contains(op);
    if (!isBarrier && !leads)
      return;
    if (state.begun)
      demand(op, What::Fence);
    if (!isBarrier)
      demand(op, What::RelaxedBarrier);
    state.begun = state.fenced = false;
  }

  /// Whether an asynchronous unit reads shared memory that threads have written.
  bool readsWhatThreadsWrote(Operation *op, const State &state) const {
    const Effect *effect = accesses.of(op);
    if (!effect)
      return false;
    return llvm::any_of(
        llvm::concat<const unsigned>(effect->before, effect->synchronized), [&](unsigned read) {
          const Access &x = accesses[read];
          return !x.writes && x.byUnit && x.space == MemorySpace::Shared &&
                 llvm::any_of(state.accesses.set_bits(), [&](unsigned write) {
                   const Access &y = accesses[write];
                   return y.writes && !y.byUnit && y.object == Access::Object::No &&
                          y.space == MemorySpace::Shared && x.begin < y.end && y.begin < x.end;
                 });
        });
  }

  bool conflictInCluster(unsigned a, unsigned b) const {
    const Access &x = accesses[a], &y = accesses[b];
    bool ownBusiness = x.owner == y.owner && isa_and_nonnull<ttg::LocalAllocOp>(x.owner);
    // Nobody reaches the tensor memory of another CTA but by products of two.
    ownBusiness |= x.space == MemorySpace::Tensor || y.space == MemorySpace::Tensor;
    return !ownBusiness && (x.writes || y.writes) && x.begin < y.end && y.begin < x.end;
  }

  bool needsBarrier(const Effect &effect, bool isOfPeers, const State &state) const {
    for (unsigned access : effect.before)
      for (unsigned earlier : (isOfPeers ? state.accesses : state.ofPeers).set_bits())
        if (conflictInCluster(access, earlier))
          return true;
    return false;
  }

  /// Whether an operation of some partition may only come after CTAs synchronized. They had better
  /// do so before the partitions begin: there it costs one barrier, not one in each partition and
  /// iteration.
  bool partitionsNeedBarrier(Operation *specialize, const State &state) const {
    auto needs = [&](Operation *op) {
      const Effect *effect = op == specialize ? nullptr : accesses.of(op);
      auto peer = peers.find(op);
      bool isOfPeers = peer != peers.end() && !peer->second;
      return effect && needsBarrier(*effect, isOfPeers, state) ? WalkResult::interrupt()
                                                               : WalkResult::advance();
    };
    return specialize->walk(needs).wasInterrupted();
  }

  static void add(State &state, ArrayRef<unsigned> list, bool isOfPeers) {
    for (unsigned access : list) {
      state.accesses.set(access);
      if (isOfPeers)
        state.ofPeers.set(access);
    }
  }

  void apply(Operation *op, State &state) override {
    if (isa<ttng::FenceMBarrierInitReleaseClusterOp>(op)) {
      state.fenced |= state.begun;
      state.begun = false;
    }
    if (std::optional<ClusterSync> sync = clusterSyncOf(op); sync && sync->waits) {
      if (sync->ordersMemory)
        state.clearAccesses();
      state.fenced = false;
    }
    if (isa<tt::ReturnOp>(op) && state.reachedPeers && function.isPublic())
      demand(op, What::Barrier);
    state.begun |= signals && beginsBarrier(op);

    if (isa<ttg::WarpSpecializeOp>(op) && partitionsNeedBarrier(op, state)) {
      demand(op, What::Barrier);
      state.clearAccesses();
    }
    bool reaches = peers.contains(op), exchanges = reaches && peers.lookup(op);
    if (const Effect *effect = accesses.of(op)) {
      if (needsBarrier(*effect, reaches && !exchanges, state)) {
        demand(op, What::Barrier);
        state.clearAccesses();
      }
      if (exchanges)
        state.clearAccesses();
      else
        add(state, effect->before, reaches);
      add(state, effect->after, reaches);
    }
    state.reachedPeers |= reaches;
  }

  /// Operations that reach other CTAs, and whether it is an exchange.
  llvm::DenseMap<Operation *, bool> peers;
  /// Whether CTAs signal each other's barriers.
  bool signals = false;
  /// Whether units reach into the memory of a pair of CTAs.
  bool pairs = ttg::hasTwoCtas(function);
  What what = What::Barrier;
};

/// Whether threads leave something in memory that those of other CTAs may look for.
bool publishes(Operation *op) {
  if (auto onChip = dyn_cast<OnChipMemoryOpInterface>(op); onChip && onChip.awaitsGlobalWrites())
    return true;
  if (op->hasTrait<OnlyOrdersMemory>())
    return false;
  // Asynchronous units are no threads, and signals tell nothing.
  llvm::SmallVector<MemoryAccess, 4> accesses = accessesOf(op);
  if (!accesses.empty() && llvm::all_of(accesses, [](const MemoryAccess &access) {
        return access.isOfBarrier() || access.proxy == Proxy::Async;
      }))
    return false;
  if (isa<CallOpInterface>(op))
    return false; // Operations of the callee answer.
  if (reachesPeers(op))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
           !isa<ModuleOp, FunctionOpInterface>(op);
  llvm::SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::any_of(all, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           effect.getResource() != ttg::SharedMemory::get();
  });
}

struct InsertClusterBarriersPass : PassWrapper<InsertClusterBarriersPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertClusterBarriersPass)
  llvm::StringRef getArgument() const override { return "gluonc-insert-cluster-barriers"; }
  llvm::StringRef getDescription() const override {
    return "Synchronize CTAs that access each other's shared memory";
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    module->removeAttr(ttg::clusterSilentAttr);
    if (ttg::numCtasOf(module) == 1)
      return;
    auto first = [](Operation *op) {
      return publishes(op) ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (!module.walk(first).wasInterrupted())
      module->setAttr(ttg::clusterSilentAttr, UnitAttr::get(module.getContext()));
    for (tt::FuncOp function : module.getOps<tt::FuncOp>()) {
      SharedAccesses accesses(function);
      ClusterFlow(function, accesses).run();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createInsertClusterBarriersPass() {
  return std::make_unique<InsertClusterBarriersPass>();
}

} // namespace gluonc

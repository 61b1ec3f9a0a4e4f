//===- InsertBarriers.cpp -----------------------------------------------------===//
//
// Problem: threads of a CTA run ahead of each other. Where one thread reads
// shared bytes that another wrote (or writes bytes that another still reads),
// all must synchronize in between. The kernel's author does not say where; we find out.
//
//   local_store %x, %a                        local_store %x, %a
//   %y = local_load %a            ==>         barrier local
//                                             %y = local_load %a
//
// Forward over each function we keep the accesses since the last barrier
// ("pending"). An access that conflicts with a pending one (same bytes, at
// least one writes) needs a barrier before it, which clears the set.
//
// What conflicts: byte intervals from AllocateShared, so distinct buffers that
// share bytes conflict, too. Two windows of one buffer that were cut at constant
// places conflict only where the windows overlap.
//
// Asynchronous units. What a box copy or an asynchronous dot does to a buffer happens
// some time after it was started; the program waits for it by other means. So
// such an access needs a barrier before it, if it conflicts with something
// pending, but is not pending itself. A wait for dots is a matter of each
// group of four warps: others may still be reading, so what dots read is
// pending from the wait on, until all synchronize.
//
// Barrier objects. Threads may use one at the same time; only its beginning and
// its end (init, inval) must be apart from its uses.
//
// Warp specialization. All synchronize at its start and its end; in between each
// partition is looked at alone.
//
// Operations that synchronize inside (convert_layout through shared memory)
// write scratch, synchronize, and read it: before them only the write matters, after
// them only the read is pending. `async_wait` promises that the copies of this
// thread have landed; others learn it at a barrier, so any access after it
// needs one. Until then nobody can count on what a copy writes, so it is not
// pending; only the accesses before it are in its way.
//
//===----------------------------------------------------------------------===//
#include "transform/Pipeline.h"
#include "transform/analysis/SharedFlow.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Accesses since the last barrier.
struct State {
  llvm::BitVector pending;
  bool needsSynchronizing = false;

  explicit State(const SharedAccesses &accesses) : pending(accesses.size()) {}

  void clear() {
    pending.reset();
    needsSynchronizing = false;
  }
  bool join(const State &other) {
    bool grows = other.pending.test(pending) || (other.needsSynchronizing && !needsSynchronizing);
    pending |= other.pending;
    needsSynchronizing |= other.needsSynchronizing;
    return grows;
  }
};

class BarrierFlow final : public SharedFlow<State> {
public:
  using SharedFlow::SharedFlow;

private:
  void synchronize(State &state) override { state.clear(); }

  Operation *create(OpBuilder &builder, Location location) override {
    return ttg::BarrierOp::create(builder, location, ttg::AddrSpace::Local);
  }

  bool needsBarrier(const Effect &effect, const State &state) const {
    if (effect.before.empty())
      return false;
    if (state.needsSynchronizing)
      return true;
    for (unsigned access : effect.before)
      for (unsigned earlier : state.pending.set_bits())
        if (accesses.conflict(access, earlier))
          return true;
    return false;
  }

  void apply(Operation *op, State &state) override {
    const Effect *effect = accesses.of(op);
    if (!effect) {
      auto ours = dyn_cast<ttg::BarrierOp>(op);
      if (ours && ours.orders(ttg::AddrSpace::Local))
        state.clear(); // Inserted after the effects were described.
      return;
    }
    if (needsBarrier(*effect, state)) {
      require(op);
      state.clear();
    }
    if (effect->synchronizes)
      state.clear();
    for (unsigned access : effect->after)
      state.pending.set(access);
    state.needsSynchronizing |= effect->needsSynchronizing;
  }
};

struct InsertBarriersPass : PassWrapper<InsertBarriersPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertBarriersPass)
  llvm::StringRef getArgument() const override { return "gluonc-insert-barriers"; }
  llvm::StringRef getDescription() const override {
    return "Synchronize threads that exchange data through shared memory";
  }

  void runOnOperation() override {
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      SharedAccesses accesses(function);
      if (!accesses.empty())
        BarrierFlow(function, accesses).run();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createInsertBarriersPass() { return std::make_unique<InsertBarriersPass>(); }

} // namespace gluonc

//===- InsertBarriers.cpp -----------------------------------------------------===//
//
// Problem: threads of a CTA run ahead of each other. Where one thread reads
// shared bytes that another wrote (or writes bytes that another still reads),
// all must meet in between. The kernel's author does not say where; we find out.
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
// places conflict only where the windows meet.
//
// Loops. The state at a loop's head is the union over entry and back edge, so
// the analysis repeats until it is stable. While states grow, a barrier decided
// on early may later turn out to be implied by another; so barriers in loops
// are finally tried out one by one: a barrier stays only if without it some
// access would conflict. None missing, none doubled.
//
// Engines. What a copy engine or a warpgroup's product does to a buffer happens
// some time after it was started; the program waits for it by other means. So
// such an access needs a barrier before it, if it conflicts with something
// pending, but is not pending itself. A wait for products is a matter of each
// group of four warps: others may still be reading, so what products read is
// pending from the wait on, until all meet.
//
// Barrier objects. Threads may use one at the same time; only its beginning and
// its end (init, inval) must be apart from its uses.
//
// Warp specialization. All meet at its start and its end; in between each part
// is looked at alone.
//
// Operations that synchronize inside (convert_layout through shared memory)
// write scratch, meet, and read it: before them only the write matters, after
// them only the read is pending. `async_wait` promises that the copies of this
// thread have landed; others learn it at a barrier, so any access after it
// needs one. Until then nobody can count on what a copy writes, so it is not
// pending; only the accesses before it are in its way.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "transform/Pipeline.h"
#include "transform/SharedUse.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gluonc {
namespace {

/// A window of a buffer in elements, as far as it is known.
struct Window {
  struct Side {
    int64_t begin, size;
  };
  llvm::SmallVector<Side, 4> sides;
};

/// One operation touching one interval of shared memory.
struct Access {
  int64_t begin, end;
  bool writes;
  Operation *owner;
  std::optional<Window> window;
  enum class Object { No, Life, Use };
  /// Of a barrier object: begins or ends it, or uses it.
  Object object = Object::No;
};

/// What an operation does, in order: `before` meets pending accesses; if `meets`, nothing stays
/// pending; `after` becomes pending. Indices into the list of accesses.
struct Effect {
  llvm::SmallVector<unsigned, 2> before, after;
  bool meets = false;
  /// async_wait: whoever touches shared memory next must meet first.
  bool needsMeeting = false;
};

struct State {
  llvm::BitVector pending;
  bool needsMeeting = false;

  void clear() {
    pending.reset();
    needsMeeting = false;
  }
  bool join(const State &other) {
    bool grows = other.pending.test(pending) || (other.needsMeeting && !needsMeeting);
    pending |= other.pending;
    needsMeeting |= other.needsMeeting;
    return grows;
  }
};

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

class Accesses {
public:
  explicit Accesses(tt::FuncOp function) : aliases(function) {
    function.walk([&](Operation *op) { describe(op); });
    // Which products a wait is about is not followed up.
    for (Operation *wait : productWaits)
      effects[wait].after = productReads;
  }

  bool empty() const { return list.empty(); }
  size_t size() const { return list.size(); }
  const Effect *of(Operation *op) const {
    auto entry = effects.find(op);
    return entry == effects.end() ? nullptr : &entry->second;
  }
  bool conflict(unsigned a, unsigned b) const {
    const Access &x = list[a], &y = list[b];
    if (!(x.writes || y.writes) || x.begin >= y.end || y.begin >= x.end)
      return false;
    if (x.object != Access::Object::No && x.object == y.object)
      return false;
    return !(x.owner == y.owner && x.window && y.window && apart(*x.window, *y.window));
  }

private:
  static bool apart(const Window &a, const Window &b) {
    if (a.sides.size() != b.sides.size())
      return false;
    for (auto [x, y] : llvm::zip(a.sides, b.sides)) {
      if (x.begin + x.size <= y.begin || y.begin + y.size <= x.begin)
        return true;
    }
    return false;
  }

  /// The window that `buffer` cuts from its allocation; nullopt for views that mix elements up or
  /// that come from more than one place.
  static std::optional<Window> windowOf(Value buffer) {
    Operation *op = buffer.getDefiningOp();
    if (isa_and_nonnull<ttg::LocalAllocOp>(op)) {
      Window window;
      for (int64_t size : cast<ttg::MemDescType>(buffer.getType()).getShape())
        window.sides.push_back({0, size});
      return window;
    }
    if (auto index = dyn_cast_or_null<ttg::MemDescIndexOp>(op)) {
      std::optional<Window> window = windowOf(index.getSrc());
      size_t leading = window ? window->sides.size() - index.getSrc().getType().getRank() : 0;
      if (!window)
        return std::nullopt;
      llvm::APInt constant;
      // At an index that is not constant it may be any buffer of the ring.
      if (matchPattern(index.getIndex(), m_ConstantInt(&constant)))
        window->sides[leading] = {constant.getSExtValue(), 1};
      return window;
    }
    if (auto slice = dyn_cast_or_null<ttg::MemDescSubsliceOp>(op)) {
      std::optional<Window> window = windowOf(slice.getSrc());
      if (!window)
        return std::nullopt;
      size_t leading = window->sides.size() - slice.getType().getRank();
      for (int64_t d = 0; d < slice.getType().getRank(); ++d) {
        Window::Side &side = window->sides[leading + d];
        side = {side.begin + slice.getOffsets()[d], slice.getType().getShape()[d]};
      }
      return window;
    }
    return std::nullopt;
  }

  static int64_t offsetOf(Operation *op) {
    auto offset = op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttr);
    return offset ? offset.getInt() : 0;
  }

  unsigned add(Access access) {
    list.push_back(std::move(access));
    return list.size() - 1;
  }

  void touch(Effect &effect, Value buffer, bool writes) {
    const llvm::BitVector *owners = aliases.of(buffer);
    if (!owners)
      return;
    std::optional<Window> window = owners->count() == 1 ? windowOf(buffer) : std::nullopt;
    for (unsigned index : owners->set_bits()) {
      ttg::LocalAllocOp owner = aliases.allocations()[index];
      int64_t begin = offsetOf(owner);
      unsigned access = add({begin, begin + bufferBytesOf(owner), writes, owner, window});
      effect.before.push_back(access);
      effect.after.push_back(access);
    }
  }

  /// An access that completes at some time of its own.
  void start(Effect &effect, Value buffer, bool writes) {
    if (!isa<ttg::MemDescType>(buffer.getType()))
      return;
    llvm::SmallVector<unsigned, 2> pending = effect.after;
    touch(effect, buffer, writes);
    effect.after = pending;
  }

  void useObject(Effect &effect, Value barrier, Access::Object how) {
    size_t first = effect.before.size();
    touch(effect, barrier, true);
    for (size_t i = first; i < effect.before.size(); ++i)
      list[effect.before[i]].object = how;
  }

  /// Threads of the partition meet, then one of them accesses the barrier object.
  void meetAndUse(Effect &effect, Value barrier) {
    useObject(effect, barrier, Access::Object::Use);
    effect.before.clear();
    effect.meets = true;
  }

  void describeEngines(Effect &effect, Operation *op) {
    using Object = Access::Object;
    llvm::TypeSwitch<Operation *>(op)
        .Case<ttng::InitBarrierOp, ttng::InvalBarrierOp>(
            [&](auto barrier) { useObject(effect, barrier.getAlloc(), Object::Life); })
        .Case<ttng::BarrierExpectOp, ttng::ArriveBarrierOp>(
            [&](auto barrier) { meetAndUse(effect, barrier.getAlloc()); })
        .Case([&](ttng::WaitBarrierOp wait) { useObject(effect, wait.getAlloc(), Object::Use); })
        .Case([&](ttng::AsyncCopyMbarrierArriveOp arrive) {
          useObject(effect, arrive.getBarrier(), Object::Use);
        })
        .Case([&](ttng::AsyncTMACopyGlobalToLocalOp copy) {
          useObject(effect, copy.getBarrier(), Object::Use);
          start(effect, copy.getResult(), true);
        })
        .Case([&](ttng::AsyncSharedStoreOp store) {
          useObject(effect, store.getMbarrier(), Object::Use);
          start(effect, store.getDst(), true);
        })
        .Case<ttng::AsyncTMACopyLocalToGlobalOp, ttng::AsyncTMAReduceOp>(
            [&](auto copy) { start(effect, copy.getSrc(), false); })
        .Case([&](ttng::WarpGroupDotOp dot) {
          start(effect, dot.getA(), false);
          start(effect, dot.getB(), false);
          append_range(productReads, effect.before);
          // The wait is part of it.
          if (!dot.getIsAsync())
            effect.after = effect.before;
        })
        .Case([&](ttng::WarpGroupDotWaitOp) { productWaits.push_back(op); })
        .Case([&](ttng::TMAStoreWaitOp) { effect.needsMeeting = true; })
        .Case<ttng::ClusterBarrierOp, ttng::ClusterWaitOp>([&](auto) { effect.meets = true; });
  }

  void exchange(Effect &effect, Operation *op, bool meets) {
    int64_t bytes = scratchBytesOf(op), begin = offsetOf(op);
    effect.before.push_back(add({begin, begin + bytes, true, op, std::nullopt}));
    effect.meets = meets;
    // Within a warp nobody else is met: the writes stay pending for other warps.
    effect.after.push_back(add({begin, begin + bytes, !meets, op, std::nullopt}));
  }

  void describe(Operation *op) {
    Effect effect;
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](ttg::LocalLoadOp load) { touch(effect, load.getSrc(), false); })
        .Case([&](ttg::LocalStoreOp store) { touch(effect, store.getDst(), true); })
        .Case([&](ttg::LocalGatherOp gather) { touch(effect, gather.getSrc(), false); })
        .Case([&](ttg::LocalScatterOp scatter) { touch(effect, scatter.getDst(), true); })
        .Case([&](ttg::LocalAtomicScatterRMWOp scatter) {
          touch(effect, scatter.getDst(), true);
          // What was fetched goes to threads with copies, behind a barrier.
          if (scratchBytesOf(op))
            exchange(effect, op, /*meets=*/true);
        })
        .Case([&](ttg::AsyncCopyGlobalToLocalOp copy) {
          touch(effect, copy.getResult(), true);
          // What it writes appears at an async_wait and no barrier before that helps.
          effect.after.clear();
        })
        .Case([&](ttg::LocalAllocOp alloc) {
          if (alloc.getSrc())
            touch(effect, alloc.getResult(), true);
        })
        .Case([&](ttg::BarrierOp barrier) { effect.meets = barrier.orders(ttg::AddrSpace::Local); })
        .Case([&](ttg::AsyncWaitOp) { effect.needsMeeting = true; })
        .Case([&](ttg::ConvertLayoutOp convert) {
          const auto *plan = std::get_if<layout::SharedPlan>(&planOf(convert));
          if (plan && plan->scratchBytes)
            exchange(effect, op, plan->sync != layout::SyncScope::Warp);
        })
        .Case([&](tt::CallOp) { touchEverything(effect); })
        .Default([&](Operation *other) {
          if (isa<ttng::TTNGDialect>(other->getDialect()))
            describeEngines(effect, other);
          else if (scratchBytesOf(other))
            exchange(effect, op, /*meets=*/true);
        });
    if (!effect.before.empty() || effect.meets || effect.needsMeeting)
      effects.try_emplace(op, std::move(effect));
  }

  /// A function that was not inlined may do anything.
  void touchEverything(Effect &effect) {
    unsigned all = add({0, std::numeric_limits<int64_t>::max(), true, nullptr, std::nullopt});
    effect.before.push_back(all);
    effect.after.push_back(all);
  }

  BufferAliases aliases;
  llvm::SmallVector<Access> list;
  llvm::DenseMap<Operation *, Effect> effects;
  /// What products read through their engine, and the waits for products.
  llvm::SmallVector<unsigned, 2> productReads;
  llvm::SmallVector<Operation *> productWaits;
};

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

class Flow {
public:
  enum class Mode {
    /// Where a conflict shows, pretend that a barrier stands there.
    Pretend,
    /// Put one there.
    Insert,
    /// Remember that there was a conflict.
    Check,
  };

  Flow(tt::FuncOp function, const Accesses &accesses) : function(function), accesses(accesses) {}

  llvm::SmallVector<ttg::BarrierOp> insert() {
    walk(Mode::Pretend);
    walk(Mode::Insert);
    return std::move(inserted);
  }

  /// Whether the barriers that stand there now are enough.
  bool isSafe() {
    conflicts = false;
    heads.clear();
    walk(Mode::Check);
    return !conflicts;
  }

private:
  State empty() const { return State{llvm::BitVector(accesses.size()), false}; }

  /// The blocks of a function: to a fixed point over the state at the head of each block. Insertion
  /// runs over states that are final, in one sweep.
  void walk(Mode newMode) {
    mode = newMode;
    Region &body = function.getBody();
    for (bool changed = true; changed;) {
      changed = false;
      for (Block &block : body) {
        State state = headOf(&block);
        run(block, state);
        for (Block *next : block.getSuccessors())
          changed |= headOf(next).join(state);
      }
      if (mode == Mode::Insert)
        break;
    }
  }

  State &headOf(void *place) { return heads.try_emplace(place, empty()).first->second; }

  void run(Block &block, State &state) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        runFor(loop, state);
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        runWhile(loop, state);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        runIf(branch, state);
      else if (auto specialize = dyn_cast<ttg::WarpSpecializeOp>(op))
        runParts(specialize, state);
      else if (const Effect *effect = accesses.of(&op))
        apply(&op, *effect, state);
      else if (auto ours = dyn_cast<ttg::BarrierOp>(op); ours && ours.orders(ttg::AddrSpace::Local))
        state.clear(); // Inserted after the effects were described.
    }
  }

  /// Joins into the state at `place` until the body adds nothing more; leaves the state at its end.
  template <typename Body> void repeat(void *place, State &state, Body body) {
    headOf(place).join(state);
    while (true) {
      state = headOf(place);
      body(state);
      if (!headOf(place).join(state) || mode == Mode::Insert)
        return;
    }
  }

  void runFor(scf::ForOp loop, State &state) {
    State entry = state;
    repeat(loop, state, [&](State &inner) { run(*loop.getBody(), inner); });
    // There may be no iteration at all.
    state.join(entry);
  }

  void runWhile(scf::WhileOp loop, State &state) {
    State exit = empty();
    repeat(loop, state, [&](State &inner) {
      run(*loop.getBeforeBody(), inner);
      exit = inner;
      run(*loop.getAfterBody(), inner);
    });
    state = exit;
  }

  void runIf(scf::IfOp branch, State &state) {
    State other = state;
    run(*branch.thenBlock(), state);
    if (Block *otherwise = branch.elseBlock())
      run(*otherwise, other);
    state.join(other);
  }

  void runParts(ttg::WarpSpecializeOp specialize, State &state) {
    // Captures go through shared memory.
    if (const Effect *effect = accesses.of(specialize))
      apply(specialize, *effect, state);
    state.clear();
    runRegion(specialize.getDefaultRegion(), state);
    for (Region &partition : specialize.getPartitions()) {
      State alone = empty();
      runRegion(partition, alone);
    }
    state.clear();
  }

  /// The blocks of a part, as those of a function; leaves the state at its end.
  void runRegion(Region &region, State &state) {
    headOf(&region.front()).join(state);
    State end = empty();
    for (bool changed = true; changed;) {
      changed = false;
      for (Block &block : region) {
        State inner = headOf(&block);
        run(block, inner);
        if (block.hasNoSuccessors())
          end.join(inner);
        for (Block *next : block.getSuccessors())
          changed |= headOf(next).join(inner);
      }
      if (mode == Mode::Insert)
        break;
    }
    state = end;
  }

  bool needsBarrier(const Effect &effect, const State &state) const {
    if (effect.before.empty())
      return false;
    if (state.needsMeeting)
      return true;
    for (unsigned access : effect.before)
      for (unsigned earlier : state.pending.set_bits())
        if (accesses.conflict(access, earlier))
          return true;
    return false;
  }

  void apply(Operation *op, const Effect &effect, State &state) {
    if (needsBarrier(effect, state)) {
      if (mode == Mode::Insert) {
        OpBuilder builder(op);
        inserted.push_back(builder.create<ttg::BarrierOp>(op->getLoc(), ttg::AddrSpace::Local));
      }
      conflicts = true;
      state.clear();
    }
    if (effect.meets)
      state.clear();
    for (unsigned access : effect.after)
      state.pending.set(access);
    state.needsMeeting |= effect.needsMeeting;
  }

  tt::FuncOp function;
  const Accesses &accesses;
  Mode mode = Mode::Pretend;
  bool conflicts = false;
  llvm::DenseMap<void *, State> heads;
  llvm::SmallVector<ttg::BarrierOp> inserted;
};

/// Takes out barriers that others make unnecessary; only cycles can have led to such.
void dropImplied(tt::FuncOp function, const Accesses &accesses, ArrayRef<ttg::BarrierOp> inserted) {
  bool cycles = !function.getBody().hasOneBlock();
  for (ttg::BarrierOp barrier : inserted) {
    if (!cycles && !barrier->getParentOfType<LoopLikeOpInterface>())
      continue;
    Block *block = barrier->getBlock();
    Operation *next = barrier->getNextNode();
    barrier->remove();
    if (Flow(function, accesses).isSafe())
      barrier->destroy();
    else
      block->getOperations().insert(Block::iterator(next), barrier);
  }
}

struct InsertBarriersPass : PassWrapper<InsertBarriersPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertBarriersPass)
  llvm::StringRef getArgument() const override { return "gluonc-insert-barriers"; }
  llvm::StringRef getDescription() const override {
    return "Synchronize threads that meet in shared memory";
  }

  void runOnOperation() override {
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      Accesses accesses(function);
      if (accesses.empty())
        continue;
      dropImplied(function, accesses, Flow(function, accesses).insert());
    }
  }
};

} // namespace

std::unique_ptr<Pass> createInsertBarriersPass() { return std::make_unique<InsertBarriersPass>(); }

} // namespace gluonc

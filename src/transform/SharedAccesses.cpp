//===- SharedAccesses.cpp -----------------------------------------------------===//
//
// A new operation that touches shared memory is entered in `describe`.
//
//===----------------------------------------------------------------------===//
#include "transform/SharedAccesses.h"

#include "ir/Encoding.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gluonc {

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {

bool apart(const Window &a, const Window &b) {
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
std::optional<Window> windowOf(Value buffer) {
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

int64_t offsetOf(Operation *op) {
  auto offset = op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttr);
  return offset ? offset.getInt() : 0;
}

} // namespace

SharedAccesses::SharedAccesses(tt::FuncOp function) : aliases(function) {
  takesBuffers = llvm::any_of(function.getBody().getArgumentTypes(),
                              [](Type type) { return isa<ttg::MemDescType>(type); });
  function.walk([&](Operation *op) { describe(op); });
  if (!function.isPublic())
    callers = everything();
  // Which products a wait is about is not followed up.
  for (Operation *wait : productWaits)
    effects[wait].after = productReads;
}

const Effect *SharedAccesses::of(Operation *op) const {
  auto entry = effects.find(op);
  return entry == effects.end() ? nullptr : &entry->second;
}

bool SharedAccesses::conflict(unsigned a, unsigned b) const {
  const Access &x = list[a], &y = list[b];
  if (!(x.writes || y.writes) || x.begin >= y.end || y.begin >= x.end)
    return false;
  if (x.object != Access::Object::No && x.object == y.object)
    return false;
  return !(x.owner == y.owner && x.window && y.window && apart(*x.window, *y.window));
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

unsigned SharedAccesses::add(Access access) {
  list.push_back(std::move(access));
  return list.size() - 1;
}

void SharedAccesses::touch(Effect &effect, Value buffer, bool writes) {
  if (takesBuffers) {
    unsigned access = everything();
    list[access].writes = writes;
    effect.before.push_back(access);
    effect.after.push_back(access);
    return;
  }
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
void SharedAccesses::start(Effect &effect, Value buffer, bool writes, bool byEngine) {
  if (!isa<ttg::MemDescType>(buffer.getType()))
    return;
  llvm::SmallVector<unsigned, 2> pending = effect.after;
  size_t first = effect.before.size();
  touch(effect, buffer, writes);
  effect.after = pending;
  for (size_t i = first; i < effect.before.size(); ++i)
    list[effect.before[i]].byEngine = byEngine;
}

void SharedAccesses::useObject(Effect &effect, Value barrier, Access::Object how) {
  size_t first = effect.before.size();
  touch(effect, barrier, true);
  for (size_t i = first; i < effect.before.size(); ++i)
    list[effect.before[i]].object = how;
}

/// Threads of the partition meet, then one of them accesses the barrier object.
void SharedAccesses::meetAndUse(Effect &effect, Value barrier) {
  useObject(effect, barrier, Access::Object::Use);
  effect.before.clear();
  effect.meets = true;
}

void SharedAccesses::describeEngines(Effect &effect, Operation *op) {
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
        // Of this thread, though it takes its time.
        start(effect, store.getDst(), true, /*byEngine=*/false);
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
      .Case([&](ttng::TensormapCreateOp) { exchange(effect, op, /*meets=*/true); })
      .Case<ttng::ClusterBarrierOp, ttng::ClusterWaitOp>([&](auto) { effect.meets = true; });
}

void SharedAccesses::exchange(Effect &effect, Operation *op, bool meets) {
  int64_t bytes = scratchBytesOf(op), begin = offsetOf(op);
  effect.before.push_back(add({begin, begin + bytes, true, op, std::nullopt}));
  effect.meets = meets;
  // Within a warp nobody else is met: the writes stay pending for other warps.
  effect.after.push_back(add({begin, begin + bytes, !meets, op, std::nullopt}));
}

void SharedAccesses::describe(Operation *op) {
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
      .Case([&](tt::CallOp) {
        effect.before.push_back(everything());
        effect.after = effect.before;
      })
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
unsigned SharedAccesses::everything() {
  return add({0, std::numeric_limits<int64_t>::max(), true, nullptr, std::nullopt});
}

} // namespace gluonc

//===- SharedAccesses.cpp -----------------------------------------------------===//
#include "transform/analysis/SharedAccesses.h"

#include "ir/Encoding.h"
#include "ir/ttng/TensorMemoryRules.h"

#include "mlir/IR/Matchers.h"

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
  if (op && isAllocation(op)) {
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
  if (auto slice = dyn_cast_or_null<ttng::TMEMSubSliceOp>(op)) {
    std::optional<Window> window = windowOf(slice.getSrc());
    if (!window)
      return std::nullopt;
    const int64_t dim = slice.getDim();
    Window::Side &side = window->sides[window->sides.size() - slice.getType().getRank() + dim];
    side = {side.begin + int64_t(slice.getOffset()), slice.getType().getShape()[dim]};
    return window;
  }
  return std::nullopt;
}

int64_t intAttr(Operation *op, llvm::StringRef name) {
  auto offset = op->getAttrOfType<IntegerAttr>(name);
  return offset ? offset.getInt() : 0;
}
int64_t offsetOf(Operation *op) { return intAttr(op, ttg::allocationOffsetAttr); }

/// Begin and end of an allocation: bytes of shared memory, columns of tensor memory.
std::pair<int64_t, int64_t> intervalOf(Operation *allocation) {
  if (auto tensor = dyn_cast<ttng::TMEMAllocOp>(allocation)) {
    int64_t begin = intAttr(allocation, ttg::tensorMemoryColumnAttr);
    auto footprint = ttng::tensorMemoryFootprint(tensor.getResult().getType());
    return {begin, begin + (footprint ? footprint->columns : 0)};
  }
  int64_t begin = offsetOf(allocation);
  return {begin, begin + bufferBytesOf(cast<ttg::LocalAllocOp>(allocation))};
}

} // namespace

SharedAccesses::SharedAccesses(tt::FuncOp function) : aliases(function) {
  takesBuffers = llvm::any_of(function.getBody().getArgumentTypes(),
                              [](Type type) { return isa<ttg::MemDescType>(type); });
  function.walk([&](Operation *op) { describe(op); });
  if (!function.isPublic())
    callers = everything();
  // Which dots a wait is about is not followed up.
  for (Operation *wait : dotWaits)
    effects[wait].after = dotReads;
}

const Effect *SharedAccesses::of(Operation *op) const {
  auto entry = effects.find(op);
  return entry == effects.end() ? nullptr : &entry->second;
}

bool SharedAccesses::conflict(unsigned a, unsigned b) const {
  const Access &x = list[a], &y = list[b];
  if (x.space && y.space && x.space != y.space)
    return false;
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

static Access::Object objectOf(MemoryAccess::Kind kind) {
  if (kind == MemoryAccess::UseBarrier)
    return Access::Object::Use;
  bool life = kind == MemoryAccess::InitBarrier || kind == MemoryAccess::InvalBarrier;
  return life ? Access::Object::Life : Access::Object::No;
}

void SharedAccesses::touch(Effect &effect, const MemoryAccess &what) {
  auto record = [&](unsigned access) {
    list[access].writes = what.writes();
    list[access].object = objectOf(what.kind);
    list[access].byUnit = what.proxy == Proxy::Async;
    list[access].space = what.space;
    effect.before.push_back(access);
    // Others complete at some time of their own, and no barrier before that helps.
    if (what.completion == Completion::ProgramOrder)
      effect.after.push_back(access);
    if (what.completion == Completion::DotWait)
      dotReads.push_back(access);
  };
  if (takesBuffers)
    return record(everything());
  const llvm::BitVector *owners = aliases.of(what.buffer);
  if (!owners)
    return;
  std::optional<Window> window = owners->count() == 1 ? windowOf(what.buffer) : std::nullopt;
  for (unsigned index : owners->set_bits()) {
    Operation *owner = aliases.allocations()[index];
    auto [begin, end] = intervalOf(owner);
    record(add({begin, end, true, owner, window}));
  }
}

void SharedAccesses::exchange(Effect &effect, Operation *op, const Scratch &scratch) {
  int64_t begin = offsetOf(op), end = begin + scratch.bytes;
  // Within a warp nobody else is synchronized: the writes stay pending for other warps.
  bool synchronizes = scratch.sync != layout::SyncScope::Warp;
  effect.before.push_back(add({begin, end, true, op, std::nullopt}));
  effect.synchronizes |= synchronizes;
  effect.after.push_back(add({begin, end, !synchronizes, op, std::nullopt}));
}

void SharedAccesses::describe(Operation *op) {
  Effect effect;
  if (auto onChip = dyn_cast<OnChipMemoryOpInterface>(op)) {
    for (const MemoryAccess &access : accessesOf(op))
      touch(effect, access);
    if (onChip.synchronizesThreads()) {
      effect.synchronizes = true;
      effect.synchronized = std::move(effect.before);
      effect.before.clear();
    }
    if (Scratch scratch = onChip.getScratch(); scratch.bytes)
      exchange(effect, op, scratch);
    std::optional<Completion> awaited = onChip.getAwaited();
    // One thread's groups: whoever counts on them must synchronize with it first.
    effect.needsSynchronizing =
        awaited == Completion::AsyncGroup || awaited == Completion::BulkStoreWait;
    if (awaited == Completion::DotWait)
      dotWaits.push_back(op);
  } else if (mayDoAnything(op)) {
    effect.before.push_back(everything());
    effect.after = effect.before;
  }
  if (!effect.before.empty() || effect.synchronizes || effect.needsSynchronizing)
    effects.try_emplace(op, std::move(effect));
}

/// A function that was not inlined may do anything.
unsigned SharedAccesses::everything() {
  unsigned access = add({0, std::numeric_limits<int64_t>::max(), true, nullptr, std::nullopt});
  list[access].space.reset();
  return access;
}

} // namespace gluonc

#include "assign/DrainingBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gluonc::assign {

void DrainingBody::make(Value later, IRMapping &map) {
  isLater = later;
  before = slotBefore(turn.slot);
  clone(turn, map);
  for (size_t box = 0; box < drained.size(); ++box)
    if (!isLate(box) && !(haveBeenFreed && isReadEarly(box)))
      free(box, turn.slot);
  if (!haveBeenFreed)
    freeLate(before, isLater);
}

void DrainingBody::leave(MutableArrayRef<Value> results, Value after, Value was) {
  awaitRest(results);
  freeLate(slotBefore(after), was);
}

/// With no others under way, the products of the iteration before are over here.
void DrainingBody::haveMet() {
  haveBeenFreed = fetch.asyncDots.empty();
  if (!haveBeenFreed)
    return;
  freeLate(before, isLater);
  for (size_t box = 0; box < drained.size(); ++box)
    if (!isLate(box) && isReadEarly(box))
      free(box, turn.slot);
  // Not only because they will be needed: ptxas moves arrivals down behind what is computed next,
  // but not across the loop that waiting for a barrier is.
  awaitBoxes(turn);
}

/// Whether a product that goes on in the next iteration reads it.
bool DrainingBody::isLate(size_t box) const {
  return llvm::any_of(fetch.copies,
                      [&](const Copy &copy) { return copy.box == box && copy.isOfDot; });
}

/// Whether the product that all wait for is the last to read its blocks.
bool DrainingBody::isReadEarly(size_t box) const {
  return llvm::all_of(fetch.copies, [&](const Copy &copy) {
    return copy.box != box || llvm::all_of(copy.load->getUsers(), [&](Operation *user) {
             return isReadEarly(copy, user);
           });
  });
}

bool DrainingBody::isReadEarly(const Copy &copy, Operation *user) const {
  Operation *place = fetch.meeting->getBlock()->findAncestorOpInBlock(*user);
  if (!place || fetch.meeting->isBeforeInBlock(place))
    return false;
  bool isView = isa<ttg::MemDescTransOp>(user) || copy.isReadBy(user);
  return !isView ||
         llvm::all_of(user->getUsers(), [&](Operation *next) { return isReadEarly(copy, next); });
}

Value DrainingBody::slotBefore(Value slot) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
  };
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, slot, constant(0));
  Value less = arith::SubIOp::create(builder, loc, slot, constant(1));
  return arith::SelectOp::create(builder, loc, isFirst, constant(slots - 1), less);
}

void DrainingBody::freeLate(Value slot, Value predicate) {
  for (size_t box = 0; box < drained.size(); ++box)
    if (isLate(box))
      free(box, slot, predicate);
}

/// Whether threads load blocks of a box, and not only products read the buffer itself.
bool DrainingBody::isReadByThreads(size_t box) const {
  return llvm::any_of(fetch.copies, [&](const Copy &copy) {
    return copy.box == box && llvm::any_of(copy.load->getUsers(), [&](Operation *user) {
             return !isa<ttg::LocalAllocOp>(user) || !copy.isReadBy(user);
           });
  });
}

/// What threads have read, the copy engine may overwrite behind a fence only: no pass sees both
/// partitions.
void DrainingBody::free(size_t box, Value slot, Value predicate) {
  if (isReadByThreads(box))
    ttng::FenceAsyncSharedOp::create(builder, loc, /*bCluster=*/false);
  drained[box].arrive(builder, slot, predicate);
}

} // namespace gluonc::assign

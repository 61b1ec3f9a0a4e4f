#include "assign/LateProducts.h"

#include "target/nvidia/TensorMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gluonc::assign {
namespace {

class Finder {
public:
  Finder(scf::ForOp loop, llvm::function_ref<bool(Value)> isStable)
      : loop(loop), isStable(isStable) {}

  LateProducts find();

private:
  bool isLate(TensorMemoryProduct product);
  bool isReady(Value operand, TensorMemoryProduct product);
  void endBefore(Operation *place) {
    if (!late.end || place->isBeforeInBlock(late.end))
      late.end = place;
  }

  scf::ForOp loop;
  llvm::function_ref<bool(Value)> isStable;
  LateProducts late;
};

/// Whether only branches read the sum behind the product: those can wait.
bool Finder::isLate(TensorMemoryProduct product) {
  Operation *alloc = product.getD().getDefiningOp();
  if (product.getIsAsync() || !isa_and_present<ttng::TMEMAllocOp>(alloc) ||
      loop->isAncestor(alloc) || !llvm::all_of(product.getOperands(), [&](Value operand) {
        return isReady(operand, product);
      }))
    return false;
  return llvm::all_of(product.getD().getUsers(), [&](Operation *user) {
    if (!loop->isProperAncestor(user))
      return true;
    Operation *place = loop.getBody()->findAncestorOpInBlock(*user);
    if (TensorMemoryProduct(user))
      return place == user;
    return place->isBeforeInBlock(product.operation()) || (isa<scf::IfOp>(place) && place != user);
  });
}

/// Whether the operand lies somewhere where it can stay until the next iteration.
bool Finder::isReady(Value operand, TensorMemoryProduct product) {
  if (isStable(operand))
    return true;
  Operation *op = operand.getDefiningOp();
  bool isStored = isa_and_present<ttg::LocalAllocOp, ttng::TMEMAllocOp>(op) &&
                  op->getBlock() == loop.getBody() && op->getNumOperands() == 1;
  bool hasRoom = !isa_and_present<ttng::TMEMAllocOp>(op) ||
                 tensorColumnsOf(outermost(loop)) <= int64_t(target::nvidia::tmem::columns);
  return isStored && hasRoom && llvm::count(product.getOperands(), operand) == 1 &&
         operand.hasOneUse();
}

LateProducts Finder::find() {
  // All that add to one sum, or none.
  llvm::SmallVector<TensorMemoryProduct> all;
  for (Operation &op : *loop.getBody())
    if (TensorMemoryProduct product(&op); product)
      all.push_back(product);
  llvm::DenseSet<Value> early;
  for (TensorMemoryProduct product : all)
    if (!isLate(product))
      early.insert(product.getD());
  for (TensorMemoryProduct product : all) {
    if (early.contains(product.getD()))
      continue;
    late.products.push_back(product);
    for (Value operand : product.getOperands())
      if (!isStable(operand)) {
        late.stored.push_back(operand.getDefiningOp());
        endBefore(late.stored.back());
      }
    for (Operation *user : product.getD().getUsers())
      if (loop->isProperAncestor(user) && !TensorMemoryProduct(user))
        if (Operation *place = loop.getBody()->findAncestorOpInBlock(*user);
            place->isBeforeInBlock(product.operation()))
          endBefore(place);
  }
  return late;
}

/// The same buffer, that may be written again and again.
ttg::MemDescType mutableType(Type buffer) {
  auto type = cast<ttg::MemDescType>(buffer);
  return ttg::MemDescType::get(type.getShape(), type.getElementType(), type.getEncoding(),
                               type.getMemorySpace(), /*mutableMemory=*/true, type.getAllocShape());
}

} // namespace

LateProducts findLateProducts(scf::ForOp loop, llvm::function_ref<bool(Value)> isStable) {
  return Finder(loop, isStable).find();
}

RunningProducts::RunningProducts(OpBuilder &builder, Location loc, const LateProducts &late,
                                 int64_t slots)
    : loc(loc), late(late), slots(slots), over(builder, loc, slots) {
  for (Operation *alloc : late.stored) {
    ttg::MemDescType type = mutableType(alloc->getResult(0).getType());
    if (type.isShared())
      buffers.push_back(ttg::LocalAllocOp::create(builder, loc, type));
    else
      buffers.push_back(ttng::TMEMAllocOp::create(builder, loc, type).getResult());
  }
}

/// Waits for the products of the turn before.
void RunningProducts::awaitBefore(OpBuilder &builder, Turn turn) const {
  Turn before = turnBefore(builder, loc, turn, slots);
  over.wait(builder, before.slot, before.phase);
}

void RunningProducts::before(OpBuilder &builder, Operation &op, Turn turn) const {
  if (&op == late.end)
    awaitBefore(builder, turn);
}

bool RunningProducts::store(OpBuilder &builder, Operation &op, IRMapping &map) const {
  const auto *stored = llvm::find(late.stored, &op);
  if (stored == late.stored.end())
    return false;
  Value buffer = buffers[stored - late.stored.begin()],
        value = map.lookupOrDefault(op.getOperand(0));
  if (cast<ttg::MemDescType>(buffer.getType()).isShared())
    ttg::LocalStoreOp::create(builder, op.getLoc(), value, buffer);
  else
    ttng::TMEMStoreOp::create(
        builder, op.getLoc(), value, buffer,
        arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1).getResult());
  map.map(op.getResult(0), buffer);
  return true;
}

bool RunningProducts::isSum(Value buffer) const {
  return llvm::any_of(late.products,
                      [&](TensorMemoryProduct product) { return product.getD() == buffer; });
}

void RunningProducts::behind(OpBuilder &builder, Operation &op, Operation &made, Turn turn) const {
  if (late.contains(&op)) {
    TensorMemoryProduct(&made).setIsAsync();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(&made);
    if (late.isLast(&op))
      over.tell(builder, turn.slot, TensorMemoryProduct(&made));
    return;
  }
  if (late.empty() || !late.products.back()->isBeforeInBlock(&op))
    return;
  // Branches that read a sum wait for it.
  OpBuilder::InsertionGuard guard(builder);
  for (Region &region : made.getRegions()) {
    bool reads = false;
    region.walk([&](Operation *inner) {
      reads |= llvm::any_of(inner->getOperands(), [&](Value v) { return isSum(v); });
    });
    if (!reads)
      continue;
    builder.setInsertionPointToStart(&region.front());
    over.wait(builder, turn.slot, turn.phase);
  }
}

void RunningProducts::atEnd(OpBuilder &builder, Turn turn) const {
  if (!late.end)
    awaitBefore(builder, turn);
}

void RunningProducts::finish(OpBuilder &builder, Turn after) const {
  awaitBefore(builder, after);
  over.end(builder);
}

} // namespace gluonc::assign

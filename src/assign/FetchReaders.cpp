//===- FetchReaders.cpp ------------------------------------------------------------===//
#include "assign/FetchReaders.h"

#include "assign/BoxCopies.h"
#include "assign/CtaShares.h"
#include "ir/Encoding.h"

using namespace mlir;

namespace gluonc::assign {

/// The buffer that it is a view of.
static Value viewedBy(Value buffer) {
  while (auto view = buffer.getDefiningOp<ttg::MemDescTransOp>())
    buffer = view.getSrc();
  return buffer;
}

/// What a buffer is filled with where it is allocated; null for others.
static Value filledWith(Value buffer) {
  auto alloc = viewedBy(buffer).getDefiningOp<ttg::LocalAllocOp>();
  return alloc ? alloc.getSrc() : Value();
}

/// Whether a copy fills the buffer, or the loop leaves it alone.
static bool isStable(Value buffer, const Fetch &fetch) {
  scf::ForOp loop = fetch.loop;
  Operation *op = viewedBy(buffer).getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return true;
  const Copy *copy = fetch.copyOf(filledWith(buffer));
  return copy && copy->isReadBy(op);
}

bool Copy::isReadBy(Operation *user) const {
  if (hasOther)
    return false;
  if (auto alloc = dyn_cast<ttg::LocalAllocOp>(user))
    return alloc.getType().getEncoding() == shared;
  // Conversions get what other CTAs have.
  return isa<ttg::ConvertLayoutOp>(user) &&
         sharesOf(user->getResult(0).getType()) == toLayout(shared).cga();
}

const Copy *Fetch::copyOf(Value value) const {
  const Copy *copy = llvm::find_if(
      copies, [&](const Copy &c) { return value && c.load == value.getDefiningOp(); });
  return copy == copies.end() ? nullptr : copy;
}

Value Fetch::argumentOf(Operation *dot) const {
  scf::ForOp around = loop;
  ValueRange yields = around.getYieldedValues();
  return around.getRegionIterArg(llvm::find(yields, dot->getResult(0)) - yields.begin());
}

/// Whether the loop yields the sum once, and otherwise only branches take it that may wait for it.
static bool isForNextOrBranches(Operation *dot) {
  unsigned yields = 0;
  for (Operation *user : dot->getUsers()) {
    Operation *place = dot->getBlock()->findAncestorOpInBlock(*user);
    if (!isa_and_present<scf::YieldOp, scf::IfOp>(place) ||
        (place == user) == isa<scf::IfOp>(place))
      return false;
    yields += isa<scf::YieldOp>(place);
  }
  return yields == 1;
}

/// Those whose operands stay where they are and whose sums only the next iteration takes.
static void findAsyncDots(Fetch &fetch) {
  scf::ForOp loop = fetch.loop;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto dot = dyn_cast<ttng::WarpGroupDotOp>(op);
    if (!dot)
      continue;
    bool isInRegisters = isa<RankedTensorType>(dot.getA().getType());
    bool staysAround = (isInRegisters || isStable(dot.getA(), fetch)) &&
                       isStable(dot.getB(), fetch) && isForNextOrBranches(dot);
    if (!staysAround) {
      fetch.meeting = fetch.meeting ? fetch.meeting : dot;
      continue;
    }
    Value sum = fetch.argumentOf(dot);
    bool isBehind = fetch.meeting && llvm::all_of(sum.getUsers(), [&](Operation *user) {
                      Operation *place = loop.getBody()->findAncestorOpInBlock(*user);
                      return place && fetch.meeting->isBeforeInBlock(place);
                    });
    if (sum.hasOneUse() && dot.getC() == sum && !isInRegisters)
      fetch.asyncDots.push_back(dot);
    else if (isBehind && dot->hasOneUse())
      fetch.carriedDots.push_back(dot);
    else
      continue;
    for (Value operand : {Value(dot.getA()), Value(dot.getB())})
      for (Copy &copy : fetch.copies)
        copy.isOfDot |= &copy == fetch.copyOf(filledWith(operand));
  }
}

/// The same of products in tensor memory.
static void findLate(Fetch &fetch) {
  fetch.late =
      findLateProducts(fetch.loop, [&](Value operand) { return isStable(operand, fetch); });
  for (TensorMemoryProduct product : fetch.late.products)
    for (Value operand : product.getOperands())
      for (Copy &copy : fetch.copies)
        copy.isOfDot |= &copy == fetch.copyOf(filledWith(operand));
}

/// Gives one number to boxes that are first used by the same operation.
static void numberBoxes(Fetch &fetch) {
  scf::ForOp loop = fetch.loop;
  llvm::MapVector<Operation *, unsigned> numbers;
  for (Copy &copy : fetch.copies) {
    auto load = dyn_cast<tt::DescriptorLoadOp>(copy.load);
    if (!load)
      continue;
    Operation *first = nullptr;
    for (Operation *user : load->getUsers()) {
      Operation *place = loop.getBody()->findAncestorOpInBlock(*user);
      // Of a product it is the product that waits.
      while (place && place->hasOneUse() &&
             isa<ttg::LocalAllocOp, ttg::ConvertLayoutOp, ttg::MemDescTransOp>(place) &&
             place->getBlock() == (*place->user_begin())->getBlock())
        place = *place->user_begin();
      if (place && (!first || place->isBeforeInBlock(first)))
        first = place;
    }
    unsigned number = numbers.insert({first, unsigned(numbers.size())}).first->second;
    copy.box = number;
    fetch.boxBytes.resize(numbers.size());
    fetch.boxBytes[number] += bytesOf(load.getDesc().getType(), copy.shared);
  }
}

void findReaders(Fetch &fetch) {
  numberBoxes(fetch);
  findAsyncDots(fetch);
  findLate(fetch);
}

} // namespace gluonc::assign

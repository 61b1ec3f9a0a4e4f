//===- KeepSums.cpp - Sums that stay in tensor memory over a loop -------------------===//
//
// What a loop adds up by products of tensor memory, it carries there and not in registers:
//
//   for iter_args(%x = %zero):             %t = tmem_alloc
//     %t = tmem_alloc %x                   for:
//     tc_gen5_mma %a, %b, %t        =>       tc_gen5_mma %a, %b, %t, useD = not the first
//     %y = tmem_load %t
//     yield %y                             %y = tmem_load %t
//
// What an iteration reads of the sum before its product is loaded there, and what it changes is
// stored. In branches behind the product it is loaded there.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Products.h"
#include "assign/TensorMemoryProduct.h"
#include "ir/ttng/TensorMemoryRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gluonc {
namespace {

using assign::TensorMemoryProduct;

/// One sum that a loop carries.
class CarriedSum {
public:
  CarriedSum(scf::ForOp loop, unsigned number)
      : loop(loop), number(number), argument(loop.getRegionIterArg(number)) {}

  bool find();
  int64_t columns() { return ttng::columnsOfBuffer(alloc.getResult().getType()); }
  void keep();

private:
  Operation *placeOf(Operation *op) { return loop.getBody()->findAncestorOpInBlock(*op); }
  bool isDirect() { return alloc.getSrc() == argument && argument.hasOneUse(); }
  Value isLater(OpBuilder &builder);
  void loadArgument(Value buffer);
  void loadInBranches();
  Value loadBehind(OpBuilder &builder, Value buffer, bool isSkipped);

  scf::ForOp loop;
  unsigned number;
  BlockArgument argument;
  ttng::TMEMAllocOp alloc;
  ttng::TMEMLoadOp last;
  /// Products that add to it, in order.
  SmallVector<TensorMemoryProduct> products;
};

/// Whether what the loop carries is what products left in a buffer of the body.
bool CarriedSum::find() {
  Value yielded = loop.getYieldedValues()[number];
  last = yielded.getDefiningOp<ttng::TMEMLoadOp>();
  alloc = last ? last.getSrc().getDefiningOp<ttng::TMEMAllocOp>() : ttng::TMEMAllocOp();
  if (!alloc || !alloc.getSrc() || argument.use_empty() || last->getBlock() != loop.getBody() ||
      alloc->getBlock() != loop.getBody() || alloc.getSrc().getType() != argument.getType() ||
      last.getRed())
    return false;
  for (Operation *user : alloc.getResult().getUsers()) {
    if (TensorMemoryProduct product(user);
        product && product.getD() == alloc.getResult() && placeOf(user)->isBeforeInBlock(last))
      products.push_back(product);
    else if (!isa<ttng::TMEMLoadOp>(user))
      return false;
  }
  llvm::sort(products, [&](TensorMemoryProduct a, TensorMemoryProduct b) {
    Operation *first = placeOf(a.operation()), *second = placeOf(b.operation());
    return first != second && first->isBeforeInBlock(second);
  });
  return !products.empty();
}

/// Whether this is not the first iteration.
Value CarriedSum::isLater(OpBuilder &builder) {
  return arith::CmpIOp::create(builder, loop.getLoc(), arith::CmpIPredicate::ne,
                               loop.getInductionVar(), loop.getLowerBound());
}

/// Loads it before the first use, which is no later than the product.
void CarriedSum::loadArgument(Value buffer) {
  Operation *first = alloc;
  for (Operation *user : argument.getUsers())
    if (Operation *place = placeOf(user); place->isBeforeInBlock(first))
      first = place;
  OpBuilder builder(first);
  Value loaded =
      ttng::TMEMLoadOp::create(builder, loop.getLoc(), argument.getType(), buffer).getResult();
  argument.replaceUsesWithIf(loaded,
                             [](OpOperand &use) { return !isa<scf::YieldOp>(use.getOwner()); });
}

/// Branches that take the sum load it themselves.
void CarriedSum::loadInBranches() {
  llvm::MapVector<Region *, SmallVector<OpOperand *>> uses;
  for (OpOperand &use : last.getResult().getUses())
    if (auto branches = dyn_cast<scf::IfOp>(placeOf(use.getOwner()));
        branches && branches != use.getOwner()) {
      Region &then = branches.getThenRegion();
      Region *region = use.getOwner()->getParentRegion();
      uses[then.isAncestor(region) ? &then : &branches.getElseRegion()].push_back(&use);
    }
  for (auto &[region, all] : uses) {
    OpBuilder builder(region);
    Value loaded =
        ttng::TMEMLoadOp::create(builder, last.getLoc(), last.getResult().getType(), last.getSrc())
            .getResult();
    for (OpOperand *use : all)
      use->set(loaded);
  }
}

/// What the loop leaves; zero where it has no iteration and `isSkipped` says that nothing was
/// stored then.
Value CarriedSum::loadBehind(OpBuilder &builder, Value buffer, bool isSkipped) {
  Location loc = loop.getLoc();
  Type type = argument.getType();
  auto load = [&](OpBuilder &builder) {
    return ttng::TMEMLoadOp::create(builder, loc, type, buffer).getResult();
  };
  std::optional<llvm::APInt> trips = loop.getStaticTripCount();
  if (!isSkipped || (trips && !trips->isZero()))
    return load(builder);
  Value runs = arith::CmpIOp::create(
      builder, loc, loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
      loop.getLowerBound(), loop.getUpperBound());
  auto choice = scf::IfOp::create(
      builder, loc, runs,
      [&](OpBuilder &builder, Location loc) { scf::YieldOp::create(builder, loc, load(builder)); },
      [&](OpBuilder &builder, Location loc) {
        Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
        scf::YieldOp::create(builder, loc, zero);
      });
  return choice.getResult(0);
}

void CarriedSum::keep() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  ttg::MemDescType type = alloc.getResult().getType();
  Value init = loop.getInitArgs()[number];
  TensorMemoryProduct first = products.front();
  bool begins = isDirect() && assign::isZero(init) && first->getBlock() == loop.getBody();
  Value buffer =
      ttng::TMEMAllocOp::create(builder, alloc.getLoc(), type, begins ? Value() : init).getResult();
  if (begins) {
    builder.setInsertionPoint(first.operation());
    Value adds = isLater(builder);
    if (!matchPattern(first.getUseD(), m_One()))
      adds = arith::AndIOp::create(builder, loc, first.getUseD(), adds);
    first.setUseD(adds);
  } else if (alloc.getSrc() != argument) {
    builder.setInsertionPoint(alloc);
    Value yes = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
    ttng::TMEMStoreOp::create(builder, alloc.getLoc(), alloc.getSrc(), buffer, yes);
  }
  if (!isDirect())
    loadArgument(buffer);
  alloc.getResult().replaceAllUsesWith(buffer);
  loop.getBody()->getTerminator()->setOperand(number, argument);
  loadInBranches();
  if (last->use_empty())
    last->erase();
  if (Value result = loop.getResult(number); !result.use_empty()) {
    builder.setInsertionPointAfter(loop);
    result.replaceAllUsesWith(loadBehind(builder, buffer, begins));
  }
  alloc->erase();
}

/// Columns of tensor memory for what is kept over loops in one operation of the body.
class Room {
public:
  explicit Room(Operation *around) : columns(assign::tensorColumnsOf(around)) {
    around->walk([&](Operation *op) {
      if (TensorMemoryProduct(op))
        most = std::max(most, assign::tensorColumnsOf(op));
    });
  }

  /// Whether it can be kept: beside all others, or beside what is kept and one product.
  bool take(int64_t more) {
    const int64_t all = target::nvidia::tmem::columns;
    if (columns > all && kept + more + most > all)
      return false;
    kept += more;
    return true;
  }

private:
  int64_t columns, most = 0, kept = 0;
};

struct KeepSumsPass : PassWrapper<KeepSumsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepSumsPass)
  llvm::StringRef getArgument() const override { return "gluonc-keep-sums"; }
  llvm::StringRef getDescription() const override {
    return "Keep sums of products in tensor memory over loops";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    // Inner loops first: what they keep, loops around them can keep.
    getOperation().walk([](tt::FuncOp function) {
      llvm::DenseMap<Operation *, Room> rooms;
      function.walk([&](scf::ForOp loop) {
        Operation *around = assign::outermost(loop);
        Room &room = rooms.try_emplace(around, around).first->second;
        for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
          if (CarriedSum sum(loop, number); sum.find() && room.take(sum.columns()))
            sum.keep();
      });
    });
  }
};

} // namespace

std::unique_ptr<Pass> createKeepSumsPass() { return std::make_unique<KeepSumsPass>(); }

} // namespace gluonc

//===- LoadEarly.cpp - Loads do not wait until threads have met -----------------------===//
//
// What threads exchange through shared memory they wait for, and no load behind it begins before.
// Loads that need nothing of it, and pass no write, go in front:
//
//   %m = tt.reduce %x                       %w = tt.load %p
//   %w = tt.load %p                  =>     %m = tt.reduce %x
//   … %m, %w                                … %m, %w
//
// Not beside products, whose operands and sums fill the registers.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Costs.h"
#include "assign/Products.h"
#include "ir/OpenLayouts.h"

using namespace mlir;

namespace gluonc {
namespace {

/// 32-bit registers of a thread that loads of one block may fill before they are needed.
constexpr int64_t mostRegisters = 80;

class LoadEarlyPass : public PassWrapper<LoadEarlyPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LoadEarlyPass)
  llvm::StringRef getArgument() const override { return "gluonc-load-early"; }
  llvm::StringRef getDescription() const override {
    return "Start loads before threads exchange what the loads do not need";
  }

  void runOnOperation() override {
    if (choosesLayouts(getOperation()))
      getOperation().walk([&](Block *block) { run(*block); });
  }

private:
  void run(Block &block) {
    if (llvm::any_of(block, [](Operation &op) { return assign::isProduct(&op); }))
      return;
    numbers.clear();
    moved.clear();
    for (Operation &op : block)
      numbers[&op] = numbers.size();
    stop();
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
  }

  void visit(Operation *op) {
    auto load = dyn_cast<tt::LoadOp>(op);
    bool isExchange = exchanges(op);
    if (load ? load.getIsVolatile()
             : !isExchange && (op->getNumRegions() || !isMemoryEffectFree(op)))
      return stop();
    if (!exchange) {
      if (isExchange)
        behind.insert(exchange = op);
      return;
    }
    bool waits = isExchange || dependsOn(op, behind);
    if (load && !waits && take(load))
      moveInFront(load);
    else if (load || waits)
      behind.insert(op);
  }

  /// Nothing behind goes to what is in front.
  void stop() {
    exchange = nullptr;
    behind.clear();
    room = mostRegisters;
  }

  /// Whether `op` takes what one of `others` gives.
  static bool dependsOn(Operation *op, const llvm::DenseSet<Operation *> &others) {
    return llvm::any_of(op->getOperands(),
                        [&](Value operand) { return others.contains(operand.getDefiningOp()); });
  }

  /// Whether threads wait for each other in it.
  bool exchanges(Operation *op) {
    if (auto conversion = dyn_cast<ttg::ConvertLayoutOp>(op))
      return costs.ofConversion(conversion.getSrc().getType(), conversion.getType().getEncoding(),
                                op) != 0;
    return isa<tt::ReduceOp, tt::ScanOp, tt::GatherOp, tt::HistogramOp>(op);
  }

  bool take(tt::LoadOp load) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    int64_t needs = type ? assign::registersOf(type) : 1;
    if (needs > room)
      return false;
    room -= needs;
    return true;
  }

  /// With what computes its address and mask.
  void moveInFront(Operation *load) {
    llvm::SetVector<Operation *> needed;
    needed.insert(load);
    for (size_t i = 0; i < needed.size(); ++i)
      for (Value operand : needed[i]->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && !moved.contains(producer) &&
            numbers.lookup(producer) > numbers.lookup(exchange))
          needed.insert(producer);
    llvm::SmallVector<Operation *> inOrder = needed.takeVector();
    llvm::sort(inOrder, [&](Operation *a, Operation *b) { return numbers[a] < numbers[b]; });
    for (Operation *each : inOrder) {
      each->moveBefore(exchange);
      moved.insert(each);
    }
  }

  assign::Costs costs;
  /// Places of the block's operations before any was moved.
  llvm::DenseMap<Operation *, size_t> numbers;
  llvm::DenseSet<Operation *> moved;
  /// The first operation since the last stop in which threads wait for each other.
  Operation *exchange = nullptr;
  /// It, and what needs it or must not pass it.
  llvm::DenseSet<Operation *> behind;
  int64_t room = 0;
};

} // namespace

std::unique_ptr<Pass> createLoadEarlyPass() { return std::make_unique<LoadEarlyPass>(); }

} // namespace gluonc

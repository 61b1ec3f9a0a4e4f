//===- StoreEarly.cpp - Loaded operands wait in shared memory -----------------------===//
//
// What a product takes from shared memory is stored there before the products that come first, not
// in front of its own: until then it would fill registers. Several products share one buffer.
//
//   %x = tt.load …                          %x = tt.load …
//   %y = tt.load …                          %y = tt.load …
//   %d = ttng.warp_group_dot …       =>     %b = ttg.local_alloc %y
//   %b = ttg.local_alloc %y                 %d = ttng.warp_group_dot …
//   ttng.warp_group_dot %d, %b, …           ttng.warp_group_dot %d, %b, …
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/BoxCopies.h"
#include "assign/Products.h"
#include "ir/OpenLayouts.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Two programs shall still fit a multiprocessor.
constexpr int64_t leastPrograms = 2;

class StoreEarlyPass : public PassWrapper<StoreEarlyPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StoreEarlyPass)

  explicit StoreEarlyPass(const target::Target &target) : target(target) {}
  llvm::StringRef getArgument() const override { return "gluonc-store-early"; }
  llvm::StringRef getDescription() const override {
    return "Keep loaded operands of products in shared memory instead of registers";
  }

  void runOnOperation() override {
    if (choosesLayouts(getOperation()))
      for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
        run(function);
  }

private:
  void run(tt::FuncOp function) {
    llvm::MapVector<Block *, llvm::SmallVector<ttg::LocalAllocOp>> candidates;
    int64_t all = 0;
    function.walk([&](ttg::LocalAllocOp alloc) {
      all += assign::bytesOf(alloc.getType());
      auto load = alloc.getSrc() ? alloc.getSrc().getDefiningOp<tt::LoadOp>() : tt::LoadOp();
      if (load && load->getBlock() == alloc->getBlock())
        candidates[alloc->getBlock()].push_back(alloc);
    });
    for (auto &[block, allocs] : candidates) {
      int64_t elsewhere = all;
      for (ttg::LocalAllocOp alloc : block->getOps<ttg::LocalAllocOp>())
        elsewhere -= assign::bytesOf(alloc.getType());
      room = int64_t(target.maxSharedBytes()) / leastPrograms - elsewhere;
      for (ttg::LocalAllocOp alloc : allocs)
        if (!shareBuffer(alloc))
          moveUp(alloc);
    }
  }

  /// Adds to `last` the place in the block of the last operation that uses a buffer or a view of
  /// it.
  static void findLast(Value buffer, Block *block, Operation *&last) {
    for (Operation *user : buffer.getUsers()) {
      Operation *place = block->findAncestorOpInBlock(*user);
      if (place && last->isBeforeInBlock(place))
        last = place;
      for (Value result : user->getResults())
        if (isa<ttg::MemDescType>(result.getType()))
          findLast(result, block, last);
    }
  }

  /// The most bytes of buffers that are in use at a time.
  static int64_t peakOf(Block *block) {
    llvm::DenseMap<Operation *, int64_t> ending;
    int64_t now = 0, peak = 0;
    for (Operation &op : *block) {
      if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op)) {
        Operation *last = alloc;
        findLast(alloc, block, last);
        int64_t bytes = assign::bytesOf(alloc.getType());
        ending[last] += bytes;
        now += bytes;
        peak = std::max(peak, now);
      }
      now -= ending.lookup(&op);
    }
    return peak;
  }

  /// Whether only products take it.
  static bool isOfProducts(ttg::LocalAllocOp alloc) {
    return llvm::all_of(alloc->getUsers(), assign::isProduct);
  }

  /// Takes a buffer of the same block and layout that is there already; nothing writes to either.
  bool shareBuffer(ttg::LocalAllocOp alloc) {
    for (Operation *user : alloc.getSrc().getUsers()) {
      auto other = dyn_cast<ttg::LocalAllocOp>(user);
      if (!other || other == alloc || other->getBlock() != alloc->getBlock() ||
          !other->isBeforeInBlock(alloc) ||
          other.getType().getEncoding() != alloc.getType().getEncoding() || !isOfProducts(alloc) ||
          !llvm::all_of(other->getUsers(), [](Operation *each) {
            return assign::isProduct(each) || isa<ttg::MemDescTransOp>(each);
          }))
        continue;
      alloc.replaceAllUsesWith(other.getResult());
      alloc.erase();
      return true;
    }
    return false;
  }

  /// In front of the first product behind the load, or where another operand is read: threads meet
  /// once. Other loads may still come before.
  void moveUp(ttg::LocalAllocOp alloc) {
    Operation *place = alloc.getSrc().getDefiningOp()->getNextNode();
    while (place != alloc && !assign::isProduct(place) && !isa<ttg::LocalLoadOp>(place))
      place = place->getNextNode();
    if (place == alloc)
      return;
    Operation *next = alloc->getNextNode();
    alloc->moveBefore(place);
    if (peakOf(alloc->getBlock()) > room)
      alloc->moveBefore(next);
  }

  target::Target target;
  /// Bytes that buffers of the block may take.
  int64_t room = 0;
};

} // namespace

std::unique_ptr<Pass> createStoreEarlyPass(const target::Target &target) {
  return std::make_unique<StoreEarlyPass>(target);
}

} // namespace gluonc

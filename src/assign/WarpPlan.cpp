#include "assign/WarpPlan.h"

#include "assign/BoxCopies.h"
#include "assign/Costs.h"
#include "assign/Products.h"
#include "ir/Encoding.h"
#include "ir/tt/Coalescing.h"
#include "target/Features.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include <numeric>

using namespace mlir;

namespace gluonc::assign {

/// Of shared memory, for barriers and captures.
static constexpr int64_t spareBytes = 1024;
/// What copies from loops to global memory leave free (DescriptorCopies.cpp).
static constexpr int64_t spareBesideStores = 8192;

/// Registers of a thread for sums of products in a loop: with more, its products would wait for
/// each other, as ptxas then serializes them.
static constexpr int64_t mostForSums = 160;

static int64_t registersForSums(scf::ForOp loop) {
  int64_t registers = 0;
  for (Operation &op : *loop.getBody())
    if (isProduct(&op))
      registers += registersOf(cast<RankedTensorType>(op.getResult(0).getType()));
  return registers;
}

/// Whether the copies of both go to the same rings.
static bool areAlike(const Fetch &a, const Fetch &b) {
  return a.copies.size() == b.copies.size() &&
         llvm::all_of(llvm::zip(a.copies, b.copies), [](auto pair) {
           auto &[x, y] = pair;
           return x.box == y.box && x.shared == y.shared &&
                  x.load->getResult(0).getType() == y.load->getResult(0).getType();
         });
}

static bool asksFor(Operation *op) {
  for (; op; op = op->getParentOfType<scf::ForOp>())
    if (op->hasAttr(warpSpecializeAttr))
      return true;
  return false;
}

/// Whether the kernel learns from memory that others have written theirs: copies of another warp
/// would not come behind that.
static bool awaitsOthers(tt::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    auto load = dyn_cast<tt::LoadOp>(op);
    bool awaits = (load && load.getIsVolatile()) || (isa<tt::AtomicRMWOp>(op) && !op->use_empty());
    return awaits ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool WarpPlan::isSuitableKernel() {
  ThreadCounts threads = ThreadCounts::at(function);
  if (!function.isPublic() || function.isNoInline())
    return misses("it is in a function that is not inlined");
  // Buffers and barriers are made for one CTA.
  if (threads.ctas > 1)
    return misses("programs are clusters");
  // Registers belong to groups of four warps.
  if (threads.warps % 4)
    return misses("the number of warps is no multiple of 4");
  if (!function.getBody().hasOneBlock())
    return misses("the kernel returns early");
  WalkResult specialized =
      function.walk([](ttg::WarpSpecializeOp) { return WalkResult::interrupt(); });
  if (specialized.wasInterrupted())
    return misses("the kernel has partitions of its own");
  std::optional<Writes> writes = writesIn(function);
  if (!writes)
    return misses("the kernel may write to any memory");
  written = std::move(*writes);
  return !awaitsOthers(function) || misses("the kernel may wait for what other programs write");
}

bool WarpPlan::find() {
  SmallVector<scf::ForOp> asked;
  function.walk([&](scf::ForOp loop) {
    if (asksFor(loop))
      asked.push_back(loop);
  });
  if (asked.empty())
    return false;
  askingLoop = asked.front();
  if (!isSuitableKernel())
    return false;
  AxisInfos facts(function);
  int64_t stages = 0;
  for (scf::ForOp loop : asked) {
    if (!addLoop(loop, facts))
      return false;
    if (fetchOf(loop))
      stages = std::max(stages, stagesOf(loop));
  }
  if (fetches.empty())
    return misses("it loads nothing ahead");
  for (Operation &op : function.getBody().front())
    if (!startOp && holdsLoop(&op))
      startOp = &op;
  for (auto &[loop, fetch] : fetches)
    if (!needCopies(cast<scf::ForOp>(loop), fetch))
      return misses("what is copied, or how often, depends on more than scalars that are known to "
                    "every warp");
  int64_t bytes = std::accumulate(first().boxBytes.begin(), first().boxBytes.end(), int64_t(0));
  const int64_t all = target.maxSharedBytes(), beside = bytesBeside();
  slots = std::min(stages, (all - beside) / bytes);
  fitsTwice = 2 * (slots * bytes + beside) <= all - spareBytes;
  return slots > 1 || misses("two stages do not fit into shared memory");
}

/// False if it loads ahead, but not like the others, or has no registers to spare.
bool WarpPlan::addLoop(scf::ForOp loop, const AxisInfos &facts) {
  std::optional<Fetch> fetch;
  if (stagesOf(loop) > 1)
    fetch = findFetch(loop, facts);
  if (!fetch)
    return true;
  if (!fetches.empty() && !areAlike(first(), *fetch))
    return misses("loops copy blocks of other shapes or layouts");
  if (registersForSums(loop) > mostForSums)
    return misses("its sums take too many registers of a thread");
  for (const Copy &copy : fetch->copies) {
    if (!copy.box)
      return misses("a load that runs ahead is through pointers");
    if (copy.load->use_empty() || written.mayChange(copy.load->getOperand(0)))
      return misses("a block that is copied may be written, or is not used");
  }
  for (Operation *op = loop; op != function; op = op->getParentOp())
    around.insert(op);
  fetches.insert({loop, std::move(*fetch)});
  return true;
}

/// Whether the copies of a loop, and how often there are any, depend on what all warps can have.
bool WarpPlan::needCopies(scf::ForOp loop, const Fetch &fetch) {
  for (Operation *op = loop; op != function; op = op->getParentOp()) {
    auto outer = dyn_cast<scf::ForOp>(op);
    auto choice = dyn_cast<scf::IfOp>(op);
    if (outer ? outer.getUnsignedCmp() || !need(outer.getLowerBound()) ||
                    !need(outer.getUpperBound()) || !need(outer.getStep())
              : !choice || !need(choice.getCondition()))
      return false;
  }
  return llvm::all_of(fetch.copies, [&](const Copy &copy) {
    return llvm::all_of(copy.load->getOperands(), [&](Value operand) { return need(operand); });
  });
}

/// False if the warp that copies cannot have it.
bool WarpPlan::need(Value value) {
  if (isa<RankedTensorType, ttg::MemDescType>(value.getType()))
    return false;
  if (!values.insert(value).second)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (!loop || argument == loop.getInductionVar())
      return loop || owner == function;
    unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
    return need(loop.getInitArgs()[number]) && need(loop.getYieldedValues()[number]);
  }
  Operation *op = value.getDefiningOp();
  if (!holdsLoop(op))
    return needOperation(op);
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return need(loop.getRegionIterArg(number));
  auto choice = cast<scf::IfOp>(op);
  return need(choice.thenYield().getOperand(number)) && need(choice.elseYield().getOperand(number));
}

bool WarpPlan::needOperation(Operation *op) {
  if (!operations.insert(op).second)
    return true;
  // A descriptor has one place in memory: it is made once, before all copies.
  auto desc = dyn_cast<tt::MakeTensorDescOp>(op);
  auto load = dyn_cast<tt::LoadOp>(op);
  bool isIndexLoad = load && !load.getIsVolatile() && !written.mayChange(load.getPtr());
  bool isFine = desc ? op->getBlock() == &function.getBody().front() &&
                           (!startOp || op->isBeforeInBlock(startOp))
                     : isIndexLoad || isMemoryEffectFree(op);
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *owner = operand.getParentRegion()->getParentOp();
      isFine = isFine &&
               (op->isAncestor(owner) ? !isa<RankedTensorType>(operand.getType()) : need(operand));
    }
    isFine = isFine && llvm::none_of(inner->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  });
  return isFine;
}

static Operation *outermostLoopAround(Operation *op) {
  Operation *outermost = nullptr;
  while ((op = op->getParentOfType<LoopLikeOpInterface>()))
    outermost = op;
  return outermost;
}

/// Bytes of shared memory that the kernel needs at the same time as the rings: where its loops are,
/// or outside of them.
int64_t WarpPlan::bytesBeside() {
  int64_t outside = 0, buffers = 0, scratch = 0, stores = 0;
  // Loops keep the buffers of what they store.
  llvm::DenseMap<Operation *, int64_t> storesOf;
  function.walk([&](Operation *op) {
    Operation *loop = outermostLoopAround(op);
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op)) {
      const Fetch *fetch = fetchOf(op->getParentOp());
      const Copy *copy = fetch && alloc.getSrc() ? fetch->copyOf(alloc.getSrc()) : nullptr;
      if (!copy || !copy->isReadBy(op))
        buffers += bytesOf(alloc.getType());
    } else if (isa<tt::DescriptorStoreOp, tt::DescriptorReduceOp>(op)) {
      auto desc = cast<tt::TensorDescType>(op->getOperand(0).getType());
      int64_t bytes = bytesOf(desc, desc.getSharedLayout());
      if (loop)
        stores = std::max(stores, storesOf[loop] += bytes);
      else
        outside = std::max(outside, bytes);
    } else {
      int64_t &most = loop ? scratch : outside;
      most = std::max(most, scratchBytesOf(op));
    }
  });
  if (stores)
    stores += spareBesideStores;
  return spareBytes + std::max(outside, buffers + stores + scratch);
}

} // namespace gluonc::assign

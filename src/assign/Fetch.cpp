//===- Fetch.cpp -----------------------------------------------------------------===//
#include "assign/Fetch.h"

#include "assign/BoxCopies.h"
#include "assign/CtaShares.h"
#include "assign/FetchReaders.h"
#include "assign/Products.h"
#include "ir/Encoding.h"
#include "ir/Hint.h"
#include "ir/tt/Coalescing.h"
#include "layout/plan/Conversion.h"
#include "target/nvidia/BoxCopies.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gluonc::assign {

/// cp.async copies 4, 8 or 16 bytes.
static constexpr int64_t leastCopyBytes = 4;
/// Banks of shared memory are 4 bytes wide; all together a row.
static constexpr int64_t rowBits = 1024;

namespace {

/// Operations and loop arguments that values of the body depend on.
struct Slice {
  llvm::SetVector<Operation *> operations;
  llvm::SetVector<unsigned> arguments;
};

class Finder {
public:
  Finder(scf::ForOp loop, const AxisInfos &facts) : loop(loop), facts(facts) {}

  std::optional<Fetch> find(Staying *staying);

private:
  /// Notes why a load stays; false.
  bool stays(llvm::StringRef reason) {
    why = reason;
    return false;
  }
  bool isSuitableLoop();
  bool isWanted(Operation *load);
  bool addLoad(Slice &slice, Operation *load);
  bool canCopy(Operation *load);
  std::optional<Copy> asCopy(Operation *load);
  bool fill(Copy &copy, tt::LoadOp load);
  bool fillBox(Copy &copy, tt::DescriptorLoadOp load);
  bool copiesWords(tt::LoadOp load, const layout::BlockedLayout &layout,
                   const layout::Layout &shared);
  bool addTo(Slice &slice, Value value);
  bool isAbout(Operation *op, const Slice &slice);

  scf::ForOp loop;
  const AxisInfos &facts;
  Writes written;
  bool wantsAll = false;
  /// Of the load that was looked at last.
  llvm::StringRef why;
};

} // namespace

/// No loops inside, and nothing that a moved load could change.
bool Finder::isSuitableLoop() {
  std::optional<Writes> found = writesIn(loop);
  if (!found)
    return stays("its loop may write to any memory");
  if (loop.getUnsignedCmp())
    return stays("the range of its loop is unsigned");
  written = std::move(*found);
  bool fits = true;
  loop.getBody()->walk([&](Operation *op) {
    if (isa<scf::ForOp, scf::WhileOp>(op))
      fits = stays("there is another loop in its loop");
    else if (isa<tt::AssertOp, tt::PrintOp>(op))
      fits = stays("its loop prints or asserts");
  });
  return fits;
}

/// Whether a product takes a value as one of its operands, and not to add to it.
static bool takesOperand(Operation *product, OpOperand &use) {
  TensorMemoryProduct inTensorMemory(product);
  return inTensorMemory ? llvm::is_contained(inTensorMemory.getOperands(), use.get())
                        : use.getOperandNumber() < 2;
}

bool feedsProductIn(scf::ForOp loop, Operation *load) {
  SmallVector<Value> pending{load->getResult(0)};
  llvm::DenseSet<Operation *> seen;
  while (!pending.empty())
    for (OpOperand &use : pending.pop_back_val().getUses()) {
      Operation *op = use.getOwner();
      if (isProduct(op) && takesOperand(op, use))
        return true;
      if (op->getBlock() != loop.getBody() || isProduct(op) || isa<scf::YieldOp>(op) ||
          !seen.insert(op).second)
        continue;
      llvm::append_range(pending, op->getResults());
    }
  return false;
}

/// Whether it is an address, or a part of one, that another access of the block takes.
static bool isForAddress(tt::LoadOp load) {
  ForwardSliceOptions options;
  options.filter = [&](Operation *op) { return op->getBlock() == load->getBlock(); };
  llvm::SetVector<Operation *> slice;
  getForwardSlice(load.getOperation(), &slice, options);
  return llvm::any_of(slice, [&](Operation *op) {
    Value pointers = pointersOf(op);
    return pointers && pointers.getDefiningOp() && slice.contains(pointers.getDefiningOp());
  });
}

bool canRunAhead(Operation *access) {
  auto load = dyn_cast<tt::LoadOp>(access);
  auto loop = dyn_cast<scf::ForOp>(access->getParentOp());
  return load && loop && stagesOf(loop) > 1 &&
         int64_t(elementBytes(getElementTypeOrSelf(load.getType()))) >= leastCopyBytes &&
         feedsProductIn(loop, load) && !isForAddress(load);
}

/// Whether a product of the loop depends on it.
bool Finder::isWanted(Operation *load) {
  return wantsAll || feedsProductIn(loop, load) ||
         stays("no product of its loop takes it, and the loop itself states no num_stages");
}

/// The dim along which neighbours are neighbours in a buffer.
static int64_t contiguousDim(const layout::Layout &shared, int64_t rank) {
  if (const auto *swizzled = shared.as<layout::SwizzledSharedLayout>())
    return swizzled->order.front();
  const auto *nvmma = shared.as<layout::NVMMASharedLayout>();
  return nvmma && nvmma->transposed ? 0 : rank - 1;
}

/// Whether threads copy runs of words, as far as layouts, addresses and mask tell.
bool Finder::copiesWords(tt::LoadOp load, const layout::BlockedLayout &layout,
                         const layout::Layout &shared) {
  auto type = cast<RankedTensorType>(load.getType());
  unsigned axis = layout.order.front();
  int64_t run = std::min(layout.sizePerThread[axis], facts.pointerRun(load.getPtr(), axis));
  if (load.getMask())
    run = std::min(run, facts.maskRun(load.getMask(), axis));
  if (contiguousDim(shared, type.getRank()) != int64_t(axis))
    run = 1;
  return run * elementBytes(type.getElementType()) >= leastCopyBytes;
}

/// Adds what `value` is computed by; false if it cannot run ahead.
bool Finder::addTo(Slice &slice, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
      return !loop->isProperAncestor(argument.getOwner()->getParentOp()) ||
             stays("its address or mask is computed in a branch");
    unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
    return !slice.arguments.insert(number) || addTo(slice, loop.getYieldedValues()[number]);
  }
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op))
    return true;
  auto load = dyn_cast<tt::LoadOp>(op);
  bool isIndexLoad = load && written.targets.empty() && !load.getIsVolatile();
  if (op->getBlock() != loop.getBody())
    return stays("its address or mask is computed in a branch");
  if (isProduct(op))
    return stays("its address or mask depends on a product");
  // It has one place in memory, which copies through the one before still read.
  if (isa<tt::MakeTensorDescOp>(op))
    return stays("its loop makes the descriptor");
  if (load && !isIndexLoad)
    return stays(
        "its address or mask is loaded from memory that the loop may write, or is volatile");
  if (!load && !isMemoryEffectFree(op))
    return stays("its address or mask is what another access to memory gives");
  if (!slice.operations.insert(op))
    return true;
  // What regions capture counts, too.
  bool fits = true;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getParentRegion() == loop->getParentRegion() ||
          !op->isAncestor(operand.getParentRegion()->getParentOp()))
        fits = fits && addTo(slice, operand);
  });
  return fits;
}

layout::Layout bufferFor(RankedTensorType type, const layout::DotOperandLayout &operand,
                         const layout::Ints &order) {
  int64_t bits = type.getElementTypeBitWidth(), rank = type.getRank();
  layout::BasisList cga = layout::Layout(operand).cga();
  int64_t rowElements = shareOf(type.getShape(), cga)[order[0]];
  int64_t perPhase = std::max<int64_t>(rowBits / (bits * rowElements), 1);
  bool isAlongDepth = order[0] == (operand.operandIndex == 0 ? rank - 1 : rank - 2);
  // Lanes of waves read runs along K, or neighbours along the other dim.
  if (operand.parent.as<layout::AMDMFMALayout>() || operand.parent.as<layout::AMDWMMALayout>()) {
    int64_t vec = std::min(isAlongDepth ? operand.kWidth : rowElements, rowElements);
    int64_t phases = std::min<int64_t>(rowElements / vec, 16);
    return layout::SwizzledSharedLayout{vec, perPhase, std::max<int64_t>(phases / perPhase, 1),
                                        order, cga};
  }
  int64_t along = 4 * std::max<int64_t>(operand.kWidth, 1), across = bits == 64 ? 4 : 8;
  int64_t vec = isAlongDepth ? along : across, stride = isAlongDepth ? across : along;
  vec = std::min(vec, rowElements);
  int64_t phases = std::max<int64_t>(std::min(stride, rowBits / (vec * bits)), 1);
  return layout::SwizzledSharedLayout{vec, perPhase, std::max<int64_t>(phases / perPhase, 1), order,
                                      cga};
}

/// A buffer that no product reads as its operand: as it lies in memory, unless its readers have
/// fewer conflicts of banks where runs of 16 or 32 bytes are swizzled. Sizes are powers of two.
static layout::Layout bufferForThreads(tt::LoadOp load, const layout::BlockedLayout &own) {
  auto type = cast<RankedTensorType>(load.getType());
  const ArrayRef<int64_t> shape = type.getShape();
  const int64_t bits = 8 * elementBytes(type.getElementType());
  SmallVector<layout::LinearLayout> readers;
  for (Operation *user : load->getUsers()) {
    auto convert = dyn_cast<ttg::ConvertLayoutOp>(user);
    readers.push_back(toLayout((convert ? convert.getType() : type).getEncoding()).toLinear(shape));
  }
  layout::Layout best = layout::SwizzledSharedLayout{1, 1, 1, own.order, own.cga};
  auto conflicts = [&](const layout::Layout &shared) {
    const layout::LinearLayout linear = shared.toLinear(shape);
    int64_t sum = 0;
    for (const layout::LinearLayout &reader : readers)
      sum += layout::bankConflicts(reader, linear, unsigned(bits));
    return sum;
  };
  int64_t least = conflicts(best);
  const int64_t rowBitsHere = bits * shareOf(shape, own.cga)[own.order[0]];
  const int64_t perPhase = std::max<int64_t>(rowBits / rowBitsHere, 1);
  for (int64_t vecBits : {128, 256}) {
    const int64_t phases = rowBits / vecBits / perPhase;
    if (vecBits > rowBitsHere || phases < 2)
      continue;
    layout::Layout shared =
        layout::SwizzledSharedLayout{vecBits / bits, perPhase, phases, own.order, own.cga};
    if (int64_t found = conflicts(shared); found < least)
      std::tie(best, least) = std::pair(shared, found);
  }
  return best;
}

/// What loads through pointers and through descriptors have in common.
bool Finder::canCopy(Operation *load) {
  auto type = dyn_cast<RankedTensorType>(load->getResult(0).getType());
  if (!type)
    return stays("it loads one element");
  if (written.mayChange(load->getOperand(0)))
    return stays("its loop may write what it loads");
  if (llvm::any_of(load->getUsers(), llvm::IsaPred<scf::YieldOp>))
    return stays("the next iteration takes it");
  if (type.getElementTypeBitWidth() < 8)
    return stays("its elements are smaller than a byte");
  return true;
}

/// Chooses the buffer that it is copied to.
bool Finder::fill(Copy &copy, tt::LoadOp load) {
  if (load.getIsVolatile())
    return stays("it is volatile");
  auto type = cast<RankedTensorType>(load.getType());
  layout::Layout layout = toLayout(type.getEncoding());
  const auto *blocked = layout.as<layout::BlockedLayout>();
  if (!blocked)
    return stays("threads do not hold blocks of it");
  copy.hasOther = load.getOther() && !matchPattern(load.getOther(), m_Zero()) &&
                  !matchPattern(load.getOther(), m_AnyZeroFloat());
  for (Operation *user : load->getUsers())
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(user)) {
      Attribute encoding = alloc.getType().getEncoding();
      if (copy.shared && copy.shared != encoding)
        return stays("products want it in buffers of two layouts");
      copy.shared = encoding;
    }
  for (Operation *user : load->getUsers())
    if (isa<ttg::ConvertLayoutOp, ttg::LocalAllocOp>(user) &&
        !areSharedAlike(type, user->getResult(0).getType()))
      return stays("CTAs of a cluster use what others load");
  std::optional<layout::Layout> found;
  if (copy.shared)
    found = toLayout(copy.shared);
  else
    for (Operation *user : load->getUsers())
      if (auto convert = dyn_cast<ttg::ConvertLayoutOp>(user)) {
        layout::Layout to = toLayout(convert.getType().getEncoding());
        if (const auto *operand = to.as<layout::DotOperandLayout>())
          found = bufferFor(type, *operand, blocked->order);
      }
  const layout::Layout shared = found ? *found : bufferForThreads(load, *blocked);
  if (!copiesWords(load, *blocked, shared))
    return stays(
        "threads would copy fewer than 4 bytes at a time, as far as alignment, strides and "
        "mask are known");
  copy.shared = fromLayout(load.getContext(), shared);
  return copy.shared != nullptr;
}

bool Finder::fillBox(Copy &copy, tt::DescriptorLoadOp load) {
  Type like = load.getType();
  for (Operation *user : load->getUsers())
    if (isa<ttg::LocalAllocOp>(user))
      like = user->getResult(0).getType();
  tt::TensorDescType desc = load.getDesc().getType();
  copy.shared = bufferEncoding(desc, like);
  if (bytesOf(desc, copy.shared) % target::nvidia::tma::sharedAlignment)
    return stays("the copy engine cannot copy to each place of a ring of its blocks");
  bool isReadElsewhere =
      llvm::any_of(load->getUsers(), [&](Operation *user) { return !copy.isReadBy(user); });
  return !isReadElsewhere || sharesOf(load.getType()) == toLayout(copy.shared).cga() ||
         stays("CTAs of a cluster use what others load");
}

std::optional<Copy> Finder::asCopy(Operation *load) {
  Copy copy{.load = load, .shared = {}};
  if (!canCopy(load))
    return std::nullopt;
  auto boxed = dyn_cast<tt::DescriptorLoadOp>(load);
  if (boxed ? !fillBox(copy, boxed) : !fill(copy, cast<tt::LoadOp>(load)))
    return std::nullopt;
  return copy;
}

/// Adds what the operands of a load are computed by.
bool Finder::addLoad(Slice &slice, Operation *load) {
  // What a mask leaves out is zero.
  auto plain = dyn_cast<tt::LoadOp>(load);
  return llvm::all_of(load->getOperands(), [&](Value operand) {
    return (plain && operand == plain.getOther()) || addTo(slice, operand);
  });
}

/// Whether `op` says something of an argument that the fetching part carries.
bool Finder::isAbout(Operation *op, const Slice &slice) {
  auto hint = dyn_cast<gluon::HintOp>(op);
  auto argument = hint ? dyn_cast<BlockArgument>(hint.getValue()) : BlockArgument();
  return argument && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar() &&
         slice.arguments.contains(argument.getArgNumber() - loop.getNumInductionVars());
}

void addStaying(scf::ForOp loop, llvm::StringRef why, Staying &staying) {
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tt::LoadOp, tt::DescriptorLoadOp>(op))
      staying.insert({op, why});
    return isa<LoopLikeOpInterface>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

std::optional<Fetch> Finder::find(Staying *staying) {
  wantsAll = loop->hasAttr(numStagesAttr);
  Staying unused;
  Staying &others = staying ? *staying : unused;
  if (!isSuitableLoop()) {
    addStaying(loop, why, others);
    return std::nullopt;
  }
  Fetch fetch;
  fetch.loop = loop;
  Slice all;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isa<tt::LoadOp, tt::DescriptorLoadOp>(op))
      continue;
    Slice slice;
    std::optional<Copy> copy;
    if (isWanted(&op) && addLoad(slice, &op))
      copy = asCopy(&op);
    if (!copy) {
      others.insert({&op, why});
      continue;
    }
    fetch.copies.push_back(*copy);
    all.operations.insert(&op);
    all.operations.insert_range(slice.operations);
    all.arguments.insert_range(slice.arguments);
  }
  llvm::erase_if(fetch.copies, [&](const Copy &copy) {
    bool isForAddress = llvm::any_of(
        copy.load->getUsers(), [&](Operation *user) { return all.operations.contains(user); });
    if (isForAddress)
      others.insert({copy.load, "the address of a load that runs ahead depends on it"});
    return isForAddress;
  });
  addStaying(loop, "it is in a branch", others);
  for (const Copy &copy : fetch.copies)
    others.erase(copy.load);
  if (fetch.copies.empty())
    return std::nullopt;
  for (Operation &op : *loop.getBody())
    if (all.operations.contains(&op) || isAbout(&op, all))
      fetch.operations.push_back(&op);
  fetch.arguments.append(all.arguments.begin(), all.arguments.end());
  findReaders(fetch);
  return fetch;
}

int64_t stagesOf(scf::ForOp loop) {
  for (Operation *op : {loop.getOperation(), loop->getParentOfType<ModuleOp>().getOperation()})
    if (auto stages = op->getAttrOfType<IntegerAttr>(numStagesAttr))
      return stages.getInt();
  return 1;
}

std::optional<Fetch> findFetch(scf::ForOp loop, const AxisInfos &facts, Staying *staying) {
  return Finder(loop, facts).find(staying);
}

} // namespace gluonc::assign

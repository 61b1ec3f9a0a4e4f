#include "transform/analysis/Lifetimes.h"

#include "ir/Sanitizer.h"

#include "ir/amdg/AmdOps.h"

using namespace mlir;

namespace gluonc {
namespace {

/// The region of a warp_specialize around `op`; null outside.
Region *partitionOf(Operation *op) {
  for (Region *region = op->getParentRegion(); region; region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    if (isa<ttg::WarpSpecializePartitionsOp>(parent))
      return region;
    auto specialize = dyn_cast<ttg::WarpSpecializeOp>(parent);
    if (specialize && region == &specialize.getDefaultRegion())
      return region;
  }
  return nullptr;
}

ttg::WarpSpecializeOp specializeOf(Region *partition) {
  Operation *parent = partition->getParentOp();
  if (auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(parent))
    parent = partitions->getParentOp();
  return cast<ttg::WarpSpecializeOp>(parent);
}

bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

} // namespace

bool MemoryOwner::isAliveWith(const MemoryOwner &other) const {
  if (other.first <= last && first <= other.last)
    return true;
  return partition && other.partition && partition != other.partition &&
         specializeOf(partition) == specializeOf(other.partition);
}

Lifetimes::Lifetimes(tt::FuncOp function, ArrayRef<Operation *> owners)
    : function(function), known(function) {
  numberRegion(function.getBody());
  // What partitions captured may be read until all have synchronized again.
  for (Operation *op : owners)
    all.push_back({op, number[op], endOf[op], partitionOf(op)});
  followUses();
  coverBackEdges();
  coverStages();
  coverBarriers();
}

/// Halves of the warps are in different stages at one time.
void Lifetimes::coverStages() {
  for (MemoryOwner &owner : all)
    for (Operation *outer = owner.op->getParentOp(); outer != function;
         outer = outer->getParentOp())
      if (outer->hasAttr(rocdl::pipelinedAttr)) {
        owner.first = std::min(owner.first, number[outer]);
        owner.last = std::max(owner.last, endOf[outer]);
      }
}

void Lifetimes::coverBarriers() {
  // As Triton allocates: its sanitizer finds what takes such bytes.
  if (sanitizerOf(function->getParentOfType<ModuleOp>()) == Sanitizer::Consan)
    return;
  llvm::BitVector begun(known.allocations().size()), ended(begun.size());
  for (Value value : known.values())
    for (Operation *user : value.getUsers()) {
      if (isa<ttng::InitBarrierOp>(user))
        begun |= *known.of(value);
      if (isa<ttng::InvalBarrierOp>(user))
        ended |= *known.of(value);
    }
  llvm::DenseSet<Operation *> kept;
  for (unsigned index : begun.reset(ended).set_bits())
    kept.insert(known.allocations()[index]);
  for (MemoryOwner &owner : all)
    if (kept.contains(owner.op))
      owner.last = unsigned(numbered.size() - 1);
}

void Lifetimes::numberRegion(Region &region) {
  for (Block &block : region)
    for (Operation &op : block) {
      unsigned at = number.size();
      number[&op] = at;
      numbered.push_back(&op);
      if (auto onChip = dyn_cast<OnChipMemoryOpInterface>(op))
        if (std::optional<Completion> awaited = onChip.getAwaited())
          waits.push_back({&op, *awaited});
      for (Region &inner : op.getRegions())
        numberRegion(inner);
      endOf[&op] = number.size() - 1;
    }
}

void Lifetimes::followUses() {
  llvm::DenseMap<Operation *, MemoryOwner *> ownerOf;
  for (MemoryOwner &owner : all)
    ownerOf[owner.op] = &owner;
  for (Value value : known.values())
    for (unsigned index : known.of(value)->set_bits()) {
      MemoryOwner *owner = ownerOf.lookup(known.allocations()[index]);
      if (!owner)
        continue;
      noteSecondLife(owner->op, value);
      for (Operation *user : value.getUsers())
        extend(*owner, user);
    }
}

/// An allocation has one place. Carried into the next iteration of the loop around it, its buffer
/// would have to live beside the one that this iteration allocates.
void Lifetimes::noteSecondLife(Operation *alloc, Value alias) {
  auto argument = dyn_cast<BlockArgument>(alias);
  Operation *loop = argument ? argument.getOwner()->getParentOp() : nullptr;
  if (!loop || !isLoop(loop) || !loop->isProperAncestor(alloc) || argument.use_empty())
    return;
  // What the first half of a `while` hands to the second stays in the iteration.
  if (auto both = dyn_cast<scf::WhileOp>(loop); both && argument.getOwner() == both.getAfterBody())
    return;
  twice = twice ? twice : alloc;
}

/// Asynchronous units read buffers until something waits for them. Who waits for what is written
/// uses the buffer then.
unsigned Lifetimes::completionOf(Operation *user) {
  for (const MemoryAccess &access : accessesOf(user))
    if (access.kind == MemoryAccess::Read && access.completion != Completion::ProgramOrder)
      return firstWait(user, access.completion);
  return number[user];
}

unsigned Lifetimes::firstWait(Operation *user, Completion completion) {
  unsigned found = std::numeric_limits<unsigned>::max();
  for (auto [wait, awaited] : waits)
    if (number[wait] > number[user] && awaited == completion)
      found = std::min(found, number[wait]);
  return found == std::numeric_limits<unsigned>::max() ? endOf.lookup(user) : found;
}

/// Keeps the owner alive up to `user`.
void Lifetimes::extend(MemoryOwner &owner, Operation *user) {
  unsigned at = completionOf(user), from = number[owner.op];
  // Partitions run at the same time: what others see lives as long as all run.
  if (Region *partition = partitionOf(user); partition && partition != owner.partition)
    at = std::max(at, endOf[specializeOf(partition)]);
  if (auto partitions = dyn_cast<ttg::WarpSpecializePartitionsOp>(user))
    at = std::max(at, endOf[partitions->getParentOp()]);
  // Loops around the user that do not hold the owner run again before the owner may go.
  for (Operation *outer = user->getParentOp(); outer != function; outer = outer->getParentOp()) {
    if (!isLoop(outer))
      continue;
    if (!outer->isProperAncestor(owner.op))
      at = std::max(at, endOf[outer]);
  }
  // A use that comes before: the loop around both carries the buffer to its next iteration. So
  // does a use outside of a loop that holds the owner.
  for (Operation *outer = owner.op->getParentOp(); outer != function;
       outer = outer->getParentOp()) {
    bool yielded = isa<scf::YieldOp>(user) && user->getParentOp() == outer;
    bool carried = number[user] <= from || !outer->isAncestor(user) || yielded;
    if (isLoop(outer) && carried) {
      owner.first = std::min(owner.first, number[outer]);
      at = std::max(at, endOf[outer]);
      if (outer->isProperAncestor(user))
        break;
    }
  }
  owner.first = std::min(owner.first, at);
  owner.last = std::max(owner.last, at);
}

/// Loops made of branches: whatever is alive at some point of the cycle is alive in all of it.
void Lifetimes::coverBackEdges() {
  for (Block &block : function.getBody()) {
    for (Block *target : block.getSuccessors()) {
      unsigned begin = number[&target->front()], end = number[block.getTerminator()];
      if (begin > end)
        continue;
      for (MemoryOwner &owner : all) {
        if (owner.last < begin || owner.first > end || !isAllocation(owner.op))
          continue;
        owner.first = std::min(owner.first, begin);
        owner.last = std::max(owner.last, end);
      }
    }
  }
}

} // namespace gluonc

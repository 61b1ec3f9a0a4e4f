//===- TensorMemory.cpp - Who may use tensor memory; when work on it is over ----===//
//
// PTX ISA 9.7.16.7 (alloc, dealloc, relinquish), 9.7.16.8 (wait), 9.7.16.11 (fence,
// commit). Copies and products take place at once, so all that was asked for before a
// commit is over there.
//
//===----------------------------------------------------------------------===//
#include "ptx/Barrier.h"
#include "ptx/TensorAccess.h"

#include "llvm/Support/MathExtras.h"

namespace gluonc::ptx {

// -- Columns ---------------------------------------------------------------------

std::optional<unsigned> TensorMemory::allocate(unsigned count, const Instruction &by) {
  for (unsigned first = 0; first + count <= columns; first += granule) {
    auto begin = owners.begin() + first / granule, end = begin + count / granule;
    if (!std::all_of(begin, end, [](const Instruction *owner) { return !owner; }))
      continue;
    std::fill(begin, end, &by);
    allocations.push_back({first, count, &by});
    latest = count;
    return first;
  }
  return std::nullopt;
}

bool TensorMemory::deallocate(unsigned first, unsigned count) {
  auto found = llvm::find_if(
      allocations, [&](const Allocation &a) { return a.first == first && a.count == count; });
  if (found == allocations.end())
    return false;
  allocations.erase(found);
  std::fill_n(owners.begin() + first / granule, count / granule, nullptr);
  for (unsigned lane = 0; lane != lanes; ++lane)
    std::fill_n(isWritten.begin() + size_t(lane) * columns + first, count, 0);
  return true;
}

const Instruction *TensorMemory::notGivenBack() const {
  return allocations.empty() ? nullptr : allocations.front().by;
}

// -- What instructions share --------------------------------------------------------

static bool isOfPair(const Instruction &instruction) { return instruction.has("cta_group::2"); }

llvm::SmallVector<Cta *, 2> ctasOf(Step &step, unsigned thread) {
  if (!isOfPair(step.instruction))
    return {&step.cta};
  unsigned even = step.cta.rank & ~1u;
  if (even + 1 >= step.machine.ctas.size()) {
    step.fail(thread, "there is no other CTA of a pair");
    return {};
  }
  Cta *pair[] = {&step.machine.ctas[even], &step.machine.ctas[even + 1]};
  for (Cta *cta : pair)
    if (llvm::all_of(cta->warps, [](const Warp &w) { return !~w.lanesIn(LaneState::Ended); })) {
      step.fail(thread, "the other CTA of the pair has ended");
      return {};
    }
  return {pair[0], pair[1]};
}

bool mayAccess(Step &step, unsigned thread, const Cta &cta, TensorPlace place) {
  if (place.lane < TensorMemory::lanes && cta.tensor && cta.tensor->isAllocated(place.column))
    return true;
  step.fail(thread, "lane " + llvm::Twine(place.lane) + ", column " + llvm::Twine(place.column) +
                        " of tensor memory is not allocated in CTA " + llvm::Twine(cta.rank) +
                        " of the cluster");
  return false;
}

bool readTensor(Step &step, unsigned thread, const Cta &cta, TensorPlace place, uint32_t &word) {
  if (!mayAccess(step, thread, cta, place))
    return false;
  const uint32_t *found = cta.tensor->find(place.lane, place.column);
  if (found)
    word = *found;
  else if (step.machine.launch.skipsProducts)
    // A product that was not done would have been written there.
    word = 0;
  else
    step.fail(thread, "lane " + llvm::Twine(place.lane) + ", column " + llvm::Twine(place.column) +
                          " of tensor memory is read before anything is written there");
  return found || step.machine.launch.skipsProducts;
}

bool writeTensor(Step &step, unsigned thread, Cta &cta, TensorPlace place, uint32_t word) {
  if (!mayAccess(step, thread, cta, place))
    return false;
  cta.tensor->write(place.lane, place.column, word);
  return true;
}

namespace {

TensorMemory &tensorOf(Cta &cta) {
  if (!cta.tensor)
    cta.tensor = std::make_unique<TensorMemory>();
  return *cta.tensor;
}

// -- Allocation ----------------------------------------------------------------------

/// A whole warp, or a fault.
bool isWarp(Step &step) {
  bool whole = step.active == ~step.warp.lanesIn(LaneState::Ended);
  if (!whole)
    step.fail(std::countr_zero(step.active), "not all lanes of the warp are here");
  return whole;
}

bool isAllocatable(Step &step, unsigned thread, uint64_t count) {
  bool fine = llvm::isPowerOf2_64(count) && count >= TensorMemory::granule &&
              count <= TensorMemory::columns;
  if (!fine)
    step.fail(thread, llvm::Twine(count) + " columns: it has to be a power of two from 32 to 512");
  return fine;
}

void allocateIn(Step &step, unsigned thread, Cta &cta, unsigned count, uint32_t address) {
  TensorMemory &tensor = tensorOf(cta);
  if (!tensor.mayAllocate)
    return step.fail(thread, "an allocation behind relinquish_alloc_permit");
  if (count > tensor.latest)
    return step.fail(thread, "an allocation of more columns than the one before");
  std::optional<unsigned> first = tensor.allocate(count, step.instruction);
  uint8_t *to = step.machine.shared(address, sizeof(uint32_t));
  if (!first)
    return step.fail(thread, "there are no " + llvm::Twine(count) +
                                 " columns of tensor memory left: this waits for ever");
  if (!to || address % sizeof(uint32_t))
    return step.fail(thread, "no word of shared memory at 0x" + llvm::Twine::utohexstr(address));
  uint32_t place = *first;
  std::memcpy(to, &place, sizeof(place));
}

void deallocateIn(Step &step, unsigned thread, Cta &cta, unsigned count, uint32_t address) {
  if (!tensorOf(cta).deallocate(address, count))
    step.fail(thread, llvm::Twine(count) + " columns from 0x" + llvm::Twine::utohexstr(address) +
                          " on are not what was allocated");
}

using InCta = void (*)(Step &, unsigned thread, Cta &, unsigned count, uint32_t address);

/// One warp of each CTA of a pair: the first one waits for the other.
void together(Step &step, unsigned thread, InCta change, unsigned count, uint32_t address) {
  llvm::SmallVector<Cta *, 2> pair = ctasOf(step, thread);
  if (pair.empty())
    return;
  TensorMemory::Request &own = tensorOf(step.cta).request;
  Cta &peer = *pair[step.cta.rank % 2 == 0];
  TensorMemory::Request &other = tensorOf(peer).request;
  if (own.isPending)
    return step.fail(thread, "another warp of this CTA is at it");
  if (!other.isPending) {
    own = {true, count, address, &step.instruction};
    step.eachLane([&](unsigned lane) { step.warp.state[lane] = LaneState::AtPeer; });
    step.yields = true;
    return;
  }
  bool sameKind = other.by->has("alloc") == step.instruction.has("alloc");
  if (!sameKind || other.columns != count || (other.address ^ address) & withinCta)
    return step.fail(thread, "the CTAs of the pair do not ask for the same");
  other.isPending = false;
  change(step, thread, step.cta, count, address);
  change(step, thread, peer, count, other.address);
  for (Warp &warp : peer.warps)
    for (LaneState &state : warp.state)
      if (state == LaneState::AtPeer)
        state = LaneState::Runs;
}

void change(Step &step, InCta how, uint64_t count, uint64_t address) {
  unsigned thread = std::countr_zero(step.active);
  if (!isWarp(step) || !isAllocatable(step, thread, count))
    return;
  auto place = static_cast<uint32_t>(address);
  if (isOfPair(step.instruction))
    together(step, thread, how, static_cast<unsigned>(count), place);
  else
    how(step, thread, step.cta, static_cast<unsigned>(count), place);
}

void allocate(Step &step) {
  unsigned first = std::countr_zero(step.active);
  change(step, allocateIn, step.read(1, first), step.address(step.operand(0), first));
}

void deallocate(Step &step) {
  unsigned first = std::countr_zero(step.active);
  change(step, deallocateIn, step.read(1, first), step.read(0, first));
}

void relinquish(Step &step) {
  if (isWarp(step))
    tensorOf(step.cta).mayAllocate = false;
}

// -- Completion ----------------------------------------------------------------------

void nothing(Step &) {}

/// commit… [mbarrier]{, CTAs}: in the CTAs of the mask it arrives at the barrier of the same place.
void commit(Step &step) {
  bool isMulticast = step.instruction.has("multicast::cluster");
  step.eachLane([&](unsigned lane) {
    if (ctasOf(step, lane).empty())
      return;
    uint64_t address = static_cast<uint32_t>(step.address(step.operand(0), lane));
    if (!isMulticast) {
      if (Barrier barrier{step, address, lane})
        barrier.arrive(1);
      return;
    }
    uint64_t ctas = step.read(1, lane) & 0xffff;
    for (unsigned rank = 0; ctas >> rank; ++rank)
      if (ctas >> rank & 1)
        if (Barrier barrier{step, (address & withinCta) | uint64_t(rank) << clusterShift, lane})
          barrier.arrive(1);
  });
}

Handler choose(const Instruction &instruction) {
  if (instruction.modifiers.empty())
    return nullptr;
  llvm::StringRef what = instruction.modifiers.front();
  size_t operands = instruction.operands.size();
  if (what == "alloc")
    return operands == 2 ? allocate : nullptr;
  if (what == "dealloc")
    return operands == 2 ? deallocate : nullptr;
  if (what == "relinquish_alloc_permit")
    return relinquish;
  if (what.starts_with("wait::") || what.starts_with("fence::"))
    return nothing;
  if (what == "commit")
    return operands == (instruction.has("multicast::cluster") ? 2 : 1) ? commit : nullptr;
  if (what == "ld" || what == "st")
    return chooseTensorMove(instruction);
  if (what == "mma")
    return chooseTensorProduct(instruction);
  return what == "cp" ? chooseTensorCopy(instruction) : nullptr;
}

} // namespace

const Instruction *findMixedGroup(const Function &kernel) {
  const Instruction *first = nullptr;
  for (const Instruction &instruction : kernel.code) {
    bool one = instruction.has("cta_group::1");
    if (instruction.name != "tcgen05" || (!one && !isOfPair(instruction)))
      continue;
    if (!first)
      first = &instruction;
    else if (isOfPair(*first) == one)
      return &instruction;
  }
  return nullptr;
}

void addTensorMemory(HandlerTable &table) { table["tcgen05"] = choose; }

} // namespace gluonc::ptx

#include "codegen/amd/CopyWaits.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"

#include <queue>
#include <set>

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// What counters hold.
constexpr unsigned mostCounted = 63;

Intrinsic::ID intrinsicOf(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call ? call->getIntrinsicID() : Intrinsic::ID(0);
}

/// Those that LLVM waits for by itself.
bool isDirectCopy(const Instruction &instruction) {
  switch (intrinsicOf(instruction)) {
  case Intrinsic::amdgcn_raw_ptr_buffer_load_lds:
  case Intrinsic::amdgcn_global_load_lds:
    return true;
  default:
    return false;
  }
}

bool isCopy(const Instruction &instruction) {
  switch (intrinsicOf(instruction)) {
  case Intrinsic::amdgcn_cluster_load_async_to_lds_b8:
  case Intrinsic::amdgcn_cluster_load_async_to_lds_b32:
  case Intrinsic::amdgcn_cluster_load_async_to_lds_b64:
  case Intrinsic::amdgcn_cluster_load_async_to_lds_b128:
  case Intrinsic::amdgcn_global_load_async_to_lds_b8:
  case Intrinsic::amdgcn_global_load_async_to_lds_b32:
  case Intrinsic::amdgcn_global_load_async_to_lds_b64:
  case Intrinsic::amdgcn_global_load_async_to_lds_b128:
  case Intrinsic::amdgcn_global_store_async_from_lds_b8:
  case Intrinsic::amdgcn_global_store_async_from_lds_b32:
  case Intrinsic::amdgcn_global_store_async_from_lds_b64:
  case Intrinsic::amdgcn_global_store_async_from_lds_b128:
    return true;
  default:
    return isDirectCopy(instruction);
  }
}

bool isTransposedLoad(const Instruction &instruction) {
  Intrinsic::ID id = intrinsicOf(instruction);
  return id == Intrinsic::amdgcn_ds_read_tr16_b64 || id == Intrinsic::amdgcn_ds_read_tr8_b64;
}

bool isMark(const Instruction &instruction) {
  return intrinsicOf(instruction) == Intrinsic::sideeffect;
}

bool isWait(const Instruction &instruction) {
  return intrinsicOf(instruction) == Intrinsic::amdgcn_s_wait_asynccnt;
}

/// A place on the way back from a wait.
struct Place {
  unsigned copies;
  const Instruction *behind;
  /// Marks to pass before the one that ends the way.
  unsigned marks;
  bool operator>(const Place &other) const { return copies > other.copies; }
};

/// Goes back to the beginning of the block, or to the mark that ends the way; true there.
bool goBack(Place &place) {
  for (const Instruction *at = place.behind->getPrevNode(); at; at = at->getPrevNode()) {
    place.copies += isCopy(*at);
    if (isMark(*at) && place.marks-- == 0)
      return true;
  }
  return false;
}

/// Shortest paths, a copy being a step. On a path from the entry with fewer groups nothing is to be
/// awaited.
unsigned copiesSince(const Instruction &wait, unsigned groups) {
  std::priority_queue<Place, std::vector<Place>, std::greater<>> queue;
  std::set<std::pair<const BasicBlock *, unsigned>> seen;
  queue.push({0, &wait, groups});
  unsigned least = mostCounted;
  while (!queue.empty()) {
    Place place = queue.top();
    queue.pop();
    if (place.copies >= least)
      break;
    const BasicBlock *block = place.behind->getParent();
    // The wait's own block may come again, from its end.
    if (place.behind != &wait && !seen.insert({block, place.marks}).second)
      continue;
    if (goBack(place)) {
      least = std::min(least, place.copies);
      continue;
    }
    for (const BasicBlock *before : predecessors(block))
      queue.push({place.copies, before->getTerminator(), place.marks});
  }
  return least;
}

/// The operand of s_waitcnt on gfx9 that leaves `loads` loads, and says nothing of other counters.
unsigned waitOperand(unsigned loads) {
  constexpr unsigned anyExports = 7 << 4, anyLds = 15 << 8;
  return (loads & 15) | (loads >> 4) << 14 | anyExports | anyLds;
}

void separate(Function &function) {
  MDBuilder metadata(function.getContext());
  MDNode *scope = metadata.createAnonymousAliasScope(
      metadata.createAnonymousAliasScopeDomain("copies"), "copies");
  MDNode *scopes = MDNode::get(function.getContext(), {scope});
  constexpr unsigned sharedSpace = 3;
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (isDirectCopy(instruction))
      instruction.setMetadata(LLVMContext::MD_alias_scope, scopes);
    else if ((load && load->getPointerAddressSpace() == sharedSpace) ||
             isTransposedLoad(instruction))
      instruction.setMetadata(LLVMContext::MD_noalias, scopes);
  }
}

/// A release of LDS for the workgroup would wait for copies, which the program does itself; the
/// barrier's own wait is for other accesses.
void releaseLdsOnly(Function &function) {
  SyncScope::ID wave = function.getContext().getOrInsertSyncScopeID("wavefront");
  for (Instruction &instruction : instructions(function))
    if (auto *fence = dyn_cast<FenceInst>(&instruction);
        fence && fence->hasMetadata(LLVMContext::MD_mmra))
      fence->setSyncScopeID(wave);
}

} // namespace

void countCopies(Module &module, bool asLoads) {
  for (Function &function : module) {
    SmallVector<Instruction *> marks, waits;
    bool hasDirect = false;
    for (Instruction &instruction : instructions(function)) {
      hasDirect |= isDirectCopy(instruction);
      if (isMark(instruction))
        marks.push_back(&instruction);
      else if (isWait(instruction))
        waits.push_back(&instruction);
    }
    for (Instruction *wait : waits) {
      auto *groups = cast<ConstantInt>(wait->getOperand(0));
      unsigned copies = copiesSince(*wait, groups->getZExtValue());
      IRBuilder<> builder(wait);
      if (asLoads)
        builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_waitcnt,
                                {builder.getInt32(waitOperand(copies))});
      else
        builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_wait_asynccnt,
                                {builder.getInt16(copies)});
    }
    for (Instruction *mark : marks)
      mark->eraseFromParent();
    for (Instruction *wait : waits)
      wait->eraseFromParent();
    if (!hasDirect)
      continue;
    separate(function);
    releaseLdsOnly(function);
  }
}

} // namespace gluonc::codegen::amd

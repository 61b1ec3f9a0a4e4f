#include "codegen/amd/CopyWaits.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

#include <queue>
#include <set>

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// What counters hold.
constexpr unsigned mostCounted = 63;
/// The operand of a wait that closes a group instead. No wait for groups leaves as many.
constexpr uint16_t closes = 0xffff;

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

bool isLaneCopy(const Instruction &instruction) {
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

bool isTensorCopy(const Instruction &instruction) {
  switch (intrinsicOf(instruction)) {
  case Intrinsic::amdgcn_tensor_load_to_lds:
  case Intrinsic::amdgcn_tensor_load_to_lds_d2:
  case Intrinsic::amdgcn_tensor_store_from_lds:
  case Intrinsic::amdgcn_tensor_store_from_lds_d2:
    return true;
  default:
    return false;
  }
}

struct Engine {
  bool (*isCopy)(const Instruction &);
  Intrinsic::ID wait;
};

Engine engineOf(CopyEngine engine) {
  switch (engine) {
  case CopyEngine::Lanes:
    return {isLaneCopy, Intrinsic::amdgcn_s_wait_asynccnt};
  case CopyEngine::TensorMover:
    return {isTensorCopy, Intrinsic::amdgcn_s_wait_tensorcnt};
  }
}

bool isTransposedLoad(const Instruction &instruction) {
  Intrinsic::ID id = intrinsicOf(instruction);
  return id == Intrinsic::amdgcn_ds_read_tr16_b64 || id == Intrinsic::amdgcn_ds_read_tr8_b64 ||
         id == Intrinsic::amdgcn_ds_read_tr4_b64;
}

bool isMark(const Instruction &instruction, const Engine &engine) {
  return intrinsicOf(instruction) == engine.wait;
}

unsigned pendingOf(const Instruction &mark) {
  return cast<ConstantInt>(mark.getOperand(0))->getZExtValue();
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
bool goBack(Place &place, const Engine &engine) {
  for (const Instruction *at = place.behind->getPrevNode(); at; at = at->getPrevNode()) {
    place.copies += engine.isCopy(*at);
    if (isMark(*at, engine) && pendingOf(*at) == closes && place.marks-- == 0)
      return true;
  }
  return false;
}

/// Shortest paths, a copy being a step. On a path from the entry with fewer groups nothing is to be
/// awaited.
unsigned copiesSince(const Instruction &wait, const Engine &engine) {
  std::priority_queue<Place, std::vector<Place>, std::greater<>> queue;
  std::set<std::pair<const BasicBlock *, unsigned>> seen;
  queue.push({0, &wait, pendingOf(wait)});
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
    if (goBack(place, engine)) {
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

void replaceMarks(Function &function, const Engine &engine, bool asLoads) {
  SmallVector<Instruction *> marks;
  for (Instruction &instruction : instructions(function))
    if (isMark(instruction, engine))
      marks.push_back(&instruction);
  SmallVector<unsigned> copies;
  for (Instruction *mark : marks)
    copies.push_back(pendingOf(*mark) == closes ? 0 : copiesSince(*mark, engine));
  for (auto [mark, count] : zip_equal(marks, copies)) {
    IRBuilder<> builder(mark);
    if (pendingOf(*mark) != closes)
      builder.CreateIntrinsic(
          builder.getVoidTy(), asLoads ? Intrinsic::amdgcn_s_waitcnt : engine.wait,
          {asLoads ? builder.getInt32(waitOperand(count)) : builder.getInt16(count)});
    mark->eraseFromParent();
  }
}

} // namespace

void closeCopies(IRBuilder<> &builder, CopyEngine engine) {
  builder.CreateIntrinsic(builder.getVoidTy(), engineOf(engine).wait, {builder.getInt16(closes)});
}

void awaitCopies(IRBuilder<> &builder, CopyEngine engine, unsigned pending) {
  // As many as were ever begun are as good as more.
  pending = std::min<unsigned>(pending, closes - 1);
  builder.CreateIntrinsic(builder.getVoidTy(), engineOf(engine).wait, {builder.getInt16(pending)});
}

void countCopies(Module &module, bool asLoads) {
  for (Function &function : module) {
    replaceMarks(function, engineOf(CopyEngine::Lanes), asLoads);
    replaceMarks(function, engineOf(CopyEngine::TensorMover), /*asLoads=*/false);
    if (none_of(instructions(function), isDirectCopy))
      continue;
    separate(function);
    releaseLdsOnly(function);
  }
}

} // namespace gluonc::codegen::amd

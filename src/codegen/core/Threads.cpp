#include "codegen/core/Threads.h"

#include "codegen/Backend.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;

namespace gluonc::codegen {

void Threads::startPrologue(BasicBlock *body) {
  prologue.SetInsertPoint(builder.CreateBr(body));
  builder.SetInsertPoint(body);
}

Value *Threads::id() {
  if (!thread)
    thread = idInGroup(state.kernel.numWarps * state.target.warpSize());
  return thread;
}

Value *Threads::idInGroup(unsigned limit) {
  Value *id = state.isa.threadId(prologue, limit);
  if (!group.first)
    return id;
  return prologue.CreateSub(id, prologue.getInt32(group.first * state.target.warpSize()));
}

Value *Threads::warpId() {
  if (!warp) {
    warp = state.isa.warpId(prologue, state.kernel.numWarps);
    if (warp && group.first)
      warp = prologue.CreateSub(warp, prologue.getInt32(group.first));
  }
  if (!warp) {
    Value *mine = prologue.CreateLShr(id(), Log2_32(state.target.warpSize()));
    warp = state.isa.shuffle(prologue, mine, prologue.getInt32(0));
  }
  return warp;
}

Value *Threads::clusterRank() {
  if (!rank)
    rank = state.isa.clusterRank(prologue, clusterSize());
  return rank;
}

Value *Threads::isInGroup() {
  if (state.isa.wantsUniformBranches())
    return builder.CreateICmpULT(warpId(), builder.getInt32(group.count));
  return builder.CreateICmpULT(id(), builder.getInt32(count()));
}

void Threads::joinGroup() {
  if (group.count > 1)
    state.isa.joinGroup(builder, group.barrier);
}

void Threads::barrier(bool global) {
  if (group.count == state.kernel.numWarps)
    state.isa.ctaBarrier(builder, global);
  else if (group.count == 1)
    state.isa.warpBarrier(builder);
  else
    state.isa.groupBarrier(builder, group.barrier, count(), global);
}

Threads::GroupScope::GroupScope(Threads &threads, WarpGroup group)
    : threads(threads), savedGroup(threads.group), savedPrologue(threads.prologue.saveIP()),
      savedThread(threads.thread), savedUnbounded(threads.unboundedThread), savedWarp(threads.warp),
      savedRank(threads.rank), savedParts(std::move(threads.parts)) {
  threads.group = group;
  threads.thread = threads.unboundedThread = threads.warp = threads.rank = nullptr;
  threads.parts.clear();
  Builder &builder = threads.builder;
  threads.joinGroup();
  threads.startPrologue(BasicBlock::Create(builder.getContext(), "partition.body",
                                           builder.GetInsertBlock()->getParent()));
}

Threads::GroupScope::~GroupScope() {
  threads.group = savedGroup;
  threads.prologue.restoreIP(savedPrologue);
  threads.thread = savedThread;
  threads.unboundedThread = savedUnbounded;
  threads.warp = savedWarp;
  threads.rank = savedRank;
  threads.parts = std::move(savedParts);
}

Value *Threads::part(ArrayRef<uint32_t> images) {
  Value *&part = parts[std::vector<uint32_t>(images.begin(), images.end())];
  if (part)
    return part;
  ArrayRef<uint32_t> inCta = images.take_front(Log2_32(count()));
  part = applyLinear(prologue, id(), inCta);
  ArrayRef<uint32_t> ofCta = images.drop_front(inCta.size());
  if (!imageMask(ofCta))
    return part;
  Value *ctaPart = applyLinear(prologue, clusterRank(), ofCta);
  part = imageMask(inCta) & imageMask(ofCta) ? prologue.CreateXor(part, ctaPart)
                                             : disjointOr(prologue, part, ctaPart);
  return part;
}

SmallVector<uint32_t> Threads::images(const LinearLayout &map, Dim out) {
  SmallVector<uint32_t> images;
  for (Dim in : {Dim::Lane, Dim::Warp, Dim::Block})
    for (unsigned bit = 0; map.hasIn(in) && bit < map.inLog2(in); ++bit)
      images.push_back(map.basis(in, bit, out));
  return images;
}

Value *Threads::ownerMask(const LinearLayout &layout, Among among) {
  uint32_t copies = layout.freeVariableMask(Dim::Lane) | layout.freeVariableMask(Dim::Warp)
                                                             << layout.inLog2(Dim::Lane);
  uint32_t ctas = among == Among::Cluster ? layout.freeVariableMask(Dim::Block) : 0;
  Value *first =
      ctas ? builder.CreateICmpEQ(builder.CreateAnd(clusterRank(), builder.getInt32(ctas)),
                                  builder.getInt32(0))
           : nullptr;
  if (!copies)
    return first;
  // Not id(): knowing its limit, LLVM would turn `(tid & 64) == 0` into `tid < 64`, for which
  // ptxas branches around every access instead of predicating it.
  if (!unboundedThread)
    unboundedThread = idInGroup(/*limit=*/4096);
  Value *copy = builder.CreateAnd(unboundedThread, builder.getInt32(copies));
  Value *owner = builder.CreateICmpEQ(copy, builder.getInt32(0));
  return first ? builder.CreateAnd(owner, first) : owner;
}

Value *Threads::isFirst(Among among) {
  Value *first = builder.CreateICmpEQ(id(), builder.getInt32(0));
  if (among == Among::Cta || clusterSize() == 1)
    return first;
  return builder.CreateAnd(first, builder.CreateICmpEQ(clusterRank(), builder.getInt32(0)));
}

} // namespace gluonc::codegen

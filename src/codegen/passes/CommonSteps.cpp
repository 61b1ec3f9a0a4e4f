#include "codegen/passes/CommonSteps.h"

#include "codegen/passes/Preserved.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gluonc::codegen {
namespace {

/// Fewer pointers than this keep their counters.
constexpr size_t fewest = 4;

/// A pointer that a loop carries, and what it is in the next iteration.
struct Pointer {
  PHINode *now;
  GetElementPtrInst *next;

  /// The one of both that is used; null where that is both, or none.
  Instruction *used() const {
    bool isUsed = !now->hasOneUse(), isNextUsed = !next->hasOneUse();
    return isUsed == isNextUsed ? nullptr : isUsed ? static_cast<Instruction *>(now) : next;
  }
};

class LoopSteps {
public:
  LoopSteps(Loop &loop, const LoopInfo &loops)
      : loop(loop), loops(loops), header(loop.getHeader()), latch(loop.getLoopLatch()),
        preheader(loop.getLoopPreheader()) {}

  bool run() {
    if (!latch || !preheader)
      return false;
    // By what is stepped over, and how often.
    MapVector<std::pair<Type *, Value *>, SmallVector<Pointer>> alike;
    for (PHINode &phi : header->phis())
      if (GetElementPtrInst *next = stepOf(phi))
        alike[{next->getSourceElementType(), next->getOperand(1)}].push_back({&phi, next});
    bool changed = false;
    for (const auto &[step, pointers] : alike)
      if (pointers.size() >= fewest) {
        replace(step.first, step.second, pointers);
        changed = true;
      }
    return changed;
  }

private:
  GetElementPtrInst *stepOf(PHINode &phi) const {
    auto *next = dyn_cast<GetElementPtrInst>(phi.getIncomingValueForBlock(latch));
    if (!phi.getType()->isPointerTy() || !next || next->getPointerOperand() != &phi ||
        next->getNumIndices() != 1 || !next->getOperand(1)->getType()->isIntegerTy(64) ||
        !loop.isLoopInvariant(next->getOperand(1)))
      return nullptr;
    Instruction *used = Pointer{&phi, next}.used();
    return used && isUsedHereAlone(used) ? next : nullptr;
  }

  /// Whether what uses `value`, but for the step itself, is in this loop and in none in it.
  bool isUsedHereAlone(Instruction *value) const {
    return all_of(value->users(), [&](User *user) {
      auto *instruction = cast<Instruction>(user);
      return loops.getLoopFor(instruction->getParent()) == &loop;
    });
  }

  void replace(Type *element, Value *step, ArrayRef<Pointer> pointers) {
    IRBuilder<> before(preheader->getTerminator());
    uint64_t size = preheader->getModule()->getDataLayout().getTypeAllocSize(element);
    Value *bytes = before.CreateMul(step, before.getInt64(size));
    IRBuilder<> builder(header, header->begin());
    PHINode *offset = builder.CreatePHI(builder.getInt64Ty(), 2);
    builder.SetInsertPoint(header, header->getFirstInsertionPt());
    Value *next = builder.CreateAdd(offset, bytes);
    offset->addIncoming(builder.getInt64(0), preheader);
    offset->addIncoming(next, latch);
    for (const Pointer &pointer : pointers) {
      Instruction *used = pointer.used();
      Value *first = pointer.now->getIncomingValueForBlock(preheader);
      Value *by = used == pointer.now ? static_cast<Value *>(offset) : next;
      // Where it is needed: what comes early holds registers.
      for (auto &[block, uses] : usesByBlock(pointer, used)) {
        IRBuilder<> there(placeBefore(uses, block));
        Value *sum = there.CreatePtrAdd(first, by);
        for (Use *use : uses)
          use->set(sum);
      }
      pointer.now->replaceAllUsesWith(PoisonValue::get(pointer.now->getType()));
      pointer.now->eraseFromParent();
      pointer.next->eraseFromParent();
    }
  }

  /// The uses of `used` but for those that step, by the blocks that they need it in.
  static MapVector<BasicBlock *, SmallVector<Use *>> usesByBlock(const Pointer &pointer,
                                                                 Instruction *used) {
    MapVector<BasicBlock *, SmallVector<Use *>> uses;
    for (Use &use : used->uses()) {
      auto *user = cast<Instruction>(use.getUser());
      if (user == pointer.now || user == pointer.next)
        continue;
      auto *phi = dyn_cast<PHINode>(user);
      uses[phi ? phi->getIncomingBlock(use) : user->getParent()].push_back(&use);
    }
    return uses;
  }

  /// The first of the users that are in `block`; its end where there are phis of other blocks
  /// alone.
  static Instruction *placeBefore(ArrayRef<Use *> uses, BasicBlock *block) {
    Instruction *place = block->getTerminator();
    for (Use *use : uses) {
      auto *user = cast<Instruction>(use->getUser());
      if (!isa<PHINode>(user) && user->comesBefore(place))
        place = user;
    }
    return place;
  }

  Loop &loop;
  const LoopInfo &loops;
  BasicBlock *header, *latch, *preheader;
};

} // namespace

PreservedAnalyses CommonStepsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!function.getParent()->getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    changed |= LoopSteps(*loop, loops).run();
  return preservedAfter(changed);
}

} // namespace gluonc::codegen

#include "codegen/passes/PtxasFaults.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace gluonc::codegen {

using Words = SmallSetVector<Value *, 32>;

static bool hasText(const Instruction &instruction, StringRef part) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  const auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return text && StringRef(text->getAsmString()).contains(part);
}

static bool isAsyncProduct(const Instruction &instruction) {
  return hasText(instruction, "wgmma.mma_async");
}

static bool isWaitForProducts(const Instruction &instruction) {
  return hasText(instruction, "wgmma.wait_group");
}

/// Whether only products of the loop, and waits for them, have written a sum since the last
/// iteration. Products and waits return the registers that they take, in order.
static bool isOnlyAddedTo(Value *sum, const Loop &loop, SmallPtrSetImpl<Value *> &seen) {
  if (!seen.insert(sum).second)
    return true;
  if (auto *phi = dyn_cast<PHINode>(sum))
    return phi->getParent() == loop.getHeader() && loop.getLoopLatch() &&
           isOnlyAddedTo(phi->getIncomingValueForBlock(loop.getLoopLatch()), loop, seen);
  auto *part = dyn_cast<ExtractValueInst>(sum);
  auto *call = part ? dyn_cast<CallInst>(part->getAggregateOperand()) : nullptr;
  if (!call || !loop.contains(call) || !(isAsyncProduct(*call) || isWaitForProducts(*call)) ||
      part->getNumIndices() != 1 || part->getIndices()[0] >= call->arg_size())
    return false;
  Value *taken = call->getArgOperand(part->getIndices()[0]);
  return taken->getType() == sum->getType() && isOnlyAddedTo(taken, loop, seen);
}

/// Whether nothing but products changes the sums of any product, as in most matrix products.
static bool onlyAddsProducts(const Loop &loop) {
  SmallPtrSet<Value *, 32> seen;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (!isAsyncProduct(instruction))
        continue;
      auto *sums = dyn_cast<StructType>(instruction.getType());
      if (!sums)
        return false;
      auto &call = cast<CallInst>(instruction);
      for (unsigned i = 0; i < sums->getNumElements(); ++i)
        if (!isOnlyAddedTo(call.getArgOperand(i), loop, seen))
          return false;
    }
  return true;
}

PreservedAnalyses RolledLoopsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (any_of(loop->blocks(),
               [](const BasicBlock *block) { return any_of(*block, isAsyncProduct); }) &&
        !onlyAddsProducts(*loop))
      loop->setLoopAlreadyUnrolled();
  return PreservedAnalyses::all();
}

/// Registers of left operands that are filled before the loop.
static Words wordsFromBefore(const Loop &loop) {
  Words words;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (!isAsyncProduct(instruction))
        continue;
      auto &call = cast<CallInst>(instruction);
      // Sums come first, and are tied to results. Others of this type are left operands.
      auto *sums = dyn_cast<StructType>(call.getType());
      for (Value *operand : drop_begin(call.args(), sums ? sums->getNumElements() : 1))
        if (operand->getType()->isIntegerTy(32) && !isa<Constant>(operand) &&
            loop.isLoopInvariant(operand))
          words.insert(operand);
    }
  return words;
}

/// Reads the words, as far as ptxas can tell.
static void keep(const Words &words, BasicBlock &block) {
  std::string text = "{\n\t.reg .pred never;\n\t.reg .b32 lanes;\n\tactivemask.b32 lanes;\n\t"
                     "setp.eq.u32 never, lanes, 0;\n\t";
  std::string constraints;
  for (unsigned i = 0; i < words.size(); ++i) {
    text += "@never st.shared.b32 [lanes], $" + std::to_string(i) + ";\n\t";
    constraints += i ? ",r" : "r";
  }
  IRBuilder<> builder(&block, block.getFirstInsertionPt());
  SmallVector<Type *> types(words.size(), builder.getInt32Ty());
  auto *type = FunctionType::get(builder.getVoidTy(), types, /*isVarArg=*/false);
  CallInst *call = builder.CreateCall(
      type, InlineAsm::get(type, text + "}", constraints, /*hasSideEffects=*/true),
      words.getArrayRef());
  call->addFnAttr(Attribute::NoUnwind);
  call->addFnAttr(Attribute::WillReturn);
}

PreservedAnalyses KeptOperandsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  bool isChanged = false;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    Words words = wordsFromBefore(*loop);
    if (words.empty())
      continue;
    // Where the words are defined.
    formDedicatedExitBlocks(loop, &analyses.getResult<DominatorTreeAnalysis>(function), &loops,
                            /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
    SmallVector<BasicBlock *> exits;
    loop->getUniqueExitBlocks(exits);
    for (BasicBlock *exit : exits)
      keep(words, *exit);
    isChanged = true;
  }
  return isChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace gluonc::codegen

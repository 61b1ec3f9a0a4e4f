#include "codegen/passes/DelayCopies.h"

#include "codegen/core/Isa.h"
#include "codegen/passes/Preserved.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gluonc::codegen {
namespace {

/// Sums of 64 x 128 in four warps.
constexpr unsigned leastCarried = 64;

bool isSharedPointer(Value *value) {
  return value->getType()->isPointerTy() &&
         value->getType()->getPointerAddressSpace() == SharedSpace;
}

bool readsShared(Instruction &instruction) {
  if (LoadInst *load = dyn_cast<LoadInst>(&instruction))
    return load->isUnordered() && !load->isVolatile() && isSharedPointer(load->getPointerOperand());
  CallBase *call = dyn_cast<CallBase>(&instruction);
  return call && call->onlyReadsMemory() && !call->doesNotAccessMemory() &&
         any_of(call->args(), isSharedPointer);
}

/// Computes in registers, within its own thread.
bool isPlain(Instruction &instruction) {
  CallBase *call = dyn_cast<CallBase>(&instruction);
  return !instruction.isTerminator() && !instruction.mayReadOrWriteMemory() &&
         !instruction.mayHaveSideEffects() && !(call && call->isConvergent());
}

/// 32-bit registers that stay in use from one pass of a loop to the next, at most.
unsigned carriedRegisters(Function &function) {
  unsigned most = 0;
  for (BasicBlock &block : function) {
    unsigned bits = 0;
    for (PHINode &phi : block.phis())
      bits += function.getDataLayout().getTypeSizeInBits(phi.getType());
    most = std::max(most, bits / 32);
  }
  return most;
}

/// The copies that wait to be moved while a block is walked.
class Delayed {
public:
  void visit(Instruction &instruction) {
    CallBase *call = dyn_cast<CallBase>(&instruction);
    if (call && call->hasFnAttr(beginsCopyAttr)) {
      // These are in a run of their own.
      if (lastRead)
        flush();
      copies.push_back(&instruction);
    } else if (!copies.empty() && readsShared(instruction)) {
      lastRead = &instruction;
    } else if (!isPlain(instruction)) {
      flush();
    }
  }

  bool changed = false;

private:
  void flush() {
    if (lastRead) {
      for (Instruction *copy : reverse(copies))
        copy->moveAfter(lastRead);
      changed = true;
    }
    copies.clear();
    lastRead = nullptr;
  }

  SmallVector<Instruction *> copies;
  Instruction *lastRead = nullptr;
};

} // namespace

PreservedAnalyses DelayCopiesPass::run(Function &function, FunctionAnalysisManager &) {
  if (carriedRegisters(function) < leastCarried)
    return PreservedAnalyses::all();
  Delayed delayed;
  // A block ends with a terminator, which lets everything go.
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block))
      delayed.visit(instruction);
  return preservedAfter(delayed.changed);
}

} // namespace gluonc::codegen

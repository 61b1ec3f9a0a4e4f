#include "codegen/nvidia/SplitBlocks.h"

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

constexpr size_t mostInstructions = 4096;
constexpr size_t part = 1024;

class SplitBlocks : public FunctionPass {
public:
  static char ID;
  SplitBlocks() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Split huge blocks"; }

  bool runOnFunction(Function &function) override {
    SmallVector<BasicBlock *> large;
    for (BasicBlock &block : function)
      if (block.size() > mostInstructions)
        large.push_back(&block);
    for (BasicBlock *block : large)
      split(*block);
    return !large.empty();
  }

private:
  /// From the end: a cut moves what stands behind it.
  static void split(BasicBlock &block) {
    SmallVector<Instruction *> cuts;
    size_t count = 0;
    for (Instruction &instruction : block)
      if (++count % part == 0 && !isa<PHINode>(instruction) && !instruction.isTerminator())
        cuts.push_back(&instruction);
    for (Instruction *cut : reverse(cuts))
      block.splitBasicBlock(cut->getIterator());
  }
};

char SplitBlocks::ID = 0;

} // namespace

FunctionPass *createSplitBlocks() { return new SplitBlocks; }

} // namespace gluonc::codegen::nvidia

#include "codegen/amd/LongFunctions.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// Loops of products and attentions have fewer, 440 at most.
constexpr unsigned mostAddresses = 640;

bool isLong(const Function &function) {
  return count_if(instructions(function), [](const Instruction &each) {
           return isa<GetElementPtrInst>(each);
         }) > mostAddresses;
}

/// LLVM's passes skip what has this attribute; kernels come without it.
constexpr Attribute::AttrKind skipped = Attribute::OptimizeNone;

class Omission : public FunctionPass {
public:
  static char ID;
  explicit Omission(bool begins) : FunctionPass(ID), begins(begins) {}

  StringRef getPassName() const override {
    return begins ? "Leave long functions alone" : "Return to long functions";
  }

  void getAnalysisUsage(AnalysisUsage &usage) const override { usage.setPreservesAll(); }

  bool runOnFunction(Function &function) override {
    if (!begins)
      function.removeFnAttr(skipped);
    else if (isLong(function))
      function.addFnAttr(skipped);
    return false;
  }

private:
  bool begins;
};

char Omission::ID = 0;

} // namespace

FunctionPass *createOmission() { return new Omission(true); }
FunctionPass *createOmissionEnd() { return new Omission(false); }

} // namespace gluonc::codegen::amd

#include "codegen/amd/RegisterBanks.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace gluonc::codegen::amd {

struct Separators {
  SmallVector<MachineInstr *> instructions;
};

std::shared_ptr<Separators> noSeparators() { return std::make_shared<Separators>(); }

namespace {

class Separation : public MachineFunctionPass {
public:
  static char ID;
  explicit Separation(std::shared_ptr<Separators> separators)
      : MachineFunctionPass(ID), separators(std::move(separators)) {}

  StringRef getPassName() const override { return "Separate scalar instructions"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    // The numbers of the operations are private to LLVM's target.
    auto isScalar = [&](const MachineInstr &instruction) {
      return instructions.getName(instruction.getOpcode()).starts_with("S_");
    };
    for (MachineBasicBlock &block : function)
      for (auto each = block.begin(); each != block.end(); ++each)
        if (each != block.begin() && isScalar(*each) && !isScalar(*std::prev(each))) {
          instructions.insertNoop(block, each);
          separators->instructions.push_back(&*std::prev(each));
        }
    return !separators->instructions.empty();
  }

private:
  std::shared_ptr<Separators> separators;
};

class SeparatorErasure : public MachineFunctionPass {
public:
  static char ID;
  explicit SeparatorErasure(std::shared_ptr<Separators> separators)
      : MachineFunctionPass(ID), separators(std::move(separators)) {}

  StringRef getPassName() const override { return "Join scalar instructions"; }

  bool runOnMachineFunction(MachineFunction &) override {
    bool changed = !separators->instructions.empty();
    for (MachineInstr *separator : separators->instructions)
      separator->eraseFromParent();
    separators->instructions.clear();
    return changed;
  }

private:
  std::shared_ptr<Separators> separators;
};

char Separation::ID = 0;
char SeparatorErasure::ID = 0;

} // namespace

MachineFunctionPass *createSeparators(std::shared_ptr<Separators> separators) {
  return new Separation(std::move(separators));
}

MachineFunctionPass *createSeparatorErasure(std::shared_ptr<Separators> separators) {
  return new SeparatorErasure(std::move(separators));
}

} // namespace gluonc::codegen::amd

#include "codegen/nvidia/ProxyRegisters.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

class ProxyRegisterErasure : public MachineFunctionPass {
public:
  static char ID;
  ProxyRegisterErasure() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "Proxy register erasure"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    MachineRegisterInfo &registers = function.getRegInfo();
    bool changed = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : make_early_inc_range(block)) {
        // The numbers of the operations are private to LLVM's target.
        if (!instructions.getName(instruction.getOpcode()).starts_with("ProxyReg"))
          continue;
        Register proxy = instruction.getOperand(0).getReg();
        Register source = instruction.getOperand(1).getReg();
        for (MachineOperand &use : make_early_inc_range(registers.use_operands(proxy)))
          use.setReg(source);
        instruction.eraseFromParent();
        changed = true;
      }
    return changed;
  }
};

char ProxyRegisterErasure::ID = 0;

} // namespace

MachineFunctionPass *createProxyRegisterErasure() { return new ProxyRegisterErasure; }

} // namespace gluonc::codegen::nvidia

#include "amdgcn/Disassembler.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

namespace gluonc::amdgcn {

struct Disassembler::Parts {
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

Disassembler::Disassembler() : parts(std::make_unique<Parts>()) {}
Disassembler::~Disassembler() = default;

static void registerTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
}

bool Disassembler::open(llvm::StringRef chip, unsigned waveSize) {
  registerTarget();
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return false;
  parts->registers.reset(target->createMCRegInfo(triple));
  parts->assembly.reset(target->createMCAsmInfo(*parts->registers, triple, parts->options));
  parts->instructions.reset(target->createMCInstrInfo());
  const char *features = chip.starts_with("gfx9") ? ""
                         : waveSize == 32         ? "+wavefrontsize32"
                                                  : "-wavefrontsize32,+wavefrontsize64";
  parts->subtarget.reset(target->createMCSubtargetInfo(triple, chip, features));
  if (!parts->subtarget || !parts->subtarget->isCPUStringValid(chip))
    return false;
  parts->context = std::make_unique<llvm::MCContext>(
      triple, parts->assembly.get(), parts->registers.get(), parts->subtarget.get());
  parts->disassembler.reset(target->createMCDisassembler(*parts->subtarget, *parts->context));
  parts->printer.reset(target->createMCInstPrinter(triple, 0, *parts->assembly,
                                                   *parts->instructions, *parts->registers));
  return parts->disassembler && parts->printer;
}

std::string Disassembler::read(llvm::ArrayRef<uint8_t> bytes, uint64_t address, unsigned &size) {
  llvm::MCInst instruction;
  uint64_t taken = 0;
  size = 0;
  if (parts->disassembler->getInstruction(instruction, taken, bytes, address, llvm::nulls()) !=
      llvm::MCDisassembler::Success)
    return {};
  std::string text;
  llvm::raw_string_ostream out(text);
  parts->printer->printInst(&instruction, address, "", *parts->subtarget, out);
  size = static_cast<unsigned>(taken);
  return llvm::StringRef(text).trim().str();
}

} // namespace gluonc::amdgcn

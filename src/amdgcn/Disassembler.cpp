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

/// Compilers before LLVM 22 leave fields of gfx1250's instructions zero that do not matter and that
/// LLVM 22 wants to say so: the fifth group of the tensor data mover, which there is none of, and
/// the third source of the half of a product that loads its scales.
static void fillOldFields(llvm::MutableArrayRef<uint8_t> bytes) {
  if (bytes.size() < 12)
    return;
  unsigned high = bytes[2] | bytes[3] << 8, low = bytes[0] | bytes[1] << 8;
  bool movesTensor = high == 0xd071 && (low == 0x0001 || low == 0x4001);
  if (movesTensor && bytes[7] == 0)
    bytes[7] = 0x7c;
  bool loadsScales = high == 0xcc35 || high == 0xcc3a;
  if (loadsScales && (bytes[6] & 0xfc) == 0 && (bytes[7] & 7) == 0)
    bytes[7] |= 4;
}

std::string Disassembler::read(llvm::ArrayRef<uint8_t> bytes, uint64_t address, unsigned &size) {
  llvm::MCInst instruction;
  uint64_t taken = 0;
  size = 0;
  llvm::SmallVector<uint8_t, 32> now(bytes.begin(), bytes.end());
  fillOldFields(now);
  if (parts->disassembler->getInstruction(instruction, taken, now, address, llvm::nulls()) !=
      llvm::MCDisassembler::Success)
    return {};
  std::string text;
  llvm::raw_string_ostream out(text);
  parts->printer->printInst(&instruction, address, "", *parts->subtarget, out);
  size = static_cast<unsigned>(taken);
  return llvm::StringRef(text).trim().str();
}

} // namespace gluonc::amdgcn

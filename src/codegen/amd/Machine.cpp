#include "codegen/amd/Machine.h"

#include "support/Error.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"

using namespace llvm;

namespace gluonc::codegen::amd {

Triple triple() { return Triple("amdgcn-amd-amdhsa"); }

const llvm::Target *llvmTarget() {
  static const llvm::Target *found = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    std::string error;
    const llvm::Target *target = TargetRegistry::lookupTarget(triple(), error);
    GL_CHECK(target && "LLVM was linked without AMDGPU");
    return target;
  }();
  return found;
}

/// LLVM 22 takes an f16 that is widened for a v_fma_mixlo_bf16, which reads bf16, for an f32.
static StringRef featuresOf(StringRef chip) {
  return chip.starts_with("gfx125") ? "-fma-mix-bf16-insts" : "";
}

static std::unique_ptr<TargetMachine> create(StringRef chip, bool fpFusion) {
  const llvm::Target *target = llvmTarget();
  chooseLlvmOptions();
  TargetOptions options;
  // Standard contracts what the instructions' own flags allow.
  options.AllowFPOpFusion = fpFusion ? FPOpFusion::Standard : FPOpFusion::Strict;
  // Tools read sizes and occupancy from the comments behind a kernel.
  options.MCOptions.AsmVerbose = true;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple(), chip, featuresOf(chip), options, Reloc::PIC_,
                                  std::nullopt, CodeGenOptLevel::Aggressive));
}

Machine::Machine(const target::Target &target, const Options &options, LoopAddresses addresses)
    : MachineLoan(target.chip() + (options.fpFusion ? "+fusion" : "") +
                      (addresses == LoopAddresses::Counters ? "+counters" : ""),
                  [&] { return create(target.chip(), options.fpFusion); }) {}

} // namespace gluonc::codegen::amd

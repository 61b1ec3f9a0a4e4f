#include "codegen/nvidia/Machine.h"

#include "support/Error.h"
#include "target/Features.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

constexpr unsigned newestLlvmPtx = 90;
/// CUDA 12.1: has every instruction that the emitters use on chips before sm_89.
constexpr unsigned leastPtx = 81;
/// CUDA 12.4: products of 8-bit floats.
constexpr unsigned leastPtxWithFp8 = 84;

Triple triple() { return Triple("nvptx64-nvidia-cuda"); }

const llvm::Target *nvptx() {
  static const llvm::Target *found = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string error;
    const llvm::Target *target = TargetRegistry::lookupTarget(triple(), error);
    GL_CHECK(target && "LLVM was linked without NVPTX");
    // 32-bit pointers to shared memory, as the hardware has them.
    turnOn("nvptx-short-ptr");
    return target;
  }();
  return found;
}

std::unique_ptr<TargetMachine> create(StringRef chip, StringRef features, bool fpFusion) {
  const llvm::Target *target = nvptx();
  chooseLlvmOptions();
  TargetOptions options;
  // Strict makes the selector print `.rn` forms, which ptxas leaves alone.
  options.AllowFPOpFusion = fpFusion ? FPOpFusion::Fast : FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple(), chip, features, options, Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
}

} // namespace

unsigned ptxVersion(const target::Target &target, const Options &options) {
  unsigned least =
      std::max(target.minPtxVersion(),
               target::has(target, target::Feature::MmaSyncFp8) ? leastPtxWithFp8 : leastPtx);
  return options.ptxVersion ? std::max(options.ptxVersion, least) : least;
}

static std::string featuresOf(const target::Target &target, const Options &options) {
  return "+ptx" + std::to_string(std::min(ptxVersion(target, options), newestLlvmPtx));
}

Machine::Machine(const target::Target &target, const Options &options)
    : MachineLoan(
          target.chip() + featuresOf(target, options) + (options.fpFusion ? "+fusion" : ""),
          [&] { return create(target.chip(), featuresOf(target, options), options.fpFusion); }) {}

} // namespace gluonc::codegen::nvidia

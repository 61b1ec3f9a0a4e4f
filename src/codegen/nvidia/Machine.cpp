#include "codegen/nvidia/Machine.h"

#include "support/Error.h"
#include "target/Features.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"

#include <mutex>
#include <vector>

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

constexpr unsigned newestLlvmPtx = 90;
/// CUDA 12.1: has every instruction that the emitters use on chips before sm_89.
constexpr unsigned leastPtx = 81;
/// CUDA 12.4: products of 8-bit floats.
constexpr unsigned leastPtxWithFp8 = 84;

struct Pool {
  std::mutex mutex;
  StringMap<std::vector<std::unique_ptr<TargetMachine>>> idle;
};

Pool &pool() {
  static Pool instance;
  return instance;
}

Triple triple() { return Triple("nvptx64-nvidia-cuda"); }

/// LLVM offers some choices as command-line options only.
void turnOn(StringRef name) {
  cl::Option *option = cl::getRegisteredOptions().lookup(name);
  GL_CHECK(option);
  static_cast<cl::opt<bool> *>(option)->setValue(true);
}

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
    // Loop strength reduction gives every address of a tile its own 64-bit counter: twice the
    // instructions of a base plus an offset that all share, and registers beyond the limit.
    turnOn("disable-lsr");
    return target;
  }();
  return found;
}

std::unique_ptr<TargetMachine> create(StringRef chip, StringRef features, bool fpFusion) {
  TargetOptions options;
  // Strict makes the selector print `.rn` forms, which ptxas leaves alone.
  options.AllowFPOpFusion = fpFusion ? FPOpFusion::Fast : FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(nvptx()->createTargetMachine(
      triple(), chip, features, options, Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
}

} // namespace

unsigned ptxVersion(const target::Target &target, const Options &options) {
  unsigned least =
      std::max(target.minPtxVersion(),
               target::has(target, target::Feature::MmaSyncFp8) ? leastPtxWithFp8 : leastPtx);
  return options.ptxVersion ? std::max(options.ptxVersion, least) : least;
}

Machine::Machine(const target::Target &target, const Options &options) {
  std::string chip = target.chip();
  unsigned version = std::min(ptxVersion(target, options), newestLlvmPtx);
  std::string features = "+ptx" + std::to_string(version);
  key = chip + features + (options.fpFusion ? "+fusion" : "");
  Pool &machines = pool();
  {
    std::lock_guard lock(machines.mutex);
    std::vector<std::unique_ptr<TargetMachine>> &idle = machines.idle[key];
    if (!idle.empty()) {
      machine = std::move(idle.back());
      idle.pop_back();
      return;
    }
  }
  machine = create(chip, features, options.fpFusion);
}

Machine::~Machine() {
  Pool &machines = pool();
  std::lock_guard lock(machines.mutex);
  machines.idle[key].push_back(std::move(machine));
}

} // namespace gluonc::codegen::nvidia

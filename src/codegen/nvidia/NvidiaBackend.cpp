//===- NvidiaBackend.cpp - PTX, and cubins by ptxas ---------------------------===//
#include "codegen/Backend.h"
#include "codegen/nvidia/NvidiaIsa.h"
#include "codegen/nvidia/Ptx.h"
#include "codegen/nvidia/Ptxas.h"
#include "codegen/passes/DebugInfo.h"
#include "codegen/passes/Optimize.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

class NvidiaBackend final : public Backend {
public:
  NvidiaBackend(const target::Target &target, const Options &options)
      : Backend(target, options), nvidiaIsa(target, options) {}

  std::optional<Assembler> assembler() const override {
    return Assembler{"ptxas", "put it in PATH, set CUDA_HOME, or install the Python package "
                              "nvidia-cuda-nvcc"};
  }

  void optimize(LlvmModule &module) const override {
    Machine machine(target, options);
    runPasses(*module.module, *machine);
    if (options.lineInfo)
      placeCastsAtLoads(*module.module);
  }

  Expected<Artifact> print(LlvmModule &module) const override {
    Expected<std::string> ptx = printPtx(*module.module, target, options);
    if (!ptx)
      return ptx.takeError();
    Artifact artifact = {"ptx", std::move(*ptx)};
    artifact.sharedBytes = module.kernel.sharedBytes;
    return artifact;
  }

  Expected<Artifact> assemble(const Artifact &assembly, StringRef assembler) const override {
    Expected<Cubin> cubin =
        nvidia::assemble(assembler, assembly.bytes, target, options, assembly.sharedBytes);
    if (!cubin)
      return cubin.takeError();
    Artifact artifact = {"cubin", std::move(cubin->bytes)};
    if (!cubin->resources.empty())
      artifact.resources = std::move(cubin->resources.front());
    return artifact;
  }

private:
  const Isa &isa() const override { return nvidiaIsa; }

  NvidiaIsa nvidiaIsa;
};

} // namespace

std::unique_ptr<Backend> createBackend(const target::Target &target, const Options &options) {
  return std::make_unique<NvidiaBackend>(target, options);
}

} // namespace gluonc::codegen::nvidia

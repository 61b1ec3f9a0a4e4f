#include "codegen/Backend.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gluonc::codegen {

char AssemblerError::ID = 0;

void AssemblerError::log(raw_ostream &out) const { out << text; }

std::error_code AssemblerError::convertToErrorCode() const { return inconvertibleErrorCode(); }

std::unique_ptr<Backend> createBackend(const target::Target &target, const Options &options) {
  if (!target.hasCodegen())
    return nullptr;
  switch (target.vendor()) {
  case target::Vendor::Nvidia:
    return nvidia::createBackend(target, options);
  case target::Vendor::Amd:
    return amd::createBackend(target, options);
  }
}

Expected<LlvmModule> Backend::makeLlvm(mlir::ModuleOp module, Timings *timings) const {
  std::optional<TimingScope> scope;
  scope.emplace(timings, "llir");
  if (Error error = legalize(module))
    return std::move(error);
  Expected<LlvmModule> llvm = emit(module);
  if (!llvm)
    return llvm.takeError();
  scope.emplace(timings, "llvm-opt");
  optimize(*llvm);
  return llvm;
}

} // namespace gluonc::codegen

//===- Machine.h - LLVM target machines for NVPTX ----------------------------===//
//
// LLVM 19 knows chips up to sm_90a and PTX up to 8.5. A newer chip is compiled
// as sm_90a and the head of the text is rewritten: ptxas accepts that, and the
// instructions that only the newer chip has are inline PTX anyway.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/Codegen.h"

#include "llvm/Target/TargetMachine.h"

namespace gluonc::codegen::nvidia {

/// PTX ISA version, times ten, that the text of `target` will name.
unsigned ptxVersion(const target::Target &target, const Options &options);

/// A target machine on loan from a process-wide pool: making one takes as long
/// as optimizing a small kernel, and one machine serves one thread at a time.
class Machine {
public:
  Machine(const target::Target &target, const Options &options);
  Machine(const Machine &) = delete;
  ~Machine();
  llvm::TargetMachine &operator*() const { return *machine; }
  llvm::TargetMachine *operator->() const { return machine.get(); }

private:
  std::string key;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace gluonc::codegen::nvidia

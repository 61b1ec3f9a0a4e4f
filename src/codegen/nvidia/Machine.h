//===- Machine.h - LLVM target machines for NVPTX ----------------------------===//
//
// LLVM 22 knows PTX up to 9.0; the head of a text for newer PTX is rewritten.
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

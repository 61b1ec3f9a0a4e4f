//===- MachineLoan.h - LLVM's target machines, kept for the next compilation -------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace gluonc::codegen {

/// What is kept: a machine, and what a back end wants to find again with it.
struct KeptMachine {
  /// Is used with one machine only, and goes before it.
  struct Companion {
    virtual ~Companion() = default;
  };

  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<Companion> companion;
};

/// A target machine on loan from a process-wide pool: making one takes as long
/// as optimizing a small kernel, and one machine serves one thread at a time.
class MachineLoan {
public:
  using Make = llvm::function_ref<std::unique_ptr<llvm::TargetMachine>()>;

  /// One that was made under the same key, or what `make` gives.
  MachineLoan(std::string key, Make make);
  MachineLoan(const MachineLoan &) = delete;
  ~MachineLoan();
  llvm::TargetMachine &operator*() const { return *kept.machine; }
  llvm::TargetMachine *operator->() const { return kept.machine.get(); }
  /// Null for a new machine, and after what has not come to its end.
  std::unique_ptr<KeptMachine::Companion> &companion() { return kept.companion; }

private:
  std::string key;
  KeptMachine kept;
};

/// Choices that LLVM offers as command-line options only, for all back ends: made once, before the
/// first machine, so that code does not depend on what a process compiled before.
void chooseLlvmOptions();
/// Sets a boolean option of LLVM.
void turnOn(llvm::StringRef option);

} // namespace gluonc::codegen

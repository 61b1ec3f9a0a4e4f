//===- Module.h - Loaded machine code and its functions ---------------------===//
#pragma once

#include "runtime/cuda/Device.h"

#include <atomic>

namespace gluonc::cuda {

/// A kernel of a loaded module. Valid as long as the module lives.
struct Function {
  CUfunction handle = nullptr;
  int registers = 0;
  /// Bytes of local memory of a thread: spills and indexed arrays.
  int localBytes = 0;
  int maxThreads = 0;
};

class Module {
public:
  /// `image` is a cubin, or PTX text, which the driver then compiles itself. The
  /// driver's log is part of the error.
  static llvm::Expected<std::shared_ptr<const Module>> load(std::shared_ptr<const Device> device,
                                                            llvm::StringRef image);
  Module(const Module &) = delete;
  ~Module();

  const std::shared_ptr<const Device> &device() const { return owner; }
  /// Leaves the code on the device for good: a graph has it, which nobody can ask.
  void keep() const { isKept = true; }
  bool wasKept() const { return isKept.load(std::memory_order_relaxed); }
  /// Finds a kernel and, where it wants more shared memory than the 48 KiB that
  /// every kernel may have, raises its limit.
  llvm::Expected<Function> function(const std::string &name, unsigned sharedBytes) const;

private:
  Module() = default;
  std::shared_ptr<const Device> owner;
  CUmodule handle = nullptr;
  mutable std::atomic<bool> isKept = false;
};

} // namespace gluonc::cuda

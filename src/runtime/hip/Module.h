//===- Module.h - Loaded code objects and their kernels ----------------------===//
#pragma once

#include "runtime/hip/Device.h"

#include <atomic>

namespace gluonc::hip {

/// A kernel of a loaded module. Valid as long as the module lives.
struct Function {
  FunctionHandle handle = nullptr;
  int registers = 0;
  /// Bytes of private memory of a thread: spills and indexed arrays.
  int localBytes = 0;
  int maxThreads = 0;
};

class Module {
public:
  /// `image` is a code object (hsaco).
  static llvm::Expected<std::shared_ptr<const Module>> load(std::shared_ptr<const Device> device,
                                                            llvm::StringRef image);
  Module(const Module &) = delete;
  ~Module();

  const std::shared_ptr<const Device> &device() const { return owner; }
  /// Leaves the code on the device for good: a graph has it, which nobody can ask.
  void keep() const { isKept = true; }
  bool wasKept() const { return isKept.load(std::memory_order_relaxed); }
  /// Finds a kernel. There is no limit to raise for its LDS, but a size that the device has.
  llvm::Expected<Function> function(const std::string &name, unsigned sharedBytes) const;

private:
  Module() = default;
  std::shared_ptr<const Device> owner;
  /// HIP does not say that it copies it.
  std::unique_ptr<const std::string> image;
  ModuleHandle handle = nullptr;
  mutable std::atomic<bool> isKept = false;
};

} // namespace gluonc::hip

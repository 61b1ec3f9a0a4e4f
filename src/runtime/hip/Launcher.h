//===- Launcher.h - A launch with everything prepared -----------------------===//
//
// As on CUDA (runtime/cuda/Launcher.h), a launch does not hash, allocate or lock. It
// makes two driver calls: one asks for the thread's current device, since a launch
// without a stream goes there and nowhere else.
//
// The driver is given one pointer per parameter: it knows from the code object where
// in the kernel's argument memory each of them belongs, and fills in the hidden ones
// behind them (numbers of workgroups) itself.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/LaunchShape.h"
#include "runtime/Parameters.h"
#include "runtime/hip/Module.h"

namespace gluonc::hip {

using runtime::Grid;
using runtime::LaunchMode;
using runtime::LaunchShape;

class Launcher {
public:
  /// Parameters of the kernel that the caller gives, the hidden ones not counted. There is nothing
  /// like CUDA's programmatic dependent launch; such kernels run one after the other.
  static llvm::Expected<Launcher> create(std::shared_ptr<const Module> module,
                                         const std::string &name, const LaunchShape &shape,
                                         unsigned parameters);
  Launcher(Launcher &&) = default;

  unsigned parameterCount() const { return parameters.visible(); }
  const Function &function() const { return kernel; }
  const Device &device() const { return *module->device(); }

  /// `slots` holds one value per parameter in its low bytes (scalars of up to eight bytes,
  /// addresses; the address of a larger value). `stream` may be null. Safe from several threads.
  Result launch(Grid grid, Stream stream, const uint64_t *slots) const;
  /// Why no AMD GPU launches such a grid, with the limits; "" if one does.
  static std::string whyNotPossible(Grid grid, const LaunchShape &shape);
  /// What failed, for a launch that `result` came of. For Driver::fail.
  std::string describeFailure(Result result, Grid grid) const;
  /// The same as `launch` with the driver's answer as an error value.
  llvm::Error run(Grid grid, Stream stream, llvm::ArrayRef<uint64_t> slots) const;

private:
  using Parameters = runtime::Parameters;

  Launcher() = default;
  void keepIfCaptured(Stream stream) const;
  Result launchWithScratch(Grid grid, Stream stream, const uint64_t *slots) const;
  Result launchMany(Grid grid, Stream stream, const uint64_t *slots,
                    const uint64_t *scratchAddress) const;
  Result call(Grid grid, Stream stream, const uint64_t *slots, void **pointers,
              const uint64_t *scratchAddress) const;
  Result callWithClusters(Grid grid, Stream stream, void **pointers) const;
  /// Workgroups that can be on the GPU at the same time; nothing where the driver does not tell.
  std::optional<unsigned> residentCtas() const;

  Function kernel;
  Parameters parameters;
  unsigned threads = 0, clusterSize = 1, sharedBytes = 0;
  bool isCooperative = false;
  Grid most;
  std::shared_ptr<const Module> module;
  unsigned scratchBytes = 0;
  /// Where a kernel needs scratch memory.
  std::unique_ptr<MemoryPool> scratch;
};

} // namespace gluonc::hip

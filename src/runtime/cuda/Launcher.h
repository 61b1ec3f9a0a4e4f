//===- Launcher.h - A launch with everything prepared -----------------------===//
//
// What a launch needs beyond its arguments is known once the kernel is loaded:
// block size, shared memory, cluster shape, attributes, number of parameters. A
// Launcher keeps it in the driver's own form, so that a launch copies 56 bytes,
// writes one pointer per parameter and makes one driver call: no hashing, no
// allocation, no lock, no context query. Only a kernel that needs memory of its
// own costs two calls more: it is taken and given back in the stream's order.
//
// A launch on a thread where the device's context is not current fails in the
// driver; only then is the context made current for the length of one more call.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/LaunchShape.h"
#include "runtime/Parameters.h"
#include "runtime/cuda/Module.h"
#include "target/Limits.h"

#include "llvm/ADT/ArrayRef.h"

namespace gluonc::cuda {

using runtime::Grid;
using runtime::LaunchMode;
using runtime::LaunchShape;

class Launcher {
public:
  /// Parameters of the kernel that the caller gives, the hidden ones not counted.
  static llvm::Expected<Launcher> create(std::shared_ptr<const Module> module,
                                         const std::string &name, const LaunchShape &shape,
                                         unsigned parameters);
  Launcher(Launcher &&) = default;

  unsigned parameterCount() const { return parameters.visible(); }
  const Function &function() const { return kernel; }
  const Device &device() const { return *module->device(); }

  /// `slots` holds one value per parameter in its low bytes (scalars of up to
  /// eight bytes, addresses; the address of a larger value). `stream` may be null. Safe from
  /// several threads.
  CUresult launch(Grid grid, CUstream stream, const uint64_t *slots) const {
    if (!runtime::fits(grid, most)) [[unlikely]]
      return errorInvalidValue;
    LaunchConfig config = prepared;
    config.gridX = grid.x * clusterSize;
    config.gridY = grid.y;
    config.gridZ = grid.z;
    config.stream = stream;
    // The default stream is never captured.
    if (stream && !module->wasKept())
      keepIfCaptured(stream);
    config.attributes = attributes.data();
    if (scratch) [[unlikely]]
      return launchWithScratch(config, slots);
    if (parameters.all() > Parameters::inlinePointers) [[unlikely]]
      return launchMany(config, slots, &Parameters::noScratch);
    void *pointers[Parameters::inlinePointers];
    return call(config, slots, pointers, &Parameters::noScratch);
  }
  /// Why no NVIDIA GPU launches such a grid of clusters, with the limits; "" if one does.
  static std::string whyNotPossible(Grid grid, unsigned ctasPerCluster);
  /// What failed, for a launch that `result` came of: with the numbers that decide, where the
  /// driver only says that something is too large. For Driver::fail.
  std::string describeFailure(CUresult result, Grid grid) const;
  /// The same as `launch` with the driver's answer as an error value.
  llvm::Error run(Grid grid, CUstream stream, llvm::ArrayRef<uint64_t> slots) const;

private:
  using Parameters = runtime::Parameters;

  Launcher() = default;
  /// CTAs that can be on the GPU at the same time; nothing where the driver does not tell.
  std::optional<unsigned> residentCtas() const;
  CUresult call(const LaunchConfig &config, const uint64_t *slots, void **pointers,
                const uint64_t *scratchAddress) const {
    parameters.point(pointers, slots, scratchAddress);
    CUresult result = enter(&config, kernel.handle, pointers, nullptr);
    if (result == success) [[likely]]
      return result;
    return retry(config, pointers, result);
  }
  void keepIfCaptured(CUstream stream) const;
  CUresult launchMany(const LaunchConfig &config, const uint64_t *slots,
                      const uint64_t *scratchAddress) const;
  CUresult launchWithScratch(const LaunchConfig &config, const uint64_t *slots) const;
  CUresult retry(const LaunchConfig &config, void **pointers, CUresult first) const;

  CUresult (*enter)(const LaunchConfig *, CUfunction, void **, void **) = nullptr;
  Function kernel;
  Parameters parameters;
  unsigned clusterSize = 1;
  Grid most;
  LaunchConfig prepared;
  llvm::SmallVector<LaunchAttribute, 3> attributes;
  std::shared_ptr<const Module> module;
  unsigned scratchBytes = 0;
  /// Where a kernel needs scratch memory. Behind the module, whose context it lives in.
  std::unique_ptr<MemoryPool> scratch;
};

} // namespace gluonc::cuda

//===- Driver.h - The CUDA driver, opened at run time -----------------------===//
//
// Nothing of CUDA is needed to build or to start: the driver's library is opened
// by name when a device is first asked for, and every entry point of Symbols.def
// is looked up once. A machine without a driver gets an error value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/DriverError.h"
#include "runtime/cuda/Types.h"

#include <memory>
#include <string>

namespace gluonc::cuda {

/// Addresses of the driver's functions, by their own names.
struct Table {
#define GL_CUDA(name, parameters) CUresult(*name) parameters = nullptr;
#include "runtime/cuda/Symbols.def"
};

class Driver {
public:
  /// Opens `library` and initializes the driver. Fails where there is no such
  /// library, it lacks an entry point, or it finds no usable device.
  static llvm::Expected<std::shared_ptr<const Driver>>
  open(const std::string &library = "libcuda.so.1");
  Driver(const Driver &) = delete;
  ~Driver();

  const Table &api() const { return table; }
  /// CUDA version that the driver speaks, times ten: 130 for 13.0.
  int version() const { return cudaVersion; }
  /// `call` is what the message starts with, e.g. "cuMemAlloc of 4096 bytes".
  llvm::Error check(CUresult result, llvm::StringRef call) const {
    return result == success ? llvm::Error::success() : fail(result, call);
  }
  llvm::Error fail(CUresult result, llvm::StringRef call) const;

private:
  Driver() = default;
  void *library = nullptr;
  Table table;
  int cudaVersion = 0;
};

} // namespace gluonc::cuda

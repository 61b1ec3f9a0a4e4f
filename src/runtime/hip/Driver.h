//===- Driver.h - The HIP driver, opened at run time ------------------------===//
//
// As with CUDA, nothing of ROCm is needed to build or to start: the library is opened
// by name when a device is first asked for, and every entry point of Symbols.def is
// looked up once. Nothing here has run on an AMD GPU yet: the tests hold the calls to
// what HIP's headers and documentation say.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/DriverError.h"
#include "runtime/hip/Types.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>

namespace gluonc::hip {

/// Addresses of the driver's functions, by their own names.
struct Table {
#define GL_HIP(name, parameters) Result(*name) parameters = nullptr;
#define GL_HIP_TEXT(name, parameters) const char *(*name)parameters = nullptr;
#include "runtime/hip/Symbols.def"
};

class Driver {
public:
  /// Opens the first of `libraries` that is there and initializes the driver. One that the process
  /// has already, as PyTorch's own, comes before all others: two of them would not know each
  /// other's memory. Fails where there is none, it is older than HIP 6, or it finds no usable
  /// device.
  static llvm::Expected<std::shared_ptr<const Driver>>
  open(llvm::ArrayRef<const char *> libraries = usualLibraries);
  Driver(const Driver &) = delete;
  ~Driver();

  const Table &api() const { return table; }
  /// HIP version of the driver times ten: 71 for 7.1.
  int version() const { return hipVersion; }
  /// `call` is what the message starts with, e.g. "hipMalloc of 4096 bytes".
  llvm::Error check(Result result, llvm::StringRef call) const {
    return result == success ? llvm::Error::success() : fail(result, call);
  }
  llvm::Error fail(Result result, llvm::StringRef call) const;

private:
  static constexpr const char *usualLibraries[] = {
      "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"};
  Driver() = default;
  Table table;
  int hipVersion = 0;
};

} // namespace gluonc::hip

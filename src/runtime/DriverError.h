//===- DriverError.h - A driver call that failed -----------------------------===//
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace gluonc::runtime {

/// The call, the driver's name of the error and its description. HIP numbers its errors as CUDA
/// does.
class DriverError : public llvm::ErrorInfo<DriverError> {
public:
  static char ID;
  /// `name` and `description` may be null.
  DriverError(int code, llvm::StringRef call, const char *name, const char *description);
  void log(llvm::raw_ostream &out) const override { out << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  /// What the kernel did (illegal address, assertion, trap, …), not the call.
  bool isByKernel() const { return code >= 700 && code <= 720; }

  const int code;

private:
  std::string text;
};

} // namespace gluonc::runtime

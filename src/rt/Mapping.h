//===- Mapping.h - A file in memory, as it is on disk ----------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <utility>

namespace gluonc::rt {

/// Pages are read when they are looked at. Who makes the file shorter meanwhile ends the process,
/// as with a program or a library.
class Mapping {
public:
  /// Of a regular file that is not empty.
  static llvm::Expected<Mapping> open(const char *path);
  Mapping() = default;
  Mapping(Mapping &&other) noexcept : whole(std::exchange(other.whole, {})) {}
  Mapping &operator=(Mapping &&other) noexcept {
    std::swap(whole, other.whole);
    return *this;
  }
  ~Mapping();

  llvm::StringRef bytes() const { return whole; }

private:
  llvm::StringRef whole;
};

} // namespace gluonc::rt

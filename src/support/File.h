//===- File.h - Reading files that anybody may have made ---------------------===//
//
// Files are read, not mapped: a mapped file that somebody truncates kills the reader.
// Every reader states a limit, so that no device, pipe or sparse file fills the memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <utility>

namespace gluonc {

/// What a text of source or IR may have: a million lines have less, and the tree of such a text
/// has two gigabytes at most.
constexpr uint64_t mostSourceBytes = uint64_t(32) << 20;

/// An open file, which closes itself.
class OpenFile {
public:
  explicit OpenFile(int number = -1) : number(number) {}
  OpenFile(OpenFile &&other) : number(std::exchange(other.number, -1)) {}
  OpenFile &operator=(OpenFile &&other) {
    std::swap(number, other.number);
    return *this;
  }
  ~OpenFile();

  explicit operator bool() const { return number >= 0; }
  int get() const { return number; }

private:
  int number;
};

enum class Accept {
  /// Also pipes and devices; opening a pipe waits for its writer.
  Anything,
  /// Anything else is an error, at once.
  RegularFiles,
};

llvm::Expected<OpenFile> openToRead(const std::string &path, Accept accept);
/// In bytes; 0 for what has no size, such as a pipe.
llvm::Expected<uint64_t> sizeOf(const OpenFile &file);
/// Fills `bytes` as far as the file goes; returns how far.
llvm::Expected<size_t> readInto(const OpenFile &file, char *bytes, size_t size);
/// The rest of the file; an error where that is more than `limit` bytes.
llvm::Expected<std::string> readRest(const OpenFile &file, uint64_t limit);
llvm::Expected<std::string> readFile(const std::string &path, uint64_t limit,
                                     Accept accept = Accept::Anything);

} // namespace gluonc

//===- Records.h - Texts and numbers one after the other -----------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace gluonc {

/// Texts, each behind its length, and numbers of eight bytes, lowest first.
class RecordWriter {
public:
  RecordWriter &add(llvm::StringRef field);
  RecordWriter &add(uint64_t value);
  std::string take() { return std::move(bytes); }

private:
  std::string bytes;
};

class RecordReader {
public:
  explicit RecordReader(llvm::StringRef bytes) : rest(bytes) {}
  /// Empty, and `failed`, past the end.
  llvm::StringRef text();
  uint64_t number();
  bool failed() const { return broken; }
  bool atEnd() const { return rest.empty(); }

private:
  llvm::StringRef rest;
  bool broken = false;
};

} // namespace gluonc

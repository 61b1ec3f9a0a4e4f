//===- Printing.h - What kernels print through the runtime's buffer ---------------===//
//
// A kernel that prints finds the address of a buffer among its hidden arguments. It
// begins with two words, the bytes in use and those that there are; behind them each
// line is the number of its format and its values, packed. Formats are metadata of the
// code object, `amdhsa.printf` (AMDGPUUsage).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gluonc::amdgcn {

struct PrintFormat {
  /// Of each value, in bytes; texts lie in the buffer themselves.
  llvm::SmallVector<unsigned, 4> sizes;
  std::string text;
};
using PrintFormats = std::map<uint32_t, PrintFormat>;

/// Adds "NUMBER:COUNT:SIZE:…:FORMAT". False if that is none.
bool addPrintFormat(llvm::StringRef line, PrintFormats &formats);

class PrintBuffer {
public:
  /// Makes the buffer.
  void open();
  bool isOpen() const { return !words.empty(); }
  llvm::ArrayRef<uint64_t> memory() const { return words; }
  /// Writes what is in the buffer, and empties it. False for what no format describes.
  bool flush(const PrintFormats &formats, llvm::raw_ostream *out);

private:
  std::vector<uint64_t> words;
};

} // namespace gluonc::amdgcn

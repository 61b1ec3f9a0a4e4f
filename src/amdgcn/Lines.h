//===- Lines.h - Which lines machine code comes from ----------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gluonc::amdgcn {

/// From `address` to the next row's: a place in the source. Line 0: nobody says.
struct LineRow {
  uint64_t address = 0;
  std::string file;
  unsigned line = 0, column = 0;
};

/// The line table of a code object, by address; empty where it has none, or one that is broken.
std::vector<LineRow> readLines(llvm::StringRef codeObject);

} // namespace gluonc::amdgcn

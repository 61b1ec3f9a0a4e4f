//===- Lines.h - Which lines machine code comes from ----------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class DWARFContext;
namespace object {
class ObjectFile;
}
} // namespace llvm

namespace gluonc::amdgcn {

/// From `address` to the next row's: a place in the source. Line 0: nobody says.
struct LineRow {
  uint64_t address = 0;
  std::string file;
  unsigned line = 0, column = 0;
};

/// A place, and the function that it is in.
struct LineFrame {
  std::string function, file;
  unsigned line = 0, column = 0;
};

/// Which calls machine code was inlined by: what a code object's DWARF says.
class InlinedFrames {
public:
  explicit InlinedFrames(llvm::StringRef codeObject);
  ~InlinedFrames();

  /// The place of an address, then the calls that it was inlined by, the innermost first. Empty
  /// where nobody says.
  std::vector<LineFrame> at(uint64_t address) const;

private:
  std::unique_ptr<llvm::object::ObjectFile> object;
  std::unique_ptr<llvm::DWARFContext> context;
};

/// The line table of a code object, by address; empty where it has none, or one that is broken.
std::vector<LineRow> readLines(llvm::StringRef codeObject);

} // namespace gluonc::amdgcn

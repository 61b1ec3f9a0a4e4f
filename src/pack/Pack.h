//===- Pack.h - A manifest's kernels, compiled side by side --------------------===//
//
// Each variant is compiled by itself, on any thread; what comes out does not depend on which, nor
// on how many there are. What a variant assumes of its arguments (divisible by 16, a
// compile-time value that the caller chooses) becomes its conditions, so a variant cannot be
// taken for what it is not compiled for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "bundle/Contents.h"
#include "driver/Cache.h"
#include "driver/Compiler.h"
#include "pack/Manifest.h"

#include <functional>
#include <set>

namespace gluonc::pack {

/// A variant, by its place among those of its kernel.
struct Part {
  std::string kernel;
  size_t number = 0;
};

struct Builder {
  driver::Cache cache{""};
  driver::CodeOptions code;
  std::vector<std::string> searchPath;
  unsigned threads = 1;
  /// Without an assembler, PTX for the driver to compile.
  bool allowsPtx = false;
  /// The bundle has this variant alone, as the whole one would have it.
  std::optional<Part> only = {};
  /// After each variant, on any thread but one at a time: how many of how many are done.
  std::function<void(size_t done, size_t all, llvm::StringRef label)> progress = {};
};

struct Packed {
  bundle::Contents contents;
  /// Paths of all sources that were read.
  std::set<std::string> sources;
};

/// Nullopt after a report.
std::optional<Packed> pack(const Manifest &manifest, const Builder &builder,
                           diag::SourceManager &sources, diag::Sink &sink);

/// What `pack` would compile.
struct Plan {
  struct Variant {
    Part part;
    std::string target;
  };
  /// In their order in the bundle.
  std::vector<Variant> variants;
  std::set<std::string> sources;
};

/// Finds what is wrong with a manifest without compiling. Nullopt after a report.
std::optional<Plan> plan(const Manifest &manifest, const Builder &builder,
                         diag::SourceManager &sources, diag::Sink &sink);

} // namespace gluonc::pack

//===- Reference.h - The documentation that the rows of builtins carry --------===//
//
// Functions, methods and layouts describe themselves in their rows
// (Builtin::doc). Here they are put in order: what `gluonc doc` prints, the
// pages of docs/reference, and what Python's tools ask for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/builtins/Ops.h"

#include <string>
#include <vector>

namespace gluonc::sema {

/// What the examples stand in: a file whose last function an example continues.
extern const llvm::StringLiteral examplePrelude;

struct ReferenceEntry {
  /// "gl.load", "tensor.sum", "gl.nvidia.hopper.tma.async_load".
  std::string path;
  const Builtin *row;
  /// The entry that this one repeats: that of an older chip, or the function behind a method.
  const ReferenceEntry *origin = nullptr;

  /// `pointer`, `mask=None`, …, with the kinds of the parameters where asked for; a lone `*` stands
  /// before those that are keywords. Those of a method leave out its object.
  std::vector<std::string> parameters(bool hasTypes) const;
  /// `gl.load(pointer, mask=None, …)`.
  std::string signature(bool hasTypes) const;
  llvm::StringRef summary() const;
  /// The lines of the example, not indented; empty where there is none.
  std::string example() const;
};

struct ReferenceSection {
  std::string title;
  std::vector<ReferenceEntry> entries;
};

/// One page: a module, or a class and its methods.
struct ReferencePage {
  std::string path;
  std::string about;
  std::vector<ReferenceSection> sections;
  /// Names that are known, but not supported yet.
  std::vector<std::string> later;
};

const std::vector<ReferencePage> &referencePages();

/// Everything that `name` may mean: a path, or the end of one ("load", "mbarrier.init").
std::vector<const ReferenceEntry *> findReference(llvm::StringRef name);
/// The first entry that a row has; null where it has none.
const ReferenceEntry *findReference(const Builtin &row);
/// The page of a module or class; null where there is none.
const ReferencePage *findReferencePage(llvm::StringRef name);
/// The name that was likely meant; empty when none is close.
std::string nearestReference(llvm::StringRef name);

/// As a terminal shows it.
std::string referenceText(const ReferenceEntry &entry);
std::string referenceText(const ReferencePage &page);
/// As pages and editors show it, without the heading.
std::string referenceMarkdown(const ReferenceEntry &entry);
/// Files of docs/reference, by name.
std::vector<std::pair<std::string, std::string>> referenceFiles();
/// Stubs of the Python module `gluonc.language`, by path below it: "nvidia/hopper/tma.pyi".
std::vector<std::pair<std::string, std::string>> stubFiles();

} // namespace gluonc::sema

//===- Rename.h - A name everywhere it means one thing, as another one ------------===//
#pragma once

#include "lsp/Analysis.h"
#include "lsp/Positions.h"

namespace gluonc::lsp {

struct Renaming {
  std::string name;
  /// Where what it names is defined, and the mention that was asked for.
  diag::Span target, here;
};

/// What can be renamed at a place; nullopt and why not.
std::optional<Renaming> renamingAt(const View &view, uint32_t offset, std::string &problem);

/// Adds what has to change in a file, requests of kernels in comments included. False and why not,
/// where another thing is called `wanted` there, or that is no name.
bool addRenamed(const View &view, const Renaming &renaming, llvm::StringRef wanted,
                protocol::WorkspaceEdit &edit, std::string &problem);

} // namespace gluonc::lsp

//===- Positions.h - Places in files as the protocol has them -----------------===//
//
// Lines and columns of the protocol begin at 0, and columns count UTF-16 units.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Source.h"

#include "llvm/Support/LSP/Protocol.h"

#include <optional>

namespace gluonc::lsp {

namespace protocol = llvm::lsp;

/// A place beyond a line or the file is its end.
uint32_t offsetOf(const diag::SourceFile &file, protocol::Position position);
protocol::Position positionOf(const diag::SourceFile &file, uint32_t offset);
protocol::Range rangeOf(diag::Span span);
/// Nullopt for what is in no file of the user's, such as the library.
std::optional<protocol::Location> locationOf(diag::Span span);

} // namespace gluonc::lsp

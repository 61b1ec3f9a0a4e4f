//===- Features.h - What editors ask of a file ---------------------------------===//
#pragma once

#include "lsp/Analysis.h"
#include "lsp/Positions.h"

namespace gluonc::lsp {

std::optional<protocol::Hover> hover(const View &view, uint32_t offset);
protocol::CompletionList completion(const View &view, uint32_t offset);
protocol::SignatureHelp signatureHelp(const View &view, uint32_t offset);
std::vector<protocol::Location> definition(const View &view, uint32_t offset);
std::vector<protocol::DocumentSymbol> symbols(const View &view);
/// Replacements that hints of diagnostics in `range` propose.
std::vector<protocol::CodeAction> actions(const Analysis &analysis, const protocol::URIForFile &uri,
                                          protocol::Range range);
/// Where the file mentions `name` and means what is defined at `definition`.
std::vector<protocol::Location> references(const View &view, llvm::StringRef name,
                                           diag::Span definition);

} // namespace gluonc::lsp

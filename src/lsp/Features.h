//===- Features.h - What editors ask of a file ---------------------------------===//
#pragma once

#include "lsp/Analysis.h"
#include "lsp/Positions.h"

namespace gluonc::lsp {

std::optional<protocol::Hover> hover(Analysis &analysis, uint32_t offset);
protocol::CompletionList completion(Analysis &analysis, uint32_t offset);
protocol::SignatureHelp signatureHelp(Analysis &analysis, uint32_t offset);
std::vector<protocol::Location> definition(Analysis &analysis, uint32_t offset);
std::vector<protocol::DocumentSymbol> symbols(const Analysis &analysis);
/// Replacements that hints of diagnostics in `range` propose.
std::vector<protocol::CodeAction> actions(const Analysis &analysis, const protocol::URIForFile &uri,
                                          protocol::Range range);
/// Where the file mentions `name` and means what is defined at `definition`.
std::vector<protocol::Location> references(Analysis &analysis, llvm::StringRef name,
                                           diag::Span definition);

} // namespace gluonc::lsp

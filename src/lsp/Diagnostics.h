//===- Diagnostics.h - Reports as the protocol has them -------------------------===//
#pragma once

#include "lsp/Analysis.h"
#include "lsp/Positions.h"

namespace gluonc::lsp {

/// With what LLVM's structure has no place for.
struct PublishedDiagnostic : protocol::Diagnostic {
  std::string code = "";
};

/// The parameters of `textDocument/publishDiagnostics`.
struct PublishedDiagnostics {
  protocol::URIForFile uri;
  std::optional<int64_t> version = std::nullopt;
  std::vector<PublishedDiagnostic> diagnostics = {};
};
/// Its strings must outlive the JSON.
llvm::json::Value toJSON(const PublishedDiagnostics &published);

/// What was reported of a file. What is wrong in another one is shown where this one reaches it.
std::vector<PublishedDiagnostic> diagnosticsOf(const Analysis &analysis);

} // namespace gluonc::lsp

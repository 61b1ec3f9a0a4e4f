//===- Definitions.h - What names mean ----------------------------------------===//
#pragma once

#include "lsp/Analysis.h"

namespace gluonc::lsp {

/// Where what is mentioned is defined, through imports; nullopt where that is in no file.
std::optional<diag::Span> definitionOf(const View &view, const Mention &mention);

/// The class that an expression's value is an instance of, or the class itself; null for others.
const sema::Class *classOf(const sema::Value &value);

} // namespace gluonc::lsp

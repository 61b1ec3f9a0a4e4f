//===- Parser.h - Source text to syntax tree -------------------------------===//
//
// A hand-written recursive-descent parser for the whole grammar of Python 3.12.
// It reports every error of a file, not only the first: an error abandons its
// statement, and parsing goes on behind it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "syntax/Ast.h"

#include <memory>

namespace gluonc::ast {

/// Parses a file. Never null. Statements with errors are missing from the tree,
/// so do not use it further when `sink` received errors, except for tooling.
/// `file` must outlive the result.
std::unique_ptr<Module> parse(const diag::SourceFile &file, diag::Sink &sink);

/// Parses text that is one expression, as on a command line. Never null; its
/// body is null exactly when errors were reported. `file` must outlive it.
std::unique_ptr<Expression> parseExpression(const diag::SourceFile &file, diag::Sink &sink);

} // namespace gluonc::ast

//===- Render.h - Diagnostics as text and as JSON ---------------------------===//
#pragma once

#include "diag/Diagnostic.h"

namespace gluonc::diag {

/// Clang-style text:
///   file.py:3:9: error: operand layouts differ: … [GL2012 LayoutMismatch]
///     3 |     c = a + b
///       |         ~~^~~
void renderText(const Diagnostic &diagnostic, llvm::raw_ostream &out, bool color = false);

/// One JSON object on one line: kind, number, severity, message, file, line,
/// column, end_line, end_column, labels [{file,line,column,…,text}], hints.
void renderJson(const Diagnostic &diagnostic, llvm::raw_ostream &out);

} // namespace gluonc::diag

//===- Dump.h - The tree as CPython's ast.dump prints it ---------------------===//
#pragma once

#include "syntax/Ast.h"

#include "llvm/Support/raw_ostream.h"

namespace gluonc::ast {

/// ast.dump differs between releases: 3.12 added the field type_params.
enum class PythonVersion { Python311, Python312 };

/// Prints exactly what `ast.dump(tree)` prints for the same source.
void dump(const Node &node, llvm::raw_ostream &out,
          PythonVersion version = PythonVersion::Python312);

/// The value of a literal as Python's repr writes it.
void printRepr(const Constant &constant, llvm::raw_ostream &out);

} // namespace gluonc::ast

//===- Documentation.h - Values in words ---------------------------------------===//
#pragma once

#include "lsp/Values.h"
#include "sema/builtins/Reference.h"

namespace gluonc::lsp {

/// Parameters as the source writes them, for the signature of a function of the source.
std::vector<std::string> parameterTexts(const sema::Function &function);
/// Those of a row, as its documentation writes them.
std::vector<std::string> parameterTexts(const sema::Builtin &row, bool isMethod);
/// `name(parameter, …)`.
std::string signatureText(llvm::StringRef name, llvm::ArrayRef<std::string> parameters);

/// The first string of a function, without indentation; empty where it has none.
std::string docstringOf(const sema::Function &function);

/// A value under the name `name` in Markdown: type, signature and documentation; empty for what
/// nothing is known of.
std::string describe(llvm::StringRef name, const KnownValue &value);

} // namespace gluonc::lsp

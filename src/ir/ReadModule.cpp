#include "ir/ReadModule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace gluonc {
namespace {

constexpr int maxNesting = 256;

/// Text behind the string literal or comment that `text` may start with.
llvm::StringRef skipOpaque(llvm::StringRef text) {
  if (text.starts_with("//"))
    return text.drop_until([](char c) { return c == '\n'; });
  if (!text.starts_with("\""))
    return text;
  size_t at = 1;
  while (at < text.size() && text[at] != '"')
    at += text[at] == '\\' ? 2 : 1;
  return text.drop_front(std::min(at + 1, text.size()));
}

/// Where brackets nest too deep; null where they do not. `->` closes nothing.
const char *tooDeep(llvm::StringRef text) {
  int depth = 0;
  char before = 0;
  while (!text.empty()) {
    llvm::StringRef rest = skipOpaque(text);
    if (rest.size() < text.size()) {
      text = rest;
      before = 0;
      continue;
    }
    char c = text.front();
    if (llvm::StringRef("([{<").contains(c) && ++depth > maxNesting)
      return text.data();
    if (llvm::StringRef(")]}").contains(c) || (c == '>' && before != '-'))
      depth = std::max(depth - 1, 0);
    before = c;
    text = text.drop_front();
  }
  return nullptr;
}

} // namespace

OwningOpRef<ModuleOp> readModule(MLIRContext &context, llvm::StringRef text, llvm::StringRef file) {
  if (const char *where = tooDeep(text)) {
    llvm::StringRef head(text.data(), where - text.data());
    size_t line = head.rfind('\n') + 1;
    emitError(FileLineColLoc::get(&context, file, head.count('\n') + 1, head.size() - line + 1))
        << "brackets nest deeper than " << maxNesting;
    return nullptr;
  }
  return parseSourceString<ModuleOp>(text, ParserConfig(&context), file);
}

} // namespace gluonc

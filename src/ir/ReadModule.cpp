#include "ir/ReadModule.h"

#include "ir/Dialects.h"
#include "support/File.h"

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

/// Whoever asks for one of these and finds no number takes what is usual: text that has something
/// else there must not get so far.
LogicalResult checkAttributes(ModuleOp module) {
  struct Count {
    llvm::StringRef name;
    int64_t least, most;
  };
  for (auto [name, least, most] :
       {Count{ttg::numWarpsAttr, 1, 64}, Count{ttg::numCtasAttr, 1, 16},
        Count{ttg::threadsPerWarpAttr, 1, 64}, Count{ttg::maxRegistersAttr, 1, 255}}) {
    Attribute attribute = module->getAttr(name);
    auto number = llvm::dyn_cast_or_null<IntegerAttr>(attribute);
    if (attribute && !(number && number.getType().isInteger(32) && number.getInt() >= least &&
                       number.getInt() <= most))
      return module.emitError() << "`" << name << "` is an i32 from " << least << " to " << most;
  }
  return success();
}

} // namespace

OwningOpRef<ModuleOp> readModule(MLIRContext &context, llvm::StringRef text, llvm::StringRef file) {
  if (text.size() > mostSourceBytes) {
    emitError(FileLineColLoc::get(&context, file, 1, 1))
        << "the text is larger than " << (mostSourceBytes >> 20) << " MiB";
    return nullptr;
  }
  if (const char *where = tooDeep(text)) {
    llvm::StringRef head(text.data(), where - text.data());
    size_t line = head.rfind('\n') + 1;
    emitError(FileLineColLoc::get(&context, file, head.count('\n') + 1, head.size() - line + 1))
        << "brackets nest deeper than " << maxNesting;
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(&context), file);
  if (module && failed(checkAttributes(*module)))
    return nullptr;
  return module;
}

} // namespace gluonc

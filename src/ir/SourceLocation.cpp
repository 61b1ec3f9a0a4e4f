//===- SourceLocation.cpp ---------------------------------------------------===//
#include "ir/SourceLocation.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace gluonc {

using namespace mlir;

Location locationOf(MLIRContext *context, diag::Span span) {
  if (!span)
    return UnknownLoc::get(context);
  diag::LineColumn at = span.file->position(span.begin);
  return FileLineColLoc::get(context, span.file->path(), at.line, at.column);
}

/// The file location under names, fusions and call sites; null if there is none.
static FileLineColLoc innermost(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return file;
  if (auto name = dyn_cast<NameLoc>(location))
    return innermost(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return innermost(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc file = innermost(part))
        return file;
  return {};
}

diag::Span spanOf(Location location, const diag::SourceManager &sources) {
  FileLineColLoc file = innermost(location);
  if (!file)
    return {};
  return sources.spanAt(file.getFilename().strref(), file.getLine(), file.getColumn());
}

Location withName(Location location, llvm::StringRef name) {
  return NameLoc::get(StringAttr::get(location.getContext(), name), location);
}

llvm::StringRef nameOf(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName().strref();
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return nameOf(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (llvm::StringRef name = nameOf(part); !name.empty())
        return name;
  return {};
}

std::vector<diag::Span> callChainOf(Location location, const diag::SourceManager &sources) {
  std::vector<diag::Span> chain;
  // The callee of a call site may itself be one: a chain is as deep as inlining was.
  if (auto name = dyn_cast<NameLoc>(location))
    return callChainOf(name.getChildLoc(), sources);
  auto call = dyn_cast<CallSiteLoc>(location);
  if (!call)
    return chain;
  chain = callChainOf(call.getCallee(), sources);
  chain.push_back(spanOf(call.getCaller(), sources));
  for (diag::Span outer : callChainOf(call.getCaller(), sources))
    chain.push_back(outer);
  return chain;
}

} // namespace gluonc

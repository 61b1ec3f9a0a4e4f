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

Location withVariable(Location location, llvm::StringRef name, Location binding) {
  return FusedLoc::get(location.getContext(), {location, withName(binding, name)});
}

std::vector<std::pair<llvm::StringRef, Location>> variablesOf(Location location) {
  std::vector<std::pair<llvm::StringRef, Location>> found;
  if (auto name = dyn_cast<NameLoc>(location)) {
    found = variablesOf(name.getChildLoc());
    found.emplace_back(name.getName().strref(), name.getChildLoc());
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    for (auto [name, binding] : variablesOf(call.getCallee()))
      found.emplace_back(name, CallSiteLoc::get(binding, call.getCaller()));
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      llvm::append_range(found, variablesOf(part));
  }
  return found;
}

Attribute addIndex(MLIRContext *context, Attribute outer, llvm::StringRef name, int64_t index) {
  llvm::SmallVector<Attribute> all;
  if (auto array = dyn_cast_or_null<ArrayAttr>(outer))
    all.assign(array.begin(), array.end());
  Builder builder(context);
  all.push_back(builder.getStringAttr(name));
  all.push_back(builder.getI64IntegerAttr(index));
  return builder.getArrayAttr(all);
}

Location withIndices(Location location, Attribute indices) {
  return indices ? FusedLoc::get({location}, indices, location.getContext()) : location;
}

static void collectIndices(Location location, std::vector<std::pair<std::string, int64_t>> &all) {
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectIndices(call.getCaller(), all);
    return collectIndices(call.getCallee(), all);
  }
  if (auto name = dyn_cast<NameLoc>(location))
    return collectIndices(name.getChildLoc(), all);
  auto fused = dyn_cast<FusedLoc>(location);
  if (fused && !fused.getLocations().empty())
    collectIndices(fused.getLocations().front(), all);
  auto indices = fused ? dyn_cast_or_null<ArrayAttr>(fused.getMetadata()) : ArrayAttr();
  for (size_t i = 0; indices && i + 1 < indices.size(); i += 2) {
    auto name = dyn_cast<StringAttr>(indices[i]);
    auto index = dyn_cast<IntegerAttr>(indices[i + 1]);
    if (name && index)
      all.emplace_back(name.str(), index.getInt());
  }
}

std::vector<std::pair<std::string, int64_t>> indicesOf(Location location) {
  std::vector<std::pair<std::string, int64_t>> all;
  collectIndices(location, all);
  return all;
}

Location withCallee(Location location, llvm::StringRef name) {
  MLIRContext *context = location.getContext();
  return FusedLoc::get({location}, StringAttr::get(context, name), context);
}

llvm::StringRef calleeOf(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  auto name = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
  return name ? name.strref() : "";
}

std::vector<diag::Span> callChainOf(Location location, const diag::SourceManager &sources) {
  std::vector<diag::Span> chain;
  // What was fused is of one place, or of places of which the first counts.
  if (auto fused = dyn_cast<FusedLoc>(location); fused && !fused.getLocations().empty())
    return callChainOf(fused.getLocations().front(), sources);
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

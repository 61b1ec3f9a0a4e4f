// Tensors of a stopped kernel as variables with children: rows, then elements, page by page.
#include "DebugAdapter.h"

#include "debug/TensorText.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::tool {

using namespace debug;
namespace json = llvm::json;

static std::string indexText(llvm::ArrayRef<int64_t> row, int64_t last) {
  std::string text = "[";
  for (int64_t index : row)
    text += std::to_string(index) + ", ";
  return text + std::to_string(last) + "]";
}

void DebugAdapter::addElements(Object &variable, const Frame &frame, Elements elements) {
  if (elements.row.size() == elements.shape.size() || llvm::is_contained(elements.shape, 0))
    return;
  variable["indexedVariables"] = elements.shape[elements.row.size()];
  shownScopes.push_back({Scope::Tensor, frame, std::move(elements)});
  variable["variablesReference"] = int64_t(shownScopes.size());
}

std::string DebugAdapter::nameOfChild(const Elements &elements, llvm::StringRef child) {
  int64_t index = 0;
  if (!child.consume_front("[") || child.consumeInteger(10, index) || child != "]" ||
      elements.row.size() == elements.shape.size())
    return "";
  return elements.text + indexText(elements.row, index);
}

DebugAdapter::Answer DebugAdapter::childrenOf(const Scope &scope, const Object &arguments) {
  const Elements elements = scope.elements;
  const Frame frame = scope.frame;
  json::Array children;
  if (arguments.getString("filter").value_or("indexed") != "indexed")
    return Object{{"variables", std::move(children)}};
  llvm::Expected<host::HostValue> value =
      debugger().evaluate(elements.text, frame.thread, frame.frame);
  if (!value)
    return value.takeError();
  const auto *array = std::get_if<host::Array>(&*value);
  if (!array || array->tensor.shape() != llvm::ArrayRef<int64_t>(elements.shape))
    return llvm::createStringError("`" + elements.text + "` has no elements any more");
  host::Tensor row = array->tensor;
  for (int64_t index : elements.row)
    row = row.select(0, index);
  // A client that asks for no page gets what one can look at.
  constexpr int64_t most = 1000;
  const int64_t length = row.shape().front();
  const int64_t start = std::clamp<int64_t>(arguments.getInteger("start").value_or(0), 0, length);
  int64_t count = arguments.getInteger("count").value_or(0);
  count = std::min(count > 0 ? count : most, length - start);
  for (int64_t index = start; index != start + count; ++index) {
    const host::Tensor child = row.select(0, index);
    const bool isElement = child.rank() == 0;
    std::string text = isElement ? elementText(child, child.data()) : tensorText(child);
    for (char &c : text)
      c = c == '\n' ? ' ' : c;
    constexpr size_t longest = 60;
    if (text.size() > longest)
      text = text.substr(0, longest - 3) + "...";
    Object made{{"name", "[" + std::to_string(index) + "]"},
                {"value", json::fixUTF8(text)},
                {"type", child.dtype().shortName() +
                             (isElement ? "" : " " + host::shapeText(child.shape()))},
                {"evaluateName", elements.text + indexText(elements.row, index)},
                {"variablesReference", 0}};
    Elements inner = elements;
    inner.row.push_back(index);
    addElements(made, frame, std::move(inner));
    children.push_back(std::move(made));
  }
  return Object{{"variables", std::move(children)}};
}

} // namespace gluonc::tool

#include "lift/File.h"

#include "ir/Encoding.h"
#include "layout/named/Layouts.h"

using namespace mlir;

namespace gluonc::lift {

std::string File::layout(Attribute encoding) {
  layout::Layout layout = toLayout(encoding);
  auto parentText = [&](const layout::Layout &parent) {
    return this->layout(fromLayout(encoding.getContext(), parent));
  };
  if (const auto *slice = layout.as<layout::SliceLayout>())
    return "gl.SliceLayout(" + std::to_string(slice->dim) + ", " + parentText(slice->parent) + ")";
  llvm::StringRef alias = encodingAlias(encoding);
  std::string text = layout.toString();
  std::string module = "gl.";
  if (llvm::StringRef(text).starts_with("AMD"))
    module = "gl.amd.";
  else if (llvm::StringRef(text).starts_with("TensorMemory"))
    module = vendorModule("nvidia", "blackwell") + ".";
  if (const auto *operand = layout.as<layout::DotOperandLayout>()) {
    alias = operand->operandIndex ? "right_operand" : "left_operand";
    text = "DotOperandLayout(" + std::to_string(operand->operandIndex) + ", " +
           parentText(operand->parent) + ", " + std::to_string(operand->kWidth) + ")";
  }
  auto [at, isNew] = layoutKeys.try_emplace(text);
  if (isNew) {
    at->second = fresh(alias);
    layoutLines.push_back(at->second + ": gl.constexpr = " + module + text + "\n");
  }
  return at->second;
}

std::string File::vendorModule(llvm::StringRef vendor, llvm::StringRef name) {
  imports.try_emplace(
      name.str(),
      ("from triton.experimental.gluon.language." + vendor + " import " + name + "\n").str());
  return name.str();
}

std::string
File::function(const void *key, llvm::StringRef wanted,
               const std::function<std::optional<std::string>(llvm::StringRef)> &print) {
  auto known = functionNames.find(key);
  if (known != functionNames.end())
    return known->second;
  std::optional<std::string> anonymous = print("");
  if (!anonymous)
    return "";
  auto [at, isNew] = functionBodies.try_emplace(*anonymous);
  if (isNew) {
    at->second = fresh(wanted);
    functions.push_back(*print(at->second));
  }
  return functionNames[key] = at->second;
}

std::string File::text() const {
  std::string text;
  for (const std::string &line : request.head)
    text += line.empty() ? "#\n" : "# " + line + "\n";
  text += "\nfrom triton.experimental import gluon\n"
          "from triton.experimental.gluon import language as gl\n";
  for (const auto &[name, line] : imports)
    text += line;
  if (!layoutLines.empty())
    text += "\n";
  for (const std::string &line : layoutLines)
    text += line;
  for (const std::string &function : functions)
    text += "\n\n" + function;
  return text;
}

} // namespace gluonc::lift

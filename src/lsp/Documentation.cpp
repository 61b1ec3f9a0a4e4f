#include "lsp/Documentation.h"

#include "sema/names/Program.h"
#include "syntax/Ast.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::lsp {

using sema::Value;
using sema::ValueKind;

static std::string asCode(const llvm::Twine &code) {
  return ("```python\n" + code + "\n```\n").str();
}

std::vector<std::string> parameterTexts(const sema::Function &function) {
  std::vector<std::string> texts;
  bool sawStar = false;
  for (const sema::Parameter &parameter : function.parameters) {
    const bool isVariadic = parameter.kind == sema::ParameterKind::Variadic;
    if (parameter.kind == sema::ParameterKind::KeywordOnly && !sawStar)
      texts.push_back("*");
    sawStar |= isVariadic || parameter.kind == sema::ParameterKind::KeywordOnly;
    std::string text = isVariadic ? "*" : "";
    if (parameter.kind == sema::ParameterKind::KeywordVariadic)
      text = "**";
    text += parameter.name;
    if (parameter.annotation)
      text += ": " + std::string(parameter.annotation->span.text());
    if (parameter.defaultValue)
      text +=
          (parameter.annotation ? " = " : "=") + std::string(parameter.defaultValue->span.text());
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> parameterTexts(const sema::Builtin &row, bool isMethod) {
  return sema::ReferenceEntry{isMethod ? "" : "gl.", &row}.parameters(/*hasTypes=*/false);
}

std::string signatureText(llvm::StringRef name, llvm::ArrayRef<std::string> parameters) {
  return (name + "(" + llvm::join(parameters, ", ") + ")").str();
}

std::string docstringOf(const sema::Function &function) {
  const auto *first = function.def && !function.def->body.empty()
                          ? llvm::dyn_cast<ast::ExprStmt>(function.def->body.front())
                          : nullptr;
  const auto *text = first ? llvm::dyn_cast<ast::Constant>(first->value) : nullptr;
  if (!text || !text->isStr())
    return "";
  std::string lines;
  for (llvm::StringRef line : llvm::split(text->text, '\n'))
    lines += (line.trim() + "\n").str();
  return llvm::StringRef(lines).trim().str();
}

static std::string describeFunction(const sema::Function &function) {
  std::string name = function.name.empty() ? "lambda" : function.name;
  return asCode("def " + signatureText(name, parameterTexts(function))) + "\n" +
         docstringOf(function) + "\n";
}

static std::string describeClass(const sema::Class &cls) {
  std::string text = "class " + cls.name;
  for (const sema::Class::Field &field : cls.fields) {
    text += "\n    " + field.name.str();
    if (field.annotation)
      text += ": " + std::string(field.annotation->span.text());
  }
  return asCode(text);
}

static std::string describeModule(const sema::Module &module) {
  const sema::ReferencePage *page = nullptr;
  if (module.isBuiltin())
    page = sema::findReferencePage(module.name().rsplit("language.").second);
  return asCode("module " + module.name()) + (page ? "\n" + page->about + "\n" : "");
}

std::string describe(llvm::StringRef name, const KnownValue &known) {
  constexpr size_t longest = 400;
  const Value &value = known.value;
  switch (value.kind()) {
  case ValueKind::Function:
    return describeFunction(value.asFunction());
  case ValueKind::Builtin:
    if (const sema::ReferenceEntry *entry = sema::findReference(value.asBuiltin()))
      return sema::referenceMarkdown(*entry);
    return asCode(signatureText(name, parameterTexts(value.asBuiltin(), /*isMethod=*/false)));
  case ValueKind::Module:
    return describeModule(value.asModule());
  case ValueKind::Class:
    if (known.kind == ValueKind::Class)
      return describeClass(value.asClass());
    break;
  case ValueKind::Absent:
    if (known.parts.empty())
      return "";
    break;
  case ValueKind::Opaque:
    return "";
  default:
    break;
  }
  std::string text = known.text();
  if (text.size() > longest)
    text = text.substr(0, longest) + "…";
  const bool isType = known.isIr() || !known.parts.empty();
  return asCode(name + (isType ? ": " : " = ") + text);
}

} // namespace gluonc::lsp

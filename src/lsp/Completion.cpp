#include "lsp/Cursor.h"
#include "lsp/Documentation.h"
#include "lsp/Features.h"
#include "lsp/Typed.h"

#include "llvm/ADT/StringSet.h"

namespace gluonc::lsp {

using protocol::CompletionItem;
using protocol::CompletionItemKind;
using sema::Value;
using sema::ValueKind;

static CompletionItemKind itemKind(const KnownValue &known) {
  if (known.kind == ValueKind::BoundMethod)
    return CompletionItemKind::Method;
  switch (known.value.kind()) {
  case ValueKind::Function:
  case ValueKind::Builtin:
    return CompletionItemKind::Function;
  case ValueKind::Class:
    return CompletionItemKind::Class;
  case ValueKind::Module:
    return CompletionItemKind::Module;
  case ValueKind::Absent:
    return CompletionItemKind::Field;
  default:
    return known.isIr() ? CompletionItemKind::Variable : CompletionItemKind::Constant;
  }
}

static CompletionItem makeItem(llvm::StringRef name, const KnownValue &known) {
  CompletionItem item(name, itemKind(known));
  const bool isMethod = known.kind == ValueKind::BoundMethod;
  if (known.value.is(ValueKind::Builtin)) {
    const sema::Builtin &row = known.value.asBuiltin();
    item.detail = signatureText(name, parameterTexts(row, isMethod));
    if (const sema::ReferenceEntry *entry = sema::findReference(row))
      item.documentation = {protocol::MarkupKind::PlainText, entry->summary().str()};
  } else if (known.value.is(ValueKind::Function)) {
    item.detail = signatureText(name, parameterTexts(known.value.asFunction()));
    if (std::string doc = docstringOf(known.value.asFunction()); !doc.empty())
      item.documentation = {protocol::MarkupKind::PlainText, std::move(doc)};
  } else if (known.isIr() || !known.parts.empty()) {
    item.detail = known.text();
  }
  return item;
}

static void addKeywords(const View &view, const OpenCall &call, uint32_t offset,
                        std::vector<CompletionItem> &items) {
  if (call.callee.empty() || !call.keyword.empty())
    return;
  std::optional<KnownValue> callee = knownChain(view, call.callee, offset);
  auto add = [&](llvm::StringRef name) {
    if (llvm::is_contained(call.keywords, name))
      return;
    CompletionItem &item = items.emplace_back(name + "=", CompletionItemKind::Property);
    // Ahead of names.
    item.sortText = (" " + name).str();
    item.filterText = name.str();
  };
  if (callee && callee->value.is(ValueKind::Builtin)) {
    const sema::Signature &signature = callee->value.asBuiltin().signature;
    for (unsigned i = 0; i < signature.count(); ++i)
      if (!signature[i].isVariadic && (i || callee->kind != ValueKind::BoundMethod))
        add(signature[i].name);
  } else if (callee && callee->value.is(ValueKind::Function)) {
    for (const sema::Parameter &parameter : callee->value.asFunction().parameters)
      if (parameter.kind == sema::ParameterKind::Positional ||
          parameter.kind == sema::ParameterKind::KeywordOnly)
        add(parameter.name);
  }
}

/// Variables of the functions around, then names of the file.
static void addNames(const View &view, uint32_t offset, std::vector<CompletionItem> &items) {
  const unsigned inner = view.mentions.scopeAt(offset);
  llvm::StringSet<> seen;
  for (unsigned at = inner; at; at = view.mentions.scope(at).outer) {
    const NameScope &scope = view.mentions.scope(at);
    if (scope.isClass() && at != inner)
      continue;
    for (const auto &entry : scope.bindings) {
      llvm::StringRef name = entry.getKey();
      if (!seen.insert(name).second)
        continue;
      const KnownValue *known = view.variable(name, at, offset);
      CompletionItem item = makeItem(name, known ? *known : KnownValue{});
      item.kind = CompletionItemKind::Variable;
      items.push_back(std::move(item));
    }
  }
  for (const Member &member : membersOf(view, {ValueKind::Module, Value::module(&view.module)}))
    if (seen.insert(member.name).second)
      items.push_back(makeItem(member.name, member.value));
}

protocol::CompletionList completion(const View &view, uint32_t offset) {
  protocol::CompletionList list;
  const Cursor cursor = cursorAt(view.file(), offset);
  if (cursor.isInText || cursor.isMemberOfOther)
    return list;
  if (cursor.object.empty()) {
    if (cursor.call)
      addKeywords(view, *cursor.call, offset, list.items);
    addNames(view, offset, list.items);
  } else if (std::optional<KnownValue> object = knownChain(view, cursor.object, offset)) {
    for (const Member &member : membersOf(view, *object))
      list.items.push_back(makeItem(member.name, member.value));
  }
  llvm::stable_sort(list.items, [](const CompletionItem &a, const CompletionItem &b) {
    return a.label < b.label;
  });
  return list;
}

protocol::SignatureHelp signatureHelp(const View &view, uint32_t offset) {
  protocol::SignatureHelp help;
  const Cursor cursor = cursorAt(view.file(), offset);
  if (!cursor.call || cursor.call->callee.empty())
    return help;
  const OpenCall &call = *cursor.call;
  std::optional<KnownValue> callee = knownChain(view, call.callee, offset);
  if (!callee)
    return help;
  std::vector<std::string> parameters;
  std::string documentation;
  if (callee->value.is(ValueKind::Builtin)) {
    const sema::Builtin &row = callee->value.asBuiltin();
    parameters = parameterTexts(row, callee->kind == ValueKind::BoundMethod);
    if (const sema::ReferenceEntry *entry = sema::findReference(row))
      documentation = entry->summary().str();
  } else if (callee->value.is(ValueKind::Function)) {
    parameters = parameterTexts(callee->value.asFunction());
    if (callee->kind == ValueKind::BoundMethod && !parameters.empty())
      parameters.erase(parameters.begin());
    documentation = docstringOf(callee->value.asFunction());
  } else {
    return help;
  }
  protocol::SignatureInformation &signature = help.signatures.emplace_back();
  signature.label = signatureText(call.callee, parameters);
  signature.documentation = std::move(documentation);
  help.activeParameter = static_cast<int>(call.argument);
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    signature.parameters.push_back({parameter, std::nullopt, ""});
    llvm::StringRef name =
        llvm::StringRef(parameter).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!call.keyword.empty() && name == call.keyword)
      help.activeParameter = static_cast<int>(i);
  }
  return help;
}

} // namespace gluonc::lsp

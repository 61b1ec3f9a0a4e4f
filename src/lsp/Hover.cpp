#include "lsp/Costs.h"
#include "lsp/Documentation.h"
#include "lsp/Features.h"
#include "lsp/Layouts.h"

namespace gluonc::lsp {

using sema::Value;
using sema::ValueKind;

static KnownValue asKnown(const Value &value) { return {value.kind(), value}; }

/// What is known of a mentioned name: from compiling kernels, else at the top level.
static std::optional<KnownValue> knownOf(const View &view, const Mention &mention) {
  const ast::Node *node = mention.node;
  if (mention.kind != Mention::Kind::Keyword)
    if (const KnownValue *known = view.values.find(node->span))
      return *known;
  std::optional<Value> value;
  const NameScope &scope = view.mentions.scope(mention.scope);
  if (const auto *expr = llvm::dyn_cast<ast::Expr>(node);
      expr && mention.kind != Mention::Kind::Keyword)
    value = view.valueOf(*expr, mention.scope);
  else if (const auto *alias = llvm::dyn_cast<ast::Alias>(node))
    value = view.evaluate(alias->asname.data() ? alias->asname : alias->name);
  else if (mention.kind == Mention::Kind::Definition && mention.scope == 0)
    value = view.evaluate(mention.name);
  else if (const auto *cls = llvm::dyn_cast<ast::ClassDef>(scope.node);
           cls && mention.kind == Mention::Kind::Definition && scope.outer == 0)
    value = view.evaluate((cls->name + "." + mention.name).str());
  return value ? std::optional(asKnown(*value)) : std::nullopt;
}

/// Whether types would be known if a comment above the kernel stated arguments.
static bool lacksTypes(const View &view, const Mention &mention) {
  return mention.kind != Mention::Kind::Keyword && mention.kind != Mention::Kind::Attribute &&
         view.mentions.resolve(mention.name, mention.scope) != 0;
}

static std::string describeMention(const View &view, const Mention &mention) {
  if (mention.kind == Mention::Kind::Keyword)
    return "";
  std::optional<KnownValue> known = knownOf(view, mention);
  if (!known)
    return lacksTypes(view, mention)
               ? "Types are known of what runs for the arguments in a comment above a kernel:\n"
                 "```python\n# gluonc: x=*fp32:16 n=i32 BLOCK=256\n```\n"
               : "";
  std::string text = describe(mention.name, *known);
  if (known->isIr())
    text += describeLayout(known->value.irType());
  if (known->value.is(ValueKind::Function))
    text += describeKernel(view, known->value.asFunction());
  return text;
}

/// The expression around `offset` that is no name by itself: an operator, a call.
static const ast::Expr *expressionAt(const View &view, uint32_t offset) {
  std::vector<const ast::Node *> path = nodesAt(view.tree(), offset);
  for (const ast::Node *node : llvm::reverse(path))
    if (const auto *expr = llvm::dyn_cast<ast::Expr>(node); expr && view.values.find(expr->span))
      return expr;
  return nullptr;
}

/// The call whose function stands at `offset`, or null.
static const ast::Call *callAt(const View &view, uint32_t offset) {
  std::vector<const ast::Node *> path = nodesAt(view.tree(), offset);
  for (const ast::Node *node : llvm::reverse(path))
    if (const auto *call = llvm::dyn_cast<ast::Call>(node); call && offset <= call->func->span.end)
      return call;
  return nullptr;
}

/// What a call gave, and what it costs.
static std::string describeCall(const View &view, const ast::Call &call) {
  const KnownValue *known = view.values.find(call.span);
  std::string text;
  if (known && known->kind != ValueKind::None)
    text = "\nGives here: `" + known->text() + "`\n";
  return text + describeCosts(view, call.span);
}

std::optional<protocol::Hover> hover(const View &view, uint32_t offset) {
  diag::Span at;
  std::string text;
  if (const Mention *mention = view.mentions.at(offset)) {
    at = mention->span;
    text = describeMention(view, *mention);
  } else if (const ast::Expr *expr = expressionAt(view, offset)) {
    at = expr->span;
    const KnownValue &known = *view.values.find(at);
    text = describe(at.text(), known);
    if (known.isIr())
      text += describeLayout(known.value.irType());
  }
  if (const ast::Call *call = callAt(view, offset))
    text += describeCall(view, *call);
  else if (at)
    text += describeCosts(view, at);
  if (!at || text.empty())
    return std::nullopt;
  protocol::Hover result(rangeOf(at));
  result.contents.value = std::move(text);
  return result;
}

} // namespace gluonc::lsp

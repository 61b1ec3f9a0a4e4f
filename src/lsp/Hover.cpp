#include "lsp/Costs.h"
#include "lsp/Documentation.h"
#include "lsp/Features.h"
#include "lsp/Layouts.h"

namespace gluonc::lsp {

using sema::Value;
using sema::ValueKind;

/// A function or class where it is defined, at the top level or in a class there.
static std::optional<Value> definedValue(const View &view, const Mention &mention) {
  const NameScope &scope = view.mentions.scope(mention.scope);
  if (mention.scope == 0)
    return view.evaluate(mention.name);
  if (const auto *cls = llvm::dyn_cast<ast::ClassDef>(scope.node); cls && scope.outer == 0)
    return view.evaluate((cls->name + "." + mention.name).str());
  return std::nullopt;
}

/// What is known of a mentioned name: from compiling kernels, else at the top level.
static std::optional<KnownValue> knownOf(const View &view, const Mention &mention) {
  std::optional<Value> value;
  switch (mention.kind) {
  case Mention::Kind::Name:
  case Mention::Kind::Attribute:
  case Mention::Kind::Parameter:
    if (const KnownValue *known = view.values.find(mention.node->span))
      return *known;
    if (const auto *expr = llvm::dyn_cast<ast::Expr>(mention.node))
      value = view.valueOf(*expr, mention.scope);
    break;
  case Mention::Kind::Definition:
    value = definedValue(view, mention);
    break;
  case Mention::Kind::Import: {
    const auto &alias = *llvm::cast<ast::Alias>(mention.node);
    value = view.evaluate(alias.asname.data() ? alias.asname : alias.name);
    break;
  }
  case Mention::Kind::Keyword:
    break;
  }
  return value ? std::optional(KnownValue{value->kind(), *value}) : std::nullopt;
}

/// Whether it is a variable of a kernel, whose type a comment above would tell.
static bool lacksType(const View &view, const Mention &mention) {
  const bool isVariable =
      mention.kind == Mention::Kind::Name || mention.kind == Mention::Kind::Parameter;
  const unsigned scope = view.mentions.resolve(mention.name, mention.scope);
  const auto *def = llvm::dyn_cast<ast::FunctionDef>(view.mentions.scope(scope).node);
  if (!isVariable || !def)
    return false;
  std::optional<Value> function = view.evaluate(def->name);
  return function && function->is(ValueKind::Function) &&
         function->asFunction().kind == sema::FunctionKind::Jit;
}

static std::string describeMention(const View &view, const Mention &mention) {
  std::optional<KnownValue> known = knownOf(view, mention);
  if (!known)
    return lacksType(view, mention)
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

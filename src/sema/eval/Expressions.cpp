// Expressions other than operators, names and calls.

#include "sema/eval/Expressions.h"

#include "sema/eval/Calls.h"
#include "sema/host/HostStatements.h"
#include "sema/kernel/KernelStatements.h"
#include "sema/kernel/Unsupported.h"
#include "sema/names/Language.h"
#include "sema/value/Arithmetic.h"
#include "sema/value/Format.h"
#include "sema/value/Text.h"
#include "support/Error.h"

#include "llvm/ADT/ScopeExit.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

MaybeValue Interpreter::eval(const ast::Expr *expr) {
  DepthScope nested(*this);
  if (!step(expr->span))
    return std::nullopt;
  MaybeValue value = Expressions(*this).evalNode(expr);
  if (value)
    observe(expr->span, *value);
  return value;
}

MaybeValue Expressions::evalNode(const ast::Expr *expr) {
  using ast::NodeKind;
  if (!checkSupported(*expr))
    return std::nullopt;
  switch (expr->kind) {
  case NodeKind::Constant:
    return evalConstant(*llvm::cast<ast::Constant>(expr));
  case NodeKind::Name:
    return lookup(llvm::cast<ast::Name>(expr)->id, expr->span);
  case NodeKind::Attribute: {
    const auto *node = llvm::cast<ast::Attribute>(expr);
    MaybeValue object = eval(node->value);
    return object ? attribute(*object, node->attr, node->attrSpan) : std::nullopt;
  }
  case NodeKind::Call:
    return Calls(interpreter).evalCall(*llvm::cast<ast::Call>(expr));
  case NodeKind::BinOp:
    return evalBinOp(*llvm::cast<ast::BinOp>(expr));
  case NodeKind::UnaryOp:
    return evalUnaryOp(*llvm::cast<ast::UnaryOp>(expr));
  case NodeKind::BoolOp:
    return evalBoolOp(*llvm::cast<ast::BoolOp>(expr));
  case NodeKind::Compare:
    return evalCompare(*llvm::cast<ast::Compare>(expr));
  case NodeKind::IfExp:
    return evalIfExp(*llvm::cast<ast::IfExp>(expr));
  case NodeKind::Tuple:
    return evalSequence(llvm::cast<ast::Tuple>(expr)->elts, /*isList=*/false);
  case NodeKind::List:
    return evalSequence(llvm::cast<ast::List>(expr)->elts, /*isList=*/true);
  case NodeKind::Dict:
    return evalDict(*llvm::cast<ast::Dict>(expr));
  case NodeKind::Subscript:
    return evalSubscript(*llvm::cast<ast::Subscript>(expr));
  case NodeKind::Slice:
    return evalSlice(*llvm::cast<ast::Slice>(expr));
  case NodeKind::JoinedStr:
    return evalJoinedStr(*llvm::cast<ast::JoinedStr>(expr));
  case NodeKind::FormattedValue:
    return evalFormatted(*llvm::cast<ast::FormattedValue>(expr));
  case NodeKind::Lambda:
    return HostStatements(interpreter).lambda(*llvm::cast<ast::Lambda>(expr));
  case NodeKind::NamedExpr:
    return evalNamedExpr(*llvm::cast<ast::NamedExpr>(expr));
  case NodeKind::ListComp: {
    const auto *node = llvm::cast<ast::ListComp>(expr);
    return evalComprehension(node->elt, node->generators);
  }
  case NodeKind::GeneratorExp: {
    // Compile-time code consumes a generator at once, so a list serves as well.
    const auto *node = llvm::cast<ast::GeneratorExp>(expr);
    return evalComprehension(node->elt, node->generators);
  }
  case NodeKind::Set: {
    MaybeValue items = evalSequence(llvm::cast<ast::Set>(expr)->elts, /*isList=*/false);
    return items ? MaybeValue(Value::set(items->items())) : std::nullopt;
  }
  case NodeKind::SetComp: {
    const auto *node = llvm::cast<ast::SetComp>(expr);
    MaybeValue items = evalComprehension(node->elt, node->generators);
    return items ? MaybeValue(Value::set(items->items())) : std::nullopt;
  }
  case NodeKind::DictComp:
    return evalDictComp(*llvm::cast<ast::DictComp>(expr));
  default:
    report(inKernel() ? Kind::UnsupportedConstruct : Kind::UnsupportedHostConstruct, expr->span,
           "this expression")
        .end();
    return std::nullopt;
  }
}

bool Interpreter::checkSupported(const ast::Node &node) {
  llvm::StringRef what = inKernel() ? unsupportedInKernel(node) : unsupportedInHostCode(node);
  if (what.empty())
    return true;
  diag::Builder builder = report(
      inKernel() ? Kind::UnsupportedConstruct : Kind::UnsupportedHostConstruct, node.span, what);
  if (inKernel() && (what == "`in`" || what == "a dict" || what == "a lambda"))
    (void)std::move(builder).hint("move it into a `gluon.constexpr_function`");
  return false;
}

MaybeValue Expressions::evalConstant(const ast::Constant &node) {
  switch (node.value) {
  case ast::ConstantKind::None:
    return Value::none();
  case ast::ConstantKind::True:
    return Value::boolean(true);
  case ast::ConstantKind::False:
    return Value::boolean(false);
  case ast::ConstantKind::Int:
    if (std::optional<int64_t> small = node.smallInteger())
      return Value::integer(*small);
    return Value::integer(node.integer());
  case ast::ConstantKind::Float:
    return Value::real(node.number);
  case ast::ConstantKind::Str:
    return Value::string(node.text.str());
  case ast::ConstantKind::Ellipsis:
  case ast::ConstantKind::Complex:
  case ast::ConstantKind::Bytes:
    break;
  }
  GL_UNREACHABLE("unsupported literals were rejected before");
}

MaybeValue Expressions::evalSequence(ast::Exprs elements, bool isList) {
  std::vector<Value> items;
  items.reserve(elements.size());
  for (const ast::Expr *element : elements) {
    const auto *starred = llvm::dyn_cast<ast::Starred>(element);
    MaybeValue item = eval(starred ? starred->value : element);
    if (!item)
      return std::nullopt;
    if (!starred) {
      items.push_back(std::move(*item));
      continue;
    }
    std::optional<std::vector<Value>> unpacked = iterate(*item, element->span);
    if (!unpacked)
      return std::nullopt;
    items.insert(items.end(), unpacked->begin(), unpacked->end());
  }
  // Inside kernels a list is a tuple.
  return isList && !inKernel() ? Value::list(std::move(items)) : Value::tuple(std::move(items));
}

MaybeValue Expressions::evalDict(const ast::Dict &node) {
  Value result = Value::dict({});
  for (auto [keyExpr, valueExpr] : llvm::zip(node.keys, node.values)) {
    if (!keyExpr) {
      MaybeValue other = eval(valueExpr);
      if (!other || !other->is(ValueKind::Dict)) {
        if (other)
          report(Kind::BadArgument, valueExpr->span, "`**` needs a dict").end();
        return std::nullopt;
      }
      for (const auto &[key, value] : other->dictItems())
        setDictItem(result, key, value);
      continue;
    }
    MaybeValue key = eval(keyExpr);
    MaybeValue value = key ? eval(valueExpr) : std::nullopt;
    if (!value)
      return std::nullopt;
    setDictItem(result, *key, *value);
  }
  return result;
}

MaybeValue Expressions::evalSlice(const ast::Slice &node) {
  Value parts[3] = {Value::none(), Value::none(), Value::none()};
  const ast::Expr *exprs[3] = {node.lower, node.upper, node.step};
  for (int i = 0; i < 3; ++i) {
    if (!exprs[i])
      continue;
    MaybeValue part = eval(exprs[i]);
    if (!part)
      return std::nullopt;
    parts[i] = *part;
  }
  return Value::slice(parts[0], parts[1], parts[2]);
}

MaybeValue Expressions::evalJoinedStr(const ast::JoinedStr &node) {
  std::string whole;
  for (const ast::Expr *part : node.values) {
    MaybeValue value = eval(part);
    if (!value)
      return std::nullopt;
    whole += value->str();
  }
  return text(std::move(whole), node.span);
}

MaybeValue Expressions::evalFormatted(const ast::FormattedValue &node) {
  MaybeValue value = eval(node.value);
  if (!value)
    return std::nullopt;
  if (!value->isCompileTime()) {
    report(Kind::ConstexprRequired, node.value->span, "a value in an f-string", value->typeName())
        .end();
    return std::nullopt;
  }
  if (std::optional<std::string> shown = converted(*value, char(node.conversion)))
    value = text(std::move(*shown), node.value->span);
  if (value && node.format_spec && !inKernel()) {
    MaybeValue spec = eval(node.format_spec);
    if (!spec)
      return std::nullopt;
    if (std::optional<std::string> shown = formatWith(*value, spec->asString()))
      return text(std::move(*shown), node.span);
    report(Kind::BadArgument, node.format_spec->span,
           "format `" + spec->str() + "` does not fit " + value->typeName())
        .end();
    return std::nullopt;
  }
  return value ? text(value->str(), node.value->span) : std::nullopt;
}

MaybeValue Expressions::evalNamedExpr(const ast::NamedExpr &node) {
  MaybeValue value = eval(node.value);
  if (!value)
    return std::nullopt;
  if (inKernel()) {
    if (!KernelStatements(interpreter)
             .assign(node.target, *value, node.value->span, /*isConstexpr=*/false))
      return std::nullopt;
    return frame().scope.find(llvm::cast<ast::Name>(node.target)->id)->value;
  }
  return HostStatements(interpreter).assign(node.target, *value) ? value : std::nullopt;
}

bool Expressions::forEachBinding(ast::Comprehensions generators, llvm::function_ref<bool()> body) {
  if (generators.empty())
    return body();
  const ast::Comprehension *generator = generators.front();
  MaybeValue iterable = eval(generator->iter);
  if (!iterable)
    return false;
  std::optional<std::vector<Value>> items = iterate(*iterable, generator->iter->span);
  if (!items)
    return false;
  for (const Value &item : *items) {
    if (!step(generator->span) || !HostStatements(interpreter).assign(generator->target, item))
      return false;
    bool wanted = true;
    for (const ast::Expr *filter : generator->ifs) {
      MaybeValue value = eval(filter);
      std::optional<bool> isTrue = value ? truth(*value, filter->span) : std::nullopt;
      if (!isTrue)
        return false;
      wanted &= *isTrue;
      if (!wanted)
        break;
    }
    if (wanted && !forEachBinding(generators.drop_front(), body))
      return false;
  }
  return true;
}

static Scope saveScope(const Frame &frame) {
  spend(frame.scope.all().size() * sizeof(Binding));
  return frame.scope;
}

MaybeValue Expressions::evalComprehension(const ast::Expr *element,
                                          ast::Comprehensions generators) {
  // The loop variable belongs to the comprehension alone.
  Scope saved = saveScope(frame());
  llvm::scope_exit restore([&] { frame().scope = std::move(saved); });
  std::vector<Value> items;
  bool done = forEachBinding(generators, [&] {
    MaybeValue item = eval(element);
    if (item)
      items.push_back(std::move(*item));
    return item.has_value();
  });
  if (!done)
    return std::nullopt;
  return inKernel() ? Value::tuple(std::move(items)) : Value::list(std::move(items));
}

MaybeValue Expressions::evalDictComp(const ast::DictComp &node) {
  Scope saved = saveScope(frame());
  llvm::scope_exit restore([&] { frame().scope = std::move(saved); });
  Value result = Value::dict({});
  bool done = forEachBinding(node.generators, [&] {
    MaybeValue key = eval(node.key);
    MaybeValue value = key ? eval(node.value) : std::nullopt;
    if (!value)
      return false;
    setDictItem(result, *key, *value);
    return true;
  });
  return done ? MaybeValue(result) : std::nullopt;
}

std::optional<std::vector<Value>> Interpreter::iterate(const Value &value, Span span) {
  if (!step(span))
    return std::nullopt;
  switch (value.kind()) {
  case ValueKind::Tuple:
  case ValueKind::List:
  case ValueKind::Set:
    spend(value.items().size() * sizeof(Value));
    return std::vector<Value>(value.items());
  case ValueKind::Dict: {
    std::vector<Value> keys;
    spend(value.dictItems().size() * sizeof(Value));
    for (const auto &item : value.dictItems())
      keys.push_back(item.first);
    return keys;
  }
  case ValueKind::String: {
    std::vector<Value> characters;
    for (llvm::StringRef character : charactersOf(value.asString()))
      characters.push_back(Value::string(character.str()));
    return characters;
  }
  case ValueKind::Range: {
    std::optional<RangeBounds> bounds = RangeBounds::of(value);
    if (!bounds)
      break;
    std::vector<Value> items;
    for (uint64_t i = 0; i < bounds->count; ++i) {
      if (!step(span))
        return std::nullopt;
      items.push_back(Value::integer(bounds->at(i)));
    }
    return items;
  }
  default:
    break;
  }
  report(Kind::NotIterable, span, value.typeName()).end();
  return std::nullopt;
}

/// By `__bool__`, else `__len__`; objects with neither are true.
static std::optional<bool> truthOfInstance(Interpreter &interpreter, const Value &value,
                                           Span span) {
  for (llvm::StringRef name : {"__bool__", "__len__"})
    if (std::optional<MaybeValue> result = callOperator(interpreter, value, name, {}, span))
      return *result ? interpreter.truth(**result, span) : std::nullopt;
  return true;
}

std::optional<bool> Interpreter::truth(const Value &value, Span span) {
  switch (value.kind()) {
  case ValueKind::Opaque:
    reportHostValue(*this, span, value.asString().str(), value.asString());
    return std::nullopt;
  case ValueKind::Tensor:
  case ValueKind::MemDesc:
  case ValueKind::Accumulator:
  case ValueKind::FloatPairs:
  case ValueKind::LaunchAnswer:
  case ValueKind::Descriptor:
  case ValueKind::Handle:
    report(Kind::ConstexprRequired, span, "this condition", value.typeName()).end();
    return std::nullopt;
  case ValueKind::Instance:
    return truthOfInstance(*this, value, span);
  default:
    return truthOf(value);
  }
}

} // namespace gluonc::sema

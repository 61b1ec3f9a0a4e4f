#include "host/Expression.h"
#include "host/Evaluation.h"
#include "host/NumberFormat.h"
#include "support/Error.h"
#include "syntax/Parser.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

namespace gluonc::host {

using diag::Kind;
using sema::DType;
using sema::Value;
using sema::ValueKind;

void HostScope::bind(llvm::StringRef name, const HostValue &value) {
  if (const Value *plain = std::get_if<Value>(&value))
    values.push_back({name.str(), *plain});
  else
    tensors.emplace_back(name.str(), std::get<Array>(value));
}

const Array *HostScope::findTensor(llvm::StringRef name) const {
  for (const auto &[bound, array] : tensors)
    if (bound == name)
      return &array;
  return nullptr;
}

// -- Who evaluates ---------------------------------------------------------------

bool Evaluation::speaksOfTensors(const ast::Expr &expr) const {
  if (const auto *name = llvm::dyn_cast<ast::Name>(&expr))
    return scope.findTensor(name->id) != nullptr;
  if (const auto *call = llvm::dyn_cast<ast::Call>(&expr))
    if (const auto *name = llvm::dyn_cast<ast::Name>(call->func))
      if (const Entry *entry = findFunction(name->id); entry && entry->isConstructor())
        return true;
  bool found = false;
  ast::forEachChild(expr, [&](const ast::Node &child) {
    if (found)
      return;
    if (const auto *inner = llvm::dyn_cast<ast::Expr>(&child))
      found = speaksOfTensors(*inner);
    else if (const auto *keyword = llvm::dyn_cast<ast::Keyword>(&child))
      found = speaksOfTensors(*keyword->value);
  });
  return found;
}

static void collectNames(const ast::Node &node, std::vector<llvm::StringRef> &names) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(&node))
    names.push_back(name->id);
  ast::forEachChild(node, [&](const ast::Node &child) { collectNames(child, names); });
}

std::optional<Value>
Evaluation::evaluateText(const ast::Expr &expr,
                         llvm::ArrayRef<std::pair<const ast::Expr *, Value>> replaced) {
  std::string text(expr.span.text());
  std::vector<sema::NamedValue> names = scope.values;
  // Stand-ins are as long as what they stand for, so columns in diagnostics stay right.
  for (size_t i = 0; i != replaced.size(); ++i) {
    if (const auto *name = llvm::dyn_cast<ast::Name>(replaced[i].first)) {
      names.push_back({name->id.str(), replaced[i].second});
      continue;
    }
    diag::Span span = replaced[i].first->span;
    size_t length = span.end - span.begin;
    std::string name = "_" + std::to_string(i);
    if (name.size() > length)
      return fail(*replaced[i].first, "this is too short to be told apart; give it a name");
    name.resize(length, '_');
    text.replace(span.begin - expr.span.begin, length, name);
    names.push_back({name, replaced[i].second});
  }
  // Short names of dtypes, unless they mean something else already.
  std::vector<llvm::StringRef> used;
  collectNames(expr, used);
  for (llvm::StringRef name : used) {
    std::optional<DType> dtype = DType::parse(name);
    bool bound = llvm::any_of(names, [&](const sema::NamedValue &n) { return n.name == name; });
    if (dtype && !bound && name != "bool" && name != "int" && name != "float")
      names.push_back({name.str(), Value::dtype(*dtype)});
  }
  return sema::evaluate(scope.program, scope.module, text, names, expr.span.file->path(), sink);
}

Evaluation::Result Evaluation::delegate(const ast::Expr &expr) {
  std::optional<Value> value = evaluateText(expr, {});
  if (!value)
    return std::nullopt;
  return HostValue(*value);
}

/// The largest parts of `node` that speak of tensors, not `node` itself.
static void collectParts(const ast::Node &node, llvm::function_ref<bool(const ast::Expr &)> wanted,
                         std::vector<const ast::Expr *> &parts) {
  ast::forEachChild(node, [&](const ast::Node &child) {
    const auto *expr = llvm::dyn_cast<ast::Expr>(&child);
    if (!expr)
      return collectParts(child, wanted, parts);
    if (!wanted(*expr))
      return;
    bool isLeaf = llvm::isa<ast::Name, ast::Attribute, ast::Call, ast::BinOp, ast::Subscript,
                            ast::UnaryOp, ast::Compare>(expr);
    if (isLeaf)
      parts.push_back(expr);
    else
      collectParts(*expr, wanted, parts);
  });
}

Evaluation::Result Evaluation::mixed(const ast::Expr &expr) {
  std::vector<const ast::Expr *> parts;
  collectParts(expr, [&](const ast::Expr &e) { return speaksOfTensors(e); }, parts);
  std::vector<std::pair<const ast::Expr *, Value>> replaced;
  for (const ast::Expr *part : parts) {
    std::optional<Value> value = scalar(*part, "a number");
    if (!value)
      return std::nullopt;
    replaced.emplace_back(part, *value);
  }
  std::optional<Value> value = evaluateText(expr, replaced);
  if (!value)
    return std::nullopt;
  return HostValue(*value);
}

Evaluation::Result Evaluation::eval(const ast::Expr &expr) {
  if (!speaksOfTensors(expr))
    return delegate(expr);
  switch (expr.kind) {
  case ast::NodeKind::Name:
    return HostValue(*scope.findTensor(llvm::cast<ast::Name>(expr).id));
  case ast::NodeKind::BinOp:
    return binary(llvm::cast<ast::BinOp>(expr));
  case ast::NodeKind::UnaryOp:
    return unary(llvm::cast<ast::UnaryOp>(expr));
  case ast::NodeKind::Compare:
    return compareChain(llvm::cast<ast::Compare>(expr));
  case ast::NodeKind::BoolOp:
    return boolean(llvm::cast<ast::BoolOp>(expr));
  case ast::NodeKind::Attribute:
    return attribute(llvm::cast<ast::Attribute>(expr));
  case ast::NodeKind::Subscript:
    return subscript(llvm::cast<ast::Subscript>(expr));
  case ast::NodeKind::Call:
    return call(llvm::cast<ast::Call>(expr));
  default:
    return mixed(expr);
  }
}

// -- Reading values --------------------------------------------------------------

std::nullopt_t Evaluation::fail(const ast::Expr &expr, const llvm::Twine &what) {
  sink.report(Kind::HostOperation, expr.span, what.str()).end();
  return std::nullopt;
}

Evaluation::Result Evaluation::take(llvm::Expected<Array> result, const ast::Expr &expr) {
  if (!result)
    return fail(expr, llvm::toString(result.takeError()));
  return HostValue(std::move(*result));
}

bool Evaluation::usable(const Array &array, const ast::Expr &expr) {
  std::optional<int64_t> hole = array.tensor.firstUnwritten();
  if (!hole)
    return true;
  Shape index(array.tensor.rank());
  for (size_t axis = index.size(); axis-- != 0;) {
    index[axis] = *hole % array.shape()[axis];
    *hole /= array.shape()[axis];
  }
  sink.report(Kind::UnwrittenRead, expr.span, shapeText(index), std::string(expr.span.text()))
      .end();
  return false;
}

std::optional<Array> Evaluation::array(const ast::Expr &expr) {
  Result value = eval(expr);
  if (!value)
    return std::nullopt;
  if (const Array *found = std::get_if<Array>(&*value)) {
    if (!usable(*found, expr))
      return std::nullopt;
    return *found;
  }
  const Value &plain = std::get<Value>(*value);
  if (!plain.isNumber())
    return fail(expr,
                "a " + sema::kindName(plain.kind()) + " cannot take part in tensor arithmetic");
  return Array::number(plain.asDouble(), !plain.is(ValueKind::Float));
}

std::optional<Value> Evaluation::scalar(const ast::Expr &expr, llvm::StringRef wanted) {
  Result value = eval(expr);
  if (!value)
    return std::nullopt;
  if (const Value *plain = std::get_if<Value>(&*value))
    return *plain;
  const Array &array = std::get<Array>(*value);
  // A reduction such as `max(x)` is good where a number is wanted.
  if (array.tensor.rank() != 0)
    return fail(expr, "a tensor of shape " + shapeText(array.shape()) + " is not " + wanted);
  if (!usable(array, expr))
    return std::nullopt;
  double element = decodeElement(array.tensor.dtype(), array.tensor.data());
  if (array.dtype.isBool())
    return Value::boolean(element != 0);
  return array.dtype.isInt() ? Value::integer(static_cast<int64_t>(element)) : Value::real(element);
}

std::optional<int64_t> Evaluation::integer(const ast::Expr &expr) {
  std::optional<Value> value = scalar(expr, "an integer");
  if (!value)
    return std::nullopt;
  if (value->is(ValueKind::Int) || value->is(ValueKind::Bool))
    if (std::optional<int64_t> found = value->asInt64())
      return found;
  return fail(expr, "this must be an integer of 64 bits, not " + value->repr());
}

std::optional<double> Evaluation::number(const ast::Expr &expr) {
  std::optional<Value> value = scalar(expr, "a number");
  if (!value)
    return std::nullopt;
  if (!value->isNumber())
    return fail(expr, "this must be a number, not " + value->repr());
  return value->asDouble();
}

std::optional<Shape> Evaluation::shape(const ast::Expr &expr) {
  std::optional<Value> value = scalar(expr, "a shape");
  if (!value)
    return std::nullopt;
  Shape dims;
  auto add = [&](const Value &item) {
    std::optional<int64_t> dim = item.is(ValueKind::Int) ? item.asInt64() : std::nullopt;
    if (dim)
      dims.push_back(*dim);
    return dim.has_value();
  };
  bool fine = value->is(ValueKind::Tuple) || value->is(ValueKind::List)
                  ? llvm::all_of(value->items(), add)
                  : add(*value);
  if (!fine)
    return fail(expr, "a shape is an integer or a tuple of integers, not " + value->repr());
  return dims;
}

std::optional<DType> Evaluation::dtype(const ast::Expr *expr, DType otherwise) {
  if (!expr)
    return otherwise;
  std::optional<Value> value = scalar(*expr, "a dtype");
  if (!value)
    return std::nullopt;
  if (value->is(ValueKind::DType) && !value->dtype().isPointer())
    return value->dtype();
  if (value->is(ValueKind::String))
    if (std::optional<DType> parsed = DType::parse(value->asString()))
      return parsed;
  return fail(*expr, "this must be a dtype such as f32, not " + value->repr());
}

// -- Operators -------------------------------------------------------------------

static std::optional<ArrayOp> arrayOp(ast::Operator op) {
  switch (op) {
  case ast::Operator::Add:
    return ArrayOp::Add;
  case ast::Operator::Sub:
    return ArrayOp::Sub;
  case ast::Operator::Mult:
    return ArrayOp::Mul;
  case ast::Operator::MatMult:
    return std::nullopt;
  case ast::Operator::Div:
    return ArrayOp::Div;
  case ast::Operator::Mod:
    return ArrayOp::Mod;
  case ast::Operator::Pow:
    return ArrayOp::Pow;
  case ast::Operator::LShift:
    return ArrayOp::Shl;
  case ast::Operator::RShift:
    return ArrayOp::Shr;
  case ast::Operator::BitOr:
    return ArrayOp::Or;
  case ast::Operator::BitXor:
    return ArrayOp::Xor;
  case ast::Operator::BitAnd:
    return ArrayOp::And;
  case ast::Operator::FloorDiv:
    return ArrayOp::FloorDiv;
  }
  GL_UNREACHABLE("bad operator");
}

static std::optional<ArrayOp> arrayOp(ast::CompareOperator op) {
  switch (op) {
  case ast::CompareOperator::Eq:
    return ArrayOp::Eq;
  case ast::CompareOperator::NotEq:
    return ArrayOp::Ne;
  case ast::CompareOperator::Lt:
    return ArrayOp::Lt;
  case ast::CompareOperator::LtE:
    return ArrayOp::Le;
  case ast::CompareOperator::Gt:
    return ArrayOp::Gt;
  case ast::CompareOperator::GtE:
    return ArrayOp::Ge;
  default:
    return std::nullopt;
  }
}

Evaluation::Result Evaluation::binary(const ast::BinOp &node) {
  Result left = eval(*node.left), right = eval(*node.right);
  if (!left || !right)
    return std::nullopt;
  const Value *leftValue = std::get_if<Value>(&*left), *rightValue = std::get_if<Value>(&*right);
  // `x.numel() // 4`: integers stay with the evaluator that knows them exactly.
  if (leftValue && rightValue) {
    std::vector<std::pair<const ast::Expr *, Value>> replaced;
    if (speaksOfTensors(*node.left))
      replaced.emplace_back(node.left, *leftValue);
    if (speaksOfTensors(*node.right))
      replaced.emplace_back(node.right, *rightValue);
    std::optional<Value> value = evaluateText(node, replaced);
    if (!value)
      return std::nullopt;
    return HostValue(*value);
  }
  std::optional<Array> lhs = array(*node.left), rhs = array(*node.right);
  if (!lhs || !rhs)
    return std::nullopt;
  if (std::optional<ArrayOp> op = arrayOp(node.op))
    return take(apply(*op, *lhs, *rhs), node);
  return take(matmul(*lhs, *rhs), node);
}

Evaluation::Result Evaluation::unary(const ast::UnaryOp &node) {
  std::optional<Array> operand = array(*node.operand);
  if (!operand)
    return std::nullopt;
  switch (node.op) {
  case ast::UnaryOperator::UAdd:
    return HostValue(*operand);
  case ast::UnaryOperator::USub:
    return take(map(ArrayMap::Neg, *operand), node);
  case ast::UnaryOperator::Invert:
    return take(map(ArrayMap::Not, *operand), node);
  case ast::UnaryOperator::Not:
    return take(apply(ArrayOp::Eq, *operand, Array::number(0, true)), node);
  }
  GL_UNREACHABLE("bad unary operator");
}

Evaluation::Result Evaluation::compareChain(const ast::Compare &node) {
  Result total;
  const ast::Expr *leftExpr = node.left;
  std::optional<Array> lhs = array(*leftExpr);
  for (size_t i = 0; lhs && i != node.ops.size(); ++i) {
    const ast::Expr *rightExpr = node.comparators[i];
    std::optional<ArrayOp> op = arrayOp(node.ops[i]);
    if (!op)
      return fail(node, "tensors know no `" + ast::spelling(node.ops[i]) + "`");
    std::optional<Array> rhs = array(*rightExpr);
    if (!rhs)
      return std::nullopt;
    Result step = take(apply(*op, *lhs, *rhs), node);
    if (!step)
      return std::nullopt;
    // The second look is for messages only.
    const Tensor &truths = std::get<Array>(*step).tensor;
    size_t count = static_cast<size_t>(truths.size());
    if (*op == ArrayOp::Eq && count && std::memchr(truths.data(), 0, count))
      noteDifference(node, *lhs, *rhs, {});
    total = total ? take(apply(ArrayOp::And, std::get<Array>(*total), std::get<Array>(*step)), node)
                  : step;
    if (!total)
      return std::nullopt;
    lhs = rhs;
  }
  return lhs ? total : std::nullopt;
}

Evaluation::Result Evaluation::boolean(const ast::BoolOp &node) {
  Result total;
  for (const ast::Expr *operand : node.values) {
    std::optional<Array> value = array(*operand);
    if (!value)
      return std::nullopt;
    // Elementwise, as `&` and `|`: what an expectation means by `a == b and c == d`.
    Result truth = take(apply(ArrayOp::Ne, *value, Array::number(0, true)), *operand);
    if (!truth)
      return std::nullopt;
    ArrayOp op = node.op == ast::BoolOperator::And ? ArrayOp::And : ArrayOp::Or;
    total = total ? take(apply(op, std::get<Array>(*total), std::get<Array>(*truth)), node) : truth;
    if (!total)
      return std::nullopt;
  }
  return total;
}

void Evaluation::noteDifference(const ast::Expr &expr, const Array &lhs, const Array &rhs,
                                Tolerance tolerance) {
  llvm::Expected<Difference> found = compare(lhs, rhs, tolerance);
  if (!found)
    return llvm::consumeError(found.takeError());
  if (found->count == 0)
    return;
  llvm::Expected<Shape> shape = broadcastShapes(lhs.shape(), rhs.shape());
  int64_t total = shape ? elementCount(*shape).value_or(0) : 0;
  if (!shape)
    llvm::consumeError(shape.takeError());
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "`" << llvm::StringRef(expr.span.text()) << "`: " << found->count << " of " << total
      << " elements differ";
  auto value = [&](double x) {
    char buffer[40];
    snprintf(buffer, sizeof buffer, "%.9g", x);
    out << buffer;
  };
  if (!found->index.empty())
    out << "; the first at " << shapeText(found->index);
  out << ": ";
  value(found->lhs);
  out << " and ";
  value(found->rhs);
  out << "; the largest difference is ";
  value(found->largest);
  details.push_back(text);
}

// -- Views -----------------------------------------------------------------------

static Value shapeValue(llvm::ArrayRef<int64_t> shape) {
  std::vector<Value> dims;
  for (int64_t dim : shape)
    dims.push_back(Value::integer(dim));
  return Value::tuple(std::move(dims));
}

Evaluation::Result Evaluation::attribute(const ast::Attribute &node) {
  Result base = eval(*node.value);
  if (!base)
    return std::nullopt;
  const Array *array = std::get_if<Array>(&*base);
  if (!array)
    return mixed(node);
  auto view = [&](Tensor tensor) { return HostValue(Array{std::move(tensor), array->dtype}); };
  if (node.attr == "T")
    return view(array->tensor.transposed());
  if (node.attr == "shape")
    return HostValue(shapeValue(array->shape()));
  if (node.attr == "ndim")
    return HostValue(Value::integer(static_cast<int64_t>(array->tensor.rank())));
  if (node.attr == "dtype")
    return HostValue(Value::dtype(array->dtype));
  if (findMethod(node.attr))
    return fail(node, "`" + node.attr + "` is a method: call it");
  return fail(node, "a tensor has no attribute `" + node.attr + "` here");
}

Evaluation::Result Evaluation::subscript(const ast::Subscript &node) {
  Result base = eval(*node.value);
  if (!base)
    return std::nullopt;
  const Array *array = std::get_if<Array>(&*base);
  if (!array) {
    // `x.shape[0]`: the index is for the other evaluator, the tuple is ours.
    std::vector<std::pair<const ast::Expr *, Value>> replaced = {
        {node.value, std::get<Value>(*base)}};
    if (speaksOfTensors(*node.slice)) {
      std::optional<Value> at = scalar(*node.slice, "an index");
      if (!at)
        return std::nullopt;
      replaced.emplace_back(node.slice, *at);
    }
    std::optional<Value> value = evaluateText(node, replaced);
    if (!value)
      return std::nullopt;
    return HostValue(*value);
  }
  llvm::ArrayRef<const ast::Expr *> indices(node.slice);
  if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(node.slice))
    indices = tuple->elts;
  std::optional<Tensor> view = index(array->tensor, indices);
  if (!view)
    return std::nullopt;
  return HostValue(Array{std::move(*view), array->dtype});
}

static bool isConstant(const ast::Expr &expr, ast::ConstantKind kind) {
  const auto *constant = llvm::dyn_cast<ast::Constant>(&expr);
  return constant && constant->value == kind;
}

std::optional<Tensor> Evaluation::index(Tensor tensor, llvm::ArrayRef<const ast::Expr *> indices) {
  size_t consumed = llvm::count_if(indices, [](const ast::Expr *expr) {
    return !isConstant(*expr, ast::ConstantKind::None) &&
           !isConstant(*expr, ast::ConstantKind::Ellipsis);
  });
  if (consumed > tensor.rank())
    return fail(*indices.front(), "too many indices for shape " + shapeText(tensor.shape()));
  size_t skipped = tensor.rank() - consumed;
  unsigned axis = 0;
  for (const ast::Expr *expr : indices) {
    if (isConstant(*expr, ast::ConstantKind::None)) {
      tensor = tensor.withNewAxis(axis++);
    } else if (isConstant(*expr, ast::ConstantKind::Ellipsis)) {
      axis += skipped;
      skipped = 0;
    } else if (const auto *range = llvm::dyn_cast<ast::Slice>(expr)) {
      std::optional<Tensor> view = slice(tensor, axis++, *range);
      if (!view)
        return std::nullopt;
      tensor = *view;
    } else {
      std::optional<int64_t> at = integer(*expr);
      if (!at)
        return std::nullopt;
      int64_t size = tensor.shape()[axis];
      if (*at < -size || *at >= size)
        return fail(*expr, "index " + llvm::Twine(*at) + " is out of range for " +
                               llvm::Twine(size) + " elements");
      tensor = tensor.select(axis, *at < 0 ? *at + size : *at);
    }
  }
  return tensor;
}

std::optional<Tensor> Evaluation::slice(const Tensor &tensor, unsigned axis,
                                        const ast::Slice &node) {
  const int64_t size = tensor.shape()[axis];
  int64_t step = 1;
  if (node.step) {
    std::optional<int64_t> given = integer(*node.step);
    if (!given)
      return std::nullopt;
    if (*given == 0 || *given == INT64_MIN)
      return fail(*node.step, "a step cannot be " + llvm::Twine(*given));
    step = *given;
  }
  // Python's rules: negative bounds count from the end, then everything is clamped.
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  auto bound = [&](const ast::Expr *expr, int64_t otherwise) -> std::optional<int64_t> {
    if (!expr || isConstant(*expr, ast::ConstantKind::None))
      return otherwise;
    std::optional<int64_t> given = integer(*expr);
    if (!given)
      return std::nullopt;
    return std::clamp(*given < 0 ? *given + size : *given, low, high);
  };
  std::optional<int64_t> first = bound(node.lower, step > 0 ? 0 : size - 1);
  std::optional<int64_t> last = bound(node.upper, step > 0 ? size : -1);
  if (!first || !last)
    return std::nullopt;
  int64_t distance = step > 0 ? *last - *first : *first - *last;
  uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  int64_t count =
      distance <= 0 ? 0 : static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / stride) + 1;
  return tensor.slice(axis, *first, count, step);
}

// -- Entry points ----------------------------------------------------------------

static std::unique_ptr<ast::Expression> parseText(HostScope &scope, llvm::StringRef text,
                                                  llvm::StringRef origin, diag::Sink &sink) {
  const diag::SourceFile *file = scope.program.sources().add(origin.str(), text.str());
  std::unique_ptr<ast::Expression> parsed = ast::parseExpression(*file, sink);
  return parsed->body ? std::move(parsed) : nullptr;
}

std::optional<HostValue> evaluate(HostScope &scope, llvm::StringRef text, llvm::StringRef origin,
                                  diag::Sink &sink) {
  std::unique_ptr<ast::Expression> parsed = parseText(scope, text, origin, sink);
  if (!parsed)
    return std::nullopt;
  return Evaluation(scope, sink).eval(*parsed->body);
}

std::optional<std::variant<Value, Array, DescribedTensor>>
evaluateArgument(HostScope &scope, llvm::StringRef text, llvm::StringRef origin, diag::Sink &sink) {
  std::unique_ptr<ast::Expression> parsed = parseText(scope, text, origin, sink);
  if (!parsed)
    return std::nullopt;
  Evaluation evaluation(scope, sink);
  if (const auto *call = llvm::dyn_cast<ast::Call>(parsed->body);
      call && Evaluation::isDescriber(*call->func))
    return evaluation.describe(*call);
  std::optional<HostValue> value = evaluation.eval(*parsed->body);
  if (!value)
    return std::nullopt;
  return std::visit(
      [](auto &&found) { return std::variant<Value, Array, DescribedTensor>(std::move(found)); },
      std::move(*value));
}

std::optional<Expectation> checkExpectation(HostScope &scope, llvm::StringRef text,
                                            std::optional<Tolerance> tolerance, diag::Sink &sink) {
  std::unique_ptr<ast::Expression> parsed = parseText(scope, text, "<expect>", sink);
  if (!parsed)
    return std::nullopt;
  Evaluation evaluation(scope, sink);
  evaluation.tolerance = tolerance;
  std::optional<HostValue> value = evaluation.eval(*parsed->body);
  if (!value)
    return std::nullopt;
  Expectation expectation;
  if (const Value *plain = std::get_if<Value>(&*value)) {
    if (!plain->isNumber()) {
      sink.report(Kind::HostOperation, parsed->body->span,
                  "an expectation must be true or false, not " + plain->repr())
          .end();
      return std::nullopt;
    }
    expectation.holds = plain->asDouble() != 0;
  } else {
    llvm::Expected<Array> all = reduce(ArrayReduction::All, std::get<Array>(*value), std::nullopt);
    expectation.holds = decodeElement(all->tensor.dtype(), all->tensor.data()) != 0;
  }
  if (!expectation.holds)
    expectation.details = std::move(evaluation.details);
  return expectation;
}

} // namespace gluonc::host

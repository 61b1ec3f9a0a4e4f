//===- HostFunctions.cpp - randn, allclose and the rest ---------------------===//
//
// The table at the end of the first part lists every function and method of host
// expressions with its parameters, as they read in Python.
//
//===----------------------------------------------------------------------===//
#include "host/Evaluation.h"
#include "host/Npy.h"
#include "host/NumberFormat.h"
#include "host/Random.h"
#include "support/Error.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace gluonc::host {

using diag::Kind;
using sema::DType;
using sema::Value;
using sema::ValueKind;
namespace dtypes = sema::dtypes;

namespace {
enum Maker { Zeros, Ones, Full, Empty, ZerosLike, OnesLike, EmptyLike };
enum Source { Randn, Rand, Randint };
enum Methods {
  Numel,
  Size,
  Dim,
  Stride,
  To,
  Reshape,
  Transpose,
  Contiguous,
  /// Reductions follow, in the order of ArrayReduction.
  FirstReduction,
};
} // namespace

llvm::ArrayRef<Evaluation::Entry> Evaluation::functions() {
  static constexpr Entry table[] = {
      {"randn", Entry::Random, Randn, "shape dtype= seed="},
      {"rand", Entry::Random, Rand, "shape dtype= seed="},
      {"randint", Entry::Random, Randint, "low high shape dtype= seed="},
      {"arange", Entry::Range, 0, "start stop= step= dtype="},
      {"zeros", Entry::Make, Zeros, "shape dtype="},
      {"ones", Entry::Make, Ones, "shape dtype="},
      {"full", Entry::Make, Full, "shape value dtype="},
      {"empty", Entry::Make, Empty, "shape dtype="},
      {"zeros_like", Entry::Make, ZerosLike, "x dtype="},
      {"ones_like", Entry::Make, OnesLike, "x dtype="},
      {"empty_like", Entry::Make, EmptyLike, "x dtype="},
      {"npy", Entry::File, 0, "path dtype="},
      {"tensor", Entry::Literal, 0, "items dtype="},
      {"addresses", Entry::Addresses, 0, "tensors"},
      {"where", Entry::Where, 0, "condition x y"},
      {"allclose", Entry::Close, 0, "a b rtol= atol="},
      {"matmul", Entry::MatMul, 0, "a b"},
      {"minimum", Entry::Pair, static_cast<int>(ArrayOp::Min), "a b"},
      {"maximum", Entry::Pair, static_cast<int>(ArrayOp::Max), "a b"},
      {"sum", Entry::Reduce, static_cast<int>(ArrayReduction::Sum), "x axis="},
      {"prod", Entry::Reduce, static_cast<int>(ArrayReduction::Prod), "x axis="},
      {"max", Entry::Reduce, static_cast<int>(ArrayReduction::Max), "x axis="},
      {"min", Entry::Reduce, static_cast<int>(ArrayReduction::Min), "x axis="},
      {"mean", Entry::Reduce, static_cast<int>(ArrayReduction::Mean), "x axis="},
      {"any", Entry::Reduce, static_cast<int>(ArrayReduction::Any), "x axis="},
      {"all", Entry::Reduce, static_cast<int>(ArrayReduction::All), "x axis="},
      {"abs", Entry::Map, static_cast<int>(ArrayMap::Abs), "x"},
      {"sqrt", Entry::Map, static_cast<int>(ArrayMap::Sqrt), "x"},
      {"rsqrt", Entry::Map, static_cast<int>(ArrayMap::Rsqrt), "x"},
      {"exp", Entry::Map, static_cast<int>(ArrayMap::Exp), "x"},
      {"exp2", Entry::Map, static_cast<int>(ArrayMap::Exp2), "x"},
      {"log", Entry::Map, static_cast<int>(ArrayMap::Log), "x"},
      {"log2", Entry::Map, static_cast<int>(ArrayMap::Log2), "x"},
      {"sin", Entry::Map, static_cast<int>(ArrayMap::Sin), "x"},
      {"cos", Entry::Map, static_cast<int>(ArrayMap::Cos), "x"},
      {"tanh", Entry::Map, static_cast<int>(ArrayMap::Tanh), "x"},
      {"erf", Entry::Map, static_cast<int>(ArrayMap::Erf), "x"},
      {"floor", Entry::Map, static_cast<int>(ArrayMap::Floor), "x"},
      {"ceil", Entry::Map, static_cast<int>(ArrayMap::Ceil), "x"},
      {"trunc", Entry::Map, static_cast<int>(ArrayMap::Trunc), "x"},
      {"round", Entry::Map, static_cast<int>(ArrayMap::Round), "x"},
      {"isnan", Entry::Map, static_cast<int>(ArrayMap::IsNan), "x"},
  };
  return table;
}

const Evaluation::Entry *Evaluation::findFunction(llvm::StringRef name) {
  for (const Entry &entry : functions())
    if (entry.name == name)
      return &entry;
  return nullptr;
}

const Evaluation::Entry *Evaluation::findMethod(llvm::StringRef name) {
  static constexpr Entry table[] = {
      {"numel", Entry::Method, Numel, ""},
      {"size", Entry::Method, Size, "axis="},
      {"dim", Entry::Method, Dim, ""},
      {"stride", Entry::Method, Stride, "axis="},
      {"to", Entry::Method, To, "dtype"},
      {"astype", Entry::Method, To, "dtype"},
      {"reshape", Entry::Method, Reshape, "shape"},
      {"view", Entry::Method, Reshape, "shape"},
      {"t", Entry::Method, Transpose, ""},
      {"contiguous", Entry::Method, Contiguous, ""},
      {"sum", Entry::Method, FirstReduction + 0, "axis="},
      {"prod", Entry::Method, FirstReduction + 1, "axis="},
      {"max", Entry::Method, FirstReduction + 2, "axis="},
      {"min", Entry::Method, FirstReduction + 3, "axis="},
      {"mean", Entry::Method, FirstReduction + 4, "axis="},
      {"any", Entry::Method, FirstReduction + 5, "axis="},
      {"all", Entry::Method, FirstReduction + 6, "axis="},
  };
  for (const Entry &entry : table)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

bool Evaluation::bindCall(const ast::Call &node, llvm::StringRef function,
                          llvm::StringRef parameters, BoundExprs &bound) {
  llvm::SmallVector<llvm::StringRef, 6> names;
  parameters.split(names, ' ', -1, /*KeepEmpty=*/false);
  bound.assign(names.size(), nullptr);
  auto complain = [&](const ast::Node &at, const llvm::Twine &what) {
    sink.report(Kind::HostCall, at.span, function, what.str()).end();
    return false;
  };
  if (node.args.size() > names.size())
    return complain(*node.args[names.size()],
                    "takes " + llvm::Twine(names.size()) + " arguments at most");
  for (size_t i = 0; i != node.args.size(); ++i) {
    if (llvm::isa<ast::Starred>(node.args[i]))
      return complain(*node.args[i], "takes no `*` arguments");
    bound[i] = node.args[i];
  }
  for (const ast::Keyword *keyword : node.keywords) {
    auto *found =
        llvm::find_if(names, [&](llvm::StringRef name) { return name.rtrim('=') == keyword->arg; });
    if (keyword->arg.empty() || found == names.end())
      return complain(*keyword, "has no parameter `" + keyword->arg + "`");
    size_t at = static_cast<size_t>(found - names.begin());
    if (bound[at])
      return complain(*keyword, "is given two values for `" + keyword->arg + "`");
    bound[at] = keyword->value;
  }
  for (size_t i = 0; i != names.size(); ++i)
    if (!bound[i] && !names[i].ends_with("="))
      return complain(node, "needs a value for `" + names[i] + "`");
  return true;
}

Evaluation::Result Evaluation::call(const ast::Call &node) {
  if (const auto *name = llvm::dyn_cast<ast::Name>(node.func))
    if (const Entry *entry = findFunction(name->id))
      return invoke(node, *entry, nullptr);
  const auto *attribute = llvm::dyn_cast<ast::Attribute>(node.func);
  if (!attribute || !speaksOfTensors(*attribute->value))
    return mixed(node);
  Result base = eval(*attribute->value);
  if (!base)
    return std::nullopt;
  const Array *self = std::get_if<Array>(&*base);
  if (!self)
    return mixed(node);
  const Entry *entry = findMethod(attribute->attr);
  if (!entry)
    return fail(node, "a tensor has no method `" + attribute->attr + "` here");
  return invoke(node, *entry, self);
}

Evaluation::Result Evaluation::invoke(const ast::Call &node, const Entry &entry,
                                      const Array *self) {
  BoundExprs arguments;
  if (!bindCall(node, entry.name, entry.parameters, arguments))
    return std::nullopt;
  switch (entry.kind) {
  case Entry::Make:
    return construct(node, entry, arguments);
  case Entry::Random:
    return random(entry, arguments, node);
  case Entry::Range:
    return range(arguments, node);
  case Entry::File:
    return readFile(arguments, node);
  case Entry::Literal:
    return literalTensor(arguments, node);
  case Entry::Addresses:
    return addresses(arguments, node);
  case Entry::Close:
    return allclose(arguments, node);
  case Entry::Method:
    return method(entry, *self, arguments, node);
  default:
    break;
  }
  std::optional<Array> first = array(*arguments[0]);
  if (!first)
    return std::nullopt;
  if (entry.kind == Entry::Map)
    return take(map(static_cast<ArrayMap>(entry.op), *first), node);
  if (entry.kind == Entry::Reduce) {
    std::optional<int64_t> axis;
    if (arguments[1] && !(axis = integer(*arguments[1])))
      return std::nullopt;
    return take(reduce(static_cast<ArrayReduction>(entry.op), *first, axis), node);
  }
  std::optional<Array> second = array(*arguments[1]);
  if (!second)
    return std::nullopt;
  if (entry.kind == Entry::Pair)
    return take(apply(static_cast<ArrayOp>(entry.op), *first, *second), node);
  if (entry.kind == Entry::MatMul)
    return take(matmul(*first, *second), node);
  std::optional<Array> third = array(*arguments[2]);
  if (!third)
    return std::nullopt;
  return take(select(*first, *second, *third), node);
}

static llvm::Expected<Array> wrap(llvm::Expected<Tensor> tensor) {
  if (!tensor)
    return tensor.takeError();
  return Array::of(std::move(*tensor));
}

static void fill(const Tensor &tensor, double value) {
  tensor.forEach([&](uint8_t *at) { encodeElement(tensor.dtype(), value, at); });
}

Evaluation::Result Evaluation::construct(const ast::Call &node, const Entry &entry,
                                         const BoundExprs &arguments) {
  Shape dims;
  DType element = dtypes::float32;
  if (entry.op >= ZerosLike) {
    // Shape and dtype only: the elements may be poisoned.
    Result like = eval(*arguments[0]);
    if (!like)
      return std::nullopt;
    const Array *model = std::get_if<Array>(&*like);
    if (!model)
      return fail(*arguments[0], "this must be a tensor");
    dims.assign(model->shape().begin(), model->shape().end());
    element = model->dtype;
  } else {
    std::optional<Shape> given = shape(*arguments[0]);
    if (!given)
      return std::nullopt;
    dims = *given;
  }
  std::optional<DType> wanted = dtype(arguments.back(), element);
  if (!wanted)
    return std::nullopt;
  llvm::Expected<Tensor> tensor = Tensor::create(*wanted, dims);
  if (!tensor)
    return fail(node, llvm::toString(tensor.takeError()));
  if (entry.op == Full) {
    std::optional<double> value = number(*arguments[1]);
    if (!value)
      return std::nullopt;
    fill(*tensor, *value);
  } else if (entry.op == Ones || entry.op == OnesLike) {
    fill(*tensor, 1);
  } else if (entry.op == Empty || entry.op == EmptyLike) {
    tensor->storage()->poison();
  }
  return HostValue(Array::of(std::move(*tensor)));
}

Evaluation::Result Evaluation::random(const Entry &entry, const BoundExprs &arguments,
                                      const ast::Call &node) {
  const bool integers = entry.op == Randint;
  size_t at = integers ? 2 : 0;
  std::optional<Shape> dims = shape(*arguments[at]);
  std::optional<DType> element =
      dtype(arguments[at + 1], integers ? dtypes::int32 : dtypes::float32);
  if (!dims || !element)
    return std::nullopt;
  uint64_t seed = 0;
  if (arguments[at + 2]) {
    std::optional<int64_t> given = integer(*arguments[at + 2]);
    if (!given)
      return std::nullopt;
    seed = static_cast<uint64_t>(*given);
  } else {
    // Two tensors of one command line shall not be equal by accident.
    seed = scope.nextSeed++;
  }
  llvm::Expected<Tensor> tensor = Tensor::create(*element, *dims);
  if (!tensor)
    return fail(node, llvm::toString(tensor.takeError()));
  if (integers) {
    std::optional<int64_t> low = integer(*arguments[0]), high = integer(*arguments[1]);
    if (!low || !high)
      return std::nullopt;
    if (*low >= *high)
      return fail(node, "there is no integer from " + llvm::Twine(*low) + " to below " +
                            llvm::Twine(*high));
    fillRandomIntegers(*tensor, *low, *high, seed);
  } else {
    fillRandom(*tensor, entry.op == Rand ? Distribution::Uniform : Distribution::Normal, seed);
    if (scope.oddValues)
      placeOddValues(*tensor, seed);
  }
  return HostValue(Array::of(std::move(*tensor)));
}

Evaluation::Result Evaluation::range(const BoundExprs &arguments, const ast::Call &node) {
  // arange(8, i32): a dtype may stand in the place of any bound but the first.
  double bounds[3] = {0, 0, 1};
  unsigned given = 0;
  std::optional<DType> element;
  bool isFloat = false;
  for (size_t i = 0; i != 3 && arguments[i]; ++i) {
    std::optional<Value> value = scalar(*arguments[i], "a number");
    if (!value)
      return std::nullopt;
    if (i > 0 && value->is(ValueKind::DType)) {
      element = value->dtype();
      break;
    }
    if (!value->isNumber())
      return fail(*arguments[i], "this must be a number, not " + value->repr());
    isFloat |= value->is(ValueKind::Float);
    bounds[i] = value->asDouble();
    ++given;
  }
  if (!element)
    element = dtype(arguments[3], isFloat ? dtypes::float32 : dtypes::int32);
  if (!element)
    return std::nullopt;
  if (given == 1)
    std::swap(bounds[0], bounds[1]);
  double count = std::ceil((bounds[1] - bounds[0]) / bounds[2]);
  if (!(std::fabs(count) < 0x1p46))
    return fail(node, "this range is too long or never ends");
  llvm::Expected<Tensor> tensor =
      Tensor::create(*element, {std::max<int64_t>(static_cast<int64_t>(count), 0)});
  if (!tensor)
    return fail(node, llvm::toString(tensor.takeError()));
  int64_t i = 0;
  tensor->forEach([&](uint8_t *at) {
    encodeElement(*element, bounds[0] + static_cast<double>(i++) * bounds[2], at);
  });
  return HostValue(Array::of(std::move(*tensor)));
}

Evaluation::Result Evaluation::readFile(const BoundExprs &arguments, const ast::Call &node) {
  std::optional<Value> path = scalar(*arguments[0], "a path");
  std::optional<DType> wanted = dtype(arguments[1], DType());
  if (!path || !wanted)
    return std::nullopt;
  if (!path->is(ValueKind::String))
    return fail(*arguments[0], "this must be a path in quotes");
  llvm::Expected<Tensor> tensor = readNpy(path->asString(), *wanted);
  if (tensor)
    return HostValue(Array::of(std::move(*tensor)));
  sink.report(Kind::NpyFile, node.span, path->asString(), llvm::toString(tensor.takeError())).end();
  return std::nullopt;
}

/// Numbers of nested lists, row by row; false where the nesting is uneven.
static bool flatten(const Value &value, size_t depth, Shape &dims, std::vector<Value> &numbers) {
  if (value.isNumber()) {
    numbers.push_back(value);
    return depth == dims.size();
  }
  if (!value.is(ValueKind::List) && !value.is(ValueKind::Tuple))
    return false;
  int64_t length = static_cast<int64_t>(value.items().size());
  if (numbers.empty() && depth == dims.size())
    dims.push_back(length);
  if (depth >= dims.size() || dims[depth] != length)
    return false;
  return llvm::all_of(value.items(),
                      [&](const Value &item) { return flatten(item, depth + 1, dims, numbers); });
}

Evaluation::Result Evaluation::literalTensor(const BoundExprs &arguments, const ast::Call &node) {
  std::optional<Value> items = scalar(*arguments[0], "a list");
  if (!items)
    return std::nullopt;
  Shape dims;
  std::vector<Value> numbers;
  if (!flatten(*items, 0, dims, numbers))
    return fail(*arguments[0], "this must be numbers in lists of equal length");
  bool isFloat = llvm::any_of(numbers, [](const Value &v) { return v.is(ValueKind::Float); });
  std::optional<DType> element = dtype(arguments[1], isFloat ? dtypes::float32 : dtypes::int32);
  if (!element)
    return std::nullopt;
  llvm::Expected<Tensor> tensor = Tensor::create(*element, dims);
  if (!tensor)
    return fail(node, llvm::toString(tensor.takeError()));
  size_t i = 0;
  tensor->forEach([&](uint8_t *at) { encodeElement(*element, numbers[i++].asDouble(), at); });
  return HostValue(Array::of(std::move(*tensor)));
}

Evaluation::Result Evaluation::addresses(const BoundExprs &arguments, const ast::Call &node) {
  const auto *list = llvm::dyn_cast<ast::List>(arguments[0]);
  if (!list)
    return fail(*arguments[0], "this must be a list of tensors");
  llvm::Expected<Tensor> tensor =
      Tensor::create(dtypes::int64, {static_cast<int64_t>(list->elts.size())});
  if (!tensor)
    return fail(node, llvm::toString(tensor.takeError()));
  for (auto [i, item] : llvm::enumerate(list->elts)) {
    // Elements may be poisoned: nothing reads them here.
    Result value = eval(*item);
    if (!value)
      return std::nullopt;
    const Array *array = std::get_if<Array>(&*value);
    if (!array || array->tensor.dtype() != array->dtype)
      return fail(*item, "this must be a tensor that has a place in memory");
    const auto address = reinterpret_cast<uint64_t>(array->tensor.data());
    std::memcpy(tensor->data() + i * sizeof address, &address, sizeof address);
    tensor->storage()->reached.emplace_back(std::string(item->span.text()),
                                            array->tensor.storage());
  }
  return HostValue(Array::of(std::move(*tensor)));
}

Evaluation::Result Evaluation::allclose(const BoundExprs &arguments, const ast::Call &node) {
  std::optional<Array> a = array(*arguments[0]);
  if (!a)
    return std::nullopt;
  std::optional<Array> b = array(*arguments[1]);
  if (!b)
    return std::nullopt;
  Tolerance allowed = tolerance.value_or(defaultTolerance(a->dtype, b->dtype));
  for (auto [expr, part] :
       {std::pair(arguments[2], &allowed.relative), std::pair(arguments[3], &allowed.absolute)}) {
    if (!expr)
      continue;
    std::optional<double> given = number(*expr);
    if (!given)
      return std::nullopt;
    *part = *given;
  }
  llvm::Expected<Difference> difference = compare(*a, *b, allowed);
  if (!difference)
    return fail(node, llvm::toString(difference.takeError()));
  if (difference->count)
    noteDifference(node, *a, *b, allowed);
  Tensor truth = llvm::cantFail(Tensor::create(dtypes::int1, {}));
  encodeElement(dtypes::int1, difference->count == 0, truth.data());
  return HostValue(Array::of(std::move(truth)));
}

static Value shapeOf(llvm::ArrayRef<int64_t> shape) {
  std::vector<Value> dims;
  for (int64_t dim : shape)
    dims.push_back(Value::integer(dim));
  return Value::tuple(std::move(dims));
}

Evaluation::Result Evaluation::method(const Entry &entry, const Array &self,
                                      const BoundExprs &arguments, const ast::Call &node) {
  const Tensor &tensor = self.tensor;
  auto view = [&](Tensor other) { return HostValue(Array{std::move(other), self.dtype}); };
  std::optional<int64_t> axis;
  if ((entry.op == Size || entry.op == Stride || entry.op >= FirstReduction) && arguments[0] &&
      !(axis = integer(*arguments[0])))
    return std::nullopt;
  const int64_t rank = static_cast<int64_t>(tensor.rank());
  if (axis && (*axis < -rank || *axis >= rank))
    return fail(node, "there is no axis " + llvm::Twine(*axis) + " in shape " +
                          shapeText(tensor.shape()));
  size_t at = axis ? static_cast<size_t>(*axis < 0 ? *axis + rank : *axis) : 0;
  switch (entry.op) {
  case Numel:
    return HostValue(Value::integer(tensor.size()));
  case Dim:
    return HostValue(Value::integer(rank));
  case Size:
    return HostValue(axis ? Value::integer(tensor.shape()[at]) : shapeOf(tensor.shape()));
  case Stride:
    return HostValue(axis ? Value::integer(tensor.strides()[at]) : shapeOf(tensor.strides()));
  case Transpose:
    return view(tensor.transposed());
  default:
    break;
  }
  // What follows reads the elements, or hands them on under another shape.
  if (entry.op == Reshape) {
    std::optional<Shape> dims = shape(*arguments[0]);
    if (!dims)
      return std::nullopt;
    if (std::optional<Tensor> same = tensor.reshaped(*dims))
      return view(std::move(*same));
    return fail(node, "a tensor of shape " + shapeText(tensor.shape()) +
                          (tensor.isRowMajor() ? "" : ", which is not contiguous,") +
                          " cannot be viewed as " + shapeText(*dims));
  }
  if (!usable(self, node))
    return std::nullopt;
  if (entry.op == To) {
    std::optional<DType> wanted = dtype(arguments[0], self.dtype);
    if (!wanted)
      return std::nullopt;
    return take(wrap(convert(self, *wanted)), node);
  }
  if (entry.op == Contiguous)
    return take(wrap(convert(self, self.dtype)), node);
  return take(reduce(static_cast<ArrayReduction>(entry.op - FirstReduction), self, axis), node);
}

} // namespace gluonc::host

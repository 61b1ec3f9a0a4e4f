#include "host/Array.h"
#include "host/NumberFormat.h"
#include "support/Error.h"

#include <cmath>
#include <cstring>

namespace gluonc::host {

using sema::DType;
using sema::ScalarKind;
namespace dtypes = sema::dtypes;

static llvm::Error bad(const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

Array Array::number(double value, bool isInteger) {
  Tensor tensor = llvm::cantFail(Tensor::create(dtypes::float64, {}));
  encodeElement(dtypes::float64, value, tensor.data());
  Array array{std::move(tensor), isInteger ? dtypes::int64 : dtypes::float32};
  array.isNumber = true;
  return array;
}

llvm::Expected<Shape> broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape out(a.begin(), a.end());
  size_t lead = a.size() - b.size();
  for (size_t i = 0; i != b.size(); ++i) {
    int64_t &dim = out[lead + i];
    if (dim == 1)
      dim = b[i];
    else if (b[i] != 1 && b[i] != dim)
      return bad("shapes " + shapeText(a) + " and " + shapeText(b) + " do not fit together");
  }
  return out;
}

/// Strides of `tensor` in a larger shape, 0 along what repeats.
static Shape broadcastSteps(const Tensor &tensor, llvm::ArrayRef<int64_t> shape) {
  Shape steps(shape.size(), 0);
  size_t lead = shape.size() - tensor.rank();
  for (size_t i = 0; i != tensor.rank(); ++i)
    if (tensor.shape()[i] != 1)
      steps[lead + i] = tensor.strides()[i];
  return steps;
}

namespace {

/// Walks a tensor in the order of a (broadcast) shape and hands out doubles a row at a time.
class Rows {
public:
  Rows(const Tensor &tensor, llvm::ArrayRef<int64_t> shape)
      : dtype(tensor.dtype()), bytes(dtype.byteSize()), base(tensor.data()),
        shape(shape.begin(), shape.end()), steps(broadcastSteps(tensor, shape)),
        index(shape.size(), 0) {}

  int64_t rowLength() const { return shape.empty() ? 1 : shape.back(); }
  int64_t rowCount() const {
    int64_t count = 1;
    for (size_t i = 0; i + 1 < shape.size(); ++i)
      count *= shape[i];
    return count;
  }
  const uint8_t *rowStart() const { return base + offset * bytes; }
  int64_t rowStep() const { return shape.empty() ? 0 : steps.back() * bytes; }

  /// Elements [first, first + length) of the current row.
  void read(double *out, int64_t first, int64_t length) const {
    const int64_t step = rowStep();
    const uint8_t *at = rowStart() + first * step;
    switch (dtype.scalarKind()) {
    case ScalarKind::Float64:
      return readAs<double>(at, step, length, out);
    case ScalarKind::Float32:
      return readAs<float>(at, step, length, out);
    case ScalarKind::Int32:
      return readAs<int32_t>(at, step, length, out);
    case ScalarKind::Int8:
      return readAs<int8_t>(at, step, length, out);
    default:
      for (int64_t i = 0; i != length; ++i, at += step)
        out[i] = decodeElement(dtype, at);
    }
  }
  void next() {
    for (size_t axis = shape.empty() ? 0 : shape.size() - 1; axis-- != 0;) {
      offset += steps[axis];
      if (++index[axis] != shape[axis])
        return;
      offset -= steps[axis] * shape[axis];
      index[axis] = 0;
    }
  }

private:
  template <typename T>
  static void readAs(const uint8_t *at, int64_t step, int64_t length, double *out) {
    for (int64_t i = 0; i != length; ++i, at += step) {
      T value;
      std::memcpy(&value, at, sizeof value);
      out[i] = static_cast<double>(value);
    }
  }

  DType dtype;
  int64_t bytes;
  const uint8_t *base;
  Shape shape, steps, index;
  int64_t offset = 0;
};

} // namespace

/// Rows are worked on in pieces: a vector of 64 MiB is one row, but needs no copy in float64.
constexpr int64_t pieceLength = 4096;

/// Calls `f(first, length)` for each piece of a row of `total` elements.
template <typename Fn> static void eachPiece(int64_t total, Fn &&f) {
  for (int64_t first = 0; first < total; first += pieceLength)
    f(first, std::min(pieceLength, total - first));
}

static bool isComparison(ArrayOp op) { return op >= ArrayOp::Eq; }
static bool isBitwise(ArrayOp op) { return op >= ArrayOp::And && op <= ArrayOp::Shr; }

static double pythonMod(double a, double b) {
  double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static double bitwise(ArrayOp op, double a, double b) {
  int64_t x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  switch (op) {
  case ArrayOp::And:
    return static_cast<double>(x & y);
  case ArrayOp::Or:
    return static_cast<double>(x | y);
  case ArrayOp::Xor:
    return static_cast<double>(x ^ y);
  case ArrayOp::Shl:
    return y < 0 || y > 62 ? 0 : std::ldexp(a, static_cast<int>(y));
  case ArrayOp::Shr:
    return static_cast<double>(x >> std::clamp<int64_t>(y, 0, 63));
  default:
    GL_UNREACHABLE("not bitwise");
  }
}

/// One operator over whole rows, so that the switch stays out of the inner loop.
template <typename Out, typename Fn>
static void eachPair(const double *a, const double *b, Out *out, int64_t n, Fn &&f) {
  for (int64_t i = 0; i != n; ++i)
    out[i] = static_cast<Out>(f(a[i], b[i]));
}

static void compareRow(ArrayOp op, const double *a, const double *b, uint8_t *out, int64_t n) {
  switch (op) {
  case ArrayOp::Eq:
    return eachPair(a, b, out, n, [](double x, double y) { return x == y; });
  case ArrayOp::Ne:
    return eachPair(a, b, out, n, [](double x, double y) { return x != y; });
  case ArrayOp::Lt:
    return eachPair(a, b, out, n, [](double x, double y) { return x < y; });
  case ArrayOp::Le:
    return eachPair(a, b, out, n, [](double x, double y) { return x <= y; });
  case ArrayOp::Gt:
    return eachPair(a, b, out, n, [](double x, double y) { return x > y; });
  case ArrayOp::Ge:
    return eachPair(a, b, out, n, [](double x, double y) { return x >= y; });
  default:
    GL_UNREACHABLE("not a comparison");
  }
}

static void computeRow(ArrayOp op, const double *a, const double *b, double *out, int64_t n) {
  switch (op) {
  case ArrayOp::Add:
    return eachPair(a, b, out, n, [](double x, double y) { return x + y; });
  case ArrayOp::Sub:
    return eachPair(a, b, out, n, [](double x, double y) { return x - y; });
  case ArrayOp::Mul:
    return eachPair(a, b, out, n, [](double x, double y) { return x * y; });
  case ArrayOp::Div:
    return eachPair(a, b, out, n, [](double x, double y) { return x / y; });
  case ArrayOp::FloorDiv:
    return eachPair(a, b, out, n, [](double x, double y) { return std::floor(x / y); });
  case ArrayOp::Mod:
    return eachPair(a, b, out, n, pythonMod);
  case ArrayOp::Pow:
    return eachPair(a, b, out, n, [](double x, double y) { return std::pow(x, y); });
  // NaN spreads, as in numpy.minimum.
  case ArrayOp::Min:
    return eachPair(a, b, out, n,
                    [](double x, double y) { return x < y || std::isnan(x) ? x : y; });
  case ArrayOp::Max:
    return eachPair(a, b, out, n,
                    [](double x, double y) { return x > y || std::isnan(x) ? x : y; });
  default:
    return eachPair(a, b, out, n, [op](double x, double y) { return bitwise(op, x, y); });
  }
}

/// NumPy's promotion, as far as host expressions need it: a number adopts the array's dtype,
/// floats win over integers, wider wins over narrower, fp16 with bf16 gives fp32.
static DType promote(const Array &lhs, const Array &rhs) {
  DType a = lhs.dtype, b = rhs.dtype;
  if (lhs.isNumber != rhs.isNumber) {
    DType array = lhs.isNumber ? b : a;
    DType number = lhs.isNumber ? a : b;
    if (array.isFloat() || !number.isFloat())
      return array.isBool() && !number.isBool() ? number : array;
    return dtypes::float32;
  }
  if (a == b)
    return a;
  if (a.isFloat() != b.isFloat())
    return a.isFloat() ? a : b;
  if (a.bitWidth() != b.bitWidth())
    return a.bitWidth() > b.bitWidth() ? a : b;
  if (a.isFloat())
    return dtypes::float32;
  return a.isSignedInt() ? a : b;
}

/// Comparison of integer tensors without rounding to float64.
static std::optional<Array> compareIntegers(ArrayOp op, const Array &lhs, const Array &rhs) {
  DType dtype = lhs.tensor.dtype();
  if (dtype != rhs.tensor.dtype() || dtype.bitWidth() != 64 || dtype.isFloat() ||
      lhs.shape() != rhs.shape() || (op != ArrayOp::Eq && op != ArrayOp::Ne))
    return std::nullopt;
  llvm::Expected<Tensor> out = Tensor::create(dtypes::int1, lhs.shape());
  if (!out) {
    llvm::consumeError(out.takeError());
    return std::nullopt;
  }
  Rows a(lhs.tensor, lhs.shape()), b(rhs.tensor, lhs.shape());
  uint8_t *to = out->data();
  for (int64_t row = 0, rows = out->size() ? a.rowCount() : 0; row != rows; ++row) {
    const uint8_t *x = a.rowStart(), *y = b.rowStart();
    for (int64_t i = 0; i != a.rowLength(); ++i, x += a.rowStep(), y += b.rowStep())
      *to++ = (std::memcmp(x, y, 8) == 0) == (op == ArrayOp::Eq);
    a.next();
    b.next();
  }
  return Array::of(std::move(*out));
}

llvm::Expected<Array> apply(ArrayOp op, const Array &lhs, const Array &rhs) {
  if (isComparison(op))
    if (std::optional<Array> exact = compareIntegers(op, lhs, rhs))
      return std::move(*exact);
  llvm::Expected<Shape> shape = broadcastShapes(lhs.shape(), rhs.shape());
  if (!shape)
    return shape.takeError();
  DType result = promote(lhs, rhs);
  if (isBitwise(op) && result.isFloat())
    return bad("bitwise operators need integers or truth values");
  if (op == ArrayOp::Div && !result.isFloat())
    result = dtypes::float32;
  bool truth = isComparison(op) || (isBitwise(op) && result.isBool());
  llvm::Expected<Tensor> out = Tensor::create(truth ? dtypes::int1 : dtypes::float64, *shape);
  if (!out)
    return out.takeError();
  Rows a(lhs.tensor, *shape), b(rhs.tensor, *shape);
  std::vector<double> x(pieceLength), y(pieceLength), z(pieceLength);
  uint8_t *to = out->data();
  for (int64_t row = 0, rows = out->size() ? a.rowCount() : 0; row != rows; ++row) {
    eachPiece(a.rowLength(), [&](int64_t first, int64_t length) {
      a.read(x.data(), first, length);
      b.read(y.data(), first, length);
      if (isComparison(op)) {
        compareRow(op, x.data(), y.data(), to, length);
      } else {
        computeRow(op, x.data(), y.data(), z.data(), length);
        if (truth)
          for (int64_t i = 0; i != length; ++i)
            to[i] = z[static_cast<size_t>(i)] != 0;
        else
          std::memcpy(to, z.data(), static_cast<size_t>(length) * 8);
      }
      to += length * (truth ? 1 : 8);
    });
    a.next();
    b.next();
  }
  Array array{std::move(*out), truth ? dtypes::int1 : result};
  array.isNumber = lhs.isNumber && rhs.isNumber;
  return array;
}

static double mapOne(ArrayMap op, double x) {
  switch (op) {
  case ArrayMap::Neg:
    return -x;
  case ArrayMap::Not:
    return static_cast<double>(~static_cast<int64_t>(x));
  case ArrayMap::Abs:
    return std::fabs(x);
  case ArrayMap::Sqrt:
    return std::sqrt(x);
  case ArrayMap::Rsqrt:
    return 1 / std::sqrt(x);
  case ArrayMap::Exp:
    return std::exp(x);
  case ArrayMap::Exp2:
    return std::exp2(x);
  case ArrayMap::Log:
    return std::log(x);
  case ArrayMap::Log2:
    return std::log2(x);
  case ArrayMap::Sin:
    return std::sin(x);
  case ArrayMap::Cos:
    return std::cos(x);
  case ArrayMap::Tanh:
    return std::tanh(x);
  case ArrayMap::Erf:
    return std::erf(x);
  case ArrayMap::Floor:
    return std::floor(x);
  case ArrayMap::Ceil:
    return std::ceil(x);
  case ArrayMap::Trunc:
    return std::trunc(x);
  case ArrayMap::Round:
    return std::nearbyint(x);
  case ArrayMap::IsNan:
    return std::isnan(x);
  }
  GL_UNREACHABLE("bad ArrayMap");
}

llvm::Expected<Array> map(ArrayMap op, const Array &operand) {
  bool negatesTruth = op == ArrayMap::Not && operand.dtype.isBool();
  if (op == ArrayMap::Not && operand.dtype.isFloat())
    return bad("~ needs integers or truth values");
  bool truth = negatesTruth || op == ArrayMap::IsNan;
  llvm::Expected<Tensor> out =
      Tensor::create(truth ? dtypes::int1 : dtypes::float64, operand.shape());
  if (!out)
    return out.takeError();
  Rows in(operand.tensor, operand.shape());
  std::vector<double> x(pieceLength);
  uint8_t *to = out->data();
  for (int64_t row = 0, rows = out->size() ? in.rowCount() : 0; row != rows; ++row) {
    eachPiece(in.rowLength(), [&](int64_t first, int64_t length) {
      in.read(x.data(), first, length);
      for (double value : llvm::ArrayRef(x).take_front(static_cast<size_t>(length))) {
        encodeElement(out->dtype(), negatesTruth ? value == 0 : mapOne(op, value), to);
        to += truth ? 1 : 8;
      }
    });
    in.next();
  }
  bool keepsType = op == ArrayMap::Neg || op == ArrayMap::Not || op == ArrayMap::Abs ||
                   op == ArrayMap::Floor || op == ArrayMap::Ceil || op == ArrayMap::Trunc ||
                   op == ArrayMap::Round || operand.dtype.isFloat();
  Array array{std::move(*out), truth ? dtypes::int1 : keepsType ? operand.dtype : dtypes::float32};
  array.isNumber = operand.isNumber;
  return array;
}

llvm::Expected<Array> select(const Array &condition, const Array &yes, const Array &no) {
  llvm::Expected<Shape> values = broadcastShapes(yes.shape(), no.shape());
  if (!values)
    return values.takeError();
  llvm::Expected<Shape> shape = broadcastShapes(condition.shape(), *values);
  if (!shape)
    return shape.takeError();
  llvm::Expected<Tensor> out = Tensor::create(dtypes::float64, *shape);
  if (!out)
    return out.takeError();
  Rows c(condition.tensor, *shape), a(yes.tensor, *shape), b(no.tensor, *shape);
  std::vector<double> test(pieceLength), x(pieceLength), y(pieceLength);
  uint8_t *to = out->data();
  for (int64_t row = 0, rows = out->size() ? c.rowCount() : 0; row != rows; ++row) {
    eachPiece(c.rowLength(), [&](int64_t first, int64_t length) {
      c.read(test.data(), first, length);
      a.read(x.data(), first, length);
      b.read(y.data(), first, length);
      size_t count = static_cast<size_t>(length);
      for (size_t i = 0; i != count; ++i)
        x[i] = test[i] != 0 ? x[i] : y[i];
      std::memcpy(to, x.data(), count * 8);
      to += count * 8;
    });
    c.next();
    a.next();
    b.next();
  }
  return Array{std::move(*out), promote(yes, no)};
}

static double foldStart(ArrayReduction op) {
  switch (op) {
  case ArrayReduction::Max:
    return -INFINITY;
  case ArrayReduction::Min:
    return INFINITY;
  case ArrayReduction::Prod:
  case ArrayReduction::All:
    return 1;
  default:
    return 0;
  }
}

static double fold(ArrayReduction op, double total, double x) {
  switch (op) {
  case ArrayReduction::Sum:
  case ArrayReduction::Mean:
    return total + x;
  case ArrayReduction::Prod:
    return total * x;
  case ArrayReduction::Max:
    return x > total || std::isnan(x) ? x : total;
  case ArrayReduction::Min:
    return x < total || std::isnan(x) ? x : total;
  case ArrayReduction::Any:
    return total != 0 || x != 0;
  case ArrayReduction::All:
    return total != 0 && x != 0;
  }
  GL_UNREACHABLE("bad ArrayReduction");
}

llvm::Expected<Array> reduce(ArrayReduction op, const Array &operand, std::optional<int64_t> axis) {
  const int64_t rank = static_cast<int64_t>(operand.tensor.rank());
  if (axis && (*axis < -rank || *axis >= rank))
    return bad("there is no axis " + llvm::Twine(*axis) + " in shape " +
               shapeText(operand.shape()));
  Shape rest;
  Tensor in = operand.tensor;
  int64_t folded = in.size();
  if (axis) {
    size_t at = static_cast<size_t>(*axis < 0 ? *axis + rank : *axis);
    rest.assign(in.shape().begin(), in.shape().end());
    folded = rest[at];
    rest.erase(rest.begin() + static_cast<long>(at));
  }
  if (folded == 0 && (op == ArrayReduction::Max || op == ArrayReduction::Min))
    return bad("an empty array has no largest or smallest element");
  bool truth = op == ArrayReduction::Any || op == ArrayReduction::All;
  llvm::Expected<Tensor> out = Tensor::create(dtypes::float64, rest);
  if (!out)
    return out.takeError();
  double *totals = reinterpret_cast<double *>(out->data());
  int64_t outCount = out->size();
  std::fill(totals, totals + outCount, foldStart(op));
  // Position of an element's total: its index without the folded axis.
  int64_t inner = 1;
  if (axis)
    for (size_t i = static_cast<size_t>(*axis < 0 ? *axis + rank : *axis) + 1; i != in.rank(); ++i)
      inner *= in.shape()[i];
  int64_t flat = 0;
  DType dtype = in.dtype();
  in.forEach([&](const uint8_t *at) {
    int64_t to = axis ? flat / (inner * folded) * inner + flat % inner : 0;
    totals[to] = fold(op, totals[to], decodeElement(dtype, at));
    ++flat;
  });
  if (op == ArrayReduction::Mean)
    for (int64_t i = 0; i != outCount; ++i)
      totals[i] /= static_cast<double>(folded);
  DType result = truth                                                    ? dtypes::int1
                 : op == ArrayReduction::Mean && !operand.dtype.isFloat() ? dtypes::float32
                                                                          : operand.dtype;
  return Array{std::move(*out), result};
}

llvm::Expected<Array> matmul(const Array &lhs, const Array &rhs) {
  Tensor a = lhs.tensor, b = rhs.tensor;
  if (a.rank() == 0 || b.rank() == 0)
    return bad("@ needs matrices or vectors");
  bool leftVector = a.rank() == 1, rightVector = b.rank() == 1;
  if (leftVector)
    a = a.withNewAxis(0);
  if (rightVector)
    b = b.withNewAxis(1);
  size_t batch = a.rank() - 2;
  if (a.shape().back() != b.shape()[b.rank() - 2] || b.rank() - 2 != batch ||
      a.shape().take_front(batch) != b.shape().take_front(batch))
    return bad("shapes " + shapeText(lhs.shape()) + " and " + shapeText(rhs.shape()) +
               " cannot be multiplied");
  const int64_t m = a.shape()[batch], k = a.shape()[batch + 1], n = b.shape()[batch + 1];
  Shape shape(a.shape().begin(), a.shape().end());
  shape.back() = n;
  llvm::Expected<Tensor> x = convert(Array::of(a), dtypes::float64);
  if (!x)
    return x.takeError();
  llvm::Expected<Tensor> y = convert(Array::of(b), dtypes::float64);
  if (!y)
    return y.takeError();
  llvm::Expected<Tensor> out = Tensor::create(dtypes::float64, shape);
  if (!out)
    return out.takeError();
  const double *left = reinterpret_cast<const double *>(x->data());
  const double *right = reinterpret_cast<const double *>(y->data());
  double *to = reinterpret_cast<double *>(out->data());
  for (int64_t page = 0, pages = m * n ? out->size() / (m * n) : 0; page != pages; ++page) {
    for (int64_t i = 0; i != m; ++i)
      for (int64_t p = 0; p != k; ++p) {
        double factor = left[i * k + p];
        for (int64_t j = 0; j != n; ++j)
          to[i * n + j] += factor * right[p * n + j];
      }
    left += m * k;
    right += k * n;
    to += m * n;
  }
  Tensor result = *out;
  if (rightVector)
    result = result.select(static_cast<unsigned>(result.rank() - 1), 0);
  if (leftVector)
    result = result.select(static_cast<unsigned>(batch), 0);
  return Array{std::move(result), promote(lhs, rhs)};
}

llvm::Expected<Tensor> convert(const Array &array, DType dtype) {
  llvm::Expected<Tensor> out = Tensor::create(dtype, array.shape());
  if (!out)
    return out.takeError();
  uint8_t *to = out->data();
  const int64_t bytes = dtype.byteSize();
  DType from = array.tensor.dtype();
  bool exact = from == dtype;
  bool integers = !from.isFloat() && !dtype.isFloat();
  array.tensor.forEach([&](const uint8_t *at) {
    if (exact)
      std::memcpy(to, at, static_cast<size_t>(bytes));
    else if (integers)
      encodeInteger(dtype, decodeInteger(from, at), to);
    else
      encodeElement(dtype, decodeElement(from, at), to);
    to += bytes;
  });
  return out;
}

llvm::Expected<Difference> compare(const Array &lhs, const Array &rhs, Tolerance tolerance) {
  llvm::Expected<Shape> shape = broadcastShapes(lhs.shape(), rhs.shape());
  if (!shape)
    return shape.takeError();
  Difference difference;
  Rows a(lhs.tensor, *shape), b(rhs.tensor, *shape);
  std::vector<double> x(pieceLength), y(pieceLength);
  std::optional<int64_t> first;
  auto note = [&](double left, double right, int64_t flat) {
    // Equal infinities agree although their difference is NaN.
    if (left == right)
      return;
    double apart = std::fabs(left - right);
    if (apart <= tolerance.absolute + tolerance.relative * std::fabs(right) && !std::isinf(right))
      return;
    if (!first) {
      first = flat;
      difference.lhs = left;
      difference.rhs = right;
    }
    ++difference.count;
    if (!(apart <= difference.largest))
      difference.largest = apart;
  };
  const int64_t rowLength = a.rowLength();
  for (int64_t row = 0, rows = rowLength ? a.rowCount() : 0; row != rows; ++row) {
    eachPiece(rowLength, [&](int64_t begin, int64_t length) {
      a.read(x.data(), begin, length);
      b.read(y.data(), begin, length);
      for (int64_t i = 0; i != length; ++i)
        note(x[static_cast<size_t>(i)], y[static_cast<size_t>(i)], row * rowLength + begin + i);
    });
    a.next();
    b.next();
  }
  if (first) {
    difference.index.resize(shape->size());
    for (size_t axis = shape->size(); axis-- != 0;) {
      difference.index[axis] = *first % (*shape)[axis];
      *first /= (*shape)[axis];
    }
  }
  return difference;
}

Tolerance defaultTolerance(DType lhs, DType rhs) {
  auto of = [](DType dtype) -> Tolerance {
    switch (dtype.scalarKind()) {
    case ScalarKind::Float16:
      return {1e-3, 1e-5};
    case ScalarKind::BFloat16:
      return {1.6e-2, 1e-5};
    case ScalarKind::Float64:
      return {1e-7, 1e-7};
    case ScalarKind::Float32:
      return {1.3e-6, 1e-5};
    default:
      return dtype.isFp8() ? Tolerance{0.13, 1e-3} : Tolerance{0, 0};
    }
  };
  Tolerance a = of(lhs), b = of(rhs);
  return {std::max(a.relative, b.relative), std::max(a.absolute, b.absolute)};
}

} // namespace gluonc::host

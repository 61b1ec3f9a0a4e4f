#include "driver/verify/Compare.h"
#include "host/NumberFormat.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

namespace gluonc::driver {

/// A float's bits as an integer that grows with its value; -0 lies below +0.
static int64_t ordered(sema::DType dtype, const void *at) {
  uint64_t bits = 0;
  const unsigned bytes = dtype.byteSize();
  std::memcpy(&bits, at, bytes);
  uint64_t sign = uint64_t(1) << (8 * bytes - 1);
  auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -1 - magnitude : magnitude;
}

double ulpBetween(sema::DType dtype, const void *a, const void *b) {
  if (!dtype.isFloat())
    return std::abs(static_cast<double>(host::decodeInteger(dtype, a)) -
                    static_cast<double>(host::decodeInteger(dtype, b)));
  bool isNan = std::isnan(host::decodeElement(dtype, a));
  if (isNan != std::isnan(host::decodeElement(dtype, b)))
    return std::numeric_limits<double>::infinity();
  int64_t x = ordered(dtype, a), y = ordered(dtype, b);
  if (isNan || x == y)
    return 0;
  return x < y ? static_cast<double>(static_cast<uint64_t>(y) - static_cast<uint64_t>(x))
               : static_cast<double>(static_cast<uint64_t>(x) - static_cast<uint64_t>(y));
}

static std::string valueText(sema::DType dtype, const void *at) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (dtype.isFloat())
    out << llvm::format(dtype.byteSize() == 8 ? "%.17g" : "%.9g", host::decodeElement(dtype, at));
  else
    out << host::decodeInteger(dtype, at);
  return text;
}

static double absoluteBetween(sema::DType dtype, const void *a, const void *b) {
  double x = host::decodeElement(dtype, a), y = host::decodeElement(dtype, b);
  if (x == y || (std::isnan(x) && std::isnan(y)))
    return 0;
  double difference = std::fabs(x - y);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

static host::Shape indexOf(int64_t flat, llvm::ArrayRef<int64_t> shape) {
  host::Shape index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; flat /= shape[axis])
    index[axis] = flat % shape[axis];
  return index;
}

TensorDifference compareTensors(const host::Tensor &expected, const host::Tensor &found,
                                AllowedDifference allowed) {
  const sema::DType dtype = expected.dtype();
  std::vector<const uint8_t *> places;
  places.reserve(static_cast<size_t>(expected.size()));
  expected.forEach([&](const uint8_t *at) { places.push_back(at); });
  TensorDifference result;
  result.elements = expected.size();
  auto agree = [&](const uint8_t *a, const uint8_t *b, double ulp, double absolute) {
    if (!ulp)
      return true;
    if (!dtype.isFloat())
      return false;
    return ulp <= allowed.ulp ||
           absolute <= allowed.close.absolute +
                           allowed.close.relative * std::fabs(host::decodeElement(dtype, a));
  };
  int64_t flat = 0;
  found.forEach([&](const uint8_t *b) {
    const uint8_t *a = places[static_cast<size_t>(flat)];
    double ulp = ulpBetween(dtype, a, b), absolute = absoluteBetween(dtype, a, b);
    result.largestUlp = std::max(result.largestUlp, ulp);
    result.largestAbsolute = std::max(result.largestAbsolute, absolute);
    if (!agree(a, b, ulp, absolute) && !result.differing++) {
      result.index = indexOf(flat, expected.shape());
      result.expected = valueText(dtype, a);
      result.found = valueText(dtype, b);
    }
    ++flat;
  });
  return result;
}

host::Tensor snapshot(const host::Tensor &tensor) {
  host::Tensor copy = llvm::cantFail(host::Tensor::create(tensor.dtype(), tensor.shape()));
  uint8_t *to = copy.data();
  tensor.forEach([&](const uint8_t *at) {
    std::memcpy(to, at, tensor.dtype().byteSize());
    to += tensor.dtype().byteSize();
  });
  return copy;
}

} // namespace gluonc::driver

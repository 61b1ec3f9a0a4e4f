#include "debug/TensorText.h"

#include "host/NumberFormat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

namespace gluonc::debug {
namespace {

constexpr int64_t kMostElements = 1000, kEdge = 3;
constexpr size_t kLineWidth = 75;

class Printer {
public:
  Printer(llvm::ArrayRef<int64_t> shape, PrintElement element) : shape(shape), element(element) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    isCut = count > kMostElements;
  }

  std::string print() {
    // Twice: the first time says how wide a column is.
    std::string text = part(0, 0);
    width = widest;
    return width ? part(0, 0) : text;
  }

private:
  std::string part(unsigned dim, int64_t first) {
    if (dim == shape.size()) {
      std::string text = element(first);
      widest = std::max(widest, text.size());
      return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
    }
    const std::string indent(dim + 1, ' ');
    const bool isRow = dim + 1 == shape.size();
    const std::string newLine = std::string(isRow ? 1 : shape.size() - dim - 1, '\n') + indent;
    const bool leavesOut = isCut && shape[dim] > 2 * kEdge;
    std::string text = "[";
    size_t column = indent.size();
    auto add = [&](const std::string &item) {
      const bool breaks = !isRow || column + item.size() > kLineWidth;
      if (text != "[") {
        text += breaks ? newLine : " ";
        column = breaks ? indent.size() : column + 1;
      }
      text += item;
      column += item.size();
    };
    for (int64_t i = 0; i < shape[dim]; ++i) {
      if (leavesOut && i == kEdge) {
        i = shape[dim] - kEdge;
        add("...");
      }
      add(part(dim + 1, first * shape[dim] + i));
    }
    return text + "]";
  }

  llvm::ArrayRef<int64_t> shape;
  PrintElement element;
  bool isCut;
  size_t width = 0, widest = 0;
};

std::string floatText(double value, unsigned bits) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(bits > 32    ? "%.12g"
                                                 : bits == 32 ? "%.7g"
                                                              : "%.4g",
                                                 value);
  return text.find_first_of(".e") == std::string::npos ? text + "." : text;
}

} // namespace

std::string arrayText(llvm::ArrayRef<int64_t> shape, PrintElement element) {
  return Printer(shape, element).print();
}

std::string elementText(const host::Tensor &tensor, const uint8_t *element) {
  const host::Buffer &buffer = *tensor.storage();
  const sema::DType dtype = tensor.dtype();
  if (!buffer.isWritten(uint64_t(element - buffer.data()), dtype.byteSize()))
    return "??";
  if (dtype.isBool())
    return *element ? "True" : "False";
  if (dtype.isFloat())
    return floatText(host::decodeElement(dtype, element), dtype.bitWidth());
  int64_t value = host::decodeInteger(dtype, element);
  return dtype.isSignedInt() ? std::to_string(value) : std::to_string(uint64_t(value));
}

std::string tensorText(const host::Tensor &tensor) {
  std::vector<const uint8_t *> elements;
  tensor.forEach([&](const uint8_t *at) { elements.push_back(at); });
  return arrayText(tensor.shape(),
                   [&](int64_t element) { return elementText(tensor, elements[size_t(element)]); });
}

} // namespace gluonc::debug

#include "lift/Text.h"

#include "ir/Dialects.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

using namespace mlir;

namespace gluonc::lift {

std::optional<std::string> dtypeText(Type element, bool isUnsigned) {
  if (auto pointer = dyn_cast<tt::PointerType>(element)) {
    std::optional<std::string> pointee = dtypeText(pointer.getPointeeType(), isUnsigned);
    if (!pointee || pointer.getAddressSpace() != 1)
      return std::nullopt;
    return "gl.pointer_type(" + *pointee + ")";
  }
  if (auto integer = dyn_cast<IntegerType>(element))
    return (isUnsigned && integer.getWidth() > 1 ? "gl.uint" : "gl.int") +
           std::to_string(integer.getWidth());
  return llvm::TypeSwitch<Type, std::optional<std::string>>(element)
      .Case([](Float8E4M3FNType) { return "gl.float8e4nv"; })
      .Case([](Float8E4M3FNUZType) { return "gl.float8e4b8"; })
      .Case([](Float8E5M2Type) { return "gl.float8e5"; })
      .Case([](Float8E5M2FNUZType) { return "gl.float8e5b16"; })
      .Case([](Float16Type) { return "gl.float16"; })
      .Case([](BFloat16Type) { return "gl.bfloat16"; })
      .Case([](Float32Type) { return "gl.float32"; })
      .Case([](Float64Type) { return "gl.float64"; })
      .Default([](Type) { return std::nullopt; });
}

Attribute elementOf(Attribute constant) {
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(constant))
    return dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
  return isa_and_present<IntegerAttr, FloatAttr>(constant) ? constant : Attribute();
}

static double doubleOf(FloatAttr number) {
  bool losesInfo = false;
  llvm::APFloat value = number.getValue();
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

/// The shortest digits that give the number; of a float32, that round to it.
static std::string digitsOf(double value, bool isSingle) {
  char digits[40];
  if (isSingle) {
    std::string text(digits, std::to_chars(digits, std::end(digits), float(value)).ptr);
    // Digits are read as a double, which is rounded once more.
    if (double(float(std::strtod(text.c_str(), nullptr))) == value)
      return text;
  }
  return {digits, std::to_chars(digits, std::end(digits), value).ptr};
}

static std::string floatText(double value, bool isSingle) {
  if (std::isnan(value))
    return "float(\"nan\")";
  if (std::isinf(value))
    return value < 0 ? "float(\"-inf\")" : "float(\"inf\")";
  std::string text = digitsOf(value, isSingle);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string numberText(Attribute element, bool isUnsigned) {
  if (auto number = dyn_cast<FloatAttr>(element))
    return floatText(doubleOf(number), number.getType().isF32());
  llvm::APInt value = cast<IntegerAttr>(element).getValue();
  if (value.getBitWidth() == 1)
    return value.isZero() ? "False" : "True";
  return llvm::toString(value, 10, /*Signed=*/!isUnsigned);
}

bool hasOwnType(Attribute element) {
  Type type = cast<TypedAttr>(element).getType();
  if (!isa<FloatAttr>(element))
    return type.isInteger(1) || type.isInteger(32);
  double value = std::fabs(doubleOf(cast<FloatAttr>(element)));
  bool isNormal =
      value == 0 || !std::isfinite(value) || value >= double(std::numeric_limits<float>::min());
  return type.isF32() && isNormal;
}

template <typename T> static std::string anyListText(llvm::ArrayRef<T> numbers) {
  std::string text = "[";
  for (T number : numbers)
    text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}
std::string listText(llvm::ArrayRef<int64_t> numbers) { return anyListText(numbers); }
std::string listText(llvm::ArrayRef<int32_t> numbers) { return anyListText(numbers); }

std::string quoted(llvm::StringRef text) {
  std::string made = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      (made += '\\') += c;
    else if (c == '\n')
      made += "\\n";
    else if (llvm::isPrint(c))
      made += c;
    else
      made += "\\x" + llvm::toHex(llvm::StringRef(&c, 1), /*LowerCase=*/true);
  }
  return made + "\"";
}

/// Words that Python, the file's head or the language has taken.
static bool isReserved(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"False", "None", "True", "and", "as", "assert", "async", "await", "break"}, true)
      .Cases({"class", "continue", "def", "del", "elif", "else", "except", "finally"}, true)
      .Cases({"for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal"}, true)
      .Cases({"not", "or", "pass", "raise", "return", "try", "while", "with", "yield"}, true)
      .Cases({"gl", "gluon", "float", "range", "ampere", "hopper", "blackwell"}, true)
      .Cases({"cdna3", "cdna4", "cdna5", "rdna3", "rdna4"}, true)
      .Default(false);
}

std::string Names::fresh(llvm::StringRef wanted, const llvm::StringSet<> &elsewhere) {
  auto take = [&](llvm::StringRef name) {
    return !elsewhere.contains(name) && taken.insert(name).second;
  };
  if (!isReserved(wanted) && take(wanted))
    return wanted.str();
  unsigned &number = last[wanted];
  // A name that ends in a digit would read as another number.
  std::string between = llvm::isDigit(wanted.back()) || isReserved(wanted) ? "_" : "";
  std::string name;
  do
    name = (wanted + between + llvm::Twine(++number)).str();
  while (!take(name));
  return name;
}

} // namespace gluonc::lift

// Format specifications of numbers and strings: read, then laid out.

#include "sema/value/Format.h"

#include "sema/eval/Work.h"
#include "sema/value/Numbers.h"
#include "sema/value/Repr.h"
#include "sema/value/Text.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>

namespace gluonc::sema {

// -- Digits of numbers --------------------------------------------------------------

namespace {

/// 0.d1d2d3… * 10^point.
struct Decimal {
  std::string digits;
  int point;
};

} // namespace

/// Rounded to `count` digits; to the fewest that tell the number from others without one.
static Decimal decimalOf(double value, std::optional<unsigned> count) {
  std::string buffer(count.value_or(0) + 32, 0);
  char *begin = buffer.data(), *limit = begin + buffer.size();
  auto form = std::chars_format::scientific;
  char *end = count ? std::to_chars(begin, limit, value, form, int(*count) - 1).ptr
                    : std::to_chars(begin, limit, value, form).ptr;
  auto [mantissa, exponent] = llvm::StringRef(begin, size_t(end - begin)).split('e');
  Decimal result{mantissa.str(), 0};
  llvm::erase(result.digits, '.');
  (void)exponent.ltrim('+').getAsInteger(10, result.point);
  ++result.point;
  return result;
}

static std::string withExponent(const Decimal &decimal, bool keepsPoint) {
  std::string text = decimal.digits.substr(0, 1);
  if (keepsPoint || decimal.digits.size() > 1)
    text += '.';
  text += decimal.digits.substr(1);
  int exponent = decimal.point - 1;
  std::string magnitude = std::to_string(std::abs(exponent));
  return text + (exponent < 0 ? "e-" : "e+") + (magnitude.size() < 2 ? "0" : "") + magnitude;
}

static std::string withoutExponent(const Decimal &decimal, bool keepsPoint) {
  std::string digits = decimal.digits;
  int point = decimal.point;
  if (point <= 0) {
    digits.insert(0, size_t(1 - point), '0');
    point = 1;
  }
  if (digits.size() < size_t(point))
    digits.resize(size_t(point), '0');
  bool hasFraction = digits.size() > size_t(point);
  if (keepsPoint || hasFraction)
    digits.insert(size_t(point), ".");
  return digits;
}

/// `g`: the exponent form for numbers of more than `precision` digits, and no trailing zeros.
/// `isUntyped`: as without a type, where a fraction always shows.
static std::string generalText(double value, std::optional<unsigned> precision, bool keepsPoint,
                               bool isUntyped) {
  std::optional<unsigned> count = precision ? std::optional(std::max(*precision, 1u)) : precision;
  Decimal decimal = decimalOf(value, count);
  if (!keepsPoint || !count)
    while (decimal.digits.size() > 1 && decimal.digits.back() == '0')
      decimal.digits.pop_back();
  int limit = count ? int(*count) - isUntyped : 16;
  if (decimal.point <= -4 || decimal.point > limit)
    return withExponent(decimal, keepsPoint);
  std::string text = withoutExponent(decimal, keepsPoint || isUntyped);
  return isUntyped && text.back() == '.' ? text + "0" : text;
}

static std::string fixedText(double value, unsigned precision, bool keepsPoint) {
  // The largest float64 has 309 digits.
  std::string buffer(precision + 320, 0);
  char *begin = buffer.data();
  char *end =
      std::to_chars(begin, begin + buffer.size(), value, std::chars_format::fixed, int(precision))
          .ptr;
  std::string text(begin, end);
  return keepsPoint && precision == 0 ? text + "." : text;
}

std::string realText(double value, char type, unsigned precision, bool keepsPoint) {
  std::string text =
      !std::isfinite(value)        ? pythonFloat(value)
      : llvm::toLower(type) == 'e' ? withExponent(decimalOf(value, precision + 1), keepsPoint)
      : llvm::toLower(type) == 'f' ? fixedText(value, precision, keepsPoint)
                                   : generalText(value, precision, keepsPoint, false);
  return llvm::isUpper(type) ? llvm::StringRef(text).upper() : text;
}

std::string integerDigits(const llvm::APInt &value, char type) {
  unsigned radix = type == 'd' ? 10 : type == 'o' ? 8 : type == 'b' ? 2 : 16;
  llvm::SmallString<64> digits;
  spend(uint64_t(value.getBitWidth()) * value.getNumWords());
  value.sext(value.getBitWidth() + 1).abs().toString(digits, radix, /*Signed=*/false);
  return type == 'X' ? digits.str().upper() : digits.str().lower();
}

// -- Specifications --------------------------------------------------------------------

namespace {

/// A number or string on its way into its field.
struct Pieces {
  std::string prefix;
  /// Where zeros and separators go.
  std::string digits;
  std::string rest;
};

struct Spec {
  std::string fill = " ";
  char align = 0, sign = 0, type = 0, grouping = 0;
  bool noNegativeZero = false, alternate = false;
  unsigned width = 0;
  std::optional<unsigned> precision;

  static std::optional<Spec> parse(llvm::StringRef text, char naturalAlign);
  bool allowsGrouping() const;
  std::string pad(const Pieces &pieces) const;
};

} // namespace

static bool isAlign(llvm::StringRef text) {
  return !text.empty() && llvm::StringRef("<>^=").contains(text.front());
}

/// False for a number that is too large.
static bool takeNumber(llvm::StringRef &text, unsigned &number) {
  return !text.consumeInteger(10, number) && number <= maxFormatWidth;
}

std::optional<Spec> Spec::parse(llvm::StringRef text, char naturalAlign) {
  Spec spec;
  llvm::StringRef first = prefixOf(text, 1);
  bool hasFill = isAlign(text.drop_front(first.size()));
  if (hasFill) {
    spec.fill = first.str();
    text = text.drop_front(first.size());
  }
  spec.align = naturalAlign;
  bool hasAlign = isAlign(text);
  if (hasAlign) {
    spec.align = text.front();
    text = text.drop_front();
  }
  if (!text.empty() && llvm::StringRef("+- ").contains(text.front())) {
    spec.sign = text.front();
    text = text.drop_front();
  }
  spec.noNegativeZero = text.consume_front("z");
  spec.alternate = text.consume_front("#");
  if (!hasFill && text.consume_front("0")) {
    spec.fill = "0";
    if (!hasAlign && naturalAlign == '>')
      spec.align = '=';
  }
  if (!text.empty() && llvm::isDigit(text.front()) && !takeNumber(text, spec.width))
    return std::nullopt;
  if (text.consume_front(","))
    spec.grouping = ',';
  else if (text.consume_front("_"))
    spec.grouping = '_';
  if (text.consume_front(".")) {
    spec.precision = 0;
    if (!takeNumber(text, *spec.precision))
      return std::nullopt;
  }
  spec.type = text.empty() ? 0 : text.front();
  if (text.size() > 1 || !spec.allowsGrouping())
    return std::nullopt;
  return spec;
}

bool Spec::allowsGrouping() const {
  if (!grouping || !type)
    return true;
  return llvm::StringRef(grouping == '_' ? "deEfFgG%boxX" : "deEfFgG%").contains(type);
}

/// Separators between groups of `size` digits, and zeros in front up to `width`. A separator never
/// comes first.
static std::string grouped(llvm::StringRef digits, char separator, size_t size, size_t width) {
  std::string result;
  while (true) {
    size_t wanted = std::max({digits.size(), width, size_t(1)});
    size_t length = std::min(size, wanted);
    llvm::StringRef piece = digits.take_back(length);
    digits = digits.drop_back(piece.size());
    result.insert(0, std::string(length - piece.size(), '0') + piece.str());
    width -= std::min(width, length);
    if (digits.empty() && width == 0)
      return result;
    width -= std::min<size_t>(width, 1);
    result.insert(result.begin(), separator);
  }
}

size_t missingWidth(llvm::StringRef text, size_t width) {
  size_t length = lengthOf(text);
  return width > length ? width - length : 0;
}

static std::string repeated(llvm::StringRef fill, size_t count) {
  std::string text;
  while (count--)
    text += fill;
  return text;
}

std::string Spec::pad(const Pieces &pieces) const {
  std::string digits = pieces.digits;
  if (grouping && !digits.empty()) {
    // Zeros are digits, too, and take separators.
    bool isFilled = fill == "0" && align == '=';
    size_t size = type && llvm::StringRef("boxX").contains(type) ? 4 : 3;
    size_t around = pieces.prefix.size() + pieces.rest.size();
    digits = grouped(digits, grouping, size, isFilled && width > around ? width - around : 0);
  }
  std::string body = digits + pieces.rest;
  size_t missing = missingWidth(pieces.prefix + body, width);
  if (align == '=')
    return pieces.prefix + repeated(fill, missing) + body;
  size_t left = align == '<' ? 0 : align == '>' ? missing : missing / 2;
  return repeated(fill, left) + pieces.prefix + body + repeated(fill, missing - left);
}

static std::string signOf(bool isNegative, char sign) {
  return isNegative ? "-" : sign == '+' || sign == ' ' ? std::string(1, sign) : "";
}

static std::optional<std::string> formatReal(const Spec &spec, double number) {
  char type = spec.type == 'n' ? 'g' : spec.type;
  if (type && !llvm::StringRef("eEfFgG%").contains(type))
    return std::nullopt;
  bool isNegative = std::signbit(number) && !std::isnan(number);
  number = std::fabs(number) * (type == '%' ? 100 : 1);
  std::string text;
  if (!std::isfinite(number))
    text = realText(number, type ? type : 'g', 0, false);
  else if (!type)
    text = generalText(number, spec.precision, spec.alternate, /*isUntyped=*/true);
  else
    text = realText(number, type == '%' ? 'f' : type, spec.precision.value_or(6), spec.alternate);
  if (spec.noNegativeZero &&
      llvm::StringRef(text).take_until(llvm::isAlpha).find_first_of("123456789") ==
          llvm::StringRef::npos &&
      std::isfinite(number))
    isNegative = false;
  size_t whole = llvm::StringRef(text).take_while(llvm::isDigit).size();
  return spec.pad({signOf(isNegative, spec.sign), text.substr(0, whole),
                   text.substr(whole) + (type == '%' ? "%" : "")});
}

static std::optional<std::string> formatInteger(const Spec &spec, const Value &value) {
  llvm::APInt number = value.asApInt();
  if (spec.type && llvm::StringRef("eEfFgG%").contains(spec.type)) {
    std::optional<double> real = toDouble(number);
    return real ? formatReal(spec, *real) : std::nullopt;
  }
  if (spec.precision || spec.noNegativeZero)
    return std::nullopt;
  if (spec.type == 'c') {
    std::optional<int64_t> code = value.asInt64();
    std::optional<std::string> character = code ? characterOf(*code) : std::nullopt;
    if (!character || spec.sign || spec.alternate)
      return std::nullopt;
    return spec.pad({"", "", *character});
  }
  char type = spec.type && spec.type != 'n' ? spec.type : 'd';
  if (!llvm::StringRef("bdoxX").contains(type))
    return std::nullopt;
  std::string prefix = signOf(number.isNegative(), spec.sign);
  if (spec.alternate && type != 'd')
    prefix += {'0', type};
  return spec.pad({prefix, integerDigits(number, type), ""});
}

static std::optional<std::string> formatString(const Spec &spec, llvm::StringRef text) {
  if ((spec.type && spec.type != 's') || spec.align == '=' || spec.sign || spec.alternate ||
      spec.grouping || spec.noNegativeZero)
    return std::nullopt;
  return spec.pad({"", "", prefixOf(text, spec.precision.value_or(text.size())).str()});
}

std::optional<std::string> formatWith(const Value &value, llvm::StringRef text) {
  if (text.empty())
    return value.str();
  bool isString = value.is(ValueKind::String);
  // Objects that are neither numbers nor strings take no specification.
  if (!isString && !value.isNumber())
    return std::nullopt;
  std::optional<Spec> spec = Spec::parse(text, isString ? '<' : '>');
  if (!spec)
    return std::nullopt;
  if (isString)
    return formatString(*spec, value.asString());
  return value.is(ValueKind::Float) ? formatReal(*spec, value.asDouble())
                                    : formatInteger(*spec, value);
}

} // namespace gluonc::sema

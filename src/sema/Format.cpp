#include "sema/Format.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace gluonc::sema {

namespace {

// What a runaway width or precision in a program may cost.
constexpr unsigned maxWidth = 4096, maxPrecision = 200;

struct Spec {
  char fill = ' ', align = 0, sign = '-', type = 0;
  bool alternate = false, grouped = false;
  unsigned width = 0;
  std::optional<unsigned> precision;

  static bool isAlign(char c) { return llvm::StringRef("<>^=").contains(c); }

  static std::optional<Spec> parse(llvm::StringRef text) {
    Spec spec;
    if (text.size() >= 2 && isAlign(text[1])) {
      spec.fill = text[0];
      spec.align = text[1];
      text = text.drop_front(2);
    } else if (!text.empty() && isAlign(text[0])) {
      spec.align = text[0];
      text = text.drop_front();
    }
    if (!text.empty() && llvm::StringRef("+- ").contains(text[0])) {
      spec.sign = text[0];
      text = text.drop_front();
    }
    spec.alternate = text.consume_front("#");
    if (text.consume_front("0") && !spec.align) {
      spec.fill = '0';
      spec.align = '=';
    }
    (void)text.consumeInteger(10, spec.width);
    spec.grouped = text.consume_front(",");
    if (text.consume_front(".")) {
      unsigned precision = 0;
      if (text.consumeInteger(10, precision))
        return std::nullopt;
      spec.precision = std::min(precision, maxPrecision);
    }
    if (text.size() > 1)
      return std::nullopt;
    spec.type = text.empty() ? 0 : text[0];
    spec.width = std::min(spec.width, maxWidth);
    return spec;
  }

  /// `digits` with its sign or prefix in front, padded.
  std::string pad(const std::string &prefix, const std::string &digits, char naturalAlign) const {
    char where = align ? align : naturalAlign;
    size_t length = prefix.size() + digits.size();
    size_t missing = width > length ? width - length : 0;
    if (where == '=')
      return prefix + std::string(missing, fill) + digits;
    size_t left = where == '<' ? 0 : where == '>' ? missing : missing / 2;
    return std::string(left, fill) + prefix + digits + std::string(missing - left, fill);
  }
};

/// Commas between groups of three digits of the integral part.
std::string group(std::string digits) {
  size_t end = std::min(digits.find('.'), digits.size());
  for (size_t at = end; at > 3; at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

std::string signOf(bool negative, char sign) {
  return negative ? "-" : sign == '-' ? "" : std::string(1, sign);
}

std::string realDigits(double value, char type, std::optional<unsigned> precision, bool alternate) {
  if (std::isinf(value))
    return "inf";
  if (std::isnan(value))
    return "nan";
  bool isPercent = type == '%';
  std::string pattern = std::string("%") + (alternate ? "#" : "") + ".*" + (isPercent ? 'f' : type);
  int digits = int(precision.value_or(6));
  value = isPercent ? value * 100 : value;
  // Numbers such as 1e308 are long: ask first.
  int length = snprintf(nullptr, 0, pattern.c_str(), digits, value);
  std::string text(size_t(length) + 1, 0);
  snprintf(text.data(), text.size(), pattern.c_str(), digits, value);
  text.pop_back();
  return isPercent ? text + "%" : text;
}

std::optional<std::string> formatReal(const Spec &spec, const Value &value) {
  double number = value.asDouble();
  bool negative = std::signbit(number) && !std::isnan(number);
  std::string digits;
  if (!spec.type && !spec.precision) {
    digits = Value::real(std::fabs(number)).str();
  } else {
    char type = spec.type ? spec.type : 'g';
    if (!llvm::StringRef("eEfFgG%").contains(type))
      return std::nullopt;
    digits = realDigits(std::fabs(number), type, spec.precision, spec.alternate);
  }
  if (spec.grouped)
    digits = group(digits);
  return spec.pad(signOf(negative, spec.sign), digits, '>');
}

std::optional<std::string> formatInteger(const Spec &spec, const Value &value) {
  if (spec.type && llvm::StringRef("eEfFgG%").contains(spec.type))
    return formatReal(spec, value);
  unsigned radix = 10;
  std::string prefix;
  switch (spec.type) {
  case 0:
  case 'd':
    break;
  case 'x':
  case 'X':
    radix = 16;
    prefix = spec.type == 'x' ? "0x" : "0X";
    break;
  case 'o':
    radix = 8;
    prefix = "0o";
    break;
  case 'b':
    radix = 2;
    prefix = "0b";
    break;
  default:
    return std::nullopt;
  }
  if (spec.precision)
    return std::nullopt;
  llvm::APInt number = value.asApInt();
  bool negative = number.isNegative();
  llvm::SmallString<64> digits;
  number.sext(number.getBitWidth() + 1).abs().toString(digits, radix, /*Signed=*/false);
  std::string text = spec.type == 'X' ? digits.str().upper() : digits.str().lower();
  if (spec.grouped)
    text = group(text);
  return spec.pad(signOf(negative, spec.sign) + (spec.alternate ? prefix : ""), text, '>');
}

} // namespace

std::optional<std::string> formatWith(const Value &value, llvm::StringRef text) {
  if (text.empty())
    return value.str();
  std::optional<Spec> spec = Spec::parse(text);
  if (!spec)
    return std::nullopt;
  if (value.is(ValueKind::Float))
    return formatReal(*spec, value);
  if (value.is(ValueKind::Int) || (value.is(ValueKind::Bool) && spec->type))
    return formatInteger(*spec, value);
  if ((spec->type && spec->type != 's') || spec->align == '=')
    return std::nullopt;
  std::string plain = value.str();
  if (spec->precision && plain.size() > *spec->precision)
    plain.resize(*spec->precision);
  return spec->pad("", plain, '<');
}

std::optional<std::string> formatFields(llvm::StringRef pattern, llvm::ArrayRef<Value> positional,
                                        llvm::ArrayRef<std::pair<Value, Value>> named) {
  std::string result;
  size_t next = 0;
  while (!pattern.empty()) {
    if (pattern.starts_with("{{") || pattern.starts_with("}}") || pattern.front() != '{') {
      result += pattern.front();
      pattern = pattern.drop_front(llvm::StringRef("{}").contains(pattern.front()) ? 2 : 1);
      continue;
    }
    auto [field, rest] = pattern.drop_front().split('}');
    pattern = rest;
    auto [name, spec] = field.split(':');
    size_t index = next;
    const Value *value = nullptr;
    if (name.empty() || !name.getAsInteger(10, index)) {
      next += name.empty();
      value = index < positional.size() ? &positional[index] : nullptr;
    } else {
      for (const auto &[key, item] : named)
        if (key.is(ValueKind::String) && key.asString() == name)
          value = &item;
    }
    std::optional<std::string> text = value ? formatWith(*value, spec) : std::nullopt;
    if (!text)
      return std::nullopt;
    result += *text;
  }
  return result;
}

std::optional<std::string> formatPercent(llvm::StringRef pattern, llvm::ArrayRef<Value> values) {
  std::string result;
  size_t next = 0;
  while (!pattern.empty()) {
    if (pattern.starts_with("%%") || pattern.front() != '%') {
      result += pattern.front();
      pattern = pattern.drop_front(pattern.front() == '%' ? 2 : 1);
      continue;
    }
    pattern = pattern.drop_front();
    size_t end = pattern.find_first_of("diouxXeEfFgGsr");
    if (end == llvm::StringRef::npos || next == values.size())
      return std::nullopt;
    const Value &value = values[next++];
    llvm::StringRef flags = pattern.take_front(end);
    char type = pattern[end];
    pattern = pattern.drop_front(end + 1);
    bool isText = type == 's' || type == 'r';
    // "%-5d" aligns to the left; everything else to the right.
    std::string spec = flags.consume_front("-") ? "<" : isText && !flags.empty() ? ">" : "";
    spec += flags;
    if (!isText)
      spec += type == 'i' || type == 'u' ? 'd' : type;
    Value shown = isText ? Value::string(type == 's' ? value.str() : value.repr()) : value;
    std::optional<std::string> text = formatWith(shown, spec);
    if (!text)
      return std::nullopt;
    result += *text;
  }
  return next == values.size() ? std::optional(result) : std::nullopt;
}

} // namespace gluonc::sema

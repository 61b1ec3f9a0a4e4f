// `"{}".format(…)` and `"%d" % …`.

#include "sema/value/Format.h"

#include "sema/value/Arithmetic.h"
#include "sema/value/Numbers.h"
#include "sema/value/Repr.h"
#include "sema/value/Text.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace gluonc::sema {

std::optional<std::string> converted(const Value &value, char conversion) {
  switch (conversion) {
  case 's':
    return value.str();
  case 'r':
    return value.repr();
  case 'a':
    return escapeNonAscii(value.repr());
  default:
    return std::nullopt;
  }
}

// -- str.format ------------------------------------------------------------------------

namespace {

struct FieldWriter {
  llvm::ArrayRef<Value> positional;
  llvm::ArrayRef<std::pair<Value, Value>> named;
  size_t next = 0;
  /// A pattern numbers all of its fields, or none.
  bool numbersItself = false, isNumbered = false;

  std::optional<std::string> write(llvm::StringRef pattern, bool isSpec = false);
  std::optional<std::string> writeField(llvm::StringRef field, bool isSpec);
  const Value *find(llvm::StringRef name);
};

} // namespace

const Value *FieldWriter::find(llvm::StringRef name) {
  size_t index = 0;
  if (name.empty()) {
    numbersItself = true;
    index = next++;
  } else if (!name.getAsInteger(10, index)) {
    isNumbered = true;
  } else {
    for (const auto &[key, value] : named)
      if (key.is(ValueKind::String) && key.asString() == name)
        return &value;
    return nullptr;
  }
  return index < positional.size() && numbersItself != isNumbered ? &positional[index] : nullptr;
}

/// What stands between braces: `name!r:spec`, where the specification may hold fields.
std::optional<std::string> FieldWriter::writeField(llvm::StringRef field, bool isSpec) {
  auto [head, spec] = field.split(':');
  auto [name, conversion] = head.split('!');
  const Value *value = find(name);
  if (!value || (isSpec && spec.contains('{')))
    return std::nullopt;
  std::optional<std::string> format = write(spec, /*isSpec=*/true);
  if (!format || name.size() == head.size())
    return format ? formatWith(*value, *format) : std::nullopt;
  std::optional<std::string> text =
      conversion.size() == 1 ? converted(*value, conversion.front()) : std::nullopt;
  return text ? formatWith(Value::string(std::move(*text)), *format) : std::nullopt;
}

/// The `}` that closes the field whose inside begins `text`.
static size_t closingBrace(llvm::StringRef text) {
  unsigned depth = 0;
  for (auto [i, c] : llvm::enumerate(text)) {
    if (c == '}' && depth == 0)
      return i;
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
  }
  return llvm::StringRef::npos;
}

std::optional<std::string> FieldWriter::write(llvm::StringRef pattern, bool isSpec) {
  std::string result;
  while (!pattern.empty()) {
    size_t plain = std::min(pattern.find_first_of("{}"), pattern.size());
    result += pattern.take_front(plain);
    pattern = pattern.drop_front(plain);
    if (pattern.empty())
      break;
    if (pattern.starts_with("{{") || pattern.starts_with("}}")) {
      result += pattern.front();
      pattern = pattern.drop_front(2);
      continue;
    }
    size_t end = pattern.consume_front("{") ? closingBrace(pattern) : llvm::StringRef::npos;
    std::optional<std::string> text =
        end == llvm::StringRef::npos ? std::nullopt : writeField(pattern.take_front(end), isSpec);
    if (!text)
      return std::nullopt;
    result += *text;
    pattern = pattern.drop_front(end + 1);
  }
  return result;
}

std::optional<std::string> formatFields(llvm::StringRef pattern, llvm::ArrayRef<Value> positional,
                                        llvm::ArrayRef<std::pair<Value, Value>> named) {
  return FieldWriter{positional, named}.write(pattern);
}

// -- % ------------------------------------------------------------------------------------

namespace {

/// `%[flags][width][.precision]type`.
struct Directive {
  bool isLeft = false, isZeroed = false, alternate = false;
  std::string plus;
  unsigned width = 0;
  std::optional<unsigned> precision;
  char type = 0;

  static std::optional<Directive> take(llvm::StringRef &text);
  std::optional<std::string> write(const Value &value) const;
  std::optional<std::string> writeInteger(const Value &value) const;
  std::optional<std::string> writeReal(const Value &value) const;
  std::string pad(const std::string &sign, const std::string &digits) const;
};

} // namespace

static bool takeLimited(llvm::StringRef &text, unsigned &number) {
  return !text.consumeInteger(10, number) && number <= maxFormatWidth;
}

std::optional<Directive> Directive::take(llvm::StringRef &text) {
  Directive result;
  for (; !text.empty() && llvm::StringRef("-+ #0").contains(text.front());
       text = text.drop_front()) {
    char flag = text.front();
    result.isLeft |= flag == '-';
    result.isZeroed |= flag == '0';
    result.alternate |= flag == '#';
    if (flag == '+' || (flag == ' ' && result.plus.empty()))
      result.plus = flag;
  }
  bool hasWidth = !text.empty() && llvm::isDigit(text.front());
  if (hasWidth && !takeLimited(text, result.width))
    return std::nullopt;
  if (text.consume_front(".")) {
    result.precision = 0;
    bool hasDigits = !text.empty() && llvm::isDigit(text.front());
    if (hasDigits && !takeLimited(text, *result.precision))
      return std::nullopt;
  }
  if (text.empty())
    return std::nullopt;
  result.type = text.front();
  text = text.drop_front();
  return result;
}

std::string Directive::pad(const std::string &sign, const std::string &digits) const {
  size_t missing = missingWidth(sign + digits, width);
  if (isLeft)
    return sign + digits + std::string(missing, ' ');
  return isZeroed ? sign + std::string(missing, '0') + digits
                  : std::string(missing, ' ') + sign + digits;
}

std::optional<std::string> Directive::writeInteger(const Value &value) const {
  char base = type == 'i' || type == 'u' ? 'd' : type;
  std::optional<llvm::APInt> number;
  if (value.is(ValueKind::Int) || value.is(ValueKind::Bool))
    number = value.asApInt();
  else if (value.is(ValueKind::Float) && base == 'd' && std::isfinite(value.asDouble()))
    number = truncated(value.asDouble());
  if (!number)
    return std::nullopt;
  std::string sign = number->isNegative() ? "-" : plus;
  if (alternate && base != 'd')
    sign += {'0', base};
  std::string digits = integerDigits(*number, base);
  return pad(sign, std::string(missingWidth(digits, precision.value_or(0)), '0') + digits);
}

std::optional<std::string> Directive::writeReal(const Value &value) const {
  std::optional<double> number = value.isNumber() ? doubleOf(value) : std::nullopt;
  if (!number)
    return std::nullopt;
  bool isNegative = std::signbit(*number) && !std::isnan(*number);
  return pad(isNegative ? "-" : plus,
             realText(std::fabs(*number), type, precision.value_or(6), alternate));
}

std::optional<std::string> Directive::write(const Value &value) const {
  Directive text = *this;
  text.isZeroed = false;
  switch (type) {
  case 's':
  case 'r':
  case 'a': {
    std::string whole = *converted(value, type);
    return text.pad("", prefixOf(whole, precision.value_or(whole.size())).str());
  }
  case 'c': {
    std::optional<std::string> character;
    if (value.is(ValueKind::String) && lengthOf(value.asString()) == 1)
      character = value.asString().str();
    else if (!value.is(ValueKind::Float) && value.isNumber() && value.asInt64())
      character = characterOf(*value.asInt64());
    return character ? std::optional(text.pad("", *character)) : std::nullopt;
  }
  case 'd':
  case 'i':
  case 'u':
  case 'o':
  case 'x':
  case 'X':
    return writeInteger(value);
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
    return writeReal(value);
  default:
    return std::nullopt;
  }
}

std::optional<std::string> formatPercent(llvm::StringRef pattern, llvm::ArrayRef<Value> values) {
  std::string result;
  size_t next = 0;
  while (!pattern.empty()) {
    size_t plain = std::min(pattern.find('%'), pattern.size());
    result += pattern.take_front(plain);
    pattern = pattern.drop_front(plain);
    if (!pattern.consume_front("%"))
      break;
    if (pattern.consume_front("%")) {
      result += '%';
      continue;
    }
    std::optional<Directive> directive = Directive::take(pattern);
    if (!directive || next == values.size())
      return std::nullopt;
    std::optional<std::string> text = directive->write(values[next++]);
    if (!text)
      return std::nullopt;
    result += *text;
  }
  return next == values.size() ? std::optional(result) : std::nullopt;
}

} // namespace gluonc::sema

#include "syntax/Literals.h"

#include "syntax/Unicode.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Unicode.h"

#include <charconv>

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;

void Literals::error(Kind kind, const char *begin, const char *end, const std::string &text) {
  const char *base = source.text.begin();
  sink.report(kind,
              source.span(static_cast<uint32_t>(begin - base), static_cast<uint32_t>(end - base)),
              text)
      .end();
}

StringRef Literals::save(StringRef text) { return text.copy(arena); }

StringRef Literals::identifier(StringRef text) {
  if (LLVM_LIKELY(llvm::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; })))
    return text;
  std::string normal = normalizeIdentifier(text);
  return text == normal ? text : save(normal);
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

StringRef Literals::decode(StringRef body, StringForm form) {
  bool plain = true, ascii = true;
  for (char c : body) {
    plain &= c != '\\' && c != '\r' && c != '{' && c != '}';
    ascii &= static_cast<signed char>(c) >= 0;
  }
  if (form.bytes && !ascii) {
    const char *at = llvm::find_if(body, [](char c) { return static_cast<signed char>(c) < 0; });
    error(Kind::InvalidCharacter, at, at + 1, "character: bytes hold only ASCII characters");
    return "";
  }
  if (plain)
    return body;
  std::string out;
  out.reserve(body.size());
  while (!body.empty()) {
    size_t stop = form.doubledBraces ? body.find_first_of("\\\r{}") : body.find_first_of("\\\r");
    out += body.take_front(stop);
    if (stop == StringRef::npos)
      break;
    body = body.drop_front(stop);
    char c = body.front();
    if (c == '\\' && !form.raw) {
      escape(body, form, out);
      continue;
    }
    body = body.drop_front();
    if (c == '\r') {
      // Every line break is \n in a value.
      body.consume_front("\n");
      out += '\n';
      continue;
    }
    if (c != '\\')
      body.consume_front(StringRef(&c, 1));
    out += c;
  }
  return save(out);
}

/// Decodes one escape sequence off the front of `rest`.
void Literals::escape(StringRef &rest, StringForm form, std::string &out) {
  const char *start = rest.data();
  rest = rest.drop_front();
  if (rest.empty()) {
    out += '\\';
    return;
  }
  char c = rest.front();
  rest = rest.drop_front();
  static constexpr llvm::StringLiteral letters = "\\'\"abfnrtv";
  static constexpr llvm::StringLiteral values = "\\'\"\a\b\f\n\r\t\v";
  if (size_t index = letters.find(c); index != StringRef::npos) {
    out += values[index];
    return;
  }
  switch (c) {
  case '\r':
    rest.consume_front("\n");
    return;
  case '\n':
    return;
  case '0':
  case '1':
  case '2':
  case '3':
  case '4':
  case '5':
  case '6':
  case '7': {
    unsigned value = static_cast<unsigned>(c - '0');
    for (int i = 0; i < 2 && !rest.empty() && rest[0] >= '0' && rest[0] <= '7'; ++i) {
      value = value * 8 + static_cast<unsigned>(rest[0] - '0');
      rest = rest.drop_front();
    }
    if (form.bytes)
      out += static_cast<char>(value);
    else
      appendUtf8(out, value);
    return;
  }
  case 'x':
    return hexEscape(rest, start, 2, form, out);
  case 'u':
    if (!form.bytes)
      return hexEscape(rest, start, 4, form, out);
    break;
  case 'U':
    if (!form.bytes)
      return hexEscape(rest, start, 8, form, out);
    break;
  case 'N':
    if (!form.bytes)
      return namedEscape(rest, start, out);
    break;
  default:
    break;
  }
  // Not an escape: both characters stay. The second may be a brace of an f-string
  // or lead a multi-byte character, so only the backslash is dealt with here.
  rest = StringRef(start + 1, rest.size() + 1);
  out += '\\';
  StringRef shown = rest;
  takeCodePoint(shown);
  error(Kind::UnknownEscape, start, shown.data(), std::string(start, shown.data()));
}

void Literals::hexEscape(StringRef &rest, const char *start, unsigned digits, StringForm form,
                         std::string &out) {
  uint32_t value = 0;
  for (unsigned i = 0; i < digits; ++i) {
    unsigned digit = rest.empty() ? 16 : llvm::hexDigitValue(rest[0]);
    if (digit >= 16)
      return error(Kind::InvalidEscape, start, rest.data(),
                   "truncated \\" + std::string(1, start[1]) + " escape: " + llvm::utostr(digits) +
                       " hexadecimal digits are needed");
    value = value << 4 | digit;
    rest = rest.drop_front();
  }
  if (value > 0x10FFFF)
    return error(Kind::InvalidEscape, start, rest.data(),
                 "no character has the code " + std::string(start + 2, rest.data()));
  if (form.bytes)
    out += static_cast<char>(value);
  else
    appendUtf8(out, value);
}

void Literals::namedEscape(StringRef &rest, const char *start, std::string &out) {
  size_t close = rest.find('}');
  if (!rest.starts_with("{") || close == StringRef::npos || close == 1)
    return error(Kind::InvalidEscape, start, rest.data(), "malformed \\N character escape");
  std::string name = rest.slice(1, close).upper();
  rest = rest.drop_front(close + 1);
  if (std::optional<char32_t> point = llvm::sys::unicode::nameToCodepointStrict(name))
    return appendUtf8(out, *point);
  error(Kind::InvalidEscape, start, rest.data(), "unknown Unicode character name");
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

void Literals::powerOfTwoBase(StringRef digits, unsigned bitsPerDigit, Constant &constant) {
  size_t bits = digits.size() * bitsPerDigit;
  size_t count = std::max<size_t>(1, (bits + 63) / 64);
  auto *words = arena.Allocate<uint64_t>(count);
  std::fill(words, words + count, 0);
  size_t position = 0;
  for (char c : llvm::reverse(digits)) {
    uint64_t digit = llvm::hexDigitValue(c);
    words[position / 64] |= digit << (position % 64);
    // Octal digits may straddle two words.
    if (position % 64 + bitsPerDigit > 64)
      words[position / 64 + 1] |= digit >> (64 - position % 64);
    position += bitsPerDigit;
  }
  while (count > 1 && words[count - 1] == 0)
    --count;
  constant.words = {words, count};
}

void Literals::decimal(StringRef digits, Constant &constant) {
  digits = digits.ltrim('0');
  if (digits.size() <= 19) {
    auto *word = arena.Allocate<uint64_t>(1);
    *word = 0;
    for (char c : digits)
      *word = *word * 10 + static_cast<uint64_t>(c - '0');
    constant.words = {word, 1};
    return;
  }
  llvm::APInt value(static_cast<unsigned>(digits.size()) * 4, digits, 10);
  size_t count = std::max(1u, (value.getActiveBits() + 63) / 64);
  auto *words = arena.Allocate<uint64_t>(count);
  std::copy_n(value.getRawData(), count, words);
  constant.words = {words, count};
}

static double parseDouble(StringRef text) {
  double value = 0;
  auto [end, code] = std::from_chars(text.begin(), text.end(), value);
  if (code == std::errc())
    return value;
  // Too large or too small for a double: APFloat gives infinity or the nearest.
  llvm::APFloat exact(llvm::APFloat::IEEEdouble());
  llvm::consumeError(exact.convertFromString(text, llvm::APFloat::rmNearestTiesToEven).takeError());
  return exact.convertToDouble();
}

void Literals::number(StringRef text, Constant &constant) {
  std::string stripped;
  StringRef digits = text;
  if (text.contains('_')) {
    stripped = text.str();
    llvm::erase(stripped, '_');
    digits = stripped;
  }
  constant.value = ConstantKind::Int;
  if (digits.size() > 2 && digits[0] == '0' && llvm::isAlpha(digits[1]) &&
      llvm::StringRef("xXoObB").contains(digits[1])) {
    char base = llvm::toLower(digits[1]);
    return powerOfTwoBase(digits.drop_front(2), base == 'x' ? 4 : base == 'o' ? 3 : 1, constant);
  }
  if (llvm::all_of(digits, llvm::isDigit)) {
    // CPython's limit: the conversion takes quadratic time.
    if (digits.size() > 4300) {
      error(Kind::InvalidNumber, text.begin(), text.end(),
            "exceeds the limit of 4300 digits for decimal integer literals; use hexadecimal");
      digits = "0";
    }
    return decimal(digits, constant);
  }
  constant.value = ConstantKind::Float;
  if (digits.back() == 'j' || digits.back() == 'J') {
    constant.value = ConstantKind::Complex;
    digits = digits.drop_back();
  }
  constant.number = parseDouble(digits);
}

#include "sema/value/Repr.h"

#include "sema/value/Text.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Unicode.h"

#include <charconv>
#include <cmath>

namespace gluonc::sema {

std::string pythonFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  // Python switches to the exponent form outside 1e-4 … 1e16.
  double magnitude = std::fabs(value);
  bool fixed = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr;
  std::string text(buffer, end);
  if (fixed && text.find('.') == std::string::npos)
    text += ".0";
  return text;
}

/// `\n`, `\x00`, `\xad`, `\u2028`, `\U000e0001`.
static std::string escape(uint32_t codePoint) {
  switch (codePoint) {
  case '\n':
    return "\\n";
  case '\t':
    return "\\t";
  case '\r':
    return "\\r";
  }
  if (codePoint < 0x100)
    return llvm::formatv("\\x{0:x-2}", codePoint);
  if (codePoint < 0x10000)
    return llvm::formatv("\\u{0:x-4}", codePoint);
  return llvm::formatv("\\U{0:x-8}", codePoint);
}

/// Blanks other than the ASCII one are escaped, and so is the soft hyphen.
static bool isPrinted(uint32_t codePoint) {
  if (codePoint < 0x80)
    return codePoint >= ' ' && codePoint != 0x7F;
  return !isBlank(codePoint) && codePoint != 0xAD &&
         llvm::sys::unicode::isPrintable(int(codePoint));
}

std::string pythonString(llvm::StringRef text) {
  // Python prefers single quotes and changes only where that saves escapes.
  char quote = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  std::string result(1, quote);
  for (; !text.empty(); text = text.drop_front(prefixOf(text, 1).size())) {
    llvm::StringRef character = prefixOf(text, 1);
    uint32_t codePoint = codePointOf(character);
    if (codePoint == '\\' || codePoint == uint32_t(quote))
      result += '\\';
    result += isPrinted(codePoint) ? character.str() : escape(codePoint);
  }
  result += quote;
  return result;
}

std::string escapeNonAscii(llvm::StringRef text) {
  std::string result;
  for (; !text.empty(); text = text.drop_front(prefixOf(text, 1).size())) {
    llvm::StringRef character = prefixOf(text, 1);
    result += isAscii(character) ? character.str() : escape(codePointOf(character));
  }
  return result;
}

} // namespace gluonc::sema

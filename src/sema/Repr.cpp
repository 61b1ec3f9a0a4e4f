#include "sema/Repr.h"

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

std::string pythonString(llvm::StringRef text) {
  // Python prefers single quotes and changes only where that saves escapes.
  char quote = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  std::string result(1, quote);
  for (char c : text) {
    switch (c) {
    case '\n':
      result += "\\n";
      break;
    case '\t':
      result += "\\t";
      break;
    case '\r':
      result += "\\r";
      break;
    case '\\':
      result += "\\\\";
      break;
    default:
      if (c == quote)
        result += '\\';
      result += c;
    }
  }
  result += quote;
  return result;
}

} // namespace gluonc::sema

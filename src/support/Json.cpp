#include "support/Json.h"

namespace gluonc {

static constexpr unsigned deepest = 200;

static bool isTooDeep(llvm::StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t at = 0; at != text.size(); ++at) {
    const char c = text[at];
    if (inString)
      c == '\\' ? void(at += at + 1 != text.size()) : void(inString = c != '"');
    else if (c == '"')
      inString = true;
    else if ((c == '[' || c == '{') && ++depth > deepest)
      return true;
    else if (c == ']' || c == '}')
      depth -= depth != 0;
  }
  return false;
}

llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text) {
  if (isTooDeep(text))
    return llvm::createStringError("arrays and objects are more than 200 levels deep");
  return llvm::json::parse(text);
}

} // namespace gluonc

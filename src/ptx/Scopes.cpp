#include "ptx/Scopes.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::ptx {

std::optional<ScopeBorder> scopeBorderOf(const Instruction &instruction) {
  if (instruction.name != "pmevent" || instruction.operands.empty())
    return std::nullopt;
  const uint64_t value = instruction.operands.front().value;
  return ScopeBorder{unsigned(value / 2), value % 2 == 1};
}

/// Two digits behind a backslash are a byte.
static std::string unescaped(llvm::StringRef text) {
  std::string name;
  for (size_t at = 0; at != text.size(); ++at) {
    std::string byte;
    if (text[at] == '\\' && llvm::tryGetFromHex(text.substr(at + 1, 2), byte) && byte.size() == 1) {
      name += byte;
      at += 2;
    } else {
      name += text[at];
    }
  }
  return name;
}

std::vector<std::string> scopeNames(llvm::StringRef ptx) {
  std::vector<std::string> names;
  constexpr llvm::StringLiteral event = "pmevent.mask ";
  for (size_t at = 0; (at = ptx.find(event, at)) != llvm::StringRef::npos; ++at) {
    llvm::StringRef line = ptx.substr(at + event.size()).split('\n').first;
    unsigned value = 0;
    if (line.consumeInteger(10, value) || !line.consume_front("; // scope "))
      continue;
    if (names.size() <= value / 2)
      names.resize(value / 2 + 1);
    names[value / 2] = unescaped(line);
  }
  return names;
}

} // namespace gluonc::ptx

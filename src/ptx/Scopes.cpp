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

std::vector<std::string> scopeNames(llvm::StringRef assembly) {
  std::vector<std::string> names;
  constexpr llvm::StringLiteral comment = "; // scope ";
  for (size_t at = 0; (at = assembly.find(comment, at)) != llvm::StringRef::npos; ++at) {
    llvm::StringRef before = assembly.take_front(at);
    unsigned value = 0;
    if (before.substr(before.find_last_of(" \t\n") + 1).getAsInteger(10, value))
      continue;
    if (names.size() <= value / 2)
      names.resize(value / 2 + 1);
    names[value / 2] = unescaped(assembly.substr(at + comment.size()).split('\n').first);
  }
  return names;
}

} // namespace gluonc::ptx

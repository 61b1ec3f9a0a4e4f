#include "amdgcn/Printing.h"

#include "llvm/Support/Format.h"

#include <bit>
#include <cstring>

namespace gluonc::amdgcn {

using llvm::StringRef;

/// As AMD's runtime has it.
constexpr uint32_t bufferBytes = 1 << 20, headBytes = 8;

/// What stands behind a backslash in a format: a letter, or a character's number in octal.
static std::string unescaped(StringRef text) {
  std::string made;
  while (!text.empty()) {
    if (!text.consume_front("\\") || text.empty()) {
      made += text.empty() ? '\\' : text.front();
      text = text.drop_front(!text.empty());
      continue;
    }
    unsigned code = 0;
    StringRef digits = text.take_while([](char c) { return c >= '0' && c <= '7'; }).take_front(3);
    if (!digits.empty() && !digits.getAsInteger(8, code)) {
      made += static_cast<char>(code);
      text = text.drop_front(digits.size());
      continue;
    }
    constexpr StringRef letters = "abfnrtv", meant = "\a\b\f\n\r\t\v";
    size_t which = letters.find(text.front());
    made += which == StringRef::npos ? text.front() : meant[which];
    text = text.drop_front();
  }
  return made;
}

bool addPrintFormat(StringRef line, PrintFormats &formats) {
  auto number = [&](unsigned &value) {
    auto [field, rest] = line.split(':');
    line = rest;
    return !field.getAsInteger(10, value);
  };
  unsigned id = 0, count = 0;
  if (!number(id) || !number(count) || count > line.size())
    return false;
  PrintFormat &made = formats[id];
  for (unsigned i = 0; i != count; ++i)
    if (!number(made.sizes.emplace_back()))
      return false;
  made.text = unescaped(line);
  return true;
}

/// A value's bits, by what its conversion and its size say.
static void printValue(llvm::raw_ostream &out, std::string conversion, StringRef bytes) {
  char letter = conversion.back();
  if (letter == 's') {
    std::string text = bytes.take_until([](char c) { return c == 0; }).str();
    out << llvm::format(conversion.c_str(), text.c_str());
    return;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min<size_t>(bytes.size(), 8));
  if (StringRef("eEfFgGaA").contains(letter)) {
    double value = bytes.size() == 4 ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                                     : std::bit_cast<double>(bits);
    out << llvm::format(conversion.c_str(), value);
    return;
  }
  bool isLong = bytes.size() > 4, isSigned = letter == 'd' || letter == 'i';
  if (!isLong && isSigned)
    bits = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(bits)));
  // The size is the value's own, whatever is written before the letter.
  if (letter != 'c' && letter != 'p') {
    llvm::erase_if(conversion, [](char c) { return StringRef("hlqjzt").contains(c); });
    conversion.insert(conversion.size() - 1, "ll");
    out << llvm::format(conversion.c_str(), static_cast<unsigned long long>(bits));
    return;
  }
  if (letter == 'c')
    out << llvm::format(conversion.c_str(), static_cast<int>(bits));
  else
    out << llvm::format(conversion.c_str(), reinterpret_cast<void *>(bits));
}

/// The conversion that a text begins with, "%-8.3lld"; empty if it begins with none.
static StringRef conversionAt(StringRef text) {
  size_t end = text.find_first_not_of("-+ #0123456789.hlqjzt", 1);
  if (!text.starts_with("%") || end == StringRef::npos ||
      !StringRef("diouxXcsfFeEgGaAp").contains(text[end]))
    return {};
  // No line is as wide as numbers of more digits say.
  size_t digits = 0;
  for (char c : text.take_front(end))
    if (digits = c >= '0' && c <= '9' ? digits + 1 : 0; digits > 4)
      return {};
  return text.take_front(end + 1);
}

/// Prints a line with the values that follow; how many bytes these take, or nothing if they do not
/// fit the format.
static std::optional<size_t> printLine(llvm::raw_ostream &out, const PrintFormat &format,
                                       StringRef values) {
  size_t taken = 0;
  const unsigned *size = format.sizes.begin();
  for (StringRef rest = format.text; !rest.empty();) {
    StringRef conversion = conversionAt(rest);
    if (conversion.empty()) {
      out << rest.front();
      rest = rest.drop_front(rest.starts_with("%%") ? 2 : 1);
      continue;
    }
    if (size == format.sizes.end() || values.size() - taken < *size)
      return std::nullopt;
    printValue(out, conversion.str(), values.substr(taken, *size));
    // Texts end at a whole word.
    taken = std::min<size_t>(taken + ((*size++ + 3) & ~size_t(3)), values.size());
    rest = rest.drop_front(conversion.size());
  }
  return taken;
}

void PrintBuffer::open() {
  words.assign((bufferBytes + headBytes) / 8, 0);
  words[0] = uint64_t(bufferBytes) << 32;
}

bool PrintBuffer::flush(const PrintFormats &formats, llvm::raw_ostream *out) {
  if (!isOpen())
    return true;
  auto used = static_cast<uint32_t>(words[0]);
  StringRef rest(reinterpret_cast<const char *>(words.data() + 1), std::min(used, bufferBytes));
  words[0] = uint64_t(bufferBytes) << 32;
  while (rest.size() >= 4) {
    uint32_t number = 0;
    std::memcpy(&number, rest.data(), 4);
    auto found = formats.find(number);
    if (found == formats.end())
      return false;
    std::string text;
    llvm::raw_string_ostream line(text);
    std::optional<size_t> taken = printLine(line, found->second, rest.drop_front(4));
    if (!taken)
      return false;
    if (out)
      *out << text;
    rest = rest.drop_front(std::min(4 + *taken, rest.size()));
  }
  return true;
}

} // namespace gluonc::amdgcn

#include "Strings.h"

#include <algorithm>
#include <utf8proc.h>

namespace engine::jinja {

namespace {

bool isSpace(int32_t c) {
  return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

int32_t codePoint(const std::string &character) {
  int32_t c = -1;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t *>(character.data()),
                   utf8proc_ssize_t(character.size()), &c);
  return c;
}

} // namespace

std::string strip(const std::string &text, bool left, bool right,
                  const std::optional<std::string> &set) {
  const std::vector<std::string> all = charactersOf(text);
  const std::vector<std::string> some = set ? charactersOf(*set) : std::vector<std::string>();
  auto goes = [&](const std::string &character) {
    return set ? std::ranges::find(some, character) != some.end() : isSpace(codePoint(character));
  };
  size_t begin = 0, end = all.size();
  while (left && begin != end && goes(all[begin]))
    ++begin;
  while (right && begin != end && goes(all[end - 1]))
    --end;
  std::string made;
  for (size_t i = begin; i != end; ++i)
    made += all[i];
  return made;
}

std::string mapped(const std::string &text, bool toUpper, bool onlyFirst) {
  std::string made;
  bool isFirst = true;
  for (const std::string &character : charactersOf(text)) {
    const int32_t c = codePoint(character);
    const bool up = onlyFirst ? isFirst : toUpper;
    utf8proc_uint8_t bytes[4];
    const auto size = utf8proc_encode_char(up ? utf8proc_toupper(c) : utf8proc_tolower(c), bytes);
    if (c < 0)
      made += character;
    else
      made.append(reinterpret_cast<char *>(bytes), size_t(size));
    isFirst = false;
  }
  return made;
}

std::string replaced(const std::string &text, const std::string &from, const std::string &to,
                     int64_t most) {
  if (from.empty())
    throw Failure("replace: an empty string is looked for");
  std::string made;
  size_t at = 0;
  for (size_t found; most-- != 0 && (found = text.find(from, at)) != std::string::npos;
       at = found + from.size())
    made += text.substr(at, found - at) + to;
  return made + text.substr(at);
}

List split(const std::string &text, const Value &by, int64_t most) {
  List made;
  if (!by.string()) {
    std::string word;
    for (const std::string &character : charactersOf(text))
      if (!isSpace(codePoint(character)))
        word += character;
      else if (!word.empty())
        made.emplace_back(std::exchange(word, ""));
    if (!word.empty())
      made.emplace_back(word);
    return made;
  }
  if (by.string()->empty())
    throw Failure("split: an empty separator");
  size_t at = 0;
  for (size_t found; most-- != 0 && (found = text.find(*by.string(), at)) != std::string::npos;
       at = found + by.string()->size())
    made.emplace_back(text.substr(at, found - at));
  made.emplace_back(text.substr(at));
  return made;
}

std::string join(const List &items, const std::string &by) {
  std::string made;
  for (size_t i = 0; i != items.size(); ++i)
    made += (i ? by : "") + items[i].text();
  return made;
}

std::string indented(const std::string &text, int64_t width, bool first) {
  const std::string space(size_t(std::clamp<int64_t>(width, 0, 1000)), ' ');
  std::string made = first ? space : "";
  for (size_t i = 0; i != text.size(); ++i) {
    made += text[i];
    // Empty lines stay so.
    if (text[i] == '\n' && i + 1 != text.size() && text[i + 1] != '\n')
      made += space;
  }
  return made;
}

} // namespace engine::jinja

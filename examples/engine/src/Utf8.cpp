#include "Utf8.h"

#include <algorithm>
#include <cstdlib>
#include <utf8proc.h>

namespace engine {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// How many bytes at the start of `text` are a code point, or begin one; what it lacks.
struct Prefix {
  size_t bytes = 0;
  bool isComplete = false, canGrow = false;
};

Prefix readPrefix(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = at(0);
  if (lead < 0x80)
    return {1, true, false};
  const size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                        : lead >= 0xE0 && lead <= 0xEF ? 3
                        : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                       : 0;
  if (!length)
    return {1, false, false};
  // The second byte excludes overlong forms, surrogates and what is above U+10FFFF.
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (size_t i = 1; i != length; ++i) {
    if (i == text.size())
      return {i, false, true};
    if (at(i) < (i == 1 ? least : 0x80) || at(i) > (i == 1 ? most : 0xBF))
      return {i, false, false};
  }
  return {length, true, false};
}

} // namespace

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const Prefix prefix = readPrefix(text);
    if (!prefix.isComplete)
      return false;
    text.remove_prefix(prefix.bytes);
  }
  return true;
}

std::string composeNfc(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return std::string(text);
  utf8proc_uint8_t *composed = nullptr;
  const utf8proc_ssize_t length = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t *>(text.data()), utf8proc_ssize_t(text.size()),
      &composed, utf8proc_option_t(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (length < 0)
    return std::string(text);
  std::string result(reinterpret_cast<const char *>(composed), size_t(length));
  std::free(composed);
  return result;
}

std::string Utf8Stream::put(std::string_view bytes) {
  pending += bytes;
  std::string text;
  std::string_view rest = pending;
  while (!rest.empty()) {
    const Prefix prefix = readPrefix(rest);
    if (prefix.canGrow)
      break;
    text += prefix.isComplete ? rest.substr(0, prefix.bytes) : replacement;
    rest.remove_prefix(prefix.bytes);
  }
  pending.erase(0, pending.size() - rest.size());
  return text;
}

std::string Utf8Stream::finish() {
  const bool isEmpty = pending.empty();
  pending.clear();
  return isEmpty ? "" : std::string(replacement);
}

} // namespace engine

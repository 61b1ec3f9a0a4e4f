#include "TextStream.h"

#include <algorithm>

namespace engine {

/// How many bytes at the end of `text` begin `stop`.
static size_t overlap(std::string_view text, std::string_view stop) {
  size_t length = std::min(text.size(), stop.size() - 1);
  while (length && !text.ends_with(stop.substr(0, length)))
    --length;
  return length;
}

static size_t countCodePoints(std::string_view text) {
  return size_t(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string TextStream::take(std::string text) {
  begun += countCodePoints(text);
  if (isStopped)
    return "";
  held += text;
  size_t found = std::string::npos, kept = 0;
  for (const std::string &stop : stops) {
    found = std::min(found, held.find(stop));
    kept = std::max(kept, overlap(held, stop));
  }
  isStopped = found != std::string::npos;
  std::string certain = held.substr(0, isStopped ? found : held.size() - kept);
  held.erase(0, certain.size());
  given += countCodePoints(certain);
  return certain;
}

std::string TextStream::put(int32_t token) {
  if (tokenizer->isSpecial(token))
    return "";
  return take(utf8.put(tokenizer->bytes(token)));
}

std::string TextStream::finish() {
  std::string certain = take(utf8.finish());
  if (isStopped)
    return certain;
  given += countCodePoints(held);
  return certain + std::exchange(held, "");
}

} // namespace engine

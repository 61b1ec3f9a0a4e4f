#include "sema/value/Text.h"

#include "sema/eval/Work.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"

namespace gluonc::sema {

static bool continues(char c) { return (c & 0xC0) == 0x80; }

bool isAscii(llvm::StringRef text) {
  return llvm::none_of(text, [](char c) { return c & 0x80; });
}

size_t lengthOf(llvm::StringRef text) {
  return text.size() - size_t(llvm::count_if(text, continues));
}

llvm::StringRef prefixOf(llvm::StringRef text, size_t count) {
  size_t end = 0;
  for (; end < text.size(); ++end)
    if (!continues(text[end]) && count-- == 0)
      break;
  return text.take_front(end);
}

llvm::SmallVector<llvm::StringRef> charactersOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> characters;
  spend(text.size() * visitCost);
  characters.reserve(text.size());
  for (; !text.empty(); text = text.drop_front(characters.back().size()))
    characters.push_back(prefixOf(text, 1));
  return characters;
}

uint32_t codePointOf(llvm::StringRef character) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(character.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(character.end());
  llvm::UTF32 codePoint = 0xFFFD;
  (void)llvm::convertUTF8Sequence(&begin, end, &codePoint, llvm::strictConversion);
  return codePoint;
}

bool isBlank(uint32_t codePoint) {
  return codePoint == ' ' || (codePoint >= '\t' && codePoint <= '\r') ||
         (codePoint >= 0x1C && codePoint <= 0x1F) || codePoint == 0x85 || codePoint == 0xA0 ||
         codePoint == 0x1680 || (codePoint >= 0x2000 && codePoint <= 0x200A) ||
         codePoint == 0x2028 || codePoint == 0x2029 || codePoint == 0x202F || codePoint == 0x205F ||
         codePoint == 0x3000;
}

llvm::StringRef trimmedLeft(llvm::StringRef text, llvm::function_ref<bool(llvm::StringRef)> drops) {
  while (!text.empty() && drops(prefixOf(text, 1)))
    text = text.drop_front(prefixOf(text, 1).size());
  return text;
}

llvm::StringRef trimmedRight(llvm::StringRef text,
                             llvm::function_ref<bool(llvm::StringRef)> drops) {
  while (!text.empty()) {
    size_t last = text.size() - 1;
    while (last > 0 && continues(text[last]))
      --last;
    if (!drops(text.drop_front(last)))
      break;
    text = text.take_front(last);
  }
  return text;
}

static bool startsBlank(llvm::StringRef text) { return isBlank(codePointOf(prefixOf(text, 1))); }

llvm::StringRef trimmed(llvm::StringRef text) {
  return trimmedRight(trimmedLeft(text, startsBlank), startsBlank);
}

llvm::SmallVector<llvm::StringRef> wordsOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  spend(text.size() * visitCost);
  for (text = trimmedLeft(text, startsBlank); !text.empty();
       text = trimmedLeft(text, startsBlank)) {
    llvm::StringRef rest =
        trimmedLeft(text, [](llvm::StringRef character) { return !startsBlank(character); });
    words.push_back(text.drop_back(rest.size()));
    text = rest;
  }
  return words;
}

std::optional<std::string> characterOf(int64_t codePoint) {
  if (codePoint < 0 || codePoint > 0x10FFFF)
    return std::nullopt;
  char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = buffer;
  if (!llvm::ConvertCodePointToUTF8(unsigned(codePoint), end))
    return std::nullopt;
  return std::string(buffer, end);
}

} // namespace gluonc::sema

#include "Tokenizer.h"

#include "Utf8.h"

namespace engine {

const Tokenizer::Added *Tokenizer::match(const AddedTable &table, std::string_view text) {
  for (const Added &added : table[static_cast<unsigned char>(text[0])])
    if (text.starts_with(added.text))
      return &added;
  return nullptr;
}

template <class Part>
Expected<void> Tokenizer::cutAdded(const AddedTable &table, std::string_view text,
                                   std::vector<int32_t> &tokens, Part part) const {
  size_t done = 0;
  for (size_t i = 0; i < text.size();) {
    const Added *added = match(table, text.substr(i));
    if (!added) {
      ++i;
      continue;
    }
    if (Expected<void> cut = part(text.substr(done, i - done)); !cut)
      return cut;
    tokens.push_back(added->token);
    done = i += added->text.size();
  }
  return part(text.substr(done));
}

Expected<void> Tokenizer::encodePart(std::string_view text, std::vector<int32_t> &tokens) const {
  std::vector<std::string_view> parts = {text};
  for (const Splitter &splitter : splitters) {
    std::vector<std::string_view> finer;
    for (std::string_view part : parts) {
      Expected<std::vector<std::string_view>> split = splitter.split(part);
      if (!split)
        return std::unexpected(split.error());
      finer.insert(finer.end(), split->begin(), split->end());
    }
    parts = std::move(finer);
  }
  for (std::string_view part : parts)
    bpe.encode(part, tokens);
  return {};
}

Expected<std::vector<int32_t>> Tokenizer::encode(std::string_view text, bool addSpecial) const {
  if (!isUtf8(text))
    return fail("the text is not UTF-8");
  std::vector<int32_t> tokens;
  if (addSpecial)
    tokens = before;
  auto normalized = [&](std::string_view part) -> Expected<void> {
    const std::string composed = normalizes ? composeNfc(part) : std::string();
    return cutAdded(addedNormalized, normalizes ? composed : part, tokens,
                    [&](std::string_view inner) { return encodePart(inner, tokens); });
  };
  if (Expected<void> cut = cutAdded(addedRaw, text, tokens, normalized); !cut)
    return std::unexpected(cut.error());
  if (addSpecial)
    tokens.insert(tokens.end(), after.begin(), after.end());
  return tokens;
}

std::string_view Tokenizer::bytes(int32_t token) const {
  return token >= 0 && token < size() ? std::string_view(texts[size_t(token)]) : std::string_view();
}

bool Tokenizer::isSpecial(int32_t token) const {
  return token >= 0 && token < size() && special[size_t(token)];
}

std::string Tokenizer::decode(std::span<const int32_t> tokens, bool skipSpecial) const {
  Utf8Stream stream;
  std::string text;
  for (int32_t token : tokens)
    if (!skipSpecial || !isSpecial(token))
      text += stream.put(bytes(token));
  return text + stream.finish();
}

std::optional<int32_t> Tokenizer::addedToken(std::string_view name) const {
  if (name.empty())
    return std::nullopt;
  for (const AddedTable *table : {&addedRaw, &addedNormalized})
    if (const Added *added = match(*table, name); added && added->text == name)
      return added->token;
  return std::nullopt;
}

} // namespace engine

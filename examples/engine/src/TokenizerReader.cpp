//===- TokenizerReader.cpp - tokenizer.json -------------------------------------===//
#include "Json.h"
#include "Tokenizer.h"
#include "Utf8.h"

#include <algorithm>
#include <utf8proc.h>

namespace engine {

namespace {

constexpr int64_t mostTokens = 1 << 22;
/// What ByteLevel cuts by where `use_regex` is set: the pattern of GPT-2.
constexpr const char *byteLevelPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Printable characters of Latin-1 stand for themselves, the other bytes in order for U+0100 and
/// on.
std::array<int, 0x144> makeByteOfChar() {
  std::array<int, 0x144> table;
  table.fill(-1);
  int next = 0x100;
  for (int byte = 0; byte != 256; ++byte) {
    const bool isPrintable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
    table[size_t(isPrintable ? byte : next++)] = byte;
  }
  return table;
}

/// The bytes that a token's characters stand for; nullopt where one stands for none.
std::optional<std::string> toBytes(std::string_view text) {
  static const std::array<int, 0x144> table = makeByteOfChar();
  std::string bytes;
  while (!text.empty()) {
    utf8proc_int32_t code = -1;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t *>(text.data()),
                                         utf8proc_ssize_t(text.size()), &code);
    if (length <= 0 || code < 0 || code >= int(table.size()) || table[size_t(code)] < 0)
      return std::nullopt;
    bytes += char(table[size_t(code)]);
    text.remove_prefix(size_t(length));
  }
  return bytes;
}

std::string typeOf(const Json &part) {
  return part.is_object() && part.contains("type") && part["type"].is_string()
             ? part["type"].get<std::string>()
             : std::string("null");
}

/// A part that is a Sequence as its parts under `key`, another as itself, null as none.
std::vector<Json> flatten(const Json &part, const char *key) {
  if (part.is_null())
    return {};
  if (typeOf(part) != "Sequence" || !part.contains(key) || !part[key].is_array())
    return {part};
  std::vector<Json> flat;
  for (const Json &inner : part[key])
    for (Json &found : flatten(inner, key))
      flat.push_back(std::move(found));
  return flat;
}

} // namespace

/// Builds a Tokenizer; the first error wins.
class TokenizerReader {
public:
  explicit TokenizerReader(const Json &json) : json(json) {}
  Expected<Tokenizer> read();

private:
  using Done = Expected<void>;
  Done readModel();
  Expected<std::vector<Bpe::Merge>> readMerges(const Json &merges);
  Done readAdded();
  Done readNormalizer();
  Done readPreTokenizer();
  Done readSplit(const Json &part);
  Done readPostProcessor();
  Done readTemplate(const Json &part);
  Done readDecoder();
  Done put(int64_t token, std::string bytes);
  const Json &field(const char *key) const { return json.contains(key) ? json[key] : null; }

  const Json &json;
  const Json null;
  Tokenizer made;
  std::vector<bool> used;
};

TokenizerReader::Done TokenizerReader::put(int64_t token, std::string bytes) {
  if (token < 0 || token >= mostTokens)
    return fail("the token " + std::to_string(token) + " is out of range");
  if (size_t(token) >= used.size()) {
    used.resize(size_t(token) + 1);
    made.texts.resize(used.size());
    made.special.resize(used.size());
  }
  if (used[size_t(token)])
    return fail("two tokens have the number " + std::to_string(token));
  used[size_t(token)] = true;
  made.texts[size_t(token)] = std::move(bytes);
  return {};
}

Expected<std::vector<Bpe::Merge>> TokenizerReader::readMerges(const Json &merges) {
  std::vector<Bpe::Merge> read;
  if (!merges.is_array())
    return fail("merges is not a list");
  for (const Json &merge : merges) {
    std::string left, right;
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      left = merge[0].get<std::string>();
      right = merge[1].get<std::string>();
    } else if (merge.is_string()) {
      const std::string text = merge.get<std::string>();
      const size_t space = text.find(' ');
      left = text.substr(0, space);
      right = space == std::string::npos ? "" : text.substr(space + 1);
    }
    std::optional<std::string> leftBytes = toBytes(left), rightBytes = toBytes(right);
    if (!leftBytes || !rightBytes || leftBytes->empty() || rightBytes->empty())
      return fail("a merge is not a pair of byte-level tokens: " + dump(merge));
    read.push_back({std::move(*leftBytes), std::move(*rightBytes)});
  }
  return read;
}

TokenizerReader::Done TokenizerReader::readModel() {
  const Json &model = field("model");
  if (typeOf(model) != "BPE")
    return fail("the model must be BPE, not " + typeOf(model));
  Fields fields(model);
  for (const char *key : {"dropout", "unk_token"})
    if (fields.find(key))
      return fail(std::string(key) + " is not supported");
  for (const char *key : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!fields.string(key, "").empty())
      return fail(std::string(key) + " is not supported");
  if (fields.boolean("byte_fallback", false))
    return fail("byte_fallback is not supported");
  const bool ignoreMerges = fields.boolean("ignore_merges", false);
  if (fields.failed())
    return fail(fields.message());
  if (!model.contains("vocab") || !model["vocab"].is_object())
    return fail("vocab is not an object");
  std::unordered_map<std::string, int32_t, TextHash, std::equal_to<>> tokens;
  for (const auto &[text, token] : model["vocab"].items()) {
    if (!token.is_number_integer())
      return fail("the token of " + dump(text) + " is not an integer");
    std::optional<std::string> bytes = toBytes(text);
    if (Done done = put(token.get<int64_t>(), bytes.value_or(text)); !done)
      return done;
    if (bytes)
      tokens.emplace(std::move(*bytes), token.get<int32_t>());
  }
  Expected<std::vector<Bpe::Merge>> merges =
      readMerges(model.contains("merges") ? model["merges"] : null);
  if (!merges)
    return std::unexpected(merges.error());
  Expected<Bpe> bpe = Bpe::make(std::move(tokens), *merges, ignoreMerges);
  if (!bpe)
    return std::unexpected(bpe.error());
  made.bpe = std::move(*bpe);
  return {};
}

TokenizerReader::Done TokenizerReader::readAdded() {
  const Json &added = field("added_tokens"), &vocabulary = json["model"]["vocab"];
  if (!added.is_null() && !added.is_array())
    return fail("added_tokens is not a list");
  for (const Json &entry : added) {
    if (!entry.is_object())
      return fail("an added token is not an object");
    Fields fields(entry);
    const auto token = int32_t(fields.integer("id", 0, mostTokens - 1));
    std::string text = fields.string("content");
    const bool isSpecial = fields.boolean("special", false),
               isNormalized = fields.boolean("normalized", !isSpecial);
    for (const char *key : {"single_word", "lstrip", "rstrip"})
      if (fields.boolean(key, false))
        fields.refuse(key, "is not supported");
    if (text.empty())
      fields.refuse("content", "is empty");
    if (fields.failed())
      return fail("the added token " + dump(entry) + ": " + fields.message());
    if (auto known = vocabulary.find(text); known != vocabulary.end()) {
      if (*known != token)
        return fail("the added token " + dump(text) + " has another number in the vocabulary");
    } else if (Done done = put(token, toBytes(text).value_or(text)); !done) {
      return done;
    }
    made.special[size_t(token)] = isSpecial;
    if (isNormalized && made.normalizes)
      text = composeNfc(text);
    auto &list =
        (isNormalized ? made.addedNormalized : made.addedRaw)[static_cast<unsigned char>(text[0])];
    list.push_back({std::move(text), token});
  }
  for (Tokenizer::AddedTable *table : {&made.addedRaw, &made.addedNormalized})
    for (auto &list : *table)
      std::ranges::sort(list,
                        [](const auto &a, const auto &b) { return a.text.size() > b.text.size(); });
  return {};
}

TokenizerReader::Done TokenizerReader::readNormalizer() {
  for (const Json &part : flatten(field("normalizer"), "normalizers")) {
    if (typeOf(part) != "NFC")
      return fail("the normalizer " + typeOf(part) + " is not supported");
    made.normalizes = true;
  }
  return {};
}

TokenizerReader::Done TokenizerReader::readSplit(const Json &part) {
  Fields fields(part);
  const std::string behavior = fields.string("behavior");
  const bool invert = fields.boolean("invert", false);
  if (behavior != "Isolated" && behavior != "Removed")
    fields.refuse("behavior", "must be Isolated or Removed");
  if (fields.failed())
    return fail("Split: " + fields.message());
  const auto kept =
      behavior == "Isolated" ? Splitter::Behavior::Isolated : Splitter::Behavior::Removed;
  const Json *pattern = fields.find("pattern");
  const bool isObject = pattern && pattern->is_object();
  Expected<Splitter> splitter = fail("Split: pattern must be a Regex or a String");
  if (isObject && pattern->contains("Regex") && (*pattern)["Regex"].is_string())
    splitter = Splitter::fromRegex((*pattern)["Regex"].get<std::string>(), kept, invert);
  else if (isObject && pattern->contains("String") && (*pattern)["String"].is_string())
    splitter = Splitter::fromString((*pattern)["String"].get<std::string>(), kept, invert);
  if (!splitter)
    return std::unexpected(splitter.error());
  made.splitters.push_back(std::move(*splitter));
  return {};
}

TokenizerReader::Done TokenizerReader::readPreTokenizer() {
  const std::vector<Json> parts = flatten(field("pre_tokenizer"), "pretokenizers");
  if (parts.empty() || typeOf(parts.back()) != "ByteLevel")
    return fail("the last pre_tokenizer must be ByteLevel");
  for (const Json &part : parts) {
    if (typeOf(part) == "Split") {
      if (Done done = readSplit(part); !done)
        return done;
      continue;
    }
    if (typeOf(part) != "ByteLevel" || &part != &parts.back())
      return fail("the pre_tokenizer " + typeOf(part) + " is not supported here");
    Fields fields(part);
    if (fields.boolean("add_prefix_space", true))
      fields.refuse("add_prefix_space", "is not supported");
    const bool usesRegex = fields.boolean("use_regex", true);
    if (fields.failed())
      return fail("ByteLevel: " + fields.message());
    if (!usesRegex)
      continue;
    Expected<Splitter> splitter =
        Splitter::fromRegex(byteLevelPattern, Splitter::Behavior::Isolated, false);
    if (!splitter)
      return std::unexpected(splitter.error());
    made.splitters.push_back(std::move(*splitter));
  }
  return {};
}

TokenizerReader::Done TokenizerReader::readTemplate(const Json &part) {
  const Json single = part.contains("single") ? part["single"] : Json();
  const Json specials = part.contains("special_tokens") ? part["special_tokens"] : Json();
  if (!single.is_array() || !specials.is_object())
    return fail("TemplateProcessing must have single and special_tokens");
  int sequences = 0;
  for (const Json &piece : single) {
    if (piece.is_object() && piece.contains("Sequence")) {
      ++sequences;
      continue;
    }
    const Json token = piece.is_object() ? piece.value("SpecialToken", Json()) : Json();
    const Json name = token.is_object() ? token.value("id", Json()) : Json();
    const Json ids = name.is_string() ? specials.value(name.get<std::string>(), Json()) : Json();
    if (!ids.is_object() || !ids.contains("ids") || !ids["ids"].is_array())
      return fail("TemplateProcessing: " + dump(piece) + " is not supported");
    for (const Json &id : ids["ids"]) {
      if (!id.is_number_integer() || id.get<int64_t>() < 0 || id.get<int64_t>() >= made.size())
        return fail("TemplateProcessing: " + dump(id) + " is no token");
      (sequences ? made.after : made.before).push_back(id.get<int32_t>());
    }
  }
  return sequences == 1 ? Done() : fail("TemplateProcessing must have one Sequence");
}

TokenizerReader::Done TokenizerReader::readPostProcessor() {
  for (const Json &part : flatten(field("post_processor"), "processors")) {
    if (typeOf(part) == "ByteLevel")
      continue;
    if (typeOf(part) != "TemplateProcessing")
      return fail("the post_processor " + typeOf(part) + " is not supported");
    if (Done done = readTemplate(part); !done)
      return done;
  }
  return {};
}

TokenizerReader::Done TokenizerReader::readDecoder() {
  const std::vector<Json> parts = flatten(field("decoder"), "decoders");
  if (parts.size() != 1 || typeOf(parts[0]) != "ByteLevel")
    return fail("the decoder must be ByteLevel");
  return {};
}

Expected<Tokenizer> TokenizerReader::read() {
  if (!json.is_object())
    return fail("is not a JSON object");
  // Added tokens are normalized as the text is, and the template names tokens.
  for (Done (TokenizerReader::*part)() :
       {&TokenizerReader::readModel, &TokenizerReader::readNormalizer, &TokenizerReader::readAdded,
        &TokenizerReader::readPreTokenizer, &TokenizerReader::readPostProcessor,
        &TokenizerReader::readDecoder})
    if (Done done = (this->*part)(); !done)
      return std::unexpected(done.error());
  return std::move(made);
}

Expected<Tokenizer> Tokenizer::parse(const Json &json) { return TokenizerReader(json).read(); }

Expected<Tokenizer> Tokenizer::open(const std::filesystem::path &folder) {
  const std::filesystem::path path = folder / "tokenizer.json";
  Expected<Json> json = readJsonObject(path);
  if (!json)
    return std::unexpected(json.error());
  Expected<Tokenizer> made = parse(*json);
  if (!made)
    return fail(path.string() + ": " + made.error().text);
  return made;
}

} // namespace engine

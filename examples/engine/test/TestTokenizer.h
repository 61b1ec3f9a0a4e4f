//===- TestTokenizer.h - A small tokenizer ----------------------------------------===//
#pragma once

#include "Json.h"
#include "Tokenizer.h"

namespace engine {

/// tokenizer.json of a byte-level BPE: 256 bytes, then `words` with the merges that make them, then
/// the added tokens <end> (special) and <tag> (not special).
inline Json tokenizerJson(const std::vector<std::string> &words = {"th", "the", "an", "and"}) {
  Json vocabulary = Json::object(), merges = Json::array();
  // Characters that stand for bytes, in UTF-8; `next` are those of bytes that are not printable.
  int next = 0x100;
  for (int byte = 0; byte != 256; ++byte) {
    const bool isPrintable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
    const int code = isPrintable ? byte : next++;
    std::string text = code < 0x80
                           ? std::string(1, char(code))
                           : std::string{char(0xC0 | code >> 6), char(0x80 | (code & 0x3F))};
    vocabulary[text] = byte;
  }
  for (const std::string &word : words) {
    vocabulary[word] = vocabulary.size();
    merges.push_back(word.substr(0, word.size() - 1) + " " + word.back());
  }
  const size_t size = vocabulary.size();
  Json added = Json::array();
  for (auto [text, special] : {std::pair("<end>", true), std::pair("<tag>", false)})
    added.push_back({{"id", size + added.size()},
                     {"content", text},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", special}});
  return {
      {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}},
      {"added_tokens", added},
      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}},
      {"decoder", {{"type", "ByteLevel"}}}};
}

} // namespace engine

//===- Tokenizer.h - Text to tokens and back, from tokenizer.json ---------------===//
//
// Byte-level BPE as the models of Llama 3 and Qwen have it: added tokens are found first; what is
// between them is normalized (NFC or not at all), cut by regular expressions, and each part is
// encoded by its bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Bpe.h"
#include "Splitter.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>

namespace engine {

/// Can be used by several threads.
class Tokenizer {
public:
  /// Reads FOLDER/tokenizer.json. What the class does not have (other models, normalizers,
  /// pre-tokenizers, decoders) is refused; `truncation` and `padding` are ignored.
  static Expected<Tokenizer> open(const std::filesystem::path &folder);
  static Expected<Tokenizer> parse(const nlohmann::json &json);

  /// One more than the largest token.
  int size() const { return int(texts.size()); }

  /// `text` must be UTF-8. The names of added tokens in it become these tokens. `addSpecial`: with
  /// the tokens that the post-processor puts before and after a text.
  Expected<std::vector<int32_t>> encode(std::string_view text, bool addSpecial) const;

  /// The bytes of a token, which need not be whole code points; empty for numbers that are no
  /// token.
  std::string_view bytes(int32_t token) const;
  /// Tokens such as <|begin_of_text|>, which answers do not show.
  bool isSpecial(int32_t token) const;
  /// The text of tokens; what is no UTF-8 is U+FFFD.
  std::string decode(std::span<const int32_t> tokens, bool skipSpecial) const;
  /// The added token of that name.
  std::optional<int32_t> addedToken(std::string_view name) const;

private:
  friend class TokenizerReader;
  struct Added {
    std::string text;
    int32_t token = 0;
  };
  /// Added tokens by their first byte, the longest first.
  using AddedTable = std::array<std::vector<Added>, 256>;
  static const Added *match(const AddedTable &table, std::string_view text);
  /// Calls `part` for what is between the table's tokens, and appends these to `tokens`.
  template <class Part>
  Expected<void> cutAdded(const AddedTable &table, std::string_view text,
                          std::vector<int32_t> &tokens, Part part) const;
  Expected<void> encodePart(std::string_view text, std::vector<int32_t> &tokens) const;

  Bpe bpe;
  std::vector<std::string> texts;
  std::vector<bool> special;
  /// Found in the text as it is, and in normalized text.
  AddedTable addedRaw, addedNormalized;
  bool normalizes = false;
  std::vector<Splitter> splitters;
  std::vector<int32_t> before, after;
};

} // namespace engine

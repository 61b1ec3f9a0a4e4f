//===- Bpe.h - Byte pair encoding -----------------------------------------------===//
#pragma once

#include "Expected.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// Tokens are strings of bytes. Every byte is one.
class Bpe {
public:
  /// A pair of tokens becomes a third; the first pair of a list is merged first.
  struct Merge {
    std::string left, right;
  };

  /// `ignoreMerges`: a word that is a token is that token, whatever the merges make of it.
  static Expected<Bpe>
  make(std::unordered_map<std::string, int32_t, TextHash, std::equal_to<>> tokens,
       const std::vector<Merge> &merges, bool ignoreMerges);

  /// Appends the tokens of a word; takes O(n log n) of its bytes.
  void encode(std::string_view word, std::vector<int32_t> &tokens) const;

private:
  struct Product {
    uint32_t rank = 0;
    int32_t token = 0;
  };
  class Word;
  const Product *find(int32_t left, int32_t right) const;

  std::unordered_map<std::string, int32_t, TextHash, std::equal_to<>> vocabulary;
  std::unordered_map<uint64_t, Product> products;
  std::array<int32_t, 256> bytes = {};
  bool ignoreMerges = false;
};

} // namespace engine

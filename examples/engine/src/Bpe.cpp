#include "Bpe.h"

#include <queue>

namespace engine {

namespace {

uint64_t pairKey(int32_t left, int32_t right) {
  return uint64_t(uint32_t(left)) << 32 | uint32_t(right);
}

/// Bytes as text that a message can have.
std::string printable(std::string_view bytes) {
  std::string text;
  for (unsigned char c : bytes) {
    char code[8];
    snprintf(code, sizeof code, c > 32 && c < 127 ? "%c" : "\\x%02X", c);
    text += code;
  }
  return text;
}

} // namespace

/// The symbols of a word as a list, and the merges that its neighbours can do.
class Bpe::Word {
public:
  Word(const Bpe &bpe, std::string_view word) : bpe(bpe) {
    symbols.reserve(word.size());
    for (unsigned char c : word) {
      const int at = int(symbols.size());
      symbols.push_back({bpe.bytes[c], at - 1, at + 1});
    }
    symbols.back().next = -1;
    for (int i = 0; i + 1 < int(symbols.size()); ++i)
      offer(i);
  }

  void merge() {
    while (!candidates.empty()) {
      const Candidate best = candidates.top();
      candidates.pop();
      Symbol &left = symbols[size_t(best.at)];
      if (left.token < 0 || left.next < 0)
        continue;
      Symbol &right = symbols[size_t(left.next)];
      // The neighbours may have merged with others since.
      const Product *product = bpe.find(left.token, right.token);
      if (!product || product->token != best.token)
        continue;
      left.token = best.token;
      right.token = -1;
      left.next = right.next;
      if (left.next >= 0) {
        symbols[size_t(left.next)].previous = best.at;
        offer(best.at);
      }
      if (left.previous >= 0)
        offer(left.previous);
    }
  }

  void append(std::vector<int32_t> &tokens) const {
    for (const Symbol &symbol : symbols)
      if (symbol.token >= 0)
        tokens.push_back(symbol.token);
  }

private:
  struct Symbol {
    int32_t token;
    int previous, next;
  };
  struct Candidate {
    uint32_t rank;
    int at;
    int32_t token;
    bool operator<(const Candidate &other) const {
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };

  void offer(int at) {
    const Symbol &left = symbols[size_t(at)];
    if (const Product *product = bpe.find(left.token, symbols[size_t(left.next)].token))
      candidates.push({product->rank, at, product->token});
  }

  const Bpe &bpe;
  std::vector<Symbol> symbols;
  std::priority_queue<Candidate> candidates;
};

const Bpe::Product *Bpe::find(int32_t left, int32_t right) const {
  auto found = products.find(pairKey(left, right));
  return found == products.end() ? nullptr : &found->second;
}

Expected<Bpe> Bpe::make(std::unordered_map<std::string, int32_t, TextHash, std::equal_to<>> tokens,
                        const std::vector<Merge> &merges, bool ignoreMerges) {
  Bpe made;
  made.vocabulary = std::move(tokens);
  made.ignoreMerges = ignoreMerges;
  for (int c = 0; c != 256; ++c) {
    auto found = made.vocabulary.find(std::string(1, char(c)));
    if (found == made.vocabulary.end())
      return fail("the byte " + std::to_string(c) + " is no token");
    made.bytes[size_t(c)] = found->second;
  }
  uint32_t rank = 0;
  for (const Merge &merge : merges) {
    const auto left = made.vocabulary.find(merge.left), right = made.vocabulary.find(merge.right);
    const auto both = made.vocabulary.find(merge.left + merge.right);
    if (left == made.vocabulary.end() || right == made.vocabulary.end() ||
        both == made.vocabulary.end())
      return fail("the merge of '" + printable(merge.left) + "' and '" + printable(merge.right) +
                  "' is about what is no token");
    made.products.insert_or_assign(pairKey(left->second, right->second),
                                   Product{rank++, both->second});
  }
  return made;
}

void Bpe::encode(std::string_view word, std::vector<int32_t> &tokens) const {
  if (word.empty())
    return;
  if (ignoreMerges)
    if (auto found = vocabulary.find(word); found != vocabulary.end())
      return tokens.push_back(found->second);
  Word symbols(*this, word);
  symbols.merge();
  symbols.append(tokens);
}

} // namespace engine

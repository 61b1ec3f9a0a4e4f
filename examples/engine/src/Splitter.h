//===- Splitter.h - Cuts text at a regular expression ---------------------------===//
#pragma once

#include "Expected.h"

#include <memory>
#include <string_view>
#include <vector>

namespace engine {

/// A pre-tokenizer "Split" of tokenizer.json. Can be used by several threads.
class Splitter {
public:
  enum class Behavior { Isolated, Removed };

  /// `pattern` is a regular expression in the syntax that `tokenizers` (Oniguruma) and PCRE2 share;
  /// `\s` and `\S` are about Unicode's White_Space. What the two read differently is refused.
  static Expected<Splitter> fromRegex(std::string_view pattern, Behavior behavior, bool invert);
  static Expected<Splitter> fromString(std::string_view text, Behavior behavior, bool invert);

  /// The parts of `text`, which must be valid UTF-8, in order: matches and what is between them.
  /// Removed: of these alone what is between, inverted alone the matches. No part is empty. An
  /// error says that a limit of PCRE2 was reached.
  Expected<std::vector<std::string_view>> split(std::string_view text) const;

private:
  struct Code;
  static Expected<Splitter> compile(std::string_view pattern, unsigned options, Behavior behavior,
                                    bool invert);
  std::shared_ptr<const Code> code;
  Behavior behavior = Behavior::Isolated;
  bool invert = false;
};

} // namespace engine

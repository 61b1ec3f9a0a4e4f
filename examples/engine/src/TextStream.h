//===- TextStream.h - Tokens that become text until a stop string ---------------===//
#pragma once

#include "Tokenizer.h"
#include "Utf8.h"

namespace engine {

/// Text of one answer. What may become part of a stop string, or is half a code point, is held back
/// until that is clear; stop strings are found across tokens and are not part of the text.
class TextStream {
public:
  TextStream(const Tokenizer &tokenizer, std::vector<std::string> stops)
      : tokenizer(&tokenizer), stops(std::move(stops)) {}

  /// The text that one more token makes certain.
  std::string put(int32_t token);
  /// What was held back if no more tokens come.
  std::string finish();
  /// Code points of the answer where the text of the next token begins, counted as if no stop
  /// string cut it, and of what put() and finish() have given.
  size_t position() const { return begun; }
  size_t certain() const { return given; }
  /// A stop string was found: put() and finish() give nothing more.
  bool stopped() const { return isStopped; }

private:
  std::string take(std::string text);

  const Tokenizer *tokenizer;
  std::vector<std::string> stops;
  Utf8Stream utf8;
  std::string held;
  size_t begun = 0, given = 0;
  bool isStopped = false;
};

} // namespace engine

//===- Lexer.h - A template cut into text and the tokens of its tags ------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace engine::jinja {

struct Token {
  enum Kind {
    Text,
    BeginOutput,
    EndOutput,
    BeginTag,
    EndTag,
    Name,
    String,
    Integer,
    Float,
    Sign,
    End
  };
  Kind kind = End;
  /// Text and strings without quotes and escapes; signs as they are: "==".
  std::string text;
  int line = 1;
};

/// Comments are left out. Text is what it is after whitespace control with the settings
/// trim_blocks and lstrip_blocks, which Hugging Face's templates are written for. Throws Failure.
std::vector<Token> tokenize(std::string_view source);

} // namespace engine::jinja

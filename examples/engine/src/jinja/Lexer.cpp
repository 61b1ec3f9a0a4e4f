#include "Lexer.h"

#include "Value.h"

#include <algorithm>
#include <cctype>

namespace engine::jinja {

namespace {

constexpr std::string_view spaces = " \t\r\n\v\f";

class Lexer {
public:
  explicit Lexer(std::string_view given) {
    // As Jinja does: one kind of line ends, and none behind the last line.
    for (size_t i = 0; i != given.size(); ++i)
      if (given[i] != '\r')
        source += given[i];
      else if (i + 1 == given.size() || given[i + 1] != '\n')
        source += '\n';
    if (source.ends_with('\n'))
      source.pop_back();
  }

  std::vector<Token> run() {
    while (at < source.size())
      if (takeText())
        takeTag();
    tokens.push_back({Token::End, "", line});
    return std::move(tokens);
  }

private:
  [[noreturn]] void fail(const std::string &why) const {
    throw Failure("line " + std::to_string(line) + ": " + why);
  }
  bool isNext(std::string_view text) const {
    return std::string_view(source).substr(at).starts_with(text);
  }
  void advance(size_t to) {
    line += int(std::count(source.begin() + long(at), source.begin() + long(to), '\n'));
    at = to;
  }
  void put(Token::Kind kind, std::string text) { tokens.push_back({kind, std::move(text), line}); }

  /// Up to the next tag; false where there is none.
  bool takeText() {
    size_t end = at;
    while (true) {
      end = source.find('{', end);
      if (end == std::string::npos || end + 1 == source.size()) {
        putText(source.substr(at));
        advance(source.size());
        return false;
      }
      if (std::string_view("{%#").find(source[end + 1]) != std::string_view::npos)
        break;
      ++end;
    }
    std::string text = source.substr(at, end - at);
    const char kind = source[end + 1], control = end + 2 < source.size() ? source[end + 2] : ' ';
    if (control == '-') {
      text.erase(text.find_last_not_of(spaces) + 1);
    } else if (control != '+' && kind != '{') {
      const size_t start = text.rfind('\n') + 1;
      if ((start != 0 || atLineStart) && text.find_first_not_of(spaces, start) == std::string::npos)
        text.erase(start);
    }
    putText(std::move(text));
    advance(end);
    return true;
  }
  void putText(std::string text) {
    if (!text.empty())
      put(Token::Text, std::move(text));
  }

  void takeTag() {
    const char kind = source[at + 1];
    advance(at + 2);
    if (kind == '#') {
      const size_t end = source.find("#}", at);
      if (end == std::string::npos)
        fail("a comment does not end");
      const char control = source[end - 1];
      advance(end + 2);
      return leaveTag(end > 0 ? control : ' ', true);
    }
    if (at < source.size() && (source[at] == '-' || source[at] == '+'))
      advance(at + 1);
    put(kind == '{' ? Token::BeginOutput : Token::BeginTag, "");
    const std::string_view close = kind == '{' ? "}}" : "%}";
    int depth = 0;
    while (true) {
      advance(std::min(source.find_first_not_of(spaces, at), source.size()));
      if (at == source.size())
        fail("a tag does not end");
      const bool isControlled = (source[at] == '-' || source[at] == '+') &&
                                std::string_view(source).substr(at + 1).starts_with(close);
      if (depth == 0 && (isNext(close) || isControlled)) {
        put(kind == '{' ? Token::EndOutput : Token::EndTag, "");
        const char control = isControlled ? source[at] : ' ';
        advance(at + (isControlled ? 3 : 2));
        return leaveTag(control, kind == '%');
      }
      takeToken(depth);
    }
  }
  void leaveTag(char control, bool trims) {
    atLineStart = false;
    if (control == '-') {
      const size_t end = std::min(source.find_first_not_of(spaces, at), source.size());
      atLineStart = end != at && source[end - 1] == '\n';
      advance(end);
    } else if (trims && control != '+' && isNext("\n")) {
      atLineStart = true;
      advance(at + 1);
    }
  }

  void takeToken(int &depth) {
    const char c = source[at];
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_')
      return takeWhile(Token::Name, [](char next) {
        return std::isalnum(static_cast<unsigned char>(next)) || next == '_';
      });
    if (std::isdigit(static_cast<unsigned char>(c)))
      return takeNumber();
    if (c == '"' || c == '\'')
      return takeString(c);
    for (std::string_view sign : {"==", "!=", "<=", ">=", "//", "**"})
      if (isNext(sign)) {
        put(Token::Sign, std::string(sign));
        return advance(at + 2);
      }
    if (std::string_view("+-*/%~<>=()[]{},.:|").find(c) == std::string_view::npos)
      fail(std::string("unexpected '") + c + "'");
    depth += std::string_view("([{").find(c) != std::string_view::npos;
    depth -= std::string_view(")]}").find(c) != std::string_view::npos;
    if (depth < 0)
      fail(std::string("'") + c + "' closes nothing");
    put(Token::Sign, std::string(1, c));
    advance(at + 1);
  }
  template <class Fn> void takeWhile(Token::Kind kind, Fn belongs) {
    size_t end = at;
    while (end != source.size() && belongs(source[end]))
      ++end;
    put(kind, source.substr(at, end - at));
    advance(end);
  }
  void takeNumber() {
    size_t end = source.find_first_not_of("0123456789_", at);
    end = std::min(end, source.size());
    bool isFloat = end + 1 < source.size() && source[end] == '.' &&
                   std::isdigit(static_cast<unsigned char>(source[end + 1]));
    if (isFloat)
      end = std::min(source.find_first_not_of("0123456789", end + 1), source.size());
    size_t exponent = end + 1;
    if (end < source.size() && (source[end] == 'e' || source[end] == 'E')) {
      exponent += exponent < source.size() && (source[exponent] == '+' || source[exponent] == '-');
      if (exponent < source.size() && std::isdigit(static_cast<unsigned char>(source[exponent]))) {
        isFloat = true;
        end = std::min(source.find_first_not_of("0123456789", exponent), source.size());
      }
    }
    std::string digits = source.substr(at, end - at);
    std::erase(digits, '_');
    put(isFloat ? Token::Float : Token::Integer, std::move(digits));
    advance(end);
  }
  void takeString(char quote) {
    std::string text;
    size_t end = at + 1;
    for (;; ++end) {
      if (end >= source.size())
        fail("a string does not end");
      if (source[end] == quote)
        break;
      if (source[end] != '\\') {
        text += source[end];
        continue;
      }
      if (++end == source.size())
        fail("a string does not end");
      switch (source[end]) {
      case 'n':
        text += '\n';
        break;
      case 't':
        text += '\t';
        break;
      case 'r':
        text += '\r';
        break;
      case '\\':
      case '\'':
      case '"':
        text += source[end];
        break;
      case '\n':
        break;
      case 'x':
      case 'u':
      case 'U':
      case 'N':
      case '0':
      case '1':
      case '2':
      case '3':
      case 'a':
      case 'b':
      case 'f':
      case 'v':
        fail(std::string("the escape \\") + source[end] + " is not supported");
      default:
        text += {'\\', source[end]};
      }
    }
    put(Token::String, std::move(text));
    advance(end + 1);
  }

  std::string source;
  size_t at = 0;
  int line = 1;
  bool atLineStart = true;
  std::vector<Token> tokens;
};

} // namespace

std::vector<Token> tokenize(std::string_view source) { return Lexer(source).run(); }

} // namespace engine::jinja

//===- ExpressionParser.h - Expressions of templates -----------------------------===//
#pragma once

#include "Lexer.h"
#include "Tree.h"

namespace engine::jinja {

/// The tokens of a template, and which is next.
class Cursor {
protected:
  explicit Cursor(std::string_view source) : tokens(tokenize(source)) {}

  /// A level more while it is there; fails where these are too many.
  struct Deeper {
    explicit Deeper(Cursor &cursor) : cursor(cursor) {
      if (++cursor.depth > deepest)
        cursor.fail("nested too deeply");
    }
    ~Deeper() { --cursor.depth; }
    Cursor &cursor;
  };

  [[noreturn]] void fail(const std::string &why) const {
    throw Failure("line " + std::to_string(next().line) + ": " + why);
  }
  /// Chains become as deep as they are long.
  void lengthen(int &count) const {
    if (++count > longestChain)
      fail("an expression is too long");
  }
  const Token &next() const { return tokens[at]; }
  const Token &behind() const { return tokens[std::min(at + 1, tokens.size() - 1)]; }
  bool isSign(std::string_view text) const {
    return next().kind == Token::Sign && next().text == text;
  }
  bool isName(std::string_view text) const {
    return next().kind == Token::Name && next().text == text;
  }
  bool takeSign(std::string_view text) { return isSign(text) && ++at; }
  bool takeName(std::string_view text) { return isName(text) && ++at; }
  void needSign(std::string_view text) {
    if (!takeSign(text))
      fail("`" + std::string(text) + "` is missing before `" + next().text + "`");
  }
  void needName(std::string_view text) {
    if (!takeName(text))
      fail("`" + std::string(text) + "` is missing before `" + next().text + "`");
  }
  std::string name() {
    if (next().kind != Token::Name)
      fail("a name is missing before `" + next().text + "`");
    return tokens[at++].text;
  }
  void endTag() {
    if (next().kind != Token::EndTag)
      fail("unexpected `" + next().text + "`");
    ++at;
  }
  NodePtr make(Node::Kind kind, std::string text = {}) const {
    return std::make_unique<Node>(Node{kind, next().line, std::move(text)});
  }
  template <class... Kids> NodePtr make(Node::Kind kind, std::string text, Kids... kids) const {
    NodePtr made = make(kind, std::move(text));
    (made->kids.push_back(std::move(kids)), ...);
    return made;
  }

  static constexpr int deepest = 100, longestChain = 500;
  std::vector<Token> tokens;
  size_t at = 0;
  int depth = 0;
};

class ExpressionParser : protected Cursor {
protected:
  using Cursor::Cursor;

  /// Several with commas between them are a list.
  NodePtr tuple();
  NodePtr expression();
  NodePtr either();
  NodePtr both();
  NodePtr negation();
  NodePtr comparison();
  template <class Fn> NodePtr leftToRight(std::initializer_list<const char *> signs, Fn operand);
  NodePtr sum();
  NodePtr unary(bool hasFilters);
  NodePtr primary();
  Value number(const Token &token) const;
  NodePtr parenthesis();
  NodePtr list();
  NodePtr dict();
  NodePtr postfix(NodePtr made);
  NodePtr subscript(NodePtr of);
  /// Behind the parenthesis.
  void arguments(Node &call);
  NodePtr filters(NodePtr made);
  NodePtr test(NodePtr of);
};

} // namespace engine::jinja

#include "Lexer.h"
#include "Tree.h"

#include <charconv>
#include <set>

namespace engine::jinja {

namespace {

constexpr int deepest = 100, longestChain = 500;

class Parser {
public:
  explicit Parser(std::string_view source) : tokens(tokenize(source)) {}

  NodePtr run() {
    NodePtr root = block({});
    if (next().kind != Token::End)
      fail("`" + next().text + "` has no beginning");
    return root;
  }

private:
  struct Deeper {
    explicit Deeper(Parser &parser) : parser(parser) {
      if (++parser.depth > deepest)
        parser.fail("nested too deeply");
    }
    ~Deeper() { --parser.depth; }
    Parser &parser;
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

  // ---- Statements -----------------------------------------------------------------------------

  /// Up to a tag with one of these names, which is not taken.
  NodePtr block(const std::set<std::string> &ends) {
    const Deeper deeper(*this);
    NodePtr made = make(Node::Block);
    while (true) {
      if (next().kind == Token::Text) {
        made->kids.push_back(make(Node::Text, next().text));
        ++at;
      } else if (next().kind == Token::BeginOutput) {
        ++at;
        made->kids.push_back(make(Node::Output, "", expression()));
        if (next().kind != Token::EndOutput)
          fail("unexpected `" + next().text + "`");
        ++at;
      } else if (next().kind != Token::BeginTag || ends.contains(behind().text) ||
                 behind().text.starts_with("end")) {
        if (next().kind == Token::BeginTag)
          ++at;
        if (next().kind == Token::Name && !ends.contains(next().text))
          fail("unexpected `" + next().text + "`");
        return made;
      } else {
        ++at;
        made->kids.push_back(statement());
      }
    }
  }
  /// The body up to a tag `end`, and that tag.
  NodePtr bodyUntil(const std::string &end) {
    NodePtr made = block({end});
    needName(end);
    return made;
  }

  NodePtr statement() {
    const std::string keyword = name();
    NodePtr made;
    if (keyword == "for")
      made = loop();
    else if (keyword == "if")
      made = condition();
    else if (keyword == "set")
      made = assignment();
    else if (keyword == "macro")
      made = macro();
    else if (keyword == "break" || keyword == "continue")
      made = make(keyword == "break" ? Node::Break : Node::Continue);
    else if (keyword == "generation") { // says which tokens a model is trained on
      endTag();
      made = bodyUntil("endgeneration");
    } else
      fail("the tag `" + keyword + "` is not supported");
    endTag();
    return made;
  }

  NodePtr loop() {
    NodePtr made = make(Node::For);
    do
      made->names.push_back(name());
    while (takeSign(","));
    needName("in");
    made->kids.push_back(either());
    NodePtr filter = takeName("if") ? expression() : nullptr;
    endTag();
    made->kids.push_back(block({"else", "endfor"}));
    NodePtr otherwise;
    if (takeName("else")) {
      endTag();
      otherwise = block({"endfor"});
    }
    needName("endfor");
    made->kids.push_back(std::move(otherwise));
    made->kids.push_back(std::move(filter));
    return made;
  }

  NodePtr condition() {
    NodePtr made = make(Node::If);
    do {
      made->kids.push_back(expression());
      endTag();
      made->kids.push_back(block({"elif", "else", "endif"}));
    } while (takeName("elif"));
    if (takeName("else")) {
      endTag();
      made->kids.push_back(block({"endif"}));
    }
    needName("endif");
    return made;
  }

  NodePtr assignment() {
    NodePtr made = make(Node::Set);
    do
      made->names.push_back(name());
    while (takeSign(","));
    if (made->names.size() == 1 && takeSign(".")) {
      made->text = made->names[0];
      made->names = {name()};
    }
    if (takeSign("=")) {
      made->kids.push_back(tuple());
    } else {
      made->kind = Node::SetBlock;
      if (isSign("|") || made->names.size() != 1 || !made->text.empty())
        fail("this kind of `set` is not supported");
      endTag();
      made->kids.push_back(bodyUntil("endset"));
    }
    return made;
  }

  NodePtr macro() {
    NodePtr made = make(Node::Macro, name());
    made->kids.push_back(nullptr);
    needSign("(");
    while (!takeSign(")")) {
      made->names.push_back(name());
      if (takeSign("="))
        made->kids.push_back(expression());
      else if (made->kids.size() != 1)
        fail("a parameter without default behind one with it");
      if (!isSign(")"))
        needSign(",");
    }
    endTag();
    made->kids[0] = bodyUntil("endmacro");
    return made;
  }

  // ---- Expressions ----------------------------------------------------------------------------

  /// Several with commas between them are a list.
  NodePtr tuple() {
    NodePtr first = expression();
    if (!isSign(","))
      return first;
    NodePtr made = make(Node::ListOf);
    made->kids.push_back(std::move(first));
    while (takeSign(","))
      made->kids.push_back(expression());
    return made;
  }

  NodePtr expression() {
    const Deeper deeper(*this);
    NodePtr made = either();
    while (takeName("if")) {
      NodePtr when = either();
      NodePtr otherwise = takeName("else") ? expression() : nullptr;
      made = make(Node::Choose, "", std::move(when), std::move(made), std::move(otherwise));
    }
    return made;
  }
  NodePtr either() {
    NodePtr made = both();
    for (int count = 0; takeName("or"); lengthen(count)) {
      NodePtr right = both();
      made = make(Node::Binary, "or", std::move(made), std::move(right));
    }
    return made;
  }
  NodePtr both() {
    NodePtr made = negation();
    for (int count = 0; takeName("and"); lengthen(count)) {
      NodePtr right = negation();
      made = make(Node::Binary, "and", std::move(made), std::move(right));
    }
    return made;
  }
  NodePtr negation() {
    const Deeper deeper(*this);
    return takeName("not") ? make(Node::Unary, "not", negation()) : comparison();
  }
  NodePtr comparison() {
    NodePtr made = sum();
    NodePtr chain;
    while (true) {
      std::string sign;
      for (const char *known : {"==", "!=", "<=", ">=", "<", ">"})
        if (isSign(known))
          sign = known;
      if (isName("in"))
        sign = "in";
      else if (isName("not") && behind().kind == Token::Name && behind().text == "in")
        sign = "not in";
      if (sign.empty())
        return chain ? std::move(chain) : std::move(made);
      at += sign == "not in" ? 2 : 1;
      if (!chain)
        chain = make(Node::Compare, "", std::move(made));
      chain->names.push_back(sign);
      chain->kids.push_back(sum());
    }
  }
  template <class Fn> NodePtr leftToRight(std::initializer_list<const char *> signs, Fn operand) {
    NodePtr made = operand();
    for (int count = 0;; lengthen(count)) {
      std::string sign;
      for (const char *known : signs)
        if (isSign(known))
          sign = known;
      if (sign.empty())
        return made;
      ++at;
      NodePtr right = operand();
      made = make(Node::Binary, sign, std::move(made), std::move(right));
    }
  }
  NodePtr sum() {
    return leftToRight({"+", "-"}, [this] {
      return leftToRight({"~"}, [this] {
        return leftToRight({"*", "/", "//", "%"},
                           [this] { return leftToRight({"**"}, [this] { return unary(true); }); });
      });
    });
  }
  NodePtr unary(bool hasFilters) {
    const Deeper deeper(*this);
    NodePtr made;
    if (isSign("-") || isSign("+")) {
      const std::string sign = tokens[at++].text;
      made = make(Node::Unary, sign, unary(false));
    } else {
      made = postfix(primary());
    }
    return hasFilters ? filters(std::move(made)) : std::move(made);
  }

  NodePtr primary() {
    const Token token = next();
    NodePtr made = make(Node::Literal);
    if (token.kind == Token::Name) {
      ++at;
      if (token.text == "true" || token.text == "True" || token.text == "false" ||
          token.text == "False")
        made->value = Value(token.text == "true" || token.text == "True");
      else if (token.text == "none" || token.text == "None")
        made->value = None();
      else
        return make(Node::Variable, token.text);
      return made;
    }
    if (token.kind == Token::String) {
      std::string text;
      while (next().kind == Token::String)
        text += tokens[at++].text;
      made->value = std::move(text);
      return made;
    }
    if (token.kind == Token::Integer || token.kind == Token::Float) {
      ++at;
      made->value = number(token);
      return made;
    }
    if (takeSign("("))
      return parenthesis();
    if (takeSign("["))
      return list();
    if (takeSign("{"))
      return dict();
    fail("an expression is missing before `" + token.text + "`");
  }
  Value number(const Token &token) const {
    const char *begin = token.text.data(), *end = begin + token.text.size();
    int64_t integer = 0;
    double value = 0;
    const bool isGood = token.kind == Token::Integer
                            ? std::from_chars(begin, end, integer).ec == std::errc()
                            : std::from_chars(begin, end, value).ec == std::errc();
    if (!isGood)
      fail("the number " + token.text + " is too large");
    return token.kind == Token::Integer ? Value(integer) : Value(value);
  }
  NodePtr parenthesis() {
    if (takeSign(")"))
      return make(Node::ListOf);
    NodePtr made = expression();
    if (isSign(",")) {
      made = make(Node::ListOf, "", std::move(made));
      while (takeSign(",") && !isSign(")"))
        made->kids.push_back(expression());
    }
    needSign(")");
    return made;
  }
  NodePtr list() {
    NodePtr made = make(Node::ListOf);
    while (!takeSign("]")) {
      made->kids.push_back(expression());
      if (!isSign("]"))
        needSign(",");
    }
    return made;
  }
  NodePtr dict() {
    NodePtr made = make(Node::DictOf);
    while (!takeSign("}")) {
      made->kids.push_back(expression());
      needSign(":");
      made->kids.push_back(expression());
      if (!isSign("}"))
        needSign(",");
    }
    return made;
  }

  NodePtr postfix(NodePtr made) {
    for (int count = 0;; lengthen(count)) {
      if (takeSign(".")) {
        if (next().kind == Token::Integer) {
          NodePtr index = make(Node::Literal);
          index->value = number(tokens[at++]);
          made = make(Node::Item, "", std::move(made), std::move(index));
        } else {
          made = make(Node::Member, name(), std::move(made));
        }
      } else if (takeSign("[")) {
        made = subscript(std::move(made));
      } else if (takeSign("(")) {
        made = make(Node::Call, "", std::move(made));
        arguments(*made);
      } else {
        return made;
      }
    }
  }
  NodePtr subscript(NodePtr of) {
    NodePtr parts[3];
    int count = 0;
    bool isSlice = false;
    while (!isSign("]")) {
      if (takeSign(":")) {
        isSlice = true;
        if (++count == 3)
          fail("a slice has too many parts");
      } else if (parts[count]) {
        needSign("]");
      } else {
        parts[count] = expression();
      }
    }
    needSign("]");
    if (!isSlice && !parts[0])
      fail("an index is missing");
    if (!isSlice)
      return make(Node::Item, "", std::move(of), std::move(parts[0]));
    return make(Node::Slice, "", std::move(of), std::move(parts[0]), std::move(parts[1]),
                std::move(parts[2]));
  }
  /// Behind the parenthesis.
  void arguments(Node &call) {
    while (!takeSign(")")) {
      const bool isNamed =
          next().kind == Token::Name && behind().kind == Token::Sign && behind().text == "=";
      if (isNamed) {
        call.names.push_back(name());
        ++at;
      } else if (!call.names.empty()) {
        fail("an argument without a name behind one with it");
      }
      call.kids.push_back(expression());
      if (!isSign(")"))
        needSign(",");
    }
  }

  NodePtr filters(NodePtr made) {
    for (int count = 0;; lengthen(count)) {
      if (takeSign("|")) {
        made = make(Node::Filter, name(), std::move(made));
        if (!isFilter(made->text))
          fail("the filter `" + made->text + "` is not supported");
        if (takeSign("("))
          arguments(*made);
        made = postfix(std::move(made));
      } else if (takeName("is")) {
        made = test(std::move(made));
      } else {
        return made;
      }
    }
  }
  NodePtr test(NodePtr of) {
    const bool isNegated = takeName("not");
    NodePtr made = make(Node::Test, name(), std::move(of));
    if (!isTest(made->text))
      fail("the test `" + made->text + "` is not supported");
    if (takeSign("("))
      arguments(*made);
    else if (made->text == "in" || made->text == "divisibleby" || made->text == "equalto" ||
             made->text == "eq" || made->text == "ne")
      made->kids.push_back(postfix(primary()));
    return isNegated ? make(Node::Unary, "not", std::move(made)) : std::move(made);
  }

  std::vector<Token> tokens;
  size_t at = 0;
  int depth = 0;
};

} // namespace

NodePtr parse(std::string_view source) { return Parser(source).run(); }

} // namespace engine::jinja

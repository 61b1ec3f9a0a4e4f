#include "ExpressionParser.h"

#include <charconv>

namespace engine::jinja {

NodePtr ExpressionParser::tuple() {
  NodePtr first = expression();
  if (!isSign(","))
    return first;
  NodePtr made = make(Node::ListOf);
  made->kids.push_back(std::move(first));
  while (takeSign(","))
    made->kids.push_back(expression());
  return made;
}

NodePtr ExpressionParser::expression() {
  const Deeper deeper(*this);
  NodePtr made = either();
  while (takeName("if")) {
    NodePtr when = either();
    NodePtr otherwise = takeName("else") ? expression() : nullptr;
    made = make(Node::Choose, "", std::move(when), std::move(made), std::move(otherwise));
  }
  return made;
}

NodePtr ExpressionParser::either() {
  NodePtr made = both();
  for (int count = 0; takeName("or"); lengthen(count)) {
    NodePtr right = both();
    made = make(Node::Binary, "or", std::move(made), std::move(right));
  }
  return made;
}

NodePtr ExpressionParser::both() {
  NodePtr made = negation();
  for (int count = 0; takeName("and"); lengthen(count)) {
    NodePtr right = negation();
    made = make(Node::Binary, "and", std::move(made), std::move(right));
  }
  return made;
}

NodePtr ExpressionParser::negation() {
  const Deeper deeper(*this);
  return takeName("not") ? make(Node::Unary, "not", negation()) : comparison();
}

NodePtr ExpressionParser::comparison() {
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

template <class Fn>
NodePtr ExpressionParser::leftToRight(std::initializer_list<const char *> signs, Fn operand) {
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

NodePtr ExpressionParser::sum() {
  return leftToRight({"+", "-"}, [this] {
    return leftToRight({"~"}, [this] {
      return leftToRight({"*", "/", "//", "%"},
                         [this] { return leftToRight({"**"}, [this] { return unary(true); }); });
    });
  });
}

NodePtr ExpressionParser::unary(bool hasFilters) {
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

NodePtr ExpressionParser::primary() {
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

Value ExpressionParser::number(const Token &token) const {
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

NodePtr ExpressionParser::parenthesis() {
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

NodePtr ExpressionParser::list() {
  NodePtr made = make(Node::ListOf);
  while (!takeSign("]")) {
    made->kids.push_back(expression());
    if (!isSign("]"))
      needSign(",");
  }
  return made;
}

NodePtr ExpressionParser::dict() {
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

NodePtr ExpressionParser::postfix(NodePtr made) {
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

NodePtr ExpressionParser::subscript(NodePtr of) {
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

void ExpressionParser::arguments(Node &call) {
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

NodePtr ExpressionParser::filters(NodePtr made) {
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

NodePtr ExpressionParser::test(NodePtr of) {
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

} // namespace engine::jinja

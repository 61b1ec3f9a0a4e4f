#include "ExpressionParser.h"

#include <set>

namespace engine::jinja {

namespace {

/// Statements, and the text between them.
class Parser : ExpressionParser {
public:
  explicit Parser(std::string_view source) : ExpressionParser(source) {}

  NodePtr run() {
    NodePtr root = block({});
    if (next().kind != Token::End)
      fail("`" + next().text + "` has no beginning");
    return root;
  }

private:
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
};

} // namespace

NodePtr parse(std::string_view source) { return Parser(source).run(); }

} // namespace engine::jinja

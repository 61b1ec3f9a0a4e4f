#include "lsp/Mentions.h"

#include "syntax/Parser.h"

#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::lsp;

namespace {

struct Parsed {
  explicit Parsed(const char *text) : file("k.py", text), tree(ast::parse(file, sink)) {}

  diag::SourceFile file;
  diag::Collector sink;
  std::unique_ptr<ast::Module> tree;
  Mentions mentions{*tree};

  /// The text of the place that binds what is named at `mark`, with what is in front of it.
  std::string bindingOf(const char *mark) {
    const Mention *mention = mentions.at(static_cast<uint32_t>(file.text().find(mark)));
    if (!mention)
      return "no mention";
    const NameScope &scope = mentions.scope(mentions.resolve(mention->name, mention->scope));
    auto found = scope.bindings.find(mention->name);
    return found == scope.bindings.end()
               ? "unbound"
               : std::string(file.text().substr(found->second.span.begin, 8));
  }
};

} // namespace

TEST(Mentions, NamesBelongToTheInnermostFunctionThatBindsThem) {
  Parsed parsed("x = 1\n"
                "def outer(p):\n"
                "    x = p\n"
                "    def inner(q): return (x, p, q, y)\n"
                "def other(): return x + 0\n");
  EXPECT_EQ(parsed.bindingOf("x, p"), "x = p\n  ");
  EXPECT_EQ(parsed.bindingOf("p, q"), "p):\n    ");
  EXPECT_EQ(parsed.bindingOf("q, y"), "q): retu");
  EXPECT_EQ(parsed.bindingOf("y)"), "unbound");
  EXPECT_EQ(parsed.bindingOf("x + 0"), "x = 1\nde");
}

TEST(Mentions, NamesOfAClassAreNotSeenByItsMethods) {
  Parsed parsed("x = 1\n"
                "class C:\n"
                "    x: int = 2\n"
                "    y = x  # own\n"
                "    def m(self): return x  # global\n");
  EXPECT_EQ(parsed.bindingOf("x  # own"), "x: int =");
  EXPECT_EQ(parsed.bindingOf("x  # global"), "x = 1\ncl");
}

TEST(Mentions, DefaultsAndDecoratorsStandOutside) {
  Parsed parsed("n = 1\n"
                "@mark(n + 0)\n"
                "def f(n=n + 1, *, g: n + 2): return lambda n: n + 3\n");
  EXPECT_EQ(parsed.bindingOf("n + 0"), "n = 1\n@m");
  EXPECT_EQ(parsed.bindingOf("n + 1"), "n = 1\n@m");
  EXPECT_EQ(parsed.bindingOf("n + 2"), "n = 1\n@m");
  EXPECT_EQ(parsed.bindingOf("n + 3"), "n: n + 3");
}

TEST(Mentions, ImportsBindWhatTheyAreCalledHere) {
  Parsed parsed("import a.b\n"
                "from m import f as g\n"
                "a.b.c(g)\n");
  EXPECT_EQ(parsed.bindingOf("a.b.c"), "a.b\nfrom");
  EXPECT_EQ(parsed.bindingOf("g)"), "g\na.b.c(");
}

TEST(Mentions, KeywordsAndAttributesAreMentions) {
  Parsed parsed("f(x.attr, key=1)\n");
  const Mention *attribute = parsed.mentions.at(5), *keyword = parsed.mentions.at(11);
  ASSERT_TRUE(attribute && keyword);
  EXPECT_EQ(attribute->kind, Mention::Kind::Attribute);
  EXPECT_EQ(attribute->name, "attr");
  EXPECT_EQ(keyword->kind, Mention::Kind::Keyword);
  EXPECT_TRUE(llvm::isa<ast::Call>(keyword->node));
}

TEST(Mentions, NodesAroundAPlaceComeOutermostFirst) {
  Parsed parsed("@mark\ndef f(a):\n    return a + 1\n");
  std::vector<const ast::Node *> path =
      nodesAt(*parsed.tree, static_cast<uint32_t>(parsed.file.text().find("1")));
  ASSERT_EQ(path.size(), 5u);
  EXPECT_TRUE(llvm::isa<ast::FunctionDef>(path[1]));
  EXPECT_TRUE(llvm::isa<ast::Constant>(path.back()));
  EXPECT_TRUE(llvm::isa<ast::Name>(nodesAt(*parsed.tree, 2).back()));
}

#include "sema/Evaluator.h"
#include "sema/Program.h"

#include "gtest/gtest.h"

#include <map>

using namespace gluonc;
using namespace gluonc::sema;

namespace {

class HostScope : public testing::Test {
protected:
  HostScope() {
    program.setResolver([this](uint64_t scope, llvm::StringRef name) {
      asked.push_back(name.str());
      auto found = bindings.find({scope, name.str()});
      return found == bindings.end() ? std::nullopt : std::optional(found->second);
    });
  }

  HostBinding function(std::string name, unsigned line, uint64_t scope) {
    return {HostBindingKind::HostFunction, text, "file.py", std::move(name), line, scope};
  }

  /// `expression` in a scope of the file.
  std::string evaluate(const std::string &expression, uint64_t scope) {
    diag::Collector collector;
    Module *module = program.load("file.py", text, collector, scope);
    std::optional<Value> value =
        sema::evaluate(program, *module, expression, {}, "<test>", collector);
    return value ? value->repr() : collector.diagnostics.front().message;
  }

  std::string text = "N = 1\n"
                     "def outer():\n"
                     "    M = 2\n"
                     "    @decorated\n"
                     "    def inner(x):\n"
                     "        return x + M + N\n";
  diag::SourceManager sources;
  Program program{sources};
  std::map<std::pair<uint64_t, std::string>, HostBinding> bindings;
  std::vector<std::string> asked;
};

TEST_F(HostScope, WhatTheHostDoesNotKnowIsInTheSource) {
  EXPECT_EQ(evaluate("N", 1), "1");
  EXPECT_EQ(asked.back(), "N");
}

TEST_F(HostScope, TheHostGoesAheadOfTheSource) {
  bindings[{1, "N"}].text = "(10, 20)";
  EXPECT_EQ(evaluate("N[1]", 1), "20");
}

TEST_F(HostScope, AFileWithoutAScopeAsksNobody) {
  bindings[{0, "N"}].text = "10";
  EXPECT_EQ(evaluate("N", 0), "1");
  EXPECT_TRUE(asked.empty());
}

TEST_F(HostScope, ScopesOfOneFileAreApart) {
  bindings[{1, "M"}].text = "10";
  bindings[{2, "M"}].text = "20";
  bindings[{1, "f"}] = function("inner", 4, 1);
  bindings[{2, "f"}] = function("inner", 4, 2);
  EXPECT_EQ(evaluate("f(100)", 1), "111");
  EXPECT_EQ(evaluate("f(100)", 2), "121");
}

TEST_F(HostScope, ADefinitionIsFoundByNameAndLine) {
  bindings[{1, "f"}] = function("inner", 5, 1);
  bindings[{1, "g"}] = function("outer", 4, 1);
  EXPECT_NE(evaluate("f(1)", 1).find("f"), std::string::npos);
  EXPECT_NE(evaluate("g()", 1).find("g"), std::string::npos);
  diag::Collector collector;
  Module *module = program.load("file.py", text, collector, 1);
  EXPECT_TRUE(program.kernelAt(*module, "inner", 4, collector));
  EXPECT_FALSE(program.kernelAt(*module, "inner", 5, collector));
  EXPECT_FALSE(program.kernelAt(*module, "outer", 4, collector));
  EXPECT_EQ(collector.diagnostics.back().kind, diag::Kind::MissingKernel);
}

TEST_F(HostScope, ObjectsHaveNamesInEveryScope) {
  bindings[{0, "__gluonc_object_1"}].text = "7";
  bindings[{3, "PAIR"}].text = "(__gluonc_object_1, 2)";
  EXPECT_EQ(evaluate("PAIR", 3), "(7, 2)");
}

TEST_F(HostScope, AClassMayHaveABaseOfItsOwnName) {
  bindings[{1, "N"}] = {HostBindingKind::Class, "class N(N): pass\n", "class.py", "N", 1, 1};
  EXPECT_EQ(evaluate("N", 1), "<class N>");
}

} // namespace

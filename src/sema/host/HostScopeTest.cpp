#include "sema/eval/Evaluator.h"
#include "sema/names/Program.h"

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

TEST_F(HostScope, ANameThatTheHostDoesNotHaveIsNotInTheSourceEither) {
  bindings[{1, "N"}].kind = HostBindingKind::Unbound;
  EXPECT_NE(evaluate("N", 1).find("N"), std::string::npos);
  EXPECT_NE(evaluate("N", 1), "1");
}

TEST_F(HostScope, DefaultsAreThoseOfTheObject) {
  text = "def f(a, b=N): return a + b\n";
  for (unsigned i : {1u, 2u}) {
    HostBinding &binding = bindings[{1, "f" + std::to_string(i)}] = function("f", 1, 1);
    binding.object = i;
    binding.attributes = "{'defaults': {'b': " + std::to_string(10 * i) + "}}";
  }
  EXPECT_EQ(evaluate("(f1(1), f2(1))", 1), "(11, 21)");
}

TEST_F(HostScope, LambdasOfALineAreToldApartByTheirBodies) {
  text = "fs = [lambda: 1, lambda: 2]\n";
  for (const char *column : {"14", "25"}) {
    HostBinding &binding = bindings[{1, std::string("f") + column}] = function("<lambda>", 1, 1);
    binding.attributes = std::string("{'body': (1, ") + column + ")}";
  }
  bindings[{1, "either"}] = function("<lambda>", 1, 1);
  EXPECT_EQ(evaluate("(f14(), f25())", 1), "(1, 2)");
  EXPECT_NE(evaluate("either()", 1).find("either"), std::string::npos);
}

class HostClasses : public HostScope {
protected:
  HostClasses() {
    text = "def make():\n"
           "    class C:\n"
           "        a: int\n"
           "        def first(self): return self.a\n"
           "class C:\n"
           "    a: int = 1\n"
           "class C:\n"
           "    a: int\n"
           "    def first(self): return -self.a\n";
  }
  HostBinding cls(std::string name, unsigned line, std::string members) {
    return {HostBindingKind::Class,
            text,
            "file.py",
            std::move(name),
            line,
            1,
            line,
            "{'bases': [], 'members': " + Value::string(members).repr() + "}"};
  }
  /// Of the class that is object 1.
  HostBinding instance(const std::string &fields) {
    HostBinding made;
    made.kind = HostBindingKind::Instance;
    made.name = "__gluonc_object_1";
    made.object = 100;
    made.attributes = "{'fields': " + fields + "}";
    return made;
  }
};

TEST_F(HostClasses, MayHaveMembersThatAreInstancesOfThem) {
  for (auto [name, first] : {std::pair("x == C.ONLY", "x"), std::pair("C.ONLY == x", "C")}) {
    Program fresh(sources);
    fresh.setResolver([&](uint64_t, llvm::StringRef name) -> std::optional<HostBinding> {
      if (name == "C" || name == "__gluonc_object_1") {
        HostBinding made = cls("C", 6, "{'ONLY': ('', __gluonc_object_100)}");
        made.object = 1;
        return made;
      }
      if (name == "x" || name == "__gluonc_object_100")
        return instance("{'a': 4}");
      return std::nullopt;
    });
    diag::Collector collector;
    Module *module = fresh.load("file.py", text, collector, 1);
    std::optional<Value> value = sema::evaluate(fresh, *module, name, {}, "<test>", collector);
    ASSERT_TRUE(value) << first;
    EXPECT_EQ(value->repr(), "True") << first;
  }
}

TEST_F(HostClasses, AreFoundByTheirNameAndALineInside) {
  bindings[{0, "__gluonc_object_1"}] = function("first", 4, 1);
  bindings[{0, "__gluonc_object_2"}] = function("first", 9, 1);
  bindings[{1, "Inner"}] = cls("make.<locals>.C", 4, "{'first': ('', __gluonc_object_1)}");
  bindings[{1, "Outer"}] = cls("C", 9, "{'first': ('', __gluonc_object_2)}");
  bindings[{1, "Neither"}] = cls("C", 100, "{}");
  EXPECT_EQ(evaluate("(Inner(3).first(), Outer(3).first())", 1), "(3, -3)");
  EXPECT_NE(evaluate("Neither(3)", 1).find("Neither"), std::string::npos);
}

TEST_F(HostClasses, HaveTheMembersOfTheObjectAndNoOthers) {
  bindings[{1, "C"}] = cls("C", 6, "{'a': ('', 5), 'more': ('', 7)}");
  EXPECT_EQ(evaluate("(C().a, C.a, C.more)", 1), "(5, 5, 7)");
  bindings[{2, "D"}] = cls("C", 6, "{}");
  bindings[{2, "D"}].object = 60;
  EXPECT_NE(evaluate("D().a", 2).find("a"), std::string::npos);
}

TEST_F(HostClasses, AreOneInAllScopes) {
  bindings[{1, "C"}] = cls("C", 6, "{}");
  bindings[{1, "C"}].object = 1;
  bindings[{2, "C"}] = bindings[{1, "C"}];
  bindings[{1, "x"}] = instance("{'a': 4}");
  bindings[{0, "__gluonc_object_1"}] = bindings[{1, "C"}];
  bindings[{2, "x"}] = bindings[{1, "x"}];
  EXPECT_EQ(evaluate("(x.a, isinstance(x, C))", 1), "(4, True)");
  EXPECT_EQ(evaluate("(x.a, isinstance(x, C))", 2), "(4, True)");
}

TEST_F(HostClasses, WithoutATextHaveTheFieldsOfTheObject) {
  bindings[{1, "P"}] = cls("P", 0, "{'y': ('', 7)}");
  bindings[{1, "P"}].path.clear();
  bindings[{1, "P"}].object = 50;
  bindings[{1, "P"}].attributes.back() = ',';
  bindings[{1, "P"}].attributes += "'fields': ('x', 'y'), 'named_tuple': True}";
  EXPECT_EQ(evaluate("(P(1).x, P(1)[1], P(1, 2).y)", 1), "(1, 7, 2)");
}

TEST_F(HostClasses, HoldAllThatTheirInstancesDo) {
  bindings[{0, "__gluonc_object_1"}] = cls("C", 6, "{}");
  bindings[{1, "x"}] = instance("{'other': 4}");
  EXPECT_NE(evaluate("x.other", 1).find("x.other"), std::string::npos);
}

} // namespace

// Classes, named tuples, operators of classes, strategy objects: what test/exec cannot see.

#include "sema/TestKernels.h"

#include <gtest/gtest.h>

using namespace gluonc::sema::test;

namespace {

/// Compiles and expects no diagnostics.
std::string ir(const std::string &body, std::vector<std::string> arguments = {}) {
  Result result = compileKernel(body, std::move(arguments));
  EXPECT_EQ(result.messages, "") << body;
  return result.ir;
}

} // namespace

TEST(Values, AFieldKeepsItsClassThroughATernary) {
  Result result = compileKernel(R"(
@gluon.aggregate
class A:
    x: gl.tensor
    n: gl.constexpr

@gluon.jit
def k(p, i):
    a = A(i, 4) if i > 3 else A(i + 1, 5)
    gl.store(p, a.x)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::TernaryTypeMismatch 11:9\n");
}

TEST(Values, WhatOneSideOfATernaryAssignsIsGone) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, i):
    a = (b := i + 1) if i > 3 else i
    gl.store(p, b)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UndefinedAfterControlFlow 7:17\n");
}

TEST(Values, AConditionOfALoopAssignsNothing) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, i):
    while (i := i - 1) > 3:
        gl.store(p, i)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UnsupportedConstruct 6:11\n");
}

TEST(Values, APlainClassMustBeAConstexpr) {
  Result result = compileKernel(R"(
class Plain:
    @gluon.jit
    def f(x):
        return x

@gluon.jit
def k(p, C: gl.constexpr):
    gl.store(p, C.f(1))
    gl.store(p, Plain.f(1))
)",
                                {"*i32", "=Plain"});
  EXPECT_EQ(result.problems, "Kind::NonConstexprGlobal 12:17\n");
}

TEST(Values, AnObjectOfAPlainClassIsAStrategy) {
  std::string text = ir(R"(
from dataclasses import dataclass

@dataclass(frozen=True)
class Options:
    block: int
    stages: int = 2

    def bytes(self):
        return self.block * self.stages

class Tiling:
    def __init__(self, rows):
        self.rows = rows
        if rows > 4:
            self.half = rows // 2
        else:
            self.half = rows

    @gluon.jit
    def first(self, x):
        return x + self.half

@gluon.jit
def k(p, options: gl.constexpr, tiling: gl.constexpr):
    gl.static_assert(options.stages == 2)
    gl.static_assert(options.bytes() == 256)
    gl.store(p, tiling.first(7))
)",
                        {"*i32", "=Options(block=128)", "=Tiling(10)"});
  EXPECT_NE(text.find("arith.constant 12 : i32"), std::string::npos) << text;
}

TEST(Values, NoOperatorIsLookedForOnTheScalarsSide) {
  Result result = compileKernel(R"(
@gluon.aggregate
class Forward:
    x: gl.tensor

    @gluon.jit
    def __add__(self, other):
        return self

@gluon.jit
def k(p, i):
    a = i + Forward(i)
    b = Forward(i) < i
    c = -Forward(i)
    d = Forward(i) and Forward(i)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::BadOperands 14:9\nKind::BadOperands 15:9\n"
                             "Kind::BadOperand 16:9\nKind::BadOperands 17:9\n");
}

TEST(Values, ADerivedClassGetsAConstructorForAllItsFields) {
  std::string text = ir(R"(
@gluon.aggregate
class Base:
    x: gl.tensor

    @gluon.constexpr_function
    def __init__(self, x):
        self.x = x

@gluon.aggregate
class Derived(Base):
    y: gl.tensor

@gluon.jit
def k(p, i):
    d = Derived(i, y=i)
    gl.store(p, d.x + d.y)
)",
                        {"*i32", "i32"});
  EXPECT_NE(text.find("arith.addi %arg1, %arg1"), std::string::npos) << text;
}

TEST(Values, FieldsOfNamedTuplesAreNamed) {
  Result result = compileKernel(R"(
from collections import namedtuple
P = namedtuple("P", "x y", defaults=[5])

@gluon.jit
def k(p, i):
    a = P(i)
    gl.store(p, a.x + a.z)
    P(i, 1, 2)
    P(y=1)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UnknownAttribute 10:25\nKind::TooManyArguments 11:13\n"
                             "Kind::MissingArgument 12:5\n");
}

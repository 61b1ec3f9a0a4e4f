// One specialization reports every independent error, and none that follows from another.

#include "sema/TestKernels.h"

#include <gtest/gtest.h>

using namespace gluonc::sema::test;

TEST(Recovery, EveryStatementIsLookedAt) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n):
    a = missing + 1
    gl.store(p, other)
    b = n + absent
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UnknownName 6:9\nKind::UnknownName 7:17\n"
                             "Kind::UnknownName 8:13\n");
}

TEST(Recovery, EveryArgumentIsLookedAt) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n):
    gl.store(p + first, second, mask=third)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UnknownName 6:38\nKind::UnknownName 6:18\n"
                             "Kind::UnknownName 6:25\n");
}

TEST(Recovery, WhatFollowsFromAnErrorIsNotReported) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n):
    a, (b, c) = missing
    d = a + b
    e = d if n > 3 else c
    for i in range(n):
        e += d
    if e > 3:
        f = d
    else:
        f = n
    gl.store(p, f)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UnknownName 6:17\n");
}

TEST(Recovery, BodiesOfLoopsAndBranchesAreWalkedToTheirEnd) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n):
    total = n
    for i in range(n):
        total += one
        if i > two:
            three()
        else:
            four()
        while five:
            pass
        total = 6.5
    gl.store(p, total + seven)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UnknownName 8:18\nKind::UnknownName 9:16\n"
                             "Kind::UnknownName 13:15\nKind::LoopTypeMismatch 15:9\n"
                             "Kind::UnknownName 16:25\n");
}

TEST(Recovery, AFunctionIsReportedOnceForAllItsCalls) {
  Result result = compileKernel(R"(
@gluon.jit
def helper(x):
    y = x + missing
    return y

@gluon.jit
def k(p, n):
    a = helper(n)
    b = helper(n + 1)
    gl.store(p, a + b)
    gl.store(p, other)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UnknownName 6:13\nKind::UnknownName 14:17\n");
}

TEST(Recovery, AnUnrolledLoopStopsAtItsFirstBadIteration) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n):
    for i in gl.static_range(4):
        gl.static_assert(i > 5, f"iteration {i}")
    gl.store(p, other)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::StaticAssertFailed 7:9\nKind::UnknownName 8:17\n");
}

TEST(Recovery, MismatchesOfOneIfAreAllReported) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n):
    if n > 3:
        a = 1
        b = 2.0
        c = n
    else:
        a = 1.0
        b = 2
        c = n + 1
    gl.store(p, a + b + c)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::IfTypeMismatch 6:8\nKind::IfTypeMismatch 6:8\n");
}

TEST(Recovery, NothingBehindABadReturnIsLookedAt) {
  Result result = compileKernel(R"(
@gluon.jit
def helper(x):
    return x + missing
    return also_missing

@gluon.jit
def k(p, n):
    if n > 3:
        gl.store(p, helper(n))
        return
    gl.store(p, other)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UnknownName 6:16\nKind::UnknownName 14:17\n");
}

TEST(Recovery, AnExhaustedBudgetEndsTheWalk) {
  Result result = compileKernel(R"(
@gluon.constexpr_function
def forever():
    while True:
        pass

@gluon.jit
def k(p, n):
    gl.store(p, forever())
    gl.store(p, other)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::EvaluationTooLong 7:9\n");
}

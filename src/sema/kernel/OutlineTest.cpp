// Functions marked noinline.

#include "sema/TestKernels.h"

#include <gtest/gtest.h>

using namespace gluonc::sema::test;

static size_t occurrences(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Outline, OneFunctionForOneKindOfArguments) {
  Result result = compileKernel(R"(
@gluon.jit(noinline=True)
def f(x, by: gl.constexpr):
    return x * by

@gluon.jit
def k(p, i):
    gl.store(p, f(i, 3) + f(i + 1, 3))
    gl.store(p + 1, f(i, 4))
    gl.store(p + 2, f(i.to(gl.int64), 3).to(gl.int32))
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.messages, "");
  EXPECT_EQ(occurrences(result.ir, "tt.func private @f__"), 3u) << result.ir;
  EXPECT_EQ(occurrences(result.ir, "tt.call @f__0("), 2u);
  EXPECT_EQ(occurrences(result.ir, "noinline = true"), 3u);
}

TEST(Outline, CompileTimeResultsStayCompileTime) {
  Result result = compileKernel(R"(
@gluon.jit(noinline=True)
def f(x):
    return x + 1, gl.int16, 4

@gluon.jit
def k(p, i):
    r: gl.constexpr = 3
    x, t, n = f(i)
    gl.static_assert(t == gl.int16)
    gl.store(p, x + n)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.messages, "");
  EXPECT_EQ(occurrences(result.ir, "(i32) -> i32"), 1u) << result.ir;
}

TEST(Outline, BlocksAreNoArguments) {
  Result result = compileKernel(R"(
@gluon.jit(noinline=True)
def f(pair):
    pass

@gluon.jit
def k(p, L: gl.constexpr):
    x = gl.arange(0, 128, layout=L)
    f((x, 1))
)",
                                {"*i32", "=gl.BlockedLayout([1], [32], [4], [0])"});
  EXPECT_EQ(result.problems, "Kind::NoinlineBlockArgument 11:5\n");
}

TEST(Outline, ErrorsInsideAreReportedWithTheCall) {
  Result result = compileKernel(R"(
@gluon.jit(noinline=True)
def f(x):
    return x + missing

@gluon.jit
def k(p, i):
    gl.store(p, f(i))
    gl.store(p, f(i))
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UnknownName 6:16\n");
  EXPECT_EQ(occurrences(result.messages, "called from here"), 1u) << result.messages;
}

TEST(Outline, ResultsThatMustBeUsedAre) {
  Result result = compileKernel(R"(
@gluon.must_use_result
@gluon.jit
def plain(x):
    return x

@gluon.must_use_result("Assign it.")
@gluon.jit
def told(x):
    return x

@gluon.jit
def k(p, i):
    plain(i)
    told(i)
    y = told(plain(i))
    gl.store(p, y)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UnusedResult 16:5\nKind::UnusedResult 17:5\n");
  EXPECT_EQ(occurrences(result.messages, "is not used: Assign it."), 1u) << result.messages;
}

TEST(Outline, ResultsOfMethodsThatMustBeUsedAre) {
  Result result = compileKernel(R"(
@gluon.aggregate
class Square:
    x: gl.tensor

    @gluon.must_use_result
    @gluon.jit
    def area(self):
        return self.x * self.x

@gluon.jit
def k(p, i):
    square = Square(i)
    square.area()
    gl.store(p, square.area())
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UnusedResult 16:5\n") << result.messages;
  EXPECT_EQ(occurrences(result.messages, "`square.area`"), 1u) << result.messages;
}

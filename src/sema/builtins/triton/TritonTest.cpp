//===- TritonTest.cpp - What Triton admits and refuses where Gluon does not ---===//
#include "sema/TestKernels.h"

#include <gtest/gtest.h>

namespace gluonc::sema::test {
namespace {

/// Problems of `def k(parameters)` with this body, for a chip.
std::string problems(const std::string &parameters, const std::string &body,
                     std::vector<std::string> arguments, const char *target = "cuda:80") {
  Harness harness("import triton\nimport triton.language as tl\n@triton.jit\ndef k(" + parameters +
                  "):\n" + body);
  harness.options.target = *target::Target::parse(target);
  harness.compile("k", std::move(arguments));
  return harness.problems();
}

/// The same where nothing is passed.
std::string problems(const std::string &body, const char *target = "cuda:80") {
  return problems("", body, {}, target);
}

TEST(Triton, EightBitFloatsAreThoseOfTheTarget) {
  const std::string fill = "    tl.full([32], 1.0, tl.float16).to(tl.";
  const char *const refused = "Kind::Float8Target 5:39\n";
  for (const char *type : {"float8e5", "float8e4b15"})
    EXPECT_EQ(problems(fill + type + ")\n"), "") << type;
  for (const char *type : {"float8e4b8", "float8e5b16"}) {
    EXPECT_EQ(problems(fill + type + ")\n"), refused) << type;
    EXPECT_EQ(problems(fill + type + ")\n", "hip:gfx942"), "") << type;
  }
  EXPECT_EQ(problems(fill + "float8e4nv)\n"), refused);
  EXPECT_EQ(problems(fill + "float8e4nv)\n", "cuda:89"), "");
  EXPECT_EQ(problems("x", "    tl.load(x)\n", {"*fp8e4nv"}), "Kind::Float8Target 5:13\n");
}

TEST(Triton, ProductsWarnOfAFormatThatIsConverted) {
  const std::string product = "    x = tl.full([32, 32], 0.0, tl.float8e4b15)\n"
                              "    tl.dot(x, x)\n";
  EXPECT_EQ(problems(product), "");
  EXPECT_EQ(problems(product, "cuda:90"),
            "Kind::Float8Deprecated 6:12\nKind::Float8Deprecated 6:15\n");
}

TEST(Triton, WhereWarnsOfNumbers) {
  EXPECT_EQ(problems("    tl.where(tl.arange(0, 8), 1, 2)\n"), "Kind::ConditionNotBoolean 5:14\n");
  EXPECT_EQ(problems("    tl.where(tl.arange(0, 8) > 3, 1, 2)\n"), "");
}

TEST(Triton, NothingIsStoredThroughPointersToConst) {
  EXPECT_EQ(problems("x: tl.const, y", "    tl.store(y, tl.load(x))\n", {"*fp32", "*fp32"}), "");
  EXPECT_EQ(problems("x: tl.const, y", "    tl.store(x, tl.load(y))\n", {"*fp32", "*fp32"}),
            "Kind::StoreToConst 5:14\n");
}

TEST(Triton, HistogramsAreOf32Bits) {
  EXPECT_EQ(problems("    tl.histogram(tl.full([64], 1, tl.int16), 8)\n"),
            "Kind::ArgumentKind 5:18\n");
}

TEST(Triton, SeveralDimsAreInsertedAtOnce) {
  EXPECT_EQ(problems("    x = tl.expand_dims(tl.arange(0, 8), (0, -1))\n"
                     "    tl.static_assert(x.shape == (1, 8, 1))\n"),
            "");
  EXPECT_EQ(problems("    tl.expand_dims(tl.arange(0, 8), (0, -3))\n"), "Kind::BadArgument 5:37\n");
  EXPECT_EQ(problems("    tl.expand_dims(tl.arange(0, 8), (0, 3))\n"),
            "Kind::AxisOutOfRange 5:37\n");
}

TEST(Triton, ScalarsMakePairs) {
  EXPECT_EQ(problems("    x = tl.join(tl.program_id(0), 3)\n"
                     "    tl.static_assert(x.shape == (2,))\n"
                     "    y = tl.program_id(0)[None, None]\n"
                     "    tl.static_assert(y.shape == (1, 1))\n"
                     "    tl.static_assert(tl.program_id(0)[None, None, :].shape == (1, 1))\n"
                     "    tl.static_assert(tl.expand_dims(8, -1).shape == (1,))\n"),
            "");
  EXPECT_EQ(problems("    tl.program_id(0)[:, None]\n"), "Kind::SubscriptRank 5:5\n");
  EXPECT_EQ(problems("    tl.join(tl.program_id(0), 3.0)\n"), "Kind::TensorsDiffer 5:5\n");
}

TEST(Triton, SlicesOfNoneAreWhole) {
  EXPECT_EQ(problems("    none: tl.constexpr = None\n"
                     "    x = tl.arange(0, 8)[none, None::none]\n"
                     "    tl.static_assert(x.shape == (1, 8))\n"),
            "");
  EXPECT_EQ(problems("    tl.arange(0, 8)[0:4]\n"), "Kind::BadIndex 5:21\n");
}

TEST(Triton, ValuesOfCompileTimeHaveTypes) {
  EXPECT_EQ(problems("    x: tl.constexpr = 10\n"
                     "    tl.static_assert(x.type == tl.constexpr_type(10))\n"
                     "    tl.static_assert(x.type != tl.constexpr_type(11))\n"
                     "    tl.static_assert(isinstance(x.type, tl.constexpr_type))\n"
                     "    pair: tl.constexpr = (1, \"a\")\n"
                     "    tl.static_assert(pair.type == (1, \"a\").type)\n"
                     "    ids = (tl.program_id(0), tl.program_id(1))\n"
                     "    tl.static_assert(ids.type == tl.tuple_type([tl.int32, tl.int32]))\n"
                     "    tl.static_assert(ids.type != tl.tuple_type([tl.int32, tl.int64]))\n"),
            "");
  EXPECT_EQ(problems("    tl.tuple_type(3)\n"), "Kind::ArgumentKind 5:5\n");
}

TEST(Triton, ArithmeticOn8BitFloatsKeepsTheirType) {
  EXPECT_EQ(problems("    x = tl.full([8], 1.0, tl.float8e5)\n"
                     "    tl.static_assert((x * x).dtype == tl.float8e5)\n"
                     "    tl.static_assert((x + 2.0).dtype == tl.float8e5)\n"
                     "    tl.static_assert((x / x).dtype == tl.float32)\n"
                     "    tl.static_assert((2.0 / x).dtype == tl.float32)\n"
                     "    tl.static_assert((x % 2).dtype == tl.float32)\n"),
            "");
}

TEST(Triton, ScaledProductsCheckTheirScales) {
  const std::string sides = "    x = tl.full([32, 64], 0, tl.uint8)\n"
                            "    y = tl.full([64, 32], 0, tl.uint8)\n"
                            "    s = tl.full([32, 2], 127, tl.uint8)\n"
                            "    t = tl.full([32, 4], 127, tl.uint8)\n";
  EXPECT_EQ(problems(sides + "    z = tl.dot_scaled(x, s, \"e5m2\", y, None, \"e5m2\")\n"
                             "    tl.static_assert(z.shape == (32, 32))\n"),
            "");
  const char *const refused = "Kind::StaticAssertFailed 9:5\n";
  EXPECT_EQ(problems(sides + "    tl.dot_scaled(x, t, \"e5m2\", y, None, \"e5m2\")\n"), refused);
  EXPECT_EQ(problems(sides + "    tl.dot_scaled(x, None, \"e5m2\", y, t, \"e5m2\")\n"), refused);
  EXPECT_EQ(problems(sides + "    tl.dot_scaled(x, s, \"e3m2\", y, s, \"e5m2\")\n"), refused);
  EXPECT_EQ(
      problems(sides + "    tl.dot_scaled(x, s, \"e5m2\", y, s, \"e5m2\", lhs_k_pack=False)\n"),
      refused);
}

} // namespace
} // namespace gluonc::sema::test

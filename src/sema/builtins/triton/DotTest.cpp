#include "sema/TestKernels.h"

#include "gtest/gtest.h"

namespace gluonc::sema::test {
namespace {

using diag::Kind;

/// `tl.dot(x, y…)` of blocks [M, K] and [K, N] of an element type.
Result multiply(const std::string &type, const std::string &call, int m = 32, int k = 32,
                int n = 32) {
  auto block = [&](int rows, int columns) {
    return "tl.zeros([" + std::to_string(rows) + ", " + std::to_string(columns) + "], " + type +
           ")\n";
  };
  Harness harness("import triton\nimport triton.language as tl\n@triton.jit\ndef f():\n    x = " +
                  block(m, k) + "    y = " + block(k, n) + "    z = " + call + "\n");
  Result result;
  result.ir = harness.compile("f", {});
  result.problems = harness.problems();
  result.messages = harness.messages();
  return result;
}

/// One problem, of this kind, in the line of the product.
void expectProblem(const Result &result, Kind kind) {
  std::string line = "Kind::" + diag::info(kind).name.str() + " 7:";
  EXPECT_TRUE(llvm::StringRef(result.problems).starts_with(line)) << result.messages;
  EXPECT_EQ(llvm::StringRef(result.problems).count("Kind::"), 1u) << result.messages;
}

void expectSum(const std::string &type, const std::string &call, const std::string &sum) {
  Result result = multiply(type, call);
  EXPECT_EQ(result.messages, "") << type << call;
  EXPECT_NE(result.ir.find("-> tensor<32x32x" + sum), std::string::npos) << result.ir;
}

TEST(Dot, SumsAreWiderThanOperands) {
  expectSum("tl.float16", "tl.dot(x, y)", "f32");
  expectSum("tl.float16", "tl.dot(x, y, out_dtype=tl.float16)", "f16");
  expectSum("tl.float16", "tl.dot(x, y, tl.zeros([32, 32], tl.float16))", "f16");
  expectSum("tl.bfloat16", "tl.dot(x, y)", "f32");
  expectSum("tl.int8", "tl.dot(x, y)", "i32");
  expectSum("tl.float64", "tl.dot(x, y)", "f64");
  expectSum("tl.float8e5", "tl.dot(x, y)", "f32");
}

TEST(Dot, TypesThatHaveNoProductAreReported) {
  expectProblem(multiply("tl.int16", "tl.dot(x, y)"), Kind::DotTypes);
  expectProblem(multiply("tl.float16", "tl.dot(x, y.to(tl.bfloat16))"), Kind::DotTypes);
  expectProblem(multiply("tl.float32", "tl.dot(x, y, out_dtype=tl.bfloat16)"), Kind::DotTypes);
}

TEST(Dot, ShapesHaveToMultiply) {
  EXPECT_EQ(multiply("tl.float16", "tl.dot(x, x.trans())", 32, 64, 32).problems, "");
  expectProblem(multiply("tl.float16", "tl.dot(x, x)", 32, 64, 32), Kind::DotOperandShapes);
  expectProblem(multiply("tl.float16", "tl.dot(x, y, tl.zeros([16, 32], tl.float32))"),
                Kind::DotShape);
}

TEST(Dot, InstructionsTake256BitsOfDepth) {
  EXPECT_EQ(multiply("tl.float16", "tl.dot(x, y)", 32, 16).problems, "");
  expectProblem(multiply("tl.float16", "tl.dot(x, y)", 32, 8), Kind::DotDepth);
  expectProblem(multiply("tl.int8", "tl.dot(x, y)", 32, 16), Kind::DotDepth);
}

TEST(Dot, PrecisionIsThatOfFloat32) {
  auto products = [](const std::string &call) {
    Result result = multiply("tl.float32", call);
    EXPECT_EQ(result.messages, "");
    return llvm::StringRef(result.ir).count("= tt.dot ");
  };
  EXPECT_EQ(products("tl.dot(x, y)"), 1u);
  EXPECT_EQ(products("tl.dot(x, y, input_precision='ieee')"), 1u);
  EXPECT_EQ(products("tl.dot(x, y, input_precision='tf32x3')"), 3u);
  EXPECT_EQ(products("tl.dot(x, y, input_precision='bf16x3')"), 3u);
  EXPECT_EQ(products("tl.dot(x, y, input_precision='bf16x6')"), 6u);
  expectProblem(multiply("tl.float32", "tl.dot(x, y, input_precision='tf31')"),
                Kind::ArgumentChoice);
  expectProblem(multiply("tl.float32", "tl.dot(x, y, input_precision='tf32', allow_tf32=True)"),
                Kind::BadArgument);
}

} // namespace
} // namespace gluonc::sema::test

#include "host/Expression.h"
#include "host/Npy.h"
#include "host/NumberFormat.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace gluonc;
using namespace gluonc::host;
using diag::Kind;
using sema::ValueKind;

namespace {

class HostExpression : public testing::Test {
protected:
  std::optional<HostValue> eval(llvm::StringRef text) {
    return evaluate(scope, text, "<test>", sink);
  }
  /// Evaluates and binds, as an argument does.
  void bind(llvm::StringRef name, llvm::StringRef text) {
    std::optional<HostValue> value = eval(text);
    ASSERT_TRUE(value) << text.str();
    scope.bind(name, *value);
  }
  std::vector<double> numbers(llvm::StringRef text) {
    std::optional<HostValue> value = eval(text);
    if (!value || !std::holds_alternative<Array>(*value))
      return {-999};
    std::vector<double> out;
    const Tensor &tensor = std::get<Array>(*value).tensor;
    tensor.forEach([&](const uint8_t *at) { out.push_back(decodeElement(tensor.dtype(), at)); });
    return out;
  }
  std::string dtypeOf(llvm::StringRef text) {
    std::optional<HostValue> value = eval(text);
    return value ? std::get<Array>(*value).dtype.shortName() : "error";
  }
  std::string plain(llvm::StringRef text) {
    std::optional<HostValue> value = eval(text);
    if (!value)
      return "error";
    const sema::Value *found = std::get_if<sema::Value>(&*value);
    return found ? found->repr() : "a tensor";
  }
  /// The kind of the only error.
  Kind errorOf(llvm::StringRef text) {
    sink.diagnostics.clear();
    EXPECT_FALSE(eval(text)) << text.str();
    EXPECT_EQ(sink.diagnostics.size(), 1u) << text.str();
    return sink.diagnostics.empty() ? Kind::SyntaxError : sink.diagnostics[0].kind;
  }
  bool holds(llvm::StringRef text) {
    std::optional<Expectation> found = checkExpectation(scope, text, std::nullopt, sink);
    EXPECT_TRUE(found) << text.str();
    return found && found->holds;
  }

  diag::SourceManager sources;
  diag::Collector sink;
  sema::Program program{sources};
  sema::Module *module = program.load("k.py", "BLOCK = 128\n", sink);
  HostScope scope{program, *module};
};

using Doubles = std::vector<double>;

TEST_F(HostExpression, ConstructorsMakeWhatTheySay) {
  EXPECT_EQ(numbers("arange(4)"), (Doubles{0, 1, 2, 3}));
  EXPECT_EQ(numbers("arange(1, 7, 2)"), (Doubles{1, 3, 5}));
  EXPECT_EQ(numbers("arange(3, f16)"), (Doubles{0, 1, 2}));
  EXPECT_EQ(numbers("zeros((2, 2), i32) + ones(2)"), (Doubles{1, 1, 1, 1}));
  EXPECT_EQ(numbers("full(2, 2.5)"), (Doubles{2.5, 2.5}));
  EXPECT_EQ(numbers("tensor([[1, 2], [3, 4]])"), (Doubles{1, 2, 3, 4}));
  EXPECT_EQ(numbers("zeros_like(arange(2))"), (Doubles{0, 0}));
}

TEST_F(HostExpression, DtypesAreSpelledInEveryUsualWay) {
  for (const char *spelling : {"f16", "fp16", "float16", "gl.float16", "'fp16'"})
    EXPECT_EQ(dtypeOf("zeros(1, " + std::string(spelling) + ")"), "fp16") << spelling;
  EXPECT_EQ(dtypeOf("1.0 + rand(3, bf16)"), "bf16");
  EXPECT_EQ(dtypeOf("arange(3) == 1"), "u1");
}

TEST_F(HostExpression, SeedsCountUpSoThatTensorsDiffer) {
  bind("x", "randn(100)");
  bind("y", "randn(100)");
  EXPECT_FALSE(holds("x == y"));
  EXPECT_TRUE(holds("x == randn(100, f32, 0)"));
  EXPECT_TRUE(holds("y == randn(100, seed=1)"));
}

TEST_F(HostExpression, SlicesFollowPython) {
  bind("x", "arange(12).reshape((3, 4))");
  EXPECT_EQ(numbers("x[1]"), (Doubles{4, 5, 6, 7}));
  EXPECT_EQ(numbers("x[:, -1]"), (Doubles{3, 7, 11}));
  EXPECT_EQ(numbers("x[::2, 1:3]"), (Doubles{1, 2, 9, 10}));
  EXPECT_EQ(numbers("x[::-1, 0]"), (Doubles{8, 4, 0}));
  EXPECT_EQ(numbers("x[..., 0]"), (Doubles{0, 4, 8}));
  EXPECT_EQ(numbers("x.T[0]"), (Doubles{0, 4, 8}));
  EXPECT_EQ(numbers("x[5:]"), Doubles());
}

TEST_F(HostExpression, TensorsAndTheKernelLanguageMix) {
  bind("x", "zeros((100, 3), f32)");
  EXPECT_EQ(plain("x.numel()"), "300");
  EXPECT_EQ(plain("x.stride(0) * 2"), "6");
  EXPECT_EQ(plain("x.shape[0] // 7"), "14");
  EXPECT_EQ(plain("gl.cdiv(x.numel(), BLOCK)"), "3");
  EXPECT_EQ(plain("(gl.cdiv(x.shape[0], 64), x.shape[1])"), "(2, 3)");
  EXPECT_EQ(plain("BLOCK * 2"), "256");
  bind("s", "tensor(5)");
  EXPECT_EQ(plain("gl.cdiv(s, 2)"), "3");
}

TEST_F(HostExpression, ExpectationsHoldOrTellTheFirstDifference) {
  bind("x", "arange(6, f32)");
  EXPECT_TRUE(holds("x == arange(6)"));
  EXPECT_TRUE(holds("sum(x) == 15 and max(x) == 5"));
  EXPECT_TRUE(holds("allclose(x, x + 1e-7)"));
  EXPECT_TRUE(holds("x.reshape((2, 3)) @ ones(3) == tensor([3, 12])"));
  std::optional<Expectation> wrong =
      checkExpectation(scope, "x == where(x == 4, 9, x)", std::nullopt, sink);
  ASSERT_TRUE(wrong && !wrong->holds);
  ASSERT_FALSE(wrong->details.empty());
  EXPECT_NE(wrong->details.back().find("1 of 6 elements differ; the first at (4,): 4 and 9"),
            std::string::npos)
      << wrong->details.back();
}

TEST_F(HostExpression, AddressesAreThoseOfTheTensorsMemory) {
  bind("x", "empty(8, f32)");
  bind("at", "addresses([x, x[3:5]])");
  Tensor x = scope.findTensor("x")->tensor, at = scope.findTensor("at")->tensor;
  uint64_t addresses[2];
  ASSERT_EQ(at.size(), 2);
  std::memcpy(addresses, at.data(), sizeof addresses);
  EXPECT_EQ(addresses[0], reinterpret_cast<uint64_t>(x.data()));
  EXPECT_EQ(addresses[1], addresses[0] + 12);
  ASSERT_EQ(at.storage()->reached.size(), 2u);
  EXPECT_EQ(at.storage()->reached[1].first, "x[3:5]");
  EXPECT_EQ(at.storage()->reached[1].second, x.storage());
}

TEST_F(HostExpression, ReadingWhatNothingWroteIsReported) {
  bind("x", "empty(4, f32)");
  EXPECT_EQ(errorOf("x == 0"), Kind::UnwrittenRead);
  EXPECT_EQ(errorOf("sum(x)"), Kind::UnwrittenRead);
  EXPECT_EQ(plain("x.numel()"), "4");
}

TEST_F(HostExpression, MistakesAreReports) {
  bind("x", "arange(4)");
  EXPECT_EQ(errorOf("randn()"), Kind::HostCall);
  EXPECT_EQ(errorOf("randn(3, seeed=1)"), Kind::HostCall);
  EXPECT_EQ(errorOf("zeros(3, 4, 5)"), Kind::HostCall);
  EXPECT_EQ(errorOf("zeros(-1)"), Kind::HostOperation);
  EXPECT_EQ(errorOf("zeros((1 << 40, 1 << 40))"), Kind::HostOperation);
  EXPECT_EQ(errorOf("zeros('wide')"), Kind::HostOperation);
  EXPECT_EQ(errorOf("zeros(2, 'f99')"), Kind::HostOperation);
  EXPECT_EQ(errorOf("randint(4, 4, 3)"), Kind::HostOperation);
  EXPECT_EQ(errorOf("arange(0, 1, 0)"), Kind::HostOperation);
  EXPECT_EQ(errorOf("x + arange(3)"), Kind::HostOperation);
  EXPECT_EQ(errorOf("x @ arange(3)"), Kind::HostOperation);
  EXPECT_EQ(errorOf("x[4]"), Kind::HostOperation);
  EXPECT_EQ(errorOf("x[0, 0]"), Kind::HostOperation);
  EXPECT_EQ(errorOf("x[::0]"), Kind::HostOperation);
  EXPECT_EQ(errorOf("x.nothing"), Kind::HostOperation);
  EXPECT_EQ(errorOf("x.numel"), Kind::HostOperation);
  EXPECT_EQ(errorOf("sum(x, 1)"), Kind::HostOperation);
  EXPECT_EQ(errorOf("x + 'a'"), Kind::HostOperation);
  EXPECT_EQ(errorOf("x.reshape((3, 2))"), Kind::HostOperation);
  EXPECT_EQ(errorOf("tensor([[1], [2, 3]])"), Kind::HostOperation);
  EXPECT_EQ(errorOf("addresses(x)"), Kind::HostOperation);
  EXPECT_EQ(errorOf("addresses([4])"), Kind::HostOperation);
  EXPECT_EQ(errorOf("addresses([x + 1])"), Kind::HostOperation);
  EXPECT_EQ(errorOf("randn(N)"), Kind::UnknownName);
  EXPECT_EQ(errorOf("npy('/nonexistent.npy')"), Kind::NpyFile);
}

TEST_F(HostExpression, NpyOfTheWrongDtypeIsReported) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("gluonc", "npy", path));
  llvm::cantFail(writeNpy(path, llvm::cantFail(Tensor::create(sema::dtypes::float16, {3}))));
  EXPECT_EQ(errorOf("npy('" + path.str().str() + "', f32)"), Kind::NpyFile);
  EXPECT_EQ(numbers("npy('" + path.str().str() + "')"), (Doubles{0, 0, 0}));
  llvm::sys::fs::remove(path);
}

} // namespace

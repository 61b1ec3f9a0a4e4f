#include "driver/Arguments.h"

#include "gtest/gtest.h"

using namespace gluonc;
using namespace gluonc::driver;
using diag::Kind;

namespace {

class Binding : public testing::Test {
protected:
  Binding() {
    module = program.load("kernel.py",
                          "from triton.experimental import gluon\n"
                          "from triton.experimental.gluon import language as gl\n"
                          "@gluon.jit\n"
                          "def k(x, n, scale=2.0, BLOCK: gl.constexpr = 64):\n"
                          "    pass\n",
                          sink);
    kernel = program.kernel(*module, "k", sink);
  }
  std::optional<KernelArguments> bindAll(std::vector<std::pair<std::string, std::string>> given,
                                         std::vector<std::string> later = {}) {
    sink.diagnostics.clear();
    host::HostScope fresh(program, *module);
    std::vector<ArgumentText> texts;
    for (auto &[name, value] : given)
      texts.push_back({name, value, {}, {}});
    return bindValues(fresh, *kernel, texts, later, {}, sink);
  }
  Kind soleError() {
    EXPECT_EQ(sink.diagnostics.size(), 1u);
    return sink.diagnostics.empty() ? Kind::SyntaxError : sink.diagnostics[0].kind;
  }
  diag::SourceManager sources;
  diag::Collector sink;
  sema::Program program{sources};
  sema::Module *module = nullptr;
  std::shared_ptr<const sema::Function> kernel;
};

TEST_F(Binding, GridsAreOneToThreeSizes) {
  host::HostScope scope(program, *module);
  auto grid = [&](llvm::StringRef text) { return evaluateGrid(scope, text, {}, sink); };
  EXPECT_EQ(*grid("7"), (std::array<uint32_t, 3>{7, 1, 1}));
  EXPECT_EQ(*grid("2, 3"), (std::array<uint32_t, 3>{2, 3, 1}));
  EXPECT_EQ(*grid("(2, 3, 4)"), (std::array<uint32_t, 3>{2, 3, 4}));
  for (const char *bad : {"-1", "1.5", "()", "1, 2, 3, 4", "1 << 40", "1, 70000", "'a'"}) {
    sink.diagnostics.clear();
    EXPECT_FALSE(grid(bad)) << bad;
    ASSERT_EQ(sink.diagnostics.size(), 1u);
    EXPECT_EQ(sink.diagnostics[0].kind, Kind::BadGrid);
  }
}
TEST_F(Binding, SpecializesAsALaunchDoes) {
  ASSERT_TRUE(kernel);
  std::optional<KernelArguments> bound = bindAll({{"x", "zeros(8, f32)[1:]"}, {"n", "32"}});
  ASSERT_TRUE(bound);
  ASSERT_EQ(bound->specs.size(), 4u);
  // One element in, the address is no multiple of 16; 32 is.
  EXPECT_EQ(bound->specs[0].text(), "*fp32");
  EXPECT_EQ(bound->specs[1].text(), "i32:16");
  EXPECT_EQ(bound->specs[2].text(), "fp32");
  ASSERT_EQ(bound->runtime.size(), 3u);
  EXPECT_EQ(scalarBits(bound->runtime[1]), 32u);
  EXPECT_EQ(scalarBits(bound->runtime[2]), 0x40000000u);
}

TEST_F(Binding, OneIsCompiledIn) {
  std::optional<KernelArguments> bound = bindAll({{"x", "zeros(8)"}, {"n", "1"}});
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->runtime.size(), 2u);
}

TEST_F(Binding, HelpersAreNamesThatLaterTextsUse) {
  EXPECT_TRUE(bindAll({{"N", "8"}, {"x", "zeros(N)"}, {"n", "N"}}));
  EXPECT_TRUE(bindAll({{"x", "zeros(8)"}, {"n", "8"}, {"G", "4"}}, {"G * 2"}));
  EXPECT_FALSE(bindAll({{"x", "zeros(8)"}, {"n", "8"}, {"G", "4"}}, {"GG * 2"}));
  EXPECT_EQ(soleError(), Kind::UnknownParameter);
}

TEST_F(Binding, DescriptorsAreOfTensorsOnTheHost) {
  const std::string layout = "gl.NVMMASharedLayout(0, 32, rank=2)";
  std::optional<KernelArguments> bound =
      bindAll({{"X", "zeros((8, 20), f32)"},
               {"x", "TensorDescriptor.from_tensor(X[2:, :16], [4, 16], " + layout + ", 'nan')"},
               {"n", "8"}});
  ASSERT_TRUE(bound);
  EXPECT_TRUE(llvm::StringRef(bound->specs[0].text()).starts_with("tensordesc<fp32[4, 16],"));
  const RuntimeArgument &argument = bound->runtime[0];
  EXPECT_EQ(argument.width(), 5u);
  const TensorDescription tensor = argument.descriptionOnHost();
  EXPECT_EQ(tensor.base,
            reinterpret_cast<uintptr_t>(std::get<host::Tensor>(argument.value).data()));
  EXPECT_EQ(llvm::ArrayRef(tensor.shape).take_front(2), llvm::ArrayRef<int64_t>({6, 16}));
  EXPECT_EQ(llvm::ArrayRef(tensor.strides).take_front(2), llvm::ArrayRef<int64_t>({20, 1}));
  EXPECT_TRUE(tensor.nanPadding);
}

TEST_F(Binding, DescriptorsOfTritonsLanguageHaveNoLayout) {
  std::optional<KernelArguments> bound = bindAll({{"X", "zeros((8, 20), f32)"},
                                                  {"x", "TensorDescriptor.from_tensor(X, [4, 16])"},
                                                  {"n", "8"}});
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->specs[0].text(), "tensordesc<fp32[4, 16]>");
}

TEST_F(Binding, DescriptorsThatNoEngineUsesAreReports) {
  auto refused = [&](const std::string &tensor, const std::string &rest) {
    EXPECT_FALSE(bindAll({{"X", "zeros((8, 20), f32)"},
                          {"x", "TensorDescriptor.from_tensor(" + tensor + ", " + rest + ")"},
                          {"n", "8"}}));
    return soleError();
  };
  const std::string layout = "gl.NVMMASharedLayout(0, 32, rank=2)";
  EXPECT_EQ(refused("X", "[4], " + layout), Kind::BadArgumentValue);
  EXPECT_EQ(refused("X", "[4, 16], 3"), Kind::BadArgumentValue);
  EXPECT_EQ(refused("X[:, 1:]", "[4, 16], " + layout), Kind::BadArgumentValue);
  EXPECT_EQ(refused("X", "[0, 16], " + layout), Kind::BadArgumentValue);
  EXPECT_EQ(refused("X", "[4, 16], " + layout + ", 'one'"), Kind::HostOperation);
  EXPECT_EQ(refused("X", "[4, 16], " + layout + ", round_f32_to_tf32=1"), Kind::HostOperation);
  EXPECT_EQ(refused("X + 1", "[4, 16], " + layout), Kind::HostOperation);
  EXPECT_EQ(refused("X.numel()", "[4, 16], " + layout), Kind::HostOperation);
}

TEST_F(Binding, MistakesAreReports) {
  EXPECT_FALSE(bindAll({{"x", "zeros(8)"}}));
  EXPECT_EQ(soleError(), Kind::MissingValue);
  EXPECT_FALSE(bindAll({{"x", "zeros(8)"}, {"n", "1"}, {"n", "2"}}));
  EXPECT_EQ(soleError(), Kind::DuplicateValue);
  EXPECT_FALSE(bindAll({{"x", "'text'"}, {"n", "1"}}));
  EXPECT_EQ(soleError(), Kind::BadArgumentValue);
  EXPECT_FALSE(bindAll({{"x", "zeros(8)"}, {"n", "1 << 70"}}));
  EXPECT_EQ(soleError(), Kind::BadArgumentValue);
  EXPECT_FALSE(bindAll({{"x", "zeros(8)"}, {"n", "8"}, {"BLOCK", "zeros(8)"}}));
  EXPECT_EQ(soleError(), Kind::BadArgumentValue);
}
} // namespace

#include "ir/Encoding.h"
#include "ir/SourceLocation.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace gluonc;
using layout::Layout;

namespace {

class EncodingTest : public ::testing::Test {
protected:
  EncodingTest() { loadAllDialects(context); }
  MLIRContext context;
};

std::vector<Layout> someLayouts() {
  layout::BlockedLayout blocked{{1, 4}, {8, 4}, {4, 1}, {1, 0}, {}};
  layout::BlockedLayout cluster{{1, 4}, {8, 4}, {4, 1}, {1, 0}, {{1, 0}}};
  layout::DistributedLinearLayout linear{
      {{1}, {2}}, {{4}, {8}, {16}, {32}, {64}}, {{128}, {256}}, {}, {512}};
  layout::NVMMADistributedLayout mma{{2, 0}, {2, 2}, {16, 8}, {{1, 0}}};
  return {Layout(layout::AutoLayout{}),
          Layout(layout::CoalescedLayout{}),
          Layout(blocked),
          Layout(cluster),
          Layout(layout::SliceLayout{1, Layout(blocked)}),
          Layout(linear),
          Layout(layout::SwizzledSharedLayout{8, 2, 4, {1, 0}, {}}),
          Layout(layout::PaddedSharedLayout::identityFor({{64, 4}}, {64, 64}, {1, 0})),
          Layout(layout::SharedLinearLayout{{{0, 1}, {1, 0}}, {}, 16}),
          Layout(mma),
          Layout(layout::NVMMADistributedLayout{{3, 0}, {4, 1}, {16, 64, 16}, {}}),
          Layout(layout::DotOperandLayout{1, Layout(mma), 2}),
          Layout(layout::DotOperandLayout{0, Layout(blocked), 0}),
          Layout(layout::SliceLayout{0, Layout(mma)}),
          Layout(layout::NVMMASharedLayout{128, 16, 2, false, false, {}}),
          Layout(layout::NVMMASharedLayout{64, 8, 3, true, false, {{1, 0, 0}}}),
          Layout(layout::NVMMASharedLayout{128, 8, 2, false, true, {}}),
          Layout(layout::AMDMFMALayout{4, {32, 32, 16}, true, {4, 1}, 32, {1, 1}, {}}),
          Layout(layout::AMDMFMALayout{3, {16, 16, 4}, false, {2, 2}, 64, {2, 1}, {{0, 1}}}),
          Layout(layout::AMDWMMALayout::forWarps(3, true, {2, 2}, {16, 16, 128}, {1, 2}, {})),
          Layout(layout::AMDWMMALayout::forWarps(1, false, {4, 1}, {16, 16, 16}, {1, 1}, {})),
          Layout(layout::TensorMemoryLayout{{128, 64}, 2, {}, false, false}),
          Layout(layout::TensorMemoryLayout{{64, 64}, 1, {{1, 0}}, true, true}),
          Layout(layout::TensorMemoryScalesLayout{{{0, 1}}})};
}

TEST_F(EncodingTest, LayoutSurvivesTheWayThere) {
  for (const Layout &layout : someLayouts()) {
    Attribute encoding = fromLayout(&context, layout);
    ASSERT_TRUE(encoding) << layout.toString();
    EXPECT_TRUE(toLayout(encoding) == layout) << layout.toString();
  }
}

TEST_F(EncodingTest, EncodingSurvivesItsText) {
  for (const Layout &layout : someLayouts()) {
    Attribute encoding = fromLayout(&context, layout);
    std::string text;
    llvm::raw_string_ostream(text) << encoding;
    EXPECT_EQ(parseAttribute(text, &context), encoding) << text;
  }
}

TEST_F(EncodingTest, EqualLayoutsAreOneAttribute) {
  EXPECT_EQ(fromLayout(&context, someLayouts()[2]), fromLayout(&context, someLayouts()[2]));
  EXPECT_NE(fromLayout(&context, someLayouts()[2]), fromLayout(&context, someLayouts()[3]));
}

TEST_F(EncodingTest, InvalidLayoutHasNoEncoding) {
  EXPECT_FALSE(fromLayout(&context, Layout(layout::BlockedLayout{{3}, {32}, {4}, {0}, {}})));
}

TEST_F(EncodingTest, LayoutThatIsNoPermutationBecomesGenericLinear) {
  layout::DistributedLinearLayout value{
      {{0, 1}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, {{0, 2}, {1, 2}}, {}, {32, 4}};
  EXPECT_TRUE(isa<ttg::GenericLinearEncodingAttr>(fromLayout(&context, Layout(value))));
}

TEST_F(EncodingTest, LinearLayoutOfATypeIsThatOfItsLayout) {
  Layout blocked = someLayouts()[2];
  auto type =
      RankedTensorType::get({64, 128}, Float32Type::get(&context), fromLayout(&context, blocked));
  EXPECT_TRUE(toLinear(type) == blocked.toLinear({64, 128}));
  EXPECT_EQ(&toLinear(type), &toLinear(type));
}

TEST_F(EncodingTest, LinearLayoutOfARingIsThatOfOneBuffer) {
  Layout swizzled = someLayouts()[6];
  auto type =
      ttg::MemDescType::get({3, 64, 64}, Float32Type::get(&context), fromLayout(&context, swizzled),
                            ttg::SharedMemorySpaceAttr::get(&context), true);
  EXPECT_TRUE(toLinear(type) == swizzled.toLinear({64, 64}));
}

TEST_F(EncodingTest, TypesWithoutALinearLayoutAnswerNull) {
  auto f32 = Float32Type::get(&context);
  EXPECT_FALSE(linearOrNull(RankedTensorType::get({64}, f32)));
  EXPECT_FALSE(
      linearOrNull(RankedTensorType::get({64}, f32, gluon::AutoEncodingAttr::get(&context))));
  // The layout has two dims, the tensor three.
  EXPECT_FALSE(
      linearOrNull(RankedTensorType::get({4, 4, 4}, f32, fromLayout(&context, someLayouts()[2]))));
}

TEST_F(EncodingTest, PlanIsComputedOncePerPairOfTypes) {
  const char *text = R"(
    #a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    #b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
    tt.func public @f(%x: tensor<64x64xf32, #a>) {
      %0 = ttg.convert_layout %x : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
      %1 = ttg.convert_layout %x : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
      tt.return
    })";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  llvm::SmallVector<ttg::ConvertLayoutOp> ops;
  module->walk([&](ttg::ConvertLayoutOp op) { ops.push_back(op); });
  EXPECT_EQ(&planOf(ops[0]), &planOf(ops[1]));
  EXPECT_GT(layout::scratchBytes(planOf(ops[0])), 0);
}

TEST_F(EncodingTest, ManyPermutedWordsOfFewGoThroughMemoryOnAmd) {
  const char *text = R"(
    #l = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
    #a = #ttg.dot_op<{opIdx = 0, parent = #l}>
    module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "TARGET"} {
      tt.func public @f(%x: tensor<32x16xf16, #l>) {
        %0 = ttg.convert_layout %x : tensor<32x16xf16, #l> -> tensor<32x16xf16, #a>
        tt.return
      }
    })";
  auto planFor = [&](llvm::StringRef target, std::optional<int> scratch) {
    std::string source(text);
    source.replace(source.find("TARGET"), 6, target);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    std::string found;
    module->walk([&](ttg::ConvertLayoutOp op) {
      if (scratch)
        op->setAttr(ttg::allocationSizeAttr, Builder(&context).getI32IntegerAttr(*scratch));
      found = layout::describe(planOf(op)).str();
    });
    return found;
  };
  EXPECT_EQ(planFor("cuda:90", std::nullopt), "shuffle");
  EXPECT_EQ(planFor("hip:gfx942", std::nullopt), "shared");
  EXPECT_EQ(planFor("hip:gfx942", 16), "shuffle");
}

TEST_F(EncodingTest, SpanSurvivesTheWayThroughALocation) {
  diag::SourceManager sources;
  const diag::SourceFile *file = sources.add("k.py", "a = 1\nbc = 2\n");
  Location inner = locationOf(&context, {file, 9, 10});
  diag::Span span = spanOf(inner, sources);
  EXPECT_EQ(span.file, file);
  EXPECT_EQ(span.begin, 9u);
  Location outer = locationOf(&context, {file, 0, 1});
  Location call = CallSiteLoc::get(NameLoc::get(StringAttr::get(&context, "x"), inner), outer);
  EXPECT_EQ(spanOf(call, sources).begin, 9u);
  std::vector<diag::Span> chain = callChainOf(call, sources);
  ASSERT_EQ(chain.size(), 1u);
  EXPECT_EQ(chain[0].begin, 0u);
  EXPECT_FALSE(spanOf(UnknownLoc::get(&context), sources));
}

TEST_F(EncodingTest, VariablesLeaveTheRestOfALocationAsItIs) {
  diag::SourceManager sources;
  const diag::SourceFile *file = sources.add("k.py", "a = 1\nbc = 2\n");
  Location inner =
      withIndices(locationOf(&context, {file, 9, 10}), addIndex(&context, nullptr, "i", 3));
  Location binding = locationOf(&context, {file, 0, 1});
  Location both = withVariable(withVariable(inner, "x", binding), "y", inner);
  EXPECT_EQ(spanOf(both, sources).begin, 9u);
  EXPECT_EQ(indicesOf(both), indicesOf(inner));
  EXPECT_TRUE(callChainOf(both, sources).empty());
  auto variables = variablesOf(CallSiteLoc::get(both, binding));
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0].first, "x");
  EXPECT_EQ(spanOf(variables[0].second, sources).begin, 0u);
  EXPECT_EQ(callChainOf(variables[0].second, sources).size(), 1u);
  EXPECT_EQ(variables[1].first, "y");
}

} // namespace

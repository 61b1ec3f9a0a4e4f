#include "ir/tt/AxisInfo.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace gluonc;

namespace {

/// Parses a function body; values under test are marked by an attribute `name`.
class AxisInfoTest : public ::testing::Test {
protected:
  AxisInfoTest() { loadAllDialects(context); }

  void analyze(llvm::StringRef arguments, llvm::StringRef body) {
    std::string text = R"(
      #l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
      #m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
      #row = #ttg.slice<{dim = 0, parent = #m}>
      #col = #ttg.slice<{dim = 1, parent = #m}>
      module { tt.func public @f()" +
                       arguments.str() + ") {\n" + body.str() + "\ntt.return } }";
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    function = *module->getOps<tt::FuncOp>().begin();
    infos.emplace(function);
  }

  Value named(llvm::StringRef name) {
    Value found;
    module->walk([&](Operation *op) {
      if (op->hasAttr(name))
        found = op->getResult(0);
    });
    EXPECT_TRUE(found);
    return found;
  }
  AxisInfo of(llvm::StringRef name) { return infos->of(named(name)); }

  using Facts = llvm::SmallVector<int64_t, 2>;

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  tt::FuncOp function;
  std::optional<AxisInfos> infos;
};

constexpr llvm::StringLiteral copyArguments =
    "%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32>, %n: i32 "
    "{tt.divisibility = 16 : i32}, %u: i32";

constexpr llvm::StringLiteral offsets = R"(
      %c1024 = arith.constant 1024 : i32
      %pid = tt.get_program_id x : i32
      %start = arith.muli %pid, %c1024 : i32
      %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #l>
      %s = tt.splat %start : i32 -> tensor<1024xi32, #l>
      %offs = arith.addi %s, %range {offs} : tensor<1024xi32, #l>
)";

TEST_F(AxisInfoTest, OffsetsOfABlockAreContiguousAndAligned) {
  analyze(copyArguments, offsets);
  EXPECT_EQ(of("offs").contiguity, Facts{1024});
  EXPECT_EQ(of("offs").divisibility, Facts{1024});
  EXPECT_EQ(of("offs").constancy, Facts{1});
}

TEST_F(AxisInfoTest, AlignedPointersMayBeAccessedFourAtATime) {
  analyze(copyArguments, (offsets + R"(
      %sp = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
      %ptr = tt.addptr %sp, %offs {aligned} : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
      %sq = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #l>
      %qtr = tt.addptr %sq, %offs {unaligned} : tensor<1024x!tt.ptr<f32>, #l>, tensor<1024xi32, #l>
  )")
                             .str());
  EXPECT_EQ(infos->pointerRun(named("aligned"), 0), 4);
  EXPECT_EQ(of("aligned").divisibility, Facts{16});
  EXPECT_EQ(infos->pointerRun(named("unaligned"), 0), 1);
}

TEST_F(AxisInfoTest, MaskIsConstantAsFarAsTheBoundIsDivisible) {
  analyze(copyArguments, (offsets + R"(
      %sn = tt.splat %n : i32 -> tensor<1024xi32, #l>
      %m = arith.cmpi slt, %offs, %sn {divisible} : tensor<1024xi32, #l>
      %g = arith.cmpi sgt, %sn, %offs {mirrored} : tensor<1024xi32, #l>
      %e = arith.cmpi sle, %offs, %sn {inclusive} : tensor<1024xi32, #l>
      %su = tt.splat %u : i32 -> tensor<1024xi32, #l>
      %k = arith.cmpi slt, %offs, %su {indivisible} : tensor<1024xi32, #l>
  )")
                             .str());
  EXPECT_EQ(infos->maskRun(named("divisible"), 0), 16);
  EXPECT_EQ(infos->maskRun(named("mirrored"), 0), 16);
  EXPECT_EQ(infos->maskRun(named("inclusive"), 0), 1);
  EXPECT_EQ(infos->maskRun(named("indivisible"), 0), 1);
}

TEST_F(AxisInfoTest, RowsAndColumnsOfATileDiffer) {
  analyze("%stride: i32 {tt.divisibility = 16 : i32}", R"(
      %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #col>
      %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #col> -> tensor<64x1xi32, #m>
      %s = tt.splat %stride : i32 -> tensor<64x1xi32, #m>
      %rs = arith.muli %r2, %s : tensor<64x1xi32, #m>
      %rb = tt.broadcast %rs {rows} : tensor<64x1xi32, #m> -> tensor<64x64xi32, #m>
      %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
      %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #m>
      %cb = tt.broadcast %c2 : tensor<1x64xi32, #m> -> tensor<64x64xi32, #m>
      %o = arith.addi %rb, %cb {offs} : tensor<64x64xi32, #m>
  )");
  EXPECT_EQ(of("rows").constancy, (Facts{1, 64}));
  EXPECT_EQ(of("rows").divisibility[1], 16);
  EXPECT_EQ(of("offs").contiguity, (Facts{1, 64}));
  EXPECT_EQ(of("offs").divisibility[1], 16);
}

TEST_F(AxisInfoTest, QuotientsAreConstantAndRemaindersContiguousInRuns) {
  analyze("", R"(
      %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #l>
      %c = arith.constant dense<8> : tensor<64xi32, #l>
      %d = arith.divsi %r, %c {quotient} : tensor<64xi32, #l>
      %m = arith.remsi %r, %c {remainder} : tensor<64xi32, #l>
      %k = arith.constant dense<3> : tensor<64xi32, #l>
      %h = arith.shrsi %r, %k {shifted} : tensor<64xi32, #l>
      %t = arith.muli %r, %c {product} : tensor<64xi32, #l>
  )");
  EXPECT_EQ(of("quotient").constancy, Facts{8});
  EXPECT_EQ(of("shifted").constancy, Facts{8});
  EXPECT_EQ(of("remainder").contiguity, Facts{8});
  EXPECT_EQ(of("remainder").divisibility, Facts{8});
  EXPECT_EQ(of("product").contiguity, Facts{1});
  EXPECT_EQ(of("product").divisibility, Facts{8});
}

TEST_F(AxisInfoTest, LoopKeepsWhatEachIterationKeeps) {
  analyze("%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32", R"(
      %c0 = arith.constant 0 : i32
      %c64 = arith.constant 64 : i32
      %c1 = arith.constant 1 : i32
      %r:3 = scf.for %i = %c0 to %n step %c64 iter_args(%a = %p, %b = %p, %z = %c0) -> (!tt.ptr<f32>, !tt.ptr<f32>, i32) : i32 {
        %j = arith.addi %i, %c0 {counter} : i32
        %a2 = tt.addptr %a, %c64 {aligned} : !tt.ptr<f32>, i32
        %b2 = tt.addptr %b, %c1 {unaligned} : !tt.ptr<f32>, i32
        %same = arith.addi %z, %c0 {constant} : i32
        scf.yield %a2, %b2, %z : !tt.ptr<f32>, !tt.ptr<f32>, i32
      }
  )");
  EXPECT_EQ(of("counter").divisibility, Facts{64});
  EXPECT_EQ(of("aligned").divisibility, Facts{16});
  EXPECT_EQ(of("unaligned").divisibility, Facts{4});
  EXPECT_EQ(of("constant").constant, 0);
}

TEST_F(AxisInfoTest, BranchesJoin) {
  analyze("%c: i1, %a: i32 {tt.divisibility = 16 : i32}, %b: i32 {tt.divisibility = 8 : i32}", R"(
      %s = arith.select %c, %a, %b {selected} : i32
      %i = scf.if %c -> (i32) { scf.yield %a : i32 } else { scf.yield %b : i32 } {structured}
      cf.cond_br %c, ^join(%a : i32), ^join(%b : i32)
    ^join(%x: i32):
      %y = arith.addi %x, %x {blocks} : i32
  )");
  EXPECT_EQ(of("selected").divisibility, Facts{8});
  EXPECT_EQ(of("structured").divisibility, Facts{8});
  EXPECT_EQ(of("blocks").divisibility, Facts{8});
}

TEST_F(AxisInfoTest, HintsOfTheAuthorOverride) {
  analyze("%n: i32", R"(
      %s = tt.splat %n : i32 -> tensor<64xi32, #l>
      %r = arith.muli %s, %s {hinted, tt.contiguity = dense<8> : tensor<1xi32>, tt.divisibility = dense<32> : tensor<1xi32>} : tensor<64xi32, #l>
  )");
  EXPECT_EQ(of("hinted").contiguity, Facts{8});
  EXPECT_EQ(of("hinted").divisibility, Facts{32});
}

TEST_F(AxisInfoTest, HintsAboutWhatALoopCarriesHoldBehindThem) {
  analyze("%n: i32, %d: i32 {tt.divisibility = 16 : i32}", R"(
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %n) -> (i32) : i32 {
        gluon.hint %x {tt.divisibility = dense<16> : tensor<1xi32>} : i32
        %y = arith.addi %x, %d {inside} : i32
        scf.yield %y : i32
      }
  )");
  EXPECT_EQ(of("inside").divisibility, Facts{16});
}

TEST_F(AxisInfoTest, PartitionsKnowWhatTheyCapture) {
  analyze("%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32", R"(
      ttg.warp_specialize(%p, %n)
      default {
        ttg.warp_yield
      }
      partition0(%a: !tt.ptr<f32>, %b: i32) num_warps(4) {
        %y = tt.splat %a {captured} : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #l>
        %z = tt.splat %b {unknown} : i32 -> tensor<128xi32, #l>
        ttg.warp_return
      } : (!tt.ptr<f32>, i32) -> ()
  )");
  EXPECT_EQ(of("captured").divisibility, Facts{16});
  EXPECT_EQ(of("unknown").divisibility, Facts{1});
}

TEST_F(AxisInfoTest, ExtremeConstantsAreHarmless) {
  analyze("", R"(
      %min = arith.constant -9223372036854775808 : i64
      %m1 = arith.constant -1 : i64
      %a = arith.addi %min, %m1 : i64
      %b = arith.muli %min, %min : i64
      %c = arith.divsi %min, %m1 : i64
      %z = arith.constant 0 : i64
      %d = arith.remsi %min, %z : i64
      %w = arith.constant 170141183460469231731687303715884105727 : i128
      %e = arith.addi %b, %c {last} : i64
  )");
  EXPECT_EQ(of("last").contiguity, Facts{1});
}

} // namespace

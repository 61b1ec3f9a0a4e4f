// Which layouts tensors get that the kernel leaves open.
#include "ir/Encoding.h"
#include "transform/PassTesting.h"

using namespace gluonc;

namespace {

class ResolveLayoutsTest : public PassTest {
protected:
  bool resolve(const std::string &arguments, const std::string &body) {
    parse(arguments, body);
    return run(createResolveLayoutsPass());
  }
  std::string layoutOf(llvm::StringRef name) {
    mlir::Operation *op = named(name);
    if (!op)
      return "";
    auto tensor = llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType());
    return toLayout(tensor.getEncoding()).toString();
  }
};

const std::string kPointers = "%p: tensor<64x!tt.ptr<i32>, #l>, %m: tensor<64x!tt.ptr<i32>, "
                              "#ttg.slice<{dim = 1, parent = #m}>>, %n: i32";
const std::string kAuto = "tensor<64xi32, #gluon.auto_encoding>";
const std::string kRange =
    "%r = tt.make_range {range, end = 64 : i32, start = 0 : i32} : " + kAuto + "\n";
const std::string kL = "BlockedLayout([1], [32], [4], [0])";
const std::string kM = "BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])";

/// Stores in #l; in the rows of #m.
std::string storeAs1D(const std::string &value) {
  return "%s = gluon.set_auto_layout " + value + " : " + kAuto +
         " -> tensor<64xi32, #l>\ntt.store %p, %s : tensor<64x!tt.ptr<i32>, #l>\n";
}
std::string storeAsRows(const std::string &value) {
  const std::string rows = "#ttg.slice<{dim = 1, parent = #m}>>";
  return "%t = gluon.set_auto_layout " + value + " : " + kAuto + " -> tensor<64xi32, " + rows +
         "\ntt.store %m, %t : tensor<64x!tt.ptr<i32>, " + rows + "\n";
}

/// Access to 4096 floats in a row from `%q` on.
const std::string kCoalesced =
    "%c = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32, "
    "#gluon.coalesced_encoding>\n"
    "%s = tt.splat %q : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, "
    "#gluon.coalesced_encoding>\n"
    "%a = tt.addptr %s, %c : tensor<4096x!tt.ptr<f32>, #gluon.coalesced_encoding>, "
    "tensor<4096xi32, #gluon.coalesced_encoding>\n"
    "%x = tt.load %a {load} : tensor<4096x!tt.ptr<f32>, #gluon.coalesced_encoding>\n"
    "tt.store %a, %x : tensor<4096x!tt.ptr<f32>, #gluon.coalesced_encoding>\n";

} // namespace

TEST_F(ResolveLayoutsTest, ADemandReachesWhatTheValueIsMadeOf) {
  ASSERT_TRUE(resolve(kPointers, kRange + "%k = arith.constant {constant} dense<7> : " + kAuto +
                                     "\n%x = arith.addi %r, %k {sum} : " + kAuto + "\n" +
                                     storeAs1D("%x")));
  for (const char *name : {"range", "constant", "sum"})
    EXPECT_EQ(layoutOf(name), kL) << name;
}

TEST_F(ResolveLayoutsTest, ADemandReachesOtherUsesOfTheValue) {
  ASSERT_TRUE(resolve(kPointers, kRange + storeAs1D("%r") + "%x = arith.addi %r, %r {sum} : " +
                                     kAuto + "\n%y = gluon.set_auto_layout %x : " + kAuto +
                                     " -> tensor<64xi32, #l>\n"
                                     "tt.store %p, %y : tensor<64x!tt.ptr<i32>, #l>\n"));
  EXPECT_EQ(layoutOf("range"), kL);
  EXPECT_EQ(layoutOf("sum"), kL);
}

TEST_F(ResolveLayoutsTest, AcrossExpandDimsADemandIsSliced) {
  ASSERT_TRUE(resolve("%p: tensor<64x1x!tt.ptr<i32>, #m>",
                      kRange + "%e = tt.expand_dims %r {expanded, axis = 1 : i32} : " + kAuto +
                          " -> tensor<64x1xi32, #gluon.auto_encoding>\n"
                          "%x = gluon.set_auto_layout %e : tensor<64x1xi32, #gluon.auto_encoding> "
                          "-> tensor<64x1xi32, #m>\n"
                          "tt.store %p, %x : tensor<64x1x!tt.ptr<i32>, #m>\n"));
  EXPECT_EQ(layoutOf("expanded"), kM);
  EXPECT_EQ(layoutOf("range"), "SliceLayout(1, " + kM + ")");
}

TEST_F(ResolveLayoutsTest, LoopsHandLayoutsAround) {
  ASSERT_TRUE(resolve(kPointers, kRange + R"(
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %x = scf.for %i = %zero to %n step %one iter_args(%v = %r) -> ()" +
                                     kAuto + R"() : i32 {
      %w = arith.addi %v, %v {inside} : )" +
                                     kAuto + "\nscf.yield %w : " + kAuto + "\n} {loop}\n" +
                                     storeAs1D("%x")));
  for (const char *name : {"range", "inside", "loop"})
    EXPECT_EQ(layoutOf(name), kL) << name;
}

TEST_F(ResolveLayoutsTest, TwoDemandsOnOneValueAreReportedWithBothPlaces) {
  EXPECT_FALSE(resolve(kPointers, kRange + storeAs1D("%r") + storeAsRows("%r")));
  EXPECT_EQ(kind, diag::Kind::LayoutConflict);
  EXPECT_EQ(notes, 2u);
}

TEST_F(ResolveLayoutsTest, AValueThatNothingAsksForIsReported) {
  EXPECT_FALSE(resolve("%p: !tt.ptr<i32>",
                       kRange + "%s = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, "
                                "#gluon.auto_encoding>\n"
                                "tt.store %s, %r : tensor<64x!tt.ptr<i32>, #gluon.auto_encoding>"));
  EXPECT_EQ(kind, diag::Kind::LayoutUndecided);
}

TEST_F(ResolveLayoutsTest, WhatNothingUsesNeedsNoLayout) {
  ASSERT_TRUE(resolve(kPointers, kRange));
  kernel().walk([](mlir::Operation *op) { EXPECT_FALSE(llvm::isa<tt::MakeRangeOp>(op)); });
}

TEST_F(ResolveLayoutsTest, CoalescedAccessesMove16BytesWhereThePointerAllows) {
  ASSERT_TRUE(resolve("%q: !tt.ptr<f32> {tt.divisibility = 16 : i32}", kCoalesced));
  EXPECT_EQ(layoutOf("load"), "BlockedLayout([4], [32], [4], [0])");
  ASSERT_TRUE(resolve("%q: !tt.ptr<f32> {tt.divisibility = 8 : i32}", kCoalesced));
  EXPECT_EQ(layoutOf("load"), "BlockedLayout([2], [32], [4], [0])");
  ASSERT_TRUE(resolve("%q: !tt.ptr<f32>", kCoalesced));
  EXPECT_EQ(layoutOf("load"), kL);
}

//===- OperatorsTest.cpp - Promotion, operators, broadcasting, casts -------===//
#include "sema/builtins/OpsFixture.h"

namespace gluonc::sema::ops {
namespace {

// -- Promotion -----------------------------------------------------------------------

TEST_F(Ops, NumberOfLowerKindTakesTheTensorsType) {
  EXPECT_EQ(dtypeName(bin(BinaryOp::Add, scalar(dtypes::int8), number(1))), "int8");
  EXPECT_EQ(dtypeName(bin(BinaryOp::Mul, scalar(dtypes::float16), number(2))), "fp16");
  EXPECT_EQ(dtypeName(bin(BinaryOp::Mul, scalar(dtypes::float16), Value::real(0.1))), "fp16");
  EXPECT_EQ(dtypeName(bin(BinaryOp::Add, scalar(dtypes::int16), Value::boolean(true))), "int16");
}

TEST_F(Ops, NumberOfHigherKindIsTypedAlone) {
  EXPECT_EQ(dtypeName(bin(BinaryOp::Add, n, Value::real(1.5))), "fp32");
  EXPECT_EQ(dtypeName(bin(BinaryOp::Add, n, Value::real(1e300))), "fp64");
  EXPECT_EQ(dtypeName(bin(BinaryOp::Add, scalar(dtypes::int1), number(1))), "int32");
}

TEST_F(Ops, FloatsPromoteByTheLadder) {
  auto add = [&](DType l, DType r) { return dtypeName(bin(BinaryOp::Add, scalar(l), scalar(r))); };
  EXPECT_EQ(add(dtypes::float16, dtypes::bfloat16), "fp16");
  EXPECT_EQ(add(dtypes::bfloat16, dtypes::bfloat16), "bf16");
  EXPECT_EQ(add(dtypes::bfloat16, dtypes::int32), "fp32");
  EXPECT_EQ(add(dtypes::float16, dtypes::int64), "fp16");
  EXPECT_EQ(add(dtypes::float32, dtypes::float64), "fp64");
}

TEST_F(Ops, IntegersPromoteToTheWiderAndUnsignedWinsTies) {
  auto add = [&](DType l, DType r) { return dtypeName(bin(BinaryOp::Add, scalar(l), scalar(r))); };
  EXPECT_EQ(add(dtypes::int8, dtypes::int32), "int32");
  EXPECT_EQ(add(dtypes::uint32, dtypes::int32), "uint32");
  EXPECT_EQ(add(dtypes::uint16, dtypes::int32), "int32");
  EXPECT_EQ(add(dtypes::int1, dtypes::int8), "int8");
}

TEST_F(Ops, DivisionGivesAtLeastFloat32) {
  auto div = [&](DType l, DType r) { return dtypeName(bin(BinaryOp::Div, scalar(l), scalar(r))); };
  EXPECT_EQ(div(dtypes::int32, dtypes::int32), "fp32");
  EXPECT_EQ(div(dtypes::float16, dtypes::float16), "fp32");
  EXPECT_EQ(div(dtypes::float64, dtypes::float16), "fp64");
  EXPECT_EQ(dtypeName(bin(BinaryOp::Mod, scalar(dtypes::bfloat16), number(2))), "fp32");
}

TEST_F(Ops, NumberMustFitTheTensorsIntegers) {
  expectKind(bin(BinaryOp::Add, scalar(dtypes::int8), number(128)), Kind::ScalarOutOfRange);
  expectKind(bin(BinaryOp::Add, scalar(dtypes::uint32), number(-1)), Kind::ScalarOutOfRange);
  EXPECT_TRUE(bin(BinaryOp::Add, scalar(dtypes::int8), number(-128)).has_value());
}

TEST_F(Ops, FloorDivisionWantsOneSignedness) {
  expectKind(bin(BinaryOp::FloorDiv, n, scalar(dtypes::uint32)), Kind::SignednessDiffers);
  EXPECT_EQ(opName(bin(BinaryOp::FloorDiv, n, n)), "arith.divsi");
}

// -- Operators -----------------------------------------------------------------------

TEST_F(Ops, SignednessPicksTheOperation) {
  Value u = scalar(dtypes::uint32);
  EXPECT_EQ(opName(bin(BinaryOp::FloorDiv, u, number(3))), "arith.divui");
  EXPECT_EQ(opName(bin(BinaryOp::Mod, n, number(3))), "arith.remsi");
  EXPECT_EQ(opName(bin(BinaryOp::Mod, f, number(3))), "arith.remf");
  EXPECT_EQ(opName(bin(BinaryOp::Shr, n, number(3))), "arith.shrsi");
  EXPECT_EQ(opName(bin(BinaryOp::Shr, u, number(3))), "arith.shrui");
  EXPECT_EQ(opName(bin(BinaryOp::Shl, u, number(3))), "arith.shli");
}

TEST_F(Ops, ShiftRightFollowsTheLeftOperandAlone) {
  // int32 >> uint32 promotes to uint32, yet keeps the sign bit.
  Result shifted = bin(BinaryOp::Shr, n, scalar(dtypes::uint32));
  EXPECT_EQ(opName(shifted), "arith.shrsi");
  EXPECT_EQ(dtypeName(shifted), "uint32");
}

TEST_F(Ops, ShiftBeyondTheWidthWarns) {
  EXPECT_TRUE(bin(BinaryOp::Shl, n, number(32)).has_value());
  expectWarning(Kind::ShiftTooFar);
}

TEST_F(Ops, BitOperatorsRejectFloats) {
  expectKind(bin(BinaryOp::And, f, n), Kind::BadOperands);
  expectKind(bin(BinaryOp::FloorDiv, f, number(2)), Kind::BadOperands);
  expectKind(bin(BinaryOp::Pow, f, number(2)), Kind::BadOperands);
}

TEST_F(Ops, Fp8HasNoArithmetic) {
  Value x = *ops::cast(context, f, ScalarKind::Float8E5, {});
  expectKind(bin(BinaryOp::Add, x, x), Kind::NoArithmetic);
  expectKind(cmp(CompareOp::Lt, x, x), Kind::NoArithmetic);
  expectKind(unary(context, UnaryOp::Neg, x, {}), Kind::NoArithmetic);
}

TEST_F(Ops, UnaryOperators) {
  EXPECT_EQ(opName(unary(context, UnaryOp::Neg, f, {})), "arith.negf");
  EXPECT_EQ(opName(unary(context, UnaryOp::Neg, n, {})), "arith.subi");
  EXPECT_EQ(opName(unary(context, UnaryOp::Invert, n, {})), "arith.xori");
  expectKind(unary(context, UnaryOp::Invert, f, {}), Kind::BadOperand);
  expectKind(unary(context, UnaryOp::Neg, p, {}), Kind::BadOperand);
  expectKind(unary(context, UnaryOp::Not, n, {}), Kind::BadOperand);
  Value flag = *cmp(CompareOp::Lt, n, number(3));
  EXPECT_EQ(dtypeName(unary(context, UnaryOp::Not, flag, {})), "int1");
}

TEST_F(Ops, ComparisonsUseThePromotedSignedness) {
  auto predicate = [](const Result &value) {
    return value->ir().getDefiningOp<mlir::arith::CmpIOp>().getPredicate();
  };
  EXPECT_EQ(predicate(cmp(CompareOp::Lt, n, number(5))), mlir::arith::CmpIPredicate::slt);
  Value next = *bin(BinaryOp::Add, n, number(1));
  EXPECT_EQ(predicate(cmp(CompareOp::Lt, scalar(dtypes::uint32), next)),
            mlir::arith::CmpIPredicate::ult);
  EXPECT_EQ(predicate(cmp(CompareOp::Ge, n, number(5))), mlir::arith::CmpIPredicate::sge);
}

TEST_F(Ops, FloatComparisonsAreOrderedButNotEqualIsNot) {
  auto predicate = [](const Result &value) {
    return value->ir().getDefiningOp<mlir::arith::CmpFOp>().getPredicate();
  };
  EXPECT_EQ(predicate(cmp(CompareOp::Lt, f, number(5))), mlir::arith::CmpFPredicate::OLT);
  Value twice = *bin(BinaryOp::Add, f, f);
  EXPECT_EQ(predicate(cmp(CompareOp::Eq, f, twice)), mlir::arith::CmpFPredicate::OEQ);
  EXPECT_EQ(predicate(cmp(CompareOp::Ne, f, number(5))), mlir::arith::CmpFPredicate::UNE);
}

TEST_F(Ops, PointersCompareOnlyAsIntegers) {
  expectKind(cmp(CompareOp::Eq, p, p), Kind::BadOperands);
}

TEST_F(Ops, PointerArithmeticCountsElements) {
  EXPECT_EQ(opName(bin(BinaryOp::Add, p, n)), "tt.addptr");
  EXPECT_EQ(opName(bin(BinaryOp::Add, n, p)), "tt.addptr");
  EXPECT_EQ(opName(bin(BinaryOp::Sub, p, n)), "tt.addptr");
  Result block = bin(BinaryOp::Add, p, arange(128));
  EXPECT_EQ(opName(block), "tt.addptr");
  EXPECT_EQ(block->shape().size(), 1u);
  expectKind(bin(BinaryOp::Add, p, f), Kind::BadOperands);
  expectKind(bin(BinaryOp::Sub, p, p), Kind::BadOperands);
  expectKind(bin(BinaryOp::Mul, p, n), Kind::BadOperands);
}

TEST_F(Ops, UnsignedOffsetsAreZeroExtended) {
  Result moved = bin(BinaryOp::Add, p, scalar(dtypes::uint32));
  auto op = moved->ir().getDefiningOp<tt::AddPtrOp>();
  EXPECT_TRUE(op.getOffset().getDefiningOp<mlir::arith::ExtUIOp>());
}

TEST_F(Ops, NumberNextToABlockIsADenseConstant) {
  Result sum = bin(BinaryOp::Add, arange(128), number(7));
  auto constant = sum->ir().getDefiningOp()->getOperand(1).getDefiningOp<mlir::arith::ConstantOp>();
  ASSERT_TRUE(constant);
  EXPECT_TRUE(llvm::isa<mlir::SplatElementsAttr>(constant.getValue()));
}

TEST_F(Ops, NeutralNumbersVanishOnEitherSide) {
  Value range = arange(128);
  EXPECT_EQ(bin(BinaryOp::Mul, number(1), range)->ir(), range.ir());
  EXPECT_EQ(bin(BinaryOp::Mul, range, number(1))->ir(), range.ir());
  EXPECT_EQ(bin(BinaryOp::Add, number(0), n)->ir(), n.ir());
}

TEST_F(Ops, LogicalOperatorsWantInt1AndWarnOnBlocks) {
  Value flag = *cmp(CompareOp::Lt, n, number(3));
  Value other = *cmp(CompareOp::Gt, f, number(3));
  EXPECT_EQ(opName(logical(context, true, flag, other, {}, {})), "arith.andi");
  EXPECT_EQ(opName(logical(context, false, flag, other, {}, {})), "arith.ori");
  expectKind(logical(context, true, n, flag, {}, {}), Kind::BadOperand);
  Value blocks = *cmp(CompareOp::Lt, arange(128), n);
  EXPECT_TRUE(logical(context, false, blocks, flag, {}, {}).has_value());
  expectWarning(Kind::LogicalOnBlock);
}

// -- Broadcasting ----------------------------------------------------------------------

TEST_F(Ops, ScalarsAreSplatAndOnesRepeated) {
  Layout parent = blocked2d();
  Value rows = arange(32, Layout(SliceLayout{1, parent}));
  Value column = *subscript(context, rows, {false, true});
  EXPECT_EQ(column.shape(), llvm::ArrayRef<int64_t>({32, 1}));
  Value row = *subscript(context, arange(16, Layout(SliceLayout{0, parent})), {true, false});
  Result sum = bin(BinaryOp::Add, *bin(BinaryOp::Mul, column, n), row);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->shape(), llvm::ArrayRef<int64_t>({32, 16}));
  EXPECT_EQ(layoutOf(*sum), parent);
  text();
}

TEST_F(Ops, DifferentLayoutsDoNotMeet) {
  Value a = arange(128), b = arange(128, blocked(2));
  EXPECT_FALSE(bin(BinaryOp::Add, a, b));
  ASSERT_EQ(sink.diagnostics.size(), 1u);
  const diag::Diagnostic &diagnostic = sink.diagnostics[0];
  EXPECT_EQ(diagnostic.kind, Kind::LayoutMismatch);
  EXPECT_EQ(diagnostic.message, "operand layouts differ: BlockedLayout([1], [32], [4], [0]) and "
                                "BlockedLayout([2], [32], [4], [0])");
  ASSERT_EQ(diagnostic.hints.size(), 1u);
  EXPECT_NE(diagnostic.hints[0].find("gl.convert_layout"), std::string::npos);
  sink.diagnostics.clear();
}

TEST_F(Ops, AutoLayoutTakesTheOtherSides) {
  Value open = *call("arange", {number(0), number(128)});
  Result sum = bin(BinaryOp::Add, open, arange(128));
  ASSERT_TRUE(sum);
  EXPECT_EQ(layoutOf(*sum), blocked());
  EXPECT_EQ(opName(tensor(sum->ir().getDefiningOp()->getOperand(0), dtypes::int32)),
            "gluon.set_auto_layout");
}

TEST_F(Ops, ShapesAndRanksMustAgree) {
  expectKind(bin(BinaryOp::Add, arange(128), arange(256)), Kind::ShapeMismatch);
  expectKind(bin(BinaryOp::Add, arange(128), block({32, 16}, dtypes::int32, blocked2d())),
             Kind::RankMismatch);
}

// -- Casts -----------------------------------------------------------------------------

TEST_F(Ops, CastsBetweenFloats) {
  EXPECT_EQ(opName(ops::cast(context, f, dtypes::float16, {})), "arith.truncf");
  EXPECT_EQ(opName(ops::cast(context, f, dtypes::float64, {})), "arith.extf");
  Value half = *ops::cast(context, f, dtypes::float16, {});
  Result brain = ops::cast(context, half, dtypes::bfloat16, {});
  EXPECT_EQ(opName(brain), "arith.truncf");
  EXPECT_EQ(brain->ir().getDefiningOp()->getOperand(0).getType(), builder.getF32Type());
  EXPECT_EQ(opName(ops::cast(context, f, ScalarKind::Float8E4NV, {})), "tt.fp_to_fp");
  text();
}

TEST_F(Ops, CastsBetweenIntegers) {
  EXPECT_EQ(opName(ops::cast(context, n, dtypes::int64, {})), "arith.extsi");
  EXPECT_EQ(opName(ops::cast(context, scalar(dtypes::uint32), dtypes::int64, {})), "arith.extui");
  EXPECT_EQ(opName(ops::cast(context, n, dtypes::int8, {})), "arith.trunci");
  EXPECT_EQ(ops::cast(context, n, dtypes::uint32, {})->ir(), n.ir());
  EXPECT_EQ(opName(ops::cast(context, n, dtypes::int1, {})), "arith.cmpi");
  Value flag = *ops::cast(context, n, dtypes::int1, {});
  EXPECT_EQ(opName(ops::cast(context, flag, dtypes::int32, {})), "arith.extui");
}

TEST_F(Ops, CastsBetweenIntegersAndFloats) {
  EXPECT_EQ(opName(ops::cast(context, n, dtypes::float32, {})), "arith.sitofp");
  EXPECT_EQ(opName(ops::cast(context, scalar(dtypes::uint8), dtypes::float32, {})), "arith.uitofp");
  EXPECT_EQ(opName(ops::cast(context, f, dtypes::int32, {})), "arith.fptosi");
  EXPECT_EQ(opName(ops::cast(context, f, dtypes::uint16, {})), "arith.fptoui");
  EXPECT_EQ(opName(ops::cast(context, f, dtypes::int1, {})), "arith.cmpf");
  Value small = *ops::cast(context, f, ScalarKind::Float8E5, {});
  expectKind(ops::cast(context, small, dtypes::int32, {}), Kind::BadCast);
}

TEST_F(Ops, CastsOfPointers) {
  EXPECT_EQ(opName(ops::cast(context, p, dtypes::int64, {})), "tt.ptr_to_int");
  EXPECT_EQ(opName(ops::cast(context, n, DType::pointer(dtypes::int8), {})), "tt.int_to_ptr");
  EXPECT_EQ(opName(ops::cast(context, p, DType::pointer(dtypes::int8), {})), "tt.bitcast");
  EXPECT_EQ(dtypeName(ops::cast(context, p, dtypes::int1, {})), "int1");
  expectKind(ops::cast(context, p, dtypes::int32, {}), Kind::BadCast);
  expectKind(ops::cast(context, p, dtypes::float32, {}), Kind::BadCast);
}

TEST_F(Ops, BitcastKeepsTheWidth) {
  auto bitcast = [&](const Value &value, DType dtype) {
    return call("cast", {value, Value::dtype(dtype), Value(), Value::boolean(true)});
  };
  EXPECT_EQ(opName(bitcast(f, dtypes::int32)), "tt.bitcast");
  expectKind(bitcast(f, dtypes::int64), Kind::BitcastWidth);
}

TEST_F(Ops, RoundingModesNeedANarrowingConversion) {
  auto rounded = [&](DType dtype, const char *mode) {
    return call("cast", {f, Value::dtype(dtype), Value::string(mode)});
  };
  Result half = rounded(dtypes::float16, "rtz");
  ASSERT_EQ(opName(half), "tt.fp_to_fp");
  EXPECT_EQ(half->ir().getDefiningOp<tt::FpToFpOp>().getRounding(), tt::RoundingMode::RTZ);
  EXPECT_EQ(opName(rounded(dtypes::float16, "rtne")), "arith.truncf");
  expectKind(rounded(dtypes::float64, "rtz"), Kind::RoundingUnused);
  expectKind(rounded(dtypes::float16, "up"), Kind::ArgumentChoice);
}

TEST_F(Ops, NumbersMaterializeInTheSmallestType) {
  auto type = [&](const Value &value) { return dtypeName(materialize(context, value, {})); };
  EXPECT_EQ(type(Value::boolean(true)), "int1");
  EXPECT_EQ(type(number(1)), "int32");
  EXPECT_EQ(type(number(int64_t{1} << 31)), "uint32");
  EXPECT_EQ(type(number(int64_t{1} << 32)), "int64");
  EXPECT_EQ(type(number(-(int64_t{1} << 31) - 1)), "int64");
  EXPECT_EQ(type(Value::integer(llvm::APInt(80, 1).shl(63))), "uint64");
  EXPECT_EQ(type(Value::real(0.1)), "fp32");
  EXPECT_EQ(type(Value::real(1e-40)), "fp64");
  EXPECT_EQ(type(Value::real(HUGE_VAL)), "fp32");
  expectKind(materialize(context, Value::integer(llvm::APInt(80, 1).shl(70)), {}),
             Kind::ScalarOutOfRange);
  expectKind(materialize(context, Value::string("x"), {}), Kind::NotRuntimeValue);
}

TEST_F(Ops, ConditionsAreInt1Scalars) {
  EXPECT_EQ(dtypeName(condition(context, n, {})), "int1");
  expectKind(condition(context, arange(128), {}), Kind::AmbiguousCondition);
  EXPECT_EQ(dtypeName(condition(context, block({1}, dtypes::int32), {})), "int1");
  expectWarning(Kind::BlockCondition);
}

} // namespace
} // namespace gluonc::sema::ops

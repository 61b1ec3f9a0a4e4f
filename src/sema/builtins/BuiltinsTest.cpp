//===- BuiltinsTest.cpp - Functions of gl, emitted one at a time -----------===//
#include "sema/builtins/OpsFixture.h"

namespace gluonc::sema::ops {
namespace {

// -- Creation --------------------------------------------------------------------------

TEST_F(Ops, ArangeChecksItsRange) {
  auto range = [&](int64_t start, int64_t end) {
    return call("arange", {number(start), number(end), Value::layout(blocked())});
  };
  EXPECT_EQ(opName(range(0, 128)), "tt.make_range");
  expectKind(range(0, 100), Kind::ShapeNotPowerOfTwo);
  expectKind(range(4, 4), Kind::EmptyRange);
  expectKind(range(0, int64_t{1} << 21), Kind::TensorTooLarge);
  expectKind(call("arange", {number(0), n}), Kind::ConstexprRequired);
  expectKind(call("arange", {number(0), Value::string("x")}), Kind::ArgumentKind);
  expectKind(call("arange", {number(0), number(8), number(3)}), Kind::ArgumentKind);
}

TEST_F(Ops, LayoutsMustFitTheKernel) {
  auto range = [&](Layout layout) {
    return call("arange", {number(0), number(128), Value::layout(layout)});
  };
  expectKind(range(BlockedLayout{{1}, {32}, {8}, {0}, {}}), Kind::LayoutDoesNotFit);
  expectKind(range(BlockedLayout{{1}, {64}, {4}, {0}, {}}), Kind::LayoutDoesNotFit);
  expectKind(range(blocked2d()), Kind::LayoutRankMismatch);
  expectKind(range(layout::SwizzledSharedLayout{1, 1, 1, {0}, {}}), Kind::LayoutNotDistributed);
}

TEST_F(Ops, FullIsAConstantOrASplat) {
  Value layout = Value::layout(blocked());
  EXPECT_EQ(
      opName(call("full", {ints({128}), Value::real(1.5), Value::dtype(dtypes::float16), layout})),
      "arith.constant");
  EXPECT_EQ(opName(call("full", {ints({128}), f, Value::dtype(dtypes::float32), layout})),
            "tt.splat");
  EXPECT_EQ(opName(call("zeros", {ints({128}), Value::dtype(dtypes::float32), layout})),
            "arith.constant");
  EXPECT_FALSE(call("full", {ints({}), n, Value::dtype(dtypes::int32)})->isBlock());
  expectKind(call("full", {ints({128}), arange(128), Value::dtype(dtypes::int32), layout}),
             Kind::ArgumentKind);
  expectKind(call("full", {n, n, Value::dtype(dtypes::int32), layout}), Kind::ConstexprRequired);
}

TEST_F(Ops, LikeFunctionsTakeShapeTypeAndLayout) {
  Value source = block({32, 16}, dtypes::float16, blocked2d());
  Result zeros = call("zeros_like", {source});
  ASSERT_TRUE(zeros);
  EXPECT_EQ(zeros->irType(), source.irType());
  Result ones = call("full_like", {source, number(1), Value(), Value::dtype(dtypes::int32)});
  EXPECT_EQ(dtypeName(ones), "int32");
}

TEST_F(Ops, ProgramIdsHaveThreeAxes) {
  EXPECT_EQ(opName(call("program_id", {number(2)})), "tt.get_program_id");
  EXPECT_EQ(opName(call("num_programs", {number(0)})), "tt.get_num_programs");
  expectKind(call("program_id", {number(3)}), Kind::AxisOutOfRange);
}

// -- Shape and layout --------------------------------------------------------------------

TEST_F(Ops, ExpandDimsNeedsTheSliceOfThatDimension) {
  Value rows = arange(32, Layout(SliceLayout{1, blocked2d()}));
  expectKind(call("expand_dims", {rows, number(0)}), Kind::NotSliceLayout);
  expectKind(call("expand_dims", {arange(128), number(1)}), Kind::NotSliceLayout);
  expectKind(call("expand_dims", {rows, number(2)}), Kind::AxisOutOfRange);
  EXPECT_EQ(layoutOf(*call("expand_dims", {rows, number(-1)})), blocked2d());
}

TEST_F(Ops, SubscriptsCountTheDimensions) {
  expectKind(subscript(context, arange(128), {false, false}), Kind::SubscriptRank);
  expectKind(subscript(context, n, {true}), Kind::SubscriptRank);
  // x[:, None] of two dimensions: the second one stays behind the new one.
  Layout three = BlockedLayout{{1, 1, 1}, {8, 1, 4}, {2, 1, 2}, {2, 1, 0}, {}};
  Value plane = block({32, 16}, dtypes::float32, Layout(SliceLayout{1, three}));
  Result cube = subscript(context, plane, {false, true});
  ASSERT_TRUE(cube);
  EXPECT_EQ(cube->shape(), llvm::ArrayRef<int64_t>({32, 1, 16}));
}

TEST_F(Ops, ReshapeKeepsTheNumberOfElements) {
  Value source = block({32, 16}, dtypes::float32, blocked2d());
  Result flat = call("reshape", {source, ints({512})});
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->shape(), llvm::ArrayRef<int64_t>({512}));
  EXPECT_EQ(call("ravel", {source})->shape(), llvm::ArrayRef<int64_t>({512}));
  expectKind(call("reshape", {source, ints({256})}), Kind::ReshapeSize);
  expectKind(call("reshape", {source, ints({})}), Kind::EmptyShape);
  Result one = call("reshape", {block({1, 1}, dtypes::float32, blocked2d()), ints({})});
  ASSERT_TRUE(one);
  EXPECT_FALSE(one->isBlock());
  text();
}

TEST_F(Ops, PermuteTakesAPermutation) {
  Value source = block({32, 16}, dtypes::float32, blocked2d());
  Result transposed = attribute(context, source, "T");
  ASSERT_TRUE(transposed);
  EXPECT_EQ(transposed->shape(), llvm::ArrayRef<int64_t>({16, 32}));
  EXPECT_TRUE(call("permute", {source, ints({1, 0})}).has_value());
  EXPECT_TRUE(call("trans", {source, ints({})}).has_value());
  expectKind(call("permute", {source, ints({0, 0})}), Kind::NotPermutation);
  EXPECT_FALSE(attribute(context, source, "shape"));
  text();
}

TEST_F(Ops, SplitUndoesJoin) {
  Value a = arange(128), b = *bin(BinaryOp::Add, a, n);
  Result pair = call("join", {a, b});
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->shape(), llvm::ArrayRef<int64_t>({128, 2}));
  Result halves = call("split", {*pair});
  ASSERT_TRUE(halves);
  // A slice of the pair, which joins to the pair again.
  Result again = call("join", {halves->items()[0], halves->items()[1]});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->irType(), pair->irType());
  expectKind(call("split", {a}), Kind::SplitDimension);
  expectKind(call("join", {a, block({128}, dtypes::float32)}), Kind::TensorsDiffer);
  // Here the pair lies in two lanes.
  Layout apart = BlockedLayout{{1, 1}, {16, 2}, {4, 1}, {1, 0}, {}};
  expectKind(call("split", {block({64, 2}, dtypes::int32, apart)}), Kind::LayoutForbids);
  text();
}

TEST_F(Ops, ConvertLayoutCanAssertThatNothingMoves) {
  Value source = block({128}, dtypes::float32);
  Value wide = Value::layout(blocked(2));
  EXPECT_EQ(opName(call("convert_layout", {source, wide})), "ttg.convert_layout");
  EXPECT_EQ(call("convert_layout", {source, Value::layout(blocked())})->ir(), source.ir());
  expectKind(call("convert_layout", {source, wide, Value::boolean(true)}),
             Kind::ConversionNotTrivial);
  layout::DistributedLinearLayout same{{}, {{1}, {2}, {4}, {8}, {16}}, {{32}, {64}}, {}, {128}};
  EXPECT_TRUE(call("convert_layout", {source, Value::layout(same), Value::boolean(true)}));
  expectKind(call("convert_layout", {n, wide}), Kind::ArgumentKind);
  expectKind(call("set_auto_layout", {source, wide}), Kind::LayoutNotAuto);
  text();
}

// -- Memory ------------------------------------------------------------------------------

TEST_F(Ops, LoadAndStoreCarryTheirModifiers) {
  Value pointers = *bin(BinaryOp::Add, p, arange(128));
  Value mask = *cmp(CompareOp::Lt, arange(128), n);
  Result loaded = call("load", {pointers, mask, number(1), Value::string(".cg"),
                                Value::string("evict_first"), Value::boolean(true)});
  ASSERT_EQ(opName(loaded), "tt.load");
  auto load = loaded->ir().getDefiningOp<tt::LoadOp>();
  EXPECT_EQ(load.getCache(), tt::CacheModifier::CG);
  EXPECT_EQ(load.getEvict(), tt::EvictionPolicy::EVICT_FIRST);
  EXPECT_TRUE(load.getIsVolatile());
  EXPECT_TRUE(call("store", {pointers, *loaded, mask, Value::string(".wt")}));
  expectKind(call("load", {pointers, Value(), Value(), Value::string(".wb")}),
             Kind::ArgumentChoice);
  text();
}

TEST_F(Ops, StoredValuesAreCastAndSplat) {
  Value pointers = *bin(BinaryOp::Add, p, arange(128));
  EXPECT_TRUE(call("store", {pointers, n}));
  EXPECT_TRUE(call("store", {p, number(3)}));
  std::string ir = text();
  EXPECT_NE(ir.find("arith.sitofp"), std::string::npos);
}

TEST_F(Ops, BooleansAreBytesInMemory) {
  Value flags = *ops::cast(context, p, DType::pointer(dtypes::int1), {});
  Result loaded = call("load", {flags});
  EXPECT_EQ(dtypeName(loaded), "int1");
  EXPECT_TRUE(call("store", {flags, *loaded}));
  std::string ir = text();
  EXPECT_NE(ir.find("!tt.ptr<i8>"), std::string::npos);
  EXPECT_NE(ir.find("arith.extui"), std::string::npos);
}

TEST_F(Ops, MemoryOperandsAreChecked) {
  Value pointers = *bin(BinaryOp::Add, p, arange(128));
  Value mask = *cmp(CompareOp::Lt, arange(128), n);
  expectKind(call("load", {n}), Kind::NotPointer);
  expectKind(call("load", {p, mask}), Kind::BlockWithScalarPointer);
  expectKind(call("load", {pointers, arange(128)}), Kind::MaskNotBoolean);
  expectKind(call("load", {pointers, Value(), number(0)}), Kind::OtherWithoutMask);
  expectKind(call("load", {pointers, *cmp(CompareOp::Lt, arange(256), n)}), Kind::ShapeMismatch);
  Value constant = *ops::cast(context, p, DType::pointer(dtypes::float32, /*isConst=*/true), {});
  expectKind(call("store", {constant, number(0)}), Kind::StoreToConst);
  expectKind(call("store", {p, arange(128)}), Kind::BlockWithScalarPointer);
  Value one = *bin(BinaryOp::Add, p, block({1}, dtypes::int32));
  expectKind(call("store", {one, arange(128)}), Kind::PointerShape);
}

TEST_F(Ops, AtomicsDefaultToAcquireReleaseOnTheGpu) {
  Result old = call("atomic_add", {p, number(1)});
  ASSERT_EQ(opName(old), "tt.atomic_rmw");
  auto op = old->ir().getDefiningOp<tt::AtomicRMWOp>();
  EXPECT_EQ(op.getAtomicRmwOp(), tt::RMWOp::FADD);
  EXPECT_EQ(op.getSem(), tt::MemSemantic::ACQUIRE_RELEASE);
  EXPECT_EQ(op.getScope(), tt::MemSyncScope::GPU);
  Value integers = *ops::cast(context, p, DType::pointer(dtypes::uint32), {});
  EXPECT_EQ(call("atomic_max", {integers, number(1)})
                ->ir()
                .getDefiningOp<tt::AtomicRMWOp>()
                .getAtomicRmwOp(),
            tt::RMWOp::UMAX);
  EXPECT_EQ(opName(call("atomic_cas", {integers, number(0), number(1)})), "tt.atomic_cas");
  EXPECT_TRUE(call("atomic_max", {p, f, *cmp(CompareOp::Lt, n, number(3))}));
  expectKind(call("atomic_and", {p, number(1)}), Kind::AtomicType);
  expectKind(call("atomic_add", {integers, number(1), Value(), Value::string("weak")}),
             Kind::ArgumentChoice);
  text();
}

// -- Functions ---------------------------------------------------------------------------

TEST_F(Ops, MathTakesSingleAndDouble) {
  EXPECT_EQ(opName(call("exp", {f})), "math.exp");
  EXPECT_EQ(opName(call("sqrt_rn", {f})), "tt.precise_sqrt");
  EXPECT_EQ(opName(call("div_rn", {f, number(3)})), "tt.precise_divf");
  EXPECT_EQ(opName(call("fdiv", {f, number(3)})), "arith.divf");
  expectKind(call("exp", {n}), Kind::ArgumentKind);
  expectKind(call("fdiv", {n, n}), Kind::ArgumentKind);
  EXPECT_EQ(opName(call("abs", {n})), "math.absi");
  EXPECT_EQ(opName(call("fma", {f, number(2), number(1)})), "math.fma");
  EXPECT_EQ(opName(call("umulhi", {n, n})), "tt.mulhiui");
  expectKind(call("umulhi", {f, f}), Kind::ArgumentKind);
  EXPECT_EQ(opName(call("clamp", {f, number(0), number(1)})), "tt.clampf");
  text();
}

TEST_F(Ops, MinimumFollowsTypeAndNans) {
  EXPECT_EQ(opName(call("minimum", {n, number(3)})), "arith.minsi");
  EXPECT_EQ(opName(call("maximum", {scalar(dtypes::uint32), number(3)})), "arith.maxui");
  EXPECT_EQ(opName(call("maximum", {f, number(3)})), "arith.maxnumf");
  EXPECT_EQ(opName(call("maximum", {f, number(3), number(0xffff)})), "arith.maximumf");
  // bf16 is compared in float32, and stays there.
  Result smaller = call("minimum", {scalar(dtypes::bfloat16), number(3)});
  EXPECT_EQ(opName(smaller), "arith.minnumf");
  EXPECT_EQ(dtypeName(smaller), "fp32");
}

TEST_F(Ops, ConstantsHaveBitsForWhatIsWritten) {
  auto full = [&](Value value, DType dtype) {
    return call("full", {ints({}), std::move(value), Value::dtype(dtype)});
  };
  EXPECT_TRUE(full(number(0xFFFFFFFF), dtypes::int32));
  EXPECT_TRUE(full(number(-1), dtypes::uint32));
  EXPECT_TRUE(full(Value::integer(llvm::APInt(100, 1).shl(63)), dtypes::float32));
  expectKind(full(number(300), dtypes::int8), Kind::ScalarOutOfRange);
  expectKind(full(Value::real(1e20), dtypes::int64), Kind::ScalarOutOfRange);
  expectKind(full(Value::integer(llvm::APInt(2000, 1).shl(1500)), dtypes::float64),
             Kind::ScalarOutOfRange);
  expectKind(bin(BinaryOp::Add, n, Value::integer(llvm::APInt(100, 1).shl(80))),
             Kind::ScalarOutOfRange);
  EXPECT_TRUE(bin(BinaryOp::Mul, f, Value::integer(llvm::APInt(100, 1).shl(80))));
}

TEST_F(Ops, WhereBroadcastsAllThree) {
  Value mask = *cmp(CompareOp::Lt, arange(128), n);
  Result chosen = call("where", {mask, f, number(0)});
  EXPECT_EQ(opName(chosen), "arith.select");
  EXPECT_EQ(chosen->shape().size(), 1u);
  Value pointers = *bin(BinaryOp::Add, p, arange(128));
  EXPECT_TRUE(call("where", {mask, pointers, p}));
  expectKind(call("where", {mask, pointers, number(0)}), Kind::BadOperands);
  text();
}

TEST_F(Ops, CdivRoundsUp) {
  Result groups = call("cdiv", {n, number(128)});
  ASSERT_EQ(opName(groups), "arith.divsi");
  EXPECT_EQ(opName(tensor(groups->ir().getDefiningOp()->getOperand(0), dtypes::int32)),
            "arith.addi");
}

TEST_F(Ops, HintsBecomeAttributes) {
  Value range = arange(128);
  EXPECT_TRUE(call("max_contiguous", {range, ints({4})}));
  EXPECT_TRUE(range.ir().getDefiningOp()->hasAttr("tt.contiguity"));
  expectKind(call("multiple_of", {range, ints({4, 4})}), Kind::HintCount);
  EXPECT_TRUE(call("multiple_of", {n, number(16)}));
  EXPECT_NE(text().find("tt.divisibility = 16"), std::string::npos);
}

TEST_F(Ops, PrintsAndBarriers) {
  EXPECT_TRUE(call("device_print", {Value::string("x"), Value::tuple({n, f})}));
  expectKind(call("device_print", {n, Value::tuple({})}), Kind::ConstexprRequired);
  EXPECT_TRUE(call("barrier", {}));
  EXPECT_TRUE(call("device_assert", {n, Value::string("never emitted")}));
  std::string ir = text();
  EXPECT_NE(ir.find("tt.print \" x: \""), std::string::npos) << ir;
  EXPECT_NE(ir.find("ttg.barrier all"), std::string::npos);
  EXPECT_EQ(ir.find("tt.assert"), std::string::npos);
}

TEST_F(Ops, AssertionsExistInDebugBuilds) {
  options.debug = true;
  Value mask = *cmp(CompareOp::Lt, arange(128), n);
  EXPECT_TRUE(call("device_assert", {mask, Value::string("small"), mask}));
  EXPECT_NE(text().find("tt.assert"), std::string::npos);
}

// -- Reductions --------------------------------------------------------------------------

TEST_F(Ops, SumsOfSmallIntegersAccumulateIn32Bits) {
  Result total = call("sum", {block({128}, dtypes::int8), number(0)});
  EXPECT_EQ(dtypeName(total), "int32");
  EXPECT_FALSE(total->isBlock());
  EXPECT_EQ(dtypeName(call("sum", {block({128}, dtypes::float16)})), "fp16");
  text();
}

TEST_F(Ops, ReductionsLeaveASlice) {
  Value source = block({32, 16}, dtypes::float32, blocked2d());
  Result rows = call("max", {source, number(1)});
  ASSERT_TRUE(rows);
  EXPECT_EQ(layoutOf(*rows), Layout(SliceLayout{1, blocked2d()}));
  Result kept = call("sum", {source, number(0), Value::boolean(true)});
  EXPECT_EQ(kept->shape(), llvm::ArrayRef<int64_t>({1, 16}));
  Result all = call("min", {source});
  EXPECT_FALSE(all->isBlock());
  expectKind(call("sum", {source, number(2)}), Kind::AxisOutOfRange);
  expectKind(call("xor_sum", {source, number(0)}), Kind::ArgumentKind);
  text();
}

TEST_F(Ops, ExtremaKnowTheirPosition) {
  Value source = block({32, 16}, dtypes::float32, blocked2d());
  Result both = call("max", {source, number(0), Value::boolean(true)});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->items()[1].dtype(), dtypes::int32);
  EXPECT_EQ(dtypeName(call("argmin", {source, number(1)})), "int32");
  text();
}

TEST_F(Ops, UserCombineFunctionsRunInTheRegion) {
  // The test's Context multiplies its first two arguments.
  EXPECT_TRUE(call("reduce", {arange(128), number(0), Value::none()}));
  EXPECT_TRUE(call("associative_scan", {arange(128), number(0), Value::none()}));
  EXPECT_TRUE(call("cumsum", {arange(128)}));
  Value pair = Value::tuple({arange(128), arange(128)});
  expectKind(call("reduce", {pair, number(0), Value::none()}), Kind::CombineResult);
  Value mixed = Value::tuple({arange(128), arange(256)});
  expectKind(call("reduce", {mixed, number(0), Value::none()}), Kind::TensorsDiffer);
  text();
}

// -- Names -------------------------------------------------------------------------------

TEST_F(Ops, KnownNamesThatAreMissingSaySo) {
  expectKind(call("intel.IntelDPASLayout", {}), Kind::NotSupportedYet);
  EXPECT_EQ(findBuiltin("no_such_thing"), nullptr);
  EXPECT_EQ(findTensorMethod("to"), findBuiltin("cast"));
  EXPECT_EQ(findTensorMethod("load"), nullptr);
}

TEST_F(Ops, EveryMethodIsAFunction) {
  for (llvm::StringRef name : {"sum", "reshape", "exp", "atomic_add", "store", "gather", "item"})
    EXPECT_NE(findTensorMethod(name), nullptr) << name.str();
}

} // namespace
} // namespace gluonc::sema::ops

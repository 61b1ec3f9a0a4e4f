//===- HopperTest.cpp - Barriers, the copy engine, warpgroups, partitions ---===//
#include "sema/builtins/OpsFixture.h"

namespace gluonc::sema::ops {
namespace {

struct Hopper : Ops {
  static layout::NVMMASharedLayout swizzled(int64_t bits = 16) { return {128, bits, 2}; }

  Value buffer(DType dtype, llvm::ArrayRef<int64_t> shape, Layout layout) {
    return *call("allocate_shared_memory",
                 {Value::dtype(dtype), ints(shape), Value::layout(layout)});
  }
  Value barrier() { return *call("nvidia.hopper.mbarrier.allocate_mbarrier", {}); }
  /// A descriptor made by the kernel.
  Value descriptor(DType dtype = dtypes::float32) {
    Result made = call("nvidia.hopper.tma.make_tensor_descriptor",
                       {pointerTo(dtype), Value::tuple({n, n}), Value::tuple({n, number(1)}),
                        ints({64, 32}), Value::layout(swizzled(8 * dtype.byteSize()))});
    return made.value_or(Value());
  }
  Value pointerTo(DType dtype) { return *ops::cast(context, p, DType::pointer(dtype), {}); }
  Value accumulator(int64_t m, int64_t width) {
    Layout mma = layout::NVMMADistributedLayout{{3, 0}, {4, 1}, {16, width, 16}, {}};
    return *call("nvidia.hopper.warpgroup_mma_init", {block({m, width}, dtypes::float32, mma)});
  }
};

TEST_F(Hopper, BarriersAreBuffersOfInt64) {
  Value bar = barrier();
  EXPECT_TRUE(call("nvidia.hopper.mbarrier.init", {bar, number(1)}));
  EXPECT_TRUE(call("nvidia.hopper.mbarrier.expect", {bar, number(4096)}));
  EXPECT_TRUE(call("nvidia.hopper.mbarrier.wait", {bar, n}));
  EXPECT_TRUE(call("nvidia.hopper.mbarrier.arrive", {bar, number(2)}));
  EXPECT_TRUE(call("nvidia.ampere.mbarrier.arrive", {bar}));
  EXPECT_TRUE(call("nvidia.hopper.mbarrier.invalidate", {bar}));
  EXPECT_TRUE(call("nvidia.hopper.async_copy.mbarrier_arrive", {bar}));
  expectKind(call("nvidia.hopper.mbarrier.init", {bar, number(0)}), Kind::ScalarOutOfRange);
  expectKind(call("nvidia.hopper.mbarrier.init", {n, number(1)}), Kind::ArgumentKind);
  expectKind(call("nvidia.hopper.mbarrier.wait", {bar, f}), Kind::ArgumentKind);
  Value ring = *call("nvidia.hopper.mbarrier.allocate_mbarrier", {number(3)});
  expectKind(call("nvidia.hopper.mbarrier.init", {ring, number(1)}), Kind::ArgumentKind);
  std::string ir = text();
  EXPECT_NE(ir.find("ttng.barrier_expect"), std::string::npos);
  EXPECT_NE(ir.find("ttng.arrive_barrier %0, 2 :"), std::string::npos);
}

TEST_F(Hopper, ClusterOperationsNeedACluster) {
  expectKind(call("nvidia.hopper.cluster.barrier", {}), Kind::NeedsCluster);
  expectKind(call("nvidia.hopper.cluster.arrive", {}), Kind::NeedsCluster);
  expectKind(call("nvidia.hopper.cluster.wait", {}), Kind::NeedsCluster);
  expectKind(call("nvidia.hopper.mbarrier.fence_init_release_cluster", {}), Kind::NeedsCluster);
  expectKind(call("nvidia.hopper.mbarrier.allocate_mbarrier", {Value(), Value::boolean(true)}),
             Kind::NeedsCluster);
  EXPECT_TRUE(call("nvidia.hopper.mbarrier.sync_cluster_init", {}));
  EXPECT_NE(text().find("ttg.barrier"), std::string::npos);
}

TEST_F(Hopper, SumsAndBitsOf64BitsHaveNoSign) {
  for (auto [dtype, has] : {std::pair(dtypes::int64, false), std::pair(dtypes::uint64, true)}) {
    Value desc = descriptor(dtype), buf = buffer(dtype, {64, 32}, swizzled(64));
    Value place = Value::tuple({n, number(0)});
    EXPECT_TRUE(call("nvidia.hopper.tma.async_atomic_min", {desc, place, buf}));
    for (const char *kind : {"add", "and", "or", "xor"}) {
      std::string name = std::string("nvidia.hopper.tma.async_atomic_") + kind;
      if (has)
        EXPECT_TRUE(call(name, {desc, place, buf})) << kind;
      else
        expectKind(call(name, {desc, place, buf}), Kind::AtomicType);
    }
  }
}

TEST_F(Hopper, CopiesTakeABlockOfTheDescriptor) {
  Value desc = descriptor(), bar = barrier();
  ASSERT_TRUE(desc);
  Value buf = buffer(dtypes::float32, {64, 32}, swizzled(32));
  Value place = Value::tuple({n, number(0)});
  EXPECT_TRUE(call("nvidia.hopper.tma.async_load", {desc, place, bar, buf}));
  EXPECT_TRUE(call("nvidia.hopper.tma.async_copy_global_to_shared", {desc, place, bar, buf}));
  EXPECT_TRUE(call("nvidia.hopper.tma.async_store", {desc, place, buf}));
  EXPECT_TRUE(call("nvidia.hopper.tma.async_atomic_add", {desc, place, buf}));
  EXPECT_TRUE(call("nvidia.hopper.tma.store_wait", {number(0)}));
  expectKind(call("nvidia.hopper.tma.async_atomic_and", {desc, place, buf}), Kind::AtomicType);
  expectKind(call("nvidia.hopper.tma.async_load", {desc, Value::tuple({n}), bar, buf}),
             Kind::CoordinateCount);
  Value small = buffer(dtypes::float32, {32, 32}, swizzled(32));
  expectKind(call("nvidia.hopper.tma.async_store", {desc, place, small}), Kind::DescriptorMismatch);
  expectKind(call("nvidia.hopper.tma.async_store", {n, place, buf}), Kind::ArgumentKind);
  expectKind(call("nvidia.hopper.tma.store_wait", {number(-1)}), Kind::ScalarOutOfRange);
  text();
}

TEST_F(Hopper, DescriptorsObeyTheRulesOfTheEngine) {
  Layout layout = swizzled(32);
  auto make = [&](llvm::ArrayRef<int64_t> block, Value lastStride) {
    return call("nvidia.hopper.tma.make_tensor_descriptor",
                {p, Value::tuple({n, n}), Value::tuple({n, lastStride}), ints(block),
                 Value::layout(layout)});
  };
  expectKind(make({64, 2}, number(1)), Kind::BadDescriptor);
  expectKind(make({64, 32}, n), Kind::BadDescriptor);
  expectKind(make({64, 33}, number(1)), Kind::ShapeNotPowerOfTwo);
  // 8 floats, swizzled by 128 bytes.
  expectKind(make({64, 8}, number(1)), Kind::BadDescriptor);
  text();
}

TEST_F(Hopper, WarpgroupProductsCheckTheirOperands) {
  Value a = buffer(dtypes::float16, {64, 64}, swizzled());
  Value b = buffer(dtypes::float16, {64, 128}, swizzled());
  Value acc = accumulator(64, 128);
  auto mma = [&](const Value &lhs, const Value &rhs, const Value &sum) {
    return call("nvidia.hopper.warpgroup_mma",
                {lhs, rhs, sum, Value(), Value(), Value(), Value::boolean(true)});
  };
  Result product = mma(a, b, acc);
  ASSERT_TRUE(product);
  EXPECT_TRUE(product->is(ValueKind::Accumulator));
  Result done = call("nvidia.hopper.warpgroup_mma_wait", {number(0), Value::tuple({*product})});
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->isTensor());
  expectKind(mma(b, a, acc), Kind::WarpgroupOperand);
  expectKind(mma(a, b, n), Kind::WarpgroupOperand);
  expectKind(mma(a, buffer(dtypes::float32, {64, 128}, swizzled(32)), acc), Kind::WarpgroupOperand);
  expectKind(call("nvidia.hopper.warpgroup_mma_wait", {number(0)}), Kind::WarpgroupOperand);
  expectKind(call("nvidia.hopper.warpgroup_mma_wait", {number(8), Value::tuple({*product})}),
             Kind::ScalarOutOfRange);
  text();
}

TEST_F(Hopper, PartitionsAreFunctionsWithArguments) {
  auto specialize = [&](std::vector<Value> pairs, llvm::ArrayRef<int64_t> warps) {
    return call("warp_specialize", {Value::tuple(std::move(pairs)), ints(warps)});
  };
  Value function = number(0); // The fixture multiplies the two arguments of whatever it calls.
  Value pair = Value::tuple({function, Value::tuple({n, n})});
  Result result = specialize({pair, pair}, {4});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->isTensor());
  expectKind(specialize({pair, pair}, {4, 4}), Kind::BadSpecialization);
  expectKind(specialize({pair, pair}, {3}), Kind::BadSpecialization);
  expectKind(specialize({n}, {}), Kind::BadSpecialization);
  EXPECT_NE(text().find("partition0(%arg3: i32, %arg4: i32) num_warps(4)"), std::string::npos);
}

} // namespace
} // namespace gluonc::sema::ops

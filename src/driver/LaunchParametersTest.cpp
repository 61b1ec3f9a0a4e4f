#include "driver/LaunchParameters.h"

#include "layout/named/Layouts.h"

#include "gtest/gtest.h"

using namespace gluonc;
using driver::LaunchParameters;
using sema::ArgSpec;

namespace {

sema::Value shared(int64_t swizzle, int64_t bits, int64_t rank) {
  return sema::Value::layout(layout::NVMMASharedLayout{swizzle, bits, rank});
}

TEST(LaunchParameters, TuplesAreFlatAndConstantsAreGone) {
  ArgSpec pair = ArgSpec::tuple({*ArgSpec::parse("i32"), ArgSpec::none()}, {"n", "bias"});
  LaunchParameters parameters =
      driver::launchParameters({*ArgSpec::parse("*fp32:16"), ArgSpec::tuple({pair, pair})});
  ASSERT_EQ(parameters.visible.size(), 3u);
  EXPECT_EQ(parameters.visible[0].type, "*fp32");
  EXPECT_EQ(parameters.visible[2].type, "i32");
  EXPECT_EQ(parameters.machineCount, 3u);
  EXPECT_FALSE(parameters.hasDescriptors);
}

TEST(LaunchParameters, ADescriptorIsOneVisibleParameterAndSeveralOfTheMachine) {
  LaunchParameters parameters = driver::launchParameters(
      {*ArgSpec::parse("i64"),
       ArgSpec::descriptor(sema::dtypes::float16, {128, 256}, shared(128, 16, 2)),
       *ArgSpec::parse("fp32")});
  ASSERT_EQ(parameters.visible.size(), 3u);
  EXPECT_EQ(parameters.visible[1].type.substr(0, 34), "tensordesc<fp16[128, 256],NVMMASha");
  EXPECT_EQ(parameters.machineCount, 7u);
  ASSERT_EQ(parameters.machineDescriptors.size(), 1u);
  EXPECT_EQ(parameters.machineDescriptors[0], 1u);
  const cuda::TensorBox &box = *parameters.visible[1].box;
  EXPECT_EQ(box.type, cuda::TensorMapType::Float16);
  EXPECT_EQ(box.elementBytes, 2u);
  // A row of a transfer is as wide as the swizzle.
  EXPECT_EQ(box.box[0], 128u);
  EXPECT_EQ(box.box[1], 64u);
  EXPECT_EQ(box.swizzleBytes, 128u);
}

TEST(LaunchParameters, WhatADescriptorWithoutALayoutIsDependsOnTheTarget) {
  std::vector<ArgSpec> arguments{
      ArgSpec::blockedTensor(sema::dtypes::float16, {128, 64}, false, false),
      *ArgSpec::parse("i64")};
  auto on = [&](const char *target, unsigned ctas = 1) {
    return driver::launchParameters(
        sema::onTarget(arguments, *target::Target::parse(target), ctas));
  };
  // The address of a descriptor, two extents, two strides.
  LaunchParameters engine = on("cuda:90a");
  ASSERT_EQ(engine.visible.size(), 2u);
  EXPECT_EQ(engine.visible[0].type, "tensordesc<fp16[128, 64]>");
  EXPECT_EQ(engine.visible[0].box->swizzleBytes, 128u);
  EXPECT_EQ(engine.machineCount, 6u);
  EXPECT_EQ(engine.visible[0].box->box[0], 128u);
  // CTAs of a cluster share the rows.
  EXPECT_EQ(on("cuda:90a", 2).visible[0].box->box[0], 64u);
  // A pointer, two extents, a stride.
  for (const LaunchParameters &expanded : {on("cuda:80"), on("hip:gfx942")}) {
    ASSERT_EQ(expanded.visible.size(), 2u);
    EXPECT_EQ(expanded.visible[0].type, "tensordesc<fp16[128, 64]>");
    EXPECT_FALSE(expanded.visible[0].box);
    EXPECT_EQ(expanded.visible[0].rank(), 2u);
    EXPECT_EQ(expanded.machineCount, 5u);
    EXPECT_TRUE(expanded.hasDescriptors);
  }
}

TEST(LaunchParameters, Im2ColBoxesArePixelsByChannels) {
  LaunchParameters parameters = driver::launchParameters(
      {ArgSpec::im2colDescriptor(sema::dtypes::int8, {2048, 64}, 4, shared(32, 8, 2))});
  const cuda::TensorBox &box = *parameters.visible[0].box;
  EXPECT_TRUE(box.isIm2Col);
  EXPECT_EQ(box.rank, 4u);
  EXPECT_EQ(box.box[0], 1024u);
  EXPECT_EQ(box.box[1], 32u);
  EXPECT_EQ(parameters.machineCount, 9u);
  // A CTA of a cluster loads its part of the pixels or of the channels.
  for (auto [pixels, channels] : {std::pair(1, 0), std::pair(0, 1)}) {
    layout::NVMMASharedLayout halves{32, 8, 2};
    halves.cga = {{pixels, channels}};
    LaunchParameters divided = driver::launchParameters({ArgSpec::im2colDescriptor(
        sema::dtypes::int8, {64, 32}, 4, sema::Value::layout(std::move(halves)))});
    EXPECT_EQ(divided.visible[0].box->box[0], pixels ? 32u : 64u);
    EXPECT_EQ(divided.visible[0].box->box[1], channels ? 16u : 32u);
  }
}

TEST(LaunchParameters, BoxesNameTheirElementsAsCudaDoes) {
  using cuda::TensorMapType;
  for (auto [dtype, type] : {std::pair(sema::dtypes::int8, TensorMapType::UInt8),
                             std::pair(sema::dtypes::int32, TensorMapType::Int32),
                             std::pair(sema::dtypes::uint32, TensorMapType::UInt32),
                             std::pair(sema::dtypes::float16, TensorMapType::Float16),
                             std::pair(sema::dtypes::bfloat16, TensorMapType::BFloat16),
                             std::pair(sema::dtypes::float64, TensorMapType::Float64)}) {
    LaunchParameters parameters = driver::launchParameters(
        {ArgSpec::descriptor(dtype, {64, 64}, shared(32, dtype.bitWidth(), 2))});
    EXPECT_EQ(parameters.visible[0].box->type, type) << dtype.name();
  }
}

TEST(LaunchParameters, DescriptorsOfTheTensorMoverAreWords) {
  for (auto [rank, words] : {std::pair(1u, 12u), std::pair(2u, 12u), std::pair(3u, 20u)}) {
    std::vector<int64_t> block(rank, 16), order(rank);
    for (unsigned dim = 0; dim != rank; ++dim)
      order[dim] = rank - 1 - dim;
    layout::SwizzledSharedLayout layout{1, 1, 1, layout::Ints(order.begin(), order.end()), {}};
    LaunchParameters parameters = driver::launchParameters(
        {ArgSpec::descriptor(sema::dtypes::float16, block, sema::Value::layout(std::move(layout))),
         *ArgSpec::parse("fp32")});
    EXPECT_EQ(parameters.visible[0].rank(), rank);
    EXPECT_EQ(parameters.visible[0].block->elementBytes, 2u);
    EXPECT_EQ(parameters.machineCount, words + 2 * rank + 1);
    EXPECT_TRUE(parameters.machineDescriptors.empty());
  }
}

} // namespace

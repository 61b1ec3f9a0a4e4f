#include "layout/plan/TensorBlock.h"

#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::layout;

namespace {

const TensorDescription tensor{.base = 4096, .rank = 2, .shape = {100, 48}, .strides = {48, 1}};
const TensorBlock block{{64, 64}, {128, 16}, 16, true, false};

/// The rule that is broken after a change of both halves.
template <typename Change> std::string why(Change change) {
  TensorDescription there = tensor;
  TensorBlock moved = block;
  change(there, moved);
  return checkDescriptor(there, moved);
}

TEST(TensorBlock, EveryRuleNamesItsNumbers) {
  EXPECT_EQ(checkDescriptor(tensor, block), "");
  EXPECT_EQ(why([](auto &there, auto &) { there.rank = 6; }),
            "a tensor descriptor has 1 to 5 dimensions, not 6");
  EXPECT_EQ(why([](auto &, auto &moved) { moved.shape = {64}; }),
            "a tensor descriptor has blocks of 1 dimensions, but its tensor has 2");
  EXPECT_EQ(why([](auto &, auto &moved) { moved.shape = {24, 64}; }),
            "a tensor descriptor has blocks of powers of two, not of 24x64");
  EXPECT_EQ(why([](auto &, auto &moved) { moved.shape = {int64_t(1) << 62, 64}; }),
            "a tensor descriptor has blocks of at most 1048576 elements, not of "
            "4611686018427387904x64");
  EXPECT_EQ(why([](auto &, auto &moved) { moved.elementBits = 32; }),
            "a tensor descriptor of 32-bit elements cannot have a layout of 16-bit ones");
  EXPECT_EQ(why([](auto &, auto &moved) { moved.shape = {64, 32}; }),
            "a tensor descriptor needs rows of at least 128 bytes for the layout's swizzle, but 32 "
            "elements of 16 bits have 64");
  EXPECT_EQ(why([](auto &there, auto &) { there.strides[0] = 49; }),
            "stride 49 of dim 0 is 98 bytes, which is not a multiple of 16 below 2^40");
  EXPECT_EQ(why([](auto &there, auto &moved) {
              moved.layout.fp4Padded = true;
              moved.layout.elementBitWidth = moved.elementBits = 8;
              there.base = 4112;
            }),
            "the tensor begins at 0x1010, which is not a multiple of 32 bytes");
}

TEST(TensorBlock, OnlyFloatsArePaddedAndRounded) {
  EXPECT_EQ(why([](auto &there, auto &) { there.nanPadding = true; }), "");
  EXPECT_EQ(why([](auto &there, auto &moved) {
              there.nanPadding = true;
              moved.isFloat = false;
            }),
            "only floats can be padded with NaN");
  EXPECT_EQ(why([](auto &there, auto &) { there.roundToTf32 = true; }),
            "only float32 can be rounded to tf32");
}

TEST(TensorBlock, ImagesHaveCornersThatAnInstructionCanHold) {
  auto images = [](auto change) {
    return why([&](TensorDescription &there, TensorBlock &moved) {
      there = {.base = 4096, .rank = 4, .shape = {2, 8, 8, 64}, .strides = {4096, 512, 64, 1}};
      moved.isIm2Col = true;
      change(there);
    });
  };
  EXPECT_EQ(images([](auto &) {}), "");
  EXPECT_EQ(images([](auto &there) { there.rank = 2; }),
            "a tensor descriptor of im2col has 3 to 5 dimensions, not 2");
  EXPECT_EQ(images([](auto &there) { there.elementStrides[3] = 2; }),
            "element stride 2 of the last dim, the channels, has to be 1");
  EXPECT_EQ(images([](auto &there) { there.upperCorner[1] = 128; }),
            "offset 128 of a corner of the pixel box is not in -128 to 127");
  EXPECT_EQ(images([](auto &there) { there.upperCorner[2] = 128; }), "");
}

} // namespace

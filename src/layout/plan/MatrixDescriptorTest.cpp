#include "layout/plan/MatrixDescriptor.h"

#include "layout/named/Layouts.h"

#include <gtest/gtest.h>

using namespace gluonc::layout;

namespace {

struct Fields {
  uint64_t lbo, sbo, mode;
  bool operator==(const Fields &) const = default;
};

/// The fields in bytes, as the PTX ISA places them.
Fields fieldsOf(const MatrixDescriptor &descriptor) {
  return {(descriptor.bits >> 16 & 0x3fff) * 16, (descriptor.bits >> 32 & 0x3fff) * 16,
          descriptor.bits >> 62};
}

NVMMASharedLayout nvmma(int64_t swizzle, int64_t bits, bool transposed = false) {
  return NVMMASharedLayout{swizzle, bits, 2, transposed, false, {}};
}

TEST(MatrixDescriptor, ContiguousAlongK) {
  // A of 128 x 64 halves in lines of 128 bytes: a tile holds all of K, 8 rows down is 1024 bytes.
  auto a = describeMatrix(nvmma(128, 16).toLinear({128, 64}), 0, 1, 2, 64, 16);
  ASSERT_TRUE(a);
  EXPECT_TRUE(a->contiguousK);
  EXPECT_EQ(a->swizzleBytes, 128u);
  EXPECT_EQ(fieldsOf(*a), (Fields{0, 1024, 1}));
  auto narrow = describeMatrix(nvmma(64, 16).toLinear({64, 32}), 0, 1, 2, 64, 16);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(fieldsOf(*narrow), (Fields{0, 512, 2}));
  auto narrowest = describeMatrix(nvmma(32, 8).toLinear({64, 32}), 0, 1, 1, 64, 32);
  ASSERT_TRUE(narrowest);
  EXPECT_EQ(fieldsOf(*narrowest), (Fields{0, 256, 3}));
  // B stored [N, K] and seen as [K, N].
  auto b =
      describeMatrix(nvmma(128, 16, /*transposed=*/true).toLinear({64, 256}), 1, 0, 2, 256, 16);
  ASSERT_TRUE(b);
  EXPECT_TRUE(b->contiguousK);
  EXPECT_EQ(fieldsOf(*b), (Fields{0, 1024, 1}));
}

TEST(MatrixDescriptor, ContiguousAlongOuter) {
  // B of 64 x 256 halves: panels of 64 columns, 64 lines of 128 bytes each.
  auto b = describeMatrix(nvmma(128, 16).toLinear({64, 256}), 1, 0, 2, 256, 16);
  ASSERT_TRUE(b);
  EXPECT_FALSE(b->contiguousK);
  EXPECT_EQ(fieldsOf(*b), (Fields{64 * 128, 1024, 1}));
  // An instruction of 64 columns stays in one panel.
  auto panel = describeMatrix(nvmma(128, 16).toLinear({64, 256}), 1, 0, 2, 64, 16);
  ASSERT_TRUE(panel);
  EXPECT_EQ(fieldsOf(*panel), (Fields{0, 1024, 1}));
}

TEST(MatrixDescriptor, WithoutSwizzle) {
  // Lines of 16 bytes: 8 rows by 8 halves are 128 bytes; the two halves of K follow 8 rows later.
  SharedLinearLayout cores{
      {{0, 1}, {0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}, {0, 8}}, {}, 128};
  auto a = describeMatrix(cores.toLinear({64, 16}), 0, 1, 2, 64, 16);
  ASSERT_TRUE(a);
  EXPECT_EQ(a->swizzleBytes, 0u);
  EXPECT_EQ(fieldsOf(*a), (Fields{1024, 128, 0}));
  // The same bytes as B of 64 columns that are contiguous along N: LBO and SBO change places.
  auto b = describeMatrix(cores.toLinear({64, 16}), 1, 0, 2, 16, 16);
  ASSERT_TRUE(b);
  EXPECT_FALSE(b->contiguousK);
  EXPECT_EQ(fieldsOf(*b), (Fields{128, 1024, 0}));
}

TEST(MatrixDescriptor, OtherNamesOfTheSameBytes) {
  LinearLayout tile = nvmma(128, 16).toLinear({64, 64});
  SwizzledSharedLayout swizzled{8, 1, 8, {1, 0}, {}};
  ASSERT_EQ(tile, swizzled.toLinear({64, 64}));
  EXPECT_TRUE(describeMatrix(swizzled.toLinear({64, 64}), 0, 1, 2, 64, 16));
}

TEST(MatrixDescriptor, NotAGrid) {
  // Rows of 128 bytes that are not swizzled, and another swizzle.
  EXPECT_FALSE(describeMatrix(nvmma(0, 16).toLinear({64, 64}), 0, 1, 2, 64, 16));
  SwizzledSharedLayout other{8, 2, 4, {1, 0}, {}};
  EXPECT_FALSE(describeMatrix(other.toLinear({64, 64}), 0, 1, 2, 64, 16));
}

} // namespace

#include "driver/verify/Compare.h"
#include "host/NumberFormat.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

namespace gluonc::driver {
namespace {

namespace dtypes = sema::dtypes;

double ulp(float a, float b) { return ulpBetween(dtypes::float32, &a, &b); }

host::Tensor tensorOf(llvm::ArrayRef<double> values, llvm::ArrayRef<int64_t> shape) {
  host::Tensor tensor = llvm::cantFail(host::Tensor::create(dtypes::float32, shape));
  size_t i = 0;
  tensor.forEach([&](uint8_t *at) { host::encodeElement(dtypes::float32, values[i++], at); });
  return tensor;
}

TEST(VerifyCompare, UlpCountsTheValuesBetween) {
  EXPECT_EQ(ulp(1, 1), 0);
  EXPECT_EQ(ulp(1, std::nextafter(1.0f, 2.0f)), 1);
  EXPECT_EQ(ulp(std::nextafter(1.0f, 0.0f), std::nextafter(1.0f, 2.0f)), 2);
  EXPECT_EQ(ulp(-0.0f, 0.0f), 1);
  EXPECT_EQ(ulp(-0x1p-149f, 0x1p-149f), 3);
  EXPECT_EQ(ulp(std::numeric_limits<float>::max(), INFINITY), 1);
}

TEST(VerifyCompare, NansAreEqualAndFarFromNumbers) {
  EXPECT_EQ(ulp(NAN, -NAN), 0);
  EXPECT_EQ(ulp(NAN, 1), INFINITY);
  EXPECT_EQ(ulp(INFINITY, NAN), INFINITY);
}

TEST(VerifyCompare, IntegersAgreeOnlyWhenEqual) {
  host::Tensor a = llvm::cantFail(host::Tensor::create(dtypes::int32, {2}));
  host::Tensor b = snapshot(a);
  host::encodeInteger(dtypes::int32, 1, b.data() + 4);
  TensorDifference difference = compareTensors(a, b, {100, {1, 1}});
  EXPECT_EQ(difference.differing, 1);
  EXPECT_EQ(difference.index, host::Shape({1}));
  EXPECT_EQ(difference.found, "1");
}

TEST(VerifyCompare, FirstDifferenceIsTheFirstBeyondWhatIsAllowed) {
  host::Tensor a = tensorOf({1, 2, 3, 4, 5, 6}, {2, 3});
  host::Tensor b = tensorOf({1, std::nextafter(2.0f, 3.0f), 3, 4, 5.5, 6}, {2, 3});
  TensorDifference difference = compareTensors(a, b, {1, {}});
  EXPECT_EQ(difference.differing, 1);
  EXPECT_EQ(difference.index, host::Shape({1, 1}));
  EXPECT_EQ(difference.largestAbsolute, 0.5);
  EXPECT_EQ(compareTensors(a, b, {}).index, host::Shape({0, 1}));
  EXPECT_EQ(compareTensors(a, b, {0, {0.1, 0}}).differing, 0);
}

TEST(VerifyCompare, InfinityIsCloseToNothing) {
  EXPECT_EQ(compareTensors(tensorOf({1}, {1}), tensorOf({INFINITY}, {1}), {0, {1, 1}}).differing,
            1);
}

} // namespace
} // namespace gluonc::driver

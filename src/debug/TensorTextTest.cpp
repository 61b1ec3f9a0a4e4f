#include "debug/TensorText.h"

#include "host/NumberFormat.h"
#include "gtest/gtest.h"

using namespace gluonc;
using namespace gluonc::debug;
using sema::ScalarKind;

/// 0, 1, 2, …, times `factor`.
static host::Tensor counted(sema::DType dtype, llvm::ArrayRef<int64_t> shape, double factor = 1) {
  host::Tensor tensor = llvm::cantFail(host::Tensor::create(dtype, shape));
  double next = 0;
  tensor.forEach([&](uint8_t *at) { host::encodeElement(dtype, factor * next++, at); });
  return tensor;
}

TEST(TensorText, ColumnsAreAligned) {
  EXPECT_EQ(tensorText(counted(ScalarKind::Int32, {2, 3}, 5)), "[[ 0  5 10]\n [15 20 25]]");
  EXPECT_EQ(tensorText(counted(ScalarKind::Float32, {3}, -0.5)), "[ -0. -0.5  -1.]");
}

TEST(TensorText, LargeTensorsAreAbbreviated) {
  EXPECT_EQ(tensorText(counted(ScalarKind::Int32, {2000})), "[   0    1    2 ... 1997 1998 1999]");
  EXPECT_EQ(tensorText(counted(ScalarKind::Int32, {100, 20})).substr(0, 40),
            "[[   0    1    2 ...   17   18   19]\n [ ");
}

TEST(TensorText, LongRowsAreBroken) {
  std::string text = tensorText(counted(ScalarKind::Int32, {100}));
  EXPECT_EQ(text.find('\n'), 75u) << text;
}

TEST(TensorText, HigherDimsAreSetApart) {
  EXPECT_EQ(tensorText(counted(ScalarKind::Int8, {2, 1, 2})), "[[[0 1]]\n\n [[2 3]]]");
}

TEST(TensorText, ScalarsHaveNoBrackets) {
  EXPECT_EQ(tensorText(counted(ScalarKind::Float16, {})), "0.");
}

TEST(TensorText, WhatNothingWroteIsMarked) {
  host::Tensor tensor = counted(ScalarKind::Int32, {2});
  tensor.storage()->poison();
  EXPECT_EQ(tensorText(tensor), "[?? ??]");
}

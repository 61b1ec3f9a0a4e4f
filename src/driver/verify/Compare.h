//===- Compare.h - How far the results of two executions are apart -------------===//
#pragma once

#include "host/Array.h"

namespace gluonc::driver {

/// Two elements agree when they are within `ulp`, or as close as `close` allows.
struct AllowedDifference {
  double ulp = 0;
  host::Tolerance close = {};
};

struct TensorDifference {
  int64_t elements = 0, differing = 0;
  /// Over all elements, those that agree, too. Infinite where a NaN meets a number.
  double largestUlp = 0, largestAbsolute = 0;
  /// The first that differs, last axis fastest, and what the two have there.
  host::Shape index;
  std::string expected, found;
};

/// Values of a float's format that lie between two of its elements, with one of them: 0 for equal
/// bits and for two NaN, whichever they are; 1 from -0 to +0, and from the largest number to
/// infinity; infinite between a NaN and a number. Of integers, their difference.
double ulpBetween(sema::DType dtype, const void *a, const void *b);

/// Two tensors of one dtype and shape. Integers agree when they are equal.
TensorDifference compareTensors(const host::Tensor &expected, const host::Tensor &found,
                                AllowedDifference allowed);

/// A copy with memory of its own.
host::Tensor snapshot(const host::Tensor &tensor);

} // namespace gluonc::driver

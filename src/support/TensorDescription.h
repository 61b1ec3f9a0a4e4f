//===- TensorDescription.h - The host's half of a TensorDescriptor ----------===//
#pragma once

#include <array>
#include <cstdint>

namespace gluonc {

/// What a launch says about the tensor behind a `tensordesc` parameter. Block shape and layout are
/// the kernel's half. Dims are outermost first; strides count elements.
struct TensorDescription {
  static constexpr unsigned maxRank = 5;

  uint64_t base = 0;
  unsigned rank = 0;
  std::array<int64_t, maxRank> shape = {};
  std::array<int64_t, maxRank> strides = {};
  /// Elements outside the tensor read as NaN, not zero.
  bool nanPadding = false;
  bool roundToTf32 = false;
  /// AMD: whether copies by it do anything. Only kernels turn that off.
  bool isActive = true;

  /// Of im2col: steps between the elements that are taken, and the corners of the box of pixels,
  /// for the rank - 2 spatial dims.
  std::array<uint32_t, maxRank> elementStrides = {1, 1, 1, 1, 1};
  std::array<int32_t, 3> lowerCorner = {};
  std::array<int32_t, 3> upperCorner = {};
};

} // namespace gluonc

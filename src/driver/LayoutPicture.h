//===- LayoutPicture.h - A layout drawn over a tensor -----------------------===//
#pragma once

#include "layout/named/Layouts.h"

#include <optional>

namespace gluonc::driver {

enum class PictureFormat { Text, Svg, Html };

/// Every element of a tensor with its owner: thread and register in distributed layouts, offset and
/// bank in shared ones. The tensor must have passed layout::checkShape.
std::string drawLayout(const layout::Layout &layout, llvm::ArrayRef<int64_t> shape,
                       unsigned elementBytes, PictureFormat format);

/// The same as text, of the first elements along each axis: as many as `corner` says.
std::string drawCorner(const layout::Layout &layout, llvm::ArrayRef<int64_t> shape,
                       unsigned elementBytes, llvm::ArrayRef<int64_t> corner);

} // namespace gluonc::driver

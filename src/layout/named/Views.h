//===- Views.h - Layouts as text tables ------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"

namespace gluonc::layout {

/// Why the layout has no picture: it is a placeholder, or not linear.
Problem checkViewable(const Layout &layout, llvm::ArrayRef<int64_t> shape);

/// For every element of the tensor who holds it, `T5:2` for register 2 of thread 5 (`B1:T5:2` in
/// clusters, `T5:2|T9:2` with copies). For memory, the element at every offset.
std::string tensorView(const Layout &layout, llvm::ArrayRef<int64_t> shape);

/// For every warp and register what each thread holds; for memory the element at every offset, one
/// line each.
std::string hardwareView(const Layout &layout, llvm::ArrayRef<int64_t> shape);

/// `TensorMemoryLinearLayout(rows=[[1, 0], …], cols=[[0, 1], …], shape=[128, 64])`: the element
/// that each bit of a row and of a column of tensor memory adds.
std::string tensorMemoryBases(const Layout &layout, llvm::ArrayRef<int64_t> shape);

} // namespace gluonc::layout

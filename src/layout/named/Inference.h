//===- Inference.h - Layouts of reshaping operations -----------------------===//
//
// A reshaping operation moves no data: each thread keeps its registers, and the
// result's layout is whatever describes that.  Where the language promises a
// named layout for the result (blocked stays blocked where possible) these
// functions build it; else they answer with explicit bases.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"

#include <variant>

namespace gluonc::layout {

/// A layout, or why there is none.
struct Inferred {
  std::optional<Layout> layout;
  std::string why;
  explicit operator bool() const { return layout.has_value(); }
};

/// Result dim i is source dim order[i]. Distributed and shared layouts.
Inferred transposeLayout(const Layout &source, llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> order);

/// Inserts a dim of size 1 at `axis`. `shape` is the source's.
Inferred expandDimsLayout(const Layout &source, llvm::ArrayRef<int64_t> shape, int64_t axis);

/// What a reduction over `axis` leaves.
Inferred reduceLayout(const Layout &source, int64_t axis);

/// Row-major reinterpretation of `from` as `to`.
Inferred reshapeLayout(const Layout &source, llvm::ArrayRef<int64_t> from,
                       llvm::ArrayRef<int64_t> to);

/// Appends a dim of size 2, held by each thread. `shape` is one operand's. Undoes splitLayout.
Inferred joinLayout(const Layout &source, llvm::ArrayRef<int64_t> shape);
/// Drops the last dim, of size 2: a slice of the operand. `shape` is the operand's, with that dim.
Inferred splitLayout(const Layout &source, llvm::ArrayRef<int64_t> shape);

/// Unpacking two values from each element along `axis`. `shape` is the packed one.
Inferred unpackLayout(const Layout &source, llvm::ArrayRef<int64_t> shape, int64_t axis);

/// Explicit bases for what `linear` says, e.g. to print or to hand back to the kernel.
DistributedLinearLayout toExplicit(const LinearLayout &linear);

/// The same for a layout in shared memory.
SharedLinearLayout toExplicitShared(const Layout &shared, llvm::ArrayRef<int64_t> shape);

} // namespace gluonc::layout

//===- AxisInfo.h - What is known about the values along each axis -----------===//
//
// Wide memory access needs to know that neighbouring elements of a tensor of
// pointers are neighbours in memory, and where they start. For each integer or
// pointer value and each dim:
//
//   contiguity    every aligned run of this many elements counts up by one
//   divisibility  the first value of every such run is divisible by this
//   constancy     every aligned run of this many elements has one value
//
//   make_range 0…128        contiguity 128, divisibility 2^32, constancy 1
//   splat of %p (div 16)    contiguity 1,   divisibility 16,   constancy 128
//   their addptr (f32)      contiguity 128, divisibility 16,   constancy 1
//
// Pointers count in elements for contiguity and in bytes for divisibility. All
// three are powers of two; 1 means "nothing known", 2^32 stands for the divisibility
// of zero. Scalars have one dim.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>

namespace gluonc {

struct AxisInfo {
  llvm::SmallVector<int64_t, 2> contiguity, divisibility, constancy;
  /// The one value of all elements, where known.
  std::optional<int64_t> constant;

  unsigned rank() const { return contiguity.size(); }
  bool operator==(const AxisInfo &) const = default;

  static AxisInfo unknown(unsigned rank);
};

/// Facts about every value of a function. Loops are followed to a fixed point; block arguments join
/// what all their predecessors say. Hints of the author (`tt.contiguity`, `tt.divisibility`,
/// `tt.constancy` on operations, function arguments and `gluon.hint`) override what was computed.
class AxisInfos {
public:
  explicit AxisInfos(tt::FuncOp function);

  /// Unknown for values of other types or functions.
  AxisInfo of(mlir::Value value) const;

  /// Elements along dim `axis` that one access may cover as far as addresses are concerned: they
  /// are neighbours, and together aligned to their size.
  int64_t pointerRun(mlir::Value pointers, unsigned axis) const;
  /// The same of elements of `bytes` at `offsets`, counted in elements from the pointer `base`.
  int64_t offsetRun(mlir::Value base, mlir::Value offsets, unsigned bytes, unsigned axis) const;
  /// Elements along dim `axis` that share one mask value.
  int64_t maskRun(mlir::Value mask, unsigned axis) const;

private:
  llvm::DenseMap<mlir::Value, AxisInfo> facts;
};

} // namespace gluonc

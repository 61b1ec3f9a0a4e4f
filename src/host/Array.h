//===- Array.h - Array arithmetic on the host, in float64 --------------------===//
//
// The arithmetic behind `--expect` and tensor arguments: NumPy's broadcasting,
// elementwise operators, reductions, matrix product. Everything is computed in
// float64; the dtype that the same expression would have as a tensor is carried
// along, for arguments such as `1.0 + rand(1000, f32)`. Comparisons of integers
// are exact over 64 bits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "host/Tensor.h"

namespace gluonc::host {

/// Elements (of their own dtype when they come from a tensor, float64 or bool when computed)
/// and the dtype that they stand for.
struct Array {
  Tensor tensor;
  sema::DType dtype;

  static Array of(Tensor tensor) {
    sema::DType dtype = tensor.dtype();
    return {std::move(tensor), dtype};
  }
  /// A Python number; it adopts the dtype of what it meets.
  static Array number(double value, bool isInteger);
  bool isNumber = false;

  llvm::ArrayRef<int64_t> shape() const { return tensor.shape(); }
};

enum class ArrayOp {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Min,
  Max,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
};
enum class ArrayMap {
  Neg,
  Not,
  Abs,
  Sqrt,
  Rsqrt,
  Exp,
  Exp2,
  Log,
  Log2,
  Sin,
  Cos,
  Tanh,
  Erf,
  Floor,
  Ceil,
  Trunc,
  Round,
  IsNan,
};
enum class ArrayReduction { Sum, Prod, Max, Min, Mean, Any, All };

llvm::Expected<Shape> broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
llvm::Expected<Array> apply(ArrayOp op, const Array &lhs, const Array &rhs);
llvm::Expected<Array> map(ArrayMap op, const Array &operand);
llvm::Expected<Array> select(const Array &condition, const Array &yes, const Array &no);
/// Over one axis (negative counts from the end), or over all.
llvm::Expected<Array> reduce(ArrayReduction op, const Array &operand, std::optional<int64_t> axis);
/// Matrices, vectors, or stacks of matrices with equal leading axes.
llvm::Expected<Array> matmul(const Array &lhs, const Array &rhs);
/// A tensor of `dtype` with the same values, rounded; row-major.
llvm::Expected<Tensor> convert(const Array &array, sema::DType dtype);

/// How two arrays differ.
struct Difference {
  int64_t count = 0;
  /// Of the first difference, in the broadcast shape.
  Shape index;
  double lhs = 0, rhs = 0;
  double largest = 0;
};
struct Tolerance {
  double relative = 0, absolute = 0;
};
/// Elements with |lhs - rhs| > absolute + relative * |rhs|; NaN differs from everything.
llvm::Expected<Difference> compare(const Array &lhs, const Array &rhs, Tolerance tolerance);
/// What `allclose` allows when it is not told: by the coarser of the two dtypes.
Tolerance defaultTolerance(sema::DType lhs, sema::DType rhs);

} // namespace gluonc::host

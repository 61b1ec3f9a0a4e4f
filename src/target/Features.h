//===- Features.h - What chips have, by name ------------------------------------===//
//
// What a builtin of the language or code generation asks of a chip. Which chips
// have it is said in Features.cpp, and nowhere else.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Target.h"

namespace gluonc::target {

enum class Feature : uint8_t {
  /// cp.async: global to shared memory past the registers.
  AsyncCopy,
  /// Barriers in shared memory that count arrivals.
  MBarrier,
  /// Barriers that also count bytes, the asynchronous proxy and its fences.
  AsyncProxy,
  /// The engine that copies boxes of tensors.
  TensorCopies,
  Clusters,
  /// A grid that begins while the one before it ends.
  GridDependency,
  /// Warps that give registers to each other.
  RegisterReallocation,
  MmaSync,
  MmaSyncFp8,
  WarpgroupMma,
  /// ldmatrix, stmatrix.
  MatrixLoad,
  MatrixStore,
  /// Conversions between pairs of 8-bit floats and of f16.
  Fp8Conversion,
  /// atom.add of bf16.
  Bf16AtomicAdd,
  /// Arrivals at barriers with a count, waits that suspend the thread (mbarrier.try_wait).
  SuspendingWait,
  /// Tensor maps that pad 4-bit elements to bytes.
  PaddedFp4,
  /// Copies of rows of a tensor that are named one by one, into shared memory and out of it.
  RowGather,
  RowScatter,
  /// Tensor memory and the products that use it (tcgen05).
  TensorMemory,
  /// Loads from tensor memory that also give the least or largest of what they load.
  ReducingLoad,
  /// Arithmetic on two neighbouring elements of one type.
  PackedArithmetic,
  /// The same on elements of several types, and on four elements of 8 bits.
  MixedPackedArithmetic,
  /// Requests for the work of clusters that have not begun.
  LaunchControl,
};

bool has(const Target &target, Feature feature);
/// "cuda:90 or newer"
std::string_view targetsWith(Feature feature);

} // namespace gluonc::target

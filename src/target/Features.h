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

  // -- AMD ---------------------------------------------------------------------

  /// Global memory by a base and offsets of 32 bits, with bounds; and atomic updates of it. What
  /// they can do to some types is not everywhere.
  BufferAccess,
  BufferAtomics,
  BufferAtomicAddBf16,
  BufferAtomicDoubles,
  BufferAtomicFloatExtrema,
  /// Products of waves of 64 lanes (MFMA), those of tf32, and those with a scale per block.
  Mfma,
  MfmaTf32,
  ScaledMfma,
  /// Products of waves of 32 lanes (WMMA) in their three versions, and those with scales.
  WmmaRdna3,
  WmmaRdna4,
  WmmaCdna5,
  ScaledWmma,
  /// Conversions of blocks of 8-bit and 4-bit floats with their scales.
  ScaledUpcast,
  ScaledDowncast,
  /// Copies from global memory to LDS that are awaited by groups: a wave writes one run of LDS, by
  /// instructions of 16 bytes too; or each lane names its place, and may write global memory.
  DirectToLds,
  WideDirectToLds,
  AsyncLds,
  /// Loads from LDS that transpose among the lanes of a wave; those of 4 bits repack.
  TransposedLdsLoad,
  /// The engine that copies blocks of tensors (TDM).
  TensorMover,
  /// Workgroups that run together, on gfx1250.
  WorkgroupClusters,
  /// Barriers in LDS that count arrivals.
  LdsBarriers,
  /// Barriers of some waves of a workgroup.
  NamedBarriers,
  /// LDS in parts that are accessed at the same time.
  LdsPartitions,
  /// Loops whose stages the halves of a workgroup run in turns.
  WarpPipeline,
  /// Moves within rows of 16 lanes to the lane whose number is XORed, and between two rows.
  DppRowXor,
  /// Arithmetic on two numbers of f32 at once.
  PairsOfFloats,
  /// Conversions between pairs of 8-bit floats and f32: AMD's own formats, and OCP's.
  Fp8FnuzConversion,
  Fp8OcpConversion,
};

bool has(const Target &target, Feature feature);
/// "cuda:90 or newer"
std::string_view targetsWith(Feature feature);

} // namespace gluonc::target

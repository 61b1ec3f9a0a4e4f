//===- Measured.h - What a kernel with timestamps recorded -------------------------===//
#pragma once

#include "model/Replay.h"
#include "ptx/Timestamps.h"

#include "llvm/ADT/ArrayRef.h"

namespace gluonc::model {

struct MeasuredSpan {
  using Kind = Span::Kind;
  /// Cta, Product, Wait or Region, whose place is its end.
  Kind kind = Kind::Cta;
  uint32_t cta = 0, warp = 0;
  /// In TimestampedKernel::places.
  uint32_t place = 0;
  /// Microseconds since the first CTA that recorded began.
  double begin = 0, end = 0;
};

/// A launch on a GPU.
struct MeasuredLaunch {
  /// Of CTAs, and of the first of every four warps.
  std::vector<MeasuredSpan> spans;
  /// Warps that had more to record than there was room for.
  unsigned full = 0;
};

/// What `kernel` left in memory, for its first CTAs.
MeasuredLaunch readRecords(const ptx::TimestampedKernel &kernel, llvm::ArrayRef<uint8_t> memory,
                           llvm::ArrayRef<Partition> partitions);

} // namespace gluonc::model

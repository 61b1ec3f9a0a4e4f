//===- Trace.h - What the warps of some CTAs executed ---------------------------===//
//
// Instructions in the order in which each warp came to them, with what they asked of
// memory and of barriers. Times are not in it: the replay gives them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Work.h"
#include "ptx/Observer.h"

#include <string>
#include <vector>

namespace gluonc::model {

/// Begin and end in a list.
struct Slice {
  uint32_t begin = 0, end = 0;
  uint32_t size() const { return end - begin; }
};

/// What memory and barriers see of one instruction of a warp.
struct Detail {
  /// In CtaTrace::sectors and CtaTrace::signals.
  Slice sectors, signals;
  /// Rows of 128 bytes that the lanes access together, and wavefronts of shared memory.
  uint16_t lines = 0, wavefronts = 0;
  /// Of a box: bytes that it moves.
  uint32_t boxBytes = 0;
  /// Of a product in tensor memory: cycles of each of so many multiprocessors' tensor cores, and of
  /// the shared memory that its operands come from.
  float tensorCycles = 0, operandCycles = 0;
  uint8_t pair = 1;
};

struct Op {
  uint32_t instruction = 0;
  /// In CtaTrace::details; -1 for none.
  int32_t detail = -1;
  uint8_t lanes = 0;
};

struct CtaTrace {
  std::vector<std::vector<Op>> warps;
  std::vector<Detail> details;
  /// Numbers of sectors, the low bits.
  std::vector<uint32_t> sectors;
  std::vector<ptx::Signal> signals;
};

/// Bytes that one instruction of a warp takes in a trace, `detail` null for none; all together take
/// no more than `mostTraceBytes`: who waits for clusters that are not in the trace may not end.
inline size_t traceBytesOf(const Detail *detail) {
  return sizeof(Op) + (detail ? sizeof(Detail) + detail->sectors.size() * sizeof(uint32_t) +
                                    detail->signals.size() * sizeof(ptx::Signal)
                              : 0);
}
inline constexpr size_t mostTraceBytes = size_t(1) << 31;

struct ClusterTrace {
  /// By rank.
  std::vector<CtaTrace> ctas;
};

/// Warps that run a function of their own beside others.
struct Partition {
  unsigned firstWarp = 0, lastWarp = 0;
  std::string name;
};

/// Of how many clusters that run together a sector is, in the mean: of all of them, and of those
/// near each other in the order of their launch.
struct Sharers {
  double all = 1, near = 1;
};

struct Trace {
  /// By the instruction's place in the code.
  std::vector<Work> code;
  std::vector<ptx::SourcePlace> places;
  std::vector<std::string> names, files;
  unsigned registers = 0;
  std::vector<Partition> partitions;
  /// Names of regions, by number.
  std::vector<std::string> scopes;
  std::vector<ClusterTrace> clusters;
  /// By instruction (Sharing.h).
  std::vector<Sharers> sharers;
  /// Sectors that a cluster loads, in the mean.
  double loadedSectors = 0;
  /// More was executed than a trace keeps: it has the beginning only.
  bool isCut = false;
};

} // namespace gluonc::model

//===- Replay.h - Traces get times ---------------------------------------------===//
//
// A discrete-event simulation of one multiprocessor (of as many as a cluster has CTAs)
// and the CTAs that it executes one after another, as many at a time as are resident.
//
// A warp gives at most one instruction a cycle, in order. ptxas moves instructions, so one
// whose operands are not there does not hold up the next ones until it is `window`
// instructions back, or a branch, a barrier or a wait comes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Multiprocessor.h"

namespace gluonc::model {

/// How far ptxas moves an instruction.
inline constexpr unsigned window = 48;

/// What a warp spends its time on.
enum class Spent : uint8_t { Working, Operands, Copies, Products, Barriers };
inline constexpr unsigned spentCount = 5;
llvm::StringRef nameOf(Spent spent);

/// Something that took time, for the timeline.
struct Span {
  enum class Kind : uint8_t {
    Cta,
    Product,
    Load,
    Store,
    Copy,
    Wait,
    /// One that the kernel names; its instruction is what ends it.
    Region
  };
  Kind kind = Kind::Cta;
  /// How many CTAs began before it, and the warp of its CTA.
  uint32_t cta = 0, warp = 0;
  /// In Trace::code.
  uint32_t instruction = 0;
  double begin = 0, end = 0;
};
llvm::StringRef nameOf(Span::Kind kind);

struct Replayed {
  double cycles = 0;
  /// When clusters ended, in order.
  std::vector<double> ends;
  /// Cycles in which units were at work, by Unit.
  std::array<double, unitCount> busy = {};
  /// Cycles of warps, by Spent.
  std::array<double, spentCount> spent = {};
  std::vector<Span> spans;
  /// How often warps went on though nothing came that they waited for.
  uint64_t lost = 0;
};

struct Schedule {
  /// Clusters one after another, by their number in the trace, and how many are resident.
  std::vector<uint32_t> clusters;
  unsigned resident = 1;
  /// Collect spans of the first clusters.
  unsigned recorded = 0;
};

Replayed replay(const Trace &trace, const Speeds &chip, const Conditions &conditions,
                const Schedule &schedule);

} // namespace gluonc::model

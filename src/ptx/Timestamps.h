//===- Timestamps.h - PTX whose warps record when they waited ---------------------===//
//
// The clock is read before and behind each instruction that waits (for a barrier, copies, products)
// where a group of products begins, and in place of borders of regions (Scopes.h); one lane of each
// warp stores what it read. Memory for that is the kernel's last parameter, that of profilers,
// which is null in launches of others:
//
//   first CTAs x warps x bytesOfWarp, zero before the launch:
//     RecordHeader, then Records until there is no more room
//
// Places of straight code are a stretch: their records follow each other, and only the first says
// which stretch it is, so that the others take fewer instructions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Module.h"

#include <optional>

namespace gluonc::ptx {

struct RecordHeader {
  /// %globaltimer, nanoseconds, and %clock at the same time; ends are 0 if the warp did not end.
  uint64_t beginNanoseconds = 0;
  uint32_t beginCycles = 0, unused = 0;
  uint64_t endNanoseconds = 0;
  uint32_t endCycles = 0, unusedToo = 0;
};

/// Of the first place of a stretch. Of those behind it `begin` is all of %clock; of a moment
/// nothing is stored but the end.
struct Record {
  /// %clock behind it.
  uint32_t endCycles = 0;
  /// The lower 24 bits of %clock before it, and the number of the stretch, which is not 0. Of a
  /// moment there is but the latter.
  uint32_t begin = 0;

  static constexpr unsigned stretchBits = 8;
  uint32_t stretch() const { return begin & ((1u << stretchBits) - 1); }
  /// Cycles; of more than 2^24 the lower bits.
  uint32_t firstLength() const {
    return ((endCycles << stretchBits) - begin + stretch()) >> stretchBits;
  }
  uint32_t length() const { return endCycles - begin; }
};

/// What a record is of.
struct TimedPlace {
  enum class What : uint8_t {
    Wait,
    /// Products issued before it are a group from here on (wgmma.commit_group).
    Group,
    /// No more than `pending` groups of products run behind it.
    GroupWait,
    /// A region that the kernel names begins or ends.
    Enter,
    Exit
  };
  What what = What::Wait;
  unsigned pending = 0;
  SourcePlace source;
  /// "mbarrier.try_wait.parity.shared::cta.b64"; the name of a region.
  std::string instruction;
  /// Nothing lasts there: a moment has no beginning of its own.
  bool isMoment() const { return what == What::Group || what == What::Enter || what == What::Exit; }
  friend bool operator==(const TimedPlace &, const TimedPlace &) = default;
};

struct TimestampedKernel {
  static constexpr unsigned bytesOfWarp = 1u << 15;
  /// CTAs that record, from the first one on.
  static constexpr unsigned mostCtas = 4;

  std::string ptx;
  /// The first one is none. Copies of an instruction of one line are one place.
  std::vector<TimedPlace> places;
  /// Places of each stretch, by its number; the first one is none.
  std::vector<std::vector<uint32_t>> stretches;
  /// By the numbers that places have.
  std::vector<std::string> files;
  unsigned warps = 0;
  /// Instructions that would be places, in stretches for which there is no number.
  unsigned leftOut = 0;

  static unsigned ctasOf(uint64_t launched) {
    return unsigned(launched < mostCtas ? launched : mostCtas);
  }
  /// Records that a warp needs to have room for, or it records no more.
  size_t longestStretch() const {
    size_t most = 1;
    for (const std::vector<uint32_t> &stretch : stretches)
      most = std::max(most, stretch.size());
    return most;
  }
  size_t bytes(uint64_t ctas) const { return size_t(ctasOf(ctas)) * warps * bytesOfWarp; }
};

/// `kernel` of a module of PTX, launched with `warps` warps a CTA. Functions that it calls record
/// nothing. Nullopt, and why, for text that is not understood.
std::optional<TimestampedKernel> addTimestamps(llvm::StringRef ptx, llvm::StringRef kernel,
                                               unsigned warps, ParseError &error);

} // namespace gluonc::ptx

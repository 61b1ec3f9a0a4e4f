//===- Conversion.h - Planning a change of distributed layout --------------===//
//
// A tensor lies in registers by `src` and is wanted by `dst`.  The map
//
//   sources = dst, then src backwards:   (register, lane, warp, block) -> the same
//
// says where each thread finds each element.  Where src keeps several copies,
// the nearest is taken: own register before own lane, own lane before own warp.
// What this map still moves decides what must be done:
//
//   nothing            Identity    the same registers under another name
//   registers          Registers   a permutation (or duplication) of registers
//   lanes              Shuffle     warp shuffles, if few registers must be mixed
//   lanes or warps     Shared      through shared memory; within a warp it needs
//                                  no CTA barrier
//   blocks             Shared      with crossesCtas
//
// A plan is plain data, which the code generator emits and tests interpret.
//
// Registers are numbered as in the layouts given.  A caller that stores only
// distinct registers passes src.removeZeroBases(Register), the same for dst.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/plan/MatrixAccess.h"
#include "layout/plan/Vectorize.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <variant>

namespace gluonc::layout {

/// Nothing to do: register i of the result is register i of the source.
struct IdentityPlan {};

/// Register i of the result is register `source[i]` of the source, in every thread.
struct RegisterPlan {
  llvm::SmallVector<uint32_t, 16> source;
};

/// Exchanges registers x and x ^ registerMask, for all x, in the lanes with an odd number of set
/// bits in lane & laneMask. As code: one select for each register.
struct LaneSwap {
  uint32_t registerMask;
  uint32_t laneMask;
};

/// One shuffle: result[result] = value of work[source] in lane  laneMap(lane) ^ laneXor.
struct ShuffleRound {
  uint32_t source;
  uint32_t laneXor;
  uint32_t result;
};

/// Conversion within a warp by shuffles. To emit or interpret, in order:
///   work    = the source registers, 2^sourceLog2 of them
///   work    : apply each of `before`
///   result  = one entry per round; where laneMap is the identity and laneXor 0, no shuffle is
///   needed result  : apply each of `after` (2^resultLog2 entries) the value of destination
///   register i is result[destination[i]]
/// Rounds with equal laneXor read from the same lane and may be packed into wider shuffles.
struct ShufflePlan {
  unsigned sourceLog2 = 0, resultLog2 = 0;
  llvm::SmallVector<LaneSwap, 2> before, after;
  /// The lane to read from is the XOR of laneMap[i] over the set bits i of the lane's own number.
  llvm::SmallVector<uint32_t, 6> laneMap;
  llvm::SmallVector<ShuffleRound, 16> rounds;
  llvm::SmallVector<uint32_t, 16> destination;

  uint32_t sourceLane(uint32_t lane, uint32_t laneXor) const;
  bool laneMapIsIdentity() const;
};

enum class SyncScope : uint8_t { Warp, Cta, Cluster };

/// One shared-memory instruction: registers[j] is at element offset thread ^ offset + j, where
/// `thread` is the lane and warp part of the map. Of an access to matrices, `registers` are the
/// elements of this lane's word of the first matrix, then of the second, and so on.
struct SharedInstruction {
  llvm::SmallVector<uint32_t, 8> registers;
  uint32_t offset;
};

/// The store or the load half of a conversion through shared memory.
struct SharedHalf {
  /// register, lane, warp (, block) -> offset within the scratch, in elements (, block). Registers
  /// of different repetitions share offsets.
  LinearLayout map;
  /// Elements that are neighbours in memory: of a vector, or of a row of a matrix.
  unsigned vectorLog2 = 0;
  /// Set where the whole warp moves matrices, with another thread part of addresses.
  std::optional<MatrixAccess> matrices;
  /// The instructions of each repetition. Each distinct register occurs in exactly one.
  llvm::SmallVector<llvm::SmallVector<SharedInstruction, 8>, 2> instructions;
  /// Offset bits that lanes, warps or blocks move. The rest of an instruction's `offset` may be
  /// added as an immediate; these bits must be combined by XOR.
  uint32_t threadBits = 0;
  /// Bits of lane and warp that need not take part: threads with one of them set hold copies. Only
  /// meaningful for the store, and only a saving: such threads may store as well.
  uint32_t redundantLanes = 0, redundantWarps = 0;
  /// For every register the one in `instructions` with the same element.
  llvm::SmallVector<uint32_t, 16> representative;
};

/// Conversion through shared memory. For each repetition r: store.instructions[r], synchronize,
/// load.instructions[r]; between repetitions synchronize again. The scratch must be aligned to 16
/// bytes.
struct SharedPlan {
  SharedHalf store, load;
  unsigned elementBits = 0;
  unsigned repetitions = 1;
  int64_t scratchBytes = 0;
  SyncScope sync = SyncScope::Cta;
  /// offset, repetition (, block) -> tensor coordinates; what `store` and `load` agree on.
  LinearLayout staging;
};

struct ConversionOptions {
  /// Repetitions are used as far as needed, and possible, to stay within this.
  int64_t scratchBudgetBytes = 32 * 1024;
  /// Shuffle only if each side exchanges registers at most this many times.
  unsigned maxSwaps = 1;
  unsigned maxVectorBits = 128;
  /// Whether the chip loads and stores matrices, see MatrixAccess.h.
  bool matrixLoads = false, matrixStores = false;
};

using ConversionPlan = std::variant<IdentityPlan, RegisterPlan, ShufflePlan, SharedPlan>;

/// Plans the conversion of a tensor with elements of `elementBits` (1-bit elements count as 8).
/// Both layouts have inputs register, lane, warp and perhaps block, equal sizes of all but
/// register, and equal surjective outputs.
ConversionPlan planConversion(const LinearLayout &src, const LinearLayout &dst,
                              unsigned elementBits, const ConversionOptions &options = {});

/// As planConversion, but always through shared memory.
SharedPlan planThroughShared(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                             const ConversionOptions &options = {});

/// Where each (register, lane, warp, block) of dst finds its element in src, the nearest copy.
LinearLayout nearestSources(const LinearLayout &src, const LinearLayout &dst);

/// Scratch that `plan` needs; 0 unless it goes through shared memory.
int64_t scratchBytes(const ConversionPlan &plan);
/// "identity", "registers", "shuffle" or "shared".
llvm::StringRef describe(const ConversionPlan &plan);

// -- Bank conflicts --------------------------------------------------------------

inline constexpr int64_t sharedWordBytes = 4, sharedBanks = 32,
                         wavefrontBytes = sharedWordBytes * sharedBanks;

/// An access of so many bytes by each lane runs in phases of so many consecutive lanes.
constexpr int64_t lanesPerPhase(int64_t bytes) {
  return bytes * 32 <= wavefrontBytes ? 32 : wavefrontBytes / bytes;
}
/// Of one phase that accesses these words: the most different ones that any bank is asked for.
int64_t wavefronts(llvm::ArrayRef<int64_t> words);

/// Extra wavefronts of one warp's accesses by these instructions, summed; 0 is conflict-free.
/// 32 banks of 4 bytes; 8- and 16-byte accesses run in 2 and 4 phases of consecutive lanes.
/// `physical` maps logical to physical element offsets (padding).
int64_t countBankConflicts(const LinearLayout &map, const RegisterVectors &vectors,
                           unsigned elementBits,
                           llvm::function_ref<int64_t(int64_t)> physical = {});

/// The most extra wavefronts of one phase of one access, for a tensor in layout `distributed` and
/// memory in layout `shared`, in the widest vectors possible. Without padding all phases are alike.
int64_t bankConflicts(const LinearLayout &distributed, const LinearLayout &shared,
                      unsigned elementBits, llvm::function_ref<int64_t(int64_t)> physical = {},
                      int64_t maxElements = 0);

} // namespace gluonc::layout

//===- Layouts.h - The named layouts of the language -----------------------===//
//
// Each layout class of the kernel language is a plain immutable struct here:
// its fields are what the user wrote, `validate` says what is wrong with them
// in the user's words, and `toLinear` is its meaning for a tensor shape.
// `Layout` holds any of them as one cheap value.
//
// How a named layout meets a shape ("combine").  The struct describes one tile,
// spread over registers, lanes and warps, and `cga`, spread over the blocks of
// a cluster.  A tensor larger than the tile wraps around in more registers; a
// tensor smaller than the tile leaves several owners for each element:
//
//   BlockedLayout([1], [4], [4], [0])  shape [128]   register 16 32 64 | lane 1 2 | warp 4 8
//   BlockedLayout([4], [4], [4], [0])  shape [8]     register 1 2 | lane 4 0 | warp 0 0
//
// To add a layout: a struct with the members the others have, a LayoutKind, a
// line in `Layout::Value`, its functions in the .cpp beside its relatives.
//
// Trust.  `validate()` and `checkShape()` take anything a user may write and
// never assert. `toLinear` and the rest want a layout that passed both.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/LinearLayout.h"

#include <algorithm>
#include <memory>
#include <variant>

namespace gluonc::layout {

using Ints = llvm::SmallVector<int64_t, 4>;
/// Basis vectors, one per bit; each has one component per tensor dim.
using BasisList = llvm::SmallVector<Ints, 6>;
/// Nullopt when all is well, else what is wrong, as a sentence part without a final period.
using Problem = std::optional<std::string>;

enum class LayoutKind : uint8_t {
  Auto,
  Coalesced,
  Blocked,
  Slice,
  DistributedLinear,
  SwizzledShared,
  PaddedShared,
  SharedLinear,
};

struct AutoLayout;
struct CoalescedLayout;
struct BlockedLayout;
struct SliceLayout;
struct DistributedLinearLayout;
struct SwizzledSharedLayout;
struct PaddedSharedLayout;
struct SharedLinearLayout;

/// Any named layout. Copying copies one pointer; equality is by content.
class Layout {
public:
  using Value =
      std::variant<AutoLayout, CoalescedLayout, BlockedLayout, SliceLayout, DistributedLinearLayout,
                   SwizzledSharedLayout, PaddedSharedLayout, SharedLinearLayout>;

  Layout(AutoLayout value);
  Layout(CoalescedLayout value);
  Layout(BlockedLayout value);
  Layout(SliceLayout value);
  Layout(DistributedLinearLayout value);
  Layout(SwizzledSharedLayout value);
  Layout(PaddedSharedLayout value);
  Layout(SharedLinearLayout value);

  LayoutKind kind() const;
  /// The struct, if this is a `T`; else null. Lives as long as any copy of this Layout.
  template <typename T> const T *as() const;
  const Value &value() const;

  /// Whether it places tensors in registers (placeholders included) or in shared memory.
  bool isDistributed() const;
  bool isShared() const;
  /// AutoLayout and CoalescedLayout: to be resolved before anything asks for elements.
  bool isPlaceholder() const;

  /// Number of tensor dims; nullopt for placeholders.
  std::optional<unsigned> rank() const;
  /// Checks the fields by themselves, without a target or a shape.
  Problem validate() const;
  /// The linear layout of a tensor of this shape.
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  /// The basis of each bit of the CTA id, empty for one CTA.
  BasisList cga() const;
  /// In the form in which the language constructs it: `BlockedLayout([1], [32], [4], [0])`.
  std::string toString() const;

  bool operator==(const Layout &other) const;
  friend llvm::hash_code hash_value(const Layout &layout);

private:
  struct Storage;
  std::shared_ptr<const Storage> storage;
};

/// To be inferred from neighbouring operations.
struct AutoLayout {
  static constexpr LayoutKind kind = LayoutKind::Auto;
  bool operator==(const AutoLayout &) const = default;
};

/// To be chosen for the best global memory access.
struct CoalescedLayout {
  static constexpr LayoutKind kind = LayoutKind::Coalesced;
  bool operator==(const CoalescedLayout &) const = default;
};

/// A box of elements per thread, a box of threads per warp, a box of warps; `order` is fastest
/// first.
struct BlockedLayout {
  static constexpr LayoutKind kind = LayoutKind::Blocked;
  Ints sizePerThread, threadsPerWarp, warpsPerCta, order;
  BasisList cga;

  unsigned rank() const { return order.size(); }
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  bool operator==(const BlockedLayout &) const = default;
};

/// The layout of a tensor that lacks dim `dim` of a tensor in layout `parent`.
struct SliceLayout {
  static constexpr LayoutKind kind = LayoutKind::Slice;
  int64_t dim;
  Layout parent;

  /// 0 if the parent has no rank.
  unsigned rank() const { return std::max(parent.rank().value_or(1), 1u) - 1; }
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  bool operator==(const SliceLayout &) const = default;
};

/// Explicit bases.
struct DistributedLinearLayout {
  static constexpr LayoutKind kind = LayoutKind::DistributedLinear;
  BasisList regBases, laneBases, warpBases, blockBases;
  Ints shape;

  unsigned rank() const { return shape.size(); }
  Problem validate() const;
  /// For its own shape the bases themselves; for another shape cut or wrapped like any tile.
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  /// Whether the nonzero bases are distinct unit vectors (`#ttg.linear`; else
  /// `#ttg.generic_linear`).
  bool isPermutation() const;
  bool operator==(const DistributedLinearLayout &) const = default;
};

/// Row `r` has its groups of `vec` elements XORed by (r / perPhase) mod maxPhase.
struct SwizzledSharedLayout {
  static constexpr LayoutKind kind = LayoutKind::SwizzledShared;
  int64_t vec, perPhase, maxPhase;
  Ints order;
  BasisList cga;

  unsigned rank() const { return order.size(); }
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  bool operator==(const SwizzledSharedLayout &) const = default;
};

/// After every `interval` elements, `padding` unused ones; pairs add up.
struct IntervalPadding {
  int64_t interval, padding;
  bool operator==(const IntervalPadding &) const = default;
};

struct PaddedSharedLayout {
  static constexpr LayoutKind kind = LayoutKind::PaddedShared;
  llvm::SmallVector<IntervalPadding, 2> paddings;
  BasisList offsetBases, cga;
  Ints shape;

  /// The padded layout whose linear part is the identity of each CTA's share of `shape`.
  static PaddedSharedLayout identityFor(llvm::ArrayRef<IntervalPadding> paddings,
                                        llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<int64_t> order, BasisList cga = {});
  unsigned rank() const { return shape.size(); }
  Problem validate() const;
  /// The linear part only: coordinates by *logical* offset.
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  /// Where the element with this logical offset lies.
  int64_t physicalOffset(int64_t logical) const;
  /// How many elements are consecutive and aligned in spite of the padding.
  int64_t maxVector() const;
  bool operator==(const PaddedSharedLayout &) const = default;
};

/// Explicit bases for shared memory.
struct SharedLinearLayout {
  static constexpr LayoutKind kind = LayoutKind::SharedLinear;
  BasisList offsetBases, blockBases;
  int64_t alignment = 16;

  unsigned rank() const { return offsetBases.empty() ? 0 : offsetBases.front().size(); }
  /// What the largest component of each dim implies.
  Ints shape() const;
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  bool operator==(const SharedLinearLayout &) const = default;
};

template <typename T> const T *Layout::as() const { return std::get_if<T>(&value()); }

// -- Questions about a layout in a place ---------------------------------------

/// Whether the layout can hold a tensor of this shape: rank, powers of two, sizes that divide.
Problem checkShape(const Layout &layout, llvm::ArrayRef<int64_t> shape);

/// Whether a distributed layout fits where it is used, e.g. "the layout has 64 threads per warp,
/// but the target has 32". Shared layouts are asked for CTAs only. Placeholders always fit.
Problem checkFits(const Layout &layout, int64_t numWarps, int64_t warpSize, int64_t numCtas);

/// Each CTA's part of a tensor.
Ints shapePerCta(const Layout &layout, llvm::ArrayRef<int64_t> shape);

/// Shared memory for one buffer of this per-tensor shape, in elements per CTA, padding included.
int64_t sharedElements(const Layout &layout, llvm::ArrayRef<int64_t> shape);
/// In bytes, what the start of a buffer in this layout must be aligned to.
int64_t sharedAlignment(const Layout &layout);

/// Tensor dims by how fast they vary along registers (then lanes, warps, blocks), or along the
/// offset of a shared layout; fastest first. Equal layouts give equal orders.
llvm::SmallVector<unsigned, 4> orderOf(const LinearLayout &layout);

/// Tile and cluster to whole tensor; see the essay above. `tile` and `cga` have axes as outputs;
/// registers (or offsets) are the first input dim of `tile`.
LinearLayout combine(const LinearLayout &tile, const LinearLayout &cga,
                     llvm::ArrayRef<int64_t> shape);
/// The layout of CTA ids, in units of each CTA's share.
LinearLayout cgaToLinear(const BasisList &cga, unsigned rank);

/// Whether n is a power of two (so at least 1).
inline bool isPowerOf2(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

} // namespace gluonc::layout

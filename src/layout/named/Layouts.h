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
// `fields` is the schema of a layout. Its constructor in the language, its hash,
// its representation, its attributes in kernels and its IR text all go through
// it. README.md says what to do for one more layout.
//
// Trust.  `validate()` and `checkShape()` take anything a user may write and
// never assert. `toLinear` and the rest want a layout that passed both.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layout.h"

#include <algorithm>

namespace gluonc::layout {

/// One field of a layout, as the language and IR text call it.
struct Field {
  llvm::StringLiteral name;
  /// The key in IR text. "kWidth?": left out where it has its default; "blockM|blockN": a key for
  /// each of two items; empty: follows from the other fields, or the text has a form of its own.
  llvm::StringLiteral key = "";
  /// What Python shows as the default; empty where the field must be given.
  llvm::StringLiteral missing = "";
};

inline constexpr Field cgaField{"cga_layout", "CGALayout?", "None"};

/// How many threads a warp and how many warps a CTA must have; 0 where it does not matter.
struct Owners {
  int64_t lanes = 0, warps = 0;
};

/// To be inferred from neighbouring operations.
struct AutoLayout {
  static constexpr LayoutKind kind = LayoutKind::Auto;
  Owners owners() const { return {}; }
  template <typename F> static constexpr void fields(F) {}
  bool operator==(const AutoLayout &) const = default;
};

/// To be chosen for the best global memory access.
struct CoalescedLayout {
  static constexpr LayoutKind kind = LayoutKind::Coalesced;
  Owners owners() const { return {}; }
  template <typename F> static constexpr void fields(F) {}
  bool operator==(const CoalescedLayout &) const = default;
};

/// A box of elements per thread, a box of threads per warp, a box of warps; `order` is fastest
/// first.
struct BlockedLayout {
  static constexpr LayoutKind kind = LayoutKind::Blocked;
  Ints sizePerThread, threadsPerWarp, warpsPerCta, order;
  BasisList cga;

  unsigned rank() const { return order.size(); }
  Owners owners() const;
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  template <typename F> static constexpr void fields(F f) {
    f(Field{"size_per_thread", "sizePerThread"}, &BlockedLayout::sizePerThread);
    f(Field{"threads_per_warp", "threadsPerWarp"}, &BlockedLayout::threadsPerWarp);
    f(Field{"warps_per_cta", "warpsPerCTA"}, &BlockedLayout::warpsPerCta);
    f(Field{"order", "order"}, &BlockedLayout::order);
    f(cgaField, &BlockedLayout::cga);
  }
  bool operator==(const BlockedLayout &) const = default;
};

/// The layout of a tensor that lacks dim `dim` of a tensor in layout `parent`.
struct SliceLayout {
  static constexpr LayoutKind kind = LayoutKind::Slice;
  int64_t dim;
  Layout parent = AutoLayout{};

  /// 0 if the parent has no rank.
  unsigned rank() const { return std::max(parent.rank().value_or(1), 1u) - 1; }
  Owners owners() const;
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  template <typename F> static constexpr void fields(F f) {
    f(Field{"dim", "dim"}, &SliceLayout::dim);
    f(Field{"parent", "parent"}, &SliceLayout::parent);
  }
  bool operator==(const SliceLayout &) const = default;
};

/// Explicit bases.
struct DistributedLinearLayout {
  static constexpr LayoutKind kind = LayoutKind::DistributedLinear;
  BasisList regBases, laneBases, warpBases, blockBases;
  Ints shape;

  unsigned rank() const { return shape.size(); }
  Owners owners() const;
  Problem validate() const;
  /// For its own shape the bases themselves; for another shape cut or wrapped like any tile.
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  /// Whether the nonzero bases are distinct unit vectors (`#ttg.linear`; else
  /// `#ttg.generic_linear`).
  bool isPermutation() const;
  /// Takes the shape from the bases, which is all that IR text has.
  Problem inferFromText();
  template <typename F> static constexpr void fields(F f) {
    f(Field{"reg_bases", "register"}, &DistributedLinearLayout::regBases);
    f(Field{"lane_bases", "lane"}, &DistributedLinearLayout::laneBases);
    f(Field{"warp_bases", "warp"}, &DistributedLinearLayout::warpBases);
    f(Field{"block_bases", "block"}, &DistributedLinearLayout::blockBases);
    f(Field{"shape"}, &DistributedLinearLayout::shape);
  }
  bool operator==(const DistributedLinearLayout &) const = default;
};

/// What `mma.sync` (version 2) and `wgmma` (version 3) leave in registers. Version 2 has the
/// instruction's [M, N], version 3 its [M, N, K] for one warp; a leading 1 stands for a batch dim.
struct NVMMADistributedLayout {
  static constexpr LayoutKind kind = LayoutKind::NVMMADistributed;
  Ints version, warpsPerCta, instrShape;
  BasisList cga;

  bool isWarpGroup() const { return version[0] == 3; }
  int64_t instrM() const { return instrShape[instrShape.size() - (isWarpGroup() ? 3 : 2)]; }
  int64_t instrN() const { return instrShape[instrShape.size() - (isWarpGroup() ? 2 : 1)]; }
  unsigned rank() const { return warpsPerCta.size(); }
  Owners owners() const;
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  static constexpr uint8_t textOrder[] = {0, 1, 3, 2};
  template <typename F> static constexpr void fields(F f) {
    f(Field{"version", "versionMajor|versionMinor"}, &NVMMADistributedLayout::version);
    f(Field{"warps_per_cta", "warpsPerCTA"}, &NVMMADistributedLayout::warpsPerCta);
    f(Field{"instr_shape", "instrShape"}, &NVMMADistributedLayout::instrShape);
    f(cgaField, &NVMMADistributedLayout::cga);
  }
  bool operator==(const NVMMADistributedLayout &) const = default;
};

/// An operand of a matrix product whose result is in layout `parent`: the left one (0) lacks the
/// parent's last dim and has K there, the right one (1) has K in the place of M. `kWidth` elements
/// along K are neighbours in a thread.
struct DotOperandLayout {
  static constexpr LayoutKind kind = LayoutKind::DotOperand;
  int64_t operandIndex;
  Layout parent = AutoLayout{};
  int64_t kWidth;

  unsigned rank() const { return parent.rank().value_or(0); }
  /// The dim that the product sums over.
  unsigned kDim() const { return rank() - (operandIndex == 0 ? 1 : 2); }
  Owners owners() const;
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  template <typename F> static constexpr void fields(F f) {
    f(Field{"operand_index", "opIdx"}, &DotOperandLayout::operandIndex);
    f(Field{"parent", "parent"}, &DotOperandLayout::parent);
    f(Field{"k_width", "kWidth?"}, &DotOperandLayout::kWidth);
  }
  bool operator==(const DotOperandLayout &) const = default;
};

/// What matrix instructions of AMD's CDNA leave in registers, 64 lanes to a warp. `version` 1 to 4
/// stand for gfx908, gfx90a, gfx942 and gfx950.
struct AMDMFMALayout {
  static constexpr LayoutKind kind = LayoutKind::AMDMFMA;
  int64_t version;
  /// [M, N, K]
  Ints instrShape;
  /// Neighbouring registers run along a row instead of a column.
  bool transposed;
  Ints warpsPerCta;
  int64_t elementBitWidth = 32;
  Ints tilesPerWarp;
  BasisList cga;

  /// One tile per warp where nobody says how many.
  void fillDefaults();
  unsigned rank() const { return warpsPerCta.size(); }
  Owners owners() const;
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  static constexpr uint8_t textOrder[] = {0, 3, 1, 2, 6, 5, 4};
  template <typename F> static constexpr void fields(F f) {
    f(Field{"version", "version"}, &AMDMFMALayout::version);
    f(Field{"instr_shape", "instrShape"}, &AMDMFMALayout::instrShape);
    f(Field{"transposed", "isTransposed"}, &AMDMFMALayout::transposed);
    f(Field{"warps_per_cta", "warpsPerCTA"}, &AMDMFMALayout::warpsPerCta);
    f(Field{"element_bitwidth", "elementBitWidth?", "None"}, &AMDMFMALayout::elementBitWidth);
    f(Field{"tiles_per_warp", "tilesPerWarp?", "None"}, &AMDMFMALayout::tilesPerWarp);
    f(cgaField, &AMDMFMALayout::cga);
  }
  bool operator==(const AMDMFMALayout &) const = default;
};

/// What matrix instructions of AMD's RDNA3 and 4 and of gfx1250 (versions 1 to 3) leave in
/// registers, 32 lanes to a warp. Warps and repetitions are bases in units of instructions.
struct AMDWMMALayout {
  static constexpr LayoutKind kind = LayoutKind::AMDWMMA;
  int64_t version;
  bool transposed;
  BasisList warpBases, regBases;
  /// [M, N, K]
  Ints instrShape;
  BasisList cga;
  int64_t numDims = 2;

  /// From a grid of warps and the instructions that each warp repeats, both row-major.
  static AMDWMMALayout forWarps(int64_t version, bool transposed, const Ints &warpsPerCta,
                                Ints instrShape, const Ints &tilesPerWarp, BasisList cga);
  unsigned rank() const { return numDims; }
  Owners owners() const;
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  /// Warps and repetitions of one CTA, in units of instructions.
  LinearLayout instructions() const;
  template <typename F> static constexpr void fields(F f) {
    f(Field{"version"}, &AMDWMMALayout::version);
    f(Field{"transposed"}, &AMDWMMALayout::transposed);
    f(Field{"warp_bases", "", "None"}, &AMDWMMALayout::warpBases);
    f(Field{"reg_bases", "", "None"}, &AMDWMMALayout::regBases);
    f(Field{"instr_shape", "", "None"}, &AMDWMMALayout::instrShape);
    f(cgaField, &AMDWMMALayout::cga);
    f(Field{"rank", "", "None"}, &AMDWMMALayout::numDims);
  }
  bool operator==(const AMDWMMALayout &) const = default;
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
  template <typename F> static constexpr void fields(F f) {
    f(Field{"vec", "vec"}, &SwizzledSharedLayout::vec);
    f(Field{"per_phase", "perPhase"}, &SwizzledSharedLayout::perPhase);
    f(Field{"max_phase", "maxPhase"}, &SwizzledSharedLayout::maxPhase);
    f(Field{"order", "order"}, &SwizzledSharedLayout::order);
    f(cgaField, &SwizzledSharedLayout::cga);
  }
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
  template <typename F> static constexpr void fields(F f) {
    f(Field{"interval_padding_pairs"}, &PaddedSharedLayout::paddings);
    f(Field{"offset_bases"}, &PaddedSharedLayout::offsetBases);
    f(Field{"cga_layout"}, &PaddedSharedLayout::cga);
    f(Field{"shape"}, &PaddedSharedLayout::shape);
  }
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
  /// Whether every element of the tensor has a place.
  Problem checkShape(llvm::ArrayRef<int64_t> tensor) const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  template <typename F> static constexpr void fields(F f) {
    f(Field{"offset_bases"}, &SharedLinearLayout::offsetBases);
    f(Field{"block_bases", "", "None"}, &SharedLinearLayout::blockBases);
    f(Field{"alignment", "", "16"}, &SharedLinearLayout::alignment);
  }
  bool operator==(const SharedLinearLayout &) const = default;
};

/// What tensor cores and the tensor memory accelerator read: tiles of 8 rows of `swizzleByteWidth`
/// bytes, in each of which groups of 16 bytes are XORed by the row. Wider tensors are panels of
/// such tiles, one behind the other.
struct NVMMASharedLayout {
  static constexpr LayoutKind kind = LayoutKind::NVMMAShared;
  int64_t swizzleByteWidth, elementBitWidth;
  int64_t numDims = 2;
  /// Whether dim 0 instead of the last one is contiguous.
  bool transposed = false;
  /// 4-bit elements, two in each byte; 8 bytes of them are followed by 8 unused ones.
  bool fp4Padded = false;
  BasisList cga;

  /// The widest swizzle that suits a block of this shape.
  static NVMMASharedLayout defaultFor(llvm::ArrayRef<int64_t> shape, int64_t elementBits,
                                      bool transposed = false, bool fp4Padded = false,
                                      BasisList cga = {});
  unsigned rank() const { return numDims; }
  Problem validate() const;
  /// The cluster's bases have as many dims as the layout.
  Problem inferFromText();
  /// Whether each CTA's share has room for a tile.
  Problem checkShape(llvm::ArrayRef<int64_t> shape) const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  /// The box that one message of the tensor memory accelerator moves, in elements of memory.
  Ints messageShape(llvm::ArrayRef<int64_t> shape) const;
  /// The swizzle in the terms of SwizzledSharedLayout.
  int64_t vec() const { return swizzleByteWidth ? 128 / elementBitWidth : 1; }
  int64_t perPhase() const { return swizzleByteWidth ? 128 / swizzleByteWidth : 1; }
  int64_t maxPhase() const { return swizzleByteWidth ? swizzleByteWidth / 16 : 1; }
  static constexpr uint8_t textOrder[] = {0, 3, 1, 4, 2, 5};
  template <typename F> static constexpr void fields(F f) {
    f(Field{"swizzle_byte_width", "swizzlingByteWidth"}, &NVMMASharedLayout::swizzleByteWidth);
    f(Field{"element_bitwidth", "elementBitWidth"}, &NVMMASharedLayout::elementBitWidth);
    f(Field{"rank", "rank?", "2"}, &NVMMASharedLayout::numDims);
    f(Field{"transposed", "transposed", "False"}, &NVMMASharedLayout::transposed);
    f(Field{"fp4_padded", "fp4Padded?", "False"}, &NVMMASharedLayout::fp4Padded);
    f(cgaField, &NVMMASharedLayout::cga);
  }
  bool operator==(const NVMMASharedLayout &) const = default;
};

/// A tensor cut into pieces along a dim, each in the layout `partitionLayout`. Piece i belongs to
/// partition i mod numPartitions, and lies behind the pieces that this has already; partitions
/// follow each other. Padding goes through all of it.
struct PartitionedSharedLayout {
  static constexpr LayoutKind kind = LayoutKind::PartitionedShared;
  int64_t numPartitions, numGroups, partitionDim;
  Layout partitionLayout = AutoLayout{};

  unsigned rank() const { return partitionLayout.rank().value_or(0); }
  int64_t pieces() const { return numPartitions * numGroups; }
  Ints pieceShape(llvm::ArrayRef<int64_t> shape) const;
  Problem validate() const;
  /// Whether the shape has so many pieces, and each suits its layout.
  Problem checkShape(llvm::ArrayRef<int64_t> shape) const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  template <typename F> static constexpr void fields(F f) {
    f(Field{"num_partitions", "numPartitions"}, &PartitionedSharedLayout::numPartitions);
    f(Field{"num_groups", "numGroups"}, &PartitionedSharedLayout::numGroups);
    f(Field{"partition_dim", "partitionDim"}, &PartitionedSharedLayout::partitionDim);
    f(Field{"partition_layout", "partitionLayout"}, &PartitionedSharedLayout::partitionLayout);
  }
  bool operator==(const PartitionedSharedLayout &) const = default;
};

/// Tensor memory: 128 rows of 32-bit columns, in which blocks of an accumulator stand side by side.
struct TensorMemoryLayout {
  static constexpr LayoutKind kind = LayoutKind::TensorMemory;
  /// [M, N] of the instruction.
  Ints block;
  /// Elements of memory from one column of the block to the next.
  int64_t colStride;
  BasisList cga;
  bool twoCtas = false, fp4Padded = false;

  unsigned rank() const { return 2; }
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  template <typename F> static constexpr void fields(F f) {
    f(Field{"block", "blockM|blockN"}, &TensorMemoryLayout::block);
    f(Field{"col_stride", "colStride"}, &TensorMemoryLayout::colStride);
    f(cgaField, &TensorMemoryLayout::cga);
    f(Field{"two_ctas", "twoCTAs?", "False"}, &TensorMemoryLayout::twoCtas);
    f(Field{"fp4_padded", "fp4Padded?", "False"}, &TensorMemoryLayout::fp4Padded);
  }
  bool operator==(const TensorMemoryLayout &) const = default;
};

/// Scales of block-scaled products: 32 rows, repeated for each of four warps.
struct TensorMemoryScalesLayout {
  static constexpr LayoutKind kind = LayoutKind::TensorMemoryScales;
  BasisList cga;

  unsigned rank() const { return 2; }
  Problem validate() const;
  LinearLayout toLinear(llvm::ArrayRef<int64_t> shape) const;
  template <typename F> static constexpr void fields(F f) {
    f(cgaField, &TensorMemoryScalesLayout::cga);
  }
  bool operator==(const TensorMemoryScalesLayout &) const = default;
};

/// Calls `f(field, value)` for each field of a named layout.
template <typename T, typename F> void forEachField(T &layout, F f) {
  std::remove_const_t<T>::fields(
      [&](const Field &field, auto member) { f(field, layout.*member); });
}

template <NamedLayout T> Layout::Layout(T value) : Layout(Value(std::move(value))) {}
template <typename T> const T *Layout::as() const { return std::get_if<T>(&value()); }

// -- Questions about a layout in a place ---------------------------------------

/// Whether the layout can hold a tensor of this shape: rank, powers of two, sizes that divide.
Problem checkShape(const Layout &layout, llvm::ArrayRef<int64_t> shape);

/// What a distributed layout is made for; nothing for others. Every layout of registers has to say.
Owners ownersOf(const Layout &layout);

/// Whether a distributed layout fits where it is used, e.g. "the layout has 64 threads per warp,
/// but the target has 32". Shared layouts are asked for CTAs only. Placeholders always fit.
Problem checkFits(const Layout &layout, int64_t numWarps, int64_t warpSize, int64_t numCtas);

/// Each CTA's part of a tensor.
Ints shapePerCta(const Layout &layout, llvm::ArrayRef<int64_t> shape);

/// Shared memory for one buffer of this per-tensor shape, in elements per CTA, padding included.
int64_t sharedElements(const Layout &layout, llvm::ArrayRef<int64_t> shape);
/// In bytes, what the start of a buffer in this layout must be aligned to.
int64_t sharedAlignment(const Layout &layout);

/// The padded layout that says how a shared layout is padded: itself, or that of its pieces; null
/// without padding. Lives as long as any copy of the layout.
const PaddedSharedLayout *paddedPart(const Layout &layout);

/// Tensor dims by how fast they vary along registers (then lanes, warps, blocks), or along the
/// offset of a shared layout; fastest first. Equal layouts give equal orders.
llvm::SmallVector<unsigned, 4> orderOf(const LinearLayout &layout);

/// Tile and cluster to whole tensor; see the essay above. `tile` and `cga` have axes as outputs;
/// registers (or offsets) are the first input dim of `tile`.
LinearLayout combine(const LinearLayout &tile, const LinearLayout &cga,
                     llvm::ArrayRef<int64_t> shape);
/// The layout of CTA ids, in units of each CTA's share.
LinearLayout cgaToLinear(const BasisList &cga, unsigned rank);

/// The smallest shape that holds all components, which is that of a surjective layout. IR text has
/// bases only, so this is the shape that its reader takes.
Ints shapeOfBases(unsigned rank, llvm::ArrayRef<const BasisList *> lists);
/// The same for the length that all vectors have; an error where they differ, or there is none.
Problem inferShape(llvm::ArrayRef<const BasisList *> lists, Ints &shape);

/// Whether n is a power of two (so at least 1).
inline bool isPowerOf2(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

} // namespace gluonc::layout

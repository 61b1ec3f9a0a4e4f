//===- LinearLayout.h - Linear layouts over GF(2) --------------------------===//
//
// Where does element (i, j) of a tile live?  In every layout that hardware
// likes, each bit of the answer is the XOR of some bits of the question.  So a
// layout is a matrix over the two-element field, and questions about layouts
// (are these two equal, may this access be vectorized, which bytes conflict,
// what is the cheapest conversion) are linear algebra on a few dozen bits.
//
// A LinearLayout maps an index tuple of named input dims to an index tuple of
// named output dims.  Every dim has a power-of-two size.  It is given by its
// bases: the image of each single input bit.  The image of any other index is
// the XOR of the images of its set bits.
//
//   example  register: 1 | lane: 2, 4 | out: axis0 of size 8
//            (register 1, lane 3)  ->  1 ^ 2 ^ 4 = 7
//
// Kinds of layouts, all of them this one class:
//   distributed   register, lane, warp, block  -> axis0, axis1, ...
//   shared        offset, block                -> axis0, axis1, ...
//   tensor memory row, col, block              -> axis0, axis1, ...
//   conversion    register, lane, warp         -> register, lane, warp
//
// Words.  A layout is *surjective* when every output index has a preimage,
// *injective* when none has two (two owners of one element = broadcasting; a
// zero basis is its simplest form), *invertible* when both.
//
// Order.  Input and output dims are ordered.  The first is the least
// significant wherever dims are flattened to one number ("packed"): a packed
// index holds the first dim in its lowest bits.  Equality respects the order.
//
// Cost.  Bases are stored packed, one uint64_t per input bit, so composing or
// applying is a handful of XORs and nothing allocates for usual sizes.  Inputs
// and outputs are therefore limited to 62 bits each (maxBits).
//
// Values are immutable.  What comes from users goes through `create`, which
// says why it refuses; the algebra below takes well-formed operands and treats
// a violated precondition as our own bug (GL_CHECK).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace gluonc::layout {

/// Names one input or output dimension. Cheap to copy and compare; never a plain integer.
class Dim {
public:
  static const Dim Register, Lane, Warp, Block, Offset, Row, Col, Partition, Repetition;
  /// Dimension `i` of a tensor ("dim0", "dim1", ...).
  static constexpr Dim axis(unsigned i) { return Dim(firstAxis + i); }

  constexpr bool isAxis() const { return id >= firstAxis; }
  /// The tensor dimension that this names. Only for axes.
  constexpr unsigned axisIndex() const { return id - firstAxis; }
  constexpr uint32_t raw() const { return id; }
  std::string name() const;

  constexpr bool operator==(const Dim &) const = default;
  constexpr auto operator<=>(const Dim &) const = default;

private:
  explicit constexpr Dim(uint32_t id) : id(id) {}
  static constexpr uint32_t firstAxis = 16;
  /// Not a byte: clang 19.1.7 loses the field after the padding of a DimSize that is passed by
  /// value.
  uint32_t id;
};

inline constexpr Dim Dim::Register{0}, Dim::Lane{1}, Dim::Warp{2}, Dim::Block{3}, Dim::Offset{4},
    Dim::Row{5}, Dim::Col{6}, Dim::Partition{7}, Dim::Repetition{8};

inline llvm::hash_code hash_value(Dim dim) { return llvm::hash_value(dim.raw()); }

/// A dimension of size 2^log2.
struct DimSize {
  Dim dim;
  unsigned log2;
  int64_t size() const { return int64_t{1} << log2; }
  bool operator==(const DimSize &) const = default;
};

/// One coordinate of an index tuple.
struct Coord {
  Dim dim;
  uint32_t value;
  bool operator==(const Coord &) const = default;
};

class LinearLayout {
public:
  static constexpr unsigned maxBits = 62;

  /// The bases of one input dim; each is a vector over the output dims, in their order.
  struct InBases {
    Dim dim;
    llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 8> bases;
  };

  /// The layout without dims; the unit of `*`.
  LinearLayout() = default;

  // -- Construction ----------------------------------------------------------

  /// Builds a layout from untrusted bases. Nullopt, with the reason in `why`, if a dim occurs
  /// twice, a basis has the wrong number of components, a component leaves its output dim, or more
  /// than maxBits bits are needed.
  static std::optional<LinearLayout>
  create(llvm::ArrayRef<InBases> ins, llvm::ArrayRef<DimSize> outs, std::string *why = nullptr);

  /// As `create`, for bases that are already packed: `bases` holds those of all of `ins` in order.
  static LinearLayout fromPacked(llvm::ArrayRef<DimSize> ins, llvm::ArrayRef<DimSize> outs,
                                 llvm::ArrayRef<uint64_t> bases);

  /// x -> x, from `in` to `out`, both of size 2^log2.
  static LinearLayout identity1D(unsigned log2, Dim in, Dim out);
  /// x -> 0, from `in` of size 2^log2In to `out` of size 2^log2Out.
  static LinearLayout zeros1D(unsigned log2In, Dim in, Dim out, unsigned log2Out = 0);
  /// The product of identity1D(log2Shape[d], in, axis(d)) for d in `order` (fastest first).
  static LinearLayout identityND(Dim in, llvm::ArrayRef<unsigned> log2Shape,
                                 llvm::ArrayRef<unsigned> order);

  // -- Shape -----------------------------------------------------------------

  llvm::ArrayRef<DimSize> inDims() const { return ins; }
  llvm::ArrayRef<DimSize> outDims() const { return outs; }
  bool hasIn(Dim dim) const;
  bool hasOut(Dim dim) const;
  /// Zero / one for a dim that the layout does not have.
  unsigned inLog2(Dim dim) const;
  unsigned outLog2(Dim dim) const;
  int64_t inSize(Dim dim) const { return int64_t{1} << inLog2(dim); }
  int64_t outSize(Dim dim) const { return int64_t{1} << outLog2(dim); }
  unsigned totalInLog2() const { return bases.size(); }
  unsigned totalOutLog2() const;
  /// Position of the lowest bit of `dim` within a packed index.
  unsigned inShift(Dim dim) const;
  unsigned outShift(Dim dim) const;

  // -- Bases -----------------------------------------------------------------

  /// The image of bit `pos` of input `in`, one value per output dim.
  llvm::SmallVector<uint32_t, 4> basis(Dim in, unsigned pos) const;
  /// One component of it; 0 for an output dim that the layout lacks.
  uint32_t basis(Dim in, unsigned pos, Dim out) const;
  uint64_t packedBasis(Dim in, unsigned pos) const;
  /// Packed images of the bits of `in`, lowest first.
  llvm::ArrayRef<uint64_t> packedBases(Dim in) const;
  /// Packed images of all input bits, first dim first.
  llvm::ArrayRef<uint64_t> packedBases() const { return bases; }

  // -- Application -----------------------------------------------------------

  /// The image of an index. Input dims that are not mentioned are 0; mentioned dims that the layout
  /// lacks are ignored. One result per output dim, in order.
  llvm::SmallVector<Coord, 4> apply(llvm::ArrayRef<Coord> index) const;
  /// The image of a packed index, packed. The fast path: one XOR per set bit.
  uint64_t applyPacked(uint64_t index) const;
  uint64_t packIn(llvm::ArrayRef<Coord> index) const;
  uint64_t packOut(llvm::ArrayRef<Coord> index) const;
  /// Component `dim` of a packed output (input) index; 0 if the layout lacks the dim.
  uint32_t outComponent(uint64_t packed, Dim dim) const;
  uint32_t inComponent(uint64_t packed, Dim dim) const;

  // -- Algebra ---------------------------------------------------------------

  /// The product: bases of `outer` come after ours within each input dim, and their values are
  /// scaled by our size of each output dim. Output dims: ours, then new ones of `outer`.
  [[nodiscard]] LinearLayout operator*(const LinearLayout &outer) const;
  LinearLayout &operator*=(const LinearLayout &outer) { return *this = *this * outer; }

  /// x -> outer(this(x)). `outer` must have our output dims as inputs (any order), not smaller.
  [[nodiscard]] LinearLayout compose(const LinearLayout &outer) const;

  /// Nullopt unless bijective. Law: l.compose(*l.invert()) is the identity.
  [[nodiscard]] std::optional<LinearLayout> invert() const;

  /// The right inverse that picks the least packed preimage; nullopt unless surjective. "Least"
  /// means that of several owners the one in the lowest block, then warp, then lane, then register
  /// is taken. Law: r = *l.pseudoInvert(): r.compose(l) is the identity.
  [[nodiscard]] std::optional<LinearLayout> pseudoInvert() const;

  /// The map x -> y with outer(y) = this(x), least y. Nullopt if `outer` does not reach some
  /// this(x). Both must have the same output dims (any order) of the same sizes.
  [[nodiscard]] std::optional<LinearLayout> invertAndCompose(const LinearLayout &outer) const;

  // -- Restriction and reshaping --------------------------------------------

  /// Only these input dims (others fixed at 0) and output dims (others dropped), in this order.
  [[nodiscard]] LinearLayout sublayout(llvm::ArrayRef<Dim> inDims,
                                       llvm::ArrayRef<Dim> outDims) const;
  /// Whether these input dims never move these output dims.
  bool sublayoutIsZero(llvm::ArrayRef<Dim> inDims, llvm::ArrayRef<Dim> outDims) const;
  /// Reinterprets the packed output index as other dims with the same number of bits.
  [[nodiscard]] LinearLayout reshapeOuts(llvm::ArrayRef<DimSize> newOuts) const;
  [[nodiscard]] LinearLayout flattenOuts(Dim to) const {
    return reshapeOuts({{to, totalOutLog2()}});
  }
  /// Reorders dims; the argument is a permutation of the dims. Changes what is fastest.
  [[nodiscard]] LinearLayout transposeIns(llvm::ArrayRef<Dim> order) const;
  [[nodiscard]] LinearLayout transposeOuts(llvm::ArrayRef<Dim> order) const;
  [[nodiscard]] LinearLayout renameIn(Dim from, Dim to) const;
  /// Declares an output dim to have 2^log2 values; components that no longer fit become 0.
  [[nodiscard]] LinearLayout resizeOut(Dim dim, unsigned log2) const;
  /// Replaces the bases of one input dim (packed); the dim is appended if we lack it.
  [[nodiscard]] LinearLayout withBases(Dim in, llvm::ArrayRef<uint64_t> packed) const;

  /// Grows to at least `sizes` (log2): for each output dim in our order, what is missing is
  /// appended as an identity to our first input dim. Dims of `sizes` that we lack are added.
  [[nodiscard]] LinearLayout notSmaller(llvm::ArrayRef<DimSize> sizes) const;
  /// Shrinks to at most `sizes`: components at or beyond a size become 0, i.e. broadcast.
  [[nodiscard]] LinearLayout notLarger(llvm::ArrayRef<DimSize> sizes) const;

  /// Drops the zero bases of `in`, closing the gaps.
  [[nodiscard]] LinearLayout removeZeroBases(Dim in) const;

  // -- Questions -------------------------------------------------------------

  bool isSurjective() const;
  bool isInjective() const;
  bool isInvertible() const;
  unsigned rank() const;
  /// Whether `dims` are inputs and outputs, and each maps to itself alone and nothing else moves
  /// it.
  bool isTrivialOver(llvm::ArrayRef<Dim> dims) const;
  /// Input bits that the result does not need: bits whose image is in the span of lower ones.
  /// Elements are owned redundantly exactly along these; an owner has them 0.
  uint64_t freeVariables() const;
  /// The same, as a mask within dim `in`.
  uint32_t freeVariableMask(Dim in) const;

  bool operator==(const LinearLayout &) const = default;
  /// `register: [1, 0] [2, 0]; lane: ... -> dim0 16, dim1 4`
  std::string toString() const;

private:
  using Dims = llvm::SmallVector<DimSize, 4>;
  using Packed = llvm::SmallVector<uint64_t, 14>;

  LinearLayout(Dims ins, Dims outs, Packed bases)
      : ins(std::move(ins)), outs(std::move(outs)), bases(std::move(bases)) {}

  Dims ins;
  Dims outs;
  /// One packed output per input bit, the bits of the first input dim first.
  Packed bases;
};

} // namespace gluonc::layout

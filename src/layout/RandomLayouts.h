//===- RandomLayouts.h - Layouts for property tests ------------------------===//
//
// For tests only. The generator is std::mt19937_64 with plain modulo, so that a
// seed gives the same layouts with every standard library.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/linear/Gf2.h"
#include "layout/named/Layouts.h"

#include <random>

namespace gluonc::layout {

class RandomLayouts {
public:
  explicit RandomLayouts(uint64_t seed) : engine(seed) {}

  uint64_t below(uint64_t n) { return engine() % n; }
  uint64_t bits(unsigned count) { return engine() & ((uint64_t{1} << count) - 1); }

  /// Any matrix from `ins` to `outs`.
  LinearLayout any(llvm::ArrayRef<DimSize> ins, llvm::ArrayRef<DimSize> outs) {
    unsigned inBits = total(ins), outBits = total(outs);
    llvm::SmallVector<uint64_t, 16> bases;
    for (unsigned i = 0; i < inBits; ++i)
      bases.push_back(bits(outBits));
    return LinearLayout::fromPacked(ins, outs, bases);
  }

  /// A matrix of full rank: surjective, and invertible if the sizes agree.
  LinearLayout surjective(llvm::ArrayRef<DimSize> ins, llvm::ArrayRef<DimSize> outs) {
    for (;;) {
      LinearLayout layout = any(ins, outs);
      if (layout.isSurjective())
        return layout;
    }
  }

  /// 2^log2 dealt to `rank` factors.
  Ints factors(unsigned log2, unsigned rank) {
    Ints result(rank, 1);
    for (unsigned i = 0; i < log2; ++i)
      result[below(rank)] *= 2;
    return result;
  }

  Ints permutation(unsigned rank) {
    Ints result;
    for (unsigned i = 0; i < rank; ++i)
      result.insert(result.begin() + below(i + 1), i);
    return result;
  }

  BlockedLayout blocked(unsigned rank, unsigned laneLog2 = 5, unsigned warpLog2 = 2) {
    return {factors(below(5), rank),
            factors(laneLog2, rank),
            factors(warpLog2, rank),
            permutation(rank),
            {}};
  }

  /// The result of a matrix product of a batch (rank 3) or of one.
  NVMMADistributedLayout mma(unsigned rank, unsigned warpLog2 = 2) {
    Ints warps = factors(warpLog2, rank);
    if (below(2))
      return {{3, 0}, warps, {16, int64_t{8} << below(5), 16}, {}};
    return {{2, 0}, warps, rank == 3 ? Ints{1, 16, 8} : Ints{16, 8}, {}};
  }

  DotOperandLayout dotOperand(unsigned rank) {
    if (below(3) == 0)
      return {static_cast<int64_t>(below(2)), blocked(rank), 0};
    NVMMADistributedLayout parent = mma(rank);
    return {parent.isWarpGroup() ? 0 : static_cast<int64_t>(below(2)), parent,
            int64_t{1} << below(4)};
  }

  /// Any layout that matrix products use, or a blocked one. Rank 2 or 3; 32 lanes and 4 warps.
  Layout matrix(unsigned rank) {
    switch (below(3)) {
    case 0:
      return blocked(rank);
    case 1:
      return mma(rank);
    default:
      return dotOperand(rank);
    }
  }

  /// Cluster layouts with copies: each basis is zeros or the next part of some dim.
  BasisList cga(unsigned rank) {
    BasisList bases;
    Ints split(rank, 1);
    for (unsigned i = below(4); i-- > 0;) {
      Ints basis(rank, 0);
      if (uint64_t dim = below(rank + 1); dim != rank) {
        basis[dim] = split[dim];
        split[dim] *= 2;
      }
      bases.push_back(basis);
    }
    return bases;
  }

  /// Explicit bases for `shape`, zeros and XORs among them.
  SharedLinearLayout sharedLinear(llvm::ArrayRef<int64_t> shape) {
    SharedLinearLayout result{{}, {}, 16};
    unsigned top = below(shape.size());
    for (unsigned dim = 0; dim != shape.size(); ++dim)
      for (int64_t bit = 1; bit < shape[dim]; bit *= 2) {
        Ints basis(shape.size(), 0);
        basis[dim] = bit;
        // What lies above is mixed in: still independent.
        basis[top] |= dim == top ? 0 : below(2) * (shape[top] / 2);
        bool inBlocks = result.blockBases.size() < 3 && below(4) == 0;
        (inBlocks ? result.blockBases : result.offsetBases).push_back(basis);
      }
    for (BasisList *bases : {&result.offsetBases, &result.blockBases})
      if (below(2))
        bases->insert(bases->begin() + below(bases->size() + 1), Ints(shape.size(), 0));
    return result;
  }

  /// A layout in shared memory; not each can hold `shape`.
  Layout shared(llvm::ArrayRef<int64_t> shape, BasisList cga = {}) {
    unsigned rank = shape.size();
    auto power = [&](unsigned most) { return int64_t{1} << below(most + 1); };
    switch (below(4)) {
    case 0:
      return SwizzledSharedLayout{power(3), power(2), power(3), permutation(rank), std::move(cga)};
    case 1:
      return NVMMASharedLayout{32 * power(2), 8 * power(2), rank,
                               below(2) == 0, false,        std::move(cga)};
    case 2:
      return PaddedSharedLayout::identityFor({{64, 4}}, shape, permutation(rank), std::move(cga));
    default:
      return sharedLinear(shape);
    }
  }

  Ints shape(unsigned rank, unsigned minLog2, unsigned maxLog2) {
    return factors(minLog2 + below(maxLog2 - minLog2 + 1), rank);
  }

private:
  static unsigned total(llvm::ArrayRef<DimSize> dims) {
    unsigned bits = 0;
    for (const DimSize &size : dims)
      bits += size.log2;
    return bits;
  }
  std::mt19937_64 engine;
};

} // namespace gluonc::layout

//===- AmdOperands.h - Layouts that go with operands of AMD's products ---------===//
//
// What kernels ask at compile time: in which layout the scales of an operand lie,
// and how a tile is best laid out in LDS. Arguments come from users: problems are
// answers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"

#include <array>
#include <variant>

namespace gluonc::layout {

/// A layout, or what is wrong with the question.
using LayoutOrProblem = std::variant<Layout, std::string>;

/// Of the scales [M or N, K / 32] of an operand of scaled MFMA.
LayoutOrProblem mfmaScaleLayout(const Layout &operand, llvm::ArrayRef<int64_t> shape,
                                int64_t block);
/// The same for WMMA, for blocks of 16 or 32 elements.
LayoutOrProblem wmmaScaleLayout(const Layout &operand, llvm::ArrayRef<int64_t> shape,
                                int64_t block);

/// A padded layout in LDS from which an operand of MFMA on gfx950 is read without conflicts of
/// banks, and which copies past the registers can write. Nullopt where none is known.
std::optional<PaddedSharedLayout> mfmaPaddedLayout(const DotOperandLayout &operand,
                                                   llvm::ArrayRef<int64_t> shape,
                                                   int64_t elementBits, bool alongK);

/// A product by WMMA on gfx1250 whose operands lie in two partitions of LDS.
struct PartitionedDot {
  /// [M, N] of the buffers, and of what one product multiplies.
  std::array<int64_t, 2> block, slice;
  /// How the operands would be padded without partitions.
  std::array<PaddedSharedLayout, 2> operands;
  std::array<bool, 2> operandIsTransposed;
  int64_t warps;
  /// [M, N, K]
  Ints instrShape;
  /// Of the result's layout.
  bool transposed;
};
/// The layouts of both operands' buffers and of the result, so that warps that run together read
/// different partitions.
Problem makePartitionedDot(const PartitionedDot &dot, llvm::SmallVectorImpl<Layout> &made);

/// Where the scales of a tensor lie, one for `block` neighbours along `axis`, so that threads have
/// those of their elements.
DistributedLinearLayout scalesOf(const LinearLayout &elements, unsigned axis, int64_t block);

/// Whether each thread that has elements of `part` by its layout holds them as elements of `whole`,
/// `offsets` away.
bool holdsPart(const LinearLayout &whole, const LinearLayout &part,
               llvm::ArrayRef<int64_t> offsets);
/// Whether each thread holds the scales of its elements: the scale of an element lies where its
/// coordinate along `axis` divided by `block` says.
bool holdsScales(const LinearLayout &elements, const LinearLayout &scales, unsigned axis,
                 int64_t block);

} // namespace gluonc::layout

// Products by WMMA on gfx1250 whose operands lie in two partitions of LDS.
//
// Waves 0 and 1, and 2 and 3, run side by side. Their tiles are chosen so that they lie in
// different pieces of both operands: of M in pieces of an eighth of a slice, which go to the
// partitions by halves of the slice, of N in halves.
//
//   M / 8 of the slice   0: w0 w1   of N two halves; the second half of M is for other
//                        1: w2 w3   registers of 4 warps, or for 4 more warps
//
#include "layout/named/AmdOperands.h"
#include "layout/named/Parts.h"

namespace gluonc::layout {

constexpr int64_t partitions = 2;
/// Instructions of a slice that there must be along M and N, so that each of four and of two parts
/// has one.
constexpr std::array<int64_t, 2> leastTiles = {4, 2};
constexpr const char *dimNames[] = {"M", "N"};

/// Instructions of a slice along M (0) or N (1).
static Problem countTiles(const PartitionedDot &dot, unsigned dim, int64_t &tiles) {
  // A transposed result has N in place of M.
  int64_t instr = dot.instrShape[dot.transposed ? 1 - dim : dim];
  int64_t block = dot.block[dim], slice = dot.slice[dim];
  if (Problem problem = checkPowers("instr_shape, blocks and slices", {instr, block, slice}))
    return problem;
  if (slice > block || slice < leastTiles[dim] * instr)
    return std::string("a slice along ") + dimNames[dim] + " has " +
           std::to_string(leastTiles[dim] * instr) + " to " + std::to_string(block) +
           " elements, not " + std::to_string(slice);
  tiles = slice / instr;
  return std::nullopt;
}

static Problem cutOperand(const PartitionedDot &dot, unsigned side,
                          llvm::SmallVectorImpl<Layout> &made) {
  const PaddedSharedLayout &given = dot.operands[side];
  // Where M of the left and N of the right operand is; the last dim is contiguous.
  const int64_t dim =
      side == 0 ? (dot.operandIsTransposed[0] ? 1 : 0) : (dot.operandIsTransposed[1] ? 0 : 1);
  const int64_t groups = dot.block[side] / dot.slice[side];
  if (given.rank() != 2)
    return std::string("operands have two dimensions");
  if (given.shape[dim] < partitions * groups)
    return "the shape " + listText(given.shape) + " cannot be cut into " +
           std::to_string(partitions * groups) + " pieces";
  Ints piece = given.shape;
  piece[dim] /= partitions * groups;
  PartitionedSharedLayout cut{
      partitions, groups, dim,
      PaddedSharedLayout::identityFor(given.paddings, piece, {1, 0}, given.cga)};
  if (Problem problem = cut.validate())
    return problem;
  made.push_back(cut);
  return std::nullopt;
}

Problem makePartitionedDot(const PartitionedDot &dot, llvm::SmallVectorImpl<Layout> &made) {
  if (dot.warps != 4 && dot.warps != 8)
    return "there are 4 or 8 warps, not " + std::to_string(dot.warps);
  if (dot.instrShape.size() != 3)
    return std::string("instr_shape is [M, N, K]");
  int64_t m = 0, n = 0;
  for (auto [dim, tiles] : {std::pair(0, &m), std::pair(1, &n)})
    if (Problem problem = countTiles(dot, dim, *tiles))
      return problem;
  for (unsigned side : {0, 1})
    if (Problem problem = cutOperand(dot, side, made))
      return problem;
  const int64_t quarter = m / leastTiles[0], half = n / leastTiles[1];
  AMDWMMALayout result{3, dot.transposed, {{m / 2, half}, {quarter, 0}}, {}, dot.instrShape, {}};
  for (int64_t step = 1; step < half; step *= 2)
    result.regBases.push_back({0, step});
  for (int64_t step = 1; step < quarter; step *= 2)
    result.regBases.push_back({step, 0});
  (dot.warps == 8 ? result.warpBases : result.regBases).push_back({2 * quarter, 0});
  if (Problem problem = result.validate())
    return problem;
  made.push_back(result);
  return std::nullopt;
}

} // namespace gluonc::layout

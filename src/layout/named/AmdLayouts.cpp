//===- AmdLayouts.cpp - Fragments of AMD's matrix instructions ---------------===//
//
// MFMA: lanes stand side by side along the columns (rows if transposed), each
// with four neighbours of the other dim; what is left of the instruction is in
// further registers.  WMMA: 16 lanes along one dim, the two halves of a warp and
// the registers along the other, interleaved in one of two ways.
//
//===----------------------------------------------------------------------===//
#include "layout/named/Parts.h"

#include "support/Error.h"
#include "target/amd/MatrixInstructions.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::layout {

using target::amd::mfmaLanes;

namespace {

LinearLayout spread(int64_t size, Dim in, Dim out) {
  return LinearLayout::identity1D(size > 1 ? llvm::Log2_64(size) : 0, in, out);
}

/// Adds missing dims, so that tiles repeat in the order `fastestFirst`.
LinearLayout inOrder(LinearLayout tile, const Order &fastestFirst) {
  llvm::SmallVector<Dim, 4> dims;
  for (unsigned d : fastestFirst) {
    tile *= spread(1, Dim::Register, Dim::axis(d));
    dims.push_back(Dim::axis(d));
  }
  return tile.transposeOuts(dims);
}

} // namespace

// -- AMDMFMALayout --------------------------------------------------------------------

Owners AMDMFMALayout::owners() const { return {mfmaLanes, product(warpsPerCta)}; }

void AMDMFMALayout::fillDefaults() {
  if (tilesPerWarp.empty())
    tilesPerWarp.assign(warpsPerCta.size(), 1);
}

Problem AMDMFMALayout::validate() const {
  if (version < 1 || version > 4)
    return "the version of an MFMA layout must be from 1 to 4, but is " + std::to_string(version);
  if (rank() != 2 && rank() != 3)
    return "warps_per_cta of an MFMA layout must have two or three dimensions, but is " +
           listText(warpsPerCta);
  if (instrShape.size() != 3)
    return "instr_shape of an MFMA layout must be [M, N, K], but is " + listText(instrShape);
  static constexpr std::pair<int64_t, int64_t> shapes[] = {{32, 32}, {16, 16}, {64, 4}, {4, 64}};
  if (!llvm::is_contained(shapes, std::pair(instrShape[0], instrShape[1])))
    return "an MFMA instruction has 32 x 32, 16 x 16, 64 x 4 or 4 x 64 results, not " +
           std::to_string(instrShape[0]) + " x " + std::to_string(instrShape[1]);
  if (instrShape[0] == 64 && !transposed)
    return "an MFMA layout of 64 x 4 results must be transposed";
  if (elementBitWidth != 32 && elementBitWidth != 64)
    return "element_bitwidth of an MFMA layout must be 32 or 64, but is " +
           std::to_string(elementBitWidth);
  if (tilesPerWarp.size() != rank())
    return "tiles_per_warp must have as many dimensions as warps_per_cta, but is " +
           listText(tilesPerWarp);
  for (auto [what, values] :
       {std::pair("the sizes of instr_shape", &instrShape),
        std::pair("warps_per_cta", &warpsPerCta), std::pair("tiles_per_warp", &tilesPerWarp)})
    if (Problem problem = checkPowers(what, *values))
      return problem;
  if (log2Product(warpsPerCta) > 10 || log2Product(tilesPerWarp) > 10)
    return "the MFMA layout is too large";
  return checkCga(cga, rank());
}

LinearLayout AMDMFMALayout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  GL_CHECK(shape.size() == rank());
  unsigned m = rank() - 2, n = rank() - 1;
  int64_t neighbours = elementBitWidth == 64 ? 1 : 4;
  Dim run = Dim::axis(transposed ? n : m), across = Dim::axis(transposed ? m : n);
  int64_t lanes = transposed ? instrShape[0] : instrShape[1];
  LinearLayout tile =
      spread(neighbours, Dim::Register, run) * spread(lanes, Dim::Lane, across) *
      spread(mfmaLanes / lanes, Dim::Lane, run) *
      spread(instrShape[0] * instrShape[1] / (mfmaLanes * neighbours), Dim::Register, run);
  tile = inOrder(std::move(tile), matrixOrder(rank(), false));
  auto repeat = [&](unsigned d) {
    tile *= spread(tilesPerWarp[d], Dim::Register, Dim::axis(d));
    tile *= spread(warpsPerCta[d], Dim::Warp, Dim::axis(d));
  };
  repeat(n);
  // Columns first: a row of the tensor is finished before the next one begins.
  tile *= spread(shape[n] / (instrShape[1] * warpsPerCta[n] * tilesPerWarp[n]), Dim::Register,
                 Dim::axis(n));
  repeat(m);
  if (rank() == 3)
    tile *= spread(warpsPerCta[0], Dim::Warp, Dim::axis(0));
  return combine(tile, cgaToLinear(cga, rank()), shape);
}

LinearLayout operandToLinear(const DotOperandLayout &operand, const AMDMFMALayout &parent,
                             llvm::ArrayRef<int64_t> shape) {
  unsigned rank = operand.rank(), k = operand.kDim();
  bool isLeft = operand.operandIndex == 0;
  unsigned other = isLeft ? rank - 2 : rank - 1;
  int64_t m = parent.instrShape[0], n = parent.instrShape[1], lanes = isLeft ? m : n;
  LinearLayout tile = spread(operand.kWidth, Dim::Register, Dim::axis(k)) *
                      spread(lanes, Dim::Lane, Dim::axis(other)) *
                      spread(mfmaLanes / lanes, Dim::Lane, Dim::axis(k));
  int64_t depth = mfmaLanes / lanes * operand.kWidth;
  // 64 lanes leave no room for K in one register: 16 of them make up for it.
  if (lanes == 64) {
    tile *= spread(16, Dim::Register, Dim::axis(k));
    depth *= 16;
  }
  tile *= spread(shape[k] / depth, Dim::Register, Dim::axis(k));
  tile *= spread(parent.tilesPerWarp[other], Dim::Register, Dim::axis(other));
  tile = inOrder(std::move(tile), matrixOrder(rank, !isLeft));
  Order rowMajor = matrixOrder(rank, false);
  for (unsigned d : rowMajor)
    tile *= spread(parent.warpsPerCta[d], Dim::Warp, Dim::axis(d));
  return combine(tile, cgaToLinear(Layout(operand).cga(), rank), shape);
}

// -- AMDWMMALayout --------------------------------------------------------------------

AMDWMMALayout AMDWMMALayout::forWarps(int64_t version, bool transposed, const Ints &warpsPerCta,
                                      Ints instrShape, const Ints &tilesPerWarp, BasisList cga) {
  AMDWMMALayout result{version,
                       transposed,
                       {},
                       {},
                       instrShape,
                       std::move(cga),
                       static_cast<int64_t>(warpsPerCta.size())};
  for (unsigned d = warpsPerCta.size(); d-- > 0;) {
    int64_t tiles = d < tilesPerWarp.size() ? tilesPerWarp[d] : 1;
    auto add = [&](BasisList &bases, int64_t first, int64_t count) {
      // Asked before validation, too.
      for (int64_t value = 1; value < std::min<int64_t>(count, 1024); value *= 2) {
        bases.emplace_back(warpsPerCta.size(), 0);
        bases.back()[d] = value * first;
      }
    };
    add(result.regBases, 1, tiles);
    add(result.warpBases, tiles, warpsPerCta[d]);
  }
  return result;
}

Owners AMDWMMALayout::owners() const {
  return {target::amd::wmmaLanes, int64_t{1} << warpBases.size()};
}

Problem AMDWMMALayout::validate() const {
  if (version < 1 || version > 3)
    return "the version of a WMMA layout must be from 1 to 3, but is " + std::to_string(version);
  if (numDims != 2 && numDims != 3)
    return "a WMMA layout must have two or three dimensions, but has " + std::to_string(numDims);
  if (Problem problem = checkBases("warp_bases", warpBases, rank()))
    return problem;
  if (Problem problem = checkBases("reg_bases", regBases, rank()))
    return problem;
  if (warpBases.size() > 10 || regBases.size() > 10)
    return "the WMMA layout is too large";
  bool isWide = version == 3 && instrShape.size() == 3 && instrShape[0] == 32;
  if (instrShape.size() != 3 || (instrShape[0] != 16 && !isWide) || instrShape[1] != 16)
    return "instr_shape of a WMMA layout must be [16, 16, K], or [32, 16, K] for version 3, but "
           "is " +
           listText(instrShape);
  if (Problem problem = checkPowers("the sizes of instr_shape", instrShape))
    return problem;
  LinearLayout grid = instructions();
  if (!grid.isSurjective() || grid.totalOutLog2() > 12)
    return "warp_bases and reg_bases leave out some instructions of the grid that they span";
  return checkCga(cga, rank());
}

LinearLayout AMDWMMALayout::instructions() const {
  Ints counts(rank(), 1);
  for (const BasisList *bases : {&regBases, &warpBases})
    for (const Ints &basis : *bases)
      for (auto [count, component] : llvm::zip(counts, basis))
        count = std::max<int64_t>(count, llvm::PowerOf2Ceil(component + 1));
  return fromBases({{Dim::Register, &regBases}, {Dim::Warp, &warpBases}}, counts);
}

LinearLayout AMDWMMALayout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  GL_CHECK(shape.size() == rank());
  unsigned m = rank() - 2, n = rank() - 1;
  // 16 lanes along `inner`; registers and the upper half of the lanes along `outer`.
  Dim inner = Dim::axis(transposed ? m : n), outer = Dim::axis(transposed ? n : m);
  LinearLayout tile = spread(16, Dim::Lane, inner);
  if (version == 1) {
    tile *= spread(2, Dim::Lane, outer);
    tile *= spread(8, Dim::Register, outer);
  } else {
    tile *= spread(8, Dim::Register, outer);
    tile *= spread(2, Dim::Lane, outer);
    tile *= spread(instrShape[0] / 16, Dim::Register, outer);
  }
  static constexpr Dim registersFirst[] = {Dim::Register, Dim::Lane};
  tile = inOrder(tile.transposeIns(registersFirst), matrixOrder(rank(), false));
  llvm::SmallVector<Dim, 4> order;
  for (unsigned d : matrixOrder(rank(), false))
    order.push_back(Dim::axis(d));
  return combine(tile * instructions().transposeOuts(order), cgaToLinear(cga, rank()), shape);
}

Problem checkOperand(const DotOperandLayout &operand, const AMDWMMALayout &parent) {
  static constexpr int64_t first[] = {8, 16}, second[] = {4, 8, 16};
  if ((parent.version == 1 && !llvm::is_contained(first, operand.kWidth)) ||
      (parent.version == 2 && !llvm::is_contained(second, operand.kWidth)))
    return "k_width must be " + std::string(parent.version == 1 ? "8 or 16" : "4, 8 or 16") +
           " for a WMMA layout of version " + std::to_string(parent.version) + ", but is " +
           std::to_string(operand.kWidth);
  return std::nullopt;
}

LinearLayout operandToLinear(const DotOperandLayout &operand, const AMDWMMALayout &parent,
                             llvm::ArrayRef<int64_t> shape) {
  unsigned rank = operand.rank(), k = operand.kDim();
  bool isLeft = operand.operandIndex == 0;
  unsigned other = isLeft ? rank - 2 : rank - 1;
  const Ints &instr = parent.instrShape;
  // An instruction that is not square computes its transpose from exchanged operands.
  bool isExchanged = parent.transposed && instr[0] != instr[1];
  int64_t size = instr[isLeft != isExchanged ? 0 : 1];
  LinearLayout tile =
      spread(operand.kWidth, Dim::Register, Dim::axis(k)) * spread(16, Dim::Lane, Dim::axis(other));
  // The two halves of a warp hold the same in version 1.
  tile *= parent.version == 1 ? LinearLayout::zeros1D(1, Dim::Lane, Dim::axis(k))
                              : spread(2, Dim::Lane, Dim::axis(k));
  tile *= spread(instr[2] / (2 * operand.kWidth), Dim::Register, Dim::axis(k));
  tile *= spread(size / 16, Dim::Register, Dim::axis(other));
  tile = inOrder(std::move(tile), matrixOrder(rank, !isLeft));
  LinearLayout grid =
      parent.instructions().resizeOut(Dim::axis(k), 0).removeZeroBases(Dim::Register);
  llvm::SmallVector<Dim, 4> order;
  for (unsigned d : matrixOrder(rank, !isLeft))
    order.push_back(Dim::axis(d));
  return combine(tile * grid.transposeOuts(order), cgaToLinear(Layout(operand).cga(), rank), shape);
}

} // namespace gluonc::layout

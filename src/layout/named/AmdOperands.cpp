#include "layout/named/AmdOperands.h"

#include "layout/named/Inference.h"
#include "layout/named/Parts.h"
#include "target/amd/MatrixInstructions.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::layout {

using target::amd::mfmaLanes;

static LinearLayout spread(int64_t size, Dim in, Dim out) {
  return LinearLayout::identity1D(size > 1 ? llvm::Log2_64(size) : 0, in, out);
}

// -- Scales of products -----------------------------------------------------------------

static Problem checkScaleShape(llvm::ArrayRef<int64_t> shape, unsigned rank) {
  if (shape.size() != rank)
    return "scales have as many dimensions as the product, " + std::to_string(rank) + ", not " +
           std::to_string(shape.size());
  if (Problem problem = checkPowers("the sizes of scales", shape))
    return problem;
  return std::nullopt;
}

static const Dim kLines = Dim::axis(0), kDepth = Dim::axis(1);

/// Tile and cluster as a layout of its own.
static Layout explicitLayout(const LinearLayout &tile, const Layout &operand,
                             llvm::ArrayRef<int64_t> shape) {
  // Of the operand's split of the cluster, scales have M or N in front.
  const auto &dot = *operand.as<DotOperandLayout>();
  BasisList cga;
  for (const Ints &basis : operand.cga())
    cga.push_back({basis[dot.operandIndex == 0 ? 0 : 1], basis[dot.operandIndex == 0 ? 1 : 0]});
  return Layout(toExplicit(combine(tile, cgaToLinear(cga, 2), shape)));
}

LayoutOrProblem mfmaScaleLayout(const Layout &operand, llvm::ArrayRef<int64_t> shape,
                                int64_t block) {
  const auto *dot = operand.as<DotOperandLayout>();
  const auto *parent = dot ? dot->parent.as<AMDMFMALayout>() : nullptr;
  if (!parent || parent->rank() != 2)
    return std::string("scales of MFMA belong to a DotOperandLayout of an AMDMFMALayout");
  if (block != target::amd::mfmaScaleBlock)
    return "MFMA has a scale for 32 elements, not for " + std::to_string(block);
  if (Problem problem = checkScaleShape(shape, 2))
    return *problem;
  int64_t lanes = parent->instrShape[0];
  if (lanes > mfmaLanes || lanes < 16)
    return std::string("MFMA with scales has 16 x 16 or 32 x 32 results");
  unsigned own = dot->operandIndex;
  LinearLayout tile = spread(1, Dim::Register, kLines) * spread(lanes, Dim::Lane, kLines) *
                      spread(mfmaLanes / lanes, Dim::Lane, kDepth);
  tile *= spread(shape[1] / (mfmaLanes / lanes), Dim::Register, kDepth);
  tile *= spread(parent->tilesPerWarp[own], Dim::Register, kLines);
  // Warps are numbered along N first; those along the other operand's lines hold the same.
  for (unsigned d : {1u, 0u}) {
    int64_t warps = parent->warpsPerCta[d];
    tile *= d == own ? spread(warps, Dim::Warp, kLines)
                     : LinearLayout::zeros1D(llvm::Log2_64(warps), Dim::Warp, kLines);
  }
  return explicitLayout(tile, operand, shape);
}

LayoutOrProblem wmmaScaleLayout(const Layout &operand, llvm::ArrayRef<int64_t> wholeShape,
                                int64_t block) {
  const auto *dot = operand.as<DotOperandLayout>();
  const auto *parent = dot ? dot->parent.as<AMDWMMALayout>() : nullptr;
  if (!parent || (parent->rank() != 2 && parent->rank() != 3))
    return std::string("scales of WMMA belong to a DotOperandLayout of an AMDWMMALayout");
  if (!llvm::is_contained(target::amd::wmmaScaleBlocks, block))
    return "WMMA has a scale for 16 or 32 elements, not for " + std::to_string(block);
  const unsigned rank = parent->rank();
  if (Problem problem = checkScaleShape(wholeShape, rank))
    return *problem;
  // What a CTA has. The dims of the cluster are those of the scales, whichever the operand.
  Ints shape(wholeShape);
  for (const Ints &basis : parent->cga)
    for (unsigned dim = 0; dim < rank; ++dim)
      if (basis[dim])
        shape[dim] = std::max<int64_t>(shape[dim] / 2, 1);
  const Ints &instr = parent->instrShape;
  unsigned own = dot->operandIndex;
  const unsigned lineDim = rank - 2, kDim = rank - 1;
  auto at = [&](unsigned dim, int64_t place) {
    Ints basis(rank, 0);
    basis[dim] = place;
    return basis;
  };
  bool isSquare = instr[0] == instr[1];
  // An instruction that is not square computes its transpose from exchanged operands.
  int64_t lines = instr[parent->transposed && !isSquare ? 1 - own : own];
  // Repetitions: of the instruction's own lines beyond 16, those of the layout, those of the tile.
  BasisList registers, batches, warps;
  int64_t span = lines, batchSpan = 1;
  for (int64_t line = 16; line < lines; line *= 2)
    registers.push_back(at(lineDim, line));
  for (auto [bases, to] :
       {std::pair(&parent->regBases, &registers), std::pair(&parent->warpBases, &warps)})
    for (const Ints &basis : *bases) {
      const int64_t line = basis[lineDim + own] * lines, batch = rank == 3 ? basis[0] : 0;
      if (to == &warps || line)
        to->push_back(at(lineDim, line));
      if (batch && to == &warps)
        to->back()[0] = batch;
      else if (batch)
        batches.push_back(at(0, batch));
      span = std::max<int64_t>(span, llvm::PowerOf2Ceil(line + 1));
      batchSpan = std::max<int64_t>(batchSpan, llvm::PowerOf2Ceil(batch + 1));
    }
  for (; span < shape[lineDim]; span *= 2)
    registers.push_back(at(lineDim, span));
  for (; rank == 3 && batchSpan < shape[0]; batchSpan *= 2)
    batches.push_back(at(0, batchSpan));
  // The upper half of the lanes has the first repetition, where there is one: the instruction
  // chooses the half. It cannot for the short side of one that is not square.
  BasisList lanes = {at(lineDim, 1), at(lineDim, 2), at(lineDim, 4), at(lineDim, 8)};
  auto cut = [&](BasisList &bases) {
    for (Ints &basis : bases)
      for (unsigned dim = 0; dim < kDim; ++dim)
        basis[dim] = basis[dim] < shape[dim] ? basis[dim] : 0;
  };
  cut(registers);
  cut(batches);
  cut(warps);
  cut(lanes);
  if (isSquare)
    llvm::erase_if(registers, [&](const Ints &basis) { return basis[lineDim] == 0; });
  llvm::erase_if(batches, [](const Ints &basis) { return basis[0] == 0; });
  if (registers.empty() || (!isSquare && lines == 16)) {
    lanes.push_back(at(lineDim, 0));
  } else {
    lanes.push_back(registers.front());
    registers.erase(registers.begin());
  }
  BasisList all;
  for (int64_t k = 1; k < std::max<int64_t>(shape[kDim], 128 / block); k *= 2)
    all.push_back(at(kDim, k < shape[kDim] ? k : 0));
  all.append(registers);
  all.append(batches);
  DistributedLinearLayout result{all, lanes, warps, {}, Ints(wholeShape)};
  for (Ints place : parent->cga) {
    for (unsigned dim = 0; dim < rank; ++dim) {
      place[dim] *= shape[dim];
      place[dim] = place[dim] < wholeShape[dim] ? place[dim] : 0;
    }
    result.blockBases.push_back(std::move(place));
  }
  return Layout(std::move(result));
}

// -- LDS ----------------------------------------------------------------------------------

std::optional<PaddedSharedLayout> mfmaPaddedLayout(const DotOperandLayout &operand,
                                                   llvm::ArrayRef<int64_t> shape,
                                                   int64_t elementBits, bool alongK) {
  const auto &parent = *operand.parent.as<AMDMFMALayout>();
  int64_t lines = parent.instrShape[0], width = operand.kWidth;
  // Numbers of 4 bits lie in pairs in bytes.
  int64_t bytes = elementBits == 16 ? 2 : elementBits == 8 || elementBits == 4 ? 1 : 0;
  bool isKnown = bytes && shape.size() == 2 && (width == 4 || width == 8 || width == 16) &&
                 (lines == 16 || lines == 32) && llvm::all_of(shape, isPowerOf2);
  if (!isKnown)
    return std::nullopt;
  unsigned depth = operand.kDim(), fast = alongK ? depth : 1 - depth, slow = 1 - fast;
  int64_t columns = shape[fast], rows = shape[slow], widthBytes = width * bytes;
  bool isWide = alongK && widthBytes == 16, isTransposed = !alongK && widthBytes >= 8;
  // A wave writes 16 bytes for each lane at once.
  int64_t interval = mfmaLanes * 16 / bytes;
  int64_t padding = isWide         ? (lines == 16 ? 2 * width : width)
                    : isTransposed ? (lines == 16 ? 16 : 32)
                                   : 8 / bytes;
  // Rows that would begin in one bank are moved apart: `wrap` rows cover all banks.
  int64_t bankRow = (isWide || isTransposed ? 64 : 32) * 4 / bytes;
  int64_t wrap = std::max<int64_t>(std::min(columns, bankRow) / padding, 1);
  int64_t rowsOfInterval = std::max<int64_t>(interval / columns, 1);
  if (rows >= 16 * rowsOfInterval)
    wrap = std::max<int64_t>(wrap, 16);
  // All but the widest reads may meet one other in their bank.
  if (wrap * rowsOfInterval > rows && !isWide)
    wrap /= 2;
  if (wrap == 0 || wrap * rowsOfInterval > rows)
    return std::nullopt;
  auto basis = [&](unsigned dim, int64_t value) {
    Ints result(2, 0);
    result[dim] = value;
    return result;
  };
  PaddedSharedLayout result{{{interval, padding}}, {}, {}, Ints(shape)};
  BasisList &bases = result.offsetBases;
  for (int64_t column = 1; column < columns; column *= 2)
    bases.push_back(basis(fast, column));
  int64_t row = wrap;
  for (; int64_t{1} << bases.size() < interval && row < rows; row *= 2)
    bases.push_back(basis(slow, row));
  for (int64_t low = 1; low < wrap; low *= 2)
    bases.push_back(basis(slow, low));
  for (; row < rows; row *= 2)
    bases.push_back(basis(slow, row));
  auto exchange = [&](auto one, auto other) {
    if (one != bases.end() && other != bases.end())
      std::swap(*one, *other);
  };
  if (!alongK && lines == 16 && widthBytes == 16)
    exchange(llvm::find(bases, basis(slow, 8 / bytes)), llvm::find(bases, basis(slow, 16 / bytes)));
  if (isWide && lines == 32 && wrap == 16 && columns * bytes < 256 && bases.size() > 8)
    exchange(bases.begin() + 8, llvm::find(bases, basis(slow, 16)));
  return result;
}

// -- Threads and what they hold -----------------------------------------------------------

DistributedLinearLayout scalesOf(const LinearLayout &elements, unsigned axis, int64_t block) {
  DistributedLinearLayout result = toExplicit(elements);
  result.shape[axis] /= block;
  for (BasisList *bases :
       {&result.regBases, &result.laneBases, &result.warpBases, &result.blockBases})
    for (Ints &basis : *bases)
      basis[axis] /= block;
  llvm::erase_if(result.regBases, [](const Ints &basis) {
    return llvm::all_of(basis, [](int64_t c) { return c == 0; });
  });
  return result;
}

namespace {

/// Vectors that are sums of some given ones.
class Span {
public:
  explicit Span(llvm::ArrayRef<uint64_t> vectors) {
    for (uint64_t vector : vectors)
      if (uint64_t rest = reduce(vector))
        basis.push_back(rest);
  }
  bool contains(uint64_t vector) const { return reduce(vector) == 0; }

private:
  uint64_t reduce(uint64_t vector) const {
    for (uint64_t each : basis)
      vector = std::min(vector, vector ^ each);
    return vector;
  }
  llvm::SmallVector<uint64_t, 16> basis;
};

constexpr Dim kOwners[] = {Dim::Lane, Dim::Warp, Dim::Block};

} // namespace

bool holdsPart(const LinearLayout &whole, const LinearLayout &part,
               llvm::ArrayRef<int64_t> offsets) {
  Span registers(whole.packedBases(Dim::Register));
  for (uint64_t index = 0; index < uint64_t{1} << part.totalInLog2(); ++index) {
    uint64_t packed = part.applyPacked(index);
    llvm::SmallVector<Coord, 4> wanted, owner;
    for (auto [d, offset] : llvm::enumerate(offsets))
      wanted.push_back({Dim::axis(d), uint32_t(part.outComponent(packed, Dim::axis(d)) + offset)});
    for (Dim dim : kOwners)
      owner.push_back({dim, part.inComponent(index, dim)});
    uint64_t held = whole.applyPacked(whole.packIn(owner));
    if (!registers.contains(held ^ whole.packOut(wanted)))
      return false;
  }
  return true;
}

bool holdsScales(const LinearLayout &elements, const LinearLayout &scales, unsigned axis,
                 int64_t block) {
  Span registers(scales.packedBases(Dim::Register));
  auto scaleOf = [&](Dim in, unsigned bit) {
    llvm::SmallVector<Coord, 4> at;
    for (const DimSize &out : elements.outDims()) {
      uint32_t value = elements.basis(in, bit, out.dim);
      at.push_back({out.dim, out.dim == Dim::axis(axis) ? uint32_t(value / block) : value});
    }
    return scales.packOut(at);
  };
  for (unsigned bit = 0; bit < elements.inLog2(Dim::Register); ++bit)
    if (!registers.contains(scaleOf(Dim::Register, bit)))
      return false;
  for (Dim dim : kOwners)
    for (unsigned bit = 0; bit < elements.inLog2(dim); ++bit) {
      uint64_t held = bit < scales.inLog2(dim) ? scales.packedBasis(dim, bit) : 0;
      if (!registers.contains(held ^ scaleOf(dim, bit)))
        return false;
    }
  return true;
}

} // namespace gluonc::layout

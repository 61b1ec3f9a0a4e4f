#include "layout/plan/TensorMemoryAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::layout {
namespace {

constexpr unsigned columnBits = 32, rowShift = 16, rowsPerWarp = 32;
/// Position of the bit of the row that picks the upper 16 of a warp.
constexpr unsigned halfBit = 4;

/// Row and column in a fragment.
struct Place {
  uint32_t row = 0, column = 0;
  bool operator==(const Place &) const = default;
};

struct Fragment {
  TensorMemoryShape shape;
  llvm::StringLiteral text;
  /// Of 16x32bx2 the last lane bit is free.
  llvm::SmallVector<Place, 5> lanes;
  /// Registers before those that repeat the fragment in further columns.
  llvm::SmallVector<Place, 2> registers;
  uint32_t firstRepeat;
};

const Fragment fragments[] = {
    {TensorMemoryShape::S32x32b, "32x32b", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, {}, 1},
    {TensorMemoryShape::S16x256b,
     "16x256b",
     {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}},
     {{0, 1}, {8, 0}},
     8},
    {TensorMemoryShape::S16x64b, "16x64b", {{8, 0}, {0, 1}, {1, 0}, {2, 0}, {4, 0}}, {}, 2},
    {TensorMemoryShape::S16x128b, "16x128b", {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}, {{8, 0}}, 4},
    {TensorMemoryShape::S16x32bx2, "16x32bx2", {{1, 0}, {2, 0}, {4, 0}, {8, 0}}, {}, 1},
};

const Fragment &fragmentOf(TensorMemoryShape shape) {
  return *llvm::find_if(fragments, [&](const Fragment &each) { return each.shape == shape; });
}

/// How elements share columns, from what the lowest bits of `memory`'s columns mean.
struct Packing {
  /// Bits of the column in elements that are within a 32-bit column.
  unsigned withinColumn = 0;
  /// Which of these move elements: several share a column. The others lead to copies.
  uint32_t moving = 0;
  /// 16-bit elements with a column each, of which `.pack::16b` makes pairs.
  bool packs = false;

  /// Bits of the column in elements below those of the fragment.
  unsigned lowBits() const { return withinColumn + packs; }
};

std::optional<Packing> packingOf(const LinearLayout &memory, unsigned elementBits) {
  if (elementBits > columnBits || !isPowerOf2(elementBits))
    return std::nullopt;
  Packing packing;
  packing.withinColumn = std::min(llvm::Log2_32(columnBits / elementBits), memory.inLog2(Dim::Col));
  llvm::ArrayRef<uint64_t> low = memory.packedBases(Dim::Col).take_front(packing.withinColumn);
  for (auto [bit, basis] : llvm::enumerate(low))
    packing.moving |= uint32_t(basis != 0) << bit;
  packing.packs = elementBits == 16 && !packing.moving && packing.withinColumn == 1 &&
                  memory.inLog2(Dim::Col) > 1 && memory.packedBasis(Dim::Col, 1);
  return packing;
}

Ints coordinates(const LinearLayout &memory, Dim in, unsigned bit) {
  Ints result;
  for (uint32_t part : memory.basis(in, bit))
    result.push_back(part);
  return result;
}

uint32_t addressOf(Place place) { return place.row << rowShift | place.column; }

} // namespace

unsigned tensorMemoryColumns(const LinearLayout &memory, unsigned elementBits) {
  return llvm::divideCeil(memory.inSize(Dim::Col) * elementBits, columnBits);
}

bool leavesHalfOfTensorMemory(const LinearLayout &memory) {
  return memory.inLog2(Dim::Row) > halfBit && memory.packedBasis(Dim::Row, halfBit) == 0;
}

uint32_t tensorMemoryOffset(const LinearLayout &memory, unsigned elementBits,
                            llvm::ArrayRef<int64_t> element) {
  std::optional<LinearLayout> inverse = memory.pseudoInvert();
  if (!inverse)
    return 0;
  llvm::SmallVector<Coord, 2> place;
  for (auto [dim, at] : llvm::enumerate(element))
    place.push_back({Dim::axis(dim), uint32_t(at)});
  const uint64_t found = inverse->applyPacked(inverse->packIn(place));
  return addressOf({inverse->outComponent(found, Dim::Row),
                    inverse->outComponent(found, Dim::Col) * elementBits / columnBits});
}

llvm::StringRef textOf(TensorMemoryShape shape) { return fragmentOf(shape).text; }

//===----------------------------------------------------------------------===//
// The layout of a variant
//===----------------------------------------------------------------------===//

/// Has the last register bit be the middle of the columns; false where registers have no bits but
/// the first `low`, which stay where they are: elements within a column.
static bool endWithMiddle(DistributedLinearLayout &layout, size_t low) {
  const Ints middle{0, layout.shape.back() / 2};
  if (!layout.regBases.empty() && layout.regBases.back() == middle)
    return true;
  if (layout.regBases.size() <= low)
    return false;
  Ints &last = layout.regBases.back();
  for (BasisList *bases : {&layout.regBases, &layout.laneBases, &layout.warpBases})
    for (Ints &basis : *bases)
      if (basis == middle) {
        std::swap(basis, last);
        return true;
      }
  return true;
}

std::optional<DistributedLinearLayout> tensorMemoryRegisters(const LinearLayout &memory,
                                                             llvm::ArrayRef<int64_t> shape,
                                                             unsigned elementBits,
                                                             llvm::StringRef variant, int64_t warps,
                                                             std::string &why) {
  const bool splits = variant.consume_back("_splitn");
  const Fragment *fragment =
      llvm::find_if(fragments, [&](const Fragment &each) { return each.text == variant; });
  if (fragment == std::end(fragments) || (splits && variant != "32x32b")) {
    why = "there is no such variant";
    return std::nullopt;
  }
  if (warps < 4 || !isPowerOf2(warps)) {
    why = "it takes warps in fours, a power of two, but there are " + std::to_string(warps);
    return std::nullopt;
  }
  std::optional<Packing> packing = packingOf(memory, elementBits);
  if (!packing) {
    why = "elements do not lie in columns of 32 bits as registers can hold them";
    return std::nullopt;
  }
  // The columns of the fragment, lowest first.
  llvm::SmallVector<Ints> columns, low;
  for (unsigned bit = 0; bit < memory.inLog2(Dim::Col); ++bit) {
    if (bit >= packing->lowBits())
      columns.push_back(coordinates(memory, Dim::Col, bit));
    else if (bit >= packing->withinColumn || packing->moving >> bit & 1)
      low.push_back(coordinates(memory, Dim::Col, bit));
  }
  auto row = [&](unsigned bit) { return coordinates(memory, Dim::Row, bit); };
  const Ints none(shape.size(), 0);
  llvm::SmallVector<bool> taken(columns.size());
  auto at = [&](Place place) {
    if (place.row)
      return row(llvm::Log2_32(place.row));
    const unsigned bit = llvm::Log2_32(place.column);
    if (bit >= columns.size())
      return none;
    taken[bit] = true;
    return columns[bit];
  };
  /// The highest column that nothing stands for yet.
  auto takeTop = [&]() -> std::optional<Ints> {
    for (size_t bit = columns.size(); bit-- > 0;)
      if (!taken[bit]) {
        taken[bit] = true;
        return columns[bit];
      }
    return std::nullopt;
  };

  DistributedLinearLayout result;
  result.shape.assign(shape.begin(), shape.end());
  result.regBases.assign(low.begin(), low.end());
  for (Place place : fragment->registers)
    result.regBases.push_back(at(place));
  for (Place place : fragment->lanes)
    result.laneBases.push_back(at(place));
  const bool leavesHalf = leavesHalfOfTensorMemory(memory), isWhole = variant == "32x32b";
  // Where the upper 16 rows hold nothing, their lanes take the upper half of the columns.
  if (isWhole && leavesHalf)
    result.laneBases.back() = takeTop().value_or(none);
  if (variant == "16x32bx2")
    result.laneBases.push_back(takeTop().value_or(none));
  result.warpBases = {row(5), row(6)};
  const bool hasUpper = !isWhole && !leavesHalf;
  for (int64_t groups = warps / 4; groups > 1; groups /= 2) {
    if (hasUpper && result.warpBases.size() == 2)
      result.warpBases.push_back(row(halfBit));
    else
      result.warpBases.push_back(none);
  }
  // Further warps take the highest columns, the last warp bit the highest.
  for (size_t bit = result.warpBases.size(); bit-- > 2 + size_t(hasUpper);)
    if (std::optional<Ints> top = takeTop())
      result.warpBases[bit] = *top;
  for (auto [bit, column] : llvm::enumerate(columns))
    if (!taken[bit])
      result.regBases.push_back(column);
  if (hasUpper && warps == 4)
    result.regBases.push_back(row(halfBit));
  for (unsigned bit = 0; bit < memory.inLog2(Dim::Block); ++bit)
    result.blockBases.push_back(coordinates(memory, Dim::Block, bit));

  if (splits && !endWithMiddle(result, low.size())) {
    why = "a thread has less than two columns of 32 bits to split";
    return std::nullopt;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Instructions for a layout
//===----------------------------------------------------------------------===//

unsigned TensorMemoryAccess::repeat() const {
  return words() >> fragmentOf(shape).registers.size();
}

uint32_t TensorMemoryAccess::registerOf(uint32_t base, unsigned word, unsigned element) const {
  for (auto [bit, mask] : llvm::enumerate(repeatBits))
    base |= word >> bit & 1 ? mask : 0;
  for (auto [bit, mask] : llvm::enumerate(wordBits))
    base |= element >> bit & 1 ? mask : 0;
  return base;
}

namespace {

/// Where the bits of register, lane and warp lead.
class Images {
public:
  /// False where something lies in no place, or in that of another warp.
  bool find(const LinearLayout &registers, const LinearLayout &memory, unsigned elementBits) {
    LinearLayout tensor =
        registers.sublayout({Dim::Register, Dim::Lane, Dim::Warp}, outs(registers));
    for (const DimSize &out : memory.outDims()) {
      if (!tensor.hasOut(out.dim))
        return false;
      tensor = tensor.resizeOut(out.dim, out.log2);
    }
    if (!sameBlocks(registers, memory) || registers.inLog2(Dim::Warp) < 2)
      return false;
    // Rows of other warps are out of reach: their numbers come from the warp's own.
    for (unsigned bit : {0u, 1u})
      if (tensor.packedBasis(Dim::Warp, bit) != memory.packedBasis(Dim::Row, 5 + bit))
        return false;
    const LinearLayout own = memory.sublayout({Dim::Row, Dim::Col}, outs(memory));
    std::optional<LinearLayout> map = tensor.invertAndCompose(own);
    if (!map)
      return false;
    const unsigned perColumn = columnBits / elementBits;
    auto collect = [&](Dim in, unsigned first, llvm::SmallVectorImpl<Place> &list) {
      for (unsigned bit = first; bit < map->inLog2(in); ++bit) {
        const uint32_t column = map->basis(in, bit, Dim::Col);
        list.push_back({map->basis(in, bit, Dim::Row), column / perColumn});
        // Within a column.
        within.push_back(column % perColumn);
        if (list.back().row >= rowsPerWarp)
          return false;
      }
      return true;
    };
    if (!collect(Dim::Register, 0, reg))
      return false;
    registerWithin.assign(within.begin(), within.end());
    within.clear();
    return collect(Dim::Lane, 0, lane) && collect(Dim::Warp, 2, group) &&
           llvm::all_of(within, [](uint32_t part) { return part == 0; });
  }

  llvm::SmallVector<Place, 8> reg;
  llvm::SmallVector<Place, 5> lane;
  llvm::SmallVector<Place, 2> group;
  llvm::SmallVector<uint32_t, 8> registerWithin;

private:
  static llvm::SmallVector<Dim, 2> outs(const LinearLayout &layout) {
    return llvm::map_to_vector(layout.outDims(), [](const DimSize &out) { return out.dim; });
  }
  static bool sameBlocks(const LinearLayout &registers, const LinearLayout &memory) {
    if (registers.inLog2(Dim::Block) != memory.inLog2(Dim::Block))
      return false;
    for (unsigned bit = 0; bit < memory.inLog2(Dim::Block); ++bit)
      if (registers.basis(Dim::Block, bit) != memory.basis(Dim::Block, bit))
        return false;
    return true;
  }

  llvm::SmallVector<uint32_t, 12> within;
};

/// One fragment tried on the images of a tensor.
class Match {
public:
  Match(const Images &images, const Packing &packing, unsigned maxWords)
      : images(images), packing(packing), maxWords(maxWords), free(images.reg.size(), true) {}

  std::optional<TensorMemoryAccess> with(const Fragment &fragment) {
    access.shape = fragment.shape;
    access.packs = packing.packs;
    if (!takeWords() || !takeLanes(fragment))
      return std::nullopt;
    for (Place place : fragment.registers)
      if (!take(place, access.repeatBits))
        return std::nullopt;
    for (uint32_t column = fragment.firstRepeat;
         2u << access.repeatBits.size() <= maxWords && take({0, column}, access.repeatBits);)
      column *= 2;
    for (Place place : images.group) {
      if (!isOffset(place))
        return std::nullopt;
      access.groupOffsets.push_back(addressOf(place));
    }
    return addMessages() ? std::optional(access) : std::nullopt;
  }

private:
  unsigned unit() const { return packing.packs ? 2 : 1; }
  bool isUpper(uint32_t row) const {
    return row == 16 && access.shape != TensorMemoryShape::S32x32b;
  }
  bool isOffset(Place place) const { return place.row == 0 || isUpper(place.row); }

  /// The register bit that leads to a place (in units of the fragment); false where none does.
  bool take(Place place, llvm::SmallVectorImpl<uint32_t> &bits) {
    place.column *= unit();
    for (size_t bit = 0; bit < free.size(); ++bit)
      if (free[bit] && images.reg[bit] == place && images.registerWithin[bit] == 0) {
        free[bit] = false;
        bits.push_back(1u << bit);
        return true;
      }
    return false;
  }

  bool takeWords() {
    if (packing.packs) {
      for (size_t bit = 0; bit < free.size(); ++bit)
        if (free[bit] && images.reg[bit] == Place{0, 1}) {
          free[bit] = false;
          access.wordBits.push_back(1u << bit);
          return true;
        }
      return false;
    }
    for (unsigned position = 0; packing.moving && position < packing.withinColumn; ++position) {
      if (!(packing.moving >> position & 1)) {
        access.wordBits.push_back(0);
        continue;
      }
      auto found = llvm::find(images.registerWithin, 1u << position);
      const size_t bit = found - images.registerWithin.begin();
      if (found == images.registerWithin.end() || images.reg[bit] != Place{})
        return false;
      free[bit] = false;
      access.wordBits.push_back(1u << bit);
    }
    return true;
  }

  bool takeLanes(const Fragment &fragment) {
    for (auto [bit, place] : llvm::enumerate(fragment.lanes))
      if (images.lane[bit] != Place{place.row, place.column * unit()})
        return false;
    if (fragment.shape == TensorMemoryShape::S16x32bx2) {
      if (images.lane.back().row)
        return false;
      access.secondHalf = images.lane.back().column;
    }
    return true;
  }

  bool addMessages() {
    access.messages.push_back({0, 0});
    for (size_t bit = 0; bit < free.size(); ++bit) {
      if (!free[bit])
        continue;
      if (!isOffset(images.reg[bit]) || images.registerWithin[bit])
        return false;
      for (size_t i = 0, count = access.messages.size(); i < count; ++i)
        access.messages.push_back({access.messages[i].base | 1u << bit,
                                   access.messages[i].offset + addressOf(images.reg[bit])});
    }
    return true;
  }

  const Images &images;
  const Packing &packing;
  unsigned maxWords;
  llvm::SmallVector<bool, 8> free;
  TensorMemoryAccess access;
};

} // namespace

std::optional<TensorMemoryAccess> planTensorMemoryAccess(const LinearLayout &registers,
                                                         const LinearLayout &memory,
                                                         unsigned elementBits, unsigned maxWords) {
  std::optional<Packing> packing = packingOf(memory, elementBits);
  Images images;
  if (!packing || !images.find(registers, memory, elementBits) || images.lane.size() != 5)
    return std::nullopt;
  // Sixteen bits in a column of their own also go one to a register.
  for (bool packs : {true, false}) {
    if (packs && !packing->packs)
      continue;
    Packing tried = *packing;
    tried.packs = packs;
    for (const Fragment &fragment : fragments)
      if (auto access = Match(images, tried, maxWords).with(fragment))
        return access;
  }
  return std::nullopt;
}

} // namespace gluonc::layout

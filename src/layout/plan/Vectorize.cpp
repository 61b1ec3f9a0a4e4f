#include "layout/plan/Vectorize.h"

#include "layout/linear/Gf2.h"
#include "layout/named/Blocks.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::layout {

RegisterVectors vectorizeAlong(const LinearLayout &map, Dim out, unsigned maxLog2) {
  GL_CHECK(map.hasIn(Dim::Register));
  llvm::ArrayRef<uint64_t> bases = map.packedBases(Dim::Register);
  uint64_t unit = uint64_t{1} << map.outShift(out);

  // Register bits that move the position by 1, 2, 4, ... and nothing else, without a gap.
  llvm::SmallVector<unsigned, 4> vectorBits;
  uint64_t used = 0;
  for (unsigned limit = std::min(maxLog2, map.outLog2(out)); vectorBits.size() < limit;) {
    const uint64_t *it = llvm::find(bases, unit << vectorBits.size());
    if (it == bases.end())
      break;
    vectorBits.push_back(it - bases.begin());
    used |= uint64_t{1} << vectorBits.back();
  }
  // Whatever else moves along `out` must keep the vectors aligned.
  uint64_t others = 0;
  unsigned registerShift = map.inShift(Dim::Register);
  for (auto [i, basis] : llvm::enumerate(map.packedBases())) {
    bool ours =
        i >= registerShift && i < registerShift + bases.size() && (used >> (i - registerShift) & 1);
    if (!ours)
      others |= map.outComponent(basis, out);
  }
  if (others)
    vectorBits.truncate(std::min<size_t>(vectorBits.size(), llvm::countr_zero(others)));

  RegisterVectors result;
  result.log2 = vectorBits.size();
  uint32_t vectorMask = 0;
  for (unsigned bit : vectorBits)
    vectorMask |= 1u << bit;
  // A register bit whose image lower bits already reach gives copies.
  Gf2Span span;
  llvm::SmallVector<uint32_t, 8> sameElement(bases.size(), 0);
  uint32_t redundant = 0;
  for (auto [i, basis] : llvm::enumerate(bases)) {
    sameElement[i] = 1u << i;
    if (!span.insert(basis, uint64_t{1} << i)) {
      redundant |= 1u << i;
      sameElement[i] = span.reduce(basis).combination;
    }
  }
  // A vector bit can be called redundant only after an equal basis; `find` took the first.
  GL_CHECK(!(redundant & vectorMask) || map.outLog2(out) == 0);
  for (uint32_t reg = 0; reg < 1u << bases.size(); ++reg) {
    uint32_t representative = 0;
    for (uint32_t rest = reg; rest; rest &= rest - 1)
      representative ^= sameElement[llvm::countr_zero(rest)];
    result.representative.push_back(representative);
    if (reg & (redundant | vectorMask))
      continue;
    auto &vector = result.vectors.emplace_back();
    for (uint32_t j = 0; j < 1u << vectorBits.size(); ++j) {
      uint32_t element = reg;
      for (auto [k, bit] : llvm::enumerate(vectorBits))
        element |= (j >> k & 1) << bit;
      vector.push_back(element);
    }
  }
  return result;
}

unsigned contiguousLog2(const LinearLayout &distributed, unsigned axis) {
  return vectorizeAlong(distributed, Dim::axis(axis), 31).log2;
}

uint32_t blockCopies(const LinearLayout &layout) {
  uint32_t copies = 0;
  if (layout.hasIn(Dim::Block))
    for (auto [bit, basis] : llvm::enumerate(layout.packedBases(Dim::Block)))
      copies |= uint32_t(!basis) << bit;
  return copies;
}

/// Where all CTAs hold the same elements, which the inverse looks for in CTA 0, each uses its own.
static LinearLayout useOwnCopies(const LinearLayout &map, const LinearLayout &shared) {
  uint32_t copies = blockCopies(shared);
  if (!copies)
    return map;
  llvm::SmallVector<uint64_t, 16> bases(map.packedBases());
  for (unsigned bit = 0; bit < map.inLog2(Dim::Block); ++bit)
    if (copies >> bit & 1)
      bases[map.inShift(Dim::Block) + bit] |= uint64_t{1} << (map.outShift(Dim::Block) + bit);
  return LinearLayout::fromPacked(map.inDims(), map.outDims(), bases);
}

bool staysInBlock(const LinearLayout &map) {
  if (!map.hasOut(Dim::Block))
    return true;
  for (const DimSize &in : map.inDims())
    for (unsigned bit = 0; bit < in.log2; ++bit)
      if (map.basis(in.dim, bit, Dim::Block) != (in.dim == Dim::Block ? 1u << bit : 0))
        return false;
  return true;
}

uint32_t copiesToStore(const LinearLayout &distributed, const LinearLayout &shared) {
  uint32_t bits = distributed.hasIn(Dim::Block) ? distributed.inSize(Dim::Block) - 1 : 0;
  return blockCopies(shared) & bits & ~blockCopies(distributed);
}

llvm::SmallVector<uint32_t, 4> combinations(uint32_t mask) {
  llvm::SmallVector<uint32_t, 4> numbers;
  uint32_t number = 0;
  do {
    numbers.push_back(number);
    number = (number - mask) & mask;
  } while (number);
  return numbers;
}

std::optional<SharedAccessMap> mapToShared(const LinearLayout &distributed,
                                           const LinearLayout &shared, unsigned elementBits,
                                           unsigned maxVectorBits, int64_t maxElements) {
  GL_CHECK(elementBits > 0);
  std::optional<LinearLayout> map = distributed.invertAndCompose(shared);
  if (!map)
    return std::nullopt;
  if (map->hasOut(Dim::Block) && map->hasIn(Dim::Block))
    map = useOwnCopies(*map, shared);
  unsigned maxLog2 = llvm::bit_width(std::max(1u, maxVectorBits / elementBits)) - 1;
  if (maxElements > 0)
    maxLog2 = std::min<unsigned>(maxLog2, llvm::bit_width(uint64_t(maxElements)) - 1);
  RegisterVectors vectors = vectorizeAlong(*map, Dim::Offset, maxLog2);
  return SharedAccessMap{std::move(*map), std::move(vectors)};
}

} // namespace gluonc::layout

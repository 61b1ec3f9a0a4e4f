#include "codegen/amd/MoverShares.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gluonc::codegen::amd {

uint32_t varyingBits(uint32_t hint) {
  uint32_t varying = 0;
  for (uint32_t rest = hint; rest; rest &= rest - 1)
    varying |= countr_zero(rest) ^ countr_zero(hint);
  return varying;
}

MoverShares shareBlock(ArrayRef<int64_t> block, unsigned waves, std::optional<uint32_t> hint) {
  MoverShares shares;
  shares.piece.assign(block.begin(), block.end());
  shares.first = hint ? countr_zero(*hint) : 0;
  uint32_t varying = hint ? varyingBits(*hint) : waves - 1;
  unsigned left = popcount(varying);
  // How often each dim is halved.
  SmallVector<unsigned, 5> halvings(block.size(), 0);
  for (auto [dim, length] : enumerate(shares.piece))
    for (; left && length > 1; --left, length /= 2)
      ++halvings[dim];
  const unsigned bits = Log2_32(waves);
  shares.places.assign(bits, SmallVector<uint32_t, 5>(block.size(), 0));
  shares.offsets.assign(bits, 0);
  uint32_t used = 0, offset = 1;
  for (int64_t length : shares.piece)
    offset *= uint32_t(length);
  // The innermost pieces are neighbours.
  for (size_t dim = block.size(); dim--;)
    for (unsigned i = 0; i < halvings[dim]; ++i, offset *= 2) {
      unsigned bit = countr_zero(varying & ~used);
      used |= 1u << bit;
      shares.places[bit][dim] = uint32_t(shares.piece[dim]) << i;
      shares.offsets[bit] = offset;
    }
  shares.fixedBits = (waves - 1) & ~used;
  return shares;
}

} // namespace gluonc::codegen::amd

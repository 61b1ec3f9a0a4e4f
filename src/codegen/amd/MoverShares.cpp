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

MoverShares shareBlock(ArrayRef<int64_t> block, unsigned waves, std::optional<uint32_t> hint,
                       MemoryParts parts) {
  MoverShares shares;
  shares.piece.assign(block.begin(), block.end());
  shares.first = hint ? countr_zero(*hint) : 0;
  const uint32_t varying = hint ? varyingBits(*hint) : waves - 1;
  unsigned left = popcount(varying);
  // How often each dim is halved; and how often for turns, the largest halves first.
  SmallVector<unsigned, 5> halvings(block.size(), 0);
  halvings[parts.dim] = Log2_64(parts.count);
  shares.piece[parts.dim] /= parts.count;
  const unsigned byWaves = std::min(left, halvings[parts.dim]);
  const unsigned byTurns = halvings[parts.dim] - byWaves;
  left -= byWaves;
  for (auto [dim, length] : enumerate(shares.piece))
    for (; left && length > 1; --left, length /= 2)
      ++halvings[dim];
  const MoverShares::Place nowhere(block.size(), 0);
  shares.places.assign(Log2_32(waves), nowhere);
  shares.turns = {nowhere};
  uint32_t used = 0;
  // The innermost pieces are neighbours.
  for (size_t dim = block.size(); dim--;)
    for (unsigned i = 0; i < halvings[dim]; ++i) {
      const uint32_t distance = uint32_t(shares.piece[dim]) << i;
      if (dim == parts.dim && i + byTurns >= halvings[dim]) {
        for (MoverShares::Place turn : SmallVector<MoverShares::Place>(shares.turns)) {
          turn[dim] += distance;
          shares.turns.push_back(turn);
        }
        continue;
      }
      unsigned bit = countr_zero(varying & ~used);
      used |= 1u << bit;
      shares.places[bit][dim] = distance;
    }
  shares.fixedBits = (waves - 1) & ~used;
  return shares;
}

} // namespace gluonc::codegen::amd

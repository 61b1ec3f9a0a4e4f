#include "sim/machine/Footprints.h"

#include "llvm/Support/xxhash.h"

namespace gluonc::sim {

void noteGlobalAccess(Cta &cta, const Range &range, uint64_t address, uint64_t bytes, bool writes) {
  constexpr unsigned offsetBits = 40;
  const uint64_t begin = (llvm::xxh3_64bits(range.name()) << offsetBits) + (address - range.base());
  cta.noteTouched(Footprint::Space::Global, begin, bytes, writes);
}

} // namespace gluonc::sim

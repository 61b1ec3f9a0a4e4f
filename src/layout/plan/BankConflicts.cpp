#include "layout/plan/BankPhases.h"
#include "layout/plan/Conversion.h"
#include "layout/plan/MatrixAccess.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

namespace gluonc::layout {

int64_t wavefronts(llvm::ArrayRef<int64_t> words) {
  llvm::SmallVector<int64_t, 32> distinct(words);
  llvm::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::array<int64_t, sharedBanks> load{};
  for (int64_t word : distinct)
    ++load[word % sharedBanks];
  return *llvm::max_element(load);
}

std::vector<SharedPhase> phasesOf(const LinearLayout &map, const RegisterVectors &vectors,
                                  unsigned elementBits,
                                  llvm::function_ref<int64_t(int64_t)> physical) {
  GL_CHECK(elementBits >= 8);
  int64_t elementBytes = elementBits / 8;
  int64_t vectorBytes = elementBytes << vectors.log2;
  int64_t together = lanesPerPhase(vectorBytes), step = std::min(sharedWordBytes, vectorBytes);
  int64_t lanes = map.inSize(Dim::Lane);

  std::vector<SharedPhase> phases;
  for (auto [access, registers] : llvm::enumerate(vectors.vectors))
    for (int64_t first = 0; first < lanes; first += together) {
      SharedPhase phase{static_cast<unsigned>(access), first, vectorBytes / step, {}};
      for (int64_t lane = first; lane < std::min(lanes, first + together); ++lane) {
        uint64_t place = map.applyPacked(
            map.packIn({{Dim::Register, registers[0]}, {Dim::Lane, static_cast<uint32_t>(lane)}}));
        int64_t offset = map.outComponent(place, Dim::Offset);
        int64_t start = (physical ? physical(offset) : offset) * elementBytes;
        for (int64_t byte = start; byte < start + vectorBytes; byte += step)
          phase.words.push_back(byte / sharedWordBytes);
      }
      phases.push_back(std::move(phase));
    }
  return phases;
}

int64_t countBankConflicts(const LinearLayout &map, const RegisterVectors &vectors,
                           unsigned elementBits, llvm::function_ref<int64_t(int64_t)> physical) {
  int64_t sum = 0;
  for (const SharedPhase &phase : phasesOf(map, vectors, elementBits, physical))
    sum += wavefronts(phase.words) - 1;
  return sum;
}

int64_t countMatrixWavefronts(const LinearLayout &map, const MatrixAccess &access,
                              unsigned elementBits) {
  constexpr unsigned rows = 8, rowWords = 4;
  int64_t sum = 0;
  for (uint32_t base : access.bases) {
    int64_t first =
        map.outComponent(map.applyPacked(map.packIn({{Dim::Register, base}})), Dim::Offset);
    for (unsigned matrix = 0; matrix != access.matrices(); ++matrix) {
      llvm::SmallVector<int64_t, rows * rowWords> words;
      for (unsigned row = 0; row != rows; ++row) {
        int64_t place = first;
        for (auto [bit, image] : llvm::enumerate(access.laneImages))
          if ((rows * matrix + row) >> bit & 1)
            place ^= image;
        for (unsigned word = 0; word != rowWords; ++word)
          words.push_back(place * elementBits / 8 / sharedWordBytes + word);
      }
      sum += wavefronts(words);
    }
  }
  return sum;
}

int64_t bankConflicts(const LinearLayout &distributed, const LinearLayout &shared,
                      unsigned elementBits, llvm::function_ref<int64_t(int64_t)> physical,
                      int64_t maxElements) {
  std::optional<SharedAccessMap> access =
      mapToShared(distributed, shared, elementBits, 128, maxElements);
  GL_CHECK(access.has_value());
  int64_t most = 0;
  for (const SharedPhase &phase : phasesOf(access->map, access->vectors, elementBits, physical))
    most = std::max(most, wavefronts(phase.words) - 1);
  return most;
}

} // namespace gluonc::layout

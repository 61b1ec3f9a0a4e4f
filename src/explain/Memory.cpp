#include "explain/Memory.h"

#include "layout/plan/Conversion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::explain {

static std::optional<int64_t> strideOf(llvm::ArrayRef<ptx::Touch> touches) {
  llvm::SmallVector<int64_t, 32> steps;
  for (size_t i = 1; i < touches.size(); ++i)
    steps.push_back(static_cast<int64_t>(touches[i].address - touches[i - 1].address));
  for (int64_t step : steps)
    if (2 * llvm::count(steps, step) >= static_cast<ptrdiff_t>(steps.size()))
      return step;
  return std::nullopt;
}

SectorCount countSectors(llvm::ArrayRef<ptx::Touch> touches) {
  SectorCount count;
  count.stride = strideOf(touches);
  llvm::SmallVector<std::pair<uint64_t, uint64_t>, 32> ranges;
  for (const ptx::Touch &touch : touches)
    ranges.push_back({touch.address, touch.address + touch.bytes});
  llvm::sort(ranges);
  // Up to where bytes and sectors are counted.
  uint64_t end = 0, endOfSectors = 0;
  for (auto [first, last] : ranges) {
    if (first > end || !count.pieces) {
      ++count.pieces;
      count.misalignedPieces += first % sectorBytes != 0;
    }
    if (last > end)
      count.usedBytes += static_cast<unsigned>(last - std::max(first, end));
    end = std::max(end, last);
    uint64_t begin = std::max(first / sectorBytes, endOfSectors);
    uint64_t behind = llvm::divideCeil(last, uint64_t(sectorBytes));
    if (behind > begin)
      count.sectors += static_cast<unsigned>(behind - begin);
    endOfSectors = std::max(endOfSectors, behind);
  }
  count.idealSectors = llvm::divideCeil(count.usedBytes, sectorBytes);
  return count;
}

WavefrontCount countWavefronts(llvm::ArrayRef<ptx::Touch> touches) {
  WavefrontCount count;
  while (!touches.empty()) {
    int64_t together = layout::lanesPerPhase(touches.front().bytes);
    int64_t phase = touches.front().lane / together;
    llvm::SmallVector<int64_t, 32> words;
    auto isLater = [&](const ptx::Touch &touch) { return touch.lane / together != phase; };
    size_t size = std::distance(touches.begin(), llvm::find_if(touches, isLater));
    for (const ptx::Touch &touch : touches.take_front(size)) {
      auto first = static_cast<int64_t>(touch.address);
      for (int64_t word = first / layout::sharedWordBytes;
           word * layout::sharedWordBytes < first + touch.bytes; ++word)
        words.push_back(word);
    }
    count.wavefronts += static_cast<unsigned>(layout::wavefronts(words));
    ++count.ideal;
    touches = touches.drop_front(size);
  }
  return count;
}

} // namespace gluonc::explain

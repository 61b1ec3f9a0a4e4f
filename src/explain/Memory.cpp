#include "explain/Memory.h"

#include "layout/plan/Conversion.h"
#include "target/nvidia/Chips.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <map>

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

SectorCount countSectors(llvm::ArrayRef<ptx::Touch> touches, unsigned unit) {
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
      count.misalignedPieces += first % unit != 0;
    }
    if (last > end)
      count.usedBytes += static_cast<unsigned>(last - std::max(first, end));
    end = std::max(end, last);
    uint64_t begin = std::max(first / unit, endOfSectors);
    uint64_t behind = llvm::divideCeil(last, uint64_t(unit));
    if (behind > begin)
      count.sectors += static_cast<unsigned>(behind - begin);
    endOfSectors = std::max(endOfSectors, behind);
  }
  count.idealSectors = llvm::divideCeil(count.usedBytes, unit);
  return count;
}

/// Whether two phases of a load go together that begin with the first lane: both halves of the warp
/// of accesses of 8 bytes, both quarters of a half of those of 16. They do where the neighbour of
/// each lane, or the one behind it, wants the same or nothing.
static bool areTwoPhasesOne(llvm::ArrayRef<ptx::Touch> touches, unsigned together) {
  constexpr unsigned lanes = target::nvidia::warpSize;
  constexpr uint64_t nothing = ~uint64_t(0);
  const ptx::Touch &first = touches.front();
  if (together >= lanes || first.lane % (2 * together) >= together)
    return false;
  std::array<uint64_t, lanes> wanted;
  wanted.fill(nothing);
  for (const ptx::Touch &touch : touches)
    if (touch.lane / (2 * together) == first.lane / (2 * together))
      wanted[touch.lane] = touch.address;
  auto agree = [&](unsigned distance) {
    for (unsigned lane = 0; lane != lanes; ++lane)
      if (uint64_t one = wanted[lane], other = wanted[lane ^ distance];
          one != other && one != nothing && other != nothing)
        return false;
    return true;
  };
  return agree(1) || agree(2);
}

WavefrontCount countWavefronts(llvm::ArrayRef<ptx::Touch> touches, bool reads) {
  WavefrontCount count;
  while (!touches.empty()) {
    int64_t together = layout::lanesPerPhase(touches.front().bytes);
    int64_t phase = touches.front().lane / together;
    llvm::SmallVector<int64_t, 32> words;
    if (reads && areTwoPhasesOne(touches, unsigned(together)))
      together *= 2, phase /= 2;
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

/// Which lanes LDS serves together.
static unsigned groupOf(unsigned lane, unsigned together, bool isPermuted) {
  if (!isPermuted)
    return lane / together;
  // Eight fours of lanes: 0 and 5, 1 and 4, 2 and 7, 3 and 6.
  static constexpr unsigned groups[8] = {0, 1, 2, 3, 1, 0, 3, 2};
  const unsigned four = lane / 4;
  return four / std::size(groups) * 4 + groups[four % std::size(groups)];
}

/// The most different words of one bank.
static unsigned cyclesOf(llvm::SmallVectorImpl<uint64_t> &words, unsigned banks) {
  llvm::sort(words);
  words.erase(llvm::unique(words), words.end());
  llvm::SmallVector<unsigned, 64> counts(banks);
  for (uint64_t word : words)
    ++counts[word % banks];
  return *llvm::max_element(counts);
}

WavefrontCount countLdsCycles(llvm::ArrayRef<ptx::Touch> touches, unsigned banks, bool reads) {
  WavefrontCount count;
  if (touches.empty())
    return count;
  constexpr unsigned wordBytes = 4, widest = 16;
  const unsigned bytes = std::max(touches.front().bytes, wordBytes);
  // Only the widest accesses use more banks than 32.
  const unsigned used = bytes == widest ? banks : std::min(banks, 32u);
  const unsigned together = std::max(used * wordBytes / bytes, 1u);
  const bool isPermuted = reads && bytes == widest && used == 32;
  std::map<std::pair<unsigned, unsigned>, llvm::SmallVector<uint64_t, 64>> groups;
  // An instruction with two addresses serves one after the other.
  std::array<unsigned, 256> seen = {};
  for (const ptx::Touch &touch : touches) {
    auto &words = groups[{seen[touch.lane]++, groupOf(touch.lane, together, isPermuted)}];
    for (uint64_t word = touch.address / wordBytes; word * wordBytes < touch.address + touch.bytes;
         ++word)
      words.push_back(word);
  }
  for (auto &[group, words] : groups)
    count.wavefronts += cyclesOf(words, used);
  count.ideal = static_cast<unsigned>(groups.size());
  return count;
}

} // namespace gluonc::explain

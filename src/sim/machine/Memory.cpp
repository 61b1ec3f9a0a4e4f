#include "sim/machine/Memory.h"

#include <algorithm>

namespace gluonc::sim {

Range::Range(std::string name, uint64_t base, uint64_t bytes, bool writable, bool poisoned)
    : rangeName(std::move(name)), start(base), size(bytes), mayWrite(writable) {
  if (poisoned)
    written = std::make_unique<std::atomic<uint64_t>[]>(bytes / 64 + 1);
}

/// The bits of word `word` that belong to `[begin, end)`.
static uint64_t maskOf(uint64_t word, uint64_t begin, uint64_t end) {
  uint64_t low = word * 64;
  uint64_t mask = ~uint64_t(0);
  if (begin > low)
    mask &= ~uint64_t(0) << (begin - low);
  if (end < low + 64)
    mask &= ~uint64_t(0) >> (low + 64 - end);
  return mask;
}

void Range::markWritten(uint64_t address, uint64_t length) const {
  if (!written || length == 0)
    return;
  uint64_t begin = address - start, end = begin + length;
  for (uint64_t word = begin / 64; word <= (end - 1) / 64; ++word) {
    uint64_t mask = maskOf(word, begin, end);
    // A neighbour's program may set other bits of the same word meanwhile. Whole
    // words need no read-modify-write, and words that are full already none at all.
    if (mask == ~uint64_t(0))
      written[word].store(mask, std::memory_order_relaxed);
    else if ((written[word].load(std::memory_order_relaxed) & mask) != mask)
      written[word].fetch_or(mask, std::memory_order_relaxed);
  }
}

uint64_t Range::firstUnwritten(uint64_t address, uint64_t length) const {
  if (!written || length == 0)
    return length;
  uint64_t begin = address - start, end = begin + length;
  for (uint64_t word = begin / 64; word <= (end - 1) / 64; ++word) {
    uint64_t missing = ~written[word].load(std::memory_order_relaxed) & maskOf(word, begin, end);
    if (missing)
      return word * 64 + static_cast<uint64_t>(__builtin_ctzll(missing)) - begin;
  }
  return length;
}

bool Memory::insert(Ranges &ranges, std::unique_ptr<Range> range) {
  uint64_t start = range->base();
  auto after = std::lower_bound(ranges.begin(), ranges.end(), start,
                                [](const auto &range, uint64_t at) { return range->base() < at; });
  if (after != ranges.end() &&
      ((*after)->base() == start || (*after)->base() - start < range->bytes()))
    return false;
  if (after != ranges.begin() && start - after[-1]->base() < after[-1]->bytes())
    return false;
  ranges.insert(after, std::move(range));
  return true;
}

bool Memory::add(llvm::StringRef name, const void *base, uint64_t bytes, Access access,
                 Contents contents) {
  return insert(ranges, std::make_unique<Range>(name.str(), reinterpret_cast<uint64_t>(base), bytes,
                                                access == Access::ReadWrite,
                                                contents == Contents::Poisoned));
}

void Memory::addPart(llvm::StringRef name, const void *base, uint64_t bytes, Access access) {
  insert(parts, std::make_unique<Range>(name.str(), reinterpret_cast<uint64_t>(base), bytes,
                                        access == Access::ReadWrite, /*poisoned=*/false));
}

void Memory::remove(const void *base) {
  uint64_t start = reinterpret_cast<uint64_t>(base);
  std::erase_if(ranges, [&](const auto &range) { return range->base() == start; });
}

const Range *Memory::findIn(const Ranges &ranges, uint64_t address) {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                [](uint64_t at, const auto &range) { return at < range->base(); });
  if (after == ranges.begin() || !after[-1]->contains(address, 1))
    return nullptr;
  return after[-1].get();
}

const Range *Memory::findPart(uint64_t address) const {
  const Range *part = findIn(parts, address);
  return part ? part : find(address);
}

const Range *Memory::nearest(uint64_t address) const {
  const Range *best = nullptr;
  uint64_t bestDistance = ~uint64_t(0);
  for (const auto &range : ranges) {
    uint64_t end = range->base() + range->bytes();
    uint64_t distance = address < range->base() ? range->base() - address
                        : address >= end        ? address - end
                                                : 0;
    if (distance < bestDistance || !best) {
      best = range.get();
      bestDistance = distance;
    }
  }
  return best;
}

} // namespace gluonc::sim

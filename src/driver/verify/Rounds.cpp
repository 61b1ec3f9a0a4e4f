#include "driver/verify/Rounds.h"

#include "llvm/Support/MathExtras.h"

namespace gluonc::driver {

namespace {

/// SplitMix64.
struct Random {
  uint64_t state;

  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// Of 0 to count - 1; all 64 bits where `count` is 0, which stands for 2^64.
  uint64_t below(uint64_t count) { return count ? next() % count : next(); }
};

} // namespace

std::optional<IntegerRange> IntegerRange::parse(llvm::StringRef text) {
  size_t dots = text.find("..");
  IntegerRange range;
  if (dots == llvm::StringRef::npos || text.take_front(dots).trim().getAsInteger(10, range.low) ||
      text.drop_front(dots + 2).trim().getAsInteger(10, range.high))
    return std::nullopt;
  return range;
}

static int64_t drawAny(IntegerRange range, Random &random) {
  uint64_t count = static_cast<uint64_t>(range.high) - static_cast<uint64_t>(range.low) + 1;
  return static_cast<int64_t>(static_cast<uint64_t>(range.low) + random.below(count));
}

int64_t draw(IntegerRange range, llvm::ArrayRef<int64_t> blocks, uint64_t seed) {
  Random random{seed};
  uint64_t kind = random.below(4);
  if (kind == 0)
    return random.below(2) ? range.low : range.high;
  int64_t any = drawAny(range, random);
  if (kind == 1 || blocks.empty())
    return any;
  int64_t block = blocks[random.below(blocks.size())];
  auto offset = static_cast<int64_t>(random.below(3)) - 1;
  int64_t near = 0;
  if (llvm::AddOverflow(any / block * block, offset, near))
    return any;
  return std::clamp(near, range.low, range.high);
}

bool drawArguments(std::vector<ArgumentText> &arguments, uint64_t seed, std::string &empty) {
  std::vector<int64_t> blocks;
  for (const ArgumentText &argument : arguments) {
    int64_t block = 0;
    if (!llvm::StringRef(argument.value).trim().getAsInteger(10, block) && block > 1)
      blocks.push_back(block);
  }
  Random random{seed};
  for (ArgumentText &argument : arguments) {
    std::optional<IntegerRange> range = IntegerRange::parse(argument.value);
    if (!range)
      continue;
    if (range->low > range->high) {
      empty = argument.name;
      return false;
    }
    argument.value = std::to_string(draw(*range, blocks, random.next()));
  }
  return true;
}

uint64_t dataSeed(uint64_t seed) { return seed << 16; }

} // namespace gluonc::driver

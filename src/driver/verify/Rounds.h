//===- Rounds.h - Arguments that differ from round to round --------------------===//
//
// An argument `n=0..300` is another integer in each round. Bugs live at the ends of a
// range and around multiples of the sizes of blocks: three draws of four take one of these.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "driver/Arguments.h"

namespace gluonc::driver {

struct IntegerRange {
  /// Both included.
  int64_t low = 0, high = 0;
  /// "0..300"; nullopt for any other text.
  static std::optional<IntegerRange> parse(llvm::StringRef text);
};

/// An integer of the range: `seed` decides. `blocks` are sizes to be around the multiples of.
int64_t draw(IntegerRange range, llvm::ArrayRef<int64_t> blocks, uint64_t seed);

/// The arguments of one round: ranges are replaced by what `seed` draws from them, around the
/// multiples of the integers among the other arguments. False, with the name of the argument,
/// where a range is empty.
bool drawArguments(std::vector<ArgumentText> &arguments, uint64_t seed, std::string &empty);

/// Where the seeds of random tensors begin in the round of `seed`: those of `gluonc run` for 0.
uint64_t dataSeed(uint64_t seed);

} // namespace gluonc::driver

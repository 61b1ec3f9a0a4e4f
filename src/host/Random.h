//===- Random.h - Seeded test data -------------------------------------------===//
//
// Element i of a tensor with seed s depends on i and s alone, so that data are
// the same on every machine and for any number of threads:
//
//   h(s, i)   = mix(mix(s) + 0x9E3779B97F4A7C15 * (i + 1)), mix the finalizer of
//               SplitMix64
//   rand      top 53 bits of h(s, i) as a fraction in [0, 1)
//   randn     Box-Muller on the halves of h(s, i / 2); even i takes the cosine
//   randint   low + the high word of h(s, i) * (high - low)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "host/Tensor.h"

namespace gluonc::host {

enum class Distribution { Uniform, Normal };

/// Overwrites a row-major tensor of floats or integers.
void fillRandom(const Tensor &tensor, Distribution distribution, uint64_t seed);
/// Integers in [low, high); needs low < high.
void fillRandomIntegers(const Tensor &tensor, int64_t low, int64_t high, uint64_t seed);
/// Replaces about one element in sixteen of a row-major tensor of floats, as `seed` decides: by an
/// infinity, NaN, a zero, the largest number, the smallest normal one or half of it, of either
/// sign. What the type does not have becomes what it rounds to.
void placeOddValues(const Tensor &tensor, uint64_t seed);

} // namespace gluonc::host

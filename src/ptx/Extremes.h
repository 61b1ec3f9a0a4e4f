//===- Extremes.h - The least or the greatest of numbers -----------------------------===//
//
// As min, max, redux and tcgen05.ld.red choose it: a NaN loses, unless `.NaN`; -0 is less than
// +0; with `.abs` magnitudes are compared and are the result.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Numbers.h"

#include <optional>

namespace gluonc::ptx {

class FloatExtreme {
public:
  explicit FloatExtreme(const Instruction &instruction)
      : greatest(instruction.has("max")), spreads(instruction.has("NaN")),
        magnitudes(instruction.has("abs")), flushes(instruction.has("ftz")) {}
  /// Of `min` and `max`, which are not modifiers.
  FloatExtreme(const Instruction &instruction, bool greatest) : FloatExtreme(instruction) {
    this->greatest = greatest;
  }

  void add(double value) {
    if (flushes)
      value = flush(float(value));
    if (std::isnan(value)) {
      sawNan = true;
      return;
    }
    if (magnitudes)
      value = std::fabs(value);
    if (!best || (value == *best ? std::signbit(value) != greatest : (value < *best) != greatest))
      best = value;
  }
  /// None for a NaN.
  std::optional<double> result() const { return sawNan && spreads ? std::nullopt : best; }
  uint64_t bits(Type type) const {
    uint64_t nan = type.bits == 64                   ? canonicalNan64
                   : type.bits == 32 && !type.packed ? canonicalNan32
                                                     : 0x7fff;
    return result() ? encodeFloat(type, *best, Round::Nearest) : nan;
  }

private:
  bool greatest, spreads, magnitudes, flushes, sawNan = false;
  std::optional<double> best;
};

} // namespace gluonc::ptx

//===- Speeds.h - How fast AMD's chips are, as AMD says -----------------------------===//
#pragma once

#include "target/Target.h"

#include <string_view>

namespace gluonc::target::amd {

/// Of a product of matrix cores, additions and multiplications counted, of a compute unit and
/// cycle.
struct MatrixRates {
  unsigned f64, f32, tf32, bits16, bits8, bits4;
};

/// Published figures: data sheets of the Instinct MI300X and MI355X, white papers of CDNA 3 and 4,
/// at the highest clock.
struct Speeds {
  /// Of LLVM, and of the card.
  const char *chip, *name;
  unsigned computeUnits;
  double megahertz;
  /// Of device memory.
  double bytesOfSecond;
  /// Bytes that the vector cache of a compute unit gives in a cycle.
  unsigned vectorCacheBytes;
  MatrixRates matrix;
};

/// Null for a chip of which none are known.
const Speeds *speedsOf(const Target &target);

/// Operations of a matrix instruction in a cycle of a compute unit: "v_mfma_f32_32x32x8_f16". 0
/// where it is none, or the chip does not have it.
unsigned matrixRateOf(const Speeds &speeds, std::string_view mnemonic);

} // namespace gluonc::target::amd

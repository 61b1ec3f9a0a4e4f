#include "target/amd/Speeds.h"

#include "target/amd/Chips.h"

namespace gluonc::target::amd {

static constexpr Speeds known[] = {
    {"gfx942", "MI300X", 304, 2100, 5.3e12, 64, {256, 256, 1024, 2048, 4096, 0}},
    {"gfx950", "MI355X", 256, 2400, 8.0e12, 64, {128, 256, 0, 4096, 8192, 16384}},
};

const Speeds *speedsOf(const Target &target) {
  const Chip *chip = target.amdChip();
  for (const Speeds &speeds : known)
    if (chip && chip->name == speeds.chip)
      return &speeds;
  return nullptr;
}

unsigned matrixRateOf(const Speeds &speeds, std::string_view name) {
  const MatrixRates &rates = speeds.matrix;
  // Of sparse ones half of the operations need not be done.
  const bool isSparse = name.starts_with("v_smfmac");
  if (!name.starts_with("v_mfma") && !isSparse)
    return 0;
  if (name.ends_with("_xf32"))
    return rates.tf32;
  // What operands are is behind the shape: "…_32x32x8_f16", "…_16x16x32_fp8_bf8".
  const size_t shape = name.rfind('x'), behind = name.find('_', shape);
  if (shape == name.npos || behind == name.npos)
    return 0;
  const std::string_view operands = name.substr(behind);
  auto has = [&](std::string_view type) { return operands.find(type) != operands.npos; };
  if (has("f8f6f4"))
    return rates.bits4;
  if (has("f64"))
    return rates.f64;
  if (has("f32"))
    return rates.f32;
  const unsigned dense = has("f16") ? rates.bits16 : has("8") ? rates.bits8 : 0;
  return isSparse ? 2 * dense : dense;
}

} // namespace gluonc::target::amd

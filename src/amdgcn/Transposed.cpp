//===- Transposed.cpp - Loads that exchange elements among lanes -----------------===//
//
// Every lane names a run of elements. The low bits of a result's lane say which
// element of a run it gets; which lane's run that is, is said by bits, from low to
// high: m bits of the result's place in its registers, n further bits of its lane,
// the other bits of the place, the other bits of the lane.
//
//===----------------------------------------------------------------------===//
#include "amdgcn/Transposed.h"

namespace gluonc::amdgcn {

bool readTransposed(llvm::StringRef name, const Chip &chip, Instruction &instruction) {
  Product &how = instruction.product;
  Access &access = instruction.access;
  auto set = [&](unsigned bytes, unsigned bits, unsigned registerBits, unsigned laneBits) {
    access.bytes = static_cast<uint8_t>(bytes);
    how.k = static_cast<uint16_t>(bits);
    how.m = static_cast<uint16_t>(registerBits);
    how.n = static_cast<uint16_t>(laneBits);
    return true;
  };
  if (chip.is950) {
    if (name == "b64_tr_b16")
      return set(8, 16, 0, 2);
    if (name == "b64_tr_b8")
      return set(8, 8, 0, 1);
    if (name == "b64_tr_b4")
      return set(8, 4, 0, 0);
    return name == "b96_tr_b6" && set(12, 6, 0, 0);
  }
  if (name == "16_b128" || name == "_b128")
    return set(16, 16, 0, 0);
  if (name == "8_b64" || name == "_b64")
    return set(8, 8, 2, 1);
  if (name == "4_b64")
    return set(8, 4, 3, 1);
  return name == "6_b96" && set(12, 6, 3, 1);
}

static uint32_t elementAt(const uint8_t *run, unsigned index, unsigned bits) {
  uint32_t value = 0;
  for (unsigned bit = 0; bit != bits; ++bit) {
    unsigned at = index * bits + bit;
    value |= uint32_t(run[at / 8] >> at % 8 & 1) << bit;
  }
  return value;
}

void transpose(Step &step, const Product &how, const uint8_t (*runs)[16]) {
  unsigned bytes = step.instruction.access.bytes;
  unsigned elements = bytes * 8 / how.k;
  unsigned places = static_cast<unsigned>(std::countr_zero(elements));
  unsigned laneBits = static_cast<unsigned>(std::countr_zero(step.wave.lanes));
  for (unsigned lane = 0; lane != step.wave.lanes; ++lane) {
    uint8_t result[16] = {};
    for (unsigned element = 0; element != elements; ++element) {
      unsigned from = 0, at = 0;
      auto take = [&](unsigned value, unsigned first, unsigned end) {
        for (unsigned bit = first; bit < end; ++bit)
          from |= (value >> bit & 1) << at++;
      };
      take(element, 0, how.m);
      take(lane, places, places + how.n);
      take(element, how.m, places);
      take(lane, places + how.n, laneBits);
      uint32_t value = elementAt(runs[from], lane & (elements - 1), how.k);
      for (unsigned bit = 0; bit != how.k; ++bit) {
        unsigned place = element * how.k + bit;
        result[place / 8] |= static_cast<uint8_t>((value >> bit & 1) << place % 8);
      }
    }
    for (unsigned word = 0; word != bytes / 4; ++word)
      std::memcpy(step.wave.row(step.operand(0).reg + word) + lane, result + 4 * word, 4);
  }
}

} // namespace gluonc::amdgcn

//===- Payload.h - Elements as payloads, for the sanitizer of floating point ------===//
#pragma once

#include "numeric/FloatPayload.h"
#include "sim/machine/Elements.h"

#include <cstring>

namespace gluonc::sim {

/// Of a kind of floats.
const numeric::FloatPayload &payloadOf(ElementKind kind);

/// The bits of element `index`.
inline uint64_t readBits(const uint8_t *elements, uint64_t index, uint32_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, elements + index * bytes, bytes);
  return bits;
}
inline void writeBits(uint8_t *elements, uint64_t index, uint32_t bytes, uint64_t bits) {
  std::memcpy(elements + index * bytes, &bits, bytes);
}

} // namespace gluonc::sim

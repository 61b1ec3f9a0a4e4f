//===- FloatPayload.h - Floats as elements of a ring of integers ----------------===//
//
// Triton's sanitizer of floating point (fpsan) replaces every float of w bits by an
// integer modulo 2^w, its payload, such that 0 is 0, 1 is 1 and -1 is -1. Sums and products of
// payloads are those of integers, so computations that are equal as algebra have equal bits,
// whatever their order; other functions are chosen to keep some identities, or are mere tags. The
// formulas are Triton's (docs/sanitizers.md).
//
// Payloads are held in 64 bits, of which those above w are zero.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

namespace gluonc::numeric {

/// Functions that are tags: equal operands give equal results, and that is all. In the order of
/// their numbers.
enum class PayloadTag : uint8_t {
  Exp,
  Log,
  Exp2,
  Log2,
  Cos,
  Sin,
  Sqrt,
  Rsqrt,
  Erf,
  Floor,
  Ceil,
  PreciseSqrt
};

/// The ring of one width.
class PayloadRing {
public:
  explicit PayloadRing(unsigned bits) : bits(bits), mask(~uint64_t(0) >> (64 - bits)) {}

  uint64_t wrap(uint64_t value) const { return value & mask; }
  /// With its sign in all 64 bits.
  int64_t toSigned(uint64_t payload) const {
    return static_cast<int64_t>(payload << (64 - bits)) >> (64 - bits);
  }

  uint64_t divide(uint64_t l, uint64_t r) const { return wrap(l * inverse(r)); }
  uint64_t remainder(uint64_t l, uint64_t r) const;
  uint64_t minimum(uint64_t l, uint64_t r) const { return toSigned(l) < toSigned(r) ? l : r; }
  uint64_t maximum(uint64_t l, uint64_t r) const { return toSigned(l) < toSigned(r) ? r : l; }
  /// The inverse of an odd number; an involution of the even ones.
  uint64_t inverse(uint64_t value) const;
  /// exp2(x + y) = exp2(x) * exp2(y).
  uint64_t exp2(uint64_t x) const;
  uint64_t exp(uint64_t x) const;
  /// The sum formulas hold, and cos^2 + sin^2 = 1.
  struct CosSin {
    uint64_t cos, sin;
  };
  CosSin cosSin(uint64_t x) const;
  uint64_t tag(PayloadTag function, uint64_t x) const;
  uint64_t rotateLeft(uint64_t value, unsigned amount) const;
  /// The payload of another width that one of this width is converted to; `truncates` keeps sums at
  /// the price of what is lost above.
  uint64_t convert(uint64_t payload, PayloadRing to, bool truncates) const;

  unsigned bits;
  uint64_t mask;
};

/// A format of floats, with the map between their bits and payloads.
class FloatPayload {
public:
  /// `one` is the encoding of 1.
  FloatPayload(unsigned bits, uint64_t one);

  uint64_t embed(uint64_t encoding) const;
  uint64_t unembed(uint64_t payload) const;

  PayloadRing ring;

  /// What `embed` and `unembed` compute with, all below the sign bit: for who makes code of them.
  /// With a sign the second multiplier is the negative one.
  struct Constants {
    uint64_t magnitude, first, second, firstInverse, secondInverse;
    unsigned shift;
  };
  Constants constants() const {
    return {magnitude, first, second[0], firstInverse, secondInverse[0], shift};
  }

private:
  uint64_t sign, magnitude;
  unsigned shift;
  uint64_t first, firstInverse;
  /// Of payloads without and with the sign bit.
  uint64_t second[2], secondInverse[2];
};

/// A hash of a text, the same everywhere.
uint64_t payloadHash(std::string_view text);

} // namespace gluonc::numeric

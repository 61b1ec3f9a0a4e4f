#include "numeric/FloatPayload.h"

#include <bit>

namespace gluonc::numeric {

/// Modulo 2^64, by Newton's iteration: each step doubles the bits that are right.
static uint64_t inverseOfOdd(uint64_t odd) {
  uint64_t x = 2 - odd;
  for (unsigned right = 2; right < 64; right *= 2)
    x *= 2 - odd * x;
  return x;
}

//===----------------------------------------------------------------------===//
// The ring
//===----------------------------------------------------------------------===//

uint64_t PayloadRing::inverse(uint64_t value) const {
  return wrap((inverseOfOdd(value | 1) & ~uint64_t(1)) | (value & 1));
}

uint64_t PayloadRing::remainder(uint64_t l, uint64_t r) const {
  // An odd divisor is never 0; -1 would overflow for the lowest number.
  int64_t divisor = toSigned(r | 1);
  return divisor == -1 ? 0 : wrap(static_cast<uint64_t>(toSigned(l) % divisor));
}

/// (1 + 2^k)^x with k a quarter of the bits: behind the third, binomial terms are 0.
uint64_t PayloadRing::exp2(uint64_t x) const {
  const unsigned k = (bits + 3) / 4;
  uint64_t choose2 = wrap(x * (x - 1)) >> 1;
  // Of the third coefficient only the low bits stay, and those repeat.
  const unsigned kept = bits - 3 * k;
  uint64_t low = x & ((uint64_t(1) << (kept + 1)) - 1);
  uint64_t choose3 = wrap(low * wrap(low - 1) * wrap(low - 2)) / 6;
  return wrap(1 + (x << k) + (choose2 << 2 * k) + (choose3 << 3 * k));
}

uint64_t PayloadRing::exp(uint64_t x) const {
  constexpr uint64_t log2OfE = 0x26a29a75;
  return exp2(wrap(x * log2OfE));
}

/// (3/5, 4/5) on the unit circle, turned: powers of -3/5 + 4/5 i, bit by bit from the highest.
PayloadRing::CosSin PayloadRing::cosSin(uint64_t x) const {
  const uint64_t fifth = inverseOfOdd(5), a = 0 - 3 * fifth, b = 4 * fifth;
  uint64_t c = 1, s = 0;
  for (unsigned bit = bits; bit-- > 0;) {
    uint64_t cosine = c * c - s * s, sine = 2 * c * s;
    bool isSet = x >> bit & 1;
    c = isSet ? a * cosine - b * sine : cosine;
    s = isSet ? a * sine + b * cosine : sine;
  }
  return {wrap(c), wrap(s)};
}

/// The last steps of the hash Murmur3.
static uint64_t mix(uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccd;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53;
  return h ^ h >> 33;
}

uint64_t PayloadRing::tag(PayloadTag function, uint64_t x) const {
  constexpr uint64_t odd = 314159;
  return wrap(((x * odd) ^ mix(static_cast<uint64_t>(function))) * odd);
}

uint64_t PayloadRing::rotateLeft(uint64_t value, unsigned amount) const {
  amount %= bits;
  return amount ? wrap(value << amount | value >> (bits - amount)) : value;
}

uint64_t PayloadRing::convert(uint64_t payload, PayloadRing to, bool truncates) const {
  if (to.bits >= bits || truncates)
    return to.wrap(static_cast<uint64_t>(toSigned(payload)));
  // What is lost above, as far as it is more than a sign, is folded into what stays.
  const uint64_t multiplier = (3511 & to.mask) * (~uint64_t(0) / to.mask);
  uint64_t low = to.wrap(payload);
  uint64_t residual = wrap(payload ^ static_cast<uint64_t>(to.toSigned(low)));
  uint64_t high = to.wrap(wrap(residual * multiplier) >> (bits - to.bits));
  return low ^ high ^ high >> to.bits / 2;
}

//===----------------------------------------------------------------------===//
// Encodings
//===----------------------------------------------------------------------===//

static uint64_t xorShifted(uint64_t value, unsigned shift) { return value ^ value >> shift; }

FloatPayload::FloatPayload(unsigned bits, uint64_t one)
    : ring(bits), sign(uint64_t(1) << (bits - 1)), magnitude(sign - 1),
      shift(static_cast<unsigned>(std::countr_zero(one))) {
  first = 14940041 & magnitude;
  firstInverse = inverseOfOdd(first) & magnitude;
  // The second multiplier takes 1 to 1, with a sign to -1.
  second[0] = inverseOfOdd(xorShifted(one * first & magnitude, shift)) & magnitude;
  second[1] = second[0] * magnitude & magnitude;
  for (unsigned i = 0; i != 2; ++i)
    secondInverse[i] = inverseOfOdd(second[i]) & magnitude;
}

uint64_t FloatPayload::embed(uint64_t encoding) const {
  const bool isNegative = encoding & sign;
  uint64_t mixed = xorShifted(encoding * first & magnitude, shift);
  return (mixed * second[isNegative] & magnitude) | (isNegative ? sign : 0);
}

uint64_t FloatPayload::unembed(uint64_t payload) const {
  const bool isNegative = payload & sign;
  uint64_t mixed = payload * secondInverse[isNegative] & magnitude;
  for (unsigned distance = shift; distance < ring.bits; distance *= 2)
    mixed = xorShifted(mixed, distance);
  return (mixed * firstInverse & magnitude) | (isNegative ? sign : 0);
}

/// FNV-1a.
uint64_t payloadHash(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (char c : text) {
    hash ^= static_cast<uint8_t>(c);
    hash *= 1099511628211u;
  }
  return hash;
}

} // namespace gluonc::numeric

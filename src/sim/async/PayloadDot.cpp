// Matrix products over payloads: exact, in any order.
#include "sim/async/Dot.h"
#include "sim/machine/Payload.h"

#include <algorithm>

namespace gluonc::sim {

using numeric::FloatPayload, numeric::PayloadRing;

/// The payloads of a tile, in the ring of sums.
static std::vector<uint64_t> payloadsOf(ElementKind kind, const uint8_t *elements, uint64_t count,
                                        const PayloadRing &ring) {
  const FloatPayload &format = payloadOf(kind);
  const uint32_t bytes = byteSize(kind);
  std::vector<uint64_t> payloads(count);
  for (uint64_t i = 0; i < count; ++i)
    payloads[i] =
        format.ring.convert(format.embed(readBits(elements, i, bytes)), ring, /*truncates=*/false);
  return payloads;
}

/// sums += a * b, modulo 2^64.
static void accumulate(const uint64_t *a, const uint64_t *b, uint32_t rows, uint32_t columns,
                       uint32_t depth, std::vector<uint64_t> &sums) {
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t k = 0; k < depth; ++k) {
      const uint64_t factor = a[uint64_t(row) * depth + k];
      const uint64_t *line = b + uint64_t(k) * columns;
      uint64_t *sum = sums.data() + uint64_t(row) * columns;
      for (uint32_t column = 0; column < columns; ++column)
        sum[column] += factor * line[column];
    }
}

static void store(const std::vector<uint64_t> &sums, ElementKind kind, uint8_t *result) {
  const FloatPayload &format = payloadOf(kind);
  for (size_t i = 0; i < sums.size(); ++i)
    writeBits(result, i, byteSize(kind), format.unembed(format.ring.wrap(sums[i])));
}

void computePayloadDot(const DotData &data, const uint8_t *a, const uint8_t *b, const uint8_t *c,
                       uint8_t *result) {
  const DotShape &shape = data.shape;
  const PayloadRing &ring = payloadOf(data.result).ring;
  const uint64_t aCount = uint64_t(shape.rows) * shape.depth,
                 bCount = uint64_t(shape.depth) * shape.columns,
                 count = uint64_t(shape.rows) * shape.columns, bytes = byteSize(data.result);
  for (uint32_t batch = 0; batch < shape.batches; ++batch) {
    std::vector<uint64_t> left =
        payloadsOf(data.a, a + batch * aCount * byteSize(data.a), aCount, ring);
    std::vector<uint64_t> right =
        payloadsOf(data.b, b + batch * bCount * byteSize(data.b), bCount, ring);
    std::vector<uint64_t> sums(count);
    if (c)
      sums = payloadsOf(data.result, c + batch * count * bytes, count, ring);
    accumulate(left.data(), right.data(), shape.rows, shape.columns, shape.depth, sums);
    store(sums, data.result, result + batch * count * bytes);
  }
}

//===----------------------------------------------------------------------===//
// With scales
//===----------------------------------------------------------------------===//

/// What operands with scales are multiplied by those in.
static constexpr ElementKind kCompute = ElementKind::BF16;

/// 8-bit floats have payloads; codes of 4 bits are theirs.
static uint64_t scaledPayload(ScaledDot::Element element, uint8_t bits) {
  if (element == ScaledDot::Element::E2M1)
    return bits & 15;
  const FloatPayload &format =
      payloadOf(element == ScaledDot::Element::E4M3 ? ElementKind::F8E4M3FN : ElementKind::F8E5M2);
  return format.ring.convert(format.embed(bits), payloadOf(kCompute).ring, false);
}

static uint64_t scalePayload(uint8_t bits, bool isFloat) {
  const FloatPayload &format = payloadOf(kCompute);
  constexpr unsigned mantissaBits = 7;
  return isFloat ? scaledPayload(ScaledDot::Element::E4M3, bits)
                 : format.embed(uint64_t(bits) << mantissaBits);
}

/// An operand times its scales, in the ring of f32. Element (line, k) is at line * depth + k of `a`
/// and k * lines + line of `b`; two codes of 4 bits share a byte along k.
static std::vector<uint64_t> scaledOperand(const ScaledDot &dot, bool isA, const uint8_t *elements,
                                           const uint8_t *scales) {
  const ScaledDot::Element element = isA ? dot.a : dot.b;
  const uint32_t lines = isA ? dot.rows : dot.columns, blocks = dot.depth / dot.block;
  const uint32_t perByte = element == ScaledDot::Element::E2M1 ? 2 : 1;
  const PayloadRing &narrow = payloadOf(kCompute).ring, &wide = payloadOf(ElementKind::F32).ring;
  std::vector<uint64_t> payloads(uint64_t(lines) * dot.depth);
  for (uint32_t line = 0; line < lines; ++line)
    for (uint32_t k = 0; k < dot.depth; ++k) {
      const uint64_t byte = isA ? uint64_t(line) * (dot.depth / perByte) + k / perByte
                                : uint64_t(k / perByte) * lines + line;
      const auto bits = uint8_t(elements[byte] >> (perByte == 2 && k % 2 ? 4 : 0));
      const uint64_t scale = scalePayload(scales[uint64_t(line) * blocks + k / dot.block],
                                          isA ? dot.hasFloatScales : dot.hasFloatScalesB);
      payloads[isA ? uint64_t(line) * dot.depth + k : uint64_t(k) * lines + line] =
          narrow.convert(narrow.wrap(scaledPayload(element, bits) * scale), wide, false);
    }
  return payloads;
}

void computePayloadDot(const ScaledDot &dot, const uint8_t *a, const uint8_t *b,
                       const uint8_t *aScale, const uint8_t *bScale, const float *c,
                       float *result) {
  const uint64_t count = uint64_t(dot.rows) * dot.columns;
  const std::vector<uint64_t> left = scaledOperand(dot, true, a, aScale),
                              right = scaledOperand(dot, false, b, bScale);
  std::vector<uint64_t> sums(count);
  if (c)
    sums = payloadsOf(ElementKind::F32, reinterpret_cast<const uint8_t *>(c), count,
                      payloadOf(ElementKind::F32).ring);
  accumulate(left.data(), right.data(), dot.rows, dot.columns, dot.depth, sums);
  store(sums, ElementKind::F32, reinterpret_cast<uint8_t *>(result));
}

} // namespace gluonc::sim

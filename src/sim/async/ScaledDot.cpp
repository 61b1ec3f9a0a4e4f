#include "sim/async/Dot.h"

#include "numeric/FloatFormats.h"

#include <cmath>
#include <limits>

namespace gluonc::sim {
namespace {

using Element = ScaledDot::Element;

const numeric::FloatFormat &formatOf(Element element) {
  return element == Element::E4M3   ? numeric::kF8E4M3FN
         : element == Element::E5M2 ? numeric::kF8E5M2
                                    : numeric::kF4E2M1;
}

/// The values of all encodings.
std::array<float, 256> valuesOf(Element element) {
  std::array<float, 256> values;
  const uint32_t mask = element == Element::E2M1 ? 0xf : 0xff;
  for (uint32_t bits = 0; bits < 256; ++bits)
    values[bits] = float(numeric::decode(formatOf(element), bits & mask));
  return values;
}

/// `count` lines of `length` elements; those of 4 bits share bytes along the lines, or, if not
/// `alongLines`, with the line below.
void decode(Element element, const uint8_t *from, uint32_t count, uint32_t length, bool alongLines,
            std::vector<float> &to) {
  const std::array<float, 256> values = valuesOf(element);
  const uint32_t perByte = element == Element::E2M1 ? 2 : 1;
  to.resize(uint64_t(count) * length);
  for (uint32_t line = 0; line < count; ++line)
    for (uint32_t at = 0; at < length; ++at) {
      const uint64_t byte = alongLines ? uint64_t(line) * (length / perByte) + at / perByte
                                       : uint64_t(line / perByte) * length + at;
      const uint32_t second = perByte == 2 && (alongLines ? at : line) % 2;
      to[uint64_t(line) * length + at] = values[from[byte] >> 4 * second];
    }
}

double scaleOf(uint8_t bits, bool isFloat) {
  if (isFloat)
    return numeric::decode(numeric::kF8E4M3FN, bits & 0x7f);
  return bits == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - 127);
}

} // namespace

void computeDot(const ScaledDot &dot, const uint8_t *a, const uint8_t *b, const uint8_t *aScale,
                const uint8_t *bScale, const float *c, float *result) {
  if (dot.sanitized)
    return computePayloadDot(dot, a, b, aScale, bScale, c, result);
  static thread_local std::vector<float> left, right, part, sums;
  static thread_local std::vector<double> ofColumns;
  ofColumns.resize(dot.columns);
  const uint32_t blocks = dot.depth / dot.block;
  decode(dot.a, a, dot.rows, dot.depth, /*alongLines=*/true, left);
  decode(dot.b, b, dot.depth, dot.columns, /*alongLines=*/false, right);
  const uint64_t count = uint64_t(dot.rows) * dot.columns;
  part.resize(uint64_t(dot.rows) * dot.block);
  sums.resize(count);
  for (uint64_t i = 0; i < count; ++i)
    result[i] = c ? c[i] : 0;
  DotData each;
  each.a = each.b = each.result = ElementKind::F32;
  // Products of elements are exact in f32, as those of tf32 are.
  each.shape = {1, dot.rows, dot.columns, dot.block, /*truncatesToTf32=*/true};
  for (uint32_t block = 0; block < blocks; ++block) {
    for (uint32_t row = 0; row < dot.rows; ++row)
      std::copy_n(left.data() + uint64_t(row) * dot.depth + block * dot.block, dot.block,
                  part.data() + uint64_t(row) * dot.block);
    computeDot(
        each, reinterpret_cast<const uint8_t *>(part.data()),
        reinterpret_cast<const uint8_t *>(right.data() + uint64_t(block) * dot.block * dot.columns),
        nullptr, reinterpret_cast<uint8_t *>(sums.data()));
    for (uint32_t column = 0; column < dot.columns; ++column)
      ofColumns[column] = scaleOf(bScale[uint64_t(column) * blocks + block], dot.hasFloatScalesB);
    for (uint32_t row = 0; row < dot.rows; ++row) {
      const double ofRow = scaleOf(aScale[uint64_t(row) * blocks + block], dot.hasFloatScales);
      for (uint32_t column = 0; column < dot.columns; ++column) {
        const uint64_t i = uint64_t(row) * dot.columns + column;
        result[i] = float(result[i] + sums[i] * ofRow * ofColumns[column]);
      }
    }
  }
}

} // namespace gluonc::sim

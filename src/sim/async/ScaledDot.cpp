#include "sim/async/Dot.h"

#include "numeric/FloatFormats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace gluonc::sim {
namespace {

//===----------------------------------------------------------------------===//
// Operands and scales as numbers
//===----------------------------------------------------------------------===//

using Element = ScaledDot::Element;

// Blocks of kRows x kPanel sums stay in registers; b lies in panels of kPanel columns.
constexpr uint32_t kRows = 4, kPanel = 16;
typedef float Floats __attribute__((vector_size(32)));
typedef float FourFloats __attribute__((vector_size(16)));
typedef double Doubles __attribute__((vector_size(32)));

const numeric::FloatFormat &formatOf(Element element) {
  return element == Element::E4M3   ? numeric::kF8E4M3FN
         : element == Element::E5M2 ? numeric::kF8E5M2
                                    : numeric::kF4E2M1;
}

/// The values of all encodings.
const std::array<float, 256> &valuesOf(Element element) {
  static const auto tables = [] {
    std::array<std::array<float, 256>, 3> all;
    for (Element each : {Element::E4M3, Element::E5M2, Element::E2M1})
      for (uint32_t bits = 0; bits < 256; ++bits)
        all[size_t(each)][bits] =
            float(numeric::decode(formatOf(each), bits & (each == Element::E2M1 ? 0xf : 0xff)));
    return all;
  }();
  return tables[size_t(element)];
}

/// What a product works on: operands, scales by block along K, and sums, `stride` to a line.
struct Decoded {
  std::vector<float> left, panels, sums;
  std::vector<double> ofRows, ofColumns;
  uint32_t stride = 0;
};

/// Elements of a, those of 4 bits two to a byte.
void decodeRows(Element element, const uint8_t *from, std::vector<float> &to) {
  const std::array<float, 256> &values = valuesOf(element);
  if (element != Element::E2M1) {
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = values[from[i]];
    return;
  }
  for (size_t i = 0; i + 1 < to.size(); i += 2) {
    to[i] = values[from[i / 2] & 0xf];
    to[i + 1] = values[from[i / 2] >> 4];
  }
}

/// b in panels; elements of 4 bits share bytes with the line below. Columns beyond the last are
/// zero.
void decodePanels(const ScaledDot &dot, const uint8_t *from, Decoded &to) {
  const std::array<float, 256> &values = valuesOf(dot.b);
  const bool sharesBytes = dot.b == Element::E2M1;
  to.panels.assign(uint64_t(to.stride) * dot.depth, 0);
  for (uint32_t k = 0; k < dot.depth; ++k) {
    const uint8_t *line = from + uint64_t(sharesBytes ? k / 2 : k) * dot.columns;
    const uint32_t shift = sharesBytes ? 4 * (k % 2) : 0, mask = sharesBytes ? 0xf : 0xff;
    for (uint32_t first = 0; first < dot.columns; first += kPanel) {
      float *panel = to.panels.data() + uint64_t(first) * dot.depth + uint64_t(k) * kPanel;
      const uint32_t width = std::min(kPanel, dot.columns - first);
      for (uint32_t i = 0; i < width; ++i)
        panel[i] = values[line[first + i] >> shift & mask];
    }
  }
}

double scaleOf(uint8_t bits, bool isFloat) {
  if (isFloat)
    return numeric::decode(numeric::kF8E4M3FN, bits & 0x7f);
  return bits == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - 127);
}

/// The scales of `lines` rows or columns: those of one block along K, `stride` of them, behind
/// those of another.
void decodeScales(const uint8_t *from, bool areFloats, uint32_t lines, uint32_t blocks,
                  uint32_t stride, std::vector<double> &to) {
  std::array<double, 256> values;
  for (uint32_t bits = 0; bits < 256; ++bits)
    values[bits] = scaleOf(uint8_t(bits), areFloats);
  to.assign(uint64_t(blocks) * stride, 0);
  for (uint32_t line = 0; line < lines; ++line)
    for (uint32_t block = 0; block < blocks; ++block)
      to[uint64_t(block) * stride + line] = values[from[uint64_t(line) * blocks + block]];
}

//===----------------------------------------------------------------------===//
// The inner loops
//===----------------------------------------------------------------------===//

/// Adds the sums of a block, scaled, to four of a line.
__attribute__((always_inline)) inline void addScaled(const float *part, double ofRow,
                                                     const double *ofColumns, float *sums) {
  FourFloats before, block;
  Doubles columns;
  std::memcpy(&before, sums, sizeof before);
  std::memcpy(&block, part, sizeof block);
  std::memcpy(&columns, ofColumns, sizeof columns);
  const Doubles row = {ofRow, ofRow, ofRow, ofRow};
  const Doubles scaled = __builtin_convertvector(block, Doubles) * row * columns;
  const FourFloats after =
      __builtin_convertvector(__builtin_convertvector(before, Doubles) + scaled, FourFloats);
  std::memcpy(sums, &after, sizeof after);
}

/// Multiplies `kCount` rows at `a` with the lines of a block at `panel`. Products of elements are
/// exact in f32, so it does not show whether the host fuses.
template <uint32_t kCount>
__attribute__((always_inline)) inline void
addBlock(const ScaledDot &dot, const float *a, const float *panel, const double *ofRows,
         const double *ofColumns, float *sums, uint32_t stride) {
  Floats low[kCount] = {}, high[kCount] = {};
  for (uint32_t k = 0; k < dot.block; ++k) {
    Floats left, right;
    std::memcpy(&left, panel + uint64_t(k) * kPanel, sizeof left);
    std::memcpy(&right, panel + uint64_t(k) * kPanel + 8, sizeof right);
    for (uint32_t row = 0; row < kCount; ++row) {
      const float scalar = a[uint64_t(row) * dot.depth + k];
      const Floats factor = {scalar, scalar, scalar, scalar, scalar, scalar, scalar, scalar};
      low[row] += factor * left;
      high[row] += factor * right;
    }
  }
  for (uint32_t row = 0; row < kCount; ++row) {
    float part[kPanel];
    std::memcpy(part, &low[row], sizeof low[row]);
    std::memcpy(part + 8, &high[row], sizeof high[row]);
    for (uint32_t i = 0; i < kPanel; i += 4)
      addScaled(part + i, ofRows[row], ofColumns + i, sums + uint64_t(row) * stride + i);
  }
}

__attribute__((always_inline)) inline void addBlocks(const ScaledDot &dot, Decoded &work) {
  const uint32_t stride = work.stride;
  for (uint32_t first = 0; first < stride; first += kPanel)
    for (uint32_t k = 0; k < dot.depth; k += dot.block) {
      const uint64_t block = k / dot.block;
      const float *panel = work.panels.data() + uint64_t(first) * dot.depth + uint64_t(k) * kPanel;
      const double *ofColumns = work.ofColumns.data() + block * stride + first;
      const double *ofRows = work.ofRows.data() + block * dot.rows;
      const float *left = work.left.data() + k;
      float *sums = work.sums.data() + first;
      uint32_t row = 0;
      for (; row + kRows <= dot.rows; row += kRows)
        addBlock<kRows>(dot, left + uint64_t(row) * dot.depth, panel, ofRows + row, ofColumns,
                        sums + uint64_t(row) * stride, stride);
      for (; row < dot.rows; ++row)
        addBlock<1>(dot, left + uint64_t(row) * dot.depth, panel, ofRows + row, ofColumns,
                    sums + uint64_t(row) * stride, stride);
    }
}

__attribute__((target("avx2,fma"))) void addBlocksWithFma(const ScaledDot &dot, Decoded &work) {
  addBlocks(dot, work);
}

} // namespace

void computeDot(const ScaledDot &dot, const uint8_t *a, const uint8_t *b, const uint8_t *aScale,
                const uint8_t *bScale, const float *c, float *result) {
  if (dot.sanitized)
    return computePayloadDot(dot, a, b, aScale, bScale, c, result);
  static thread_local Decoded work;
  work.stride = (dot.columns + kPanel - 1) / kPanel * kPanel;
  work.left.resize(uint64_t(dot.rows) * dot.depth);
  decodeRows(dot.a, a, work.left);
  decodePanels(dot, b, work);
  const uint32_t blocks = dot.depth / dot.block;
  decodeScales(aScale, dot.hasFloatScales, dot.rows, blocks, dot.rows, work.ofRows);
  decodeScales(bScale, dot.hasFloatScalesB, dot.columns, blocks, work.stride, work.ofColumns);
  work.sums.assign(uint64_t(dot.rows) * work.stride, 0);
  for (uint32_t row = 0; c && row < dot.rows; ++row)
    std::copy_n(c + uint64_t(row) * dot.columns, dot.columns,
                work.sums.data() + uint64_t(row) * work.stride);
  static const bool hasFma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  hasFma ? addBlocksWithFma(dot, work) : addBlocks(dot, work);
  for (uint32_t row = 0; row < dot.rows; ++row)
    std::copy_n(work.sums.data() + uint64_t(row) * work.stride, dot.columns,
                result + uint64_t(row) * dot.columns);
}

} // namespace gluonc::sim

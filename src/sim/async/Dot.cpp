#include "sim/async/Dot.h"

#include "sim/machine/Cta.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gluonc::sim {

//===----------------------------------------------------------------------===//
// Conversion to the type that sums are formed in
//===----------------------------------------------------------------------===//

static float truncateToTf32(float value) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffffe000u);
}

/// Bytes have few values: each is decoded once.
template <class E> static const std::array<float, 256> &decodedBytes() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> all;
    for (unsigned bits = 0; bits < 256; ++bits)
      all[bits] = E::load(uint8_t(bits));
    return all;
  }();
  return table;
}

__attribute__((target("avx2,f16c"))) static void halvesToFloats(const uint16_t *from,
                                                                uint64_t count, float *to) {
  for (uint64_t i = 0; i < count; ++i)
    to[i] = std::bit_cast<_Float16>(from[i]);
}

static void toFloats(ElementKind kind, const uint8_t *from, uint64_t count, bool tf32, float *to) {
  static const bool hasF16c = __builtin_cpu_supports("f16c") && __builtin_cpu_supports("avx2");
  withFloatElement(kind, [&](auto element) {
    using E = decltype(element);
    const auto *values = reinterpret_cast<const StorageOf<E> *>(from);
    if constexpr (std::is_same_v<E, F16>)
      if (hasF16c)
        return halvesToFloats(values, count, to);
    if constexpr (sizeof(StorageOf<E>) == 1) {
      const std::array<float, 256> &table = decodedBytes<E>();
      for (uint64_t i = 0; i < count; ++i)
        to[i] = table[values[i]];
    } else if constexpr (std::is_same_v<E, F32>) {
      for (uint64_t i = 0; i < count; ++i)
        to[i] = tf32 ? truncateToTf32(values[i]) : values[i];
    } else if constexpr (!std::is_same_v<E, F64>) {
      for (uint64_t i = 0; i < count; ++i)
        to[i] = E::load(values[i]);
    }
  });
}

//===----------------------------------------------------------------------===//
// The inner loops
//===----------------------------------------------------------------------===//

// Blocks of kRows x kPanel sums stay in registers; b lies in panels of kPanel columns.
static constexpr uint32_t kRows = 4, kPanel = 16;
typedef float Vector __attribute__((vector_size(32)));

/// Adds a * panel to the rows x kPanel sums at `sums`. The products of narrow floats are
/// exact in f32, so it does not show whether the host fuses; f32 operands ask for it.
template <uint32_t kCount, bool kFused>
__attribute__((always_inline)) static inline void
multiplyRows(const float *a, const float *panel, uint32_t depth, float *sums, uint32_t stride) {
  Vector low[kCount], high[kCount];
  for (uint32_t row = 0; row < kCount; ++row) {
    std::memcpy(&low[row], sums + row * stride, sizeof(Vector));
    std::memcpy(&high[row], sums + row * stride + 8, sizeof(Vector));
  }
  for (uint32_t k = 0; k < depth; ++k) {
    Vector left, right;
    std::memcpy(&left, panel + uint64_t(k) * kPanel, sizeof(Vector));
    std::memcpy(&right, panel + uint64_t(k) * kPanel + 8, sizeof(Vector));
    for (uint32_t row = 0; row < kCount; ++row) {
      float scalar = a[uint64_t(row) * depth + k];
      Vector factor = {scalar, scalar, scalar, scalar, scalar, scalar, scalar, scalar};
      if constexpr (kFused) {
        low[row] = __builtin_elementwise_fma(factor, left, low[row]);
        high[row] = __builtin_elementwise_fma(factor, right, high[row]);
      } else {
        low[row] += factor * left;
        high[row] += factor * right;
      }
    }
  }
  for (uint32_t row = 0; row < kCount; ++row) {
    std::memcpy(sums + row * stride, &low[row], sizeof(Vector));
    std::memcpy(sums + row * stride + 8, &high[row], sizeof(Vector));
  }
}

template <bool kFused>
__attribute__((always_inline)) static inline void
multiplyPanels(const float *a, const float *panels, uint32_t rows, uint32_t depth,
               uint32_t panelCount, float *sums) {
  const uint32_t stride = panelCount * kPanel;
  for (uint32_t index = 0; index < panelCount; ++index) {
    const float *panel = panels + uint64_t(index) * depth * kPanel;
    uint32_t row = 0;
    for (; row + kRows <= rows; row += kRows)
      multiplyRows<kRows, kFused>(a + uint64_t(row) * depth, panel, depth,
                                  sums + uint64_t(row) * stride + index * kPanel, stride);
    for (; row < rows; ++row)
      multiplyRows<1, kFused>(a + uint64_t(row) * depth, panel, depth,
                              sums + uint64_t(row) * stride + index * kPanel, stride);
  }
}

__attribute__((target("avx2,fma"))) static void multiplyWithFma(const float *a, const float *panels,
                                                                uint32_t rows, uint32_t depth,
                                                                uint32_t panelCount, float *sums) {
  multiplyPanels<true>(a, panels, rows, depth, panelCount, sums);
}

static void multiplyFloats(const float *a, const float *panels, uint32_t rows, uint32_t depth,
                           uint32_t panelCount, float *sums, bool exact) {
  static const bool hasFma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  if (hasFma)
    multiplyWithFma(a, panels, rows, depth, panelCount, sums);
  else if (exact)
    multiplyPanels<false>(a, panels, rows, depth, panelCount, sums);
  else
    multiplyPanels<true>(a, panels, rows, depth, panelCount, sums);
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// Memory that is kept from dot to dot.
struct Workspace {
  std::vector<float> a, b, panels, sums;
};

/// `b`, row-major, in panels; columns beyond its own are zero.
static void packPanels(const std::vector<float> &b, uint32_t depth, uint32_t columns,
                       std::vector<float> &panels) {
  uint32_t panelCount = (columns + kPanel - 1) / kPanel;
  panels.resize(uint64_t(panelCount) * depth * kPanel);
  for (uint32_t index = 0; index < panelCount; ++index) {
    uint32_t width = std::min(kPanel, columns - index * kPanel);
    float *panel = panels.data() + uint64_t(index) * depth * kPanel;
    for (uint32_t k = 0; k < depth; ++k, panel += kPanel) {
      const float *row = b.data() + uint64_t(k) * columns + index * kPanel;
      if (width == kPanel) {
        std::memcpy(panel, row, kPanel * sizeof(float));
        continue;
      }
      std::copy_n(row, width, panel);
      std::fill(panel + width, panel + kPanel, 0.0f);
    }
  }
}

template <class Out>
static void runFloatDot(const DotData &data, const uint8_t *a, const uint8_t *b,
                        const StorageOf<Out> *c, StorageOf<Out> *result) {
  static thread_local Workspace work;
  const auto [batches, rows, columns, depth, tf32, saturates] = data.shape;
  const uint64_t aCount = uint64_t(rows) * depth, bCount = uint64_t(depth) * columns;
  const uint32_t panelCount = (columns + kPanel - 1) / kPanel, stride = panelCount * kPanel;
  work.a.resize(aCount);
  work.b.resize(bCount);
  work.sums.resize(uint64_t(rows) * stride);
  const bool exact = data.a != ElementKind::F32 || tf32;
  for (uint32_t batch = 0; batch < batches; ++batch) {
    toFloats(data.a, a + batch * aCount * byteSize(data.a), aCount, tf32, work.a.data());
    toFloats(data.b, b + batch * bCount * byteSize(data.b), bCount, tf32, work.b.data());
    packPanels(work.b, depth, columns, work.panels);
    std::fill(work.sums.begin(), work.sums.end(), 0.0f);
    for (uint32_t row = 0; c && row < rows; ++row)
      std::transform(c + uint64_t(row) * columns, c + uint64_t(row + 1) * columns,
                     work.sums.begin() + uint64_t(row) * stride, Out::load);
    multiplyFloats(work.a.data(), work.panels.data(), rows, depth, panelCount, work.sums.data(),
                   exact);
    for (uint32_t row = 0; row < rows; ++row) {
      const float *sums = work.sums.data() + uint64_t(row) * stride;
      std::transform(sums, sums + columns, result + uint64_t(row) * columns, Out::store);
    }
    c += c ? uint64_t(rows) * columns : 0;
    result += uint64_t(rows) * columns;
  }
}

static void runDoubleDot(const DotShape &shape, const double *a, const double *b, const double *c,
                         double *result) {
  for (uint32_t batch = 0; batch < shape.batches; ++batch) {
    for (uint32_t row = 0; row < shape.rows; ++row) {
      for (uint32_t column = 0; column < shape.columns; ++column)
        result[column] = c ? c[column] : 0;
      for (uint32_t k = 0; k < shape.depth; ++k) {
        const double *line = b + uint64_t(k) * shape.columns;
        for (uint32_t column = 0; column < shape.columns; ++column)
          result[column] = std::fma(a[k], line[column], result[column]);
      }
      a += shape.depth;
      c += c ? shape.columns : 0;
      result += shape.columns;
    }
    b += uint64_t(shape.depth) * shape.columns;
  }
}

template <class A, class B>
static void runIntegerDot(const DotShape &shape, const A *a, const B *b, const int32_t *c,
                          int32_t *result) {
  constexpr uint32_t kStepsOfAnInstruction = 32;
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  static thread_local std::vector<int64_t> sums;
  for (uint32_t batch = 0; batch < shape.batches; ++batch) {
    for (uint32_t row = 0; row < shape.rows; ++row) {
      sums.assign(shape.columns, 0);
      if (c)
        std::copy_n(c, shape.columns, sums.begin());
      for (uint32_t k = 0; k < shape.depth; ++k) {
        const int64_t factor = a[k];
        const B *line = b + uint64_t(k) * shape.columns;
        for (uint32_t column = 0; column < shape.columns; ++column)
          sums[column] += factor * line[column];
        if (shape.saturates && k % kStepsOfAnInstruction == kStepsOfAnInstruction - 1)
          for (int64_t &sum : sums)
            sum = std::clamp(sum, kLeast, kMost);
      }
      for (uint32_t column = 0; column < shape.columns; ++column)
        result[column] = static_cast<int32_t>(sums[column]);
      a += shape.depth;
      c += c ? shape.columns : 0;
      result += shape.columns;
    }
    b += uint64_t(shape.depth) * shape.columns;
  }
}

static void runIntegerDot(const DotData &data, const uint8_t *a, const uint8_t *b, const int32_t *c,
                          int32_t *result) {
  const auto *signedA = reinterpret_cast<const int8_t *>(a);
  const auto *signedB = reinterpret_cast<const int8_t *>(b);
  if (data.unsignedA && data.unsignedB)
    runIntegerDot(data.shape, a, b, c, result);
  else if (data.unsignedA)
    runIntegerDot(data.shape, a, signedB, c, result);
  else if (data.unsignedB)
    runIntegerDot(data.shape, signedA, b, c, result);
  else
    runIntegerDot(data.shape, signedA, signedB, c, result);
}

static bool isNarrowFloat(ElementKind kind) { return isFloat(kind) && kind != ElementKind::F64; }

bool isDot(ElementKind a, ElementKind b, ElementKind result) {
  if (isNarrowFloat(a) && isNarrowFloat(b))
    // Kinds differ only in the same number of bytes.
    return byteSize(a) == byteSize(b) && (result == ElementKind::F32 || result == ElementKind::F16);
  return a == b && ((a == ElementKind::I8 && result == ElementKind::I32) ||
                    (a == ElementKind::F64 && result == ElementKind::F64));
}

void computeDot(const DotData &data, const uint8_t *a, const uint8_t *b, const uint8_t *c,
                uint8_t *result) {
  if (data.sanitized && isFloat(data.result))
    computePayloadDot(data, a, b, c, result);
  else if (data.result == ElementKind::F32)
    runFloatDot<F32>(data, a, b, reinterpret_cast<const float *>(c),
                     reinterpret_cast<float *>(result));
  else if (data.result == ElementKind::F16)
    runFloatDot<F16>(data, a, b, reinterpret_cast<const uint16_t *>(c),
                     reinterpret_cast<uint16_t *>(result));
  else if (data.result == ElementKind::F64)
    runDoubleDot(data.shape, reinterpret_cast<const double *>(a),
                 reinterpret_cast<const double *>(b), reinterpret_cast<const double *>(c),
                 reinterpret_cast<double *>(result));
  else
    runIntegerDot(data, a, b, reinterpret_cast<const int32_t *>(c),
                  reinterpret_cast<int32_t *>(result));
}

void runDot(const Instruction &instruction, Cta &cta) {
  const Slot *operands = instruction.operands;
  bool usesC = instruction.operandCount < 4 || *cta.at<uint8_t>(operands[3]);
  computeDot(static_cast<const DotData &>(*instruction.data), cta.at<uint8_t>(operands[0]),
             cta.at<uint8_t>(operands[1]), usesC ? cta.at<uint8_t>(operands[2]) : nullptr,
             cta.at<uint8_t>(instruction.result));
}

} // namespace gluonc::sim

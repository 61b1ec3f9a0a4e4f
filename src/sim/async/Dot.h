//===- Dot.h - Matrix products -----------------------------------------------===//
#pragma once

#include "sim/machine/Elements.h"
#include "sim/machine/Program.h"

namespace gluonc::sim {

/// result = a * b + c, for each of `batches`; b is depth x columns. Sums run in the order
/// of K. They are formed in f32 for floats up to 32 bits, with one rounding for each
/// step, for f64 likewise, for integers without loss.
struct DotShape {
  uint32_t batches = 1, rows = 0, columns = 0, depth = 0;
  /// f32 operands lose the mantissa bits that tensor cores do not look at.
  bool truncatesToTf32 = false;
  /// Integers: what each instruction of tensor cores gives, 32 steps on, is clamped to 32 bits,
  /// not wrapped at the end.
  bool saturates = false;
};

struct DotData : OpData {
  DotShape shape;
  ElementKind a, b, result;
  /// Floats are payloads.
  bool sanitized = false;
  /// Of I8.
  bool unsignedA = false, unsignedB = false;
};

/// Whether there is a dot of these kinds.
bool isDot(ElementKind a, ElementKind b, ElementKind result);
/// `c` may be null, for zeros.
void computeDot(const DotData &data, const uint8_t *a, const uint8_t *b, const uint8_t *c,
                uint8_t *result);
/// A product whose operands have a scale for every `block` elements along K. Elements are bytes:
/// 8-bit floats, or two 4-bit ones along K.
struct ScaledDot {
  enum class Element : uint8_t { E4M3, E5M2, E2M1 };
  uint32_t rows = 0, columns = 0, depth = 0, block = 32;
  Element a = Element::E4M3, b = Element::E4M3;
  /// Of a and of b. Else a power of two: its exponent plus 127; 255 is no number.
  bool hasFloatScales = false, hasFloatScalesB = false;
  bool sanitized = false;
};
/// Sums are f32: of each block the sum of products, then its scales. `c` may be null, for zeros.
void computeDot(const ScaledDot &dot, const uint8_t *a, const uint8_t *b, const uint8_t *aScale,
                const uint8_t *bScale, const float *c, float *result);

/// Both in the ring of the sanitizer of floating point (PayloadDot.cpp).
void computePayloadDot(const DotData &data, const uint8_t *a, const uint8_t *b, const uint8_t *c,
                       uint8_t *result);
void computePayloadDot(const ScaledDot &dot, const uint8_t *a, const uint8_t *b,
                       const uint8_t *aScale, const uint8_t *bScale, const float *c, float *result);

/// Operands of the instruction: a, b, c, all spelled out; perhaps a flag without which
/// c counts as zero.
void runDot(const Instruction &instruction, Cta &cta);

} // namespace gluonc::sim

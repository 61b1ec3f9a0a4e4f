#include "target/nvidia/TensorMemory.h"

namespace gluonc::target::nvidia::tcgen05 {

using enum MatrixElement;

std::string_view name(Kind kind) {
  switch (kind) {
  case Kind::F16:
    return "f16";
  case Kind::Tf32:
    return "tf32";
  case Kind::F8F6F4:
    return "f8f6f4";
  case Kind::I8:
    return "i8";
  case Kind::Mxf8f6f4:
    return "mxf8f6f4";
  case Kind::Mxf4:
    return "mxf4";
  case Kind::Mxf4Nvf4:
    return "mxf4nvf4";
  }
}

std::optional<Kind> kindOf(MatrixElement a, MatrixElement b, MatrixElement sum) {
  if (isFloat8(a) && isFloat8(b))
    return sum == F16 || sum == F32 ? std::optional(Kind::F8F6F4) : std::nullopt;
  if (a != b)
    return std::nullopt;
  if (a == F16 && (sum == F16 || sum == F32))
    return Kind::F16;
  if (a == BF16 && sum == F32)
    return Kind::F16;
  if (a == F32 && sum == F32)
    return Kind::Tf32;
  if (a == I8 && sum == I32)
    return Kind::I8;
  return std::nullopt;
}

std::optional<Kind> scaledKindOf(MatrixElement a, MatrixElement b, ScaleElement scale,
                                 unsigned block) {
  auto isNarrow = [](MatrixElement element) { return isFloat8(element) || element == E2M1; };
  if (!isNarrow(a) || !isNarrow(b))
    return std::nullopt;
  const bool areNibbles = a == E2M1 && b == E2M1;
  // Bytes for each 16 elements are of yet another type, which these chips lack.
  if (block == 16)
    return areNibbles && scale == ScaleElement::UE4M3 ? std::optional(Kind::Mxf4Nvf4)
                                                      : std::nullopt;
  if (block != 32 || scale != ScaleElement::UE8M0)
    return std::nullopt;
  return areNibbles ? Kind::Mxf4 : Kind::Mxf8f6f4;
}

unsigned depth(Kind kind, unsigned elementBits) {
  return packsNibbles(kind)       ? matrixDepth(4)
         : kind == Kind::Mxf8f6f4 ? matrixDepth(8)
                                  : matrixDepth(elementBits);
}

bool has(const Target &target, Kind kind) {
  if (!target.isNvidia())
    return false;
  const unsigned chip = target.computeCapability();
  if (kind == Kind::I8)
    return chip == 100 || chip == 110;
  return chip >= 100 && chip < 120;
}

bool hasColumns(Kind kind, unsigned rows, unsigned n, unsigned ctas) {
  const unsigned step = 8 * ctas;
  if (n < step || n > maxColumns || n % step)
    return false;
  // Of integers 8, 16, 24, 32 and multiples of 16, with two CTAs twice as many.
  return kind != Kind::I8 || (ctas == 1 && n <= 32) || n % (2 * step) == 0;
}

/// How the descriptor names the type of an operand.
static uint32_t operandCode(MatrixElement element, bool isUnsigned) {
  switch (element) {
  case BF16:
  case E5M2:
    return 1;
  case F32:
    return 2;
  case I8:
    return isUnsigned ? 0 : 1;
  case E2M1:
    return 5;
  default:
    return 0;
  }
}

// Bits: 4-5 type of the sum, 7-9 and 10-12 of a and b, 15 and 16 whether they are transposed,
// 17-22 N / 8, 24-28 M / 16.
// Of scaled kinds: 4-5 and 29-30 the first scale of b and a, 23 their type, 24-28 as above. Where
// all elements are nibbles, their code is 1.
uint32_t instructionDescriptor(const Form &form) {
  if (isScaled(form.kind)) {
    auto code = [&](MatrixElement element) {
      return packsNibbles(form.kind) ? 1 : operandCode(element, false);
    };
    return form.scaleByte << 4 | code(form.a) << 7 | code(form.b) << 10 |
           uint32_t(form.transposesA) << 15 | uint32_t(form.transposesB) << 16 |
           form.columns / 8 << 17 | uint32_t(form.scale == ScaleElement::UE8M0) << 23 |
           form.rows / 16 << 24 | form.scaleByte << 29;
  }
  const uint32_t sum = form.sum == F16 ? 0 : form.sum == F32 ? 1 : 2;
  return sum << 4 | operandCode(form.a, form.unsignedA) << 7 |
         operandCode(form.b, form.unsignedB) << 10 | uint32_t(form.transposesA) << 15 |
         uint32_t(form.transposesB) << 16 | form.columns / 8 << 17 | form.rows / 16 << 24;
}

} // namespace gluonc::target::nvidia::tcgen05

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

bool has(const Target &target, Kind kind) {
  if (!target.isNvidia())
    return false;
  const unsigned chip = target.computeCapability();
  if (kind == Kind::I8)
    return chip == 100 || chip == 110;
  return chip >= 100 && chip < 120;
}

bool hasColumns(Kind kind, unsigned rows, unsigned n) {
  if (n < 8 || n > maxColumns || n % 8)
    return false;
  // Of integers 8, 16, 24, 32 and multiples of 16; 64 rows of floats take any multiple of 8.
  return kind != Kind::I8 || n <= 32 || n % 16 == 0;
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
  default:
    return 0;
  }
}

// Bits: 4-5 type of the sum, 7-9 and 10-12 of a and b, 15 and 16 whether they are transposed,
// 17-22 N / 8, 24-28 M / 16.
uint32_t instructionDescriptor(const Form &form) {
  const uint32_t sum = form.sum == F16 ? 0 : form.sum == F32 ? 1 : 2;
  return sum << 4 | operandCode(form.a, form.unsignedA) << 7 |
         operandCode(form.b, form.unsignedB) << 10 | uint32_t(form.transposesA) << 15 |
         uint32_t(form.transposesB) << 16 | form.columns / 8 << 17 | form.rows / 16 << 24;
}

} // namespace gluonc::target::nvidia::tcgen05

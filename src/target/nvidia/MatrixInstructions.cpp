#include "target/nvidia/MatrixInstructions.h"

namespace gluonc::target::nvidia {

using enum MatrixElement;

std::string_view operandName(MatrixElement element) {
  switch (element) {
  case F16:
    return "f16";
  case BF16:
    return "bf16";
  case F32:
    return "tf32";
  case F64:
    return "f64";
  case E4M3:
    return "e4m3";
  case E5M2:
    return "e5m2";
  case I8:
    return "s8";
  case I32:
    return "";
  }
}

std::string_view sumName(MatrixElement element) {
  return element == F32 ? "f32" : element == I32 ? "s32" : operandName(element);
}

/// What both instructions have.
static bool multipliesAlike(MatrixElement a, MatrixElement b, MatrixElement sum) {
  if (a != b)
    return false;
  switch (a) {
  case F16:
    return sum == F16 || sum == F32;
  case BF16:
  case F32:
    return sum == F32;
  case I8:
    return sum == I32;
  default:
    return false;
  }
}

bool mma::multiplies(MatrixElement a, MatrixElement b, MatrixElement sum) {
  if (isFloat8(a) && isFloat8(b))
    return sum == F32;
  return multipliesAlike(a, b, sum) || (a == F64 && b == F64 && sum == F64);
}

bool wgmma::multiplies(MatrixElement a, MatrixElement b, MatrixElement sum) {
  if (isFloat8(a) && isFloat8(b))
    return sum == F16 || sum == F32;
  return multipliesAlike(a, b, sum);
}

} // namespace gluonc::target::nvidia

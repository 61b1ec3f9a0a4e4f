#include "ptx/Numbers.h"

#include "llvm/ADT/APFloat.h"

namespace gluonc::ptx {

using llvm::APFloat;

static APFloat::roundingMode modeOf(Round round) {
  switch (round) {
  case Round::Nearest:
    return APFloat::rmNearestTiesToEven;
  case Round::Zero:
    return APFloat::rmTowardZero;
  case Round::Down:
    return APFloat::rmTowardNegative;
  case Round::Up:
    return APFloat::rmTowardPositive;
  }
  return APFloat::rmNearestTiesToEven;
}

uint64_t encodeFloat(Type type, double value, Round round) {
  if (type.bits == 64)
    return std::isnan(value) ? canonicalNan64 : bitsOf(value);
  if (type.bits == 32 && !type.packed) {
    if (std::isnan(value))
      return canonicalNan32;
    if (round == Round::Nearest)
      return bitsOf(static_cast<float>(value));
    APFloat number(value);
    bool lossy;
    number.convert(APFloat::IEEEsingle(), modeOf(round), &lossy);
    return bitsOf(number.convertToFloat());
  }
  const numeric::FloatFormat &format =
      type.kind == TypeKind::BFloat ? numeric::kBF16 : numeric::kF16;
  return numeric::encode(
      format, value,
      round == Round::Zero ? numeric::Rounding::TowardZero : numeric::Rounding::NearestEven,
      round == Round::Zero ? numeric::Overflow::Saturate : numeric::Overflow::Infinity);
}

template <typename T> static T exact(const APFloat &value) {
  if constexpr (sizeof(T) == sizeof(float))
    return value.convertToFloat();
  else
    return value.convertToDouble();
}

/// The number next to the correctly rounded root in the wanted direction, if that is not exact.
template <typename T> static T squareRoot(T a, Round round) {
  T root = std::sqrt(a);
  if (round == Round::Nearest || !std::isfinite(root) || root == 0)
    return root;
  APFloat rest(root);
  rest.fusedMultiplyAdd(APFloat(root), APFloat(-a), APFloat::rmNearestTiesToEven);
  T error = exact<T>(rest);
  if (error > 0 && round != Round::Up)
    return std::nextafter(root, T(0));
  if (error < 0 && round == Round::Up)
    return std::nextafter(root, std::numeric_limits<T>::infinity());
  return root;
}

template <typename T> T roundedArithmetic(char operation, T a, T b, T c, Round round) {
  if (operation == 's')
    return squareRoot(a, round);
  if (round == Round::Nearest)
    return operation == '+'   ? a + b
           : operation == '-' ? a - b
           : operation == '*' ? a * b
           : operation == '/' ? a / b
                              : std::fma(a, b, c);
  APFloat result(a), second(b), third(c);
  APFloat::roundingMode mode = modeOf(round);
  if (operation == '+')
    result.add(second, mode);
  else if (operation == '-')
    result.subtract(second, mode);
  else if (operation == '*')
    result.multiply(second, mode);
  else if (operation == '/')
    result.divide(second, mode);
  else
    result.fusedMultiplyAdd(second, third, mode);
  return exact<T>(result);
}

template float roundedArithmetic(char, float, float, float, Round);
template double roundedArithmetic(char, double, double, double, Round);

} // namespace gluonc::ptx

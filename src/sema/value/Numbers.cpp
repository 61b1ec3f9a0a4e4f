#include "sema/value/Numbers.h"

#include "sema/eval/Work.h"
#include "sema/value/Arithmetic.h"
#include "sema/value/Text.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

#include <charconv>
#include <cmath>

namespace gluonc::sema {

using llvm::APFloat;
using llvm::APInt;

static constexpr auto nearestEven = APFloat::rmNearestTiesToEven;

static std::optional<double> finite(APFloat value) {
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), nearestEven, &losesInfo);
  return value.isInfinity() ? std::nullopt : std::optional(value.convertToDouble());
}

std::optional<double> toDouble(const APInt &value) {
  APFloat result(APFloat::IEEEdouble());
  result.convertFromAPInt(value, /*IsSigned=*/true, nearestEven);
  return finite(result);
}

APInt truncated(double value) {
  // The largest float64 is below 2^1024.
  llvm::APSInt whole(1025, /*isUnsigned=*/false);
  bool isExact = false;
  APFloat(value).convertToInteger(whole, APFloat::rmTowardZero, &isExact);
  return whole;
}

std::partial_ordering compareExactly(const APInt &lhs, double rhs) {
  if (std::isnan(rhs))
    return std::partial_ordering::unordered;
  if (std::isinf(rhs))
    return rhs < 0 ? std::partial_ordering::greater : std::partial_ordering::less;
  APInt whole = truncated(rhs);
  unsigned bits = std::max(lhs.getBitWidth(), whole.getBitWidth());
  APInt a = lhs.sext(bits), b = whole.sext(bits);
  if (a != b)
    return a.slt(b) ? std::partial_ordering::less : std::partial_ordering::greater;
  return std::trunc(rhs) <=> rhs;
}

// -- Division ------------------------------------------------------------------

static APInt magnitude(const APInt &value) { return value.sext(value.getBitWidth() + 1).abs(); }

void spendOnProduct(const APInt &lhs, const APInt &rhs) {
  spend(uint64_t(lhs.getNumWords()) * rhs.getNumWords());
}

std::optional<double> divide(const APInt &lhs, const APInt &rhs) {
  APInt a = magnitude(lhs), b = magnitude(rhs);
  // A quotient of some 66 bits, whose last stands for all that follow: float128 holds it, so that
  // the one rounding is that to float64.
  int shift = 66 + int(b.getActiveBits()) - int(a.getActiveBits());
  unsigned bits = std::max(a.getBitWidth(), b.getBitWidth()) + unsigned(std::abs(shift));
  a = a.zext(bits);
  b = b.zext(bits);
  (shift < 0 ? b : a) <<= unsigned(std::abs(shift));
  spendOnProduct(a, b);
  APInt quotient, remainder;
  APInt::udivrem(a, b, quotient, remainder);
  if (!remainder.isZero())
    quotient.setBit(0);
  APFloat result(APFloat::IEEEquad());
  result.convertFromAPInt(quotient, /*IsSigned=*/false, nearestEven);
  result = scalbn(result, -shift, nearestEven);
  if (lhs.isNegative() != rhs.isNegative())
    result.changeSign();
  return finite(result);
}

double floorRemainder(double lhs, double rhs) {
  double remainder = std::fmod(lhs, rhs);
  if (remainder == 0)
    return std::copysign(0.0, rhs);
  return (remainder < 0) == (rhs < 0) ? remainder : remainder + rhs;
}

double floorQuotient(double lhs, double rhs) {
  double remainder = std::fmod(lhs, rhs);
  double quotient = (lhs - remainder) / rhs;
  if (remainder != 0 && (remainder < 0) != (rhs < 0))
    quotient -= 1;
  if (quotient == 0)
    return std::copysign(0.0, lhs / rhs);
  // What rounding took from a quotient that is an integer is less than a half.
  double floor = std::floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

std::pair<APInt, APInt> floorDivide(const APInt &lhs, const APInt &rhs) {
  unsigned bits = std::max(lhs.getBitWidth(), rhs.getBitWidth()) + 1;
  APInt b = rhs.sext(bits), quotient, remainder;
  spendOnProduct(lhs, rhs);
  APInt::sdivrem(lhs.sext(bits), b, quotient, remainder);
  if (!remainder.isZero() && remainder.isNegative() != b.isNegative()) {
    quotient -= 1;
    remainder += b;
  }
  return {quotient, remainder};
}

// -- Rounding ------------------------------------------------------------------

static APInt powerOfTen(uint64_t exponent, unsigned bits) {
  APInt result(bits, 1);
  for (uint64_t i = 0; i < exponent; ++i)
    result *= 10;
  return result;
}

/// `hasFraction`: `value` is what remained of a number whose fraction was cut off.
static APInt roundMagnitude(const APInt &value, uint64_t digits, bool hasFraction) {
  // 10^digits is more than twice as large.
  if (digits > value.getActiveBits())
    return APInt::getZero(value.getBitWidth());
  unsigned bits = std::max(value.getBitWidth(), unsigned(4 * digits)) + 4;
  APInt unit = powerOfTen(digits, bits), quotient, remainder;
  spend(digits * unit.getNumWords());
  APInt::udivrem(value.zext(bits), unit, quotient, remainder);
  APInt twice = remainder.shl(1);
  bool isTie = twice == unit && !hasFraction;
  if (isTie ? quotient[0] : twice.uge(unit))
    quotient += 1;
  return quotient * unit;
}

APInt roundToTens(const APInt &value, uint64_t digits) {
  APInt result = roundMagnitude(magnitude(value), digits, /*hasFraction=*/false);
  return value.isNegative() ? -result : result;
}

std::optional<double> roundToDigits(double value, int64_t digits) {
  // Beyond these, every number is a multiple already, or less than half of the unit.
  if (!std::isfinite(value) || digits > 323)
    return value;
  if (digits < -308)
    return std::copysign(0.0, value);
  if (digits < 0) {
    double whole = std::trunc(std::fabs(value));
    std::optional<double> result =
        toDouble(roundMagnitude(truncated(whole), uint64_t(-digits), whole != std::fabs(value)));
    return result ? std::optional(std::copysign(*result, value)) : std::nullopt;
  }
  // Through the decimal text, which is exact but for the one rounding.
  char text[1024];
  auto end = std::to_chars(text, std::end(text), value, std::chars_format::fixed, int(digits)).ptr;
  return parseFloat({text, size_t(end - text)});
}

// -- Functions of integers -------------------------------------------------------

APInt powerModulo(const APInt &base, const APInt &exponent, const APInt &modulus) {
  unsigned bits = 2 * modulus.getBitWidth() + 2;
  APInt wideModulus = modulus.sext(bits);
  auto reduced = [&](const APInt &value) {
    return floorDivide(value, wideModulus).second.sextOrTrunc(bits);
  };
  APInt result = reduced(APInt(bits, 1));
  APInt square = reduced(base);
  unsigned length = exponent.getActiveBits();
  for (unsigned i = 0; i < length && !isWorkSpent(); ++i) {
    if (exponent[i])
      result = reduced(result * square);
    square = reduced(square * square);
  }
  return result;
}

APInt greatestCommonDivisor(const APInt &lhs, const APInt &rhs) {
  unsigned bits = std::max(lhs.getBitWidth(), rhs.getBitWidth()) + 1;
  spend(uint64_t(bits) * bits / 64);
  APInt result = llvm::APIntOps::GreatestCommonDivisor(lhs.sext(bits).abs(), rhs.sext(bits).abs());
  return result.zext(bits + 1);
}

APInt squareRoot(const APInt &value) {
  // Newton's iteration from above ends at the root.
  unsigned bits = value.getBitWidth() + 2;
  APInt wide = value.zext(bits);
  if (wide.isZero())
    return wide;
  APInt root = APInt(bits, 1).shl((wide.getActiveBits() + 1) / 2);
  while (true) {
    spendOnProduct(wide, root);
    APInt next = (root + wide.udiv(root)).lshr(1);
    if (next.uge(root))
      return root;
    root = next;
  }
}

// -- Text ------------------------------------------------------------------------

/// Appends the digits at the front of `text` to `digits`; single underscores may stand between
/// them. False for none.
static bool takeDigits(llvm::StringRef &text, unsigned base, std::string &digits) {
  auto isDigit = [&](char c) {
    unsigned value = llvm::isDigit(c)   ? unsigned(c - '0')
                     : llvm::isAlpha(c) ? unsigned(llvm::toLower(c) - 'a') + 10
                                        : base;
    return value < base;
  };
  size_t before = digits.size();
  while (!text.empty()) {
    bool follows = digits.size() > before && text.front() == '_' && text.size() > 1;
    if (!isDigit(text[follows ? 1 : 0]))
      break;
    digits += text[follows ? 1 : 0];
    text = text.drop_front(follows ? 2 : 1);
  }
  return digits.size() > before;
}

/// `0x`, `0o` or `0b` in front of digits of its base, which base 0 becomes; decimal without.
static void takePrefix(llvm::StringRef &text, unsigned &base) {
  for (auto [letter, radix] : {std::pair('x', 16u), std::pair('o', 8u), std::pair('b', 2u)}) {
    bool isPrefix = text.size() > 1 && text[0] == '0' && llvm::toLower(text[1]) == letter;
    if (!isPrefix || (base != 0 && base != radix))
      continue;
    base = radix;
    text = text.drop_front(2);
    // `0x_ff`
    if (text.size() > 1 && text.front() == '_')
      text = text.drop_front();
    return;
  }
}

static bool takeSign(llvm::StringRef &text) {
  if (text.consume_front("-"))
    return true;
  text.consume_front("+");
  return false;
}

std::optional<APInt> parseInteger(llvm::StringRef text, unsigned base) {
  text = trimmed(text);
  bool isNegative = takeSign(text), readsPrefix = base == 0;
  takePrefix(text, base);
  bool isDecimal = base == 0;
  std::string digits;
  if (!takeDigits(text, isDecimal ? 10 : base, digits) || !text.empty())
    return std::nullopt;
  // As in source, a decimal number does not start with zero.
  bool isZero = digits.find_first_not_of('0') == std::string::npos;
  if (readsPrefix && isDecimal && digits.size() > 1 && digits[0] == '0' && !isZero)
    return std::nullopt;
  if (digits.size() > maxIntegerBits)
    return std::nullopt;
  unsigned radix = isDecimal ? 10 : base;
  unsigned bits = APInt::getSufficientBitsNeeded(digits, uint8_t(radix)) + 1;
  spend(digits.size() * bits / 64);
  APInt value(bits, 0);
  for (char c : digits) {
    value *= radix;
    value += llvm::isDigit(c) ? uint64_t(c - '0') : uint64_t(llvm::toLower(c) - 'a') + 10;
  }
  return isNegative ? -value : value;
}

std::optional<double> parseFloat(llvm::StringRef text) {
  text = trimmed(text);
  bool isNegative = takeSign(text);
  auto withSign = [&](double value) { return isNegative ? -value : value; };
  if (text.equals_insensitive("inf") || text.equals_insensitive("infinity"))
    return withSign(INFINITY);
  if (text.equals_insensitive("nan"))
    return withSign(NAN);
  std::string digits;
  bool hasDigits = takeDigits(text, 10, digits);
  if (text.consume_front(".")) {
    digits += '.';
    hasDigits |= takeDigits(text, 10, digits);
  }
  if (hasDigits && text.consume_front_insensitive("e")) {
    digits += takeSign(text) ? "e-" : "e";
    hasDigits = takeDigits(text, 10, digits);
  }
  if (!hasDigits || !text.empty() || digits.size() > maxIntegerBits)
    return std::nullopt;
  spend(digits.size() * digits.size() / 64);
  APFloat value(APFloat::IEEEdouble());
  if (llvm::Expected<APFloat::opStatus> status = value.convertFromString(digits, nearestEven);
      !status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  return withSign(value.convertToDouble());
}

} // namespace gluonc::sema

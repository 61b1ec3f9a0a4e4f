//===- Numbers.h - Python's integers and floats --------------------------------===//
//
// Where integers of any width meet float64: exact or correctly rounded, as in Python.
// Integers are signed. Pure: what has no result is nullopt.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringRef.h"

#include <compare>
#include <optional>

namespace gluonc::sema {

/// Charges for what takes time by the product of the widths.
void spendOnProduct(const llvm::APInt &lhs, const llvm::APInt &rhs);

/// The nearest float64, ties to even; nullopt beyond its range.
std::optional<double> toDouble(const llvm::APInt &value);
/// A finite number without its fraction.
llvm::APInt truncated(double value);
/// The exact order of the two.
std::partial_ordering compareExactly(const llvm::APInt &lhs, double rhs);

/// `lhs / rhs`, rounded once; nullopt beyond the range of float64. `rhs` is not zero.
std::optional<double> divide(const llvm::APInt &lhs, const llvm::APInt &rhs);
/// `lhs // rhs` and `lhs % rhs`. `rhs` is not zero.
double floorQuotient(double lhs, double rhs);
double floorRemainder(double lhs, double rhs);
/// `lhs // rhs` and `lhs % rhs`. `rhs` is not zero.
std::pair<llvm::APInt, llvm::APInt> floorDivide(const llvm::APInt &lhs, const llvm::APInt &rhs);

/// `round(value, -digits)`: to a multiple of a power of ten, ties to even.
llvm::APInt roundToTens(const llvm::APInt &value, uint64_t digits);
/// `round(value, digits)`; nullopt beyond the range of float64.
std::optional<double> roundToDigits(double value, int64_t digits);

/// `pow(base, exponent, modulus)` for an exponent that is not negative, a modulus that is not zero.
llvm::APInt powerModulo(const llvm::APInt &base, const llvm::APInt &exponent,
                        const llvm::APInt &modulus);
llvm::APInt greatestCommonDivisor(const llvm::APInt &lhs, const llvm::APInt &rhs);
/// Of a number that is not negative, rounded down.
llvm::APInt squareRoot(const llvm::APInt &value);

/// `int(text, base)`: base 0 reads the prefix; nullopt for other text and for too many digits.
std::optional<llvm::APInt> parseInteger(llvm::StringRef text, unsigned base);
/// `float(text)`.
std::optional<double> parseFloat(llvm::StringRef text);

} // namespace gluonc::sema

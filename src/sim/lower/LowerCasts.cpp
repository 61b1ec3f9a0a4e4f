//===- LowerCasts.cpp - Conversions between element types -------------------===//
#include "sim/lower/Elementwise.h"

#include <cmath>
#include <limits>

namespace gluonc::sim {
namespace {

//===----------------------------------------------------------------------===//
// Element functions
//===----------------------------------------------------------------------===//

template <class To, class From, bool Signed> struct IntegerToInteger {
  using Result = typename To::Storage;
  using Operand = typename From::Storage;
  static Result apply(Operand value) {
    if constexpr (Signed)
      return To::wrap(static_cast<Result>(From::toSigned(value)));
    else
      return To::wrap(static_cast<Result>(value));
  }
};

/// `value` with at most 53 significant bits, the last one odd if any were lost, so
/// that rounding the double once more gives the correctly rounded result.
template <class Integer> double toOddDouble(Integer value) {
  uint64_t magnitude = value < 0 ? -uint64_t(value) : uint64_t(value);
  constexpr uint64_t kLost = (1 << 11) - 1;
  if (magnitude >> 53 && (magnitude & kLost))
    magnitude = (magnitude & ~kLost) | (kLost + 1);
  double result = static_cast<double>(magnitude);
  return value < 0 ? -result : result;
}

template <class To, class From, bool Signed> struct IntegerToFloat {
  using Result = typename To::Storage;
  using Operand = typename From::Storage;
  static Result apply(Operand value) {
    std::conditional_t<Signed, typename From::Signed, Operand> integer;
    if constexpr (Signed)
      integer = From::toSigned(value);
    else
      integer = value;
    if constexpr (std::is_same_v<Result, typename To::Compute>)
      return static_cast<Result>(integer);
    else
      return To::round(toOddDouble(integer), Rounding::NearestEven);
  }
};

/// Out-of-range values clamp and NaN becomes 0, as the GPUs' conversions do.
template <class To, class From, bool Signed> struct FloatToInteger {
  using Result = typename To::Storage;
  using Operand = typename From::Storage;
  using Integer = std::conditional_t<Signed, typename To::Signed, Result>;
  static Result apply(Operand value) {
    double wide = From::load(value);
    constexpr unsigned valueBits = To::kBits - Signed;
    // 2^valueBits is a double; the largest integer below it need not be.
    double limit = std::ldexp(1.0, valueBits);
    double lowest = Signed ? -limit : 0.0;
    if (wide != wide)
      return 0;
    if (wide >= limit)
      return static_cast<Result>(valueBits == 64 ? ~uint64_t(0) : (uint64_t(1) << valueBits) - 1);
    if (wide <= lowest)
      return To::wrap(static_cast<Result>(static_cast<Integer>(lowest)));
    return To::wrap(static_cast<Result>(static_cast<Integer>(wide)));
  }
};

template <class To, class From> struct FloatToFloat {
  using Result = typename To::Storage;
  using Operand = typename From::Storage;
  static Result apply(Operand value) {
    // float holds every narrower format, so one rounding happens either way.
    if constexpr (std::is_same_v<From, F64>)
      return To::round(value, Rounding::NearestEven);
    else
      return To::store(static_cast<typename To::Compute>(From::load(value)));
  }
};
template <class To, class From> struct FloatTowardZero {
  using Result = typename To::Storage;
  using Operand = typename From::Storage;
  static Result apply(Operand value) { return To::round(From::load(value), Rounding::TowardZero); }
};

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

ElementKind sourceKind(Lowering &lowering, mlir::Operation *operation) {
  return lowering.kindOf(operation->getOperand(0));
}
ElementKind resultKind(Lowering &lowering, mlir::Operation *operation) {
  return lowering.kindOf(operation->getResult(0));
}

template <bool Signed> bool lowerIntegerCast(Lowering &lowering, mlir::Operation *operation) {
  return withIntElement(sourceKind(lowering, operation), [&](auto from) {
    withIntElement(resultKind(lowering, operation), [&](auto to) {
      lowerUnary<IntegerToInteger<decltype(to), decltype(from), Signed>>(lowering, operation);
    });
  });
}

template <bool Signed> bool lowerIntegerToFloat(Lowering &lowering, mlir::Operation *operation) {
  return withIntElement(sourceKind(lowering, operation), [&](auto from) {
    withFloatElement(resultKind(lowering, operation), [&](auto to) {
      lowerUnary<IntegerToFloat<decltype(to), decltype(from), Signed>>(lowering, operation);
    });
  });
}

template <bool Signed> bool lowerFloatToInteger(Lowering &lowering, mlir::Operation *operation) {
  return withFloatElement(sourceKind(lowering, operation), [&](auto from) {
    withIntElement(resultKind(lowering, operation), [&](auto to) {
      lowerUnary<FloatToInteger<decltype(to), decltype(from), Signed>>(lowering, operation);
    });
  });
}

bool emitFloatCast(Lowering &lowering, mlir::Operation *operation, Rounding rounding) {
  return withFloatElement(sourceKind(lowering, operation), [&](auto from) {
    withFloatElement(resultKind(lowering, operation), [&](auto to) {
      using To = decltype(to);
      using From = decltype(from);
      if (rounding == Rounding::TowardZero)
        lowerUnary<FloatTowardZero<To, From>>(lowering, operation);
      else
        lowerUnary<FloatToFloat<To, From>>(lowering, operation);
    });
  });
}

bool lowerExtF(Lowering &lowering, mlir::Operation *operation) {
  return emitFloatCast(lowering, operation, Rounding::NearestEven);
}

bool lowerTruncF(Lowering &lowering, mlir::Operation *operation) {
  using Mode = mlir::arith::RoundingMode;
  Mode mode = mlir::cast<mlir::arith::TruncFOp>(operation).getRoundingmode().value_or(
      Mode::to_nearest_even);
  if (mode != Mode::to_nearest_even && mode != Mode::toward_zero)
    return lowering.unsupported(operation, "`arith.truncf` with this rounding");
  return emitFloatCast(lowering, operation,
                       mode == Mode::toward_zero ? Rounding::TowardZero : Rounding::NearestEven);
}

bool lowerFpToFp(Lowering &lowering, mlir::Operation *operation) {
  bool towardZero = mlir::cast<tt::FpToFpOp>(operation).getRounding() == tt::RoundingMode::RTZ;
  return emitFloatCast(lowering, operation,
                       towardZero ? Rounding::TowardZero : Rounding::NearestEven);
}

/// The bits stay what they are, and so does the slot.
bool lowerBitcast(Lowering &lowering, mlir::Operation *operation) {
  if (byteSize(sourceKind(lowering, operation)) != byteSize(resultKind(lowering, operation)))
    return false;
  mlir::Value source = operation->getOperand(0), result = operation->getResult(0);
  lowering.bind(result, lowering.slotOf(source));
  // ptr_to_int and back keeps the buffer known; what integer arithmetic does to it does not.
  lowering.passParameter(source, result);
  return true;
}

} // namespace

void addCasts(OperationTable &table) {
  table["arith.extsi"] = lowerIntegerCast<true>;
  table["arith.extui"] = lowerIntegerCast<false>;
  table["arith.trunci"] = lowerIntegerCast<false>;
  table["arith.sitofp"] = lowerIntegerToFloat<true>;
  table["arith.uitofp"] = lowerIntegerToFloat<false>;
  table["arith.fptosi"] = lowerFloatToInteger<true>;
  table["arith.fptoui"] = lowerFloatToInteger<false>;
  table["arith.extf"] = lowerExtF;
  table["arith.truncf"] = lowerTruncF;
  table["tt.fp_to_fp"] = lowerFpToFp;
  table["arith.bitcast"] = lowerBitcast;
  table["tt.bitcast"] = lowerBitcast;
  table["tt.int_to_ptr"] = lowerBitcast;
  table["tt.ptr_to_int"] = lowerBitcast;
}

} // namespace gluonc::sim

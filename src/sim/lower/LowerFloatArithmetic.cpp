//===- LowerFloatArithmetic.cpp - Floating-point arithmetic and comparison --===//
//
// Every operation is a loop of its own, so the host compiler never contracts a
// multiplication and an addition: a fused one happens only where the program says so.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/Elementwise.h"

#include <cmath>

namespace gluonc::sim {
namespace {

struct Add {
  template <class T> static T apply(T l, T r) { return l + r; }
};
struct Subtract {
  template <class T> static T apply(T l, T r) { return l - r; }
};
struct Multiply {
  template <class T> static T apply(T l, T r) { return l * r; }
};
struct Divide {
  template <class T> static T apply(T l, T r) { return l / r; }
};
struct Remainder {
  template <class T> static T apply(T l, T r) { return std::fmod(l, r); }
};
struct Negate {
  template <class T> static T apply(T x) { return -x; }
};

/// Whether `l` sorts before `r`, with -0 before +0.
template <class T> bool isBefore(T l, T r) {
  return l < r || (l == r && std::signbit(l) && !std::signbit(r));
}
/// A NaN operand gives way to the other one.
struct MinNumber {
  template <class T> static T apply(T l, T r) { return isBefore(l, r) || r != r ? l : r; }
};
struct MaxNumber {
  template <class T> static T apply(T l, T r) { return isBefore(r, l) || r != r ? l : r; }
};
/// A NaN operand is the result.
struct Minimum {
  template <class T> static T apply(T l, T r) { return isBefore(l, r) || l != l ? l : r; }
};
struct Maximum {
  template <class T> static T apply(T l, T r) { return isBefore(r, l) || l != l ? l : r; }
};

template <class Clamp, class E> struct ClampElements {
  using Result = typename E::Storage;
  using First = Result;
  using Second = Result;
  using Third = Result;
  static Result apply(Result x, Result low, Result high) {
    return E::store(Clamp::apply(E::load(x), E::load(low), E::load(high)));
  }
};
struct ClampNumber {
  template <class T> static T apply(T x, T low, T high) {
    return MinNumber::apply(MaxNumber::apply(x, low), high);
  }
};
struct ClampPropagating {
  template <class T> static T apply(T x, T low, T high) {
    return Minimum::apply(Maximum::apply(x, low), high);
  }
};

bool lowerClamp(Lowering &lowering, mlir::Operation *operation) {
  bool propagates = mlir::cast<tt::ClampFOp>(operation).getPropagateNan() == tt::PropagateNan::ALL;
  bool lowered = false;
  withArithmeticFloat(lowering.kindOf(operation->getResult(0)), [&](auto element) {
    using E = decltype(element);
    lowered = propagates ? lowerTernary<ClampElements<ClampPropagating, E>>(lowering, operation)
                         : lowerTernary<ClampElements<ClampNumber, E>>(lowering, operation);
  });
  return lowered;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

struct Equal {
  template <class T> static bool apply(T l, T r) { return l == r; }
};
struct Less {
  template <class T> static bool apply(T l, T r) { return l < r; }
};
struct LessEqual {
  template <class T> static bool apply(T l, T r) { return l <= r; }
};
struct Unordered {
  template <class T> static bool apply(T l, T r) { return l != l || r != r; }
};
struct LessOrGreater {
  template <class T> static bool apply(T l, T r) { return l < r || l > r; }
};
struct Always {
  template <class T> static bool apply(T, T) { return true; }
};

template <class Op, class E, bool Inverted> struct CompareFloats {
  using Result = uint8_t;
  using Left = typename E::Storage;
  using Right = Left;
  static Result apply(Left left, Right right) {
    return Op::apply(E::load(left), E::load(right)) != Inverted;
  }
};

/// Every predicate is one of six comparisons, with its operands swapped or its
/// outcome inverted: "unordered or less" is "not greater or equal".
struct ComparisonForm {
  enum { IsEqual, IsLess, IsLessEqual, IsUnordered, IsLessOrGreater, IsAlways } base;
  bool swapped;
  bool inverted;
};

ComparisonForm formOf(mlir::arith::CmpFPredicate predicate) {
  using P = mlir::arith::CmpFPredicate;
  using F = ComparisonForm;
  switch (predicate) {
  case P::AlwaysFalse:
    return {F::IsAlways, false, true};
  case P::AlwaysTrue:
    return {F::IsAlways, false, false};
  case P::OEQ:
    return {F::IsEqual, false, false};
  case P::UNE:
    return {F::IsEqual, false, true};
  case P::OLT:
    return {F::IsLess, false, false};
  case P::OGT:
    return {F::IsLess, true, false};
  case P::UGE:
    return {F::IsLess, false, true};
  case P::ULE:
    return {F::IsLess, true, true};
  case P::OLE:
    return {F::IsLessEqual, false, false};
  case P::OGE:
    return {F::IsLessEqual, true, false};
  case P::UGT:
    return {F::IsLessEqual, false, true};
  case P::ULT:
    return {F::IsLessEqual, true, true};
  case P::UNO:
    return {F::IsUnordered, false, false};
  case P::ORD:
    return {F::IsUnordered, false, true};
  case P::ONE:
    return {F::IsLessOrGreater, false, false};
  case P::UEQ:
    return {F::IsLessOrGreater, false, true};
  }
  GL_UNREACHABLE("comparison predicate");
}

template <class Op, class E> Handler comparisonHandler(bool inverted, Slot left, Slot right) {
  return inverted ? binaryHandler<CompareFloats<Op, E, true>>(left, right)
                  : binaryHandler<CompareFloats<Op, E, false>>(left, right);
}

template <class E> Handler comparisonHandler(ComparisonForm form, Slot left, Slot right) {
  switch (form.base) {
  case ComparisonForm::IsEqual:
    return comparisonHandler<Equal, E>(form.inverted, left, right);
  case ComparisonForm::IsLess:
    return comparisonHandler<Less, E>(form.inverted, left, right);
  case ComparisonForm::IsLessEqual:
    return comparisonHandler<LessEqual, E>(form.inverted, left, right);
  case ComparisonForm::IsUnordered:
    return comparisonHandler<Unordered, E>(form.inverted, left, right);
  case ComparisonForm::IsLessOrGreater:
    return comparisonHandler<LessOrGreater, E>(form.inverted, left, right);
  case ComparisonForm::IsAlways:
    return comparisonHandler<Always, E>(form.inverted, left, right);
  }
  GL_UNREACHABLE("comparison form");
}

bool lowerCompareFloats(Lowering &lowering, mlir::Operation *operation) {
  ComparisonForm form = formOf(mlir::cast<mlir::arith::CmpFOp>(operation).getPredicate());
  lowering.setShape(operation->getResult(0).getType());
  Slot left = lowering.slotOf(operation->getOperand(form.swapped ? 1 : 0));
  Slot right = lowering.slotOf(operation->getOperand(form.swapped ? 0 : 1));
  return withArithmeticFloat(lowering.kindOf(operation->getOperand(0)), [&](auto element) {
    Slot result =
        lowering.define(operation->getResult(0), elementsOf(lowering, operation->getOperands()));
    lowering.emit(comparisonHandler<decltype(element)>(form, left, right), taintElementwise, result,
                  {left, right});
  });
}

} // namespace

void addFloatArithmetic(OperationTable &table) {
  table["arith.addf"] = lowerFloatBinary<Add>;
  table["arith.subf"] = lowerFloatBinary<Subtract>;
  table["arith.mulf"] = lowerFloatBinary<Multiply>;
  table["arith.divf"] = lowerFloatBinary<Divide>;
  table["tt.precise_divf"] = lowerFloatBinary<Divide>;
  table["arith.remf"] = lowerFloatBinary<Remainder>;
  table["arith.negf"] = lowerFloatUnary<Negate>;
  table["arith.minnumf"] = lowerFloatBinary<MinNumber>;
  table["arith.maxnumf"] = lowerFloatBinary<MaxNumber>;
  table["arith.minimumf"] = lowerFloatBinary<Minimum>;
  table["arith.maximumf"] = lowerFloatBinary<Maximum>;
  table["tt.clampf"] = lowerClamp;
  table["arith.cmpf"] = lowerCompareFloats;
}

} // namespace gluonc::sim

//===- Elementwise.h - Loops over elements ---------------------------------===//
//
// An element function is a type with `Result`, the operand types, and a static
// `apply`; these templates turn it into handlers whose loops the host compiler
// vectorizes. A uniform operand gets its own loop, so that no loop carries a
// stride.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/lower/Lowering.h"
#include "sim/machine/Taint.h"

namespace gluonc::sim {

template <class Fn> void runUnary(const Instruction &instruction, Cta &cta) {
  auto *__restrict result = cta.at<typename Fn::Result>(instruction.result);
  const auto *operand = cta.at<typename Fn::Operand>(instruction.operands[0]);
  for (uint32_t element = 0, count = instruction.result.elements; element < count; ++element)
    result[element] = Fn::apply(operand[element]);
}

template <class Fn, bool LeftUniform, bool RightUniform>
void runBinary(const Instruction &instruction, Cta &cta) {
  auto *__restrict result = cta.at<typename Fn::Result>(instruction.result);
  const auto *left = cta.at<typename Fn::Left>(instruction.operands[0]);
  const auto *right = cta.at<typename Fn::Right>(instruction.operands[1]);
  const auto firstLeft = left[0];
  const auto firstRight = right[0];
  for (uint32_t element = 0, count = instruction.result.elements; element < count; ++element)
    result[element] = Fn::apply(LeftUniform ? firstLeft : left[element],
                                RightUniform ? firstRight : right[element]);
}

template <class Fn> void runTernary(const Instruction &instruction, Cta &cta) {
  auto *__restrict result = cta.at<typename Fn::Result>(instruction.result);
  const auto *first = cta.at<typename Fn::First>(instruction.operands[0]);
  const auto *second = cta.at<typename Fn::Second>(instruction.operands[1]);
  const auto *third = cta.at<typename Fn::Third>(instruction.operands[2]);
  for (uint32_t element = 0, count = instruction.result.elements; element < count; ++element)
    result[element] = Fn::apply(first[element], second[element], third[element]);
}

/// A binary handler for operands that are uniform or not as these slots.
template <class Fn> Handler binaryHandler(Slot left, Slot right) {
  if (left.elements == right.elements)
    return runBinary<Fn, false, false>;
  return left.elements == 1 ? Handler(runBinary<Fn, true, false>)
                            : Handler(runBinary<Fn, false, true>);
}

/// Elements of an elementwise result.
inline uint32_t elementsOf(Lowering &lowering, mlir::ValueRange operands) {
  uint32_t elements = 1;
  for (mlir::Value operand : operands)
    elements = std::max(elements, lowering.slotOf(operand).elements);
  return elements;
}

template <class Fn> bool lowerUnary(Lowering &lowering, mlir::Operation *operation) {
  lowering.setShape(operation->getResult(0).getType());
  Slot operand = lowering.slotOf(operation->getOperand(0));
  Slot result = lowering.define(operation->getResult(0), operand.elements);
  lowering.emit(runUnary<Fn>, taintElementwise, result, {operand});
  return true;
}

template <class Fn> bool lowerBinary(Lowering &lowering, mlir::Operation *operation) {
  lowering.setShape(operation->getResult(0).getType());
  Slot left = lowering.slotOf(operation->getOperand(0));
  Slot right = lowering.slotOf(operation->getOperand(1));
  Slot result =
      lowering.define(operation->getResult(0), elementsOf(lowering, operation->getOperands()));
  lowering.emit(binaryHandler<Fn>(left, right), taintElementwise, result, {left, right});
  return true;
}

template <class Fn> bool lowerTernary(Lowering &lowering, mlir::Operation *operation) {
  lowering.setShape(operation->getResult(0).getType());
  uint32_t elements = elementsOf(lowering, operation->getOperands());
  Slot operands[3];
  for (unsigned i = 0; i < 3; ++i) {
    mlir::Value value = operation->getOperand(i);
    operands[i] = lowering.materialize(lowering.slotOf(value), elements, lowering.kindOf(value));
  }
  Slot result = lowering.define(operation->getResult(0), elements);
  lowering.emit(runTernary<Fn>, taintElementwise, result, operands);
  return true;
}

// -- Element functions from operations on one element type --------------------

/// Integer operation: `Op::apply<Element>(left, right)` on stored values.
template <class Op, class Element> struct OnIntegers {
  using Result = typename Element::Storage;
  using Left = Result;
  using Right = Result;
  static Result apply(Left left, Right right) {
    return Element::wrap(Op::template apply<Element>(left, right));
  }
};
/// Float operations compute in the element's host type and round once.
template <class Op, class Element> struct OnFloats {
  using Result = typename Element::Storage;
  using Left = Result;
  using Right = Result;
  static Result apply(Left left, Right right) {
    return Element::store(Op::apply(Element::load(left), Element::load(right)));
  }
};
template <class Op, class Element> struct OnFloat {
  using Result = typename Element::Storage;
  using Operand = Result;
  static Result apply(Operand operand) { return Element::store(Op::apply(Element::load(operand))); }
};

template <class Op> bool lowerIntegerBinary(Lowering &lowering, mlir::Operation *operation) {
  bool lowered = false;
  withIntElement(lowering.kindOf(operation->getResult(0)), [&](auto element) {
    lowered = lowerBinary<OnIntegers<Op, decltype(element)>>(lowering, operation);
  });
  return lowered;
}
template <class Op> bool lowerFloatBinary(Lowering &lowering, mlir::Operation *operation) {
  bool lowered = false;
  withArithmeticFloat(lowering.kindOf(operation->getResult(0)), [&](auto element) {
    lowered = lowerBinary<OnFloats<Op, decltype(element)>>(lowering, operation);
  });
  return lowered;
}
template <class Op> bool lowerFloatUnary(Lowering &lowering, mlir::Operation *operation) {
  bool lowered = false;
  withArithmeticFloat(lowering.kindOf(operation->getResult(0)), [&](auto element) {
    lowered = lowerUnary<OnFloat<Op, decltype(element)>>(lowering, operation);
  });
  return lowered;
}

} // namespace gluonc::sim

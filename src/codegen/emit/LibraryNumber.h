//===- LibraryNumber.h - Arithmetic on doubles of the program ------------------===//
//
// What the functions of LibraryMath.h are written in.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/emit/LibraryMath.h"
#include "codegen/emit/MathFunctions.h"

#include <limits>
#include <numbers>

namespace gluonc::codegen::library {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double ln2 = std::numbers::ln2, pi = std::numbers::pi;

inline Number operator+(Number a, Number b) {
  return {a.emitter, a.builder().CreateFAdd(a.value, b.value)};
}
inline Number operator-(Number a, Number b) {
  return {a.emitter, a.builder().CreateFSub(a.value, b.value)};
}
inline Number operator*(Number a, Number b) {
  return {a.emitter, a.builder().CreateFMul(a.value, b.value)};
}
inline Number operator/(Number a, Number b) {
  return {a.emitter, a.builder().CreateFDiv(a.value, b.value)};
}
inline Number operator-(Number a) { return {a.emitter, a.builder().CreateFNeg(a.value)}; }
inline Number operator+(Number a, double b) { return a + a.of(b); }
inline Number operator-(Number a, double b) { return a - a.of(b); }
inline Number operator*(Number a, double b) { return a * a.of(b); }
inline Number operator/(Number a, double b) { return a / a.of(b); }
inline Number operator-(double a, Number b) { return b.of(a) - b; }
inline Number operator/(double a, Number b) { return b.of(a) / b; }

inline llvm::Value *operator<(Number a, Number b) {
  return a.builder().CreateFCmpOLT(a.value, b.value);
}
inline llvm::Value *operator<(Number a, double b) { return a < a.of(b); }
inline llvm::Value *operator>(Number a, double b) { return a.of(b) < a; }
inline llvm::Value *operator==(Number a, Number b) {
  return a.builder().CreateFCmpOEQ(a.value, b.value);
}
inline llvm::Value *operator==(Number a, double b) { return a == a.of(b); }

inline Number select(llvm::Value *condition, Number a, Number b) {
  return {a.emitter, a.builder().CreateSelect(condition, a.value, b.value)};
}
inline Number select(llvm::Value *condition, double a, Number b) {
  return select(condition, b.of(a), b);
}

inline Number math(MathKind kind, Number x) {
  return {x.emitter, x.emitter->isa.math(x.builder(), kind, {x.value})};
}
inline Number exp(Number x) { return math(MathKind::Exp, x); }
inline Number log(Number x) { return math(MathKind::Log, x); }
inline Number erf(Number x) { return math(MathKind::Erf, x); }
inline Number sqrt(Number x) { return math(MathKind::PreciseSqrt, x); }

inline Number unary(llvm::Intrinsic::ID id, Number x) {
  return {x.emitter, x.builder().CreateUnaryIntrinsic(id, x.value)};
}
inline Number abs(Number x) { return unary(llvm::Intrinsic::fabs, x); }
inline Number floor(Number x) { return unary(llvm::Intrinsic::floor, x); }
inline Number withSign(Number size, Number sign) {
  return {size.emitter,
          size.builder().CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size.value, sign.value)};
}
inline Number larger(Number a, Number b) { return select(a < b, b, a); }
inline Number smaller(Number a, Number b) { return select(a < b, a, b); }
inline Number polynomialOf(Number x, llvm::ArrayRef<double> coefficients) {
  return {x.emitter, polynomial(x.builder(), x.value, coefficients)};
}

/// The values that make `condition` false, from `start` on by way of `step`.
template <class Condition, class Step>
llvm::SmallVector<llvm::Value *> loop(Emitter &emitter, llvm::ArrayRef<llvm::Value *> start,
                                      Condition condition, Step step) {
  Builder &builder = emitter.builder;
  llvm::BasicBlock *before = builder.GetInsertBlock(), *head = emitter.blocks.create("library");
  llvm::BasicBlock *body = emitter.blocks.create("library.do"),
                   *exit = emitter.blocks.create("library.end");
  builder.CreateBr(head);
  emitter.blocks.start(head);
  llvm::SmallVector<llvm::Value *> values;
  for (llvm::Value *value : start) {
    llvm::PHINode *phi = builder.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    values.push_back(phi);
  }
  builder.CreateCondBr(condition(values), body, exit);
  emitter.blocks.start(body);
  llvm::SmallVector<llvm::Value *> next = step(values);
  for (auto [phi, value] : llvm::zip_equal(values, next))
    llvm::cast<llvm::PHINode>(phi)->addIncoming(value, builder.GetInsertBlock());
  builder.CreateBr(head);
  emitter.blocks.start(exit);
  return values;
}

} // namespace gluonc::codegen::library

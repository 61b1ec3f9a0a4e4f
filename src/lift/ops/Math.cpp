//===- Math.cpp - Functions of elements ---------------------------------------------===//
#include "lift/ops/Handlers.h"

using namespace mlir;

namespace gluonc::lift {

static std::optional<Expr> call(Tree &tree, Operation *op, llvm::StringRef name) {
  Call made(tree, "gl." + name);
  for (Value operand : op->getOperands())
    made.signedValue(operand);
  return made.end();
}

#define GL_CALL(Op, name)                                                                          \
  table[Op::getOperationName()] = [](Tree &tree, Operation *op) { return call(tree, op, name); };

static std::optional<Expr> extremum(Tree &tree, Operation *op, llvm::StringRef name,
                                    bool isUnsigned, bool propagatesNan) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  Call made(tree, "gl." + name);
  made.add(tree.numberOr(left, right, Numbers::Typed, isUnsigned).text);
  made.add(tree.numberOr(right, left, Numbers::Typed, isUnsigned).text);
  if (propagatesNan)
    made.keyword("propagate_nan", "gl.PropagateNan.ALL");
  tree.setFacts(op->getResult(0), {.isUnsigned = isUnsigned});
  return made.end();
}

#define GL_EXTREMUM(Op, name, isUnsigned, propagatesNan)                                           \
  table[Op::getOperationName()] = [](Tree &tree, Operation *op) {                                  \
    return extremum(tree, op, name, isUnsigned, propagatesNan);                                    \
  };

static std::optional<Expr> handleHigh(Tree &tree, tt::MulhiUIOp op) {
  bool isUnsigned = tree.areUnsigned(op.getX(), op.getY());
  Call made(tree, "gl.umulhi");
  made.add(tree.numberOr(op.getX(), op.getY(), Numbers::Typed, isUnsigned).text);
  made.add(tree.numberOr(op.getY(), op.getX(), Numbers::Typed, isUnsigned).text);
  tree.setFacts(op.getResult(), {.isUnsigned = isUnsigned});
  return made.end();
}

static std::optional<Expr> handleClamp(Tree &tree, tt::ClampFOp op) {
  Call made(tree, "gl.clamp");
  made.value(op.getX()).value(op.getMin()).value(op.getMax());
  if (op.getPropagateNan() == tt::PropagateNan::ALL)
    made.keyword("propagate_nan", "gl.PropagateNan.ALL");
  return made.end();
}

void addMath(HandlerTable &table) {
  GL_CALL(math::ExpOp, "exp")
  GL_CALL(math::Exp2Op, "exp2")
  GL_CALL(math::LogOp, "log")
  GL_CALL(math::Log2Op, "log2")
  GL_CALL(math::CosOp, "cos")
  GL_CALL(math::SinOp, "sin")
  GL_CALL(math::SqrtOp, "sqrt")
  GL_CALL(math::RsqrtOp, "rsqrt")
  GL_CALL(math::ErfOp, "erf")
  GL_CALL(math::FloorOp, "floor")
  GL_CALL(math::CeilOp, "ceil")
  GL_CALL(math::AbsFOp, "abs")
  GL_CALL(math::AbsIOp, "abs")
  GL_CALL(math::FmaOp, "fma")
  GL_CALL(tt::PreciseSqrtOp, "sqrt_rn")
  GL_CALL(tt::PreciseDivFOp, "div_rn")
  GL_EXTREMUM(arith::MaxSIOp, "maximum", false, false)
  GL_EXTREMUM(arith::MinSIOp, "minimum", false, false)
  GL_EXTREMUM(arith::MaxUIOp, "maximum", true, false)
  GL_EXTREMUM(arith::MinUIOp, "minimum", true, false)
  GL_EXTREMUM(arith::MaxNumFOp, "maximum", false, false)
  GL_EXTREMUM(arith::MinNumFOp, "minimum", false, false)
  GL_EXTREMUM(arith::MaximumFOp, "maximum", false, true)
  GL_EXTREMUM(arith::MinimumFOp, "minimum", false, true)
  on<tt::MulhiUIOp, handleHigh>(table);
  on<tt::ClampFOp, handleClamp>(table);
}

} // namespace gluonc::lift

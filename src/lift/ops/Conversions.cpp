//===- Conversions.cpp - From one element type to another ---------------------------===//
#include "lift/ops/Handlers.h"

using namespace mlir;

namespace gluonc::lift {

static std::optional<Expr> castTo(Tree &tree, const Expr &source, Type to, bool isUnsigned = false,
                                  llvm::StringRef options = "") {
  std::optional<std::string> dtype = dtypeText(getElementTypeOrSelf(to), isUnsigned);
  if (!dtype)
    return std::nullopt;
  return Expr{source.within(Binding::Atom) + ".to(" + *dtype + options.str() + ")"};
}

/// Conversions of numbers: the sign of the integer on either side decides which one it is.
template <bool fromUnsigned, bool toUnsigned>
static std::optional<Expr> convert(Tree &tree, Operation *op) {
  Value source = op->getOperand(0);
  Type to = op->getResult(0).getType();
  // That would compare with zero.
  if (getElementTypeOrSelf(to).isInteger(1))
    return std::nullopt;
  tree.setFacts(op->getResult(0), {.isUnsigned = toUnsigned});
  return castTo(tree, tree.withSign(source, fromUnsigned), to, toUnsigned);
}

static std::optional<Expr> extendSigned(Tree &tree, Operation *op) {
  // The language extends bits by zeros.
  if (getElementTypeOrSelf(op->getOperand(0)).isInteger(1))
    return std::nullopt;
  return convert<false, false>(tree, op);
}

static std::optional<Expr> handleFloat(Tree &tree, tt::FpToFpOp op) {
  bool towardZero = op.getRounding() == tt::RoundingMode::RTZ;
  return castTo(tree, tree.value(op.getSrc()), op.getType(), false,
                towardZero ? ", fp_downcast_rounding=\"rtz\"" : "");
}

static std::optional<Expr> reinterpret(Tree &tree, Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  bool isUnsigned =
      isa<tt::PointerType>(getElementTypeOrSelf(result.getType())) && tree.facts(source).isUnsigned;
  tree.setFacts(result, {.isUnsigned = isUnsigned});
  return castTo(tree, tree.value(source), result.getType(), isUnsigned, ", bitcast=True");
}

static std::optional<Expr> pointer(Tree &tree, Operation *op) {
  return castTo(tree, tree.signedValue(op->getOperand(0)), op->getResult(0).getType());
}

void addConversions(HandlerTable &table) {
  table[arith::TruncIOp::getOperationName()] = convert<false, false>;
  table[arith::ExtSIOp::getOperationName()] = extendSigned;
  table[arith::ExtUIOp::getOperationName()] = convert<true, false>;
  table[arith::SIToFPOp::getOperationName()] = extendSigned;
  table[arith::UIToFPOp::getOperationName()] = convert<true, false>;
  table[arith::FPToSIOp::getOperationName()] = convert<false, false>;
  table[arith::FPToUIOp::getOperationName()] = convert<false, true>;
  table[arith::ExtFOp::getOperationName()] = convert<false, false>;
  table[arith::TruncFOp::getOperationName()] = convert<false, false>;
  table[tt::BitcastOp::getOperationName()] = reinterpret;
  table[tt::IntToPtrOp::getOperationName()] = pointer;
  table[tt::PtrToIntOp::getOperationName()] = pointer;
  on<tt::FpToFpOp, handleFloat>(table);
}

} // namespace gluonc::lift

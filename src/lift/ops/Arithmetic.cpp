//===- Arithmetic.cpp - Operators, comparisons, selections ------------------------===//
#include "lift/ops/Handlers.h"

using namespace mlir;

namespace gluonc::lift {

namespace {
/// What an operator needs of the signs of its integers.
enum class Sign { Any, Signed, Unsigned };

struct Operator {
  const char *text;
  Binding binding;
  Sign sign;
  Numbers numbers;
};
} // namespace

static std::optional<Expr> infix(Tree &tree, Operation *op, const Operator &how) {
  Value left = op->getOperand(0), right = op->getOperand(1), result = op->getResult(0);
  bool isUnsigned =
      how.sign == Sign::Unsigned || (how.sign == Sign::Any && tree.areUnsigned(left, right));
  Tree::Pair sides = tree.pair(op, how.numbers, isUnsigned);
  tree.setFacts(result, {.isUnsigned = isUnsigned && !getElementTypeOrSelf(result).isInteger(1)});
  // Operators of one kind group to the left, comparisons not at all.
  Binding inner = how.binding == Binding::Compare ? Binding::Or : how.binding;
  Binding behind =
      Binding(std::min(int(inner) + (how.binding != Binding::Compare), int(Binding::Atom)));
  return Expr{sides.left.within(inner) + " " + how.text + " " + sides.right.within(behind),
              how.binding};
}

template <typename Op, const Operator &how> static void addInfix(HandlerTable &table) {
  table[Op::getOperationName()] = [](Tree &tree, Operation *op) { return infix(tree, op, how); };
}

static constexpr Operator plus{"+", Binding::Sum, Sign::Any, Numbers::Yield};
static constexpr Operator minus{"-", Binding::Sum, Sign::Any, Numbers::Yield};
static constexpr Operator times{"*", Binding::Product, Sign::Any, Numbers::Yield};
static constexpr Operator over{"/", Binding::Product, Sign::Any, Numbers::Yield};
static constexpr Operator signedOver{"//", Binding::Product, Sign::Signed, Numbers::Yield};
static constexpr Operator unsignedOver{"//", Binding::Product, Sign::Unsigned, Numbers::Yield};
static constexpr Operator modulo{"%", Binding::Product, Sign::Signed, Numbers::Yield};
static constexpr Operator unsignedModulo{"%", Binding::Product, Sign::Unsigned, Numbers::Yield};
static constexpr Operator bitAnd{"&", Binding::And, Sign::Any, Numbers::Yield};
static constexpr Operator bitOr{"|", Binding::Or, Sign::Any, Numbers::Yield};
static constexpr Operator bitXor{"^", Binding::Xor, Sign::Any, Numbers::Yield};
static constexpr Operator shiftLeft{"<<", Binding::Shift, Sign::Any, Numbers::Yield};
static constexpr Operator shiftRight{">>", Binding::Shift, Sign::Signed, Numbers::Yield};
static constexpr Operator unsignedShiftRight{">>", Binding::Shift, Sign::Unsigned, Numbers::Yield};

/// `~x` where all bits are turned.
static std::optional<Expr> handleXor(Tree &tree, arith::XOrIOp op) {
  auto ones = dyn_cast_or_null<IntegerAttr>(constantOf(op.getRhs()));
  if (!ones || !ones.getValue().isAllOnes() || constantOf(op.getLhs()))
    return infix(tree, op, bitXor);
  tree.setFacts(op.getResult(), tree.facts(op.getLhs()));
  return Expr{"~" + tree.value(op.getLhs()).within(Binding::Unary), Binding::Unary};
}

static std::optional<Expr> handleCompareInts(Tree &tree, arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  static constexpr struct {
    P predicate;
    Operator how;
  } known[] = {
      {P::eq, {"==", Binding::Compare, Sign::Any, Numbers::Typed}},
      {P::ne, {"!=", Binding::Compare, Sign::Any, Numbers::Typed}},
      {P::slt, {"<", Binding::Compare, Sign::Signed, Numbers::Typed}},
      {P::sle, {"<=", Binding::Compare, Sign::Signed, Numbers::Typed}},
      {P::sgt, {">", Binding::Compare, Sign::Signed, Numbers::Typed}},
      {P::sge, {">=", Binding::Compare, Sign::Signed, Numbers::Typed}},
      {P::ult, {"<", Binding::Compare, Sign::Unsigned, Numbers::Typed}},
      {P::ule, {"<=", Binding::Compare, Sign::Unsigned, Numbers::Typed}},
      {P::ugt, {">", Binding::Compare, Sign::Unsigned, Numbers::Typed}},
      {P::uge, {">=", Binding::Compare, Sign::Unsigned, Numbers::Typed}},
  };
  for (const auto &[predicate, how] : known)
    if (predicate == op.getPredicate())
      return infix(tree, op, how);
  return std::nullopt;
}

static std::optional<Expr> handleCompareFloats(Tree &tree, arith::CmpFOp op) {
  using P = arith::CmpFPredicate;
  static constexpr std::pair<P, const char *> known[] = {
      {P::OEQ, "=="}, {P::UNE, "!="}, {P::OLT, "<"}, {P::OLE, "<="}, {P::OGT, ">"}, {P::OGE, ">="}};
  for (auto [predicate, text] : known)
    if (predicate == op.getPredicate())
      return infix(tree, op, {text, Binding::Compare, Sign::Any, Numbers::Typed});
  return std::nullopt;
}

static std::optional<Expr> handleNegate(Tree &tree, arith::NegFOp op) {
  return Expr{"-" + tree.value(op.getOperand()).within(Binding::Unary), Binding::Unary};
}

static std::optional<Expr> handleSelect(Tree &tree, arith::SelectOp op) {
  Value yes = op.getTrueValue(), no = op.getFalseValue();
  bool isUnsigned = tree.areUnsigned(yes, no);
  Call call(tree, "gl.where");
  call.value(op.getCondition());
  call.add(tree.numberOr(yes, no, Numbers::Yield, isUnsigned).text);
  call.add(tree.numberOr(no, yes, Numbers::Yield, isUnsigned).text);
  tree.setFacts(op.getResult(), {.isUnsigned = isUnsigned});
  return call.end();
}

static std::optional<Expr> handleAddPointer(Tree &tree, tt::AddPtrOp op) {
  Tree::Pair sides = tree.pair(op, Numbers::Own, false);
  tree.setFacts(op.getResult(), tree.facts(op.getPtr()));
  return Expr{sides.left.within(Binding::Sum) + " + " + sides.right.within(Binding::Product),
              Binding::Sum};
}

void addArithmetic(HandlerTable &table) {
  addInfix<arith::AddIOp, plus>(table);
  addInfix<arith::AddFOp, plus>(table);
  addInfix<arith::SubIOp, minus>(table);
  addInfix<arith::SubFOp, minus>(table);
  addInfix<arith::MulIOp, times>(table);
  addInfix<arith::MulFOp, times>(table);
  addInfix<arith::DivFOp, over>(table);
  addInfix<arith::DivSIOp, signedOver>(table);
  addInfix<arith::DivUIOp, unsignedOver>(table);
  addInfix<arith::RemSIOp, modulo>(table);
  addInfix<arith::RemFOp, modulo>(table);
  addInfix<arith::RemUIOp, unsignedModulo>(table);
  addInfix<arith::AndIOp, bitAnd>(table);
  addInfix<arith::OrIOp, bitOr>(table);
  addInfix<arith::ShLIOp, shiftLeft>(table);
  addInfix<arith::ShRSIOp, shiftRight>(table);
  addInfix<arith::ShRUIOp, unsignedShiftRight>(table);
  on<arith::XOrIOp, handleXor>(table);
  on<arith::CmpIOp, handleCompareInts>(table);
  on<arith::CmpFOp, handleCompareFloats>(table);
  on<arith::NegFOp, handleNegate>(table);
  on<arith::SelectOp, handleSelect>(table);
  on<tt::AddPtrOp, handleAddPointer>(table);
}

} // namespace gluonc::lift

#include "lift/Tree.h"

#include "lift/Body.h"
#include "lift/File.h"
#include "lift/ops/Handlers.h"

#include "ir/Dialects.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gluonc::lift {

Attribute constantOf(Value value) {
  // Anything will do.
  if (value.getDefiningOp<ub::PoisonOp>())
    return elementOf(Builder(value.getContext()).getZeroAttr(value.getType()));
  Attribute constant;
  return matchPattern(value, m_Constant(&constant)) ? elementOf(constant) : Attribute();
}

File &Tree::file() { return body.file; }

/// What hints promise of a value, around its expression.
static Expr withHints(Operation *op, Expr expr) {
  for (auto [attribute, function] :
       {std::pair("tt.divisibility", "multiple_of"), std::pair("tt.contiguity", "max_contiguous"),
        std::pair("tt.constancy", "max_constancy")})
    if (auto values = op->getAttrOfType<DenseIntElementsAttr>(attribute)) {
      SmallVector<int64_t> numbers;
      for (const llvm::APInt &number : values.getValues<llvm::APInt>())
        numbers.push_back(number.getSExtValue());
      expr = {std::string("gl.") + function + "(" + expr.text + ", " + listText(numbers) + ")"};
    }
  return expr;
}

std::optional<Expr> Tree::render(Operation *op) {
  Handler handler = handlerOf(op);
  std::optional<Expr> expr = handler ? handler(*this, op) : std::nullopt;
  if (!expr)
    return std::nullopt;
  order.push_back(op);
  return withHints(op, std::move(*expr));
}

/// A constant that says which type it has.
Expr Tree::typedConstant(Type type, Attribute element) {
  auto block = dyn_cast<RankedTensorType>(type);
  if (!block && hasOwnType(element))
    return {"gl.to_tensor(" + numberText(element) + ")"};
  std::optional<std::string> dtype = dtypeText(getElementTypeOrSelf(type));
  std::string number = numberText(element);
  canSay &= dtype.has_value();
  if (!dtype)
    return {number};
  if (!block)
    return {"gl.full([], " + number + ", " + *dtype + ")"};
  std::string where = *dtype + ", " + file().layout(block.getEncoding()) + ")";
  std::string shape = listText(block.getShape());
  if (number == "0" || number == "0.0")
    return {"gl.zeros(" + shape + ", " + where};
  return {"gl.full(" + shape + ", " + number + ", " + where};
}

Expr Tree::value(Value value) {
  if (Attribute element = constantOf(value))
    return typedConstant(value.getType(), element);
  // It was rendered before, when it came up.
  if (isInside(value))
    if (std::optional<Expr> expr = render(value.getDefiningOp()))
      return *expr;
  return {body.nameOf(value)};
}

Facts Tree::facts(Value value) const {
  auto at = own.find(value);
  return at == own.end() ? body.factsOf(value) : at->second;
}

bool Tree::areUnsigned(Value left, Value right) const {
  auto isUnsigned = [&](Value value, Value other) {
    return facts(value).isUnsigned || (constantOf(value) && facts(other).isUnsigned);
  };
  return isUnsigned(left, right) && isUnsigned(right, left);
}

Expr Tree::withSign(Value given, bool isUnsigned) {
  Expr expr = value(given);
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(given.getType()));
  // A bit has no sign.
  if (!integer || integer.getWidth() == 1 || facts(given).isUnsigned == isUnsigned)
    return expr;
  return {expr.within(Binding::Atom) + ".to(" + *dtypeText(integer, isUnsigned) + ")"};
}

std::string Tree::plainArgument(Value given) {
  if (Attribute element = constantOf(given))
    return numberText(element);
  return signedArgument(given);
}

/// Whether a number that stands for the constant gets the constant's type from the other operand,
/// which has the same.
static bool isNumberEnough(Attribute element, Numbers numbers) {
  Type type = cast<TypedAttr>(element).getType();
  if (numbers == Numbers::Yield || hasOwnType(element))
    return true;
  return numbers == Numbers::Typed && (type.isInteger(64) || type.isF64());
}

Expr Tree::numberOr(Value given, Value other, Numbers numbers, bool isUnsigned) {
  Attribute element = constantOf(given);
  if (element && !constantOf(other) && isNumberEnough(element, numbers)) {
    std::string text = numberText(element, isUnsigned);
    return {text, text.front() == '-' ? Binding::Unary : Binding::Atom};
  }
  return withSign(given, isUnsigned);
}

/// What a value is a splat or broadcast of; null where it is none.
static Value narrowOf(Value value) {
  if (auto splat = value.getDefiningOp<tt::SplatOp>())
    return splat.getSrc();
  if (auto broadcast = value.getDefiningOp<tt::BroadcastOp>())
    return broadcast.getSrc();
  return {};
}

bool Tree::isLeftOut(Value value, Value other) const {
  if (!isInside(value) || !narrowOf(value) || constantOf(other) ||
      value.getDefiningOp()->hasAttr("tt.divisibility"))
    return false;
  // Of two, the shape has to follow from both together.
  auto shapeOf = [&](Value side) -> ArrayRef<int64_t> {
    Value narrow = isInside(side) ? narrowOf(side) : Value();
    auto type = dyn_cast<RankedTensorType>(narrow ? narrow.getType() : side.getType());
    return type ? type.getShape() : ArrayRef<int64_t>();
  };
  ArrayRef<int64_t> wanted = cast<RankedTensorType>(value.getType()).getShape();
  ArrayRef<int64_t> one = shapeOf(value), two = shapeOf(other);
  if (two.size() != wanted.size())
    return false;
  for (auto [i, size] : llvm::enumerate(wanted))
    if (size != 1 && two[i] != size && (one.empty() || one[i] != size))
      return false;
  return true;
}

Tree::Pair Tree::pair(Operation *op, Numbers numbers, bool isUnsigned) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  bool isLeftNarrow = isLeftOut(left, right), isRightNarrow = isLeftOut(right, left);
  auto render = [&](Value value, Value other, bool isNarrow) {
    return isNarrow ? withSign(narrowOf(value), isUnsigned)
                    : numberOr(value, other, numbers, isUnsigned);
  };
  Pair made{render(left, right, isLeftNarrow), {}};
  made.right = render(right, left, isRightNarrow);
  if (isLeftNarrow)
    order.push_back(left.getDefiningOp());
  if (isRightNarrow)
    order.push_back(right.getDefiningOp());
  return made;
}

} // namespace gluonc::lift

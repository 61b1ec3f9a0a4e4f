// Operators as methods: which `__add__` an operator means, and `x.__add__(y)` spelt out.
//
// An instance decides over a tensor, a tensor over everything else. Between two
// instances the left one is asked first, unless the right one's class derives
// from the left one's; a method that returns NotImplemented passes.

#include "sema/names/Language.h"

#include "support/Error.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

// -- Names -----------------------------------------------------------------------------

static OperatorNames reflecting(llvm::StringLiteral forward, llvm::StringLiteral reflected) {
  return {forward, reflected};
}

OperatorNames methodNames(ast::Operator op) {
  switch (op) {
  case ast::Operator::Add:
    return reflecting("__add__", "__radd__");
  case ast::Operator::Sub:
    return reflecting("__sub__", "__rsub__");
  case ast::Operator::Mult:
    return reflecting("__mul__", "__rmul__");
  case ast::Operator::MatMult:
    return reflecting("__matmul__", "__rmatmul__");
  case ast::Operator::Div:
    return reflecting("__truediv__", "__rtruediv__");
  case ast::Operator::Mod:
    return reflecting("__mod__", "__rmod__");
  case ast::Operator::Pow:
    return reflecting("__pow__", "__rpow__");
  case ast::Operator::LShift:
    return reflecting("__lshift__", "__rlshift__");
  case ast::Operator::RShift:
    return reflecting("__rshift__", "__rrshift__");
  case ast::Operator::BitOr:
    return reflecting("__or__", "__ror__");
  case ast::Operator::BitXor:
    return reflecting("__xor__", "__rxor__");
  case ast::Operator::BitAnd:
    return reflecting("__and__", "__rand__");
  case ast::Operator::FloorDiv:
    return reflecting("__floordiv__", "__rfloordiv__");
  }
  GL_UNREACHABLE("operator");
}

OperatorNames methodNames(ast::CompareOperator op) {
  switch (op) {
  case ast::CompareOperator::Eq:
    return reflecting("__eq__", "__eq__");
  case ast::CompareOperator::NotEq:
    return reflecting("__ne__", "__ne__");
  case ast::CompareOperator::Lt:
    return reflecting("__lt__", "__gt__");
  case ast::CompareOperator::LtE:
    return reflecting("__le__", "__ge__");
  case ast::CompareOperator::Gt:
    return reflecting("__gt__", "__lt__");
  case ast::CompareOperator::GtE:
    return reflecting("__ge__", "__le__");
  default:
    return {};
  }
}

OperatorNames methodNames(ast::BoolOperator op) {
  return op == ast::BoolOperator::And ? reflecting("logical_and", "logical_and")
                                      : reflecting("logical_or", "logical_or");
}

llvm::StringRef methodName(ast::UnaryOperator op) {
  switch (op) {
  case ast::UnaryOperator::Invert:
    return "__invert__";
  case ast::UnaryOperator::Not:
    return "__not__";
  case ast::UnaryOperator::UAdd:
    return "__pos__";
  case ast::UnaryOperator::USub:
    return "__neg__";
  }
  GL_UNREACHABLE("operator");
}

// -- Dispatch --------------------------------------------------------------------------

std::optional<MaybeValue> callOperator(Interpreter &interpreter, const Value &owner,
                                       llvm::StringRef name, llvm::ArrayRef<Value> others,
                                       Span span) {
  if (!owner.is(ValueKind::Instance))
    return std::nullopt;
  const Class::Member *member = owner.asClass().findMember(name);
  if (!member || !member->value.is(ValueKind::Function))
    return std::nullopt;
  CallArguments arguments;
  arguments.span = span;
  arguments.add(owner, span);
  for (const Value &other : others)
    arguments.add(other, span);
  MaybeValue result = interpreter.callFunction(member->value, arguments);
  if (result && isIntrinsic(*result, "NotImplemented"))
    return std::nullopt;
  return result;
}

std::optional<MaybeValue> operatorMethod(Interpreter &interpreter, OperatorNames names,
                                         const Value &lhs, const Value &rhs, Span span) {
  bool isReflectedFirst = lhs.is(ValueKind::Instance) && rhs.is(ValueKind::Instance) &&
                          lhs.sharedClass() != rhs.sharedClass() &&
                          rhs.asClass().isOrDerivesFrom(lhs.asClass());
  for (bool isReflected : {isReflectedFirst, !isReflectedFirst})
    if (std::optional<MaybeValue> result =
            isReflected ? callOperator(interpreter, rhs, names.reflected, lhs, span)
                        : callOperator(interpreter, lhs, names.forward, rhs, span))
      return result;
  return std::nullopt;
}

// -- Spelt out ---------------------------------------------------------------------------

/// `x.__add__(y)` and `x.__radd__(y)` on a tensor.
static MaybeValue performBinary(Interpreter &interpreter, const IntrinsicCall &call) {
  for (unsigned i = 0; i <= unsigned(ast::Operator::FloorDiv); ++i) {
    auto op = ast::Operator(i);
    OperatorNames names = methodNames(op);
    if (names.forward != call.self.name && names.reflected != call.self.name)
      continue;
    size_t left = names.forward == call.self.name ? 0 : 1;
    return interpreter.binary(op, call[left], call[1 - left], call.span, call.arguments.span(left),
                              call.arguments.span(1 - left));
  }
  GL_UNREACHABLE("a binary operator");
}

static MaybeValue performCompare(Interpreter &interpreter, const IntrinsicCall &call) {
  for (unsigned i = 0; i <= unsigned(ast::CompareOperator::GtE); ++i)
    if (methodNames(ast::CompareOperator(i)).forward == call.self.name)
      return interpreter.compare(ast::CompareOperator(i), call[0], call[1], call.span,
                                 call.arguments.span(0), call.arguments.span(1));
  GL_UNREACHABLE("a comparison");
}

static MaybeValue performUnary(Interpreter &interpreter, const IntrinsicCall &call) {
  for (unsigned i = 0; i <= unsigned(ast::UnaryOperator::USub); ++i)
    if (methodName(ast::UnaryOperator(i)) == call.self.name)
      return interpreter.unary(ast::UnaryOperator(i), call[0], call.span, call.arguments.span(0));
  GL_UNREACHABLE("a unary operator");
}

const Intrinsic *findOperatorMethod(llvm::StringRef name) {
  static constexpr Signature binary = "self, other", unary = "self";
  static const std::vector<Intrinsic> table = [] {
    std::vector<Intrinsic> all;
    for (unsigned i = 0; i <= unsigned(ast::Operator::FloorDiv); ++i) {
      OperatorNames names = methodNames(ast::Operator(i));
      all.emplace_back(names.forward, binary, performBinary);
      all.emplace_back(names.reflected, binary, performBinary);
    }
    for (unsigned i = 0; i <= unsigned(ast::CompareOperator::GtE); ++i)
      if (OperatorNames names = methodNames(ast::CompareOperator(i)); !names.forward.empty())
        all.emplace_back(names.forward, binary, performCompare);
    for (unsigned i = 0; i <= unsigned(ast::UnaryOperator::USub); ++i)
      all.emplace_back(methodName(ast::UnaryOperator(i)), unary, performUnary);
    return all;
  }();
  for (const Intrinsic &method : table)
    if (method.name == name)
      return &method;
  return nullptr;
}

} // namespace gluonc::sema

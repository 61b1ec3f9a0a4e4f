//===- Tree.h - Operations that make one expression ------------------------------===//
#pragma once

#include "lift/Text.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseSet.h"

namespace gluonc::lift {

class Body;
class File;

/// What the language knows of a value beside its type in the IR.
struct Facts {
  bool isUnsigned = false;
  /// The sum of a running product of warpgroups.
  bool isAccumulator = false;
};

/// What an operator makes of a number that is known at compile time.
enum class Numbers {
  /// It takes the type of the other side.
  Yield,
  /// It has a type of its own, and both sides get what holds both.
  Typed,
  /// It has a type of its own and keeps it.
  Own,
};

/// An expression under construction. Operands are rendered in the order in which Python evaluates
/// them, and `order` records which operations that computes: the caller compares it with the
/// module's.
class Tree {
public:
  /// Operations of `inside` are rendered in place, others are names.
  Tree(Body &body, const llvm::DenseSet<mlir::Operation *> &inside) : body(body), inside(inside) {}

  Body &body;
  llvm::SmallVector<mlir::Operation *> order;
  /// False after something that has no spelling.
  bool canSay = true;

  File &file();
  /// The operation's expression; nullopt where it has no spelling.
  std::optional<Expr> render(mlir::Operation *op);

  /// A value as an expression that has its type: a constant says which.
  Expr value(mlir::Value value);
  /// The same with integers that have a sign, or none.
  Expr signedValue(mlir::Value value) { return withSign(value, false); }
  Expr unsignedValue(mlir::Value value) { return withSign(value, true); }
  Expr withSign(mlir::Value value, bool isUnsigned);
  /// Text for an argument of a call.
  std::string argument(mlir::Value given) { return value(given).text; }
  std::string signedArgument(mlir::Value given) { return signedValue(given).text; }
  /// Text in front of `.method(…)`.
  std::string object(mlir::Value given) { return value(given).within(Binding::Atom); }
  /// A number where the parameter has one type: an index, a fill value.
  std::string plainArgument(mlir::Value given);

  /// Two operands that the language brings to one shape: splats and broadcasts just before the
  /// operation are its own.
  struct Pair {
    Expr left, right;
  };
  Pair pair(mlir::Operation *op, Numbers numbers, bool isUnsigned);
  /// An operand that takes the place of a number where that is enough.
  Expr numberOr(mlir::Value value, mlir::Value other, Numbers numbers, bool isUnsigned);

  Facts facts(mlir::Value value) const;
  void setFacts(mlir::Value value, Facts given) { own[value] = given; }
  bool areUnsigned(mlir::Value left, mlir::Value right) const;
  const llvm::DenseMap<mlir::Value, Facts> &ownFacts() const { return own; }

private:
  Expr typedConstant(mlir::Type type, mlir::Attribute element);
  bool isInside(mlir::Value value) const {
    return value.getDefiningOp() && inside.contains(value.getDefiningOp());
  }
  /// Whether the operation that makes `value` is left to the operator that takes it.
  bool isLeftOut(mlir::Value value, mlir::Value other) const;

  const llvm::DenseSet<mlir::Operation *> &inside;
  llvm::DenseMap<mlir::Value, Facts> own;
};

/// The constant that a value is; null where it is none.
mlir::Attribute constantOf(mlir::Value value);

} // namespace gluonc::lift

//===- Recompute.h - The cheapest way to have a value in another layout --------===//
//
// A value can be converted, or computed again from operands in other layouts, each of
// which can be converted or computed again. What loops carry and branches yield is
// carried and yielded once more. `plan` finds the way of least cost:
//
//   %e = tt.expand_dims %x                       %y = ttg.convert_layout %x
//   %b = tt.broadcast %e                  ->     %e = tt.expand_dims %y
//   %c = ttg.convert_layout %b                   %c = tt.broadcast %e
//
//===----------------------------------------------------------------------===//
#pragma once

#include "assign/Costs.h"

#include "llvm/ADT/SetVector.h"

namespace gluonc::assign {

class Recompute {
public:
  Recompute(Costs &costs, ttg::ConvertLayoutOp conversion) : costs(costs), conversion(conversion) {}

  /// Whether there is a way that costs less than the conversion, or as much without any other.
  bool plan();

  /// Goes it; nothing uses the conversion any more.
  void apply();

private:
  using Key = std::pair<mlir::Value, mlir::Attribute>;
  struct Decision {
    enum Kind : uint8_t { Convert, Make, Reuse, Again, Forward, Carry, Yield } kind = Convert;
    /// Again: of the operation.
    OpLayouts layouts;
    /// Reuse: the conversion that is there already.
    mlir::Operation *existing = nullptr;
  };

  /// The least cost of `value` in a layout; what was decided is in `decisions`.
  int64_t want(mlir::Value value, mlir::Attribute encoding);
  /// The same without a conversion of `value` itself, if that is possible within `limit`.
  std::optional<int64_t> compute(mlir::Value value, mlir::Attribute encoding, int64_t limit);
  std::optional<int64_t> computeCarried(mlir::scf::ForOp loop, unsigned number,
                                        mlir::Attribute encoding, int64_t limit);
  std::optional<int64_t> computeYielded(mlir::scf::IfOp branch, mlir::Value value,
                                        mlir::Attribute encoding, int64_t limit);
  std::optional<int64_t> computeAgain(mlir::Operation *op, mlir::Value value,
                                      mlir::Attribute encoding, int64_t limit);
  /// Whether it was decided that the loop of this argument carries it so.
  bool isCarried(mlir::Value argument, mlir::Attribute encoding);
  bool isStillUsed(mlir::Operation *op);
  void decide(mlir::Value value, mlir::Attribute encoding, Decision decision);
  void forgetFrom(size_t first);

  /// The value as it was decided.
  mlir::Value make(mlir::Value value, mlir::Attribute encoding);
  /// Builds what was decided for it.
  mlir::Value build(mlir::Value value, mlir::Attribute encoding);
  void makeAgain(mlir::Operation *op, const OpLayouts &layouts);
  mlir::Value makeCarried(mlir::Value argument, mlir::Attribute encoding);
  mlir::Value makeYielded(mlir::Value result, mlir::Attribute encoding);
  /// What is known of results of `from` is known of those of `to`.
  void rename(mlir::Operation *from, mlir::Operation *to);

  Costs &costs;
  ttg::ConvertLayoutOp conversion;
  llvm::DenseMap<Key, Decision> decisions;
  llvm::SmallVector<Key> log;
  llvm::DenseMap<Key, mlir::Value> made;
  /// Values that may still be looked at: no search is long.
  int budget = 400;
};

} // namespace gluonc::assign

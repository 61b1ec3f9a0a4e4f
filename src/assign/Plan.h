//===- Plan.h - Layouts for all open tensors of a function ----------------------===//
//
// What control flow hands on keeps its layout: the values of a *class* (a loop's
// argument and its result) have one. Every other tensor is the result of an operation,
// which has settled on its layouts (Settle.h) or takes any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "assign/Settle.h"

#include "llvm/ADT/MapVector.h"

namespace gluonc::assign {

/// Functions that stay take and return tensors in the default layouts of their shapes.
void giveSignature(tt::FuncOp function);

class Plan {
public:
  explicit Plan(tt::FuncOp function);

  /// Everything in the default layout of its shape.
  void chooseDefaults();
  /// Stated layouts forward, then backward; defaults for what they do not reach.
  void choose();

  /// Gives the types their encodings, with conversions where an operand needs another.
  void apply();

private:
  /// A layout that a value may get, and the loops around what asks for it.
  struct Candidate {
    mlir::Attribute encoding;
    unsigned depth;
  };
  using Candidates = llvm::DenseMap<mlir::Value, llvm::SmallVector<Candidate, 2>>;
  struct Class {
    llvm::SmallVector<mlir::Value, 4> members;
    /// What arrives at them.
    llvm::SmallVector<mlir::OpOperand *, 4> sources;
  };

  void findClasses();
  void fixSignatures();
  Class *classOf(mlir::Value value);

  void spreadForward();
  void chooseForward(mlir::Operation *op);
  void spreadBackward();
  void chooseBackward(mlir::Operation *op);
  void chooseLeaf(mlir::Operation *op);
  void chooseClass(Class &group, llvm::ArrayRef<Candidate> candidates);
  /// Candidates of all members.
  llvm::SmallVector<Candidate> candidatesOf(const Class &group, const Candidates &all);
  /// What the uses of `values` need, the deepest in loops first.
  llvm::SmallVector<Candidate> demandsOn(mlir::ValueRange values);

  void add(Candidates &all, mlir::Value value, Candidate candidate);
  void record(mlir::Operation *op, const OpLayouts &layouts);
  void setLayout(mlir::Value value, mlir::Attribute encoding);
  bool isChosen(mlir::Value value) const { return layouts.contains(value); }
  /// Whether `op` has an open tensor that decides its layouts.
  bool isToSettle(mlir::Operation *op) const;

  void applyTypes();
  void applyNeeds();
  void dropOpenConversions(llvm::ArrayRef<mlir::Operation *> conversions);

  tt::FuncOp function;
  /// All operations, in order, with their numbers.
  llvm::SmallVector<mlir::Operation *> order;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::vector<Class> classes;
  llvm::DenseMap<mlir::Value, unsigned> classNumbers;
  /// The class that an operand arrives at.
  llvm::DenseMap<mlir::OpOperand *, unsigned> arriving;
  llvm::DenseSet<mlir::Operation *> settled;
  llvm::DenseMap<mlir::Value, mlir::Attribute> layouts;
  llvm::DenseMap<mlir::OpOperand *, mlir::Attribute> needs;
  Candidates forward, backward;
  llvm::SmallVector<mlir::Value> pending;
};

} // namespace gluonc::assign

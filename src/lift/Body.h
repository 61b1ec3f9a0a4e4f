//===- Body.h - Statements of one function ---------------------------------------===//
//
// Operations come in the module's order. Those whose result is used once, by another
// operation of the block, wait as *roots* until that one is printed: if it computes
// them in their order they become part of its expression, else statements. So the
// statements compute in the module's order, whatever is nested in them.
//
// Loops and branches carry values in variables: what they carry, yield and give has one
// name. A value takes that name at once where nothing needs the variable's value
// before any more; else it is copied at the end. The language carries variables in the
// order in which they were first assigned, so first assignments keep that order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lift/File.h"
#include "lift/Tree.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gluonc::lift {

class Body {
public:
  explicit Body(File &file) : file(file) {}

  File &file;

  /// Takes a name for a parameter.
  std::string parameter(mlir::Value value, llvm::StringRef wanted, Facts given = {});
  /// A parameter that is an expression of others.
  void bind(mlir::Value value, std::string text, Facts given);
  void reserve(llvm::StringRef name) { fresh(name); }
  /// What the function returns; integers have a sign where nothing is said.
  std::vector<Facts> returned;

  /// Prints the block, whose end is a return; false after an error.
  bool functionBlock(mlir::Block &block);
  /// Lines so far, indented for the body of a function.
  std::string takeText() { return std::exchange(text, ""); }

  /// The name of a value that was computed before; some name for one that has none yet.
  std::string nameOf(mlir::Value value) const;
  Facts factsOf(mlir::Value value) const { return facts.lookup(value); }
  /// What the source calls a value, or what it is.
  std::string wantedName(mlir::Value value) const;

private:
  /// An operation that waits, and all that its expression computes, in order.
  struct Root {
    mlir::Operation *op;
    llvm::SmallVector<mlir::Operation *> sequence;
    Expr expr;
  };
  using Render = llvm::function_ref<std::optional<Expr>(Tree &)>;
  struct Copy {
    std::string name, text;
  };

  std::string fresh(llvm::StringRef wanted) { return file.freshLocal(names, wanted); }

  // Body.cpp
  void line(const llvm::Twine &line);
  bool statements(mlir::Block &block);
  bool statement(mlir::Operation *op);
  bool operation(mlir::Operation *op);
  bool returns(mlir::Operation *op);
  llvm::SmallVector<mlir::Operation *> sequenceFrom(size_t start) const;
  std::optional<Root> compose(mlir::Operation *op, Render render);
  void flush(size_t count);
  void flushAll() { flush(roots.size()); }
  void assign(mlir::Operation *op, const std::string &expr);
  bool mayWait(mlir::Operation *op) const;
  bool refuse(mlir::Operation *op);

  // Variables.cpp
  std::string variableFor(mlir::Value value);
  std::optional<std::string> carriedNameFor(mlir::Value value);
  bool isFree(llvm::StringRef name, mlir::Operation *op, mlir::OpOperand *except = nullptr) const;
  void define(mlir::Value value, const std::string &name);
  bool isSet(llvm::StringRef name) const { return firstSet.contains(name); }
  llvm::SmallVector<std::string> &plan(mlir::Operation *op);
  void settleOrder(mlir::Operation *op, mlir::OperandRange initial);
  bool isAccumulator(mlir::Value value) const;
  std::string assignedText(mlir::Value value, bool asAccumulator);
  void copyAll(llvm::MutableArrayRef<Copy> copies);
  void leave(mlir::Operation *op, mlir::ValueRange values);
  void enter(mlir::Operation *op, mlir::ValueRange initial, mlir::ValueRange inside);

  // ControlFlow.cpp
  bool loop(mlir::scf::ForOp op);
  bool whileLoop(mlir::scf::WhileOp op);
  std::optional<std::string> test(mlir::scf::WhileOp op);
  /// The text of the condition of an `if`, which starts a statement. Nullopt after an error.
  std::optional<std::string> conditionOf(mlir::Operation *op, mlir::Value condition);
  bool branch(mlir::scf::IfOp op);
  bool choice(mlir::arith::SelectOp op);
  bool arm(mlir::scf::IfOp op, mlir::Block *block);
  bool nested(llvm::function_ref<bool()> print);

  Names names;
  llvm::DenseMap<mlir::Value, std::string> named;
  llvm::DenseMap<mlir::Value, Facts> facts;
  std::vector<Root> roots;
  std::string text;
  unsigned depth = 1;
  /// Inside the condition of a `while`, which is one expression.
  bool allowsStatements = true;
  /// What a name stands for here.
  llvm::StringMap<mlir::Value> bound;
  /// When a name was assigned first.
  llvm::StringMap<unsigned> firstSet;
  /// Variables of loops and branches.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<std::string>> plans;
};

} // namespace gluonc::lift

//===- Handlers.h - Which expression of the language makes an operation -----------===//
//
// A handler renders the operands in the order in which the language evaluates them and
// says what computes the operation from them; nullopt where nothing does.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lift/File.h"
#include "lift/Tree.h"

#include "ir/Dialects.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::lift {

using Handler = std::optional<Expr> (*)(Tree &, mlir::Operation *);

/// Null for operations that the language cannot spell.
Handler handlerOf(mlir::Operation *op);

/// Handlers by the names of operations.
using HandlerTable = llvm::StringMap<Handler>;

/// A handler that takes the operation by its class.
template <typename Op, std::optional<Expr> (*handle)(Tree &, Op)> void on(HandlerTable &table) {
  table[Op::getOperationName()] = [](Tree &tree, mlir::Operation *op) {
    return handle(tree, llvm::cast<Op>(op));
  };
}

void addArithmetic(HandlerTable &table);
void addConversions(HandlerTable &table);
void addMath(HandlerTable &table);
void addShape(HandlerTable &table);
void addMemory(HandlerTable &table);
void addAtomics(HandlerTable &table);
void addBuffers(HandlerTable &table);
void addCopyEngine(HandlerTable &table);
void addProducts(HandlerTable &table);
void addTensorMemory(HandlerTable &table);
void addFunctions(HandlerTable &table);

/// A call. Keyword arguments are rendered first: the language evaluates them so.
struct Call {
  Call(Tree &tree, const llvm::Twine &function) : tree(tree), function(function.str()) {}

  Call &add(const llvm::Twine &argument) {
    positional.push_back(argument.str());
    return *this;
  }
  Call &value(mlir::Value value) { return add(tree.argument(value)); }
  Call &signedValue(mlir::Value value) { return add(tree.signedArgument(value)); }

  Call &keyword(llvm::StringRef name, const llvm::Twine &argument) {
    named.push_back((name + "=" + argument).str());
    return *this;
  }
  Call &optional(llvm::StringRef name, mlir::Value value) {
    return value ? keyword(name, tree.argument(value)) : *this;
  }
  /// `name="choice"`, where that is not what it is without.
  Call &choice(llvm::StringRef name, llvm::StringRef choice, llvm::StringRef usual = "") {
    return choice == usual ? *this : keyword(name, "\"" + choice + "\"");
  }
  Call &flag(llvm::StringRef name, bool isSet) { return isSet ? keyword(name, "True") : *this; }

  Expr end() const {
    std::vector<std::string> all = positional;
    all.insert(all.end(), named.begin(), named.end());
    return {function + "(" + llvm::join(all, ", ") + ")"};
  }

  Tree &tree;
  std::string function;
  std::vector<std::string> positional, named;
};

/// The expression in the layout of `type`, where the language gives it `inferred`.
Expr inLayoutOf(Tree &tree, mlir::RankedTensorType type, const layout::Layout &inferred, Expr expr);

} // namespace gluonc::lift

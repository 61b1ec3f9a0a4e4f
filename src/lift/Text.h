//===- Text.h - Expressions, numbers, types and names as Python writes them -----===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>

namespace gluonc::lift {

/// How tightly an expression binds, loosest first.
enum class Binding { Compare, Or, Xor, And, Shift, Sum, Product, Unary, Atom };

struct Expr {
  std::string text;
  Binding binding = Binding::Atom;

  /// The text, in parentheses where it binds less tightly than `least`.
  std::string within(Binding least) const { return binding < least ? "(" + text + ")" : text; }
};

/// `gl.float32`, `gl.uint8`, `gl.pointer_type(gl.int8)`; nullopt for types that have no name.
std::optional<std::string> dtypeText(mlir::Type element, bool isUnsigned = false);

/// Every element of a constant; null where they differ.
mlir::Attribute elementOf(mlir::Attribute constant);
/// A number that rounds to the element: `-3`, `0.5`, `float("inf")`, `True`.
std::string numberText(mlir::Attribute element, bool isUnsigned = false);
/// Whether such a number is of the element's type where nothing else decides: int32, float32, int1.
bool hasOwnType(mlir::Attribute element);

/// `[1, 2]`.
std::string listText(llvm::ArrayRef<int64_t> numbers);
std::string listText(llvm::ArrayRef<int32_t> numbers);
/// A string of Python.
std::string quoted(llvm::StringRef text);

/// Identifiers that are in use.
class Names {
public:
  /// Takes `wanted`, or it with a number behind that makes it new here and `elsewhere`.
  std::string fresh(llvm::StringRef wanted, const llvm::StringSet<> &elsewhere);
  const llvm::StringSet<> &all() const { return taken; }

private:
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> last;
};

} // namespace gluonc::lift

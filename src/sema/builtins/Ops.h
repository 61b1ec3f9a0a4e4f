//===- Ops.h - Operators, builtins and methods that emit IR -----------------===//
//
// The walker resolves names and control flow; whatever needs an operation is
// asked for here. Every function returns nullopt exactly when it has reported
// an error through its Context.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/builtins/Context.h"
#include "sema/builtins/Signature.h"
#include "target/Features.h"

namespace gluonc::sema {

/// Arguments bound to a builtin's parameters. A parameter that was not given is Absent; `*rest` is
/// a Tuple.
struct BoundArgs {
  const Signature &signature;
  /// In the order of the signature.
  llvm::ArrayRef<Value> values;
  /// Span of each argument; that of the call where it was not given.
  llvm::ArrayRef<diag::Span> spans;

  const Value &operator[](size_t i) const { return values[i]; }
  diag::Span span(size_t i) const { return spans[i]; }
  const Value &operator[](llvm::StringRef name) const { return values[indexOf(name)]; }
  diag::Span span(llvm::StringRef name) const { return spans[indexOf(name)]; }
  /// The position of a parameter that the signature has.
  size_t indexOf(llvm::StringRef name) const;
};

using BuiltinFn = std::optional<Value> (*)(Context &, const BoundArgs &);

/// What else there is to know about a builtin.
struct Traits {
  /// Tensors have it as a method too: `x.sum()`; the tensor is its first argument.
  bool isMethod = false;
  /// The modules of newer chips have it as well, unless they have one of their own.
  bool isInherited = true;
  /// What the target must have.
  std::optional<target::Feature> needs = std::nullopt;
  /// A second name in the same module, and one as a method.
  llvm::StringRef alias = {}, methodAlias = {};
};

/// One function of the language, with everything that is known about it.
struct Builtin {
  /// Path below `gl`: "load", "nvidia.ampere.async_copy.commit_group".
  llvm::StringRef name;
  Signature signature;
  /// Null for what the interpreter itself performs (see Intrinsic).
  BuiltinFn emit = nullptr;
  Traits traits = {};
  /// What it does, in one line; then paragraphs, "Gives: …" and "Errors: …" among them; an example,
  /// indented, that compiles behind `examplePrelude` (Reference.h).
  llvm::StringRef doc = {};

  /// The name without the chip's module: "mbarrier.init".
  llvm::StringRef shortName() const;
};

namespace ops {

enum class BinaryOp { Add, Sub, Mul, Div, FloorDiv, Mod, And, Or, Xor, Shl, Shr, Pow, MatMul };
enum class UnaryOp { Neg, Pos, Invert, Not };
enum class CompareOp { Eq, Ne, Lt, Le, Gt, Ge };

/// Null when there is no such builtin. `name` as in Builtin::name.
const Builtin *findBuiltin(llvm::StringRef name);
/// Every name that findBuiltin knows, in alphabetical order.
void appendBuiltinNames(std::vector<llvm::StringRef> &names);
/// Methods by name, in alphabetical order.
std::vector<std::pair<llvm::StringRef, const Builtin *>> tensorMethodRows();
std::vector<std::pair<llvm::StringRef, const Builtin *>> memDescMethodRows();
std::vector<std::pair<llvm::StringRef, const Builtin *>> tensorMemoryMethodRows();
/// Of values of a kind that has methods of its own: FloatPairs, LaunchAnswer; else empty.
llvm::ArrayRef<Builtin> ownMethodRows(ValueKind kind);
/// Is the name known, but not supported yet?
bool isLater(const Builtin &builtin);
/// Emits a call, after checking that the target has what the builtin needs.
std::optional<Value> emitCall(Context &, const Builtin &builtin, llvm::ArrayRef<Value> values,
                              llvm::ArrayRef<diag::Span> spans);
/// A method of tensors (`x.to`, `x.sum`) or memory descriptors; the object is its first argument.
const Builtin *findTensorMethod(llvm::StringRef name);
const Builtin *findMemDescMethod(llvm::StringRef name, bool inTensorMemory);
/// A method among ownMethodRows(kind).
const Builtin *findOwnMethod(ValueKind kind, llvm::StringRef name);

/// At least one operand is IR. The spans are those of the operands.
std::optional<Value> binary(Context &, BinaryOp, const Value &lhs, const Value &rhs,
                            diag::Span lhsSpan, diag::Span rhsSpan);
std::optional<Value> compare(Context &, CompareOp, const Value &lhs, const Value &rhs,
                             diag::Span lhsSpan, diag::Span rhsSpan);
std::optional<Value> unary(Context &, UnaryOp, const Value &operand, diag::Span operandSpan);
/// `and` / `or` of two operands, at least one IR.
std::optional<Value> logical(Context &, bool isAnd, const Value &lhs, const Value &rhs,
                             diag::Span lhsSpan, diag::Span rhsSpan);

/// A number or bool becomes a scalar tensor of the type that it takes alone; a tensor stays.
std::optional<Value> materialize(Context &, const Value &value, diag::Span span);
/// Conversion of numbers and tensors to `dtype`.
std::optional<Value> cast(Context &, const Value &value, DType dtype, diag::Span span);
/// The int1 scalar that a dynamic `if` or ternary branches on.
std::optional<Value> condition(Context &, const Value &value, diag::Span span);
/// `x[:, None]`: one entry per index, true where it is None, false where it is `:`.
std::optional<Value> subscript(Context &, const Value &tensor, llvm::ArrayRef<bool> isNewAxis);
/// The type of a descriptor of blocks; null where the layout is none for shared memory, or the
/// elements are no numbers.
mlir::Type descriptorType(mlir::MLIRContext *context, DType element, llvm::ArrayRef<int64_t> block,
                          const Value &layout, bool isIm2Col);
/// Why the target's copy engine has no descriptors of what `descriptorType` gave; "" if it has.
std::string whyNoDescriptor(mlir::Type type, const target::Target &target);
/// `x.T`, `x.shape`, …: nullopt without a report when there is no such attribute.
std::optional<Value> attribute(Context &, const Value &object, llvm::StringRef name);

} // namespace ops
} // namespace gluonc::sema

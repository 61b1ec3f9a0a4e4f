//===- Emit.h - What the operator families share ------------------------------===//
//
// Every family follows the same road: numbers that are known at compile time
// stay numbers until they meet a tensor, then `promote` settles the common
// element type (Promotion.cpp), `broadcast` the common shape and layout,
// and the family emits one operation. Numbers become constants of the final
// type and shape at once, so there is little left to fold.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "layout/named/Layouts.h"
#include "sema/builtins/Ops.h"

#include "mlir/IR/BuiltinTypes.h"

namespace gluonc::sema::ops {

using Result = std::optional<Value>;

/// A value and the place that it was written at.
struct Operand {
  Value value;
  diag::Span span;

  bool isNumber() const { return value.isNumber(); }
  bool isBlock() const { return value.isTensor() && value.isBlock(); }
  /// Of a tensor, or of what a number becomes alone (int32, float32, …).
  DType dtype() const;
};

inline Operand operand(const BoundArgs &arguments, llvm::StringRef name) {
  return {arguments[name], arguments.span(name)};
}

// -- Types and constants (Constants.cpp) ---------------------------------------

/// `like`'s shape and layout (none for a scalar) with another element type.
mlir::Type typeWithElement(mlir::Type like, mlir::Type element);
mlir::Type typeWithElement(Context &context, mlir::Type like, DType element);
inline Value tensor(mlir::Value value, DType dtype) { return Value::tensor(value, dtype); }

/// The type that a number takes alone; nullopt for an integer beyond 64 bits.
std::optional<DType> numberType(const Value &number);
/// Whether numbers convert to `dtype`: not to void, nor to fp8e4b15, which is bytes to us.
inline bool holdsNumbers(DType dtype) {
  return !dtype.isVoid() && dtype != ScalarKind::Float8E4B15;
}
/// A number as a constant scalar or splat block of type `type`, whose elements are `dtype`.
/// Integers wrap, floats round to nearest even.
mlir::Value numberConstant(Context &context, const Value &number, DType dtype, mlir::Type type);
/// The same for a number that the program wrote: reports one that `dtype` has no bits for.
Result filledConstant(Context &context, const Operand &number, DType dtype, mlir::Type type);
/// The integer `value` in every element.
mlir::Value intConstant(Context &context, mlir::Type type, int64_t value);
/// Spreads a scalar over the shape and layout of `like`; splats of constants become constants.
Value splat(Context &context, const Value &scalar, mlir::RankedTensorType like);
/// The one element of a block of one.
Value unsplat(Context &context, const Value &block);
layout::Layout layoutOf(const Value &block);
bool isAuto(mlir::RankedTensorType type);
/// `[4, 8]`
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// The type of a new block, after checking the shape, the layout and that they fit each other
/// and the kernel. AutoLayout where `layout` is absent or None.
std::optional<mlir::RankedTensorType> blockType(Context &context, llvm::ArrayRef<int64_t> shape,
                                                diag::Span shapeSpan, DType dtype,
                                                const Value &layout, diag::Span layoutSpan);
/// The layout checks of `blockType` alone.
bool checkLayout(Context &context, const layout::Layout &layout, llvm::ArrayRef<int64_t> shape,
                 diag::Span span);
/// The shape checks of `blockType` alone.
bool checkBlockShape(Context &context, llvm::ArrayRef<int64_t> shape, diag::Span span);

// -- Promotion and broadcasting ------------------------------------------------

/// `Division` is `/`; `Integral` is `//` and `%`; both want integers of one signedness. In `Typed`
/// a number does not yield to a tensor, but has the type that it takes alone: comparisons.
enum class Promotion { Plain, Division, Integral, Typed };

/// The common element type of two numbers or tensors, neither holding pointers.
std::optional<DType> promotedType(Context &context, llvm::StringRef what, Promotion mode,
                                  const Operand &lhs, const Operand &rhs);
/// Turns an operand into a tensor of `dtype`; a number must fit. `like` gives a number's shape.
Result toType(Context &context, const Operand &operand, DType dtype, mlir::Type like);
/// Both operands as tensors of one element type, shape and layout.
bool promote(Context &context, llvm::StringRef what, Promotion mode, Operand &lhs, Operand &rhs);
/// Brings tensors to one shape and layout: scalars are splat, dimensions of size 1 repeated.
bool broadcast(Context &context, Operand &lhs, Operand &rhs);
bool broadcast(Context &context, llvm::MutableArrayRef<Operand> operands);
/// Repeats a block's dimensions of size 1.
Result broadcastTo(Context &context, const Operand &block, llvm::ArrayRef<int64_t> shape);
/// The same block in AutoLayout: the compiler chooses.
mlir::Value openLayout(Context &context, mlir::Value block);
inline Value openLayout(Context &context, const Value &block) {
  return block.withIr(openLayout(context, block.ir()));
}
/// Gives a block in AutoLayout the encoding that its use asks for.
Value pinLayout(Context &context, const Value &block, mlir::Attribute encoding);

// -- Casts ---------------------------------------------------------------------

enum class Rounding { Default, NearestEven, TowardZero };

/// Conversion of a tensor; reports at `span` where the language has none.
Result castTensor(Context &context, const Value &value, DType dtype, diag::Span span,
                  Rounding rounding = Rounding::Default);
Result bitcastTensor(Context &context, const Value &value, DType dtype, diag::Span span);
/// x != 0 of an integer, float or pointer tensor.
Value notZero(Context &context, const Value &value);
/// A tensor as it is, a number as the tensor that it is alone.
Result materialize(Context &context, const Operand &operand);

// -- Arguments -----------------------------------------------------------------

/// Readers of arguments, each by the name of its parameter. They report and give nullopt for a
/// wrong one; what is not given (or None) gets the default that the row says.
std::optional<int64_t> intArgument(Context &, const BoundArgs &, llvm::StringRef name);
std::optional<bool> boolArgument(Context &, const BoundArgs &, llvm::StringRef name);
std::optional<llvm::StringRef> stringArgument(Context &, const BoundArgs &, llvm::StringRef name);
std::optional<DType> dtypeArgument(Context &, const BoundArgs &, llvm::StringRef name);
/// Whether the target has the type, if it is an 8-bit float; Gluon admits more than the target has.
bool checkFloat8(Context &, DType, diag::Span);
/// A sequence of ints; `reshape(4, 8)` and `reshape([4, 8])` read alike.
std::optional<llvm::SmallVector<int64_t>> intsArgument(Context &, const BoundArgs &,
                                                       llvm::StringRef name);
/// A block tensor.
bool blockArgument(Context &, const BoundArgs &, llvm::StringRef name);
/// An integer or int32 scalar, as an int32 scalar.
Result int32Argument(Context &, const Value &value, diag::Span span, llvm::StringRef name);
/// A number or scalar as an int1 scalar; null where it is absent or known to be true.
std::optional<mlir::Value> predicateArgument(Context &, const BoundArgs &,
                                             llvm::StringRef name = "pred");
/// A number or tensor.
bool tensorArgument(Context &, const BoundArgs &, llvm::StringRef name);
/// `axis` of a tensor of `rank` dimensions, counted from the end when negative.
std::optional<unsigned> axisArgument(Context &, const BoundArgs &, unsigned rank);
inline bool isGiven(const Value &value) { return !value.isAbsent() && !value.isNone(); }

/// Whether the target has the feature; reports otherwise.
bool requireFeature(Context &context, llvm::StringRef what, std::optional<target::Feature> feature);

// -- Pieces that families borrow from each other -------------------------------

Result addPointer(Context &context, const Operand &pointer, const Operand &offset, bool subtract);
Result expandDims(Context &context, const Operand &block, unsigned axis);
/// `mayReorder`: elements may come in any order.
Result reshape(Context &context, const Operand &block, llvm::ArrayRef<int64_t> shape,
               diag::Span shapeSpan, bool mayReorder = false);
Result select(Context &context, const Operand &condition, const Operand &lhs, const Operand &rhs);
enum class Extremum { Min, Max };
/// Of two tensors of one type. `propagateNan` makes a NaN win.
mlir::Value extremum(Context &context, Extremum kind, mlir::Value lhs, mlir::Value rhs, DType dtype,
                     bool propagateNan);

/// Reduces a block over one axis by what `combine` makes of two scalars.
Value reduce(Context &context, const Value &block, unsigned axis,
             llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
/// An operator of which one side is a Float2Tensor.
Result floatPairsArithmetic(Context &context, BinaryOp op, const Value &lhs, const Value &rhs);

// -- Rows ------------------------------------------------------------------------

inline constexpr Traits asFunction = {};
/// A function that tensors have as a method too.
inline constexpr Traits asMethod = {.isMethod = true};

// -- Builtins of each family (Registry.cpp puts them together) ------------------

llvm::ArrayRef<Builtin> creationBuiltins();
llvm::ArrayRef<Builtin> shapeBuiltins();
llvm::ArrayRef<Builtin> layoutBuiltins();
llvm::ArrayRef<Builtin> memoryBuiltins();
llvm::ArrayRef<Builtin> atomicBuiltins();
llvm::ArrayRef<Builtin> mathBuiltins();
llvm::ArrayRef<Builtin> hintBuiltins();
llvm::ArrayRef<Builtin> reduceBuiltins();
llvm::ArrayRef<Builtin> sharedBuiltins();
llvm::ArrayRef<Builtin> asyncCopyBuiltins();
llvm::ArrayRef<Builtin> mmaBuiltins();
llvm::ArrayRef<Builtin> barrierBuiltins();
llvm::ArrayRef<Builtin> tmaBuiltins();
llvm::ArrayRef<Builtin> namedRowBuiltins();
llvm::ArrayRef<Builtin> warpgroupBuiltins();
llvm::ArrayRef<Builtin> tensorMemoryBuiltins();
llvm::ArrayRef<Builtin> packedArithmeticBuiltins();
llvm::ArrayRef<Builtin> floatPairBuiltins();
llvm::ArrayRef<Builtin> launchControlBuiltins();
llvm::ArrayRef<Builtin> tensorProductBuiltins();
llvm::ArrayRef<Builtin> gatherBuiltins();
llvm::ArrayRef<Builtin> elementwiseBuiltins();
llvm::ArrayRef<Builtin> libdeviceBuiltins();
llvm::ArrayRef<Builtin> dotFmaBuiltins();
/// Of `tl` only.
llvm::ArrayRef<Builtin> dotBuiltins();
/// Private names of the library of tl, without pages of their own.
llvm::ArrayRef<Builtin> blockBuiltins();
llvm::ArrayRef<Builtin> amdBufferBuiltins();
llvm::ArrayRef<Builtin> amdMatrixBuiltins();
llvm::ArrayRef<Builtin> amdScaleBuiltins();
llvm::ArrayRef<Builtin> amdScheduleBuiltins();
llvm::ArrayRef<Builtin> amdAsyncCopyBuiltins();
llvm::ArrayRef<Builtin> amdBarrierBuiltins();
llvm::ArrayRef<Builtin> amdTensorCopyBuiltins();
/// Methods of descriptors of tensor memory.
llvm::ArrayRef<Builtin> tensorMemoryMethods();
llvm::ArrayRef<Builtin> reducingLoadMethods();
/// Methods of Float2Tensors, and of answers to requests for work.
llvm::ArrayRef<Builtin> floatPairMethods();
llvm::ArrayRef<Builtin> launchAnswerMethods();
/// Methods of memory descriptors.
llvm::ArrayRef<Builtin> bufferAccessMethods();
llvm::ArrayRef<Builtin> viewMethods();
llvm::ArrayRef<Builtin> indexedMethods();

} // namespace gluonc::sema::ops

//===- Value.h - What an expression evaluates to ----------------------------===//
//
// A Value is either known at compile time (None, numbers, strings, tuples,
// dtypes, layouts, functions, modules, …) or stands for IR (a scalar or block
// tensor, a memory descriptor). A tuple may mix both. Values are cheap to copy:
// small ones live inline, the rest share an immutable payload.
//
// The front-end type of a tensor is its mlir::Type (shape and encoding) plus a
// DType (signedness, const pointees), so comparing types is two pointer
// compares. Python lists and dicts, which only compile-time code may build, are
// the two mutable payloads.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/value/DType.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gluonc::layout {
class Layout;
} // namespace gluonc::layout

namespace gluonc::sema {

class Class;
class Function;
class Module;
struct Builtin;
class Value;

enum class ValueKind : uint8_t {
  /// No value: an argument that was not given.
  Absent,
  None,
  Bool,
  Int,
  Float,
  String,
  /// Tuples and, inside kernels, lists. May carry field names (namedtuple).
  Tuple,
  /// A Python list of compile-time code; mutable, shared by reference.
  List,
  /// A Python dict of compile-time code; mutable, shared by reference.
  Dict,
  /// A Python set of compile-time code; items without repetition.
  Set,
  Slice,
  Range,
  DType,
  /// Type of a block tensor or memory descriptor: `x.type`.
  BlockType,
  Layout,
  /// A `def` or `lambda` in source: jit, constexpr_function or plain.
  Function,
  /// A function or class that the compiler implements.
  Builtin,
  /// `object.method`: a function or builtin with its first argument.
  BoundMethod,
  /// A class in source (aggregates, namedtuples); see Class.
  Class,
  /// An instance of an aggregate or namedtuple class.
  Instance,
  Module,
  /// Something of the host program that compile-time code may name but not use.
  Opaque,
  /// Scalar or block tensor.
  Tensor,
  /// Shared or tensor memory descriptor.
  MemDesc,
  /// What an asynchronous `warpgroup_mma` will have computed; a wait makes it a tensor.
  Accumulator,
  /// A tensor of int64 whose elements are two float32 each.
  FloatPairs,
  /// What a request for the work of another cluster brought.
  LaunchAnswer,
  /// Describes a tensor in global memory to the copy engine: a Handle, the tensor's shape and its
  /// strides.
  Descriptor,
  /// IR that only the compiler sees.
  Handle,
};

/// "int", "tuple", "tensor", …: how diagnostics call a kind.
llvm::StringRef kindName(ValueKind kind);

/// Shared part of a Value. Subclasses are private to Value.cpp, but for those below.
struct Payload {
  virtual ~Payload() = default;
};

class Value {
public:
  Value() = default;

  static Value none() { return Value(ValueKind::None); }
  static Value boolean(bool value);
  static Value integer(int64_t value);
  /// A signed integer of any width.
  static Value integer(const llvm::APInt &value);
  static Value real(double value);
  static Value string(std::string text);
  static Value tuple(std::vector<Value> items, std::vector<std::string> names = {});
  static Value list(std::vector<Value> items);
  /// A tuple that is equal to a list of the same items, too: a list that nobody can change.
  static Value fixedList(std::vector<Value> items);
  static Value dict(std::vector<std::pair<Value, Value>> items);
  static Value set(llvm::ArrayRef<Value> items);
  static Value slice(Value start, Value stop, Value step);
  /// `hints` of `tl.range` follow the bounds: see rangeHints.
  static Value range(Value start, Value stop, Value step, llvm::ArrayRef<Value> hints = {});
  static Value dtype(DType dtype);
  static Value blockType(mlir::Type type, DType dtype);
  static Value layout(layout::Layout layout);
  static Value function(std::shared_ptr<const Function> function);
  static Value builtin(const Builtin *builtin);
  static Value boundMethod(Value callee, Value self);
  static Value module(Module *module);
  static Value classValue(std::shared_ptr<const Class> cls);
  /// One item per field of the class, in order; Absent while the constructor has not set it.
  static Value instance(std::shared_ptr<const Class> cls, std::vector<Value> items);
  /// `what` is shown when it is used, e.g. "torch.randn".
  static Value opaque(std::string what);
  /// A scalar or block tensor; `dtype` is its element type.
  static Value tensor(mlir::Value value, DType dtype);
  static Value memDesc(mlir::Value value, DType dtype);
  static Value accumulator(mlir::Value value, DType dtype);
  /// `value` is a tensor of int64.
  static Value floatPairs(mlir::Value value);
  static Value launchAnswer(mlir::Value value);
  static Value handle(mlir::Value value);
  /// `dtype` is that of the tensor's elements; shape and strides are tuples.
  static Value descriptor(mlir::Value handle, Value shape, Value strides, DType dtype);
  /// The same kind of value over other IR.
  Value withIr(mlir::Value value) const;
  static Value custom(ValueKind kind, std::shared_ptr<const Payload> payload);

  ValueKind kind() const { return valueKind; }
  bool is(ValueKind kind) const { return valueKind == kind; }
  bool isAbsent() const { return is(ValueKind::Absent); }
  bool isNone() const { return is(ValueKind::None); }
  /// Stands for IR itself (a tuple of tensors does not: ask its items).
  bool isIr() const {
    return is(ValueKind::Tensor) || is(ValueKind::MemDesc) || is(ValueKind::Accumulator) ||
           is(ValueKind::FloatPairs) || is(ValueKind::LaunchAnswer) || is(ValueKind::Handle);
  }
  bool isTensor() const { return is(ValueKind::Tensor); }
  /// Holds no IR, not even inside tuples or instances.
  bool isCompileTime() const;
  /// Bool, Int or Float.
  bool isNumber() const;
  explicit operator bool() const { return !isAbsent(); }

  bool asBool() const { return scalar.boolean; }
  /// Of Int and Bool, when it fits 64 bits.
  std::optional<int64_t> asInt64() const;
  /// Of Int and Bool, signed, at least 64 bits wide.
  llvm::APInt asApInt() const;
  /// Of any number.
  double asDouble() const;
  llvm::StringRef asString() const;
  /// Items of a Tuple or List; fields of an Instance; handle, shape, strides of a Descriptor.
  llvm::ArrayRef<Value> items() const;
  /// Field names of a named tuple or an instance; else empty.
  llvm::ArrayRef<std::string> fieldNames() const;
  /// A List's items, for appending and storing.
  std::vector<Value> &listItems() const;
  std::vector<std::pair<Value, Value>> &dictItems() const;
  /// Start, stop, step of a Slice or Range (absent parts are None).
  llvm::ArrayRef<Value> bounds() const { return items().take_front(3); }
  /// Of a Range made by `tl.range`: num_stages, loop_unroll_factor, disallow_acc_multi_buffer,
  /// flatten, warp_specialize; Absent where not given. Empty for other ranges.
  llvm::ArrayRef<Value> rangeHints() const { return items().drop_front(3); }
  const layout::Layout &asLayout() const;
  /// Of a Class, or of what an Instance is one of.
  const Class &asClass() const;
  std::shared_ptr<const Class> sharedClass() const;
  /// Fields of an instance whose constructor is running; null for all others.
  std::vector<Value> *openFields() const;
  /// Fields of an instance of a plain class, which stays mutable for compile-time code.
  std::vector<Value> &plainFields() const;
  /// Ends construction: from now on the instance is immutable, and may be shared.
  void closeFields() const;
  const Function &asFunction() const;
  std::shared_ptr<const Function> sharedFunction() const;
  const Builtin &asBuiltin() const;
  Module &asModule() const;
  const Value &boundCallee() const { return items()[0]; }
  const Value &boundSelf() const { return items()[1]; }
  const Payload *rawPayload() const { return payload.get(); }

  /// Of a DType value itself; element type of a Tensor, MemDesc, Descriptor or BlockType.
  DType dtype() const { return elementType; }
  mlir::Value ir() const { return mlir::Value::getFromOpaquePointer(scalar.pointer); }
  /// Type of a value's IR (of its handle for a Descriptor); the type itself of a BlockType.
  mlir::Type irType() const;
  /// A Tensor with a shape, as opposed to a scalar.
  bool isBlock() const;
  /// Of a block tensor or block type; empty for scalars.
  llvm::ArrayRef<int64_t> shape() const;
  mlir::RankedTensorType blockTensorType() const;

  /// Was written `gl.constexpr(…)`: what lets kernels read it as a global.
  bool isWrapped() const { return wrapped; }
  Value asWrapped() const {
    Value copy = *this;
    copy.wrapped = true;
    return copy;
  }

  /// Python's ==, for compile-time values; IR values are equal when they are the same SSA value.
  bool operator==(const Value &other) const;
  /// Python's `is`: same small value or same object.
  bool isSame(const Value &other) const;
  /// As Python prints it (`repr`); tensors print their type.
  void print(llvm::raw_ostream &os) const;
  std::string repr() const;
  /// As Python's `str`: strings without quotes.
  std::string str() const;
  /// What diagnostics call its type: `int`, `tensor<128xf32, BlockedLayout(…)>`, `pointer<fp32>`.
  std::string typeName() const;

private:
  explicit Value(ValueKind kind) : valueKind(kind) {}

  ValueKind valueKind = ValueKind::Absent;
  bool wrapped = false;
  DType elementType;
  union Scalar {
    int64_t integer = 0;
    bool boolean;
    double real;
    const void *constPointer;
    void *pointer;
  } scalar;
  std::shared_ptr<const Payload> payload;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Value &value);

} // namespace gluonc::sema

//===- TypeValues.cpp - What compile-time code asks of types ------------------===//
//
// `x.type` of a kernel's value holds a type of the IR. Types that host code makes are
// named tuples of what was given (see ops/Types.h): there is no kernel to check them
// against, and no context to make a type of the IR in. Both are good for questions.
//
//===----------------------------------------------------------------------===//
#include "sema/names/Language.h"

#include "ir/Encoding.h"
#include "ir/ttng/TensorMemoryRules.h"
#include "layout/plan/Conversion.h"
#include "layout/plan/TensorMemoryAccess.h"
#include "sema/builtins/Types.h"

namespace gluonc::sema {

using diag::Kind;

namespace {

/// What both forms of a type say.
struct TypeParts {
  DType element;
  layout::Ints shape, allocShape;
  layout::Layout layout;
};

std::optional<layout::Ints> intsOf(const Value &value) {
  if (!value.is(ValueKind::Tuple) && !value.is(ValueKind::List))
    return std::nullopt;
  layout::Ints result;
  for (const Value &item : value.items()) {
    std::optional<int64_t> number = item.asInt64();
    if (!number || *number < 1)
      return std::nullopt;
    result.push_back(*number);
  }
  return result;
}

MaybeValue expected(Interpreter &interpreter, const IntrinsicCall &call, size_t i,
                    llvm::StringRef name, llvm::StringRef what) {
  interpreter.report(Kind::ArgumentKind, call.arguments.span(i), name, what, call[i].typeName())
      .end();
  return std::nullopt;
}

bool hasFields(const Value &value, size_t count) {
  return value.is(ValueKind::Tuple) && value.fieldNames().size() == count &&
         llvm::equal(value.fieldNames(), llvm::ArrayRef(ops::typeFields).take_front(count),
                     [](const std::string &a, llvm::StringRef b) { return a == b; });
}

/// The parts of a type of tensors (of buffers, if `isShared`) whose layout is known and fits.
std::optional<TypeParts> partsOf(const Value &value, bool isShared) {
  if (hasFields(value, isShared ? 4 : 3)) {
    llvm::ArrayRef<Value> items = value.items();
    std::optional<layout::Ints> shape = intsOf(items[1]), alloc = intsOf(items[isShared ? 3 : 1]);
    if (!items[0].is(ValueKind::DType) || !items[2].is(ValueKind::Layout) || !shape || !alloc)
      return std::nullopt;
    const layout::Layout &layout = items[2].asLayout();
    if (layout.isPlaceholder() || !(isShared ? layout.isShared() : layout.isDistributed()) ||
        layout::checkShape(layout, *shape))
      return std::nullopt;
    return TypeParts{items[0].dtype(), *shape, *alloc, layout};
  }
  mlir::Type type = value.is(ValueKind::BlockType) ? value.irType() : mlir::Type();
  auto parts = [&](auto shaped, llvm::ArrayRef<int64_t> alloc) -> std::optional<TypeParts> {
    std::optional<layout::Layout> layout = layoutOf(shaped.getEncoding());
    if (!layout || layout->isPlaceholder() || layout->isShared() != isShared)
      return std::nullopt;
    return TypeParts{value.dtype(), layout::Ints(shaped.getShape()), layout::Ints(alloc), *layout};
  };
  if (auto tensor = mlir::dyn_cast_if_present<mlir::RankedTensorType>(type))
    return parts(tensor, tensor.getShape());
  if (auto buffer = mlir::dyn_cast_if_present<ttg::MemDescType>(type))
    return parts(buffer, buffer.getAllocShape());
  return std::nullopt;
}

/// bank_conflicts(tensor type, buffer type): extra wavefronts of each wavefront of a store.
MaybeValue bankConflicts(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<TypeParts> tensor = partsOf(call[0], false), buffer = partsOf(call[1], true);
  if (!tensor)
    return expected(interpreter, call, 0, "distr_ty", "the type of a tensor whose layout is known");
  // A buffer of a ring is whole; part of a buffer is not.
  auto isWhole = [&] {
    if (buffer->allocShape.size() < buffer->shape.size())
      return false;
    return llvm::ArrayRef(buffer->allocShape).take_back(buffer->shape.size()).equals(buffer->shape);
  };
  if (!buffer || !isWhole() || buffer->shape != tensor->shape || buffer->element != tensor->element)
    return expected(interpreter, call, 1, "shared_ty",
                    "the type of a whole buffer of " + tensor->element.name() +
                        " with the shape of `distr_ty`");
  const auto *padded = layout::paddedPart(buffer->layout);
  auto physical = [&](int64_t offset) { return padded ? padded->physicalOffset(offset) : offset; };
  return Value::integer(layout::bankConflicts(
      tensor->layout.toLinear(tensor->shape), buffer->layout.toLinear(buffer->shape),
      8 * buffer->element.byteSize(), physical, padded ? padded->maxVector() : 0));
}

/// The type of a buffer in tensor memory in either form.
bool isOfTensorMemory(const Value &value) {
  if (hasFields(value, 4))
    return value.items()[2].is(ValueKind::Layout) && value.items()[2].asLayout().isTensorMemory();
  auto buffer = value.is(ValueKind::BlockType) ? mlir::dyn_cast<ttg::MemDescType>(value.irType())
                                               : ttg::MemDescType();
  return buffer && buffer.isTensorMemory();
}

/// The layout in which so many warps load such a buffer.
std::optional<layout::DistributedLinearLayout>
registersOf(const Value &type, llvm::StringRef variant, int64_t warps, std::string &why) {
  if (type.is(ValueKind::BlockType))
    return ttng::tensorMemoryRegisters(mlir::cast<ttg::MemDescType>(type.irType()), variant, warps,
                                       why);
  llvm::ArrayRef<Value> items = type.items();
  std::optional<layout::Ints> shape = intsOf(items[1]);
  const layout::Layout &layout = items[2].asLayout();
  layout::Problem problem = layout.validate();
  if (!items[0].is(ValueKind::DType) || !shape)
    problem = "a type needs a dtype and a shape";
  if (!problem)
    problem = layout::checkShape(layout, *shape);
  if (problem) {
    why = *problem;
    return std::nullopt;
  }
  return layout::tensorMemoryRegisters(layout.toLinear(*shape), *shape, items[0].dtype().bitWidth(),
                                       variant, warps, why);
}

/// type.get_reg_layout(num_warps, instr_variant)
MaybeValue regLayoutOfType(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<int64_t> warps = call.has(1) ? call[1].asInt64() : std::nullopt;
  if (!call.has(1) || call[1].isNone()) {
    if (!interpreter.emitContext()) {
      interpreter.report(Kind::NeedsKernel, call.span, "get_reg_layout()").end();
      return std::nullopt;
    }
    warps = interpreter.emitContext()->numWarps();
  }
  if (!warps)
    return expected(interpreter, call, 1, "num_warps", "an int");
  if (call.has(2) && !call[2].is(ValueKind::String))
    return expected(interpreter, call, 2, "instr_variant", "the name of a variant");
  std::string why;
  auto registers = registersOf(
      call[0], call.has(2) ? llvm::StringRef(call[2].asString()) : "32x32b", *warps, why);
  if (registers)
    return Value::layout(layout::Layout(*registers));
  interpreter.report(Kind::InvalidLayout, call.span, why).end();
  return std::nullopt;
}

} // namespace

const Intrinsic *findTypeMethod(const Value &type, llvm::StringRef name) {
  static const Intrinsic method = {
      "get_reg_layout", "type: value, num_warps: int = None, instr_variant: str = '32x32b'",
      regLayoutOfType};
  return name == method.name && isOfTensorMemory(type) ? &method : nullptr;
}

const Intrinsic &bankConflictsOfTypes() {
  static const Intrinsic function = {"bank_conflicts", "distr_ty: value, shared_ty: value",
                                     bankConflicts, R"(
How often more an access to shared memory takes because of bank conflicts.

Of a block's type (`x.type`) with a buffer's (`smem.type`).

Gives: an int known at compile time: 0 where there are none.
Errors: what are no such types, or do not fit each other.

    conflicts: gl.constexpr = gl.bank_conflicts(tile.type, smem.type)
)"};
  return function;
}

} // namespace gluonc::sema

//===- Types.cpp - Types of tensors and buffers, spelled out ------------------===//
#include "sema/builtins/Types.h"

#include "sema/builtins/Emit.h"
#include "sema/builtins/shared/Shared.h"

#include "ir/Encoding.h"

namespace gluonc::sema::ops {

/// Null after a report. The layout may be one of other warps than this kernel's: nothing has this
/// type yet.
static mlir::Type tensorType(Context &context, DType dtype, llvm::ArrayRef<int64_t> shape,
                             const BoundArgs &fields) {
  if (!checkBlockShape(context, shape, fields.span("shape")))
    return {};
  if (!fields["layout"].is(ValueKind::Layout)) {
    context
        .report(diag::Kind::ArgumentKind, fields.span("layout"), "layout", "a layout",
                fields["layout"].typeName())
        .end();
    return {};
  }
  const layout::Layout &layout = fields["layout"].asLayout();
  layout::Problem problem = layout.validate();
  if (!problem && !layout.isPlaceholder() && *layout.rank() != shape.size())
    problem =
        "a layout of rank " + std::to_string(*layout.rank()) + " for the shape " + shapeText(shape);
  if (!problem && !layout.isPlaceholder())
    problem = layout::checkShape(layout, shape);
  if (problem || !layout.isDistributed()) {
    context
        .report(diag::Kind::LayoutDoesNotFit, fields.span("layout"),
                problem ? *problem : layout.toString() + " does not place tensors in registers")
        .end();
    return {};
  }
  mlir::MLIRContext *mlirContext = context.mlirContext();
  return mlir::RankedTensorType::get(shape, dtype.toMlir(mlirContext),
                                     fromLayout(mlirContext, layout));
}

/// A part of a buffer in tensor memory has the layout of the whole.
static bool fitsInto(llvm::ArrayRef<int64_t> part, llvm::ArrayRef<int64_t> whole) {
  return part.size() == whole.size() && llvm::all_of(llvm::zip(part, whole), [](auto sizes) {
           auto [size, limit] = sizes;
           return size >= 1 && limit % size == 0;
         });
}

std::optional<Value> describedType(Context &context, const BoundArgs &fields) {
  std::optional<DType> dtype = dtypeArgument(context, fields, "element_ty");
  std::optional<llvm::SmallVector<int64_t>> shape =
      dtype ? intsArgument(context, fields, "shape") : std::nullopt;
  if (!shape)
    return std::nullopt;
  if (fields.values.size() == 3) {
    mlir::Type type = tensorType(context, *dtype, *shape, fields);
    return type ? Result(Value::blockType(type, *dtype)) : std::nullopt;
  }
  std::optional<llvm::SmallVector<int64_t>> whole = intsArgument(context, fields, "alloc_shape");
  if (!whole)
    return std::nullopt;
  const Value &layout = fields["layout"];
  bool inTensorMemory = layout.is(ValueKind::Layout) && layout.asLayout().isTensorMemory();
  if (inTensorMemory ? !fitsInto(*shape, *whole) : *whole != *shape) {
    context
        .report(diag::Kind::ArgumentKind, fields.span("alloc_shape"), "alloc_shape",
                "the shape of the buffer, " + shapeText(*shape), shapeText(*whole))
        .end();
    return std::nullopt;
  }
  std::optional<ttg::MemDescType> type =
      wholeBufferType(context, {*dtype, fields.span("element_ty"), *whole, fields.span("shape"),
                                layout, fields.span("layout"), inTensorMemory});
  if (!type)
    return std::nullopt;
  mlir::Type part = ttg::MemDescType::get(*shape, type->getElementType(), type->getEncoding(),
                                          type->getMemorySpace(), /*mutableMemory=*/true, *whole);
  return Value::blockType(part, *dtype);
}

/// `typeFields` as parameters.
static constexpr Signature fieldList =
    "element_ty: dtype, shape: ints, layout: layout, alloc_shape: ints";

static bool describesType(const Value &value) {
  llvm::ArrayRef<llvm::StringLiteral> names = typeFields;
  return value.is(ValueKind::Tuple) && value.fieldNames().size() >= 3 &&
         value.fieldNames().size() <= names.size() &&
         llvm::equal(value.fieldNames(), names.take_front(value.fieldNames().size()),
                     [](const std::string &a, llvm::StringRef b) { return a == b; });
}

std::optional<Value> withTypes(Context &context, const Value &value, diag::Span span) {
  if (!value.is(ValueKind::Tuple))
    return value;
  if (describesType(value)) {
    llvm::SmallVector<diag::Span> spans(value.items().size(), span);
    return describedType(context, {fieldList, value.items(), spans});
  }
  std::vector<Value> items;
  for (const Value &item : value.items()) {
    std::optional<Value> made = withTypes(context, item, span);
    if (!made)
      return std::nullopt;
    items.push_back(*made);
  }
  Value result = Value::tuple(std::move(items), value.fieldNames().vec());
  return value.isWrapped() ? result.asWrapped() : result;
}

} // namespace gluonc::sema::ops

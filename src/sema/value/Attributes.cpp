// Attributes of compile-time values and of the types of tensors.

#include "sema/eval/Classes.h"
#include "sema/library/Library.h"
#include "sema/names/Language.h"

#include "ir/Encoding.h"
#include "layout/named/Layouts.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

static Value intTuple(llvm::ArrayRef<int64_t> ints) {
  std::vector<Value> items;
  for (int64_t value : ints)
    items.push_back(Value::integer(value));
  return Value::tuple(std::move(items));
}

static MaybeValue dtypeAttribute(DType dtype, llvm::StringRef name) {
  if (name == "primitive_bitwidth" || name == "int_bitwidth" || name == "fp_bitwidth")
    return Value::integer(dtype.bitWidth());
  if (name == "itemsize")
    return Value::integer(dtype.byteSize());
  if (name == "name")
    return Value::string(dtype.shortName());
  if (name == "scalar")
    return Value::dtype(dtype);
  if (name == "element_ty" && dtype.isPointer())
    return Value::dtype(dtype.pointee());
  return std::nullopt;
}

/// Elements of a view that one CTA of the cluster holds; every dimension of a ring is its own.
static int64_t elementsPerCta(ttg::MemDescType type) {
  llvm::ArrayRef<int64_t> shape = type.getShape();
  std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
  if (!layout || layout->cga().empty())
    return mlir::ShapedType::getNumElements(shape);
  size_t rank = layout->rank().value_or(shape.size());
  return mlir::ShapedType::getNumElements(shape.drop_back(rank)) *
         mlir::ShapedType::getNumElements(layout::shapePerCta(*layout, shape.take_back(rank)));
}

/// What is known at compile time of a tensor descriptor, or of its type.
static MaybeValue descriptorAttribute(mlir::Type type, DType dtype, llvm::StringRef name) {
  ttng::Descriptor descriptor = ttng::descriptorOf(type);
  int64_t bytes = mlir::ShapedType::getNumElements(descriptor.shape) * dtype.byteSize();
  if (name == "dtype")
    return Value::dtype(dtype);
  if (name == "block_shape")
    return intTuple(descriptor.shape);
  if (name == "block_type")
    return Value::blockType(
        mlir::RankedTensorType::get(descriptor.shape, ttng::signless(descriptor.elementType)),
        dtype);
  std::optional<layout::Layout> layout = layoutOf(descriptor.layout);
  if (!layout)
    return std::nullopt;
  if (name == "layout")
    return Value::layout(std::move(*layout));
  if (name != "nbytes_per_cta")
    return std::nullopt;
  for (const layout::Ints &basis : layout->cga())
    if (llvm::any_of(basis, [](int64_t step) { return step != 0; }))
      bytes /= 2;
  return Value::integer(bytes);
}

static MaybeValue blockTypeAttribute(mlir::Type type, DType dtype, llvm::StringRef name) {
  if (ttng::descriptorOf(type))
    return descriptorAttribute(type, dtype, name);
  if (name == "element_ty" || name == "scalar")
    return Value::dtype(dtype);
  llvm::ArrayRef<int64_t> shape;
  mlir::Attribute encoding;
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
    shape = tensor.getShape();
    encoding = tensor.getEncoding();
  } else if (auto memDesc = mlir::dyn_cast<ttg::MemDescType>(type)) {
    shape = memDesc.getShape();
    encoding = memDesc.getEncoding();
    if (name == "alloc_shape")
      return intTuple(memDesc.getAllocShape());
    if (name == "nbytes_per_cta")
      return Value::integer(elementsPerCta(memDesc) * dtype.byteSize());
  } else
    return std::nullopt;
  if (name == "shape")
    return intTuple(shape);
  if (name == "rank")
    return Value::integer(int64_t(shape.size()));
  if (name == "numel")
    return Value::integer(mlir::ShapedType::getNumElements(shape));
  if (name == "nbytes")
    return Value::integer(mlir::ShapedType::getNumElements(shape) * dtype.byteSize());
  if (name == "layout" && encoding)
    if (std::optional<layout::Layout> layout = layoutOf(encoding))
      return Value::layout(std::move(*layout));
  return std::nullopt;
}

/// Attributes of tensors and memory descriptors that are known at compile time.
static MaybeValue irAttribute(const Value &object, llvm::StringRef name) {
  mlir::Type type = object.irType();
  bool isScalar = object.isTensor() && !object.isBlock();
  if (name == "dtype")
    return Value::dtype(object.dtype());
  if (name == "type")
    return isScalar ? Value::dtype(object.dtype()) : Value::blockType(type, object.dtype());
  if (isScalar) {
    if (name == "shape")
      return Value::tuple({});
    if (name == "numel")
      return Value::integer(1);
    return std::nullopt;
  }
  // A tensor's layout belongs to its type; memory descriptors have both spellings.
  if (name == "layout" && object.isTensor())
    return std::nullopt;
  if (name == "element_ty" || name == "scalar")
    return std::nullopt;
  return blockTypeAttribute(type, object.dtype(), name);
}

static Value intList(llvm::ArrayRef<int64_t> ints) {
  std::vector<Value> items;
  for (int64_t value : ints)
    items.push_back(Value::integer(value));
  return Value::fixedList(std::move(items));
}

static Value basisList(const layout::BasisList &bases) {
  std::vector<Value> items;
  for (const layout::Ints &basis : bases)
    items.push_back(intList(basis));
  return Value::fixedList(std::move(items));
}

static Value fieldValue(int64_t value) { return Value::integer(value); }
static Value fieldValue(bool value) { return Value::boolean(value); }
static Value fieldValue(const layout::Ints &value) { return intList(value); }
static Value fieldValue(const layout::BasisList &value) { return basisList(value); }
static Value fieldValue(const layout::Layout &value) { return Value::layout(value); }
static Value fieldValue(const llvm::SmallVectorImpl<layout::IntervalPadding> &value) {
  std::vector<Value> pairs;
  for (const layout::IntervalPadding &pair : value)
    pairs.push_back(intTuple({pair.interval, pair.padding}));
  return Value::tuple(std::move(pairs));
}

static MaybeValue layoutField(const layout::Layout &layout, llvm::StringRef name) {
  MaybeValue result;
  std::visit(
      [&](const auto &named) {
        forEachField(named, [&](const layout::Field &field, const auto &value) {
          if (field.name == name)
            result = fieldValue(value);
        });
      },
      layout.value());
  if (result)
    return result;
  if (name == "rank" && layout.rank())
    return Value::integer(*layout.rank());
  // Also for layouts that take it from a parent, and by its older name.
  if (name == "cga_layout" || name == "block_bases")
    return basisList(layout.cga());
  if (const auto *shared = layout.as<layout::SharedLinearLayout>(); shared && name == "shape")
    return intTuple(shared->shape());
  return std::nullopt;
}

/// What `x.type` is for a value of compile time: one that `constexpr_type` and `tuple_type` make.
static MaybeValue compileTimeType(const Value &object) {
  switch (object.kind()) {
  case ValueKind::Bool:
  case ValueKind::Int:
  case ValueKind::Float:
  case ValueKind::String:
  case ValueKind::None:
    return constexprType(object);
  case ValueKind::Tuple: {
    std::vector<Value> types;
    for (const Value &item : object.items()) {
      bool isTensor = item.isTensor() || item.is(ValueKind::MemDesc);
      MaybeValue type = isTensor ? irAttribute(item, "type") : compileTimeType(item);
      if (!type)
        return std::nullopt;
      types.push_back(std::move(*type));
    }
    return tupleType(Value::tuple(std::move(types)));
  }
  default:
    return std::nullopt;
  }
}

/// Attributes of the kinds whose members are a fixed table.
static MaybeValue plainAttribute(const Value &object, llvm::StringRef name) {
  switch (object.kind()) {
  case ValueKind::Descriptor:
    if (name == "shape" || name == "strides")
      return object.items()[name == "shape" ? 1 : 2];
    if (name == "type")
      return Value::blockType(object.irType(), object.dtype());
    return descriptorAttribute(object.irType(), object.dtype(), name);
  case ValueKind::DType:
    return dtypeAttribute(object.dtype(), name);
  case ValueKind::BlockType:
    return blockTypeAttribute(object.irType(), object.dtype(), name);
  case ValueKind::Layout:
    return layoutField(object.asLayout(), name);
  case ValueKind::Tuple:
    if (name == "_fields" && !object.fieldNames().empty()) {
      std::vector<Value> fields;
      for (const std::string &field : object.fieldNames())
        fields.push_back(Value::string(field));
      return Value::tuple(std::move(fields));
    }
    for (auto [item, field] : llvm::zip(object.items(), object.fieldNames()))
      if (field == name)
        return item;
    return name == "type" ? compileTimeType(object) : std::nullopt;
  case ValueKind::Bool:
  case ValueKind::Int:
  case ValueKind::Float:
  case ValueKind::String:
  case ValueKind::None:
    return name == "type" ? compileTimeType(object) : std::nullopt;
  case ValueKind::Function:
    if (name == "__name__")
      return Value::string(object.asFunction().name);
    return std::nullopt;
  case ValueKind::Builtin:
    if (name == "__name__")
      return Value::string(object.asBuiltin().name.rsplit('.').second.empty()
                               ? object.asBuiltin().name.str()
                               : object.asBuiltin().name.rsplit('.').second.str());
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Of IR of a kind of its own, which is no tensor and no buffer.
static MaybeValue ownAttribute(const Value &object, llvm::StringRef name) {
  if (object.is(ValueKind::FloatPairs) && name == "value")
    return Value::tensor(object.ir(), object.dtype());
  const Builtin *method = ops::findOwnMethod(object.kind(), name);
  return method ? MaybeValue(Value::boundMethod(Value::builtin(method), object)) : std::nullopt;
}

MaybeValue Interpreter::attribute(const Value &object, llvm::StringRef name, Span span) {
  if (object.is(ValueKind::Module)) {
    Module &module = object.asModule();
    if (MaybeValue value = module.lookup(name, *this))
      return value;
    diag::Builder builder =
        report(Kind::UnknownAttribute, span, ("module `" + module.name() + "`").str(), name);
    if (llvm::StringRef best = nearestName(name, module.names()); !best.empty())
      (void)std::move(builder).hint("did you mean `{0}`?", best);
    else if (ops::findBuiltin(("extra.libdevice." + name).str()))
      (void)std::move(builder).hint("it is `tl.extra.libdevice.{0}`", name);
    return std::nullopt;
  }
  if (object.is(ValueKind::Opaque)) {
    std::string what = (object.asString() + "." + name).str();
    if (frame().isModuleScope)
      return Value::opaque(std::move(what));
    reportHostValue(*this, span, what, object.asString());
    return std::nullopt;
  }
  if (object.is(ValueKind::Class) || object.is(ValueKind::Instance)) {
    unsigned errorsBefore = sink->errorCount();
    MaybeValue value = Classes(*this).member(object, name, span);
    if (!value && sink->errorCount() == errorsBefore)
      report(Kind::UnknownField, span, object.asClass().name, name)
          .label(object.asClass().span, "defined here");
    return value;
  }
  if (object.is(ValueKind::FloatPairs) || object.is(ValueKind::LaunchAnswer)) {
    if (MaybeValue value = ownAttribute(object, name))
      return value;
  } else if (object.isIr()) {
    if (MaybeValue value = irAttribute(object, name))
      return value;
    auto buffer = mlir::dyn_cast<ttg::MemDescType>(object.irType());
    const Builtin *method = object.isTensor()
                                ? ops::findTensorMethod(name)
                                : ops::findMemDescMethod(name, buffer && buffer.isTensorMemory());
    if (!method && object.isTensor())
      method = findOperatorMethod(name);
    if (method)
      return Value::boundMethod(Value::builtin(method), object);
    if (object.isTensor())
      if (MaybeValue function = findLibraryMethod(*this, name))
        return Value::boundMethod(std::move(*function), object);
    unsigned errorsBefore = sink->errorCount();
    if (context) {
      context->span = span;
      if (MaybeValue value = ops::attribute(*context, object, name))
        return value;
    }
    if (sink->errorCount() != errorsBefore)
      return std::nullopt;
  } else {
    if (MaybeValue value = plainAttribute(object, name))
      return value;
    if (isStub(object))
      return stubMember(program, object, name);
    // `PaddedSharedLayout.with_identity_for` and its like.
    if (object.is(ValueKind::Builtin))
      if (const Intrinsic *maker =
              findLayoutConstructor((object.asBuiltin().name + "." + name).str()))
        return Value::builtin(maker);
    // `.value` of a constexpr is the plain Python value.
    if (name == "value" && object.isCompileTime())
      return object;
    if (const Intrinsic *method = findTypeMethod(object, name))
      return Value::boundMethod(Value::builtin(method), object);
    if (const Intrinsic *method = findMethod(object.kind(), name))
      return Value::boundMethod(Value::builtin(method), object);
  }
  diag::Builder builder = report(Kind::UnknownAttribute, span, object.typeName(), name);
  if (object.isTensor() && name == "layout")
    (void)std::move(builder).hint("the layout belongs to the type: write `.type.layout`");
  return std::nullopt;
}

} // namespace gluonc::sema

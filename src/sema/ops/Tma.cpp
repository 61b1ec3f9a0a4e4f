//===- Tma.cpp - Tensor descriptors and the copy engine -----------------------===//
//
// A descriptor names a tensor in global memory and the block that one copy
// moves; coordinates say where in the tensor the block begins.
//
//===----------------------------------------------------------------------===//
#include "sema/ops/Hopper.h"

#include "ir/Encoding.h"

namespace gluonc::sema::ops {

mlir::Type descriptorType(mlir::MLIRContext *context, DType element, llvm::ArrayRef<int64_t> block,
                          const Value &layout, bool isIm2Col) {
  if (!layout.is(ValueKind::Layout))
    return {};
  mlir::Attribute encoding = fromLayout(context, layout.asLayout());
  if (!mlir::isa_and_nonnull<ttg::NVMMASharedEncodingAttr>(encoding))
    return {};
  mlir::Type type = element.toMlir(context);
  // Reductions ask for the sign.
  if (element.isInt() && !element.isBool())
    type = mlir::IntegerType::get(context, element.bitWidth(),
                                  element.isSignedInt() ? mlir::IntegerType::Signed
                                                        : mlir::IntegerType::Unsigned);
  if (isIm2Col)
    return ttng::TensorDescIm2ColType::get(context, block, type, encoding);
  return tt::TensorDescType::get(context, block, type, encoding);
}

static bool descriptorArgument(Context &context, const BoundArgs &arguments, bool isIm2Col) {
  const Value &value = arguments[0];
  if (value.is(ValueKind::Descriptor) && ttng::descriptorOf(value.irType()).im2col == isIm2Col)
    return true;
  context
      .report(diag::Kind::ArgumentKind, arguments.span(0), "tensor_desc",
              isIm2Col ? "an im2col tensor descriptor" : "a tensor descriptor", value.typeName())
      .end();
  return false;
}

/// int32 scalars of a list.
static std::optional<llvm::SmallVector<mlir::Value>> coordinates(Context &context,
                                                                 const BoundArgs &arguments,
                                                                 size_t i, llvm::StringRef name,
                                                                 size_t count) {
  const Value &list = arguments[i];
  if (!list.is(ValueKind::Tuple) && !list.is(ValueKind::List)) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span(i), name, "a list of int32 scalars",
                list.typeName())
        .end();
    return std::nullopt;
  }
  if (count && list.items().size() != count) {
    context.report(diag::Kind::CoordinateCount, arguments.span(i), count, name, list.items().size())
        .end();
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Value> values;
  for (const Value &item : list.items()) {
    Result value = int32Argument(context, item, arguments.span(i), name);
    if (!value)
      return std::nullopt;
    values.push_back(value->ir());
  }
  return values;
}

/// Whether one block of the descriptor is what the buffer holds. Dims of size 1 in front of the
/// block may be missing from the buffer.
static bool checkBuffer(Context &context, const Value &descriptor, const BoundArgs &arguments,
                        size_t i, llvm::StringRef name) {
  if (!bufferArgument(context, arguments, i, name))
    return false;
  const Value &buffer = arguments[i];
  ttng::Descriptor desc = ttng::descriptorOf(descriptor.irType());
  llvm::ArrayRef<int64_t> block = desc.shape;
  while (block.size() > buffer.shape().size() && block.front() == 1)
    block = block.drop_front();
  bool reduced = block.size() != desc.shape.size();
  if (block == buffer.shape() &&
      ttng::signless(desc.elementType) == bufferType(buffer).getElementType() &&
      (reduced || bufferType(buffer).getEncoding() == desc.layout))
    return true;
  context
      .report(diag::Kind::DescriptorMismatch, arguments.span(i), descriptor.typeName(),
              buffer.typeName())
      .hint("allocate it with `desc.block_shape` and `desc.layout`");
  return false;
}

/// Whether several CTAs hold the same block: only then one copy serves many.
static bool isShared(const Value &buffer) {
  layout::Layout layout = bufferLayout(buffer);
  return llvm::any_of(layout.cga(), [](const layout::Ints &basis) {
    return llvm::all_of(basis, [](int64_t step) { return step == 0; });
  });
}

// -- Loads -----------------------------------------------------------------------

struct LoadArguments {
  size_t barrier, result, pred, multicast;
};

static Result load(Context &context, const BoundArgs &arguments, const LoadArguments &at,
                   size_t rank, bool isIm2Col, llvm::StringRef what) {
  if (!checkHopper(context, what, 90) || !descriptorArgument(context, arguments, isIm2Col))
    return std::nullopt;
  const Value &descriptor = arguments[0];
  rank = isIm2Col ? descriptor.items()[1].items().size()
                  : ttng::descriptorOf(descriptor.irType()).shape.size();
  auto coords = coordinates(context, arguments, 1, "coord", rank);
  if (!coords || !barrierArgument(context, arguments, at.barrier) ||
      !checkBuffer(context, descriptor, arguments, at.result, "result"))
    return std::nullopt;
  llvm::SmallVector<mlir::Value> offsets;
  if (isIm2Col) {
    auto values = coordinates(context, arguments, 2, "offsets", rank - 2);
    if (!values)
      return std::nullopt;
    for (mlir::Value value : *values)
      offsets.push_back(context.builder.createOrFold<mlir::arith::TruncIOp>(
          context.loc(), context.builder.getI16Type(), value));
  }
  std::optional<mlir::Value> predicate = predicateArgument(context, arguments, at.pred);
  std::optional<bool> multicast =
      boolArgument(context, arguments, at.multicast, "multicast", false);
  if (!predicate || !multicast)
    return std::nullopt;
  context.builder.create<ttng::AsyncTMACopyGlobalToLocalOp>(
      context.loc(), descriptor.items()[0].ir(), *coords, offsets, arguments[at.barrier].ir(),
      arguments[at.result].ir(), predicateOrTrue(context, *predicate),
      *multicast && isShared(arguments[at.result]), tt::CacheModifier::NONE,
      tt::EvictionPolicy::NORMAL, /*isVolatile=*/false);
  return Value::none();
}

static Result emitLoad(Context &context, const BoundArgs &arguments) {
  return load(context, arguments, {2, 3, 4, 5}, 0, false, "tma.async_load");
}

static Result emitLoadIm2Col(Context &context, const BoundArgs &arguments) {
  return load(context, arguments, {3, 4, 5, 6}, 0, true, "tma.async_load_im2col");
}

// -- Stores ----------------------------------------------------------------------

/// The coordinates of a store, after all checks.
static std::optional<llvm::SmallVector<mlir::Value>>
readStore(Context &context, const BoundArgs &arguments, llvm::StringRef what) {
  if (!checkHopper(context, what, 90) || !descriptorArgument(context, arguments, false))
    return std::nullopt;
  auto coords = coordinates(context, arguments, 1, "coord",
                            ttng::descriptorOf(arguments[0].irType()).shape.size());
  if (!coords || !checkBuffer(context, arguments[0], arguments, 2, "src"))
    return std::nullopt;
  return coords;
}

static Result emitStore(Context &context, const BoundArgs &arguments) {
  auto coords = readStore(context, arguments, "tma.async_store");
  if (!coords)
    return std::nullopt;
  context.builder.create<ttng::AsyncTMACopyLocalToGlobalOp>(
      context.loc(), arguments[0].items()[0].ir(), *coords, arguments[2].ir());
  return Value::none();
}

template <tt::DescriptorReduceKind kind>
static Result emitReduce(Context &context, const BoundArgs &arguments) {
  auto coords = readStore(context, arguments, "tma.async_atomic");
  if (!coords)
    return std::nullopt;
  DType dtype = arguments[0].dtype();
  bool wide = dtype.isInt() && dtype.bitWidth() >= 32,
       small = dtype == dtypes::float16 || dtype == ScalarKind::BFloat16;
  bool has = wide;
  if constexpr (kind == tt::DescriptorReduceKind::ADD)
    has = small || dtype == dtypes::float32 ||
          (wide && !(dtype.bitWidth() == 64 && dtype.isSignedInt()));
  else if constexpr (kind == tt::DescriptorReduceKind::MIN || kind == tt::DescriptorReduceKind::MAX)
    has = wide || small;
  if (!has) {
    context
        .report(diag::Kind::AtomicType, arguments.span(0),
                ("async_atomic_" + tt::stringifyDescriptorReduceKind(kind)).str(), dtype)
        .end();
    return std::nullopt;
  }
  context.builder.create<ttng::AsyncTMAReduceOp>(context.loc(), kind, arguments[0].items()[0].ir(),
                                                 *coords, arguments[2].ir());
  return Value::none();
}

static Result emitStoreWait(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> pending = intArgument(context, arguments, 0, "pendings");
  std::optional<bool> readOnly = boolArgument(context, arguments, 1, "read_only", true);
  if (!pending || !readOnly || !checkHopper(context, "tma.store_wait", 90))
    return std::nullopt;
  if (*pending < 0 || *pending > std::numeric_limits<int32_t>::max()) {
    context.report(diag::Kind::ScalarOutOfRange, arguments.span(0), *pending, "pendings").end();
    return std::nullopt;
  }
  context.builder.create<ttng::TMAStoreWaitOp>(
      context.loc(), context.builder.getI32IntegerAttr(int32_t(*pending)),
      *readOnly ? context.builder.getUnitAttr() : mlir::UnitAttr());
  return Value::none();
}

// -- Descriptors made by the kernel ------------------------------------------------

/// Numbers and scalars of a list, as `dtype`.
static std::optional<std::vector<Value>> scalars(Context &context, const BoundArgs &arguments,
                                                 size_t i, llvm::StringRef name, size_t count,
                                                 DType dtype) {
  const Value &list = arguments[i];
  if ((!list.is(ValueKind::Tuple) && !list.is(ValueKind::List)) || list.items().size() != count) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span(i), name,
                ("a list of " + llvm::Twine(count) + " integers").str(), list.typeName())
        .end();
    return std::nullopt;
  }
  std::vector<Value> values;
  for (const Value &item : list.items()) {
    Operand integer{item, arguments.span(i)};
    bool isInteger = (item.isNumber() && !item.is(ValueKind::Float)) ||
                     (item.isTensor() && !item.isBlock() && item.dtype().isInt());
    if (!isInteger) {
      context
          .report(diag::Kind::ArgumentKind, arguments.span(i), name, "a list of integers",
                  list.typeName())
          .end();
      return std::nullopt;
    }
    Result value = cast(context, item, dtype, arguments.span(i));
    if (value)
      value = materialize(context, *value, arguments.span(i));
    if (value && value->dtype() != dtype)
      value = castTensor(context, *value, dtype, arguments.span(i));
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// Rules about the block of a descriptor that the copy engine has.
static bool checkDescriptorBlock(Context &context, const BoundArgs &arguments,
                                 llvm::ArrayRef<int64_t> block, DType element) {
  if (block.empty() || block.size() > 5) {
    context.report(diag::Kind::BadDescriptor, arguments.span(3), "has 1 to 5 dimensions").end();
    return false;
  }
  if (!checkBlockShape(context, block, arguments.span(3)))
    return false;
  int64_t bytes = block.back() * element.byteSize();
  if (bytes >= 16)
    return true;
  context
      .report(diag::Kind::BadDescriptor, arguments.span(3),
              ("needs at least 16 bytes in the last dimension of a block, but " +
               llvm::Twine(block.back()) + " elements of " + element.name() + " have " +
               llvm::Twine(bytes))
                  .str())
      .end();
  return false;
}

static Result emitMakeDescriptor(Context &context, const BoundArgs &arguments) {
  const Value &base = arguments[0];
  if (!checkHopper(context, "tma.make_tensor_descriptor", 90))
    return std::nullopt;
  if (!base.isTensor() || base.isBlock() || !base.dtype().isPointer()) {
    context.report(diag::Kind::NotPointer, arguments.span(0), "base", base.typeName()).end();
    return std::nullopt;
  }
  DType element = base.dtype().pointee();
  auto block = intsArgument(context, arguments, 3, "block_shape");
  if (!block || !checkDescriptorBlock(context, arguments, *block, element))
    return std::nullopt;
  auto shape = scalars(context, arguments, 1, "shape", block->size(), dtypes::int32);
  auto strides = scalars(context, arguments, 2, "strides", block->size(), dtypes::int64);
  auto padding = stringArgument(context, arguments, 5, "padding_option", "zero");
  if (!shape || !strides || !padding)
    return std::nullopt;
  if (arguments[2].items().back().asInt64() != 1) {
    context.report(diag::Kind::BadDescriptor, arguments.span(2), "needs a last stride of 1")
        .hint("write the number 1; it must be known at compile time");
    return std::nullopt;
  }
  if (*padding != "zero" && (*padding != "nan" || !element.isFloat())) {
    context
        .report(diag::Kind::ArgumentChoice, arguments.span(5), "padding_option", *padding,
                element.isFloat() ? "\"zero\", \"nan\"" : "\"zero\"")
        .end();
    return std::nullopt;
  }
  mlir::Type type = descriptorType(context.mlirContext(), element, *block, arguments[4], false);
  if (!type) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span(4), "layout", "an NVMMASharedLayout",
                arguments[4].typeName())
        .end();
    return std::nullopt;
  }
  const auto *shared = arguments[4].asLayout().as<layout::NVMMASharedLayout>();
  int64_t rowBytes = block->back() * element.byteSize();
  if (shared && shared->swizzleByteWidth > rowBytes) {
    context
        .report(diag::Kind::BadDescriptor, arguments.span(4),
                ("needs rows of at least " + llvm::Twine(shared->swizzleByteWidth) +
                 " bytes for the layout's swizzle, but " + llvm::Twine(block->back()) +
                 " elements of " + element.name() + " have " + llvm::Twine(rowBytes))
                    .str())
        .hint("take a layout with a smaller swizzle_byte_width, or a longer block");
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Value> sizes, steps;
  for (auto [size, step] : llvm::zip(*shape, *strides)) {
    sizes.push_back(size.ir());
    steps.push_back(step.ir());
  }
  mlir::Value made = context.builder.create<tt::MakeTensorDescOp>(
      context.loc(), type, base.ir(), sizes, steps,
      *padding == "nan" ? tt::PaddingOption::PAD_NAN : tt::PaddingOption::PAD_ZERO);
  return Value::descriptor(made, Value::tuple(std::move(*shape)), Value::tuple(std::move(*strides)),
                           element);
}

using Kind = tt::DescriptorReduceKind;
#define TMA(module)                                                                                \
  {module ".async_load", "tensor_desc, coord, barrier, result, pred=, multicast=", emitLoad},      \
      {module ".async_copy_global_to_shared",                                                      \
       "tensor_desc, coord, barrier, result, pred=, multicast=", emitLoad},                        \
      {module ".async_load_im2col",                                                                \
       "tensor_desc, coord, offsets, barrier, result, pred=, multicast=", emitLoadIm2Col},         \
      {module ".async_copy_global_to_shared_im2col",                                               \
       "tensor_desc, coord, offsets, barrier, result, pred=, multicast=", emitLoadIm2Col},         \
      {module ".async_store", "tensor_desc, coord, src", emitStore},                               \
      {module ".async_copy_shared_to_global", "tensor_desc, coord, src", emitStore},               \
      {module ".async_atomic_add", "tensor_desc, coord, src", emitReduce<Kind::ADD>},              \
      {module ".async_atomic_min", "tensor_desc, coord, src", emitReduce<Kind::MIN>},              \
      {module ".async_atomic_max", "tensor_desc, coord, src", emitReduce<Kind::MAX>},              \
      {module ".async_atomic_and", "tensor_desc, coord, src", emitReduce<Kind::AND>},              \
      {module ".async_atomic_or", "tensor_desc, coord, src", emitReduce<Kind::OR>},                \
      {module ".async_atomic_xor", "tensor_desc, coord, src", emitReduce<Kind::XOR>},              \
      {module ".store_wait", "pendings, read_only=", emitStoreWait}, {                             \
    module ".make_tensor_descriptor",                                                              \
        "base, shape, strides, block_shape, layout, padding_option=", emitMakeDescriptor           \
  }

llvm::ArrayRef<Builtin> tmaBuiltins() {
  static const Builtin table[] = {TMA("nvidia.hopper.tma"), TMA("nvidia.blackwell.tma")};
  return table;
}
#undef TMA

} // namespace gluonc::sema::ops

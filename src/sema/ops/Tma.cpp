//===- Tma.cpp - Tensor descriptors and the copy engine -----------------------===//
//
// A descriptor names a tensor in global memory and the block that one copy
// moves; coordinates say where in the tensor the block begins.
//
//===----------------------------------------------------------------------===//
#include "sema/ops/Hopper.h"

#include "ir/Encoding.h"
#include "ir/EngineRules.h"

namespace gluonc::sema::ops {

mlir::Type descriptorType(mlir::MLIRContext *context, DType element, llvm::ArrayRef<int64_t> block,
                          const Value &layout, bool isIm2Col) {
  if (!layout.is(ValueKind::Layout) || element.isVoid() || element.isPointer())
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

std::string whyNoDescriptor(mlir::Type type, const target::Target &target) {
  if (!type)
    return "needs an NVMMASharedLayout and numbers as elements";
  ttng::Descriptor descriptor = ttng::descriptorOf(type);
  std::string problem = ttng::whyNoDescriptor(descriptor);
  if (!problem.empty())
    return problem;
  bool padded = mlir::cast<ttg::NVMMASharedEncodingAttr>(descriptor.layout).getValue().fp4Padded;
  if (padded && target.computeCapability() < 100)
    return "with an fp4_padded layout needs cuda:100 or newer, but the target is " + target.name();
  return "";
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
  const Value &buffer = arguments[i];
  if (!bufferArgument(context, arguments, i, name) ||
      !checkSingleBuffer(context, buffer, arguments.span(i), "a copy of the engine"))
    return false;
  ttng::Descriptor desc = ttng::descriptorOf(descriptor.irType());
  llvm::ArrayRef<int64_t> block = desc.shape;
  while (block.size() > buffer.shape().size() && block.front() == 1)
    block = block.drop_front();
  bool reduced = block.size() != desc.shape.size();
  if (block == buffer.shape() &&
      ttng::signless(desc.elementType) == bufferType(buffer).getElementType() &&
      (reduced ? mlir::isa<ttg::NVMMASharedEncodingAttr>(bufferType(buffer).getEncoding())
               : bufferType(buffer).getEncoding() == desc.layout)) {
    std::string problem = ttng::whyNoCopyTarget(buffer.ir());
    if (!problem.empty())
      context.report(diag::Kind::MisalignedBuffer, arguments.span(i), problem).end();
    return problem.empty();
  }
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
  if (!ttng::hasReduction(kind, ttng::descriptorOf(arguments[0].irType()).elementType)) {
    context
        .report(diag::Kind::AtomicType, arguments.span(0),
                ("async_atomic_" + tt::stringifyDescriptorReduceKind(kind)).str(),
                arguments[0].dtype())
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
    context.report(diag::Kind::ScalarOutOfRange, arguments.span(0), *pending, "pendings")
        .hint("0 to {0}", std::numeric_limits<int32_t>::max());
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
                                 llvm::ArrayRef<int64_t> block) {
  if (block.empty() || block.size() > 5) {
    context.report(diag::Kind::BadDescriptor, arguments.span(3), "has 1 to 5 dimensions").end();
    return false;
  }
  if (!checkBlockShape(context, block, arguments.span(3)))
    return false;
  return true;
}

/// The copy engine counts all strides but the last in 16 bytes, and no extent backwards. What is
/// not known here a run of the simulator checks.
static bool checkExtents(Context &context, const BoundArgs &arguments, int64_t elementBytes) {
  llvm::ArrayRef<Value> shape = arguments[1].items(), strides = arguments[2].items();
  auto refuse = [&](size_t i, const llvm::Twine &why) {
    context.report(diag::Kind::BadDescriptor, arguments.span(i), why.str()).end();
    return false;
  };
  for (const Value &extent : shape)
    if (std::optional<int64_t> known = extent.asInt64();
        extent.isNumber() && (!known || *known < 0 || *known > std::numeric_limits<int32_t>::max()))
      return refuse(1, "has extents of 0 to 2147483647, not " + extent.repr());
  for (const Value &stride : strides.drop_back())
    if (std::optional<int64_t> known = stride.asInt64();
        stride.isNumber() &&
        (!known || *known < 0 || *known >= int64_t(1) << 40 || *known * elementBytes % 16 != 0))
      return refuse(2, "needs strides of multiples of 16 bytes, but " + stride.repr() +
                           " elements of " + llvm::Twine(elementBytes) + " bytes are not");
  if (strides.back().asInt64() == 1)
    return true;
  context.report(diag::Kind::BadDescriptor, arguments.span(2), "needs a last stride of 1")
      .hint("write the number 1; it must be known at compile time");
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
  if (!block || !checkDescriptorBlock(context, arguments, *block))
    return std::nullopt;
  auto shape = scalars(context, arguments, 1, "shape", block->size(), dtypes::int32);
  auto strides = scalars(context, arguments, 2, "strides", block->size(), dtypes::int64);
  auto padding = stringArgument(context, arguments, 5, "padding_option", "zero");
  if (!shape || !strides || !padding)
    return std::nullopt;
  if (!checkExtents(context, arguments, element.byteSize()))
    return std::nullopt;
  if (*padding != "zero" && (*padding != "nan" || !element.isFloat())) {
    context
        .report(diag::Kind::ArgumentChoice, arguments.span(5), "padding_option", *padding,
                element.isFloat() ? "\"zero\", \"nan\"" : "\"zero\"")
        .end();
    return std::nullopt;
  }
  mlir::Type type = descriptorType(context.mlirContext(), element, *block, arguments[4], false);
  if (std::string problem = whyNoDescriptor(type, context.options.target); !problem.empty()) {
    context.report(diag::Kind::BadDescriptor, arguments.span(4), problem).end();
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

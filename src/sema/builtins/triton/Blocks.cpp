//===- Blocks.cpp - Blocks of described tensors, for the library of tl -------------===//
//
// What the library's tensor_descriptor (sema/library/memory.py) does where the chip has
// a copy engine. Private names: programs have `tl.make_tensor_descriptor`, `load`, `store`.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/shared/Descriptors.h"
#include "sema/value/ArgSpec.h"

#include "ir/tt/DescriptorAccess.h"
#include "ir/ttng/AsyncUnitRules.h"

namespace gluonc::sema::ops {

namespace {

/// A descriptor and where in its tensor a block begins.
struct Place {
  const Value &descriptor;
  llvm::SmallVector<mlir::Value> indices;

  mlir::Value handle() const { return descriptor.items()[0].ir(); }
  ttng::Descriptor type() const { return ttng::descriptorOf(descriptor.irType()); }
};

} // namespace

static std::optional<Place> readPlace(Context &context, const BoundArgs &arguments) {
  const Value &descriptor = arguments["desc"];
  if (!descriptor.is(ValueKind::Descriptor)) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("desc"), "desc", "a tensor descriptor",
                descriptor.typeName())
        .end();
    return std::nullopt;
  }
  auto indices = coordinates(context, arguments, "offsets",
                             ttng::descriptorOf(descriptor.irType()).shape.size());
  if (!indices)
    return std::nullopt;
  return Place{descriptor, std::move(*indices)};
}

/// The block that is stored: of the descriptor's shape and element type.
static std::optional<mlir::Value> readBlock(Context &context, const BoundArgs &arguments,
                                            const Place &place) {
  if (!blockArgument(context, arguments, "value"))
    return std::nullopt;
  const Value &block = arguments["value"];
  if (block.shape() == llvm::ArrayRef<int64_t>(place.type().shape) &&
      block.dtype() == place.descriptor.dtype())
    return openLayout(context, block.ir());
  context
      .report(diag::Kind::DescriptorMismatch, arguments.span("value"), place.descriptor.typeName(),
              block.typeName())
      .end();
  return std::nullopt;
}

static Result emitLoad(Context &context, const BoundArgs &arguments) {
  std::optional<Place> place = readPlace(context, arguments);
  if (!place)
    return std::nullopt;
  context.choosesLayouts = true;
  ttng::Descriptor desc = place->type();
  auto type = mlir::RankedTensorType::get(desc.shape, ttng::signless(desc.elementType),
                                          gluon::AutoEncodingAttr::get(context.mlirContext()));
  return tensor(tt::DescriptorLoadOp::create(context.builder, context.loc(), type, place->handle(),
                                             place->indices),
                place->descriptor.dtype());
}

static Result emitStore(Context &context, const BoundArgs &arguments) {
  std::optional<Place> place = readPlace(context, arguments);
  std::optional<mlir::Value> block;
  if (place)
    block = readBlock(context, arguments, *place);
  if (!block)
    return std::nullopt;
  context.choosesLayouts = true;
  tt::DescriptorStoreOp::create(context.builder, context.loc(), place->handle(), place->indices,
                                *block);
  return Value::none();
}

static std::optional<tt::DescriptorReduceKind> readKind(Context &context,
                                                        const BoundArgs &arguments) {
  std::optional<llvm::StringRef> name = stringArgument(context, arguments, "kind");
  if (!name)
    return std::nullopt;
  std::optional<tt::DescriptorReduceKind> kind = tt::symbolizeDescriptorReduceKind(*name);
  if (!kind)
    context
        .report(diag::Kind::ArgumentChoice, arguments.span("kind"), "kind", *name,
                "\"add\", \"min\", \"max\", \"and\", \"or\", \"xor\"")
        .end();
  return kind;
}

/// Whether the engine combines elements of this type so; False for no descriptor.
static Result emitReduces(Context &context, const BoundArgs &arguments) {
  const Value &descriptor = arguments["desc"];
  std::optional<tt::DescriptorReduceKind> kind = readKind(context, arguments);
  if (!kind)
    return std::nullopt;
  return Value::boolean(
      descriptor.is(ValueKind::Descriptor) &&
      ttng::hasReduction(*kind, ttng::descriptorOf(descriptor.irType()).elementType));
}

static Result emitReduce(Context &context, const BoundArgs &arguments) {
  std::optional<Place> place = readPlace(context, arguments);
  std::optional<tt::DescriptorReduceKind> kind = readKind(context, arguments);
  if (!place || !kind)
    return std::nullopt;
  std::optional<mlir::Value> block = readBlock(context, arguments, *place);
  if (!block)
    return std::nullopt;
  if (!ttng::hasReduction(*kind, place->type().elementType)) {
    context
        .report(diag::Kind::AtomicType, arguments.span("desc"),
                ("atomic_" + tt::stringifyDescriptorReduceKind(*kind)).str(),
                place->descriptor.dtype())
        .end();
    return std::nullopt;
  }
  context.choosesLayouts = true;
  tt::DescriptorReduceOp::create(context.builder, context.loc(), *kind, place->handle(),
                                 place->indices, *block);
  return Value::none();
}

/// A descriptor for the copy engine, or None where threads access the tensor themselves.
static Result emitMake(Context &context, const BoundArgs &arguments) {
  const Value &base = arguments["base"];
  auto block = intsArgument(context, arguments, "block_shape");
  auto padding = stringArgument(context, arguments, "padding_option");
  if (!block || !padding)
    return std::nullopt;
  if (!base.isTensor() || base.isBlock() || !base.dtype().isPointer()) {
    context.report(diag::Kind::NotPointer, arguments.span("base"), "base", base.typeName()).end();
    return std::nullopt;
  }
  DType element = base.dtype().pointee();
  std::optional<layout::Layout> layout =
      boxLayout(element, *block, context.options.target, context.numCtas());
  // A function that stays one has no way to the memory that holds the descriptor; partitions would
  // write to it together.
  if (!layout || context.noPartitions)
    return Value::none();
  auto shape = scalars(context, arguments, "shape", block->size(), dtypes::int32);
  auto strides = scalars(context, arguments, "strides", block->size(), dtypes::int64);
  if (!shape || !strides)
    return std::nullopt;
  llvm::SmallVector<mlir::Value> sizes, steps;
  for (auto [size, step] : llvm::zip_equal(*shape, *strides)) {
    sizes.push_back(size.ir());
    steps.push_back(step.ir());
  }
  mlir::Type type =
      descriptorType(context.mlirContext(), element, *block, Value::layout(*layout), false);
  mlir::Value made = tt::MakeTensorDescOp::create(
      context.builder, context.loc(), type, base.ir(), sizes, steps,
      *padding == "nan" ? tt::PaddingOption::PAD_NAN : tt::PaddingOption::PAD_ZERO);
  return Value::descriptor(made, Value::tuple(std::move(*shape)), Value::tuple(std::move(*strides)),
                           element);
}

llvm::ArrayRef<Builtin> blockBuiltins() {
  static const Builtin table[] = {
      {"_make_block_descriptor",
       "base: pointer, shape: scalars, strides: scalars, block_shape: ints, padding_option: str",
       emitMake},
      {"_load_block", "desc: descriptor, offsets: scalars", emitLoad},
      {"_store_block", "desc: descriptor, offsets: scalars, value: block", emitStore},
      {"_reduces_blocks", "desc: descriptor, kind: str", emitReduces},
      {"_reduce_block", "desc: descriptor, offsets: scalars, value: block, kind: str", emitReduce},
  };
  return table;
}

} // namespace gluonc::sema::ops

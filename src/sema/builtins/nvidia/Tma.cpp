//===- Tma.cpp - Tensor descriptors and the copy engine -----------------------===//
//
// A descriptor names a tensor in global memory and the block that one copy
// moves; coordinates say where in the tensor the block begins.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/core/Memory.h"
#include "sema/builtins/nvidia/Hopper.h"
#include "sema/builtins/shared/Descriptors.h"

#include "ir/Encoding.h"
#include "ir/ttng/AsyncUnitRules.h"
#include "support/TensorDescription.h"
#include "target/nvidia/BoxCopies.h"

namespace gluonc::sema::ops {

namespace tma = target::nvidia::tma;

bool descriptorArgument(Context &context, const BoundArgs &arguments, bool isIm2Col) {
  const Value &value = arguments["tensor_desc"];
  if (value.is(ValueKind::Descriptor) && ttng::descriptorOf(value.irType()).im2col == isIm2Col)
    return true;
  context
      .report(diag::Kind::ArgumentKind, arguments.span("tensor_desc"), "tensor_desc",
              isIm2Col ? "an im2col tensor descriptor" : "a tensor descriptor", value.typeName())
      .end();
  return false;
}

/// Whether one block of the descriptor is what the buffer holds. Dims of size 1 in front of the
/// block may be missing from the buffer.
static bool checkBuffer(Context &context, const Value &descriptor, const BoundArgs &arguments,
                        llvm::StringRef name) {
  const Value &buffer = arguments[name];
  if (!bufferArgument(context, arguments, name) ||
      !checkSingleBuffer(context, buffer, arguments.span(name), "a copy of the engine"))
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
      context.report(diag::Kind::MisalignedBuffer, arguments.span(name), problem).end();
    return problem.empty();
  }
  context
      .report(diag::Kind::DescriptorMismatch, arguments.span(name), descriptor.typeName(),
              buffer.typeName())
      .hint("allocate it with `desc.block_shape` and `desc.layout`");
  return false;
}

bool isShared(const Value &buffer) {
  layout::Layout layout = bufferLayout(buffer);
  return llvm::any_of(layout.cga(), [](const layout::Ints &basis) {
    return llvm::all_of(basis, [](int64_t step) { return step == 0; });
  });
}

// -- Loads -----------------------------------------------------------------------

static Result load(Context &context, const BoundArgs &arguments, bool isIm2Col) {
  if (!descriptorArgument(context, arguments, isIm2Col))
    return std::nullopt;
  const Value &descriptor = arguments["tensor_desc"];
  size_t rank = isIm2Col ? descriptor.items()[1].items().size()
                         : ttng::descriptorOf(descriptor.irType()).shape.size();
  auto coords = coordinates(context, arguments, "coord", rank);
  if (!coords || !barrierArgument(context, arguments, "barrier") ||
      !checkBuffer(context, descriptor, arguments, "result"))
    return std::nullopt;
  llvm::SmallVector<mlir::Value> offsets;
  if (isIm2Col) {
    auto values = coordinates(context, arguments, "offsets", rank - 2);
    if (!values)
      return std::nullopt;
    for (mlir::Value value : *values)
      offsets.push_back(context.builder.createOrFold<mlir::arith::TruncIOp>(
          context.loc(), context.builder.getI16Type(), value));
  }
  std::optional<mlir::Value> predicate = predicateArgument(context, arguments);
  std::optional<bool> multicast = boolArgument(context, arguments, "multicast");
  std::optional<mlir::Attribute> policy = cachePolicy(context, arguments, tt::CacheUse::BoxCopy);
  if (!predicate || !multicast || !policy)
    return std::nullopt;
  ttng::AsyncTMACopyGlobalToLocalOp::create(
      context.builder, context.loc(), descriptor.items()[0].ir(), *coords, offsets,
      arguments["barrier"].ir(), arguments["result"].ir(), predicateOrTrue(context, *predicate),
      *multicast && isShared(arguments["result"]), tt::CacheModifier::NONE,
      tt::EvictionPolicy::NORMAL, /*isVolatile=*/false, *policy);
  return Value::none();
}

static Result emitLoad(Context &context, const BoundArgs &arguments) {
  return load(context, arguments, false);
}

static Result emitLoadIm2Col(Context &context, const BoundArgs &arguments) {
  return load(context, arguments, true);
}

// -- Stores ----------------------------------------------------------------------

/// The coordinates of a store, after all checks.
static std::optional<llvm::SmallVector<mlir::Value>> readStore(Context &context,
                                                               const BoundArgs &arguments) {
  if (!descriptorArgument(context, arguments, false))
    return std::nullopt;
  auto coords = coordinates(context, arguments, "coord",
                            ttng::descriptorOf(arguments["tensor_desc"].irType()).shape.size());
  if (!coords || !checkBuffer(context, arguments["tensor_desc"], arguments, "src"))
    return std::nullopt;
  return coords;
}

static Result emitStore(Context &context, const BoundArgs &arguments) {
  auto coords = readStore(context, arguments);
  std::optional<mlir::Attribute> policy = cachePolicy(context, arguments, tt::CacheUse::BoxCopy);
  if (!coords || !policy)
    return std::nullopt;
  ttng::AsyncTMACopyLocalToGlobalOp::create(context.builder, context.loc(),
                                            arguments["tensor_desc"].items()[0].ir(), *coords,
                                            arguments["src"].ir(), *policy);
  return Value::none();
}

template <tt::DescriptorReduceKind kind>
static Result emitReduce(Context &context, const BoundArgs &arguments) {
  auto coords = readStore(context, arguments);
  if (!coords)
    return std::nullopt;
  if (!ttng::hasReduction(kind,
                          ttng::descriptorOf(arguments["tensor_desc"].irType()).elementType)) {
    context
        .report(diag::Kind::AtomicType, arguments.span("tensor_desc"),
                ("async_atomic_" + tt::stringifyDescriptorReduceKind(kind)).str(),
                arguments["tensor_desc"].dtype())
        .end();
    return std::nullopt;
  }
  ttng::AsyncTMAReduceOp::create(context.builder, context.loc(), kind,
                                 arguments["tensor_desc"].items()[0].ir(), *coords,
                                 arguments["src"].ir());
  return Value::none();
}

static Result emitStoreWait(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> pending = intArgument(context, arguments, "pendings");
  std::optional<bool> readOnly = boolArgument(context, arguments, "read_only");
  if (!pending || !readOnly)
    return std::nullopt;
  if (*pending < 0 || *pending > std::numeric_limits<int32_t>::max()) {
    context.report(diag::Kind::ScalarOutOfRange, arguments.span("pendings"), *pending, "pendings")
        .hint("0 to {0}", std::numeric_limits<int32_t>::max());
    return std::nullopt;
  }
  ttng::TMAStoreWaitOp::create(context.builder, context.loc(),
                               context.builder.getI32IntegerAttr(int32_t(*pending)),
                               *readOnly ? context.builder.getUnitAttr() : mlir::UnitAttr());
  return Value::none();
}

// -- Descriptors made by the kernel ------------------------------------------------

/// Rules about the block of a descriptor that the copy engine has.
static bool checkDescriptorBlock(Context &context, const BoundArgs &arguments,
                                 llvm::ArrayRef<int64_t> block) {
  if (block.empty() || block.size() > tma::maxRank) {
    context
        .report(diag::Kind::BadDescriptor, arguments.span("block_shape"),
                "has 1 to " + std::to_string(tma::maxRank) + " dimensions")
        .end();
    return false;
  }
  if (!checkBlockShape(context, block, arguments.span("block_shape")))
    return false;
  return true;
}

/// Rules about extents, which are int32, and about strides. What is not known here a run of the
/// simulator checks.
static bool checkExtents(Context &context, const BoundArgs &arguments, unsigned elementBytes) {
  llvm::ArrayRef<Value> shape = arguments["shape"].items(), strides = arguments["strides"].items();
  auto refuse = [&](llvm::StringRef name, const llvm::Twine &why) {
    context.report(diag::Kind::BadDescriptor, arguments.span(name), why.str()).end();
    return false;
  };
  TensorDescription tensor;
  tensor.rank = shape.size();
  tensor.shape.fill(1);
  tensor.strides[tensor.rank - 1] = 1;
  for (const Value &extent : shape)
    if (std::optional<int64_t> known = extent.asInt64();
        extent.isNumber() && (!known || *known < 0 || *known > tma::maxExtentOfKernel))
      return refuse("shape", "has extents of 0 to " + llvm::Twine(tma::maxExtentOfKernel) +
                                 ", not " + extent.repr());
  for (auto [known, stride] : llvm::zip(tensor.strides, strides.drop_back()))
    if (stride.isNumber())
      known = stride.asInt64().value_or(std::numeric_limits<int64_t>::max());
  if (std::string why = tma::whyNotAddressable(tensor, elementBytes); !why.empty())
    return refuse("strides", "is not addressable: " + llvm::Twine(why));
  if (strides.back().asInt64() == 1)
    return true;
  context.report(diag::Kind::BadDescriptor, arguments.span("strides"), "needs a last stride of 1")
      .hint("write the number 1; it must be known at compile time");
  return false;
}

static Result emitMakeDescriptor(Context &context, const BoundArgs &arguments) {
  const Value &base = arguments["base"];
  if (!base.isTensor() || base.isBlock() || !base.dtype().isPointer()) {
    context.report(diag::Kind::NotPointer, arguments.span("base"), "base", base.typeName()).end();
    return std::nullopt;
  }
  DType element = base.dtype().pointee();
  auto block = intsArgument(context, arguments, "block_shape");
  if (!block || !checkDescriptorBlock(context, arguments, *block))
    return std::nullopt;
  auto shape = scalars(context, arguments, "shape", block->size(), dtypes::int32);
  auto strides = scalars(context, arguments, "strides", block->size(), dtypes::int64);
  auto padding = stringArgument(context, arguments, "padding_option");
  if (!shape || !strides || !padding)
    return std::nullopt;
  if (!checkExtents(context, arguments, element.byteSize()))
    return std::nullopt;
  if (*padding != "zero" && (*padding != "nan" || !element.isFloat())) {
    context
        .report(diag::Kind::ArgumentChoice, arguments.span("padding_option"), "padding_option",
                *padding, element.isFloat() ? "\"zero\", \"nan\"" : "\"zero\"")
        .end();
    return std::nullopt;
  }
  mlir::Type type =
      descriptorType(context.mlirContext(), element, *block, arguments["layout"], false);
  if (std::string problem = whyNoDescriptor(type, context.options.target); !problem.empty()) {
    context.report(diag::Kind::BadDescriptor, arguments.span("layout"), problem).end();
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Value> sizes, steps;
  for (auto [size, step] : llvm::zip(*shape, *strides)) {
    sizes.push_back(size.ir());
    steps.push_back(step.ir());
  }
  mlir::Value made = tt::MakeTensorDescOp::create(
      context.builder, context.loc(), type, base.ir(), sizes, steps,
      *padding == "nan" ? tt::PaddingOption::PAD_NAN : tt::PaddingOption::PAD_ZERO);
  return Value::descriptor(made, Value::tuple(std::move(*shape)), Value::tuple(std::move(*strides)),
                           element);
}

using Kind = tt::DescriptorReduceKind;
llvm::ArrayRef<Builtin> tmaBuiltins() {
  static const Builtin table[] = {
      {"nvidia.hopper.tma.async_load",
       "tensor_desc: descriptor, coord: scalars, barrier: barrier, result: buffer, "
       "pred: scalar = True, multicast: bool = False, cache_policy: value = None",
       emitLoad,
       {.needs = target::Feature::TensorCopies, .alias = "async_copy_global_to_shared"},
       R"(
Begins to copy a block of a tensor to shared memory; its bytes arrive at a barrier.

`coord` is where in the tensor the block begins, an int32 scalar per dimension; elements outside of
the tensor become 0 (or NaN, if the descriptor says so). With `multicast` one copy serves all CTAs
that hold the same block. With a false `pred` nothing is copied. `cache_policy` is a `CachePolicy`
of L2 alone.

Gives: nothing.
Errors: a buffer that is not shaped and laid out as the descriptor says; a wrong number of
coordinates.

    dst = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    hopper.mbarrier.expect(bar, desc.nbytes_per_cta)
    hopper.tma.async_load(desc, [0, 0], bar, dst)
    hopper.mbarrier.wait(bar, phase=0)
)"},
      {"nvidia.hopper.tma.async_load_im2col",
       "tensor_desc: descriptor, coord: scalars, offsets: scalars, barrier: barrier, "
       "result: buffer, pred: scalar = True, multicast: bool = False, cache_policy: value = None",
       emitLoadIm2Col,
       {.needs = target::Feature::TensorCopies, .alias = "async_copy_global_to_shared_im2col"},
       R"(
Begins to copy pixels of an image to shared memory; their bytes arrive at a barrier.

`tensor_desc` is an im2col descriptor, `coord` the first pixel and channel, an int32 scalar per
dimension, `offsets` the place within the filter, one per spatial dimension. Otherwise as
`async_load`.

Gives: nothing.
Errors: a descriptor that is none of im2col; a wrong number of coordinates or offsets.

    dst = gl.allocate_shared_memory(image.dtype, image.block_shape, image.layout)
    hopper.mbarrier.expect(bar, image.nbytes_per_cta)
    hopper.tma.async_load_im2col(image, [0, 0, 0, 0], [0, 0], bar, dst)
    hopper.mbarrier.wait(bar, phase=0)
)"},
      {"nvidia.hopper.tma.async_store",
       "tensor_desc: descriptor, coord: scalars, src: buffer, cache_policy: value = None",
       emitStore,
       {.needs = target::Feature::TensorCopies, .alias = "async_copy_shared_to_global"},
       R"(
Begins to copy a block from shared memory to a tensor.

`coord` is where in the tensor the block begins; what lies outside of the tensor is not written. A
`fence_async_shared` must stand between writes to the buffer and the copy, a `store_wait` before the
buffer is written again or the kernel ends. `cache_policy` is a `CachePolicy` of L2 alone.

Gives: nothing.
Errors: a buffer that is not shaped and laid out as the descriptor says; a wrong number of
coordinates.

    src = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    src.store(gl.full([64, 64], 1.0, gl.float16, tiled))
    hopper.fence_async_shared()
    hopper.tma.async_store(desc, [0, 0], src)
    hopper.tma.store_wait(0)
)"},
      {"nvidia.hopper.tma.async_atomic_add",
       "tensor_desc: descriptor, coord: scalars, src: buffer",
       emitReduce<Kind::ADD>,
       {.needs = target::Feature::TensorCopies},
       R"(
Begins to add a block to a tensor, atomically.

The block comes from shared memory; fences and waits are those of `async_store`.

Gives: nothing.
Errors: those of `async_store`; an element type that the copy engine cannot do this to.

    src = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    src.store(gl.full([64, 64], 1, desc.dtype, tiled))
    hopper.fence_async_shared()
    hopper.tma.async_atomic_add(desc, [0, 0], src)
    hopper.tma.store_wait(0)
)"},
      {"nvidia.hopper.tma.async_atomic_min",
       "tensor_desc: descriptor, coord: scalars, src: buffer",
       emitReduce<Kind::MIN>,
       {.needs = target::Feature::TensorCopies},
       R"(
Begins to take the smaller of a block and a tensor into the tensor, atomically.

The block comes from shared memory; fences and waits are those of `async_store`.

Gives: nothing.
Errors: those of `async_store`; an element type that the copy engine cannot do this to.

    src = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    src.store(gl.full([64, 64], 1, desc.dtype, tiled))
    hopper.fence_async_shared()
    hopper.tma.async_atomic_min(desc, [0, 0], src)
    hopper.tma.store_wait(0)
)"},
      {"nvidia.hopper.tma.async_atomic_max",
       "tensor_desc: descriptor, coord: scalars, src: buffer",
       emitReduce<Kind::MAX>,
       {.needs = target::Feature::TensorCopies},
       R"(
Begins to take the larger of a block and a tensor into the tensor, atomically.

The block comes from shared memory; fences and waits are those of `async_store`.

Gives: nothing.
Errors: those of `async_store`; an element type that the copy engine cannot do this to.

    src = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    src.store(gl.full([64, 64], 1, desc.dtype, tiled))
    hopper.fence_async_shared()
    hopper.tma.async_atomic_max(desc, [0, 0], src)
    hopper.tma.store_wait(0)
)"},
      {"nvidia.hopper.tma.async_atomic_and",
       "tensor_desc: descriptor, coord: scalars, src: buffer",
       emitReduce<Kind::AND>,
       {.needs = target::Feature::TensorCopies},
       R"(
Begins to keep the bits that a tensor has in common with a block, atomically.

The block comes from shared memory; fences and waits are those of `async_store`.

Gives: nothing.
Errors: those of `async_store`; an element type that the copy engine cannot do this to.

    src = gl.allocate_shared_memory(words.dtype, words.block_shape, words.layout)
    src.store(gl.full([64, 64], 1, words.dtype, tiled))
    hopper.fence_async_shared()
    hopper.tma.async_atomic_and(words, [0, 0], src)
    hopper.tma.store_wait(0)
)"},
      {"nvidia.hopper.tma.async_atomic_or",
       "tensor_desc: descriptor, coord: scalars, src: buffer",
       emitReduce<Kind::OR>,
       {.needs = target::Feature::TensorCopies},
       R"(
Begins to add the bits of a block to a tensor, atomically.

The block comes from shared memory; fences and waits are those of `async_store`.

Gives: nothing.
Errors: those of `async_store`; an element type that the copy engine cannot do this to.

    src = gl.allocate_shared_memory(words.dtype, words.block_shape, words.layout)
    src.store(gl.full([64, 64], 1, words.dtype, tiled))
    hopper.fence_async_shared()
    hopper.tma.async_atomic_or(words, [0, 0], src)
    hopper.tma.store_wait(0)
)"},
      {"nvidia.hopper.tma.async_atomic_xor",
       "tensor_desc: descriptor, coord: scalars, src: buffer",
       emitReduce<Kind::XOR>,
       {.needs = target::Feature::TensorCopies},
       R"(
Begins to flip the bits of a block in a tensor, atomically.

The block comes from shared memory; fences and waits are those of `async_store`.

Gives: nothing.
Errors: those of `async_store`; an element type that the copy engine cannot do this to.

    src = gl.allocate_shared_memory(words.dtype, words.block_shape, words.layout)
    src.store(gl.full([64, 64], 1, words.dtype, tiled))
    hopper.fence_async_shared()
    hopper.tma.async_atomic_xor(words, [0, 0], src)
    hopper.tma.store_wait(0)
)"},
      {"nvidia.hopper.tma.store_wait",
       "pendings: int, read_only: bool = True",
       emitStoreWait,
       {.needs = target::Feature::TensorCopies},
       R"(
Waits until no more than so many of the latest copies to global memory are under way.

With `read_only` a copy counts as complete once its buffer has been read, and may be written again;
without it once global memory has been written.

Gives: nothing.
Errors: a negative number.

    hopper.tma.store_wait(0)
)"},
      {"nvidia.hopper.tma.make_tensor_descriptor",
       "base: pointer, shape: scalars, strides: scalars, block_shape: ints, layout: layout, "
       "padding_option: str = 'zero'",
       emitMakeDescriptor,
       {.needs = target::Feature::TensorCopies},
       R"(
Describes a tensor in global memory, inside a kernel.

Shape and strides count elements. All strides but the last are multiples of 16 bytes, the last is 1.
`padding_option` says what copies find outside: "zero", or "nan" for floats.

Gives: a tensor descriptor of blocks of `block_shape` in `layout`, an `NVMMASharedLayout`.
Errors: a base that is no scalar pointer; lists of different lengths; strides, shapes and layouts
that the copy engine does not have.

    made = hopper.tma.make_tensor_descriptor(
        p, [n, 64], [64, 1], [64, 32], gl.NVMMASharedLayout(128, 32, 2))
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

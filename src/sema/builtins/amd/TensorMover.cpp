//===- TensorMover.cpp - AMD: tensor descriptors and the engine that copies blocks -===//
//
// A descriptor names a tensor in global memory, the place of a block in it, and
// whether copies do anything. Offsets that a copy is given move the descriptor
// first, so that a copy itself has none.
//
//===----------------------------------------------------------------------===//
#include "ir/amdg/TensorMover.h"

#include "sema/builtins/amd/Barriers.h"
#include "sema/builtins/core/Memory.h"
#include "sema/builtins/shared/AsyncGroups.h"
#include "sema/builtins/shared/Descriptors.h"
#include "support/TensorDescription.h"

namespace gluonc::sema::ops {

static std::nullopt_t bad(Context &context, diag::Span span, const llvm::Twine &text) {
  context.report(diag::Kind::BadArgument, span, text.str()).end();
  return std::nullopt;
}

static bool isDescriptor(Context &context, const Value &value, diag::Span span,
                         llvm::StringRef name) {
  if (value.is(ValueKind::Descriptor) && !ttng::descriptorOf(value.irType()).im2col)
    return true;
  context.report(diag::Kind::ArgumentKind, span, name, "a tensor descriptor", value.typeName())
      .end();
  return false;
}

static size_t rankOf(const Value &descriptor) {
  return ttng::descriptorOf(descriptor.irType()).shape.size();
}

static mlir::Value handleOf(const Value &descriptor) { return descriptor.items()[0].ir(); }

/// A condition as an int32 scalar; null where it is not given.
static std::optional<mlir::Value> predicate(Context &context, const BoundArgs &arguments) {
  if (!isGiven(arguments["pred"]))
    return mlir::Value();
  std::optional<mlir::Value> known = predicateArgument(context, arguments);
  if (!known)
    return std::nullopt;
  mlir::Type i32 = context.builder.getI32Type();
  if (!*known)
    return intConstant(context, i32, 1);
  return context.builder.createOrFold<mlir::arith::ExtUIOp>(context.loc(), i32, *known);
}

static mlir::Value update(Context &context, mlir::Value desc, mlir::ValueRange offsets,
                          mlir::ValueRange bounds, mlir::Value condition, bool clamps) {
  return amdg::UpdateTensorDescriptorOp::create(context.builder, context.loc(), desc.getType(),
                                                desc, offsets, bounds, condition, clamps);
}

/// The descriptor `name` where the offsets and the condition of a copy put it.
static std::optional<mlir::Value> placed(Context &context, const BoundArgs &arguments,
                                         llvm::StringRef name, mlir::Value condition) {
  const Value &descriptor = arguments[name];
  llvm::SmallVector<mlir::Value> offsets;
  if (isGiven(arguments["offsets"])) {
    auto given = coordinates(context, arguments, "offsets", rankOf(descriptor));
    if (!given)
      return std::nullopt;
    offsets = *given;
  }
  if (offsets.empty() && !condition)
    return handleOf(descriptor);
  return update(context, handleOf(descriptor), offsets, {}, condition,
                /*clamps=*/!offsets.empty());
}

/// Whether the engine moves blocks of the descriptor into the buffer, or out of it.
static bool checkMove(Context &context, const Value &descriptor, const Value &buffer,
                      diag::Span span, llvm::StringRef name, bool isStore) {
  if (!buffer.is(ValueKind::MemDesc)) {
    context
        .report(diag::Kind::ArgumentKind, span, name, "a shared memory descriptor",
                buffer.typeName())
        .end();
    return false;
  }
  std::string problem =
      amdg::whyNoMove(ttng::descriptorOf(descriptor.irType()), bufferType(buffer), isStore);
  if (problem.empty())
    return true;
  context.report(diag::Kind::DescriptorMismatch, span, descriptor.typeName(), buffer.typeName())
      .note("{0}", problem)
      .hint("allocate it with `desc.block_shape` and `desc.layout`");
  return false;
}

static bool checkMove(Context &context, const BoundArgs &arguments, llvm::StringRef descriptor,
                      llvm::StringRef buffer, bool isStore) {
  return isDescriptor(context, arguments[descriptor], arguments.span(descriptor), descriptor) &&
         checkMove(context, arguments[descriptor], arguments[buffer], arguments.span(buffer),
                   buffer, isStore);
}

/// The barrier that is told; null where it is not given.
static std::optional<mlir::Value> barrier(Context &context, const BoundArgs &arguments) {
  if (!isGiven(arguments["mbarrier"]))
    return mlir::Value();
  if (!ldsBarrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  return arguments["mbarrier"].ir();
}

static mlir::Type tokenType(Context &context) {
  return ttg::AsyncTokenType::get(context.mlirContext());
}

/// A hint that names warps, checked.
static std::optional<uint32_t> checkHint(Context &context, int64_t hint, diag::Span span) {
  std::string problem = hint < 0 || hint > int64_t(~uint32_t(0))
                            ? "a hint has 32 bits"
                            : amdg::whyNoHint(uint32_t(hint), int(context.numWarps()));
  if (!problem.empty())
    return bad(context, span, problem);
  return uint32_t(hint);
}

// -- Descriptors -----------------------------------------------------------------------

static Result emitMake(Context &context, const BoundArgs &arguments) {
  const Value &base = arguments["base"];
  if (!base.isTensor() || base.isBlock() || !base.dtype().isPointer()) {
    context.report(diag::Kind::NotPointer, arguments.span("base"), "base", base.typeName()).end();
    return std::nullopt;
  }
  DType element = base.dtype().pointee();
  auto block = intsArgument(context, arguments, "block_shape");
  if (!block)
    return std::nullopt;
  if (block->empty() || block->size() > TensorDescription::maxRank) {
    context
        .report(diag::Kind::BadDescriptor, arguments.span("block_shape"), "has 1 to 5 dimensions")
        .end();
    return std::nullopt;
  }
  if (!checkBlockShape(context, *block, arguments.span("block_shape")))
    return std::nullopt;
  auto shape = scalars(context, arguments, "shape", block->size(), dtypes::int32);
  auto strides = scalars(context, arguments, "strides", block->size(), dtypes::int64);
  if (!shape || !strides)
    return std::nullopt;
  if (arguments["strides"].items().back().asInt64() != 1) {
    context.report(diag::Kind::BadDescriptor, arguments.span("strides"), "needs a last stride of 1")
        .hint("write the number 1; it must be known at compile time");
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
  mlir::Value made = tt::MakeTensorDescOp::create(context.builder, context.loc(), type, base.ir(),
                                                  sizes, steps, tt::PaddingOption::PAD_ZERO);
  return Value::descriptor(made, Value::tuple(std::move(*shape)), Value::tuple(std::move(*strides)),
                           element);
}

static Result emitUpdate(Context &context, const BoundArgs &arguments) {
  const Value &descriptor = arguments["desc"];
  if (!isDescriptor(context, descriptor, arguments.span("desc"), "desc"))
    return std::nullopt;
  std::optional<bool> clamps = boolArgument(context, arguments, "clamp_bounds");
  std::optional<mlir::Value> condition =
      clamps ? predicate(context, arguments) : std::optional<mlir::Value>();
  if (!condition)
    return std::nullopt;
  const bool moves = isGiven(arguments["add_offsets"]), bounds = isGiven(arguments["set_bounds"]);
  if (!moves && !bounds && !*condition)
    return bad(context, context.span, "needs `add_offsets`, `set_bounds` or `pred`");
  if (*clamps && (!moves || bounds))
    return bad(context, arguments.span("clamp_bounds"),
               "`clamp_bounds` goes with `add_offsets`, and without `set_bounds`");
  llvm::SmallVector<mlir::Value> lists[2];
  for (auto [list, name, isThere] :
       {std::tuple(&lists[0], "add_offsets", moves), std::tuple(&lists[1], "set_bounds", bounds)})
    if (isThere) {
      auto given = coordinates(context, arguments, name, rankOf(descriptor));
      if (!given)
        return std::nullopt;
      *list = *given;
    }
  mlir::Value made = update(context, handleOf(descriptor), lists[0], lists[1], *condition, *clamps);
  return Value::descriptor(made, descriptor.items()[1], descriptor.items()[2], descriptor.dtype());
}

// -- Copies -----------------------------------------------------------------------------

static Result emitLoad(Context &context, const BoundArgs &arguments) {
  if (!checkMove(context, arguments, "src", "dest", /*isStore=*/false))
    return std::nullopt;
  std::optional<mlir::Value> condition = predicate(context, arguments);
  std::optional<mlir::Value> told = condition ? barrier(context, arguments) : condition;
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, false);
  if (!condition || !told || !cache)
    return std::nullopt;
  mlir::IntegerAttr hint;
  if (isGiven(arguments["warp_used_hint"])) {
    std::optional<int64_t> given = intArgument(context, arguments, "warp_used_hint");
    std::optional<uint32_t> warps =
        given ? checkHint(context, *given, arguments.span("warp_used_hint")) : std::nullopt;
    if (!warps)
      return std::nullopt;
    hint = context.builder.getI32IntegerAttr(int32_t(*warps));
  }
  std::optional<mlir::Value> desc = placed(context, arguments, "src", *condition);
  if (!desc)
    return std::nullopt;
  amdg::AsyncTDMCopyGlobalToLocalOp::create(context.builder, context.loc(), tokenType(context),
                                            *desc, mlir::ValueRange(), arguments["dest"].ir(),
                                            /*pred=*/mlir::Value(), *told, *cache, hint);
  return Value::none();
}

static Result emitFusedLoad(Context &context, const BoundArgs &arguments) {
  const Value &members = arguments["members"];
  diag::Span span = arguments.span("members");
  auto isList = [](const Value &value) {
    return value.is(ValueKind::Tuple) || value.is(ValueKind::List);
  };
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, false);
  if (!cache)
    return std::nullopt;
  if (!isList(members) || members.items().size() < 2 || members.items().size() > 4)
    return bad(context, span, "needs 2 to 4 members");
  llvm::SmallVector<mlir::Value> descs, dests;
  llvm::SmallVector<int32_t> hints;
  uint32_t taken = 0;
  for (const Value &member : members.items()) {
    if (!isList(member) || member.items().size() != 3)
      return bad(context, span, "a member is a descriptor, a buffer and a hint");
    const Value &desc = member.items()[0], &dest = member.items()[1];
    std::optional<int64_t> given = member.items()[2].asInt64();
    if (!isDescriptor(context, desc, span, "members") ||
        !checkMove(context, desc, dest, span, "members", /*isStore=*/false))
      return std::nullopt;
    if (!given || !member.items()[2].isNumber())
      return bad(context, span, "a member is a descriptor, a buffer and a hint");
    std::optional<uint32_t> hint = checkHint(context, *given, span);
    if (!hint)
      return std::nullopt;
    if (taken & *hint)
      return bad(context, span, "a warp can be in one hint only");
    if (!descs.empty() && ttng::descriptorOf(descs[0].getType()).shape.size() != rankOf(desc))
      return bad(context, span, "needs descriptors of one rank");
    taken |= *hint;
    descs.push_back(handleOf(desc));
    dests.push_back(dest.ir());
    hints.push_back(int32_t(*hint));
  }
  amdg::AsyncTDMFusedCopyGlobalToLocalOp::create(context.builder, context.loc(), tokenType(context),
                                                 descs, dests, hints, *cache);
  return Value::none();
}

static Result emitStore(Context &context, const BoundArgs &arguments) {
  if (!checkMove(context, arguments, "dest", "src", /*isStore=*/true))
    return std::nullopt;
  std::optional<mlir::Value> told = barrier(context, arguments);
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, true);
  if (!told || !cache)
    return std::nullopt;
  std::optional<mlir::Value> desc = placed(context, arguments, "dest", {});
  if (!desc)
    return std::nullopt;
  amdg::AsyncTDMCopyLocalToGlobalOp::create(context.builder, context.loc(), *desc,
                                            mlir::ValueRange(), arguments["src"].ir(), *told,
                                            *cache);
  return Value::none();
}

/// Numbers of rows, of as many rows as the buffer has.
static bool checkRows(Context &context, const BoundArgs &arguments, llvm::StringRef name,
                      llvm::StringRef buffer) {
  if (!blockArgument(context, arguments, name))
    return false;
  const Value &rows = arguments[name];
  if (rows.dtype() != ScalarKind::Int16 && rows.dtype() != ScalarKind::Int32) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span(name), name, "a block of int16 or int32",
                rows.typeName())
        .end();
    return false;
  }
  std::string problem =
      isAuto(rows.blockTensorType())
          ? "needs a layout"
          : amdg::whyNoRows(ttng::descriptorOf(arguments["desc"].irType()),
                            bufferType(arguments[buffer]), rows.blockTensorType());
  if (!problem.empty())
    bad(context, arguments.span(name), problem);
  return problem.empty();
}

static Result emitGather(Context &context, const BoundArgs &arguments) {
  if (!checkMove(context, arguments, "desc", "dst", /*isStore=*/false) ||
      !checkRows(context, arguments, "src_row_indices", "dst"))
    return std::nullopt;
  std::optional<mlir::Value> told = barrier(context, arguments);
  if (!told)
    return std::nullopt;
  amdg::AsyncTDMGatherOp::create(context.builder, context.loc(), tokenType(context),
                                 handleOf(arguments["desc"]), arguments["src_row_indices"].ir(),
                                 arguments["dst"].ir(), *told);
  return Value::none();
}

static Result emitScatter(Context &context, const BoundArgs &arguments) {
  if (!checkMove(context, arguments, "desc", "src", /*isStore=*/true) ||
      !checkRows(context, arguments, "dst_row_indices", "src"))
    return std::nullopt;
  std::optional<mlir::Value> told = barrier(context, arguments);
  if (!told)
    return std::nullopt;
  amdg::AsyncTDMScatterOp::create(context.builder, context.loc(), tokenType(context),
                                  handleOf(arguments["desc"]), arguments["dst_row_indices"].ir(),
                                  arguments["src"].ir(), *told);
  return Value::none();
}

static Result emitWait(Context &context, const BoundArgs &arguments) {
  std::optional<uint32_t> pending = pendingArgument(context, arguments, "num_outstanding");
  if (!pending)
    return std::nullopt;
  amdg::AsyncTDMWaitOp::create(context.builder, context.loc(), tokenType(context),
                               mlir::ValueRange(), *pending);
  return Value::none();
}

static Result emitPrefetch(Context &context, const BoundArgs &arguments) {
  if (!isDescriptor(context, arguments["src"], arguments.span("src"), "src"))
    return std::nullopt;
  auto offsets = coordinates(context, arguments, "offsets", rankOf(arguments["src"]));
  std::optional<mlir::Value> condition = predicateArgument(context, arguments);
  std::optional<bool> speculative = boolArgument(context, arguments, "speculative");
  if (!offsets || !condition || !speculative)
    return std::nullopt;
  mlir::Value given =
      *condition ? *condition : intConstant(context, context.builder.getI1Type(), 1);
  amdg::TDMPrefetchOp::create(context.builder, context.loc(), handleOf(arguments["src"]), *offsets,
                              given, *speculative);
  return Value::none();
}

/// Examples begin with a descriptor of blocks of 64 x 32 and a buffer for one.
#define MADE                                                                                       \
  R"(
    # hip:gfx1250
    rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    desc = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, 1], [64, 32], rows)
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], rows)
)"

llvm::ArrayRef<Builtin> amdTensorCopyBuiltins() {
  static constexpr Traits mover = {.needs = target::Feature::TensorMover};
  static const Builtin table[] = {
      {"amd.cdna5.tdm.make_tensor_descriptor",
       "base: pointer, shape: scalars, strides: scalars, block_shape: ints, layout: layout",
       emitMake, mover, R"(
Describes a tensor in global memory.

Shape and strides count elements; the last stride is 1. Outside of the tensor copies find zero.

Gives: a tensor descriptor of blocks of `block_shape` in `layout`, a `SwizzledSharedLayout` without
swizzle or a `PaddedSharedLayout` of one pair, row by row, or a `PartitionedSharedLayout` of these.
Errors: a base that is no scalar pointer; lists of different lengths; layouts that the engine does
not have.
)" MADE},
      {"amd.cdna5.tdm.update_tensor_descriptor",
       "desc: descriptor, add_offsets: scalars = None, set_bounds: scalars = None, "
       "pred: scalar = None, clamp_bounds: bool = False",
       emitUpdate, mover,
       R"(
The descriptor of a block elsewhere in the tensor.

`add_offsets` moves the block, and leaves the end of the tensor as far from it as it was; with
`clamp_bounds` the end stays where it is. `set_bounds` says how far the end is. Copies by a
descriptor with a false `pred` do nothing.

Gives: a tensor descriptor.
Errors: nothing to update; a wrong number of offsets or bounds; `clamp_bounds` without
`add_offsets` or with `set_bounds`.
)" MADE
       R"(    there = cdna5.tdm.update_tensor_descriptor(desc, add_offsets=[64, 0], clamp_bounds=True)
)"},
      {"amd.cdna5.tdm.async_load",
       "src: descriptor, offsets: scalars = None, dest: buffer = None, pred: scalar = None, "
       "mbarrier: barrier = None, warp_used_hint: int = None, cache_modifier: str = ''",
       emitLoad, mover, R"(
Begins to copy a block of a tensor to shared memory.

`offsets` is where in the tensor the block begins; without it the block is where the descriptor is.
With a false `pred` nothing is copied. Until `async_wait` has waited for the copy, or `mbarrier` has
had an arrival of each warp, the buffer must not be touched. `warp_used_hint` has a bit for each
warp that may do the work.

Gives: nothing.
Errors: a buffer that is not shaped and laid out as the descriptor says; a wrong number of offsets.
)" MADE R"(    cdna5.tdm.async_load(desc, [0, 0], smem)
    cdna5.tdm.async_wait(0)
)"},
      {"amd.cdna5.tdm.async_load_fused", "members: sequence, cache_modifier: str = ''",
       emitFusedLoad, mover, R"(
Begins to copy several blocks to shared memory, each with warps of its own.

A member is a descriptor, a buffer, and a number with a bit for each of its warps. `async_wait`
counts them as one copy.

Gives: nothing.
Errors: fewer than 2 or more than 4 members; a warp in two of them; what `async_load` refuses.
)" MADE R"(    other = gl.allocate_shared_memory(gl.float32, [64, 32], rows)
    cdna5.tdm.async_load_fused([(desc, smem, 0b0011), (desc, other, 0b1100)])
    cdna5.tdm.async_wait(0)
)"},
      {"amd.cdna5.tdm.async_store",
       "dest: descriptor, offsets: scalars = None, src: buffer = None, mbarrier: barrier = None, "
       "cache_modifier: str = ''",
       emitStore, mover, R"(
Begins to copy a block from shared memory to a tensor.

What lies outside of the tensor is not written. Until `async_wait` has waited for the copy, or
`mbarrier` has had an arrival of each warp, the buffer must not be written.

Gives: nothing.
Errors: a buffer that is not shaped and laid out as the descriptor says; padding elsewhere than
behind rows; a wrong number of offsets.
)" MADE R"(    tile: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    smem.store(gl.full([64, 32], 1.0, gl.float32, tile))
    cdna5.tdm.async_store(desc, [0, 0], smem)
    cdna5.tdm.async_wait(0)
)"},
      {"amd.cdna5.tdm.async_wait", "num_outstanding: int = 0", emitWait, mover, R"(
Waits until no more than so many of the latest copies of the engine are under way.

Gives: nothing.
Errors: a negative number.

    # hip:gfx1250
    cdna5.tdm.async_wait(0)
)"},
      {"amd.cdna5.tdm.async_gather",
       "desc: descriptor, src_row_indices: block, dst: buffer, mbarrier: barrier = None",
       emitGather, mover, R"(
Begins to copy rows of a tensor, which are named one by one, to shared memory.

Row i of the buffer becomes row `src_row_indices[i]`, from the column on where the descriptor is.
Waits are those of `async_load`.

Gives: nothing.
Errors: numbers that are neither int16 nor int32, that lanes of a warp hold different ones of, or of
which there are not as many as rows; a buffer that is not laid out as the descriptor says.
)" MADE R"(    spread: gl.constexpr = gl.BlockedLayout([64, 1], [1, 32], [1, 4], [0, 1])
    at = gl.arange(0, 64, layout=gl.SliceLayout(1, spread))
    cdna5.tdm.async_gather(desc, 63 - at, smem)
    cdna5.tdm.async_wait(0)
)"},
      {"amd.cdna5.tdm.async_scatter",
       "desc: descriptor, dst_row_indices: block, src: buffer, mbarrier: barrier = None",
       emitScatter, mover, R"(
Begins to copy rows of shared memory to rows of a tensor, which are named one by one.

Row i of the buffer becomes row `dst_row_indices[i]`, from the column on where the descriptor is;
rows behind the end are not written. Waits are those of `async_store`.

Gives: nothing.
Errors: those of `async_gather`.
)" MADE R"(    tile: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    smem.store(gl.full([64, 32], 1.0, gl.float32, tile))
    spread: gl.constexpr = gl.BlockedLayout([64, 1], [1, 32], [1, 4], [0, 1])
    at = gl.arange(0, 64, layout=gl.SliceLayout(1, spread))
    cdna5.tdm.async_scatter(desc, 63 - at, smem)
    cdna5.tdm.async_wait(0)
)"},
      {"amd.cdna5.tdm.prefetch",
       "src: descriptor, offsets: scalars, pred: scalar = True, speculative: bool = False",
       emitPrefetch, mover, R"(
Asks for a block of a tensor to be in L2.

A hint: results are the same without it. A `speculative` one may be dropped.

Gives: nothing.
Errors: a wrong number of offsets.
)" MADE R"(    cdna5.tdm.prefetch(desc, [64, 0])
)"},
  };
  return table;
}

#undef MADE

} // namespace gluonc::sema::ops

//===- AsyncCopy.cpp - AMD: copies between global memory and LDS ----------------===//
//
// Like cp.async they belong to groups, which `commit_group` closes and `wait_group`
// waits for. gfx942 and gfx950 load by pointers or by a base and offsets; gfx1250
// by pointers, and stores, too.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/amd/Buffers.h"
#include "sema/builtins/shared/AsyncGroups.h"

#include "ir/amdg/AmdOps.h"

namespace gluonc::sema::ops {

namespace {

/// The global side of a copy by pointers, and the buffer that is the other one.
struct PointerCopy {
  Operand pointer, mask;
  DType element() const { return pointer.value.dtype().pointee(); }
  mlir::Value maskIr() const { return isGiven(mask.value) ? mask.value.ir() : mlir::Value(); }
};

} // namespace

/// Elements that are not whole bytes of one kind on both sides have no copies.
static bool checkElement(Context &context, const Operand &pointer, DType element) {
  if (!element.isBool())
    return true;
  context
      .report(diag::Kind::ArgumentKind, pointer.span, "pointer", "a pointer to whole bytes",
              pointer.value.typeName())
      .end();
  return false;
}

static bool checkBuffer(Context &context, const BoundArgs &arguments, llvm::StringRef name,
                        llvm::StringRef what) {
  return bufferArgument(context, arguments, name) &&
         checkSingleBuffer(context, arguments[name], arguments.span(name), what);
}

static std::optional<PointerCopy> readPointers(Context &context, const BoundArgs &arguments,
                                               llvm::StringRef name) {
  PointerCopy copy = {operand(arguments, name), operand(arguments, "mask")};
  if (!checkPointer(context, copy.pointer, name) ||
      !checkElement(context, copy.pointer, copy.element()))
    return std::nullopt;
  if (isGiven(copy.mask.value) &&
      (!readMask(context, copy.mask) || !broadcast(context, copy.pointer, copy.mask)))
    return std::nullopt;
  return copy;
}

/// `other` in the shape of the pointers; nothing where it is not given.
static std::optional<mlir::Value> readOther(Context &context, PointerCopy &copy, Operand other) {
  if (!isGiven(other.value))
    return mlir::Value();
  if (!isGiven(copy.mask.value)) {
    context.report(diag::Kind::OtherWithoutMask, other.span).end();
    return std::nullopt;
  }
  Result value = storedValue(context, copy.pointer, other, copy.element());
  if (!value)
    return std::nullopt;
  other.value = *value;
  if (!broadcastKeepingPointer(context, copy.pointer, {&other, &copy.mask}))
    return std::nullopt;
  return other.value.ir();
}

static Result loadByPointers(Context &context, const BoundArgs &arguments, llvm::StringRef buffer,
                             llvm::StringRef pointer, llvm::StringRef what) {
  if (!checkBuffer(context, arguments, buffer, what))
    return std::nullopt;
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, false);
  std::optional<PointerCopy> copy =
      cache ? readPointers(context, arguments, pointer) : std::optional<PointerCopy>();
  if (!copy)
    return std::nullopt;
  std::optional<mlir::Value> other = readOther(context, *copy, operand(arguments, "other"));
  if (!other || !checkCopy(context, arguments, buffer, copy->pointer, copy->element()))
    return std::nullopt;
  ttg::AsyncCopyGlobalToLocalOp::create(
      context.builder, context.loc(), ttg::AsyncTokenType::get(context.mlirContext()),
      copy->pointer.value.ir(), arguments[buffer].ir(), copy->maskIr(), *other, *cache,
      tt::EvictionPolicy::NORMAL, /*isVolatile=*/false, /*contiguity=*/1, mlir::Attribute());
  return Value::none();
}

static Result emitGlobalLoad(Context &context, const BoundArgs &arguments) {
  return loadByPointers(context, arguments, "dest", "ptr", "global_load_to_shared");
}

static Result emitGlobalToShared(Context &context, const BoundArgs &arguments) {
  return loadByPointers(context, arguments, "smem", "pointer", "global_to_shared");
}

static Result emitBufferLoad(Context &context, const BoundArgs &arguments) {
  if (!checkBuffer(context, arguments, "dest", "buffer_load_to_shared"))
    return std::nullopt;
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, false);
  std::optional<BufferOperands> source =
      cache ? readBuffer(context, arguments) : std::optional<BufferOperands>();
  if (!source || !checkElement(context, source->pointer, source->element()))
    return std::nullopt;
  std::optional<mlir::Value> other = readOther(context, *source, operand(arguments, "other"));
  if (!other || !checkCopy(context, arguments, "dest", source->offsets, source->element()))
    return std::nullopt;
  amdg::BufferLoadToLocalOp::create(
      context.builder, context.loc(), ttg::AsyncTokenType::get(context.mlirContext()),
      arguments["dest"].ir(), source->pointer.value.ir(), source->offsets.value.ir(),
      source->maskIr(), *other, /*stride=*/mlir::Value(), *cache, /*contiguity=*/1);
  return Value::none();
}

static Result emitSharedToGlobal(Context &context, const BoundArgs &arguments) {
  if (!checkBuffer(context, arguments, "smem", "shared_to_global"))
    return std::nullopt;
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, true);
  std::optional<PointerCopy> copy =
      cache ? readPointers(context, arguments, "pointer") : std::optional<PointerCopy>();
  if (!copy || !checkWritable(context, copy->pointer) ||
      !checkCopy(context, arguments, "smem", copy->pointer, copy->element()))
    return std::nullopt;
  amdg::AsyncCopyLocalToGlobalOp::create(
      context.builder, context.loc(), ttg::AsyncTokenType::get(context.mlirContext()),
      arguments["smem"].ir(), copy->pointer.value.ir(), copy->maskIr(), *cache);
  return Value::none();
}

/// The wait stands before it already: a note for the compiler that no other one is needed.
static Result emitRelaxedLoad(Context &context, const BoundArgs &arguments) {
  // Chips with either kind of copies.
  if (!target::has(context.options.target, target::Feature::AsyncLds) &&
      !requireFeature(context, "async_copy.load_shared_relaxed", target::Feature::DirectToLds))
    return std::nullopt;
  const Builtin *load = findMemDescMethod("load", /*inTensorMemory=*/false);
  if (!bufferArgument(context, arguments, "smem"))
    return std::nullopt;
  Result loaded = load->emit(context, {load->signature, arguments.values, arguments.spans});
  if (loaded)
    if (mlir::Operation *op = loaded->ir().getDefiningOp(); op && llvm::isa<ttg::LocalLoadOp>(op))
      op->setAttr(amdg::syncedByWaitAttr, context.builder.getBoolAttr(true));
  return loaded;
}

llvm::ArrayRef<Builtin> amdAsyncCopyBuiltins() {
  static constexpr Traits direct = {.needs = target::Feature::DirectToLds};
  static constexpr Traits async = {.needs = target::Feature::AsyncLds};
  static const Builtin table[] = {
      {"amd.cdna4.async_copy.global_load_to_shared",
       "dest: buffer, ptr: pointer, mask: tensor = None, other: tensor = None, "
       "cache_modifier: str = ''",
       emitGlobalLoad, direct, R"(
Begins to copy from global to shared memory, past the registers, by pointers.

The copy belongs to the group that the next `commit_group` closes. Until `wait_group` has waited for
it, the buffer must not be touched. Where `mask` is false nothing is read: the element becomes
`other`; without it the buffer keeps what it has. `cache_modifier` is that of `gl.load`.

Gives: nothing.
Errors: pointers of another element type or shape than the buffer; a ring of buffers; a mask that is
not boolean; `other` without a mask.

    # hip:gfx950
    wide: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    at = gl.arange(0, 256, layout=wide)
    dest = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    cdna4.async_copy.global_load_to_shared(dest, p + at, mask=at < n, other=0.0)
    cdna4.async_copy.commit_group()
    cdna4.async_copy.wait_group(0)
    z = dest.load(wide)
)"},
      {"amd.cdna4.async_copy.buffer_load_to_shared",
       "dest: buffer, ptr: pointer, offsets: tensor, mask: tensor = None, other: tensor = None, "
       "cache_modifier: str = ''",
       emitBufferLoad, direct, R"(
Begins to copy from global to shared memory, past the registers, by a base and offsets.

The copy belongs to the group that the next `commit_group` closes. Until `wait_group` has waited for
it, the buffer must not be touched. Bounds are those of `buffer_load`: where `mask` is false, and
behind 2 GiB, nothing is read, and the element becomes `other`, or zero.

Gives: nothing.
Errors: what is no scalar pointer; offsets that are no block of 32-bit integers; another element
type or shape than the buffer has; a ring of buffers; `other` without a mask.

    # hip:gfx950
    wide: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    at = gl.arange(0, 256, layout=wide)
    dest = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    cdna4.async_copy.buffer_load_to_shared(dest, p, at, mask=at < n)
    cdna4.async_copy.commit_group()
    cdna4.async_copy.wait_group(0)
    z = dest.load(wide)
)"},
      {"amd.cdna4.async_copy.commit_group", "", emitCommitGroup, direct, R"(
Closes a group: all copies begun since the last one.

Gives: nothing.

    # hip:gfx950
    cdna4.async_copy.commit_group()
)"},
      {"amd.cdna4.async_copy.wait_group", "num_outstanding: int = 0", emitWaitGroup, direct, R"(
Waits until no more than so many of the latest groups of copies are under way.

Gives: nothing.
Errors: a negative number.

    # hip:gfx950
    cdna4.async_copy.wait_group(0)
)"},
      {"amd.cdna4.async_copy.load_shared_relaxed",
       "smem: buffer, layout: layout",
       emitRelaxedLoad,
       {},
       R"(
Loads a buffer that `wait_group` has waited for.

It is `smem.load(layout)`, and promises the compiler that no copy to the buffer is under way.
gfx1250 has it, too.

Gives: a block of the buffer's shape and elements.
Errors: a ring of buffers; a layout for another shape.

    # hip:gfx950
    wide: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    at = gl.arange(0, 256, layout=wide)
    dest = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    cdna4.async_copy.buffer_load_to_shared(dest, p, at)
    cdna4.async_copy.commit_group()
    cdna4.async_copy.wait_group(0)
    z = cdna4.async_copy.load_shared_relaxed(dest, wide)
)"},
      {"amd.cdna5.async_copy.global_to_shared",
       "smem: buffer, pointer: pointer, mask: tensor = None, other: tensor = None, "
       "cache_modifier: str = ''",
       emitGlobalToShared, async, R"(
Begins to copy from global to shared memory, past the registers.

The copy belongs to the group that the next `commit_group` closes. Until `wait_group` has waited for
it, the buffer must not be touched. Where `mask` is false nothing is read: the element becomes
`other`; without it the buffer keeps what it has. `cache_modifier` is that of `gl.load`.

Gives: nothing.
Errors: pointers of another element type or shape than the buffer; a ring of buffers; a mask that is
not boolean; `other` without a mask.

    # hip:gfx1250
    line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.arange(0, 128, layout=line)
    smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    cdna5.async_copy.global_to_shared(smem, p + at, mask=at < n, other=0.0)
    cdna5.async_copy.commit_group()
    cdna5.async_copy.wait_group(0)
    z = smem.load(line)
)"},
      {"amd.cdna5.async_copy.shared_to_global",
       "pointer: pointer, smem: buffer, mask: tensor = None, cache_modifier: str = ''",
       emitSharedToGlobal, async, R"(
Begins to copy from shared to global memory, past the registers.

The copy belongs to the group that the next `commit_group` closes. Until `wait_group` has waited for
it, the buffer must not be written. Where `mask` is false nothing is written. `cache_modifier` is
that of `gl.store`.

Gives: nothing.
Errors: pointers of another element type or shape than the buffer, or to const; a ring of buffers; a
mask that is not boolean.

    # hip:gfx1250
    line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.arange(0, 128, layout=line)
    smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    smem.store(gl.full([128], 1.0, gl.float32, line))
    cdna5.async_copy.shared_to_global(q + at, smem, mask=at < n)
    cdna5.async_copy.commit_group()
    cdna5.async_copy.wait_group(0)
)"},
      {"amd.cdna5.async_copy.commit_group", "", emitCommitGroup, async, R"(
Closes a group: all copies begun since the last one.

Gives: nothing.

    # hip:gfx1250
    cdna5.async_copy.commit_group()
)"},
      {"amd.cdna5.async_copy.wait_group", "num_outstanding: int = 0", emitWaitGroup, async, R"(
Waits until no more than so many of the latest groups of copies are under way.

Gives: nothing.
Errors: a negative number.

    # hip:gfx1250
    cdna5.async_copy.wait_group(0)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

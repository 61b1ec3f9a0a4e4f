//===- Buffers.cpp - AMD: global memory by a base and offsets -----------------===//
//
// A scalar pointer and a block of 32-bit offsets name the elements. Mask, `other`
// and values are broadcast to the offsets, and converted to the pointee.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/amd/Buffers.h"

#include "ir/amdg/AmdOps.h"

namespace gluonc::sema::ops {

namespace {

enum class AtomicKind { Add, Max, Min, And, Or, Xor, Xchg };

} // namespace

static bool isOffset(const Operand &offsets) {
  return offsets.isBlock() &&
         (offsets.dtype() == ScalarKind::Int32 || offsets.dtype() == ScalarKind::UInt32);
}

std::optional<BufferOperands> readBuffer(Context &context, const BoundArgs &arguments) {
  BufferOperands buffer = {operand(arguments, "ptr"), operand(arguments, "offsets"),
                           operand(arguments, "mask")};
  if (!checkPointer(context, buffer.pointer, "ptr"))
    return std::nullopt;
  if (buffer.pointer.isBlock() || buffer.element().isVoid()) {
    context
        .report(diag::Kind::ArgumentKind, buffer.pointer.span, "ptr", "a scalar pointer",
                buffer.pointer.value.typeName())
        .end();
    return std::nullopt;
  }
  if (!isOffset(buffer.offsets)) {
    context
        .report(diag::Kind::ArgumentKind, buffer.offsets.span, "offsets",
                "a block of int32 or uint32", buffer.offsets.value.typeName())
        .end();
    return std::nullopt;
  }
  // A number is a condition for buffers, as `mask=1`.
  if (std::optional<int64_t> known = buffer.mask.value.asInt64())
    buffer.mask.value = Value::boolean(*known != 0);
  if (isGiven(buffer.mask.value) &&
      (!readMask(context, buffer.mask) || !broadcast(context, buffer.offsets, buffer.mask)))
    return std::nullopt;
  return buffer;
}

/// `value` as the buffer's elements, in the shape of the offsets, which do not grow.
static Result readValue(Context &context, BufferOperands &buffer, Operand value) {
  DType element = buffer.element();
  Result stored = storedValue(context, buffer.offsets, value, element);
  // A conversion to int1 is a comparison with zero, whose result is then stored as a byte.
  if (stored && element.isBool())
    stored = castTensor(context, *stored, dtypes::int8, value.span);
  if (!stored)
    return std::nullopt;
  value.value = *stored;
  llvm::SmallVector<Operand *, 2> others = {&value};
  if (isGiven(buffer.mask.value))
    others.push_back(&buffer.mask);
  if (!broadcastKeepingPointer(context, buffer.offsets, others))
    return std::nullopt;
  return value.value;
}

std::optional<mlir::Value> readOther(Context &context, BufferOperands &buffer, Operand other) {
  if (!isGiven(other.value))
    return mlir::Value();
  if (!isGiven(buffer.mask.value)) {
    context.report(diag::Kind::OtherWithoutMask, other.span).end();
    return std::nullopt;
  }
  Result value = storedValue(context, buffer.offsets, other, buffer.stored());
  if (!value)
    return std::nullopt;
  other.value = *value;
  // A wide `other` may widen the offsets after the mask was brought to their shape.
  if (!broadcast(context, buffer.offsets, other) ||
      !broadcast(context, buffer.offsets, buffer.mask))
    return std::nullopt;
  return other.value.ir();
}

static Result emitLoad(Context &context, const BoundArgs &arguments) {
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, false, "cache");
  std::optional<BufferOperands> buffer =
      cache ? readBuffer(context, arguments) : std::optional<BufferOperands>();
  if (!buffer)
    return std::nullopt;
  std::optional<mlir::Value> other = readOther(context, *buffer, operand(arguments, "other"));
  if (!other)
    return std::nullopt;
  DType stored = buffer->stored();
  mlir::Value loaded = amdg::BufferLoadOp::create(
      context.builder, context.loc(),
      typeWithElement(context, buffer->offsets.value.irType(), stored),
      bytePointer(context, buffer->pointer.value).ir(), buffer->offsets.value.ir(),
      /*stride=*/mlir::Value(), *cache, buffer->maskIr(), *other, /*contiguity=*/1);
  if (buffer->element().isBool())
    return notZero(context, tensor(loaded, stored));
  return tensor(loaded, stored);
}

static Result emitStore(Context &context, const BoundArgs &arguments) {
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, true, "cache");
  std::optional<BufferOperands> buffer =
      cache ? readBuffer(context, arguments) : std::optional<BufferOperands>();
  if (!buffer || !checkWritable(context, buffer->pointer))
    return std::nullopt;
  Result value = readValue(context, *buffer, operand(arguments, "stored_value"));
  if (!value)
    return std::nullopt;
  amdg::BufferStoreOp::create(context.builder, context.loc(), value->ir(),
                              bytePointer(context, buffer->pointer.value).ir(),
                              buffer->offsets.value.ir(), /*stride=*/mlir::Value(), *cache,
                              buffer->maskIr(), /*contiguity=*/1);
  return Value::none();
}

// -- Atomics -------------------------------------------------------------------

static llvm::StringRef nameOf(AtomicKind kind) {
  static constexpr llvm::StringLiteral names[] = {
      "buffer_atomic_add", "buffer_atomic_max", "buffer_atomic_min", "buffer_atomic_and",
      "buffer_atomic_or",  "buffer_atomic_xor", "buffer_atomic_xchg"};
  return names[int(kind)];
}

/// What a chip must have besides buffer atomics; nothing for most.
static std::optional<target::Feature> featureOf(AtomicKind kind, DType dtype) {
  bool isExtremum = kind == AtomicKind::Max || kind == AtomicKind::Min;
  if (kind == AtomicKind::Add && dtype == ScalarKind::BFloat16)
    return target::Feature::BufferAtomicAddBf16;
  if ((kind == AtomicKind::Add || isExtremum) && dtype == ScalarKind::Float64)
    return target::Feature::BufferAtomicDoubles;
  if (isExtremum && dtype == ScalarKind::Float32)
    return target::Feature::BufferAtomicFloatExtrema;
  return std::nullopt;
}

/// The operation on elements of this type; nullopt where no chip has it.
static std::optional<tt::RMWOp> rmwOp(AtomicKind kind, DType dtype) {
  if (dtype.isPointer() || dtype.bitWidth() < 16 || (!dtype.isFloat() && dtype.bitWidth() < 32))
    return std::nullopt;
  bool isFloat = dtype.isFloat(), isWide = dtype.bitWidth() >= 32;
  switch (kind) {
  case AtomicKind::Add:
    return isFloat ? tt::RMWOp::FADD : tt::RMWOp::ADD;
  case AtomicKind::Max:
    if (isFloat && !isWide)
      return std::nullopt;
    return isFloat || dtype.isSignedInt() ? tt::RMWOp::MAX : tt::RMWOp::UMAX;
  case AtomicKind::Min:
    if (isFloat && !isWide)
      return std::nullopt;
    return isFloat || dtype.isSignedInt() ? tt::RMWOp::MIN : tt::RMWOp::UMIN;
  case AtomicKind::And:
    return isFloat ? std::nullopt : std::optional(tt::RMWOp::AND);
  case AtomicKind::Or:
    return isFloat ? std::nullopt : std::optional(tt::RMWOp::OR);
  case AtomicKind::Xor:
    return isFloat ? std::nullopt : std::optional(tt::RMWOp::XOR);
  case AtomicKind::Xchg:
    return isWide ? std::optional(tt::RMWOp::XCHG) : std::nullopt;
  }
  return std::nullopt;
}

template <AtomicKind kind> static Result emitAtomic(Context &context, const BoundArgs &arguments) {
  std::optional<Ordering> ordering = readOrdering(context, arguments);
  std::optional<BufferOperands> buffer =
      ordering ? readBuffer(context, arguments) : std::optional<BufferOperands>();
  if (!buffer || !checkWritable(context, buffer->pointer))
    return std::nullopt;
  DType element = buffer->element();
  std::optional<tt::RMWOp> op = rmwOp(kind, element);
  if (!op) {
    context.report(diag::Kind::AtomicType, buffer->pointer.span, nameOf(kind), element).end();
    return std::nullopt;
  }
  if (!requireFeature(context, (nameOf(kind) + " of " + element.name()).str(),
                      featureOf(kind, element)))
    return std::nullopt;
  Result value = readValue(context, *buffer, operand(arguments, "value"));
  if (!value)
    return std::nullopt;
  mlir::Value old = amdg::BufferAtomicRMWOp::create(
      context.builder, context.loc(), value->irType(), *op, buffer->pointer.value.ir(),
      buffer->offsets.value.ir(), value->ir(), /*stride=*/mlir::Value(), ordering->semantic,
      ordering->scope, buffer->maskIr());
  return tensor(old, element);
}

/// Rows of atomics have one signature and say the same of orders and masks.
#define ATOMIC_SIGNATURE                                                                           \
  "ptr: pointer, offsets: tensor, value: tensor, mask: tensor = None, sem: str = 'acq_rel', "      \
  "scope: str = 'gpu'"
#define ATOMIC_REST                                                                                \
  R"(
Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
`scope` "cta", "gpu" or "sys".

Gives: what memory held before, in shape and layout of the offsets; zero where nothing happened.
Errors: what is no scalar pointer, or one to const; offsets that are no block of 32-bit integers; an
element type that the hardware cannot do this to.
)"

llvm::ArrayRef<Builtin> amdBufferBuiltins() {
  static constexpr Traits buffers = {.needs = target::Feature::BufferAccess};
  static constexpr Traits atomics = {.needs = target::Feature::BufferAtomics};
  static const Builtin table[] = {
      {"amd.cdna3.buffer_load",
       "ptr: pointer, offsets: tensor, mask: tensor = None, other: tensor = None, cache: str = ''",
       emitLoad, buffers, R"(
Reads memory by a scalar pointer and a block of offsets, in elements.

Threads keep 32 bits of each address, and the hardware checks bounds: as bytes, offsets are unsigned
numbers of 32 bits, and what lies behind 2 GiB reads as zero. Where `mask` is false nothing is read:
the element is `other`, or zero without it. `cache` is ".ca", ".cg", ".cs" or ".cv".

Gives: the element type of the pointer, in shape and layout of the offsets.
Errors: what is no scalar pointer; offsets that are no block of 32-bit integers; a mask that is not
boolean; `other` without a mask.

    # hip:gfx942
    wide: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    at = gl.arange(0, 256, layout=wide)
    z = cdna3.buffer_load(p, at, mask=at < n, other=0.0)
)"},
      {"amd.cdna3.buffer_store",
       "stored_value: tensor, ptr: pointer, offsets: tensor, mask: tensor = None, cache: str = ''",
       emitStore, buffers, R"(
Writes memory by a scalar pointer and a block of offsets, in elements.

Where `mask` is false, and behind 2 GiB, nothing is written. The value is converted to the element
type. `cache` is ".wb", ".cg", ".cs" or ".wt".

Gives: nothing.
Errors: what is no scalar pointer, or one to const; offsets that are no block of 32-bit integers; a
mask that is not boolean; a value larger than the offsets.

    # hip:gfx942
    wide: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    at = gl.arange(0, 256, layout=wide)
    cdna3.buffer_store(gl.full([256], 1.0, gl.float32, wide), q, at, mask=at < n)
)"},
      {"amd.cdna3.buffer_atomic_add", ATOMIC_SIGNATURE, emitAtomic<AtomicKind::Add>, atomics, R"(
Adds to memory by a scalar pointer and a block of offsets, atomically.

Integers of 32 and 64 bits, float16, float32; float64 and bfloat16 where the chip has it.
)" ATOMIC_REST R"(
    # hip:gfx942
    at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    old = cdna3.buffer_atomic_add(counts, at, 1, mask=at < n)
)"},
      {"amd.cdna3.buffer_atomic_max", ATOMIC_SIGNATURE, emitAtomic<AtomicKind::Max>, atomics, R"(
Keeps the larger of the value and memory, atomically.

Integers of 32 and 64 bits; float64 and float32 where the chip has it.
)" ATOMIC_REST R"(
    # hip:gfx942
    at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    old = cdna3.buffer_atomic_max(counts, at, 7)
)"},
      {"amd.cdna3.buffer_atomic_min", ATOMIC_SIGNATURE, emitAtomic<AtomicKind::Min>, atomics, R"(
Keeps the smaller of the value and memory, atomically.

Integers of 32 and 64 bits; float64 and float32 where the chip has it.
)" ATOMIC_REST R"(
    # hip:gfx942
    at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    old = cdna3.buffer_atomic_min(counts, at, 7)
)"},
      {"amd.cdna3.buffer_atomic_and", ATOMIC_SIGNATURE, emitAtomic<AtomicKind::And>, atomics, R"(
Keeps the bits of memory that the value has, too, atomically.

Integers of 32 and 64 bits.
)" ATOMIC_REST R"(
    # hip:gfx942
    at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    old = cdna3.buffer_atomic_and(counts, at, 255)
)"},
      {"amd.cdna3.buffer_atomic_or", ATOMIC_SIGNATURE, emitAtomic<AtomicKind::Or>, atomics, R"(
Adds the bits of the value to memory, atomically.

Integers of 32 and 64 bits.
)" ATOMIC_REST R"(
    # hip:gfx942
    at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    old = cdna3.buffer_atomic_or(counts, at, 1)
)"},
      {"amd.cdna3.buffer_atomic_xor", ATOMIC_SIGNATURE, emitAtomic<AtomicKind::Xor>, atomics, R"(
Flips the bits of the value in memory, atomically.

Integers of 32 and 64 bits.
)" ATOMIC_REST R"(
    # hip:gfx942
    at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    old = cdna3.buffer_atomic_xor(counts, at, 1)
)"},
      {"amd.cdna3.buffer_atomic_xchg", ATOMIC_SIGNATURE, emitAtomic<AtomicKind::Xchg>, atomics, R"(
Writes memory and gives what it held, atomically.

Integers and floats of 32 and 64 bits.
)" ATOMIC_REST R"(
    # hip:gfx942
    at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    old = cdna3.buffer_atomic_xchg(counts, at, 3)
)"},
  };
  return table;
}

#undef ATOMIC_SIGNATURE
#undef ATOMIC_REST

} // namespace gluonc::sema::ops

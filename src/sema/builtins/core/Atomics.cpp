//===- Atomics.cpp - Atomic read-modify-write and compare-and-swap ------------===//
#include "sema/builtins/core/Memory.h"

#include "ir/Dialects.h"
#include "support/Error.h"

namespace gluonc::sema::ops {

namespace {
enum class AtomicKind { Add, Max, Min, And, Or, Xor, Xchg };
} // namespace

static llvm::StringRef nameOf(AtomicKind kind) {
  static constexpr llvm::StringLiteral names[] = {"atomic_add", "atomic_max", "atomic_min",
                                                  "atomic_and", "atomic_or",  "atomic_xor",
                                                  "atomic_xchg"};
  return names[int(kind)];
}

std::optional<Ordering> readOrdering(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::StringRef> sem = stringArgument(context, arguments, "sem");
  std::optional<llvm::StringRef> scope = stringArgument(context, arguments, "scope");
  if (!sem || !scope)
    return std::nullopt;
  std::optional<tt::MemSemantic> semantic = tt::symbolizeMemSemantic(*sem);
  if (!semantic) {
    context
        .report(diag::Kind::ArgumentChoice, arguments.span("sem"), "sem", *sem,
                "\"acquire\", \"release\", \"acq_rel\", \"relaxed\"")
        .end();
    return std::nullopt;
  }
  std::optional<tt::MemSyncScope> range = tt::symbolizeMemSyncScope(*scope);
  if (!range) {
    context
        .report(diag::Kind::ArgumentChoice, arguments.span("scope"), "scope", *scope,
                "\"gpu\", \"cta\", \"sys\"")
        .end();
    return std::nullopt;
  }
  return Ordering{*semantic, *range};
}

/// Whether the hardware has the operation for elements of this type.
static bool isSupported(AtomicKind kind, DType dtype) {
  if (dtype.isPointer() || dtype.bitWidth() < 16)
    return false;
  if (dtype.isFloat())
    return kind == AtomicKind::Add || (kind == AtomicKind::Xchg && dtype.bitWidth() >= 32) ||
           ((kind == AtomicKind::Max || kind == AtomicKind::Min) && dtype.bitWidth() >= 32);
  return dtype.bitWidth() >= 32;
}

static tt::RMWOp rmwOp(AtomicKind kind, DType dtype) {
  switch (kind) {
  case AtomicKind::Add:
    return dtype.isFloat() ? tt::RMWOp::FADD : tt::RMWOp::ADD;
  case AtomicKind::Max:
    return dtype.isSignedInt() ? tt::RMWOp::MAX : tt::RMWOp::UMAX;
  case AtomicKind::Min:
    return dtype.isSignedInt() ? tt::RMWOp::MIN : tt::RMWOp::UMIN;
  case AtomicKind::And:
    return tt::RMWOp::AND;
  case AtomicKind::Or:
    return tt::RMWOp::OR;
  case AtomicKind::Xor:
    return tt::RMWOp::XOR;
  case AtomicKind::Xchg:
    return tt::RMWOp::XCHG;
  }
  GL_UNREACHABLE("covered switch");
}

static Value emitRmw(Context &context, tt::RMWOp op, const Value &pointer, const Value &value,
                     mlir::Value mask, Ordering ordering) {
  return tensor(tt::AtomicRMWOp::create(context.builder, context.loc(), value.irType(), op,
                                        pointer.ir(), value.ir(), mask, ordering.semantic,
                                        ordering.scope),
                value.dtype());
}

/// Floats order like sign-magnitude integers: positive ones as signed integers do, negative ones as
/// unsigned integers in reverse. Two atomics, each under the mask of its sign.
static Result emitFloatExtremum(Context &context, AtomicKind kind, const Operand &pointer,
                                const Operand &value, mlir::Value mask, Ordering ordering) {
  DType dtype = value.value.dtype();
  bool isWide = dtype.bitWidth() == 64;
  DType bits = isWide ? dtypes::int64 : dtypes::int32;
  DType ubits = isWide ? dtypes::uint64 : dtypes::uint32;
  auto view = [&](DType as) { return *bitcastTensor(context, value.value, as, value.span); };
  auto pointerTo = [&](DType as) {
    DType type = DType::pointer(as, false, pointer.value.dtype().addressSpace());
    return *bitcastTensor(context, pointer.value, type, pointer.span);
  };
  Value asInt = view(bits);
  mlir::OpBuilder &builder = context.builder;
  mlir::Value zero = intConstant(context, asInt.irType(), 0);
  mlir::Value isNegative = mlir::arith::CmpIOp::create(
      builder, context.loc(), mlir::arith::CmpIPredicate::slt, asInt.ir(), zero);
  mlir::Value ones = intConstant(context, isNegative.getType(), -1);
  mlir::Value isPositive = mlir::arith::XOrIOp::create(builder, context.loc(), isNegative, ones);
  auto under = [&](mlir::Value sign) {
    return mask ? mlir::arith::AndIOp::create(builder, context.loc(), mask, sign).getResult()
                : sign;
  };
  bool isMax = kind == AtomicKind::Max;
  Value positive = emitRmw(context, isMax ? tt::RMWOp::MAX : tt::RMWOp::MIN, pointerTo(bits), asInt,
                           under(isPositive), ordering);
  Value negative = emitRmw(context, isMax ? tt::RMWOp::UMIN : tt::RMWOp::UMAX, pointerTo(ubits),
                           view(ubits), under(isNegative), ordering);
  mlir::Value old = mlir::arith::SelectOp::create(builder, context.loc(), isPositive, positive.ir(),
                                                  negative.ir());
  return bitcastTensor(context, tensor(old, bits), dtype, value.span);
}

template <AtomicKind kind> static Result emitAtomic(Context &context, const BoundArgs &arguments) {
  Operand pointer = operand(arguments, "pointer"), value = operand(arguments, "val");
  Operand mask = operand(arguments, "mask");
  std::optional<Ordering> ordering = readOrdering(context, arguments);
  if (!ordering || !checkPointer(context, pointer, "pointer") || !checkWritable(context, pointer))
    return std::nullopt;
  DType element = pointer.value.dtype().pointee();
  if (!isSupported(kind, element)) {
    context.report(diag::Kind::AtomicType, pointer.span, nameOf(kind), element).end();
    return std::nullopt;
  }
  if (!pointer.isBlock() &&
      (!rejectBlock(context, value, "val") || !rejectBlock(context, mask, "mask")))
    return std::nullopt;
  Result stored = storedValue(context, pointer, value, element);
  if (!stored)
    return std::nullopt;
  value.value = *stored;
  llvm::SmallVector<Operand *, 2> others = {&value};
  if (isGiven(mask.value)) {
    if (!readMask(context, mask))
      return std::nullopt;
    others.push_back(&mask);
  }
  if (!broadcastKeepingPointer(context, pointer, others))
    return std::nullopt;
  mlir::Value predicate = isGiven(mask.value) ? mask.value.ir() : mlir::Value();
  if (element.isFloat() && (kind == AtomicKind::Max || kind == AtomicKind::Min))
    return emitFloatExtremum(context, kind, pointer, value, predicate, *ordering);
  return emitRmw(context, rmwOp(kind, element), pointer.value, value.value, predicate, *ordering);
}

static Result emitCas(Context &context, const BoundArgs &arguments) {
  Operand pointer = operand(arguments, "pointer"), expected = operand(arguments, "cmp");
  Operand value = operand(arguments, "val");
  std::optional<Ordering> ordering = readOrdering(context, arguments);
  if (!ordering || !checkPointer(context, pointer, "pointer") || !checkWritable(context, pointer))
    return std::nullopt;
  DType element = pointer.value.dtype().pointee();
  if (element.bitWidth() < 16) {
    context.report(diag::Kind::AtomicType, pointer.span, "atomic_cas", element).end();
    return std::nullopt;
  }
  for (auto [side, name] : {std::pair(&expected, "cmp"), std::pair(&value, "val")}) {
    if (!pointer.isBlock() && !rejectBlock(context, *side, name))
      return std::nullopt;
    Result stored = storedValue(context, pointer, *side, element);
    if (!stored)
      return std::nullopt;
    side->value = *stored;
  }
  if (!broadcastKeepingPointer(context, pointer, {&expected, &value}))
    return std::nullopt;
  return tensor(tt::AtomicCASOp::create(context.builder, context.loc(), value.value.irType(),
                                        pointer.value.ir(), expected.value.ir(), value.value.ir(),
                                        ordering->semantic, ordering->scope),
                element);
}

/// Loads may be relaxed or acquire, stores relaxed or release.
static bool checkOrder(Context &context, const BoundArgs &arguments, const Ordering &ordering,
                       tt::MemSemantic ordered) {
  if (ordering.semantic == tt::MemSemantic::RELAXED || ordering.semantic == ordered)
    return true;
  context
      .report(diag::Kind::ArgumentChoice, arguments.span("sem"), "sem",
              tt::stringifyMemSemantic(ordering.semantic),
              "\"" + tt::stringifyMemSemantic(ordered).str() + "\", \"relaxed\"")
      .end();
  return false;
}

static bool checkNumbers(Context &context, const Operand &pointer, llvm::StringRef name) {
  DType element = pointer.value.dtype().pointee();
  if (element.isBool() || element.isInt() || element.isFloat())
    return true;
  context.report(diag::Kind::AtomicType, pointer.span, name, element).end();
  return false;
}

static Result emitLoad(Context &context, const BoundArgs &arguments) {
  Operand pointer = operand(arguments, "pointer"), mask = operand(arguments, "mask");
  std::optional<Ordering> ordering = readOrdering(context, arguments);
  if (!ordering || !checkOrder(context, arguments, *ordering, tt::MemSemantic::ACQUIRE) ||
      !checkPointer(context, pointer, "pointer") || !checkNumbers(context, pointer, "atomic_load"))
    return std::nullopt;
  mlir::Value predicate;
  if (isGiven(mask.value)) {
    if (!readMask(context, mask) || (!pointer.isBlock() && !rejectBlock(context, mask, "mask")) ||
        !broadcast(context, pointer, mask))
      return std::nullopt;
    predicate = mask.value.ir();
  }
  DType element = pointer.value.dtype().pointee();
  Value address = bytePointer(context, pointer.value);
  DType stored = address.dtype().pointee();
  Value loaded = tensor(tt::AtomicLoadOp::create(context.builder, context.loc(),
                                                 tt::pointeeTypeOf(address.irType()), address.ir(),
                                                 predicate, ordering->semantic, ordering->scope),
                        stored);
  return element.isBool() ? notZero(context, loaded) : loaded;
}

static Result emitStore(Context &context, const BoundArgs &arguments) {
  std::optional<Ordering> ordering = readOrdering(context, arguments);
  if (!ordering || !checkOrder(context, arguments, *ordering, tt::MemSemantic::RELEASE))
    return std::nullopt;
  std::optional<StoreOperands> store = readStore(context, arguments, "val");
  if (!store || !checkNumbers(context, operand(arguments, "pointer"), "atomic_store"))
    return std::nullopt;
  tt::AtomicStoreOp::create(context.builder, context.loc(), store->address, store->value,
                            store->mask, ordering->semantic, ordering->scope);
  return Value::none();
}

/// atomic_poll(pointer, expected_value, sem="acquire", scope="gpu", timeout_ns=None)
static Result emitPoll(Context &context, const BoundArgs &arguments) {
  Operand pointer = operand(arguments, "pointer"), expected = operand(arguments, "expected_value");
  Operand timeout = operand(arguments, "timeout_ns");
  std::optional<Ordering> ordering = readOrdering(context, arguments);
  if (!ordering || !checkPointer(context, pointer, "pointer"))
    return std::nullopt;
  if (pointer.isBlock()) {
    context
        .report(diag::Kind::ArgumentKind, pointer.span, "pointer", "a pointer to a scalar",
                pointer.value.typeName())
        .end();
    return std::nullopt;
  }
  DType element = pointer.value.dtype().pointee();
  if (!element.isInt() || element.bitWidth() < 16) {
    context.report(diag::Kind::AtomicType, pointer.span, "atomic_poll", element).end();
    return std::nullopt;
  }
  if (!checkOrder(context, arguments, *ordering, tt::MemSemantic::ACQUIRE))
    return std::nullopt;
  if (!rejectBlock(context, expected, "expected_value"))
    return std::nullopt;
  Result value = storedValue(context, pointer, expected, element);
  if (!value)
    return std::nullopt;
  mlir::Value limit;
  if (isGiven(timeout.value)) {
    Result nanoseconds = materialize(context, timeout);
    bool isCount = nanoseconds && !nanoseconds->isBlock() && nanoseconds->dtype().isInt() &&
                   (!timeout.isNumber() || timeout.value.asDouble() >= 0);
    if (nanoseconds && !isCount)
      context
          .report(diag::Kind::ArgumentKind, timeout.span, "timeout_ns",
                  "a scalar integer that is not negative", timeout.value.typeName())
          .end();
    if (!isCount)
      return std::nullopt;
    nanoseconds = castTensor(context, *nanoseconds, dtypes::uint64, timeout.span);
    if (!nanoseconds)
      return std::nullopt;
    limit = nanoseconds->ir();
  }
  return tensor(tt::AtomicPollOp::create(context.builder, context.loc(),
                                         context.builder.getI1Type(), pointer.value.ir(),
                                         value->ir(), limit, ordering->semantic, ordering->scope),
                dtypes::int1);
}

llvm::ArrayRef<Builtin> atomicBuiltins() {
  static constexpr llvm::StringLiteral rmw = "pointer: pointer, val: tensor, mask: tensor = None, "
                                             "sem: str = 'acq_rel', scope: str = 'gpu'";
  static const Builtin table[] = {
      {"atomic_add", rmw, emitAtomic<AtomicKind::Add>, asMethod, R"(
Adds to memory, atomically.

Integers of 32 and 64 bits, floats of 16, 32 and 64 bits.

Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
`scope` "cta", "gpu" or "sys".

Gives: what memory held before, in shape and layout of the pointers.
Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

    old = gl.atomic_add(p + offsets, x, mask=offsets < n)
)"},
      {"atomic_max", rmw, emitAtomic<AtomicKind::Max>, asMethod, R"(
Keeps the larger of memory and value, atomically.

Integers and floats of 32 and 64 bits. Floats take two atomics, by sign.

Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
`scope` "cta", "gpu" or "sys".

Gives: what memory held before, in shape and layout of the pointers.
Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

    old = gl.atomic_max(counts + offsets, i)
)"},
      {"atomic_min", rmw, emitAtomic<AtomicKind::Min>, asMethod, R"(
Keeps the smaller of memory and value, atomically.

Integers and floats of 32 and 64 bits. Floats take two atomics, by sign.

Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
`scope` "cta", "gpu" or "sys".

Gives: what memory held before, in shape and layout of the pointers.
Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

    old = gl.atomic_min(counts + offsets, i)
)"},
      {"atomic_and", rmw, emitAtomic<AtomicKind::And>, asMethod, R"(
Keeps the bits that memory and value have in common, atomically.

Integers of 32 and 64 bits.

Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
`scope` "cta", "gpu" or "sys".

Gives: what memory held before, in shape and layout of the pointers.
Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

    old = gl.atomic_and(counts + offsets, 255)
)"},
      {"atomic_or", rmw, emitAtomic<AtomicKind::Or>, asMethod, R"(
Adds the bits of the value to memory, atomically.

Integers of 32 and 64 bits.

Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
`scope` "cta", "gpu" or "sys".

Gives: what memory held before, in shape and layout of the pointers.
Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

    old = gl.atomic_or(counts + offsets, 1)
)"},
      {"atomic_xor", rmw, emitAtomic<AtomicKind::Xor>, asMethod, R"(
Flips the bits of the value in memory, atomically.

Integers of 32 and 64 bits.

Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
`scope` "cta", "gpu" or "sys".

Gives: what memory held before, in shape and layout of the pointers.
Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

    old = gl.atomic_xor(counts + offsets, 1)
)"},
      {"atomic_xchg", rmw, emitAtomic<AtomicKind::Xchg>, asMethod, R"(
Writes memory and gives what it held, atomically.

Integers and floats of 32 and 64 bits.

Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
`scope` "cta", "gpu" or "sys".

Gives: what memory held before, in shape and layout of the pointers.
Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

    old = gl.atomic_xchg(p + offsets, x)
)"},
      {"atomic_cas",
       "pointer: pointer, cmp: tensor, val: tensor, sem: str = 'acq_rel', scope: str = 'gpu'",
       emitCas, asMethod, R"(
Writes `val` where memory holds `cmp`, atomically.

Elements of 16, 32 or 64 bits; both values are converted to the element type. `sem` is "acquire",
"release", "acq_rel" or "relaxed", `scope` "cta", "gpu" or "sys".

Gives: what memory held before, in shape and layout of the pointers.
Errors: what is no pointer, or one to const; elements of 8 bits.

    old = gl.atomic_cas(counts, 0, 1)
)"},
      {"atomic_load",
       "pointer: pointer, mask: tensor = None, sem: str = 'acquire', scope: str = 'gpu'", emitLoad,
       asMethod, R"(
Reads memory in order with what other threads write.

Elements of any width. `sem` is "acquire" or "relaxed", `scope` "cta", "gpu" or "sys". After an
acquire all threads see what was written before the value was released.

Gives: the values, in shape and layout of the pointers; zero where `mask` is false.
Errors: what is no pointer to numbers.

    ready = gl.atomic_load(counts)
)"},
      {"atomic_store",
       "pointer: pointer, val: tensor, mask: tensor = None, sem: str = 'release', "
       "scope: str = 'gpu'",
       emitStore, asMethod, R"(
Writes memory in order with what other threads read.

Elements of any width; the value is converted to the element type. `sem` is "release" or "relaxed",
`scope` "cta", "gpu" or "sys". A release comes after all that threads of the program wrote before.
Where `mask` is false nothing happens.

Gives: nothing.
Errors: what is no pointer to numbers, or one to const.

    gl.atomic_store(counts, 1)
)"},
      {"atomic_poll",
       "pointer: pointer, expected_value: scalar, sem: str = 'acquire', scope: str = 'gpu', "
       "timeout_ns: scalar = None",
       emitPoll, asMethod, R"(
Reads a word again and again until it holds the expected value, or until the time is over.

An integer of 16, 32 or 64 bits. `sem` is "acquire" or "relaxed", `scope` "cta", "gpu" or "sys".
Without `timeout_ns` it waits for ever.

Gives: an int1 scalar: whether the value came in time.
Errors: a block of pointers; an element type other than those; a negative time.

    came = gl.atomic_poll(counts, 1, timeout_ns=1000)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

//===- Memory.cpp - Loads and stores through pointers -------------------------===//
//
// Pointers, mask and value are broadcast together; the value is cast to the
// pointee. int1 is stored as a byte, so its pointers are accessed as int8.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/core/Memory.h"

namespace gluonc::sema::ops {

bool checkPointer(Context &context, const Operand &pointer, llvm::StringRef name) {
  if (pointer.value.isTensor() && pointer.value.dtype().isPointer())
    return true;
  context.report(diag::Kind::NotPointer, pointer.span, name, pointer.value.typeName()).end();
  return false;
}

bool checkWritable(Context &context, const Operand &pointer) {
  if (!pointer.value.dtype().isConstPointer())
    return true;
  context.report(diag::Kind::StoreToConst, pointer.span, pointer.value.dtype()).end();
  return false;
}

bool readMask(Context &context, Operand &mask) {
  Result value = materialize(context, mask);
  if (!value)
    return false;
  if (!value->dtype().isBool()) {
    context.report(diag::Kind::MaskNotBoolean, mask.span, value->typeName())
        .hint("compare with something, or cast with `.to(gl.int1)`");
    return false;
  }
  mask.value = *value;
  return true;
}

bool rejectBlock(Context &context, const Operand &operand, llvm::StringRef name) {
  if (!operand.isBlock())
    return true;
  context.report(diag::Kind::BlockWithScalarPointer, operand.span, name)
      .hint("add offsets to the pointer to make it a block of pointers");
  return false;
}

Value bytePointer(Context &context, const Value &pointer) {
  if (!pointer.dtype().pointee().isBool())
    return pointer;
  DType bytes = DType::pointer(dtypes::int8, pointer.dtype().isConstPointer(),
                               pointer.dtype().addressSpace());
  return *bitcastTensor(context, pointer, bytes, {});
}

bool broadcastKeepingPointer(Context &context, Operand &pointer, llvm::ArrayRef<Operand *> others) {
  llvm::SmallVector<int64_t> before(pointer.value.shape());
  // The second round gives the first operand what the last one said about shape and layout.
  for (int round = 0; round < 2; ++round)
    for (Operand *other : others)
      if (!broadcast(context, pointer, *other))
        return false;
  if (pointer.value.shape() == llvm::ArrayRef<int64_t>(before))
    return true;
  context
      .report(diag::Kind::PointerShape, pointer.span, shapeText(before),
              shapeText(pointer.value.shape()))
      .hint("broadcast the pointers first: several elements would go to one address");
  return false;
}

namespace {
struct Choice {
  llvm::StringLiteral name;
  unsigned value;
};
} // namespace

/// The enum value of a string argument.
static std::optional<unsigned> choose(Context &context, const BoundArgs &arguments,
                                      llvm::StringRef name, llvm::ArrayRef<Choice> choices) {
  std::optional<llvm::StringRef> text = stringArgument(context, arguments, name);
  if (!text)
    return std::nullopt;
  std::string known;
  for (const Choice &choice : choices) {
    if (choice.name == *text)
      return choice.value;
    known += (known.empty() ? "\"" : ", \"") + choice.name.str() + "\"";
  }
  context.report(diag::Kind::ArgumentChoice, arguments.span(name), name, *text, known).end();
  return std::nullopt;
}

std::optional<tt::CacheModifier> cacheModifier(Context &context, const BoundArgs &arguments,
                                               bool isStore, llvm::StringRef name) {
  using C = tt::CacheModifier;
  static const Choice loads[] = {{"", unsigned(C::NONE)},
                                 {".ca", unsigned(C::CA)},
                                 {".cg", unsigned(C::CG)},
                                 {".cs", unsigned(C::CS)},
                                 {".cv", unsigned(C::CV)}};
  static const Choice stores[] = {{"", unsigned(C::NONE)},
                                  {".wb", unsigned(C::WB)},
                                  {".cg", unsigned(C::CG)},
                                  {".cs", unsigned(C::CS)},
                                  {".wt", unsigned(C::WT)}};
  std::optional<unsigned> value =
      choose(context, arguments, name,
             isStore ? llvm::ArrayRef<Choice>(stores) : llvm::ArrayRef<Choice>(loads));
  return value ? std::optional(C(*value)) : std::nullopt;
}

std::optional<tt::EvictionPolicy> evictionPolicy(Context &context, const BoundArgs &arguments) {
  using E = tt::EvictionPolicy;
  static const Choice choices[] = {{"", unsigned(E::NORMAL)},
                                   {"evict_first", unsigned(E::EVICT_FIRST)},
                                   {"evict_last", unsigned(E::EVICT_LAST)}};
  std::optional<unsigned> value = choose(context, arguments, "eviction_policy", choices);
  return value ? std::optional(E(*value)) : std::nullopt;
}

/// The mask and fallback of a load, broadcast with the pointer; null values where not given.
static bool readLoadOperands(Context &context, Operand &pointer, Operand &mask, Operand &other) {
  if (isGiven(other.value) && !isGiven(mask.value)) {
    context.report(diag::Kind::OtherWithoutMask, other.span).end();
    return false;
  }
  bool isBlock = pointer.isBlock();
  if (isGiven(mask.value)) {
    if (!readMask(context, mask) || (!isBlock && !rejectBlock(context, mask, "mask")) ||
        !broadcast(context, pointer, mask))
      return false;
  }
  if (!isGiven(other.value))
    return true;
  DType element = pointer.value.dtype().pointee();
  DType stored = element.isBool() ? DType(dtypes::int8) : element;
  if (!isBlock && !rejectBlock(context, other, "other"))
    return false;
  if (other.isNumber() && holdsNumbers(stored)) {
    mlir::Type type = typeWithElement(context, pointer.value.irType(), stored);
    other.value = tensor(numberConstant(context, other.value, stored, type), stored);
    return true;
  }
  Result value = cast(context, other.value, stored, other.span);
  if (!value)
    return false;
  other.value = *value;
  if (!broadcast(context, pointer, other))
    return false;
  // A wide `other` may have widened the pointers after the mask was brought to their shape.
  return broadcast(context, pointer, mask);
}

/// `boundary_check` and `padding_option` are for block pointers, which the library handles.
static bool rejectBoundaries(Context &context, const BoundArgs &arguments) {
  const Value &dims = arguments["boundary_check"];
  bool isEmpty = !isGiven(dims) || (dims.is(ValueKind::Tuple) && dims.items().empty());
  if (isEmpty)
    return true;
  context
      .report(diag::Kind::BadArgument, arguments.span("boundary_check"),
              "only block pointers have boundaries to check: give a mask")
      .end();
  return false;
}

static Result emitLoad(Context &context, const BoundArgs &arguments) {
  Operand pointer = operand(arguments, "pointer"), mask = operand(arguments, "mask");
  Operand other = operand(arguments, "other");
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, false);
  std::optional<tt::EvictionPolicy> evict = evictionPolicy(context, arguments);
  std::optional<mlir::Attribute> policy = cachePolicy(context, arguments, tt::CacheUse::Load);
  std::optional<bool> isVolatile = boolArgument(context, arguments, "volatile");
  if (!cache || !evict || !policy || !isVolatile || !rejectBoundaries(context, arguments) ||
      !checkPointer(context, pointer, "pointer") ||
      !readLoadOperands(context, pointer, mask, other))
    return std::nullopt;
  DType element = pointer.value.dtype().pointee();
  if (!checkFloat8(context, element, pointer.span))
    return std::nullopt;
  if (element.isVoid()) {
    context.report(diag::Kind::NotPointer, pointer.span, "pointer", pointer.value.typeName()).end();
    return std::nullopt;
  }
  Value address = bytePointer(context, pointer.value);
  mlir::Value loaded = tt::LoadOp::create(context.builder, context.loc(), address.ir(),
                                          isGiven(mask.value) ? mask.value.ir() : mlir::Value(),
                                          isGiven(other.value) ? other.value.ir() : mlir::Value(),
                                          *cache, *evict, *isVolatile, *policy);
  if (element.isBool())
    return notZero(context, tensor(loaded, dtypes::int8));
  return tensor(loaded, element);
}

Result storedValue(Context &context, const Operand &pointer, const Operand &value, DType dtype) {
  if (value.isNumber() && holdsNumbers(dtype)) {
    mlir::Type type = typeWithElement(context, pointer.value.irType(), dtype);
    return tensor(numberConstant(context, value.value, dtype, type), dtype);
  }
  return cast(context, value.value, dtype, value.span);
}

std::optional<StoreOperands> readStore(Context &context, const BoundArgs &arguments,
                                       llvm::StringRef valueName) {
  Operand pointer = operand(arguments, "pointer"), value = operand(arguments, valueName);
  Operand mask = operand(arguments, "mask");
  if (!checkPointer(context, pointer, "pointer") || !checkWritable(context, pointer))
    return std::nullopt;
  DType element = pointer.value.dtype().pointee();
  if (!pointer.isBlock() && !rejectBlock(context, value, valueName))
    return std::nullopt;
  // A conversion to int1 is a comparison with zero, whose result is then stored as a byte.
  Result stored = storedValue(context, pointer, value, element);
  if (stored && element.isBool())
    stored = castTensor(context, *stored, dtypes::int8, value.span);
  if (!stored)
    return std::nullopt;
  value.value = *stored;
  llvm::SmallVector<Operand *, 2> others = {&value};
  if (isGiven(mask.value)) {
    if (!readMask(context, mask) || (!pointer.isBlock() && !rejectBlock(context, mask, "mask")))
      return std::nullopt;
    others.push_back(&mask);
  }
  if (!broadcastKeepingPointer(context, pointer, others))
    return std::nullopt;
  return StoreOperands{bytePointer(context, pointer.value).ir(), value.value.ir(),
                       isGiven(mask.value) ? mask.value.ir() : mlir::Value()};
}

static Result emitStore(Context &context, const BoundArgs &arguments) {
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, true);
  std::optional<tt::EvictionPolicy> evict = evictionPolicy(context, arguments);
  std::optional<mlir::Attribute> policy = cachePolicy(context, arguments, tt::CacheUse::Store);
  if (!cache || !evict || !policy || !rejectBoundaries(context, arguments))
    return std::nullopt;
  std::optional<StoreOperands> store = readStore(context, arguments, "value");
  if (!store)
    return std::nullopt;
  tt::StoreOp::create(context.builder, context.loc(), store->address, store->value, store->mask,
                      *cache, *evict, /*ignore_cta=*/false, *policy);
  return Value::none();
}

llvm::ArrayRef<Builtin> memoryBuiltins() {
  static const Builtin table[] = {
      {"load",
       "pointer: pointer, mask: tensor = None, other: tensor = None, *, cache_modifier: str = '', "
       "eviction_policy: str = '', volatile: bool = False, cache_policy: value = None, "
       "boundary_check: ints = (), padding_option: str = ''",
       emitLoad, asFunction, R"(
Reads memory through a pointer or a block of pointers.

Where `mask` is false nothing is read: the element is `other`, or undefined without it. Mask and
`other` are broadcast to the pointers; `other` is converted to the element type. `cache_modifier` is
".ca", ".cg", ".cs" or ".cv", `eviction_policy` "evict_first" or "evict_last"; `cache_policy`, a
`CachePolicy`, takes the place of both. `boundary_check` and `padding_option` are for Triton's block
pointers.

Gives: the element type of the pointers, in their shape and layout.
Errors: what is no pointer; a mask that is not boolean; `other` without a mask; a block as mask of a
scalar pointer.

    x = gl.load(p + offsets, mask=offsets < n, other=0.0)
)"},
      {"store",
       "pointer: pointer, value: tensor, mask: tensor = None, *, cache_modifier: str = '', "
       "eviction_policy: str = '', cache_policy: value = None, boundary_check: ints = ()",
       emitStore, asMethod, R"(
Writes memory through a pointer or a block of pointers.

Where `mask` is false nothing is written. Value and mask are broadcast to the pointers; the value is
converted to their element type. `cache_modifier` is ".wb", ".cg", ".cs" or ".wt", `eviction_policy`
"evict_first" or "evict_last"; `cache_policy`, a `CachePolicy`, takes the place of both.
`boundary_check` is for Triton's block pointers.

Gives: nothing.
Errors: what is no pointer, or one to const; a mask that is not boolean; a value larger than the
pointers.

    gl.store(q + offsets, x * 2, mask=offsets < n)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

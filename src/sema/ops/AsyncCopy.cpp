//===- AsyncCopy.cpp - cp.async: global to shared memory past the registers ----===//
#include "sema/ops/Memory.h"
#include "sema/ops/Shared.h"

namespace gluonc::sema::ops {

/// Reports a target without cp.async.
static bool checkTarget(Context &context, llvm::StringRef what) {
  if (context.options.target.hasCpAsync())
    return true;
  context
      .report(diag::Kind::NeedsTarget, context.span, what, "cuda:80 or newer",
              context.options.target.name())
      .end();
  return false;
}

/// Whether pointers and buffer name as many elements of one type.
static bool checkCopy(Context &context, const Value &buffer, const Operand &pointer) {
  DType element = pointer.value.dtype().pointee();
  if (element == buffer.dtype() && pointer.isBlock() && pointer.value.shape() == buffer.shape())
    return true;
  context
      .report(diag::Kind::AsyncCopyMismatch, pointer.span, pointer.value.typeName(),
              buffer.typeName())
      .end();
  return false;
}

static Result emitAsyncLoad(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments[0];
  Operand pointer = operand(arguments, 1), mask = operand(arguments, 2);
  if (!checkTarget(context, "async_load") || !bufferArgument(context, arguments, 0, "smem") ||
      !checkSingleBuffer(context, buffer, arguments.span(0), "async_load"))
    return std::nullopt;
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, 3, false);
  std::optional<tt::EvictionPolicy> evict = evictionPolicy(context, arguments, 4);
  std::optional<bool> isVolatile = boolArgument(context, arguments, 5, "volatile", false);
  if (!cache || !evict || !isVolatile || !checkPointer(context, pointer, "pointer"))
    return std::nullopt;
  mlir::Value predicate;
  if (isGiven(mask.value)) {
    if (!readMask(context, mask) || !broadcast(context, pointer, mask))
      return std::nullopt;
    predicate = mask.value.ir();
  }
  if (!checkCopy(context, buffer, pointer))
    return std::nullopt;
  mlir::Type token = ttg::AsyncTokenType::get(context.mlirContext());
  context.builder.create<ttg::AsyncCopyGlobalToLocalOp>(
      context.loc(), token, pointer.value.ir(), buffer.ir(), predicate, /*other=*/mlir::Value(),
      *cache, *evict, *isVolatile, /*contiguity=*/1);
  return Value::none();
}

static Result emitCommitGroup(Context &context, const BoundArgs &) {
  if (!checkTarget(context, "commit_group"))
    return std::nullopt;
  context.builder.create<ttg::AsyncCommitGroupOp>(context.loc(), mlir::ValueRange());
  return Value::none();
}

static Result emitWaitGroup(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> pending = intArgument(context, arguments, 0, "num_outstanding", 0);
  if (!pending || !checkTarget(context, "wait_group"))
    return std::nullopt;
  if (*pending < 0 || *pending > std::numeric_limits<int32_t>::max()) {
    context.report(diag::Kind::ScalarOutOfRange, arguments.span(0), *pending, "num_outstanding")
        .end();
    return std::nullopt;
  }
  context.builder.create<ttg::AsyncWaitOp>(context.loc(), mlir::ValueRange(), uint32_t(*pending));
  return Value::none();
}

// Every NVIDIA architecture since Ampere has the module, under its own name.
#define ASYNC_COPY(module)                                                                         \
  {module ".async_load",                                                                           \
   "smem, pointer, mask=, cache_modifier=, eviction_policy=, volatile=", emitAsyncLoad},           \
      {module ".async_copy_global_to_shared",                                                      \
       "smem, pointer, mask=, cache_modifier=, eviction_policy=, volatile=", emitAsyncLoad},       \
      {module ".commit_group", "", emitCommitGroup}, {                                             \
    module ".wait_group", "num_outstanding=", emitWaitGroup                                        \
  }

llvm::ArrayRef<Builtin> asyncCopyBuiltins() {
  static const Builtin table[] = {
      ASYNC_COPY("nvidia.ampere.async_copy"),
      ASYNC_COPY("nvidia.hopper.async_copy"),
      ASYNC_COPY("nvidia.blackwell.async_copy"),
  };
  return table;
}
#undef ASYNC_COPY

} // namespace gluonc::sema::ops

//===- AsyncCopy.cpp - cp.async: global to shared memory past the registers ----===//
#include "sema/builtins/shared/AsyncGroups.h"

namespace gluonc::sema::ops {

static Result emitAsyncLoad(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["smem"];
  Operand pointer = operand(arguments, "pointer"), mask = operand(arguments, "mask");
  if (!bufferArgument(context, arguments, "smem") ||
      !checkSingleBuffer(context, buffer, arguments.span("smem"), "async_load"))
    return std::nullopt;
  std::optional<tt::CacheModifier> cache = cacheModifier(context, arguments, false);
  std::optional<tt::EvictionPolicy> evict = evictionPolicy(context, arguments);
  std::optional<mlir::Attribute> policy = cachePolicy(context, arguments, tt::CacheUse::AsyncCopy);
  std::optional<bool> isVolatile = boolArgument(context, arguments, "volatile");
  if (!cache || !evict || !policy || !isVolatile || !checkPointer(context, pointer, "pointer"))
    return std::nullopt;
  mlir::Value predicate;
  if (isGiven(mask.value)) {
    if (!readMask(context, mask) || !broadcast(context, pointer, mask))
      return std::nullopt;
    predicate = mask.value.ir();
  }
  if (!checkCopy(context, arguments, "smem", pointer, pointer.value.dtype().pointee()))
    return std::nullopt;
  mlir::Type token = ttg::AsyncTokenType::get(context.mlirContext());
  ttg::AsyncCopyGlobalToLocalOp::create(context.builder, context.loc(), token, pointer.value.ir(),
                                        buffer.ir(), predicate, /*other=*/mlir::Value(), *cache,
                                        *evict, *isVolatile, /*contiguity=*/1, *policy);
  return Value::none();
}

llvm::ArrayRef<Builtin> asyncCopyBuiltins() {
  static const Builtin table[] = {
      {"nvidia.ampere.async_copy.async_load",
       "smem: buffer, pointer: pointer, mask: tensor = None, cache_modifier: str = '', "
       "eviction_policy: str = '', volatile: bool = False, cache_policy: value = None",
       emitAsyncLoad,
       {.needs = target::Feature::AsyncCopy, .alias = "async_copy_global_to_shared"},
       R"(
Begins to copy from global to shared memory, past the registers.

The copy belongs to the group that the next `commit_group` closes. Until `wait_group` has waited for
it, the buffer must not be touched. Where `mask` is false nothing is read, and the elements become
0. `cache_policy`, a `CachePolicy`, takes the place of `cache_modifier` and `eviction_policy`; of
L2 only `l2_prefetch_size` is passed on.

Gives: nothing.
Errors: pointers of another element type or shape than the buffer; a ring of buffers; a mask that is
not boolean.

    buffer = gl.allocate_shared_memory(gl.float32, [128], line)
    ampere.async_copy.async_load(buffer, p + offsets)
    ampere.async_copy.commit_group()
    ampere.async_copy.wait_group(0)
    z = buffer.load(layout)
)"},
      {"nvidia.ampere.async_copy.commit_group",
       "",
       emitCommitGroup,
       {.needs = target::Feature::AsyncCopy},
       R"(
Closes a group: all copies begun since the last one.

Gives: nothing.

    ampere.async_copy.commit_group()
)"},
      {"nvidia.ampere.async_copy.wait_group",
       "num_outstanding: int = 0",
       emitWaitGroup,
       {.needs = target::Feature::AsyncCopy},
       R"(
Waits until no more than so many of the latest groups of copies are under way.

Gives: nothing.
Errors: a negative number.

    ampere.async_copy.wait_group(0)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

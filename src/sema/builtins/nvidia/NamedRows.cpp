//===- NamedRows.cpp - Copies of rows that are named one by one ----------------===//
//
// The copy engine of sm_100 moves rows of a tensor whose numbers a block holds, four
// with each message.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/core/Memory.h"
#include "sema/builtins/nvidia/Hopper.h"

#include "ir/Encoding.h"
#include "ir/ttng/AsyncUnitRules.h"

namespace gluonc::sema::ops {

/// The numbers of the rows: int32, where messages want them.
static bool rowOffsets(Context &context, const BoundArgs &arguments, const Value &buffer,
                       llvm::StringRef what) {
  if (!blockArgument(context, arguments, "x_offsets"))
    return false;
  const Value &offsets = arguments["x_offsets"];
  if (!offsets.dtype().isInt() || offsets.dtype().bitWidth() != 32) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("x_offsets"), "x_offsets",
                "a block of int32", offsets.typeName())
        .end();
    return false;
  }
  std::string problem = ttng::whyNoRowOffsets(offsets.blockTensorType(), bufferType(buffer));
  if (!problem.empty())
    context.report(diag::Kind::RowOffsets, arguments.span("x_offsets"), what, problem).end();
  return problem.empty();
}

/// What gathers and scatters have in common: the descriptor, `buffer`, the numbers of rows. Gives
/// the first column.
static std::optional<mlir::Value> readRows(Context &context, const BoundArgs &arguments,
                                           llvm::StringRef bufferName, llvm::StringRef what) {
  if (!descriptorArgument(context, arguments, /*isIm2Col=*/false) ||
      !bufferArgument(context, arguments, bufferName))
    return std::nullopt;
  const Value &buffer = arguments[bufferName];
  if (!checkSingleBuffer(context, buffer, arguments.span(bufferName), "a copy of the engine"))
    return std::nullopt;
  ttng::Descriptor descriptor = ttng::descriptorOf(arguments["tensor_desc"].irType());
  if (std::string problem = ttng::whyNoNamedRows(descriptor, bufferType(buffer));
      !problem.empty()) {
    context.report(diag::Kind::NamedRows, arguments.span(bufferName), what, problem).end();
    return std::nullopt;
  }
  if (std::string problem = ttng::whyNoCopyTarget(buffer.ir()); !problem.empty()) {
    context.report(diag::Kind::MisalignedBuffer, arguments.span(bufferName), problem).end();
    return std::nullopt;
  }
  if (!rowOffsets(context, arguments, buffer, what))
    return std::nullopt;
  Result column =
      int32Argument(context, arguments["y_offset"], arguments.span("y_offset"), "y_offset");
  return column ? std::optional(column->ir()) : std::nullopt;
}

static Result emitGather(Context &context, const BoundArgs &arguments) {
  auto column = readRows(context, arguments, "result", "async_gather");
  if (!column || !barrierArgument(context, arguments, "barrier"))
    return std::nullopt;
  std::optional<mlir::Value> predicate = predicateArgument(context, arguments);
  std::optional<bool> multicast = boolArgument(context, arguments, "multicast");
  std::optional<mlir::Attribute> policy = cachePolicy(context, arguments, tt::CacheUse::BoxCopy);
  if (!predicate || !multicast || !policy)
    return std::nullopt;
  auto gather = ttng::AsyncTMAGatherOp::create(
      context.builder, context.loc(), arguments["tensor_desc"].items()[0].ir(),
      arguments["x_offsets"].ir(), *column, arguments["barrier"].ir(), arguments["result"].ir(),
      predicateOrTrue(context, *predicate), *multicast && isShared(arguments["result"]));
  ttng::setRowCachePolicy(gather, *policy);
  return Value::none();
}

static Result emitScatter(Context &context, const BoundArgs &arguments) {
  auto column = readRows(context, arguments, "src", "async_scatter");
  std::optional<mlir::Attribute> policy = cachePolicy(context, arguments, tt::CacheUse::BoxCopy);
  if (!column || !policy)
    return std::nullopt;
  auto scatter = ttng::AsyncTMAScatterOp::create(
      context.builder, context.loc(), arguments["tensor_desc"].items()[0].ir(),
      arguments["x_offsets"].ir(), *column, arguments["src"].ir());
  ttng::setRowCachePolicy(scatter, *policy);
  return Value::none();
}

llvm::ArrayRef<Builtin> namedRowBuiltins() {
  static const Builtin table[] = {
      {"nvidia.blackwell.tma.async_gather",
       "tensor_desc: descriptor, x_offsets: block, y_offset: scalar, barrier: barrier, "
       "result: buffer, pred: scalar = True, multicast: bool = False, cache_policy: value = None",
       emitGather,
       {.needs = target::Feature::RowGather},
       R"(
Begins to copy rows of a tensor, named one by one, to shared memory; bytes arrive at a barrier.

Row i of the buffer becomes row `x_offsets[i]` of the tensor, from column `y_offset` on; elements
outside of the tensor become 0 (or NaN, if the descriptor says so). The descriptor's block is one
row, the buffer has 8 rows or more and rows of 32 bytes or more. Each thread holds four neighbouring
offsets, all threads of a warp the same. With `multicast` one copy serves all CTAs that hold the
same rows. With a false `pred` nothing is copied. `cache_policy` is a `CachePolicy` of L2 alone.

Gives: nothing.
Errors: a descriptor of several rows; a buffer of another width, element type or layout; offsets
that are not int32, not one for each row, or spread otherwise.

    # cuda:100a
    rows = gl.arange(0, 64, gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0])))
    dst = gl.allocate_shared_memory(row.dtype, [64, 64], row.layout)
    blackwell.mbarrier.expect(bar, 64 * 64 * 2)
    blackwell.tma.async_gather(row, 63 - rows, 0, bar, dst)
    blackwell.mbarrier.wait(bar, phase=0)
)"},
      {"nvidia.blackwell.tma.async_scatter",
       "tensor_desc: descriptor, x_offsets: block, y_offset: scalar, src: buffer, "
       "cache_policy: value = None",
       emitScatter,
       {.needs = target::Feature::RowScatter},
       R"(
Begins to copy rows from shared memory to rows of a tensor that are named one by one.

Row i of the buffer goes to row `x_offsets[i]` of the tensor, from column `y_offset` on; what lies
behind its end is not written. Numbers are not negative, and no two rows go to one place. Otherwise
descriptor, buffer, offsets and `cache_policy` are those of `async_gather`, fence and wait those of
`async_store`.

Gives: nothing.
Errors: those of `async_gather`.

    # cuda:100a
    rows = gl.arange(0, 64, gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0])))
    src = gl.allocate_shared_memory(row.dtype, [64, 64], row.layout)
    src.store(gl.full([64, 64], 1.0, gl.float16, tiled))
    blackwell.fence_async_shared()
    blackwell.tma.async_scatter(row, 63 - rows, 0, src)
    blackwell.tma.store_wait(0)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

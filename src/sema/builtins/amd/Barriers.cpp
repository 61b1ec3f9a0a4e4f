//===- Barriers.cpp - AMD: barriers in LDS, clusters ----------------------------===//
//
// A barrier is a buffer of one int64. Each phase ends when `count` arrivals have
// come; every thread arrives for itself.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/amd/Barriers.h"
#include "sema/builtins/shared/Barriers.h"

#include "ir/amdg/AmdOps.h"
#include "target/amd/Barriers.h"

namespace gluonc::sema::ops {

bool ldsBarrierArgument(Context &context, const BoundArgs &arguments, llvm::StringRef name) {
  const Value &value = arguments[name];
  if (value.is(ValueKind::MemDesc) && value.dtype() == dtypes::int64 && value.shape().size() == 1 &&
      value.shape()[0] == 1)
    return true;
  diag::Builder builder = context.report(diag::Kind::ArgumentKind, arguments.span(name), name,
                                         "a buffer of one int64", value.typeName());
  if (value.is(ValueKind::MemDesc) && value.shape().size() == 2)
    std::move(builder).hint("choose one barrier of the ring with `.index(i)`");
  else
    std::move(builder).hint(
        "make one with `gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())`");
  return false;
}

static Result emitInit(Context &context, const BoundArgs &arguments) {
  if (!ldsBarrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  std::optional<int64_t> count =
      countArgument(context, arguments, "count", 1, target::amd::maxArrivals);
  if (!count)
    return std::nullopt;
  amdg::InitBarrierOp::create(context.builder, context.loc(), arguments["mbarrier"].ir(),
                              int32_t(*count));
  return Value::none();
}

static Result emitWait(Context &context, const BoundArgs &arguments) {
  if (!ldsBarrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  Result phase = int32Argument(context, arguments["phase"], arguments.span("phase"), "phase");
  if (!phase)
    return std::nullopt;
  amdg::WaitBarrierOp::create(context.builder, context.loc(), arguments["mbarrier"].ir(),
                              phase->ir());
  return Value::none();
}

static Result emitArrive(Context &context, const BoundArgs &arguments) {
  if (!ldsBarrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  std::optional<int64_t> count =
      countArgument(context, arguments, "count", 1, target::amd::maxArrivals);
  if (!count)
    return std::nullopt;
  mlir::Value prior =
      amdg::ArriveBarrierOp::create(context.builder, context.loc(), context.builder.getI32Type(),
                                    arguments["mbarrier"].ir(), uint32_t(*count));
  return tensor(prior, dtypes::int32);
}

static Result emitCopyArrive(Context &context, const BoundArgs &arguments) {
  if (!ldsBarrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  amdg::AsyncCopyMbarrierArriveOp::create(context.builder, context.loc(),
                                          arguments["mbarrier"].ir());
  return Value::none();
}

static Result emitClusterArrive(Context &context, const BoundArgs &) {
  if (!checkCluster(context, "cluster.arrive"))
    return std::nullopt;
  amdg::ClusterBarrierArriveOp::create(context.builder, context.loc());
  return Value::none();
}

static Result emitClusterWait(Context &context, const BoundArgs &) {
  if (!checkCluster(context, "cluster.wait"))
    return std::nullopt;
  amdg::ClusterBarrierWaitOp::create(context.builder, context.loc());
  return Value::none();
}

llvm::ArrayRef<Builtin> amdBarrierBuiltins() {
  static constexpr Traits barriers = {.needs = target::Feature::LdsBarriers};
  static constexpr Traits clusters = {.needs = target::Feature::WorkgroupClusters};
  static const Builtin table[] = {
      {"amd.cdna5.mbarrier.init", "mbarrier: barrier, count: int", emitInit, barriers, R"(
Makes a barrier ready: each of its phases ends when `count` arrivals have come.

Every thread that arrives counts: for arrivals of 4 warps `count` is 128.

Gives: nothing.
Errors: a ring of barriers; a count below 1 or above what a barrier counts.

    # hip:gfx1250
    one: gl.constexpr = cdna5.mbarrier.MBarrierLayout()
    bar = gl.allocate_shared_memory(gl.int64, [1], one)
    cdna5.mbarrier.init(bar, count=128)
)"},
      {"amd.cdna5.mbarrier.wait", "mbarrier: barrier, phase: scalar", emitWait, barriers, R"(
Waits until the phase with this parity has ended.

The first phase has parity 0.

Gives: nothing.
Errors: a ring of barriers.

    # hip:gfx1250
    bar = gl.allocate_shared_memory(gl.int64, [1], cdna5.mbarrier.MBarrierLayout())
    cdna5.mbarrier.init(bar, count=128)
    cdna5.mbarrier.arrive(bar)
    cdna5.mbarrier.wait(bar, phase=0)
)"},
      {"amd.cdna5.mbarrier.arrive", "mbarrier: barrier, *, count: int = 1", emitArrive, barriers,
       R"(
Arrives `count` times with every thread.

Gives: the parity of the phase that it arrived in, an int32 scalar.
Errors: a ring of barriers; a count below 1 or above what a barrier counts.

    # hip:gfx1250
    bar = gl.allocate_shared_memory(gl.int64, [1], cdna5.mbarrier.MBarrierLayout())
    cdna5.mbarrier.init(bar, count=128)
    phase = cdna5.mbarrier.arrive(bar)
    cdna5.mbarrier.wait(bar, phase)
)"},
      {"amd.cdna5.async_copy.mbarrier_arrive",
       "mbarrier: barrier",
       emitCopyArrive,
       {.needs = target::Feature::AsyncLds},
       R"(
Every thread arrives once its copies so far are done.

Gives: nothing.
Errors: a ring of barriers.

    # hip:gfx1250
    bar = gl.allocate_shared_memory(gl.int64, [1], cdna5.mbarrier.MBarrierLayout())
    cdna5.mbarrier.init(bar, count=128)
    at = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    cdna5.async_copy.global_to_shared(smem, p + at)
    cdna5.async_copy.mbarrier_arrive(bar)
    cdna5.mbarrier.wait(bar, phase=0)
)"},
      {"amd.cdna5.cluster.arrive", "", emitClusterArrive, clusters, R"(
Arrives at a barrier of all CTAs of the cluster, without waiting.

Each `arrive` needs a `wait` before the next.

Gives: nothing.
Errors: a kernel of one CTA.

    # hip:gfx1250 num_ctas=2
    cdna5.cluster.arrive()
    cdna5.cluster.wait()
)"},
      {"amd.cdna5.cluster.wait", "", emitClusterWait, clusters, R"(
Waits until all CTAs of the cluster have arrived.

Gives: nothing.
Errors: a kernel of one CTA.

    # hip:gfx1250 num_ctas=2
    cdna5.cluster.arrive()
    cdna5.cluster.wait()
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

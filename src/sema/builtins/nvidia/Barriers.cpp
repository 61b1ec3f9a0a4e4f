//===- Barriers.cpp - Barriers in shared memory, fences, clusters -------------===//
//
// A barrier is a buffer of int64: one element, or one per CTA of the cluster.
// Each phase ends when `count` arrivals and all announced bytes have come.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/nvidia/Hopper.h"

#include "ir/Encoding.h"
#include "ir/ttng/AsyncUnitRules.h"
#include "layout/named/BarrierLayout.h"
#include "target/nvidia/Barriers.h"

namespace gluonc::sema::ops {

bool barrierArgument(Context &context, const BoundArgs &arguments, llvm::StringRef name) {
  return isBarrier(context, arguments[name], arguments.span(name), name);
}

bool isBarrier(Context &context, const Value &value, diag::Span span, llvm::StringRef name) {
  bool fits = value.is(ValueKind::MemDesc) && value.dtype() == dtypes::int64 &&
              value.shape().size() == 1 && value.shape()[0] <= context.numCtas();
  if (fits)
    return true;
  diag::Builder builder = context.report(diag::Kind::ArgumentKind, span, name,
                                         "a one-dimensional buffer of int64", value.typeName());
  if (value.is(ValueKind::MemDesc) && value.shape().size() == 2)
    std::move(builder).hint("choose one barrier of the ring with `.index(i)`");
  else
    std::move(builder).hint("make one with `mbarrier.allocate_mbarrier()`");
  return false;
}

/// `from_cta`: the bits of a CTA's number that choose whose arrival it gets. Null attribute where
/// every CTA signals itself.
static std::optional<mlir::IntegerAttr> routeArgument(Context &context,
                                                      const BoundArgs &arguments) {
  if (!isGiven(arguments["from_cta"]))
    return mlir::IntegerAttr();
  std::optional<int64_t> mask = intArgument(context, arguments, "from_cta");
  if (!mask)
    return std::nullopt;
  int64_t all = int64_t(context.numCtas()) - 1;
  if (*mask < 0 || *mask > all) {
    context.report(diag::Kind::ScalarOutOfRange, arguments.span("from_cta"), *mask, "from_cta")
        .hint("0 to {0}", all);
    return std::nullopt;
  }
  if (arguments["mbarrier"].shape()[0] != int64_t(context.numCtas())) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("mbarrier"), "mbarrier",
                "a barrier with one element per CTA where `from_cta` is given",
                arguments["mbarrier"].typeName())
        .end();
    return std::nullopt;
  }
  return *mask == all ? mlir::IntegerAttr() : context.builder.getI32IntegerAttr(int32_t(*mask));
}

// -- mbarrier ------------------------------------------------------------------

static Result emitAllocate(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> batch =
      isGiven(arguments["batch"])
          ? countArgument(context, arguments, "batch", 1, std::numeric_limits<int32_t>::max())
          : 0;
  std::optional<bool> pairs = boolArgument(context, arguments, "two_ctas");
  if (!batch || !pairs)
    return std::nullopt;
  int64_t ctas = context.numCtas();
  if (*pairs && ctas % 2) {
    context.report(diag::Kind::NeedsCluster, arguments.span("two_ctas"), "two_ctas").end();
    return std::nullopt;
  }
  llvm::SmallVector<int64_t> shape;
  if (isGiven(arguments["batch"]))
    shape.push_back(*batch);
  shape.push_back(*pairs ? ctas / 2 : ctas);
  std::optional<ttg::MemDescType> type =
      wholeBufferType(context, {dtypes::int64, context.span, shape, arguments.span("batch"),
                                Value::layout(layout::barrierLayout(ctas, *pairs)), context.span});
  if (!type)
    return std::nullopt;
  return Value::memDesc(
      ttg::LocalAllocOp::create(context.builder, context.loc(), *type, mlir::Value()),
      dtypes::int64);
}

/// A barrier that CTAs have in common awaits `count` arrivals of each.
static int64_t mostArrivalsOf(const Context &context, const Value &barrier) {
  return target::nvidia::maxArrivals / (context.numCtas() / barrier.shape()[0]);
}

static Result emitInit(Context &context, const BoundArgs &arguments) {
  if (!barrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  std::optional<int64_t> count =
      countArgument(context, arguments, "count", 1, mostArrivalsOf(context, arguments["mbarrier"]));
  if (!count)
    return std::nullopt;
  ttng::InitBarrierOp::create(context.builder, context.loc(), arguments["mbarrier"].ir(),
                              int32_t(*count));
  return Value::none();
}

static Result emitInvalidate(Context &context, const BoundArgs &arguments) {
  if (!barrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  ttng::InvalBarrierOp::create(context.builder, context.loc(), arguments["mbarrier"].ir());
  return Value::none();
}

static Result emitWait(Context &context, const BoundArgs &arguments) {
  if (!barrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  Result phase = int32Argument(context, arguments["phase"], arguments.span("phase"), "phase");
  std::optional<mlir::Value> predicate = predicateArgument(context, arguments);
  if (!phase || !predicate)
    return std::nullopt;
  llvm::SmallVector<mlir::Value> deps;
  if (isGiven(arguments["deps"])) {
    bool isSequence =
        arguments["deps"].is(ValueKind::Tuple) || arguments["deps"].is(ValueKind::List);
    llvm::ArrayRef<Value> items = isSequence ? arguments["deps"].items() : llvm::ArrayRef<Value>();
    for (const Value &item : items)
      isSequence &= item.is(ValueKind::MemDesc);
    if (!isSequence) {
      context
          .report(diag::Kind::ArgumentKind, arguments.span("deps"), "deps",
                  "a sequence of shared memory descriptors", arguments["deps"].typeName())
          .end();
      return std::nullopt;
    }
    for (const Value &item : items)
      deps.push_back(item.ir());
  }
  ttng::WaitBarrierOp::create(context.builder, context.loc(), arguments["mbarrier"].ir(),
                              phase->ir(), *predicate, deps);
  return Value::none();
}

static Result arrive(Context &context, const BoundArgs &arguments, int64_t count) {
  std::optional<mlir::Value> predicate = predicateArgument(context, arguments);
  std::optional<mlir::IntegerAttr> route = routeArgument(context, arguments);
  if (!predicate || !route)
    return std::nullopt;
  ttng::ArriveBarrierOp::create(context.builder, context.loc(), arguments["mbarrier"].ir(),
                                context.builder.getI32IntegerAttr(int32_t(count)), *predicate,
                                *route);
  return Value::none();
}

/// Ampere's: one arrival.
static Result emitArriveOnce(Context &context, const BoundArgs &arguments) {
  if (!barrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  return arrive(context, arguments, 1);
}

static Result emitArrive(Context &context, const BoundArgs &arguments) {
  if (!barrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  std::optional<int64_t> count =
      countArgument(context, arguments, "count", 1, target::nvidia::maxArrivals);
  return count ? arrive(context, arguments, *count) : std::nullopt;
}

mlir::Value predicateOrTrue(Context &context, mlir::Value predicate) {
  return predicate ? predicate : intConstant(context, context.builder.getI1Type(), 1);
}

static Result emitExpect(Context &context, const BoundArgs &arguments) {
  if (!barrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  llvm::StringRef named = isGiven(arguments["bytes_per_cta"]) ? "bytes_per_cta" : "bytes";
  std::optional<int64_t> bytes =
      countArgument(context, arguments, named, 0, target::nvidia::maxPendingBytes);
  std::optional<mlir::Value> predicate = predicateArgument(context, arguments);
  std::optional<mlir::IntegerAttr> route = routeArgument(context, arguments);
  if (!bytes || !predicate || !route)
    return std::nullopt;
  ttng::BarrierExpectOp::create(context.builder, context.loc(), arguments["mbarrier"].ir(),
                                context.builder.getI32IntegerAttr(int32_t(*bytes)),
                                predicateOrTrue(context, *predicate), *route);
  return Value::none();
}

static Result emitCopyArrive(Context &context, const BoundArgs &arguments) {
  if (!barrierArgument(context, arguments, "mbarrier"))
    return std::nullopt;
  std::optional<bool> increment = boolArgument(context, arguments, "increment_count");
  if (!increment)
    return std::nullopt;
  ttng::AsyncCopyMbarrierArriveOp::create(context.builder, context.loc(),
                                          arguments["mbarrier"].ir(),
                                          /*noIncrement=*/!*increment);
  return Value::none();
}

// -- Fences, clusters ------------------------------------------------------------

static Result emitFence(Context &context, const BoundArgs &arguments) {
  std::optional<bool> cluster = boolArgument(context, arguments, "cluster");
  if (!cluster)
    return std::nullopt;
  ttng::FenceAsyncSharedOp::create(context.builder, context.loc(), *cluster);
  return Value::none();
}

static Result emitClusterBarrier(Context &context, const BoundArgs &arguments) {
  std::optional<bool> relaxed = boolArgument(context, arguments, "relaxed");
  if (!relaxed || !checkCluster(context, "cluster.barrier"))
    return std::nullopt;
  ttng::ClusterBarrierOp::create(context.builder, context.loc(), *relaxed);
  return Value::none();
}

static Result emitClusterArrive(Context &context, const BoundArgs &arguments) {
  std::optional<bool> relaxed = boolArgument(context, arguments, "relaxed");
  if (!relaxed || !checkCluster(context, "cluster.arrive"))
    return std::nullopt;
  ttng::ClusterArriveOp::create(context.builder, context.loc(), *relaxed);
  return Value::none();
}

static Result emitClusterWait(Context &context, const BoundArgs &) {
  if (!checkCluster(context, "cluster.wait"))
    return std::nullopt;
  ttng::ClusterWaitOp::create(context.builder, context.loc());
  return Value::none();
}

static Result emitInitFence(Context &context, const BoundArgs &) {
  if (!checkCluster(context, "mbarrier.fence_init_release_cluster"))
    return std::nullopt;
  ttng::FenceMBarrierInitReleaseClusterOp::create(context.builder, context.loc());
  return Value::none();
}

/// Also in kernels of one CTA: those that serve clusters of any size call it.
static Result emitSyncClusterInit(Context &context, const BoundArgs &) {
  if (context.numCtas() == 1) {
    ttg::BarrierOp::create(context.builder, context.loc(), ttg::AddrSpace::All);
    return Value::none();
  }
  ttng::FenceMBarrierInitReleaseClusterOp::create(context.builder, context.loc());
  ttng::ClusterArriveOp::create(context.builder, context.loc(), /*relaxed=*/true);
  ttng::ClusterWaitOp::create(context.builder, context.loc());
  return Value::none();
}

static Result emitAsyncStore(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments["dst"], &value = arguments["value"];
  if (!checkCluster(context, "async_store") || !bufferArgument(context, arguments, "dst") ||
      !checkSingleBuffer(context, buffer, arguments.span("dst"), "async_store") ||
      !barrierArgument(context, arguments, "mbarrier") ||
      !blockArgument(context, arguments, "value"))
    return std::nullopt;
  if (value.dtype() != buffer.dtype() || value.shape() != buffer.shape()) {
    context
        .report(diag::Kind::SharedStoreMismatch, arguments.span("value"), value.typeName(),
                buffer.dtype(), shapeText(buffer.shape()))
        .end();
    return std::nullopt;
  }
  ttng::AsyncSharedStoreOp::create(context.builder, context.loc(), value.ir(), buffer.ir(),
                                   arguments["mbarrier"].ir());
  return Value::none();
}

// -- Launches that overlap -----------------------------------------------------------

/// An instruction of a thread without operands. Inline assembly gives a value, so this does.
static Result emitGridDependency(Context &context, llvm::StringRef text) {
  std::string assembly = (text + ";\n\tmov.b32 $0, 0;").str();
  tt::ElementwiseInlineAsmOp::create(context.builder, context.loc(),
                                     mlir::TypeRange{context.builder.getI32Type()}, assembly, "=r",
                                     /*pure=*/false, /*packed_element=*/1, mlir::ValueRange());
  return Value::none();
}

static Result emitGdcWait(Context &context, const BoundArgs &) {
  return emitGridDependency(context, "griddepcontrol.wait");
}

static Result emitGdcLaunchDependents(Context &context, const BoundArgs &) {
  return emitGridDependency(context, "griddepcontrol.launch_dependents");
}

llvm::ArrayRef<Builtin> barrierBuiltins() {
  static const Builtin table[] = {
      {"nvidia.ampere.mbarrier.allocate_mbarrier", "batch: int = None, two_ctas: bool = False",
       emitAllocate, asFunction, R"(
Shared memory for a barrier, or with `batch` for a ring of them.

Each CTA of a cluster has its own barrier; with `two_ctas` each pair of CTAs has one.

Gives: a shared memory descriptor of int64: [number of CTAs], or [batch, number of CTAs].
Errors: a batch below 1; `two_ctas` without an even number of CTAs.

    ready = ampere.mbarrier.allocate_mbarrier()
)"},
      {"nvidia.ampere.mbarrier.init",
       "mbarrier: barrier, count: int",
       emitInit,
       {.needs = target::Feature::MBarrier},
       R"(
Makes a barrier ready: each of its phases ends when `count` arrivals have come.

Gives: nothing.
Errors: a ring of barriers; a count below 1 or above what a barrier counts.

    ready = ampere.mbarrier.allocate_mbarrier()
    ampere.mbarrier.init(ready, count=1)
)"},
      {"nvidia.ampere.mbarrier.invalidate",
       "mbarrier: barrier",
       emitInvalidate,
       {.needs = target::Feature::MBarrier},
       R"(
Ends the use of a barrier, so that its memory can serve for something else.

Gives: nothing.
Errors: a ring of barriers.

    ampere.mbarrier.invalidate(bar)
)"},
      {"nvidia.ampere.mbarrier.wait",
       "mbarrier: barrier, phase: scalar, pred: scalar = True, deps: sequence = ()",
       emitWait,
       {.needs = target::Feature::MBarrier},
       R"(
Waits until the phase of the given parity has ended.

Phases are numbered 0, 1, 0, … from `init` on. With a false `pred` it does not wait. `deps` are
buffers whose accesses must stay on their side of the wait.

Gives: nothing.
Errors: a ring of barriers; a phase that is no int32 scalar.

    ampere.mbarrier.arrive(bar)
    ampere.mbarrier.wait(bar, phase=0)
)"},
      {"nvidia.ampere.mbarrier.arrive",
       "mbarrier: barrier, *, pred: scalar = True, from_cta: int = None",
       emitArriveOnce,
       {.needs = target::Feature::MBarrier},
       R"(
Arrives once at a barrier.

With a false `pred` it does not. `from_cta` masks the bits of a CTA's number that choose whose
barrier it arrives at.

Gives: nothing.
Errors: a ring of barriers; a mask beyond the CTAs of the cluster.

    ampere.mbarrier.arrive(bar)
)"},
      {"nvidia.hopper.mbarrier.arrive",
       "mbarrier: barrier, *, count: int = 1, pred: scalar = True, from_cta: int = None",
       emitArrive,
       {.needs = target::Feature::MBarrier},
       R"(
Arrives `count` times at a barrier.

With a false `pred` it does not. `from_cta` masks the bits of a CTA's number that choose whose
barrier it arrives at.

Gives: nothing.
Errors: a ring of barriers; a count below 1; a mask beyond the CTAs of the cluster.

    hopper.mbarrier.arrive(bar, count=1)
)"},
      {"nvidia.hopper.mbarrier.expect",
       "mbarrier: barrier, bytes_per_cta: int = None, pred: scalar = True, *, "
       "from_cta: int = None, bytes: int = None",
       emitExpect,
       {.needs = target::Feature::AsyncProxy},
       R"(
Arrives once, and makes the phase wait for bytes as well.

Copies that name the barrier bring the bytes. `bytes` is an older name of `bytes_per_cta`.

Gives: nothing.
Errors: a ring of barriers; a negative number of bytes, or more than a barrier counts.

    hopper.mbarrier.expect(bar, desc.nbytes_per_cta)
)"},
      {"nvidia.ampere.async_copy.mbarrier_arrive",
       "mbarrier: barrier, increment_count: bool = True",
       emitCopyArrive,
       {.needs = target::Feature::AsyncCopy},
       R"(
Arrives at a barrier once all copies begun before are complete.

With `increment_count` the phase awaits that arrival in addition to those of `init`.

Gives: nothing.
Errors: a ring of barriers.

    ampere.async_copy.mbarrier_arrive(bar)
)"},
      {"nvidia.hopper.fence_async_shared",
       "cluster: bool = False",
       emitFence,
       {.needs = target::Feature::AsyncProxy},
       R"(
Orders shared memory accesses of this program before later ones of the asynchronous proxy.

It stands between a write to a buffer and a copy or product that reads it, and between a read of a
buffer and a copy that overwrites it. Within a function the compiler inserts it where it is missing;
between partitions it cannot. With `cluster`, also for the shared memory of the cluster's other
CTAs.

Gives: nothing.

    smem.store(tile)
    hopper.fence_async_shared()
)"},
      {"nvidia.hopper.cluster.barrier",
       "relaxed: bool = False",
       emitClusterBarrier,
       {.needs = target::Feature::Clusters},
       R"(
Waits until all threads of the cluster are here.

Unless `relaxed`, they see each other's memory accesses before it.

Gives: nothing.
Errors: a kernel of one CTA.

    # num_ctas=2
    hopper.cluster.barrier()
)"},
      {"nvidia.hopper.cluster.arrive",
       "relaxed: bool = False",
       emitClusterArrive,
       {.needs = target::Feature::Clusters},
       R"(
Arrives at the barrier of the cluster: the first half of `cluster.barrier`.

Unless `relaxed`, the others see this thread's memory accesses before it once they have waited.

Gives: nothing.
Errors: a kernel of one CTA.

    # num_ctas=2
    hopper.cluster.arrive(relaxed=True)
    hopper.cluster.wait()
)"},
      {"nvidia.hopper.cluster.wait",
       "",
       emitClusterWait,
       {.needs = target::Feature::Clusters},
       R"(
Waits until all threads of the cluster have arrived: the second half of `cluster.barrier`.

Gives: nothing.
Errors: a kernel of one CTA.

    # num_ctas=2
    hopper.cluster.arrive()
    hopper.cluster.wait()
)"},
      {"nvidia.hopper.mbarrier.fence_init_release_cluster",
       "",
       emitInitFence,
       {.needs = target::Feature::Clusters},
       R"(
Makes the barriers that this CTA has begun known to the cluster, once its CTAs have met.

Gives: nothing.
Errors: a kernel of one CTA.

    # num_ctas=2
    bar = hopper.mbarrier.allocate_mbarrier()
    hopper.mbarrier.init(bar, count=1)
    hopper.mbarrier.fence_init_release_cluster()
    hopper.cluster.arrive(relaxed=True)
    hopper.cluster.wait()
)"},
      {"nvidia.hopper.mbarrier.sync_cluster_init",
       "",
       emitSyncClusterInit,
       {.needs = target::Feature::Clusters},
       R"(
Waits until all CTAs of the cluster know the barriers that each of them has begun.

In a kernel of one CTA its threads wait for each other.

Gives: nothing.

    # num_ctas=2
    bar = hopper.mbarrier.allocate_mbarrier()
    hopper.mbarrier.init(bar, count=1)
    hopper.mbarrier.sync_cluster_init()
)"},
      {"nvidia.hopper.async_store",
       "dst: buffer, value: block, mbarrier: barrier",
       emitAsyncStore,
       {.needs = target::Feature::Clusters},
       R"(
Begins to store a block in shared memory of the cluster; its bytes arrive at a barrier.

The CTA that holds an element of `dst` gets it, and so does its barrier.

Gives: nothing.
Errors: a kernel of one CTA; a value of another type or shape than the buffer; a ring.

    # num_ctas=2
    halves: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], [[1]])
    x = gl.full([256], 1.0, gl.float32, halves)
    apart: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0], [[1]])
    dst = gl.allocate_shared_memory(gl.float32, [256], apart)
    bar = hopper.mbarrier.allocate_mbarrier()
    hopper.mbarrier.init(bar, count=1)
    hopper.mbarrier.expect(bar, 512)
    hopper.async_store(dst, x, bar)
    hopper.mbarrier.wait(bar, phase=0)
)"},
      {"extra.gdc_wait", "", emitGdcWait, {.needs = target::Feature::GridDependency}, R"(
Waits until the grid before this one is complete and its memory accesses are visible.

For launches with programmatic dependence (`launch_pdl=True`).

Gives: nothing.

    gl.extra.gdc_wait()
)"},
      {"extra.gdc_launch_dependents",
       "",
       emitGdcLaunchDependents,
       {.needs = target::Feature::GridDependency},
       R"(
Lets the grid behind this one begin, once all programs have said so or ended.

For launches with programmatic dependence (`launch_pdl=True`).

Gives: nothing.

    gl.extra.gdc_launch_dependents()
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

//===- Barriers.cpp - Barriers in shared memory, fences, clusters -------------===//
//
// A barrier is a buffer of int64: one element, or one per CTA of the cluster.
// Each phase ends when `count` arrivals and all announced bytes have come.
//
//===----------------------------------------------------------------------===//
#include "sema/ops/Hopper.h"

#include "ir/Encoding.h"
#include "ir/EngineRules.h"

namespace gluonc::sema::ops {

bool checkHopper(Context &context, llvm::StringRef what, unsigned major) {
  if (context.options.target.isNvidia() && context.options.target.computeCapability() >= major)
    return true;
  context
      .report(diag::Kind::NeedsTarget, context.span, what,
              major >= 90 ? "cuda:90 or newer" : "cuda:80 or newer", context.options.target.name())
      .end();
  return false;
}

bool barrierArgument(Context &context, const BoundArgs &arguments, size_t i) {
  const Value &value = arguments[i];
  bool fits = value.is(ValueKind::MemDesc) && value.dtype() == dtypes::int64 &&
              value.shape().size() == 1 && value.shape()[0] <= context.numCtas();
  if (fits)
    return true;
  diag::Builder builder = context.report(diag::Kind::ArgumentKind, arguments.span(i), "mbarrier",
                                         "a one-dimensional buffer of int64", value.typeName());
  if (value.is(ValueKind::MemDesc) && value.shape().size() == 2)
    std::move(builder).hint("choose one barrier of the ring with `.index(i)`");
  else
    std::move(builder).hint("make one with `mbarrier.allocate_mbarrier()`");
  return false;
}

/// A compile-time integer from `least` to `most`.
static std::optional<int64_t> countArgument(Context &context, const BoundArgs &arguments, size_t i,
                                            llvm::StringRef name, int64_t least, int64_t most,
                                            std::optional<int64_t> otherwise = std::nullopt) {
  std::optional<int64_t> count = intArgument(context, arguments, i, name, otherwise);
  if (count && (*count < least || *count > most)) {
    context.report(diag::Kind::ScalarOutOfRange, arguments.span(i), *count, name)
        .hint("{0} to {1}", least, most);
    return std::nullopt;
  }
  return count;
}

/// `from_cta`: the bits of a CTA's number that choose whose arrival it gets. Null attribute where
/// every CTA signals itself.
static std::optional<mlir::IntegerAttr> routeArgument(Context &context, const BoundArgs &arguments,
                                                      size_t i) {
  if (!isGiven(arguments[i]))
    return mlir::IntegerAttr();
  std::optional<int64_t> mask = intArgument(context, arguments, i, "from_cta");
  if (!mask)
    return std::nullopt;
  int64_t all = int64_t(context.numCtas()) - 1;
  if (*mask < 0 || *mask > all) {
    context.report(diag::Kind::ScalarOutOfRange, arguments.span(i), *mask, "from_cta")
        .hint("0 to {0}", all);
    return std::nullopt;
  }
  if (arguments[0].shape()[0] != int64_t(context.numCtas())) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span(0), "mbarrier",
                "a barrier with one element per CTA where `from_cta` is given",
                arguments[0].typeName())
        .end();
    return std::nullopt;
  }
  return *mask == all ? mlir::IntegerAttr() : context.builder.getI32IntegerAttr(int32_t(*mask));
}

// -- mbarrier ------------------------------------------------------------------

static Result emitAllocate(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> batch =
      isGiven(arguments[0])
          ? countArgument(context, arguments, 0, "batch", 1, std::numeric_limits<int32_t>::max())
          : 0;
  std::optional<bool> pairs = boolArgument(context, arguments, 1, "two_ctas", false);
  if (!batch || !pairs)
    return std::nullopt;
  int64_t ctas = context.numCtas();
  if (*pairs && ctas % 2) {
    context.report(diag::Kind::NeedsCluster, arguments.span(1), "two_ctas").end();
    return std::nullopt;
  }
  layout::SwizzledSharedLayout barrier{1, 1, 1, {0}, {}};
  if (*pairs)
    barrier.cga.push_back({0});
  for (int64_t step = 1; step < (*pairs ? ctas / 2 : ctas); step *= 2)
    barrier.cga.push_back({step});
  llvm::SmallVector<int64_t> shape;
  if (isGiven(arguments[0]))
    shape.push_back(*batch);
  shape.push_back(*pairs ? ctas / 2 : ctas);
  std::optional<ttg::MemDescType> type =
      wholeBufferType(context, {dtypes::int64, context.span, shape, arguments.span(0),
                                Value::layout(barrier), context.span});
  if (!type)
    return std::nullopt;
  return Value::memDesc(
      context.builder.create<ttg::LocalAllocOp>(context.loc(), *type, mlir::Value()),
      dtypes::int64);
}

/// A barrier that CTAs have in common awaits `count` arrivals of each.
static int64_t mostArrivalsOf(const Context &context, const Value &barrier) {
  return ttng::mostArrivals / (context.numCtas() / barrier.shape()[0]);
}

static Result emitInit(Context &context, const BoundArgs &arguments) {
  if (!checkHopper(context, "mbarrier.init", 80) || !barrierArgument(context, arguments, 0))
    return std::nullopt;
  std::optional<int64_t> count =
      countArgument(context, arguments, 1, "count", 1, mostArrivalsOf(context, arguments[0]));
  if (!count)
    return std::nullopt;
  context.builder.create<ttng::InitBarrierOp>(context.loc(), arguments[0].ir(), int32_t(*count));
  return Value::none();
}

static Result emitInvalidate(Context &context, const BoundArgs &arguments) {
  if (!checkHopper(context, "mbarrier.invalidate", 80) || !barrierArgument(context, arguments, 0))
    return std::nullopt;
  context.builder.create<ttng::InvalBarrierOp>(context.loc(), arguments[0].ir());
  return Value::none();
}

static Result emitWait(Context &context, const BoundArgs &arguments) {
  if (!checkHopper(context, "mbarrier.wait", 80) || !barrierArgument(context, arguments, 0))
    return std::nullopt;
  Result phase = int32Argument(context, arguments[1], arguments.span(1), "phase");
  std::optional<mlir::Value> predicate = predicateArgument(context, arguments, 2);
  if (!phase || !predicate)
    return std::nullopt;
  llvm::SmallVector<mlir::Value> deps;
  if (isGiven(arguments[3])) {
    bool isSequence = arguments[3].is(ValueKind::Tuple) || arguments[3].is(ValueKind::List);
    llvm::ArrayRef<Value> items = isSequence ? arguments[3].items() : llvm::ArrayRef<Value>();
    for (const Value &item : items)
      isSequence &= item.is(ValueKind::MemDesc);
    if (!isSequence) {
      context
          .report(diag::Kind::ArgumentKind, arguments.span(3), "deps",
                  "a sequence of shared memory descriptors", arguments[3].typeName())
          .end();
      return std::nullopt;
    }
    for (const Value &item : items)
      deps.push_back(item.ir());
  }
  context.builder.create<ttng::WaitBarrierOp>(context.loc(), arguments[0].ir(), phase->ir(),
                                              *predicate, deps);
  return Value::none();
}

static Result arrive(Context &context, const BoundArgs &arguments, int64_t count, size_t pred) {
  std::optional<mlir::Value> predicate = predicateArgument(context, arguments, pred);
  std::optional<mlir::IntegerAttr> route = routeArgument(context, arguments, pred + 1);
  if (!predicate || !route)
    return std::nullopt;
  context.builder.create<ttng::ArriveBarrierOp>(context.loc(), arguments[0].ir(),
                                                context.builder.getI32IntegerAttr(int32_t(count)),
                                                *predicate, *route);
  return Value::none();
}

/// Ampere's: one arrival.
static Result emitArriveOnce(Context &context, const BoundArgs &arguments) {
  if (!checkHopper(context, "mbarrier.arrive", 80) || !barrierArgument(context, arguments, 0))
    return std::nullopt;
  return arrive(context, arguments, 1, 1);
}

static Result emitArrive(Context &context, const BoundArgs &arguments) {
  if (!checkHopper(context, "mbarrier.arrive", 80) || !barrierArgument(context, arguments, 0))
    return std::nullopt;
  std::optional<int64_t> count =
      countArgument(context, arguments, 1, "count", 1, ttng::mostArrivals, 1);
  return count ? arrive(context, arguments, *count, 2) : std::nullopt;
}

mlir::Value predicateOrTrue(Context &context, mlir::Value predicate) {
  return predicate ? predicate : intConstant(context, context.builder.getI1Type(), 1);
}

static Result emitExpect(Context &context, const BoundArgs &arguments) {
  if (!checkHopper(context, "mbarrier.expect", 90) || !barrierArgument(context, arguments, 0))
    return std::nullopt;
  size_t named = isGiven(arguments[1]) ? 1 : 4;
  std::optional<int64_t> bytes =
      countArgument(context, arguments, named, "bytes_per_cta", 0, ttng::mostBarrierBytes);
  std::optional<mlir::Value> predicate = predicateArgument(context, arguments, 2);
  std::optional<mlir::IntegerAttr> route = routeArgument(context, arguments, 3);
  if (!bytes || !predicate || !route)
    return std::nullopt;
  context.builder.create<ttng::BarrierExpectOp>(context.loc(), arguments[0].ir(),
                                                context.builder.getI32IntegerAttr(int32_t(*bytes)),
                                                predicateOrTrue(context, *predicate), *route);
  return Value::none();
}

static Result emitCopyArrive(Context &context, const BoundArgs &arguments) {
  if (!checkHopper(context, "async_copy.mbarrier_arrive", 80) ||
      !barrierArgument(context, arguments, 0))
    return std::nullopt;
  std::optional<bool> increment = boolArgument(context, arguments, 1, "increment_count", true);
  if (!increment)
    return std::nullopt;
  context.builder.create<ttng::AsyncCopyMbarrierArriveOp>(context.loc(), arguments[0].ir(),
                                                          /*noIncrement=*/!*increment);
  return Value::none();
}

// -- Fences, clusters ------------------------------------------------------------

static Result emitFence(Context &context, const BoundArgs &arguments) {
  std::optional<bool> cluster = boolArgument(context, arguments, 0, "cluster", false);
  if (!cluster || !checkHopper(context, "fence_async_shared", 90))
    return std::nullopt;
  context.builder.create<ttng::FenceAsyncSharedOp>(context.loc(), *cluster);
  return Value::none();
}

static bool checkCluster(Context &context, llvm::StringRef what) {
  if (context.numCtas() > 1)
    return true;
  context.report(diag::Kind::NeedsCluster, context.span, what).end();
  return false;
}

static Result emitClusterBarrier(Context &context, const BoundArgs &arguments) {
  std::optional<bool> relaxed = boolArgument(context, arguments, 0, "relaxed", false);
  if (!relaxed || !checkHopper(context, "cluster.barrier", 90) ||
      !checkCluster(context, "cluster.barrier"))
    return std::nullopt;
  context.builder.create<ttng::ClusterBarrierOp>(context.loc(), *relaxed);
  return Value::none();
}

static Result emitAsyncStore(Context &context, const BoundArgs &arguments) {
  const Value &buffer = arguments[0], &value = arguments[1];
  if (!checkHopper(context, "async_store", 90) || !checkCluster(context, "async_store") ||
      !bufferArgument(context, arguments, 0, "dst") ||
      !checkSingleBuffer(context, buffer, arguments.span(0), "async_store") ||
      !barrierArgument(context, arguments, 2) || !blockArgument(context, arguments, 1, "value"))
    return std::nullopt;
  if (value.dtype() != buffer.dtype() || value.shape() != buffer.shape()) {
    context
        .report(diag::Kind::SharedStoreMismatch, arguments.span(1), value.typeName(),
                buffer.dtype(), shapeText(buffer.shape()))
        .end();
    return std::nullopt;
  }
  context.builder.create<ttng::AsyncSharedStoreOp>(context.loc(), value.ir(), buffer.ir(),
                                                   arguments[2].ir());
  return Value::none();
}

// -- Launches that overlap -----------------------------------------------------------

/// An instruction of a thread without operands. Inline assembly gives a value, so this does.
static Result emitGridDependency(Context &context, llvm::StringRef what, llvm::StringRef text) {
  if (!checkHopper(context, what, 90))
    return std::nullopt;
  std::string assembly = (text + ";\n\tmov.b32 $0, 0;").str();
  context.builder.create<tt::ElementwiseInlineAsmOp>(
      context.loc(), mlir::TypeRange{context.builder.getI32Type()}, assembly, "=r",
      /*pure=*/false, /*packed_element=*/1, mlir::ValueRange());
  return Value::none();
}

static Result emitGdcWait(Context &context, const BoundArgs &) {
  return emitGridDependency(context, "gdc_wait", "griddepcontrol.wait");
}

static Result emitGdcLaunchDependents(Context &context, const BoundArgs &) {
  return emitGridDependency(context, "gdc_launch_dependents", "griddepcontrol.launch_dependents");
}

#define MBARRIER(chip)                                                                             \
  {"nvidia." chip ".mbarrier.allocate_mbarrier", "batch=, two_ctas=", emitAllocate},               \
      {"nvidia." chip ".mbarrier.init", "mbarrier, count", emitInit},                              \
      {"nvidia." chip ".mbarrier.invalidate", "mbarrier", emitInvalidate},                         \
      {"nvidia." chip ".mbarrier.wait", "mbarrier, phase, pred=, deps=", emitWait}, {              \
    "nvidia." chip ".async_copy.mbarrier_arrive", "mbarrier, increment_count=", emitCopyArrive     \
  }
#define CLUSTER(chip)                                                                              \
  {"nvidia." chip ".mbarrier.arrive", "mbarrier, *, count=, pred=, from_cta=", emitArrive},        \
      {"nvidia." chip ".mbarrier.expect",                                                          \
       "mbarrier, bytes_per_cta=, pred=, *, from_cta=, bytes=", emitExpect},                       \
      {"nvidia." chip ".fence_async_shared", "cluster=", emitFence},                               \
      {"nvidia." chip ".cluster.barrier", "relaxed=", emitClusterBarrier}, {                       \
    "nvidia." chip ".async_store", "dst, value, mbarrier", emitAsyncStore                          \
  }

llvm::ArrayRef<Builtin> barrierBuiltins() {
  static const Builtin table[] = {
      MBARRIER("ampere"),
      MBARRIER("hopper"),
      MBARRIER("blackwell"),
      {"nvidia.ampere.mbarrier.arrive", "mbarrier, *, pred=, from_cta=", emitArriveOnce},
      CLUSTER("hopper"),
      CLUSTER("blackwell"),
      {"extra.gdc_wait", "", emitGdcWait},
      {"extra.gdc_launch_dependents", "", emitGdcLaunchDependents},
  };
  return table;
}
#undef MBARRIER
#undef CLUSTER

} // namespace gluonc::sema::ops

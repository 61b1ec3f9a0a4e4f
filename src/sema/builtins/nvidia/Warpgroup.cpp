//===- Warpgroup.cpp - warpgroup_mma, warp_specialize --------------------------===//
#include "sema/builtins/nvidia/Hopper.h"

#include "ir/Encoding.h"
#include "ir/SourceLocation.h"
#include "ir/ttng/AsyncUnitRules.h"
#include "sema/builtins/core/MatrixElement.h"
#include "sema/names/Program.h"
#include "sema/value/Flatten.h"
#include "target/Limits.h"
#include "target/nvidia/Registers.h"

#include "llvm/Support/SaveAndRestore.h"

namespace gluonc::sema::ops {

namespace wgmma = target::nvidia::wgmma;

//===----------------------------------------------------------------------===//
// Matrix multiplication by groups of four warps
//===----------------------------------------------------------------------===//

static std::nullopt_t badOperand(Context &context, diag::Span span, const llvm::Twine &what) {
  context.report(diag::Kind::WarpgroupOperand, span, what.str()).end();
  return std::nullopt;
}

static Result emitMmaInit(Context &context, const BoundArgs &arguments) {
  if (!blockArgument(context, arguments, "value"))
    return std::nullopt;
  return Value::accumulator(arguments["value"].ir(), arguments["value"].dtype());
}

/// Element types that the instruction has.
static bool hasInstruction(DType a, DType b, DType d) {
  auto aElement = matrixElement(a), bElement = matrixElement(b), dElement = matrixElement(d);
  return aElement && bElement && dElement && wgmma::multiplies(*aElement, *bElement, *dElement);
}

/// Reports why operands or result lie wrongly; the one that is meant shows its type.
static bool explainProduct(Context &context, const BoundArgs &arguments,
                           const std::string &problem) {
  llvm::StringRef which = llvm::StringRef(problem).starts_with("`a`")   ? "a"
                          : llvm::StringRef(problem).starts_with("`b`") ? "b"
                                                                        : "acc";
  context.report(diag::Kind::WarpgroupOperand, arguments.span(which), problem)
      .note("it is {0}", arguments[which].typeName());
  return false;
}

/// Shapes and types of a, b and the accumulator.
static bool checkOperands(Context &context, const BoundArgs &arguments) {
  const Value &a = arguments["a"], &b = arguments["b"], &acc = arguments["acc"];
  bool isTensor = a.isTensor() && a.isBlock();
  if (!isTensor && !a.is(ValueKind::MemDesc))
    return badOperand(context, arguments.span("a"),
                      "`a` must be a tensor or a shared memory descriptor, got " + a.typeName()),
           false;
  if (!b.is(ValueKind::MemDesc))
    return badOperand(context, arguments.span("b"),
                      "`b` must be a shared memory descriptor, got " + b.typeName()),
           false;
  bool isBlock = acc.is(ValueKind::Accumulator) || (acc.isTensor() && acc.isBlock());
  const auto tensor = isBlock ? mlir::cast<mlir::RankedTensorType>(acc.irType()) : nullptr;
  auto mma =
      isBlock ? mlir::dyn_cast_or_null<ttg::NvidiaMmaEncodingAttr>(tensor.getEncoding()) : nullptr;
  if (!mma || !mma.getValue().isWarpGroup())
    return badOperand(context, arguments.span("acc"),
                      "the accumulator must have an NVMMADistributedLayout of version 3, got " +
                          acc.typeName()),
           false;
  llvm::ArrayRef<int64_t> m = a.shape(), n = b.shape(), d = tensor.getShape();
  if (m.size() != 2 || n.size() != 2 || d.size() != 2 || m[1] != n[0] || m[0] != d[0] ||
      n[1] != d[1])
    return badOperand(context, context.span,
                      "shapes must be [M, K], [K, N] and [M, N], got " + shapeText(m) + ", " +
                          shapeText(n) + " and " + shapeText(d)),
           false;
  if (!hasInstruction(a.dtype(), b.dtype(), acc.dtype()))
    return badOperand(context, context.span,
                      "there is no instruction for " + a.dtype().name() + " * " + b.dtype().name() +
                          " -> " + acc.dtype().name()),
           false;
  if (context.numWarps() % wgmma::warps)
    return badOperand(context, context.span,
                      "it runs on groups of four warps, but there are " +
                          llvm::Twine(context.numWarps())),
           false;
  std::string problem =
      ttng::whyNoWarpGroupDot(a.irType(), b.irType(), tensor, context.options.sanitizesFloats());
  if (!problem.empty())
    return explainProduct(context, arguments, problem);
  return true;
}

/// The options that say how products are rounded.
static std::optional<tt::InputPrecision> precisionArgument(Context &context,
                                                           const BoundArgs &arguments) {
  auto text = stringArgument(context, arguments, "precision");
  if (!text)
    return std::nullopt;
  std::optional<tt::InputPrecision> precision = tt::symbolizeInputPrecision(text->lower());
  bool isFloat32 = arguments["a"].dtype() == dtypes::float32;
  if (precision && (!isFloat32 || *precision == tt::InputPrecision::TF32))
    return precision;
  context
      .report(diag::Kind::ArgumentChoice, arguments.span("precision"), "precision", *text,
              isFloat32 ? "\"tf32\"" : "\"tf32\", \"tf32x3\", \"ieee\", \"bf16x3\", \"bf16x6\"")
      .end();
  return std::nullopt;
}

static std::optional<int64_t> impreciseArgument(Context &context, const BoundArgs &arguments) {
  bool fp8 = arguments["a"].dtype().isFp8() && arguments["b"].dtype().isFp8();
  int64_t k = arguments["a"].shape()[1];
  // Hopper keeps fewer bits while it accumulates fp8: by default that is accepted.
  bool given = isGiven(arguments["max_num_imprecise_acc"]);
  std::optional<int64_t> most = given ? intArgument(context, arguments, "max_num_imprecise_acc")
                                      : std::optional<int64_t>(fp8 ? 1 << 30 : 0);
  if (!most)
    return std::nullopt;
  // One instruction sums so many.
  int64_t leastImprecise = target::nvidia::matrixDepth(8);
  bool bad = *most < 0 || *most > 1 << 30 || (fp8 && given && *most > k) ||
             (fp8 && arguments["acc"].dtype() == dtypes::float32 && *most < leastImprecise);
  if (!bad)
    return most;
  context
      .report(diag::Kind::ScalarOutOfRange, arguments.span("max_num_imprecise_acc"), *most,
              "max_num_imprecise_acc")
      .hint("{0} to K, which is {1}", leastImprecise, k);
  return std::nullopt;
}

static Result emitMma(Context &context, const BoundArgs &arguments) {
  const Value &acc = arguments["acc"];
  if (!checkOperands(context, arguments))
    return std::nullopt;
  std::optional<mlir::Value> useAcc = predicateArgument(context, arguments, "use_acc");
  auto precision = precisionArgument(context, arguments);
  auto imprecise = impreciseArgument(context, arguments);
  auto isAsync = boolArgument(context, arguments, "is_async");
  if (!useAcc || !precision || !imprecise || !isAsync)
    return std::nullopt;
  mlir::Value result = ttng::WarpGroupDotOp::create(
      context.builder, context.loc(), acc.irType(), arguments["a"].ir(), arguments["b"].ir(),
      acc.ir(), *useAcc, *precision, int32_t(*imprecise), *isAsync,
      arguments["a"].dtype() == dtypes::uint8, arguments["b"].dtype() == dtypes::uint8);
  return *isAsync ? Value::accumulator(result, acc.dtype()) : tensor(result, acc.dtype());
}

static Result emitMmaWait(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> pending = intArgument(context, arguments, "num_outstanding");
  if (!pending)
    return std::nullopt;
  if (*pending < 0 || *pending > int64_t(wgmma::maxPending)) {
    context
        .report(diag::Kind::ScalarOutOfRange, arguments.span("num_outstanding"), *pending,
                "num_outstanding")
        .hint("0 to {0}", wgmma::maxPending);
    return std::nullopt;
  }
  bool isSequence = arguments["deps"].is(ValueKind::Tuple) || arguments["deps"].is(ValueKind::List);
  if (!isSequence || arguments["deps"].items().empty())
    return badOperand(context, isSequence ? arguments.span("deps") : context.span,
                      "`warpgroup_mma_wait` needs `deps`, a sequence of what it waits for");
  llvm::SmallVector<mlir::Value> inputs;
  for (const Value &item : arguments["deps"].items()) {
    bool fits = item.is(ValueKind::MemDesc) || item.is(ValueKind::Accumulator) ||
                (item.isTensor() && item.isBlock());
    if (!fits)
      return badOperand(context, arguments.span("deps"),
                        "`deps` are accumulators, tensors and buffers, got " + item.typeName());
    inputs.push_back(item.ir());
  }
  auto wait = ttng::WarpGroupDotWaitOp::create(context.builder, context.loc(),
                                               mlir::ValueRange(inputs).getTypes(), inputs,
                                               int32_t(*pending),
                                               /*warpGroupLocal=*/false);
  std::vector<Value> results;
  for (auto [item, result] : llvm::zip(arguments["deps"].items(), wait.getResults()))
    results.push_back(item.is(ValueKind::MemDesc) ? item.withIr(result)
                                                  : tensor(result, item.dtype()));
  return results.size() == 1 ? results[0] : Value::tuple(std::move(results));
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

namespace {

/// One `(function, arguments)` pair.
struct Partition {
  Value function;
  llvm::ArrayRef<Value> arguments;
};

constexpr const char *insidePartition = "inside of a partition";

/// Walks functions into regions of their own.
struct Specialization {
  Context &context;
  const BoundArgs &arguments;
  llvm::SmallVector<Partition> partitions;
  llvm::SmallVector<int32_t> warps, registers;
  llvm::SmallVector<mlir::Value> captures;

  bool refuse(llvm::StringRef name, const llvm::Twine &why) {
    context.report(diag::Kind::BadSpecialization, arguments.span(name), why.str()).end();
    return false;
  }

  static bool isSequence(const Value &value) {
    return value.is(ValueKind::Tuple) || value.is(ValueKind::List);
  }

  bool readPartitions() {
    if (!isSequence(arguments["functions_and_args"]) ||
        arguments["functions_and_args"].items().empty())
      return refuse("functions_and_args",
                    "expects a list of (function, arguments) pairs, the default one first");
    for (const Value &pair : arguments["functions_and_args"].items()) {
      bool isPair = isSequence(pair) && pair.items().size() == 2 && isSequence(pair.items()[1]);
      if (!isPair)
        return refuse("functions_and_args",
                      "expects pairs of a function and a tuple of arguments, got " +
                          pair.typeName());
      partitions.push_back({pair.items()[0], pair.items()[1].items()});
    }
    return true;
  }

  bool readNumbers(llvm::StringRef name, int64_t most, llvm::SmallVectorImpl<int32_t> &out) {
    auto numbers = intsArgument(context, arguments, name);
    if (!numbers)
      return false;
    if (numbers->size() != partitions.size() - 1)
      return refuse(name, "got " + llvm::Twine(partitions.size() - 1) + " workers, but " +
                              llvm::Twine(numbers->size()) + " numbers in `" + name + "`");
    for (int64_t number : *numbers) {
      if (number < 1 || number > most)
        return refuse(name, "takes 1 to " + llvm::Twine(most) + " in `" + name + "`, not " +
                                llvm::Twine(number));
      out.push_back(int32_t(number));
    }
    return true;
  }

  bool read() {
    if (context.noPartitions)
      return refuse("functions_and_args", llvm::Twine("cannot be called ") + context.noPartitions);
    const int64_t mostWarps = target::maxWarpsPerCta(context.threadsPerWarp());
    if (!readPartitions() || !readNumbers("worker_num_warps", mostWarps, warps))
      return false;
    for (int32_t count : warps)
      if (!layout::isPowerOf2(count))
        return refuse("worker_num_warps",
                      "numbers of warps are powers of two, got " + llvm::Twine(count));
    if (isGiven(arguments["worker_num_regs"]) &&
        (!requireFeature(context, "worker_num_regs", target::Feature::RegisterReallocation) ||
         !readNumbers("worker_num_regs", target::nvidia::maxReallocatedRegisters, registers)))
      return false;
    for (const Partition &worker : llvm::drop_begin(partitions))
      for (const Value &argument : worker.arguments)
        flatten(argument, captures);
    for (size_t i = 1; i < partitions.size(); ++i)
      for (const Value &argument : partitions[i].arguments)
        if (!checkCapture(i, argument))
          return false;
    return true;
  }

  /// Workers find their arguments in a little shared memory, which tensors do not fit.
  bool checkCapture(size_t worker, const Value &argument) {
    llvm::SmallVector<mlir::Value> parts;
    flatten(argument, parts);
    for (mlir::Value part : parts)
      if (mlir::isa<mlir::RankedTensorType>(part.getType()))
        return refuse("functions_and_args",
                      "cannot pass a tensor to worker " + llvm::Twine(worker - 1) + ": " +
                          argument.typeName() +
                          "; store it in a buffer and pass that, or compute it there");
    return true;
  }

  /// The end of a partition has the function's name, for the simulator's reports.
  static mlir::Location placeOf(const Partition &partition, mlir::Location loc) {
    const Value &function = partition.function.is(ValueKind::BoundMethod)
                                ? partition.function.boundCallee()
                                : partition.function;
    return function.is(ValueKind::Function) ? withName(loc, function.asFunction().name) : loc;
  }

  /// The default partition: its result is that of the call.
  Result walkDefault(mlir::Region &region) {
    mlir::OpBuilder::InsertionGuard guard(context.builder);
    mlir::Location loc = context.loc();
    context.builder.setInsertionPointToStart(&region.emplaceBlock());
    llvm::SaveAndRestore inside(context.noPartitions, insidePartition);
    Result result = context.call(partitions[0].function, partitions[0].arguments);
    if (!result)
      return std::nullopt;
    llvm::SmallVector<mlir::Value> yielded;
    flatten(*result, yielded);
    ttg::WarpYieldOp::create(context.builder, placeOf(partitions[0], loc), yielded);
    return result;
  }

  bool walkWorker(size_t index, mlir::Block &block, size_t firstCapture) {
    mlir::OpBuilder::InsertionGuard guard(context.builder);
    mlir::Location loc = context.loc();
    context.builder.setInsertionPointToStart(&block);
    const Partition &worker = partitions[index + 1];
    llvm::SmallVector<mlir::Value> own(block.getArguments().drop_front(firstCapture));
    llvm::ArrayRef<mlir::Value> remaining = own;
    std::vector<Value> values;
    for (const Value &argument : worker.arguments)
      values.push_back(unflatten(argument, remaining));
    llvm::SaveAndRestore inside(context.noPartitions, insidePartition);
    context.partitionWarps = unsigned(warps[index]);
    Result result = context.call(worker.function, values);
    context.partitionWarps.reset();
    if (result)
      ttg::WarpReturnOp::create(context.builder, placeOf(worker, loc));
    return result.has_value();
  }

  Result emit() {
    mlir::Location loc = context.loc();
    diag::Span span = context.span;
    mlir::Region defaultRegion;
    Result result = walkDefault(defaultRegion);
    if (!result)
      return std::nullopt;
    llvm::SmallVector<mlir::Value> yielded;
    flatten(*result, yielded);
    auto op = ttg::WarpSpecializeOp::create(
        context.builder, loc, mlir::ValueRange(yielded).getTypes(), warps, captures, registers);
    op.getDefaultRegion().takeBody(defaultRegion);
    size_t firstCapture = 0;
    for (auto [index, partition] : llvm::enumerate(op.getPartitions())) {
      context.span = span;
      if (!walkWorker(index, partition.front(), firstCapture))
        return std::nullopt;
      llvm::SmallVector<mlir::Value> own;
      for (const Value &argument : partitions[index + 1].arguments)
        flatten(argument, own);
      firstCapture += own.size();
    }
    llvm::SmallVector<mlir::Value> results(op.getResults());
    llvm::ArrayRef<mlir::Value> remaining = results;
    return unflatten(*result, remaining);
  }
};

} // namespace

static Result emitWarpSpecialize(Context &context, const BoundArgs &arguments) {
  Specialization specialization{context, arguments, {}, {}, {}, {}};
  if (!specialization.read())
    return std::nullopt;
  return specialization.emit();
}

llvm::ArrayRef<Builtin> warpgroupBuiltins() {
  static const Builtin table[] = {
      {"nvidia.hopper.warpgroup_mma_init", "value: block", emitMmaInit, {.isInherited = false}, R"(
Makes a tensor the accumulator of products that overlap.

Gives: an accumulator, of which `warpgroup_mma_wait` makes a tensor again.
Errors: what is no block.

    mma: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    acc = hopper.warpgroup_mma_init(gl.zeros([64, 64], gl.float32, mma))
)"},
      {"nvidia.hopper.warpgroup_mma",
       "a: value, b: buffer, acc: accumulator, *, use_acc: scalar = True, "
       "precision: str = 'tf32', max_num_imprecise_acc: int = None, is_async: bool = False",
       emitMma,
       {.isInherited = false, .needs = target::Feature::WarpgroupMma},
       R"(
a @ b + acc on the tensor cores of four warps.

`a` is a buffer or a block in a `DotOperandLayout`, `b` a buffer, both of [M, K] and [K, N]; `acc`
lies in an `NVMMADistributedLayout` of version [3, 0]. With a false `use_acc` the product alone.
8-bit floats and 16-bit floats accumulate in float16 or float32, float32 (cut to tf32) in float32,
8-bit integers in int32. With `is_async` it only begins: buffers and result must not be touched
before `warpgroup_mma_wait`. For 8-bit floats `max_num_imprecise_acc` says how many terms may be
added with fewer bits.

Gives: a block like `acc`; with `is_async` an accumulator.
Errors: other layouts, shapes or element types; warps that are no multiple of four.

    wide: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    a = gl.allocate_shared_memory(gl.float16, [64, 64], wide)
    b = gl.allocate_shared_memory(gl.float16, [64, 64], wide)
    mma: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    acc = hopper.warpgroup_mma(a, b, gl.zeros([64, 64], gl.float32, mma))
)"},
      {"nvidia.hopper.warpgroup_mma_wait",
       "num_outstanding: int = 0, deps: sequence = None",
       emitMmaWait,
       {.isInherited = false},
       R"(
Waits until no more than so many of the latest products are under way.

`deps` are what was waited for: accumulators, and buffers that must not be written before.

Gives: the `deps`: one value, or a tuple; accumulators have become tensors.
Errors: no `deps`; a number outside of 0 to 7.

    wide: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    a = gl.allocate_shared_memory(gl.float16, [64, 64], wide)
    b = gl.allocate_shared_memory(gl.float16, [64, 64], wide)
    mma: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    acc = hopper.warpgroup_mma(a, b, gl.zeros([64, 64], gl.float32, mma), is_async=True)
    acc = hopper.warpgroup_mma_wait(0, deps=[acc])
)"},
      {"warp_specialize",
       "functions_and_args: sequence, worker_num_warps: ints, worker_num_regs: ints = None",
       emitWarpSpecialize, asFunction, R"(
Runs several functions side by side, each on warps of its own.

The first of the pairs of a function and its arguments is the default partition, which runs on the
warps of the kernel; each other is a worker with so many warps (a power of two) and registers per
thread. Workers take no tensors: buffers, barriers and scalars instead. All begin and end together.

Gives: what the default partition returns.
Errors: a tensor as argument of a worker; other numbers of warps than workers; a call inside of a
partition or of a function that is not inlined.

    gl.warp_specialize([(consume, (smem, bar)), (produce, (smem, bar))], [4])
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

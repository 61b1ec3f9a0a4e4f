//===- Hints.cpp - Hints, device output, assertions, barriers -----------------===//
#include "sema/builtins/Emit.h"

#include "ir/Hint.h"
#include "ir/Scope.h"

namespace gluonc::sema::ops {

// -- Axis-analysis hints -----------------------------------------------------------

/// One value per dimension, from an int or a sequence.
static std::optional<llvm::SmallVector<int32_t>> hintValues(Context &context,
                                                            const BoundArgs &arguments) {
  llvm::SmallVector<int32_t> values;
  if (arguments["values"].is(ValueKind::Int)) {
    std::optional<int64_t> value = intArgument(context, arguments, "values");
    if (!value)
      return std::nullopt;
    values.push_back(int32_t(*value));
  } else {
    std::optional<llvm::SmallVector<int64_t>> numbers = intsArgument(context, arguments, "values");
    if (!numbers)
      return std::nullopt;
    values.append(numbers->begin(), numbers->end());
  }
  size_t rank = arguments["input"].isBlock() ? arguments["input"].shape().size() : 1;
  if (values.size() == rank)
    return values;
  context.report(diag::Kind::HintCount, arguments.span("values"), values.size(), rank).end();
  return std::nullopt;
}

/// Puts the hint on the operation that made the value, or on the kernel's parameter; for others,
/// which loops carry, there is an operation.
static Result attachHint(Context &context, const BoundArgs &arguments, llvm::StringRef attribute) {
  if (arguments["input"].isNumber())
    return arguments["input"];
  if (!tensorArgument(context, arguments, "input"))
    return std::nullopt;
  std::optional<llvm::SmallVector<int32_t>> values = hintValues(context, arguments);
  if (!values)
    return std::nullopt;
  mlir::OpBuilder &builder = context.builder;
  auto type = mlir::RankedTensorType::get({int64_t(values->size())}, builder.getI32Type());
  auto perDim = mlir::DenseIntElementsAttr::get(type, *values);
  if (mlir::Operation *op = arguments["input"].ir().getDefiningOp()) {
    op->setAttr(attribute, perDim);
    return arguments["input"];
  }
  auto argument = llvm::cast<mlir::BlockArgument>(arguments["input"].ir());
  // The body of a loop that is being built belongs to nothing yet.
  auto function = llvm::dyn_cast_if_present<tt::FuncOp>(argument.getOwner()->getParentOp());
  if (function && argument.getOwner()->isEntryBlock())
    function.setArgAttr(argument.getArgNumber(), attribute,
                        builder.getI32IntegerAttr(values->front()));
  else
    gluon::HintOp::create(builder, context.loc(), arguments["input"].ir())
        ->setAttr(attribute, perDim);
  return arguments["input"];
}

static Result emitMultipleOf(Context &context, const BoundArgs &arguments) {
  return attachHint(context, arguments, "tt.divisibility");
}

static Result emitMaxContiguous(Context &context, const BoundArgs &arguments) {
  return attachHint(context, arguments, "tt.contiguity");
}

static Result emitMaxConstancy(Context &context, const BoundArgs &arguments) {
  return attachHint(context, arguments, "tt.constancy");
}

static Result emitAssume(Context &context, const BoundArgs &arguments) {
  Result holds = condition(context, arguments["cond"], arguments.span("cond"));
  if (holds)
    holds = materialize(context, *holds, arguments.span("cond"));
  if (!holds)
    return std::nullopt;
  llvmir::AssumeOp::create(context.builder, context.loc(), holds->ir());
  return Value::none();
}

// -- Output and assertions -----------------------------------------------------------

/// The prefix as it is printed: " name: " before values, " name" without.
static std::string printPrefix(llvm::StringRef text, bool hasValues) {
  std::string prefix = text.empty() || text.front() == ' ' ? text.str() : " " + text.str();
  if (!hasValues)
    return prefix;
  llvm::StringRef name = llvm::StringRef(prefix).rtrim(' ');
  name.consume_back(":");
  return name.str() + ": ";
}

static Result emitPrint(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::StringRef> text = stringArgument(context, arguments, "prefix");
  std::optional<bool> hex = boolArgument(context, arguments, "hex");
  if (!text || !hex)
    return std::nullopt;
  if (!llvm::all_of(*text, [](char c) { return llvm::isPrint(c) || c == '\n' || c == '\t'; })) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("prefix"), "prefix", "printable ASCII",
                arguments["prefix"].repr())
        .end();
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<int32_t> isSigned;
  for (const Value &item : arguments["args"].items()) {
    Result value = materialize(context, item, arguments.span("args"));
    if (!value)
      return std::nullopt;
    values.push_back(value->ir());
    isSigned.push_back(value->dtype().isSignedInt());
  }
  tt::PrintOp::create(context.builder, context.loc(), printPrefix(*text, !values.empty()), *hex,
                      values, isSigned);
  return Value::none();
}

static Result emitAssert(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::StringRef> message = stringArgument(context, arguments, "msg");
  if (!message)
    return std::nullopt;
  if (!context.options.debug)
    return Value::none();
  Operand holds = operand(arguments, "cond"), mask = operand(arguments, "mask");
  Result value = cast(context, holds.value, dtypes::int1, holds.span);
  if (!value)
    return std::nullopt;
  if (isGiven(mask.value)) {
    // Masked-off elements hold.
    Result off = unary(context, UnaryOp::Not, mask.value, mask.span);
    value = off ? binary(context, BinaryOp::Or, *value, *off, holds.span, mask.span) : std::nullopt;
    if (!value)
      return std::nullopt;
  }
  tt::AssertOp::create(context.builder, context.loc(), value->ir(), *message);
  return Value::none();
}

/// expect_zero(x, mask): x itself; debug builds check that it is 0 where the mask is true, under
/// fpsan, which knows nothing of underflow, it becomes 0 there.
static Result emitExpectZero(Context &context, const BoundArgs &arguments) {
  const Value &x = arguments["x"];
  if (!tensorArgument(context, arguments, "x") || !tensorArgument(context, arguments, "mask"))
    return std::nullopt;
  diag::Span span = arguments.span("x"), maskSpan = arguments.span("mask");
  if (context.options.sanitizesFloats())
    return select(context, {arguments["mask"], maskSpan}, {Value::integer(0), span}, {x, span});
  if (!context.options.debug)
    return x;
  Result tensorX = materialize(context, {x, span});
  Result isZero = tensorX ? compare(context, CompareOp::Eq, *tensorX, Value::integer(0), span, span)
                          : std::nullopt;
  Result mask = materialize(context, {arguments["mask"], maskSpan});
  Result off = mask ? unary(context, UnaryOp::Not, *mask, maskSpan) : std::nullopt;
  Result holds =
      isZero && off ? binary(context, BinaryOp::Or, *isZero, *off, span, maskSpan) : std::nullopt;
  if (!holds)
    return std::nullopt;
  tt::AssertOp::create(context.builder, context.loc(), holds->ir(),
                       "expect_zero: x is not 0 where mask is true");
  return x;
}

static Result emitBarrier(Context &context, const BoundArgs &arguments) {
  std::optional<bool> cluster = boolArgument(context, arguments, "cluster");
  if (!cluster)
    return std::nullopt;
  if (*cluster && context.numCtas() > 1) {
    ttng::ClusterBarrierOp::create(context.builder, context.loc(), /*relaxed=*/false);
    return Value::none();
  }
  ttg::BarrierOp::create(context.builder, context.loc(), ttg::AddrSpace::All);
  return Value::none();
}

static Result emitThreadBarrier(Context &context, const BoundArgs &) {
  ttg::BarrierOp::create(context.builder, context.loc(), ttg::AddrSpace::All);
  return Value::none();
}

/// A border of a region in timelines; `transform` checks that there is the other one.
template <bool ends> static Result emitScope(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::StringRef> name = stringArgument(context, arguments, "name");
  if (!name)
    return std::nullopt;
  gluon::ScopeOp::create(context.builder, context.loc(), *name, ends);
  return Value::none();
}

llvm::ArrayRef<Builtin> hintBuiltins() {
  static const Builtin table[] = {
      {"multiple_of", "input: tensor, values: ints", emitMultipleOf, asFunction, R"(
Promises that the first of every so many elements is a multiple of a number.

`values` is one number per dimension, or a single number. Wider loads and stores may follow from it.
The promise is not checked.

Gives: `input`.
Errors: another number of values than `x` has dimensions.

    start = gl.multiple_of(gl.load(counts), 16)
)"},
      {"max_contiguous", "input: tensor, values: ints", emitMaxContiguous, asFunction, R"(
Promises that elements come in runs of consecutive values.

`values` is the length of a run per dimension, or a single number. The promise is not checked.

Gives: `input`.
Errors: another number of values than `x` has dimensions.

    where = gl.max_contiguous(offsets % 128, 128)
)"},
      {"max_constancy", "input: tensor, values: ints", emitMaxConstancy, asFunction, R"(
Promises that elements come in runs of one value.

`values` is the length of a run per dimension, or a single number. The promise is not checked.

Gives: `input`.
Errors: another number of values than `x` has dimensions.

    row = gl.max_constancy(offsets // 32, 32)
)"},
      {"assume", "cond: scalar", emitAssume, asFunction, R"(
Promises that a condition holds.

The code generator may use it. The promise is not checked on a GPU.

Gives: nothing.
Errors: a condition that is a block.

    gl.assume(n > 0)
)"},
      {"device_print", "prefix: str, *args: tensor, hex: bool = False", emitPrint, asFunction, R"(
Prints values, an element a line, with the program and the indices they belong to.

Gives: nothing.
Errors: a prefix that is not known at compile time or not printable ASCII.

    gl.device_print("x", x)
)"},
      {"device_assert", "cond: tensor, msg: str = '', mask: tensor = None", emitAssert, asFunction,
       R"(
Stops the kernel with a message where a condition does not hold.

Only kernels compiled with `debug` contain it. Elements whose `mask` is false are not looked at.

Gives: nothing.
Errors: a message that is not known at compile time.

    gl.device_assert(offsets < n, "beyond the end")
)"},
      {"expect_zero", "x: tensor, mask: tensor", emitExpectZero, asFunction, R"(
Says that `x` is 0 where the mask is true.

Kernels compiled with `debug` check it and stop with a message; under `fpsan`, whose algebra has no
underflow, it is 0 there.

Gives: `x`.
Errors: arguments that are neither tensors nor numbers.

    x = gl.load(p + offsets, mask=offsets < n, other=0.0)
    x = gl.expect_zero(x, offsets >= n)
)"},
      {"profiler.scope", "name: str", emitScope<false>, asFunction, R"(
Names what stands in a `with`, for timelines (`triton.profiler.language`, as Proton has it).

A kernel that is not traced has no code for it. Regions may nest and overlap.

Gives: a context for `with`.
Errors: a name that is not known at compile time.

    with gl.profiler.scope("load"):
        x = gl.load(p + offsets)
)"},
      {"profiler.enter_scope", "name: str", emitScope<false>, asFunction, R"(
Begins a region of a timeline, which `exit_scope` of the same name ends.

Both stand in one block: the body of a loop or of a branch, a partition, or the kernel.

Gives: nothing.
Errors: a name that is not known at compile time; a region that its block does not end.

    gl.profiler.enter_scope("load")
    x = gl.load(p + offsets)
    gl.profiler.exit_scope("load")
)"},
      {"profiler.exit_scope", "name: str", emitScope<true>, asFunction, R"(
Ends the region of this name that began last.

Gives: nothing.
Errors: a name that is not known at compile time; a region that its block did not begin.

    gl.profiler.enter_scope("load")
    x = gl.load(p + offsets)
    gl.profiler.exit_scope("load")
)"},
      {"barrier", "*, cluster: bool = False", emitBarrier, asFunction, R"(
Waits until all threads of the program are here and see each other's memory accesses.

With `cluster=True`, all threads of the cluster. Kernels need it for memory that threads exchange by
pointers; accesses to shared memory descriptors are ordered without it.

Gives: nothing.
Errors: a `cluster` that is not known at compile time.

    gl.store(p + offsets, x)
    gl.barrier()
    y = gl.load(p + 127 - offsets)
)"},
      {"thread_barrier", "", emitThreadBarrier, asFunction, R"(
Waits until all threads of the program are here and see each other's memory accesses.

Gives: nothing.

    gl.thread_barrier()
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

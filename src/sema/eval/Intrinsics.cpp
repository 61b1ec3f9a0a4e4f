// Functions of the language that run at compile time or steer the walk.

#include "sema/names/Language.h"

#include "sema/builtins/Types.h"
#include "sema/value/Arithmetic.h"
#include "sema/value/Repr.h"

#include "llvm/Support/MathExtras.h"

namespace gluonc::sema {

using diag::Kind;

/// Hands a call with IR among its arguments to the emitting builtin of the same name.
static MaybeValue emitInstead(Interpreter &interpreter, const IntrinsicCall &call,
                              llvm::StringRef name) {
  const Builtin *builtin = ops::findBuiltin(name);
  Context *context = interpreter.emitContext();
  if (!builtin || !context) {
    interpreter.report(Kind::NeedsKernel, call.span, call.self.name).end();
    return std::nullopt;
  }
  context->span = call.span;
  return ops::emitCall(*context, *builtin, call.arguments.values, call.arguments.spans);
}

/// `f = gluon.jit(g)`: the same function, marked.
static MaybeValue markFunction(const Value &value, FunctionKind kind,
                               Dialect dialect = Dialect::Gluon) {
  if (!value.is(ValueKind::Function))
    return value;
  auto copy = std::make_shared<Function>(value.asFunction());
  copy->kind = kind;
  copy->dialect = dialect;
  return Value::function(std::move(copy));
}

static MaybeValue makeConstexpr(Interpreter &interpreter, const IntrinsicCall &call) {
  // A Python function that kernels may call.
  if (call[0].is(ValueKind::Function) && call[0].asFunction().kind == FunctionKind::Host)
    return markFunction(call[0], FunctionKind::Constexpr);
  if (call[0].isCompileTime())
    return call[0].asWrapped();
  interpreter
      .report(Kind::ConstexprRequired, call.arguments.span(0), "the argument of `constexpr`",
              call[0].typeName())
      .end();
  return std::nullopt;
}

static MaybeValue staticAssert(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<bool> holds = interpreter.truth(call[0], call.arguments.span(0));
  if (!holds)
    return std::nullopt;
  if (*holds)
    return Value::none();
  std::string message = call.has(1) ? call[1].str() : "";
  interpreter.report(Kind::StaticAssertFailed, call.span, message.empty() ? "" : ": " + message)
      .end();
  return std::nullopt;
}

static MaybeValue staticPrint(Interpreter &interpreter, const IntrinsicCall &call) {
  std::string text;
  for (const Value &value : call[0].items())
    text += (text.empty() ? "" : " ") + value.str();
  interpreter.report(Kind::StaticPrint, call.span, text).end();
  return Value::none();
}

/// A wrapped Range marks a loop that is unrolled at compile time.
static MaybeValue makeRange(const Value &first, const Value &second, const Value &step,
                            bool isStatic, llvm::ArrayRef<Value> hints = {}) {
  bool single = second.isAbsent() || (second.isNone() && !isStatic);
  Value start = single ? Value::integer(0) : first;
  Value stop = single ? first : second;
  Value stride = step.isAbsent() || step.isNone() ? Value::integer(1) : step;
  Value range = Value::range(start, stop, stride, hints);
  return isStatic ? range.asWrapped() : range;
}

static MaybeValue staticRange(Interpreter &interpreter, const IntrinsicCall &call) {
  for (size_t i = 0; i < 3; ++i)
    if (call.has(i) && !call[i].asInt64()) {
      interpreter
          .report(Kind::ConstexprRequired, call.arguments.span(i), "a bound of `static_range`",
                  call[i].typeName())
          .hint("use `range` for a loop that runs on the device");
      return std::nullopt;
    }
  if (call.has(2) && call[2].asInt64() == 0) {
    interpreter.report(Kind::ZeroStep, call.arguments.span(2)).end();
    return std::nullopt;
  }
  return makeRange(call[0], call[1], call[2], /*isStatic=*/true);
}

static MaybeValue deviceRange(Interpreter &, const IntrinsicCall &call) {
  // The loop carries the hints on; nothing here acts on them.
  return makeRange(call[0], call[1], call[2], /*isStatic=*/false,
                   call.arguments.values.slice(3, 6));
}

/// `while tl.condition(c, …)`: the condition itself; the loop looks for the hint (Loops.cpp).
static MaybeValue loopCondition(Interpreter &, const IntrinsicCall &call) { return call[0]; }

static MaybeValue cdiv(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].isCompileTime() || !call[1].isCompileTime())
    return emitInstead(interpreter, call, "cdiv");
  // -(-x // d) is the ceiling for any signs, as Python code writes it.
  MaybeValue divisor = applyUnary(ast::UnaryOperator::USub, call[1]);
  if (!divisor) {
    interpreter
        .report(Kind::BadArgument, call.arguments.span(1),
                "`cdiv` expects ints, not " + call[1].typeName())
        .end();
    return std::nullopt;
  }
  MaybeValue quotient = interpreter.binary(ast::Operator::FloorDiv, call[0], *divisor, call.span,
                                           call.arguments.span(0), call.arguments.span(1));
  return quotient ? applyUnary(ast::UnaryOperator::USub, *quotient) : std::nullopt;
}

static MaybeValue nextPowerOf2(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<int64_t> value = call[0].asInt64();
  if (value && *value <= (int64_t(1) << 62))
    return Value::integer(*value <= 1 ? 1 : int64_t(llvm::PowerOf2Ceil(uint64_t(*value))));
  interpreter
      .report(Kind::BadArgument, call.arguments.span(0),
              "`next_power_of_2` expects an int, not " + call[0].typeName())
      .end();
  return std::nullopt;
}

static MaybeValue numWarps(Interpreter &interpreter, const IntrinsicCall &call) {
  if (Context *context = interpreter.emitContext())
    return Value::integer(context->numWarps()).asWrapped();
  interpreter.report(Kind::NeedsKernel, call.span, call.self.name).end();
  return std::nullopt;
}

static MaybeValue numCtas(Interpreter &interpreter, const IntrinsicCall &call) {
  if (Context *context = interpreter.emitContext())
    return Value::integer(context->numCtas()).asWrapped();
  interpreter.report(Kind::NeedsKernel, call.span, call.self.name).end();
  return std::nullopt;
}

static MaybeValue pointerType(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].is(ValueKind::DType)) {
    interpreter
        .report(Kind::BadArgument, call.arguments.span(0),
                "`pointer_type` expects a dtype, not " + call[0].typeName())
        .end();
    return std::nullopt;
  }
  int64_t space = call.has(1) ? call[1].asInt64().value_or(1) : 1;
  bool isConst = call.has(2) && truthOf(call[2]).value_or(false);
  return Value::dtype(DType::pointer(call[0].dtype(), isConst, unsigned(space & 0xff)));
}

static MaybeValue markJit(Interpreter &, const IntrinsicCall &call) {
  Value jit = Value::builtin(&call.self);
  return call.has(0) ? markFunction(call[0], FunctionKind::Jit, dialectOf(jit)) : jit;
}

bool isJit(const Value &value) {
  return isIntrinsic(value, "jit") || isIntrinsic(value, "triton.jit");
}

Dialect dialectOf(const Value &jit) {
  return isIntrinsic(jit, "triton.jit") ? Dialect::Triton : Dialect::Gluon;
}

static constexpr Signature jitParameters =
    "fn=, *, version=, repr=, launch_metadata=, do_not_specialize=, "
    "do_not_specialize_on_alignment=, debug=, noinline=";

static MaybeValue markConstexpr(Interpreter &, const IntrinsicCall &call) {
  return call.has(0) ? markFunction(call[0], FunctionKind::Constexpr) : Value::builtin(&call.self);
}

/// Host-side decorators around a kernel: the kernel itself is what matters here.
static MaybeValue passThrough(Interpreter &, const IntrinsicCall &call) {
  if (!call[0].items().empty())
    return call[0].items()[0];
  return Value::opaque(call.self.name.str());
}

/// `distributed_type(…)`, `shared_memory_descriptor_type(…)`, `tensor_memory_descriptor_type(…)`:
/// see ops/Types.h.
static MaybeValue makeType(Interpreter &interpreter, const IntrinsicCall &call) {
  if (Context *context = interpreter.emitContext()) {
    context->span = call.span;
    return ops::describedType(*context, call.arguments);
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < call.arguments.values.size(); ++i)
    names.push_back(ops::typeFields[i].str());
  return Value::tuple(call.arguments.values.vec(), std::move(names));
}

/// `gl.tuple(items)`.
static MaybeValue makeTuple(Interpreter &interpreter, const IntrinsicCall &call) {
  std::optional<std::vector<Value>> items = interpreter.iterate(call[0], call.arguments.span(0));
  return items ? MaybeValue(Value::tuple(std::move(*items))) : std::nullopt;
}

MaybeValue typeOnly(Interpreter &interpreter, const IntrinsicCall &call) {
  interpreter.report(Kind::NotSupportedYet, call.span, call.self.name).end();
  return std::nullopt;
}

MaybeValue dtypeOf(Interpreter &interpreter, const IntrinsicCall &call) {
  if (!call[0].is(ValueKind::String)) {
    interpreter.report(Kind::ArgumentKind, call.span, "name", "a str", call[0].typeName()).end();
    return std::nullopt;
  }
  std::optional<DType> type = DType::parse(call[0].asString());
  if (type && !type->isPointer())
    return Value::dtype(*type);
  interpreter
      .report(Kind::BadArgument, call.span, "no type is called " + pythonString(call[0].asString()))
      .end();
  return std::nullopt;
}

static constexpr llvm::StringLiteral tensorMemoryTypeDoc = R"(
The type of buffers in tensor memory: element type, shape, layout, and the shape of the whole.

It answers what a buffer does that needs no memory: `.get_reg_layout(…)`.

Gives: a type, to compare with `tmem.type`.
Errors: a shape or layout that no such buffer can have.

    # cuda:100a
    held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
    sums: gl.constexpr = blackwell.tensor_memory_descriptor_type(
        gl.float32, [128, 64], held, [128, 64])
    registers: gl.constexpr = sums.get_reg_layout()
)";

static const Intrinsic intrinsics[] = {
    {"constexpr", "value: value", makeConstexpr, R"(
A value that is known at compile time.

As an annotation it marks parameters and variables whose value the compiler must know.

Gives: the value.
Errors: a value that exists at run time only.

    half: gl.constexpr = BLOCK // 2
)"},
    {"static_assert", "cond: value, msg: str = ''", staticAssert, R"(
Stops the compilation with a message where a condition does not hold.

Gives: nothing.
Errors: a condition that is false, or is not known at compile time.

    gl.static_assert(BLOCK >= 32, "a block is a warp at least")
)"},
    {"static_print", "*values: value, sep=, end=, file=, flush=", staticPrint, R"(
Prints values while the kernel is compiled.

Gives: nothing.

    gl.static_print("block of", BLOCK)
)"},
    {"static_range", "arg1: int, arg2: int = None, step: int = 1", staticRange, R"(
A range whose loop is unrolled while the kernel is compiled.

The loop's variable is known at compile time in every round.

Gives: the numbers from `arg1` to below `arg2`, or from 0 to below `arg1`.
Errors: bounds that exist at run time only; a step of 0.

    for k in gl.static_range(4):
        x += k
)"},
    {"range",
     "arg1: scalar, arg2: scalar = None, step: scalar = 1, num_stages=, loop_unroll_factor=, "
     "disallow_acc_multi_buffer=, flatten=, warp_specialize=, disable_licm=",
     deviceRange, R"(
A range whose loop runs on the device, as with Python's `range`, with hints.

The hints are kept in the IR. In functions of Gluon nothing acts on them; in those of the Triton
language `num_stages`, `flatten`, `loop_unroll_factor` and `warp_specialize` do. With
`disable_licm` LLVM does not compute before the loop what it does not change.

Gives: the numbers from `arg1` to below `arg2`, or from 0 to below `arg1`.
Errors: bounds that are no integer scalars; a step of 0.

    for k in gl.range(0, n, 32):
        x += 1.0
)"},
    {"condition", "arg1: scalar, disable_licm=", loopCondition, R"(
The condition of a `while` loop, with a hint.

With `disable_licm` LLVM does not compute before the loop what it does not change.

Gives: the condition.

    k = 0
    while gl.condition(k < n):
        k += 1
)"},
    {"cdiv", "x: tensor, div: tensor", cdiv},
    {"next_power_of_2", "n: int", nextPowerOf2, R"(
The smallest power of two that is not below a number.

Known as `gluon.next_power_of_2` (`triton.next_power_of_2`), at compile time.

Gives: an int.
Errors: a number that exists at run time only.
)"},
    {"num_warps", "", numWarps, R"(
The number of warps that run here: those of the kernel, or of the partition.

Gives: an int known at compile time.

    warps: gl.constexpr = gl.num_warps()
)"},
    {"num_ctas", "", numCtas, R"(
The number of CTAs of a cluster.

Gives: an int known at compile time.

    ctas: gl.constexpr = gl.num_ctas()
)"},
    {"pointer_type", "element_ty: dtype, address_space: int = 1, const: bool = False", pointerType,
     R"(
The dtype of pointers to elements of a dtype.

Gives: a dtype.
Errors: an element type that is no dtype.

    half_pointer: gl.constexpr = gl.pointer_type(gl.float16)
)"},
    {"jit", jitParameters, markJit},
    {"triton.jit", jitParameters, markJit},
    {"constexpr_function", "fn=", markConstexpr},
    {"must_use_result", "*fn", passThrough},
    {"aggregate", "*cls", typeOnly},
    // How older sources spell it: `from triton.language.core import _aggregate as aggregate`.
    {"_aggregate", "*cls", typeOnly},
    // Takes any keywords: performed by Interpreter::replaceFields.
    {"aggregate_replace", "...", typeOnly},
    {"autotune",
     "*fn, configs=, key=, prune_configs_by=, reset_to_zero=, restore_value=, pre_hook=, "
     "post_hook=, warmup=, rep=, use_cuda_graph=, do_bench=, cache_results=",
     passThrough},
    {"heuristics", "*values", passThrough},
    {"tuple", "args: sequence", makeTuple, R"(
A tuple of the items of a sequence.

Gives: a tuple.
Errors: what has no items.

    pair = gl.tuple([x, y])
)"},
    {"tensor", "*args", typeOnly},
    {"shared_memory_descriptor", "*args", typeOnly},
    {"tensor_memory_descriptor", "*args", typeOnly},
    {"tensor_descriptor", "*args", typeOnly},
    {"distributed_type", "element_ty: dtype, shape: ints, layout: layout", makeType, R"(
The type of blocks: element type, shape and layout.

Gives: a type, to compare with `x.type`.
Errors: a shape or layout that no block can have.

    gl.static_assert(x.type == gl.distributed_type(gl.float32, [128], layout))
)"},
    {"shared_memory_descriptor_type",
     "element_ty: dtype, shape: ints, layout: layout, alloc_shape: ints", makeType, R"(
The type of buffers: element type, shape, layout, and the shape of the whole allocation.

Gives: a type, to compare with `smem.type`.
Errors: a shape or layout that no buffer can have; an allocation of another shape.

    same: gl.constexpr = smem.type == gl.shared_memory_descriptor_type(
        gl.float32, [64, 32], shared, [64, 32])
)"},
    {"dtype", "name", dtypeOf},
    {"base_value", "*args", typeOnly},
    {"base_type", "*args", typeOnly},
    // Classes of vendor modules.
    {"nvidia.hopper.tma.tensor_descriptor", "*args", typeOnly},
    {"nvidia.hopper.tma.tensor_descriptor_type", "*args", typeOnly},
    {"nvidia.hopper.tma.tensor_descriptor_im2col", "*args", typeOnly},
    {"nvidia.hopper.tma.tensor_descriptor_im2col_type", "*args", typeOnly},
    {"nvidia.blackwell.tma.tensor_descriptor", "*args", typeOnly},
    {"nvidia.blackwell.tma.tensor_descriptor_type", "*args", typeOnly},
    {"nvidia.blackwell.tma.tensor_descriptor_im2col", "*args", typeOnly},
    {"nvidia.blackwell.tma.tensor_descriptor_im2col_type", "*args", typeOnly},
    {"amd.cdna5.tdm.tensor_descriptor", "*args", typeOnly},
    {"amd.cdna5.tdm.tensor_descriptor_type", "*args", typeOnly},
    {"amd.gfx1250.tdm.tensor_descriptor", "*args", typeOnly},
    {"amd.gfx1250.tdm.tensor_descriptor_type", "*args", typeOnly},
    {"nvidia.hopper.warpgroup_mma_accumulator", "*args", typeOnly},
    {"nvidia.hopper.warpgroup_mma_accumulator_type", "*args", typeOnly},
    {"nvidia.blackwell.tensor_memory_descriptor", "*args", typeOnly},
    {"nvidia.blackwell.tensor_memory_descriptor_type",
     "element_ty: dtype, shape: ints, layout: layout, alloc_shape: ints", makeType,
     tensorMemoryTypeDoc},
};

const Intrinsic *findLanguageIntrinsic(llvm::StringRef name) {
  for (const Intrinsic &intrinsic : intrinsics)
    if (intrinsic.name == name)
      return &intrinsic;
  return name == bankConflictsOfTypes().name ? &bankConflictsOfTypes() : nullptr;
}

void appendLanguageNames(std::vector<llvm::StringRef> &names) {
  for (const Intrinsic &intrinsic : intrinsics)
    if (!intrinsic.name.contains("triton."))
      names.push_back(intrinsic.name);
  names.push_back(bankConflictsOfTypes().name);
}

} // namespace gluonc::sema

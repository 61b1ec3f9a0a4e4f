// Functions of the language that run at compile time or steer the walk.

#include "sema/Language.h"

#include "sema/Arithmetic.h"
#include "sema/ops/Types.h"

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
  return builtin->emit(*context, call.arguments);
}

static MaybeValue makeConstexpr(Interpreter &interpreter, const IntrinsicCall &call) {
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
                   call.arguments.values.slice(3, 5));
}

/// `while tl.condition(c, …)`: the condition itself; its hint is about code motion in LLVM.
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

/// `f = gluon.jit(g)`: the same function, marked.
static MaybeValue markFunction(const Value &value, FunctionKind kind) {
  if (!value.is(ValueKind::Function))
    return value;
  auto copy = std::make_shared<Function>(value.asFunction());
  copy->kind = kind;
  return Value::function(std::move(copy));
}

static MaybeValue markJit(Interpreter &, const IntrinsicCall &call) {
  return call.has(0) ? markFunction(call[0], FunctionKind::Jit) : Value::builtin(&call.self);
}

static MaybeValue markConstexpr(Interpreter &, const IntrinsicCall &call) {
  return call.has(0) ? markFunction(call[0], FunctionKind::Constexpr) : Value::builtin(&call.self);
}

/// Host-side decorators around a kernel: the kernel itself is what matters here.
static MaybeValue passThrough(Interpreter &, const IntrinsicCall &call) {
  if (!call[0].items().empty())
    return call[0].items()[0];
  return Value::opaque(call.self.name.str());
}

/// `distributed_type(…)`, `shared_memory_descriptor_type(…)`: see ops/Types.h.
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

/// A class of the language named in `isinstance` and annotations; not constructed by user code.
static MaybeValue typeOnly(Interpreter &interpreter, const IntrinsicCall &call) {
  interpreter.report(Kind::NotSupportedYet, call.span, call.self.name).end();
  return std::nullopt;
}

static const Intrinsic intrinsics[] = {
    {"constexpr", "value", makeConstexpr},
    {"static_assert", "cond, msg=", staticAssert},
    {"static_print", "*values, sep=, end=, file=, flush=", staticPrint},
    {"static_range", "arg1, arg2=, step=", staticRange},
    {"range",
     "arg1, arg2=, step=, num_stages=, loop_unroll_factor=, disallow_acc_multi_buffer=, flatten=, "
     "warp_specialize=, disable_licm=",
     deviceRange},
    {"condition", "arg1, disable_licm=", loopCondition},
    {"cdiv", "x, div", cdiv},
    {"next_power_of_2", "n", nextPowerOf2},
    {"num_warps", "", numWarps},
    {"num_ctas", "", numCtas},
    {"pointer_type", "element_ty, address_space=, const=", pointerType},
    {"jit",
     "fn=, *, version=, repr=, launch_metadata=, do_not_specialize=, "
     "do_not_specialize_on_alignment=, debug=, noinline=",
     markJit},
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
    {"tuple", "args", makeTuple},
    {"tensor", "*args", typeOnly},
    {"shared_memory_descriptor", "*args", typeOnly},
    {"tensor_memory_descriptor", "*args", typeOnly},
    {"tensor_descriptor", "*args", typeOnly},
    {"distributed_type", "element_ty, shape, layout", makeType},
    {"shared_memory_descriptor_type", "element_ty, shape, layout, alloc_shape", makeType},
    {"dtype", "*args", typeOnly},
};

const Intrinsic *findLanguageIntrinsic(llvm::StringRef name) {
  for (const Intrinsic &intrinsic : intrinsics)
    if (intrinsic.name == name)
      return &intrinsic;
  return name == bankConflictsOfTypes().name ? &bankConflictsOfTypes() : nullptr;
}

void appendLanguageNames(std::vector<llvm::StringRef> &names) {
  for (const Intrinsic &intrinsic : intrinsics)
    names.push_back(intrinsic.name);
  names.push_back(bankConflictsOfTypes().name);
}

} // namespace gluonc::sema

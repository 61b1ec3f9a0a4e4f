//===- LaunchControl.cpp - Work of clusters that have not begun ---------------===//
#include "sema/builtins/nvidia/Hopper.h"

#include "ir/Encoding.h"
#include "ir/Views.h"

namespace gluonc::sema::ops {

/// A buffer of two int64 of which each CTA has a whole one; reports otherwise.
static bool answerArgument(Context &context, const BoundArgs &arguments, llvm::StringRef name) {
  const Value &value = arguments[name];
  bool fits = value.is(ValueKind::MemDesc) && bufferType(value).isShared() &&
              value.dtype() == dtypes::int64 && value.shape() == llvm::ArrayRef<int64_t>{2} &&
              !ringDims(bufferType(value));
  if (const layout::LinearLayout *memory = fits ? linearOrNull(bufferType(value)) : nullptr)
    fits = memory->sublayoutIsZero({layout::Dim::Block}, {layout::Dim::axis(0)});
  if (fits)
    return true;
  context
      .report(diag::Kind::ArgumentKind, arguments.span(name), name,
              "a buffer of two int64 in shared memory, of which each CTA has a whole one",
              value.typeName())
      .end();
  return false;
}

static Result emitTryCancel(Context &context, const BoundArgs &arguments) {
  if (!answerArgument(context, arguments, "result") ||
      !barrierArgument(context, arguments, "barrier"))
    return std::nullopt;
  const Value &barrier = arguments["barrier"];
  if (barrier.shape()[0] != int64_t(context.numCtas())) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("barrier"), "barrier",
                "a barrier with one element per CTA", barrier.typeName())
        .end();
    return std::nullopt;
  }
  ttng::CLCTryCancelOp::create(context.builder, context.loc(), arguments["result"].ir(),
                               barrier.ir());
  return Value::none();
}

static Result emitLoadResult(Context &context, const BoundArgs &arguments) {
  if (!answerArgument(context, arguments, "src"))
    return std::nullopt;
  return Value::launchAnswer(ttng::CLCLoadResultOp::create(
      context.builder, context.loc(), context.builder.getIntegerType(128), arguments["src"].ir()));
}

static Result emitIsCanceled(Context &context, const BoundArgs &arguments) {
  return tensor(ttng::CLCIsCanceledOp::create(context.builder, context.loc(),
                                              context.builder.getI1Type(), arguments["self"].ir()),
                dtypes::int1);
}

static Result emitProgramId(Context &context, const BoundArgs &arguments) {
  std::optional<int64_t> dim = intArgument(context, arguments, "dim");
  if (!dim)
    return std::nullopt;
  if (*dim < 0 || *dim > 2) {
    context.report(diag::Kind::AxisOutOfRange, arguments.span("dim"), *dim, 3).end();
    return std::nullopt;
  }
  return tensor(ttng::CLCGetProgramIdOp::create(context.builder, context.loc(),
                                                context.builder.getI32Type(),
                                                arguments["self"].ir(), tt::ProgramIDDim(*dim)),
                dtypes::int32);
}

static constexpr Traits onLaunchControl = {.needs = target::Feature::LaunchControl};

llvm::ArrayRef<Builtin> launchControlBuiltins() {
  static const Builtin table[] = {
      {"nvidia.blackwell.clc.try_cancel", "result: buffer, barrier: barrier", emitTryCancel,
       onLaunchControl, R"(
Asks for the work of a cluster that has not begun.

If there is one it is never launched: its programs are for the cluster that asked. The answer
comes into `result`, 16 bytes that the barrier counts; in a cluster each CTA gets it. After an
answer that there is none, do not ask again.

Gives: nothing.
Errors: another buffer than two int64, the same in each CTA; another barrier than one per CTA.

    # cuda:100a
    answer = gl.allocate_shared_memory(gl.int64, [2], line)
    blackwell.mbarrier.expect(bar, 16)
    blackwell.clc.try_cancel(answer, bar)
)"},
      {"nvidia.blackwell.clc.load_result", "src: buffer", emitLoadResult, onLaunchControl, R"(
Reads the answer to `try_cancel`, once its barrier says that it is there.

Gives: a clc_result, with `.is_canceled()` and `.program_id(dim)`.
Errors: another buffer than two int64, the same in each CTA.

    # cuda:100a
    answer = gl.allocate_shared_memory(gl.int64, [2], line)
    blackwell.mbarrier.expect(bar, 16)
    blackwell.clc.try_cancel(answer, bar)
    blackwell.mbarrier.wait(bar, 0)
    work = blackwell.clc.load_result(answer)
)"},
  };
  return table;
}

llvm::ArrayRef<Builtin> launchAnswerMethods() {
  static const Builtin table[] = {
      {"is_canceled", "self: value", emitIsCanceled, asFunction, R"(
Whether there was a cluster, whose work is to be done now.

Gives: an int1 scalar.
Errors: none.

    # cuda:100a
    answer = gl.allocate_shared_memory(gl.int64, [2], line)
    more = blackwell.clc.load_result(answer).is_canceled()
)"},
      {"program_id", "self: value, dim: int", emitProgramId, asFunction, R"(
The number of the program to do, as `gl.program_id(dim)` would have said it there.

It says nothing where there was none.

Gives: an int32 scalar.
Errors: a dim that is not 0, 1 or 2.

    # cuda:100a
    answer = gl.allocate_shared_memory(gl.int64, [2], line)
    x = blackwell.clc.load_result(answer).program_id(0)
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

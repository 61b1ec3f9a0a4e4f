//===- Schedule.cpp - AMD: hints for the order of instructions ----------------===//
#include "sema/builtins/Emit.h"

#include "ir/amdg/AmdOps.h"

namespace gluonc::sema::ops {

static Result emitSchedBarrier(Context &context, const BoundArgs &arguments) {
  const Value &allow = arguments["allow"];
  auto isNothing = [](const Value &value) { return value.isAbsent() || value.isNone(); };
  bool isKnown =
      isNothing(allow) || (allow.is(ValueKind::Tuple) && llvm::all_of(allow.items(), isNothing));
  if (!isKnown) {
    context
        .report(diag::Kind::ArgumentKind, arguments.span("allow"), "allow", "None",
                allow.typeName())
        .end();
    return std::nullopt;
  }
  rocdl::SchedBarrierOp::create(context.builder, context.loc(), rocdl::SchedGroup::None);
  return Value::none();
}

/// The mark of the stage's end. The statement `with` puts it behind the stage.
static Result emitPipelineStage(Context &context, const BoundArgs &arguments) {
  std::optional<llvm::StringRef> label = stringArgument(context, arguments, "label");
  if (!label)
    return std::nullopt;
  std::optional<int64_t> priority;
  if (isGiven(arguments["priority"])) {
    priority = intArgument(context, arguments, "priority");
    if (!priority)
      return std::nullopt;
    if (*priority < 0 || *priority > 3) {
      context
          .report(diag::Kind::BadArgument, arguments.span("priority"),
                  ("priorities are 0 to 3, not " + llvm::Twine(*priority)).str())
          .end();
      return std::nullopt;
    }
  }
  auto border =
      rocdl::SchedBarrierOp::create(context.builder, context.loc(), rocdl::SchedGroup::None);
  border->setAttr(rocdl::borderAttr, context.builder.getStringAttr(*label));
  if (priority)
    border->setAttr(rocdl::priorityAttr, context.builder.getI32IntegerAttr(*priority));
  return Value::none();
}

llvm::ArrayRef<Builtin> amdScheduleBuiltins() {
  static const Builtin table[] = {
      {"amd.hint.sched_barrier",
       "allow: value = None",
       emitSchedBarrier,
       {.needs = target::Feature::BufferAccess},
       R"(
Keeps the compiler from moving instructions across this line.

A hint: results are the same without it. Nothing may cross, and `allow` says so by None.

Gives: nothing.
Errors: `allow` that is something else.

    # hip:gfx942
    gl.amd.hint.sched_barrier()
)"},
      {"amd.warp_pipeline_stage",
       "label: str = 'cluster', *, priority: int = None",
       emitPipelineStage,
       {.needs = target::Feature::WarpPipeline},
       R"(
Makes the lines of a `with` a stage of a loop that two halves of the warps run in turns.

While one half loads, the other computes: warps from the fifth on are one stage behind. `label` is
the name of the stage, `priority` (0 to 3) that of its warps where both halves want to issue. What
one half does in a stage is at the same time as what the other does in the stage before, so
neighbours may not use the same bytes of shared memory. Warps wait for each other between stages; a
stage in which all of them meet once more makes the halves run alike.

Gives: what `with` takes, and nothing else.
Errors: other priorities; on the simulator neighbours that use the same bytes (GL5148).

    # hip:gfx950
    total = 0
    for k in range(4):
        with gl.amd.warp_pipeline_stage("load", priority=1):
            part = gl.load(counts + k)
        with gl.amd.warp_pipeline_stage("compute"):
            total += part
)"},
  };
  return table;
}

} // namespace gluonc::sema::ops

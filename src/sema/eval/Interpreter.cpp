#include "sema/eval/Interpreter.h"

#include "sema/names/ProgramState.h"
#include "sema/value/Arithmetic.h"

#include "ir/SourceLocation.h"
#include "support/Interrupt.h"
#include "support/Recovery.h"

namespace gluonc::sema {

using diag::Kind;

// Nested evaluation uses a few hundred bytes of stack a level, unoptimized a few thousand.
static constexpr unsigned maxDepth = 1500;

void Interpreter::addCallChain(diag::Builder &builder) const {
  for (const Frame *frame = current; frame; frame = frame->caller)
    if (frame->callSpan)
      (void)std::move(builder).label(frame->callSpan, "called from here");
}

mlir::Location Interpreter::location(mlir::MLIRContext *mlirContext, diag::Span span) {
  mlir::Location here = locationOf(mlirContext, span);
  // A call's own location is the same for all that is emitted inside: find it once per frame.
  Frame *frame = current;
  if (frame)
    here = withIndices(here, frame->unrolled);
  if (!frame || !frame->callSpan || frame->isOutlined)
    return here;
  if (!frame->callLocation) {
    current = frame->caller;
    mlir::Location call = location(mlirContext, frame->callSpan);
    frame->callLocation = frame->function ? withCallee(call, frame->function->name) : call;
    current = frame;
  }
  return mlir::CallSiteLoc::get(here, *frame->callLocation);
}

std::shared_ptr<Closure> Interpreter::capture() {
  Frame &frame = *current;
  // A function in its own scope is a circle, which the Program cuts at its end.
  program.state().captured.push_back(frame.sharedScope);
  auto closure = std::make_shared<Closure>();
  closure->scope = frame.sharedScope;
  if (frame.closure)
    closure->outer = std::make_shared<Closure>(*frame.closure);
  return closure;
}

bool Interpreter::step(diag::Span span) {
  WorkPlace::current() = {span.file, span.begin, span.end};
  mayStop();
  spend(stepCost);
  bool isTooDeep = depth > maxDepth || work.isTooDeep();
  if (!isTooDeep && !work.isSpent())
    return true;
  if (isTooDeep)
    report(Kind::NestingTooDeepToEvaluate, span)
        .label(span, "more than {0} inside each other",
               depth > maxDepth ? maxDepth : maxValueDepth);
  else
    report(Kind::EvaluationTooLong, span, maxSteps).end();
  isExhausted = true;
  return false;
}

MaybeValue Interpreter::text(std::string text, diag::Span span) {
  if (int64_t(text.size()) <= maxSequenceLength)
    return Value::string(std::move(text));
  report(Kind::NumberTooLarge, span).end();
  return std::nullopt;
}

} // namespace gluonc::sema

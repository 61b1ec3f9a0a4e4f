#include "sema/Interpreter.h"

#include "ir/SourceLocation.h"

namespace gluonc::sema {

using diag::Kind;

// Far above what kernels need (a persistent attention kernel takes some 30 000 steps), low
// enough that a runaway loop ends within a second or two.
static constexpr uint64_t maxSteps = 3'000'000;
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
  if (!frame || !frame->callSpan || frame->isOutlined)
    return here;
  if (!frame->callLocation) {
    current = frame->caller;
    frame->callLocation = location(mlirContext, frame->callSpan);
    current = frame;
  }
  return mlir::CallSiteLoc::get(here, *frame->callLocation);
}

bool Interpreter::step(diag::Span span) {
  if (depth > maxDepth) {
    report(Kind::NestingTooDeepToEvaluate, span).end();
    isExhausted = true;
    return false;
  }
  if (++steps > maxSteps) {
    report(Kind::EvaluationTooLong, span, maxSteps).end();
    isExhausted = true;
    return false;
  }
  return true;
}

} // namespace gluonc::sema

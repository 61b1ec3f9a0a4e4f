#include "support/Interrupt.h"

namespace gluonc {

using Clock = std::chrono::steady_clock;

static constexpr std::chrono::milliseconds patience(50);
/// Calls of mayStop for each look at the clock.
static constexpr unsigned callsPerLook = 64;

Interruptible *&Interruptible::current() {
  static thread_local Interruptible *active = nullptr;
  return active;
}

Interruptible::Interruptible(llvm::function_ref<bool()> ask)
    : ask(ask), outer(current()), next(Clock::now() + patience) {
  current() = this;
}

Interruptible::~Interruptible() { current() = outer; }

bool Interruptible::isStopped() {
  if (stopped || Clock::now() < next)
    return stopped;
  stopped = ask();
  next = Clock::now() + patience;
  return stopped;
}

void mayStop() {
  Interruptible *active = Interruptible::current();
  if (active && ++active->calls % callsPerLook == 0) [[unlikely]]
    mayStopHere();
}

void mayStopHere() {
  Interruptible *active = Interruptible::current();
  if (active && active->isStopped()) [[unlikely]]
    throw Interrupted();
}

} // namespace gluonc

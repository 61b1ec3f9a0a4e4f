//===- Interrupt.h - Work that its host may stop -----------------------------===//
//
// While an Interruptible is alive, its thread asks from time to time whether to go on: at
// statements, operations and passes, and while it waits for another program. Where it is told to
// stop, it leaves what it is at as after an internal error (Recovery.h), by Interrupted.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>

namespace gluonc {

/// Is thrown; what Recovery.h says of who catches holds.
struct Interrupted {};

class Interruptible {
public:
  /// `ask` says whether to stop; it is not asked again once it said so.
  explicit Interruptible(llvm::function_ref<bool()> ask);
  Interruptible(const Interruptible &) = delete;
  ~Interruptible();

  /// That of this thread; null where there is none.
  static Interruptible *&current();
  /// Asks, where 50 ms have gone by, and does not throw.
  bool isStopped();
  bool wasStopped() const { return stopped; }

private:
  friend void mayStop();

  llvm::function_ref<bool()> ask;
  Interruptible *outer;
  std::chrono::steady_clock::time_point next;
  unsigned calls = 0;
  bool stopped = false;
};

/// Throws where the thread is to stop. For what is called often: most calls do not even look at the
/// clock.
void mayStop();
/// The same for calls between which more than a moment may go by.
void mayStopHere();

} // namespace gluonc

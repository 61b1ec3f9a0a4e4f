#include "support/Forks.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <pthread.h>
#include <utility>

namespace gluonc {

/// One for the process. Its mutex is held for moments only, and through a fork.
struct ForkGate {
  /// A compilation takes less, but for enormous kernels.
  std::chrono::milliseconds patience{10'000};

  std::mutex mutex;
  std::condition_variable changed;
  unsigned working = 0;
  bool isForking = false;
  bool lostWork = false;
  ForkableMutex *mutexes = nullptr;

  static ForkGate &get() {
    // Never destroyed: threads may be at work while the process ends.
    static ForkGate &gate = *[] {
      auto *made = new ForkGate;
      pthread_atfork([] { get().prepare(); }, [] { get().afterInParent(); },
                     [] { get().afterInChild(); });
      return made;
    }();
    return gate;
  }

  void begin(std::unique_lock<std::mutex> &held) {
    changed.wait(held, [&] { return !isForking; });
    ++working;
  }
  void end() {
    --working;
    changed.notify_all();
  }

  void prepare();
  void afterInParent();
  void afterInChild();
};

/// How often AtWork is nested on this thread; zero while it is at rest.
static thread_local unsigned workDepth = 0;

void ForkGate::prepare() {
  std::unique_lock held(mutex);
  // Two threads may fork at once.
  changed.wait(held, [&] { return !isForking; });
  isForking = true;
  unsigned own = workDepth != 0;
  changed.wait_for(held, patience, [&] { return working == own; });
  held.release();
}

void ForkGate::afterInParent() {
  isForking = false;
  mutex.unlock();
  changed.notify_all();
}

void ForkGate::afterInChild() {
  unsigned own = workDepth != 0;
  lostWork |= working != own;
  working = own;
  isForking = false;
  for (ForkableMutex *each = mutexes; each; each = each->next)
    if (each->depth && each->owner != std::this_thread::get_id()) {
      each->depth = 0;
      each->wasAbandoned = true;
    }
  // Threads that are not there wait for them.
  new (&mutex) std::mutex;
  new (&changed) std::condition_variable;
}

/// Goes over to `depth` and tells the gate where that begins or ends the thread's work.
static void setDepth(unsigned depth) {
  unsigned before = std::exchange(workDepth, depth);
  if (!before == !depth)
    return;
  ForkGate &gate = ForkGate::get();
  std::unique_lock held(gate.mutex);
  if (depth)
    gate.begin(held);
  else
    gate.end();
}

AtWork::AtWork() : outerDepth(workDepth) { setDepth(outerDepth + 1); }

// An internal error takes scopes away without ending them, so that the depth may be any.
AtWork::~AtWork() { setDepth(outerDepth); }

AtRest::AtRest() : depth(workDepth) { setDepth(0); }

AtRest::~AtRest() { setDepth(depth); }

void setForkPatience(std::chrono::milliseconds patience) { ForkGate::get().patience = patience; }

bool lostWork() { return ForkGate::get().lostWork; }

ForkableMutex::ForkableMutex() {
  ForkGate &gate = ForkGate::get();
  std::lock_guard held(gate.mutex);
  previous = nullptr;
  next = gate.mutexes;
  if (next)
    next->previous = this;
  gate.mutexes = this;
}

ForkableMutex::~ForkableMutex() {
  ForkGate &gate = ForkGate::get();
  std::lock_guard held(gate.mutex);
  (previous ? previous->next : gate.mutexes) = next;
  if (next)
    next->previous = previous;
}

void ForkableMutex::lock() {
  ForkGate &gate = ForkGate::get();
  std::unique_lock held(gate.mutex);
  if (depth && owner == std::this_thread::get_id()) {
    ++depth;
    return;
  }
  if (workDepth)
    gate.end();
  gate.changed.wait(held, [&] { return !depth && !gate.isForking; });
  if (workDepth)
    ++gate.working;
  owner = std::this_thread::get_id();
  depth = 1;
}

void ForkableMutex::unlock() {
  ForkGate &gate = ForkGate::get();
  std::lock_guard held(gate.mutex);
  if (--depth == 0)
    gate.changed.notify_all();
}

bool ForkableMutex::takeAbandoned() {
  std::lock_guard held(ForkGate::get().mutex);
  return std::exchange(wasAbandoned, false);
}

} // namespace gluonc

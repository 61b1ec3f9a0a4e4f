//===- Forks.h - Threads at work while another one forks --------------------===//
//
// fork() copies the calling thread alone: locks that others hold stay locked in the child,
// and what they were in the midst of stays half done, in LLVM's global tables as well as in
// ours. So fork() waits until no thread is at work, and meanwhile none begins.
//
// It must not wait for one that itself waits for the thread that forks. Whoever calls into
// the host (which may need the host's locks: Python's), waits for another program, for a
// ForkableMutex or for a simulated grid, is at rest meanwhile.
//
// A child of a process that did not come to rest in time is told so by `lostWork`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <thread>

namespace gluonc {

/// For its lifetime the thread is at work. May be nested.
class AtWork {
public:
  AtWork();
  ~AtWork();
  AtWork(const AtWork &) = delete;

private:
  unsigned outerDepth;
};

/// For its lifetime the thread, if it was at work, is not.
class AtRest {
public:
  AtRest();
  ~AtRest();
  AtRest(const AtRest &) = delete;

private:
  /// How often it is nested.
  unsigned depth;
};

/// Whether this process was forked while another thread was at work for longer than fork() waits:
/// nothing that may be at work can be used in it.
bool lostWork();

/// How long fork() waits, for tests.
void setForkPatience(std::chrono::milliseconds patience);

/// A recursive mutex for threads at work. In a child those that other threads held are free.
class ForkableMutex {
public:
  ForkableMutex();
  ~ForkableMutex();
  ForkableMutex(const ForkableMutex &) = delete;
  void lock();
  void unlock();
  /// Whether a thread held it that a fork did not copy; told once, to who holds it now.
  bool takeAbandoned();

private:
  friend struct ForkGate;
  std::thread::id owner;
  unsigned depth = 0;
  bool wasAbandoned = false;
  /// All of them, for a child.
  ForkableMutex *next, *previous;
};

} // namespace gluonc

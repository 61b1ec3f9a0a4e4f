#include "remote/Deadline.h"
#include "support/Forks.h"

#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <pthread.h>

namespace gluonc::remote {

namespace {
struct Shared {
  std::function<void()> body;
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
};
} // namespace

static void *work(void *given) {
  std::unique_ptr<std::shared_ptr<Shared>> holder(static_cast<std::shared_ptr<Shared> *>(given));
  std::shared_ptr<Shared> shared = *holder;
  shared->body();
  // What it owns goes before somebody who waits goes on.
  shared->body = nullptr;
  std::lock_guard guard(shared->mutex);
  shared->isDone = true;
  shared->changed.notify_all();
  return nullptr;
}

static bool startDetached(std::shared_ptr<Shared> shared) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes))
    return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // Signals are the host's threads'.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto holder = std::make_unique<std::shared_ptr<Shared>>(std::move(shared));
  pthread_t thread;
  bool isStarted = !pthread_create(&thread, &attributes, work, holder.get());
  if (isStarted)
    (void)holder.release();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return isStarted;
}

bool runWithin(std::chrono::milliseconds limit, std::function<void()> body) {
  auto shared = std::make_shared<Shared>();
  shared->body = std::move(body);
  // A storage of the host's may need the host's locks.
  AtRest waiting;
  if (!startDetached(shared))
    return false;
  std::unique_lock lock(shared->mutex);
  return shared->changed.wait_for(lock, limit, [&] { return shared->isDone; });
}

} // namespace gluonc::remote

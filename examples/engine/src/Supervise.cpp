#include "Supervise.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace engine {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds firstPause{500}, longestPause{30'000}, longLife{60'000};

sigset_t watchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGCHLD})
    sigaddset(&set, signal);
  return set;
}

pid_t startWorker(std::span<const char *const> arguments, const sigset_t &former) {
  std::vector<char *> values = {const_cast<char *>("engine")};
  for (const char *argument : arguments)
    values.push_back(const_cast<char *>(argument));
  values.push_back(nullptr);
  const pid_t parent = getpid(), child = fork();
  if (child)
    return child;
  // A worker does not outlive its supervisor.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    _exit(exitDone);
  sigprocmask(SIG_SETMASK, &former, nullptr);
  execv("/proc/self/exe", values.data());
  _exit(127);
}

std::string describe(int status) {
  if (WIFSIGNALED(status))
    return "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

/// Waits for a signal to stop, and passes it on to the worker, or for the worker's end. Gives the
/// worker's status.
int waitForWorker(pid_t worker, const sigset_t &signals, bool &isStopping) {
  int status = 0;
  while (waitpid(worker, &status, WNOHANG) == 0) {
    const int signal = sigwaitinfo(&signals, nullptr);
    if (signal == SIGTERM || signal == SIGINT) {
      isStopping = true;
      kill(worker, SIGTERM);
    }
  }
  return status;
}

/// True where a signal to stop came before the time was over.
bool pause(std::chrono::milliseconds time, const sigset_t &signals) {
  const Clock::time_point end = Clock::now() + time;
  while (Clock::now() < end) {
    const auto left =
        std::chrono::duration_cast<std::chrono::nanoseconds>(end - Clock::now()).count();
    const timespec wait = {left / 1'000'000'000, left % 1'000'000'000};
    const int signal = sigtimedwait(&signals, nullptr, &wait);
    if (signal == SIGTERM || signal == SIGINT)
      return true;
  }
  return false;
}

} // namespace

int supervise(std::span<const char *const> arguments) {
  const sigset_t signals = watchedSignals();
  sigset_t former;
  sigprocmask(SIG_BLOCK, &signals, &former);
  bool isStopping = false;
  std::chrono::milliseconds time = firstPause;
  for (;;) {
    const Clock::time_point start = Clock::now();
    const pid_t worker = startWorker(arguments, former);
    if (worker < 0) {
      fprintf(stderr, "engine: no process for the worker: %s\n", strerror(errno));
    } else {
      fprintf(stderr, "engine: worker %d runs\n", int(worker));
      const int status = waitForWorker(worker, signals, isStopping);
      const bool isFinal = WIFEXITED(status) &&
                           (WEXITSTATUS(status) == exitDone || WEXITSTATUS(status) == exitUsage);
      if (isFinal || isStopping)
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
      const double life = std::chrono::duration<double>(Clock::now() - start).count();
      if (Clock::now() - start >= longLife)
        time = firstPause;
      fprintf(stderr, "engine: worker %d %s after %.1f s; the next starts in %.1f s\n", int(worker),
              describe(status).c_str(), life, std::chrono::duration<double>(time).count());
    }
    if (pause(time, signals))
      return 0;
    time = std::min(2 * time, longestPause);
  }
}

} // namespace engine

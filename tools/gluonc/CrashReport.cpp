//===- CrashReport.cpp - What is said when gluonc itself fails ---------------===//
#include "Session.h"
#include "support/Error.h"

#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gluonc::tool {

/// Made at start: a crash leaves no room for strings.
static char reproducer[1 << 14];
/// Where reports go, with room for the rest of their path.
static char reportPath[1 << 10];

static void say(int file, const char *text) {
  ssize_t ignored = write(file, text, std::strlen(text));
  (void)ignored;
}

/// A new file in a new folder that nobody could foresee and only this user can open; its path is
/// in `reportPath`. Negative where there is none. Async-signal-safe.
static int openReport() {
  // Of two threads that crash, and of a crash in here, the first one reports.
  static std::atomic_flag taken;
  unsigned char random[8];
  if (!*reportPath || taken.test_and_set() || getentropy(random, sizeof random))
    return -1;
  char *end = reportPath + std::strlen(reportPath);
  for (unsigned char byte : random) {
    *end++ = "0123456789abcdef"[byte >> 4];
    *end++ = "0123456789abcdef"[byte & 15];
  }
  *end = '\0';
  if (mkdir(reportPath, 0700))
    return -1;
  int folder = open(reportPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  struct stat status;
  if (folder < 0 || fstat(folder, &status) || status.st_uid != geteuid() ||
      (status.st_mode & 0777) != 0700)
    return -1;
  std::strcpy(end, "/report.txt");
  return openat(folder, end + 1, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
}

static void setReportFolder() {
  const char *temporary = std::getenv("TMPDIR");
  std::string path = temporary && *temporary ? temporary : "/tmp";
  path += "/gluonc-crash-";
  // Without room for the rest there is no report.
  if (path.size() + 32 < sizeof reportPath)
    std::strcpy(reportPath, path.c_str());
}

/// Async-signal-safe: write, open and mkdir only.
[[noreturn]] static void dieWith(const char *first, const char *second) {
  say(STDERR_FILENO, "gluonc: internal error: ");
  say(STDERR_FILENO, first);
  say(STDERR_FILENO, second);
  if (int file = openReport(); file >= 0) {
    say(file, reproducer);
    say(file, "\n# ");
    say(file, first);
    say(file, second);
    say(file, "\n");
    close(file);
    say(STDERR_FILENO, "\ngluonc: this is a bug of gluonc; how to reproduce it is in ");
    say(STDERR_FILENO, reportPath);
  } else {
    say(STDERR_FILENO, "\ngluonc: this is a bug of gluonc; to reproduce it: ");
    say(STDERR_FILENO, reproducer);
  }
  say(STDERR_FILENO, "\n");
  _exit(70);
}

static void onInternalError(const char *file, int line, std::string_view what) {
  std::string place = std::string(file) + ":" + std::to_string(line) + ": ";
  dieWith(place.c_str(), std::string(what).c_str());
}

static void onFatalError(void *, const char *reason, bool) { dieWith(reason, ""); }

static void onSignal(int signal) {
  dieWith(signal == SIGSEGV   ? "segmentation fault"
          : signal == SIGABRT ? "abort"
          : signal == SIGFPE  ? "arithmetic fault"
                              : "bad instruction or bus error",
          "");
}

void installCrashHandlers(llvm::StringRef commandLine) {
  size_t length = std::min(commandLine.size(), sizeof reproducer - 1);
  std::memcpy(reproducer, commandLine.data(), length);
  setReportFolder();
  setInternalErrorHandler(onInternalError);
  llvm::install_fatal_error_handler(onFatalError);
  // A stack of its own, since the usual reason is that the stack is full.
  static char stack[1 << 16];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS})
    sigaction(signal, &action, nullptr);
}

} // namespace gluonc::tool

#include "support/Recovery.h"

#include "support/Error.h"

#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <utility>

namespace gluonc {

static thread_local unsigned activeRecoveries = 0;
static std::atomic<const char *> planted = nullptr;

bool Recovery::isActive() { return activeRecoveries; }

Recovery::Recovery() {
  [[maybe_unused]] static const bool taken = [] {
    llvm::install_fatal_error_handler(
        [](void *, const char *reason, bool) { internalError("LLVM", 0, reason); });
    llvm::install_bad_alloc_error_handler([](void *, const char *reason, bool) {
      if (Recovery::isActive())
        throw std::bad_alloc();
      internalError("LLVM", 0, reason);
    });
    return true;
  }();
  ++activeRecoveries;
}

Recovery::~Recovery() { --activeRecoveries; }

std::optional<InternalError> recover(bool recovers, llvm::function_ref<void()> body) {
  if (!recovers) {
    body();
    return std::nullopt;
  }
  try {
    Recovery recovery;
    body();
    return std::nullopt;
  } catch (InternalError &error) {
    return std::move(error);
  } catch (const std::exception &error) {
    return InternalError{error.what()};
  }
}

void raiseAgain(InternalError error) { throw error; }

WorkPlace &WorkPlace::current() {
  static thread_local WorkPlace place;
  return place;
}

void beginStage(const char *stage) {
  WorkPlace::current() = {};
  const char *wanted = planted.load(std::memory_order_relaxed);
  if (wanted && std::strcmp(wanted, stage) == 0) [[unlikely]] {
    planted = nullptr;
    GL_ICE("planted by a test");
  }
}

void plantInternalError(const char *stage) { planted = stage; }

} // namespace gluonc

/// Takes the place of the C library's, for the code that this is linked with: a failed assertion
/// is an internal error. <cassert> promises that it does not throw, so this file does without.
extern "C" [[noreturn]] void __assert_fail(const char *condition, const char *file, unsigned line,
                                           const char *function) {
  if (gluonc::Recovery::isActive())
    gluonc::internalError(file, static_cast<int>(line),
                          std::string("assertion failed: ") + condition);
  using Function = void (*)(const char *, const char *, unsigned, const char *);
  reinterpret_cast<Function>(dlsym(RTLD_NEXT, "__assert_fail"))(condition, file, line, function);
  __builtin_unreachable();
}

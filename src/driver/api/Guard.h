//===- Guard.h - One call of the C API ---------------------------------------===//
//
// Every function of the API that does more than hand on what it has runs its body in
// `guarded`: arguments that must not be null are checked, the thread counts as at work
// (support/Forks.h), and an internal error comes back as a status (support/Recovery.h).
// What holds a lock or a compiler meanwhile is told by its destructor.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "driver/api/Handles.h"
#include "sema/eval/Unfinished.h"
#include "support/Forks.h"
#include "support/Interrupt.h"
#include "support/Recovery.h"

#include <cstring>
#include <initializer_list>
#include <new>

namespace gluonc::api {

/// An argument that must not be null.
struct Needed {
  const char *name;
  const void *value;
};

/// What a call works on, for the report of an internal error.
struct Subject {
  const gluonc_specialization *specialization = nullptr;
  std::string target = {};
};

/// That of an executable.
Subject subjectOf(const gluonc_executable *executable);

/// A caller's options as this library has them: what theirs lack is zero. Nullopt after a report.
template <typename Options>
std::optional<Options> readSized(const Options *given, gluonc_error **error) {
  Options made = {};
  made.size = sizeof(Options);
  if (!given)
    return made;
  if (given->size < sizeof(size_t)) {
    fail(GLUONC_USAGE_ERROR, "the size of a structure of options is not set", error);
    return std::nullopt;
  }
  std::memcpy(&made, given, std::min(given->size, sizeof(Options)));
  auto *bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof(Options); i < given->size; ++i)
    if (bytes[i]) {
      fail(GLUONC_USAGE_ERROR, "options of a later version of gluonc are set", error);
      return std::nullopt;
    }
  made.size = sizeof(Options);
  return made;
}

gluonc_status failStopped(gluonc_error **error);
gluonc_status reportInternalError(const char *what, const Subject &subject, gluonc_error **error);
/// GLUONC_OK, or the report that this process cannot do the call, or that an argument is null.
gluonc_status checkCall(std::initializer_list<Needed> needed, gluonc_error **error);

template <typename Body>
gluonc_status guarded(gluonc_error **error, std::initializer_list<Needed> needed, Body &&body,
                      const Subject &subject = {}) {
  try {
    Recovery recovery;
    AtWork working;
    if (gluonc_status status = checkCall(needed, error))
      return status;
    WorkPlace::current() = {};
    return body();
  } catch (const Interrupted &) {
    return failStopped(error);
  } catch (const InternalError &failure) {
    return reportInternalError(failure.what.c_str(), subject, error);
  } catch (const std::bad_alloc &) {
    return reportInternalError("out of memory", subject, error);
  } catch (const std::exception &failure) {
    return reportInternalError(failure.what(), subject, error);
  }
}

/// A `body` of `guarded` that the host may stop.
template <typename Body>
gluonc_status stoppable(EngineState &engine, gluonc_error **error, Body &&body) {
  auto ask = [&, settings = engine.launchSettings(), before = engine.cancellations.load()] {
    AtRest asking;
    return engine.cancellations != before ||
           (settings.interrupt && settings.interrupt(settings.interruptUser));
  };
  Interruptible asking(ask);
  gluonc_status status = body();
  if (!asking.wasStopped())
    return status;
  // What became of it is the host's doing.
  if (error)
    gluonc_error_destroy(*error);
  return failStopped(error);
}

/// The engine's lock, to evaluate, in a module where there is one. What an internal error leaves
/// half evaluated is forgotten.
class EngineLock {
public:
  explicit EngineLock(EngineState &engine, std::shared_ptr<ModuleState> module = nullptr);
  EngineLock(const EngineLock &) = delete;
  ~EngineLock();

private:
  EngineState &engine;
  std::shared_ptr<ModuleState> module;
  sema::WorkMark mark;
  int exceptions;
};

/// A compiler of an engine for the length of one compilation. After some of them it is destroyed:
/// MLIR keeps every attribute that was ever made in a context.
class CompilerLease {
public:
  /// Takes the engine's lock for a moment, as the destructor does.
  explicit CompilerLease(std::shared_ptr<EngineState> engine);
  CompilerLease(const CompilerLease &) = delete;
  /// After an internal error nobody knows what state the compiler is in: it is never used again,
  /// and never destroyed.
  ~CompilerLease();
  driver::Compiler &operator*() const { return *leased.compiler; }
  driver::Compiler *operator->() const { return leased.compiler.get(); }

private:
  static constexpr unsigned mostUses = 128;

  std::shared_ptr<EngineState> engine;
  IdleCompiler leased;
  int exceptions;
};

} // namespace gluonc::api

//===- Error.h - Internal errors -------------------------------------------===//
//
// Our own bugs go through here, and only those: GL_ICE / GL_UNREACHABLE name
// the place in the compiler. In the program gluonc a handler says so and ends the
// process; in a call of the library they come back to its caller (Recovery.h).
// User mistakes go to diag::Sink; the outside world (files, driver, ptxas)
// returns llvm::Error.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace gluonc {

/// Called once with the place and text of an internal error before the process ends, where no
/// Recovery is alive.
using InternalErrorHandler = void (*)(const char *file, int line, std::string_view what);

/// Installs `handler` for the whole process; returns the previous one.
InternalErrorHandler setInternalErrorHandler(InternalErrorHandler handler);

[[noreturn]] void internalError(const char *file, int line, std::string_view what);

} // namespace gluonc

/// Reports a bug of the compiler itself. Never reachable from user input alone.
#define GL_ICE(what) ::gluonc::internalError(__FILE__, __LINE__, what)
#define GL_UNREACHABLE(what) GL_ICE(what)
#define GL_CHECK(condition)                                                                        \
  do {                                                                                             \
    if (!(condition)) [[unlikely]]                                                                 \
      GL_ICE("violated: " #condition);                                                             \
  } while (false)

//===- Recovery.h - Internal errors that leave the process alive ------------===//
//
// A library must not end its host. While a Recovery is alive, an internal error of its
// thread is a C++ exception: GL_ICE and GL_CHECK, assertions (those in LLVM's headers,
// too), LLVM's fatal errors as InternalError, memory that is not to be had as
// std::bad_alloc.
//
// Nearly all of the compiler is compiled without exceptions, as LLVM is. Its frames are
// unwound, but nothing in them is destroyed. So only files that are compiled with
// exceptions (src/driver/api) catch, and only they hold locks meanwhile; and whoever
// catches never uses again what was in use, an MLIRContext above all.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gluonc {

/// What an internal error says: "src/layout/named/Layouts.cpp:12: violated: rank != 0".
struct InternalError {
  std::string what;
};

class Recovery {
public:
  /// The first one also takes over LLVM's fatal errors, for the process.
  Recovery();
  ~Recovery();
  Recovery(const Recovery &) = delete;
  /// Whether one is alive on this thread.
  static bool isActive();
};

/// Runs `body` on any thread for a caller that has a Recovery if `recovers`. What an internal error
/// of it says; the caller raises that again once it is safe to.
std::optional<InternalError> recover(bool recovers, llvm::function_ref<void()> body);
[[noreturn]] void raiseAgain(InternalError error);

/// Which part of the kernel a thread is at work on, for the report of an internal error: what was
/// set last, a place in a source file or an MLIR location.
struct WorkPlace {
  /// diag::SourceFile.
  const void *file = nullptr;
  uint32_t begin = 0, end = 0;
  /// mlir::Location, where `file` is null.
  const void *location = nullptr;

  static WorkPlace &current();
};

/// Says that a stage of the compiler or the simulator begins ("sema", "transform", "codegen",
/// "simulate"), which is not at work on any place yet.
void beginStage(const char *stage);
/// For tests of what becomes of internal errors: the process's next `beginStage(stage)` is one.
/// Null: none.
void plantInternalError(const char *stage);

} // namespace gluonc

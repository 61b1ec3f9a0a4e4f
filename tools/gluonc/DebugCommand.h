//===- DebugCommand.h - What the prompt and the protocol of `gluonc debug` share ---===//
#pragma once

#include "Session.h"
#include "debug/Debugger.h"

namespace gluonc::tool {

/// A kernel under a debugger, and what that needs alive.
struct DebuggedKernel {
  std::unique_ptr<LoadedKernel> loaded;
  BoundLaunch launch;
  std::unique_ptr<sim::Executable> executable;
  std::optional<debug::Debugger> debugger;
};

/// What the session's command line asks for. Null after a report or a usage error, whose exit
/// status is in `status`.
std::unique_ptr<DebuggedKernel> debugKernel(Session &session, int &status);

/// Speaks the Debug Adapter Protocol on the standard streams until the client leaves.
int serveDebugAdapter(Session &session);

} // namespace gluonc::tool

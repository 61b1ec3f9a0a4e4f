//===- Supervise.h - A server that comes back ------------------------------------===//
#pragma once

#include <span>

namespace engine {

/// The worker's exit statuses that starting it again would not change: it ended as asked, and what
/// it was given is wrong.
inline constexpr int exitDone = 0, exitUsage = 2;
/// The device is lost; a new process may have it again.
inline constexpr int exitLost = 3;

/// Runs this program again, with these arguments, until it ends by one of the statuses above or
/// SIGTERM or SIGINT comes, which it passes on. Says on stderr how the worker died, and waits
/// before it starts the next: half a second, twice as long each time up to half a minute, and from
/// the start again when one has lived for a minute. Gives the exit status.
int supervise(std::span<const char *const> arguments);

} // namespace engine

//===- Deadline.h - Waiting for what may never end -----------------------------===//
//
// A disk of a network may hang for good, and so may the look-up of a server's name, whatever limits
// are set. So such calls are another thread's, and who waits for them gives up.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <functional>

namespace gluonc::remote {

/// Runs `body` on a thread of its own, without signals. False where it has not ended in time, or no
/// thread is to be had: it then goes on alone, so it must own what it uses.
bool runWithin(std::chrono::milliseconds limit, std::function<void()> body);

} // namespace gluonc::remote

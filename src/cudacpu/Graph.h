//===- Graph.h - Work that is recorded and done again -----------------------------===//
#pragma once

#include "cudacpu/Driver.h"

namespace gluonc::cudacpu {

/// Does what a node says; with the lock held, which it may give up meanwhile.
using Work = std::function<Result(Call &)>;

struct Node {
  Work work;
  /// Earlier ones that it follows.
  std::vector<size_t> after;
};

/// Nodes in an order in which they can be done; what is instantiated is a copy.
struct Graph {
  std::vector<Node> nodes;
  /// What its nodes give and take back: freed when the last copy goes.
  std::shared_ptr<struct GraphMemory> memory;
};

/// Numbers of CUstreamCaptureMode and CUstreamCaptureStatus.
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };
enum class CaptureStatus : int { None = 0, Active = 1, Invalidated = 2 };

struct Capture {
  Context *context = nullptr;
  Stream *origin = nullptr;
  CaptureMode mode = CaptureMode::Global;
  std::thread::id thread;
  uint64_t number = 0;
  CaptureStatus status = CaptureStatus::Active;
  Graph graph;
};

/// Addresses that a graph's own allocations have, for as long as the graph or a copy lives.
struct GraphMemory {
  std::vector<uint64_t> addresses;
  ~GraphMemory();
};

/// Does the work, or adds it to the capture of the stream.
Result submit(Call &call, const void *stream, Work work);
/// The same where the stream was looked up.
Result submit(Call &call, Stream &stream, Work work);

/// Ends a capture without a graph.
void dropCapture(Driver &driver, Capture &capture);
/// Makes a stream wait for an event: of a capture, it becomes a part of that.
Result joinCapture(Call &call, Stream &stream, const Event &event);
/// For work in the legacy stream: streamCaptureImplicit, and captures are invalidated, if a stream
/// that waits for it is captured.
Result checkLegacy(Call &call);
/// For calls that could wait for what is captured: streamCaptureUnsupported, and captures are
/// invalidated, if the thread may not make them now.
Result checkUnsafe(Call &call);

} // namespace gluonc::cudacpu

//===- Graphs.cpp - Captures and graphs ---------------------------------------------===//
#include "cudacpu/Api.h"
#include "cudacpu/Graph.h"

using namespace gluonc;
using namespace gluonc::cudacpu;

namespace gluonc::cudacpu {

GraphMemory::~GraphMemory() {
  Memory &memory = driver()->memory;
  for (uint64_t address : addresses)
    if (Allocation *own = memory.findBegin(address))
      memory.free(*own);
}

/// Streams of a capture are nobody's any more.
static void release(Driver &driver, const Capture &capture) {
  auto leave = [&](Stream &stream) {
    if (stream.capture != &capture)
      return;
    stream.capture = nullptr;
    stream.tails.clear();
  };
  driver.streams.each(leave);
  driver.contexts.each([&](Context &context) { leave(context.perThread); });
}

void dropCapture(Driver &driver, Capture &capture) {
  release(driver, capture);
  driver.captures.remove(&capture);
}

Result checkUnsafe(Call &call) {
  auto mode = static_cast<CaptureMode>(threadState().captureMode);
  if (mode == CaptureMode::Relaxed)
    return success;
  Result result = success;
  call->captures.each([&](Capture &capture) {
    bool isOwn = capture.thread == std::this_thread::get_id();
    bool forbids = isOwn ? capture.mode != CaptureMode::Relaxed
                         : mode == CaptureMode::Global && capture.mode == CaptureMode::Global;
    if (!forbids)
      return;
    capture.status = CaptureStatus::Invalidated;
    result = streamCaptureUnsupported;
  });
  return result;
}

/// Captures of streams that wait for the legacy one.
static std::vector<Capture *> blockedByLegacy(Call &call) {
  constexpr unsigned nonBlocking = 1;
  std::vector<Capture *> found;
  call->captures.each([&](Capture &capture) {
    if (capture.context == &call.context() && !(capture.origin->flags & nonBlocking))
      found.push_back(&capture);
  });
  return found;
}

Result checkLegacy(Call &call) {
  std::vector<Capture *> blocked = blockedByLegacy(call);
  for (Capture *capture : blocked)
    capture->status = CaptureStatus::Invalidated;
  return blocked.empty() ? success : streamCaptureImplicit;
}

Result submit(Call &call, Stream &stream, Work work) {
  Capture *capture = stream.capture;
  if (!capture) {
    if (&stream == &call.context().legacy)
      if (Result failure = checkLegacy(call))
        return failure;
    return work(call);
  }
  if (capture->status == CaptureStatus::Invalidated)
    return streamCaptureInvalidated;
  std::vector<Node> &nodes = capture->graph.nodes;
  nodes.push_back({std::move(work), stream.tails});
  stream.tails = {nodes.size() - 1};
  return success;
}

Result submit(Call &call, const void *handle, Work work) {
  Stream *stream = call->stream(handle, call.context());
  return stream ? submit(call, *stream, std::move(work)) : invalidHandle;
}

Result joinCapture(Call &call, Stream &stream, const Event &event) {
  Capture *capture = nullptr;
  call->captures.each([&](Capture &known) {
    if (known.number == event.captureNumber)
      capture = &known;
  });
  if (event.captureNumber && !capture)
    return capturedEvent;
  // What came before the capture is over.
  if (!capture)
    return stream.capture ? streamCaptureIsolation : success;
  if (stream.capture && stream.capture != capture)
    return streamCaptureIsolation;
  if (&stream == &call.context().legacy)
    return streamCaptureImplicit;
  stream.capture = capture;
  for (size_t node : event.nodes)
    if (!llvm::is_contained(stream.tails, node))
      stream.tails.push_back(node);
  return success;
}

/// Whether the stream's last nodes come after all others.
static bool hasJoined(const Graph &graph, const Stream &origin) {
  std::vector<bool> isFollowed(graph.nodes.size());
  for (const Node &node : graph.nodes)
    for (size_t before : node.after)
      isFollowed[before] = true;
  for (size_t i = 0; i != graph.nodes.size(); ++i)
    if (!isFollowed[i] && !llvm::is_contained(origin.tails, i))
      return false;
  return true;
}

static Result doAll(Call &call, const Graph &graph) {
  for (const Node &node : graph.nodes)
    if (Result failure = node.work(call))
      return failure;
  return success;
}

} // namespace gluonc::cudacpu

// -- Captures --------------------------------------------------------------------

int cuStreamBeginCapture_v2(void *handle, int mode) {
  GL_ENTER(call, AContext);
  Stream *stream = call->stream(handle, call.context());
  if (!stream)
    return invalidHandle;
  if (mode < 0 || mode > static_cast<int>(CaptureMode::Relaxed))
    return invalidValue;
  if (stream == &call.context().legacy)
    return streamCaptureUnsupported;
  if (stream->capture)
    return invalidValue;
  Capture capture;
  capture.context = &call.context();
  capture.origin = stream;
  capture.mode = static_cast<CaptureMode>(mode);
  capture.thread = std::this_thread::get_id();
  capture.number = ++call->count;
  stream->capture = call->captures.add(std::move(capture));
  stream->tails.clear();
  return success;
}

int cuStreamEndCapture(void *handle, void **graph) {
  GL_ENTER(call, AContext);
  Stream *stream = call->stream(handle, call.context());
  if (!stream)
    return invalidHandle;
  if (!graph)
    return invalidValue;
  *graph = nullptr;
  Capture *capture = stream->capture;
  if (!capture)
    return invalidValue;
  if (capture->origin != stream)
    return streamCaptureUnmatched;
  if (capture->mode != CaptureMode::Relaxed && capture->thread != std::this_thread::get_id())
    return streamCaptureWrongThread;
  Result result = capture->status == CaptureStatus::Invalidated ? streamCaptureInvalidated
                  : hasJoined(capture->graph, *stream)          ? success
                                                                : streamCaptureUnjoined;
  if (result == success)
    *graph = call->graphs.add(std::move(capture->graph));
  dropCapture(*call, *capture);
  return result;
}

static Result captureInfo(void *handle, int *status, uint64_t *number) {
  GL_ENTER(call, AContext);
  Stream *stream = call->stream(handle, call.context());
  if (!stream)
    return invalidHandle;
  if (!status)
    return invalidValue;
  if (stream == &call.context().legacy && !blockedByLegacy(call).empty())
    return streamCaptureImplicit;
  *status = static_cast<int>(stream->capture ? stream->capture->status : CaptureStatus::None);
  if (number && stream->capture)
    *number = stream->capture->number;
  return success;
}
int cuStreamIsCapturing(void *handle, int *status) { return captureInfo(handle, status, nullptr); }
int cuStreamGetCaptureInfo(void *handle, int *status, uint64_t *number) {
  return captureInfo(handle, status, number);
}

int cuThreadExchangeStreamCaptureMode(int *mode) {
  if (!mode || *mode < 0 || *mode > static_cast<int>(CaptureMode::Relaxed))
    return invalidValue;
  std::swap(*mode, threadState().captureMode);
  return success;
}

// -- Graphs ----------------------------------------------------------------------

int cuGraphCreate(void **graph, unsigned flags) {
  GL_ENTER(call, TheDriver);
  if (!graph || flags)
    return invalidValue;
  *graph = call->graphs.add({});
  return success;
}

int cuGraphDestroy(void *graph) {
  GL_ENTER(call, TheDriver);
  return call->graphs.remove(graph) ? success : invalidValue;
}

int cuGraphClone(void **clone, void *graph) {
  GL_ENTER(call, TheDriver);
  Graph *found = call->graphs.find(graph);
  if (!clone || !found)
    return invalidValue;
  // Memory has one address, and one graph that takes it.
  if (found->memory)
    return notSupported;
  *clone = call->graphs.add(*found);
  return success;
}

static Result instantiate(void **executable, void *graph) {
  GL_ENTER(call, AContext);
  Graph *found = call->graphs.find(graph);
  if (!executable || !found)
    return invalidValue;
  *executable = call->executables.add(std::make_shared<const Graph>(*found));
  return success;
}

int cuGraphInstantiateWithFlags(void **executable, void *graph, uint64_t flags) {
  // Of these 1 (free memory at launch) and 8 (priorities of nodes) change nothing here.
  constexpr uint64_t ofDevice = 4;
  return flags & ofDevice ? notSupported : instantiate(executable, graph);
}
int cuGraphInstantiate_v2(void **executable, void *graph, void **node, char *log, size_t bytes) {
  if (node)
    *node = nullptr;
  if (log && bytes)
    *log = 0;
  return instantiate(executable, graph);
}

int cuGraphExecUpdate_v2(void *executable, void *graph, GraphUpdate *info) {
  GL_ENTER(call, AContext);
  std::shared_ptr<const Graph> *held = call->executables.find(executable);
  Graph *other = call->graphs.find(graph);
  if (!held || !other)
    return invalidValue;
  const Graph *own = held->get();
  bool isSame = own->nodes.size() == other->nodes.size() && !own->memory && !other->memory;
  for (size_t i = 0; isSame && i != own->nodes.size(); ++i)
    isSame = own->nodes[i].after == other->nodes[i].after;
  constexpr int updated = 0, otherTopology = 2;
  if (info)
    *info = {isSame ? updated : otherTopology, nullptr, nullptr};
  if (!isSame)
    return graphExecUpdateFailure;
  *held = std::make_shared<const Graph>(*other);
  return success;
}

int cuGraphExecDestroy(void *executable) {
  GL_ENTER(call, TheDriver);
  return call->executables.remove(executable) ? success : invalidValue;
}

int cuGraphLaunch(void *executable, void *stream) {
  GL_ENTER(call, AContext);
  std::shared_ptr<const Graph> *found = call->executables.find(executable);
  if (!found)
    return invalidValue;
  // The executable may be destroyed while it runs, or before the graph that it becomes a node of.
  return submit(call, stream, [graph = *found](Call &later) { return doAll(later, *graph); });
}

int cuGraphUpload(void *executable, void *) {
  GL_ENTER(call, AContext);
  return call->executables.find(executable) ? success : invalidValue;
}

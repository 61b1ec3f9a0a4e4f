//===- Streams.cpp - Streams and events --------------------------------------------===//
#include "cudacpu/Api.h"
#include "cudacpu/Graph.h"
#include "cudacpu/Simulated.h"

#include <algorithm>

using namespace gluonc;
using namespace gluonc::cudacpu;

using Clock = std::chrono::steady_clock;

/// CU_STREAM_NON_BLOCKING; CU_EVENT_DISABLE_TIMING.
static constexpr unsigned nonBlocking = 1, withoutTime = 2;

#define GL_STREAM(call, name, handle)                                                              \
  GL_ENTER(call, AContext);                                                                        \
  [[maybe_unused]] Stream *name = call->stream(handle, call.context());                            \
  if (!name)                                                                                       \
  return invalidHandle

int cuStreamCreateWithPriority(void **handle, unsigned flags, int priority) {
  GL_ENTER(call, AContext);
  if (!handle || flags > nonBlocking)
    return invalidValue;
  Stream stream;
  stream.context = &call.context();
  stream.flags = flags;
  stream.priority = std::clamp(priority, greatestPriority, 0);
  stream.number = ++call->count;
  *handle = call->streams.add(std::move(stream));
  return success;
}
int cuStreamCreate(void **handle, unsigned flags) {
  return cuStreamCreateWithPriority(handle, flags, 0);
}

int cuStreamDestroy_v2(void *handle) {
  GL_ENTER(call, AContext);
  Stream *stream = call->streams.find(handle);
  if (!stream)
    return invalidHandle;
  if (Capture *capture = stream->capture) {
    if (capture->origin == stream) {
      dropCapture(*call, *capture);
    } else {
      capture->status = CaptureStatus::Invalidated;
      stream->capture = nullptr;
    }
  }
  call->streams.remove(handle);
  return success;
}

/// Who waits for what is captured waits for what never comes.
static Result checkNotCaptured(Stream &stream) {
  if (!stream.capture)
    return success;
  stream.capture->status = CaptureStatus::Invalidated;
  return streamCaptureUnsupported;
}

int cuStreamSynchronize(void *handle) {
  GL_STREAM(call, stream, handle);
  if (Result failure = checkNotCaptured(*stream))
    return failure;
  return stream == &call.context().legacy ? checkUnsafe(call) : success;
}
int cuStreamQuery(void *handle) {
  GL_STREAM(call, stream, handle);
  return checkNotCaptured(*stream);
}

int cuStreamGetPriority(void *handle, int *priority) {
  GL_STREAM(call, stream, handle);
  if (!priority)
    return invalidValue;
  *priority = stream->priority;
  return success;
}
int cuStreamGetFlags(void *handle, unsigned *flags) {
  GL_STREAM(call, stream, handle);
  if (!flags)
    return invalidValue;
  *flags = stream->flags;
  return success;
}
int cuStreamGetId(void *handle, unsigned long long *id) {
  GL_STREAM(call, stream, handle);
  if (!id)
    return invalidValue;
  *id = stream->number;
  return success;
}
int cuStreamGetCtx(void *handle, void **context) {
  GL_STREAM(call, stream, handle);
  if (!context)
    return invalidValue;
  *context = stream->context;
  return success;
}
int cuStreamGetDevice(void *handle, CUdevice *device) {
  GL_STREAM(call, stream, handle);
  if (!device)
    return invalidValue;
  *device = stream->context->device->ordinal;
  return success;
}

/// The function may call what of the driver it likes, so it runs without the lock.
static Work hostWork(std::function<void()> function) {
  return [function = std::move(function)](Call &call) {
    call.unlock();
    function();
    call.lock();
    return success;
  };
}

int cuLaunchHostFunc(void *handle, void (*function)(void *), void *data) {
  GL_STREAM(call, stream, handle);
  if (!function)
    return invalidValue;
  return submit(call, *stream, hostWork([=] { function(data); }));
}

int cuStreamAddCallback(void *handle, void (*function)(void *, int, void *), void *data, unsigned) {
  GL_STREAM(call, stream, handle);
  if (!function)
    return invalidValue;
  if (Result failure = checkNotCaptured(*stream))
    return failure;
  return submit(call, *stream, hostWork([=] { function(handle, success, data); }));
}

// -- Events ----------------------------------------------------------------------

int cuEventCreate(void **handle, unsigned flags) {
  GL_ENTER(call, AContext);
  constexpr unsigned allFlags = 7;
  if (!handle || flags > allFlags)
    return invalidValue;
  Event event;
  event.context = &call.context();
  event.flags = flags;
  *handle = call->events.add(std::move(event));
  return success;
}

int cuEventDestroy_v2(void *handle) {
  GL_ENTER(call, AContext);
  return call->events.remove(handle) ? success : invalidHandle;
}

int cuEventRecord(void *handle, void *streamHandle) {
  GL_STREAM(call, stream, streamHandle);
  Event *event = call->events.find(handle);
  if (!event || event->context != stream->context)
    return invalidHandle;
  if (!stream->capture && stream == &call.context().legacy)
    if (Result failure = checkLegacy(call))
      return failure;
  event->captureNumber = stream->capture ? stream->capture->number : 0;
  event->nodes = stream->tails;
  event->time = Clock::now();
  return success;
}

int cuEventRecordWithFlags(void *handle, void *stream, unsigned flags) {
  // CU_EVENT_RECORD_EXTERNAL is for nodes of graphs.
  return flags ? notSupported : cuEventRecord(handle, stream);
}

static Result eventState(void *handle) {
  GL_ENTER(call, AContext);
  Event *event = call->events.find(handle);
  if (!event)
    return invalidHandle;
  return event->captureNumber ? capturedEvent : success;
}
int cuEventQuery(void *handle) { return eventState(handle); }
int cuEventSynchronize(void *handle) { return eventState(handle); }

static Result elapsed(float *milliseconds, void *from, void *to) {
  GL_ENTER(call, AContext);
  Event *begin = call->events.find(from), *end = call->events.find(to);
  if (!milliseconds)
    return invalidValue;
  if (!begin || !end || (begin->flags | end->flags) & withoutTime || !begin->time || !end->time)
    return invalidHandle;
  if (begin->captureNumber || end->captureNumber)
    return capturedEvent;
  *milliseconds = std::chrono::duration<float, std::milli>(*end->time - *begin->time).count();
  return success;
}
int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  return elapsed(milliseconds, from, to);
}
int cuEventElapsedTime_v2(float *milliseconds, void *from, void *to) {
  return elapsed(milliseconds, from, to);
}

int cuStreamWaitEvent(void *handle, void *eventHandle, unsigned flags) {
  GL_STREAM(call, stream, handle);
  Event *event = call->events.find(eventHandle);
  if (!event)
    return invalidHandle;
  if (flags)
    return notSupported;
  return joinCapture(call, *stream, *event);
}

//===- Copies.cpp - Copies and fills ------------------------------------------------===//
#include "cudacpu/Api.h"
#include "cudacpu/Graph.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace gluonc;
using namespace gluonc::cudacpu;

namespace {

uint64_t addressOf(const void *place) { return reinterpret_cast<uint64_t>(place); }

/// An end of a copy: memory that devices reach, or any.
struct End {
  uint64_t address;
  bool mayBePageable = false;
};

Result refuseCopy(Call &call, const char *name, End end, uint64_t bytes) {
  std::string why = end.address ? call->memory.describe(end.address, bytes, 0) : "a null pointer";
  return refuse(invalidValue, std::string(name) + ": " + llvm::utostr(bytes) + " bytes at 0x" +
                                  llvm::utohexstr(end.address, /*LowerCase=*/true) + ", " + why);
}

uint8_t *placeOf(Call &call, End end, uint64_t bytes) {
  return end.mayBePageable ? call->anywhere(end.address, bytes) : call->hostOf(end.address, bytes);
}

Result copy(Call &call, const char *name, End to, End from, uint64_t bytes) {
  uint8_t *target = placeOf(call, to, bytes), *source = placeOf(call, from, bytes);
  if (!target || !source)
    return refuseCopy(call, name, target ? from : to, bytes);
  std::memmove(target, source, bytes);
  return success;
}

/// Whether it can work: now, or of a graph's memory when the graph is launched.
bool isPossible(Call &call, End end, uint64_t bytes) {
  const Allocation *found = call->memory.find(end.address);
  return (found && found->isOfGraph) || placeOf(call, end, bytes);
}

/// In the order of a stream.
Result submitCopy(const char *name, End to, End from, uint64_t bytes, const void *stream) {
  GL_ENTER(call, AContext);
  if (!bytes)
    return success;
  if (!isPossible(call, to, bytes) || !isPossible(call, from, bytes))
    return copy(call, name, to, from, bytes);
  return submit(call, stream, [=](Call &later) { return copy(later, name, to, from, bytes); });
}

End device(uint64_t address) { return {address}; }
End host(const void *place) { return {addressOf(place), /*mayBePageable=*/true}; }
End any(uint64_t address) { return {address, /*mayBePageable=*/true}; }

} // namespace

int cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return submitCopy("cuMemcpy", any(to), any(from), bytes, nullptr);
}
int cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, void *stream) {
  return submitCopy("cuMemcpyAsync", any(to), any(from), bytes, stream);
}
int cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return submitCopy("cuMemcpyHtoD", device(to), host(from), bytes, nullptr);
}
int cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return submitCopy("cuMemcpyDtoH", host(to), device(from), bytes, nullptr);
}
int cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return submitCopy("cuMemcpyDtoD", device(to), device(from), bytes, nullptr);
}
int cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, void *stream) {
  return submitCopy("cuMemcpyHtoDAsync", device(to), host(from), bytes, stream);
}
int cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, void *stream) {
  return submitCopy("cuMemcpyDtoHAsync", host(to), device(from), bytes, stream);
}
int cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, void *stream) {
  return submitCopy("cuMemcpyDtoDAsync", device(to), device(from), bytes, stream);
}

static Result checkContexts(void *to, void *from) {
  GL_ENTER(call, TheDriver);
  return call->contexts.find(to) && call->contexts.find(from) ? success : invalidContext;
}
int cuMemcpyPeer(CUdeviceptr to, void *toContext, CUdeviceptr from, void *fromContext,
                 size_t bytes) {
  if (Result failure = checkContexts(toContext, fromContext))
    return failure;
  return submitCopy("cuMemcpyPeer", device(to), device(from), bytes, nullptr);
}
int cuMemcpyPeerAsync(CUdeviceptr to, void *toContext, CUdeviceptr from, void *fromContext,
                      size_t bytes, void *stream) {
  if (Result failure = checkContexts(toContext, fromContext))
    return failure;
  return submitCopy("cuMemcpyPeerAsync", device(to), device(from), bytes, stream);
}

// -- Rows ------------------------------------------------------------------------

static std::optional<End> endOf(const Copy2D::Side &side) {
  uint64_t offset = side.y * side.pitch + side.x;
  switch (side.type) {
  case 1:
    return End{addressOf(side.host) + offset, /*mayBePageable=*/true};
  case 2:
    return End{side.device + offset};
  case 4:
    return End{side.device + offset, /*mayBePageable=*/true};
  default: // arrays
    return std::nullopt;
  }
}

static Result copyRows(Call &call, const Copy2D &what) {
  End to = *endOf(what.to), from = *endOf(what.from);
  for (size_t row = 0; row != what.rows; ++row) {
    if (Result failure = copy(call, "cuMemcpy2D", to, from, what.bytesOfRow))
      return failure;
    to.address += what.to.pitch;
    from.address += what.from.pitch;
  }
  return success;
}

static Result submitRows(const Copy2D *what, const void *stream) {
  GL_ENTER(call, AContext);
  if (!what || (what->rows > 1 &&
                (what->to.pitch < what->bytesOfRow || what->from.pitch < what->bytesOfRow)))
    return invalidValue;
  if (!endOf(what->to) || !endOf(what->from))
    return notSupported;
  if (!what->bytesOfRow || !what->rows)
    return success;
  return submit(call, stream, [own = *what](Call &later) { return copyRows(later, own); });
}

int cuMemcpy2D_v2(const Copy2D *what) { return submitRows(what, nullptr); }
int cuMemcpy2DUnaligned_v2(const Copy2D *what) { return submitRows(what, nullptr); }
int cuMemcpy2DAsync_v2(const Copy2D *what, void *stream) { return submitRows(what, stream); }

// -- Fills -----------------------------------------------------------------------

template <typename Value>
static Result fill(Call &call, CUdeviceptr address, Value value, size_t count) {
  uint64_t bytes = count * sizeof(Value);
  uint8_t *place = call->hostOf(address, bytes);
  if (!place)
    return refuseCopy(call, "cuMemset", {address}, bytes);
  if (!value && call->memory.hostOf(address, bytes))
    call->memory.clear(address, bytes);
  else
    std::fill_n(reinterpret_cast<Value *>(place), count, value);
  return success;
}

template <typename Value>
static Result submitFill(CUdeviceptr address, Value value, size_t count, const void *stream) {
  GL_ENTER(call, AContext);
  if (address % sizeof(Value))
    return invalidValue;
  if (!count)
    return success;
  if (count > (uint64_t(1) << 60) || !isPossible(call, {address}, count * sizeof(Value)))
    return refuseCopy(call, "cuMemset", {address}, count * sizeof(Value));
  return submit(call, stream, [=](Call &later) { return fill(later, address, value, count); });
}

int cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return submitFill(to, value, count, nullptr);
}
int cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
  return submitFill(to, value, count, nullptr);
}
int cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  return submitFill(to, value, count, nullptr);
}
int cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, void *stream) {
  return submitFill(to, value, count, stream);
}
int cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, void *stream) {
  return submitFill(to, value, count, stream);
}
int cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, void *stream) {
  return submitFill(to, value, count, stream);
}

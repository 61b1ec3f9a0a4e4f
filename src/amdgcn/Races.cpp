//===- Races.cpp - Whether a barrier lies between accesses to LDS -----------------===//
#include "amdgcn/Races.h"

#include "amdgcn/Machine.h"

namespace gluonc::amdgcn {

void arriveInOrder(Wave &wave) {
  SharedOrder &order = wave.order;
  order.arrivals.push_back({order.ended, order.transfers});
}

void passInOrder(Wave &wave) {
  wave.order.passed = static_cast<uint32_t>(wave.order.arrivals.size());
}

static constexpr const char *notVisible =
    " is read, which another wave wrote: no barrier that follows the write's end lies between";

bool SharedShadow::isVisible(const Workgroup &workgroup, const Wave &wave, Write write) {
  if (write.use == SharedUse::Read || write.writer == wave.number)
    return true;
  const SharedOrder &writer = workgroup.waves[write.writer].order;
  size_t barriers = std::min<size_t>(wave.order.passed, writer.arrivals.size());
  if (barriers == 0)
    return false;
  const SharedOrder::Arrival &last = writer.arrivals[barriers - 1];
  return write.number <= (write.use == SharedUse::Transfer ? last.transfers : last.ended);
}

const char *SharedShadow::checkRead(const Workgroup &workgroup, const Wave &wave, Byte &byte) {
  bool mayBeEarly = byte.atomic.use == SharedUse::CompareSwap;
  if (!isVisible(workgroup, wave, byte.plain) ||
      (!mayBeEarly && !isVisible(workgroup, wave, byte.atomic)))
    return notVisible;
  auto reached = static_cast<uint32_t>(wave.order.arrivals.size());
  if (reached > byte.readAt)
    byte.readers = 0;
  if (reached >= byte.readAt) {
    byte.readAt = reached;
    byte.readers |= 1u << wave.number;
  }
  return nullptr;
}

const char *SharedShadow::checkWrite(const Wave &wave, Byte &byte, SharedUse use) {
  bool othersRead = byte.readers & ~(1u << wave.number);
  bool isAtomic = use == SharedUse::Atomic || use == SharedUse::CompareSwap;
  if (use != SharedUse::CompareSwap && othersRead && wave.order.passed <= byte.readAt)
    return " is written while another wave may still read it: no barrier lies between";
  auto writer = static_cast<uint8_t>(wave.number);
  if (isAtomic)
    byte.atomic = {wave.order.writes + 1, writer, use};
  else if (use == SharedUse::Write)
    byte = {.plain = {wave.order.writes + 1, writer, use}, .atomic = {}};
  return nullptr;
}

const char *SharedShadow::check(const Workgroup &workgroup, const Wave &wave, uint32_t at,
                                SharedUse use) {
  if (isOff || workgroup.waves.size() < 2)
    return nullptr;
  if (bytes.empty())
    bytes.resize(workgroup.shared.size());
  Byte &byte = bytes[at];
  if (use == SharedUse::Read)
    return checkRead(workgroup, wave, byte);
  // Atomics of several waves take turns, but not with other writes.
  bool isAtomic = use == SharedUse::Atomic || use == SharedUse::CompareSwap;
  if (isAtomic && !isVisible(workgroup, wave, byte.plain))
    return notVisible;
  return checkWrite(wave, byte, use);
}

void SharedShadow::endTransfer(const Wave &wave, uint32_t at) {
  if (isOff || bytes.empty())
    return;
  bytes[at] = {
      .plain = {wave.order.transfers, static_cast<uint8_t>(wave.number), SharedUse::Transfer},
      .atomic = {}};
}

} // namespace gluonc::amdgcn

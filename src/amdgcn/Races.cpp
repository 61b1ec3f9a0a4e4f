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

static bool isAtomic(SharedUse use) {
  return use == SharedUse::Atomic || use == SharedUse::CompareSwap;
}

bool SharedShadow::isVisible(const Workgroup &workgroup, const Wave &wave, const Byte &byte) {
  if (byte.use == SharedUse::Read || byte.writer == wave.number)
    return true;
  const SharedOrder &writer = workgroup.waves[byte.writer].order;
  size_t barriers = std::min<size_t>(wave.order.passed, writer.arrivals.size());
  if (barriers == 0)
    return false;
  const SharedOrder::Arrival &last = writer.arrivals[barriers - 1];
  return byte.write <= (byte.use == SharedUse::Transfer ? last.transfers : last.ended);
}

const char *SharedShadow::checkRead(const Workgroup &workgroup, const Wave &wave, Byte &byte) {
  if (!isVisible(workgroup, wave, byte))
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
  if (use != SharedUse::CompareSwap && othersRead && wave.order.passed <= byte.readAt)
    return " is written while another wave may still read it: no barrier lies between";
  if (use == SharedUse::Transfer)
    return nullptr;
  byte = {};
  byte.writer = static_cast<uint8_t>(wave.number);
  byte.write = wave.order.writes + 1;
  byte.use = use;
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
    return byte.use == SharedUse::CompareSwap ? nullptr : checkRead(workgroup, wave, byte);
  // Atomics of several waves take turns, but not with other writes.
  if (isAtomic(use) && !isAtomic(byte.use) && !isVisible(workgroup, wave, byte))
    return notVisible;
  return checkWrite(wave, byte, use);
}

void SharedShadow::endTransfer(const Wave &wave, uint32_t at) {
  if (isOff || bytes.empty())
    return;
  Byte &byte = bytes[at];
  byte = {};
  byte.writer = static_cast<uint8_t>(wave.number);
  byte.write = wave.order.transfers;
  byte.use = SharedUse::Transfer;
}

} // namespace gluonc::amdgcn

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

/// Whether another wave's access had ended when it reached a barrier that `wave` has come through.
bool SharedShadow::isOver(const Workgroup &workgroup, const Wave &wave, Access access) {
  const SharedOrder &other = workgroup.waves[access.wave].order;
  size_t barriers = std::min<size_t>(wave.order.passed, other.arrivals.size());
  if (barriers == 0)
    return false;
  const SharedOrder::Arrival &last = other.arrivals[barriers - 1];
  return access.number <= (access.use == SharedUse::Transfer ? last.transfers : last.ended);
}

/// Whether the last plain write is over for a wave.
bool SharedShadow::isVisible(const Workgroup &workgroup, const Wave &wave, const Byte &byte) {
  return byte.plain.use == SharedUse::Read || byte.writers >> wave.number & 1 ||
         isOver(workgroup, wave, byte.plain);
}

const char *SharedShadow::checkRead(const Workgroup &workgroup, const Wave &wave, Byte &byte) {
  bool mayBeEarly = byte.atomic.use == SharedUse::CompareSwap;
  bool hasAtomic = byte.atomic.use != SharedUse::Read && byte.atomic.wave != wave.number;
  if (!isVisible(workgroup, wave, byte) ||
      (hasAtomic && !mayBeEarly && !isOver(workgroup, wave, byte.atomic)))
    return notVisible;
  byte.read = {wave.order.issued + 1, static_cast<uint8_t>(wave.number), SharedUse::Read};
  auto reached = static_cast<uint32_t>(wave.order.arrivals.size());
  if (reached > byte.readAt)
    byte.readers = 0;
  if (reached >= byte.readAt) {
    byte.readAt = reached;
    byte.readers |= 1u << wave.number;
  }
  return nullptr;
}

const char *SharedShadow::checkWrite(const Workgroup &workgroup, const Wave &wave, Byte &byte,
                                     SharedUse use) {
  bool isAtomic = use == SharedUse::Atomic || use == SharedUse::CompareSwap;
  bool othersRead = byte.readers & ~(1u << wave.number);
  bool haveEnded = wave.order.passed > byte.readAt &&
                   (byte.read.wave == wave.number || isOver(workgroup, wave, byte.read));
  if (use != SharedUse::CompareSwap && othersRead && !haveEnded)
    return " is written while another wave may still read it: no barrier that follows the read's "
           "end lies between";
  if (othersRead && haveEnded)
    byte.readers = 0;
  bool isOwn = byte.plain.use == SharedUse::Read || byte.plain.wave == wave.number;
  if (!isAtomic && !isOwn && !isOver(workgroup, wave, byte.plain))
    return " is written, which another wave wrote: no barrier that follows the write's end lies "
           "between";
  auto writer = static_cast<uint8_t>(wave.number);
  uint32_t writers = 1u << wave.number;
  if (isAtomic)
    byte.atomic = {wave.order.issued + 1, writer, use};
  else if (use == SharedUse::Write)
    byte = {.plain = {wave.order.issued + 1, writer, use},
            .atomic = {},
            .writers = writers,
            .read = {}};
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
  bool isKnown = byte.plain.use != SharedUse::Read && byte.atomic.use == SharedUse::Read;
  if (use == SharedUse::Repeat && isKnown) {
    byte.writers |= 1u << wave.number;
    return nullptr;
  }
  if (use == SharedUse::Repeat)
    use = SharedUse::Write;
  // Atomics of several waves take turns, but not with other writes.
  bool isAtomic = use == SharedUse::Atomic || use == SharedUse::CompareSwap;
  if (isAtomic && !isVisible(workgroup, wave, byte))
    return notVisible;
  return checkWrite(workgroup, wave, byte, use);
}

void SharedShadow::endTransfer(const Wave &wave, uint32_t at) {
  if (isOff || bytes.empty())
    return;
  bytes[at] = {
      .plain = {wave.order.transfers, static_cast<uint8_t>(wave.number), SharedUse::Transfer},
      .atomic = {},
      .writers = 1u << wave.number,
      .read = {}};
}

} // namespace gluonc::amdgcn

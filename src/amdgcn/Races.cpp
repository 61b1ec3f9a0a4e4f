//===- Races.cpp - Whether waves meet between accesses to LDS ---------------------===//
#include "amdgcn/Races.h"

#include "amdgcn/Machine.h"

namespace gluonc::amdgcn {

void Knowledge::merge(const Knowledge &other) {
  if (waves.size() < other.waves.size())
    waves.resize(other.waves.size());
  for (size_t wave = 0; wave != other.waves.size(); ++wave)
    for (unsigned queue = 0; queue != queueKinds; ++queue)
      waves[wave].count[queue] = std::max(waves[wave].count[queue], other.waves[wave].count[queue]);
}

static constexpr const char *notVisible =
    " is read, which another wave wrote: no barrier that follows the write's end lies between";
static constexpr const char *notRead =
    " is written while another wave may still read it: no barrier that follows the read's end "
    "lies between";
static constexpr const char *notWritten =
    " is written, which another wave wrote: no barrier that follows the write's end lies between";
static constexpr const char *readEarly =
    " is read while a transfer into it is under way that nothing has waited for";
static constexpr const char *writtenEarly =
    " is written while a transfer into it is under way that nothing has waited for";
static constexpr const char *overwritten =
    " is written while a transfer from it is under way that nothing has waited for";
static constexpr const char *ownReadEarly =
    " is read by a transfer before the wave has waited for its own write";
static constexpr const char *ownWrittenEarly =
    " is written by a transfer before the wave has waited for its own read";

/// Whether an access has ended for sure before the wave's next one of a queue begins.
bool SharedShadow::isOver(const Wave &wave, Access access, Queue queue) {
  bool isInOrder =
      access.wave == wave.order.place && access.queue == Queue::Lds && queue == Queue::Lds;
  return isInOrder || wave.order.known.ended(access.wave, access.queue) >= access.number;
}

/// Whether the last plain write is over for a wave.
bool SharedShadow::isVisible(const Wave &wave, const Byte &byte, Queue queue) {
  return byte.plain.use == SharedUse::Read || isOver(wave, byte.plain, queue) ||
         (byte.plain.queue == Queue::Lds && byte.writers >> wave.number & 1 &&
          byte.plain.wave != wave.order.place);
}

/// Whether it is a transfer that not even its own wave has waited for.
bool SharedShadow::isUnderWay(const Workgroup &workgroup, Access access) {
  const SharedOrder &first = workgroup.waves.front().order;
  return access.queue != Queue::Lds &&
         workgroup.waves[access.wave - first.place].order.ended(access.queue) < access.number;
}

SharedShadow::Access SharedShadow::readOf(const Workgroup &workgroup, uint32_t at,
                                          unsigned wave) const {
  uint32_t word = reads[size_t(at) * workgroup.waves.size() + wave];
  auto place = static_cast<uint16_t>(workgroup.waves[wave].order.place);
  return {word & 0x3fffffff, place, static_cast<Queue>(word >> 30), SharedUse::Read};
}

const char *SharedShadow::checkRead(const Workgroup &workgroup, const Wave &wave, uint32_t at,
                                    Queue queue) {
  Byte &byte = bytes[at];
  if (!isVisible(wave, byte, queue)) {
    if (isUnderWay(workgroup, byte.plain))
      return readEarly;
    return byte.plain.wave == wave.order.place ? ownReadEarly : notVisible;
  }
  bool mayBeEarly = byte.atomic.use == SharedUse::CompareSwap || byte.isBarrier;
  if (byte.atomic.use != SharedUse::Read && !mayBeEarly && !isOver(wave, byte.atomic, queue))
    return notVisible;
  byte.readers |= 1u << wave.number;
  reads[size_t(at) * workgroup.waves.size() + wave.number] =
      ((wave.order.issued[queue] + 1) & 0x3fffffff) | static_cast<uint32_t>(queue) << 30;
  return nullptr;
}

/// Whether all reads are over, and if so, forgets them.
const char *SharedShadow::checkReaders(const Workgroup &workgroup, const Wave &wave, uint32_t at,
                                       Queue queue) {
  for (uint32_t rest = bytes[at].readers; rest; rest &= rest - 1) {
    Access read = readOf(workgroup, at, static_cast<unsigned>(std::countr_zero(rest)));
    if (isOver(wave, read, queue))
      continue;
    if (isUnderWay(workgroup, read))
      return overwritten;
    return read.wave == wave.order.place ? ownWrittenEarly : notRead;
  }
  bytes[at].readers = 0;
  return nullptr;
}

const char *SharedShadow::checkWrite(const Workgroup &workgroup, const Wave &wave, uint32_t at,
                                     SharedUse use, Queue queue) {
  Byte &byte = bytes[at];
  if (use != SharedUse::CompareSwap)
    if (const char *problem = checkReaders(workgroup, wave, at, queue))
      return problem;
  bool isAtomic = use == SharedUse::Atomic || use == SharedUse::CompareSwap;
  // What one queue writes twice, it writes in order.
  bool isAgain = byte.plain.wave == wave.order.place && byte.plain.queue == queue;
  bool isFirst = byte.plain.use == SharedUse::Read;
  if (!isAtomic && !isFirst && !isAgain && !isOver(wave, byte.plain, queue))
    return isUnderWay(workgroup, byte.plain) ? writtenEarly : notWritten;
  Access access = {wave.order.issued[queue] + 1, static_cast<uint16_t>(wave.order.place), queue,
                   use};
  if (isAtomic) {
    byte.atomic = access;
    return nullptr;
  }
  byte = {};
  byte.plain = access;
  byte.writers = 1u << wave.number;
  return nullptr;
}

const char *SharedShadow::check(const Workgroup &workgroup, const Wave &wave, uint32_t at,
                                SharedUse use, Queue queue) {
  if (!bytes) {
    size_t count = workgroup.shared.size();
    bytes.reset(static_cast<Byte *>(std::calloc(count, sizeof(Byte))));
    reads.reset(static_cast<uint32_t *>(std::calloc(count * workgroup.waves.size(), 4)));
  }
  if (use == SharedUse::Read)
    return checkRead(workgroup, wave, at, queue);
  Byte &byte = bytes[at];
  bool isKnown = byte.plain.use != SharedUse::Read && byte.plain.queue == Queue::Lds &&
                 byte.atomic.use == SharedUse::Read && !byte.isBarrier;
  if (use == SharedUse::Repeat && isKnown) {
    byte.writers |= 1u << wave.number;
    return nullptr;
  }
  if (use == SharedUse::Repeat)
    use = SharedUse::Write;
  // Atomics of several waves take turns, but not with other writes.
  bool takesTurns = use != SharedUse::Write && use != SharedUse::Transfer;
  if (takesTurns && !isVisible(wave, byte, queue))
    return isUnderWay(workgroup, byte.plain) ? readEarly : notVisible;
  if (use != SharedUse::Arrive)
    return checkWrite(workgroup, wave, at, use, queue);
  byte.isBarrier = true;
  return nullptr;
}

} // namespace gluonc::amdgcn

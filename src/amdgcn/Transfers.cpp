#include "amdgcn/Transfers.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::amdgcn {

bool readAccess(llvm::StringRef name, Access &access) {
  if (name.consume_back("_d16_hi") || name.consume_front("d16_hi_"))
    access.half = 2;
  else if (name.consume_back("_d16") || name.consume_front("d16_"))
    access.half = 1;
  access.isSigned = name == "sbyte" || name == "sshort" || name == "i8" || name == "i16";
  access.bytes = llvm::StringSwitch<uint8_t>(name)
                     .Cases({"dword", "b32"}, 4)
                     .Cases({"dwordx2", "b64"}, 8)
                     .Cases({"dwordx3", "b96"}, 12)
                     .Cases({"dwordx4", "b128"}, 16)
                     .Cases({"ubyte", "sbyte", "byte", "u8", "i8", "b8"}, 1)
                     .Cases({"ushort", "sshort", "short", "u16", "i16", "b16"}, 2)
                     .Default(0);
  return access.bytes != 0;
}

bool readAtomic(llvm::StringRef name, Access &access) {
  access.isAtomic = true;
  access.operation = static_cast<uint8_t>(atomicNamed(name, access.bytes));
  return access.operation != 0;
}

void toRegisters(Wave &wave, const Access &access, unsigned reg, unsigned lane,
                 const uint8_t *bytes) {
  if (access.bytes >= 4) {
    for (unsigned i = 0; i != access.bytes / 4u; ++i)
      std::memcpy(wave.row(reg + i) + lane, bytes + 4 * i, 4);
    return;
  }
  uint32_t value = 0;
  std::memcpy(&value, bytes, access.bytes);
  if (access.isSigned)
    value = access.bytes == 1 ? uint32_t(int8_t(value)) : uint32_t(int16_t(value));
  uint32_t &place = wave.row(reg)[lane];
  if (access.half == 1)
    place = (place & 0xffff0000u) | (value & 0xffff);
  else if (access.half == 2)
    place = (place & 0xffff) | value << 16;
  else
    place = value;
}

void fromRegisters(Wave &wave, const Access &access, unsigned reg, unsigned lane, uint8_t *bytes) {
  if (access.bytes >= 4) {
    for (unsigned i = 0; i != access.bytes / 4u; ++i)
      std::memcpy(bytes + 4 * i, wave.row(reg + i) + lane, 4);
    return;
  }
  uint32_t value = wave.row(reg)[lane] >> (access.half == 2 ? 16 : 0);
  std::memcpy(bytes, &value, access.bytes);
}

static uint64_t readWide(Wave &wave, unsigned reg, unsigned lane, unsigned bytes) {
  uint64_t value = wave.row(reg)[lane];
  return bytes == 8 ? value | uint64_t(wave.row(reg + 1)[lane]) << 32 : value;
}

void atomicOfLane(Wave &wave, const Access &access, int result, unsigned data, unsigned lane,
                  uint8_t *at) {
  uint64_t value = readWide(wave, data, lane, access.bytes);
  uint64_t compared = 0;
  // The new value comes first, what it is compared with follows.
  if (static_cast<AtomicOp>(access.operation) == AtomicOp::CompareSwap)
    compared = readWide(wave, data + access.bytes / 4, lane, access.bytes);
  uint64_t old =
      applyAtomic(static_cast<AtomicOp>(access.operation), access.bytes, at, value, compared);
  if (result < 0)
    return;
  wave.row(static_cast<unsigned>(result))[lane] = static_cast<uint32_t>(old);
  if (access.bytes == 8)
    wave.row(static_cast<unsigned>(result) + 1)[lane] = static_cast<uint32_t>(old >> 32);
}

/// What a counter can hold; a wave that would have more under way waits for the first.
static unsigned capacity(Counter counter, unsigned generation) {
  return counter == Counter::Lds && generation == 9 ? 15 : 63;
}

void waitFor(Step &step, Counter counter, unsigned limit) {
  for (const InFlight &entry : step.wave.counters.wait(counter, limit))
    if (entry.sharedAccess)
      step.wave.order.end(queueOf(counter), entry.sharedAccess);
}

static void issue(Step &step, Counter counter, InFlight entry) {
  step.wave.counters.issue(counter, std::move(entry));
  waitFor(step, counter, capacity(counter, step.machine.chip.generation));
}

void issueLoad(Step &step, Counter counter, const Operand &target) {
  InFlight entry;
  entry.registers.push_back({target.bank, target.reg, target.count});
  issue(step, counter, std::move(entry));
}

void issueStore(Step &step) {
  issue(step, step.machine.chip.hasStoreCounter() ? Counter::Store : Counter::Load, {});
}

void issueShared(Step &step, const Operand *target) {
  InFlight entry;
  if (target)
    entry.registers.push_back({target->bank, target->reg, target->count});
  entry.sharedAccess = ++step.wave.order.issued[Queue::Lds];
  issue(step, Counter::Lds, std::move(entry));
}

void issueTransfer(Step &step, Counter counter) {
  InFlight entry;
  entry.sharedAccess = ++step.wave.order.issued[queueOf(counter)];
  issue(step, counter, std::move(entry));
}

Queue queueOf(Counter counter) {
  switch (counter) {
  case Counter::Load:
    return Queue::Load;
  case Counter::Async:
    return Queue::Async;
  case Counter::Tensor:
    return Queue::Tensor;
  default:
    return Queue::Lds;
  }
}

uint8_t *sharedPlace(Step &step, unsigned lane, uint64_t address, unsigned bytes, SharedUse use,
                     Queue queue) {
  Workgroup &workgroup = step.workgroup;
  if (address > workgroup.shared.size() || workgroup.shared.size() - address < bytes) {
    step.fail(lane, "LDS address 0x" + llvm::Twine::utohexstr(address) + " is outside of the " +
                        llvm::Twine(workgroup.shared.size()) + " bytes that the workgroup has");
    return nullptr;
  }
  auto begin = static_cast<uint32_t>(address);
  for (unsigned i = 0; i != bytes; ++i)
    if (const char *problem = workgroup.shadow.check(workgroup, step.wave, begin + i, use, queue)) {
      step.fail(lane, "LDS byte 0x" + llvm::Twine::utohexstr(address + i) + problem);
      return nullptr;
    }
  // Who looks at a barrier learns what has ended with its phases.
  if (use == SharedUse::Read && workgroup.shadow.isBarrier(begin))
    step.wave.order.known.merge(workgroup.meetings[begin & ~7u].released);
  if (step.machine.launch.observer)
    step.machine.touched.shared.push_back({address, bytes, static_cast<uint8_t>(lane)});
  return workgroup.shared.data() + address;
}

} // namespace gluonc::amdgcn

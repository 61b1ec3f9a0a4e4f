//===- ScalarLoads.cpp - Loads into scalar registers ----------------------------===//
#include "amdgcn/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::amdgcn {

using llvm::StringRef;

/// Of an offset operand, whose register counts as unsigned.
static uint64_t offsetOf(const Step &step, const Operand &operand) {
  if (operand.bank == Bank::Scalar)
    return step.scalar(operand);
  return operand.bank == Bank::Literal ? operand.value : 0;
}

static void scalarLoad(Step &step) {
  const Access &access = step.instruction.access;
  const Operand &base = step.operand(1);
  bool isBuffer = access.operation == 1;
  uint64_t scale = step.instruction.modifiers.has("scale_offset") ? access.bytes : 1;
  uint64_t offset = offsetOf(step, step.operand(2)) * scale +
                    static_cast<uint64_t>(step.instruction.modifiers.offset);
  uint64_t address = step.scalarWide(base);
  uint64_t limit = ~uint64_t(0);
  if (isBuffer) {
    uint32_t second = step.wave.scalars[base.reg + 1];
    if (step.machine.chip.is1250) {
      address &= (uint64_t(1) << 57) - 1;
      limit = second >> 25 | uint64_t(step.wave.scalars[base.reg + 2]) << 7;
    } else {
      address &= (uint64_t(1) << 48) - 1;
      uint32_t stride = second >> 16 & 0x3fff;
      limit = uint64_t(step.wave.scalars[base.reg + 2]) * std::max(stride, 1u);
    }
  }
  unsigned words = std::max<unsigned>(access.bytes / 4, 1);
  // Loads of words ignore the lowest bits of addresses.
  uint64_t begin = address + offset;
  if (access.bytes >= 4)
    begin &= ~uint64_t(3);
  for (unsigned i = 0; i != words; ++i) {
    uint32_t value = 0;
    unsigned bytes = std::min<unsigned>(access.bytes, 4);
    if (!isBuffer || offset + 4 * i + bytes <= limit) {
      uint8_t *at = step.machine.global(begin + 4 * i, bytes);
      if (!at)
        return step.fail(0, "a scalar load at 0x" + llvm::Twine::utohexstr(begin + 4 * i) +
                                " is outside of all memory that the kernel was given");
      std::memcpy(&value, at, bytes);
    }
    if (access.isSigned)
      value = bytes == 1 ? uint32_t(int8_t(value)) : uint32_t(int16_t(value));
    if (step.operand(0).reg != nullSlot)
      step.wave.scalars[step.operand(0).reg + i] = value;
  }
  InFlight entry;
  entry.registers.push_back({Bank::Scalar, step.operand(0).reg, static_cast<uint16_t>(words)});
  entry.isOrdered = false;
  step.wave.counters.issue(step.machine.chip.hasSplitCounters() ? Counter::Scalar : Counter::Lds,
                           std::move(entry));
}

Handler chooseScalarMemory(Instruction &instruction) {
  StringRef name = instruction.mnemonic;
  bool isBuffer = name.consume_front("s_buffer_load_");
  if (!isBuffer && !name.consume_front("s_load_"))
    return nullptr;
  instruction.access.bytes = llvm::StringSwitch<uint8_t>(name)
                                 .Cases({"dword", "b32"}, 4)
                                 .Cases({"dwordx2", "b64"}, 8)
                                 .Cases({"dwordx3", "b96"}, 12)
                                 .Cases({"dwordx4", "b128"}, 16)
                                 .Cases({"dwordx8", "b256"}, 32)
                                 .Cases({"dwordx16", "b512"}, 64)
                                 .Cases({"u8", "i8"}, 1)
                                 .Cases({"u16", "i16"}, 2)
                                 .Default(0);
  instruction.access.isSigned = name == "i8" || name == "i16";
  instruction.access.operation = isBuffer;
  return instruction.access.bytes && instruction.operands.size() >= 3 ? scalarLoad : nullptr;
}

} // namespace gluonc::amdgcn

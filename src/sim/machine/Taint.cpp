#include "sim/machine/Taint.h"

#include "sim/machine/GlobalAccess.h"

#include <algorithm>

namespace gluonc::sim {

static uint8_t laneTaint(Cta &cta, Slot slot, uint32_t lane) {
  return cta.taintAt(slot)[slot.lanes == 1 ? 0 : lane];
}

void taintElementwise(const Instruction &instruction, Cta &cta) {
  uint8_t *result = cta.taintAt(instruction.result);
  for (uint32_t lane = 0; lane < instruction.result.lanes; ++lane) {
    uint8_t code = 0;
    for (uint8_t i = 0; i < instruction.operandCount && !code; ++i)
      code = laneTaint(cta, instruction.operands[i], lane);
    result[lane] = code;
  }
}

/// The first taint among all lanes of all operands.
static uint8_t anyTaint(const Instruction &instruction, Cta &cta) {
  for (uint8_t i = 0; i < instruction.operandCount; ++i) {
    Slot slot = instruction.operands[i];
    const uint8_t *codes = cta.taintAt(slot);
    const uint8_t *found =
        std::find_if(codes, codes + slot.lanes, [](uint8_t code) { return code != 0; });
    if (found != codes + slot.lanes)
      return *found;
  }
  return 0;
}

void taintAll(const Instruction &instruction, Cta &cta) {
  std::memset(cta.taintAt(instruction.result), anyTaint(instruction, cta),
              instruction.result.lanes);
}

void taintObserve(const Instruction &instruction, Cta &cta) {
  if (uint8_t code = anyTaint(instruction, cta))
    return cta.raise(instruction, code);
  taintNothing(instruction, cta);
}

bool observeIfOn(const Instruction &instruction, Cta &cta, unsigned predicate) {
  if (predicate < instruction.operandCount) {
    Slot slot = instruction.operands[predicate];
    if (uint8_t code = laneTaint(cta, slot, 0))
      return cta.raise(instruction, code), false;
    if (!*cta.at<uint8_t>(slot))
      return false;
  }
  taintObserve(instruction, cta);
  return !cta.failed;
}

void taintNothing(const Instruction &instruction, Cta &cta) {
  std::memset(cta.taintAt(instruction.result), 0, instruction.result.lanes);
}

void taintSelect(const Instruction &instruction, Cta &cta) {
  uint8_t *result = cta.taintAt(instruction.result);
  Slot condition = instruction.operands[0];
  const uint8_t *chosen = cta.at<uint8_t>(condition);
  for (uint32_t lane = 0; lane < instruction.result.lanes; ++lane) {
    uint8_t code = laneTaint(cta, condition, lane);
    bool first = chosen[condition.lanes == 1 ? 0 : lane];
    result[lane] = code ? code : laneTaint(cta, instruction.operands[first ? 1 : 2], lane);
  }
}

/// Raises the fault of a tainted mask lane, or of a tainted address or value
/// (operands from `firstValue` on) in a lane that the mask lets through.
static void observeActive(const Instruction &instruction, Cta &cta, uint8_t firstValue) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  for (uint32_t lane = 0; lane < access.lanes && !cta.stopped; ++lane) {
    if (access.masked) {
      Slot mask = instruction.operands[1];
      if (uint8_t code = laneTaint(cta, mask, lane))
        return cta.raise(instruction, code);
      if (!cta.at<uint8_t>(mask)[mask.lanes == 1 ? 0 : lane])
        continue;
    }
    uint8_t code = laneTaint(cta, instruction.operands[0], lane);
    for (uint8_t i = firstValue; i < instruction.operandCount && !code; ++i)
      code = laneTaint(cta, instruction.operands[i], lane);
    if (code)
      return cta.raise(instruction, code);
  }
}

void taintStore(const Instruction &instruction, Cta &cta) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  observeActive(instruction, cta, access.masked ? 2 : 1);
  taintNothing(instruction, cta);
}

void taintLoad(const Instruction &instruction, Cta &cta) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  observeActive(instruction, cta, instruction.operandCount);
  uint8_t *result = cta.taintAt(instruction.result);
  for (uint32_t lane = 0; lane < instruction.result.lanes; ++lane) {
    result[lane] = 0;
    if (!access.hasOther)
      continue;
    Slot mask = instruction.operands[1];
    if (!cta.at<uint8_t>(mask)[mask.lanes == 1 ? 0 : lane])
      result[lane] = laneTaint(cta, instruction.operands[2], lane);
  }
}

} // namespace gluonc::sim

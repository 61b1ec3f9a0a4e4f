#include "sim/machine/Taint.h"

#include "sim/machine/GlobalAccess.h"

#include <algorithm>

namespace gluonc::sim {

static uint8_t elementTaint(Cta &cta, Slot slot, uint32_t element) {
  return cta.taintAt(slot)[slot.elements == 1 ? 0 : element];
}

/// Faults count before warnings.
static uint8_t graver(uint8_t left, uint8_t right) {
  return !left ? right : !right ? left : std::min(left, right);
}

void taintElementwise(const Instruction &instruction, Cta &cta) {
  uint8_t *result = cta.taintAt(instruction.result);
  for (uint32_t element = 0; element < instruction.result.elements; ++element) {
    uint8_t code = 0;
    for (uint8_t i = 0; i < instruction.operandCount && !Cta::isFault(code); ++i)
      code = graver(code, elementTaint(cta, instruction.operands[i], element));
    result[element] = code;
  }
}

/// The gravest taint among all elements of all operands.
static uint8_t anyTaint(const Instruction &instruction, Cta &cta) {
  uint8_t code = 0;
  for (uint8_t i = 0; i < instruction.operandCount; ++i) {
    Slot slot = instruction.operands[i];
    const uint8_t *codes = cta.taintAt(slot);
    for (uint32_t element = 0; element < slot.elements && !Cta::isFault(code); ++element)
      code = graver(code, codes[element]);
  }
  return code;
}

void taintAll(const Instruction &instruction, Cta &cta) {
  std::memset(cta.taintAt(instruction.result), anyTaint(instruction, cta),
              instruction.result.elements);
}

void taintObserve(const Instruction &instruction, Cta &cta) {
  if (uint8_t code = anyTaint(instruction, cta); code && cta.raise(instruction, code))
    return;
  taintNothing(instruction, cta);
}

void taintDecision(const Instruction &instruction, Cta &cta) {
  if (uint8_t code = anyTaint(instruction, cta))
    cta.raise(instruction, code, /*decides=*/true);
}

bool observeIfOn(const Instruction &instruction, Cta &cta, unsigned predicate) {
  if (predicate < instruction.operandCount) {
    Slot slot = instruction.operands[predicate];
    if (uint8_t code = elementTaint(cta, slot, 0); code && cta.raise(instruction, code))
      return false;
    if (!*cta.at<uint8_t>(slot))
      return false;
  }
  taintObserve(instruction, cta);
  return !cta.failed;
}

void taintNothing(const Instruction &instruction, Cta &cta) {
  std::memset(cta.taintAt(instruction.result), 0, instruction.result.elements);
}

void taintSelect(const Instruction &instruction, Cta &cta) {
  uint8_t *result = cta.taintAt(instruction.result);
  Slot condition = instruction.operands[0];
  const uint8_t *chosen = cta.at<uint8_t>(condition);
  for (uint32_t element = 0; element < instruction.result.elements; ++element) {
    uint8_t code = elementTaint(cta, condition, element);
    bool first = chosen[condition.elements == 1 ? 0 : element];
    result[element] = code ? code : elementTaint(cta, instruction.operands[first ? 1 : 2], element);
  }
}

/// Raises the fault of a tainted mask element, or of a tainted address or value
/// (operands from `firstValue` on) in an element that the mask lets through.
static void observeActive(const Instruction &instruction, Cta &cta, uint8_t firstValue) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  for (uint32_t element = 0; element < access.elements && !cta.stopped; ++element) {
    if (access.masked) {
      Slot mask = instruction.operands[1];
      if (uint8_t code = elementTaint(cta, mask, element);
          code && cta.raise(instruction, code, /*decides=*/true))
        return;
      if (!cta.at<uint8_t>(mask)[mask.elements == 1 ? 0 : element])
        continue;
    }
    uint8_t code = elementTaint(cta, instruction.operands[0], element);
    for (uint8_t i = firstValue; i < instruction.operandCount && !Cta::isFault(code); ++i)
      code = graver(code, elementTaint(cta, instruction.operands[i], element));
    if (code && cta.raise(instruction, code, /*decides=*/true))
      return;
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
  for (uint32_t element = 0; element < instruction.result.elements; ++element) {
    result[element] = 0;
    if (!access.hasOther)
      continue;
    Slot mask = instruction.operands[1];
    if (!cta.at<uint8_t>(mask)[mask.elements == 1 ? 0 : element])
      result[element] = elementTaint(cta, instruction.operands[2], element);
  }
}

} // namespace gluonc::sim

//===- Taint.h - How instructions carry taint (see Cta.h) ------------------===//
#pragma once

#include "sim/machine/Cta.h"

namespace gluonc::sim {

/// Element i of the result is tainted if element i of an operand is.
void taintElementwise(const Instruction &instruction, Cta &cta);
/// Every element of the result is tainted if any element of an operand is. The safe rule
/// for operations that mix elements.
void taintAll(const Instruction &instruction, Cta &cta);
/// A tainted element of an operand is a fault; results are clean.
void taintObserve(const Instruction &instruction, Cta &cta);
/// The same for what decides where the program goes on, where a warning counts, too.
void taintDecision(const Instruction &instruction, Cta &cta);
/// The same for an operation of scalars that has operand `predicate`, where there is one, which
/// decides whether the others matter. Whether they did.
bool observeIfOn(const Instruction &instruction, Cta &cta, unsigned predicate);
template <unsigned kPredicate> void taintPredicated(const Instruction &instruction, Cta &cta) {
  observeIfOn(instruction, cta, kPredicate);
}
/// Results are clean whatever the operands.
void taintNothing(const Instruction &instruction, Cta &cta);
/// operands[0] chooses between operands[1] and operands[2].
void taintSelect(const Instruction &instruction, Cta &cta);
/// A memory access: operands[0] are addresses and operands[1] the mask, if
/// `immediate` has kMasked; further operands are values that must be clean where the
/// mask is true (stores) or that elements take over where it is false (loads).
void taintLoad(const Instruction &instruction, Cta &cta);
void taintStore(const Instruction &instruction, Cta &cta);

} // namespace gluonc::sim

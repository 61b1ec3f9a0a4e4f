//===- Boxes.h - Copies of boxes of tensors, of both vendors --------------------===//
#pragma once

#include "sim/async/BoxTransfer.h"
#include "sim/machine/GlobalAccess.h"

namespace gluonc::sim {

/// Finds two rows that go to one place, of which either may stay.
void findOverlap(const Instruction &instruction, Cta &cta, const BoxTransfer &transfer,
                 const uint8_t *elements);
/// Where loads of what nobody knows are admitted, ends the box's memory with the tensor's buffer.
void endWithBuffer(Cta &cta, BoxTransfer &transfer);
/// Whether all of the box that lies inside of the tensor may be accessed; false after a fault.
bool checkRows(const Instruction &instruction, Cta &cta, const BoxTransfer &transfer);
/// The elements that a store takes from shared memory, row-major over the box; those outside of
/// the tensor need not be there. False after a fault.
bool readBox(const Instruction &instruction, Cta &cta, const BoxTransfer &transfer, Proxy proxy,
             uint8_t *to);

} // namespace gluonc::sim

//===- BarrierView.h - Barriers as operands -----------------------------------===//
#pragma once

#include "sim/machine/SharedAccess.h"

namespace gluonc::sim {

/// Calls `visit` with the place of each barrier of a view.
void forEachBarrier(const Region &view, llvm::function_ref<void(uint32_t)> visit);
/// This CTA's share of a view of barriers, in the first of the CTAs that have them in common.
Region barriersAt(Cta &cta, const AddressTable *table, Slot view, const Share *share);
/// Whether all barriers `distance` bytes behind those of a view were initialized; false after a
/// fault.
bool checkBarrier(const Instruction &instruction, Cta &cta, const Region &view, const char *verb,
                  uint32_t distance = 0);

} // namespace gluonc::sim

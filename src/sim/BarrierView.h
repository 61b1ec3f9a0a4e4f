//===- BarrierView.h - Barriers as operands -----------------------------------===//
#pragma once

#include "sim/SharedAccess.h"

namespace gluonc::sim {

/// Calls `visit` with the place of each barrier of a view.
void forEachBarrier(const Region &view, llvm::function_ref<void(uint32_t)> visit);
/// Whether all barriers of a view were initialized; false after a fault.
bool checkBarrier(const Instruction &instruction, Cta &cta, const Region &view, const char *verb);

} // namespace gluonc::sim

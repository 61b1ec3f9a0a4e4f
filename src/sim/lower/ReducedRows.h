//===- ReducedRows.h - The extremes of rows that were loaded -------------------===//
#pragma once

#include "sim/lower/Lowering.h"

namespace gluonc::sim {

/// What a load from tensor memory gives beside the block in `loaded`, if it reduces rows.
bool lowerReducedRows(Lowering &lowering, ttng::TMEMLoadOp load, Slot loaded);

} // namespace gluonc::sim

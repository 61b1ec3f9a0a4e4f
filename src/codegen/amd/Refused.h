//===- Refused.h - Operations of others -----------------------------------------===//
#pragma once

#include "codegen/core/EmitTable.h"

namespace gluonc::codegen::amd {

/// Operations that have emit functions for other vendors, of units that these chips lack or that
/// have no machine code here yet.
void addRefused(EmitTable &table);

} // namespace gluonc::codegen::amd

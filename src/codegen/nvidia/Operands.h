//===- Operands.h - Registers of matrix products in PTX ----------------------------===//
#pragma once

#include "codegen/core/Fragment.h"

namespace gluonc::codegen::nvidia {

/// Whether the lanes lie as in every tensor-core fragment: bits 0 and 1 move the coordinate
/// `inner` by `step`, bits 2 to 4 the other one by 1.
bool hasLanes(const Fragment &fragment, unsigned inner, uint32_t step);

/// `{$2, $3}`
std::string operandList(unsigned first, unsigned count);

} // namespace gluonc::codegen::nvidia

//===- Rounding.h - The directions that MODE names --------------------------------===//
//
// MODE has two fields, one for results of 32 bits, one for those of 64 and 16: 0 to
// nearest, 1 up, 2 down, 3 toward zero. The host's arithmetic rounds as it is told;
// halves, which the host has not, are rounded here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace gluonc::amdgcn {

struct Step;

/// Executes an instruction while a field of MODE is not "to nearest". Arithmetic whose rounding is
/// not known to follow MODE is a fault.
void executeRounded(Step &step);

/// The bits of a half. `direction` is not 0.
uint16_t halfRounded(double value, unsigned direction);

} // namespace gluonc::amdgcn

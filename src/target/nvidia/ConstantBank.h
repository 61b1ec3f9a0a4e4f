//===- ConstantBank.h - Where machine code finds what a launch says ----------------===//
//
// Bank 0 of constants, c[0x0][…] of nvdisasm, has the sizes of CTA and grid and behind them the
// kernel's parameters. NVIDIA does not publish the places; these are those of the code that ptxas
// writes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/Target.h"

namespace gluonc::target::nvidia {

/// In bytes: three words for the threads of a CTA, three for the CTAs of the grid, the parameters.
struct ConstantBank {
  unsigned threads = 0, grid = 12, parameters = 0x160;
};

inline ConstantBank constantBankOf(const Target &target) {
  if (target.computeCapability() >= 100)
    return {0x360, 0x370, 0x380};
  if (target.computeCapability() >= 90)
    return {0, 12, 0x210};
  return {};
}

} // namespace gluonc::target::nvidia

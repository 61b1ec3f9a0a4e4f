//===- Executions.h - How often machine code runs -------------------------------===//
//
// What was executed is PTX. Machine code has lines and inlined calls in common with it, and some
// instructions of which ptxas makes one of its own each: accesses to memory, products, shuffles,
// barriers. From those it follows how often a block of machine code runs, and with it all that
// is in it. Where ptxas unrolls a loop, the blocks of that loop get the mean.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "explain/MachineCode.h"

namespace gluonc::explain {

/// For each instruction how often warps execute it, estimated from the counts of PTX.
std::vector<double> estimateExecutions(llvm::ArrayRef<MachineInstruction> instructions,
                                       const Counts &counts);

} // namespace gluonc::explain

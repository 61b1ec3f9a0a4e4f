//===- Uses.h - Which registers an instruction writes and reads ----------------===//
#pragma once

#include "ptx/Module.h"

namespace gluonc::ptx {

struct Uses {
  llvm::SmallVector<int32_t, 8> written, read;
};

/// Without the guard. Sums of `wgmma` count as written, though it adds to them.
Uses usesOf(const Instruction &instruction);

} // namespace gluonc::ptx

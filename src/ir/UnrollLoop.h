//===- UnrollLoop.h - Several iterations as one ----------------------------------===//
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gluonc {

/// Of a loop: how many iterations its author wants as one.
inline constexpr llvm::StringLiteral unrollFactorAttr = "tt.loop_unroll_factor";

/// Does what the attribute asks for, and takes it away. It is a hint: what would make a loop very
/// long is not done. Gives the loop of the iterations that are left over; null if there is none.
mlir::scf::ForOp unrollAsAsked(mlir::scf::ForOp loop);

} // namespace gluonc

//===- Accuracy.h - Where machine code may round otherwise than the simulator --===//
//
// docs/accuracy.md as a table: what a kernel's IR holds that the simulator and machine
// code need not calculate to the same bit.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Source.h"
#include "driver/verify/Compare.h"
#include "ir/Dialects.h"

namespace gluonc::driver {

struct InexactOperation {
  /// "`math.exp` of f32"
  std::string what;
  diag::Span place;
  /// How far the two may be apart; nullopt where no number of ulp bounds it, as of sums in
  /// another order.
  std::optional<double> ulp;
};

/// Those of a transformed module, the first of each place. `fusion`: machine code fuses products
/// and sums.
std::vector<InexactOperation> inexactOperations(mlir::ModuleOp module, bool fusion,
                                                const diag::SourceManager &sources);

/// What may be between elements of `dtype` that such operations make: the largest of their bounds,
/// or what `allclose` allows, where one has no bound.
AllowedDifference allowedBy(llvm::ArrayRef<InexactOperation> operations, sema::DType dtype);

} // namespace gluonc::driver

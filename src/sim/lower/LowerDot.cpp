//===- LowerDot.cpp - Matrix products ---------------------------------------===//
//
// Products and sums are formed in the accumulator's type in the order of K, as
// the language defines `dot_fma`. Tensor cores sum in other orders and with fewer
// bits, so results of real hardware agree to a tolerance.
//
//===----------------------------------------------------------------------===//
#include "sim/async/Dot.h"
#include "sim/lower/Lowering.h"
#include "sim/machine/Taint.h"

namespace gluonc::sim {

static bool lowerDot(Lowering &lowering, mlir::Operation *operation) {
  auto dot = mlir::cast<tt::DotOp>(operation);
  DotData *data = lowering.addData<DotData>();
  data->a = lowering.kindOf(dot.getA());
  data->b = lowering.kindOf(dot.getB());
  data->result = lowering.kindOf(dot.getC());
  if (!isDot(data->a, data->b, data->result))
    return false;
  data->sanitized = lowering.program.sanitizer == Sanitizer::Fpsan;
  DotShape &shape = data->shape;
  llvm::ArrayRef<int64_t> a = lowering.shapeOf(dot.getA().getType()),
                          c = lowering.shapeOf(dot.getC().getType());
  for (int64_t size : c.drop_back(2))
    shape.batches *= uint32_t(size);
  shape.rows = uint32_t(c[c.size() - 2]);
  shape.columns = uint32_t(c.back());
  shape.depth = uint32_t(a.back());
  const bool onTensorCores = mlir::isa_and_nonnull<ttg::NvidiaMmaEncodingAttr>(
      mlir::cast<mlir::RankedTensorType>(dot.getC().getType()).getEncoding());
  shape.saturates = onTensorCores;
  // The bf16 and three-fold tf32 schemes exist to come close to the plain product.
  shape.truncatesToTf32 = onTensorCores && dot.getInputPrecision() == tt::InputPrecision::TF32;
  llvm::SmallVector<Slot, 3> operands;
  for (mlir::Value value : {dot.getA(), dot.getB(), dot.getC()})
    operands.push_back(lowering.materialize(
        lowering.slotOf(value), lowering.elementCountOf(value.getType()), lowering.kindOf(value)));
  Slot result = lowering.define(dot.getD(), lowering.elementCountOf(dot.getD().getType()));
  lowering.emit(runDot, taintAll, result, operands).data = data;
  return true;
}

void addDot(OperationTable &table) { table["tt.dot"] = lowerDot; }

} // namespace gluonc::sim

//===- LowerPackedLoads.cpp - Loads that repack 4-bit numbers (AMD) --------------===//
#include "ir/Encoding.h"
#include "ir/amdg/AmdOps.h"
#include "sim/machine/SharedAccess.h"

namespace gluonc::sim {
namespace {

struct RepackData : MoveData {
  uint32_t batches = 1, rows = 0, columns = 0;
  /// The bytes hold neighbours along the rows, and are to hold neighbours along the columns; or the
  /// other way around.
  bool isAlongRows = false;
};

/// Operands: view.
void runRepackedLoad(const Instruction &instruction, Cta &cta) {
  const RepackData &data = static_cast<const RepackData &>(*instruction.data);
  const uint32_t rows = data.rows, columns = data.columns;
  std::vector<uint8_t> packed(uint64_t(data.batches) * rows * columns);
  const Region view = regionOf(cta, data.table, instruction.operands[0], data.share);
  if (!readShared(instruction, cta, view, packed.data()))
    return;
  uint8_t *result = cta.at<uint8_t>(instruction.result);
  for (uint32_t batch = 0; batch < data.batches; ++batch) {
    const uint8_t *from = packed.data() + uint64_t(batch) * rows * columns;
    // Two bytes, neighbours along K, become two others: their low halves, and their high ones.
    const uint32_t step = data.isAlongRows ? 1 : columns;
    const uint32_t outColumns = data.isAlongRows ? columns / 2 : 2 * columns;
    for (uint32_t row = 0; row < rows; row += data.isAlongRows ? 1 : 2)
      for (uint32_t column = 0; column < columns; column += data.isAlongRows ? 2 : 1) {
        const uint8_t first = from[row * columns + column],
                      second = from[row * columns + column + step];
        const uint32_t outRow = data.isAlongRows ? 2 * row : row / 2;
        const uint32_t outColumn = data.isAlongRows ? column / 2 : 2 * column;
        uint8_t *low = result + outRow * outColumns + outColumn;
        low[0] = uint8_t((first & 15) | second << 4);
        low[data.isAlongRows ? outColumns : 1] = uint8_t(first >> 4 | (second & 0xf0));
      }
    result += uint64_t(rows) * columns;
  }
}

bool lowerRepackedLoad(Lowering &lowering, mlir::Operation *operation) {
  auto load = mlir::cast<amdg::LocalLoadPackedTransposedOp>(operation);
  if (lowering.inCluster())
    return lowering.unsupported(operation, "in clusters");
  auto type = mlir::cast<mlir::RankedTensorType>(load.getType());
  llvm::ArrayRef<int64_t> shape = load.getSrc().getType().getShape();
  const AddressTable *table = addressTable(lowering, operation, load.getSrc());
  if (!table)
    return false;
  RepackData *data = lowering.addData<RepackData>();
  data->table = table;
  data->rows = uint32_t(shape[shape.size() - 2]);
  data->columns = uint32_t(shape.back());
  data->batches = shape.size() == 3 ? uint32_t(shape.front()) : 1;
  const layout::Layout layout = toLayout(type.getEncoding());
  data->isAlongRows = layout.as<layout::DotOperandLayout>()->operandIndex == 0;
  lowering.setShape(mlir::RankedTensorType::get(shape, type.getElementType()));
  Slot result = lowering.define(load.getResult(), uint32_t(type.getNumElements()));
  lowering.emit(runRepackedLoad, taintObserve, result, {lowering.slotOf(load.getSrc())}).data =
      data;
  return true;
}

} // namespace

void addPackedLoads(OperationTable &table) {
  table["amdg.local_load_packed_transposed"] = lowerRepackedLoad;
}

} // namespace gluonc::sim

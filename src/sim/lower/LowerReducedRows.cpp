#include "sim/lower/ReducedRows.h"

#include "sim/machine/Taint.h"

#include <cmath>

namespace gluonc::sim {
namespace {

struct RowsData : OpData {
  uint32_t columns = 1;
  bool isMin = false, isAbsolute = false, keepsNan = false;
};

/// A NaN gives way to a number, or does not; -0 is less than 0.
float extremeOf(const RowsData &data, float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) == data.keepsNan ? a : b;
  const bool isLess = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  return isLess == data.isMin ? a : b;
}

/// Operands: the block.
void runRows(const Instruction &instruction, Cta &cta) {
  const auto &data = static_cast<const RowsData &>(*instruction.data);
  const float *row = cta.at<float>(instruction.operands[0]);
  float *result = cta.at<float>(instruction.result);
  for (uint32_t i = 0; i < instruction.result.elements; ++i, row += data.columns) {
    auto element = [&](uint32_t column) {
      return data.isAbsolute ? std::fabs(row[column]) : row[column];
    };
    float extreme = element(0);
    for (uint32_t column = 1; column < data.columns; ++column)
      extreme = extremeOf(data, extreme, element(column));
    result[i] = extreme;
  }
}

} // namespace

bool lowerReducedRows(Lowering &lowering, ttng::TMEMLoadOp load, Slot loaded) {
  if (!load.getRed())
    return true;
  RowsData *data = lowering.addData<RowsData>();
  data->columns = uint32_t(lowering.shapeOf(load.getResult().getType()).back());
  data->isMin = *load.getRedOp() == ttng::TMEMLoadReduceModifier::MIN;
  data->isAbsolute = load.getAbs().value_or(false);
  data->keepsNan = load.getNaN().value_or(false);
  mlir::Value rows = load.getRed();
  Slot result = lowering.define(rows, lowering.elementCountOf(rows.getType()));
  lowering.emit(runRows, taintAll, result, {loaded}).data = data;
  return true;
}

} // namespace gluonc::sim

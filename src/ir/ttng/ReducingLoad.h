//===- ReducingLoad.h - Loads from tensor memory that also reduce rows --------===//
//
// tcgen05.ld.red: a thread gets elements, and the least or largest of those that it
// gets. That is the one of a row if it gets one row, and all of it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/Dialects.h"

#include <string>

namespace gluonc::ttng {

/// Why no instruction loads `tensor` and reduces its rows; "" if one does.
std::string whyNoReducingLoad(mlir::RankedTensorType tensor);
/// The rules of `tmem_load` beyond those of every load.
mlir::LogicalResult verifyReducingLoad(TMEMLoadOp load);

} // namespace gluonc::ttng

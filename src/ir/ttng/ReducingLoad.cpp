//===- ReducingLoad.cpp - Loads from tensor memory that also reduce rows ------===//
//
// Labels are those of the description in TensorMemoryOps.td.
//
//===----------------------------------------------------------------------===//
#include "ir/ttng/ReducingLoad.h"

#include "ir/Encoding.h"
#include "ir/Owners.h"

using namespace mlir;
using namespace gluonc;
using namespace gluonc::ttng;
using layout::Dim;

std::string ttng::whyNoReducingLoad(RankedTensorType tensor) {
  if (!tensor.getElementType().isF32())
    return "it reduces elements of type float32";
  if (tensor.getRank() != 2 || tensor.getShape()[1] < 2)
    return "it reduces rows of at least two elements";
  const layout::LinearLayout *registers = linearOrNull(tensor);
  if (!registers)
    return "";
  if (!registers->sublayoutIsZero({Dim::Lane, Dim::Warp, Dim::Block}, {Dim::axis(1)}))
    return "it reduces rows that one thread holds, but in this layout several threads share a row";
  if (!registers->sublayoutIsZero({Dim::Register}, {Dim::axis(0)}))
    return "it reduces one row for each thread, but in this layout a thread holds several";
  return "";
}

LogicalResult ttng::verifyReducingLoad(TMEMLoadOp load) {
  const bool reduces = load.getRedOp().has_value();
  if (reduces != bool(load.getRed())) // tmem_load_c1
    return load.emitOpError("redOp and the reduced result come together");
  if (!reduces) {
    if (load.getAbs().value_or(false) || load.getNaN().value_or(false)) // tmem_load_c1
      return load.emitOpError("abs and NaN are for loads that reduce");
    return success();
  }
  auto tensor = cast<RankedTensorType>(load.getResult().getType());
  if (std::string problem = whyNoReducingLoad(tensor); !problem.empty()) // tmem_load_c2
    return load.emitOpError(problem);
  auto reduced = cast<RankedTensorType>(load.getRed().getType());
  if (reduced.getElementType() != tensor.getElementType() ||
      reduced.getShape() != tensor.getShape().take_front()) // tmem_load_c3
    return load.emitOpError("the reduced result must have one element of the same type per row");
  const layout::LinearLayout *all = linearOrNull(tensor), *rest = linearOrNull(reduced);
  if (all && rest && !sameOwners(without(*all, 1), *rest)) // tmem_load_c3
    return load.emitOpError("the reduced result must have the slice of the result's layout");
  return success();
}

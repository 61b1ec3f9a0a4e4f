#include "codegen/core/Values.h"

#include "ir/Dialects.h"
#include "ir/tt/AxisInfo.h"
#include "support/Error.h"

using namespace llvm;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;

namespace gluonc::codegen {

Values::Values(RegisterTypes &types, mlir::Operation *function)
    : types(types), function(function) {}

Values::~Values() = default;

const Registers &Values::get(mlir::Value value) const {
  auto found = values.find(value);
  GL_CHECK(found != values.end());
  return found->second;
}

Registers Values::flatten(mlir::ValueRange list) const {
  Registers flat;
  for (mlir::Value value : list)
    append_range(flat, get(value));
  return flat;
}

void Values::setFlat(mlir::ValueRange list, ArrayRef<Value *> flat) {
  for (mlir::Value value : list) {
    unsigned count = types.registerCount(value.getType());
    set(value, Registers(flat.take_front(count)));
    flat = flat.drop_front(count);
  }
}

const AxisInfos &Values::axes() {
  if (!axisInfos)
    axisInfos = std::make_unique<AxisInfos>(cast<tt::FuncOp>(function));
  return *axisInfos;
}

uint32_t Values::equalRegisterBits(mlir::Value value) {
  const LinearLayout &layout = types.layoutOf(value.getType());
  AxisInfo info = axes().of(value);
  uint32_t bits = 0;
  for (unsigned bit = 0; bit < layout.inLog2(Dim::Register); ++bit) {
    bool within = true;
    for (unsigned axis = 0; axis < info.rank(); ++axis)
      within &= layout.basis(Dim::Register, bit, Dim::axis(axis)) < info.constancy[axis];
    bits |= uint32_t{within} << bit;
  }
  return bits;
}

} // namespace gluonc::codegen

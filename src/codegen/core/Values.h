//===- Values.h - The registers that hold the values of one function ---------===//
#pragma once

#include "codegen/core/Isa.h"
#include "codegen/core/RegisterTypes.h"

namespace gluonc {
class AxisInfos;
}

namespace gluonc::codegen {

class Values {
public:
  Values(RegisterTypes &types, mlir::Operation *function);
  ~Values();

  const Registers &get(mlir::Value value) const;
  void set(mlir::Value value, Registers registers) { values[value] = std::move(registers); }
  /// The registers of several values, one after another; what calls carry.
  Registers flatten(mlir::ValueRange values) const;
  /// The reverse: takes the registers of each value from the front of `flat`.
  void setFlat(mlir::ValueRange values, llvm::ArrayRef<llvm::Value *> flat);

  /// Contiguity, divisibility and constancy of the function's values.
  const AxisInfos &axes();
  /// Bits of the register number that do not matter to `value`, because the elements they tell
  /// apart are known to be equal: all of `xoffs < xnumel` inside 16 rows where 16 divides xnumel.
  uint32_t equalRegisterBits(mlir::Value value);

private:
  RegisterTypes &types;
  mlir::Operation *function;
  std::unique_ptr<AxisInfos> axisInfos;
  llvm::DenseMap<mlir::Value, Registers> values;
};

} // namespace gluonc::codegen

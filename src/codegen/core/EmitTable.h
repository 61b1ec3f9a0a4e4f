//===- EmitTable.h - Which function emits which operation --------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/Support/LogicalResult.h"
#include "llvm/ADT/DenseMap.h"

namespace gluonc::codegen {

class Emitter;

using EmitFunction = mlir::LogicalResult (*)(Emitter &, mlir::Operation *);

/// Emit functions by operation type.
class EmitTable {
public:
  template <auto function> void add() {
    addImpl(function, std::integral_constant<decltype(function), function>());
  }
  /// Null for an operation that has no machine code.
  EmitFunction find(mlir::OperationName name) const { return functions.lookup(name.getTypeID()); }

private:
  template <typename Op, typename Constant>
  void addImpl(mlir::LogicalResult (*)(Emitter &, Op), Constant) {
    functions[mlir::TypeID::get<Op>()] = [](Emitter &emitter, mlir::Operation *op) {
      return Constant::value(emitter, llvm::cast<Op>(op));
    };
  }
  llvm::DenseMap<mlir::TypeID, EmitFunction> functions;
};

void addArith(EmitTable &table);
void addMath(EmitTable &table);
void addCasts(EmitTable &table);
void addProgram(EmitTable &table);
void addReshape(EmitTable &table);
void addLoadStore(EmitTable &table);
void addConvertLayout(EmitTable &table);
void addShared(EmitTable &table);
void addDebug(EmitTable &table);
void addScan(EmitTable &table);
void addAtomics(EmitTable &table);
void addReduce(EmitTable &table);
void addAsyncCopy(EmitTable &table);
void addGather(EmitTable &table);
void addIndexed(EmitTable &table);
void addMap(EmitTable &table);
void addLibdevice(EmitTable &table);
void addControlFlow(EmitTable &table);
void addWarpSpecialize(EmitTable &table);
void addCluster(EmitTable &table);

} // namespace gluonc::codegen

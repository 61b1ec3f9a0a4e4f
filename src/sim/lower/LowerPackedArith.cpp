//===- LowerPackedArith.cpp - Arithmetic by pairs ------------------------------===//
//
// Elements that an instruction has at once do not get in each other's way: each has
// the result that it would have alone.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/Lowering.h"

#include "ir/ttng/PackedArith.h"

namespace gluonc::sim {
namespace {

llvm::StringRef singleOf(ttng::PackedArithOpKind kind) {
  switch (kind) {
  case ttng::PackedArithOpKind::ADD:
    return "arith.addf";
  case ttng::PackedArithOpKind::SUB:
    return "arith.subf";
  case ttng::PackedArithOpKind::MUL:
    return "arith.mulf";
  case ttng::PackedArithOpKind::FMA:
    return "math.fma";
  case ttng::PackedArithOpKind::MIN:
    return "arith.minnumf";
  case ttng::PackedArithOpKind::MAX:
    return "arith.maxnumf";
  }
  GL_UNREACHABLE("kind of packed arithmetic");
}

bool lowerPackedArith(Lowering &lowering, mlir::Operation *operation) {
  auto packed = mlir::cast<ttng::PackedArithOp>(operation);
  if (ttng::packedForm(packed) != ttng::PackedForm::Pairs)
    return lowering.unsupported(operation, "packed arithmetic of these types");
  return operationTable().lookup(singleOf(packed.getOpKind()))(lowering, operation);
}

} // namespace

void addPackedArith(OperationTable &table) { table["ttng.packed_arith"] = lowerPackedArith; }

} // namespace gluonc::sim

//===- EmitReshape.cpp - Operations that move no element ------------------------===//
//
// Their verifiers guarantee that every thread already holds what it needs, so
// each result register is some operand register. Which one: take the register's
// coordinates in the result (in thread 0; the thread's share moves in step),
// transform them as the operation does, and look them up in the operand.
//
//===----------------------------------------------------------------------===//
#include "codegen/core/RegisterIndex.h"

#include "ir/Dialects.h"

using namespace llvm;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace gluonc::codegen {
namespace {

/// Result register i is the operand register with coordinates `toSource(coords of i)`.
LogicalResult rename(Emitter &emitter, mlir::Operation *op,
                     function_ref<Coords(const Coords &)> toSource) {
  auto sourceType = cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  auto resultType = cast<mlir::RankedTensorType>(op->getResult(0).getType());
  RegisterIndex source = RegisterIndex(emitter, sourceType);
  RegisterIndex result = RegisterIndex(emitter, resultType);
  const Registers &operand = emitter.get(op->getOperand(0));
  Registers registers;
  for (unsigned i = 0; i < emitter.types.registerCount(resultType); ++i) {
    std::optional<unsigned> from = source.find(toSource(result.coordsOf(i)));
    if (!from)
      return emitter.unsupported(op, "a change of shape that moves elements between threads");
    registers.push_back(operand[*from]);
  }
  emitter.set(op->getResult(0), std::move(registers));
  return success();
}

LogicalResult emitExpandDims(Emitter &emitter, tt::ExpandDimsOp op) {
  return rename(emitter, op, [&](const Coords &coords) {
    Coords source = coords;
    source.erase(source.begin() + op.getAxis());
    return source;
  });
}

LogicalResult emitBroadcast(Emitter &emitter, tt::BroadcastOp op) {
  ArrayRef<int64_t> shape = cast<mlir::RankedTensorType>(op.getSrc().getType()).getShape();
  return rename(emitter, op, [&](const Coords &coords) {
    Coords source = coords;
    for (auto [value, size] : zip_equal(source, shape))
      if (size == 1)
        value = 0;
    return source;
  });
}

LogicalResult emitTrans(Emitter &emitter, tt::TransOp op) {
  return rename(emitter, op, [&](const Coords &coords) {
    Coords source(coords.size());
    for (auto [axis, from] : enumerate(op.getOrder()))
      source[from] = coords[axis];
    return source;
  });
}

/// Row-major position of `coords` in `shape`, and back.
int64_t flatIndex(ArrayRef<int64_t> coords, ArrayRef<int64_t> shape) {
  int64_t index = 0;
  for (auto [value, size] : zip_equal(coords, shape))
    index = index * size + value;
  return index;
}
Coords unflatten(int64_t index, ArrayRef<int64_t> shape) {
  Coords coords(shape.size());
  for (unsigned axis = shape.size(); axis-- > 0; index /= shape[axis])
    coords[axis] = index % shape[axis];
  return coords;
}

LogicalResult emitReshape(Emitter &emitter, tt::ReshapeOp op) {
  auto source = cast<mlir::RankedTensorType>(op.getSrc().getType());
  auto result = cast<mlir::RankedTensorType>(op.getType());
  if (op.getAllowReorder() &&
      emitter.types.registerCount(source) == emitter.types.registerCount(result)) {
    // Any order will do, and the cheapest is the one there is.
    emitter.set(op.getResult(), emitter.get(op.getSrc()));
    return success();
  }
  return rename(emitter, op, [&](const Coords &coords) {
    return unflatten(flatIndex(coords, result.getShape()), source.getShape());
  });
}

LogicalResult emitJoin(Emitter &emitter, tt::JoinOp op) {
  auto sourceType = cast<mlir::RankedTensorType>(op.getLhs().getType());
  auto resultType = cast<mlir::RankedTensorType>(op.getType());
  RegisterIndex source = RegisterIndex(emitter, sourceType);
  RegisterIndex result = RegisterIndex(emitter, resultType);
  Registers registers;
  for (unsigned i = 0; i < emitter.types.registerCount(resultType); ++i) {
    Coords coords = result.coordsOf(i);
    mlir::Value half = coords.pop_back_val() ? op.getRhs() : op.getLhs();
    std::optional<unsigned> from = source.find(coords);
    if (!from)
      return emitter.unsupported(op, "a join whose halves lie in different threads");
    registers.push_back(emitter.get(half)[*from]);
  }
  emitter.set(op.getResult(), std::move(registers));
  return success();
}

LogicalResult emitSplit(Emitter &emitter, tt::SplitOp op) {
  auto sourceType = cast<mlir::RankedTensorType>(op.getSrc().getType());
  auto resultType = cast<mlir::RankedTensorType>(op.getOutLHS().getType());
  RegisterIndex source = RegisterIndex(emitter, sourceType);
  RegisterIndex result = RegisterIndex(emitter, resultType);
  const Registers operand = emitter.get(op.getSrc());
  for (unsigned half : {0, 1}) {
    Registers registers;
    for (unsigned i = 0; i < emitter.types.registerCount(resultType); ++i) {
      Coords coords = result.coordsOf(i);
      coords.push_back(half);
      std::optional<unsigned> from = source.find(coords);
      if (!from)
        return emitter.unsupported(op, "a split whose halves lie in different threads");
      registers.push_back(operand[*from]);
    }
    emitter.set(op->getResult(half), std::move(registers));
  }
  return success();
}

} // namespace

void addReshape(EmitTable &table) {
  table.add<emitExpandDims>();
  table.add<emitBroadcast>();
  table.add<emitTrans>();
  table.add<emitReshape>();
  table.add<emitJoin>();
  table.add<emitSplit>();
}

} // namespace gluonc::codegen

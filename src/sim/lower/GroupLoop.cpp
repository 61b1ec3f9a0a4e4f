#include "sim/lower/GroupLoop.h"

#include "sim/lower/Elementwise.h"

namespace gluonc::sim {
namespace {

/// Of an element that moves between a tile and a scalar slot; `immediate` is its position in the
/// group and above 32 bits its size in bytes.
struct Move {
  uint32_t element, bytes;
};
Move moveOf(const Instruction &instruction, Cta &cta, Slot tile, Slot counter) {
  const GroupData &groups = static_cast<const GroupData &>(*instruction.data);
  uint32_t element =
      groups.element(*cta.at<uint32_t>(counter), static_cast<uint32_t>(instruction.immediate));
  return {tile.elements == 1 ? 0 : element, static_cast<uint32_t>(instruction.immediate >> 32)};
}

/// Operands: tile, counter.
void runPick(const Instruction &instruction, Cta &cta) {
  Slot tile = instruction.operands[0];
  Move move = moveOf(instruction, cta, tile, instruction.operands[1]);
  std::memcpy(cta.at<uint8_t>(instruction.result),
              cta.at<uint8_t>(tile) + uint64_t(move.element) * move.bytes, move.bytes);
}
void taintPick(const Instruction &instruction, Cta &cta) {
  Slot tile = instruction.operands[0];
  Move move = moveOf(instruction, cta, tile, instruction.operands[1]);
  *cta.taintAt(instruction.result) = cta.taintAt(tile)[move.element];
}

/// Operands: scalar, counter.
void runPut(const Instruction &instruction, Cta &cta) {
  Move move = moveOf(instruction, cta, instruction.result, instruction.operands[1]);
  std::memcpy(cta.at<uint8_t>(instruction.result) + uint64_t(move.element) * move.bytes,
              cta.at<uint8_t>(instruction.operands[0]), move.bytes);
}
void taintPut(const Instruction &instruction, Cta &cta) {
  Move move = moveOf(instruction, cta, instruction.result, instruction.operands[1]);
  cta.taintAt(instruction.result)[move.element] = *cta.taintAt(instruction.operands[0]);
}

void runClear(const Instruction &instruction, Cta &cta) {
  *cta.at<uint32_t>(instruction.result) = 0;
}

/// result = operand 0 + 1, and back to `immediate` while there are groups.
void runNextGroup(const Instruction &instruction, Cta &cta) {
  const GroupData &groups = static_cast<const GroupData &>(*instruction.data);
  uint32_t next = *cta.at<uint32_t>(instruction.operands[0]) + 1;
  *cta.at<uint32_t>(instruction.result) = next;
  if (next < groups.count)
    cta.pc = static_cast<uint32_t>(instruction.immediate);
}

/// Whether an operation of a region gives the same whether it runs once for each element or for all
/// of them at once.
bool runsOnAll(Lowering &lowering, mlir::Operation &operation) {
  // Of tiles that are divided among CTAs each has a share.
  for (mlir::Type type : operation.getResultTypes())
    if (auto tile = mlir::dyn_cast<mlir::RankedTensorType>(type))
      if (int64_t(lowering.elementCountOf(type)) != tile.getNumElements())
        return false;
  if (mlir::isa<tt::SplatOp, tt::MakeRangeOp, tt::ExpandDimsOp, tt::ReshapeOp, tt::JoinOp,
                tt::SplitOp, ttg::ConvertLayoutOp, ttng::PackedArithOp>(operation))
    return true;
  if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(operation)) {
    auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    return !dense || dense.isSplat();
  }
  // What moves several elements at once finds them by their layout.
  if (auto code = mlir::dyn_cast<tt::ElementwiseInlineAsmOp>(operation))
    return code.getPackedElement() == 1 && code.getNumOperands() &&
           !mlir::isa<mlir::RankedTensorType>(code.getOperand(0).getType());
  const bool isPointwise =
      operation.hasTrait<mlir::OpTrait::Elementwise>() ||
      (mlir::isa<tt::TTDialect>(operation.getDialect()) && operation.hasTrait<Pointwise>());
  return isPointwise && !operation.getNumRegions() && mlir::isMemoryEffectFree(&operation);
}

} // namespace

bool lowerEachElement(Lowering &lowering, mlir::Block &block, llvm::ArrayRef<Slot> operands,
                      uint32_t elements, llvm::SmallVectorImpl<Slot> &results) {
  mlir::Operation *end = block.getTerminator();
  if (!llvm::all_of(block.without_terminator(),
                    [&](mlir::Operation &operation) { return runsOnAll(lowering, operation); })) {
    GroupData *each = lowering.addData<GroupData>();
    each->count = elements;
    for (mlir::Value value : end->getOperands())
      results.push_back(lowering.allocate(lowering.kindOf(value), elements));
    return lowerGroups(lowering, block, each, operands, results);
  }
  for (auto [argument, slot] : llvm::zip_equal(block.getArguments(), operands))
    lowering.bind(argument, slot);
  const uint32_t outer = std::exchange(lowering.copies, elements);
  const bool lowered = lowering.lowerBody(block);
  lowering.copies = outer;
  if (!lowered)
    return false;
  for (mlir::Value value : end->getOperands()) {
    ElementKind kind = lowering.kindOf(value);
    results.push_back(lowering.allocate(kind, elements));
    lowering.emitCopy(lowering.slotOf(value), results.back(), kind);
  }
  lowering.releaseAfter(end);
  for (mlir::BlockArgument argument : block.getArguments())
    lowering.release(argument);
  return true;
}

bool lowerGroups(Lowering &lowering, mlir::Block &body, const GroupData *groups,
                 llvm::ArrayRef<Slot> tiles, llvm::ArrayRef<Slot> results) {
  const uint32_t pack = groups->pack;
  Slot counter = lowering.allocate(ElementKind::I32, 1);
  lowering.emit(runClear, taintNothing, counter, {});
  uint32_t loop = lowering.here();
  llvm::SmallVector<Slot, 4> scalars;
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    ElementKind kind = lowering.kindOf(argument);
    scalars.push_back(lowering.allocate(kind, 1));
    Instruction &pick =
        lowering.emit(runPick, taintPick, scalars.back(), {tiles[i / pack], counter});
    pick.immediate = i % pack | uint64_t(byteSize(kind)) << 32;
    pick.data = groups;
    lowering.bind(argument, scalars.back());
  }
  if (!lowering.lowerBody(body))
    return false;
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Instruction &put =
        lowering.emit(runPut, taintPut, results[i / pack], {lowering.slotOf(value), counter});
    put.immediate = i % pack | uint64_t(byteSize(lowering.kindOf(value))) << 32;
    put.data = groups;
  }
  lowering.releaseAfter(body.getTerminator());
  Instruction &next = lowering.emit(runNextGroup, taintNothing, counter, {counter});
  next.immediate = loop;
  next.data = groups;
  for (mlir::BlockArgument argument : body.getArguments())
    lowering.release(argument);
  for (Slot slot : scalars)
    lowering.free(slot);
  lowering.free(counter);
  return true;
}

} // namespace gluonc::sim

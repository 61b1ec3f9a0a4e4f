//===- LowerShared.cpp - Shared-memory buffers and views --------------------===//
#include "sim/lower/Positions.h"
#include "sim/machine/SharedAccess.h"

#include "ir/Encoding.h"
#include "ir/SourceLocation.h"
#include "ir/amdg/AmdOps.h"

namespace gluonc::sim {
namespace {

struct ViewData : OpData {
  const AddressTable *source = nullptr;
  const AddressTable *result = nullptr;
  /// Per dim: what is added to the origin, or which source dim it comes from.
  llvm::SmallVector<uint32_t, 4> perDim;
};

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

struct AllocationData : OpData {
  uint32_t base = 0;
  uint32_t bytes = 0;
  uint32_t ctas = 1;
  /// Of Program::allocations.
  size_t id = 0;
};

void runAllocate(const Instruction &instruction, Cta &cta) {
  const AllocationData &allocation = static_cast<const AllocationData &>(*instruction.data);
  descriptorAt(cta, instruction.result) = {allocation.base, {}};
  cta.noteAllocation(allocation.id);
  // Whatever an earlier owner left there is nobody's value now. In a cluster that is not for one
  // CTA to say: others may be ahead.
  if (allocation.ctas == 1)
    cta.shared.forget(allocation.base, allocation.bytes);
}

void runDeallocate(const Instruction &instruction, Cta &cta) {
  const AllocationData &allocation = static_cast<const AllocationData &>(*instruction.data);
  if (allocation.ctas == 1)
    cta.shared.forget(descriptorAt(cta, instruction.operands[0]).base, allocation.bytes);
}

/// Bytes of a whole allocation, all buffers of a ring included, in one CTA.
uint32_t allocationBytes(const AddressTable &table) {
  uint32_t buffers = 1;
  for (uint32_t dim = 0; dim < table.ringDims; ++dim)
    buffers *= table.shape[dim];
  return buffers * table.bufferBytes;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Operands: view.
void runLocalLoad(const Instruction &instruction, Cta &cta) {
  const MoveData &move = static_cast<const MoveData &>(*instruction.data);
  Region view = regionOf(cta, move.table, instruction.operands[0], move.share);
  view.halves = move.halves.empty() ? nullptr : move.halves.data();
  readShared(instruction, cta, view, cta.at<uint8_t>(instruction.result));
  cta.noteStep(instruction, Doing::Reads, view.start());
}

/// Operands: values, view.
void runLocalStore(const Instruction &instruction, Cta &cta) {
  const MoveData &move = static_cast<const MoveData &>(*instruction.data);
  Region view = regionOf(cta, move.table, instruction.operands[1], move.share);
  view.halves = move.halves.empty() ? nullptr : move.halves.data();
  view.isApart = move.isApart;
  writeShared(instruction, cta, view, cta.at<uint8_t>(instruction.operands[0]));
  cta.noteStep(instruction, Doing::Writes, view.start());
}

/// Which halves of the warps hold each element, in a loop in stages; nothing elsewhere.
std::vector<uint8_t> halvesOf(mlir::Operation *operation, mlir::RankedTensorType tile) {
  auto loop = operation->getParentOfType<mlir::scf::ForOp>();
  const layout::LinearLayout *linear = linearOrNull(tile);
  if (!loop || !loop->hasAttr(rocdl::pipelinedAttr) || !linear)
    return {};
  std::vector<uint8_t> halves(tile.getNumElements());
  for (uint64_t index = 0; index >> linear->totalInLog2() == 0; ++index) {
    const bool isLate = linear->inComponent(index, layout::Dim::Warp) >= rocdl::earlyWarps;
    halves[positionOf(*linear, tile.getShape(), linear->applyPacked(index))] |=
        isLate ? Late : Early;
  }
  return halves;
}

/// What decides which way a program goes inside of this operation.
llvm::SmallVector<mlir::Value> deciding(mlir::Operation *operation) {
  if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(operation))
    return {branch.getCondition()};
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(operation))
    return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(operation))
    return {loop.getConditionOp().getCondition()};
  return {};
}

/// Whether CTAs may go different ways to an operation: by their numbers, which inline assembly
/// reads.
bool mayBeApart(mlir::Operation *operation) {
  llvm::SmallVector<mlir::Value> open;
  for (mlir::Operation *outer = operation->getParentOp(); outer; outer = outer->getParentOp())
    llvm::append_range(open, deciding(outer));
  llvm::DenseSet<mlir::Value> seen;
  while (!open.empty()) {
    const mlir::Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    mlir::Operation *from = value.getDefiningOp();
    auto code = mlir::dyn_cast_or_null<tt::ElementwiseInlineAsmOp>(from);
    if (code && code.getAsmString().contains("%cluster_cta"))
      return true;
    if (!from)
      from = mlir::cast<mlir::BlockArgument>(value).getOwner()->getParentOp();
    if (mlir::isa<mlir::FunctionOpInterface>(from))
      continue;
    llvm::append_range(open, from->getOperands());
    llvm::append_range(open, deciding(from));
    for (mlir::Region &region : from->getRegions())
      for (mlir::Block &block : region)
        llvm::append_range(open, block.back().getOperands());
  }
  return false;
}

/// Null, after a report, where the view has no table.
MoveData *addMove(Lowering &lowering, mlir::Operation *operation, mlir::Type tile,
                  mlir::Value view) {
  const AddressTable *table = addressTable(lowering, operation, view);
  if (!table)
    return nullptr;
  MoveData *move = lowering.addData<MoveData>();
  move->table = table;
  move->share = lowering.shareOf(tile);
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(tile); tensor && !move->share)
    move->halves = halvesOf(operation, tensor);
  lowering.setShape(tile);
  return move;
}

bool emitLocalStore(Lowering &lowering, mlir::Operation *operation, mlir::Value value,
                    mlir::Value view, Slot viewSlot) {
  MoveData *move = addMove(lowering, operation, value.getType(), view);
  if (!move)
    return false;
  move->isApart = move->share && move->share->hasCopies() && mayBeApart(operation);
  Slot values = lowering.materialize(
      lowering.slotOf(value), lowering.elementCountOf(value.getType()), lowering.kindOf(value));
  lowering.emit(runLocalStore, taintObserve, Slot(), {values, viewSlot}).data = move;
  return true;
}

bool lowerLocalAlloc(Lowering &lowering, mlir::Operation *operation) {
  auto alloc = mlir::cast<ttg::LocalAllocOp>(operation);
  const AddressTable *table = addressTable(lowering, operation, alloc.getType());
  if (!table)
    return false;
  AllocationData *data = lowering.addData<AllocationData>();
  data->bytes = allocationBytes(*table);
  data->ctas = uint32_t(ttg::numCtasOf(operation));
  if (auto offset = operation->getAttrOfType<mlir::IntegerAttr>(ttg::allocationOffsetAttr)) {
    data->base = uint32_t(offset.getInt());
  } else {
    // More than any layout's alignment.
    constexpr uint32_t kAlignment = 1024;
    data->base = (lowering.nextSharedOffset + kAlignment - 1) / kAlignment * kAlignment;
    lowering.nextSharedOffset = data->base + data->bytes;
  }
  if (data->ctas > 1 && data->base + data->bytes > kTensorMemoryBase)
    return lowering.unsupported(operation, "this much shared memory in a cluster");
  lowering.program.sharedBytes = std::max(
      lowering.program.sharedBytes, data->base + data->bytes + (data->ctas - 1) * kCtaSharedStride);
  data->id = lowering.program.allocations.size();
  lowering.program.allocations.push_back(
      {nameOf(operation->getLoc()).str(), data->base, data->bytes, table});
  Slot result = lowering.define(alloc.getResult(), 1);
  lowering.emit(runAllocate, taintNothing, result, {}).data = data;
  if (mlir::Value source = alloc.getSrc())
    return emitLocalStore(lowering, operation, source, alloc.getResult(), result);
  return true;
}

bool lowerLocalDealloc(Lowering &lowering, mlir::Operation *operation) {
  mlir::Value view = operation->getOperand(0);
  if (mlir::cast<ttg::MemDescType>(view.getType()).isTensorMemory())
    return true;
  const AddressTable *table =
      addressTable(lowering, operation, mlir::cast<ttg::MemDescType>(view.getType()));
  if (!table)
    return false;
  AllocationData *data = lowering.addData<AllocationData>();
  data->bytes = allocationBytes(*table);
  data->ctas = uint32_t(ttg::numCtasOf(operation));
  lowering.emit(runDeallocate, taintObserve, Slot(), {lowering.slotOf(view)}).data = data;
  return true;
}

bool lowerLocalLoad(Lowering &lowering, mlir::Operation *operation) {
  auto load = mlir::cast<ttg::LocalLoadOp>(operation);
  mlir::Type type = load.getResult().getType();
  MoveData *move = addMove(lowering, operation, type, load.getSrc());
  if (!move)
    return false;
  Slot result = lowering.define(load.getResult(), lowering.elementCountOf(type));
  lowering.emit(runLocalLoad, taintObserve, result, {lowering.slotOf(load.getSrc())}).data = move;
  return true;
}

bool lowerLocalStore(Lowering &lowering, mlir::Operation *operation) {
  auto store = mlir::cast<ttg::LocalStoreOp>(operation);
  return emitLocalStore(lowering, operation, store.getSrc(), store.getDst(),
                        lowering.slotOf(store.getDst()));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Operands: view, index.
void runIndex(const Instruction &instruction, Cta &cta) {
  const ViewData &view = static_cast<const ViewData &>(*instruction.data);
  const Descriptor source = descriptorAt(cta, instruction.operands[0]);
  int32_t index = *cta.at<int32_t>(instruction.operands[1]);
  Descriptor &result = descriptorAt(cta, instruction.result);
  result = {source.base, {}};
  // A view that is never used may have any index; pipelined loops make such.
  if (index < 0 || uint32_t(index) >= view.source->shape[0])
    return cta.taintResult(instruction, 0, diag::Kind::ElementIndexOutOfRange,
                           {std::to_string(index), std::to_string(view.source->shape[0] - 1)});
  uint32_t position = uint32_t(index) + source.origin[0];
  uint32_t inner = 1;
  for (uint32_t dim = 1; dim < view.source->shape.size(); ++dim)
    inner *= view.source->shape[dim];
  result.base += view.source->ringDims ? position * view.result->bufferBytes
                                       : view.source->offsets[position * inner];
}

void runSubslice(const Instruction &instruction, Cta &cta) {
  const ViewData &view = static_cast<const ViewData &>(*instruction.data);
  Descriptor result = descriptorAt(cta, instruction.operands[0]);
  for (uint32_t dim = 0; dim < view.perDim.size(); ++dim)
    result.origin[dim] += view.perDim[dim];
  descriptorAt(cta, instruction.result) = result;
}

void runViewTrans(const Instruction &instruction, Cta &cta) {
  const ViewData &view = static_cast<const ViewData &>(*instruction.data);
  const Descriptor source = descriptorAt(cta, instruction.operands[0]);
  Descriptor result = {source.base, {}};
  for (uint32_t dim = 0; dim < view.perDim.size(); ++dim)
    result.origin[dim] = source.origin[view.perDim[dim]];
  descriptorAt(cta, instruction.result) = result;
}

/// memdesc_reinterpret: bytes from where the view begins.
void runReinterpret(const Instruction &instruction, Cta &cta) {
  const AddressTable &table = *static_cast<const ViewData &>(*instruction.data).source;
  const Descriptor source = descriptorAt(cta, instruction.operands[0]);
  uint32_t ring = 0, start = 0;
  for (uint32_t dim = 0; dim < table.shape.size(); ++dim)
    if (dim < table.ringDims)
      ring = ring * table.shape[dim] + source.origin[dim];
    else
      start =
          start * table.bufferShape[dim - table.ringDims + table.hiddenDims] + source.origin[dim];
  descriptorAt(cta, instruction.result) = {
      source.base + ring * table.bufferBytes + table.offsets[start], {}};
}

/// memdesc_reshape: the same buffer from its start.
void runSameBuffer(const Instruction &instruction, Cta &cta) {
  descriptorAt(cta, instruction.result) = {descriptorAt(cta, instruction.operands[0]).base, {}};
}

bool emitView(Lowering &lowering, mlir::Operation *operation, Handler handler,
              llvm::ArrayRef<int32_t> perDim) {
  ViewData *data = lowering.addData<ViewData>();
  data->source = addressTable(lowering, operation,
                              mlir::cast<ttg::MemDescType>(operation->getOperand(0).getType()));
  data->result = addressTable(lowering, operation,
                              mlir::cast<ttg::MemDescType>(operation->getResult(0).getType()));
  if (!data->source || !data->result)
    return false;
  data->perDim.assign(perDim.begin(), perDim.end());
  llvm::SmallVector<Slot, 2> operands;
  for (mlir::Value operand : operation->getOperands())
    operands.push_back(lowering.slotOf(operand));
  Slot result = lowering.define(operation->getResult(0), 1);
  lowering.emit(handler, taintElementwise, result, operands).data = data;
  return true;
}

bool lowerIndex(Lowering &lowering, mlir::Operation *operation) {
  return emitView(lowering, operation, runIndex, {});
}
bool lowerSubslice(Lowering &lowering, mlir::Operation *operation) {
  return emitView(lowering, operation, runSubslice,
                  mlir::cast<ttg::MemDescSubsliceOp>(operation).getOffsets());
}
bool lowerViewTrans(Lowering &lowering, mlir::Operation *operation) {
  return emitView(lowering, operation, runViewTrans,
                  mlir::cast<ttg::MemDescTransOp>(operation).getOrder());
}
bool lowerReinterpret(Lowering &lowering, mlir::Operation *operation) {
  return emitView(lowering, operation, runReinterpret, {});
}
bool lowerSameBuffer(Lowering &lowering, mlir::Operation *operation) {
  return emitView(lowering, operation, runSameBuffer, {});
}

} // namespace

void addShared(OperationTable &table) {
  table["ttg.local_alloc"] = lowerLocalAlloc;
  table["ttg.local_dealloc"] = lowerLocalDealloc;
  table["ttg.local_load"] = lowerLocalLoad;
  table["ttg.local_store"] = lowerLocalStore;
  table["ttg.memdesc_index"] = lowerIndex;
  table["ttg.memdesc_subslice"] = lowerSubslice;
  table["ttg.memdesc_trans"] = lowerViewTrans;
  table["ttg.memdesc_reshape"] = lowerSameBuffer;
  table["ttg.memdesc_reinterpret"] = lowerReinterpret;
}

} // namespace gluonc::sim

//===- LowerAsync.cpp - Asynchronous copies and barriers --------------------===//
//
// A copy reads global memory when it is issued, for its faults belong to that
// line, but its bytes reach shared memory as late as the program permits: at the
// wait that its group must be complete for. Until then the destination counts as
// unfinished, so a missing wait is found.
//
// All threads of a program are at the same instruction at any time, and barriers
// are therefore nothing, but in loops whose halves of the warps are a stage apart.
//
//===----------------------------------------------------------------------===//
#include "ir/amdg/AmdOps.h"
#include "sim/lower/Buffers.h"
#include "sim/machine/SharedAccess.h"

namespace gluonc::sim {
namespace {

struct CopyData : AccessData {
  const AddressTable *table = nullptr;
  /// Of the tile of addresses.
  const Share *share = nullptr;
  /// Elements that are masked off stay as they are.
  bool keepsMaskedOff = false;
};

/// Operands: addresses, mask if `masked`, other if `hasOther`, view.
void runAsyncCopy(const Instruction &instruction, Cta &cta) {
  const CopyData &data = static_cast<const CopyData &>(*instruction.data);
  uint32_t size = data.elementBytes;
  std::vector<uint8_t> bytes(uint64_t(data.elements) * size), kept;
  forEachRun(
      instruction, cta,
      [&](uint32_t element, uint32_t count, const uint8_t *host) {
        std::memcpy(bytes.data() + uint64_t(element) * size, host, uint64_t(count) * size);
      },
      [&](uint32_t element, uint32_t count) {
        if (data.keepsMaskedOff) {
          kept.resize(data.elements);
          std::fill_n(kept.begin() + element, count, 1);
        }
        if (!data.hasOther)
          return;
        Slot other = instruction.operands[2];
        for (uint32_t i = element; i < element + count; ++i)
          std::memcpy(bytes.data() + uint64_t(i) * size,
                      cta.at<uint8_t>(other) + (other.elements == 1 ? 0 : uint64_t(i) * size),
                      size);
      });
  if (cta.stopped)
    return;
  Region target =
      regionOf(cta, data.table, instruction.operands[instruction.operandCount - 1], data.share);
  if (!checkWritable(instruction, cta, target))
    return;
  AsyncOperation copy;
  copy.place = instruction.place;
  copy.movement =
      AsyncOperation::ElementsToShared{target, std::move(bytes), std::nullopt, std::move(kept)};
  cta.noteStep(instruction, Doing::Loads, target.start());
  cta.fiber->openCopies.push_back(cta.start(std::move(copy)));
}

/// Operands: addresses, mask if `masked`, view.
void runAsyncStore(const Instruction &instruction, Cta &cta) {
  const CopyData &data = static_cast<const CopyData &>(*instruction.data);
  AsyncOperation store;
  store.name = "store";
  store.place = instruction.place;
  auto &out = store.movement.emplace<AsyncOperation::ElementsToGlobal>();
  out.elementBytes = data.elementBytes;
  forEachRun(
      instruction, cta,
      [&](uint32_t element, uint32_t count, const uint8_t *host) {
        out.runs.push_back({reinterpret_cast<uint64_t>(host), element, count});
      },
      [](uint32_t, uint32_t) {});
  if (cta.stopped)
    return;
  const Region &source = store.reads.emplace_back(
      regionOf(cta, data.table, instruction.operands[instruction.operandCount - 1], data.share));
  out.bytes.resize(uint64_t(data.elements) * data.elementBytes);
  if (!readShared(instruction, cta, source, out.bytes.data()))
    return;
  cta.noteStep(instruction, Doing::Stores, source.start());
  cta.fiber->openCopies.push_back(cta.start(std::move(store)));
}

void runCommit(const Instruction &, Cta &cta) {
  cta.fiber->queue(Queue::Copies).push_back(std::exchange(cta.fiber->openCopies, {}));
}

/// `immediate`: groups that may stay unfinished.
void runWait(const Instruction &instruction, Cta &cta) {
  cta.waitFor(Queue::Copies, instruction.immediate);
}

/// The shared side of a copy, and as many elements.
CopyData *addCopy(Lowering &lowering, mlir::Operation *operation, mlir::Value view,
                  mlir::Value elements, const char *verb) {
  const AddressTable *table =
      addressTable(lowering, operation, mlir::cast<ttg::MemDescType>(view.getType()));
  if (!table)
    return nullptr;
  CopyData *data = lowering.addData<CopyData>();
  describeAccess(lowering, *data, elements, table->elementBytes, verb);
  data->table = table;
  data->share = lowering.shareOf(elements.getType());
  return data;
}

bool lowerAsyncCopy(Lowering &lowering, mlir::Operation *operation) {
  auto copy = mlir::cast<ttg::AsyncCopyGlobalToLocalOp>(operation);
  CopyData *data = addCopy(lowering, operation, copy.getResult(), copy.getSrc(), "async copy");
  if (!data)
    return false;
  data->reads = true;
  data->masked = static_cast<bool>(copy.getMask());
  llvm::SmallVector<Slot, 4> operands = {lowering.slotOf(copy.getSrc())};
  if (copy.getMask())
    operands.push_back(lowering.slotOf(copy.getMask()));
  // cp.async fills masked-off elements with zeros whatever `other` says. AMD's waves store `other`,
  // and without it leave what was there.
  if (amdg::isForAmd(operation)) {
    data->hasOther = static_cast<bool>(copy.getOther());
    data->keepsMaskedOff = !data->hasOther;
    if (copy.getOther())
      operands.push_back(lowering.slotOf(copy.getOther()));
  }
  operands.push_back(lowering.slotOf(copy.getResult()));
  lowering.emit(runAsyncCopy, taintStore, Slot(), operands).data = data;
  return true;
}

bool lowerBufferCopy(Lowering &lowering, mlir::Operation *operation) {
  auto copy = mlir::cast<amdg::BufferLoadToLocalOp>(operation);
  CopyData *data = addCopy(lowering, operation, copy.getDest(), copy.getOffsets(), "async copy");
  if (!data)
    return false;
  llvm::SmallVector<Slot, 4> operands =
      bufferOperands(lowering, *data, copy.getPtr(), copy.getOffsets(), copy.getMask());
  data->reads = true;
  data->hasOther = true;
  operands.push_back(bufferOther(lowering, copy.getMask(), copy.getOther(),
                                 *elementKindOf(tt::pointeeTypeOf(copy.getPtr().getType()))));
  operands.push_back(lowering.slotOf(copy.getDest()));
  lowering.emit(runAsyncCopy, taintStore, Slot(), operands).data = data;
  return true;
}

bool lowerAsyncStore(Lowering &lowering, mlir::Operation *operation) {
  auto copy = mlir::cast<amdg::AsyncCopyLocalToGlobalOp>(operation);
  CopyData *data = addCopy(lowering, operation, copy.getSrc(), copy.getDst(), "async store");
  if (!data)
    return false;
  data->writes = true;
  data->masked = static_cast<bool>(copy.getMask());
  llvm::SmallVector<Slot, 3> operands = {lowering.slotOf(copy.getDst())};
  if (copy.getMask())
    operands.push_back(lowering.slotOf(copy.getMask()));
  operands.push_back(lowering.slotOf(copy.getSrc()));
  lowering.emitOnce(copy.getDst().getType(), [&] {
    lowering.emit(runAsyncStore, taintStore, Slot(), operands).data = data;
  });
  return true;
}

bool lowerCommit(Lowering &lowering, mlir::Operation *) {
  lowering.emit(runCommit, taintNothing, Slot(), {});
  return true;
}

bool lowerWait(Lowering &lowering, mlir::Operation *operation) {
  lowering.emit(runWait, taintNothing, Slot(), {}).immediate =
      mlir::cast<ttg::AsyncWaitOp>(operation).getNum();
  return true;
}

/// Threads of a partition run in step, so that a barrier between them changes nothing but the stage
/// that they are in.
void runStep(const Instruction &, Cta &cta) {
  if (StageOrder *stages = cta.stagesInHand())
    stages->step();
}

/// All warps.
void runMeet(const Instruction &, Cta &cta) { cta.warpStores.meet(); }

bool lowerBarrier(Lowering &lowering, mlir::Operation *operation) {
  lowering.emit(runMeet, taintNothing, Slot(), {});
  auto loop = operation->getParentOfType<mlir::scf::ForOp>();
  if (loop && loop->hasAttr(rocdl::pipelinedAttr))
    lowering.emit(runStep, taintNothing, Slot(), {});
  return true;
}

/// `immediate`: the late half falls behind.
void runHalfBarrier(const Instruction &instruction, Cta &cta) {
  StageOrder &stages = cta.stages[cta.rank()];
  if (instruction.immediate)
    stages.begin(cta.program.sharedBytes);
  else
    stages.end();
}

bool lowerHalfBarrier(Lowering &lowering, mlir::Operation *operation) {
  lowering.program.hasStages = true;
  lowering.emit(runHalfBarrier, taintNothing, Slot(), {}).immediate =
      mlir::cast<amdg::HalfBarrierOp>(operation).getLate();
  return true;
}

bool lowerPriority(Lowering &, mlir::Operation *) { return true; }

} // namespace

void addAsync(OperationTable &table) {
  table["ttg.async_copy_global_to_local"] = lowerAsyncCopy;
  table["amdg.buffer_load_to_local"] = lowerBufferCopy;
  table["amdg.async_copy_local_to_global"] = lowerAsyncStore;
  table["ttg.async_commit_group"] = lowerCommit;
  table["ttg.async_wait"] = lowerWait;
  table["ttg.barrier"] = lowerBarrier;
  table["rocdl.s.barrier"] = lowerBarrier;
  table["rocdl.s.setprio"] = lowerPriority;
  table["amdg.half_barrier"] = lowerHalfBarrier;
}

} // namespace gluonc::sim

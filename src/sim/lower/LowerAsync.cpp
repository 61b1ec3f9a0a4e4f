//===- LowerAsync.cpp - Asynchronous copies and barriers --------------------===//
//
// A copy reads global memory when it is issued, for its faults belong to that
// line, but its bytes reach shared memory as late as the program permits: at the
// wait that its group must be complete for. Until then the destination counts as
// unfinished, so a missing wait is found.
//
// All threads of a program are at the same instruction at any time, and barriers
// are therefore nothing.
//
//===----------------------------------------------------------------------===//
#include "sim/machine/GlobalAccess.h"
#include "sim/machine/SharedAccess.h"

namespace gluonc::sim {
namespace {

struct CopyData : AccessData {
  const AddressTable *table = nullptr;
  /// Of the tile of addresses.
  const Share *share = nullptr;
};

/// Operands: addresses, mask if `masked`, other if `hasOther`, view.
void runAsyncCopy(const Instruction &instruction, Cta &cta) {
  const CopyData &data = static_cast<const CopyData &>(*instruction.data);
  uint32_t size = data.elementBytes;
  std::vector<uint8_t> bytes(uint64_t(data.elements) * size);
  forEachRun(
      instruction, cta,
      [&](uint32_t element, uint32_t count, const uint8_t *host) {
        std::memcpy(bytes.data() + uint64_t(element) * size, host, uint64_t(count) * size);
      },
      [&](uint32_t element, uint32_t count) {
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
  copy.movement = AsyncOperation::ElementsToShared{target, std::move(bytes), std::nullopt};
  cta.noteStep(instruction, Doing::Loads, target.start());
  cta.fiber->openCopies.push_back(cta.start(std::move(copy)));
}

void runCommit(const Instruction &, Cta &cta) {
  cta.fiber->queue(Queue::Copies).push_back(std::exchange(cta.fiber->openCopies, {}));
}

/// `immediate`: groups that may stay unfinished.
void runWait(const Instruction &instruction, Cta &cta) {
  cta.waitFor(Queue::Copies, instruction.immediate);
}

bool lowerAsyncCopy(Lowering &lowering, mlir::Operation *operation) {
  auto copy = mlir::cast<ttg::AsyncCopyGlobalToLocalOp>(operation);
  auto view = mlir::cast<ttg::MemDescType>(copy.getResult().getType());
  const AddressTable *table = addressTable(lowering, operation, view);
  if (!table)
    return false;
  CopyData *data = lowering.addData<CopyData>();
  describeAccess(lowering, *data, copy.getSrc(), table->elementBytes, "async copy");
  data->table = table;
  data->share = lowering.shareOf(copy.getSrc().getType());
  data->reads = true;
  data->masked = static_cast<bool>(copy.getMask());
  llvm::SmallVector<Slot, 4> operands = {lowering.slotOf(copy.getSrc())};
  if (copy.getMask())
    operands.push_back(lowering.slotOf(copy.getMask()));
  // cp.async fills masked-off elements with zeros whatever `other` says; AMD honours it.
  auto target = operation->getParentOfType<mlir::ModuleOp>()->getAttrOfType<mlir::StringAttr>(
      ttg::targetAttr);
  if (copy.getOther() && target && target.getValue().starts_with("hip")) {
    data->hasOther = true;
    operands.push_back(lowering.slotOf(copy.getOther()));
  }
  operands.push_back(lowering.slotOf(copy.getResult()));
  lowering.emit(runAsyncCopy, taintStore, Slot(), operands).data = data;
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

bool lowerBarrier(Lowering &, mlir::Operation *) { return true; }

} // namespace

void addAsync(OperationTable &table) {
  table["ttg.async_copy_global_to_local"] = lowerAsyncCopy;
  table["ttg.async_commit_group"] = lowerCommit;
  table["ttg.async_wait"] = lowerWait;
  table["ttg.barrier"] = lowerBarrier;
}

} // namespace gluonc::sim

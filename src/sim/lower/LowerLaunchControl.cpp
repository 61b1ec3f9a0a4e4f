//===- LowerLaunchControl.cpp - Work of programs that have not begun ----------===//
//
// The first CTA of the cluster asks, at once (ProgramPool.h); the answer comes to all
// of its CTAs as late as their barriers permit. In memory and in registers it is the
// program's three numbers, and whether there is one: in the form of nobody's chip.
//
//===----------------------------------------------------------------------===//
#include "sim/machine/BarrierView.h"
#include "sim/machine/ProgramPool.h"
#include "target/nvidia/Barriers.h"

namespace gluonc::sim {
namespace {

struct Answer {
  uint32_t program[3] = {};
  uint32_t isGranted = 0;
};
static_assert(sizeof(Answer) == target::nvidia::answerBytes);
static_assert(sizeof(Answer) == kLaunchAnswerBytes);

struct RequestData : MoveData {
  const AddressTable *barrierTable = nullptr;
  const Share *barrierShare = nullptr;
};

Answer ask(Cta &cta) {
  Answer answer;
  if (std::optional<uint64_t> program = cta.pool ? cta.pool->cancel() : std::nullopt) {
    cta.numbersOf(*program, answer.program);
    answer.isGranted = 1;
  }
  return answer;
}

/// Sends an answer to the CTA whose number differs by `distance` from this one's.
void send(const Instruction &instruction, Cta &cta, const Answer &answer, uint32_t distance) {
  const auto &data = static_cast<const RequestData &>(*instruction.data);
  const uint32_t bytes = distance * kCtaSharedStride;
  const Region barriers =
      barriersAt(cta, data.barrierTable, instruction.operands[1], data.barrierShare);
  AsyncOperation request;
  request.name = "request";
  request.proxy = Proxy::Async;
  request.place = instruction.place;
  auto &elements = request.movement.emplace<AsyncOperation::ElementsToShared>();
  elements.target = regionOf(cta, data.table, instruction.operands[0], data.share);
  elements.target.copyOffset += bytes;
  elements.target.rank += distance;
  const auto *raw = reinterpret_cast<const uint8_t *>(&answer);
  elements.bytes.assign(raw, raw + sizeof answer);
  if (!checkBarrier(instruction, cta, barriers, "request with", bytes) ||
      !checkWritable(instruction, cta, elements.target, Proxy::Async))
    return;
  cta.noteStep(instruction, Doing::Loads, elements.target.start());
  BarrierEvent event;
  event.bytes = sizeof answer;
  event.cta = cta.rank();
  event.place = instruction.place;
  forEachBarrier(barriers, [&](uint32_t offset) { event.barriers.push_back(offset + bytes); });
  event.operations.push_back(cta.start(std::move(request)));
  if (cta.schedule)
    cta.schedule->touchAnything();
  cta.addEvent(std::move(event));
  cta.noteEvent();
}

/// Operands: where the answer goes, barrier.
void runTryCancel(const Instruction &instruction, Cta &cta) {
  if (cta.rank())
    return;
  if (cta.hasSeenRefusal)
    return cta.fail(instruction, diag::Kind::RequestAfterRefusal, {});
  const Answer answer = ask(cta);
  for (uint32_t distance = 0; distance < cta.program.ctas && !cta.failed; ++distance)
    send(instruction, cta, answer, distance);
}

/// Operands: answer in memory.
void runLoadResult(const Instruction &instruction, Cta &cta) {
  const auto &move = static_cast<const MoveData &>(*instruction.data);
  const Region view = regionOf(cta, move.table, instruction.operands[0], move.share);
  cta.noteStep(instruction, Doing::Reads, view.start());
  // A request takes longer than any load, and kernels ask again without a fence.
  if (!readShared(instruction, cta, view, cta.at<uint8_t>(instruction.result), Proxy::Async))
    return;
  noteRead(cta, view, instruction.place, Proxy::Async);
  // It is the first CTA that asks.
  if (!cta.rank() && !cta.at<Answer>(instruction.result)->isGranted)
    cta.hasSeenRefusal = true;
}

/// Operands: answer.
void runIsCanceled(const Instruction &instruction, Cta &cta) {
  *cta.at<uint8_t>(instruction.result) = cta.at<Answer>(instruction.operands[0])->isGranted != 0;
}

/// Operands: answer. `immediate`: the dim.
void runProgramId(const Instruction &instruction, Cta &cta) {
  const Answer &answer = *cta.at<Answer>(instruction.operands[0]);
  *cta.at<uint32_t>(instruction.result) =
      answer.isGranted ? answer.program[instruction.immediate] : ~uint32_t{0};
  if (!answer.isGranted && cta.maskedOff != Verdict::Ignore)
    cta.taintResult(instruction, 0, diag::Kind::RefusalHasNoProgram, {});
}

bool setMove(Lowering &lowering, mlir::Operation *operation, MoveData &move, mlir::Value view) {
  move.table = addressTable(lowering, operation, view);
  move.share = lowering.shareOf(operation, mlir::cast<ttg::MemDescType>(view.getType()));
  return move.table && (move.share || !lowering.inCluster());
}

bool lowerTryCancel(Lowering &lowering, mlir::Operation *operation) {
  auto request = mlir::cast<ttng::CLCTryCancelOp>(operation);
  lowering.program.ordersShared = lowering.program.takesPrograms = true;
  RequestData *data = lowering.addData<RequestData>();
  mlir::Value barrier = request.getMbarrier();
  data->barrierTable = addressTable(lowering, operation, barrier);
  data->barrierShare = lowering.shareOf(operation, mlir::cast<ttg::MemDescType>(barrier.getType()));
  if (!setMove(lowering, operation, *data, request.getResult()) || !data->barrierTable)
    return false;
  lowering
      .emit(runTryCancel, taintObserve, Slot(),
            {lowering.slotOf(request.getResult()), lowering.slotOf(barrier)})
      .data = data;
  return true;
}

bool lowerLoadResult(Lowering &lowering, mlir::Operation *operation) {
  auto load = mlir::cast<ttng::CLCLoadResultOp>(operation);
  MoveData *data = lowering.addData<MoveData>();
  if (!setMove(lowering, operation, *data, load.getSrc()))
    return false;
  Slot result = lowering.define(load.getClcResult(), 1);
  lowering.emit(runLoadResult, taintObserve, result, {lowering.slotOf(load.getSrc())}).data = data;
  return true;
}

bool lowerIsCanceled(Lowering &lowering, mlir::Operation *operation) {
  Slot answer = lowering.slotOf(operation->getOperand(0));
  Slot result = lowering.define(operation->getResult(0), 1);
  lowering.emit(runIsCanceled, taintElementwise, result, {answer});
  return true;
}

bool lowerProgramId(Lowering &lowering, mlir::Operation *operation) {
  Slot answer = lowering.slotOf(operation->getOperand(0));
  Slot result = lowering.define(operation->getResult(0), 1);
  lowering.emit(runProgramId, taintElementwise, result, {answer}).immediate =
      uint64_t(mlir::cast<ttng::CLCGetProgramIdOp>(operation).getDim());
  return true;
}

} // namespace

void addLaunchControl(OperationTable &table) {
  table["ttng.clc_try_cancel"] = lowerTryCancel;
  table["ttng.clc_load_result"] = lowerLoadResult;
  table["ttng.clc_is_canceled"] = lowerIsCanceled;
  table["ttng.clc_get_program_id"] = lowerProgramId;
}

} // namespace gluonc::sim

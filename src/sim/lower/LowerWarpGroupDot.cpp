//===- LowerWarpGroupDot.cpp - warpgroup_mma ---------------------------------===//
//
// An asynchronous dot computes at once, since nobody may write its operands
// before a wait; that nobody does, and that nobody uses the result, is what its
// AsyncOperation is for. f32 operands are cut to tf32, as the instruction does.
//
//===----------------------------------------------------------------------===//
#include "sim/async/Dot.h"
#include "sim/machine/SharedAccess.h"

namespace gluonc::sim {
namespace {

Slot spelledOut(Lowering &lowering, mlir::Value value) {
  return lowering.materialize(lowering.slotOf(value), lowering.elementCountOf(value.getType()),
                              lowering.kindOf(value));
}

/// Operands: view. A tile from shared memory.
void runFetch(const Instruction &instruction, Cta &cta) {
  const MoveData &move = static_cast<const MoveData &>(*instruction.data);
  readShared(instruction, cta, regionOf(cta, move.table, instruction.operands[0], move.share),
             cta.at<uint8_t>(instruction.result), Proxy::Async);
}

/// An operand's elements in a slot; those of shared memory are fetched into a temporary.
std::optional<Slot> fetch(Lowering &lowering, mlir::Operation *operation, mlir::Value value) {
  auto view = mlir::dyn_cast<ttg::MemDescType>(value.getType());
  if (!view)
    return spelledOut(lowering, value);
  const AddressTable *table = addressTable(lowering, operation, view);
  std::optional<ElementKind> kind = elementKindOf(view.getElementType());
  const Share *share = lowering.shareOf(operation, view);
  if (!table || !kind || (lowering.inCluster() && !share))
    return std::nullopt;
  MoveData *move = lowering.addData<MoveData>();
  move->table = table;
  move->share = share;
  Slot elements = lowering.temporary(*kind, Region{table, {}, share}.elements());
  lowering.emit(runFetch, taintObserve, elements, {lowering.slotOf(value)}).data = move;
  return elements;
}

struct IssueData : OpData {
  struct View {
    const AddressTable *table;
    const Share *share;
    Slot slot;
  };
  llvm::SmallVector<View, 2> views;
  /// The accumulator that goes in, and what comes out.
  Slot input, output;
};

void runIssue(const Instruction &instruction, Cta &cta) {
  const IssueData &data = static_cast<const IssueData &>(*instruction.data);
  AsyncOperation started;
  started.name = "product";
  started.proxy = Proxy::Async;
  for (const IssueData::View &view : data.views)
    started.reads.push_back(regionOf(cta, view.table, view.slot, view.share));
  // The accumulator is updated in place: what its old slot held is superseded.
  for (const AsyncGroup &group : cta.fiber->queue(Queue::Dots))
    for (const std::shared_ptr<AsyncOperation> &earlier : group)
      llvm::erase(earlier->results, data.input.offset);
  started.results.push_back(data.output.offset);
  started.place = instruction.place;
  if (!started.reads.empty())
    cta.noteStep(instruction, Doing::Multiplies, started.reads.front().start());
  cta.enqueue(Queue::Dots, std::move(started));
}

/// `immediate`: dots that may stay unfinished.
void runWait(const Instruction &instruction, Cta &cta) {
  cta.waitFor(Queue::Dots, instruction.immediate);
}

bool lowerWarpGroupDot(Lowering &lowering, mlir::Operation *operation) {
  auto dot = mlir::cast<ttng::WarpGroupDotOp>(operation);
  auto elementKind = [](mlir::Value value) {
    auto view = mlir::dyn_cast<ttg::MemDescType>(value.getType());
    return elementKindOf(view ? view.getElementType() : value.getType());
  };
  lowering.program.ordersShared = true;
  DotData *data = lowering.addData<DotData>();
  data->a = *elementKind(dot.getA());
  data->b = *elementKind(dot.getB());
  data->result = lowering.kindOf(dot.getC());
  data->sanitized = lowering.program.sanitizer == Sanitizer::Fpsan;
  data->unsignedA = dot.getUnsignedA();
  data->unsignedB = dot.getUnsignedB();
  if (!isDot(data->a, data->b, data->result))
    return false;
  lowering.setShape(dot.getD().getType());
  // The instruction reaches no other CTA's memory.
  if (lowering.inCluster() && mixesShares(lowering, operation))
    return lowering.unsupported(operation, "a dot of operands in other CTAs");
  llvm::ArrayRef<int64_t> c = lowering.shapeOf(dot.getC().getType());
  data->shape.rows = uint32_t(c[0]);
  data->shape.columns = uint32_t(c[1]);
  data->shape.depth = uint32_t(dot.getB().getType().getShape()[0]);
  // The instruction has no other way to treat f32.
  data->shape.truncatesToTf32 = data->a == ElementKind::F32;
  data->shape.saturates = true;
  std::optional<Slot> a = fetch(lowering, operation, dot.getA());
  std::optional<Slot> b = fetch(lowering, operation, dot.getB());
  if (!a || !b)
    return false;
  Slot input = lowering.slotOf(dot.getC());
  llvm::SmallVector<Slot, 4> operands = {*a, *b, spelledOut(lowering, dot.getC())};
  if (dot.getUseC())
    operands.push_back(lowering.slotOf(dot.getUseC()));
  Slot result = lowering.define(dot.getD(), lowering.elementCountOf(dot.getD().getType()));
  lowering.emit(runDot, taintAll, result, operands).data = data;
  if (!dot.getIsAsync()) {
    // Its own wait is one for everything before it.
    lowering.emit(runWait, taintNothing, Slot(), {});
    return true;
  }
  IssueData *issue = lowering.addData<IssueData>();
  issue->input = input;
  issue->output = result;
  for (mlir::Value value : {dot.getA(), mlir::Value(dot.getB())})
    if (mlir::isa<ttg::MemDescType>(value.getType()))
      issue->views.push_back({addressTable(lowering, operation, value),
                              lowering.shareOf(value.getType()), lowering.slotOf(value)});
  lowering.emit(runIssue, taintNothing, Slot(), {}).data = issue;
  return true;
}

bool lowerWarpGroupDotWait(Lowering &lowering, mlir::Operation *operation) {
  auto wait = mlir::cast<ttng::WarpGroupDotWaitOp>(operation);
  lowering.emit(runWait, taintNothing, Slot(), {}).immediate = uint64_t(wait.getPendings());
  for (auto [input, output] : llvm::zip_equal(wait.getInputs(), wait.getOutputs()))
    lowering.bind(output, lowering.slotOf(input));
  return true;
}

} // namespace

void addWarpGroupDot(OperationTable &table) {
  table["ttng.warp_group_dot"] = lowerWarpGroupDot;
  table["ttng.warp_group_dot_wait"] = lowerWarpGroupDotWait;
}

} // namespace gluonc::sim

//===- LowerControl.cpp - Branches, loops, calls ----------------------------===//
//
// Structured control flow becomes jumps. Values that a region yields go to slots
// that exist before it runs, so both ways of an `if`, and every round of a loop,
// end in the same place.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/Elementwise.h"
#include "sim/machine/Taint.h"

#include "ir/SourceLocation.h"

namespace gluonc::sim {
namespace {

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// `immediate`: the target.
void runJump(const Instruction &instruction, Cta &cta) {
  cta.pc = static_cast<uint32_t>(instruction.immediate);
  cta.countBranch(instruction);
}

/// `immediate`: the target if the operand is true, and above 32 bits the one if not.
void runConditionalJump(const Instruction &instruction, Cta &cta) {
  bool condition = *cta.at<uint8_t>(instruction.operands[0]);
  cta.pc = static_cast<uint32_t>(condition ? instruction.immediate : instruction.immediate >> 32);
  cta.countBranch(instruction);
}

void runEnd(const Instruction &instruction, Cta &cta) { cta.endFiber(instruction); }

/// Leaves the loop for `immediate` when operand 0 has reached operand 1.
template <class E> void runLoopTest(const Instruction &instruction, Cta &cta) {
  using T = typename E::Storage;
  T current = *cta.at<T>(instruction.operands[0]);
  T end = *cta.at<T>(instruction.operands[1]);
  if (E::toSigned(current) >= E::toSigned(end))
    cta.pc = static_cast<uint32_t>(instruction.immediate);
  cta.countBranch(instruction);
}

/// result = operand 0 + operand 1, then back to the test at `immediate`; where the
/// addition overflows, the loop has reached every possible end.
template <class E> void runLoopStep(const Instruction &instruction, Cta &cta) {
  using T = typename E::Storage;
  T current = *cta.at<T>(instruction.operands[0]);
  T next = E::wrap(static_cast<T>(current + *cta.at<T>(instruction.operands[1])));
  *cta.at<T>(instruction.result) =
      E::toSigned(next) < E::toSigned(current) ? static_cast<T>(E::kSignBit - 1) : next;
  cta.pc = static_cast<uint32_t>(instruction.immediate);
}

template <class E> void runCheckStep(const Instruction &instruction, Cta &cta) {
  auto step = E::toSigned(*cta.at<typename E::Storage>(instruction.operands[0]));
  if (step <= 0)
    cta.fail(instruction, diag::Kind::LoopStepNotPositive, {std::to_string(step)});
}

//===----------------------------------------------------------------------===//
// Structured control flow
//===----------------------------------------------------------------------===//

/// Slots for values of these types; none for tokens.
llvm::SmallVector<Slot, 4> defineAll(Lowering &lowering, mlir::ValueRange values) {
  llvm::SmallVector<Slot, 4> slots;
  for (mlir::Value value : values)
    slots.push_back(elementKindOf(value.getType())
                        ? lowering.define(value, lowering.elementCountOf(value.getType()))
                        : Slot());
  return slots;
}

/// Whether `value` is `argument` after any number of steps that stay in its buffer. A
/// loop may also exchange pointers, and then nothing is known about either.
bool staysInBuffer(mlir::Value value, mlir::Value argument) {
  while (value != argument) {
    mlir::Operation *definition = value.getDefiningOp();
    if (!definition)
      return false;
    if (auto inner = mlir::dyn_cast<mlir::scf::ForOp>(definition)) {
      unsigned index = mlir::cast<mlir::OpResult>(value).getResultNumber();
      if (!staysInBuffer(inner.getYieldedValues()[index], inner.getRegionIterArg(index)))
        return false;
      value = inner.getInitArgs()[index];
    } else if (mlir::isa<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp,
                         tt::ReshapeOp, tt::TransOp, tt::BitcastOp, ttg::ConvertLayoutOp>(
                   definition)) {
      value = definition->getOperand(0);
    } else {
      return false;
    }
  }
  return true;
}

void passParameters(Lowering &lowering, mlir::scf::ForOp loop) {
  for (auto [init, argument, yielded] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues()))
    lowering.setParameter(argument,
                          staysInBuffer(yielded, argument) ? lowering.parameterOf(init) : -1);
}

/// A position that jumps are patched to.
void patch(Lowering &lowering, uint32_t jump) {
  lowering.instructionAt(jump).immediate = lowering.here();
}

uint32_t emitJump(Lowering &lowering, uint64_t target = 0) {
  lowering.emit(runJump, taintNothing, Slot(), {}).immediate = target;
  return lowering.here() - 1;
}

/// The way taken if true begins right behind the jump.
uint32_t emitConditionalJump(Lowering &lowering, Slot condition) {
  uint32_t jump = lowering.here();
  lowering.emit(runConditionalJump, taintDecision, Slot(), {condition});
  lowering.instructionAt(jump).immediate = lowering.here();
  return jump;
}

void patchFalse(Lowering &lowering, uint32_t jump) {
  Instruction &instruction = lowering.instructionAt(jump);
  instruction.immediate = (instruction.immediate & 0xffffffffu) | uint64_t(lowering.here()) << 32;
}

/// Lowers a single-block region whose terminator's operands go to `targets`.
bool lowerYielding(Lowering &lowering, mlir::Region &region, llvm::ArrayRef<Slot> targets) {
  mlir::Block &block = region.front();
  if (!lowering.lowerBody(block))
    return false;
  lowering.emitParallelCopy(block.getTerminator()->getOperands(), targets);
  lowering.releaseAfter(block.getTerminator());
  return true;
}

bool lowerIf(Lowering &lowering, mlir::Operation *operation) {
  auto branch = mlir::cast<mlir::scf::IfOp>(operation);
  llvm::SmallVector<Slot, 4> results = defineAll(lowering, branch.getResults());
  uint32_t test = emitConditionalJump(lowering, lowering.slotOf(branch.getCondition()));
  if (!lowerYielding(lowering, branch.getThenRegion(), results))
    return false;
  if (branch.getElseRegion().empty()) {
    patchFalse(lowering, test);
    return true;
  }
  uint32_t end = emitJump(lowering);
  patchFalse(lowering, test);
  if (!lowerYielding(lowering, branch.getElseRegion(), results))
    return false;
  patch(lowering, end);
  return true;
}

/// What a loop counts, under the name that the source has for it.
llvm::SmallVector<Loop::Variable, 1> countedBy(Lowering &lowering, mlir::scf::ForOp loop,
                                               ElementKind kind) {
  mlir::Value induction = loop.getInductionVar();
  Slot slot = lowering.slotOf(induction);
  if (llvm::StringRef name = nameOf(induction.getLoc()); !name.empty())
    return {{name.str(), slot, kind, std::nullopt}};
  // Loops that count downwards subtract what the machine counts.
  for (mlir::Operation *user : induction.getUsers())
    if (auto value = mlir::dyn_cast<mlir::arith::SubIOp>(user);
        value && value.getRhs() == induction)
      if (llvm::StringRef name = nameOf(value.getLoc()); !name.empty())
        return {{name.str(), slot, kind,
                 std::pair(lowering.slotOf(loop.getLowerBound()),
                           lowering.slotOf(loop.getUpperBound()))}};
  return {};
}

/// The scalars that a `while` changes.
llvm::SmallVector<Loop::Variable, 1> countedBy(Lowering &lowering,
                                               llvm::ArrayRef<mlir::BlockArgument> arguments) {
  llvm::SmallVector<Loop::Variable, 1> variables;
  for (mlir::BlockArgument argument : arguments) {
    llvm::StringRef name = nameOf(argument.getLoc());
    if (!name.empty() && argument.getType().isInteger())
      variables.push_back(
          {name.str(), lowering.slotOf(argument), lowering.kindOf(argument), std::nullopt});
  }
  return variables;
}

bool lowerFor(Lowering &lowering, mlir::Operation *operation) {
  auto loop = mlir::cast<mlir::scf::ForOp>(operation);
  ElementKind kind = lowering.kindOf(loop.getInductionVar());
  Slot end = lowering.slotOf(loop.getUpperBound()), step = lowering.slotOf(loop.getStep());
  Slot current = lowering.define(loop.getInductionVar(), 1);
  llvm::SmallVector<Slot, 4> carried = defineAll(lowering, loop.getRegionIterArgs());
  passParameters(lowering, loop);
  lowering.emitParallelCopy(loop.getInitArgs(), carried);
  lowering.emitCopy(lowering.slotOf(loop.getLowerBound()), current, kind);
  bool lowered = true;
  bool known = withIntElement(kind, [&](auto element) {
    using E = decltype(element);
    lowering.emit(runCheckStep<E>, taintDecision, Slot(), {step});
    uint32_t test = lowering.here();
    lowering.emit(runLoopTest<E>, taintDecision, Slot(), {current, end});
    lowering.enterLoop(countedBy(lowering, loop, kind));
    lowered = lowerYielding(lowering, loop.getRegion(), carried);
    lowering.leaveLoop();
    lowering.emit(runLoopStep<E>, taintElementwise, current, {current, step}).immediate = test;
    patch(lowering, test);
  });
  if (!known || !lowered)
    return false;
  for (auto [result, argument] : llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs())) {
    lowering.bind(result, lowering.slotOf(argument));
    lowering.passParameter(argument, result);
    lowering.release(argument);
  }
  lowering.release(loop.getInductionVar());
  return true;
}

bool lowerWhile(Lowering &lowering, mlir::Operation *operation) {
  auto loop = mlir::cast<mlir::scf::WhileOp>(operation);
  llvm::SmallVector<Slot, 4> before = defineAll(lowering, loop.getBeforeArguments());
  llvm::SmallVector<Slot, 4> after = defineAll(lowering, loop.getAfterArguments());
  lowering.emitParallelCopy(loop.getInits(), before);
  uint32_t start = lowering.here();
  lowering.enterLoop(countedBy(lowering, loop.getBeforeArguments()));
  bool lowered = lowering.lowerBody(*loop.getBeforeBody());
  lowering.leaveLoop();
  if (!lowered)
    return false;
  mlir::scf::ConditionOp condition = loop.getConditionOp();
  // Both the body and what follows the loop see the values that the condition passes on.
  lowering.emitParallelCopy(condition.getArgs(), after);
  uint32_t test = emitConditionalJump(lowering, lowering.slotOf(condition.getCondition()));
  lowering.releaseAfter(condition);
  lowering.enterLoop(countedBy(lowering, loop.getAfterArguments()));
  lowered = lowerYielding(lowering, loop.getAfter(), before);
  lowering.leaveLoop();
  if (!lowered)
    return false;
  emitJump(lowering, start);
  patchFalse(lowering, test);
  for (auto [result, argument] : llvm::zip_equal(loop.getResults(), loop.getAfterArguments())) {
    lowering.bind(result, lowering.slotOf(argument));
    lowering.release(argument);
  }
  for (mlir::BlockArgument argument : loop.getBeforeArguments())
    lowering.release(argument);
  return true;
}

//===----------------------------------------------------------------------===//
// Branches between blocks
//===----------------------------------------------------------------------===//

void emitBlockArguments(Lowering &lowering, mlir::ValueRange values, mlir::Block *target) {
  llvm::SmallVector<Slot, 4> slots;
  for (mlir::BlockArgument argument : target->getArguments())
    slots.push_back(lowering.slotOf(argument));
  lowering.emitParallelCopy(values, slots);
}

bool lowerBranch(Lowering &lowering, mlir::Operation *operation) {
  auto branch = mlir::cast<mlir::cf::BranchOp>(operation);
  emitBlockArguments(lowering, branch.getDestOperands(), branch.getDest());
  lowering.branches.push_back({emitJump(lowering), branch.getDest(), false});
  return true;
}

bool lowerConditionalBranch(Lowering &lowering, mlir::Operation *operation) {
  auto branch = mlir::cast<mlir::cf::CondBranchOp>(operation);
  uint32_t test = emitConditionalJump(lowering, lowering.slotOf(branch.getCondition()));
  emitBlockArguments(lowering, branch.getTrueDestOperands(), branch.getTrueDest());
  lowering.branches.push_back({emitJump(lowering), branch.getTrueDest(), false});
  patchFalse(lowering, test);
  emitBlockArguments(lowering, branch.getFalseDestOperands(), branch.getFalseDest());
  lowering.branches.push_back({emitJump(lowering), branch.getFalseDest(), false});
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool lowerCall(Lowering &lowering, mlir::Operation *operation) {
  auto call = mlir::cast<tt::CallOp>(operation);
  auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    return lowering.unsupported(operation, "a call of a function without a body");
  bool active = callee == operation->getParentOfType<tt::FuncOp>() ||
                llvm::any_of(lowering.callStack, [&](const auto &entry) {
                  return entry.first == callee.getOperation();
                });
  if (active)
    return lowering.unsupported(operation, "recursive calls");
  // A function may be lowered many times; each time its values get slots anew.
  for (auto [argument, value] : llvm::zip_equal(callee.getArguments(), call.getOperands())) {
    lowering.bind(argument, lowering.slotOf(value));
    lowering.passParameter(value, argument);
  }
  Lowering::Frame frame;
  frame.results = defineAll(lowering, call.getResults());
  Lowering::Frame *outer = std::exchange(lowering.frame, &frame);
  lowering.callStack.push_back({callee, call.getLoc()});
  bool lowered = lowering.lowerRegion(callee.getBody());
  lowering.callStack.pop_back();
  lowering.frame = outer;
  for (uint32_t jump : frame.returns)
    patch(lowering, jump);
  for (mlir::BlockArgument argument : callee.getArguments())
    lowering.release(argument);
  return lowered;
}

bool lowerReturn(Lowering &lowering, mlir::Operation *operation) {
  if (!lowering.frame) {
    lowering.emit(runEnd, taintNothing, Slot(), {});
    return true;
  }
  lowering.emitParallelCopy(operation->getOperands(), lowering.frame->results);
  lowering.frame->returns.push_back(emitJump(lowering));
  return true;
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

struct ForkData : OpData {
  llvm::SmallVector<uint32_t, 4> starts;
  /// The default partition first.
  std::vector<PartitionName> names;
  const PartitionName *nameOf(size_t index) const {
    return names[index].name.empty() ? nullptr : &names[index];
  }
};

/// The functions of the partitions; those of several say which.
std::vector<PartitionName> partitionNames(ttg::WarpSpecializeOp specialize) {
  std::vector<PartitionName> names;
  auto add = [&](mlir::Region &region) {
    names.push_back({nameOf(region.back().getTerminator()->getLoc()).str(), ""});
  };
  add(specialize.getDefaultRegion());
  for (mlir::Region &partition : specialize.getPartitions())
    add(partition);
  for (auto [index, each] : llvm::enumerate(names)) {
    each.text = "`" + each.name + "`";
    bool isShared = llvm::count_if(names, [&](const PartitionName &other) {
                      return other.name == each.name;
                    }) > 1;
    if (isShared)
      each.text +=
          index ? " (partition " + std::to_string(index - 1) + ")" : " (the default partition)";
  }
  return names;
}

void runFork(const Instruction &instruction, Cta &cta) {
  const ForkData &fork = static_cast<const ForkData &>(*instruction.data);
  cta.fiber->name = fork.nameOf(0);
  for (auto [partition, start] : llvm::enumerate(fork.starts))
    cta.startFiber(int(partition), start, fork.nameOf(partition + 1));
}

void runJoin(const Instruction &instruction, Cta &cta) { cta.joinFibers(instruction); }

/// Captures are passed by value. Fork, the default region, join; then the partitions, which the
/// join jumps over. All run at once, so no partition may use a slot that another one has given
/// back.
bool lowerWarpSpecialize(Lowering &lowering, mlir::Operation *operation) {
  auto specialize = mlir::cast<ttg::WarpSpecializeOp>(operation);
  lowering.program.ordersShared = true;
  ForkData *fork = lowering.addData<ForkData>();
  fork->names = partitionNames(specialize);
  for (mlir::Region &partition : specialize.getPartitions()) {
    llvm::SmallVector<Slot, 4> arguments = defineAll(lowering, partition.getArguments());
    lowering.emitParallelCopy(specialize.getCaptures(), arguments);
  }
  lowering.emit(runFork, taintNothing, Slot(), {}).data = fork;

  Lowering::Frame frame;
  frame.results = defineAll(lowering, specialize.getResults());
  Lowering::Frame *outer = std::exchange(lowering.frame, &frame);
  bool lowered = lowering.lowerRegion(specialize.getDefaultRegion());
  lowering.frame = outer;
  if (!lowered)
    return false;
  for (uint32_t jump : frame.returns)
    patch(lowering, jump);
  lowering.emit(runJoin, taintNothing, Slot(), {});
  uint32_t over = emitJump(lowering);

  llvm::SmallVector<Lowering::FreeSlots, 4> given;
  given.push_back(lowering.exchangeFreeSlots(Lowering::FreeSlots()));
  for (mlir::Region &partition : specialize.getPartitions()) {
    fork->starts.push_back(lowering.here());
    if (!lowering.lowerRegion(partition))
      return false;
    given.push_back(lowering.exchangeFreeSlots(Lowering::FreeSlots()));
  }
  patch(lowering, over);
  for (Lowering::FreeSlots &slots : given)
    lowering.addFreeSlots(std::move(slots));
  for (mlir::Region &partition : specialize.getPartitions())
    for (mlir::BlockArgument argument : partition.getArguments())
      lowering.release(argument);
  return true;
}

bool lowerWarpReturn(Lowering &lowering, mlir::Operation *) {
  lowering.emit(runEnd, taintNothing, Slot(), {});
  return true;
}

} // namespace

void addControl(OperationTable &table) {
  table["scf.if"] = lowerIf;
  table["scf.for"] = lowerFor;
  table["scf.while"] = lowerWhile;
  table["cf.br"] = lowerBranch;
  table["cf.cond_br"] = lowerConditionalBranch;
  table["tt.call"] = lowerCall;
  table["tt.return"] = lowerReturn;
  table["ttg.warp_specialize"] = lowerWarpSpecialize;
  table["ttg.warp_yield"] = lowerReturn;
  table["ttg.warp_return"] = lowerWarpReturn;
}

} // namespace gluonc::sim

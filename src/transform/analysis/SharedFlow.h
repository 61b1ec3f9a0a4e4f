//===- SharedFlow.h - Accesses to shared memory in program order ------------===//
//
// Forward over a function, through structured control flow, blocks and the
// partitions of warp_specialize, with a state that joins where paths do. A pass
// says what an operation does to its state, and where something is missing
// puts it there.
//
// Loops. The state at a loop's head is the union over entry and back edge, so
// the walk repeats until it is stable. While states grow, something decided on
// early may later turn out to be implied by another; so what was inserted in
// loops is finally tried out one by one: it stays only if without it some
// access would conflict. None missing, none doubled. What is missing shows soon:
// the walk goes on from the place in question, and only until the state is the
// same as with it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "transform/analysis/SharedAccesses.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace gluonc {

/// `State` can be copied, has `bool join(const State &)` that tells whether it grew, and is made
/// empty by `State(accesses)`.
template <typename State> class SharedFlow {
public:
  SharedFlow(tt::FuncOp function, const SharedAccesses &accesses)
      : function(function), accesses(accesses) {}
  virtual ~SharedFlow() = default;

  /// Puts in what is missing, and nothing that is not.
  void run() {
    walk(Mode::Pretend);
    walk(Mode::Insert);
    dropImplied();
  }

protected:
  /// What `op` does. Calls `require` where something must come before it.
  virtual void apply(mlir::Operation *op, State &state) = 0;
  /// Before each operation, those with regions and terminators included.
  virtual void visit(mlir::Operation *, State &) {}
  /// All warps synchronize, at the start and the end of warp_specialize.
  virtual void synchronize(State &) {}
  /// State at the function's entry.
  virtual State entry() { return State(accesses); }
  virtual mlir::Operation *create(mlir::OpBuilder &builder, mlir::Location location) = 0;

  /// Something is missing before `op`; the caller changes its state as if it stood there.
  void require(mlir::Operation *op) {
    conflicts = true;
    if (mode != Mode::Insert)
      return;
    mlir::OpBuilder builder(op);
    inserted.push_back(create(builder, op->getLoc()));
  }

  tt::FuncOp function;
  const SharedAccesses &accesses;

private:
  enum class Mode {
    /// Where something is missing, pretend that it stands there.
    Pretend,
    /// Put it there.
    Insert,
    /// Only remember that something was missing.
    Check,
  };

  /// The state before each operation.
  using States = llvm::DenseMap<mlir::Operation *, State>;
  enum class Answer { Yes, No, Unclear };

  static bool isSame(State one, State two) { return !one.join(two) && !two.join(one); }

  /// Whether what stands there now is enough; if so, `known` are its states.
  bool isSafe() {
    States found;
    conflicts = false;
    heads.clear();
    recorded = &found;
    walk(Mode::Check);
    recorded = nullptr;
    if (!conflicts)
      known = std::move(found);
    return !conflicts;
  }

  /// Whether it is where `state` has come to stand before `op`, as far as its block tells.
  Answer isSafeFrom(mlir::Operation *op, State state) {
    States found;
    Answer answer = Answer::Unclear;
    conflicts = false;
    heads.clear();
    recorded = &found;
    mode = Mode::Check;
    for (; op && answer == Answer::Unclear; op = op->getNextNode()) {
      if (isSame(known.find(op)->second, state))
        answer = Answer::Yes;
      else
        runOperation(*op, state);
      if (conflicts)
        answer = Answer::No;
    }
    recorded = nullptr;
    if (answer == Answer::Yes)
      for (auto &[place, newer] : found)
        known.find(place)->second = std::move(newer);
    return answer;
  }

  /// Takes out what others make unnecessary; only cycles can have led to such.
  void dropImplied() {
    bool cycles = !function.getBody().hasOneBlock();
    llvm::erase_if(inserted, [&](mlir::Operation *op) {
      return !cycles && !op->getParentOfType<mlir::LoopLikeOpInterface>();
    });
    if (inserted.empty() || !isSafe())
      return;
    for (mlir::Operation *op : inserted) {
      mlir::Block *block = op->getBlock();
      mlir::Operation *next = op->getNextNode();
      State before = known.find(op)->second;
      op->remove();
      Answer answer = isSafeFrom(next, std::move(before));
      if (answer == Answer::Yes || (answer == Answer::Unclear && isSafe()))
        op->destroy();
      else
        block->getOperations().insert(mlir::Block::iterator(next), op);
    }
  }

  State &headOf(void *place) { return heads.try_emplace(place, State(accesses)).first->second; }

  /// Insertion runs over states that are final, in one sweep.
  void walk(Mode newMode) {
    mode = newMode;
    State state = entry();
    runRegion(function.getBody(), state);
  }

  /// Blocks to a fixed point over the state at the head of each; leaves the state at the end.
  void runRegion(mlir::Region &region, State &state) {
    headOf(&region.front()).join(state);
    State end(accesses);
    for (bool changed = true; changed;) {
      changed = false;
      for (mlir::Block &block : region) {
        State inner = headOf(&block);
        runBlock(block, inner);
        if (block.hasNoSuccessors())
          end.join(inner);
        for (mlir::Block *next : block.getSuccessors())
          changed |= headOf(next).join(inner);
      }
      if (mode == Mode::Insert)
        break;
    }
    state = end;
  }

  void runBlock(mlir::Block &block, State &state) {
    for (mlir::Operation &op : llvm::make_early_inc_range(block))
      runOperation(op, state);
  }

  void runOperation(mlir::Operation &op, State &state) {
    if (recorded)
      recorded->insert_or_assign(&op, state);
    visit(&op, state);
    if (auto loop = llvm::dyn_cast<mlir::scf::ForOp>(op))
      runFor(loop, state);
    else if (auto loop = llvm::dyn_cast<mlir::scf::WhileOp>(op))
      runWhile(loop, state);
    else if (auto branch = llvm::dyn_cast<mlir::scf::IfOp>(op))
      runIf(branch, state);
    else if (auto specialize = llvm::dyn_cast<ttg::WarpSpecializeOp>(op))
      runPartitions(specialize, state);
    else
      apply(&op, state);
  }

  /// Joins into the state at `place` until the body adds nothing more; leaves the state at its end.
  template <typename Body> void repeat(void *place, State &state, Body body) {
    headOf(place).join(state);
    while (true) {
      state = headOf(place);
      body(state);
      if (!headOf(place).join(state) || mode == Mode::Insert)
        return;
    }
  }

  void runFor(mlir::scf::ForOp loop, State &state) {
    State before = state;
    repeat(loop, state, [&](State &inner) { runBlock(*loop.getBody(), inner); });
    // There may be no iteration at all.
    state.join(before);
  }

  void runWhile(mlir::scf::WhileOp loop, State &state) {
    State exit(accesses);
    repeat(loop, state, [&](State &inner) {
      runBlock(*loop.getBeforeBody(), inner);
      exit = inner;
      runBlock(*loop.getAfterBody(), inner);
    });
    state = exit;
  }

  void runIf(mlir::scf::IfOp branch, State &state) {
    State other = state;
    runBlock(*branch.thenBlock(), state);
    if (mlir::Block *otherwise = branch.elseBlock())
      runBlock(*otherwise, other);
    state.join(other);
  }

  /// Partitions run at the same time, from what was before to what is behind all of them.
  void runPartitions(ttg::WarpSpecializeOp specialize, State &state) {
    // Captures go through shared memory.
    apply(specialize, state);
    synchronize(state);
    State start = state;
    runRegion(specialize.getDefaultRegion(), state);
    for (mlir::Region &partition : specialize.getPartitions()) {
      State alone = start;
      runRegion(partition, alone);
      state.join(alone);
    }
    synchronize(state);
  }

  Mode mode = Mode::Pretend;
  bool conflicts = false;
  llvm::DenseMap<void *, State> heads;
  llvm::SmallVector<mlir::Operation *> inserted;
  States known;
  States *recorded = nullptr;
};

} // namespace gluonc

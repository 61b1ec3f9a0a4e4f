//===- CheckBarrierBytes.cpp --------------------------------------------------===//
//
// Problem: a kernel that tells a barrier of other bytes than the copies for it bring
// waits for ever, and a GPU with it. Where both are in the text, say so before:
//
//   barrier_expect %b, 16384                     error: the barrier expects 16384
//   async_tma_copy … 64x64xf16, %b        ==>    bytes, but the copies for it bring 8192
//   wait_barrier %b, %phase
//
// Announcements and copies for one barrier in one block happen equally often, so
// their sums must agree. Where they do not, others may make up for it: copies in a
// loop for an announcement before it, say. Only what nothing can make up for counts:
// a barrier that somewhere lacks bytes and nowhere has too many, or the reverse. If
// nobody waits for it, nothing hangs, and a warning will do.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/Report.h"
#include "ir/Sanitizer.h"
#include "layout/named/Blocks.h"
#include "transform/Pipeline.h"
#include "transform/analysis/SharedUse.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace gluonc {
namespace {

/// What happens to one barrier in one block under one condition.
struct Group {
  int64_t expected = 0, brought = 0;
  Operation *first = nullptr;
  int64_t lacks() const { return expected - brought; }
};

struct CheckFunction {
  BufferAliases aliases;
  /// By block, barrier and predicate; null for one that always holds.
  llvm::MapVector<std::tuple<Block *, Value, Value>, Group> groups;
  /// Allocations of which not every use is understood.
  llvm::BitVector unclear;
  /// Those that always wait.
  llvm::SmallVector<ttng::WaitBarrierOp> waits;

  explicit CheckFunction(tt::FuncOp function)
      : aliases(function), unclear(aliases.allocations().size()) {
    function.walk([&](Operation *op) { visit(op); });
  }

  void visit(Operation *op) {
    if (auto wait = dyn_cast<ttng::WaitBarrierOp>(op);
        wait && (!wait.getPred() || matchPattern(wait.getPred(), m_One())))
      waits.push_back(wait);
    auto onChip = dyn_cast<OnChipMemoryOpInterface>(op);
    if (!onChip) {
      if (mayDoAnything(op))
        llvm::for_each(op->getOperands(), [&](Value operand) { giveUp(operand); });
      return;
    }
    if (std::optional<BarrierBytes> bytes = onChip.getBarrierBytes()) {
      if (!bytes->bytes)
        return giveUp(bytes->barrier);
      Group &group = add(op, bytes->barrier, bytes->predicate);
      (bytes->announced ? group.expected : group.brought) += *bytes->bytes;
      return;
    }
    // Threads that write where a barrier is know more than we do.
    for (const MemoryAccess &access : accessesOf(op))
      if (!access.isOfBarrier())
        giveUp(access.buffer);
  }

  Group &add(Operation *op, Value barrier, Value predicate) {
    if (predicate && matchPattern(predicate, m_One()))
      predicate = nullptr;
    // CTAs that have it in common announce and bring their bytes together.
    if (const layout::LinearLayout *linear =
            linearOrNull(cast<ttg::MemDescType>(barrier.getType()));
        !linear || layout::blockCopies(*linear))
      giveUp(barrier);
    Group &group = groups[{op->getBlock(), barrier, predicate}];
    if (!group.first)
      group.first = op;
    return group;
  }

  void giveUp(Value buffer) {
    if (const llvm::BitVector *which = aliases.of(buffer))
      unclear |= *which;
  }

  /// Whether other groups of the same allocation may have what this one lacks.
  bool isMadeUpFor(Value barrier, const Group &group) {
    const llvm::BitVector *mine = aliases.of(barrier);
    if (!mine || mine->anyCommon(unclear))
      return true;
    return llvm::any_of(groups, [&](auto &entry) {
      const llvm::BitVector *its = aliases.of(std::get<1>(entry.first));
      return !its || (its->anyCommon(*mine) && (entry.second.lacks() > 0) != (group.lacks() > 0) &&
                      entry.second.lacks());
    });
  }

  /// Who waits for the barrier, or another in its ring.
  Operation *waitFor(Value barrier) {
    const llvm::BitVector *mine = aliases.of(barrier);
    for (ttng::WaitBarrierOp wait : waits)
      if (const llvm::BitVector *its = aliases.of(wait.getAlloc());
          its && mine && its->anyCommon(*mine))
        return wait;
    return nullptr;
  }

  /// False after an error.
  bool report() {
    bool fine = true;
    for (auto &[key, group] : groups) {
      if (!group.lacks() || isMadeUpFor(std::get<1>(key), group))
        continue;
      Operation *wait = waitFor(std::get<1>(key));
      InFlightDiagnostic diagnostic =
          gluonc::report(wait ? diag::Kind::BarrierNeverCompletes : diag::Kind::BarrierBytesDiffer,
                         group.first->getLoc(), group.expected, group.brought,
                         group.lacks() > 0 ? "its phase never ends" : "its bytes never add up");
      if (wait)
        diagnostic.attachNote(wait->getLoc()) << "this would wait for ever";
      fine &= !wait;
    }
    return fine;
  }
};

struct CheckBarrierBytesPass : PassWrapper<CheckBarrierBytesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckBarrierBytesPass)
  llvm::StringRef getArgument() const override { return "gluonc-check-barrier-bytes"; }
  llvm::StringRef getDescription() const override {
    return "Refuse barriers whose bytes cannot add up";
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    // Who asks for the sanitizer's verdicts gets this one from the run, as a deadlock.
    if (sanitizerOf(getOperation()) == Sanitizer::Consan)
      return;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      // Most kernels have no such barriers. Others may get theirs from callers.
      auto counts = [](Operation *op) {
        auto onChip = dyn_cast<OnChipMemoryOpInterface>(op);
        return onChip && onChip.getBarrierBytes() ? WalkResult::interrupt() : WalkResult::advance();
      };
      if (function.isPublic() && function.walk(counts).wasInterrupted() &&
          !CheckFunction(function).report())
        signalPassFailure();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createCheckBarrierBytesPass() {
  return std::make_unique<CheckBarrierBytesPass>();
}

} // namespace gluonc

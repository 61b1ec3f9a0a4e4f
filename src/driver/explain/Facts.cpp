#include "driver/explain/Facts.h"

#include "driver/Run.h"
#include "ir/Encoding.h"
#include "ir/SourceLocation.h"
#include "ir/interfaces/Interfaces.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace gluonc::driver {

using explain::ConversionFact;

void place(explain::Fact &fact, Operation *op, const diag::SourceManager &sources) {
  fact.span = spanOf(op->getLoc(), sources);
  fact.calls = callChainOf(op->getLoc(), sources);
}

/// Whether copies or products of the kernel run beside its threads.
static bool hasAsynchronousWork(tt::FuncOp kernel) {
  WalkResult found = kernel.walk([](OnChipMemoryOpInterface op) {
    llvm::SmallVector<MemoryAccess> accesses;
    op.getAccesses(accesses);
    bool isAsync = llvm::any_of(accesses, [](const MemoryAccess &access) {
      return access.completion != Completion::ProgramOrder;
    });
    return isAsync ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

// -- Changes of layouts ------------------------------------------------------------

/// Whether a loop carries `value`, of a conversion's source, into each iteration, and the
/// conversion's result comes back to it at the end by the opposite conversion.
static bool isCarried(ttg::ConvertLayoutOp op, Operation *loop) {
  auto argument = dyn_cast<BlockArgument>(op.getSrc());
  auto loopOp = dyn_cast_or_null<LoopLikeOpInterface>(loop);
  if (!argument || !loopOp || argument.getOwner()->getParentOp() != loop)
    return false;
  OpOperand *yielded = loopOp.getTiedLoopYieldedValue(argument);
  auto back = yielded ? yielded->get().getDefiningOp<ttg::ConvertLayoutOp>() : nullptr;
  return back && back.getSrc().getType() == op.getType();
}

/// Whether each tensor that `value` is computed from, element by element, was converted from
/// `type`, or has one value.
static bool comesFrom(Value value, Type type, unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  Operation *op = value.getDefiningOp();
  if (!isa<RankedTensorType>(value.getType()))
    return true;
  if (!op || depth == deepest)
    return false;
  if (auto convert = dyn_cast<ttg::ConvertLayoutOp>(op))
    return cast<RankedTensorType>(convert.getSrc().getType()).getEncoding() ==
           cast<RankedTensorType>(type).getEncoding();
  if (isa<tt::SplatOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumOperands() == 0)
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return comesFrom(operand, type, depth + 1); });
}

static ConversionFact::Cause causeOf(ttg::ConvertLayoutOp op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  if (loop && loop.isDefinedOutsideOfLoop(op.getSrc()))
    return ConversionFact::Cause::Invariant;
  if (loop && isCarried(op, loop))
    return ConversionFact::Cause::Carried;
  Operation *source = op.getSrc().getDefiningOp();
  bool isComputed = source && source->hasTrait<OpTrait::Elementwise>() &&
                    !source->hasTrait<OpTrait::ConstantLike>();
  return isComputed && comesFrom(op.getSrc(), op.getType()) ? ConversionFact::Cause::RoundTrip
                                                            : ConversionFact::Cause::None;
}

std::vector<ConversionFact> conversionFacts(tt::FuncOp kernel, const diag::SourceManager &sources) {
  std::vector<ConversionFact> facts;
  kernel.walk([&](ttg::ConvertLayoutOp op) {
    RankedTensorType from = op.getSrc().getType(), to = op.getType();
    const layout::ConversionPlan &plan = planOf(op);
    ConversionFact &fact = facts.emplace_back();
    place(fact, op, sources);
    fact.from = toLayout(from.getEncoding()).toString();
    fact.to = toLayout(to.getEncoding()).toString();
    fact.how = layout::describe(plan).str();
    fact.bytes = static_cast<uint64_t>(to.getNumElements()) * elementBytes(to.getElementType());
    fact.scratchBytes = static_cast<uint64_t>(layout::scratchBytes(plan));
    fact.isInLoop = bool(op->getParentOfType<LoopLikeOpInterface>());
    fact.cause = causeOf(op);
  });
  return facts;
}

explain::Facts factsOf(ModuleOp module, const target::Target &target,
                       const KernelArguments &arguments, const diag::SourceManager &sources) {
  explain::Facts facts;
  facts.kernel = kernelNameOf(module);
  auto kernel = module.lookupSymbol<tt::FuncOp>(facts.kernel);
  if (!kernel)
    return facts;
  facts.span = spanOf(kernel.getLoc(), sources);
  facts.hasAsynchronousWork = hasAsynchronousWork(kernel);
  for (auto function : module.getOps<tt::FuncOp>()) {
    // Parameters of other functions are not those of the launch.
    const bool isKernel = function == kernel;
    llvm::append_range(facts.global,
                       globalFacts(function, isKernel ? arguments : KernelArguments(), sources));
    llvm::append_range(facts.shared, sharedFacts(function, target, sources));
    llvm::append_range(facts.exchanges, exchangeFacts(function, sources));
  }
  facts.conversions = conversionFacts(kernel, sources);
  facts.values = valueFacts(kernel, sources);
  facts.waits = waitFacts(kernel, sources);
  addOnChipFacts(facts, kernel, sources);
  return facts;
}

} // namespace gluonc::driver

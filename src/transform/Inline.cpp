//===- Inline.cpp -------------------------------------------------------------===//
#include "ir/Dialects.h"
#include "ir/Report.h"
#include "transform/Pipeline.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Functions and the calls in them, callees first.
struct Inline {
  ModuleOp module;
  SymbolTable symbols;
  /// False while its callees are being visited.
  llvm::DenseMap<tt::FuncOp, bool> finished;
  llvm::SmallVector<tt::FuncOp> calleesFirst;

  explicit Inline(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult run() {
    // Statements after a return leave blocks that would pass for early returns.
    IRRewriter rewriter(module.getContext());
    for (tt::FuncOp function : module.getOps<tt::FuncOp>())
      (void)eraseUnreachableBlocks(rewriter, function->getRegions());
    for (tt::FuncOp function : module.getOps<tt::FuncOp>())
      if (failed(order(function)))
        return failure();
    InlinerInterface inliner(module.getContext());
    for (tt::FuncOp function : calleesFirst)
      inlineCallsIn(function, inliner);
    dropUncalled();
    return success();
  }

  static llvm::SmallVector<tt::CallOp> callsIn(tt::FuncOp function) {
    llvm::SmallVector<tt::CallOp> calls;
    function.walk([&](tt::CallOp call) { calls.push_back(call); });
    return calls;
  }

  tt::FuncOp calleeOf(tt::CallOp call) {
    return symbols.lookup<tt::FuncOp>(call.getCalleeAttr().getAttr());
  }

  LogicalResult order(tt::FuncOp function) {
    auto [entry, fresh] = finished.try_emplace(function, false);
    if (!fresh)
      return entry->second
                 ? success()
                 : LogicalResult(report(diag::Kind::RecursiveFunction, function.getLoc()));
    for (tt::CallOp call : callsIn(function))
      if (failed(order(calleeOf(call))))
        return failure();
    finished[function] = true;
    calleesFirst.push_back(function);
    return success();
  }

  void inlineCallsIn(tt::FuncOp function, InlinerInterface &inliner) {
    // The threads of a function synchronize; which these are depends on the partition of a
    // specialized kernel that calls it.
    bool isSpecialized =
        function.walk([](ttg::WarpSpecializeOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    // What is inlined brings calls along: those that were left as they are in its own function.
    llvm::SmallVector<tt::CallOp> calls = callsIn(function);
    while (!calls.empty()) {
      tt::CallOp call = calls.pop_back_val();
      tt::FuncOp callee = calleeOf(call);
      // A body with early returns has several blocks, for which the bodies of scf have no room.
      bool fits = callee.getBody().hasOneBlock() ||
                  isa<tt::FuncOp, ttg::WarpSpecializeOp, ttg::WarpSpecializePartitionsOp>(
                      call->getParentOp());
      if ((callee.isNoInline() && !isSpecialized) || callee.isExternal() || !fits)
        continue;
      if (succeeded(inlineCall(inliner, InlinerConfig().getCloneCallback(), call, callee,
                               &callee.getBody()))) {
        call.erase();
        if (isSpecialized && !callsIn(callee).empty())
          calls = callsIn(function);
      }
    }
  }

  void dropUncalled() {
    // Callers come after callees, so one walk backwards sees every caller's fate first.
    llvm::DenseSet<tt::FuncOp> called;
    for (tt::FuncOp function : llvm::reverse(calleesFirst)) {
      if (function.isPrivate() && !called.contains(function)) {
        function.erase();
        continue;
      }
      for (tt::CallOp call : callsIn(function))
        called.insert(calleeOf(call));
    }
  }
};

struct InlinePass : PassWrapper<InlinePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlinePass)
  llvm::StringRef getArgument() const override { return "gluonc-inline"; }
  llvm::StringRef getDescription() const override { return "Inline device functions"; }

  void runOnOperation() override {
    // Most kernels reach us with nothing to inline.
    auto functions = getOperation().getOps<tt::FuncOp>();
    if (llvm::hasSingleElement(functions)) {
      WalkResult calls = getOperation().walk([](tt::CallOp) { return WalkResult::interrupt(); });
      if (!calls.wasInterrupted())
        return markAllAnalysesPreserved();
    }
    if (failed(Inline(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createInlinePass() { return std::make_unique<InlinePass>(); }

} // namespace gluonc

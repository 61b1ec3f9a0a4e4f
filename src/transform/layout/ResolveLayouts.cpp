//===- ResolveLayouts.cpp - Choose the layouts that kernels leave open --------===//
//
// A tensor in AutoLayout takes its layout from where it is used. Every
// `gluon.set_auto_layout` demands a layout of its operand; demands travel along
// operations in both directions until nothing changes:
//
//   %i = tt.make_range : #auto                          %i takes #slice<1, #blocked>
//   %j = tt.expand_dims %i : #auto -> #auto             %j takes #blocked
//   %k = gluon.set_auto_layout %j : #auto -> #blocked   goes away
//
// Two different demands on one value are an error: nothing is duplicated or
// converted behind the author's back. Only demands that came through a reshape,
// transpose, join or split give way to others, because of the many layouts that
// suit such an operation they name just one.
//
// CoalescedLayout is settled first, in the same way. There the demands come
// from loads and stores: neighbouring threads access neighbouring addresses, as
// far as the analysis of the pointers can tell.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/Report.h"
#include "ir/tt/Coalescing.h"
#include "transform/Pipeline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace gluonc {

using diag::Kind;

namespace {

struct Demand {
  Attribute encoding;
  bool mayVary = false;
  /// What asked for it in the first place.
  Location origin;
};

using IsOpen = llvm::function_ref<bool(Type)>;

template <typename Encoding> bool isOpen(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_present<Encoding>(tensor.getEncoding());
}

bool isUnresolved(Type type) {
  return isOpen<gluon::AutoEncodingAttr>(type) || isOpen<gluon::CoalescedEncodingAttr>(type);
}

/// The demands on the values of one function and how they spread.
class Demands {
public:
  Demands(tt::FuncOp function, IsOpen isOpen) : function(function), isOpen(isOpen) {
    function.walk([&](Operation *op) { tieRegions(op); });
  }

  LogicalResult add(Value value, const Demand &demand) {
    if (!isOpen(value.getType()))
      return success();
    auto [entry, fresh] = found.try_emplace(value, demand);
    if (!fresh) {
      Demand &known = entry->second;
      if (demand.mayVary || (known.encoding == demand.encoding && !known.mayVary))
        return success();
      if (!known.mayVary)
        return conflict(value, known, demand);
      known = demand;
    }
    pending.push_back(value);
    return success();
  }

  LogicalResult spread() {
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      Demand demand = found.find(value)->second;
      for (Value other : ties.lookup(value))
        if (failed(add(other, demand)))
          return failure();
      if (Operation *op = value.getDefiningOp(); op && failed(spreadOver(op, value, demand)))
        return failure();
      for (Operation *user : value.getUsers())
        if (failed(spreadOver(user, value, demand)))
          return failure();
    }
    return success();
  }

  void apply() {
    for (auto &[value, demand] : found) {
      auto type = cast<RankedTensorType>(value.getType());
      auto settled = RankedTensorType::get(type.getShape(), type.getElementType(), demand.encoding);
      value.setType(settled);
      auto constant = value.getDefiningOp<arith::ConstantOp>();
      if (!constant)
        continue;
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(
          elements.isSplat() ? SplatElementsAttr::get(settled, elements.getSplatValue<Attribute>())
                             : elements.reshape(settled));
    }
  }

private:
  LogicalResult conflict(Value value, const Demand &first, const Demand &second) {
    InFlightDiagnostic error = report(Kind::LayoutConflict, value.getLoc());
    error.attachNote(first.origin) << toLayout(first.encoding).toString() << " is asked for here";
    error.attachNote(second.origin) << toLayout(second.encoding).toString() << " is asked for here";
    return error;
  }

  /// What control flow passes on keeps its layout.
  void tieRegions(Operation *op) {
    forEachForwarded(op, [&](ValueRange from, ValueRange to) {
      for (auto [source, target] : llvm::zip(from, to)) {
        ties[source].push_back(target);
        ties[target].push_back(source);
      }
    });
  }

  /// From `value`, an operand or result of `op`, to its other operands and results.
  LogicalResult spreadOver(Operation *op, Value value, const Demand &demand) {
    ImpliedLayouts implied(demand.encoding);
    if (auto flow = dyn_cast<LayoutFlowOpInterface>(op)) {
      flow.implyLayouts(value, implied);
    } else if (!isOurs(op) && !isa<RegionBranchOpInterface>(op) &&
               !op->hasTrait<OpTrait::IsTerminator>()) {
      // Those of other dialects work element by element.
      implied.same(op->getOperands());
      implied.same(op->getResults());
    }
    for (const ImpliedLayouts::Implied &next : implied.all())
      if (failed(
              add(next.value, {next.encoding, demand.mayVary || next.isOneOfMany, demand.origin})))
        return failure();
    return success();
  }

  tt::FuncOp function;
  IsOpen isOpen;
  llvm::MapVector<Value, Demand> found;
  llvm::DenseMap<Value, llvm::SmallVector<Value, 2>> ties;
  llvm::SmallVector<Value> pending;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct ResolveLayoutsPass : PassWrapper<ResolveLayoutsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ResolveLayoutsPass)
  llvm::StringRef getArgument() const override { return "gluonc-resolve-layouts"; }
  llvm::StringRef getDescription() const override {
    return "Choose layouts for tensors in AutoLayout and CoalescedLayout";
  }

  void runOnOperation() override {
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
      if (!function.isExternal() && hasOpenTensors(function) && failed(resolve(function)))
        return signalPassFailure();
  }

  static bool hasOpenTensors(tt::FuncOp function) {
    if (llvm::any_of(function.getArgumentTypes(), isUnresolved))
      return true;
    WalkResult result = function.walk([](Operation *op) {
      return llvm::any_of(op->getResultTypes(), isUnresolved) ? WalkResult::interrupt()
                                                              : WalkResult::advance();
    });
    return result.wasInterrupted();
  }

  static LogicalResult resolve(tt::FuncOp function) {
    for (Type type :
         llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
      if (isUnresolved(type))
        return report(Kind::OpenSignature, function.getLoc());
    dropUnused(function);
    if (failed(resolveCoalesced(function)) || failed(resolveAuto(function)))
      return failure();
    dropUnused(function);
    return complainAboutRest(function);
  }

  /// What nothing uses needs no layout.
  static void dropUnused(tt::FuncOp function) {
    function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (llvm::any_of(op->getResultTypes(), isUnresolved) && isOpTriviallyDead(op))
        op->erase();
    });
  }

  static LogicalResult resolveCoalesced(tt::FuncOp function) {
    Demands demands(function, isOpen<gluon::CoalescedEncodingAttr>);
    std::optional<Coalescing> coalescing;
    WalkResult result = function.walk([&](Operation *op) {
      Value pointers = pointersOf(op);
      if (!pointers || !isOpen<gluon::CoalescedEncodingAttr>(pointers.getType()))
        return WalkResult::advance();
      if (ttg::numCtasOf(op) != 1) {
        report(Kind::CoalescedInCluster, op->getLoc());
        return WalkResult::interrupt();
      }
      if (!coalescing)
        coalescing.emplace(function);
      Attribute encoding = fromLayout(op->getContext(), layout::Layout(coalescing->layoutFor(op)));
      for (Value operand : op->getOperands())
        if (failed(demands.add(operand, {encoding, false, op->getLoc()})))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted() || failed(demands.spread()))
      return failure();
    demands.apply();
    return success();
  }

  static LogicalResult resolveAuto(tt::FuncOp function) {
    Demands demands(function, isOpen<gluon::AutoEncodingAttr>);
    llvm::SmallVector<gluon::SetAutoLayoutOp> settled;
    WalkResult result = function.walk([&](gluon::SetAutoLayoutOp op) {
      settled.push_back(op);
      // Reported below, together with the rest.
      if (isUnresolved(op.getType()))
        return WalkResult::advance();
      return WalkResult(demands.add(op.getSrc(), {op.getType().getEncoding(), false, op.getLoc()}));
    });
    if (result.wasInterrupted() || failed(demands.spread()))
      return failure();
    demands.apply();
    for (gluon::SetAutoLayoutOp op : settled)
      if (op.getSrc().getType() == op.getType()) {
        op.replaceAllUsesWith(op.getSrc());
        op.erase();
      }
    return success();
  }

  static LogicalResult complainAboutRest(tt::FuncOp function) {
    WalkResult result = function.walk([](Operation *op) {
      for (Type type : op->getResultTypes())
        if (isUnresolved(type)) {
          report(Kind::LayoutUndecided, op->getLoc());
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace

std::unique_ptr<Pass> createResolveLayoutsPass() { return std::make_unique<ResolveLayoutsPass>(); }

} // namespace gluonc

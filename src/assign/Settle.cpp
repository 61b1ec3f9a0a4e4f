//===- Settle.cpp -------------------------------------------------------------===//
#include "assign/Settle.h"

#include "ir/Encoding.h"
#include "ir/tt/Coalescing.h"
#include "ir/tt/DotScaled.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace gluonc::assign {

Attribute OpLayouts::first() const {
  for (Attribute encoding : llvm::concat<const Attribute>(results, operands))
    if (encoding)
      return encoding;
  return {};
}

RankedTensorType withEncoding(Type type, Attribute encoding) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), encoding);
}

Attribute defaultEncoding(Type type, Operation *place, int64_t perThread) {
  auto tensor = cast<RankedTensorType>(type);
  layout::BlockedLayout blocked = spreadBlocked(tensor.getShape(), rowMajorOrder(tensor.getRank()),
                                                perThread, ThreadCounts::at(place));
  return fromLayout(type.getContext(), layout::Layout(blocked));
}

/// A conversion or the like between two tensors of which neither is stated.
static bool isOpenConversion(Operation *op) {
  return isa<ttg::ConvertLayoutOp, gluon::SetAutoLayoutOp>(op) &&
         isOpen(op->getOperand(0).getType()) && isOpen(op->getResult(0).getType());
}

bool ties(Operation *op) {
  if (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  if (isa<LayoutFlowOpInterface>(op) || isOpenConversion(op))
    return true;
  // Those of other dialects work element by element.
  return !isOurs(op) && !isa<RegionBranchOpInterface>(op) && !op->hasTrait<OpTrait::IsTerminator>();
}

bool isMadeAnywhere(Operation *op) {
  return op && (op->hasTrait<OpTrait::ConstantLike>() || isa<tt::SplatOp, tt::MakeRangeOp>(op) ||
                isa<ub::PoisonOp>(op));
}

/// Operands whose layout the others do not decide, nor it theirs.
static bool hasOwnLayout(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<tt::GatherOp>(op))
    return operand.getOperandNumber() == 0;
  return isa<tt::DotOp, tt::DotScaledOp, ttng::WarpGroupDotOp>(op) &&
         operand.getOperandNumber() != 2;
}

/// Registers of a thread that scalar code or assembly takes at a time.
static int64_t packOf(Operation *op) {
  if (auto assembly = dyn_cast<tt::ElementwiseInlineAsmOp>(op))
    return assembly.getPackedElementAttr().getInt();
  if (auto map = dyn_cast<tt::MapElementwiseOp>(op))
    return map.getPackAttr().getInt();
  return 1;
}

static bool fits(Type type, Attribute encoding, int64_t pack) {
  const layout::LinearLayout *linear = linearOrNull(withEncoding(type, encoding));
  return linear && linear->inSize(layout::Dim::Register) % std::max<int64_t>(pack, 1) == 0;
}

/// Whether every tensor of `op` has one of these layouts, and those that are stated have their own.
static bool isComplete(Operation *op, const OpLayouts &layouts, bool anew) {
  int64_t pack = packOf(op);
  auto agrees = [&](Type type, Attribute encoding) {
    if (!isa<RankedTensorType>(type))
      return true;
    return encoding && fits(type, encoding, pack) &&
           (anew || isOpen(type) || cast<RankedTensorType>(type).getEncoding() == encoding);
  };
  for (auto [type, encoding] : llvm::zip_equal(op->getResultTypes(), layouts.results))
    if (!agrees(type, encoding))
      return false;
  for (auto [operand, encoding] : llvm::zip_equal(op->getOpOperands(), layouts.operands))
    if (!hasOwnLayout(operand) && !agrees(operand.get().getType(), encoding))
      return false;
  return true;
}

std::optional<OpLayouts> settle(Operation *op, Value from, Attribute encoding, bool anew) {
  ImpliedLayouts implied(encoding);
  implied.same(from);
  if (auto flow = dyn_cast<LayoutFlowOpInterface>(op)) {
    flow.implyLayouts(from, implied);
  } else {
    implied.same(op->getOperands());
    implied.same(op->getResults());
  }
  OpLayouts layouts;
  layouts.operands.resize(op->getNumOperands());
  layouts.results.resize(op->getNumResults());
  for (const ImpliedLayouts::Implied &next : implied.all()) {
    if (!isa<RankedTensorType>(next.value.getType()))
      continue;
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == next.value && !hasOwnLayout(operand) &&
          !layouts.operands[operand.getOperandNumber()])
        layouts.operands[operand.getOperandNumber()] = next.encoding;
    for (OpResult result : op->getResults())
      if (result == next.value && !layouts.results[result.getResultNumber()])
        layouts.results[result.getResultNumber()] = next.encoding;
  }
  if (!isComplete(op, layouts, anew))
    return std::nullopt;
  return layouts;
}

/// Tensors of `op` that decide its layouts: results, then operands.
static llvm::SmallVector<Value> decidingTensors(Operation *op) {
  llvm::SmallVector<Value> list(op->getResults());
  for (OpOperand &operand : op->getOpOperands())
    if (!hasOwnLayout(operand))
      list.push_back(operand.get());
  llvm::erase_if(list, [](Value value) { return !isa<RankedTensorType>(value.getType()); });
  return list;
}

std::optional<OpLayouts> settleStated(Operation *op) {
  for (Value value : decidingTensors(op))
    if (!isOpen(value.getType()))
      if (std::optional<OpLayouts> layouts =
              settle(op, value, cast<RankedTensorType>(value.getType()).getEncoding()))
        return layouts;
  return std::nullopt;
}

OpLayouts settleByDefault(Operation *op) {
  if (std::optional<OpLayouts> stated = settleStated(op))
    return *stated;
  for (Value value : decidingTensors(op))
    if (Attribute encoding = defaultEncoding(value.getType(), op, packOf(op)))
      if (std::optional<OpLayouts> layouts = settle(op, value, encoding))
        return *layouts;
  // Nothing fits: the verifier says what is wrong with it.
  OpLayouts layouts;
  layouts.operands.resize(op->getNumOperands());
  for (Type type : op->getResultTypes())
    layouts.results.push_back(isa<RankedTensorType>(type) ? defaultEncoding(type, op)
                                                          : Attribute());
  return layouts;
}

void state(Operation *op, const OpLayouts &layouts) {
  OpBuilder builder(op);
  auto convert = [&](Value value, Type type) -> Value {
    return ttg::ConvertLayoutOp::create(builder, op->getLoc(), type, value,
                                        /*force_warp_shuffle=*/false);
  };
  for (auto [operand, encoding] : llvm::zip_equal(op->getOpOperands(), layouts.operands))
    if (encoding && isOpen(operand.get().getType()))
      operand.set(convert(operand.get(), withEncoding(operand.get().getType(), encoding)));
  builder.setInsertionPointAfter(op);
  for (auto [result, encoding] : llvm::zip_equal(op->getResults(), layouts.results)) {
    Type open = result.getType();
    if (!encoding || !isOpen(open))
      continue;
    result.setType(withEncoding(open, encoding));
    Value back = convert(result, open);
    result.replaceAllUsesExcept(back, back.getDefiningOp());
  }
}

Operation *placeFor(Value value, Operation *user) {
  Operation *place = user;
  for (Operation *at = user; at && at->getParentRegion() != value.getParentRegion();) {
    at = at->getParentOp();
    if (isa_and_nonnull<LoopLikeOpInterface>(at))
      place = at;
  }
  return place;
}

Operation *makeIn(OpBuilder &builder, Operation *op, Attribute encoding) {
  Operation *copy = builder.clone(*op);
  RankedTensorType type = withEncoding(op->getResult(0).getType(), encoding);
  copy->getResult(0).setType(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
      constant.setValueAttr(elements.reshape(type));
  return copy;
}

Value convertFor(Value value, Attribute encoding, Operation *user) {
  OpBuilder builder(placeFor(value, user));
  Operation *producer = value.getDefiningOp();
  if (!isMadeAnywhere(producer))
    return ttg::ConvertLayoutOp::create(builder, value.getLoc(),
                                        withEncoding(value.getType(), encoding), value,
                                        /*force_warp_shuffle=*/false);
  return makeIn(builder, producer, encoding)->getResult(0);
}

void eraseUnused(Operation *function) {
  function->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (op != function && isOpTriviallyDead(op))
      op->erase();
  });
}

} // namespace gluonc::assign

//===- Apply.cpp - Carrying out a plan ------------------------------------------===//
#include "assign/Plan.h"

using namespace mlir;

namespace gluonc::assign {

void Plan::applyTypes() {
  auto give = [&](Value value) {
    if (!isOpen(value.getType()))
      return;
    Attribute encoding = layouts.lookup(value);
    if (!encoding) {
      Operation *place = value.getDefiningOp();
      encoding = defaultEncoding(value.getType(), place ? place : function.getOperation());
    }
    value.setType(withEncoding(value.getType(), encoding));
  };
  for (Block &block : function.getBody())
    llvm::for_each(block.getArguments(), give);
  for (Operation *op : order) {
    llvm::for_each(op->getResults(), give);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), give);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
  }
  giveSignature(function);
}

void giveSignature(tt::FuncOp function) {
  auto closed = [&](ArrayRef<Type> types) {
    return llvm::map_to_vector(types, [&](Type type) {
      return isOpen(type) ? withEncoding(type, defaultEncoding(type, function)) : type;
    });
  };
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             closed(function.getArgumentTypes()),
                                             closed(function.getResultTypes())));
}

/// Converts operands to what their operations need.
void Plan::applyNeeds() {
  for (Operation *op : order)
    for (OpOperand &operand : op->getOpOperands()) {
      Attribute need = needs.lookup(&operand);
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (need && type && type.getEncoding() != need)
        operand.set(convertFor(operand.get(), need, op));
    }
  // The mask of a histogram lies where its numbers do.
  for (Operation *op : order)
    if (auto histogram = dyn_cast<tt::HistogramOp>(op); histogram && histogram.getMask()) {
      Attribute encoding = histogram.getSrc().getType().getEncoding();
      auto mask = cast<RankedTensorType>(histogram.getMask().getType());
      if (mask.getEncoding() != encoding)
        histogram.getMaskMutable().assign(convertFor(histogram.getMask(), encoding, op));
    }
}

/// What was a conversion to or from an open type is the value itself.
void Plan::dropOpenConversions(ArrayRef<Operation *> conversions) {
  for (Operation *op : conversions) {
    Value source = op->getOperand(0), result = op->getResult(0);
    if (source.getType() != result.getType())
      source = convertFor(source, cast<RankedTensorType>(result.getType()).getEncoding(), op);
    result.replaceAllUsesWith(source);
    op->erase();
  }
}

void Plan::apply() {
  llvm::SmallVector<Operation *> conversions;
  for (Operation *op : order)
    if (isa<ttg::ConvertLayoutOp, gluon::SetAutoLayoutOp>(op) &&
        (isOpen(op->getOperand(0).getType()) || isOpen(op->getResult(0).getType())))
      conversions.push_back(op);
  applyTypes();
  applyNeeds();
  dropOpenConversions(conversions);
}

} // namespace gluonc::assign

//===- ValueFacts.cpp - What threads hold in registers ----------------------------===//
#include "driver/explain/Facts.h"
#include "ir/Encoding.h"
#include "ir/SourceLocation.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace gluonc::driver {

using explain::ValueFact;

/// 32 bits each; 0 for what takes none: buffers, and what has one bit.
static unsigned registersOfThread(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrFloat() && !isa<tt::PointerType>(element))
    return 0;
  const auto bytes = static_cast<unsigned>(elementBytes(element));
  auto tensor = dyn_cast<RankedTensorType>(type);
  const unsigned elements = tensor ? 1u << toLinear(tensor).inLog2(layout::Dim::Register) : 1u;
  return element.isInteger(1) ? 0 : (elements * bytes + 3) / 4;
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (int64_t extent : tensor.getShape())
      out << extent << 'x';
  Type element = getElementTypeOrSelf(type);
  if (auto pointer = dyn_cast<tt::PointerType>(element))
    out << '*' << pointer.getPointeeType();
  else
    out << element;
  return text;
}

std::vector<ValueFact> valueFacts(tt::FuncOp kernel, const diag::SourceManager &sources) {
  std::vector<ValueFact> facts;
  auto add = [&](Value value) {
    const unsigned registers = registersOfThread(value.getType());
    if (!registers)
      return;
    ValueFact fact;
    fact.span = spanOf(value.getLoc(), sources);
    fact.calls = callChainOf(value.getLoc(), sources);
    fact.registers = registers;
    fact.type = typeText(value.getType());
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
      fact.layout = toLayout(tensor.getEncoding()).toString();
    for (auto [name, binding] : variablesOf(value.getLoc()))
      if (!llvm::is_contained(fact.names, name))
        fact.names.push_back(name.str());
    if (fact.span)
      facts.push_back(std::move(fact));
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return;
    for (Value result : op->getResults())
      add(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          add(argument);
  });
  return facts;
}

} // namespace gluonc::driver

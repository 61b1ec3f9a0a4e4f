#include "codegen/core/Pairs.h"

using namespace llvm;

namespace gluonc::codegen {

Value *pairOf(Builder &builder, Value *low, Value *high) {
  auto *first = dyn_cast<ExtractElementInst>(low), *second = dyn_cast<ExtractElementInst>(high);
  auto index = [](ExtractElementInst *cut) {
    auto *constant = dyn_cast<ConstantInt>(cut->getIndexOperand());
    return constant ? constant->getZExtValue() : ~uint64_t(0);
  };
  auto *pair = FixedVectorType::get(low->getType(), 2);
  if (first && second && first->getVectorOperand() == second->getVectorOperand() &&
      first->getVectorOperandType() == pair && index(first) == 0 && index(second) == 1)
    return first->getVectorOperand();
  if (low == high)
    return builder.CreateVectorSplat(2, low);
  Value *vector = builder.CreateInsertElement(PoisonValue::get(pair), low, uint64_t(0));
  return builder.CreateInsertElement(vector, high, uint64_t(1));
}

Registers computeInPairs(Emitter &emitter, ArrayRef<const Registers *> operands,
                         function_ref<Value *(ArrayRef<Value *>)> make) {
  Builder &builder = emitter.builder;
  const size_t count = operands[0]->size();
  const bool pairs = count % 2 == 0 && emitter.isa.computesPairs((*operands[0])[0]->getType());
  Registers results;
  for (size_t i = 0; i < count; i += pairs ? 2 : 1) {
    SmallVector<Value *, 4> values;
    for (const Registers *registers : operands)
      values.push_back(pairs ? pairOf(builder, (*registers)[i], (*registers)[i + 1])
                             : (*registers)[i]);
    Value *result = make(values);
    if (!pairs) {
      results.push_back(result);
      continue;
    }
    for (uint64_t half : {0, 1})
      results.push_back(builder.CreateExtractElement(result, half));
  }
  return results;
}

} // namespace gluonc::codegen

#include "codegen/passes/ProductChains.h"

#include "codegen/passes/Preserved.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <utility>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gluonc::codegen {
namespace {

/// The latest product of a pair (x, s) in a block: (x + multiple) * s.
struct Link {
  APInt multiple;
  Value *product;
};

using Chains = SmallDenseMap<std::pair<Value *, Value *>, Link>;

/// value = x + constant, as a sum or with disjoint bits.
std::pair<Value *, APInt> splitConstant(Value *value) {
  Value *x;
  const APInt *constant;
  if (match(value, m_AddLike(m_Value(x), m_APInt(constant))))
    return {x, *constant};
  return {value, APInt::getZero(value->getType()->getIntegerBitWidth())};
}

/// Continues the chain that `product`, which is `sum` * `factor`, belongs to, or begins it.
bool link(Chains &chains, BinaryOperator *product, Value *sum, Value *factor) {
  auto [x, multiple] = splitConstant(sum);
  auto [place, isFirst] = chains.try_emplace({x, factor}, Link{multiple, product});
  if (isFirst)
    return false;
  Link last = std::exchange(place->second, Link{multiple, product});
  APInt step = multiple - last.multiple;
  // Other steps would cost the multiplication that they save.
  if (!step.isPowerOf2())
    return false;
  IRBuilder<> builder(product);
  Value *distance = step.isOne() ? factor : builder.CreateShl(factor, step.logBase2());
  place->second.product = builder.CreateAdd(last.product, distance);
  product->replaceAllUsesWith(place->second.product);
  product->eraseFromParent();
  return true;
}

bool visit(Chains &chains, BinaryOperator *product) {
  Value *a = product->getOperand(0), *b = product->getOperand(1);
  if (isa<Constant>(b))
    return false;
  // What has a constant in it is the sum. With none, either may be.
  if (!splitConstant(a).second.isZero())
    return link(chains, product, a, b);
  if (!splitConstant(b).second.isZero())
    return link(chains, product, b, a);
  chains.insert({{a, b}, {splitConstant(a).second, product}});
  return link(chains, product, b, a);
}

} // namespace

PreservedAnalyses ProductChainsPass::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function) {
    Chains chains;
    for (Instruction &instruction : make_early_inc_range(block))
      if (instruction.getOpcode() == Instruction::Mul && instruction.getType()->isIntegerTy())
        changed |= visit(chains, cast<BinaryOperator>(&instruction));
  }
  return preservedAfter(changed);
}

} // namespace gluonc::codegen

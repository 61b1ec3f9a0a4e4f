#include "codegen/core/Indices.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace gluonc::codegen {

uint32_t imageMask(ArrayRef<uint32_t> images) {
  uint32_t mask = 0;
  for (uint32_t image : images)
    mask |= image;
  return mask;
}

Value *disjointOr(Builder &builder, Value *lhs, Value *rhs) {
  Value *result = builder.CreateOr(lhs, rhs);
  if (PossiblyDisjointInst *instruction = dyn_cast<PossiblyDisjointInst>(result))
    instruction->setIsDisjoint(true);
  return result;
}

Value *applyLinear(Builder &builder, Value *bits, ArrayRef<uint32_t> images) {
  // Input bits of each diagonal, by shift; an ordered map keeps output stable.
  std::map<int, uint32_t> diagonals;
  for (auto [in, image] : enumerate(images))
    for (unsigned out = 0; out < 32; ++out)
      if (image >> out & 1)
        diagonals[static_cast<int>(out) - static_cast<int>(in)] |= 1u << in;

  Value *sum = nullptr;
  uint32_t seen = 0;
  uint32_t all = (1ull << images.size()) - 1;
  for (auto [shift, mask] : diagonals) {
    Value *term = mask == all ? bits : builder.CreateAnd(bits, builder.getInt32(mask));
    if (shift > 0)
      term = builder.CreateShl(term, shift);
    else if (shift < 0)
      term = builder.CreateLShr(term, -shift);
    uint32_t outBits = shift >= 0 ? mask << shift : mask >> -shift;
    if (!sum)
      sum = term;
    else
      sum = (seen & outBits) ? builder.CreateXor(sum, term) : disjointOr(builder, sum, term);
    seen |= outBits;
  }
  return sum ? sum : builder.getInt32(0);
}

Value *combineIndex(Builder &builder, Value *variable, uint32_t variableMask, uint32_t constant) {
  if (!constant)
    return variable;
  Value *number = builder.getInt32(constant);
  if (!variableMask)
    return number;
  return (variableMask & constant) ? builder.CreateXor(variable, number)
                                   : disjointOr(builder, variable, number);
}

} // namespace gluonc::codegen

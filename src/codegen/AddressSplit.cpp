#include "codegen/AddressSplit.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gluonc::codegen {
namespace {

struct Split {
  Value *rest;
  const APInt *constant;
};

/// index = rest + constant, such that extending commutes with the sum.
std::optional<Split> split(Value *index, bool signedExtension) {
  Split parts;
  // Disjoint bits cannot carry; a set sign bit would change what is extended.
  if (match(index, m_DisjointOr(m_Value(parts.rest), m_APInt(parts.constant))) &&
      parts.constant->isNonNegative())
    return parts;
  bool safe = signedExtension ? match(index, m_NSWAdd(m_Value(parts.rest), m_APInt(parts.constant)))
                              : match(index, m_NUWAdd(m_Value(parts.rest), m_APInt(parts.constant)));
  return safe ? std::optional(parts) : std::nullopt;
}

bool splitAddress(GetElementPtrInst *gep) {
  if (gep->getNumIndices() != 1 || gep->getType()->isVectorTy())
    return false;
  Value *index = gep->getOperand(1);
  CastInst *extension = dyn_cast<CastInst>(index);
  bool isSigned = true;
  if (extension) {
    if (!isa<SExtInst, ZExtInst>(extension))
      return false;
    isSigned = isa<SExtInst>(extension);
    index = extension->getOperand(0);
  }
  std::optional<Split> parts = split(index, isSigned);
  if (!parts)
    return false;
  IRBuilder<> builder(gep);
  Value *rest = parts->rest;
  Type *wide = gep->getOperand(1)->getType();
  if (extension)
    rest = isSigned ? builder.CreateSExt(rest, wide) : builder.CreateZExt(rest, wide);
  unsigned width = wide->getIntegerBitWidth();
  APInt constant = isSigned ? parts->constant->sext(width) : parts->constant->zext(width);
  Type *element = gep->getSourceElementType();
  Value *base = builder.CreateGEP(element, gep->getPointerOperand(), rest);
  gep->replaceAllUsesWith(builder.CreateGEP(element, base, builder.getInt(constant)));
  gep->eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses AddressSplitPass::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block))
      if (GetElementPtrInst *gep = dyn_cast<GetElementPtrInst>(&instruction))
        changed |= splitAddress(gep);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace gluonc::codegen

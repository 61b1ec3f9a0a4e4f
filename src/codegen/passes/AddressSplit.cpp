#include "codegen/passes/AddressSplit.h"

#include "codegen/passes/Preserved.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gluonc::codegen {
namespace {

struct Split {
  Value *rest;
  APInt constant;
};

/// How an index reaches the width of an address.
enum class Extension { None, Signed, Zero };

/// Whether extension of `x + y` is the sum of the extensions.
bool extendsTermwise(Value *sum, Extension extension) {
  OverflowingBinaryOperator *add = dyn_cast<OverflowingBinaryOperator>(sum);
  if (!add || add->getOpcode() != Instruction::Add)
    return false;
  switch (extension) {
  case Extension::None:
    return true;
  case Extension::Signed:
    return add->hasNoSignedWrap();
  case Extension::Zero:
    return add->hasNoUnsignedWrap();
  }
}

/// value = rest + constant, such that extending commutes with the sum. Looks
/// for the constant through nested disjoint ors, building the rest anew:
///   a | (b | 512)  =  (a | b) + 512
/// Below an or the constant has to be `ofBits` of the value: b of a | (b - 128) may share bits with
/// a, which b - 128 does not.
std::optional<Split> split(IRBuilder<> &builder, Value *value, Extension extension,
                           bool ofBits = false, unsigned depth = 0) {
  const APInt *constant;
  Value *x, *y;
  // Disjoint bits cannot carry; a set sign bit would change what is extended.
  if (match(value, m_DisjointOr(m_Value(x), m_APInt(constant))))
    return constant->isNonNegative() ? std::optional(Split{x, *constant}) : std::nullopt;
  if (!ofBits && extendsTermwise(value, extension) &&
      match(value, m_Add(m_Value(x), m_APInt(constant))))
    return Split{x, *constant};
  bool isOr = match(value, m_DisjointOr(m_Value(x), m_Value(y)));
  bool isAdd = !isOr && !ofBits && extension == Extension::None &&
               match(value, m_Add(m_Value(x), m_Value(y)));
  if ((!isOr && !isAdd) || depth == 3)
    return std::nullopt;
  for (auto [outer, inner] : {std::pair(x, y), std::pair(y, x)}) {
    std::optional<Split> parts = split(builder, inner, extension, isOr || ofBits, depth + 1);
    if (!parts)
      continue;
    // Fewer bits than before, so what was disjoint still is.
    parts->rest =
        isOr ? builder.CreateOr(outer, parts->rest) : builder.CreateAdd(outer, parts->rest);
    if (PossiblyDisjointInst *rest = dyn_cast<PossiblyDisjointInst>(parts->rest))
      rest->setIsDisjoint(true);
    return parts;
  }
  return std::nullopt;
}

bool splitAddress(GetElementPtrInst *gep) {
  if (gep->getNumIndices() != 1 || gep->getType()->isVectorTy())
    return false;
  Value *index = gep->getOperand(1);
  Extension extension = isa<SExtInst>(index)   ? Extension::Signed
                        : isa<ZExtInst>(index) ? Extension::Zero
                                               : Extension::None;
  Type *wide = index->getType();
  if (extension != Extension::None)
    index = cast<CastInst>(index)->getOperand(0);
  IRBuilder<> builder(gep);
  std::optional<Split> parts = split(builder, index, extension);
  if (!parts)
    return false;
  unsigned width = wide->getIntegerBitWidth();
  Value *rest = parts->rest;
  APInt constant = parts->constant;
  if (extension == Extension::Signed) {
    rest = builder.CreateSExt(rest, wide);
    constant = constant.sext(width);
  } else if (extension == Extension::Zero) {
    rest = builder.CreateZExt(rest, wide);
    constant = constant.zext(width);
  }
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
  return preservedAfter(changed);
}

} // namespace gluonc::codegen

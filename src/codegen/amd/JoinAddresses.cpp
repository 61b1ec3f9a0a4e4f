#include "codegen/amd/JoinAddresses.h"

#include "codegen/amd/AmdIsa.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// Whether all lanes have the same, as far as a short look tells.
bool isShared(const Value *value, unsigned depth = 0) {
  if (isa<Constant>(value))
    return true;
  if (const auto *argument = dyn_cast<Argument>(value))
    return argument->getParent()->getCallingConv() == CallingConv::AMDGPU_KERNEL;
  if (const auto *call = dyn_cast<IntrinsicInst>(value))
    switch (call->getIntrinsicID()) {
    case Intrinsic::amdgcn_workgroup_id_x:
    case Intrinsic::amdgcn_workgroup_id_y:
    case Intrinsic::amdgcn_workgroup_id_z:
    case Intrinsic::amdgcn_readfirstlane:
      return true;
    default:
      return false;
    }
  constexpr unsigned deepest = 8;
  return depth < deepest && isa<BinaryOperator, CastInst, GetElementPtrInst>(value) &&
         all_of(
             cast<Instruction>(value)->operands(),
             [&](const Use &use) { return isShared(use, depth + 1); });
}

/// Of one index. Tensors at the same places share them, so that they take registers from the first
/// access to the last; addresses do not.
constexpr size_t mostSums = 16;

/// gep (gep base, zext index), constant
struct Sum {
  GetElementPtrInst *gep;
  Value *base, *index;
  uint32_t constant;
  unsigned scaleLog2;
};

/// What is better joined.
std::optional<Sum> sumOf(GetElementPtrInst *gep, const TargetTransformInfo &costs) {
  const DataLayout &layout = gep->getDataLayout();
  auto *inner = dyn_cast<GetElementPtrInst>(gep->getPointerOperand());
  APInt constant(layout.getIndexTypeSizeInBits(gep->getType()), 0);
  if (gep->getAddressSpace() != GlobalSpace || !inner || inner->getNumIndices() != 1 ||
      !gep->accumulateConstantOffset(layout, constant) || !constant.isStrictlyPositive() ||
      constant.getActiveBits() > 32)
    return std::nullopt;
  auto *extension = dyn_cast<ZExtInst>(inner->getOperand(1));
  Type *element = inner->getSourceElementType();
  const uint64_t bytes = layout.getTypeAllocSize(element);
  Value *base = inner->getPointerOperand();
  if (!extension || !extension->getSrcTy()->isIntegerTy(32) || !isPowerOf2_64(bytes) ||
      costs.isLegalAddressingMode(element, /*BaseGV=*/nullptr, constant.getSExtValue(),
                                  /*HasBaseReg=*/true, /*Scale=*/0, GlobalSpace) ||
      !isShared(base))
    return std::nullopt;
  Value *index = extension->getOperand(0);
  // Scalar registers add as much for nothing; and so no base is made of a sum.
  if (isShared(index))
    return std::nullopt;
  const APInt last = computeKnownBits(index, layout).getMaxValue().zext(64) * bytes;
  if ((last + constant.zextOrTrunc(64)).getActiveBits() > 32)
    return std::nullopt;
  return Sum{gep, base, index, uint32_t(constant.getZExtValue()), Log2_64(bytes)};
}

void join(const Sum &sum) {
  IRBuilder<> builder(sum.gep);
  Value *offset = builder.CreateShl(sum.index, sum.scaleLog2, "", /*HasNUW=*/true);
  offset = builder.CreateAdd(offset, builder.getInt32(sum.constant), "", /*HasNUW=*/true);
  sum.gep->replaceAllUsesWith(
      builder.CreatePtrAdd(sum.base, builder.CreateZExt(offset, builder.getInt64Ty())));
  sum.gep->eraseFromParent();
}

class JoinAddresses : public FunctionPass {
public:
  static char ID;
  JoinAddresses() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Join addresses"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<TargetTransformInfoWrapperPass>();
    usage.setPreservesCFG();
  }

  bool runOnFunction(Function &function) override {
    const TargetTransformInfo &costs =
        getAnalysis<TargetTransformInfoWrapperPass>().getTTI(function);
    SmallVector<Sum> sums;
    MapVector<Value *, SmallSet<uint32_t, 16>> constants;
    for (Instruction &instruction : instructions(function))
      if (auto *gep = dyn_cast<GetElementPtrInst>(&instruction))
        if (std::optional<Sum> sum = sumOf(gep, costs)) {
          sums.push_back(*sum);
          constants[sum->index].insert(sum->constant);
        }
    bool changed = false;
    for (const Sum &sum : sums)
      if (constants[sum.index].size() <= mostSums) {
        join(sum);
        changed = true;
      }
    return changed;
  }
};

char JoinAddresses::ID = 0;

} // namespace

FunctionPass *createJoinAddresses() { return new JoinAddresses; }

} // namespace gluonc::codegen::amd

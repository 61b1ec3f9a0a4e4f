//===- AmdIsa.cpp - Memory access and launch geometry on AMD GPUs ------------===//
//
// A masked access is a plain one under a branch: the hardware has no predicates but
// the execution mask, and LLVM turns such a branch into changes of that.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdIsa.h"

#include "codegen/amd/Machine.h"
#include "codegen/amd/Multicast.h"
#include "codegen/amd/Refused.h"
#include "codegen/amd/TensorDescriptor.h"
#include "codegen/core/Words.h"
#include "target/Features.h"
#include "target/Limits.h"
#include "target/amd/Chips.h"
#include "target/amd/TensorMover.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"

using namespace llvm;

namespace gluonc::codegen::amd {

/// Of code objects: 5.
static constexpr unsigned codeObjectVersion = 500;

bool AmdIsa::computesPairs(Type *type) const {
  return type->isHalfTy() ||
         (type->isFloatTy() && target::has(target, target::Feature::PairsOfFloats));
}

void AmdIsa::prepareModule(Module &module) const {
  Machine machine(target, options);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.addModuleFlag(Module::Error, "amdhsa_code_object_version", codeObjectVersion);
}

// LDS has addresses from 0 on, and a kernel has no other than the dynamic one. Not a variable:
// those that are not inlined would look it up in a table of the launched kernel.
Constant *AmdIsa::sharedMemory(Module &module) const {
  LLVMContext &context = module.getContext();
  return ConstantExpr::getIntToPtr(ConstantInt::get(Type::getInt32Ty(context), 0),
                                   PointerType::get(context, SharedSpace));
}

void AmdIsa::markKernel(Function &function, const KernelInfo &kernel,
                        std::optional<unsigned> maxRegisters, ArrayRef<unsigned>) const {
  function.setCallingConv(CallingConv::AMDGPU_KERNEL);
  std::string threads = std::to_string(kernel.numWarps * target.warpSize());
  function.addFnAttr("amdgpu-flat-work-group-size", threads + "," + threads);
  function.addFnAttr("uniform-work-group-size", "true");
  if (options.wavesPerSimd)
    function.addFnAttr("amdgpu-waves-per-eu", std::to_string(options.wavesPerSimd));
  if (maxRegisters)
    function.addFnAttr("amdgpu-num-vgpr", std::to_string(*maxRegisters));
}

// As words, in the place of one parameter.
SmallVector<Type *> AmdIsa::descriptorParameters(LLVMContext &context, unsigned rank) const {
  return SmallVector<Type *>(target::amd::tdm::wordCount(rank), Type::getInt32Ty(context));
}

SmallVector<Type *> AmdIsa::descriptorRegisters(LLVMContext &context, unsigned rank) const {
  return TensorDescriptor::types(context, rank);
}

Registers AmdIsa::readDescriptor(Builder &builder, ArrayRef<Value *> parameters,
                                 unsigned rank) const {
  return TensorDescriptor::ofWords(builder, parameters, rank).registers();
}

static Value *readId(Builder &builder, Intrinsic::ID id, uint32_t limit) {
  CallInst *call = builder.CreateIntrinsic(builder.getInt32Ty(), id, {});
  ConstantRange range(APInt(32, 0), APInt(32, limit));
  call->addRetAttr(Attribute::get(builder.getContext(), Attribute::Range, range));
  return call;
}

Value *AmdIsa::threadId(Builder &builder, unsigned threads) const {
  return readId(builder, Intrinsic::amdgcn_workitem_id_x, threads);
}

Value *AmdIsa::warpId(Builder &builder, unsigned warps) const {
  using target::amd::Family;
  Family family = target.amdChip()->family;
  if (family != Family::Rdna4 && family != Family::Cdna5)
    return nullptr;
  return readId(builder, Intrinsic::amdgcn_wave_id, warps);
}

Value *AmdIsa::clusterRank(Builder &builder, unsigned ctas) const {
  return readId(builder, Intrinsic::amdgcn_cluster_workgroup_id_x, ctas);
}

// The numbers along y and z share a register on some chips, and LLVM takes the one along y for all
// of it where a kernel does not ask for that along z. A launch may have several along z all the
// same, so the number is cut out here, and what LLVM knows of it is not said.
Value *AmdIsa::programId(Builder &builder, unsigned axis) const {
  if (axis == 0)
    return readId(builder, Intrinsic::amdgcn_workgroup_id_x, target::maxGridX);
  if (axis == 2)
    return readId(builder, Intrinsic::amdgcn_workgroup_id_z, target::maxGridYZ);
  Value *id = builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::amdgcn_workgroup_id_y, {});
  return builder.CreateAnd(id, builder.getInt32(0xffff));
}

// Hidden arguments begin with the numbers of workgroups (LLVM, AMDGPUUsage, "Code Object V5
// Kernel Argument Metadata").
Value *AmdIsa::programCount(Builder &builder, unsigned axis) const {
  Value *hidden = builder.CreateIntrinsic(Intrinsic::amdgcn_implicitarg_ptr, {});
  Value *place = builder.CreateConstGEP1_32(builder.getInt32Ty(), hidden, axis);
  LoadInst *count = builder.CreateAlignedLoad(builder.getInt32Ty(), place, Align(4));
  MDBuilder metadata(builder.getContext());
  uint64_t most = axis == 0 ? target::maxGridX : target::maxGridYZ;
  count->setMetadata(LLVMContext::MD_range,
                     metadata.createRange(APInt(32, 1), APInt(32, most + 1)));
  count->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
  return count;
}

void fence(Builder &builder, AtomicOrdering order, StringRef scope, bool global) {
  LLVMContext &context = builder.getContext();
  FenceInst *made = builder.CreateFence(order, context.getOrInsertSyncScopeID(scope));
  if (!global)
    made->setMetadata(LLVMContext::MD_mmra,
                      MMRAMetadata::getTagMD(context, "amdgpu-synchronize-as", "local"));
}

void AmdIsa::ctaBarrier(Builder &builder, bool global) const {
  fence(builder, AtomicOrdering::Release, "workgroup", global);
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_s_barrier, {});
  fence(builder, AtomicOrdering::Acquire, "workgroup", global);
}

void AmdIsa::warpBarrier(Builder &builder) const {
  fence(builder, AtomicOrdering::Release, "wavefront", /*global=*/true);
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::amdgcn_wave_barrier, {});
  fence(builder, AtomicOrdering::Acquire, "wavefront", /*global=*/true);
}

Registers underMask(Builder &builder, Value *mask, ArrayRef<Value *> other,
                    function_ref<Registers()> make) {
  auto *known = dyn_cast_or_null<ConstantInt>(mask);
  if (!mask || (known && known->isOne()))
    return make();
  Function *function = builder.GetInsertBlock()->getParent();
  LLVMContext &context = builder.getContext();
  BasicBlock *before = builder.GetInsertBlock();
  BasicBlock *masked = BasicBlock::Create(context, "masked", function);
  BasicBlock *after = BasicBlock::Create(context, "after", function);
  builder.CreateCondBr(mask, masked, after);
  builder.SetInsertPoint(masked);
  Registers made = make();
  BasicBlock *end = builder.GetInsertBlock();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
  Registers results;
  for (auto [i, value] : enumerate(made)) {
    PHINode *phi = builder.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, end);
    // What is masked off reads as zero where the program names no other value.
    phi->addIncoming(
        i < other.size() && other[i] ? other[i] : Constant::getNullValue(value->getType()), before);
    results.push_back(phi);
  }
  return results;
}

/// Cache modifiers that LLVM has words for: streaming and not cached.
template <typename Access>
static void setHints(Builder &builder, Access *access, const MemoryHints &hints) {
  using tt::CacheModifier;
  CacheModifier modifier = hints.caches.modifier;
  access->setVolatile(hints.isVolatile || modifier == CacheModifier::CV ||
                      modifier == CacheModifier::WT);
  bool streams =
      modifier == CacheModifier::CS || (isa<LoadInst>(access) && modifier == CacheModifier::CG);
  if (streams)
    access->setMetadata(
        LLVMContext::MD_nontemporal,
        MDNode::get(builder.getContext(), ConstantAsMetadata::get(builder.getInt32(1))));
}

/// Of a load that workgroups make together: their mask. Null for others.
static Value *sharersOf(Builder &builder, Type *word, unsigned count, const MemoryHints &hints) {
  unsigned bytes = word->getScalarSizeInBits() / 8 * count;
  bool hasForm = bytes == 4 || bytes == 8 || bytes == 16;
  return hints.plain() && hasForm ? multicastMask(builder, hints.sharingCtas) : nullptr;
}

static Registers loadTogether(Builder &builder, Value *pointer, Type *word, unsigned count,
                              Value *sharers) {
  unsigned bytes = word->getScalarSizeInBits() / 8 * count;
  Intrinsic::ID id = bytes == 4   ? Intrinsic::amdgcn_cluster_load_b32
                     : bytes == 8 ? Intrinsic::amdgcn_cluster_load_b64
                                  : Intrinsic::amdgcn_cluster_load_b128;
  Type *words = builder.getInt32Ty(), *type = word;
  if (bytes > 4)
    words = FixedVectorType::get(words, bytes / 4);
  if (count > 1)
    type = FixedVectorType::get(word, count);
  Value *loaded = builder.CreateIntrinsic(id, {words}, {pointer, builder.getInt32(0), sharers});
  return wordsOf(builder, builder.CreateBitCast(loaded, type));
}

Registers AmdIsa::loadWords(Builder &builder, Value *pointer, Type *word, Value *mask,
                            ArrayRef<Value *> other, unsigned count,
                            const MemoryHints &hints) const {
  return underMask(builder, mask, other, [&] {
    if (Value *sharers = sharersOf(builder, word, count, hints))
      return loadTogether(builder, pointer, word, count, sharers);
    LoadInst *load = loadVector(builder, pointer, word, count);
    setHints(builder, load, hints);
    return wordsOf(builder, load);
  });
}

void AmdIsa::storeWords(Builder &builder, Value *pointer, ArrayRef<Value *> words, Value *mask,
                        const MemoryHints &hints) const {
  underMask(builder, mask, {}, [&] {
    setHints(builder, storeVector(builder, pointer, words), hints);
    return Registers();
  });
}

} // namespace gluonc::codegen::amd

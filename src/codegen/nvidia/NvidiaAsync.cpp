//===- NvidiaAsync.cpp - cp.async --------------------------------------------------===//
//
// 16 bytes bypass L1 (.cg) unless the program wants it (.ca); fewer go through it. A masked copy
// gives its source size in a register: the rest of the destination, all of it for size 0, is filled
// with zeros.
//
// No policy for L2: ptxas (12.9, 13.0) puts the shared address and the policy of a copy
// with .L2::cache_hint into overlapping uniform registers where it splits the address
// ("LDGSTS [R7+UR0], desc[UR1]"), which is an illegal instruction on an H200. Policies change
// times, never results.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/Caches.h"
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/NvidiaIsa.h"
#include "codegen/passes/DelayCopies.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {

void NvidiaIsa::copyAsync(Builder &builder, Value *shared, Value *global, unsigned bytes,
                          Value *mask, Value *predicate, const tt::CachePolicy &caches) const {
  SmallVector<Value *> operands = {shared, global};
  std::string text, size;
  raw_string_ostream out(text);
  if (mask) {
    size = ", $" + std::to_string(operands.size());
    operands.push_back(builder.CreateSelect(mask, builder.getInt32(bytes), builder.getInt32(0)));
  }
  if (predicate) {
    out << "@$" << operands.size() << " ";
    operands.push_back(predicate);
  }
  bool bypassesL1 = bytes == 16 && caches.modifier != tt::CacheModifier::CA;
  tt::CachePolicy told = caches;
  told.l2.reset();
  out << "cp.async." << (bypassesL1 ? "cg" : "ca") << ".shared.global" << l2Qualifiers(told)
      << " [$0], [$1], " << bytes << size << ";";
  Value *copy = emitAsm(builder, text, builder.getVoidTy(), operands, AsmEffect::ReadsAndWrites);
  cast<CallInst>(copy)->addFnAttr(Attribute::get(builder.getContext(), beginsCopyAttr));
}

void NvidiaIsa::commitCopies(Builder &builder) const {
  CallInst *commit =
      builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::nvvm_cp_async_commit_group, {});
  commit->addFnAttr(Attribute::get(builder.getContext(), beginsCopyAttr));
}

void NvidiaIsa::waitCopies(Builder &builder, unsigned pending) const {
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::nvvm_cp_async_wait_group,
                          {builder.getInt32(pending)});
}

} // namespace gluonc::codegen::nvidia

//===- NvidiaMatrices.cpp - ldmatrix and stmatrix ----------------------------===//
//
// All lanes of a warp take part in each of these, so the fragments are convergent:
// LLVM must not move them under a branch.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/InlineAsm.h"
#include "codegen/nvidia/NvidiaIsa.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

Intrinsic::ID loadIntrinsic(unsigned count, bool transposed) {
  switch (count) {
  case 1:
    return transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16
                      : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16;
  case 2:
    return transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16
                      : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16;
  default:
    return transposed ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                      : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16;
  }
}

} // namespace

Registers NvidiaIsa::loadMatrices(Builder &builder, Value *row, unsigned count,
                                  bool transposed) const {
  Value *loaded =
      builder.CreateIntrinsic(loadIntrinsic(count, transposed), {row->getType()}, {row});
  if (count == 1)
    return {loaded};
  Registers words;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(builder.CreateExtractValue(loaded, i));
  return words;
}

void NvidiaIsa::storeMatrices(Builder &builder, Value *row, ArrayRef<Value *> words,
                              bool transposed) const {
  unsigned count = words.size();
  std::string text = "stmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                     (transposed ? ".trans" : "") + ".shared.b16 [$0], ";
  std::string list;
  for (unsigned i = 1; i <= count; ++i)
    list += (i > 1 ? ", $" : "$") + std::to_string(i);
  SmallVector<Value *> operands = {row};
  append_range(operands, words);
  emitAsm(builder, text + "{" + list + "};", builder.getVoidTy(), operands, AsmEffect::Writes,
          Threads::Together);
}

} // namespace gluonc::codegen::nvidia

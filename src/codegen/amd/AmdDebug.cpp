//===- AmdDebug.cpp - Failed assertions, inline assembly --------------------------===//
//
// What a kernel prints would go to the host through a buffer that HIP's device library
// writes; there is none here, so `tt.print` is refused (Refused.h) and a failed assertion
// stops the kernel without its message.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdIsa.h"
#include "support/Error.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace gluonc::codegen::amd {

void AmdIsa::print(Builder &, StringRef, ArrayRef<Value *>) const {
  GL_ICE("tt.print is refused for AMD GPUs");
}

void AmdIsa::assertFail(Builder &builder, StringRef, StringRef, unsigned, StringRef) const {
  builder.CreateIntrinsic(builder.getVoidTy(), Intrinsic::trap, {});
}

Registers AmdIsa::inlineAsm(Builder &builder, StringRef text, StringRef constraints,
                            ArrayRef<Type *> results, ArrayRef<Value *> operands,
                            bool isPure) const {
  Type *type = results.empty()       ? builder.getVoidTy()
               : results.size() == 1 ? results[0]
                                     : StructType::get(builder.getContext(), results);
  SmallVector<Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  InlineAsm *code =
      InlineAsm::get(FunctionType::get(type, types, false), text, constraints, !isPure);
  CallInst *call = builder.CreateCall(code, operands);
  call->addFnAttr(Attribute::NoUnwind);
  if (isPure)
    call->setMemoryEffects(MemoryEffects::none());
  else
    call->addFnAttr(Attribute::Convergent);
  if (results.size() == 1)
    return {call};
  Registers parts;
  for (unsigned i = 0; i < results.size(); ++i)
    parts.push_back(builder.CreateExtractValue(call, i));
  return parts;
}

} // namespace gluonc::codegen::amd

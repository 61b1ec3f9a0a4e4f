//===- AmdDebug.cpp - Failed assertions, inline assembly --------------------------===//
//
// A failed assertion prints and traps. Whether a runtime prints what is in the buffer of a kernel
// that trapped is up to it.
//
//===----------------------------------------------------------------------===//
#include "codegen/amd/AmdIsa.h"
#include "codegen/core/Format.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace gluonc::codegen::amd {

void AmdIsa::assertFail(Builder &builder, StringRef message, StringRef file, unsigned line,
                        StringRef function) const {
  std::string text =
      (file + ":" + Twine(line) + ": " + function + ": Assertion `" + message + "` failed.\n")
          .str();
  print(builder, formatOf(text), {});
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

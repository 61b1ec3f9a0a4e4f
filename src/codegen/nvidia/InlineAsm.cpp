#include "codegen/nvidia/InlineAsm.h"

#include "codegen/nvidia/NvidiaIsa.h"

#include "support/Error.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {

char constraintOf(Type *type) {
  if (type->isPointerTy())
    return type->getPointerAddressSpace() == SharedSpace ? 'r' : 'l';
  if (type->isFloatTy())
    return 'f';
  if (type->isDoubleTy())
    return 'd';
  switch (type->getPrimitiveSizeInBits().getFixedValue()) {
  case 1:
    return 'b';
  case 8:
  case 16:
    return 'h';
  case 32:
    return 'r';
  case 64:
    return 'l';
  default:
    GL_ICE("no PTX register class for this type");
  }
}

static void appendConstraint(std::string &constraints, StringRef prefix, Type *type) {
  if (!constraints.empty())
    constraints += ',';
  constraints += prefix;
  constraints += constraintOf(type);
}

static Value *callAsm(Builder &builder, StringRef text, StringRef constraints, Type *result,
                      ArrayRef<Value *> operands, AsmEffect effect, Threads threads) {
  SmallVector<Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  FunctionType *type = FunctionType::get(result, types, false);
  // Even a read is flagged as having side effects: instruction selection keeps
  // only flagged fragments in order with stores. The attributes below are what
  // the IR passes look at, and they stay exact.
  InlineAsm *code = InlineAsm::get(type, text, constraints, effect != AsmEffect::Pure);
  CallInst *call = builder.CreateCall(type, code, operands);
  call->addFnAttr(Attribute::NoUnwind);
  call->addFnAttr(Attribute::WillReturn);
  if (threads == Threads::Together)
    call->addFnAttr(Attribute::Convergent);
  MemoryEffects memory = effect == AsmEffect::Pure     ? MemoryEffects::none()
                         : effect == AsmEffect::Reads  ? MemoryEffects::readOnly()
                         : effect == AsmEffect::Writes ? MemoryEffects::writeOnly()
                                                       : MemoryEffects::unknown();
  call->setMemoryEffects(memory);
  return call;
}

Value *emitAsm(Builder &builder, StringRef text, Type *result, ArrayRef<Value *> operands,
               AsmEffect effect, Threads threads) {
  std::string constraints;
  if (StructType *parts = dyn_cast<StructType>(result)) {
    for (Type *part : parts->elements())
      appendConstraint(constraints, "=", part);
  } else if (!result->isVoidTy()) {
    appendConstraint(constraints, "=", result);
  }
  for (Value *operand : operands)
    appendConstraint(constraints, "", operand->getType());
  return callAsm(builder, text, constraints, result, operands, effect, threads);
}

Value *emitTiedAsm(Builder &builder, StringRef text, ArrayRef<Type *> types, ArrayRef<Value *> tied,
                   ArrayRef<Value *> operands, AsmEffect effect) {
  std::string constraints;
  // What is tied must not share a register with what is only read: the text may be several
  // instructions.
  for (Type *type : types)
    appendConstraint(constraints, operands.empty() ? "=" : "=&", type);
  for (size_t i = 0; i < tied.size(); ++i)
    constraints += (constraints.empty() ? "" : ",") + std::to_string(i);
  for (Value *operand : operands)
    appendConstraint(constraints, "", operand->getType());
  Type *result = types.empty()       ? builder.getVoidTy()
                 : types.size() == 1 ? types[0]
                                     : StructType::get(builder.getContext(), types);
  SmallVector<Value *> all(tied);
  append_range(all, operands);
  return callAsm(builder, text, constraints, result, all, effect, Threads::Together);
}

Registers NvidiaIsa::inlineAsm(Builder &builder, StringRef text, StringRef constraints,
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

} // namespace gluonc::codegen::nvidia

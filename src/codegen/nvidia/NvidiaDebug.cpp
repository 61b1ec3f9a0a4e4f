//===- NvidiaDebug.cpp - vprintf and __assertfail -----------------------------------===//
//
// Both are system calls that the driver's linker supplies. vprintf reads its
// arguments from a buffer in local memory, each at a multiple of its size.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvidia/NvidiaIsa.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace gluonc::codegen::nvidia {
namespace {

/// The address of a constant string, as a generic pointer.
Value *stringOf(Builder &builder, StringRef text) {
  Module &module = *builder.GetInsertBlock()->getModule();
  Constant *data = ConstantDataArray::getString(module.getContext(), text);
  auto *global =
      new GlobalVariable(module, data->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage,
                         data, "text", nullptr, GlobalValue::NotThreadLocal, GlobalSpace);
  return builder.CreateAddrSpaceCast(global, builder.getPtrTy());
}

} // namespace

void NvidiaIsa::print(Builder &builder, StringRef format, ArrayRef<Value *> values) const {
  Function &function = *builder.GetInsertBlock()->getParent();
  SmallVector<Type *> types;
  for (Value *value : values)
    types.push_back(value->getType());
  StructType *type = StructType::get(builder.getContext(), types);
  // In the first block, so that it is one buffer however often the code runs.
  BasicBlock &entry = function.getEntryBlock();
  Builder first(&entry, entry.begin());
  Value *buffer = first.CreateAlloca(type);
  for (auto [i, value] : enumerate(values))
    builder.CreateStore(value, builder.CreateStructGEP(type, buffer, i));
  FunctionCallee callee = function.getParent()->getOrInsertFunction(
      "vprintf", builder.getInt32Ty(), builder.getPtrTy(), builder.getPtrTy());
  builder.CreateCall(callee, {stringOf(builder, format), buffer});
}

void NvidiaIsa::assertFail(Builder &builder, StringRef message, StringRef file, unsigned line,
                           StringRef name) const {
  Module &module = *builder.GetInsertBlock()->getModule();
  Type *pointer = builder.getPtrTy();
  FunctionCallee callee =
      module.getOrInsertFunction("__assertfail", builder.getVoidTy(), pointer, pointer,
                                 builder.getInt32Ty(), pointer, builder.getInt64Ty());
  builder.CreateCall(callee,
                     {stringOf(builder, message), stringOf(builder, file), builder.getInt32(line),
                      stringOf(builder, name), builder.getInt64(/*bytes of a character*/ 1)});
}

} // namespace gluonc::codegen::nvidia

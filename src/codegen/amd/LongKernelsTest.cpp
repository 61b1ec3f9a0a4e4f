#include "codegen/amd/LongFunctions.h"
#include "codegen/amd/RegisterNeed.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace gluonc::codegen::amd {
namespace {

/// Remembers of which functions other passes keep away.
struct Look : FunctionPass {
  static char ID;
  explicit Look(StringMap<bool> &skipped) : FunctionPass(ID), skipped(skipped) {}
  bool runOnFunction(Function &function) override {
    skipped[function.getName()] = skipFunction(function);
    return false;
  }
  StringMap<bool> &skipped;
};
char Look::ID = 0;

class LongKernels : public testing::Test {
protected:
  /// Loads `loads` vectors of four floats, one behind the other, then stores them.
  Function &loadAndStore(StringRef name, unsigned loads) {
    Type *pointer = PointerType::get(context, 1);
    auto *function = Function::Create(FunctionType::get(Type::getVoidTy(context), {pointer}, false),
                                      GlobalValue::ExternalLinkage, name, module);
    IRBuilder<> builder(BasicBlock::Create(context, "entry", function));
    auto *vector = FixedVectorType::get(builder.getFloatTy(), 4);
    SmallVector<Value *> loaded;
    for (unsigned i = 0; i < loads; ++i)
      loaded.push_back(builder.CreateLoad(
          vector, builder.CreateConstGEP1_64(vector, function->getArg(0), i + 1)));
    for (Value *value : loaded)
      builder.CreateStore(value, function->getArg(0));
    builder.CreateRetVoid();
    return *function;
  }

  LLVMContext context;
  Module module{"kernels", context};
};

TEST_F(LongKernels, AreLeftAloneByOnePass) {
  loadAndStore("short", 400);
  loadAndStore("long", 700);
  StringMap<bool> within, behind;
  legacy::PassManager passes;
  passes.add(createOmission());
  passes.add(new Look(within));
  passes.add(createOmissionEnd());
  passes.add(new Look(behind));
  passes.run(module);
  EXPECT_FALSE(within["short"]);
  EXPECT_TRUE(within["long"]);
  EXPECT_FALSE(behind["short"]);
  EXPECT_FALSE(behind["long"]);
}

TEST_F(LongKernels, NeedRegistersForWhatIsAliveTogether) {
  EXPECT_EQ(registersNeeded(loadAndStore("all", 10)), 40u);
}

TEST_F(LongKernels, NeedRegistersForWhatALoopCarries) {
  Type *vector = FixedVectorType::get(Type::getHalfTy(context), 8);
  auto *function =
      Function::Create(FunctionType::get(vector, {vector, Type::getInt1Ty(context)}, false),
                       GlobalValue::ExternalLinkage, "loop", module);
  auto *entry = BasicBlock::Create(context, "entry", function);
  auto *body = BasicBlock::Create(context, "body", function);
  auto *end = BasicBlock::Create(context, "end", function);
  IRBuilder<> builder(entry);
  Value *before = builder.CreateFNeg(function->getArg(0));
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  PHINode *sum = builder.CreatePHI(vector, 2);
  Value *next = builder.CreateFAdd(sum, function->getArg(0));
  sum->addIncoming(before, entry);
  sum->addIncoming(next, body);
  builder.CreateCondBr(function->getArg(1), body, end);
  builder.SetInsertPoint(end);
  // `before` is needed behind the loop, beside what the loop carries.
  builder.CreateRet(builder.CreateFAdd(next, before));
  EXPECT_EQ(registersNeeded(*function), 8u);
}

} // namespace
} // namespace gluonc::codegen::amd

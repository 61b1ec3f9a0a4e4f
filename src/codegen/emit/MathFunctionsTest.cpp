//===- MathFunctionsTest.cpp - The arithmetic of functions made of others ----------===//
//
// The emitted code is evaluated by LLVM's constant folder, which rounds as a GPU
// does, and compared with the host's functions of f64.
//
//===----------------------------------------------------------------------===//
#include "codegen/emit/MathFunctions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

using namespace llvm;

namespace gluonc::codegen {
namespace {

/// A function of one f32 as LLVM IR.
class Emitted {
public:
  explicit Emitted(const std::function<Value *(Builder &, Value *)> &emit) : module("m", context) {
    Type *type = Type::getFloatTy(context);
    function = Function::Create(FunctionType::get(type, {type}, false),
                                GlobalValue::ExternalLinkage, "f", module);
    Builder builder(BasicBlock::Create(context, "entry", function));
    builder.CreateRet(emit(builder, function->getArg(0)));
  }

  float operator()(float x) {
    DenseMap<Value *, Constant *> values;
    values[function->getArg(0)] = ConstantFP::get(Type::getFloatTy(context), x);
    auto known = [&](Value *value) {
      auto *constant = dyn_cast<Constant>(value);
      return constant ? constant : values.at(value);
    };
    BasicBlock *block = &function->getEntryBlock(), *before = nullptr;
    for (;;) {
      BasicBlock *next = nullptr;
      for (Instruction &instruction : *block) {
        if (auto *ret = dyn_cast<ReturnInst>(&instruction))
          return cast<ConstantFP>(known(ret->getReturnValue()))->getValueAPF().convertToFloat();
        if (auto *branch = dyn_cast<BranchInst>(&instruction)) {
          bool second = branch->isConditional() && known(branch->getCondition())->isNullValue();
          next = branch->getSuccessor(second);
        } else if (auto *phi = dyn_cast<PHINode>(&instruction)) {
          values[phi] = known(phi->getIncomingValueForBlock(before));
        } else {
          SmallVector<Constant *> operands;
          for (Value *operand : instruction.operands())
            operands.push_back(known(operand));
          Constant *folded =
              ConstantFoldInstOperands(&instruction, operands, module.getDataLayout());
          EXPECT_TRUE(folded) << "not folded: " << instruction.getOpcodeName();
          if (!folded)
            return 0;
          values[&instruction] = folded;
        }
      }
      before = block;
      block = next;
    }
  }

private:
  LLVMContext context;
  Module module;
  Function *function;
};

/// Units in the last place of f32 between a result and the exact one.
double ulps(float result, double exact) {
  int exponent;
  std::frexp(exact, &exponent);
  return std::abs(result - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

TEST(MathFunctions, SineAndCosineAreGoodTo2UlpsForEveryFiniteNumber) {
  Emitted sine([](Builder &builder, Value *x) { return sineF32(builder, x, 0); });
  Emitted cosine([](Builder &builder, Value *x) { return sineF32(builder, x, 1); });
  std::mt19937 random(1);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    // Every exponent is as likely as another.
    uint32_t bits = random();
    float x;
    std::memcpy(&x, &bits, 4);
    if (!std::isfinite(x))
      continue;
    worst =
        std::max({worst, ulps(sine(x), std::sin(double(x))), ulps(cosine(x), std::cos(double(x)))});
  }
  EXPECT_LE(worst, 2);
  // The f32 nearest to a multiple of pi/2, and the edges of the ranges.
  for (float x : {0x1.d0e6c2p+121f, 0x1.f8af3ep+94f, 0x1p+50f, 0x1.fffffep+49f, 0x1.fffffep+127f,
                  -0x1p+127f}) {
    EXPECT_LE(ulps(sine(x), std::sin(double(x))), 2) << x;
    EXPECT_LE(ulps(cosine(x), std::cos(double(x))), 2) << x;
  }
}

TEST(MathFunctions, SineKeepsZerosAndMakesNaNOfInfinity) {
  Emitted sine([](Builder &builder, Value *x) { return sineF32(builder, x, 0); });
  EXPECT_TRUE(std::signbit(sine(-0.0f)));
  EXPECT_FALSE(std::signbit(sine(0.0f)));
  EXPECT_TRUE(std::isnan(sine(INFINITY)));
  EXPECT_TRUE(std::isnan(sine(NAN)));
}

} // namespace
} // namespace gluonc::codegen

#include "lift/Text.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gluonc::lift {
namespace {

struct LiftText : testing::Test {
  mlir::MLIRContext context;
  mlir::Builder builder{&context};

  std::string real(mlir::Type type, double value) {
    return numberText(builder.getFloatAttr(type, value));
  }
};

TEST_F(LiftText, NumbersRoundToTheirElement) {
  EXPECT_EQ(real(builder.getF32Type(), 0.1f), "0.1");
  EXPECT_EQ(real(builder.getF32Type(), -1.0e30f), "-1e+30");
  EXPECT_EQ(real(builder.getF64Type(), 0.1f), "0.10000000149011612");
  EXPECT_EQ(real(builder.getF16Type(), 2), "2.0");
  EXPECT_EQ(real(builder.getF32Type(), -INFINITY), "float(\"-inf\")");
  EXPECT_EQ(real(builder.getF32Type(), NAN), "float(\"nan\")");
  for (uint32_t bits = 1; bits < 0x7f800000; bits += 0x1234567) {
    float value = llvm::bit_cast<float>(bits);
    EXPECT_EQ(float(std::strtod(real(builder.getF32Type(), value).c_str(), nullptr)), value);
  }
}

TEST_F(LiftText, IntegersHaveTheSignThatIsAskedFor) {
  EXPECT_EQ(numberText(builder.getI32IntegerAttr(-1)), "-1");
  EXPECT_EQ(numberText(builder.getI32IntegerAttr(-1), /*isUnsigned=*/true), "4294967295");
  EXPECT_EQ(numberText(builder.getBoolAttr(true)), "True");
  EXPECT_EQ(dtypeText(builder.getI32Type(), /*isUnsigned=*/true), "gl.uint32");
  EXPECT_EQ(dtypeText(builder.getI1Type(), /*isUnsigned=*/true), "gl.int1");
}

TEST_F(LiftText, NumbersThatTakeAnotherTypeAreKnown) {
  EXPECT_TRUE(hasOwnType(builder.getI32IntegerAttr(7)));
  EXPECT_FALSE(hasOwnType(builder.getI64IntegerAttr(7)));
  EXPECT_TRUE(hasOwnType(builder.getF32FloatAttr(0.5)));
  // What is not normal would become a float64.
  EXPECT_FALSE(hasOwnType(builder.getF32FloatAttr(1.0e-40f)));
  EXPECT_FALSE(hasOwnType(builder.getF16FloatAttr(0.5)));
}

TEST_F(LiftText, StringsAreQuoted) { EXPECT_EQ(quoted("a\"\\\n\x01"), R"("a\"\\\n\x01")"); }

TEST_F(LiftText, NamesAreNewHereAndElsewhere) {
  llvm::StringSet<> none, elsewhere;
  elsewhere.insert("shared");
  Names names;
  EXPECT_EQ(names.fresh("x", none), "x");
  EXPECT_EQ(names.fresh("x", none), "x1");
  EXPECT_EQ(names.fresh("x1", none), "x1_1");
  EXPECT_EQ(names.fresh("for", none), "for_1");
  EXPECT_EQ(names.fresh("shared", elsewhere), "shared1");
}

} // namespace
} // namespace gluonc::lift

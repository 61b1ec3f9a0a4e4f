//===- GatherTest.cpp - Elements by index, code per element, products -----------===//
#include "sema/builtins/OpsFixture.h"

namespace gluonc::sema::ops {
namespace {

TEST_F(Ops, GatherTakesTheShapeOfItsIndices) {
  Value source = block({64}, dtypes::float32), index = arange(32);
  Result gathered = call("gather", {source, index, number(0)});
  EXPECT_EQ(opName(gathered), "tt.gather");
  ASSERT_TRUE(gathered);
  EXPECT_EQ(gathered->shape(), llvm::ArrayRef<int64_t>({32}));
  EXPECT_EQ(dtypeName(gathered), "fp32");
  Value rows = block({64, 32}, dtypes::float16, blocked2d());
  EXPECT_EQ(opName(call("gather", {rows, block({16, 32}, dtypes::int32, blocked2d()), number(0)})),
            "tt.gather");
  expectKind(call("gather", {rows, block({16, 32}, dtypes::int32, blocked2d()), number(1)}),
             Kind::GatherShape);
  expectKind(call("gather", {rows, index, number(0)}), Kind::GatherShape);
  expectKind(call("gather", {source, source, number(0)}), Kind::ArgumentKind);
  expectKind(call("gather", {source, index, number(1)}), Kind::AxisOutOfRange);
  text();
}

TEST_F(Ops, HistogramNeedsALayoutForItsBins) {
  Value values = arange(256), layout = Value::layout(blocked());
  EXPECT_EQ(opName(call("histogram", {values, number(64), {}, layout})), "tt.histogram");
  Value mask = *cmp(CompareOp::Lt, values, number(100));
  EXPECT_EQ(opName(call("histogram", {values, number(64), mask, layout})), "tt.histogram");
  expectKind(call("histogram", {values, number(64)}), Kind::ArgumentKind);
  expectKind(call("histogram", {values, number(60), {}, layout}), Kind::ShapeNotPowerOfTwo);
  expectKind(call("histogram", {values, number(64), values, layout}), Kind::MaskNotBoolean);
  expectKind(call("histogram", {block({64}, dtypes::float32), number(64), {}, layout}),
             Kind::ArgumentKind);
  text();
}

TEST_F(Ops, InlineAssemblyFitsItsOperands) {
  Value x = arange(256, blocked(4)), bytes = block({256}, dtypes::int8, blocked(4));
  auto assembly = [&](const char *text, const char *constraints, Value operand, DType dtype,
                      int64_t pack) {
    return call("inline_asm_elementwise",
                {Value::string(text), Value::string(constraints), Value::tuple({operand}),
                 Value::dtype(dtype), Value::boolean(true), number(pack)});
  };
  EXPECT_EQ(opName(assembly("mov.b32 $0, $1;", "=r,r", x, dtypes::float32, 1)),
            "tt.elementwise_inline_asm");
  // Four bytes share a register.
  EXPECT_EQ(opName(assembly("mov.b32 $0, $1;", "=r,r", bytes, dtypes::int8, 4)),
            "tt.elementwise_inline_asm");
  expectKind(assembly("mov.b32 $0, $2;", "=r,r", x, dtypes::int32, 1), Kind::AsmConstraints);
  expectKind(assembly("mov.b32 $0, $1;", "=r,r,r", x, dtypes::int32, 1), Kind::AsmConstraints);
  expectKind(assembly("mov.b32 $0, $1;", "=h,r", x, dtypes::int32, 1), Kind::AsmConstraints);
  expectKind(assembly("mov.b32 $0, $1;", "=r,m", x, dtypes::int32, 1), Kind::AsmConstraints);
  // Registers of another vendor.
  expectKind(assembly("v_mov_b32 $0, $1", "=v,v", x, dtypes::int32, 1), Kind::AsmConstraints);
  expectKind(assembly("mov.b32 $0, $1;", "=r,r", bytes, dtypes::int8, 8), Kind::AsmConstraints);
  expectKind(assembly("mov.b32 $0, $1;", "=r,=r,r,r", x, dtypes::int32, 0), Kind::ArgumentKind);
  Value one = arange(128);
  expectKind(assembly("", "=r,=r,r,r", one, dtypes::int32, 2), Kind::PackDoesNotDivide);
  text();
}

TEST_F(Ops, ProductsNeedOperandLayouts) {
  Layout parent = BlockedLayout{{1, 1}, {4, 8}, {2, 2}, {1, 0}, {}};
  Layout left = layout::DotOperandLayout{0, parent, 0},
         right = layout::DotOperandLayout{1, parent, 0};
  Value a = block({16, 8}, dtypes::float32, left), b = block({8, 32}, dtypes::float32, right);
  Value acc = block({16, 32}, dtypes::float32, parent);
  EXPECT_EQ(opName(call("dot_fma", {a, b, acc})), "tt.dot");
  expectKind(call("dot_fma", {b, a, acc}), Kind::LayoutMismatch);
  expectKind(call("dot_fma", {a, b, block({16, 16}, dtypes::float32, parent)}), Kind::DotShape);
  expectKind(call("dot_fma", {a, b, block({16, 32}, dtypes::int32, parent)}), Kind::BadOperands);
  expectKind(call("dot_fma", {a, b, a}), Kind::ArgumentKind);
  text();
}

TEST_F(Ops, PollsIntegers) {
  Value flag = tensor(p.ir(), p.dtype());
  expectKind(call("atomic_poll", {flag, number(1)}), Kind::AtomicType);
  expectKind(call("atomic_poll", {n, number(1)}), Kind::NotPointer);
}

TEST_F(Ops, Fp4UnpacksAlongAnAxis) {
  Value bytes = block({64, 32}, dtypes::uint8, blocked2d());
  Result wide = call("fp4_to_fp", {bytes, Value::dtype(dtypes::bfloat16), number(1)});
  EXPECT_EQ(opName(wide), "ttg.fp4_to_fp");
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->shape(), llvm::ArrayRef<int64_t>({64, 64}));
  expectKind(call("fp4_to_fp", {bytes, Value::dtype(dtypes::float32), number(1)}), Kind::BadCast);
  expectKind(call("fp4_to_fp", {arange(32), Value::dtype(dtypes::float16), number(0)}),
             Kind::BadCast);
  text();
}

} // namespace
} // namespace gluonc::sema::ops

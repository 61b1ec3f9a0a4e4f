//===- RobustnessTest.cpp - Whatever a user writes is an answer or an error ---===//
//
// Calls every operator and builtin with arguments drawn from a pool of sensible
// and absurd values. Each call must give a value or report errors, never both
// and never neither, and all the IR that comes out must verify.
//
//===----------------------------------------------------------------------===//
#include "sema/builtins/OpsFixture.h"

#include <random>

namespace gluonc::sema::ops {
namespace {

class Robustness : public Ops {
protected:
  Robustness() {
    Layout concrete = blocked(), square = blocked2d();
    Layout shared = layout::SwizzledSharedLayout{1, 1, 1, {0}, {}};
    Layout slice = SliceLayout{1, blocked2d()};
    Layout bad = BlockedLayout{{3}, {32}, {4}, {0}, {}};
    Layout open = layout::AutoLayout(), coalesced = layout::CoalescedLayout();
    for (const Layout &layout : {concrete, square, shared, slice, bad, open, coalesced})
      pool.push_back(Value::layout(layout));
    for (int64_t value : {0, 1, -1, 2, 7, 128})
      pool.push_back(Value::integer(value));
    pool.push_back(Value::integer(llvm::APInt(128, 1).shl(100)));
    pool.push_back(Value::integer(int64_t{1} << 40));
    for (double value : {0.0, -1.5, 1e300, HUGE_VAL, std::nan("")})
      pool.push_back(Value::real(value));
    pool.insert(pool.end(), {Value(), Value(), Value::none(), Value::boolean(true),
                             Value::boolean(false), Value::string("rtz"), Value::string(""),
                             Value::string("relaxed"), ints({}), ints({128}), ints({1, 0}),
                             ints({32, 16}), ints({-1, 3}), ints({1, 1}), Value::list({})});
    for (DType dtype : {dtypes::int1, dtypes::uint8, dtypes::int32, dtypes::uint64, dtypes::float16,
                        dtypes::bfloat16, dtypes::float32, dtypes::float64, DType(ScalarKind::Void),
                        DType(ScalarKind::Float8E5), DType(ScalarKind::Float8E4B15),
                        DType::pointer(dtypes::float32), DType::pointer(dtypes::int1)})
      pool.push_back(Value::dtype(dtype));
    for (DType dtype :
         {dtypes::int1, dtypes::uint8, dtypes::int32, dtypes::float16, dtypes::bfloat16,
          dtypes::float32, DType(ScalarKind::Float8E5), DType::pointer(dtypes::float32),
          DType::pointer(dtypes::int1), DType::pointer(dtypes::int32, /*isConst=*/true),
          DType::pointer(DType::pointer(dtypes::int8))}) {
      pool.push_back(scalar(dtype));
      pool.push_back(block({128}, dtype));
      pool.push_back(block({32, 16}, dtype, square));
      pool.push_back(block({32}, dtype, slice));
      pool.push_back(block({128}, dtype, open));
      pool.push_back(block({1}, dtype));
      pool.push_back(block({64, 2}, dtype, coalesced));
    }
    pool.push_back(Value::floatPairs(block({32, 16}, dtypes::int64, square).ir()));
    pool.push_back(Value::tuple({arange(128), arange(128)}));
    pool.push_back(Value::tuple({n, Value::string("x")}));
  }

  const Value &any() { return pool[random() % pool.size()]; }

  void expectAnswerOrError(llvm::StringRef what, bool hasValue) {
    bool hasErrors = llvm::any_of(sink.diagnostics, [](const diag::Diagnostic &diagnostic) {
      return diagnostic.severity == diag::Severity::Error;
    });
    EXPECT_NE(hasValue, hasErrors) << what.str();
    (hasValue ? answers : errors) += 1;
    sink.diagnostics.clear();
  }

  /// Calls it many times.
  void callWithAnything(const Builtin &builtin) {
    const Signature &parameters = builtin.signature;
    for (int i = 0; i < 800; ++i) {
      std::vector<Value> arguments;
      for (unsigned p = 0; p < parameters.count(); ++p) {
        bool isOptional = parameters[p].isOptional;
        Value value = isOptional && random() % 2 ? Value() : any();
        if (!isOptional && value.isAbsent())
          value = Value::none();
        if (parameters[p].isVariadic)
          value = random() % 2 ? ints({32, 16}) : Value::tuple({any()});
        arguments.push_back(value);
      }
      std::vector<diag::Span> spans(arguments.size());
      expectAnswerOrError(builtin.name, emitCall(context, builtin, arguments, spans).has_value());
    }
  }

  std::vector<Value> pool;
  std::mt19937 random{20260101};
  unsigned answers = 0, errors = 0;
};

TEST_F(Robustness, OperatorsAnswerOrReport) {
  for (int i = 0; i < 20000; ++i) {
    auto op = BinaryOp(random() % (unsigned(BinaryOp::MatMul) + 1));
    Value lhs = any(), rhs = any();
    // The walker evaluates compile-time operands itself.
    if (!lhs.isIr() && !rhs.isIr())
      continue;
    expectAnswerOrError("binary", binary(context, op, lhs, rhs, {}, {}).has_value());
    expectAnswerOrError("compare",
                        compare(context, CompareOp(random() % 6), lhs, rhs, {}, {}).has_value());
    expectAnswerOrError("logical", logical(context, i % 2, lhs, rhs, {}, {}).has_value());
    if (lhs.isIr())
      expectAnswerOrError("unary", unary(context, UnaryOp(random() % 4), lhs, {}).has_value());
  }
  EXPECT_GT(answers, 1000u);
  EXPECT_GT(errors, 1000u);
  text();
}

TEST_F(Robustness, CastsAnswerOrReport) {
  for (int i = 0; i < 5000; ++i) {
    const Value &value = any(), &to = any();
    if (!to.is(ValueKind::DType))
      continue;
    expectAnswerOrError("cast", ops::cast(context, value, to.dtype(), {}).has_value());
    expectAnswerOrError("condition", condition(context, value, {}).has_value());
  }
  EXPECT_GT(answers, 100u);
  text();
}

TEST_F(Robustness, BuiltinsAnswerOrReport) {
  for (llvm::ArrayRef<Builtin> family :
       {creationBuiltins(), shapeBuiltins(), layoutBuiltins(), memoryBuiltins(), atomicBuiltins(),
        mathBuiltins(), hintBuiltins(), reduceBuiltins()})
    for (const Builtin &builtin : family)
      callWithAnything(builtin);
  EXPECT_GT(answers, 1000u);
  EXPECT_GT(errors, 1000u);
  text();
}

TEST_F(Robustness, PackedArithmeticAnswersOrReports) {
  options.target = *target::Target::parse("cuda:100a");
  for (llvm::ArrayRef<Builtin> family : {packedArithmeticBuiltins(), floatPairBuiltins()})
    for (const Builtin &builtin : family)
      callWithAnything(builtin);
  EXPECT_GT(answers, 20u);
  EXPECT_GT(errors, 1000u);
  text();
}

} // namespace
} // namespace gluonc::sema::ops

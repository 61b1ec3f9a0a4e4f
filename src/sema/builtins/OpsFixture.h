//===- OpsFixture.h - A kernel under construction, for tests of operators -----===//
//
// A hand-made Context stands in for the walker, so each test names the operands
// and looks at the operation (or the diagnostic) that comes out.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sema/builtins/Emit.h"

#include "ir/Dialects.h"
#include "ir/Encoding.h"

#include "gtest/gtest.h"

namespace gluonc::sema::ops {

using diag::Kind;
using layout::BlockedLayout;
using layout::Layout;
using layout::SliceLayout;

class TestContext : public Context {
public:
  using Context::Context;
  bool isTriton() const override { return triton; }
  bool triton = false;
  mlir::Location loc() override { return builder.getUnknownLoc(); }
  std::optional<Value> call(const Value &callee, llvm::ArrayRef<Value> arguments) override {
    return binary(*this, BinaryOp::Mul, arguments[0], arguments[1], {}, {});
  }

protected:
  void addCallChain(diag::Builder &) override {}
};

class Ops : public ::testing::Test {
protected:
  Ops() : builder(&mlir) {
    loadAllDialects(mlir);
    module = mlir::ModuleOp::create(builder.getUnknownLoc());
    module->getOperation()->setAttr(ttg::numWarpsAttr, builder.getI32IntegerAttr(4));
    module->getOperation()->setAttr(ttg::threadsPerWarpAttr, builder.getI32IntegerAttr(32));
    module->getOperation()->setAttr(ttg::numCtasAttr, builder.getI32IntegerAttr(1));
    builder.setInsertionPointToEnd(module->getBody());
    auto pointer = DType::pointer(dtypes::float32);
    llvm::SmallVector<mlir::Type> types = {pointer.toMlir(&mlir), builder.getI32Type(),
                                           builder.getF32Type()};
    auto function = tt::FuncOp::create(builder, builder.getUnknownLoc(), "kernel",
                                       builder.getFunctionType(types, {}));
    body = function.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    p = tensor(body->getArgument(0), pointer);
    n = tensor(body->getArgument(1), dtypes::int32);
    f = tensor(body->getArgument(2), dtypes::float32);
  }

  // -- Operands --------------------------------------------------------------------

  static Layout blocked(int64_t perThread = 1) {
    return BlockedLayout{{perThread}, {32}, {4}, {0}, {}};
  }
  static Layout blocked2d() { return BlockedLayout{{1, 2}, {8, 4}, {2, 2}, {1, 0}, {}}; }
  static Value ints(llvm::ArrayRef<int64_t> numbers) {
    std::vector<Value> items;
    for (int64_t number : numbers)
      items.push_back(Value::integer(number));
    return Value::tuple(std::move(items));
  }
  static Value number(int64_t value) { return Value::integer(value); }
  Value arange(int64_t size, Layout layout = blocked()) {
    return *call("arange", {number(0), number(size), Value::layout(layout)});
  }
  /// A block that is no constant: a splat of an argument of the function.
  Value block(llvm::ArrayRef<int64_t> shape, DType dtype, Layout layout = blocked()) {
    return *call("full", {ints(shape), scalar(dtype), Value::dtype(dtype), Value::layout(layout)});
  }
  Value scalar(DType dtype) { return *ops::cast(context, n, dtype, {}); }

  /// Calls a builtin with positional arguments; the rest is absent.
  Result call(llvm::StringRef name, std::vector<Value> arguments) {
    const Builtin *builtin = findBuiltin(name);
    if (!builtin) {
      ADD_FAILURE() << "no builtin " << name.str();
      return std::nullopt;
    }
    arguments.resize(std::max<size_t>(arguments.size(), Signature::most));
    std::vector<diag::Span> spans(arguments.size());
    return emitCall(context, *builtin, arguments, spans);
  }
  Result bin(BinaryOp op, const Value &lhs, const Value &rhs) {
    return binary(context, op, lhs, rhs, {}, {});
  }
  Result cmp(CompareOp op, const Value &lhs, const Value &rhs) {
    return compare(context, op, lhs, rhs, {}, {});
  }

  // -- Expectations ------------------------------------------------------------------

  /// Name of the operation that made the value.
  static std::string opName(const Result &value) {
    if (!value || !value->isTensor())
      return "nothing";
    mlir::Operation *op = value->ir().getDefiningOp();
    return op ? op->getName().getStringRef().str() : "argument";
  }
  static std::string dtypeName(const Result &value) {
    return value ? value->dtype().name() : "nothing";
  }
  /// The whole function, after verification.
  std::string text() {
    builder.setInsertionPointToEnd(body);
    tt::ReturnOp::create(builder, builder.getUnknownLoc());
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
    std::string out;
    llvm::raw_string_ostream os(out);
    module->print(os);
    return out;
  }
  void expectKind(const Result &result, Kind kind) {
    EXPECT_FALSE(result.has_value());
    ASSERT_EQ(sink.diagnostics.size(), 1u);
    EXPECT_EQ(diag::info(sink.diagnostics[0].kind).name, diag::info(kind).name)
        << sink.diagnostics[0].message;
    sink.diagnostics.clear();
  }
  void expectWarning(Kind kind) {
    ASSERT_EQ(sink.diagnostics.size(), 1u);
    EXPECT_EQ(diag::info(sink.diagnostics[0].kind).name, diag::info(kind).name);
    sink.diagnostics.clear();
  }
  void TearDown() override {
    for (const diag::Diagnostic &diagnostic : sink.diagnostics)
      ADD_FAILURE() << "unexpected: " << diagnostic.message;
  }

  static Options makeOptions() {
    Options options;
    options.target = *target::Target::parse("cuda:90");
    return options;
  }

  mlir::MLIRContext mlir;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Block *body;
  diag::Collector sink;
  Options options = makeOptions();
  TestContext context{builder, sink, options};
  Value p, n, f;
};

} // namespace gluonc::sema::ops

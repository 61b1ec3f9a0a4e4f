//===- ProgramsTest.cpp - Operators and builtins in whole kernels -------------===//
#include "sema/Specialize.h"

#include "ir/Dialects.h"

#include "gtest/gtest.h"

namespace gluonc::sema {
namespace {

/// A kernel `k` from source: its IR, or its diagnostics.
class Programs : public ::testing::Test {
protected:
  Programs() {
    loadAllDialects(mlir);
    options.target = *target::Target::parse("cuda:90");
  }

  /// Specializes `k` of a body that is written without indentation.
  std::string compile(llvm::StringRef parameters, llvm::StringRef body,
                      llvm::ArrayRef<llvm::StringRef> types) {
    std::string source = "from triton.experimental import gluon\n"
                         "from triton.experimental.gluon import language as gl\n"
                         "B: gl.constexpr = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))\n"
                         "@gluon.jit\n"
                         "def mul(a, b):\n"
                         "    return a * b\n"
                         "@gluon.jit\n"
                         "def k(" +
                         parameters.str() + "):\n";
    llvm::SmallVector<llvm::StringRef> lines;
    body.split(lines, '\n');
    for (llvm::StringRef line : lines)
      source += "    " + line.str() + "\n";
    Module *module = program.load("k.py", source, sink);
    std::shared_ptr<const Function> kernel = program.kernel(*module, "k", sink);
    if (!kernel)
      return "no kernel";
    std::vector<ArgSpec> arguments;
    for (llvm::StringRef type : types)
      arguments.push_back(*ArgSpec::parse(type));
    mlir::OwningOpRef<mlir::ModuleOp> ir =
        specialize(program, *kernel, arguments, options, mlir, sink);
    if (!ir)
      return "no IR";
    std::string text;
    llvm::raw_string_ostream os(text);
    ir->print(os);
    return text;
  }
  /// The source text under the caret of the only diagnostic, and its kind.
  std::string complaint() {
    if (sink.diagnostics.size() != 1)
      return std::to_string(sink.diagnostics.size()) + " diagnostics";
    const diag::Diagnostic &only = sink.diagnostics.front();
    return diag::info(only.kind).name.str() + ": " + std::string(only.span.text());
  }
  std::string messages() {
    std::string all;
    for (const diag::Diagnostic &diagnostic : sink.diagnostics)
      all += diagnostic.message + "\n";
    return all;
  }

  mlir::MLIRContext mlir;
  diag::SourceManager sources;
  Program program{sources};
  diag::Collector sink;
  Options options;
};

/// Whether the pieces occur in this order.
testing::AssertionResult inOrder(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> pieces) {
  size_t at = 0;
  for (llvm::StringRef piece : pieces) {
    size_t found = text.find(piece, at);
    if (found == llvm::StringRef::npos)
      return testing::AssertionFailure() << "no `" << piece.str() << "` after " << at << " in\n"
                                         << text.str();
    at = found + piece.size();
  }
  return testing::AssertionSuccess();
}

TEST_F(Programs, CopyLoadsAndStoresUnderAMask) {
  std::string ir = compile("src, dst, n",
                           "i = gl.program_id(0) * 128 + gl.arange(0, 128, layout=B)\n"
                           "inside = i < n\n"
                           "gl.store(dst + i, gl.load(src + i, mask=inside), mask=inside)",
                           {"*fp32:16", "*fp32:16", "i32"});
  EXPECT_TRUE(inOrder(ir, {"tt.get_program_id x", "arith.muli", "tt.make_range", "tt.splat",
                           "arith.addi", "arith.cmpi slt", "tt.addptr", "tt.load", "tt.store"}))
      << messages();
}

TEST_F(Programs, OuterProductOfSlices) {
  std::string ir = compile("out",
                           "L: gl.constexpr = gl.BlockedLayout([1, 2], [8, 4], [2, 2], [1, 0])\n"
                           "r = gl.arange(0, 32, layout=gl.SliceLayout(1, L))\n"
                           "c = gl.arange(0, 16, layout=gl.SliceLayout(0, L))\n"
                           "sum = r[:, None] + c[None, :]\n"
                           "gl.store(out + r[:, None] * 16 + c[None, :], sum.to(gl.float32))",
                           {"*fp32:16"});
  EXPECT_TRUE(inOrder(ir, {"tt.expand_dims", "tt.broadcast", "tt.store"})) << messages();
}

TEST_F(Programs, LiteralsKeepNarrowTypes) {
  std::string ir = compile("p",
                           "x = gl.load(p + gl.arange(0, 128, layout=B))\n"
                           "gl.store(p + gl.arange(0, 128, layout=B), x * 2 + 1)",
                           {"*fp16:16"});
  EXPECT_TRUE(inOrder(ir, {"arith.mulf", "f16", "arith.addf"})) << messages();
  EXPECT_EQ(ir.find("extf"), std::string::npos);
}

TEST_F(Programs, ReductionsCallUserFunctions) {
  std::string ir = compile("p",
                           "x = gl.load(p + gl.arange(0, 128, layout=B))\n"
                           "gl.store(p, gl.reduce(x, 0, mul))\n"
                           "gl.store(p + 1, gl.sum(x, 0))\n"
                           "gl.store(p + 2, x.max(0))",
                           {"*fp32:16"});
  EXPECT_TRUE(inOrder(ir, {"tt.reduce", "tt.reduce", "arith.addf", "tt.reduce.return", "tt.reduce",
                           "arith.maxnumf"}))
      << messages();
}

TEST_F(Programs, MethodsAreFunctionsWithTheObjectFirst) {
  std::string ir = compile("p, n",
                           "x = gl.full([128], n, gl.int32, B).to(gl.float32).exp()\n"
                           "gl.store(p + gl.arange(0, 128, layout=B), x)",
                           {"*fp32:16", "i32"});
  EXPECT_TRUE(inOrder(ir, {"tt.splat", "arith.sitofp", "math.exp", "tt.store"})) << messages();
}

TEST_F(Programs, ComplaintsPointAtTheArgument) {
  compile("p, n", "x = gl.arange(0, n, layout=B)", {"*fp32:16", "i32"});
  EXPECT_EQ(complaint(), "ConstexprRequired: n") << messages();
}

TEST_F(Programs, ComplaintsPointAtTheLayout) {
  compile("p", "x = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [8], [0]))", {"*fp32:16"});
  EXPECT_EQ(complaint(), "LayoutDoesNotFit: gl.BlockedLayout([1], [32], [8], [0])") << messages();
}

TEST_F(Programs, ComplaintsPointAtTheOperator) {
  compile("p",
          "a = gl.arange(0, 128, layout=B)\n"
          "b = gl.arange(0, 128, layout=gl.BlockedLayout([2], [32], [4], [0]))\n"
          "c = a + b",
          {"*fp32:16"});
  EXPECT_EQ(complaint(), "LayoutMismatch: a + b") << messages();
}

TEST_F(Programs, ComplaintsPointAtTheMask) {
  compile("p", "gl.load(p, mask=gl.arange(0, 128, layout=B) < 3)", {"*fp32:16"});
  EXPECT_EQ(complaint(), "BlockWithScalarPointer: gl.arange(0, 128, layout=B) < 3") << messages();
}

TEST_F(Programs, LaterNamesAreNamed) {
  compile("p", "gl.nvidia.blackwell.clc.clc_result(p)", {"*fp32:16"});
  ASSERT_EQ(sink.diagnostics.size(), 1u) << messages();
  EXPECT_EQ(sink.diagnostics[0].kind, diag::Kind::NotSupportedYet) << messages();
}

} // namespace
} // namespace gluonc::sema

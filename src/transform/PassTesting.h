// What tests of passes share: a kernel from a few lines of text, passes that run on it, and what
// they leave, as short text.
#pragma once

#include "ir/Dialects.h"
#include "ir/Report.h"
#include "transform/Pipeline.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/ErrorHandling.h"

#include <gtest/gtest.h>

namespace gluonc {

class PassTest : public ::testing::Test {
protected:
  PassTest()
      : target(*target::Target::parse("cuda:90a")),
        handler(&context, [this](mlir::Diagnostic &diagnostic) { note(diagnostic); }) {
    loadAllDialects(context);
  }

  /// The kernel of four warps with this body. Operations under test carry an attribute as a name.
  void parse(const std::string &arguments, const std::string &body) {
    module = mlir::parseSourceString<mlir::ModuleOp>(std::string(kAliases) + kAttributes +
                                                         "tt.func public @kernel(" + arguments +
                                                         ") {\n" + body + "\ntt.return } }",
                                                     &context);
    if (!module)
      llvm::report_fatal_error(llvm::Twine("the test's text is wrong: ") + first);
  }

  bool run(std::unique_ptr<mlir::Pass> pass) {
    mlir::PassManager passes(&context);
    passes.addPass(std::move(pass));
    return mlir::succeeded(passes.run(*module));
  }
  void allocate() { ASSERT_TRUE(run(createAllocateSharedPass(target))) << first; }

  tt::FuncOp kernel() { return *module->getOps<tt::FuncOp>().begin(); }

  mlir::Operation *named(llvm::StringRef name) {
    mlir::Operation *found = nullptr;
    module->walk([&](mlir::Operation *op) {
      if (op->hasAttr(name))
        found = op;
    });
    EXPECT_TRUE(found) << name.str();
    return found;
  }

  /// The operations on shared memory, and what synchronizes, in program order; what regions hold in
  /// braces.
  std::string order() { return order(kernel().getBody()); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The first error: its kind, its text, and how many notes it has.
  std::optional<diag::Kind> kind;
  std::string first;
  size_t notes = 0;

  target::Target target;

private:
  void note(mlir::Diagnostic &diagnostic) {
    if (!first.empty())
      return;
    kind = kindOf(diagnostic);
    first = diagnostic.str();
    notes = std::distance(diagnostic.getNotes().begin(), diagnostic.getNotes().end());
  }

  static std::string order(mlir::Region &region) {
    std::string all;
    for (mlir::Block &block : region)
      for (mlir::Operation &op : block)
        if (std::string one = order(op); !one.empty())
          all += (all.empty() ? "" : " ") + one;
    return all;
  }

  static std::string order(mlir::Operation &op) {
    std::string inner;
    for (mlir::Region &region : op.getRegions())
      if (std::string text = order(region); !text.empty())
        inner += (inner.empty() ? "" : " | ") + text;
    std::string name = op.getName().stripDialect().str();
    if (!inner.empty())
      return llvm::isa<ttg::WarpSpecializePartitionsOp>(op) ? inner : name + " { " + inner + " }";
    auto onChip = llvm::dyn_cast<OnChipMemoryOpInterface>(op);
    bool counts = llvm::isa<ttg::BarrierOp, ttng::FenceAsyncSharedOp>(op);
    if (onChip && !counts) {
      llvm::SmallVector<MemoryAccess> accesses;
      onChip.getAccesses(accesses);
      counts = !accesses.empty() || onChip.getAwaited() || scratchBytesOf(&op);
    }
    return counts && !llvm::isa<ttg::LocalAllocOp>(op) ? name : "";
  }

  static constexpr char kAliases[] = R"(
    #l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
    #m = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    #t = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
    #mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
    #s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
    #s2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
    #n = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
    #smem = #ttg.shared_memory
    !x = tensor<512xf32, #l>
    !row = !ttg.memdesc<512xf32, #s, #smem, mutable>
    !ring = !ttg.memdesc<2x512xf32, #s, #smem, mutable>
    !bar = !ttg.memdesc<1xi64, #s, #smem, mutable>
    !tile = tensor<64x64xf16, #m>
    !buf = !ttg.memdesc<64x64xf16, #n, #smem, mutable>
    !sum = tensor<64x64xf32, #mma>
    !desc = !tt.tensordesc<64x64xf16, #n>
  )";
  static constexpr char kAttributes[] =
      "module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, "
      "\"ttg.threads-per-warp\" = 32 : i32} {\n";

  mlir::ScopedDiagnosticHandler handler;
};

} // namespace gluonc

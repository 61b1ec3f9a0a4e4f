#include "driver/KernelCache.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <set>

using namespace gluonc;
using namespace gluonc::driver;

namespace {

/// Compiles kernels out of text, with a cache in a folder of its own.
class KernelCacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("gluonc-kernel-cache-test", folder));
    options.target = *target::Target::parse("cuda:80");
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  /// The IR of a kernel `k(p)` of a file that says `body`.
  mlir::OwningOpRef<mlir::ModuleOp> ir(const std::string &body) {
    sema::Module *module = program.load("k.py",
                                        "from triton.experimental import gluon\n"
                                        "from triton.experimental.gluon import language as gl\n" +
                                            body,
                                        collector);
    kernel = program.kernel(*module, "k", collector);
    return compiler.makeIr(source(), collector);
  }
  KernelSource source() { return {program, kernel.get(), arguments, options}; }

  std::string key(const std::string &body, CodeOptions code = {}, Stage last = Stage::Assembly) {
    mlir::OwningOpRef<mlir::ModuleOp> module = ir(body);
    return cacheKey({*module, options.target, std::move(code), last});
  }

  llvm::SmallString<128> folder;
  diag::SourceManager sources;
  diag::Collector collector;
  sema::Program program{sources};
  std::shared_ptr<const sema::Function> kernel;
  sema::Options options;
  const sema::ArgSpec arguments[1] = {*sema::ArgSpec::parse("*i32")};
  Compiler compiler;
};

const std::string simple = "@gluon.jit\ndef k(p):\n    gl.store(p, 1)\n";

TEST_F(KernelCacheTest, AKeyIsTheSameForTheSameKernel) { EXPECT_EQ(key(simple), key(simple)); }

TEST_F(KernelCacheTest, AKeyTellsApartWhateverDecidesOfCode) {
  std::set<std::string> keys = {key(simple)};
  auto expectNew = [&](std::string made, const char *what) {
    EXPECT_TRUE(keys.insert(std::move(made)).second) << what;
  };
  expectNew(key("@gluon.jit\ndef k(p):\n    gl.store(p, 2)\n"), "a number");
  expectNew(key("\n" + simple), "a line, which reports and profilers name");
  expectNew(key(simple, {.backend = {.lineInfo = true}}), "line info");
  expectNew(key(simple, {.backend = {.fpFusion = false}}), "fusion");
  expectNew(key(simple, {.backend = {.ptxVersion = 80}}), "version of PTX");
  expectNew(key(simple, {.assembler = "/bin/true"}), "assembler");
  expectNew(key(simple, {}, Stage::Binary), "last stage");
  options.target = *target::Target::parse("cuda:90");
  expectNew(key(simple), "target");
  options.numWarps = 8;
  expectNew(key(simple), "warps");
  options.numCtas = 2;
  expectNew(key(simple), "CTAs");
  options.maxnreg = 64;
  expectNew(key(simple), "registers");
}

TEST_F(KernelCacheTest, FindsEveryFieldOfWhatWasCompiled) {
  Cache cache(folder.str().str());
  auto compile = [&] {
    mlir::OwningOpRef<mlir::ModuleOp> module = ir(simple);
    KernelRequest request = {*module, options.target, {}, Stage::Assembly};
    return compileCached(compiler, cache, request, cacheKey(request), label(source()), sources,
                         collector);
  };
  std::optional<CompiledKernel> made = compile();
  ASSERT_TRUE(made);
  ASSERT_EQ(cache.usage().entries, 1u);
  std::optional<CompiledKernel> found = compile();
  ASSERT_TRUE(found);
  EXPECT_EQ(cache.usage().entries, 1u);
  EXPECT_EQ(found->artifact.bytes, made->artifact.bytes);
  EXPECT_EQ(found->assembly.bytes, made->assembly.bytes);
  EXPECT_EQ(found->kernel.name, "k");
  EXPECT_EQ(found->kernel.numWarps, made->kernel.numWarps);
  EXPECT_EQ(found->kernel.globalScratchAlignment, made->kernel.globalScratchAlignment);
  EXPECT_EQ(found->artifact.resources.has_value(), made->artifact.resources.has_value());
  EXPECT_EQ(cache.inspect(cache.items().front()).label, "k(*i32) cuda:80 4 warps");
}

} // namespace

#include "driver/KernelCache.h"
#include "remote/RemoteCache.h"

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
    return cacheKey({*module, options.target, std::move(code), last}).text;
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
  expectNew(key(simple, {.backend = {.flushesSubnormals = false}}), "subnormal numbers");
  expectNew(key(simple, {.backend = {.assemblerOptions = "-O1"}}), "options of the assembler");
  expectNew(key(simple, {.backend = {.wavesPerSimd = 2}}), "waves");
  for (const char *contents : {"; one", "; another"})
    expectNew(
        key(simple,
            {.backend = {.libraries = {{"lib.ll", std::make_shared<std::string>(contents)}}}}),
        "contents of a library");
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

/// Two machines, each with a disk of its own, over one folder.
class SharedCacheTest : public KernelCacheTest {
protected:
  Cache machine(llvm::StringRef name) {
    std::error_code error;
    llvm::raw_fd_ostream out(file("keys"), error);
    EXPECT_FALSE(error);
    out << "hmac-sha256 " << std::string(64, '7') << '\n';
    out.close();
    llvm::sys::fs::setPermissions(file("keys"), llvm::sys::fs::owner_read);
    EXPECT_FALSE(llvm::sys::fs::create_directories(file("shared")));
    remote::Settings settings;
    settings.place = file("shared");
    settings.keyFile = file("keys");
    settings.stateFolder = file(name);
    return Cache(file(name), llvm::cantFail(remote::RemoteCache::open(std::move(settings))));
  }
  std::string file(llvm::StringRef name) { return (folder + "/" + name).str(); }
  /// Whether it was compiled, and not found.
  bool compiles(const Cache &cache, const std::string &assembler = "") {
    mlir::OwningOpRef<mlir::ModuleOp> module = ir(simple);
    KernelRequest request = {*module, options.target, {.assembler = assembler}, Stage::Assembly};
    Timings timings;
    EXPECT_TRUE(compileCached(compiler, cache, request, cacheKey(request), label(source()), sources,
                              collector, &timings));
    return !timings.entries().empty();
  }
  void copy(llvm::StringRef from, llvm::StringRef to) {
    EXPECT_FALSE(llvm::sys::fs::copy_file(file(from), file(to)));
  }
  void write(llvm::StringRef name, llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(file(name), error) << text;
  }
};

TEST_F(SharedCacheTest, AnEmptyDiskStartsFromWhatAnotherMachineCompiled) {
  EXPECT_TRUE(compiles(machine("a")));
  Cache b = machine("b");
  EXPECT_FALSE(compiles(b));
  EXPECT_EQ(b.remote()->statistics().hits, 1u);
  // From its own disk from then on.
  EXPECT_FALSE(compiles(b));
  EXPECT_EQ(b.remote()->statistics().hits, 1u);
  EXPECT_EQ(b.usage().entries, 1u);
}

TEST_F(SharedCacheTest, AnAssemblerIsWhatIsInItWhereverItLies) {
  write("ptxas-1", "one");
  write("ptxas-2", "two");
  copy("ptxas-1", "ptxas-elsewhere");
  EXPECT_TRUE(compiles(machine("a"), file("ptxas-1")));
  EXPECT_FALSE(compiles(machine("b"), file("ptxas-elsewhere")));
  EXPECT_TRUE(compiles(machine("c"), file("ptxas-2")));
}

TEST_F(SharedCacheTest, PushAndPull) {
  Cache a = machine("a");
  {
    Cache alone(a.path());
    EXPECT_TRUE(compiles(alone));
  }
  std::string name;
  EXPECT_FALSE(push(a, a.items().front().key, "/bin/true", name)) << "another assembler made it";
  ASSERT_TRUE(push(a, a.items().front().key, "", name));
  Cache b = machine("b");
  EXPECT_FALSE(pull(b, std::string(64, '0'), ""));
  EXPECT_FALSE(pull(b, name, "/bin/true"));
  EXPECT_TRUE(pull(b, name, ""));
  EXPECT_FALSE(compiles(b));
  EXPECT_EQ(b.remote()->statistics().hits, 2u);
}

TEST_F(SharedCacheTest, WhatIsRefusedIsCompiledAndPutThereAnew) {
  Cache a = machine("a");
  EXPECT_TRUE(compiles(a));
  std::string name = remoteKey(a.find(a.items().front().key)->code, "cuda:80", "");
  write("shared/" + name.substr(0, 2) + "/" + name, "not an entry");
  Cache b = machine("b");
  EXPECT_TRUE(compiles(b));
  EXPECT_EQ(b.remote()->statistics().allRefused(), 1u);
  ASSERT_FALSE(collector.hasErrors());
  EXPECT_NE(collector.diagnostics.back().message.find("is cut off, or no entry"),
            std::string::npos);
  EXPECT_FALSE(compiles(machine("c")));
}

} // namespace

// Many processes share one cache folder while some of them are killed and files are cut and
// flipped under their hands: whatever a process gets must be the kernel that it asked for.
#include "driver/KernelCache.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gluonc;
using namespace gluonc::driver;

namespace {

constexpr int processes = 16;
constexpr unsigned kernels = 6;
constexpr auto duration = std::chrono::milliseconds(2500);

/// What the processes count, in memory that they share.
struct Counters {
  std::atomic<uint64_t> found, compiled, wrong;
};

class Collecting : public diag::Sink {
protected:
  void handle(diag::Diagnostic) override {}
};

/// Kernels that differ in one number, so that a wrong one would run and be wrong.
class Worker {
public:
  Worker() : program(sources) {
    module = program.load("torture.py",
                          "from triton.experimental import gluon\n"
                          "from triton.experimental.gluon import language as gl\n"
                          "@gluon.jit\n"
                          "def k(p, N: gl.constexpr):\n"
                          "    gl.store(p, N)\n",
                          sink);
    kernel = program.kernel(*module, "k", sink);
  }

  /// The PTX of kernel `i`, and whether it came from the cache.
  std::pair<std::string, bool> ptx(const Cache &cache, unsigned i) {
    const sema::ArgSpec arguments[] = {*sema::ArgSpec::parse("*i32"),
                                       sema::ArgSpec::compileTime(sema::Value::integer(1000 + i))};
    sema::Options options;
    options.target = *target::Target::parse("cuda:80");
    KernelSource source = {program, kernel.get(), arguments, options};
    mlir::OwningOpRef<mlir::ModuleOp> ir = compiler.makeIr(source, sink);
    KernelRequest request = {*ir, options.target, {}, Stage::Assembly};
    Timings timings;
    std::optional<CompiledKernel> compiled = compileCached(
        compiler, cache, request, cacheKey(request), label(source), sources, sink, &timings);
    return {compiled ? compiled->artifact.bytes : "", timings.entries().empty()};
  }

private:
  diag::SourceManager sources;
  Collecting sink;
  sema::Program program;
  sema::Module *module;
  std::shared_ptr<const sema::Function> kernel;
  Compiler compiler;
};

[[noreturn]] void work(const std::string &folder, unsigned seed, Counters &counters) {
  Worker worker;
  std::vector<std::string> expected;
  for (unsigned i = 0; i != kernels; ++i)
    expected.push_back(worker.ptx(Cache(""), i).first);
  Cache cache(folder);
  std::mt19937 random(seed);
  while (true) {
    unsigned i = random() % kernels;
    auto [ptx, found] = worker.ptx(cache, i);
    ++(found ? counters.found : counters.compiled);
    if (ptx != expected[i] || ptx.find(std::to_string(1000 + i)) == std::string::npos) {
      ++counters.wrong;
      _exit(1);
    }
  }
}

/// Cuts or flips a file in place, as a disk or a careless program would.
void damage(const std::string &path, std::mt19937 &random) {
  int file = open(path.c_str(), O_RDWR);
  if (file < 0)
    return;
  off_t size = lseek(file, 0, SEEK_END);
  if (size > 0 && random() % 2) {
    (void)!ftruncate(file, static_cast<off_t>(random() % static_cast<uint64_t>(size)));
  } else if (size > 0) {
    off_t at = static_cast<off_t>(random() % static_cast<uint64_t>(size));
    char byte = 0;
    (void)!pread(file, &byte, 1, at);
    byte ^= static_cast<char>(1u << random() % 8);
    (void)!pwrite(file, &byte, 1, at);
  }
  close(file);
}

TEST(CacheTorture, KilledProcessesAndDamagedFilesNeverYieldAWrongKernel) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("gluonc-cache-torture", folder));
  const std::string path = folder.str().str();
  void *shared =
      mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  Counters &counters = *new (shared) Counters();
  std::mt19937 random(1);
  auto start = [&] {
    unsigned seed = random();
    pid_t child = fork();
    if (child == 0)
      work(path, seed, counters);
    return child;
  };

  std::vector<pid_t> children(processes);
  for (pid_t &child : children)
    child = start();
  Cache cache(path);
  auto end = std::chrono::steady_clock::now() + duration;
  for (unsigned round = 0; std::chrono::steady_clock::now() < end; ++round) {
    std::vector<Cache::Item> items = cache.items();
    if (!items.empty())
      damage(items[random() % items.size()].path, random);
    if (round % 8 == 0) {
      pid_t &victim = children[random() % processes];
      kill(victim, SIGKILL);
      int status = 0;
      ASSERT_EQ(waitpid(victim, &status, 0), victim);
      // Who ended otherwise than by this signal crashed or found something wrong.
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
      victim = start();
    }
    usleep(5000);
  }
  for (pid_t child : children) {
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  }
  EXPECT_EQ(counters.wrong, 0u);
  // It did work as a cache, and damage did make misses.
  EXPECT_GT(counters.found, 100u);
  EXPECT_GT(counters.compiled, kernels);
  RecordProperty("found", std::to_string(counters.found));
  RecordProperty("compiled", std::to_string(counters.compiled));
  munmap(shared, sizeof(Counters));
  llvm::sys::fs::remove_directories(folder);
}

} // namespace

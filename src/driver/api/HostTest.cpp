// What a host hears of compilations and launches, and how it stops them.
#include "gluonc/gluonc.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace {

constexpr llvm::StringRef source = R"(import gluonc as gluon
from gluonc import language as gl
@gluon.constexpr_function
def count(n):
    i = 0
    while i < n:
        i += 1
    return i
@gluon.jit
def slow(x):
    n: gl.constexpr = count(600000)
    gl.store(x, n)
@gluon.jit
def unrolled(x):
    for i in gl.static_range(20000):
        gl.store(x + i, i)
@gluon.jit
def partial(x):
    gl.static_print("made")
    at = x + gl.arange(0, 32, gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(at, gl.load(at, mask=gl.arange(0, 32, gl.BlockedLayout([1], [32], [4], [0])) < 16))
)";

class Host : public testing::Test {
protected:
  void SetUp() override { open(""); }
  void TearDown() override { close(); }

  void open(const std::string &ptxas) {
    close();
    gluonc_engine_options options = {};
    options.size = sizeof options;
    options.ptxas = ptxas.c_str();
    ASSERT_EQ(gluonc_engine_create(&options, &engine, nullptr), GLUONC_OK);
    ASSERT_EQ(
        gluonc_engine_load_text(engine, "k.py", source.data(), source.size(), &module, nullptr),
        GLUONC_OK);
  }
  void close() {
    gluonc_module_destroy(module);
    gluonc_engine_destroy(engine);
    module = nullptr;
    engine = nullptr;
  }

  /// Null, and `status`, where it failed.
  gluonc_executable *make(const char *name, decltype(gluonc_engine_compile) *build) {
    gluonc_kernel *kernel = nullptr;
    gluonc_specialization *specialization = nullptr;
    gluonc_executable *made = nullptr;
    gluonc_argument pointer = {GLUONC_ARGUMENT_TYPE, "*i32", 0, 0, nullptr, 0};
    EXPECT_EQ(gluonc_module_kernel(module, name, &kernel, nullptr), GLUONC_OK);
    EXPECT_EQ(gluonc_kernel_specialize(kernel, &pointer, 1, nullptr, &specialization, nullptr),
              GLUONC_OK);
    gluonc_error *error = nullptr;
    status = build(engine, specialization, "cuda:90a", &made, &error);
    text = gluonc_error_text(error);
    gluonc_error_destroy(error);
    gluonc_specialization_destroy(specialization);
    gluonc_kernel_destroy(kernel);
    return made;
  }

  /// The host wants everything to end that asks.
  void stop(bool wanted) {
    gluonc_engine_set_interrupt(engine, wanted ? [](void *) { return 1; } : gluonc_interrupt(),
                                nullptr);
  }

  gluonc_engine *engine = nullptr;
  gluonc_module *module = nullptr;
  gluonc_status status = GLUONC_OK;
  std::string text;
};

TEST_F(Host, StopsCompilationsBetweenStatementsAndOperations) {
  for (auto *build : {gluonc_engine_simulate, gluonc_engine_compile})
    for (const char *name : {"slow", "unrolled"}) {
      stop(true);
      EXPECT_EQ(make(name, build), nullptr);
      EXPECT_EQ(status, GLUONC_CANCELLED) << name;
      EXPECT_EQ(text, "the compilation was stopped");
      // What was in the midst of it is forgotten.
      stop(false);
      gluonc_executable *made = make("partial", build);
      EXPECT_EQ(status, GLUONC_OK) << text;
      gluonc_executable_destroy(made);
    }
}

TEST_F(Host, StopsWhatOtherThreadsCompile) {
  std::atomic<bool> isDone = false;
  std::thread other([&] {
    while (!isDone) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gluonc_engine_cancel_launches(engine);
    }
  });
  EXPECT_EQ(make("unrolled", gluonc_engine_compile), nullptr);
  EXPECT_EQ(status, GLUONC_CANCELLED) << text;
  isDone = true;
  other.join();
}

TEST_F(Host, StopsTheAssembler) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("gluonc-host", folder));
  std::string ptxas = (folder + "/ptxas").str(), number = (folder + "/number").str();
  std::error_code code;
  llvm::raw_fd_ostream(ptxas, code) << "#!/bin/sh\necho $$ > " << number << "\nexec sleep 600\n";
  ASSERT_FALSE(llvm::sys::fs::setPermissions(ptxas, llvm::sys::fs::all_all));
  open(ptxas);
  stop(true);
  EXPECT_EQ(make("partial", gluonc_engine_compile), nullptr);
  EXPECT_EQ(status, GLUONC_CANCELLED) << text;
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> written = llvm::MemoryBuffer::getFile(number);
  ASSERT_TRUE(bool(written));
  pid_t process = 0;
  ASSERT_FALSE((*written)->getBuffer().trim().getAsInteger(10, process));
  EXPECT_EQ(kill(process, 0), -1);
  EXPECT_EQ(errno, ESRCH);
  llvm::sys::fs::remove_directories(folder);
}

TEST_F(Host, WarningsHaveAReceiverOfTheirOwn) {
  auto receive = [](void *user, const char *said, size_t size) {
    static_cast<std::string *>(user)->append(said, size);
  };
  std::string output, warnings, own;
  int memory[32] = {};
  gluonc_memory_range range = {"memory", memory, sizeof memory, 0};
  uint64_t value = reinterpret_cast<uint64_t>(memory);
  gluonc_launch_options options = {};
  options.size = sizeof options;
  options.ranges = &range;
  options.range_count = 1;
  auto run = [&] {
    output = warnings = own = "";
    gluonc_executable *made = make("partial", gluonc_engine_simulate);
    EXPECT_EQ(gluonc_launch_simulated(made, 1, 1, 1, &value, 1, &options, nullptr), GLUONC_OK);
    gluonc_executable_destroy(made);
  };
  gluonc_engine_set_output(engine, receive, &output);
  run();
  EXPECT_TRUE(llvm::StringRef(output).starts_with("made\n")) << output;
  EXPECT_NE(output.find("GL5144"), std::string::npos) << output;
  gluonc_engine_set_warnings(engine, receive, &warnings);
  run();
  EXPECT_EQ(output, "made\n");
  EXPECT_NE(warnings.find("GL5144"), std::string::npos) << warnings;
  options.warnings = receive;
  options.warnings_user = &own;
  run();
  EXPECT_EQ(warnings, "");
  EXPECT_NE(own.find("GL5144"), std::string::npos) << own;
}

} // namespace

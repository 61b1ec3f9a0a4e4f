// A remote cache as a program of C++ sets it up.
#include "gluonc/gluonc.hpp"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <map>
#include <mutex>

namespace {

constexpr std::string_view source = R"(import gluonc as gluon
from gluonc import language as gl
@gluon.jit
def store(x):
    gl.store(x, 7)
)";

/// A storage in memory, and how often the library asked.
struct Memory {
  std::mutex mutex;
  std::map<std::string, std::string> entries;
  bool fails = false, isReleased = false;

  gluonc_cache_storage functions() {
    return {sizeof(gluonc_cache_storage), this, get, put,
            [](void *user) { static_cast<Memory *>(user)->isReleased = true; }};
  }
  static int get(void *user, const char *name, void (*give)(void *, const void *, size_t),
                 void *receiver) {
    auto &memory = *static_cast<Memory *>(user);
    std::lock_guard guard(memory.mutex);
    auto found = memory.entries.find(name);
    if (!memory.fails && found != memory.entries.end())
      give(receiver, found->second.data(), found->second.size());
    return memory.fails;
  }
  static int put(void *user, const char *name, const void *bytes, size_t count) {
    auto &memory = *static_cast<Memory *>(user);
    std::lock_guard guard(memory.mutex);
    memory.entries[name].assign(static_cast<const char *>(bytes), count);
    return memory.fails;
  }
};

class RemoteCacheApi : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("gluonc-remote-api-test", folder));
    keys = (folder + "/keys").str();
    std::error_code error;
    llvm::raw_fd_ostream(keys, error) << "hmac-sha256 " << std::string(64, '7') << '\n';
    ASSERT_FALSE(error);
    ASSERT_FALSE(llvm::sys::fs::setPermissions(keys, llvm::sys::fs::owner_read));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  gluonc_engine *engineOver(const gluonc_cache_storage &functions) {
    gluonc_engine_options options = {};
    options.size = sizeof options;
    options.remote_cache = "memory";
    options.remote_cache_keys = keys.c_str();
    options.remote_cache_storage = &functions;
    gluonc_engine *engine = nullptr;
    EXPECT_EQ(gluonc_engine_create(&options, &engine, nullptr), GLUONC_OK);
    return engine;
  }
  /// Compiles the kernel; returns the engine's statistics, which it then has no more.
  std::string compile(gluonc_engine *engine) {
    gluonc_module *module = nullptr;
    gluonc_kernel *kernel = nullptr;
    gluonc_specialization *specialization = nullptr;
    gluonc_executable *executable = nullptr;
    gluonc_argument pointer = {GLUONC_ARGUMENT_TYPE, "*i32", 0, 0, nullptr, 0};
    EXPECT_EQ(
        gluonc_engine_load_text(engine, "k.py", source.data(), source.size(), &module, nullptr),
        GLUONC_OK);
    EXPECT_EQ(gluonc_module_kernel(module, "store", &kernel, nullptr), GLUONC_OK);
    EXPECT_EQ(gluonc_kernel_specialize(kernel, &pointer, 1, nullptr, &specialization, nullptr),
              GLUONC_OK);
    EXPECT_EQ(gluonc_engine_compile(engine, specialization, "hip:gfx942", &executable, nullptr),
              GLUONC_OK);
    std::string json;
    auto receive = [](void *user, const char *text, size_t size) {
      static_cast<std::string *>(user)->assign(text, size);
    };
    EXPECT_EQ(gluonc_engine_remote_cache_statistics(engine, receive, &json, nullptr), GLUONC_OK);
    gluonc_executable_destroy(executable);
    gluonc_specialization_destroy(specialization);
    gluonc_kernel_destroy(kernel);
    gluonc_module_destroy(module);
    gluonc_engine_destroy(engine);
    return json;
  }
  static bool has(const std::string &json, const std::string &part) {
    return json.find(part) != std::string::npos;
  }

  llvm::SmallString<128> folder;
  std::string keys;
};

TEST_F(RemoteCacheApi, AStorageOfTheHosts) {
  Memory memory;
  std::string first = compile(engineOver(memory.functions()));
  EXPECT_TRUE(has(first, "\"misses\":1") && has(first, "\"stores\":1")) << first;
  EXPECT_TRUE(memory.isReleased);
  ASSERT_EQ(memory.entries.size(), 1u);
  EXPECT_EQ(memory.entries.begin()->first.size(), 64u);
  std::string second = compile(engineOver(memory.functions()));
  EXPECT_TRUE(has(second, "\"hits\":1") && has(second, "\"stores\":0")) << second;
  memory.entries.begin()->second.back() ^= 1;
  std::string third = compile(engineOver(memory.functions()));
  EXPECT_TRUE(has(third, "\"wrong-signature\":1") && has(third, "\"stores\":1")) << third;
  memory.fails = true;
  std::string last = compile(engineOver(memory.functions()));
  EXPECT_TRUE(has(last, "\"failures\":1") && has(last, "\"hits\":0")) << last;
}

TEST_F(RemoteCacheApi, WithoutOneStatisticsAreEmpty) {
  gluonc_engine *engine = nullptr;
  ASSERT_EQ(gluonc_engine_create(nullptr, &engine, nullptr), GLUONC_OK);
  EXPECT_EQ(compile(engine), "{}");
}

TEST_F(RemoteCacheApi, OptionsThatAreWrongSayWhy) {
  gluonc::EngineOptions options;
  options.remoteCache = "/tmp";
  auto whyNot = [&] {
    auto made = gluonc::Engine::create(options);
    return made ? std::string() : std::string(made.error().text);
  };
  EXPECT_TRUE(has(whyNot(), "needs a file of keys"));
  options.remoteCacheKeys = keys;
  EXPECT_EQ(whyNot(), "");
  options.remoteCache = "here";
  EXPECT_TRUE(has(whyNot(), "is no remote cache"));
  gluonc_cache_storage incomplete = {sizeof incomplete, nullptr, nullptr, nullptr, nullptr};
  gluonc_engine_options raw = {};
  raw.size = sizeof raw;
  raw.remote_cache_storage = &incomplete;
  gluonc_engine *engine = nullptr;
  EXPECT_EQ(gluonc_engine_create(&raw, &engine, nullptr), GLUONC_USAGE_ERROR);
}

} // namespace

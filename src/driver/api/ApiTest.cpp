// The C API as a host meets it that makes every mistake there is, and a compiler that does.
#include "gluonc/gluonc.h"
#include "support/Error.h"
#include "support/Recovery.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr llvm::StringRef source = R"(import gluonc as gluon
from gluonc import language as gl
@gluon.jit
def add(x, n, C: gl.constexpr):
    gl.store(x, n + C)
@gluon.jit
def forever(x):
    n = gl.program_id(0)
    while n >= 0:
        gl.store(x, n)
@gluon.jit
def host(x, n, C: gl.constexpr):
    gl.store(x, n + C + FROM_HOST)
@gluon.jit
def follow(at, n):
    gl.store(gl.load(at + n).to(gl.pointer_type(gl.int32)), 1)
)";

gluonc_argument typed(const char *text) { return {GLUONC_ARGUMENT_TYPE, text, 0, 0, nullptr, 0}; }
gluonc_argument integer(int64_t value) {
  return {GLUONC_ARGUMENT_INTEGER, nullptr, value, 0, nullptr, 0};
}

class Api : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(gluonc_engine_create(nullptr, &engine, nullptr), GLUONC_OK);
    ASSERT_EQ(
        gluonc_engine_load_text(engine, "k.py", source.data(), source.size(), &module, nullptr),
        GLUONC_OK);
    ASSERT_EQ(gluonc_module_kernel(module, "add", &kernel, nullptr), GLUONC_OK);
    specialization = specialize(kernel, {typed("*i32"), typed("i32"), integer(5)});
    ASSERT_TRUE(specialization);
    ASSERT_EQ(simulate(specialization, &executable), GLUONC_OK) << text;
  }
  void TearDown() override {
    gluonc_plant(nullptr);
    gluonc_executable_destroy(executable);
    gluonc_specialization_destroy(specialization);
    gluonc_kernel_destroy(kernel);
    gluonc_module_destroy(module);
    gluonc_engine_destroy(engine);
  }
  static void gluonc_plant(const char *stage) { gluonc::plantInternalError(stage); }

  /// Keeps what a call reports; every failure reports something.
  gluonc_status keep(gluonc_status status, gluonc_error *error) {
    text = gluonc_error_text(error);
    json = gluonc_error_json(error);
    reproducer = gluonc_error_reproducer(error);
    EXPECT_EQ(status == GLUONC_OK, text.empty());
    EXPECT_EQ(status == GLUONC_OK, json.empty());
    gluonc_error_destroy(error);
    return status;
  }
  gluonc_status specializeStatus(gluonc_kernel *which, std::vector<gluonc_argument> arguments,
                                 gluonc_specialization **made) {
    gluonc_error *error = nullptr;
    gluonc_status status =
        gluonc_kernel_specialize(which, arguments.data(), arguments.size(), nullptr, made, &error);
    return keep(status, error);
  }
  gluonc_specialization *specialize(gluonc_kernel *which, std::vector<gluonc_argument> arguments) {
    gluonc_specialization *made = nullptr;
    specializeStatus(which, std::move(arguments), &made);
    return made;
  }
  gluonc_status specializeThird(gluonc_argument third) {
    gluonc_specialization *made = nullptr;
    gluonc_status status = specializeStatus(kernel, {typed("*i32"), typed("i32"), third}, &made);
    gluonc_specialization_destroy(made);
    return status;
  }
  gluonc_status simulate(gluonc_specialization *which, gluonc_executable **made) {
    gluonc_error *error = nullptr;
    gluonc_status status = gluonc_engine_simulate(engine, which, "cuda:90a", made, &error);
    return keep(status, error);
  }
  gluonc_status launch(gluonc_executable *which, unsigned x = 1, unsigned y = 1, unsigned z = 1) {
    std::vector<uint64_t> values = {reinterpret_cast<uint64_t>(memory), 7};
    values.resize(gluonc_executable_parameter_count(which));
    gluonc_memory_range range = {"memory", memory, sizeof memory, 0};
    gluonc_error *error = nullptr;
    gluonc_status status =
        gluonc_launch_on_ranges(which, x, y, z, values.data(), values.size(), &range, 1, &error);
    return keep(status, error);
  }
  /// A kernel that stores into its only argument.
  gluonc_executable *makeForever() {
    gluonc_kernel *found = nullptr;
    gluonc_executable *made = nullptr;
    EXPECT_EQ(gluonc_module_kernel(module, "forever", &found, nullptr), GLUONC_OK);
    gluonc_specialization *special = specialize(found, {typed("*i32")});
    EXPECT_EQ(simulate(special, &made), GLUONC_OK) << text;
    gluonc_specialization_destroy(special);
    gluonc_kernel_destroy(found);
    return made;
  }

  gluonc_engine *engine = nullptr;
  gluonc_module *module = nullptr;
  gluonc_kernel *kernel = nullptr;
  gluonc_specialization *specialization = nullptr;
  gluonc_executable *executable = nullptr;
  std::string text, json, reproducer;
  int memory[16] = {};
};

TEST_F(Api, TellsWhatChipsHave) {
  gluonc_target_info info = {};
  ASSERT_EQ(gluonc_target_get_info("hip:gfx942", &info, nullptr), GLUONC_OK);
  EXPECT_EQ(info.warp_size, 64u);
  EXPECT_EQ(info.max_threads, 1024u);
  EXPECT_EQ(info.max_shared_bytes, 65536u);
  EXPECT_EQ(info.max_ctas, 1u);
  gluonc_error *error = nullptr;
  EXPECT_EQ(gluonc_target_get_info("cuda:1", &info, &error), GLUONC_INPUT_ERROR);
  gluonc_error_destroy(error);
}

TEST_F(Api, NullIsAUsageErrorOrNothing) {
  gluonc_error *e = nullptr;
  gluonc_engine *en = nullptr;
  gluonc_module *m = nullptr;
  gluonc_kernel *k = nullptr;
  gluonc_specialization *s = nullptr;
  gluonc_executable *x = nullptr;
  const char *t = nullptr;
  size_t size = 0;
  gluonc_argument argument = typed("*i32");
  uint64_t values[2] = {reinterpret_cast<uint64_t>(memory), 7};
  gluonc_tensor tensor = {};
  gluonc_tensor_block block = {};
  gluonc_target_info chip = {};
  auto resolve = [](void *, uint64_t, const char *, gluonc_binding *) { return 0; };
  std::function<gluonc_status()> calls[] = {
      [&] { return gluonc_engine_create(nullptr, nullptr, &e); },
      [&] { return gluonc_engine_cuda_target(nullptr, 0, &t, &e); },
      [&] { return gluonc_engine_cuda_target(engine, 0, nullptr, &e); },
      [&] { return gluonc_engine_hip_target(nullptr, 0, &t, &e); },
      [&] { return gluonc_engine_hip_target(engine, 0, nullptr, &e); },
      [&] { return gluonc_engine_device_target(nullptr, 0, &t, &e); },
      [&] { return gluonc_engine_device_target(engine, 0, nullptr, &e); },
      [&] { return gluonc_target_get_info(nullptr, &chip, &e); },
      [&] { return gluonc_target_get_info("cuda:90a", nullptr, &e); },
      [&] { return gluonc_engine_add_memory(nullptr, "m", memory, 4, &e); },
      [&] { return gluonc_engine_add_memory(engine, "m", nullptr, 4, &e); },
      [&] { return gluonc_engine_load(nullptr, "k.py", &m, &e); },
      [&] { return gluonc_engine_load(engine, nullptr, &m, &e); },
      [&] { return gluonc_engine_load(engine, "k.py", nullptr, &e); },
      [&] { return gluonc_engine_load_text(nullptr, "k.py", "", 0, &m, &e); },
      [&] { return gluonc_engine_load_text(engine, nullptr, "", 0, &m, &e); },
      [&] { return gluonc_engine_load_text(engine, "k.py", nullptr, 1, &m, &e); },
      [&] { return gluonc_engine_load_text(engine, "k.py", "", 0, nullptr, &e); },
      [&] {
        return gluonc_engine_load_scope(nullptr, "k.py", "", 0, 1, resolve, nullptr, nullptr, &m,
                                        &e);
      },
      [&] {
        return gluonc_engine_load_scope(engine, nullptr, "", 0, 1, resolve, nullptr, nullptr, &m,
                                        &e);
      },
      [&] {
        return gluonc_engine_load_scope(engine, "k.py", "", 0, 1, nullptr, nullptr, nullptr, &m,
                                        &e);
      },
      [&] {
        return gluonc_engine_load_scope(engine, "k.py", "", 0, 0, resolve, nullptr, nullptr, &m,
                                        &e);
      },
      [&] { return gluonc_module_kernel(nullptr, "add", &k, &e); },
      [&] { return gluonc_module_kernel(module, nullptr, &k, &e); },
      [&] { return gluonc_module_kernel(module, "add", nullptr, &e); },
      [&] { return gluonc_module_kernel_at(nullptr, "add", 3, &k, &e); },
      [&] { return gluonc_module_kernel_at(module, nullptr, 3, &k, &e); },
      [&] { return gluonc_module_kernel_at(module, "add", 3, nullptr, &e); },
      [&] { return gluonc_engine_evaluate(nullptr, "1", &t, &e); },
      [&] { return gluonc_engine_evaluate(engine, nullptr, &t, &e); },
      [&] { return gluonc_engine_evaluate(engine, "1", nullptr, &e); },
      [&] { return gluonc_kernel_specialize(nullptr, &argument, 1, nullptr, &s, &e); },
      [&] { return gluonc_kernel_specialize(kernel, nullptr, 3, nullptr, &s, &e); },
      [&] { return gluonc_kernel_specialize(kernel, &argument, 1, nullptr, nullptr, &e); },
      [&] { return gluonc_engine_load_ir(nullptr, "k.ttgir", nullptr, &s, &e); },
      [&] { return gluonc_engine_load_ir(engine, nullptr, nullptr, &s, &e); },
      [&] { return gluonc_engine_load_ir(engine, "k.ttgir", nullptr, nullptr, &e); },
      [&] { return gluonc_engine_load_ir_text(engine, nullptr, "", 0, nullptr, &s, &e); },
      [&] { return gluonc_engine_load_ir_text(engine, "k", nullptr, 0, nullptr, &s, &e); },
      [&] { return gluonc_specialization_ir(nullptr, "cuda:80", &t, &e); },
      [&] { return gluonc_specialization_ir(specialization, "cuda:80", nullptr, &e); },
      [&] { return gluonc_specialization_replace_code(nullptr, "llir", "", 0, &e); },
      [&] { return gluonc_specialization_replace_code(specialization, nullptr, "", 0, &e); },
      [&] { return gluonc_specialization_replace_code(specialization, "llir", nullptr, 0, &e); },
      [&] { return gluonc_engine_compile(nullptr, specialization, "cuda:80", &x, &e); },
      [&] { return gluonc_engine_compile(engine, nullptr, "cuda:80", &x, &e); },
      [&] { return gluonc_engine_compile(engine, specialization, "cuda:80", nullptr, &e); },
      [&] { return gluonc_engine_simulate(nullptr, specialization, "cuda:80", &x, &e); },
      [&] { return gluonc_engine_simulate(engine, nullptr, "cuda:80", &x, &e); },
      [&] { return gluonc_engine_simulate(engine, specialization, "cuda:80", nullptr, &e); },
      [&] { return gluonc_executable_make_code(nullptr, "ptx", &t, &size, &e); },
      [&] { return gluonc_executable_make_code(executable, nullptr, &t, &size, &e); },
      [&] { return gluonc_executable_make_code(executable, "ptx", nullptr, &size, &e); },
      [&] { return gluonc_executable_load(nullptr, 0, &e); },
      [&] { return gluonc_executable_save(nullptr, &t, &size, &e); },
      [&] { return gluonc_executable_save(executable, nullptr, &size, &e); },
      [&] { return gluonc_engine_load_executable(nullptr, "", 0, &x, &e); },
      [&] { return gluonc_engine_load_executable(engine, nullptr, 0, &x, &e); },
      [&] { return gluonc_engine_load_executable(engine, "", 0, nullptr, &e); },
      [&] { return gluonc_launch_simulated(nullptr, 1, 1, 1, values, 2, nullptr, &e); },
      [&] { return gluonc_launch_simulated(executable, 1, 1, 1, nullptr, 2, nullptr, &e); },
      [&] { return gluonc_launch(nullptr, 1, 1, 1, nullptr, values, 2, &e); },
      [&] { return gluonc_launch(executable, 1, 1, 1, nullptr, nullptr, 2, &e); },
      [&] { return gluonc_launch_on_ranges(nullptr, 1, 1, 1, values, 2, nullptr, 0, &e); },
      [&] { return gluonc_launch_on_ranges(executable, 1, 1, 1, nullptr, 2, nullptr, 0, &e); },
      [&] { return gluonc_launch_on_ranges(executable, 1, 1, 1, values, 2, nullptr, 1, &e); },
      [&] { return gluonc_check_descriptor(nullptr, &block, &e); },
      [&] { return gluonc_check_descriptor(&tensor, nullptr, &e); },
      [&] { return gluonc_check_descriptor(&tensor, &block, &e); },
  };
  for (size_t i = 0; i != std::size(calls); ++i) {
    e = nullptr;
    EXPECT_EQ(keep(calls[i](), e), GLUONC_USAGE_ERROR) << i << ": " << text;
  }
  // What only names something, or is optional.
  e = nullptr;
  EXPECT_EQ(gluonc_engine_create(nullptr, &en, nullptr), GLUONC_OK);
  EXPECT_EQ(gluonc_engine_add_memory(en, nullptr, memory, 4, nullptr), GLUONC_OK);
  EXPECT_EQ(gluonc_engine_compile(engine, specialization, nullptr, &x, nullptr),
            GLUONC_INPUT_ERROR);
  EXPECT_EQ(gluonc_specialization_ir(specialization, nullptr, &t, nullptr), GLUONC_INPUT_ERROR);
  EXPECT_TRUE(gluonc_executable_code(executable, "ttgir", nullptr));
  EXPECT_EQ(gluonc_executable_make_code(executable, "ttgir", &t, nullptr, nullptr), GLUONC_OK);
  gluonc_engine_destroy(en);
}

TEST_F(Api, QuestionsAboutNullHaveEmptyAnswers) {
  EXPECT_STREQ(gluonc_error_text(nullptr), "");
  EXPECT_STREQ(gluonc_error_json(nullptr), "");
  EXPECT_STREQ(gluonc_error_reproducer(nullptr), "");
  EXPECT_EQ(gluonc_engine_cuda_device_count(nullptr), 0);
  EXPECT_EQ(gluonc_engine_hip_device_count(nullptr), 0);
  EXPECT_EQ(gluonc_engine_device_count(nullptr), 0);
  EXPECT_EQ(gluonc_executable_code(nullptr, "ptx", nullptr), nullptr);
  EXPECT_EQ(gluonc_executable_code(executable, nullptr, nullptr), nullptr);
  EXPECT_EQ(gluonc_executable_key(nullptr), nullptr);
  EXPECT_EQ(gluonc_executable_parameter_count(nullptr), 0u);
  EXPECT_EQ(gluonc_executable_parameter_type(nullptr, 0), nullptr);
  EXPECT_EQ(gluonc_executable_parameter_type(executable, ~size_t(0)), nullptr);
  gluonc_executable_info info;
  gluonc_executable_get_info(nullptr, &info);
  EXPECT_EQ(info.num_warps, 0u);
  gluonc_executable_get_info(executable, nullptr);
  gluonc_specialization_info special;
  gluonc_specialization_get_info(nullptr, &special);
  EXPECT_STREQ(special.name, "");
  gluonc_specialization_get_info(specialization, nullptr);
  gluonc_engine_seal(nullptr);
  gluonc_engine_set_output(nullptr, nullptr, nullptr);
  gluonc_engine_set_interrupt(nullptr, nullptr, nullptr);
  gluonc_engine_cancel_launches(nullptr);
  gluonc_engine_set_schedule_seed(nullptr, nullptr);
  gluonc_engine_set_races(nullptr, GLUONC_VERDICT_WARN);
  gluonc_engine_set_masked_off(nullptr, GLUONC_VERDICT_WARN);
  gluonc_engine_set_unknown_reads(nullptr, GLUONC_VERDICT_WARN);
  gluonc_engine_set_max_branches(nullptr, 1);
  gluonc_engine_set_executes_ptx(nullptr, 1);
  gluonc_engine_remove_memory(nullptr, memory);
  gluonc_engine_destroy(nullptr);
  gluonc_module_destroy(nullptr);
  gluonc_kernel_destroy(nullptr);
  gluonc_specialization_destroy(nullptr);
  gluonc_executable_destroy(nullptr);
  gluonc_error_destroy(nullptr);
}

TEST_F(Api, ArgumentsAreBounded) {
  gluonc_argument cycle = {GLUONC_ARGUMENT_TUPLE, nullptr, 0, 0, &cycle, 1};
  EXPECT_EQ(specializeThird(cycle), GLUONC_INPUT_ERROR);
  EXPECT_NE(text.find("nested more than 64 deep"), std::string::npos) << text;

  // Every level doubles what there is to read.
  gluonc_argument twice[2];
  twice[0] = twice[1] = {GLUONC_ARGUMENT_TUPLE, nullptr, 0, 0, twice, 2};
  EXPECT_EQ(specializeThird(twice[0]), GLUONC_INPUT_ERROR);

  std::vector<gluonc_argument> deep(200000, integer(1));
  for (size_t i = 0; i + 1 != deep.size(); ++i)
    deep[i] = {GLUONC_ARGUMENT_TUPLE, nullptr, 0, 0, &deep[i + 1], 1};
  EXPECT_EQ(specializeThird(deep[0]), GLUONC_INPUT_ERROR);
  EXPECT_EQ(specializeThird(deep[deep.size() - 64]), GLUONC_OK) << text;

  std::vector<gluonc_argument> wide(70000, integer(1));
  EXPECT_EQ(specializeThird({GLUONC_ARGUMENT_TUPLE, nullptr, 0, 0, wide.data(), wide.size()}),
            GLUONC_INPUT_ERROR);
  EXPECT_NE(text.find("at most 65536 values"), std::string::npos) << text;
  EXPECT_EQ(specializeThird({GLUONC_ARGUMENT_TUPLE, nullptr, 0, 0, nullptr, 3}),
            GLUONC_INPUT_ERROR);

  std::string stars(10'000'000, '*'), brackets(1'000'000, '(');
  EXPECT_EQ(specializeThird(typed(stars.c_str())), GLUONC_INPUT_ERROR);
  EXPECT_EQ(specializeThird({GLUONC_ARGUMENT_EXPRESSION, brackets.c_str(), 0, 0, nullptr, 0}),
            GLUONC_INPUT_ERROR);
  for (int kind : {7, 99, -1})
    EXPECT_EQ(specializeThird({static_cast<gluonc_argument_kind>(kind), "x", 0, 0, nullptr, 0}),
              GLUONC_INPUT_ERROR);
}

TEST_F(Api, AFunctionIsFoundAtItsLineOnly) {
  gluonc_kernel *found = nullptr;
  for (unsigned line : {0u, 4u, 6u, 4000000000u})
    EXPECT_EQ(gluonc_module_kernel_at(module, "add", line, &found, nullptr), GLUONC_INPUT_ERROR);
  ASSERT_EQ(gluonc_module_kernel_at(module, "add", 3, &found, nullptr), GLUONC_OK);
  gluonc_kernel_destroy(found);
}

TEST_F(Api, JsonIsUtf8WhateverTheNamesAre) {
  gluonc_error *error = nullptr;
  const char *code = nullptr;
  EXPECT_EQ(gluonc_engine_add_memory(engine, "a", memory, 8, nullptr), GLUONC_OK);
  EXPECT_EQ(keep(gluonc_engine_add_memory(engine, "\xff\xfe", memory, 8, &error), error),
            GLUONC_USAGE_ERROR);
  EXPECT_EQ(json.find('\xff'), std::string::npos);
  error = nullptr;
  EXPECT_EQ(keep(gluonc_executable_make_code(executable, "\xff", &code, nullptr, &error), error),
            GLUONC_USAGE_ERROR);
  EXPECT_EQ(json.find('\xff'), std::string::npos);
}

TEST_F(Api, MemoryEndsWithTheLastAddress) {
  auto *last = reinterpret_cast<const void *>(~uintptr_t(7));
  EXPECT_EQ(gluonc_engine_add_memory(engine, "m", last, 16, nullptr), GLUONC_USAGE_ERROR);
  gluonc_memory_range ranges[] = {{"m", last, ~size_t(0), 0}, {"n", memory, sizeof memory, 0}};
  uint64_t values[] = {reinterpret_cast<uint64_t>(memory), 7};
  EXPECT_EQ(gluonc_launch_on_ranges(executable, 1, 1, 1, values, 2, ranges, 2, nullptr), GLUONC_OK);
  EXPECT_EQ(memory[0], 12);
}

TEST_F(Api, ReachableMemoryIsForAddressesThatAKernelLoads) {
  int numbers[8] = {};
  uint64_t places[] = {reinterpret_cast<uint64_t>(numbers + 7),
                       reinterpret_cast<uint64_t>(numbers + 8)};
  gluonc_memory_range range = {"at", places, sizeof places, 1};
  gluonc_memory_range reachable = {"numbers", numbers, sizeof numbers, 0};
  gluonc_launch_options options = {};
  options.size = sizeof options;
  options.ranges = &range;
  options.range_count = 1;
  options.reachable = &reachable;
  options.reachable_count = 1;
  gluonc_kernel *follow = nullptr;
  ASSERT_EQ(gluonc_module_kernel(module, "follow", &follow, nullptr), GLUONC_OK);
  gluonc_specialization *made = specialize(follow, {typed("*i64"), typed("i32")});
  gluonc_executable *following = nullptr;
  ASSERT_EQ(simulate(made, &following), GLUONC_OK) << text;
  auto run = [&](uint64_t offset) {
    gluonc_error *error = nullptr;
    uint64_t values[] = {reinterpret_cast<uint64_t>(places), offset};
    return keep(gluonc_launch_simulated(following, 1, 1, 1, values, 2, &options, &error), error);
  };
  EXPECT_EQ(run(0), GLUONC_OK) << text;
  EXPECT_EQ(numbers[7], 1);
  EXPECT_EQ(run(1), GLUONC_FAULT);
  EXPECT_NE(text.find("right at the end of `numbers` (32 bytes)"), std::string::npos) << text;
  // What is an argument ends where it ends, in reachable memory, too.
  range.bytes = sizeof places[0];
  reachable = {"places", places, sizeof places, 0};
  EXPECT_EQ(run(1), GLUONC_FAULT);
  EXPECT_NE(text.find("right at the end of `at` (8 bytes)"), std::string::npos) << text;
  gluonc_executable_destroy(following);
  gluonc_specialization_destroy(made);
  gluonc_kernel_destroy(follow);
}

TEST_F(Api, CodeInPlaceOfAKernelsOwnIsWhatMachineCodeIsMadeOf) {
  gluonc_specialization *changed = specialize(kernel, {typed("*i32"), typed("i32"), integer(5)});
  auto replace = [&](const char *form, llvm::StringRef code) {
    gluonc_error *error = nullptr;
    return keep(gluonc_specialization_replace_code(changed, form, code.data(), code.size(), &error),
                error);
  };
  auto compile = [&](gluonc_specialization *what, gluonc_executable **made) {
    gluonc_error *error = nullptr;
    return keep(gluonc_engine_compile(engine, what, "hip:gfx942", made, &error), error);
  };
  gluonc_executable *own = nullptr, *other = nullptr;
  ASSERT_EQ(compile(specialization, &own), GLUONC_OK) << text;
  std::string code = gluonc_executable_code(own, "amdgcn", nullptr);
  code.insert(code.find("s_endpgm"), "s_nop 7\n\t");
  ASSERT_EQ(replace("assembly", code), GLUONC_OK) << text;
  ASSERT_EQ(compile(changed, &other), GLUONC_OK) << text;
  EXPECT_EQ(gluonc_executable_code(other, "amdgcn", nullptr), code);
  EXPECT_STRNE(gluonc_executable_key(own), gluonc_executable_key(other));
  ASSERT_EQ(replace("llir", "define void @other() { ret void }"), GLUONC_OK) << text;
  EXPECT_EQ(compile(changed, &other), GLUONC_INPUT_ERROR);
  EXPECT_NE(text.find("it has no function `add`"), std::string::npos) << text;
  EXPECT_EQ(replace("ttgir", ""), GLUONC_USAGE_ERROR);
  EXPECT_EQ(simulate(changed, &other), GLUONC_USAGE_ERROR);
  gluonc_executable_destroy(own);
  gluonc_executable_destroy(other);
  gluonc_specialization_destroy(changed);
}

TEST_F(Api, PredictedLaunchesAddUpAndTellWhatLimitsThem) {
  EXPECT_TRUE(gluonc_target_is_predicted("cuda:90a"));
  EXPECT_FALSE(gluonc_target_is_predicted("cuda:120a"));
  EXPECT_FALSE(gluonc_target_is_predicted(nullptr));
  gluonc_executable *made = nullptr;
  ASSERT_EQ(simulate(specialization, &made), GLUONC_OK) << text;
  gluonc_prediction one = {}, two = {};
  gluonc_engine_begin_prediction(engine);
  EXPECT_EQ(launch(made), GLUONC_OK) << text;
  gluonc_engine_end_prediction(engine, &one);
  EXPECT_EQ(one.launches, 1u);
  EXPECT_GT(one.milliseconds, 0.001);
  EXPECT_LT(one.milliseconds, 0.1);
  EXPECT_STREQ(one.chip, "H100 SXM");
  EXPECT_TRUE(one.is_measured);
  EXPECT_TRUE(one.limit && *one.limit);
  EXPECT_TRUE(llvm::StringRef(one.timeline).contains("traceEvents"));
  EXPECT_TRUE(llvm::StringRef(one.timeline_page).contains("<canvas"));
  double milliseconds = one.milliseconds;
  gluonc_engine_begin_prediction(engine);
  for (unsigned i = 0; i != 2; ++i)
    EXPECT_EQ(launch(made), GLUONC_OK) << text;
  gluonc_engine_end_prediction(engine, &two);
  EXPECT_EQ(two.launches, 2u);
  EXPECT_NEAR(two.milliseconds, 2 * milliseconds, 1e-9);
  gluonc_engine_begin_prediction(nullptr);
  gluonc_engine_end_prediction(engine, nullptr);
  gluonc_executable_destroy(made);
}

TEST_F(Api, GridsThatNoGpuLaunchesAreRefused) {
  EXPECT_EQ(launch(executable, 1, 65535), GLUONC_OK) << text;
  EXPECT_EQ(launch(executable, 1, 65536), GLUONC_UNAVAILABLE);
  EXPECT_NE(text.find("1 x 65536 x 1 programs; at most 2147483647 x 65535 x 65535"),
            std::string::npos)
      << text;
  EXPECT_EQ(launch(executable, 1, 1, 65536), GLUONC_UNAVAILABLE);
  EXPECT_EQ(launch(executable, 1u << 31), GLUONC_UNAVAILABLE);
}

//===----------------------------------------------------------------------===//
// Internal errors
//===----------------------------------------------------------------------===//

TEST_F(Api, AnInternalErrorIsAStatusAndTheEngineGoesOn) {
  for (const char *stage : {"sema", "transform"}) {
    gluonc_plant(stage);
    gluonc_executable *made = nullptr;
    EXPECT_EQ(simulate(specialization, &made), GLUONC_INTERNAL_ERROR) << stage;
    EXPECT_EQ(made, nullptr);
    EXPECT_NE(text.find("k.py:4:5: internal error: "), std::string::npos) << text;
    EXPECT_NE(text.find("gluonc compile k.py::add 'x=*i32' 'n=i32' 'C=5'"), std::string::npos)
        << text;
    EXPECT_NE(json.find("\"kind\":\"InternalError\""), std::string::npos) << json;
    EXPECT_TRUE(llvm::StringRef(reproducer).ends_with(source)) << reproducer;
    ASSERT_EQ(simulate(specialization, &made), GLUONC_OK) << text;
    EXPECT_EQ(launch(made), GLUONC_OK) << text;
    gluonc_executable_destroy(made);
  }
  gluonc_plant("codegen");
  gluonc_executable *made = nullptr;
  EXPECT_EQ(gluonc_engine_compile(engine, specialization, "cuda:80", &made, nullptr),
            GLUONC_INTERNAL_ERROR);
  EXPECT_EQ(gluonc_engine_compile(engine, specialization, "cuda:80", &made, nullptr), GLUONC_OK);
  gluonc_executable_destroy(made);
  const char *code = nullptr;
  gluonc_plant("codegen");
  EXPECT_EQ(gluonc_executable_make_code(executable, "llir", &code, nullptr, nullptr),
            GLUONC_INTERNAL_ERROR);
  EXPECT_EQ(gluonc_executable_make_code(executable, "llir", &code, nullptr, nullptr), GLUONC_OK);
}

TEST_F(Api, AnInternalErrorOfTheSimulatorIsAStatus) {
  gluonc_plant("simulate");
  EXPECT_EQ(launch(executable, 1000), GLUONC_INTERNAL_ERROR);
  EXPECT_EQ(launch(executable, 1000), GLUONC_OK) << text;
}

/// Where the host is asked for FROM_HOST.
std::function<void()> inResolver;

int resolve(void *, uint64_t, const char *name, gluonc_binding *binding) {
  if (llvm::StringRef(name) != "FROM_HOST")
    return 0;
  if (inResolver)
    inResolver();
  *binding = {GLUONC_BINDING_EXPRESSION, "gl.constexpr(100)", "", "", 0, 0};
  return 1;
}

class HostedApi : public Api {
protected:
  void SetUp() override {
    Api::SetUp();
    gluonc_kernel *found = nullptr;
    ASSERT_EQ(gluonc_engine_load_scope(engine, "k.py", source.data(), source.size(), 1, resolve,
                                       nullptr, nullptr, &scope, nullptr),
              GLUONC_OK);
    ASSERT_EQ(gluonc_module_kernel_at(scope, "host", 11, &found, nullptr), GLUONC_OK);
    hosted = specialize(found, {typed("*i32"), typed("i32"), integer(5)});
    gluonc_kernel_destroy(found);
  }
  void TearDown() override {
    inResolver = nullptr;
    gluonc_specialization_destroy(hosted);
    gluonc_module_destroy(scope);
    Api::TearDown();
  }
  /// Runs the kernel, and checks that it got the host's value.
  void expectRight() {
    gluonc_executable *made = nullptr;
    ASSERT_EQ(simulate(hosted, &made), GLUONC_OK) << text;
    EXPECT_EQ(launch(made), GLUONC_OK) << text;
    EXPECT_EQ(memory[0], 112);
    gluonc_executable_destroy(made);
  }

  gluonc_module *scope = nullptr;
  gluonc_specialization *hosted = nullptr;
};

TEST_F(HostedApi, WhateverGoesWrongInTheMidstOfAnEvaluationIsForgotten) {
  struct Base {
    bool isDerived = false;
  };
  struct Derived : Base {
    static bool classof(const Base *base) { return base->isDerived; }
  };
  Base base;
  std::function<void()> mistakes[] = {
      [] { GL_ICE("of ours"); },
      [] { llvm::report_fatal_error("of LLVM"); },
      [&] { (void)llvm::cast<Derived>(&base); },
      [] { llvm::report_bad_alloc_error("no memory"); },
      // More than there is, and more than there can be.
      [] {
        static volatile size_t much = ~size_t(0) / 4;
        ::operator delete(::operator new(much));
      },
      [] {
        static volatile size_t much = ~size_t(0);
        std::vector<char>().reserve(much);
      },
  };
  const char *says[] = {"of ours",       "of LLVM",       "assertion failed",
                        "out of memory", "out of memory", "vector::reserve"};
  for (size_t i = 0; i != std::size(mistakes); ++i) {
    inResolver = mistakes[i];
    gluonc_executable *made = nullptr;
    EXPECT_EQ(simulate(hosted, &made), GLUONC_INTERNAL_ERROR) << i;
    EXPECT_NE(text.find(says[i]), std::string::npos) << text;
    EXPECT_NE(text.find("k.py:13:"), std::string::npos) << text;
    // On another thread: the engine's lock is free.
    inResolver = nullptr;
    if (i + 1 == std::size(mistakes))
      std::thread([&] { expectRight(); }).join();
  }
}

//===----------------------------------------------------------------------===//
// Endless kernels
//===----------------------------------------------------------------------===//

TEST_F(Api, AnEndlessLaunchEndsWhenTheHostWantsItTo) {
  gluonc_executable *endless = makeForever();
  static std::atomic<int> questions;
  questions = 0;
  std::thread::id here = std::this_thread::get_id();
  static std::thread::id asked;
  gluonc_engine_set_interrupt(
      engine,
      [](void *) -> int {
        asked = std::this_thread::get_id();
        return ++questions == 3;
      },
      nullptr);
  for (unsigned programs : {1u, 64u}) {
    questions = 0;
    EXPECT_EQ(launch(endless, programs), GLUONC_CANCELLED);
    EXPECT_EQ(questions, 3);
    EXPECT_EQ(asked, here);
  }
  gluonc_engine_set_interrupt(engine, nullptr, nullptr);
  gluonc_executable_destroy(endless);
}

TEST_F(Api, AnotherThreadMayCancelLaunches) {
  gluonc_executable *endless = makeForever();
  std::atomic<bool> isDone = false;
  std::thread canceller([&] {
    while (!isDone) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gluonc_engine_cancel_launches(engine);
    }
  });
  EXPECT_EQ(launch(endless), GLUONC_CANCELLED);
  isDone = true;
  canceller.join();
  // Later ones are not concerned.
  EXPECT_EQ(launch(executable), GLUONC_OK) << text;
  gluonc_executable_destroy(endless);
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

/// What a child makes of `body`; -1 if it did not end in time.
int inChild(const std::function<bool()> &body) {
  pid_t child = fork();
  if (!child) {
    alarm(30);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(HostedApi, AForkWhileAnotherThreadEvaluatesLeavesTheChildAWorkingEngine) {
  std::atomic<bool> isAsked = false, mayAnswer = false;
  inResolver = [&] {
    isAsked = true;
    while (!mayAnswer)
      std::this_thread::yield();
  };
  gluonc_executable *made = nullptr;
  std::thread compiling(
      [&] { gluonc_engine_simulate(engine, hosted, "cuda:90a", &made, nullptr); });
  while (!isAsked)
    std::this_thread::yield();
  // It holds the engine's lock, half evaluated, and waits for the host.
  auto runs = [&] {
    inResolver = nullptr;
    expectRight();
    return !HasFailure();
  };
  EXPECT_EQ(inChild(runs), 0);
  mayAnswer = true;
  compiling.join();
  EXPECT_TRUE(made);
  gluonc_executable_destroy(made);
}

TEST_F(Api, ChildrenOfAProcessThatCompilesCompile) {
  std::atomic<bool> isDone = false;
  std::vector<std::thread> threads;
  for (int64_t seed : {1, 2, 3})
    threads.emplace_back([&, seed] {
      for (int64_t i = 0; !isDone; ++i) {
        gluonc_specialization *special = nullptr;
        gluonc_executable *made = nullptr;
        gluonc_argument arguments[] = {typed("*i32"), typed("i32"), integer(i * 4 + seed)};
        gluonc_kernel_specialize(kernel, arguments, 3, nullptr, &special, nullptr);
        gluonc_engine_compile(engine, special, "cuda:80", &made, nullptr);
        gluonc_executable_destroy(made);
        gluonc_specialization_destroy(special);
      }
    });
  for (int i = 0; i != 20; ++i) {
    auto runs = [&] {
      gluonc_executable *made = nullptr;
      return simulate(specialization, &made) == GLUONC_OK && launch(made) == GLUONC_OK &&
             gluonc_engine_compile(engine, specialization, "cuda:80", &made, nullptr) == GLUONC_OK;
    };
    EXPECT_EQ(inChild(runs), 0) << i;
  }
  isDone = true;
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(Api, OptionsOfOtherVersionsAreRead) {
  gluonc_kernel_options options = {};
  gluonc_argument arguments[] = {typed("*i32"), typed("i32"), integer(5)};
  gluonc_specialization *made = nullptr;
  auto specializeSized = [&](const gluonc_kernel_options *given) {
    gluonc_error *error = nullptr;
    return keep(gluonc_kernel_specialize(kernel, arguments, 3, given, &made, &error), error);
  };
  auto infoOf = [&](const void *given) {
    EXPECT_EQ(specializeSized(static_cast<const gluonc_kernel_options *>(given)), GLUONC_OK)
        << text;
    gluonc_specialization_info info;
    gluonc_specialization_get_info(made, &info);
    gluonc_specialization_destroy(made);
    return info;
  };
  EXPECT_EQ(specializeSized(&options), GLUONC_USAGE_ERROR);
  EXPECT_NE(text.find("size"), std::string::npos) << text;
  options.size = sizeof options;
  EXPECT_EQ(infoOf(&options).num_warps, 4u);
  EXPECT_EQ(infoOf(&options).num_ctas, 1u);
  options.num_warps = 2;
  options.max_registers = 64;
  EXPECT_EQ(infoOf(&options).max_registers, 64u);
  options.language = GLUONC_LANGUAGE_TRITON;
  ASSERT_EQ(specializeSized(&options), GLUONC_OK) << text;
  const char *ir = nullptr;
  ASSERT_EQ(gluonc_specialization_ir(made, "cuda:80", &ir, nullptr), GLUONC_OK);
  EXPECT_NE(std::string(ir).find("chooses_layouts"), std::string::npos) << ir;
  gluonc_specialization_destroy(made);
  options.language = static_cast<gluonc_language>(3);
  EXPECT_EQ(specializeSized(&options), GLUONC_USAGE_ERROR);
  options.language = GLUONC_LANGUAGE_AS_DECORATED;
  // An earlier one, which had no limit of registers.
  options.size = offsetof(gluonc_kernel_options, max_registers);
  EXPECT_EQ(infoOf(&options).num_warps, 2u);
  EXPECT_EQ(infoOf(&options).max_registers, 0u);
  // A later one.
  struct Later {
    gluonc_kernel_options options;
    int more[4];
  } later = {options, {}};
  later.options.size = sizeof later;
  EXPECT_EQ(infoOf(&later).max_registers, 64u);
  later.more[3] = 1;
  EXPECT_EQ(specializeSized(&later.options), GLUONC_USAGE_ERROR);
  EXPECT_NE(text.find("later version"), std::string::npos) << text;
}

TEST_F(Api, IntegersThatParametersCannotHoldAreRefused) {
  gluonc_memory_range range = {"memory", memory, sizeof memory, 0};
  auto launchWith = [&](uint64_t number) {
    uint64_t values[] = {reinterpret_cast<uint64_t>(memory), number};
    gluonc_error *error = nullptr;
    return keep(gluonc_launch_on_ranges(executable, 1, 1, 1, values, 2, &range, 1, &error), error);
  };
  EXPECT_EQ(launchWith(uint64_t(1) << 40), GLUONC_USAGE_ERROR);
  EXPECT_NE(text.find("launch argument 1 is 1099511627776, which i32 cannot hold"),
            std::string::npos)
      << text;
  EXPECT_EQ(launchWith(uint64_t(int64_t(-1) << 40)), GLUONC_USAGE_ERROR);
  // -9 as a C program writes it, and as 32 bits.
  for (uint64_t number : {uint64_t(int64_t(-9)), uint64_t(uint32_t(-9))}) {
    EXPECT_EQ(launchWith(number), GLUONC_OK) << text;
    EXPECT_EQ(memory[0], -4);
  }
}

TEST_F(Api, LaunchesWithOptionsOfTheirOwnRunAtOnce) {
  constexpr unsigned threads = 8, launches = 40;
  std::atomic<unsigned> wrong = 0, told = 0;
  auto work = [&](unsigned thread) {
    int own[16] = {};
    for (unsigned i = 0; i != launches; ++i) {
      uint64_t values[] = {reinterpret_cast<uint64_t>(own), thread};
      uint64_t seed = i;
      gluonc_memory_range range = {"own", own, sizeof own, 0};
      gluonc_launch_options options = {};
      options.size = sizeof options;
      options.ranges = &range;
      options.range_count = 1;
      options.schedule_seed = &seed;
      options.interrupt = [](void *user) {
        ++*static_cast<std::atomic<unsigned> *>(user);
        return 0;
      };
      options.interrupt_user = &told;
      gluonc_status status =
          gluonc_launch_simulated(executable, 1, 1, 1, values, 2, &options, nullptr);
      wrong += status != GLUONC_OK || own[0] != int(thread) + 5;
    }
  };
  std::vector<std::thread> all;
  for (unsigned i = 0; i != threads; ++i)
    all.emplace_back(work, i);
  // The engine's settings change meanwhile.
  for (unsigned i = 0; i != 200; ++i) {
    uint64_t seed = i;
    gluonc_engine_set_schedule_seed(engine, i % 2 ? &seed : nullptr);
    gluonc_engine_set_output(engine, nullptr, nullptr);
    EXPECT_EQ(gluonc_engine_add_memory(engine, "m", memory, sizeof memory, nullptr), GLUONC_OK);
    gluonc_engine_remove_memory(engine, memory);
  }
  for (std::thread &thread : all)
    thread.join();
  EXPECT_EQ(wrong, 0u);
}

TEST_F(Api, ImportsAreLookedForInFoldersOfTheEngine) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("gluonc-imports", folder));
  std::string file = (folder + "/helper_of_test.py").str();
  std::error_code code;
  llvm::raw_fd_ostream(file, code)
      << "from gluonc import language as gl\nFROM_FILE = gl.constexpr(40)\n";
  constexpr llvm::StringRef importing = R"(import gluonc as gluon
from gluonc import language as gl
from helper_of_test import FROM_FILE
@gluon.jit
def k(x):
    gl.store(x, FROM_FILE + 2)
)";
  for (bool isTold : {false, true}) {
    const char *folders[] = {folder.c_str()};
    gluonc_engine_options options = {};
    options.size = sizeof options;
    options.import_folders = folders;
    options.import_folder_count = isTold;
    gluonc_engine *other = nullptr;
    gluonc_module *loaded = nullptr;
    gluonc_kernel *found = nullptr;
    gluonc_executable *made = nullptr;
    ASSERT_EQ(gluonc_engine_create(&options, &other, nullptr), GLUONC_OK);
    ASSERT_EQ(gluonc_engine_load_text(other, "/nowhere/k.py", importing.data(), importing.size(),
                                      &loaded, nullptr),
              GLUONC_OK);
    ASSERT_EQ(gluonc_module_kernel(loaded, "k", &found, nullptr), GLUONC_OK);
    gluonc_specialization *special = specialize(found, {typed("*i32")});
    EXPECT_EQ(simulate(special, &made), isTold ? GLUONC_OK : GLUONC_INPUT_ERROR) << text;
    if (made) {
      EXPECT_EQ(launch(made), GLUONC_OK) << text;
      EXPECT_EQ(memory[0], 42);
    }
    gluonc_executable_destroy(made);
    gluonc_specialization_destroy(special);
    gluonc_kernel_destroy(found);
    gluonc_module_destroy(loaded);
    gluonc_engine_destroy(other);
  }
  llvm::sys::fs::remove_directories(folder);
}

TEST_F(Api, SavedExecutablesNeedNoSource) {
  gluonc_executable *machine = nullptr, *again = nullptr;
  ASSERT_EQ(gluonc_engine_compile(engine, specialization, "cuda:80", &machine, nullptr), GLUONC_OK);
  const char *bytes = nullptr, *code = nullptr;
  size_t size = 0, before = 0, after = 0;
  ASSERT_EQ(gluonc_executable_save(machine, &bytes, &size, nullptr), GLUONC_OK);
  std::string saved(bytes, size);
  gluonc_engine *other = nullptr;
  ASSERT_EQ(gluonc_engine_create(nullptr, &other, nullptr), GLUONC_OK);
  gluonc_error *error = nullptr;
  ASSERT_EQ(
      keep(gluonc_engine_load_executable(other, saved.data(), saved.size(), &again, &error), error),
      GLUONC_OK)
      << text;
  gluonc_engine_destroy(other);
  std::string ptx(gluonc_executable_code(machine, "ptx", &before), before);
  ASSERT_TRUE(gluonc_executable_code(again, "ptx", &after));
  EXPECT_EQ(ptx, std::string(gluonc_executable_code(again, "ptx", nullptr), after));
  EXPECT_STREQ(gluonc_executable_key(machine), gluonc_executable_key(again));
  ASSERT_EQ(gluonc_executable_parameter_count(again), 2u);
  EXPECT_STREQ(gluonc_executable_parameter_type(again, 0), "*i32");
  EXPECT_STREQ(gluonc_executable_parameter_type(again, 1), "i32");
  gluonc_executable_info info;
  gluonc_executable_get_info(again, &info);
  EXPECT_EQ(info.num_warps, 4u);
  error = nullptr;
  EXPECT_EQ(keep(gluonc_executable_make_code(again, "llir", &code, &size, &error), error),
            GLUONC_USAGE_ERROR);
  ASSERT_EQ(gluonc_executable_save(again, &bytes, &size, nullptr), GLUONC_OK);
  EXPECT_EQ(saved, std::string(bytes, size));
  gluonc_executable_destroy(again);
  gluonc_executable_destroy(machine);

  error = nullptr;
  EXPECT_EQ(keep(gluonc_executable_save(executable, &bytes, &size, &error), error),
            GLUONC_USAGE_ERROR);
  // Nothing shorter is an executable, and no change is fatal.
  for (size_t length = 0; length < saved.size(); length += 1 + saved.size() / 97)
    EXPECT_EQ(gluonc_engine_load_executable(engine, saved.data(), length, &again, nullptr),
              GLUONC_USAGE_ERROR);
  for (size_t at = 0; at < saved.size(); at += 1 + saved.size() / 499) {
    std::string changed = saved;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    if (gluonc_engine_load_executable(engine, changed.data(), changed.size(), &again, nullptr) ==
        GLUONC_OK)
      gluonc_executable_destroy(again);
  }
}

} // namespace

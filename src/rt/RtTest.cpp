#include "../../test/driver/fake_cuda/FakeCuda.h"
#include "bundle/Contents.h"
#include "rt/State.h"
#include "runtime/FakeCudaPath.h"

#include "gtest/gtest.h"

#include <chrono>
#include <dlfcn.h>
#include <fstream>

using namespace gluonc;
using bundle::format::Operator;
using bundle::format::ParameterKind;

namespace {

bundle::format::Condition condition(uint16_t parameter, Operator op, int64_t operand) {
  bundle::format::Condition made = {};
  made.parameter = parameter;
  made.op = op;
  made.operand = operand;
  return made;
}

bundle::format::Argument slot(uint16_t parameter) {
  bundle::format::Argument made = {};
  made.parameter = parameter;
  return made;
}

bundle::Variant variant(const char *target, unsigned threads,
                        std::vector<bundle::format::Condition> conditions,
                        std::vector<bundle::format::Argument> arguments) {
  bundle::Variant made;
  made.target = target;
  made.symbol = "kernel";
  made.conditions = std::move(conditions);
  made.arguments = std::move(arguments);
  made.constants = {{"BLOCK", std::to_string(threads)}};
  made.threads = threads;
  made.code = {bundle::format::CodeKind::Cubin, "code of " + std::to_string(threads)};
  return made;
}

/// src, n, BLOCK: aligned; n == 1, which the machine's kernel does not take; any.
bundle::Kernel copyKernel() {
  bundle::Kernel kernel;
  kernel.name = "copy";
  kernel.parameters = {{"src", "*fp32", ParameterKind::Pointer},
                       {"n", "i32", ParameterKind::Signed, 32},
                       {"BLOCK", "constexpr", ParameterKind::Choice}};
  auto isBlock = condition(2, Operator::Equal, 256);
  kernel.variants = {
      variant("cuda:90a", 64, {condition(0, Operator::Multiple, 16), isBlock}, {slot(0), slot(1)}),
      variant("cuda:90a", 128, {condition(1, Operator::Equal, 1), isBlock}, {slot(0)}),
      variant("cuda:90a", 256, {isBlock}, {slot(0), slot(1)}),
      variant("cuda:80", 32, {}, {slot(0), slot(1)})};
  return kernel;
}

/// A tensor of two dims behind a descriptor, and a number.
bundle::Kernel tileKernel() {
  bundle::Kernel kernel;
  kernel.name = "tile";
  kernel.parameters = {{"a", "tensor fp16[2]", ParameterKind::Tensor, 0, 2},
                       {"n", "i32", ParameterKind::Signed, 32}};
  bundle::format::Argument box = slot(0);
  box.kind = bundle::format::ArgumentKind::Box;
  box.rank = 2;
  box.elementBytes = 2;
  box.type = 6;
  box.box[0] = 64;
  box.box[1] = 32;
  box.swizzleBytes = 64;
  bundle::format::Condition wide = condition(0, Operator::Multiple, 64);
  wide.field = bundle::format::Field::Extent;
  wide.dim = 1;
  kernel.variants = {variant("cuda:90a", 128, {wide}, {box, slot(1)})};
  kernel.variants[0].scratchBytes = 128;
  return kernel;
}

class Rt : public testing::Test {
protected:
  void SetUp() override {
    void *library = dlopen(GLUONC_FAKE_CUDA, RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    fake = reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "fakeCuda"))();
    *fake = FakeCuda();
    fake->current = reinterpret_cast<cuda::CUcontext>(size_t(1000));
  }
  void TearDown() override { gluonc_rt_bundle_destroy(bundle); }

  void open(std::vector<bundle::Kernel> kernels, gluonc_rt_bundle_options options = {}) {
    options.size = sizeof options;
    if (!options.cuda_library)
      options.cuda_library = GLUONC_FAKE_CUDA;
    std::string bytes = llvm::cantFail(bundle::write({std::move(kernels)}));
    words.assign((bytes.size() + 7) / 8, 0);
    memcpy(words.data(), bytes.data(), bytes.size());
    status = gluonc_rt_bundle_open_memory(words.data(), bytes.size(), &options, &bundle, &error);
  }
  gluonc_rt_kernel *kernel(const char *name) {
    gluonc_rt_kernel *found = nullptr;
    EXPECT_EQ(gluonc_rt_bundle_kernel(bundle, name, nullptr, &found, nullptr), GLUONC_RT_OK);
    return found;
  }
  /// The error's text; "" after a success.
  std::string launch(const char *name, std::vector<uint64_t> values, unsigned x = 5) {
    fake->parametersToRead = 2;
    status = gluonc_rt_launch(kernel(name), x, 1, 1, nullptr, values.data(), values.size(), &error);
    return takeError();
  }
  std::string takeError() {
    std::string text = gluonc_rt_error_text(error);
    gluonc_rt_error_destroy(error);
    error = nullptr;
    return text;
  }

  FakeCuda *fake = nullptr;
  std::vector<uint64_t> words;
  gluonc_rt_bundle *bundle = nullptr;
  gluonc_rt_error *error = nullptr;
  gluonc_rt_status status = GLUONC_RT_OK;
};

TEST_F(Rt, TheFirstVariantThatFitsIsLaunched) {
  open({copyKernel()});
  EXPECT_EQ(launch("copy", {0x1000, 7, 256}), "");
  EXPECT_EQ(fake->config.blockX, 64u);
  EXPECT_EQ(fake->config.gridX, 5u);
  EXPECT_EQ(fake->parameters[0], 0x1000u);
  EXPECT_EQ(fake->parameters[1], 7u);
  EXPECT_EQ(launch("copy", {0x1008, 7, 256}), "");
  EXPECT_EQ(fake->config.blockX, 256u);
  EXPECT_EQ(fake->launches, 2);
}

TEST_F(Rt, AValueThatTheVariantWasCompiledForIsNotPassed) {
  open({copyKernel()});
  EXPECT_EQ(launch("copy", {0x1008, 1, 256}), "");
  EXPECT_EQ(fake->config.blockX, 128u);
  EXPECT_EQ(fake->parameters[0], 0x1008u);
  // Then the hidden ones.
  EXPECT_EQ(fake->parameters[1], 0u);
}

TEST_F(Rt, WhereNoVariantFitsTheErrorSaysWhyOfEach) {
  open({copyKernel()});
  EXPECT_EQ(launch("copy", {0x1008, 7, 512}),
            "no variant of copy is for this launch on cuda:90a\n"
            "variant 0: it needs src % 16 == 0, and that is 0x1008\n"
            "variant 1: it needs n == 1, and that is 7\n"
            "variant 2: it needs BLOCK == 256, and that is 512\n"
            "variant 3: it is for cuda:80");
  EXPECT_EQ(status, GLUONC_RT_USAGE_ERROR);
  EXPECT_EQ(fake->launches, 0);
}

TEST_F(Rt, NothingIsLoadedBeforeItIsLaunched) {
  open({copyKernel()});
  EXPECT_EQ(fake->modules, 0);
  launch("copy", {0x1000, 7, 256});
  launch("copy", {0x1000, 8, 256});
  EXPECT_EQ(fake->modules, 1);
  EXPECT_EQ(gluonc_rt_kernel_load(kernel("copy"), 0, nullptr), GLUONC_RT_OK);
  EXPECT_EQ(fake->modules, 3);
  gluonc_rt_bundle_destroy(bundle);
  bundle = nullptr;
  EXPECT_EQ(fake->modules, 0);
}

TEST_F(Rt, EachDeviceHasVariantsOfItsOwn) {
  open({copyKernel()});
  EXPECT_EQ(launch("copy", {0x1000, 7, 256}), "");
  fake->current = reinterpret_cast<cuda::CUcontext>(size_t(1001));
  EXPECT_EQ(launch("copy", {0x1000, 7, 256}), "");
  EXPECT_EQ(fake->modules, 2);
  EXPECT_EQ(gluonc_rt_kernel_load(kernel("copy"), 2, &error), GLUONC_RT_UNAVAILABLE);
  EXPECT_EQ(takeError(), "there is no device 2");
}

TEST_F(Rt, DescriptorsAreMadeOfTensors) {
  open({tileKernel()});
  gluonc_rt_tensor tensor = {};
  tensor.base = reinterpret_cast<void *>(size_t(0x10000));
  tensor.rank = 2;
  tensor.shape[0] = 100;
  tensor.shape[1] = 128;
  tensor.strides[0] = 128;
  tensor.strides[1] = 1;
  auto address = reinterpret_cast<uint64_t>(&tensor);
  EXPECT_EQ(launch("tile", {address, 3}), "");
  EXPECT_EQ(fake->map.type, 6);
  EXPECT_EQ(fake->map.rank, 2u);
  EXPECT_EQ(fake->map.address, 0x10000u);
  EXPECT_EQ(fake->map.extents[0], 128u);
  EXPECT_EQ(fake->map.extents[1], 100u);
  EXPECT_EQ(fake->map.strides[0], 256u);
  EXPECT_EQ(fake->map.box[0], 32u);
  EXPECT_EQ(fake->map.box[1], 64u);
  // Of each program.
  EXPECT_EQ(fake->pooledBytes, 5u * 128);

  tensor.shape[1] = 100;
  EXPECT_NE(launch("tile", {address, 3}).find("it needs a.shape[1] % 64 == 0, and that is 100"),
            std::string::npos);
  tensor.shape[1] = 128;
  tensor.base = reinterpret_cast<void *>(size_t(0x10008));
  EXPECT_NE(launch("tile", {address, 3}).find("tile: a: tensor descriptor: "), std::string::npos);
  tensor.rank = 3;
  EXPECT_EQ(launch("tile", {address, 3}), "tile: a has rank 3, not 2");
  EXPECT_EQ(launch("tile", {0, 3}), "tile: a is null");
}

TEST_F(Rt, WhatAParameterCannotHoldIsRefused) {
  open({copyKernel()});
  EXPECT_EQ(launch("copy", {0x1000, uint64_t(1) << 32, 256}),
            "copy: n is 4294967296, which i32 cannot hold");
  EXPECT_EQ(launch("copy", {0x1000, 7}), "copy takes 3 launch arguments, not 2");
  EXPECT_EQ(gluonc_rt_launch(nullptr, 1, 1, 1, nullptr, nullptr, 0, nullptr),
            GLUONC_RT_USAGE_ERROR);
}

TEST_F(Rt, AnEmptyGridRunsNothing) {
  open({copyKernel()});
  EXPECT_EQ(launch("copy", {0x1000, 7, 256}, 0), "");
  EXPECT_EQ(fake->launches, 0);
}

TEST_F(Rt, KernelsTellWhatTheyTakeAndHave) {
  open({copyKernel()});
  gluonc_rt_kernel *copy = kernel("copy");
  EXPECT_STREQ(gluonc_rt_kernel_parameter_type(copy, 0), "*fp32");
  EXPECT_STREQ(gluonc_rt_kernel_parameter_name(copy, 1), "n");
  EXPECT_EQ(gluonc_rt_kernel_parameter_name(copy, 3), nullptr);
  EXPECT_STREQ(gluonc_rt_kernel_variant_value(copy, 1, "BLOCK"), "128");
  EXPECT_EQ(gluonc_rt_kernel_variant_value(copy, 1, "n"), nullptr);
  gluonc_rt_variant info;
  ASSERT_EQ(gluonc_rt_kernel_variant(copy, 3, &info, nullptr), GLUONC_RT_OK);
  EXPECT_STREQ(info.target, "cuda:80");
  EXPECT_EQ(gluonc_rt_kernel_variant(copy, 4, &info, nullptr), GLUONC_RT_USAGE_ERROR);
}

TEST_F(Rt, AKernelOfOtherParametersIsRefused) {
  open({copyKernel()});
  gluonc_rt_kernel *found = nullptr;
  EXPECT_EQ(gluonc_rt_bundle_kernel(bundle, "copy", "*fp32, i32, constexpr", &found, nullptr),
            GLUONC_RT_OK);
  EXPECT_EQ(gluonc_rt_bundle_kernel(bundle, "copy", "*fp16, i32", &found, &error),
            GLUONC_RT_USAGE_ERROR);
  EXPECT_EQ(takeError(), "copy takes (*fp32, i32, constexpr) in this bundle, not (*fp16, i32)");
  EXPECT_EQ(gluonc_rt_bundle_kernel(bundle, "paste", nullptr, &found, &error),
            GLUONC_RT_USAGE_ERROR);
  EXPECT_EQ(takeError(), "the bundle has no kernel paste");
}

TEST_F(Rt, ChoosingNeedsNoDevice) {
  open({copyKernel()});
  uint64_t values[] = {0x1000, 7, 256};
  size_t variant = 9;
  ASSERT_EQ(gluonc_rt_kernel_select(kernel("copy"), "cuda:86", values, 3, &variant, nullptr),
            GLUONC_RT_OK);
  EXPECT_EQ(variant, 3u);
  EXPECT_EQ(gluonc_rt_kernel_select(kernel("copy"), "hip:gfx942", values, 3, &variant, nullptr),
            GLUONC_RT_USAGE_ERROR);
  EXPECT_EQ(fake->contextsRetained, 0);
}

TEST_F(Rt, AnotherDigestIsRefused) {
  gluonc_rt_bundle_options options = {};
  open({copyKernel()});
  std::string digest = gluonc_rt_bundle_digest(bundle);
  gluonc_rt_bundle_destroy(std::exchange(bundle, nullptr));
  options.digest = digest.c_str();
  open({copyKernel()}, options);
  EXPECT_EQ(status, GLUONC_RT_OK);
  gluonc_rt_bundle_destroy(std::exchange(bundle, nullptr));
  open({tileKernel()}, options);
  EXPECT_EQ(status, GLUONC_RT_INPUT_ERROR);
  EXPECT_NE(takeError().find(", not " + digest), std::string::npos);
}

TEST_F(Rt, ASealedBundleHasMachineCodeAlone) {
  gluonc_rt_bundle_options options = {};
  options.sealed = 1;
  open({copyKernel()}, options);
  EXPECT_EQ(status, GLUONC_RT_OK);
  gluonc_rt_bundle_destroy(std::exchange(bundle, nullptr));
  bundle::Kernel text = copyKernel();
  text.variants[1].code.kind = bundle::format::CodeKind::Ptx;
  open({text}, options);
  EXPECT_EQ(status, GLUONC_RT_INPUT_ERROR);
  EXPECT_EQ(takeError(),
            "a sealed bundle has machine code alone, and this one PTX of copy for cuda:90a");
}

TEST_F(Rt, DamagedMachineCodeIsNotLoaded) {
  open({copyKernel()});
  auto *bytes = reinterpret_cast<char *>(words.data());
  bytes[bundle->bundle.pieces()[0].offset] ^= 1;
  EXPECT_NE(launch("copy", {0x1000, 7, 256}).find("is damaged"), std::string::npos);
  EXPECT_EQ(status, GLUONC_RT_UNAVAILABLE);
  EXPECT_EQ(fake->launches, 0);
  EXPECT_EQ(launch("copy", {0x1008, 7, 256}), "");
}

TEST_F(Rt, FilesAreMapped) {
  std::string path = testing::TempDir() + "rt_test.gluonpack";
  std::string bytes = llvm::cantFail(bundle::write({{copyKernel()}}));
  std::ofstream(path, std::ios::binary) << bytes;
  ASSERT_EQ(gluonc_rt_bundle_open(path.c_str(), nullptr, &bundle, &error), GLUONC_RT_OK);
  EXPECT_EQ(gluonc_rt_bundle_kernel_count(bundle), 1u);
  gluonc_rt_bundle *other = nullptr;
  std::ofstream(path + "2", std::ios::binary) << bytes.substr(0, 100);
  EXPECT_EQ(gluonc_rt_bundle_open((path + "2").c_str(), nullptr, &other, &error),
            GLUONC_RT_INPUT_ERROR);
  EXPECT_NE(takeError().find("it has 100 bytes and should have"), std::string::npos);
  std::ofstream(path + "2", std::ios::binary | std::ios::trunc);
  EXPECT_EQ(gluonc_rt_bundle_open((path + "2").c_str(), nullptr, &other, nullptr),
            GLUONC_RT_INPUT_ERROR);
  EXPECT_EQ(gluonc_rt_bundle_open("/none", nullptr, &other, nullptr), GLUONC_RT_INPUT_ERROR);
  EXPECT_EQ(gluonc_rt_bundle_open("/dev/zero", nullptr, &other, nullptr), GLUONC_RT_INPUT_ERROR);
  EXPECT_EQ(gluonc_rt_bundle_open_memory(bytes.data() + 1, 64, nullptr, &other, nullptr),
            GLUONC_RT_USAGE_ERROR);
}

TEST_F(Rt, WithoutADriverLaunchesAreUnavailable) {
  gluonc_rt_bundle_options options = {};
  options.cuda_library = "libno-such-cuda.so.1";
  open({copyKernel()}, options);
  EXPECT_NE(launch("copy", {0x1000, 7, 256}).find("libno-such-cuda.so.1"), std::string::npos);
  EXPECT_EQ(status, GLUONC_RT_UNAVAILABLE);
}

} // namespace

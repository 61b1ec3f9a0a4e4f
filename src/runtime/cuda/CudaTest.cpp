#include "../../../test/driver/fake_cuda/FakeCuda.h"
#include "runtime/FakeCudaPath.h"
#include "runtime/cuda/Launcher.h"
#include "runtime/cuda/TensorMap.h"

#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace gluonc::cuda;

namespace {

std::string textOf(llvm::Error error) { return llvm::toString(std::move(error)); }

class Cuda : public testing::Test {
protected:
  void SetUp() override {
    void *library = dlopen(GLUONC_FAKE_CUDA, RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    fake = reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "fakeCuda"))();
    *fake = FakeCuda();
  }
  std::shared_ptr<const Device> device() {
    return llvm::cantFail(Device::open(llvm::cantFail(Driver::open(GLUONC_FAKE_CUDA)), 0));
  }
  Launcher launcher(const LaunchShape &shape, unsigned parameters) {
    return llvm::cantFail(Launcher::create(llvm::cantFail(Module::load(device(), "cubin")),
                                           "kernel", shape, parameters));
  }
  FakeCuda *fake = nullptr;
};

TEST_F(Cuda, MissingLibraryIsAnErrorThatNamesIt) {
  llvm::Expected<std::shared_ptr<const Driver>> driver = Driver::open("libno-such-cuda.so.1");
  ASSERT_FALSE(driver);
  EXPECT_NE(textOf(driver.takeError()).find("libno-such-cuda.so.1"), std::string::npos);
}

TEST_F(Cuda, LibraryWithoutTheEntryPointsIsAnError) {
  llvm::Expected<std::shared_ptr<const Driver>> driver = Driver::open("libm.so.6");
  ASSERT_FALSE(driver);
  EXPECT_NE(textOf(driver.takeError()).find("has no cu"), std::string::npos);
}

TEST_F(Cuda, FailedInitializationCarriesTheDriversWords) {
  fake->initResult = errorNoDevice;
  llvm::Expected<std::shared_ptr<const Driver>> driver = Driver::open(GLUONC_FAKE_CUDA);
  ASSERT_FALSE(driver);
  EXPECT_EQ(textOf(driver.takeError()), "cuInit: CUDA_ERROR_NO_DEVICE (100): some text");
}

TEST_F(Cuda, DeviceTellsItsNameAndCapability) {
  std::shared_ptr<const Device> opened = device();
  EXPECT_EQ(opened->name(), "Fake H100");
  EXPECT_EQ(opened->computeCapability(), 90u);
  EXPECT_EQ(opened->driver().version(), 130);
}

TEST_F(Cuda, DeviceThatIsNotThereIsAnError) {
  llvm::Expected<std::shared_ptr<const Device>> opened =
      Device::open(llvm::cantFail(Driver::open(GLUONC_FAKE_CUDA)), 7);
  ASSERT_FALSE(opened);
  EXPECT_EQ(textOf(opened.takeError()), "no CUDA device 7: the driver finds 2");
}

TEST_F(Cuda, ContextIsGivenBackWithTheDevice) {
  device();
  EXPECT_EQ(fake->contextsRetained, 0);
}

TEST_F(Cuda, BufferRoundTripsAndFreesItself) {
  {
    Buffer buffer = llvm::cantFail(Buffer::allocate(device(), 8));
    uint64_t value = 0x1122334455667788;
    llvm::cantFail(buffer.upload(&value, 8));
    uint64_t back = 0;
    llvm::cantFail(buffer.download(&back, 8));
    EXPECT_EQ(back, value);
    Buffer moved = std::move(buffer);
    EXPECT_EQ(moved.size(), 8u);
    EXPECT_EQ(fake->allocations, 1);
  }
  EXPECT_EQ(fake->allocations, 0);
}

TEST_F(Cuda, OutOfMemoryNamesTheSize) {
  llvm::Expected<Buffer> buffer = Buffer::allocate(device(), size_t(1) << 41);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(textOf(buffer.takeError()), "cuMemAlloc of 2199023255552 bytes: "
                                        "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
}

TEST_F(Cuda, LoadErrorCarriesTheDriversLog) {
  llvm::Expected<std::shared_ptr<const Module>> module = Module::load(device(), "bad");
  ASSERT_FALSE(module);
  EXPECT_NE(textOf(module.takeError()).find("ptxas fatal: bad image"), std::string::npos);
}

TEST_F(Cuda, LaunchPassesGridArgumentsAndZeroScratch) {
  Launcher prepared = launcher({.threads = 256, .sharedBytes = 1024}, 3);
  fake->parametersToRead = 5;
  fake->parameters[3] = fake->parameters[4] = 99;
  uint64_t slots[] = {0xdeadbeef, 42, 7};
  llvm::cantFail(prepared.run({5, 6, 7}, nullptr, slots));
  EXPECT_EQ(fake->config.gridX, 5u);
  EXPECT_EQ(fake->config.gridY, 6u);
  EXPECT_EQ(fake->config.gridZ, 7u);
  EXPECT_EQ(fake->config.blockX, 256u);
  EXPECT_EQ(fake->config.sharedBytes, 1024u);
  EXPECT_EQ(fake->config.attributeCount, 0u);
  EXPECT_EQ(fake->parameters[0], 0xdeadbeefu);
  EXPECT_EQ(fake->parameters[1], 42u);
  EXPECT_EQ(fake->parameters[2], 7u);
  EXPECT_EQ(fake->parameters[3], 0u);
  EXPECT_EQ(fake->parameters[4], 0u);
}

TEST_F(Cuda, CodeIsUnloadedUnlessAGraphHasIt) {
  auto stream = reinterpret_cast<CUstream>(size_t(7));
  for (auto [launchedOn, isCapturing, left] :
       {std::tuple<CUstream, bool, int>{nullptr, true, 0}, {stream, false, 0}, {stream, true, 1}}) {
    *fake = FakeCuda();
    fake->isCapturing = isCapturing;
    {
      Launcher prepared = launcher({}, 0);
      EXPECT_EQ(fake->modules, 1);
      llvm::cantFail(prepared.run({1}, launchedOn, {}));
      // What was captured once stays.
      fake->isCapturing = false;
      llvm::cantFail(prepared.run({1}, launchedOn, {}));
    }
    EXPECT_EQ(fake->modules, left);
  }
}

TEST_F(Cuda, LargeClustersAreAskedFor) {
  launcher({.ctasPerCluster = 8}, 0);
  EXPECT_FALSE(fake->largeClusters);
  launcher({.ctasPerCluster = 16}, 0);
  EXPECT_TRUE(fake->largeClusters);
}

TEST_F(Cuda, ClusterMultipliesTheGridAndIsAnAttribute) {
  Launcher prepared = launcher({.ctasPerCluster = 4}, 0);
  llvm::cantFail(prepared.run({3, 1, 1}, nullptr, {}));
  EXPECT_EQ(fake->config.gridX, 12u);
  EXPECT_EQ(fake->clusterX, 4u);
}

TEST_F(Cuda, GridsBeyondTheHardwareAreRefusedWithTheNumbers) {
  Launcher prepared = launcher({.ctasPerCluster = 4}, 0);
  // Times 4 it would be 4 again.
  std::string text = textOf(prepared.run({(1u << 30) + 1, 1, 1}, nullptr, {}));
  EXPECT_NE(text.find("1073741825 x 1 x 1 programs; at most 536870911 x 65535 x 65535"),
            std::string::npos)
      << text;
  EXPECT_NE(textOf(prepared.run({1, 65536, 1}, nullptr, {})), "");
  EXPECT_NE(textOf(prepared.run({1, 1, 65536}, nullptr, {})), "");
  EXPECT_EQ(fake->launches, 0);
  llvm::cantFail(prepared.run({536870911, 65535, 65535}, nullptr, {}));
}

TEST_F(Cuda, CooperativeGridsThatDoNotFitSayWhatDoes) {
  Launcher prepared = launcher({.mode = {.cooperative = true}}, 0);
  fake->launchResult = errorCooperativeLaunchTooLarge;
  std::string text = textOf(prepared.run({100, 30, 1}, nullptr, {}));
  EXPECT_NE(text.find("a cooperative one of 3000 CTAs; at most "), std::string::npos) << text;
  Launcher clusters = launcher({.ctasPerCluster = 4, .mode = {.cooperative = true}}, 0);
  text = textOf(clusters.run({100, 1, 1}, nullptr, {}));
  EXPECT_NE(text.find("a cooperative one of 400 CTAs; at most 132 are"), std::string::npos) << text;
}

TEST_F(Cuda, ClustersThatDoNotFitSayWhatTheyNeed) {
  Launcher prepared = launcher({.threads = 256, .ctasPerCluster = 16, .sharedBytes = 200000}, 0);
  fake->launchResult = errorInvalidClusterSize;
  fake->residentClusters = 0;
  std::string text = textOf(prepared.run({1, 1, 1}, nullptr, {}));
  EXPECT_NE(text.find("in clusters of 16 CTAs, each with 256 threads of "), std::string::npos);
  EXPECT_NE(text.find(" and 200000 bytes of shared memory; no such cluster fits"),
            std::string::npos)
      << text;
}

TEST_F(Cuda, MovedLauncherKeepsItsAttributes) {
  Launcher first = launcher({.ctasPerCluster = 2}, 0);
  Launcher second = std::move(first);
  llvm::cantFail(second.run({1, 1, 1}, nullptr, {}));
  EXPECT_EQ(fake->clusterX, 2u);
}

TEST_F(Cuda, LaunchWithoutCurrentContextMakesItCurrentAndRepeats) {
  Launcher prepared = launcher({}, 0);
  fake->current = nullptr;
  EXPECT_EQ(prepared.launch({1, 1, 1}, nullptr, nullptr), success);
  EXPECT_EQ(fake->launches, 1);
  // A thread that had no context keeps this one.
  EXPECT_NE(fake->current, nullptr);
}

TEST_F(Cuda, TheCallersContextIsKept) {
  std::shared_ptr<const Device> opened = device();
  CUcontext other = reinterpret_cast<CUcontext>(size_t(77));
  fake->current = other;
  {
    ContextKeeper kept(opened->driver());
    llvm::cantFail(opened->activate());
    EXPECT_NE(fake->current, other);
  }
  EXPECT_EQ(fake->current, other);
}

TEST_F(Cuda, ManyParametersArePassedToo) {
  Launcher prepared = launcher({}, 70);
  fake->parametersToRead = 72;
  uint64_t slots[70];
  for (unsigned i = 0; i != 70; ++i)
    slots[i] = i * 3;
  llvm::cantFail(prepared.run({1, 1, 1}, nullptr, slots));
  EXPECT_EQ(fake->parameters[69], 207u);
}

TEST_F(Cuda, ParametersByAddressAreReadThere) {
  Launcher prepared = launcher({.byAddress = {1}}, 3);
  fake->parametersToRead = 3;
  TensorMap map = {{77}};
  uint64_t slots[] = {5, reinterpret_cast<uintptr_t>(&map), 6};
  llvm::cantFail(prepared.run({1, 1, 1}, nullptr, slots));
  EXPECT_EQ(fake->parameters[0], 5u);
  EXPECT_EQ(fake->parameters[1], 77u);
  EXPECT_EQ(fake->parameters[2], 6u);
}

TEST_F(Cuda, TensorMapsCountDimsFromTheInnermostAndStridesInBytes) {
  TensorBox box{TensorMapType::Float16, 2, 3, {1, 64, 32}, 64};
  gluonc::TensorDescription tensor;
  tensor.base = 4096;
  tensor.rank = 3;
  tensor.shape = {7, 100, 48};
  tensor.strides = {4800, 48, 1};
  tensor.nanPadding = true;
  TensorMap map;
  llvm::cantFail(encode(device()->driver(), box, tensor, map));
  EXPECT_EQ(map.words[0], 4096u);
  EXPECT_EQ(fake->map.type, 6);
  EXPECT_EQ(fake->map.extents[0], 48u);
  EXPECT_EQ(fake->map.extents[2], 7u);
  EXPECT_EQ(fake->map.strides[0], 96u);
  EXPECT_EQ(fake->map.strides[1], 9600u);
  EXPECT_EQ(fake->map.box[0], 32u);
  EXPECT_EQ(fake->map.box[2], 1u);
  EXPECT_EQ(fake->map.swizzle, 2);
  EXPECT_EQ(fake->map.padding, 1);
}

TEST_F(Cuda, RoundingToTf32IsAnElementType) {
  gluonc::TensorDescription tensor{.base = 16, .rank = 1, .shape = {8}, .strides = {1}};
  tensor.roundToTf32 = true;
  TensorMap map;
  llvm::cantFail(encode(device()->driver(), {TensorMapType::Float32, 4, 1, {8}}, tensor, map));
  EXPECT_EQ(fake->map.type, 11);
}

TEST_F(Cuda, TensorMapThatTheDriverRefusesIsAnError) {
  gluonc::TensorDescription tensor{.base = 8, .rank = 1, .shape = {8}, .strides = {1}};
  TensorMap map;
  llvm::Error error = encode(device()->driver(), {TensorMapType::Float32, 4, 1, {8}}, tensor, map);
  EXPECT_NE(textOf(std::move(error)).find("describing a tensor"), std::string::npos);
}

TEST(TensorMap, WhatTheAcceleratorCannotAddressIsRefusedWithTheNumbers) {
  const TensorBox box{TensorMapType::Float16, 2, 2, {64, 64}, 128};
  const gluonc::TensorDescription good{
      .base = 4096, .rank = 2, .shape = {100, 48}, .strides = {48, 1}};
  EXPECT_EQ(textOf(check(box, good)), "");
  auto refusal = [&](auto change) {
    gluonc::TensorDescription tensor = good;
    TensorBox changed = box;
    change(tensor, changed);
    return textOf(check(changed, tensor));
  };
  EXPECT_EQ(refusal([](auto &tensor, auto &) { tensor.base = 4104; }),
            "tensor descriptor: the tensor begins at 0x1008, which is not a multiple of 16 bytes");
  EXPECT_EQ(
      refusal([](auto &tensor, auto &) { tensor.strides[0] = 49; }),
      "tensor descriptor: stride 49 of dim 0 is 98 bytes, which is not a multiple of 16 below "
      "2^40");
  EXPECT_EQ(refusal([](auto &tensor, auto &) { tensor.strides[1] = 2; }),
            "tensor descriptor: the last stride is 2 elements; it has to be 1");
  EXPECT_EQ(refusal([](auto &tensor, auto &) { tensor.shape[0] = 0; }),
            "tensor descriptor: extent 0 of dim 0 is not in 1 to 2^32");
  EXPECT_EQ(refusal([](auto &tensor, auto &) { tensor.elementStrides[1] = 9; }),
            "tensor descriptor: element stride 9 of dim 1 is not in 1 to 8");
  EXPECT_EQ(refusal([](auto &, auto &changed) { changed.box[0] = 512; }),
            "tensor descriptor: a transfer of 512 elements along dim 0; 1 to 256 are possible");
  EXPECT_EQ(refusal([](auto &, auto &changed) { changed.swizzleBytes = 64; }),
            "tensor descriptor: rows of 128 bytes in a pattern that swizzles 64");
  EXPECT_EQ(refusal([](auto &tensor, auto &changed) {
              changed.type = TensorMapType::Padded4Bits;
              tensor.base = 4112;
            }),
            "tensor descriptor: the tensor begins at 0x1010, which is not a multiple of 32 bytes");
}

TEST_F(Cuda, ScratchForAllCtasIsTakenAndGivenBack) {
  LaunchShape shape;
  shape.scratchBytes = 256;
  shape.ctasPerCluster = 2;
  {
    Launcher launch = launcher(shape, 1);
    fake->parametersToRead = 3;
    uint64_t slots[] = {7};
    EXPECT_FALSE(launch.run({3, 4, 5}, nullptr, slots));
    EXPECT_EQ(fake->pooledBytes, 256u * 2 * 3 * 4 * 5);
    EXPECT_EQ(fake->parameters[0], 7u);
    EXPECT_NE(fake->parameters[1], 0u);
    EXPECT_EQ(fake->parameters[2], 0u);
    EXPECT_EQ(fake->allocations, 0);
    EXPECT_EQ(fake->pools, 1);
    // Also after a launch that failed.
    fake->launchResult = errorIllegalAddress;
    EXPECT_NE(textOf(launch.run({1, 1, 1}, nullptr, slots)), "");
    EXPECT_EQ(fake->allocations, 0);
  }
  EXPECT_EQ(fake->pools, 0);
}

TEST_F(Cuda, ScratchThatIsNotToBeHadIsAnError) {
  LaunchShape shape;
  shape.scratchBytes = 1u << 31;
  Launcher launch = launcher(shape, 0);
  llvm::Error error = launch.run({1u << 20, 1, 1}, nullptr, {});
  EXPECT_NE(textOf(std::move(error)).find("(2)"), std::string::npos);
  EXPECT_EQ(fake->launches, 0);
}

TEST_F(Cuda, WrongArgumentCountIsAnError) {
  Launcher prepared = launcher({}, 2);
  uint64_t slot = 1;
  EXPECT_EQ(textOf(prepared.run({1, 1, 1}, nullptr, slot)),
            "the kernel takes 2 launch arguments, not 1");
}

TEST_F(Cuda, EmptyGridLaunchesNothing) {
  Launcher prepared = launcher({}, 0);
  llvm::cantFail(prepared.run({0, 1, 1}, nullptr, {}));
  EXPECT_EQ(fake->launches, 0);
}

TEST_F(Cuda, LargeSharedMemoryIsOptedIn) {
  launcher({.sharedBytes = 48 * 1024}, 0);
  EXPECT_EQ(fake->sharedLimit, 0);
  launcher({.sharedBytes = 100 * 1024}, 0);
  EXPECT_EQ(fake->sharedLimit, 100 * 1024);
}

TEST_F(Cuda, MoreSharedMemoryThanTheDeviceHasIsAnError) {
  llvm::Expected<Launcher> made = Launcher::create(llvm::cantFail(Module::load(device(), "cubin")),
                                                   "kernel", {.sharedBytes = 1 << 20}, 0);
  ASSERT_FALSE(made);
  EXPECT_EQ(textOf(made.takeError()),
            "kernel needs 1048576 bytes of shared memory; Fake H100 has 232448");
}

TEST_F(Cuda, MoreThreadsThanTheKernelAllowsIsAnError) {
  llvm::Expected<Launcher> made = Launcher::create(llvm::cantFail(Module::load(device(), "cubin")),
                                                   "kernel", {.threads = 1024}, 0);
  ASSERT_FALSE(made);
  EXPECT_NE(textOf(made.takeError()).find("it may have 512"), std::string::npos);
}

} // namespace

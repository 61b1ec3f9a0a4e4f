#include "../../../test/driver/fake_hip/FakeHip.h"
#include "runtime/FakeHipPath.h"
#include "runtime/hip/Launcher.h"

#include "gtest/gtest.h"

#include <cstring>
#include <dlfcn.h>

using namespace gluonc::hip;

namespace {

std::string textOf(llvm::Error error) { return llvm::toString(std::move(error)); }
using Calls = std::vector<std::string>;

class Hip : public testing::Test {
protected:
  void SetUp() override {
    void *library = dlopen(GLUONC_FAKE_HIP, RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    fake = reinterpret_cast<FakeHip *(*)()>(dlsym(library, "fakeHip"))();
    *fake = FakeHip();
  }
  static llvm::Expected<std::shared_ptr<const Driver>> driver() {
    return Driver::open({GLUONC_FAKE_HIP});
  }
  std::shared_ptr<const Device> device(int ordinal = 0) {
    return llvm::cantFail(Device::open(llvm::cantFail(driver()), ordinal));
  }
  Launcher launcher(const LaunchShape &shape, unsigned parameters, int ordinal = 0) {
    return llvm::cantFail(Launcher::create(llvm::cantFail(Module::load(device(ordinal), "image")),
                                           "kernel", shape, parameters));
  }
  /// The words of a launcher that cannot be made.
  std::string refusal(const LaunchShape &shape) {
    llvm::Expected<Launcher> made =
        Launcher::create(llvm::cantFail(Module::load(device(), "image")), "kernel", shape, 0);
    return made ? "" : textOf(made.takeError());
  }
  uint64_t argument(unsigned index) {
    uint64_t value = 0;
    memcpy(&value, fake->launches.back().arguments.data() + index * 8, 8);
    return value;
  }
  FakeHip *fake = nullptr;
};

TEST_F(Hip, MissingLibraryIsAnErrorThatNamesTheFirst) {
  auto opened = Driver::open({"libno-such-hip.so.7", "libno-such-hip.so.6"});
  ASSERT_FALSE(opened);
  EXPECT_NE(textOf(opened.takeError()).find("no HIP driver: libno-such-hip.so.7"),
            std::string::npos);
}

TEST_F(Hip, ALibraryThatTheProcessHasComesBeforeOthers) {
  // The first one has no HIP: opening it would be an error.
  ASSERT_FALSE(dlopen("libutil.so.1", RTLD_NOW | RTLD_NOLOAD));
  EXPECT_TRUE(bool(Driver::open({"libutil.so.1", GLUONC_FAKE_HIP})));
}

TEST_F(Hip, LibraryWithoutTheEntryPointsIsAnError) {
  auto opened = Driver::open({"libm.so.6"});
  ASSERT_FALSE(opened);
  EXPECT_NE(textOf(opened.takeError()).find("has no hip"), std::string::npos);
}

TEST_F(Hip, FailedInitializationCarriesTheDriversWords) {
  fake->failing = "hipInit";
  fake->failure = errorNoDevice;
  EXPECT_EQ(textOf(driver().takeError()), "hipInit: hipErrorNoDevice (100): some text");
}

TEST_F(Hip, DriverTellsItsVersion) { EXPECT_EQ(llvm::cantFail(driver())->version(), 71); }

TEST_F(Hip, DeviceTellsItsNameAndChipWithoutItsModes) {
  EXPECT_EQ(device()->name(), "Fake Instinct");
  EXPECT_EQ(device()->chip(), "gfx942");
  EXPECT_EQ(device()->totalBytes(), uint64_t(192) << 30);
  fake->chip = "gfx1100";
  EXPECT_EQ(device()->chip(), "gfx1100");
}

TEST_F(Hip, ChipNameWithoutAnEndIsCutOff) {
  fake->chip = std::string(300, 'x');
  EXPECT_EQ(device()->chip().size(), 255u);
}

TEST_F(Hip, DeviceThatIsNotThereIsAnError) {
  auto opened = Device::open(llvm::cantFail(driver()), 7);
  ASSERT_FALSE(opened);
  EXPECT_EQ(textOf(opened.takeError()), "no HIP device 7: the driver finds 2");
}

TEST_F(Hip, BufferRoundTripsAndFreesItself) {
  {
    Buffer buffer = llvm::cantFail(Buffer::allocate(device(), 8));
    uint64_t value = 0x1122334455667788;
    llvm::cantFail(buffer.upload(&value, 8));
    uint64_t back = 0;
    llvm::cantFail(buffer.download(&back, 8));
    EXPECT_EQ(back, value);
    Buffer moved = std::move(buffer);
    EXPECT_EQ(moved.size(), 8u);
    EXPECT_EQ(fake->memory.size(), 1u);
  }
  EXPECT_EQ(fake->memory.size(), 0u);
}

TEST_F(Hip, BuffersLieOnTheirDeviceAndTheThreadKeepsItsOwn) {
  Buffer buffer = llvm::cantFail(Buffer::allocate(device(1), 8));
  EXPECT_EQ(fake->memory.begin()->second.device, 1);
  EXPECT_EQ(fake->current, 0);
}

TEST_F(Hip, OutOfMemoryNamesTheSize) {
  auto buffer = Buffer::allocate(device(), size_t(1) << 41);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(textOf(buffer.takeError()),
            "hipMalloc of 2199023255552 bytes: hipErrorOutOfMemory (2): out of memory");
}

TEST_F(Hip, ImageThatIsRefusedIsAnError) {
  auto module = Module::load(device(), "bad");
  ASSERT_FALSE(module);
  EXPECT_EQ(textOf(module.takeError()), "loading the kernel: hipErrorUnknown (200): some text");
}

TEST_F(Hip, CodeIsLoadedOnItsDevice) {
  std::shared_ptr<const Module> module = llvm::cantFail(Module::load(device(1), "image"));
  EXPECT_EQ(fake->moduleDevice, 1);
  EXPECT_EQ(fake->current, 0);
}

TEST_F(Hip, LaunchPassesGridArgumentsAndZeroScratch) {
  Launcher prepared = launcher({.threads = 256, .sharedBytes = 1024}, 3);
  fake->parametersToRead = 5;
  uint64_t slots[] = {0xdeadbeef, 42, 7};
  auto stream = reinterpret_cast<Stream>(size_t(7));
  llvm::cantFail(prepared.run({5, 6, 7}, stream, slots));
  ASSERT_EQ(fake->launches.size(), 1u);
  const FakeHip::Launch &launch = fake->launches.back();
  EXPECT_EQ(launch.call, "hipModuleLaunchKernel");
  EXPECT_EQ(llvm::ArrayRef(launch.grid), llvm::ArrayRef({5u, 6u, 7u}));
  EXPECT_EQ(llvm::ArrayRef(launch.block), llvm::ArrayRef({256u, 1u, 1u}));
  EXPECT_EQ(launch.sharedBytes, 1024u);
  EXPECT_EQ(launch.stream, stream);
  EXPECT_EQ(argument(0), 0xdeadbeefu);
  EXPECT_EQ(argument(1), 42u);
  EXPECT_EQ(argument(2), 7u);
  EXPECT_EQ(argument(3), 0u);
  EXPECT_EQ(argument(4), 0u);
}

TEST_F(Hip, LaunchOnTheDefaultStreamIsTwoCalls) {
  Launcher prepared = launcher({}, 0);
  fake->calls.clear();
  EXPECT_EQ(prepared.launch({1, 1, 1}, nullptr, nullptr), success);
  EXPECT_EQ(fake->calls, (Calls{"hipGetDevice", "hipModuleLaunchKernel"}));
}

TEST_F(Hip, LaunchGoesToTheModulesDeviceAndTheThreadKeepsItsOwn) {
  Launcher prepared = launcher({}, 0, 1);
  fake->calls.clear();
  llvm::cantFail(prepared.run({1, 1, 1}, nullptr, {}));
  EXPECT_EQ(fake->launches.back().device, 1);
  EXPECT_EQ(fake->calls,
            (Calls{"hipGetDevice", "hipSetDevice", "hipModuleLaunchKernel", "hipSetDevice"}));
  EXPECT_EQ(fake->current, 0);
}

TEST_F(Hip, DeviceThatCannotBeMadeCurrentLaunchesNothing) {
  Launcher prepared = launcher({}, 0, 1);
  fake->failing = "hipSetDevice";
  fake->failure = errorInvalidDevice;
  EXPECT_EQ(prepared.launch({1, 1, 1}, nullptr, nullptr), errorInvalidDevice);
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(Hip, CooperativeLaunchesHaveACallOfTheirOwn) {
  Launcher prepared = launcher({.mode = {.cooperative = true}}, 0);
  llvm::cantFail(prepared.run({3, 1, 1}, nullptr, {}));
  EXPECT_EQ(fake->launches.back().call, "hipModuleLaunchCooperativeKernel");
  fake->failing = "hipModuleLaunchCooperativeKernel";
  fake->failure = errorCooperativeLaunchTooLarge;
  std::string text = textOf(prepared.run({100, 30, 1}, nullptr, {}));
  EXPECT_NE(text.find("a cooperative one of 3000 CTAs; at most 608 are"), std::string::npos)
      << text;
}

TEST_F(Hip, ClusterMultipliesTheGridAndIsAnAttribute) {
  Launcher prepared = launcher({.ctasPerCluster = 4, .mode = {.cooperative = true}}, 0);
  llvm::cantFail(prepared.run({3, 2, 1}, nullptr, {}));
  const FakeHip::Launch &launch = fake->launches.back();
  EXPECT_EQ(launch.call, "hipDrvLaunchKernelEx");
  EXPECT_EQ(launch.grid[0], 12u);
  EXPECT_EQ(launch.cluster, 4u);
  EXPECT_TRUE(launch.isCooperative);
}

TEST_F(Hip, GridsOfTooManyThreadsAreRefusedWithTheNumbers) {
  Launcher prepared = launcher({.threads = 256}, 0);
  std::string text = textOf(prepared.run({1u << 24, 1, 1}, nullptr, {}));
  EXPECT_NE(text.find("16777216 x 1 x 1 programs; at most 16777215 x 65535 x 65535"),
            std::string::npos)
      << text;
  EXPECT_NE(textOf(prepared.run({1, 65536, 1}, nullptr, {})), "");
  EXPECT_NE(textOf(prepared.run({1, 1, 65536}, nullptr, {})), "");
  EXPECT_TRUE(fake->launches.empty());
  llvm::cantFail(prepared.run({(1u << 24) - 1, 65535, 65535}, nullptr, {}));
}

TEST_F(Hip, ManyParametersArePassedToo) {
  Launcher prepared = launcher({}, 70);
  fake->parametersToRead = 72;
  uint64_t slots[70];
  for (unsigned i = 0; i != 70; ++i)
    slots[i] = i * 3;
  llvm::cantFail(prepared.run({1, 1, 1}, nullptr, slots));
  EXPECT_EQ(argument(69), 207u);
}

TEST_F(Hip, ParametersByAddressAreReadThere) {
  Launcher prepared = launcher({.byAddress = {1}}, 3);
  fake->parametersToRead = 3;
  uint64_t large[16] = {77};
  uint64_t slots[] = {5, reinterpret_cast<uintptr_t>(large), 6};
  llvm::cantFail(prepared.run({1, 1, 1}, nullptr, slots));
  EXPECT_EQ(argument(0), 5u);
  EXPECT_EQ(argument(1), 77u);
  EXPECT_EQ(argument(2), 6u);
}

TEST_F(Hip, ScratchForAllCtasIsTakenAndGivenBack) {
  {
    Launcher prepared = launcher({.ctasPerCluster = 2, .scratchBytes = 256}, 1);
    fake->parametersToRead = 3;
    fake->calls.clear();
    uint64_t slots[] = {7};
    llvm::cantFail(prepared.run({3, 4, 5}, nullptr, slots));
    EXPECT_EQ(fake->calls, (Calls{"hipGetDevice", "hipMallocFromPoolAsync", "hipDrvLaunchKernelEx",
                                  "hipFreeAsync"}));
    EXPECT_EQ(argument(0), 7u);
    EXPECT_NE(argument(1), 0u);
    EXPECT_EQ(argument(2), 0u);
    EXPECT_TRUE(fake->memory.empty());
    // Also after a launch that failed.
    fake->failing = "hipDrvLaunchKernelEx";
    EXPECT_NE(textOf(prepared.run({1, 1, 1}, nullptr, slots)), "");
    EXPECT_TRUE(fake->memory.empty());
    EXPECT_EQ(fake->pools, 1);
  }
  EXPECT_EQ(fake->pools, 0);
}

TEST_F(Hip, ScratchThatIsNotToBeHadIsAnError) {
  Launcher prepared = launcher({.scratchBytes = 1u << 31}, 0);
  EXPECT_NE(textOf(prepared.run({1u << 20, 1, 1}, nullptr, {})).find("(2)"), std::string::npos);
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(Hip, CodeIsUnloadedUnlessAGraphHasIt) {
  auto stream = reinterpret_cast<Stream>(size_t(7));
  for (auto [launchedOn, isCapturing, left] :
       {std::tuple<Stream, bool, int>{nullptr, true, 0}, {stream, false, 0}, {stream, true, 1}}) {
    *fake = FakeHip();
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

TEST_F(Hip, WrongArgumentCountIsAnError) {
  Launcher prepared = launcher({}, 2);
  uint64_t slot = 1;
  EXPECT_EQ(textOf(prepared.run({1, 1, 1}, nullptr, slot)),
            "the kernel takes 2 launch arguments, not 1");
}

TEST_F(Hip, EmptyGridLaunchesNothing) {
  Launcher prepared = launcher({}, 0);
  llvm::cantFail(prepared.run({0, 1, 1}, nullptr, {}));
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(Hip, MoreSharedMemoryThanTheDeviceHasIsAnError) {
  EXPECT_EQ(refusal({.sharedBytes = 65536}), "");
  EXPECT_EQ(refusal({.sharedBytes = 65537}),
            "kernel needs 65537 bytes of shared memory; Fake Instinct has 65536");
}

TEST_F(Hip, MoreThreadsThanTheKernelAllowsIsAnError) {
  EXPECT_EQ(refusal({.threads = 1024}), "kernel has 1024 threads; it was compiled for 512");
}

TEST_F(Hip, StopwatchMeasuresBetweenItsEvents) {
  {
    Stopwatch watch = llvm::cantFail(Stopwatch::create(device()));
    fake->calls.clear();
    llvm::cantFail(watch.start(nullptr));
    llvm::cantFail(watch.stop(nullptr));
    EXPECT_EQ(llvm::cantFail(watch.milliseconds()), 0.5f);
    EXPECT_EQ(fake->calls, (Calls{"hipGetDevice", "hipEventRecord", "hipGetDevice",
                                  "hipEventRecord", "hipEventSynchronize", "hipEventElapsedTime"}));
  }
  EXPECT_EQ(fake->events, 0);
}

/// Everything that a run does, in order. The first problem, if there is one.
llvm::Error runOnce(llvm::Expected<std::shared_ptr<const Driver>> driver) {
  if (!driver)
    return driver.takeError();
  auto device = Device::open(*driver, 0);
  if (!device)
    return device.takeError();
  auto module = Module::load(*device, "image");
  if (!module)
    return module.takeError();
  auto launcher = Launcher::create(*module, "kernel", {.scratchBytes = 16}, 1);
  if (!launcher)
    return launcher.takeError();
  auto watch = Stopwatch::create(*device);
  if (!watch)
    return watch.takeError();
  auto buffer = Buffer::allocate(*device, 8);
  if (!buffer)
    return buffer.takeError();
  uint64_t value = 0, slots[] = {buffer->address()};
  if (llvm::Error error = buffer->upload(&value, 8))
    return error;
  if (llvm::Error error = buffer->fill(0))
    return error;
  if (llvm::Error error = watch->start(nullptr))
    return error;
  if (llvm::Error error = launcher->run({1, 1, 1}, nullptr, slots))
    return error;
  if (llvm::Error error = watch->stop(nullptr))
    return error;
  if (llvm::Expected<float> time = watch->milliseconds(); !time)
    return time.takeError();
  if (llvm::Error error = (*device)->synchronize())
    return error;
  return buffer->download(&value, 8);
}

TEST_F(Hip, EachCallThatFailsIsReportedAndNothingIsLeftBehind) {
  fake->parametersToRead = 3;
  ASSERT_EQ(textOf(runOnce(driver())), "");
  const Calls calls = fake->calls;
  for (size_t i = 0; i != calls.size(); ++i) {
    // What gives back may fail unheard.
    llvm::StringRef call = calls[i];
    if (call == "hipFree" || call.ends_with("Destroy") || call == "hipModuleUnload")
      continue;
    *fake = FakeHip();
    fake->parametersToRead = 3;
    fake->failing = call;
    fake->failure = 999;
    fake->successes = static_cast<int>(std::count(calls.begin(), calls.begin() + i, call));
    std::string text = textOf(runOnce(driver()));
    EXPECT_NE(text.find("hipErrorUnknown (999): some text"), std::string::npos)
        << call.str() << ": " << text;
    EXPECT_EQ(fake->modules + fake->events + fake->pools, 0) << call.str();
    // A call that fails to free has not freed.
    EXPECT_EQ(fake->memory.size(), call == "hipFreeAsync") << call.str();
  }
}

} // namespace

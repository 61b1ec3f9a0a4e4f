//===- CudacpuTest.cpp - The driver through its own functions --------------------===//
#include "cudacpu/Api.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace gluonc;
using namespace gluonc::cudacpu;

extern "C" const char *gluonc_cuda_cpu_last_fault();

namespace {

using Handle = void *;

/// add(p, n): p[i] += n, for CTAs of 64 threads. Others end as their names say.
const char *const text = R"(.version 8.0
.target sm_90a
.address_size 64
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 4 .u32 counter[2] = {5, 6};
.visible .entry add(.param .u64 p, .param .u32 n) .reqntid 64, 1, 1 {
.reg .b32 %r<8>; .reg .b64 %rd<8>;
.loc 1 14 9
ld.param.b64 %rd1, [p]; ld.param.b32 %r1, [n];
mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r4, %r3, 64, %r2;
mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;
.loc 1 15 13
ld.global.b32 %r5, [%rd3]; add.s32 %r6, %r5, %r1;
st.global.b32 [%rd3], %r6;
ret; }
.visible .entry count() {
.reg .b32 %r<3>;
atom.global.add.u32 %r1, [counter+4], 1;
ret; }
.visible .entry stop() { trap; ret; }
// Every CTA counts itself at p and waits for n of them.
.visible .entry meet(.param .u64 p, .param .u32 n) .maxntid 128 {
.reg .b32 %r<8>; .reg .b64 %rd<2>; .reg .pred %p<3>;
ld.param.b64 %rd1, [p]; ld.param.b32 %r1, [n];
mov.u32 %r2, %tid.x;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra Behind;
red.release.gpu.global.add.u32 [%rd1], 1;
Wait:
ld.acquire.gpu.global.b32 %r3, [%rd1];
setp.lt.u32 %p2, %r3, %r1;
@%p2 bra Wait;
Behind:
bar.sync 0;
ret; }
// CTA 0 of a cluster writes 7 into the shared memory of the last CTA, which stores it at p.
.extern .shared .align 16 .b8 mem[];
.visible .entry pass(.param .u64 p) {
.reg .b32 %r<8>; .reg .b64 %rd<2>; .reg .pred %p<3>;
ld.param.b64 %rd1, [p];
mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank;
sub.s32 %r3, %r2, 1;
mov.b32 %r4, mem;
mapa.shared::cluster.u32 %r5, %r4, %r3;
setp.ne.u32 %p1, %r1, 0;
@!%p1 st.shared::cluster.b32 [%r5], 7;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
setp.ne.u32 %p2, %r1, %r3;
ld.shared.b32 %r6, [%r4];
@!%p2 st.global.b32 [%rd1], %r6;
ret; }
.file 1 "kernels.py"
)";

#define EXPECT_FINE(call) EXPECT_EQ(call, success) << gluonc_cuda_cpu_last_fault()
#define ASSERT_FINE(call) ASSERT_EQ(call, success) << gluonc_cuda_cpu_last_fault()

class Cudacpu : public testing::Test {
protected:
  void SetUp() override {
    setenv("GLUONC_CUDA_CPU_DEVICES", "2", 1);
    setenv("GLUONC_CUDA_CPU_THREADS", "3", 1);
    ASSERT_FINE(cuInit(0));
    for (int device : {0, 1})
      ASSERT_FINE(cuDevicePrimaryCtxRetain(&contexts[device], device));
    ASSERT_FINE(cuCtxSetCurrent(contexts[0]));
    ASSERT_FINE(cuModuleLoadData(&module, text));
  }
  void TearDown() override {
    cuCtxSetCurrent(nullptr);
    for (int device : {0, 1})
      EXPECT_FINE(cuDevicePrimaryCtxRelease_v2(device));
  }

  Handle function(const char *name) {
    Handle found = nullptr;
    EXPECT_FINE(cuModuleGetFunction(&found, module, name));
    return found;
  }
  CUdeviceptr allocate(size_t words, unsigned value = 0) {
    CUdeviceptr address = 0;
    EXPECT_FINE(cuMemAlloc_v2(&address, words * 4));
    EXPECT_FINE(cuMemsetD32_v2(address, value, words));
    return address;
  }
  static unsigned wordAt(CUdeviceptr address) {
    unsigned word = 0;
    EXPECT_FINE(cuMemcpyDtoH_v2(&word, address, 4));
    return word;
  }
  int add(CUdeviceptr address, unsigned ctas, unsigned number, Handle stream = nullptr) {
    void *arguments[] = {&address, &number};
    return cuLaunchKernel(function("add"), ctas, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr);
  }
  int run(const char *name, void **arguments, unsigned ctas = 1, unsigned threads = 32) {
    return cuLaunchKernel(function(name), ctas, 1, 1, threads, 1, 1, 0, nullptr, arguments,
                          nullptr);
  }
  static std::string fault() { return gluonc_cuda_cpu_last_fault(); }
  static bool says(const char *words) { return fault().find(words) != std::string::npos; }

  Handle contexts[2] = {}, module = nullptr;
};

#define EXPECT_SAYS(words) EXPECT_TRUE(says(words)) << fault()

TEST_F(Cudacpu, PretendsToBeTwoHoppers) {
  int count = 0, major = 0, shared = 0, cooperative = 0;
  EXPECT_FINE(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 2);
  EXPECT_FINE(cuDeviceGetAttribute(&major, 75, 1));
  EXPECT_FINE(cuDeviceGetAttribute(&shared, 97, 1));
  EXPECT_FINE(cuDeviceGetAttribute(&cooperative, 95, 1));
  EXPECT_EQ(major, 9);
  EXPECT_EQ(shared, 227 * 1024);
  EXPECT_EQ(cooperative, 1);
  EXPECT_EQ(cuDeviceGetAttribute(&major, 0, 1), invalidValue);
  EXPECT_EQ(cuDeviceGetAttribute(&major, 75, 2), invalidDevice);
  char name[64];
  EXPECT_FINE(cuDeviceGetName(name, sizeof name, 0));
  EXPECT_STREQ(name, "gluonc sm_90a on the CPU");
  EXPECT_FINE(cuDeviceGetName(name, 7, 0));
  EXPECT_STREQ(name, "gluonc");
}

TEST_F(Cudacpu, HandlesOfSomethingElseAreErrors) {
  int other = 0;
  EXPECT_EQ(cuCtxSetCurrent(&other), invalidContext);
  EXPECT_EQ(cuModuleUnload(&other), invalidHandle);
  EXPECT_EQ(cuStreamSynchronize(&other), invalidHandle);
  EXPECT_EQ(cuEventRecord(&other, nullptr), invalidHandle);
  EXPECT_EQ(cuLaunchKernel(&other, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), invalidHandle);
  EXPECT_FINE(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuCtxSynchronize(), invalidContext);
  EXPECT_FINE(cuCtxSetCurrent(contexts[0]));
}

TEST_F(Cudacpu, KernelsComputeInMemory) {
  CUdeviceptr memory = allocate(256, 30);
  EXPECT_FINE(add(memory, 4, 12));
  std::vector<unsigned> words(256);
  EXPECT_FINE(cuMemcpyDtoH_v2(words.data(), memory, 1024));
  EXPECT_EQ(words, std::vector<unsigned>(256, 42));
  // In one buffer, as packed by the caller.
  struct {
    CUdeviceptr address;
    unsigned number;
  } packed = {memory, 1};
  size_t bytes = 12;
  void *extra[] = {reinterpret_cast<void *>(1), &packed, reinterpret_cast<void *>(2), &bytes,
                   nullptr};
  EXPECT_FINE(cuLaunchKernel(function("add"), 4, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(wordAt(memory + 1020), 43u);
  EXPECT_FINE(cuMemFree_v2(memory));
}

TEST_F(Cudacpu, ModulesHaveVariablesOfTheirOwn) {
  Handle second = nullptr;
  ASSERT_FINE(cuModuleLoadData(&second, text));
  CUdeviceptr one = 0, other = 0;
  size_t bytes = 0;
  EXPECT_FINE(cuModuleGetGlobal_v2(&one, &bytes, module, "counter"));
  EXPECT_FINE(cuModuleGetGlobal_v2(&other, nullptr, second, "counter"));
  EXPECT_EQ(bytes, 8u);
  EXPECT_FINE(run("count", nullptr, 3, 32));
  EXPECT_EQ(wordAt(one + 4), 6u + 96u);
  EXPECT_EQ(wordAt(other + 4), 6u);
  EXPECT_EQ(cuModuleGetGlobal_v2(&one, &bytes, module, "none"), notFound);
}

TEST_F(Cudacpu, AnAccessOutOfBoundsNamesTheAllocationAndTheLine) {
  CUdeviceptr memory = allocate(256);
  int result = add(memory, 5, 1);
  EXPECT_EQ(result, illegalAddress);
  EXPECT_SAYS("kernel add");
  EXPECT_SAYS("0 bytes behind the end of allocation");
  EXPECT_SAYS("(1024 bytes at");
  EXPECT_SAYS("kernels.py:15:13");
  EXPECT_SAYS("CTA (4, 0, 0), thread 0");
  EXPECT_SAYS("ld.global.b32 %r5, [%rd3]");
  const char *error = nullptr;
  EXPECT_FINE(cuGetErrorString(result, &error));
  EXPECT_STREQ(error, fault().c_str());
  // From then on the context is of no use.
  EXPECT_EQ(cuCtxSynchronize(), illegalAddress);
  EXPECT_EQ(cuMemFree_v2(memory), illegalAddress);
  EXPECT_FINE(cuCtxSetCurrent(contexts[1]));
  EXPECT_FINE(cuCtxSynchronize());
  // Until all that it had is gone.
  EXPECT_FINE(cuDevicePrimaryCtxReset_v2(0));
  EXPECT_FINE(cuCtxSetCurrent(contexts[0]));
  EXPECT_FINE(cuCtxSynchronize());
  EXPECT_EQ(cuMemFree_v2(memory), invalidValue);
  EXPECT_EQ(cuModuleUnload(module), invalidHandle);
}

TEST_F(Cudacpu, AnAccessAfterFreeSaysSo) {
  CUdeviceptr memory = allocate(256), later = 0;
  EXPECT_FINE(cuMemFree_v2(memory));
  // Its place is not given again at once.
  EXPECT_FINE(cuMemAlloc_v2(&later, 1024));
  EXPECT_EQ(add(memory, 1, 1), illegalAddress);
  EXPECT_SAYS("which was freed");
}

TEST_F(Cudacpu, MemoryOfTheHostIsReachedOnlyIfItIsPinned) {
  std::vector<unsigned> words(64, 1);
  CUdeviceptr address = reinterpret_cast<CUdeviceptr>(words.data());
  void *pinned = nullptr;
  EXPECT_FINE(cuMemAllocHost_v2(&pinned, 256));
  std::memset(pinned, 0, 256);
  EXPECT_FINE(add(reinterpret_cast<CUdeviceptr>(pinned), 1, 5));
  EXPECT_EQ(static_cast<unsigned *>(pinned)[63], 5u);
  EXPECT_FINE(cuMemFreeHost(pinned));
  EXPECT_FINE(cuMemHostRegister_v2(words.data(), 256, 0));
  EXPECT_FINE(add(address, 1, 5));
  EXPECT_EQ(words[63], 6u);
  EXPECT_FINE(cuMemHostUnregister(words.data()));
  EXPECT_EQ(add(address, 1, 5), illegalAddress);
  EXPECT_SAYS("what is the host's own a device does not reach");
}

TEST_F(Cudacpu, MisalignedAddressesAndTrapsHaveErrorsOfTheirOwn) {
  CUdeviceptr memory = allocate(256);
  EXPECT_EQ(add(memory + 2, 1, 1), misalignedAddress);
  EXPECT_FINE(cuCtxSetCurrent(contexts[1]));
  EXPECT_FINE(cuModuleLoadData(&module, text));
  EXPECT_EQ(run("stop", nullptr), launchFailed);
  EXPECT_SAYS("trap");
}

TEST_F(Cudacpu, CopiesAndFillsStayWithinAllocations) {
  CUdeviceptr memory = allocate(16, 0x01020304), behind = allocate(16);
  std::vector<unsigned> words(32);
  EXPECT_EQ(cuMemcpyDtoH_v2(words.data(), memory, 65), invalidValue);
  EXPECT_SAYS("across the end of allocation");
  EXPECT_EQ(cuMemsetD8_v2(behind, 1, 65), invalidValue);
  EXPECT_EQ(cuMemcpyDtoD_v2(behind + 60, memory, 8), invalidValue);
  EXPECT_EQ(cuMemcpyHtoD_v2(0, words.data(), 4), invalidValue);
  EXPECT_FINE(cuMemcpyDtoD_v2(behind, memory + 4, 60));
  EXPECT_EQ(wordAt(behind + 56), 0x01020304u);
  EXPECT_EQ(wordAt(behind + 60), 0u);
  EXPECT_FINE(cuMemsetD16_v2(behind, 7, 2));
  EXPECT_EQ(wordAt(behind), 0x00070007u);
  // Three rows of two words, every fourth.
  Copy2D copy = {};
  copy.from.type = copy.to.type = 2;
  copy.from.device = memory;
  copy.to.device = behind;
  copy.from.pitch = 8;
  copy.to.pitch = 16;
  copy.bytesOfRow = 8;
  copy.rows = 3;
  EXPECT_FINE(cuMemsetD8_v2(behind, 0, 64));
  EXPECT_FINE(cuMemcpy2D_v2(&copy));
  EXPECT_EQ(wordAt(behind + 36), 0x01020304u);
  EXPECT_EQ(wordAt(behind + 40), 0u);
  EXPECT_EQ(cuMemFree_v2(memory + 4), invalidValue);
  EXPECT_FINE(cuMemFree_v2(memory));
  EXPECT_EQ(cuMemFree_v2(memory), invalidValue);
  EXPECT_SAYS("which was freed");
}

TEST_F(Cudacpu, LargeMemoryCostsNothingUntilItIsWritten) {
  size_t available = 0, total = 0;
  EXPECT_FINE(cuMemGetInfo_v2(&available, &total));
  CUdeviceptr most = 0, more = 0;
  size_t bytes = available / 8 * 7;
  EXPECT_FINE(cuMemAlloc_v2(&most, bytes));
  EXPECT_FINE(cuMemsetD8_v2(most, 0, bytes));
  EXPECT_EQ(wordAt(most + bytes / 2 / 4 * 4), 0u);
  EXPECT_EQ(cuMemAlloc_v2(&more, bytes), outOfMemory);
  EXPECT_FINE(cuMemFree_v2(most));
  EXPECT_EQ(cuMemAlloc_v2(&more, 0), invalidValue);
}

TEST_F(Cudacpu, OneDeviceReachesTheOtherIfItMay) {
  EXPECT_FINE(cuCtxSetCurrent(contexts[1]));
  CUdeviceptr memory = allocate(64, 3);
  EXPECT_FINE(cuCtxSetCurrent(contexts[0]));
  EXPECT_FINE(cuCtxEnablePeerAccess(contexts[1], 0));
  EXPECT_EQ(cuCtxEnablePeerAccess(contexts[1], 0), peerAccessAlreadyEnabled);
  EXPECT_FINE(add(memory, 1, 4));
  EXPECT_EQ(wordAt(memory), 7u);
  EXPECT_FINE(cuCtxDisablePeerAccess(contexts[1]));
  EXPECT_EQ(add(memory, 1, 4), illegalAddress);
  EXPECT_SAYS("peer access is not enabled");
}

TEST_F(Cudacpu, DevicesThatWaitForEachOtherAreLaunchedByTwoThreads) {
  void *place = nullptr;
  EXPECT_FINE(cuMemAllocHost_v2(&place, 64));
  std::memset(place, 0, 64);
  auto launch = [&](int device) {
    EXPECT_FINE(cuCtxSetCurrent(contexts[device]));
    Handle own = nullptr, meet = nullptr;
    EXPECT_FINE(cuModuleLoadData(&own, text));
    EXPECT_FINE(cuModuleGetFunction(&meet, own, "meet"));
    unsigned both = 2;
    void *arguments[] = {&place, &both};
    EXPECT_FINE(cuLaunchKernel(meet, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  };
  std::thread other(launch, 1);
  launch(0);
  other.join();
  EXPECT_EQ(*static_cast<unsigned *>(place), 2u);
}

TEST_F(Cudacpu, CubinsAndForeignPtxAreRefused) {
  Handle made = nullptr;
  char log[256] = {};
  int options[] = {5, 6};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  EXPECT_EQ(cuModuleLoadDataEx(&made,
                               "\x7f"
                               "ELF...",
                               2, options, values),
            noBinaryForGpu);
  EXPECT_TRUE(std::strstr(log, "build the bundle with --ptx")) << log;
  EXPECT_EQ(cuModuleLoadData(&made, ".version 8.8\n.target sm_100a\n.address_size 64\n"),
            noBinaryForGpu);
  EXPECT_SAYS("PTX for sm_100a does not run on sm_90a");
  EXPECT_EQ(cuModuleLoadData(&made, ".version 8.8\n.target sm_80\nnonsense"), invalidPtx);
  EXPECT_SAYS("PTX line 3");
  EXPECT_EQ(cuModuleGetFunction(&made, module, "none"), notFound);
}

TEST_F(Cudacpu, LaunchesThatNoGpuTakesAreRefused) {
  CUdeviceptr memory = allocate(64);
  unsigned number = 1;
  void *arguments[] = {&memory, &number};
  auto launch = [&](const char *name, unsigned ctas, unsigned threads, unsigned bytes = 0) {
    return cuLaunchKernel(function(name), ctas, 1, 1, threads, 1, 1, bytes, nullptr, arguments,
                          nullptr);
  };
  EXPECT_EQ(launch("add", 0, 64), invalidValue);
  EXPECT_EQ(launch("add", 1, 32), invalidValue);
  EXPECT_SAYS("add is for 64 threads a CTA, not 32");
  EXPECT_EQ(launch("meet", 1, 256), launchOutOfResources);
  EXPECT_EQ(launch("pass", 1, 2048), invalidValue);
  EXPECT_EQ(launch("pass", 1, 32, 50000), invalidValue);
  EXPECT_FINE(cuFuncSetAttribute(function("pass"), 8, 100000));
  EXPECT_FINE(launch("pass", 1, 32, 50000));
  EXPECT_EQ(cuFuncSetAttribute(function("pass"), 8, 300000), invalidValue);
  EXPECT_EQ(cuLaunchKernel(function("pass"), 1, 1, 1, 8, 4, 1, 0, nullptr, arguments, nullptr),
            notSupported);
  // None of these was a fault.
  EXPECT_FINE(cuCtxSynchronize());
}

TEST_F(Cudacpu, ClustersShareMemory) {
  CUdeviceptr memory = allocate(1);
  void *arguments[] = {&memory};
  cuda::LaunchAttribute cluster;
  cluster.id = cuda::LaunchAttribute::ClusterDimension;
  cluster.clusterDimension[0] = 4;
  cluster.clusterDimension[1] = cluster.clusterDimension[2] = 1;
  LaunchConfig config;
  config.gridX = 8;
  config.blockX = 32;
  config.sharedBytes = 64;
  config.attributes = &cluster;
  config.attributeCount = 1;
  EXPECT_FINE(cuLaunchKernelEx(&config, function("pass"), arguments, nullptr));
  EXPECT_EQ(wordAt(memory), 7u);
  config.gridX = 6;
  EXPECT_EQ(cuLaunchKernelEx(&config, function("pass"), arguments, nullptr), invalidValue);
  config.gridX = cluster.clusterDimension[0] = 16;
  EXPECT_EQ(cuLaunchKernelEx(&config, function("pass"), arguments, nullptr), invalidClusterSize);
  EXPECT_FINE(cuFuncSetAttribute(function("pass"), 14, 1));
  EXPECT_FINE(cuLaunchKernelEx(&config, function("pass"), arguments, nullptr));
}

TEST_F(Cudacpu, CooperativeLaunchesAreOnTheGpuAsAWhole) {
  CUdeviceptr memory = allocate(1);
  int resident = 0, processors = 0;
  EXPECT_FINE(cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function("meet"), 128, 0));
  EXPECT_FINE(cuDeviceGetAttribute(&processors, 16, 0));
  EXPECT_EQ(resident, 16);
  unsigned all = static_cast<unsigned>(resident * processors);
  void *arguments[] = {&memory, &all};
  auto launch = [&](unsigned ctas) {
    return cuLaunchCooperativeKernel(function("meet"), ctas, 1, 1, 128, 1, 1, 0, nullptr,
                                     arguments);
  };
  EXPECT_FINE(launch(all));
  EXPECT_EQ(wordAt(memory), all);
  EXPECT_EQ(launch(all + 1), cooperativeLaunchTooLarge);
}

TEST_F(Cudacpu, EventsMeasureAndStreamsAreInOrder) {
  Handle stream = nullptr, other = nullptr, begin = nullptr, end = nullptr, timeless = nullptr;
  EXPECT_FINE(cuStreamCreate(&stream, 1));
  EXPECT_FINE(cuStreamCreateWithPriority(&other, 1, -100));
  EXPECT_FINE(cuEventCreate(&begin, 0));
  EXPECT_FINE(cuEventCreate(&end, 0));
  EXPECT_FINE(cuEventCreate(&timeless, 2));
  int priority = 0;
  EXPECT_FINE(cuStreamGetPriority(other, &priority));
  EXPECT_EQ(priority, -5);
  float milliseconds = -1;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, begin, end), invalidHandle);
  CUdeviceptr memory = allocate(64);
  EXPECT_FINE(cuEventRecord(begin, stream));
  EXPECT_FINE(add(memory, 1, 1, stream));
  EXPECT_FINE(cuEventRecord(end, stream));
  EXPECT_FINE(cuStreamWaitEvent(other, end, 0));
  EXPECT_FINE(add(memory, 1, 1, other));
  EXPECT_FINE(cuEventSynchronize(end));
  EXPECT_FINE(cuEventElapsedTime(&milliseconds, begin, end));
  EXPECT_GT(milliseconds, 0);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, begin, timeless), invalidHandle);
  EXPECT_FINE(cuStreamSynchronize(other));
  EXPECT_EQ(wordAt(memory), 2u);
  auto called = [](void *data) { *static_cast<int *>(data) = cuCtxSynchronize() + 7; };
  int seen = 0;
  EXPECT_FINE(cuLaunchHostFunc(stream, called, &seen));
  EXPECT_EQ(seen, 7);
  EXPECT_FINE(cuStreamDestroy_v2(stream));
  EXPECT_EQ(cuStreamQuery(stream), invalidHandle);
}

TEST_F(Cudacpu, GraphsKeepTheValuesOfTheirCapture) {
  Handle stream = nullptr, other = nullptr, fork = nullptr, join = nullptr;
  EXPECT_FINE(cuStreamCreate(&stream, 1));
  EXPECT_FINE(cuStreamCreate(&other, 1));
  EXPECT_FINE(cuEventCreate(&fork, 2));
  EXPECT_FINE(cuEventCreate(&join, 2));
  CUdeviceptr memory = allocate(64, 100), second = allocate(64);
  EXPECT_FINE(cuStreamBeginCapture_v2(stream, 0));
  EXPECT_FINE(add(memory, 1, 1, stream));
  EXPECT_FINE(cuEventRecord(fork, stream));
  EXPECT_FINE(cuStreamWaitEvent(other, fork, 0));
  EXPECT_FINE(add(memory, 1, 10, other));
  EXPECT_FINE(cuMemcpyDtoDAsync_v2(second, memory, 256, other));
  EXPECT_FINE(cuEventRecord(join, other));
  EXPECT_EQ(cuEventQuery(join), capturedEvent);
  EXPECT_FINE(cuStreamWaitEvent(stream, join, 0));
  int status = 0;
  EXPECT_FINE(cuStreamIsCapturing(other, &status));
  EXPECT_EQ(status, 1);
  Handle graph = nullptr, executable = nullptr;
  EXPECT_FINE(cuStreamEndCapture(stream, &graph));
  EXPECT_FINE(cuStreamIsCapturing(other, &status));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(wordAt(memory), 100u);
  EXPECT_FINE(cuGraphInstantiateWithFlags(&executable, graph, 0));
  EXPECT_FINE(cuGraphDestroy(graph));
  for (int i = 0; i != 3; ++i)
    EXPECT_FINE(cuGraphLaunch(executable, stream));
  EXPECT_EQ(wordAt(memory), 133u);
  EXPECT_EQ(wordAt(second + 252), 133u);
  EXPECT_FINE(cuGraphExecDestroy(executable));
  EXPECT_EQ(cuGraphLaunch(executable, stream), invalidValue);
}

TEST_F(Cudacpu, GraphsHaveMemoryOfTheirOwn) {
  Handle stream = nullptr, graph = nullptr, executable = nullptr;
  EXPECT_FINE(cuStreamCreate(&stream, 1));
  CUdeviceptr memory = allocate(64, 5), scratch = 0;
  EXPECT_FINE(cuStreamBeginCapture_v2(stream, 1));
  EXPECT_FINE(cuMemAllocAsync(&scratch, 256, stream));
  EXPECT_FINE(cuMemcpyDtoDAsync_v2(scratch, memory, 256, stream));
  EXPECT_FINE(add(scratch, 1, 2, stream));
  EXPECT_FINE(cuMemcpyDtoDAsync_v2(memory, scratch, 256, stream));
  EXPECT_FINE(cuMemFreeAsync(scratch, stream));
  EXPECT_FINE(cuStreamEndCapture(stream, &graph));
  EXPECT_FINE(cuGraphInstantiateWithFlags(&executable, graph, 0));
  EXPECT_FINE(cuGraphLaunch(executable, stream));
  EXPECT_FINE(cuGraphLaunch(executable, stream));
  EXPECT_EQ(wordAt(memory), 9u);
  EXPECT_EQ(add(scratch, 1, 1), illegalAddress);
  EXPECT_SAYS("of a graph, which is not there at this time");
}

TEST_F(Cudacpu, CapturesThatWouldWaitAreInvalid) {
  Handle stream = nullptr, blocking = nullptr, other = nullptr, event = nullptr, graph = nullptr;
  EXPECT_FINE(cuStreamCreate(&stream, 1));
  EXPECT_FINE(cuStreamCreate(&blocking, 0));
  EXPECT_FINE(cuStreamCreate(&other, 1));
  EXPECT_FINE(cuEventCreate(&event, 2));
  CUdeviceptr memory = allocate(64);
  EXPECT_EQ(cuStreamBeginCapture_v2(nullptr, 0), streamCaptureUnsupported);

  EXPECT_FINE(cuStreamBeginCapture_v2(stream, 0));
  EXPECT_EQ(cuStreamSynchronize(stream), streamCaptureUnsupported);
  EXPECT_EQ(add(memory, 1, 1, stream), streamCaptureInvalidated);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), streamCaptureInvalidated);

  EXPECT_FINE(cuStreamBeginCapture_v2(stream, 0));
  EXPECT_EQ(cuMemAlloc_v2(&memory, 4), streamCaptureUnsupported);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), streamCaptureInvalidated);
  EXPECT_FINE(cuStreamBeginCapture_v2(stream, 2));
  EXPECT_FINE(cuMemAlloc_v2(&memory, 256));
  EXPECT_FINE(cuStreamEndCapture(stream, &graph));

  EXPECT_FINE(cuStreamBeginCapture_v2(blocking, 0));
  EXPECT_EQ(add(memory, 1, 1), streamCaptureImplicit);
  EXPECT_EQ(cuStreamEndCapture(blocking, &graph), streamCaptureInvalidated);

  EXPECT_FINE(cuStreamBeginCapture_v2(stream, 0));
  EXPECT_FINE(cuEventRecord(event, stream));
  EXPECT_FINE(cuStreamWaitEvent(other, event, 0));
  EXPECT_EQ(cuStreamEndCapture(other, &graph), streamCaptureUnmatched);
  EXPECT_FINE(add(memory, 1, 1, other));
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), streamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_FINE(cuStreamSynchronize(other));
}

TEST_F(Cudacpu, TensorMapsFollowTheRulesOfTheDocumentation) {
  alignas(64) char map[128];
  CUdeviceptr memory = allocate(4096);
  auto encode = [&](uint64_t address, uint64_t stride, uint32_t width, int swizzle,
                    int interleave = 0) {
    uint64_t extents[] = {64, 32}, strides[] = {stride};
    uint32_t box[] = {width, 16}, steps[] = {1, 1};
    return cuTensorMapEncodeTiled(map, 6, 2, address, extents, strides, box, steps, interleave,
                                  swizzle, 2, 0);
  };
  EXPECT_FINE(encode(memory, 128, 64, 3));
  EXPECT_EQ(encode(memory + 8, 128, 64, 3), invalidValue);
  EXPECT_EQ(encode(memory, 120, 64, 3), invalidValue);
  EXPECT_SAYS("a stride of 120 bytes");
  EXPECT_EQ(encode(memory, 128, 64, 2), invalidValue);
  EXPECT_SAYS("swizzles 64");
  EXPECT_EQ(encode(memory, 128, 12, 0), invalidValue);
  EXPECT_EQ(encode(memory, 128, 512, 0), invalidValue);
  EXPECT_EQ(encode(memory, 128, 64, 3, 1), notSupported);
  EXPECT_EQ(encode(memory, 128, 64, 4), notSupported);
}

TEST_F(Cudacpu, FunctionsAreFoundByNameAndVersion) {
  void *address = nullptr;
  int status = -1;
  EXPECT_FINE(cuGetProcAddress_v2("cuMemAlloc", &address, 12000, 0, &status));
  EXPECT_EQ(address, reinterpret_cast<void *>(&cuMemAlloc_v2));
  EXPECT_EQ(status, 0);
  EXPECT_FINE(cuGetProcAddress_v2("cuCtxCreate", &address, 12000, 0, &status));
  EXPECT_EQ(address, reinterpret_cast<void *>(&cuCtxCreate_v2));
  EXPECT_FINE(cuGetProcAddress_v2("cuCtxCreate", &address, 13000, 0, &status));
  EXPECT_EQ(address, reinterpret_cast<void *>(&cuCtxCreate_v4));
  EXPECT_FINE(cuGetProcAddress_v2("cuTensorMapEncodeTiled", &address, 11000, 0, &status));
  EXPECT_EQ(status, 2);
  EXPECT_EQ(cuGetProcAddress("cuNoSuchThing", &address, 13000, 0), notFound);
  EXPECT_FINE(cuGetProcAddress("cuMulticastCreate", &address, 13000, 0));
  EXPECT_EQ(reinterpret_cast<int (*)()>(address)(), notSupported);
  EXPECT_SAYS("cuMulticastCreate is not executed here");
  const char *name = nullptr;
  EXPECT_FINE(cuGetErrorName(700, &name));
  EXPECT_STREQ(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorName(12345, &name), invalidValue);
}

TEST_F(Cudacpu, PoolsSayWhatTheyGave) {
  MemoryPoolProperties properties;
  properties.device = 0;
  Handle pool = nullptr;
  EXPECT_FINE(cuMemPoolCreate(&pool, &properties));
  CUdeviceptr memory = 0;
  EXPECT_FINE(cuMemAllocFromPoolAsync(&memory, 256, pool, nullptr));
  EXPECT_FINE(cuMemsetD8Async(memory, 1, 256, nullptr));
  uint64_t used = 0;
  constexpr int usedNow = 7;
  EXPECT_FINE(cuMemPoolGetAttribute(pool, usedNow, &used));
  EXPECT_EQ(used, 256u);
  EXPECT_FINE(cuMemFreeAsync(memory, nullptr));
  EXPECT_EQ(cuMemFreeAsync(memory, nullptr), invalidValue);
  // The other device reaches it by the pool's word, not by peer access.
  EXPECT_FINE(cuMemAllocFromPoolAsync(&memory, 256, pool, nullptr));
  PoolAccess access = {1, 1, 3};
  EXPECT_FINE(cuMemPoolSetAccess(pool, &access, 1));
  EXPECT_FINE(cuMemsetD8Async(memory, 0, 256, nullptr));
  EXPECT_FINE(cuCtxSetCurrent(contexts[1]));
  EXPECT_FINE(cuModuleLoadData(&module, text));
  EXPECT_FINE(add(memory, 1, 8));
  EXPECT_EQ(wordAt(memory), 8u);
  EXPECT_FINE(cuMemFreeAsync(memory, nullptr));
  EXPECT_FINE(cuMemPoolDestroy(pool));
}

} // namespace

// Launches kernels of a bundle through the header that was made with it. The CUDA driver executes
// PTX on the CPU, that of HIP AMD's machine code, so that results are real.
#include "driver.h"

#include <kernels.h>

#include <string>

using gluonc::rt::Pointer;
using my::kernels::Bundle;

/// 48 floats of y become y + 2 x, whatever their alignment; others stay.
static int compute(const Bundle &bundle, uint64_t x, uint64_t y) {
  auto axpy = [&](uint64_t from, int n, int block) {
    return bool(bundle.axpy({1}, nullptr, Pointer<float>(from), Pointer<float>(y), 2.0f, n, block));
  };
  EXPECT(axpy(x, 48, 256) && floatAt(y, 47) == 7 && floatAt(y, 48) == 1);
  EXPECT(axpy(x, 48, 128) && floatAt(y, 47) == 13);
  EXPECT(axpy(x + 4, 47, 128) && floatAt(y, 46) == 19 && floatAt(y, 47) == 13);

  uint64_t tile = allocate(16 * 32, 0);
  gluonc::rt::Tensor described(reinterpret_cast<void *>(tile), {16, 32}, {32, 1});
  EXPECT(bundle.fill({1}, nullptr, described));
  for (size_t i = 0; i != 16 * 32; ++i)
    EXPECT(floatAt(tile, i) == 1);

  auto refused = bundle.axpy({1}, nullptr, Pointer<float>(x), Pointer<float>(y), 2.0f, 48, 512);
  EXPECT(!refused && refused.error().status == gluonc::rt::Status::UsageError);
  EXPECT(refused.error().text.find("BLOCK == 256, and that is 512") != std::string::npos);
  return 0;
}

/// A graph of two streams, launched twice: y += 2 x, then x += 1 y.
static int capture(const Bundle &bundle, uint64_t x, uint64_t y) {
  void *first = nullptr, *second = nullptr, *begun = nullptr, *done = nullptr;
  constexpr unsigned nonBlocking = 1, withoutTime = 2;
  EXPECT(!cuda("cuStreamCreate", &first, nonBlocking));
  EXPECT(!cuda("cuStreamCreate", &second, nonBlocking));
  EXPECT(!cuda("cuEventCreate", &begun, withoutTime) && !cuda("cuEventCreate", &done, withoutTime));
  Pointer<float> px(x), py(y);
  EXPECT(!cuda("cuStreamBeginCapture_v2", first, 0));
  EXPECT(bundle.axpy({1}, first, px, py, 2.0f, 48, 128));
  EXPECT(!cuda("cuEventRecord", begun, first) && !cuda("cuStreamWaitEvent", second, begun, 0u));
  EXPECT(bundle.axpy({1}, second, py, px, 1.0f, 48, 128));
  EXPECT(!cuda("cuEventRecord", done, second) && !cuda("cuStreamWaitEvent", first, done, 0u));
  void *graph = nullptr, *executable = nullptr;
  EXPECT(!cuda("cuStreamEndCapture", first, &graph));
  EXPECT(!cuda("cuGraphInstantiateWithFlags", &executable, graph, uint64_t(0)));
  EXPECT(!cuda("cuGraphLaunch", executable, first) && !cuda("cuGraphLaunch", executable, first));
  EXPECT(!cuda("cuStreamSynchronize", first));
  // (1, 1): y 3, x 4; y 11, x 15.
  EXPECT(floatAt(y, 5) == 11 && floatAt(x, 5) == 15);
  return 0;
}

static int onCuda(const Bundle &bundle) {
  for (int device : {0, 1}) {
    EXPECT(!use(device));
    EXPECT(!compute(bundle, allocate(64, 3), allocate(64, 1)));
  }
  EXPECT(!capture(bundle, allocate(48, 1), allocate(48, 1)));
  // The last of 1000 elements lie behind the memory of x; then the device is of no more use.
  uint64_t x = allocate(512, 0), y = allocate(1000, 0);
  auto failed = bundle.axpy({8}, nullptr, Pointer<float>(x), Pointer<float>(y), 2.0f, 1000, 128);
  EXPECT(!failed && failed.error().status == gluonc::rt::Status::Unavailable);
  for (const char *words : {"CUDA_ERROR_ILLEGAL_ADDRESS", "kernel axpy", "behind the end of",
                            "2048 bytes", "kernels.py:11:", "device 1, CTA ("})
    if (failed.error().text.find(words) == std::string::npos)
      return std::fprintf(stderr, "no \"%s\" in: %s\n", words, failed.error().text.c_str()), 1;
  EXPECT(!bundle.axpy({1}, nullptr, Pointer<float>(x), Pointer<float>(y), 2.0f, 48, 128));
  EXPECT(!use(0));
  EXPECT(!compute(bundle, allocate(64, 3), allocate(64, 1)));
  return 0;
}

static int onHip(const Bundle &bundle) {
  auto *allocate = reinterpret_cast<int (*)(void **, size_t)>(
      dlsym(dlopen("libamdhip64.so.7", RTLD_NOW), "hipMalloc"));
  void *memory = nullptr;
  EXPECT(allocate && allocate(&memory, 2000 * sizeof(float)) == 0);
  // It is the host's.
  float *x = static_cast<float *>(memory), *y = x + 1000;
  for (int i = 0; i != 1000; ++i)
    x[i] = float(i), y[i] = 1;
  EXPECT(bundle.axpy({4}, nullptr, x, y, 2.0f, 999, 256));
  for (int i = 0; i != 1000; ++i)
    EXPECT(y[i] == (i < 999 ? 1 + 2 * x[i] : 1));
  return 0;
}

/// launch cuda|hip [the CUDA driver's library]
int main(int argc, char **argv) {
  EXPECT(!Bundle::open("/none"));
  gluonc::rt::BundleOptions options = {Bundle::digest};
  if (argc > 2)
    options.cudaLibrary = argv[2];
  auto bundle = Bundle::open(KERNELS_BUNDLE, options);
  if (!bundle)
    return std::fprintf(stderr, "%s\n", bundle.error().text.c_str()), 1;
  return argv[1] == std::string("cuda") ? onCuda(*bundle) : onHip(*bundle);
}

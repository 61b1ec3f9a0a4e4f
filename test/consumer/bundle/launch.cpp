// Launches kernels of a bundle through the header that was made with it. The CUDA driver is one
// that records launches; that of HIP executes AMD's machine code on the CPU.
#include <kernels.h>

#include "test/driver/fake_cuda/FakeCuda.h"

#include <cstdio>
#include <dlfcn.h>
#include <string>

#define EXPECT(condition)                                                                          \
  if (!(condition))                                                                                \
  return std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition), 1

using my::kernels::Bundle;

static int onCuda(const Bundle &bundle) {
  alignas(16) float x[64] = {}, y[64] = {};
  auto done = bundle.axpy({7}, nullptr, x, y, 2.0f, 48, 256);
  EXPECT(done);
  auto &fake =
      *reinterpret_cast<FakeCuda *(*)()>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fakeCuda"))();
  EXPECT(fake.launches == 1 && fake.config.gridX == 7 && fake.config.blockX == 128);
  fake.parametersToRead = 4;
  EXPECT(bundle.axpy({1}, nullptr, x, y, 2.0f, 48, 128));
  EXPECT(fake.parameters[0] == reinterpret_cast<size_t>(x));
  EXPECT(fake.parameters[3] == 48);
  // Each variant is loaded once.
  EXPECT(fake.modules == 2);
  EXPECT(bundle.axpy({1}, nullptr, x, y, 2.0f, 64, 128));
  EXPECT(fake.modules == 2);
  EXPECT(bundle.axpy({1}, nullptr, x + 1, y, 2.0f, 64, 128));
  EXPECT(fake.modules == 3);

  fake.parametersToRead = 0;
  gluonc::rt::Tensor tensor(x, {16, 32}, {32, 1});
  EXPECT(bundle.fill({1}, nullptr, tensor));
  EXPECT(fake.map.rank == 2 && fake.map.extents[0] == 32 && fake.map.extents[1] == 16);
  EXPECT(fake.map.box[0] == 32 && fake.map.box[1] == 16 && fake.map.swizzle == 3);

  auto refused = bundle.axpy({1}, nullptr, x, y, 2.0f, 48, 512);
  EXPECT(!refused && refused.error().status == gluonc::rt::Status::UsageError);
  EXPECT(refused.error().text.find("BLOCK == 256, and that is 512") != std::string::npos);
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

int main(int, char **argv) {
  EXPECT(!Bundle::open("/none"));
  auto bundle = Bundle::open(KERNELS_BUNDLE, {Bundle::digest, false});
  if (!bundle)
    return std::fprintf(stderr, "%s\n", bundle.error().text.c_str()), 1;
  return argv[1] == std::string("cuda") ? onCuda(*bundle) : onHip(*bundle);
}

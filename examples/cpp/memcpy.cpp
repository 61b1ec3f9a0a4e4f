// Copies a vector through the kernel of examples/memcpy.py.
//   memcpy FILE.py [cpu|cuda]      by default on the GPU if there is one; exit status 77: there is
//   none
#include "CompileMemcpy.h"

#include <cstdio>
#include <dlfcn.h>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int count = 100'000;

int fail(const gluonc::Error &error) {
  std::fprintf(stderr, "%s\n", error.text.c_str()); // file, line, caret
  return 1;
}

int report(bool isRight, const char *device) {
  std::printf("%d elements on %s: %s\n", count, device, isRight ? "right" : "wrong");
  return isRight ? 0 : 1;
}

int onSimulator(const gluonc::Engine &engine, const char *path) {
  gluonc::Expected<gluonc::Executable> exe =
      compileMemcpy(engine, path, gluonc::Target::simulator());
  if (!exe)
    return fail(exe.error());
  std::vector<float> from(count), to(count);
  std::iota(from.begin(), from.end(), 0.0F);
  // The simulator checks every access against the memory that it was told of.
  for (auto &[name, data] : {std::pair{"from", &from}, std::pair{"to", &to}})
    if (auto added = engine.addMemory(name, data->data(), count * sizeof(float)); !added)
      return fail(added.error());
  if (auto done = exe->launch(gridFor(count), nullptr, from.data(), to.data(), count); !done)
    return fail(done.error());
  return report(from == to, "the CPU");
}

/// Device memory. A program that uses CUDA's runtime has its own; only pointers and a stream
/// matter.
struct Memory {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);

  template <typename... Args> bool call(const char *name, Args... args) const {
    return reinterpret_cast<int (*)(Args...)>(dlsym(driver, name))(args...) == 0;
  }
};

int onGpu(const gluonc::Engine &engine, const char *path) {
  gluonc::Expected<gluonc::Target> target = engine.cudaTarget();
  if (!target)
    return fail(target.error());
  gluonc::Expected<gluonc::Executable> exe = compileMemcpy(engine, path, *target);
  if (!exe)
    return fail(exe.error());
  // The device's primary context is current from here on.
  if (auto loaded = exe->load(0); !loaded)
    return fail(loaded.error());
  const Memory memory;
  std::vector<float> host(count), copied(count);
  std::iota(host.begin(), host.end(), 0.0F);
  const size_t bytes = count * sizeof(float);
  uint64_t from = 0, to = 0;
  const void *source = host.data();
  if (!memory.call("cuMemAlloc_v2", &from, bytes) || !memory.call("cuMemAlloc_v2", &to, bytes) ||
      !memory.call("cuMemcpyHtoD_v2", from, source, bytes)) {
    std::fprintf(stderr, "no device memory\n");
    return 1;
  }
  auto done = exe->launch(gridFor(count), nullptr, reinterpret_cast<float *>(from),
                          reinterpret_cast<float *>(to), count);
  if (!done)
    return fail(done.error());
  // Waits for the kernel, which runs on the same stream.
  void *destination = copied.data();
  bool isRead = memory.call("cuMemcpyDtoH_v2", destination, to, bytes);
  return report(isRead && host == copied, "the GPU");
}

} // namespace

int main(int argc, char **argv) {
  const std::string device = argc == 3 ? argv[2] : "";
  if (argc < 2 || argc > 3 || (argc == 3 && device != "cpu" && device != "cuda")) {
    std::fprintf(stderr, "usage: %s FILE.py [cpu|cuda]\n", argv[0]);
    return 2;
  }
  // No cache; machine code by ptxas if it is there, else by the driver.
  gluonc::Engine engine({.cacheDirectory = "", .ptxas = gluonc_find_ptxas()});
  const bool hasGpu = device != "cpu" && engine.cudaDeviceCount() > 0;
  if (device == "cuda" && !hasGpu)
    return 77;
  return hasGpu ? onGpu(engine, argv[1]) : onSimulator(engine, argv[1]);
}

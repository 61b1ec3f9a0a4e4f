// Compiles a kernel and launches it, on the simulator and, where there is one, on a GPU.
//   consumer FILE.py cpu|cuda      exit status 77: there is no GPU
#include <gluonc/gluonc.hpp>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

constexpr int count = 1000;
constexpr int block = 256;

int fail(const gluonc::Error &error) {
  std::fprintf(stderr, "%s\n", error.text.c_str());
  return 1;
}

gluonc::Expected<gluonc::Executable> build(const gluonc::Engine &engine, const std::string &path,
                                           const gluonc::Target &target) {
  gluonc::Expected<gluonc::Module> module = engine.load(path);
  if (!module)
    return module.error();
  gluonc::Expected<gluonc::Kernel> kernel = module->kernel("memcpy");
  if (!kernel)
    return kernel.error();
  gluonc::Expected<gluonc::Specialization> specialization = kernel->specialize(
      {gluonc::pointer("fp32").align(16), gluonc::pointer("fp32").align(16), gluonc::scalar("i32"),
       gluonc::constant(block), gluonc::expression("gl.BlockedLayout([1], [32], [4], [0])")},
      {.numWarps = 4});
  if (!specialization)
    return specialization.error();
  return engine.compile(*specialization, target);
}

bool isCopy(const std::vector<float> &source, const std::vector<float> &destination) {
  for (int i = 0; i != count; ++i)
    if (destination[i] != source[i])
      return false;
  // Nothing behind the end was touched.
  return destination[count] == -1;
}

int onSimulator(const gluonc::Engine &engine, const std::string &path) {
  gluonc::Expected<gluonc::Executable> exe = build(engine, path, gluonc::Target::simulator());
  if (!exe)
    return fail(exe.error());
  std::vector<float> source(count), destination(count + 1, -1);
  for (int i = 0; i != count; ++i)
    source[i] = static_cast<float>(i) / 3;
  if (auto added = engine.addMemory("source", source.data(), count * sizeof(float)); !added)
    return fail(added.error());
  if (auto added = engine.addMemory("destination", destination.data(), count * sizeof(float));
      !added)
    return fail(added.error());
  const gluonc::Grid grid{(count + block - 1) / block, 1, 1};
  if (auto done = exe->launch(grid, nullptr, source.data(), destination.data(), count); !done)
    return fail(done.error());
  if (!isCopy(source, destination)) {
    std::fprintf(stderr, "the copy is wrong\n");
    return 1;
  }
  // Beyond the end is a fault, and a value.
  auto fault = exe->launch(grid, nullptr, source.data(), destination.data(), count + 100);
  if (fault || fault.error().status != gluonc::Status::Fault ||
      fault.error().text.find("OutOfBoundsAccess") == std::string::npos) {
    std::fprintf(stderr, "an access out of bounds went unnoticed\n");
    return 1;
  }
  auto few = exe->launch(grid, nullptr, source.data());
  if (few || few.error().status != gluonc::Status::UsageError) {
    std::fprintf(stderr, "a wrong number of arguments went unnoticed\n");
    return 1;
  }
  return 0;
}

/// Device memory through the driver, as an engine would have it from elsewhere.
struct Cuda {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  template <typename Fn> Fn get(const char *name) {
    return reinterpret_cast<Fn>(dlsym(library, name));
  }
};

int onGpu(const gluonc::Engine &engine, const std::string &path) {
  if (engine.cudaDeviceCount() == 0)
    return 77;
  gluonc::Expected<gluonc::Target> target = engine.cudaTarget();
  if (!target)
    return fail(target.error());
  gluonc::Expected<gluonc::Executable> exe = build(engine, path, *target);
  if (!exe)
    return fail(exe.error());
  if (auto loaded = exe->load(0); !loaded)
    return fail(loaded.error());
  Cuda cuda;
  auto allocate = cuda.get<int (*)(uint64_t *, size_t)>("cuMemAlloc_v2");
  auto upload = cuda.get<int (*)(uint64_t, const void *, size_t)>("cuMemcpyHtoD_v2");
  auto download = cuda.get<int (*)(void *, uint64_t, size_t)>("cuMemcpyDtoH_v2");
  std::vector<float> source(count), destination(count + 1, -1);
  for (int i = 0; i != count; ++i)
    source[i] = static_cast<float>(i) / 3;
  const size_t bytes = (count + 1) * sizeof(float);
  uint64_t from = 0, to = 0;
  if (allocate(&from, bytes) || allocate(&to, bytes) ||
      upload(from, source.data(), count * sizeof(float)) || upload(to, destination.data(), bytes))
    return 1;
  auto done = exe->launch({(count + block - 1) / block, 1, 1}, nullptr,
                          reinterpret_cast<float *>(from), reinterpret_cast<float *>(to), count);
  if (!done)
    return fail(done.error());
  if (download(destination.data(), to, bytes) || !isCopy(source, destination)) {
    std::fprintf(stderr, "the copy is wrong\n");
    return 1;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  gluonc::Engine engine({.cacheDirectory = "", .ptxas = gluonc_find_ptxas()});
  // Errors are values.
  if (auto missing = engine.load("/nonexistent/kernel.py");
      missing || missing.error().status != gluonc::Status::InputError) {
    std::fprintf(stderr, "a missing file went unnoticed\n");
    return 1;
  }
  int status =
      std::string(argv[2]) == "cuda" ? onGpu(engine, argv[1]) : onSimulator(engine, argv[1]);
  if (status == 0)
    std::printf("copied %d elements on %s\n", count, argv[2]);
  return status;
}

// What the hosts of the examples share: a device to run on, and bfloat16.
//
// A Device is the simulator, whose kernels work on host memory, or the first GPU, whose memory
// comes from the CUDA driver. A program that has both from elsewhere needs none of this.
#pragma once

#include <gluonc/gluonc.hpp>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <random>
#include <string>
#include <vector>

class Device {
public:
  /// "cpu", "cuda", or neither: the GPU if there is one. The kernels are for chips of the
  /// generation of `chip`, which is what the simulator pretends to be.
  explicit Device(const std::string &name, gluonc::Target chip = gluonc::Target::cuda(90, 'a'))
      : engine({.cacheDirectory = "", .ptxas = gluonc_find_ptxas()}), chip(std::move(chip)),
        simulated(name == "cpu" || (name.empty() && !hasGpu())) {
    if (!simulated && !hasGpu()) {
      std::fprintf(stderr, "no such CUDA device\n");
      std::exit(77);
    }
  }

  /// The kernel `name` of the file, compiled for this device. Ends the program where that fails.
  gluonc::Executable compile(const char *path, const char *name,
                             std::initializer_list<gluonc::Argument> arguments,
                             const gluonc::Options &options) {
    gluonc::Expected<gluonc::Module> module = engine.load(path);
    gluonc::Expected<gluonc::Executable> exe =
        module.andThen([&](gluonc::Module &m) { return m.kernel(name); })
            .andThen([&](gluonc::Kernel &k) { return k.specialize(arguments, options); })
            .andThen([&](gluonc::Specialization &s) {
              return target().andThen([&](gluonc::Target &t) { return engine.compile(s, t); });
            });
    orExit(exe);
    // Loading makes the device's context current, which memory is taken from.
    if (!simulated)
      orExit(exe->load(0));
    return std::move(*exe);
  }

  /// The address of a copy that kernels may access.
  template <typename T> T *upload(const std::string &name, std::vector<T> &data) {
    const size_t bytes = data.size() * sizeof(T);
    if (simulated) {
      orExit(engine.addMemory(name, data.data(), bytes));
      return data.data();
    }
    uint64_t address = 0;
    check(driver<int(uint64_t *, size_t)>("cuMemAlloc_v2")(&address, bytes));
    check(driver<int(uint64_t, const void *, size_t)>("cuMemcpyHtoD_v2")(address, data.data(),
                                                                         bytes));
    return reinterpret_cast<T *>(address);
  }
  /// Waits for kernels, and fetches what they left at an address that upload() returned.
  template <typename T> void download(std::vector<T> &data, const T *address) {
    if (!simulated)
      check(driver<int(void *, uint64_t, size_t)>("cuMemcpyDtoH_v2")(
          data.data(), reinterpret_cast<uint64_t>(address), data.size() * sizeof(T)));
  }

  /// How many persistent programs to launch: one for each multiprocessor.
  unsigned programs() const {
    int count = 2;
    constexpr int multiprocessorCount = 16;
    if (!simulated)
      check(driver<int(int *, int, int)>("cuDeviceGetAttribute")(&count, multiprocessorCount, 0));
    return static_cast<unsigned>(count);
  }
  const char *name() const { return simulated ? "simulator" : "GPU"; }

  template <typename T> static gluonc::Expected<T> &&orExit(gluonc::Expected<T> &&value) {
    if (!value)
      exitWith(value.error().text.c_str());
    return std::move(value);
  }
  template <typename T> static gluonc::Expected<T> &orExit(gluonc::Expected<T> &value) {
    if (!value)
      exitWith(value.error().text.c_str());
    return value;
  }

private:
  gluonc::Expected<gluonc::Target> target() const {
    if (simulated)
      return gluonc::Target::simulator(chip);
    return engine.cudaTarget();
  }
  bool hasGpu() const {
    if (engine.cudaDeviceCount() == 0)
      return false;
    gluonc::Expected<gluonc::Target> found = engine.cudaTarget();
    return found && generation(*found) == generation(chip);
  }
  /// 9 of "cuda:90a", 10 of "cuda:100a" and "cuda:103a".
  static int generation(const gluonc::Target &target) {
    return std::atoi(target.name().substr(5).c_str()) / 10;
  }
  template <typename Fn> Fn *driver(const char *function) const {
    static void *library = dlopen("libcuda.so.1", RTLD_NOW);
    return reinterpret_cast<Fn *>(dlsym(library, function));
  }
  static void check(int status) {
    if (status != 0)
      exitWith(("CUDA driver: error " + std::to_string(status)).c_str());
  }
  [[noreturn]] static void exitWith(const char *message) {
    std::fprintf(stderr, "%s\n", message);
    std::exit(1);
  }

  gluonc::Engine engine;
  gluonc::Target chip;
  bool simulated;
};

/// bfloat16 is the upper half of a float.
using bf16 = uint16_t;
inline float toFloat(bf16 value) { return std::bit_cast<float>(uint32_t(value) << 16); }
inline bf16 toBf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<bf16>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline std::vector<bf16> randomNormal(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<bf16> values(count);
  for (bf16 &value : values)
    value = toBf16(normal(engine));
  return values;
}
/// What results are filled with, so that nothing that was left out looks right.
constexpr bf16 poison = 0x7fc0; // NaN

/// The TMA's view of a row-major tensor.
inline gluonc_tensor describe(const void *base, std::initializer_list<int64_t> shape,
                              const char *dtype = "bf16") {
  gluonc_tensor tensor = {};
  tensor.base = base;
  tensor.dtype = dtype;
  for (int64_t extent : shape)
    tensor.shape[tensor.rank++] = extent;
  int64_t stride = 1;
  for (unsigned dim = tensor.rank; dim-- != 0; stride *= tensor.shape[dim])
    tensor.strides[dim] = stride;
  return tensor;
}

/// The exit status of an example, after a line about its result.
inline int report(const Device &device, const std::string &what, size_t wrong, size_t looked) {
  std::printf("%s: %s: %zu of %zu elements are wrong\n", device.name(), what.c_str(), wrong,
              looked);
  return wrong == 0 ? 0 : 1;
}

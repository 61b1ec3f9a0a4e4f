// What the programs here call of the CUDA driver, which is one that executes PTX on the CPU.
#pragma once

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>

#define EXPECT(condition)                                                                          \
  if (!(condition))                                                                                \
  return std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition), 1

/// A function by its name.
template <typename... Parameters> int cuda(const char *name, Parameters... parameters) {
  void *address = dlsym(dlopen("libcuda.so.1", RTLD_NOW), name);
  return reinterpret_cast<int (*)(Parameters...)>(address)(parameters...);
}

/// Makes a device's context current.
inline int use(int device) {
  void *context = nullptr;
  cuda("cuInit", 0u);
  int failed = cuda("cuDevicePrimaryCtxRetain", &context, device);
  return failed ? failed : cuda("cuCtxSetCurrent", context);
}

/// Floats on the current device; where there are none, 0.
inline uint64_t allocate(size_t floats, float value) {
  uint64_t address = 0;
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  if (cuda("cuMemAlloc_v2", &address, floats * sizeof value) ||
      cuda("cuMemsetD32_v2", address, bits, floats))
    return 0;
  return address;
}

inline float floatAt(uint64_t address, size_t index) {
  float value = -1;
  cuda("cuMemcpyDtoH_v2", static_cast<void *>(&value), address + index * sizeof value,
       sizeof value);
  return value;
}

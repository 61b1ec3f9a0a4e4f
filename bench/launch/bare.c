/* What a launch costs at least: cuLaunchKernelEx in a loop, everything prepared.
 *
 *   bare(function, parameters, rounds, burst, result)
 *
 * Each round launches `burst` times, then waits. `result` gets nanoseconds for each
 * launch: that of each call (burst x rounds numbers). Built by launch.py. */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream;
  void *attributes;
  unsigned count;
} config;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int bare(void *function, unsigned parameters, int rounds, int burst, double *result) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  int (*launch)(const config *, void *, void **, void **) = dlsym(driver, "cuLaunchKernelEx");
  int (*wait)(void) = dlsym(driver, "cuCtxSynchronize");
  uint64_t slots[64];
  void *pointers[64];
  memset(slots, 0, sizeof slots);
  for (unsigned i = 0; i != 64; ++i)
    pointers[i] = slots + i;
  config prepared = {{1, 1, 1}, {128, 1, 1}, 0, 0, 0, 0};
  int failures = 0;
  for (int round = 0; round != rounds; ++round) {
    for (int i = 0; i != burst; ++i) {
      double start = now();
      slots[parameters - 1] = (uint64_t)i;
      failures += launch(&prepared, function, pointers, 0) != 0;
      *result++ = now() - start;
    }
    wait();
  }
  return failures;
}

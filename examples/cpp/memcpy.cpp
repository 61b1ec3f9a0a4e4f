// Compiles the kernel of examples/memcpy.py and copies a vector through it on the simulator.
//   memcpy FILE.py
// On a GPU only three things differ: the target (engine.cudaTarget()), exe.load(device) before the
// first launch, and pointers into device memory.
#include <gluonc/gluonc.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

namespace {

constexpr int count = 100'000;
constexpr int block = 1024;

/// Errors are values, passed up to main.
gluonc::Expected<gluonc::Executable> compile(const gluonc::Engine &engine, const char *path) {
  gluonc::Expected<gluonc::Module> module = engine.load(path);
  if (!module)
    return module.error();
  gluonc::Expected<gluonc::Kernel> kernel = module->kernel("memcpy");
  if (!kernel)
    return kernel.error();
  // One argument for each parameter: a type for what comes at launch, a value for what is compiled
  // in. Pointers that are divisible by 16 let the compiler use wide accesses.
  gluonc::Expected<gluonc::Specialization> specialization = kernel->specialize(
      {gluonc::pointer("fp32").align(16), gluonc::pointer("fp32").align(16), gluonc::scalar("i32"),
       gluonc::constant(block), gluonc::expression("gl.BlockedLayout([4], [32], [4], [0])")},
      {.numWarps = 4});
  if (!specialization)
    return specialization.error();
  return engine.compile(*specialization, gluonc::Target::simulator());
}

int run(const char *path) {
  gluonc::Engine engine;
  gluonc::Expected<gluonc::Executable> exe = compile(engine, path);
  if (!exe) {
    std::fprintf(stderr, "%s\n", exe.error().text.c_str()); // file, line, caret
    return 1;
  }
  std::vector<float> from(count), to(count);
  std::iota(from.begin(), from.end(), 0.0F);
  // The simulator checks every access against the memory that it was told of.
  for (auto &[name, data] : {std::pair{"from", &from}, std::pair{"to", &to}})
    if (auto added = engine.addMemory(name, data->data(), count * sizeof(float)); !added) {
      std::fprintf(stderr, "%s\n", added.error().text.c_str());
      return 1;
    }
  const gluonc::Grid grid{(count + block - 1) / block, 1, 1};
  if (auto done = exe->launch(grid, nullptr, from.data(), to.data(), count); !done) {
    std::fprintf(stderr, "%s\n", done.error().text.c_str());
    return 1;
  }
  std::printf("%d elements: %s\n", count, from == to ? "right" : "wrong");
  return from == to ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE.py\n", argv[0]);
    return 2;
  }
  return run(argv[1]);
}

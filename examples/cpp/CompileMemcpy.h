// What every program does with gluonc: from a .py file to something that can be launched.
#pragma once

#include <gluonc/gluonc.hpp>

/// Elements that one program of the kernel copies.
constexpr int block = 1024;

/// Compiles the kernel of examples/memcpy.py. Errors are values, passed up to main.
inline gluonc::Expected<gluonc::Executable>
compileMemcpy(const gluonc::Engine &engine, const char *path, const gluonc::Target &target) {
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
  return engine.compile(*specialization, target);
}

/// Programs for `count` elements.
inline gluonc::Grid gridFor(int count) {
  return {static_cast<unsigned>((count + block - 1) / block), 1, 1};
}

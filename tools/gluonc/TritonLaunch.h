//===- TritonLaunch.h - A launch by Triton itself, in a process of Python -------===//
//
// Python gets a folder with the launch as JSON and the bytes of each buffer, and leaves
// the bytes there that the kernel has made of them. With a GPU it launches on that;
// without one Triton's interpreter executes kernels of its language, and Gluon's cannot run.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Session.h"

namespace gluonc::tool {

struct TritonAnswer {
  enum class What { Ran, Absent, Failed } what = What::Absent;
  /// "Triton 3.6.0, interpreter"; or what is not there, or went wrong.
  std::string text;
};

/// Launches the kernel on the memory of the arguments. `texts` are what they were written as.
TritonAnswer launchByTriton(const Session &session, llvm::StringRef python,
                            const LoadedKernel &loaded, const Session::Input &input,
                            llvm::ArrayRef<driver::ArgumentText> texts, const BoundLaunch &launch,
                            const sema::Options &options);

} // namespace gluonc::tool

//===- FindPtxas.h - Where NVIDIA's assembler is ----------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace gluonc::driver {

/// What the environment says; the program around reads it.
struct PtxasPlaces {
  /// Overrides everything: GLUONC_PTXAS.
  std::string explicitPath;
  /// PATH.
  std::string path;
  /// CUDA_HOME, CUDA_PATH.
  std::string cudaHome;
  /// Prefixes under which Python packages may lie: VIRTUAL_ENV, CONDA_PREFIX, ~/.local.
  std::vector<std::string> pythonPrefixes;
};

/// The first executable of: the explicit path, PATH, CUDA_HOME/bin, /usr/local/cuda/bin, the Python
/// packages nvidia-cuda-nvcc and triton. Empty where there is none.
std::string findPtxas(const PtxasPlaces &places);
/// The same for another program of the CUDA toolkit, beside ptxas first; nothing overrides it.
std::string findCudaTool(PtxasPlaces places, llvm::StringRef name);

/// Path, size and time of change: tells two versions of the program apart without running it.
std::string fileIdentity(llvm::StringRef path);
/// The same on all machines: a hash of what is in the file. Empty where it cannot be read.
std::string contentIdentity(const std::string &path);

} // namespace gluonc::driver

//===- Launch.h - What a launch is, and what fits ----------------------------------===//
#pragma once

#include "cudacpu/Api.h"

#include <array>

namespace gluonc::cudacpu {

struct Shape {
  /// In CTAs.
  std::array<unsigned, 3> grid = {1, 1, 1};
  unsigned threads = 1;
  unsigned dynamicBytes = 0;
  unsigned ctasPerCluster = 1;
  bool isCooperative = false;
};

/// What a configuration with its attributes asks for. An error where this driver does not do that,
/// or no GPU does.
Result shapeOf(const Function &function, const LaunchConfig &config, Shape &shape);

/// Registers of a thread: as many as are live at a time in the PTX, since nothing assigns any.
unsigned registersOf(Function &function);
unsigned maxThreadsOf(Function &function);
/// CTAs that a multiprocessor holds.
unsigned residentCtas(const Driver &driver, Function &function, unsigned threads,
                      unsigned dynamicBytes);
/// Clusters that the GPU holds.
uint64_t residentClusters(const Driver &driver, Function &function, const Shape &shape);

} // namespace gluonc::cudacpu

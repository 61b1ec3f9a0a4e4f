//===- Explain.h - What a launch costs, line by line -----------------------------===//
//
//   kernel + arguments ─▶ ttg ─▶ PTX ─▶ counts       (the executor of PTX, room explain)
//                          └─▶ facts        └─▶ registers, by the assembler
//
//===----------------------------------------------------------------------===//
#pragma once

#include "driver/Run.h"
#include "explain/Profile.h"

namespace gluonc::driver {

/// Whether launches for such a chip can be explained.
bool isExplained(const target::Target &target);

/// A timeline that is wanted, by the name of its file, and its text.
struct TimelineRequest {
  std::string path, text;
};

/// Compiles the kernel, executes its PTX on the tensors' own memory and counts. Without an
/// assembler nothing is known of registers. Nullopt after a report.
std::optional<explain::Profile> explainLaunch(Compiler &compiler, const KernelSource &source,
                                              CodeOptions code, const KernelArguments &arguments,
                                              Grid grid, llvm::raw_ostream *printed,
                                              TimelineRequest *timeline, diag::Sink &sink);

} // namespace gluonc::driver

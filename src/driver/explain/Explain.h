//===- Explain.h - What a launch costs, line by line -----------------------------===//
//
//   kernel + arguments ─▶ ttg ─▶ PTX ─▶ counts       (the executor of PTX, room explain)
//                          │     or AMD's machine code   (its executor)
//                          └─▶ facts        └─▶ registers, by the assembler
//
//===----------------------------------------------------------------------===//
#pragma once

#include "driver/Run.h"
#include "explain/Profile.h"
#include "model/Timeline.h"

namespace gluonc::driver {

/// Whether launches for such a chip can be explained.
bool isExplained(const target::Target &target);

/// Compiles the kernel, executes its PTX, or AMD's machine code, on the tensors' own memory and
/// counts. Without an
/// assembler nothing is known of registers, and without nvdisasm, the `disassembler`, nothing of
/// machine code. `timeline` may be null. Nullopt after a report.
std::optional<explain::Profile> explainLaunch(Compiler &compiler, const KernelSource &source,
                                              CodeOptions code, const KernelArguments &arguments,
                                              Grid grid, llvm::raw_ostream *printed,
                                              model::Timeline *timeline, diag::Sink &sink,
                                              llvm::StringRef disassembler = "");

} // namespace gluonc::driver

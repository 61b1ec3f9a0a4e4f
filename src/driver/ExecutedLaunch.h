//===- ExecutedLaunch.h - What executors of machine code are given ------------===//
//
// The executors of PTX and of AMD's machine code work on the tensors' own memory, as
// the launch of a GPU would find it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "driver/Run.h"
#include "ptx/TensorMap.h"

#include <deque>

namespace gluonc::amdgcn {
class Observer;
}

namespace gluonc::driver {

struct ExecutedLaunch {
  /// `grid` is in programs.
  ExecutedLaunch(const CompiledKernel &kernel, const KernelArguments &arguments, Grid grid);
  /// With the visible slots and memory of a launch by the C API.
  ExecutedLaunch(const CompiledKernel &kernel, llvm::ArrayRef<uint64_t> slots,
                 std::vector<std::pair<uint64_t, uint64_t>> memory, Grid grid);

  /// One a parameter, hidden ones too: an address, or the low bytes of a value.
  std::vector<uint64_t> slots;
  /// What the kernel may access: first and last address, the last one excluded.
  std::vector<std::pair<uint64_t, uint64_t>> memory;
  /// In CTAs.
  Grid grid;
  unsigned threads(unsigned warpSize) const { return numWarps * warpSize; }

  /// Runs `execute`, and makes what it left in tensors known to their owners.
  RunTime timed(llvm::function_ref<void()> execute);

private:
  /// Behind the visible parameters: the kernel's own memory, so many bytes a CTA, and that of
  /// profilers, which have none here.
  void addHidden(const CompiledKernel &kernel);

  unsigned numWarps;
  std::vector<host::Buffer *> buffers;
  /// What slots of descriptors point to.
  std::deque<ptx::TensorMap> maps;
  /// The kernel's own memory.
  std::vector<uint8_t> scratch;
};

/// Appends what machine code takes of a tensor that is described to it; `maps` holds what slots of
/// descriptors point to.
void appendExecuted(const runtime::TensorParameter &parameter, const TensorDescription &tensor,
                    std::deque<ptx::TensorMap> &maps, std::vector<uint64_t> &slots);

/// Executes the kernel's PTX on the CPU. Nullopt after a report.
std::optional<RunTime> executePtx(const CompiledKernel &kernel, unsigned warpSize,
                                  ExecutedLaunch &launch, const ExecutedRun &how, diag::Sink &sink);

/// Executes its AMD machine code; `observer` may be null. Nullopt after a report.
std::optional<RunTime> executeAmdgcn(const CompiledKernel &kernel, unsigned warpSize,
                                     const KernelArguments &arguments, Grid grid,
                                     llvm::raw_ostream *printed, amdgcn::Observer *observer,
                                     diag::Sink &sink);

} // namespace gluonc::driver

//===- Run.h - One kernel launch on the CPU or a GPU ------------------------===//
//
// Host tensors in, host tensors out. The simulator and the executors of PTX and of
// AMD's machine code work on the tensors' own memory; on a GPU each buffer is copied there and
// back.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "driver/Arguments.h"
#include "driver/Compiler.h"
#include "runtime/cuda/Launcher.h"
#include "runtime/hip/Launcher.h"
#include "sim/Simulator.h"

#include "llvm/ADT/MapVector.h"

#include <array>

#include <deque>

namespace gluonc::ptx {
class Observer;
}

namespace gluonc::driver {

struct StampedKernel;
using Grid = std::array<uint32_t, 3>;

struct RunTime {
  double milliseconds = 0;
  /// Launches that `milliseconds` is the median of.
  unsigned launches = 1;
};

/// Every buffer once, under the name of the first argument that lies in it, and behind those of the
/// arguments what their elements are addresses of.
llvm::MapVector<host::Buffer *, std::string> buffersOf(const KernelArguments &arguments);

/// Bytes of all tensors that the kernel is given, each counted once.
uint64_t tensorBytes(const KernelArguments &arguments);

/// The name of the module's one public function; empty where there is not exactly one.
std::string kernelNameOf(mlir::ModuleOp module);

/// Whether the module's kernel takes as many arguments as there are; reports when not.
bool takesArguments(mlir::ModuleOp module, const KernelArguments &arguments, diag::Sink &sink);

struct SimulatedRun {
  /// Receives what the kernel prints.
  llvm::raw_ostream *printed = nullptr;
  /// See sim::Launch.
  std::optional<uint64_t> scheduleSeed = std::nullopt;
  sim::Schedule *schedule = nullptr;
  sim::Verdict races = sim::Verdict::Fault, maskedOff = sim::Verdict::Warn;
  sim::Verdict unknownReads = sim::Verdict::Fault;
  uint64_t maxBranches = sim::Launch::kDefaultMaxBranches;
};
/// The IR that is simulated: what the transform pipeline makes, of a kernel that would compile.
/// Null after a report.
mlir::OwningOpRef<mlir::ModuleOp> makeSimulatedIr(Compiler &compiler, const KernelSource &source,
                                                  const diag::SourceManager &sources,
                                                  diag::Sink &sink, Timings *timings = nullptr);

/// Appends what the simulated kernel takes of a tensor, which lives as long as the launch.
void appendSimulated(const runtime::TensorParameter &parameter, const TensorDescription &tensor,
                     std::vector<sim::Argument> &arguments);

/// What the simulator needs to execute a launch on the tensors' own memory.
class SimulatedLaunch {
public:
  SimulatedLaunch(const KernelArguments &arguments, Grid grid, const SimulatedRun &how);
  SimulatedLaunch(const SimulatedLaunch &) = delete;
  /// Lets poisoned buffers know which of their bytes were written.
  void settle();

  sim::Launch launch;

private:
  llvm::MapVector<host::Buffer *, std::string> buffers;
  sim::Memory memory;
  std::deque<TensorDescription> descriptions;
};

/// Simulates the kernel of a transformed module, which may call functions of `libraries`. Nullopt
/// after a report.
std::optional<RunTime> runOnCpu(mlir::ModuleOp module, const KernelArguments &arguments, Grid grid,
                                const diag::SourceManager &sources, const SimulatedRun &how,
                                diag::Sink &sink, const bitcode::Libraries *libraries = nullptr);

/// Launches of a kernel with timestamps, behind those of the kernel itself.
struct StampedRun {
  const StampedKernel &stamped;
  /// The median of as many launches, and what one of them recorded.
  double milliseconds = 0;
  std::vector<uint8_t> records = {};
};

/// Uploads, launches, downloads. With `launches` > 0 the kernel is then launched that often again,
/// on the device's copies and with a cold second-level cache, for the time; else the time is that
/// of the one launch. `stamped` needs `launches`.
std::optional<RunTime> runOnCuda(std::shared_ptr<const cuda::Device> device,
                                 const CompiledKernel &kernel, unsigned warpSize,
                                 const KernelArguments &arguments, Grid grid, unsigned launches,
                                 diag::Sink &sink, StampedRun *stamped = nullptr);
/// The same on an AMD GPU. None has run it.
std::optional<RunTime> runOnHip(std::shared_ptr<const hip::Device> device,
                                const CompiledKernel &kernel, unsigned warpSize,
                                const KernelArguments &arguments, Grid grid, unsigned launches,
                                diag::Sink &sink);

struct ExecutedRun {
  /// Receives what the kernel prints.
  llvm::raw_ostream *printed = nullptr;
  /// At a fault it receives what all threads have.
  llvm::raw_ostream *state = nullptr;
  /// Is told what is executed; null if nobody asks.
  ptx::Observer *observer = nullptr;
  /// As ptx::Launch has them.
  llvm::ArrayRef<uint64_t> clusters = {};
  bool skipsProducts = false;
  uint64_t stepsOfWarp = 0;
  uint64_t stepLimit = uint64_t(1) << 32;
};
/// Executes the kernel's PTX on the CPU, on the tensors' own memory. Nullopt after a report.
std::optional<RunTime> runOnPtx(const CompiledKernel &kernel, unsigned warpSize,
                                const KernelArguments &arguments, Grid grid, const ExecutedRun &how,
                                diag::Sink &sink);

/// Executes the kernel's code object for an AMD GPU in the same way; `printed` receives what it
/// prints.
std::optional<RunTime> runOnAmdgcn(const CompiledKernel &kernel, unsigned warpSize,
                                   const KernelArguments &arguments, Grid grid,
                                   llvm::raw_ostream *printed, diag::Sink &sink);

/// Reports a failure of the device: the kernel's fault, or the device's.
void reportDevice(llvm::Error error, diag::Sink &sink);

} // namespace gluonc::driver

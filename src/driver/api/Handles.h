//===- Handles.h - What the C API's handles are ------------------------------===//
//
// A handle is a struct around shared state, so that handles may be destroyed in any
// order. The engine's lock covers everything that touches a Program. Making machine
// code out of what a Program gave needs no lock, only a Compiler of one's own; a
// launch needs neither.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "driver/KernelCache.h"
#include "driver/LaunchParameters.h"
#include "gluonc/gluonc.h"
#include "model/Timeline.h"
#include "runtime/cuda/Launcher.h"
#include "runtime/hip/Launcher.h"
#include "sema/eval/Evaluator.h"
#include "sim/Simulator.h"
#include "support/Forks.h"

#include "llvm/ADT/StringMap.h"

#include <atomic>

struct gluonc_error {
  std::string text, json;
  /// Of an internal error.
  std::string reproducer = {};
};

namespace gluonc::api {

struct ModuleState;
struct RecordedKernel;

/// A compiler that is not at work, and how often it was.
struct IdleCompiler {
  std::unique_ptr<driver::Compiler> compiler;
  unsigned uses = 0;
};

/// What a simulated launch is told beside its arguments. Launches take copies.
struct LaunchSettings {
  /// Receives what kernels print.
  gluonc_output output = nullptr;
  void *outputUser = nullptr;
  /// Null: `output`.
  gluonc_output warnings = nullptr;
  void *warningsUser = nullptr;
  std::shared_ptr<const sim::Memory> memory = std::make_shared<sim::Memory>();
  std::optional<uint64_t> scheduleSeed;
  sim::Verdict races = sim::Verdict::Fault, maskedOff = sim::Verdict::Warn;
  sim::Verdict unknownReads = sim::Verdict::Fault;
  uint64_t maxBranches = sim::Launch::kDefaultMaxBranches;
  /// Launches for NVIDIA's GPUs execute PTX.
  bool executesPtx = false;
  /// Asked while a launch runs, or a compilation.
  gluonc_interrupt interrupt = nullptr;
  void *interruptUser = nullptr;
};

/// Host memory that the engine was told of.
struct HostRange {
  std::string name;
  const void *base;
  size_t bytes;
};

/// Launches of an engine that are predicted, or measured by timestamps.
struct Predictions {
  gluonc_prediction total = {};
  double longest = 0;
  model::Timeline timeline;
  /// What `total` points to.
  std::string json, page, device;
};

struct EngineState {
  /// Resolvers run under it and may ask for layouts. See EngineLock.
  ForkableMutex lock;
  /// Modules that whoever holds the lock evaluates in.
  std::vector<std::shared_ptr<ModuleState>> evaluating;
  std::string ptxas;
  driver::Cache cache{""};
  /// As many as ever compiled at once, at most.
  std::vector<IdleCompiler> idleCompilers;
  /// Of imports.
  std::vector<std::string> importFolders;
  /// Nothing is compiled any more.
  std::atomic<bool> isSealed = false;
  /// Of `forLaunches` and `ranges`.
  ForkableMutex settings;
  LaunchSettings forLaunches;
  /// What `forLaunches.memory` is made of.
  std::vector<HostRange> ranges;
  /// Launches are predicted and not simulated.
  std::atomic<bool> isPredicting = false;
  /// Launches on NVIDIA's GPUs are of code with timestamps.
  std::atomic<bool> isRecording = false;
  /// Under `settings`.
  Predictions predictions;
  /// How often launches and compilations were cancelled.
  std::atomic<uint64_t> cancellations = 0;
  /// Those that were opened, under `lock`.
  std::shared_ptr<const cuda::Driver> cudaDriver;
  std::shared_ptr<const hip::Driver> hipDriver;
  std::vector<std::string> targetNames;

  LaunchSettings launchSettings() {
    std::lock_guard guard(settings);
    return forLaunches;
  }
};

struct ModuleState {
  std::shared_ptr<EngineState> engine;
  diag::SourceManager sources;
  sema::Program program{sources};
  sema::Module *module = nullptr;
  /// Where texts of arguments are evaluated.
  sema::Module *arguments = nullptr;
  /// Frees what the resolver needs.
  std::shared_ptr<void> resolverContext;
};

/// Make an error, where the caller wants one, and hand its status on.
gluonc_status fail(gluonc_status status, std::string text, gluonc_error **error);
gluonc_status unavailable(llvm::Error failure, gluonc_error **error);
/// After a success: what `static_print` wrote, as it is, and warnings go to their receivers. The
/// engine must not be locked: receivers may take locks of their own.
void passOn(const LaunchSettings &settings, const diag::Collector &collector);
/// The diagnostics of one call as an error.
gluonc_status fail(const diag::Collector &collector, gluonc_error **error);

/// Nullopt after a report.
std::optional<std::string> readFile(const char *path, diag::Sink &sink);

} // namespace gluonc::api

struct gluonc_engine {
  std::shared_ptr<gluonc::api::EngineState> state;
};
struct gluonc_module {
  std::shared_ptr<gluonc::api::ModuleState> state;
};
struct gluonc_kernel {
  std::shared_ptr<gluonc::api::ModuleState> module;
  std::shared_ptr<const gluonc::sema::Function> function;
};
struct gluonc_specialization {
  std::shared_ptr<gluonc::api::ModuleState> module;
  /// Null for what was loaded as IR.
  std::shared_ptr<const gluonc::sema::Function> function;
  const gluonc::diag::SourceFile *ir = nullptr;
  std::string kernelName;
  std::vector<gluonc::sema::ArgSpec> arguments;
  gluonc::sema::Options options;
  gluonc::driver::CodeOptions code;
  gluonc::runtime::LaunchMode launch;

  /// Valid as long as this is.
  gluonc::driver::KernelSource source() const {
    return {module->program, function.get(), arguments, options, ir};
  }
};
struct gluonc_executable {
  /// Whether there is a source to make other forms of; not for what was saved.
  bool hasSource() const { return origin.function || origin.ir; }

  std::shared_ptr<gluonc::api::EngineState> engine;
  /// Keeps the source alive for the simulator's reports.
  std::shared_ptr<gluonc::api::ModuleState> module;
  gluonc::target::Target target;
  /// What it was made from, with `target` in the options.
  gluonc_specialization origin;
  gluonc::driver::CompiledKernel compiled;
  std::string ttgir;
  /// Of the cache of compiled kernels.
  std::string key;
  /// Made when asked for, under `making`.
  gluonc::ForkableMutex making;
  llvm::StringMap<std::string> madeCode;
  std::string saved;
  /// Of a simulated one: the machine code that predictions are of.
  std::optional<gluonc::driver::CompiledKernel> predicted;
  /// The same with the regions that it names, for timelines.
  std::optional<gluonc::driver::CompiledKernel> traced;
  /// Its code with timestamps, once it was launched to record. See Record.cpp.
  std::shared_ptr<gluonc::api::RecordedKernel> recorded;
  gluonc::driver::LaunchParameters parameters;
  std::unique_ptr<gluonc::sim::Executable> simulated;
  /// Set once under `loading`; read without a lock afterwards. At most one of the launchers is.
  gluonc::ForkableMutex loading;
  std::unique_ptr<gluonc::cuda::Launcher> loaded;
  std::atomic<const gluonc::cuda::Launcher *> launcher = nullptr;
  std::unique_ptr<gluonc::hip::Launcher> loadedHip;
  std::atomic<const gluonc::hip::Launcher *> hipLauncher = nullptr;
};

//===- Simulator.h - Executes ttg kernels on the CPU -----------------------===//
//
//   auto exe = sim::Executable::prepare(module, "kernel", sink, sources);
//   sim::Memory memory;
//   memory.add("src", src.data(), bytes, sim::Memory::Access::ReadOnly);
//   memory.add("dst", dst.data(), bytes, sim::Memory::Access::ReadWrite,
//              sim::Memory::Contents::Poisoned);
//   sim::Launch launch;
//   launch.grid = {blocks, 1, 1};
//   launch.arguments = {sim::Argument::pointer(src.data()), sim::Argument::pointer(dst.data()),
//                       sim::Argument::integer(n)};
//   launch.memory = &memory;
//   bool fine = exe->run(launch, sink);
//
// prepare() turns the module into a flat program that needs MLIR no more; run()
// may be called many times and from many threads. Needs ttg before or after the
// transform pipeline: shared-memory offsets are taken from `allocation.offset`
// where present, so that a wrong allocation shows, and are assigned otherwise.
//
// Programs (CTAs) run in parallel on host threads. Results are bit-identical
// for any number of threads as long as no two programs write different plain
// values to one address, which is reported (Races.h); kernels whose atomics do not commute, or
// whose atomic results are used, run their programs one after the other in grid order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "sim/machine/Memory.h"
#include "sim/machine/Verdict.h"
#include "support/TensorDescription.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace gluonc::bitcode {
class Libraries;
} // namespace gluonc::bitcode

namespace gluonc::sim {

struct Program;
struct Schedule;

/// One kernel argument; the kernel's parameter type decides width and format.
struct Argument {
  enum class Kind : uint8_t { Pointer, Integer, Floating, Descriptor };
  Kind kind = Kind::Integer;
  /// Address or two's-complement integer.
  uint64_t bits = 0;
  /// Value of a floating argument, rounded to the parameter's type at launch.
  double value = 0;
  /// Of a descriptor; lives until the launch returns.
  const TensorDescription *tensor = nullptr;

  static Argument pointer(const void *address) {
    return {Kind::Pointer, reinterpret_cast<uint64_t>(address)};
  }
  static Argument integer(int64_t value) { return {Kind::Integer, static_cast<uint64_t>(value)}; }
  static Argument floating(double value) { return {Kind::Floating, 0, value}; }
  /// The extents and strides that follow it are arguments of their own.
  static Argument descriptor(const TensorDescription &tensor) {
    return {Kind::Descriptor, 0, 0, &tensor};
  }
};

struct Launch {
  /// A few seconds of an empty loop: more than any kernel that gets somewhere needs.
  static constexpr uint64_t kDefaultMaxBranches = uint64_t(1) << 26;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::vector<Argument> arguments;
  const Memory *memory = nullptr;
  /// Host threads to use; 0 means one per hardware thread.
  unsigned hostThreads = 0;
  /// At most this many diagnostics are reported; every program runs regardless.
  unsigned maxFaults = 20;
  /// Branches that one program may execute before it counts as hung; 0 means no limit.
  uint64_t maxBranches = kDefaultMaxBranches;
  /// Runs the partitions of a program in turns of random length and order, which this
  /// number decides; without it, each runs until it waits.
  std::optional<uint64_t> scheduleSeed;
  /// Decides in place of a seed, and is told what happened; programs run one after the other.
  Schedule *schedule = nullptr;
  /// Accesses of several programs to the same global memory that nothing orders, and elements of
  /// one store that go to one place (Races.h).
  Verdict races = Verdict::Fault;
  /// Results that depend on masked-off elements of loads without `other`.
  Verdict maskedOff = Verdict::Warn;
  /// Loads of what nothing has written, and from behind the end of a buffer, which give anything.
  Verdict unknownReads = Verdict::Fault;
  /// Asked now and then, on the thread that called run(): whether the launch is to end before it
  /// is done, without a report.
  std::function<bool()> shouldStop;
  /// Where tt.print writes, in grid order after the run; null discards it.
  llvm::raw_ostream *output = nullptr;
};

/// Debuggers go step by step (Stepping.h), and read variables (machine/Variables.h).
enum class Purpose : uint8_t { Run, Debug };

/// A kernel compiled for simulation. Immutable: safe to run from several threads at once.
class Executable {
public:
  /// Null exactly when it has reported at least one error: the kernel is missing, or
  /// uses an operation or type that the simulator does not know. `libraries`: those of the launch,
  /// whose functions come before the simulator's own; null: none.
  static std::unique_ptr<Executable> prepare(mlir::ModuleOp module, llvm::StringRef kernelName,
                                             diag::Sink &sink, const diag::SourceManager &sources,
                                             Purpose purpose = Purpose::Run,
                                             const bitcode::Libraries *libraries = nullptr);
  ~Executable();

  /// Runs the whole grid. A fault stops the program it happens in; the others go on.
  /// Faults are reported once for each kind and source line, with a count and the
  /// lowest program that met them. Returns whether there was none.
  bool run(const Launch &launch, diag::Sink &sink) const;

  const Program &code() const { return *program; }

private:
  explicit Executable(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program;
};

/// Whether prepare() knows an operation, by its full name ("tt.load").
bool supportsOperation(llvm::StringRef name);

} // namespace gluonc::sim

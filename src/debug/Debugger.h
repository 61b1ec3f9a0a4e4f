//===- Debugger.h - Stops, steps and steps back in a simulated launch -----------===//
//
// Steps a launch (sim/Stepping.h) and stops it before an instruction. Where it
// stands is a number: how many instructions have been executed. The simulator is
// deterministic, so a way back is the way from the start to a smaller number, and
// costs what that way cost.
//
// A thread is a partition of a CTA of the program in hand. Stepping one lets the
// others run as the schedule has it. A thread arrives at a line where its next
// instruction is of another line than its last; coming back from a function that was
// called in the line is no arrival. Calls are inlined: at a line that begins with one
// the thread stands in both, and the frame of the line is the one selected.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "debug/Lines.h"
#include "debug/Thread.h"
#include "debug/Values.h"
#include "driver/Run.h"
#include "sim/Stepping.h"

namespace gluonc::debug {

struct Breakpoint {
  unsigned id = 0;
  Line line;
  /// An expression; empty: always.
  std::string condition;
};

/// Elements of a buffer, a variable of a thread, or bytes of memory: what was written to them.
struct Watchpoint {
  unsigned id = 0;
  std::string text;
  /// Of a buffer.
  std::optional<host::Tensor> elements;
  /// In shared memory of the cluster, by offset, or in global memory, by address: `bytes` each.
  struct Place {
    uint64_t begin = 0;
    bool isShared = false;
  };
  std::vector<Place> places;
  unsigned bytes = 0;
  /// Of what is at the places; none for bare bytes.
  std::optional<sema::DType> dtype;
  /// Of a variable.
  ThreadId thread;
  std::string last;
};

struct Stop {
  enum class Reason : uint8_t { Start, Breakpoint, Watchpoint, Step, Fault, Cause, End };
  Reason reason = Reason::Start;
  /// Of a breakpoint or watchpoint.
  unsigned id = 0;
  /// What is to be said beyond that: why a condition has no value, what a watchpoint saw.
  std::string text = "";
};

enum class Direction : uint8_t { Forward, Back };
/// Into functions, over them, or out of the one in hand.
enum class Step : uint8_t { Into, Over, Out };

/// A kernel for a debugger, as `gluonc run` would simulate it. Null after a report.
std::unique_ptr<sim::Executable> prepare(driver::KernelSource source,
                                         const diag::SourceManager &sources, diag::Sink &sink);

class Debugger {
public:
  /// `executable` is one of prepare(). What is given outlives it; the tensors of the
  /// arguments are written to.
  Debugger(const sim::Executable &executable, const driver::KernelArguments &arguments,
           driver::Grid grid, const driver::SimulatedRun &how, const host::HostScope &scope);
  ~Debugger();

  // -- Going on and back ---------------------------------------------------------

  /// To the first instruction.
  Stop start();
  Stop resume(Direction direction);
  Stop step(Step step, Direction direction);
  /// Why and where it stands.
  const Stop &stop() const { return current; }
  uint64_t position() const { return executed; }
  /// Asked now and then; where it says so, resume() and step() stop.
  std::function<bool()> shouldPause;

  // -- Breakpoints ---------------------------------------------------------------

  /// At the first line from there on that has instructions.
  llvm::Expected<Breakpoint> addBreakpoint(Line line, std::string condition);
  /// An argument's tensor, or elements of it; a variable of the selected thread; elements of shared
  /// memory, `smem[3]`, whoever writes them, in the program in hand; `*ADDRESS` or `*POINTER`, so
  /// many bytes with `:BYTES`, in global memory.
  llvm::Expected<unsigned> watch(std::string text);
  bool remove(unsigned id);
  void removeBreakpoints(const diag::SourceFile *file);
  const std::vector<Breakpoint> &breakpoints() const { return allBreakpoints; }
  const std::vector<Watchpoint> &watchpoints() const { return allWatchpoints; }

  // -- Looking -------------------------------------------------------------------

  const Lines &lines() const { return allLines; }
  /// Of the program in hand.
  std::vector<ThreadId> threads() const;
  ThreadId selected() const { return selectedThread; }
  /// Of the selected thread: how many calls deep from the innermost function, 0.
  size_t selectedFrame() const { return frame; }
  /// False where there is no such thread, or frame.
  bool select(ThreadId thread);
  bool selectFrame(size_t wanted);
  std::string nameOf(ThreadId thread) const;
  /// What it waits for, or that it may go on.
  std::string stateOf(ThreadId thread) const;
  /// Outermost first; empty where a thread has not begun.
  Trace traceOf(ThreadId thread) const;
  /// Variables of a frame of a thread, innermost 0, by name.
  std::vector<const sim::Variable *> variables(ThreadId thread, size_t frame) const;
  VariableValue valueOf(const sim::Variable &variable, ThreadId thread) const;
  /// Null where a frame of a thread has no such variable (yet).
  const sim::Variable *find(llvm::StringRef name, ThreadId thread, size_t frame = 0) const;
  /// The value of an expression of host/Expression.h, in which variables of a frame of a thread
  /// and the kernel's arguments have names.
  llvm::Expected<host::HostValue> evaluate(llvm::StringRef text, ThreadId thread, size_t frame = 0);
  /// The same as text; a variable alone with its type.
  llvm::Expected<std::string> print(llvm::StringRef text, ThreadId thread, size_t frame = 0);
  /// Of arguments: their tensors and numbers, those that are known at compile time, too.
  const host::HostScope &arguments() const { return scope; }

  sim::SteppedLaunch &launch() { return *stepped; }
  std::string programName() const;
  /// The fault at which it stands, or at the end what the whole launch met.
  void report(diag::Sink &sink);
  /// What the kernel has printed since it was last asked.
  std::string takeOutput();

private:
  struct Upcoming {
    const sim::Instruction *instruction = nullptr;
    Thread *thread = nullptr;
    /// The level in its trace of the outermost line that the thread comes to.
    std::optional<size_t> arrival;
  };

  void restart();
  /// The instruction to come; without one it stands at a fault or at the end.
  Upcoming upcoming();
  void execute(const Upcoming &next);
  void goTo(uint64_t position);
  /// In the frame of this level of the trace; without, in the innermost.
  Stop stopBefore(Stop stop, std::optional<size_t> level = std::nullopt);
  Stop stopAtEnd();
  /// What stops it before an instruction, and the level in the trace of the line concerned.
  using Found = std::optional<std::pair<Stop, std::optional<size_t>>>;
  Stop goForward(llvm::function_ref<Found(const Upcoming &)> stopAt);
  /// To the last place before where `stopAt` says so or, where `watches`, something watched
  /// changes; else to the start.
  Stop goBack(llvm::function_ref<Found(const Upcoming &)> stopAt, bool watches);
  /// The part of a path like `pipe.full[1].x` that names a variable, if any does.
  const sim::Variable *findPrefix(llvm::StringRef &path, ThreadId thread, size_t frame) const;
  llvm::Expected<bool> holds(llvm::StringRef condition, ThreadId thread, size_t frame);
  Found breakpointAt(const Upcoming &next);
  std::optional<Stop> watchedChange();
  llvm::Error watchArgument(Watchpoint &watchpoint);
  llvm::Error watchAddresses(Watchpoint &watchpoint);
  /// False where the text names no elements of memory on the chip.
  llvm::Expected<bool> watchShared(Watchpoint &watchpoint);
  std::string sample(const Watchpoint &watchpoint) const;
  std::string sampleText(const Watchpoint &watchpoint);
  const Thread *findThread(ThreadId id) const;
  const sim::Fiber *fiberOf(ThreadId id) const;

  const sim::Executable &executable;
  const driver::KernelArguments &kernelArguments;
  const driver::Grid grid;
  const driver::SimulatedRun how;
  const host::HostScope &scope;
  Lines allLines;
  /// What the tensors held before the launch, and which of them held nothing.
  struct Initial {
    host::Buffer *buffer;
    std::string bytes;
    bool isPoisoned;
  };
  std::vector<Initial> initial;

  std::unique_ptr<driver::SimulatedLaunch> simulated;
  std::unique_ptr<sim::SteppedLaunch> stepped;
  uint64_t executed = 0;
  /// Threads of the program in hand that have run.
  std::map<ThreadId, Thread> known;
  uint64_t knownProgram = 0;
  ThreadId selectedThread;
  size_t frame = 0;
  Stop current;
  std::vector<Breakpoint> allBreakpoints;
  std::vector<Watchpoint> allWatchpoints;
  unsigned lastId = 0;
  bool hasReported = false;
  /// How much of the output was shown.
  size_t shown = 0;
};

} // namespace gluonc::debug

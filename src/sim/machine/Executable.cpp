//===- Executable.cpp - prepare and run -------------------------------------===//
#include "sim/Stepping.h"
#include "sim/lower/Lowering.h"
#include "sim/machine/ProgramPool.h"
#include "sim/machine/Races.h"
#include "support/Forks.h"
#include "support/Recovery.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace gluonc::sim {

Executable::Executable(std::unique_ptr<Program> program) : program(std::move(program)) {}
Executable::~Executable() = default;

bool supportsOperation(llvm::StringRef name) { return operationTable().contains(name); }

std::unique_ptr<Executable> Executable::prepare(mlir::ModuleOp module, llvm::StringRef kernelName,
                                                diag::Sink &sink,
                                                const diag::SourceManager &sources, Purpose purpose,
                                                const bitcode::Libraries *libraries) {
  auto kernel = module.lookupSymbol<tt::FuncOp>(kernelName);
  if (!kernel || kernel.isExternal()) {
    sink.report(diag::Kind::SimulatedKernelMissing, diag::Span(), kernelName).end();
    return nullptr;
  }
  auto program = std::make_unique<Program>();
  if (auto shared = module->getAttrOfType<mlir::IntegerAttr>(ttg::sharedAttr))
    program->sharedBytes = static_cast<uint32_t>(shared.getInt());
  program->sanitizer = sanitizerOf(module);
  Lowering lowering(*program, sink, sources);
  lowering.truncatesPayloads = truncatesPayloads(module);
  lowering.setLibraries(libraries);
  lowering.forDebugger = purpose == Purpose::Debug;
  if (!lowering.lowerKernel(kernel))
    return nullptr;
  return std::unique_ptr<Executable>(new Executable(std::move(program)));
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static const char *describe(Argument::Kind kind) {
  switch (kind) {
  case Argument::Kind::Pointer:
    return "a pointer";
  case Argument::Kind::Integer:
    return "an integer";
  case Argument::Kind::Descriptor:
    return "a tensor descriptor";
  case Argument::Kind::Floating:
    return "a floating-point number";
  }
  GL_UNREACHABLE("argument kind");
}

static Argument::Kind expectedKind(ElementKind kind) {
  return kind == ElementKind::Pointer            ? Argument::Kind::Pointer
         : kind == ElementKind::TensorDescriptor ? Argument::Kind::Descriptor
         : isFloat(kind)                         ? Argument::Kind::Floating
                                                 : Argument::Kind::Integer;
}

/// The bytes that a parameter holds.
static uint64_t parameterBits(ElementKind kind, const Argument &argument) {
  uint64_t bits = argument.bits;
  withFloatElement(kind, [&](auto element) {
    auto rounded = decltype(element)::round(argument.value, Rounding::NearestEven);
    bits = 0;
    std::memcpy(&bits, &rounded, sizeof rounded);
  });
  return kind == ElementKind::I1 ? bits & 1 : bits;
}

static bool checkArguments(const Program &program, const Launch &launch, diag::Sink &sink) {
  if (launch.arguments.size() != program.parameters.size()) {
    sink.report(diag::Kind::SimulatedArgumentCount, program.places.front().span, program.kernel,
                program.parameters.size(), launch.arguments.size())
        .end();
    return false;
  }
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    Argument::Kind expected = expectedKind(program.parameters[i].kind);
    if (launch.arguments[i].kind != expected) {
      sink.report(diag::Kind::SimulatedArgumentKind, program.places.front().span, i, program.kernel,
                  describe(expected), describe(launch.arguments[i].kind))
          .end();
      return false;
    }
  }
  return true;
}

static void setArguments(const Launch &launch, Cta &cta) {
  const Program &program = cta.program;
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    const Parameter &parameter = program.parameters[i];
    uint64_t bits = parameterBits(parameter.kind, launch.arguments[i]);
    cta.forEachFrame([&] {
      if (parameter.kind == ElementKind::TensorDescriptor)
        *cta.at<TensorDescription>(parameter.offset) = *launch.arguments[i].tensor;
      else
        std::memcpy(cta.at<uint8_t>(parameter.offset), &bits, sizeof bits);
    });
    cta.parameterRanges.push_back(parameter.kind == ElementKind::Pointer ? cta.memory.findPart(bits)
                                                                         : nullptr);
  }
}

/// "k.py:12:5"; "" where the IR has no place in a file.
static std::string whereText(const Place &place) {
  if (!place.span)
    return "";
  diag::LineColumn at = place.span.file->position(place.span.begin);
  return place.span.file->path() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

static const Memory &memoryOf(const Launch &launch) {
  static const Memory none;
  return launch.memory ? *launch.memory : none;
}

static uint64_t programsOf(const Launch &launch) {
  return uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
}

static std::unique_ptr<Cta> makeCta(const Program &program, const Launch &launch, Races *races,
                                    ProgramPool *pool, std::function<bool()> shouldStop) {
  auto cta = std::make_unique<Cta>(program, memoryOf(launch), launch.grid, launch.maxBranches,
                                   launch.scheduleSeed, std::move(shouldStop));
  cta->schedule = launch.schedule;
  cta->races = races;
  cta->warpStores = WarpStores(program.accesses);
  cta->pool = pool;
  cta->maskedOff = launch.maskedOff;
  cta->unknownReads = launch.unknownReads;
  setArguments(launch, *cta);
  return cta;
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

/// What the host threads of one run share.
class GridRun {
public:
  /// `pool`: where programs take over the work of others; then there is one thread.
  GridRun(uint64_t programs, unsigned threads, const std::function<bool()> &question,
          ProgramPool *pool)
      : end(programs), programs(programs), running(threads), question(question), pool(pool) {
    // Chunks small enough to even out programs of different length.
    constexpr uint64_t kChunksPerThread = 32;
    chunk = std::max<uint64_t>(1, programs / (std::max(1u, threads) * kChunksPerThread));
  }

  /// Runs programs until there are no more. Only the thread that launched asks whether to stop.
  void work(Cta &cta, bool mayAsk, bool recovers) {
    std::optional<InternalError> error = recover(recovers, [&] {
      beginStage("simulate");
      workUnguarded(cta, mayAsk);
    });
    std::lock_guard held(mutex);
    if (error) {
      isStopped = true;
      failure = std::move(error);
    }
    --running;
    changed.notify_all();
  }

  /// One of the threads could not be started.
  void dropThread() {
    std::lock_guard held(mutex);
    --running;
  }

  /// Returns when no thread works any more.
  void wait() {
    std::unique_lock held(mutex);
    while (!changed.wait_for(held, kPatience, [&] { return running == 0; })) {
      held.unlock();
      (void)shouldStop(/*mayAsk=*/true);
      held.lock();
    }
  }

  bool shouldStop(bool mayAsk) {
    if (mayAsk && question && !isStopped) {
      auto now = std::chrono::steady_clock::now();
      if (now - asked >= kPatience) {
        isStopped = question();
        asked = now;
      }
    }
    return isStopped.load(std::memory_order_relaxed);
  }

  std::optional<InternalError> failure;
  std::atomic<bool> isStopped = false;
  /// No programs from here on. Where one does not come to an end, those behind it hardly would;
  /// those before it have begun, so the same faults are reported for any number of threads.
  std::atomic<uint64_t> end;
  bool isCut() const { return end != programs; }

private:
  /// False where no more are to run.
  bool runProgram(Cta &cta, uint64_t program, bool mayAsk) {
    if (program >= end || shouldStop(mayAsk))
      return false;
    cta.run(program);
    if (cta.isEndless)
      endBehind(program);
    return true;
  }

  /// Programs are handed out in chunks: neighbours touch neighbouring memory.
  void workUnguarded(Cta &cta, bool mayAsk) {
    if (pool) {
      while (std::optional<uint64_t> program = pool->launch())
        if (!runProgram(cta, *program, mayAsk))
          return;
      return;
    }
    for (;;) {
      uint64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= end)
        return;
      for (uint64_t i = begin; i < begin + chunk; ++i)
        if (!runProgram(cta, i, mayAsk))
          return;
    }
  }

  void endBehind(uint64_t program) {
    uint64_t known = end;
    while (program + 1 < known && !end.compare_exchange_weak(known, program + 1)) {
    }
  }

  static constexpr std::chrono::milliseconds kPatience{50};
  uint64_t programs, chunk;
  std::atomic<uint64_t> next = 0;
  std::mutex mutex;
  std::condition_variable changed;
  unsigned running;
  const std::function<bool()> &question;
  ProgramPool *pool;
  std::chrono::steady_clock::time_point asked = std::chrono::steady_clock::now();
};

static void writeOutput(std::vector<std::pair<uint64_t, std::string>> all, llvm::raw_ostream &out) {
  std::sort(all.begin(), all.end());
  for (const auto &[program, text] : all)
    out << text;
}

/// The first one is this thread's.
static void runOnThreads(GridRun &grid, llvm::ArrayRef<std::unique_ptr<Cta>> ctas) {
  if (ctas.empty())
    return;
  bool recovers = Recovery::isActive();
  {
    AtRest running;
    std::vector<std::thread> threads;
    threads.reserve(ctas.size());
    for (const std::unique_ptr<Cta> &cta : ctas.drop_front()) {
      auto start = [&, recovers] {
        threads.emplace_back([&, recovers] { grid.work(*cta, /*mayAsk=*/false, recovers); });
      };
      // The system may have no more threads; then fewer do the work.
      if (recover(/*recovers=*/true, start))
        grid.dropThread();
    }
    grid.work(*ctas.front(), /*mayAsk=*/true, recovers);
    grid.wait();
    for (std::thread &thread : threads)
      thread.join();
  }
  if (grid.failure)
    raiseAgain(std::move(*grid.failure));
}

bool Executable::run(const Launch &launch, diag::Sink &sink) const {
  if (!checkArguments(*program, launch, sink))
    return false;
  uint64_t programs = programsOf(launch);
  unsigned threadCount =
      launch.hostThreads ? launch.hostThreads : std::max(1u, std::thread::hardware_concurrency());
  if (program->sequential || program->takesPrograms || launch.schedule)
    threadCount = 1;
  threadCount = static_cast<unsigned>(std::min<uint64_t>(threadCount, programs));
  std::optional<ProgramPool> pool;
  if (program->takesPrograms)
    pool.emplace(programs, launch.scheduleSeed);
  GridRun grid(programs, threadCount, launch.shouldStop, pool ? &*pool : nullptr);

  std::optional<Races> races;
  if (launch.races != Verdict::Ignore)
    races.emplace(*program, memoryOf(launch), launch, /*parallel=*/threadCount > 1);

  std::vector<std::unique_ptr<Cta>> ctas;
  for (unsigned i = 0; i < threadCount; ++i)
    ctas.push_back(makeCta(*program, launch, races ? &*races : nullptr, pool ? &*pool : nullptr,
                           [&grid, i] { return grid.shouldStop(i == 0); }));
  runOnThreads(grid, ctas);
  if (grid.isStopped)
    return false;
  if (launch.schedule)
    for (Schedule::Step &step : launch.schedule->steps)
      step.where = whereText(program->places[step.place]);

  FaultLog faults;
  std::vector<std::pair<uint64_t, std::string>> printed;
  for (const std::unique_ptr<Cta> &cta : ctas) {
    faults.merge(cta->faults);
    std::move(cta->printed.begin(), cta->printed.end(), std::back_inserter(printed));
  }
  if (grid.isCut()) {
    faults.endBehind(grid.end - 1);
    llvm::erase_if(printed, [&](const auto &each) { return each.first >= grid.end; });
  }
  if (races)
    races->report(faults);
  if (launch.output)
    writeOutput(std::move(printed), *launch.output);
  faults.report(sink, *program, launch.grid, launch.maxFaults);
  return !faults.hasErrors();
}

//===----------------------------------------------------------------------===//
// Step by step
//===----------------------------------------------------------------------===//

SteppedLaunch::SteppedLaunch(const Program &program, const Launch &launch)
    : launch(launch), programs(programsOf(launch)) {
  if (program.takesPrograms)
    pool = std::make_unique<ProgramPool>(programs, launch.scheduleSeed);
  if (launch.races != Verdict::Ignore)
    races = std::make_unique<Races>(program, memoryOf(launch), launch, /*parallel=*/false);
  cta = makeCta(program, launch, races.get(), pool.get(), [] { return false; });
  beginProgram();
}

SteppedLaunch::~SteppedLaunch() = default;

std::unique_ptr<SteppedLaunch> SteppedLaunch::begin(const Executable &executable,
                                                    const Launch &launch, diag::Sink &sink) {
  if (!checkArguments(executable.code(), launch, sink))
    return nullptr;
  return std::unique_ptr<SteppedLaunch>(new SteppedLaunch(executable.code(), launch));
}

bool SteppedLaunch::beginProgram() {
  std::optional<uint64_t> program;
  if (pool)
    program = pool->launch();
  else if (begun < programs)
    program = begun++;
  if (!program)
    return false;
  faults.merge(std::exchange(cta->faults, FaultLog()));
  cta->begin(*program);
  return true;
}

const Instruction *SteppedLaunch::next() {
  do {
    if (const Instruction *instruction = cta->next())
      return instruction;
  } while (!cta->failed && beginProgram());
  return nullptr;
}

bool SteppedLaunch::leaveFault() {
  return cta->failed && !cta->isEndless && beginProgram() && next();
}

void SteppedLaunch::reportProgram(diag::Sink &sink) const {
  cta->faults.report(sink, program(), launch.grid, launch.maxFaults);
}

void SteppedLaunch::report(diag::Sink &sink) {
  faults.merge(cta->faults);
  if (races)
    races->report(faults);
  faults.report(sink, program(), launch.grid, launch.maxFaults);
}

} // namespace gluonc::sim

// Going on, going back, and what stops it.
#include "debug/Debugger.h"

namespace gluonc::debug {

/// Instructions between two questions whether to pause.
static constexpr uint64_t kPerQuestion = 1 << 12;

static ThreadId idOf(const sim::Fiber &fiber) { return {fiber.partition, fiber.cta}; }

std::unique_ptr<sim::Executable> prepare(driver::KernelSource source,
                                         const diag::SourceManager &sources, diag::Sink &sink) {
  driver::Compiler compiler;
  source.options.namesVariables = true;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      driver::makeSimulatedIr(compiler, source, sources, sink);
  if (!module)
    return nullptr;
  return sim::Executable::prepare(*module, driver::kernelNameOf(*module), sink, sources,
                                  sim::Purpose::Debug);
}

Debugger::Debugger(const sim::Executable &executable, const driver::KernelArguments &arguments,
                   driver::Grid grid, const driver::SimulatedRun &how, const host::HostScope &scope)
    : executable(executable), kernelArguments(arguments), grid(grid), how(how), scope(scope),
      allLines(executable.code()) {
  for (auto &[buffer, name] : driver::buffersOf(arguments))
    initial.push_back({buffer,
                       std::string(reinterpret_cast<char *>(buffer->data()), buffer->size()),
                       buffer->isPoisoned()});
  start();
}

Debugger::~Debugger() = default;

void Debugger::restart() {
  for (const Initial &each : initial) {
    if (each.isPoisoned)
      each.buffer->poison();
    each.buffer->written.clear();
    std::copy(each.bytes.begin(), each.bytes.end(), each.buffer->data());
  }
  simulated = std::make_unique<driver::SimulatedLaunch>(kernelArguments, grid, how);
  // Arguments that do not fit were reported before there was a debugger.
  diag::Collector sink;
  stepped = sim::SteppedLaunch::begin(executable, simulated->launch, sink);
  executed = 0;
  hasReported = false;
  known.clear();
  knownProgram = 0;
  for (Watchpoint &watchpoint : allWatchpoints)
    watchpoint.last = sample(watchpoint);
}

Debugger::Upcoming Debugger::upcoming() {
  const sim::Instruction *next = stepped->next();
  if (!next)
    return {};
  sim::Cta &machine = stepped->machine();
  if (machine.programIndex != knownProgram)
    known.clear();
  knownProgram = machine.programIndex;
  Thread &thread = known[idOf(*machine.fiber)];
  return {next, &thread, thread.arrivesAt(*next, allLines.traceAt(next->place))};
}

void Debugger::execute(const Upcoming &next) {
  next.thread->execute(*next.instruction, allLines.traceAt(next.instruction->place));
  stepped->step();
  ++executed;
}

void Debugger::goTo(uint64_t position) {
  restart();
  while (executed < position) {
    Upcoming next = upcoming();
    if (next.instruction)
      execute(next);
    else if (!stepped->leaveFault())
      return;
  }
}

// -- Stops -----------------------------------------------------------------------------

Stop Debugger::stopBefore(Stop stop, std::optional<size_t> level) {
  (void)upcoming();
  if (const sim::Fiber *fiber = stepped->machine().fiber)
    selectedThread = idOf(*fiber);
  frame = level ? traceOf(selectedThread).size() - 1 - *level : 0;
  return current = std::move(stop);
}

Stop Debugger::stopAtEnd() {
  return stopBefore({stepped->isAtFault() && current.reason != Stop::Reason::Fault
                         ? Stop::Reason::Fault
                         : Stop::Reason::End});
}

Debugger::Found Debugger::breakpointAt(const Upcoming &next) {
  if (!next.arrival)
    return std::nullopt;
  const Trace &trace = allLines.traceAt(next.instruction->place);
  for (const Breakpoint &breakpoint : allBreakpoints) {
    auto line = std::find(trace.begin() + *next.arrival, trace.end(), breakpoint.line);
    if (line == trace.end())
      continue;
    const size_t level = line - trace.begin();
    Stop stop = {Stop::Reason::Breakpoint, breakpoint.id};
    if (breakpoint.condition.empty())
      return std::pair(stop, level);
    llvm::Expected<bool> wanted =
        holds(breakpoint.condition, idOf(*stepped->machine().fiber), trace.size() - 1 - level);
    if (!wanted)
      stop.text = "its condition has no value: " + llvm::toString(wanted.takeError());
    if (!stop.text.empty() || *wanted)
      return std::pair(stop, level);
  }
  return std::nullopt;
}

std::optional<Stop> Debugger::watchedChange() {
  std::optional<Stop> found;
  for (Watchpoint &watchpoint : allWatchpoints) {
    std::string now = sample(watchpoint);
    if (now == watchpoint.last)
      continue;
    watchpoint.last = std::move(now);
    found = Stop{Stop::Reason::Watchpoint, watchpoint.id,
                 watchpoint.text + " is now " + sampleText(watchpoint)};
  }
  return found;
}

// -- Going on ------------------------------------------------------------------------

Stop Debugger::goForward(llvm::function_ref<Found(const Upcoming &)> stopAt) {
  bool mayStop = false;
  for (uint64_t count = 1;; ++count) {
    Upcoming next = upcoming();
    if (!next.instruction) {
      if (mayStop || !stepped->leaveFault())
        return stopAtEnd();
      current.reason = Stop::Reason::Step;
      mayStop = true;
      continue;
    }
    if (Found found = mayStop ? stopAt(next) : std::nullopt)
      return stopBefore(found->first, found->second);
    if (count % kPerQuestion == 0 && shouldPause && shouldPause())
      return stopBefore({Stop::Reason::Step});
    execute(next);
    mayStop = true;
    if (std::optional<Stop> stop = watchedChange())
      return stopBefore(*stop);
  }
}

Stop Debugger::start() {
  restart();
  return stopBefore({});
}

Stop Debugger::resume(Direction direction) {
  if (direction == Direction::Forward)
    return goForward([&](const Upcoming &next) { return breakpointAt(next); });
  // A fault's cause is where one wants to go from it.
  const sim::Fault *fault = stepped->fault();
  std::optional<uint32_t> cause;
  if (fault && !fault->notes.empty())
    cause = fault->notes.front().first;
  else if (fault && fault->usePlace >= 0)
    cause = fault->place;
  const uint64_t program = knownProgram;
  auto stopAt = [&](const Upcoming &next) -> Found {
    if (Found found = breakpointAt(next))
      return found;
    if (cause && next.instruction->place == *cause && knownProgram == program &&
        next.thread->begins(*next.instruction))
      return std::pair(Stop{Stop::Reason::Cause}, std::nullopt);
    return std::nullopt;
  };
  return goBack(stopAt, /*watches=*/true);
}

Stop Debugger::step(Step step, Direction direction) {
  const ThreadId thread = selectedThread;
  const uint64_t program = knownProgram;
  const size_t depth = std::max<size_t>(1, traceOf(thread).size() - frame);
  // The thread stands in the function already, which was called at the beginning of the line.
  if (step == Step::Into && direction == Direction::Forward && frame) {
    --frame;
    return current = {Stop::Reason::Step};
  }
  auto ends = [&](const Upcoming &next) -> Found {
    std::pair<Stop, std::optional<size_t>> stop = {Stop{Stop::Reason::Step}, next.arrival};
    const bool isAlive = knownProgram == program && fiberOf(thread);
    if (!isAlive && direction == Direction::Forward)
      return next.arrival ? Found(stop) : std::nullopt;
    if (knownProgram != program || idOf(*stepped->machine().fiber) != thread)
      return std::nullopt;
    const size_t now = allLines.traceAt(next.instruction->place).size();
    const bool stops = step == Step::Out    ? now > 0 && now < depth
                       : step == Step::Over ? next.arrival && *next.arrival < depth
                                            : next.arrival.has_value();
    return stops ? Found(stop) : std::nullopt;
  };
  if (direction == Direction::Back)
    return goBack(ends, /*watches=*/false);
  return goForward([&](const Upcoming &next) {
    Found found = breakpointAt(next);
    return found ? found : ends(next);
  });
}

Stop Debugger::goBack(llvm::function_ref<Found(const Upcoming &)> stopAt, bool watches) {
  const uint64_t limit = executed;
  uint64_t position = 0;
  std::pair<Stop, std::optional<size_t>> stop;
  restart();
  while (executed < limit) {
    Upcoming next = upcoming();
    if (!next.instruction) {
      if (!stepped->leaveFault())
        break;
      continue;
    }
    if (Found found = stopAt(next)) {
      stop = std::move(*found);
      position = executed;
    }
    execute(next);
    if (std::optional<Stop> changed = watches ? watchedChange() : std::nullopt) {
      stop = {std::move(*changed), std::nullopt};
      position = executed - 1;
    }
  }
  goTo(position);
  return stopBefore(std::move(stop.first), stop.second);
}

// -- Breakpoints -------------------------------------------------------------------------

llvm::Expected<Breakpoint> Debugger::addBreakpoint(Line line, std::string condition) {
  std::optional<Line> actual = allLines.firstWithCode(line);
  if (!actual || functionAround(*actual) != functionAround(line))
    return llvm::createStringError("there is no code at line " + std::to_string(line.number) +
                                   ", or behind it in its function");
  allBreakpoints.push_back({++lastId, *actual, std::move(condition)});
  return allBreakpoints.back();
}

bool Debugger::remove(unsigned id) {
  auto isMeant = [&](const auto &each) { return each.id == id; };
  const size_t before = allBreakpoints.size() + allWatchpoints.size();
  llvm::erase_if(allBreakpoints, isMeant);
  llvm::erase_if(allWatchpoints, isMeant);
  return allBreakpoints.size() + allWatchpoints.size() != before;
}

void Debugger::removeBreakpoints(const diag::SourceFile *file) {
  llvm::erase_if(allBreakpoints,
                 [&](const Breakpoint &breakpoint) { return breakpoint.line.file == file; });
}

// -- Threads -----------------------------------------------------------------------------

const sim::Fiber *Debugger::fiberOf(ThreadId id) const {
  for (const std::unique_ptr<sim::Fiber> &fiber : stepped->machine().fibers)
    if (idOf(*fiber) == id && fiber->state != sim::Fiber::State::Done)
      return fiber.get();
  return nullptr;
}

std::vector<ThreadId> Debugger::threads() const {
  std::vector<ThreadId> ids;
  for (const std::unique_ptr<sim::Fiber> &fiber : stepped->machine().fibers)
    ids.push_back(idOf(*fiber));
  llvm::sort(ids);
  return ids;
}

bool Debugger::select(ThreadId thread) {
  if (!llvm::is_contained(threads(), thread))
    return false;
  selectedThread = thread;
  frame = 0;
  return true;
}

bool Debugger::selectFrame(size_t wanted) {
  if (wanted >= traceOf(selectedThread).size())
    return false;
  frame = wanted;
  return true;
}

const Thread *Debugger::findThread(ThreadId id) const {
  auto thread = known.find(id);
  return thread == known.end() ? nullptr : &thread->second;
}

Trace Debugger::traceOf(ThreadId id) const {
  const sim::Cta &machine = stepped->machine();
  // A faulting instruction has been executed; it is where the thread is.
  if (const sim::Fiber *fiber = fiberOf(id); fiber && !stepped->isAtFault()) {
    uint32_t pc = fiber == machine.fiber ? machine.pc : fiber->pc;
    if (const Trace &trace = allLines.traceAt(machine.program.code[pc].place); !trace.empty())
      return trace;
  }
  const Thread *thread = findThread(id);
  return thread ? thread->trace() : Trace();
}

std::string Debugger::nameOf(ThreadId id) const {
  const sim::Cta &machine = stepped->machine();
  for (const std::unique_ptr<sim::Fiber> &fiber : machine.fibers)
    if (idOf(*fiber) == id) {
      std::string name = machine.nameOf(*fiber);
      return name == "it" ? "the kernel" : name;
    }
  return "a thread that has ended";
}

std::string Debugger::stateOf(ThreadId id) const {
  const sim::Fiber *fiber = fiberOf(id);
  if (!fiber)
    return "has ended";
  switch (fiber->state) {
  case sim::Fiber::State::Ready:
    return "may go on";
  case sim::Fiber::State::WaitsForBarrier:
    return "waits for " + stepped->machine().barrierText(fiber->barrier) + " (phase " +
           std::to_string(fiber->parity) + ")";
  case sim::Fiber::State::WaitsForPartitions:
    return "waits for the other partitions to end";
  case sim::Fiber::State::WaitsForCtas:
    return "waits for the other CTAs";
  case sim::Fiber::State::WaitsForMemory:
    return "waits for others to write memory";
  case sim::Fiber::State::Done:
    return "has ended";
  }
  GL_UNREACHABLE("state of a fiber");
}

std::string Debugger::programName() const {
  return "program " + sim::programText(knownProgram, grid);
}

void Debugger::report(diag::Sink &sink) {
  if (stepped->isAtFault() && current.reason == Stop::Reason::Fault)
    return stepped->reportProgram(sink);
  if (!hasReported)
    stepped->report(sink);
  hasReported = true;
}

std::string Debugger::takeOutput() {
  std::string all;
  for (const auto &[program, text] : stepped->machine().printed)
    all += text;
  std::string fresh = all.size() > shown ? all.substr(shown) : "";
  shown = std::max(shown, all.size());
  return fresh;
}

} // namespace gluonc::debug

#include "DebugPrompt.h"

#include "debug/Inspect.h"
#include "debug/TensorText.h"
#include "diag/Render.h"

#include "llvm/ADT/StringExtras.h"

#include <iostream>
#include <unistd.h>

namespace gluonc::tool {

using namespace debug;

struct DebugPrompt::Command {
  /// The first one is the full name; others are short for it.
  llvm::StringLiteral names;
  llvm::StringLiteral arguments;
  llvm::StringLiteral about;
  void (DebugPrompt::*run)(llvm::StringRef);
};

llvm::ArrayRef<DebugPrompt::Command> DebugPrompt::commands() {
  static constexpr Command table[] = {
      {"break b", "[FILE:]LINE [if EXPR]", "stop at a line, where the expression holds",
       &DebugPrompt::addBreakpoint},
      {"watch", "BUFFER[INDEX] | NAME | *ADDRESS[:BYTES]",
       "stop where elements of an argument or of shared memory, a variable or bytes of memory "
       "change",
       &DebugPrompt::watch},
      {"delete d", "[N]", "forget a breakpoint or watchpoint, or all", &DebugPrompt::remove},
      {"start", "", "back to the first instruction", &DebugPrompt::start},
      {"run r", "", "from the first instruction on", &DebugPrompt::restart},
      {"continue c", "", "on to a breakpoint, a watchpoint, a fault or the end",
       &DebugPrompt::resume},
      {"reverse-continue rc", "",
       "back to a breakpoint, to where something watched changed, from a fault to its cause, or to "
       "the start",
       &DebugPrompt::resumeBack},
      {"step s", "[N]", "to the thread's next line, into functions", &DebugPrompt::stepInto},
      {"next n", "[N]", "to its next line, over functions", &DebugPrompt::stepOver},
      {"finish", "", "out of the function", &DebugPrompt::stepOut},
      {"reverse-step rs", "[N]", "back to the thread's line before, into functions",
       &DebugPrompt::stepBackInto},
      {"reverse-next rn", "[N]", "back to its line before, over functions",
       &DebugPrompt::stepBackOver},
      {"print p", "EXPR | NAME, thread T | NAME, warp W",
       "a value, or the registers of a thread or a warp that hold it", &DebugPrompt::print},
      {"list l", "[LINE]", "lines of the source around a line", &DebugPrompt::list},
      {"backtrace bt", "", "the calls that led here", &DebugPrompt::backtrace},
      {"frame f", "N", "the function whose variables have their names", &DebugPrompt::selectFrame},
      {"thread t", "N", "the partition or CTA that is looked at and stepped",
       &DebugPrompt::selectThread},
      {"info i", "locals | args | breakpoints | threads | barriers | async",
       "what there is of these", &DebugPrompt::info},
      {"help h", "", "this list", &DebugPrompt::help},
      {"quit q", "", "end the session", nullptr},
  };
  return table;
}

const DebugPrompt::Command *DebugPrompt::findCommand(llvm::StringRef name) {
  for (const Command &command : commands()) {
    llvm::SmallVector<llvm::StringRef, 2> names;
    llvm::StringRef(command.names).split(names, ' ');
    if (llvm::is_contained(names, name))
      return &command;
  }
  return nullptr;
}

void DebugPrompt::run(std::vector<std::string> first) {
  showPlace();
  for (const std::string &line : first)
    if (!execute(line))
      return;
  const bool isTerminal = isatty(STDIN_FILENO);
  std::string line, last;
  for (;;) {
    if (isTerminal)
      out << "(gluonc) ";
    out.flush();
    if (!std::getline(std::cin, line))
      return;
    // As in gdb, an empty line is the one before.
    if (isTerminal && llvm::StringRef(line).trim().empty())
      line = last;
    if (!execute(line))
      return;
    last = line;
  }
}

bool DebugPrompt::execute(llvm::StringRef line) {
  line = line.take_until([](char c) { return c == '#'; }).trim();
  auto [name, rest] = line.split(' ');
  if (name.empty())
    return true;
  const Command *command = findCommand(name);
  if (!command) {
    say("there is no command `" + name + "`; `help` lists them");
    return true;
  }
  if (!command->run)
    return false;
  (this->*command->run)(rest.trim());
  return true;
}

void DebugPrompt::help(llvm::StringRef) {
  for (const Command &command : commands()) {
    auto [name, shorts] = llvm::StringRef(command.names).split(' ');
    say(name + (shorts.empty() ? "" : " (" + shorts + ")") +
        (command.arguments.empty() ? "" : " " + command.arguments));
    say("    " + command.about);
  }
}

// -- Stops -----------------------------------------------------------------------------

void DebugPrompt::showStop(const Stop &stop) {
  out << debugger.takeOutput();
  auto with = [&](const llvm::Twine &what) {
    say(what + " " + llvm::Twine(stop.id) + (stop.text.empty() ? "" : ": " + stop.text));
  };
  switch (stop.reason) {
  case Stop::Reason::Breakpoint:
    with("breakpoint");
    break;
  case Stop::Reason::Watchpoint:
    with("watchpoint");
    break;
  case Stop::Reason::Start:
    say("the start of the launch");
    break;
  case Stop::Reason::Cause:
    say("the cause of the fault");
    break;
  case Stop::Reason::Step:
    break;
  case Stop::Reason::Fault:
  case Stop::Reason::End: {
    diag::Collector met;
    debugger.report(met);
    for (const diag::Diagnostic &diagnostic : met.diagnostics)
      diag::renderText(diagnostic, out);
    if (stop.reason == Stop::Reason::End)
      return say("the end of the launch");
    break;
  }
  }
  showPlace();
}

void DebugPrompt::showPlace() {
  const ThreadId thread = debugger.selected();
  const std::optional<Line> line = lineHere();
  out << debugger.programName();
  if (debugger.threads().size() > 1)
    out << ", " << debugger.nameOf(thread);
  if (!line)
    return say(", nowhere in the source");
  say(", " + functionAround(*line) + " at " + placeText(*line));
  say(llvm::Twine(line->number) + "\t" + line->text());
}

std::optional<Line> DebugPrompt::lineHere() const {
  const Trace trace = debugger.traceOf(debugger.selected());
  const size_t frame = debugger.selectedFrame();
  return frame < trace.size() ? std::optional(trace[trace.size() - 1 - frame]) : std::nullopt;
}

// -- Going on and back -------------------------------------------------------------------

void DebugPrompt::start(llvm::StringRef) { showStop(debugger.start()); }
void DebugPrompt::restart(llvm::StringRef) {
  debugger.start();
  showStop(debugger.resume(Direction::Forward));
}
void DebugPrompt::resume(llvm::StringRef) { showStop(debugger.resume(Direction::Forward)); }
void DebugPrompt::resumeBack(llvm::StringRef) { showStop(debugger.resume(Direction::Back)); }

void DebugPrompt::repeat(llvm::StringRef text, Step step, Direction direction) {
  unsigned count = 1;
  if (!text.empty() && (text.getAsInteger(10, count) || count == 0))
    return say("a number of steps is wanted, not `" + text + "`");
  Stop stop;
  while (count--) {
    stop = debugger.step(step, direction);
    if (stop.reason != Stop::Reason::Step)
      break;
  }
  showStop(stop);
}

void DebugPrompt::stepInto(llvm::StringRef rest) { repeat(rest, Step::Into, Direction::Forward); }
void DebugPrompt::stepOver(llvm::StringRef rest) { repeat(rest, Step::Over, Direction::Forward); }
void DebugPrompt::stepOut(llvm::StringRef) {
  showStop(debugger.step(Step::Out, Direction::Forward));
}
void DebugPrompt::stepBackInto(llvm::StringRef rest) { repeat(rest, Step::Into, Direction::Back); }
void DebugPrompt::stepBackOver(llvm::StringRef rest) { repeat(rest, Step::Over, Direction::Back); }

// -- Breakpoints -------------------------------------------------------------------------

std::optional<Line> DebugPrompt::parseLine(llvm::StringRef text) {
  auto [path, number] = text.rsplit(':');
  const bool hasPath = !number.empty();
  Line line;
  line.file = hasPath ? debugger.lines().findFile(path) : debugger.lines().mainFile();
  if ((hasPath ? number : path).getAsInteger(10, line.number)) {
    say("a line is wanted, not `" + text + "`");
    return std::nullopt;
  }
  if (!line.file) {
    say("nothing of the kernel is in `" + path + "`");
    return std::nullopt;
  }
  return line;
}

void DebugPrompt::addBreakpoint(llvm::StringRef rest) {
  auto [place, condition] = rest.split(" if ");
  std::optional<Line> line = parseLine(place.trim());
  if (!line)
    return;
  llvm::Expected<Breakpoint> made = debugger.addBreakpoint(*line, condition.trim().str());
  if (!made)
    return say(llvm::toString(made.takeError()));
  say("breakpoint " + llvm::Twine(made->id) + " at " + placeText(made->line));
}

void DebugPrompt::watch(llvm::StringRef rest) {
  llvm::Expected<unsigned> made = debugger.watch(rest.str());
  if (!made)
    return say(llvm::toString(made.takeError()));
  say("watchpoint " + llvm::Twine(*made) + " on " + rest);
}

void DebugPrompt::remove(llvm::StringRef rest) {
  if (rest.empty()) {
    while (!debugger.breakpoints().empty())
      debugger.remove(debugger.breakpoints().back().id);
    while (!debugger.watchpoints().empty())
      debugger.remove(debugger.watchpoints().back().id);
    return;
  }
  unsigned id = 0;
  if (rest.getAsInteger(10, id) || !debugger.remove(id))
    say("there is no breakpoint or watchpoint `" + rest + "`");
}

// -- Looking -----------------------------------------------------------------------------

void DebugPrompt::print(llvm::StringRef rest) {
  const ThreadId thread = debugger.selected();
  auto [name, which] = rest.rsplit(',');
  auto [unit, text] = which.trim().split(' ');
  unsigned number = 0;
  const bool byRegister =
      (unit == "thread" || unit == "warp") && !text.trim().getAsInteger(10, number);
  llvm::Expected<std::string> printed = "";
  if (!byRegister)
    printed = debugger.print(rest, thread, debugger.selectedFrame());
  else if (const sim::Variable *variable =
               debugger.find(name.trim(), thread, debugger.selectedFrame()))
    printed = unit == "thread" ? debugger.valueOf(*variable, thread).ofThread(number)
                               : debugger.valueOf(*variable, thread).ofWarp(number);
  else
    return say("there is no variable `" + name.trim() + "` here");
  say(printed ? *printed : llvm::toString(printed.takeError()));
}

void DebugPrompt::list(llvm::StringRef rest) {
  constexpr uint32_t kAround = 5;
  const std::optional<Line> here = lineHere();
  const std::optional<Line> middle = rest.empty() ? here : parseLine(rest);
  if (!middle)
    return;
  const uint32_t first = middle->number > kAround ? middle->number - kAround : 1;
  for (uint32_t n = first; n <= middle->number + kAround && n <= middle->file->lineCount(); ++n) {
    const Line line = {middle->file, n};
    say(llvm::Twine(n) + (line == here ? " >" : "") + "\t" + line.text());
  }
}

void DebugPrompt::backtrace(llvm::StringRef) {
  size_t number = 0;
  const Trace trace = debugger.traceOf(debugger.selected());
  for (Line line : llvm::reverse(trace))
    say("#" + llvm::Twine(number++) + " " + functionAround(line) + " at " + placeText(line));
}

void DebugPrompt::selectFrame(llvm::StringRef rest) {
  size_t number = 0;
  if (rest.getAsInteger(10, number) || !debugger.selectFrame(number))
    return say("there is no frame `" + rest + "`; `backtrace` lists them");
  showPlace();
}

void DebugPrompt::selectThread(llvm::StringRef rest) {
  const std::vector<ThreadId> threads = debugger.threads();
  size_t number = 0;
  if (rest.getAsInteger(10, number) || number == 0 || number > threads.size())
    return say("there is no thread `" + rest + "`; `info threads` lists them");
  debugger.select(threads[number - 1]);
  showPlace();
}

void DebugPrompt::info(llvm::StringRef rest) {
  if (rest == "locals")
    return infoLocals();
  if (rest == "args")
    return infoArguments();
  if (rest == "breakpoints")
    return infoBreakpoints();
  if (rest == "threads" || rest == "partitions")
    return infoThreads();
  if (rest == "barriers")
    return infoBarriers();
  if (rest == "async")
    return infoAsync();
  say("info takes locals, args, breakpoints, threads, barriers or async");
}

void DebugPrompt::infoLocals() {
  const ThreadId thread = debugger.selected();
  for (const sim::Variable *variable : debugger.variables(thread, debugger.selectedFrame()))
    say(variable->name + " = " + debugger.valueOf(*variable, thread).summary());
}

void DebugPrompt::infoArguments() {
  for (const sema::NamedValue &value : debugger.arguments().values)
    say(value.name + " = " + value.value.repr());
  for (const auto &[name, array] : debugger.arguments().tensors)
    say(name + " = tensor of " + array.tensor.dtype().shortName() + ", shape " +
        host::shapeText(array.shape()));
}

void DebugPrompt::infoBreakpoints() {
  for (const Breakpoint &each : debugger.breakpoints())
    say(llvm::Twine(each.id) + "  " + placeText(each.line) +
        (each.condition.empty() ? "" : " if " + each.condition));
  for (const Watchpoint &each : debugger.watchpoints())
    say(llvm::Twine(each.id) + "  watch " + each.text);
}

void DebugPrompt::infoThreads() {
  size_t number = 0;
  for (ThreadId thread : debugger.threads()) {
    const Trace trace = debugger.traceOf(thread);
    say((thread == debugger.selected() ? "* " : "  ") + llvm::Twine(++number) + "  " +
        debugger.nameOf(thread) + (trace.empty() ? "" : " at " + placeText(trace.back())) + ", " +
        debugger.stateOf(thread));
  }
}

void DebugPrompt::infoBarriers() {
  for (const Fact &barrier : barriersOf(debugger.launch().machine()))
    say(barrier.name + ": " + barrier.text);
}

void DebugPrompt::infoAsync() {
  for (const Fact &operation : operationsOf(debugger.launch().machine(), debugger.lines()))
    say(operation.name + " " + operation.text);
}

} // namespace gluonc::tool

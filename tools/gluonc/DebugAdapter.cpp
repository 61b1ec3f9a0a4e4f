// Messages, the life of a session, going on and back.
#include "DebugAdapter.h"

#include "diag/Render.h"
#include "support/Json.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

#include <poll.h>
#include <unistd.h>

namespace gluonc::tool {

using namespace debug;
namespace json = llvm::json;

int serveDebugAdapter(Session &session) {
  DebugAdapter(session).run();
  return 0;
}

/// Unbuffered, so that poll() sees whether there is a request.
static std::FILE *standardInput() {
  std::setvbuf(stdin, nullptr, _IONBF, 0);
  return stdin;
}

DebugAdapter::DebugAdapter(Session &session) : session(session), input(standardInput()) {}

// -- Messages ----------------------------------------------------------------------------

void DebugAdapter::run() {
  while (!hasEnded && handleMessage())
    while (pending && !hasEnded)
      goOn();
}

bool DebugAdapter::handleMessage() {
  std::string text;
  if (llvm::failed(input.readMessage(text)))
    return false;
  llvm::Expected<json::Value> message = parseJson(text);
  if (!message) {
    sendOutput("stderr", "a message is no JSON: " + llvm::toString(message.takeError()) + "\n");
    return true;
  }
  if (const Object *request = message->getAsObject())
    answer(*request);
  return true;
}

DebugAdapter::Handler DebugAdapter::findHandler(llvm::StringRef command) {
  return llvm::StringSwitch<Handler>(command)
      .Case("initialize", &DebugAdapter::initialize)
      .Case("launch", &DebugAdapter::launch)
      .Case("configurationDone", &DebugAdapter::configurationDone)
      .Case("restart", &DebugAdapter::restart)
      .Cases({"disconnect", "terminate"}, &DebugAdapter::disconnect)
      .Case("continue", &DebugAdapter::resume)
      .Case("reverseContinue", &DebugAdapter::resumeBack)
      .Case("next", &DebugAdapter::stepOver)
      .Case("stepIn", &DebugAdapter::stepInto)
      .Case("stepOut", &DebugAdapter::stepOut)
      .Case("stepBack", &DebugAdapter::stepBack)
      .Case("pause", &DebugAdapter::pause)
      .Case("setBreakpoints", &DebugAdapter::setBreakpoints)
      .Case("setExceptionBreakpoints", &DebugAdapter::setExceptionBreakpoints)
      .Case("dataBreakpointInfo", &DebugAdapter::dataBreakpointInfo)
      .Case("setDataBreakpoints", &DebugAdapter::setDataBreakpoints)
      .Case("threads", &DebugAdapter::threads)
      .Case("stackTrace", &DebugAdapter::stackTrace)
      .Case("scopes", &DebugAdapter::scopes)
      .Case("variables", &DebugAdapter::variables)
      .Case("evaluate", &DebugAdapter::evaluate)
      .Case("exceptionInfo", &DebugAdapter::exceptionInfo)
      .Default(nullptr);
}

void DebugAdapter::answer(const Object &request) {
  const llvm::StringRef command = request.getString("command").value_or("");
  Object message{{"type", "response"},
                 {"request_seq", request.getInteger("seq").value_or(0)},
                 {"command", command}};
  static const Object noArguments;
  const Object *arguments = request.getObject("arguments");
  const Handler handler = findHandler(command);
  const bool needsKernel = command != "initialize" && command != "launch" &&
                           command != "disconnect" && command != "terminate";
  auto find = [&]() -> Answer {
    if (!handler)
      return llvm::createStringError("there is no request `" + command + "`");
    if (needsKernel && !kernel)
      return llvm::createStringError("nothing has been launched");
    return (this->*handler)(arguments ? *arguments : noArguments);
  };
  Answer body = find();
  const bool succeeded = bool(body);
  message["success"] = succeeded;
  if (succeeded) {
    message["body"] = std::move(*body);
  } else {
    const std::string problem = json::fixUTF8(llvm::toString(body.takeError()));
    message["message"] = problem;
    message["body"] = Object{{"error", Object{{"id", 1}, {"format", problem}, {"showUser", true}}}};
  }
  send(std::move(message));
  // Only now is there a kernel for breakpoints to be in.
  if (command == "launch" && succeeded)
    sendEvent("initialized");
}

void DebugAdapter::send(Object message) {
  message["seq"] = ++sequence;
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(message));
  llvm::outs() << "Content-Length: " << text.size() << "\r\n\r\n" << text;
  llvm::outs().flush();
}

void DebugAdapter::sendEvent(llvm::StringRef name, Object body) {
  send(Object{{"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

void DebugAdapter::sendOutput(llvm::StringRef category, const std::string &text) {
  if (!text.empty())
    sendEvent("output", Object{{"category", category}, {"output", json::fixUTF8(text)}});
}

// -- The life of a session ---------------------------------------------------------------

DebugAdapter::Answer DebugAdapter::initialize(const Object &) {
  return Object{
      {"supportsConfigurationDoneRequest", true},
      {"supportsConditionalBreakpoints", true},
      {"supportsDataBreakpoints", true},
      {"supportsDataBreakpointBytes", true},
      {"supportsEvaluateForHovers", true},
      {"supportsStepBack", true},
      {"supportsRestartRequest", true},
      {"supportsTerminateRequest", true},
      {"supportsExceptionInfoRequest", true},
      {"exceptionBreakpointFilters",
       json::Array{Object{{"filter", "faults"}, {"label", "Faults"}, {"default", true}}}},
  };
}

/// The words of the command line that says the same.
static std::vector<std::string> wordsOf(const json::Object &arguments) {
  auto text = [&](llvm::StringRef name) { return arguments.getString(name).value_or("").str(); };
  const std::string kernel = text("kernel");
  std::vector<std::string> words = {text("program") + (kernel.empty() ? "" : "::" + kernel)};
  for (llvm::StringRef list : {"arguments", "options"})
    if (const json::Array *array = arguments.getArray(list))
      for (const json::Value &word : *array)
        words.push_back(word.getAsString().value_or("").str());
  for (llvm::StringRef option : {"grid", "target"})
    if (std::string value = text(option); !value.empty()) {
      words.push_back("--" + option.str());
      words.push_back(value);
    }
  return words;
}

DebugAdapter::Answer DebugAdapter::launch(const Object &arguments) {
  stopsOnEntry = arguments.getBoolean("stopOnEntry").value_or(false);
  stopsAtEnd = arguments.getBoolean("stopAtEnd").value_or(false);
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  llvm::SaveAndRestore redirected(session.sink.out, static_cast<llvm::raw_ostream *>(&stream));
  const std::vector<std::string> texts = wordsOf(arguments);
  std::vector<llvm::StringRef> words = {"gluonc", "debug"};
  words.insert(words.end(), texts.begin(), texts.end());
  std::string problem = session.readLine(words);
  int status = 0;
  if (!problem.empty())
    session.usage(problem);
  else
    kernel = debugKernel(session, status);
  // The client has been told.
  session.sink.outcome = driver::Outcome::Fine;
  sendOutput("stderr", messages);
  if (!kernel)
    return llvm::createStringError(llvm::StringRef(messages).rtrim());
  debugger().shouldPause = [this] { return shouldPause(); };
  return Object();
}

DebugAdapter::Answer DebugAdapter::configurationDone(const Object &) {
  pending = [this] {
    return stopsOnEntry ? debugger().start() : debugger().resume(Direction::Forward);
  };
  return Object();
}

DebugAdapter::Answer DebugAdapter::restart(const Object &arguments) {
  debugger().start();
  return configurationDone(arguments);
}

DebugAdapter::Answer DebugAdapter::disconnect(const Object &) {
  hasEnded = true;
  return Object();
}

// -- Going on and back -------------------------------------------------------------------

DebugAdapter::Answer DebugAdapter::go(const Object &arguments, std::function<Stop()> how) {
  if (isRunning)
    return llvm::createStringError("it is running");
  std::optional<ThreadId> thread = threadOf(arguments.getInteger("threadId").value_or(0));
  if (!thread)
    return llvm::createStringError("there is no such thread");
  // Selecting a thread again would lose the frame it stopped in.
  if (*thread != debugger().selected())
    debugger().select(*thread);
  pending = std::move(how);
  return Object{{"allThreadsContinued", true}};
}

DebugAdapter::Answer DebugAdapter::resume(const Object &arguments) {
  return go(arguments, [this] { return debugger().resume(Direction::Forward); });
}
DebugAdapter::Answer DebugAdapter::resumeBack(const Object &arguments) {
  return go(arguments, [this] { return debugger().resume(Direction::Back); });
}
DebugAdapter::Answer DebugAdapter::stepOver(const Object &arguments) {
  return go(arguments, [this] { return debugger().step(Step::Over, Direction::Forward); });
}
DebugAdapter::Answer DebugAdapter::stepInto(const Object &arguments) {
  return go(arguments, [this] { return debugger().step(Step::Into, Direction::Forward); });
}
DebugAdapter::Answer DebugAdapter::stepOut(const Object &arguments) {
  return go(arguments, [this] { return debugger().step(Step::Out, Direction::Forward); });
}
DebugAdapter::Answer DebugAdapter::stepBack(const Object &arguments) {
  return go(arguments, [this] { return debugger().step(Step::Over, Direction::Back); });
}

DebugAdapter::Answer DebugAdapter::pause(const Object &) {
  isPaused = isRunning;
  return Object();
}

bool DebugAdapter::shouldPause() {
  pollfd standardInput = {STDIN_FILENO, POLLIN, 0};
  while (!isPaused && !hasEnded && poll(&standardInput, 1, 0) > 0)
    hasEnded |= !handleMessage();
  return isPaused || hasEnded;
}

void DebugAdapter::goOn() {
  std::function<Stop()> how = std::exchange(pending, nullptr);
  isRunning = true;
  isPaused = false;
  frames.clear();
  shownScopes.clear();
  Stop stop = how();
  isRunning = false;
  if (hasEnded)
    return;
  std::string report = sendReports();
  if (stop.reason == Stop::Reason::Fault && !stopsAtFaults) {
    pending = [this] { return debugger().resume(Direction::Forward); };
    return;
  }
  if (stop.reason == Stop::Reason::Fault)
    fault = report;
  if (stop.reason == Stop::Reason::End && !stopsAtEnd) {
    sendEvent("terminated");
    sendEvent("exited", Object{{"exitCode", report.empty() ? 0 : 3}});
    return;
  }
  sendStop(stop);
}

std::string DebugAdapter::sendReports() {
  sendOutput("stdout", debugger().takeOutput());
  const Stop::Reason reason = debugger().stop().reason;
  if (reason != Stop::Reason::Fault && reason != Stop::Reason::End)
    return "";
  diag::Collector met;
  debugger().report(met);
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const diag::Diagnostic &diagnostic : met.diagnostics)
    diag::renderText(diagnostic, stream);
  sendOutput("stderr", text);
  return text;
}

void DebugAdapter::sendStop(const Stop &stop) {
  auto reason = [&]() -> llvm::StringRef {
    switch (stop.reason) {
    case Stop::Reason::Start:
      return "entry";
    case Stop::Reason::Breakpoint:
      return "breakpoint";
    case Stop::Reason::Watchpoint:
      return "data breakpoint";
    case Stop::Reason::Step:
      return isPaused ? "pause" : "step";
    case Stop::Reason::Fault:
      return "exception";
    case Stop::Reason::Cause:
    case Stop::Reason::End:
      return "goto";
    }
    GL_UNREACHABLE("reason of a stop");
  };
  Object body{{"reason", reason()},
              {"threadId", numberOf(debugger().selected())},
              {"allThreadsStopped", true}};
  if (stop.id)
    body["hitBreakpointIds"] = json::Array{stop.id};
  if (!stop.text.empty())
    body["text"] = stop.text;
  if (stop.reason == Stop::Reason::Fault)
    body["text"] = llvm::StringRef(fault).take_until([](char c) { return c == '\n'; });
  if (stop.reason == Stop::Reason::Cause)
    body["description"] = "at the cause of the fault";
  if (stop.reason == Stop::Reason::End)
    body["description"] = "at the end of the launch";
  sendEvent("stopped", std::move(body));
}

} // namespace gluonc::tool

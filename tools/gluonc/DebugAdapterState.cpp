// What a client of the Debug Adapter Protocol sees of a stopped kernel.
#include "DebugAdapter.h"

#include "debug/Inspect.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gluonc::tool {

using namespace debug;
namespace json = llvm::json;

static json::Object sourceOf(const diag::SourceFile &file) {
  llvm::SmallString<128> path(file.path());
  (void)llvm::sys::fs::make_absolute(path);
  return json::Object{{"name", llvm::sys::path::filename(path).str()}, {"path", path.str().str()}};
}

// -- Breakpoints -------------------------------------------------------------------------

DebugAdapter::Answer DebugAdapter::setBreakpoints(const Object &arguments) {
  const Object *source = arguments.getObject("source");
  const json::Array *wanted = arguments.getArray("breakpoints");
  const diag::SourceFile *file =
      debugger().lines().findFile(source ? source->getString("path").value_or("") : "");
  debugger().removeBreakpoints(file);
  json::Array made;
  for (const json::Value &each : wanted ? *wanted : json::Array()) {
    const Object *breakpoint = each.getAsObject();
    if (!breakpoint)
      return llvm::createStringError("a breakpoint is an object");
    const Line line = {file, uint32_t(breakpoint->getInteger("line").value_or(0))};
    llvm::Expected<Breakpoint> found =
        file ? debugger().addBreakpoint(line, breakpoint->getString("condition").value_or("").str())
             : llvm::createStringError("nothing of the kernel is in this file");
    if (found)
      made.push_back(Object{{"verified", true},
                            {"id", found->id},
                            {"line", found->line.number},
                            {"source", sourceOf(*file)}});
    else
      made.push_back(Object{{"verified", false}, {"message", llvm::toString(found.takeError())}});
  }
  return Object{{"breakpoints", std::move(made)}};
}

DebugAdapter::Answer DebugAdapter::setExceptionBreakpoints(const Object &arguments) {
  const json::Array *filters = arguments.getArray("filters");
  stopsAtFaults = filters && llvm::is_contained(*filters, json::Value("faults"));
  return Object();
}

DebugAdapter::Answer DebugAdapter::dataBreakpointInfo(const Object &arguments) {
  std::string name = arguments.getString("name").value_or("").str();
  const int64_t reference = arguments.getInteger("variablesReference").value_or(0);
  if (reference >= 1 && reference <= int64_t(shownScopes.size()))
    if (const Scope &scope = shownScopes[size_t(reference) - 1]; scope.kind == Scope::Tensor)
      name = nameOfChild(scope.elements, name);
  if (arguments.getBoolean("asAddress").value_or(false))
    name = "*" + name + ":" + std::to_string(arguments.getInteger("bytes").value_or(4));
  // Whether it can be watched shows when it is.
  llvm::Expected<unsigned> id = debugger().watch(name);
  if (!id)
    return Object{{"dataId", nullptr}, {"description", llvm::toString(id.takeError())}};
  debugger().remove(*id);
  return Object{{"dataId", name},
                {"description", "changes of " + name},
                {"accessTypes", json::Array{"write"}}};
}

DebugAdapter::Answer DebugAdapter::setDataBreakpoints(const Object &arguments) {
  while (!debugger().watchpoints().empty())
    debugger().remove(debugger().watchpoints().back().id);
  json::Array made;
  const json::Array *wanted = arguments.getArray("breakpoints");
  for (const json::Value &each : wanted ? *wanted : json::Array()) {
    const Object *breakpoint = each.getAsObject();
    llvm::Expected<unsigned> id =
        debugger().watch(breakpoint ? breakpoint->getString("dataId").value_or("").str() : "");
    if (id)
      made.push_back(Object{{"verified", true}, {"id", *id}});
    else
      made.push_back(Object{{"verified", false}, {"message", llvm::toString(id.takeError())}});
  }
  return Object{{"breakpoints", std::move(made)}};
}

// -- Threads and frames --------------------------------------------------------------------

/// By partition and CTA, so that a number means the same thread at every stop.
static constexpr int64_t kMostCtas = 1024;

int64_t DebugAdapter::numberOf(ThreadId thread) {
  return 1 + thread.cta + kMostCtas * (thread.partition + 1);
}

std::optional<ThreadId> DebugAdapter::threadOf(int64_t number) {
  for (ThreadId thread : debugger().threads())
    if (numberOf(thread) == number)
      return thread;
  return std::nullopt;
}

DebugAdapter::Answer DebugAdapter::threads(const Object &) {
  json::Array threads;
  for (ThreadId thread : debugger().threads())
    threads.push_back(Object{{"id", numberOf(thread)},
                             {"name", debugger().programName() + ", " + debugger().nameOf(thread) +
                                          ", " + debugger().stateOf(thread)}});
  return Object{{"threads", std::move(threads)}};
}

DebugAdapter::Answer DebugAdapter::stackTrace(const Object &arguments) {
  std::optional<ThreadId> thread = threadOf(arguments.getInteger("threadId").value_or(0));
  if (!thread)
    return llvm::createStringError("there is no such thread");
  const Trace trace = debugger().traceOf(*thread);
  // A line that begins with a call is shown, not the function that was called.
  const size_t top = *thread == debugger().selected() ? debugger().selectedFrame() : 0;
  json::Array shown;
  for (size_t frame = top; frame < trace.size(); ++frame) {
    const Line line = trace[trace.size() - 1 - frame];
    frames.push_back({*thread, frame});
    shown.push_back(Object{{"id", int64_t(frames.size())},
                           {"name", functionAround(line)},
                           {"source", sourceOf(*line.file)},
                           {"line", line.number},
                           {"column", 1}});
  }
  const auto total = int64_t(shown.size());
  return Object{{"stackFrames", std::move(shown)}, {"totalFrames", total}};
}

DebugAdapter::Answer DebugAdapter::scopes(const Object &arguments) {
  const int64_t id = arguments.getInteger("frameId").value_or(0);
  if (id < 1 || id > int64_t(frames.size()))
    return llvm::createStringError("there is no such frame");
  json::Array shown;
  auto add = [&](llvm::StringRef name, Scope::Kind kind) {
    shownScopes.push_back({kind, frames[size_t(id) - 1]});
    shown.push_back(Object{
        {"name", name}, {"variablesReference", int64_t(shownScopes.size())}, {"expensive", false}});
  };
  add("Locals", Scope::Locals);
  add("Arguments", Scope::Arguments);
  add("Barriers", Scope::Barriers);
  add("Operations in flight", Scope::Operations);
  return Object{{"scopes", std::move(shown)}};
}

// -- Values ------------------------------------------------------------------------------

/// Values of JSON refer to a StringRef's text, and are sent when it may be gone.
static json::Object variable(const std::string &name, const std::string &value,
                             const std::string &type = "") {
  json::Object made{{"name", name}, {"value", json::fixUTF8(value)}, {"variablesReference", 0}};
  if (!type.empty())
    made["type"] = type;
  return made;
}

DebugAdapter::Answer DebugAdapter::variables(const Object &arguments) {
  const int64_t id = arguments.getInteger("variablesReference").value_or(0);
  if (id < 1 || id > int64_t(shownScopes.size()))
    return llvm::createStringError("there are no such variables");
  const Scope scope = shownScopes[size_t(id) - 1];
  if (scope.kind == Scope::Tensor)
    return childrenOf(scope, arguments);
  json::Array shown;
  auto addFacts = [&](const std::vector<Fact> &facts) {
    for (const Fact &fact : facts)
      shown.push_back(variable(fact.name, fact.text));
  };
  switch (scope.kind) {
  case Scope::Locals:
    for (const sim::Variable *each : debugger().variables(scope.frame.thread, scope.frame.frame)) {
      json::Object made =
          variable(each->name, debugger().valueOf(*each, scope.frame.thread).summary(), each->type);
      made["evaluateName"] = each->name;
      if (!each->shape.empty())
        addElements(made, scope.frame,
                    {each->name, {}, std::vector<int64_t>(each->shape.begin(), each->shape.end())});
      shown.push_back(std::move(made));
    }
    break;
  case Scope::Arguments:
    for (const sema::NamedValue &value : debugger().arguments().values)
      shown.push_back(variable(value.name, value.value.repr()));
    for (const auto &[name, array] : debugger().arguments().tensors) {
      json::Object made =
          variable(name, array.tensor.dtype().shortName() + " " + host::shapeText(array.shape()));
      made["evaluateName"] = name;
      addElements(made, scope.frame, {name, {}, array.tensor.shape().vec()});
      shown.push_back(std::move(made));
    }
    break;
  case Scope::Barriers:
    addFacts(barriersOf(debugger().launch().machine()));
    break;
  case Scope::Operations:
    addFacts(operationsOf(debugger().launch().machine(), debugger().lines()));
    break;
  case Scope::Tensor:
    break;
  }
  return Object{{"variables", std::move(shown)}};
}

DebugAdapter::Answer DebugAdapter::evaluate(const Object &arguments) {
  const int64_t id = arguments.getInteger("frameId").value_or(0);
  Frame frame = {debugger().selected(), debugger().selectedFrame()};
  if (id >= 1 && id <= int64_t(frames.size()))
    frame = frames[size_t(id) - 1];
  const llvm::StringRef expression = arguments.getString("expression").value_or("");
  llvm::Expected<std::string> text = debugger().print(expression, frame.thread, frame.frame);
  if (!text)
    return text.takeError();
  Object result{{"result", json::fixUTF8(*text)}, {"variablesReference", 0}};
  llvm::Expected<host::HostValue> value =
      debugger().evaluate(expression, frame.thread, frame.frame);
  if (!value)
    llvm::consumeError(value.takeError());
  else if (const auto *array = std::get_if<host::Array>(&*value))
    addElements(result, frame, {expression.trim().str(), {}, array->tensor.shape().vec()});
  return result;
}

DebugAdapter::Answer DebugAdapter::exceptionInfo(const Object &) {
  return Object{
      {"exceptionId", "fault"}, {"description", json::fixUTF8(fault)}, {"breakMode", "always"}};
}

} // namespace gluonc::tool

// What names and expressions mean where a program stands.
#include "debug/Debugger.h"
#include "debug/TensorText.h"

#include "host/NumberFormat.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::debug {

// -- Variables ---------------------------------------------------------------------------

/// The trace of a frame's function: without lines of functions that it called, and its own.
static llvm::ArrayRef<Line> callersOf(const Trace &trace, size_t frame) {
  return llvm::ArrayRef(trace).drop_back(std::min(trace.size(), frame + 1));
}

std::vector<const sim::Variable *> Debugger::variables(ThreadId id, size_t frame) const {
  const Thread *thread = findThread(id);
  return thread ? thread->variables(callersOf(traceOf(id), frame))
                : std::vector<const sim::Variable *>();
}

const sim::Variable *Debugger::find(llvm::StringRef name, ThreadId id, size_t frame) const {
  const Thread *thread = findThread(id);
  return thread ? thread->find(name, callersOf(traceOf(id), frame)) : nullptr;
}

VariableValue Debugger::valueOf(const sim::Variable &variable, ThreadId thread) const {
  return VariableValue(variable, stepped->machine(), thread.cta);
}

const sim::Variable *Debugger::findPrefix(llvm::StringRef &path, ThreadId thread,
                                          size_t frame) const {
  for (llvm::StringRef rest = path; !rest.empty();) {
    if (const sim::Variable *variable = find(rest, thread, frame)) {
      path = rest;
      return variable;
    }
    size_t end = rest.find_last_of(".[");
    rest = end == llvm::StringRef::npos ? "" : rest.take_front(end);
  }
  return nullptr;
}

// -- Expressions -------------------------------------------------------------------------

/// Calls `visit` with each name of an expression and what follows it as fields and numbers in
/// brackets, and writes what it gives in place of it; strings are left as they are.
static std::string
replacePaths(llvm::StringRef text,
             llvm::function_ref<std::optional<std::string>(llvm::StringRef &)> visit) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::string result;
  char quote = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (quote || c == '"' || c == '\'') {
      quote = !quote ? c : c == quote ? 0 : quote;
      result += text[at++];
      continue;
    }
    const bool begins = (llvm::isAlpha(c) || c == '_') &&
                        (at == 0 || (!isWord(text[at - 1]) && text[at - 1] != '.'));
    if (!begins) {
      result += text[at++];
      continue;
    }
    llvm::StringRef path = text.substr(at).take_while(
        [&](char each) { return isWord(each) || each == '.' || each == '[' || each == ']'; });
    const llvm::StringRef name = path.take_while(isWord);
    std::optional<std::string> other = visit(path);
    result += other.value_or(name.str());
    at += other ? path.size() : name.size();
  }
  return result;
}

static llvm::Expected<host::HostValue> hostValueOf(const VariableValue &value, bool isScalar) {
  llvm::Expected<host::Tensor> tensor = value.tensor();
  if (!tensor)
    return tensor.takeError();
  if (!isScalar || tensor->firstUnwritten())
    return host::HostValue(host::Array::of(std::move(*tensor)));
  const sema::DType dtype = tensor->dtype();
  if (dtype.isBool())
    return host::HostValue(sema::Value::boolean(*tensor->data()));
  if (dtype.isInt())
    return host::HostValue(sema::Value::integer(host::decodeInteger(dtype, tensor->data())));
  return host::HostValue(sema::Value::real(host::decodeElement(dtype, tensor->data())));
}

llvm::Expected<host::HostValue> Debugger::evaluate(llvm::StringRef text, ThreadId thread,
                                                   size_t frame) {
  simulated->settle();
  host::HostScope local(scope.program, scope.module);
  std::string problem;
  std::string replaced =
      replacePaths(text, [&](llvm::StringRef &path) -> std::optional<std::string> {
        const sim::Variable *variable = findPrefix(path, thread, frame);
        // A pointer that the kernel was given stands for its tensor.
        if (!variable || (variable->kind == sim::ElementKind::Pointer && scope.findTensor(path)))
          return std::nullopt;
        const bool isName = llvm::all_of(path, [](char c) { return llvm::isAlnum(c) || c == '_'; });
        std::string name =
            isName ? path.str() : "_" + std::to_string(local.values.size() + local.tensors.size());
        llvm::Expected<host::HostValue> value =
            hostValueOf(valueOf(*variable, thread), variable->shape.empty());
        if (value)
          local.bind(name, *value);
        else
          problem = llvm::toString(value.takeError());
        return name;
      });
  if (!problem.empty())
    return llvm::createStringError(problem);
  auto isShadowed = [&](const std::string &name) { return find(name, thread, frame) != nullptr; };
  for (const auto &[name, array] : scope.tensors)
    if (!local.findTensor(name))
      local.bind(name, array);
  for (const sema::NamedValue &value : scope.values)
    if (!isShadowed(value.name))
      local.values.push_back(value);
  diag::Collector sink;
  if (std::optional<host::HostValue> value = host::evaluate(local, replaced, "<debugger>", sink))
    return *value;
  return llvm::createStringError(sink.diagnostics.empty() ? "it has no value"
                                                          : sink.diagnostics.front().message);
}

llvm::Expected<std::string> Debugger::print(llvm::StringRef text, ThreadId thread, size_t frame) {
  text = text.trim();
  const sim::Variable *variable = find(text, thread, frame);
  if (variable && !(variable->kind == sim::ElementKind::Pointer && scope.findTensor(text)))
    return valueOf(*variable, thread).describe();
  llvm::Expected<host::HostValue> value = evaluate(text, thread, frame);
  if (!value)
    return value.takeError();
  if (const sema::Value *plain = std::get_if<sema::Value>(&*value))
    return plain->repr();
  return tensorText(std::get<host::Array>(*value).tensor);
}

llvm::Expected<bool> Debugger::holds(llvm::StringRef condition, ThreadId thread, size_t frame) {
  llvm::Expected<host::HostValue> value = evaluate(condition, thread, frame);
  if (!value)
    return value.takeError();
  if (const sema::Value *plain = std::get_if<sema::Value>(&*value))
    return plain->isNumber()
               ? llvm::Expected<bool>(plain->asDouble() != 0)
               : llvm::createStringError(plain->repr() + " is neither true nor false");
  llvm::Expected<host::Array> all =
      host::reduce(host::ArrayReduction::All, std::get<host::Array>(*value), std::nullopt);
  if (!all)
    return all.takeError();
  return host::decodeElement(all->tensor.dtype(), all->tensor.data()) != 0;
}

// -- Watchpoints -------------------------------------------------------------------------

llvm::Expected<unsigned> Debugger::watch(std::string text) {
  Watchpoint watchpoint;
  watchpoint.text = std::move(text);
  watchpoint.thread = selectedThread;
  const sim::Variable *variable = find(watchpoint.text, selectedThread, frame);
  if (!variable || scope.findTensor(watchpoint.text)) {
    llvm::Expected<host::HostValue> value = evaluate(watchpoint.text, selectedThread, frame);
    if (!value)
      return value.takeError();
    const host::Array *array = std::get_if<host::Array>(&*value);
    const host::Buffer *buffer = array ? array->tensor.storage().get() : nullptr;
    if (llvm::none_of(initial, [&](const Initial &each) { return each.buffer == buffer; }))
      return llvm::createStringError("`" + watchpoint.text +
                                     "` is neither a variable nor elements of a tensor that the "
                                     "kernel was given");
    watchpoint.elements = array->tensor;
  }
  watchpoint.id = ++lastId;
  watchpoint.last = sample(watchpoint);
  allWatchpoints.push_back(std::move(watchpoint));
  return lastId;
}

std::string Debugger::sample(const Watchpoint &watchpoint) const {
  std::string bytes;
  if (watchpoint.elements) {
    const unsigned size = watchpoint.elements->dtype().byteSize();
    watchpoint.elements->forEach([&](const uint8_t *element) {
      bytes.append(reinterpret_cast<const char *>(element), size);
    });
    return bytes;
  }
  const sim::Variable *variable = find(watchpoint.text, watchpoint.thread);
  return variable ? valueOf(*variable, watchpoint.thread).bytes() : watchpoint.last;
}

std::string Debugger::sampleText(const Watchpoint &watchpoint) {
  if (watchpoint.elements) {
    simulated->settle();
    return tensorText(*watchpoint.elements);
  }
  const sim::Variable *variable = find(watchpoint.text, watchpoint.thread);
  return variable ? valueOf(*variable, watchpoint.thread).summary() : "";
}

} // namespace gluonc::debug

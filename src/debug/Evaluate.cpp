// What names and expressions mean where a program stands.
#include "debug/Debugger.h"
#include "debug/TensorText.h"

#include "host/NumberFormat.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

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

/// Elements of a tensor that the kernel was given.
llvm::Error Debugger::watchArgument(Watchpoint &watchpoint) {
  llvm::Expected<host::HostValue> value = evaluate(watchpoint.text, selectedThread, frame);
  if (!value)
    return value.takeError();
  const host::Array *array = std::get_if<host::Array>(&*value);
  const host::Buffer *buffer = array ? array->tensor.storage().get() : nullptr;
  if (llvm::none_of(initial, [&](const Initial &each) { return each.buffer == buffer; }))
    return llvm::createStringError("`" + watchpoint.text +
                                   "` is neither a variable nor elements of memory");
  watchpoint.elements = array->tensor;
  return llvm::Error::success();
}

/// Integers of a value, in the order of its elements.
static std::vector<int64_t> integersOf(const host::HostValue &value) {
  if (const auto *plain = std::get_if<sema::Value>(&value)) {
    std::optional<int64_t> integer =
        plain->is(sema::ValueKind::Int) ? plain->asInt64() : std::nullopt;
    return integer ? std::vector<int64_t>{*integer} : std::vector<int64_t>();
  }
  const host::Tensor &tensor = std::get<host::Array>(value).tensor;
  std::vector<int64_t> integers;
  if (tensor.dtype().isInt() && !tensor.firstUnwritten())
    tensor.forEach([&](const uint8_t *element) {
      integers.push_back(int64_t(host::decodeInteger(tensor.dtype(), element)));
    });
  return integers;
}

llvm::Error Debugger::watchAddresses(Watchpoint &watchpoint) {
  llvm::StringRef text = llvm::StringRef(watchpoint.text).drop_front().trim();
  auto [address, size] = text.rsplit(':');
  watchpoint.bytes = 4;
  if (!size.empty() && (size.trim().getAsInteger(10, watchpoint.bytes) || !watchpoint.bytes))
    return llvm::createStringError("`" + size.str() + "` is no number of bytes");
  const sim::Variable *pointer = find(address.trim(), selectedThread, frame);
  if (size.empty() && pointer && pointer->pointeeBytes)
    watchpoint.bytes = pointer->pointeeBytes;
  // A pointer that the kernel was given stands for its tensor otherwise.
  std::vector<int64_t> addresses;
  if (pointer) {
    llvm::Expected<host::HostValue> value =
        hostValueOf(valueOf(*pointer, selectedThread), pointer->shape.empty());
    if (!value)
      return value.takeError();
    addresses = integersOf(*value);
  } else {
    llvm::Expected<host::HostValue> value = evaluate(address, selectedThread, frame);
    if (!value)
      return value.takeError();
    addresses = integersOf(*value);
  }
  for (int64_t each : addresses) {
    const auto begin = static_cast<uint64_t>(each);
    const sim::Range *range = stepped->machine().memory.find(begin);
    if (range && range->contains(begin, watchpoint.bytes))
      watchpoint.places.push_back({begin, /*isShared=*/false});
  }
  if (watchpoint.places.empty())
    return llvm::createStringError("`" + address.str() + "` is no address of the kernel's memory");
  return llvm::Error::success();
}

llvm::Expected<bool> Debugger::watchShared(Watchpoint &watchpoint) {
  llvm::StringRef text = llvm::StringRef(watchpoint.text).trim();
  llvm::StringRef path = text.take_while([](char each) {
    return llvm::isAlnum(each) || each == '_' || each == '.' || each == '[' || each == ']';
  });
  const sim::Variable *variable = findPrefix(path, selectedThread, frame);
  llvm::StringRef index = text.drop_front(variable ? path.size() : 0);
  if (!variable || !variable->viewed || !index.starts_with("["))
    return false;
  // The index picks numbers of elements where it would pick elements.
  llvm::Expected<host::Tensor> numbers =
      host::Tensor::create(sema::ScalarKind::Int64, variable->shape);
  if (!numbers)
    return numbers.takeError();
  int64_t next = 0;
  numbers->forEach([&](uint8_t *element) {
    std::memcpy(element, &next, sizeof next);
    ++next;
  });
  host::HostScope local(scope.program, scope.module);
  local.bind("elements", host::HostValue(host::Array::of(std::move(*numbers))));
  diag::Collector sink;
  std::optional<host::HostValue> picked =
      host::evaluate(local, "elements" + index.str(), "<debugger>", sink);
  if (!picked)
    return llvm::createStringError(sink.diagnostics.empty() ? "it has no value"
                                                            : sink.diagnostics.front().message);
  const VariableValue value = valueOf(*variable, selectedThread);
  watchpoint.dtype = value.dtype();
  watchpoint.bytes = watchpoint.dtype->byteSize();
  for (uint64_t place : value.placesOf(integersOf(*picked)))
    watchpoint.places.push_back({place, /*isShared=*/true});
  if (watchpoint.places.empty())
    return llvm::createStringError("`" + watchpoint.text + "` has no elements here");
  return true;
}

llvm::Expected<unsigned> Debugger::watch(std::string text) {
  Watchpoint watchpoint;
  watchpoint.text = std::move(text);
  watchpoint.thread = selectedThread;
  const sim::Variable *variable = find(watchpoint.text, selectedThread, frame);
  if (llvm::StringRef(watchpoint.text).starts_with("*")) {
    if (llvm::Error error = watchAddresses(watchpoint))
      return error;
  } else if (!variable || scope.findTensor(watchpoint.text)) {
    llvm::Expected<bool> isShared = watchShared(watchpoint);
    if (!isShared)
      return isShared.takeError();
    if (!*isShared)
      if (llvm::Error error = watchArgument(watchpoint))
        return error;
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
  for (const Watchpoint::Place &place : watchpoint.places) {
    sim::SharedMemory &shared = stepped->machine().shared;
    if (!place.isShared)
      bytes.append(reinterpret_cast<const char *>(place.begin), watchpoint.bytes);
    else if (shared.contains(place.begin, watchpoint.bytes))
      bytes.append(reinterpret_cast<char *>(shared.data()) + place.begin, watchpoint.bytes);
  }
  if (!watchpoint.places.empty())
    return bytes;
  const sim::Variable *variable = find(watchpoint.text, watchpoint.thread);
  return variable ? valueOf(*variable, watchpoint.thread).bytes() : watchpoint.last;
}

/// Numbers, or the bytes in hexadecimal, the one at the lowest address first.
static std::string placesText(const Watchpoint &watchpoint, llvm::StringRef bytes) {
  const auto count = static_cast<int64_t>(watchpoint.places.size());
  if (watchpoint.dtype && bytes.size() == size_t(count) * watchpoint.bytes) {
    llvm::Expected<host::Tensor> tensor =
        host::Tensor::create(*watchpoint.dtype, llvm::ArrayRef<int64_t>(count));
    if (tensor) {
      std::memcpy(tensor->data(), bytes.data(), bytes.size());
      return count == 1 ? elementText(*tensor, tensor->data()) : tensorText(*tensor);
    }
    llvm::consumeError(tensor.takeError());
  }
  return llvm::toHex(bytes, /*LowerCase=*/true);
}

std::string Debugger::sampleText(const Watchpoint &watchpoint) {
  if (watchpoint.elements) {
    simulated->settle();
    return tensorText(*watchpoint.elements);
  }
  if (!watchpoint.places.empty())
    return placesText(watchpoint, watchpoint.last);
  const sim::Variable *variable = find(watchpoint.text, watchpoint.thread);
  return variable ? valueOf(*variable, watchpoint.thread).summary() : "";
}

} // namespace gluonc::debug

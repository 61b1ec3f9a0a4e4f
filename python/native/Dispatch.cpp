#include "Dispatch.h"

#include "Arguments.h"
#include "Interned.h"
#include "Watch.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gluonc::python {

gluonc_executable *(*executableOf)(PyObject *) = nullptr;
void (*raise)(int, gluonc_error *) = nullptr;

namespace {

struct Grid {
  unsigned x = 1, y = 1, z = 1;
};

/// One specialization, ready to launch.
struct Entry {
  /// The CompiledKernel, or a weak reference to one that an argument owns.
  PyObject *compiled = nullptr;
  // Owned by it.
  gluonc_executable *executable = nullptr;
  Watch *watch = nullptr;
  int device = noMemory;

  /// A new reference to the CompiledKernel; null where it is gone.
  PyObject *kernel() const {
    if (!compiled || !PyWeakref_CheckRefExact(compiled)) {
      Py_XINCREF(compiled);
      return compiled;
    }
    return referentOf(compiled);
  }
};

/// What a kernel's launches share.
struct State {
  std::vector<Parameter> parameters;
  /// Launch options behind them; an option that is a parameter as well has that one's place.
  std::vector<Parameter> options;
  std::vector<size_t> optionPlaces;
  size_t positional = 0;
  bool isVariadic = false;
  bool hasHooks = false;
  /// Of the function whose parameters these are.
  Watch signature;
  /// Numbers of compile-time values: gluonc._signature.Numbers.
  PyObject *numbers = nullptr;
  std::unordered_map<std::string, Entry> entries;
  /// The entry that was used last, and its key.
  std::vector<uint64_t> lastKey;
  Entry last;

  /// Drops the specializations that `isDropped` says.
  template <typename Predicate> void forget(Predicate &&isDropped) {
    // Out of the way first: what dies may run Python, which may come here.
    std::vector<PyObject *> dropped;
    for (auto at = entries.begin(); at != entries.end();) {
      if (!isDropped(at->second)) {
        ++at;
        continue;
      }
      dropped.push_back(at->second.compiled);
      at = entries.erase(at);
    }
    lastKey.clear();
    last = {};
    for (PyObject *compiled : dropped)
      Py_XDECREF(compiled);
  }
};

struct Dispatcher {
  PyObject_HEAD State *state;
};

struct BoundLaunch {
  PyObject_HEAD vectorcallfunc call;
  Dispatcher *kernel;
  /// Null where the sizes are known.
  PyObject *function;
  Grid grid;
};

PyObject *newReference(PyObject *object) {
  Py_INCREF(object);
  return object;
}

PyTypeObject *boundLaunchType = nullptr;
/// Whether launches have to tell gluonc.hooks about themselves.
bool launchesAreWatched = false;
/// One dead BoundLaunch for the next launch to use.
BoundLaunch *spare = nullptr;

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// The values of one call, in the order of the parameters, then of the options.
class Binding {
public:
  explicit Binding(const State &state)
      : state(state), values(state.parameters.size() + state.options.size()) {}
  Binding(const Binding &) = delete;
  ~Binding() { Py_XDECREF(rest); }

  /// False with an exception.
  bool bind(Dispatcher *self, PyObject *const *args, size_t count, PyObject *keywords) {
    size_t taken = std::min(count, state.positional);
    std::copy_n(args, taken, values.begin());
    if (state.isVariadic) {
      rest = PyTuple_New(static_cast<Py_ssize_t>(count - taken));
      if (!rest)
        return false;
      for (size_t i = taken; i != count; ++i) {
        Py_INCREF(args[i]);
        PyTuple_SET_ITEM(rest, static_cast<Py_ssize_t>(i - taken), args[i]);
      }
      values[state.positional] = rest;
    } else if (count > state.positional) {
      PyErr_Format(PyExc_TypeError, "%U takes %zu positional arguments but %zu were given",
                   nameOf(self), state.positional, count);
      return false;
    }
    Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t i = 0; i != named; ++i)
      if (!bindKeyword(self, PyTuple_GET_ITEM(keywords, i), args[count + static_cast<size_t>(i)]))
        return false;
    return fillDefaults(self);
  }

  PyObject *operator[](size_t i) const { return values[i]; }
  size_t size() const { return values.size(); }

private:
  static PyObject *nameOf(Dispatcher *self) {
    PyObject *name = PyObject_GetAttrString(reinterpret_cast<PyObject *>(self), "__name__");
    if (!name)
      PyErr_Clear();
    static PyObject *fallback = PyUnicode_InternFromString("kernel");
    return name ? name : newReference(fallback);
  }

  const Parameter &parameterAt(size_t i) const {
    size_t own = state.parameters.size();
    return i < own ? state.parameters[i] : state.options[i - own];
  }

  bool bindKeyword(Dispatcher *self, PyObject *name, PyObject *value) {
    // Names in calls are interned, as ours are; the second pass is for **kwargs made of others.
    for (int pass = 0; pass != 2; ++pass)
      for (size_t i = 0; i != values.size(); ++i) {
        PyObject *own = parameterAt(i).name;
        if (pass ? PyUnicode_Compare(own, name) == 0 : own == name) {
          if (values[i]) {
            PyErr_Format(PyExc_TypeError, "%U got multiple values for argument '%U'", nameOf(self),
                         name);
            return false;
          }
          values[i] = value;
          return true;
        }
      }
    PyObject *answer =
        PyObject_CallMethod(reinterpret_cast<PyObject *>(self), "_check_unknown", "O", name);
    Py_XDECREF(answer);
    return answer != nullptr;
  }

  bool fillDefaults(Dispatcher *self) {
    for (size_t i = 0; i != values.size(); ++i) {
      if (values[i]) [[likely]]
        continue;
      values[i] = parameterAt(i).defaultValue;
      if (!values[i]) {
        PyErr_Format(PyExc_TypeError, "%U missing a required argument: '%U'", nameOf(self),
                     parameterAt(i).name);
        return false;
      }
    }
    return true;
  }

  const State &state;
  /// Borrowed.
  std::vector<PyObject *> values;
  /// What *args got.
  PyObject *rest = nullptr;
};

//===----------------------------------------------------------------------===//
// One launch
//===----------------------------------------------------------------------===//

class Launch {
public:
  Launch(Dispatcher *self, PyObject *const *args, size_t count, PyObject *keywords,
         bool isWarmup = false)
      : self(self), state(*self->state), args(args), count(count), keywords(keywords),
        isWarmup(isWarmup), binding(state), arguments(state.numbers) {}
  Launch(const Launch &) = delete;
  ~Launch() { Py_XDECREF(kernel); }

  /// Everything up to the launch. False with an exception.
  bool prepare() {
    if (!binding.bind(self, args, count, keywords))
      return false;
    size_t own = state.parameters.size();
    for (size_t i = 0; i != own; ++i)
      if (!arguments.add(state.parameters[i], binding[i]))
        return false;
    for (size_t place : state.optionPlaces)
      if (!arguments.addConstant(place < own ? state.parameters[place] : state.options[place - own],
                                 binding[place]))
        return false;
    if (arguments.isMixed)
      return refuseMixed();
    // Where nothing has memory, the simulator.
    if (arguments.device == noMemory)
      arguments.device = hostMemory;
    arguments.key.push(static_cast<uint64_t>(static_cast<int64_t>(arguments.device)));
    return findEntry();
  }

  /// A new reference to the CompiledKernel, or null with an exception.
  PyObject *run(const Grid &given, PyObject *function) {
    Grid grid = given;
    if (function && !callGrid(function, grid))
      return nullptr;
    // A hook may have kept the kernel from being compiled.
    bool runs = grid.x && grid.y && grid.z && entry.executable;
    if (runs && !(launchesAreWatched ? startWatched(grid) : start(grid)))
      return nullptr;
    return newReference(kernel);
  }

  PyObject *compiled() const { return newReference(kernel); }

private:
  PyObject *object() const { return reinterpret_cast<PyObject *>(self); }

  bool findEntry() {
    const uint64_t *key = arguments.key.data();
    size_t words = arguments.key.size();
    if (words == state.lastKey.size() &&
        std::memcmp(key, state.lastKey.data(), words * sizeof *key) == 0) [[likely]] {
      entry = state.last;
      kernel = entry.kernel();
      if (kernel && entry.watch->holds()) [[likely]]
        return true;
    }
    std::string bytes(reinterpret_cast<const char *>(key), words * sizeof *key);
    if (!look(bytes) && !compile(bytes))
      return false;
    // Nothing is kept where a hook did not want the kernel compiled.
    if (entry.executable) {
      state.last = entry;
      state.lastKey.assign(key, key + words);
    }
    return true;
  }

  /// Finds the entry of a key in the table. False also with an exception.
  bool look(const std::string &bytes) {
    Py_CLEAR(kernel);
    auto at = state.entries.find(bytes);
    if (at == state.entries.end())
      return false;
    entry = at->second;
    kernel = entry.kernel();
    return kernel && (entry.watch->holds() || checkWatch());
  }

  /// Whether an entry of which something was changed serves still; if not, all entries that were
  /// told the same are dropped. False also with an exception.
  bool checkWatch() {
    PyObject *resolver = PyObject_GetAttrString(kernel, "resolver");
    PyObject *answer =
        resolver ? PyObject_CallMethod(object(), "_is_outdated", "O", resolver) : nullptr;
    Py_XDECREF(resolver);
    int isOutdated = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    if (isOutdated == 1)
      state.forget([&](const Entry &other) { return other.watch == entry.watch; });
    return isOutdated == 0;
  }

  /// Makes the entry of a key that was not found. False with an exception.
  bool compile(const std::string &bytes) {
    Py_CLEAR(kernel);
    entry = {};
    if (PyErr_Occurred() || !compile())
      return false;
    if (!entry.executable)
      return true;
    // Those whose owner is gone.
    state.forget([](const Entry &other) {
      PyObject *alive = other.kernel();
      Py_XDECREF(alive);
      return !alive;
    });
    // Another thread may have been faster while this one compiled; kernels are equal then.
    auto [at, isNew] = state.entries.try_emplace(bytes, entry);
    if (isNew)
      return true;
    Py_DECREF(entry.compiled);
    Py_DECREF(kernel);
    entry = at->second;
    kernel = entry.kernel();
    return true;
  }

  /// A new tuple of some of the bound values.
  PyObject *valuesAt(size_t begin, size_t end) const {
    PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(end - begin));
    for (size_t i = begin; tuple && i != end; ++i)
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i - begin), newReference(binding[i]));
    return tuple;
  }

  PyObject *options() const {
    PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(state.optionPlaces.size()));
    for (size_t i = 0; tuple && i != state.optionPlaces.size(); ++i)
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i),
                       newReference(binding[state.optionPlaces[i]]));
    return tuple;
  }

  /// Sets `kernel`, and all of `entry` where that is no None and has an executable already. False
  /// with an exception.
  bool compile() {
    PyObject *list = specs(state.parameters, arguments);
    PyObject *chosen = options(), *values = valuesAt(0, state.parameters.size());
    if (list && chosen && values)
      kernel = PyObject_CallMethod(object(), "_compile", "OOiOO", list, chosen, arguments.device,
                                   values, isWarmup ? Py_True : Py_False);
    Py_XDECREF(list);
    Py_XDECREF(chosen);
    Py_XDECREF(values);
    if (!kernel || kernel == Py_None)
      return kernel;
    PyObject *executable = PyObject_GetAttrString(kernel, "executable");
    if (executable == Py_None) {
      Py_DECREF(executable);
      return true;
    }
    PyObject *resolver = executable ? PyObject_GetAttrString(kernel, "resolver") : nullptr;
    PyObject *isOwned = resolver ? PyObject_GetAttrString(kernel, "is_owned") : nullptr;
    if (isOwned) {
      entry.executable = executableOf(executable);
      entry.watch = watchOf(resolver);
      entry.device = arguments.device;
      entry.compiled =
          isOwned == Py_True ? PyWeakref_NewRef(kernel, nullptr) : newReference(kernel);
    }
    Py_XDECREF(executable);
    Py_XDECREF(resolver);
    Py_XDECREF(isOwned);
    return entry.compiled && entry.executable && entry.watch;
  }

  bool refuseMixed() {
    PyObject *values = valuesAt(0, state.parameters.size());
    PyObject *answer =
        values ? PyObject_CallMethod(object(), "_refuse_mixed", "(O)", values) : nullptr;
    Py_XDECREF(values);
    Py_XDECREF(answer);
    return false;
  }

  /// Calls a grid that is a function of the arguments.
  bool callGrid(PyObject *function, Grid &grid);

  bool start(const Grid &grid) {
    gluonc_error *error = nullptr;
    gluonc_status status;
    if (entry.device < 0) {
      std::vector<gluonc_memory_range> reachable;
      PyObject *names = nullptr;
      if (Hooks::get().reachable && !findReachable(reachable, names))
        return false;
      status = simulate(grid, reachable, &error);
      Py_XDECREF(names);
    } else {
      void *stream = nullptr;
      if (!findStream(stream))
        return false;
      // One driver call: taking the GIL back would cost more than holding it.
      status = gluonc_launch(entry.executable, grid.x, grid.y, grid.z, stream,
                             arguments.slots.data(), arguments.slots.size(), &error);
    }
    if (status == GLUONC_OK) [[likely]]
      return true;
    raise(status, error);
    return false;
  }

  /// start() between the hooks.
  bool startWatched(const Grid &grid) {
    void *stream = nullptr;
    if (entry.device >= 0 && !findStream(stream))
      return false;
    PyObject *values = valuesAt(0, state.parameters.size());
    PyObject *metadata =
        values ? PyObject_CallMethod(object(), "_launch_starts", "O(III)KO", kernel, grid.x, grid.y,
                                     grid.z, reinterpret_cast<uintptr_t>(stream), values)
               : nullptr;
    Py_XDECREF(values);
    PyObject *answer = metadata && start(grid)
                           ? PyObject_CallMethod(object(), "_launch_ended", "O", metadata)
                           : nullptr;
    Py_XDECREF(metadata);
    Py_XDECREF(answer);
    return answer != nullptr;
  }

  gluonc_status simulate(const Grid &grid, const std::vector<gluonc_memory_range> &reachable,
                         gluonc_error **error) {
    // Not empty: without ranges the engine's would count.
    std::vector<gluonc_memory_range> ranges(1);
    for (const Arguments::Range &range : arguments.ranges)
      ranges.push_back({PyUnicode_AsUTF8(range.name),
                        reinterpret_cast<const void *>(range.tensor.begin), range.tensor.bytes,
                        range.tensor.readOnly});
    gluonc_launch_options options = {};
    options.size = sizeof options;
    options.ranges = ranges.data();
    options.range_count = ranges.size();
    options.reachable = reachable.data();
    options.reachable_count = reachable.size();
    gluonc_status status;
    Py_BEGIN_ALLOW_THREADS;
    status =
        gluonc_launch_simulated(entry.executable, grid.x, grid.y, grid.z, arguments.slots.data(),
                                arguments.slots.size(), &options, error);
    Py_END_ALLOW_THREADS;
    return status;
  }

  /// What kernels may reach by addresses that they load. `kept` holds its names. False with an
  /// exception.
  static bool findReachable(std::vector<gluonc_memory_range> &ranges, PyObject *&kept) {
    kept = PyObject_CallFunctionObjArgs(Hooks::get().reachable, nullptr);
    for (Py_ssize_t i = 0; kept && i != PyList_Size(kept); ++i) {
      const char *name = nullptr;
      unsigned long long begin = 0, bytes = 0;
      int readOnly = 0;
      if (!PyArg_ParseTuple(PyList_GetItem(kept, i), "sKKp", &name, &begin, &bytes, &readOnly))
        Py_CLEAR(kept);
      else
        ranges.push_back({name, reinterpret_cast<const void *>(begin), bytes, readOnly});
    }
    return kept != nullptr;
  }

  bool findStream(void *&stream) {
    if (arguments.api && currentStream(*arguments.api, entry.device, stream)) [[likely]]
      return true;
    PyObject *answer = PyObject_CallMethod(object(), "_current_stream", "i", entry.device);
    if (!answer)
      return false;
    stream = PyLong_AsVoidPtr(answer);
    Py_DECREF(answer);
    return !PyErr_Occurred();
  }

  Dispatcher *self;
  State &state;
  PyObject *const *args;
  size_t count;
  PyObject *keywords;
  bool isWarmup;
  Binding binding;
  Arguments arguments;
  Entry entry;
  /// The CompiledKernel of the entry, which may be dropped from the table meanwhile.
  PyObject *kernel = nullptr;
};

/// Reads (x, y, z), missing ones 1, or a single number.
bool readGrid(PyObject *object, Grid &grid) {
  unsigned *sizes[] = {&grid.x, &grid.y, &grid.z};
  auto read = [](PyObject *item, unsigned &size) {
    PyObject *index = PyNumber_Index(item);
    if (!index)
      return false;
    long long value = PyLong_AsLongLong(index);
    Py_DECREF(index);
    if (value < 0 || value > UINT32_MAX) {
      if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "a grid of %lld programs", value);
      return false;
    }
    size = static_cast<unsigned>(value);
    return true;
  };
  if (!PyTuple_Check(object) && !PyList_Check(object))
    return read(object, grid.x);
  Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  if (count < 1 || count > 3) {
    PyErr_SetString(PyExc_ValueError, "a grid has one to three sizes");
    return false;
  }
  for (Py_ssize_t i = 0; i != count; ++i)
    if (!read(PySequence_Fast_GET_ITEM(object, i), *sizes[i]))
      return false;
  return true;
}

bool Launch::callGrid(PyObject *function, Grid &grid) {
  PyObject *bound = PyDict_New();
  for (size_t i = 0; bound && i != state.parameters.size(); ++i)
    if (PyDict_SetItem(bound, state.parameters[i].name, binding[i]) != 0)
      Py_CLEAR(bound);
  PyObject *sizes = bound ? PyObject_CallOneArg(function, bound) : nullptr;
  Py_XDECREF(bound);
  bool fine = sizes && readGrid(sizes, grid);
  Py_XDECREF(sizes);
  return fine;
}

//===----------------------------------------------------------------------===//
// The types
//===----------------------------------------------------------------------===//

/// Makes sure that the parameters are known, and have the defaults that they have now. False with
/// an exception.
bool isReady(Dispatcher *self) {
  if (self->state && self->state->signature.holds()) [[likely]]
    return true;
  PyObject *answer = PyObject_CallMethod(reinterpret_cast<PyObject *>(self), "_prepare", nullptr);
  Py_XDECREF(answer);
  if (answer && !self->state)
    PyErr_SetString(PyExc_RuntimeError, "_prepare did not call _set_parameters");
  return answer && self->state;
}

PyObject *launch(PyObject *callable, PyObject *const *args, size_t countAndFlags,
                 PyObject *keywords) {
  auto *bound = reinterpret_cast<BoundLaunch *>(callable);
  Dispatcher *self = bound->kernel;
  if (!isReady(self))
    return nullptr;
  auto count = static_cast<size_t>(PyVectorcall_NARGS(countAndFlags));
  if (self->state->hasHooks) [[unlikely]] {
    PyObject *hooks = PyObject_GetAttrString(reinterpret_cast<PyObject *>(self), "_run_pre_hooks");
    PyObject *answer = hooks ? PyObject_Vectorcall(hooks, args, count, keywords) : nullptr;
    Py_XDECREF(hooks);
    Py_XDECREF(answer);
    if (!answer)
      return nullptr;
  }
  Launch launch(self, args, count, keywords);
  return launch.prepare() ? launch.run(bound->grid, bound->function) : nullptr;
}

PyObject *subscript(PyObject *object, PyObject *grid) {
  Grid sizes;
  bool isFunction = !PyTuple_CheckExact(grid) && PyCallable_Check(grid);
  if (!isFunction && grid != Py_None && !readGrid(grid, sizes))
    return nullptr;
  BoundLaunch *bound = std::exchange(spare, nullptr);
  if (bound)
    PyObject_Init(reinterpret_cast<PyObject *>(bound), boundLaunchType);
  else
    bound = PyObject_New(BoundLaunch, boundLaunchType);
  if (!bound)
    return nullptr;
  bound->call = launch;
  bound->kernel = reinterpret_cast<Dispatcher *>(newReference(object));
  bound->function = isFunction ? newReference(grid) : nullptr;
  bound->grid = sizes;
  return reinterpret_cast<PyObject *>(bound);
}

void destroyBound(PyObject *object) {
  auto *bound = reinterpret_cast<BoundLaunch *>(object);
  Py_DECREF(bound->kernel);
  Py_XDECREF(bound->function);
  PyTypeObject *type = Py_TYPE(object);
  if (!spare)
    spare = bound;
  else
    PyObject_Free(object);
  Py_DECREF(type);
}

void release(std::vector<Parameter> &parameters) {
  for (Parameter &parameter : parameters)
    for (PyObject *part : {parameter.name, parameter.defaultValue, parameter.lastValue})
      Py_XDECREF(part);
  parameters.clear();
}

void destroyDispatcher(PyObject *object) {
  auto *self = reinterpret_cast<Dispatcher *>(object);
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (State *state = self->state) {
    release(state->parameters);
    release(state->options);
    Py_XDECREF(state->numbers);
    state->forget([](const Entry &) { return true; });
    delete state;
  }
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

/// (name, default or NotImplemented, constexpr, keyword-only, variadic, specialize,
/// specialize alignment, type or None, float format)
bool readParameter(PyObject *item, Parameter &parameter) {
  PyObject *name, *value, *type;
  int isConstexpr, isKeywordOnly, isVariadic, specializes, specializesAlignment;
  if (!PyArg_ParseTuple(item, "UOpppppOI", &name, &value, &isConstexpr, &isKeywordOnly, &isVariadic,
                        &specializes, &specializesAlignment, &type, &parameter.floatKind))
    return false;
  parameter.isConstexpr = isConstexpr;
  parameter.isKeywordOnly = isKeywordOnly;
  parameter.isVariadic = isVariadic;
  parameter.specializes = specializes;
  parameter.specializesAlignment = specializesAlignment;
  if (type != Py_None && (parameter.type = Interned::get().name(type)) < 0)
    return false;
  parameter.name = newReference(name);
  PyUnicode_InternInPlace(&parameter.name);
  if (value != Py_NotImplemented)
    parameter.defaultValue = newReference(value);
  return true;
}

bool readParameters(PyObject *list, std::vector<Parameter> &parameters) {
  for (Py_ssize_t i = 0; i != PyList_GET_SIZE(list); ++i)
    if (!readParameter(PyList_GET_ITEM(list, i), parameters.emplace_back()))
      return false;
  return true;
}

/// Notes the defaults of a function. False with an exception.
bool watchSignature(State &state, PyObject *function) {
  state.signature.forget();
  PyObject *keywords = PyFunction_GET_KW_DEFAULTS(function);
  return state.signature.add(function) >= 0 && (!keywords || state.signature.add(keywords) >= 0);
}

/// Takes over the defaults of the same parameters, read again.
void renewDefaults(State &state, std::vector<Parameter> &parameters) {
  for (size_t i = 0; i != std::min(state.parameters.size(), parameters.size()); ++i)
    std::swap(state.parameters[i].defaultValue, parameters[i].defaultValue);
}

/// _set_parameters(parameters, options, function): parameters that an option shares its name with
/// get it. Called again, it takes the defaults.
PyObject *setParameters(PyObject *object, PyObject *args) {
  auto *self = reinterpret_cast<Dispatcher *>(object);
  PyObject *parameters, *options, *function;
  if (!PyArg_ParseTuple(args, "O!O!O!", &PyList_Type, &parameters, &PyList_Type, &options,
                        &PyFunction_Type, &function))
    return nullptr;
  if (self->state) {
    std::vector<Parameter> renewed;
    bool isRead = readParameters(parameters, renewed);
    if (isRead)
      renewDefaults(*self->state, renewed);
    release(renewed);
    if (!isRead || !watchSignature(*self->state, function))
      return nullptr;
    Py_RETURN_NONE;
  }
  // Complete before it is seen: reading may run Python code.
  auto state = std::make_unique<State>();
  std::vector<Parameter> all;
  if (!readParameters(parameters, state->parameters) || !readParameters(options, all) ||
      !watchSignature(*state, function) ||
      !(state->numbers = PyObject_CallNoArgs(Hooks::get().numbersType)))
    return nullptr;
  for (const Parameter &parameter : state->parameters) {
    state->isVariadic |= parameter.isVariadic;
    state->positional += !parameter.isKeywordOnly && !parameter.isVariadic;
  }
  for (Parameter &option : all) {
    size_t place = 0;
    while (place != state->parameters.size() && state->parameters[place].name != option.name)
      ++place;
    if (place == state->parameters.size()) {
      place += state->options.size();
      state->options.push_back(option);
    }
    state->optionPlaces.push_back(place);
  }
  if (!self->state)
    self->state = state.release();
  Py_RETURN_NONE;
}

/// _specialize(args, kwargs): the CompiledKernel, without a launch.
PyObject *specialize(PyObject *object, PyObject *callArgs) {
  auto *self = reinterpret_cast<Dispatcher *>(object);
  PyObject *args, *kwargs;
  if (!PyArg_ParseTuple(callArgs, "O!O!", &PyTuple_Type, &args, &PyDict_Type, &kwargs) ||
      !isReady(self))
    return nullptr;
  PyObject *names = PyTuple_New(PyDict_GET_SIZE(kwargs));
  if (!names)
    return nullptr;
  std::vector<PyObject *> values;
  for (Py_ssize_t i = 0; i != PyTuple_GET_SIZE(args); ++i)
    values.push_back(PyTuple_GET_ITEM(args, i));
  size_t count = values.size();
  PyObject *name, *value;
  for (Py_ssize_t at = 0, i = 0; PyDict_Next(kwargs, &at, &name, &value); ++i) {
    PyTuple_SET_ITEM(names, i, newReference(name));
    values.push_back(value);
  }
  PyObject *compiled = nullptr;
  {
    Launch launch(self, values.data(), count, names, /*isWarmup=*/true);
    if (launch.prepare())
      compiled = launch.compiled();
  }
  Py_DECREF(names);
  return compiled;
}

PyObject *setHooks(PyObject *object, PyObject *flag) {
  auto *self = reinterpret_cast<Dispatcher *>(object);
  if (!isReady(self))
    return nullptr;
  self->state->hasHooks = PyObject_IsTrue(flag) == 1;
  Py_RETURN_NONE;
}

/// A list of the CompiledKernels that launches of it find.
PyObject *listCompiled(PyObject *object, PyObject *) {
  PyObject *list = PyList_New(0);
  const State *state = reinterpret_cast<Dispatcher *>(object)->state;
  if (!list || !state)
    return list;
  for (const auto &[key, entry] : state->entries) {
    PyObject *kernel = entry.kernel();
    int failed = kernel && PyList_Append(list, kernel);
    Py_XDECREF(kernel);
    if (failed) {
      Py_DECREF(list);
      return nullptr;
    }
  }
  return list;
}

/// Drops them: the next launches compile anew.
PyObject *forgetCompiled(PyObject *object, PyObject *) {
  if (State *state = reinterpret_cast<Dispatcher *>(object)->state)
    state->forget([](const Entry &) { return true; });
  Py_RETURN_NONE;
}

// A kernel is part of circles: what was compiled for it names it, and so may its variables.

int traverseDispatcher(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  const State *state = reinterpret_cast<Dispatcher *>(object)->state;
  if (!state)
    return 0;
  for (const auto *list : {&state->parameters, &state->options})
    for (const Parameter &parameter : *list) {
      Py_VISIT(parameter.defaultValue);
      Py_VISIT(parameter.lastValue);
    }
  if (int stop = state->signature.traverse(visit, arg))
    return stop;
  Py_VISIT(state->numbers);
  for (const auto &[key, entry] : state->entries)
    Py_VISIT(entry.compiled);
  return 0;
}

int clearDispatcher(PyObject *object) {
  State *state = reinterpret_cast<Dispatcher *>(object)->state;
  if (!state)
    return 0;
  state->forget([](const Entry &) { return true; });
  state->signature.forget();
  for (auto *list : {&state->parameters, &state->options})
    for (Parameter &parameter : *list) {
      Py_CLEAR(parameter.defaultValue);
      Py_CLEAR(parameter.lastValue);
    }
  return 0;
}

PyMethodDef dispatcherMethods[] = {
    {"_set_parameters", setParameters, METH_VARARGS, nullptr},
    {"_specialize", specialize, METH_VARARGS, nullptr},
    {"_set_has_hooks", setHooks, METH_O, nullptr},
    {"_list_compiled", listCompiled, METH_NOARGS, nullptr},
    {"_forget_compiled", forgetCompiled, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot dispatcherSlots[] = {
    {Py_tp_doc, const_cast<char *>("kernel[grid](…): binds, keys and launches.")},
    {Py_tp_new, reinterpret_cast<void *>(PyType_GenericNew)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyDispatcher)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseDispatcher)},
    {Py_tp_clear, reinterpret_cast<void *>(clearDispatcher)},
    {Py_tp_methods, dispatcherMethods},
    {Py_mp_subscript, reinterpret_cast<void *>(subscript)},
    {0, nullptr},
};
PyType_Spec dispatcherSpec = {"gluonc._native.Dispatcher", sizeof(Dispatcher), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                              dispatcherSlots};

PyMemberDef boundMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundLaunch, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot boundSlots[] = {
    {Py_tp_doc, const_cast<char *>("A kernel with its grid.")},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyBound)},
    {Py_tp_members, boundMembers},
    {0, nullptr},
};
PyType_Spec boundSpec = {"gluonc._native.BoundLaunch", sizeof(BoundLaunch), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, boundSlots};

} // namespace

void watchLaunches(bool watched) { launchesAreWatched = watched; }

bool addDispatcher(PyObject *module) {
  boundLaunchType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&boundSpec));
  PyObject *type = boundLaunchType ? PyType_FromSpec(&dispatcherSpec) : nullptr;
  return type && PyModule_AddObject(module, "Dispatcher", type) == 0;
}

} // namespace gluonc::python

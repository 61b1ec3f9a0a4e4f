//===- Module.cpp - gluonc._native: the C API as Python objects ------------===//
//
// Decides nothing: every object is a handle, every method a call of gluonc.h. How a
// launch comes to be is in Dispatch.h.
//
// Methods that make an object return it by pointer: Python owns it. Calls that compile or simulate
// run without the GIL. Failures become the exceptions of gluonc.errors.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "Dispatch.h"
#include "Watch.h"
#include "gluonc/gluonc.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>

namespace nb = nanobind;
namespace numeric = gluonc::numeric;

namespace {

template <auto destroy> struct Destroyer {
  template <typename T> void operator()(T *handle) const { destroy(handle); }
};
using ErrorHandle = std::unique_ptr<gluonc_error, Destroyer<gluonc_error_destroy>>;

/// Source texts, paths and names may be anything.
PyObject *decode(const char *text) {
  return PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace");
}

/// Sets the exception for what a call reported, and frees the report.
void setException(int status, gluonc_error *raw) {
  ErrorHandle error(raw);
  // A signal's handler raised while the call ran, or does now: it may have ended the assembler,
  // too.
  if (PyErr_Occurred() || PyErr_CheckSignals() != 0)
    return;
  PyObject *errors = PyImport_ImportModule("gluonc.errors");
  PyObject *made =
      errors ? PyObject_CallMethod(errors, "make", "iNNN", status, decode(gluonc_error_text(raw)),
                                   decode(gluonc_error_json(raw)),
                                   decode(gluonc_error_reproducer(raw)))
             : nullptr;
  if (made)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(made)), made);
  Py_XDECREF(errors);
  Py_XDECREF(made);
}

/// Runs one call of the API without the GIL and raises what it reports.
template <typename Call> void check(Call &&call) {
  gluonc_error *raw = nullptr;
  gluonc_status status;
  {
    nb::gil_scoped_release released;
    status = call(&raw);
  }
  if (status == GLUONC_OK) [[likely]]
    return;
  setException(status, raw);
  throw nb::python_error();
}

/// A float type that arithmetic works on, by its name in signatures; Void for what is none.
numeric::ScalarKind standardFloat(std::string_view type) {
  const numeric::DTypeFacts *facts = numeric::findDType(type);
  bool isStandard = facts && facts->signature == type &&
                    facts->number == numeric::NumberKind::Float && facts->bits >= 16;
  return isStandard ? facts->kind : numeric::ScalarKind::Void;
}

class Executable {
public:
  Executable(gluonc_executable *raw, nb::object owner) : owner(std::move(owner)), handle(raw) {
    for (size_t i = 0; i != gluonc_executable_parameter_count(raw); ++i)
      types.emplace_back(gluonc_executable_parameter_type(raw, i));
  }

  std::optional<nb::bytes> code(const std::string &form) const {
    const char *code = nullptr;
    size_t size = 0;
    check([&](gluonc_error **error) {
      return gluonc_executable_make_code(handle.get(), form.c_str(), &code, &size, error);
    });
    return nb::bytes(code, size);
  }

  /// (registers, local bytes, threads at most), or None where nobody knows.
  nb::object resources() const {
    gluonc_executable_info info = this->info();
    if (!info.registers)
      return nb::none();
    return nb::make_tuple(info.registers, info.spilled_bytes, info.max_threads);
  }

  gluonc_executable_info info() const {
    gluonc_executable_info info;
    gluonc_executable_get_info(handle.get(), &info);
    return info;
  }

  std::string key() const { return gluonc_executable_key(handle.get()); }

  /// What Engine.load_executable takes.
  nb::bytes save() const {
    const char *bytes = nullptr;
    size_t size = 0;
    check([&](gluonc_error **error) {
      return gluonc_executable_save(handle.get(), &bytes, &size, error);
    });
    return nb::bytes(bytes, size);
  }

  gluonc_executable *raw() const { return handle.get(); }

  void load(int device) const {
    check(
        [&](gluonc_error **error) { return gluonc_executable_load(handle.get(), device, error); });
  }

  /// `values` is a list with one int or float per parameter.
  void launch(unsigned x, unsigned y, unsigned z, uintptr_t stream, nb::list values) const {
    uint64_t slots[maxParameters];
    size_t count = fill(values, slots);
    gluonc_error *raw = nullptr;
    // One driver call: taking the GIL back would cost more than holding it.
    gluonc_status status =
        gluonc_launch(handle.get(), x, y, z, reinterpret_cast<void *>(stream), slots, count, &raw);
    if (status == GLUONC_OK) [[likely]]
      return;
    setException(status, raw);
    throw nb::python_error();
  }

  /// Both lists hold tuples (name, address, bytes, read-only): memory of the arguments, and memory
  /// that the kernel may reach by addresses that it finds.
  void launchOnRanges(unsigned x, unsigned y, unsigned z, nb::list values, nb::list ranges,
                      nb::list reachable) const {
    uint64_t slots[maxParameters];
    size_t count = fill(values, slots);
    std::deque<std::string> names;
    // Not empty: without ranges the engine's would count.
    std::vector<gluonc_memory_range> memory(1), others;
    readRanges(ranges, names, memory);
    readRanges(reachable, names, others);
    gluonc_launch_options options = {};
    options.size = sizeof options;
    options.ranges = memory.data();
    options.range_count = memory.size();
    options.reachable = others.data();
    options.reachable_count = others.size();
    check([&](gluonc_error **error) {
      return gluonc_launch_simulated(handle.get(), x, y, z, slots, count, &options, error);
    });
  }

  std::vector<std::string> types;
  /// The resolver, if its source has one.
  nb::object owner;

private:
  /// CUDA allows 4 KiB of parameters.
  static constexpr size_t maxParameters = 512;

  static void readRanges(const nb::list &ranges, std::deque<std::string> &names,
                         std::vector<gluonc_memory_range> &found) {
    for (nb::handle item : ranges) {
      nb::tuple range = nb::cast<nb::tuple>(item);
      names.push_back(nb::cast<std::string>(range[0]));
      found.push_back({names.back().c_str(),
                       reinterpret_cast<const void *>(nb::cast<uintptr_t>(range[1])),
                       nb::cast<size_t>(range[2]), nb::cast<bool>(range[3])});
    }
  }

  size_t fill(const nb::list &values, uint64_t *slots) const {
    size_t count = nb::len(values);
    if (count != types.size() || count > maxParameters)
      throw nb::type_error("the number of launch arguments is wrong");
    for (size_t i = 0; i != count; ++i) {
      PyObject *value = values[i].ptr();
      numeric::ScalarKind kind = standardFloat(types[i]);
      if (kind != numeric::ScalarKind::Void)
        slots[i] = gluonc::python::floatBits(kind, PyFloat_AsDouble(value));
      else
        slots[i] = PyLong_AsUnsignedLongLongMask(value);
      if (PyErr_Occurred()) [[unlikely]]
        throw nb::python_error();
    }
    return count;
  }

  std::unique_ptr<gluonc_executable, Destroyer<gluonc_executable_destroy>> handle;
};

struct Specialization {
  explicit Specialization(gluonc_specialization *raw, nb::object owner = {})
      : handle(raw), owner(std::move(owner)) {}

  /// (name of the kernel, warps, CTAs, registers or 0).
  nb::tuple info() const {
    gluonc_specialization_info info;
    gluonc_specialization_get_info(handle.get(), &info);
    return nb::make_tuple(info.name, info.num_warps, info.num_ctas, info.max_registers);
  }

  /// Machine code is made of `text`, which is llir, ptx or amdgcn.
  void replaceCode(const std::string &form, const std::string &text) const {
    check([&](gluonc_error **error) {
      return gluonc_specialization_replace_code(handle.get(), form.c_str(), text.data(),
                                                text.size(), error);
    });
  }

  /// The IR before any pass.
  std::string ir(const std::string &target) const {
    std::string text;
    check([&](gluonc_error **error) {
      const char *printed = nullptr;
      gluonc_status status =
          gluonc_specialization_ir(handle.get(), target.c_str(), &printed, error);
      if (status == GLUONC_OK)
        text = printed;
      return status;
    });
    return text;
  }

  std::unique_ptr<gluonc_specialization, Destroyer<gluonc_specialization_destroy>> handle;
  nb::object owner;
};

/// Arguments of a specialization with what they point to.
struct ArgumentList {
  explicit ArgumentList(const nb::list &list) {
    for (nb::handle item : list)
      add(nb::cast<nb::tuple>(item));
    // The texts and lists no longer move.
    for (size_t i = 0; i != items.size(); ++i) {
      items[i].text = texts[i] ? texts[i]->c_str() : nullptr;
      if (nested[i]) {
        items[i].items = nested[i]->items.data();
        items[i].item_count = nested[i]->items.size();
      }
    }
  }

  std::vector<gluonc_argument> items;

private:
  void add(const nb::tuple &pair) {
    gluonc_argument argument = {};
    std::optional<std::string> text;
    std::unique_ptr<ArgumentList> inner;
    argument.kind = static_cast<gluonc_argument_kind>(nb::cast<int>(pair[0]));
    switch (argument.kind) {
    case GLUONC_ARGUMENT_TYPE:
    case GLUONC_ARGUMENT_EXPRESSION:
      text = nb::cast<std::string>(pair[1]);
      break;
    case GLUONC_ARGUMENT_INTEGER:
      argument.integer = nb::cast<int64_t>(pair[1]);
      break;
    case GLUONC_ARGUMENT_BOOLEAN:
      argument.integer = nb::cast<bool>(pair[1]);
      break;
    case GLUONC_ARGUMENT_REAL:
      argument.real = nb::cast<double>(pair[1]);
      break;
    case GLUONC_ARGUMENT_NONE:
      break;
    case GLUONC_ARGUMENT_TUPLE:
      text = nb::cast<std::optional<std::string>>(nb::object(pair[1][0]));
      inner = std::make_unique<ArgumentList>(nb::cast<nb::list>(nb::object(pair[1][1])));
      break;
    }
    items.push_back(argument);
    texts.push_back(std::move(text));
    nested.push_back(std::move(inner));
  }

  std::vector<std::optional<std::string>> texts;
  std::vector<std::unique_ptr<ArgumentList>> nested;
};

/// Options that few launches give, by the names that Triton has for them.
class RareOptions {
public:
  explicit RareOptions(const nb::dict &given)
      : libraries(textOf(given, "extern_libs")), ptxasOptions(textOf(given, "ptx_options")),
        keepsSubnormals(isOff(given, "enable_reflect_ftz")),
        mayOverflow(isOff(given, "sanitize_overflow")), lineInfo(given.contains("line_info")),
        ptxVersion(numberOf(given, "ptx_version")), wavesPerSimd(numberOf(given, "waves_per_eu")) {}

  /// The texts stay here.
  void apply(gluonc_kernel_options &options) const {
    options.libraries = libraries.c_str();
    options.ptxas_options = ptxasOptions.c_str();
    options.keep_subnormals = keepsSubnormals;
    options.no_overflow_checks = mayOverflow;
    options.line_info = lineInfo;
    options.ptx_version = ptxVersion;
    options.waves_per_simd = wavesPerSimd;
  }

private:
  static std::string textOf(const nb::dict &given, const char *name) {
    return given.contains(name) ? nb::cast<std::string>(given[name]) : "";
  }
  static bool isOff(const nb::dict &given, const char *name) {
    return given.contains(name) && !nb::cast<bool>(given[name]);
  }
  static unsigned numberOf(const nb::dict &given, const char *name) {
    return given.contains(name) ? nb::cast<unsigned>(given[name]) : 0;
  }

  std::string libraries, ptxasOptions;
  bool keepsSubnormals, mayOverflow, lineInfo;
  unsigned ptxVersion, wavesPerSimd;
};

gluonc_kernel_options optionsOf(unsigned maxRegisters, bool debug, bool fpFusion,
                                bool programmaticDependent, bool cooperative) {
  gluonc_kernel_options options = {};
  options.size = sizeof options;
  options.max_registers = maxRegisters;
  options.debug = debug;
  options.no_fp_fusion = !fpFusion;
  options.programmatic_dependent_launch = programmaticDependent;
  options.cooperative_launch = cooperative;
  return options;
}

class Kernel {
public:
  Kernel(gluonc_kernel *raw, nb::object owner) : owner(std::move(owner)), handle(raw) {}

  /// `arguments` holds tuples (gluonc_argument_kind, value); that of a tuple is (names, items).
  Specialization *specialize(nb::list arguments, unsigned warps, unsigned ctas,
                             unsigned maxRegisters, bool debug, bool fpFusion,
                             bool programmaticDependent, bool cooperative, unsigned stages,
                             bool isGluon, const std::string &sanitizer,
                             const nb::dict &given) const {
    if (!warps || !ctas)
      throw nb::value_error("num_warps and num_ctas are at least 1");
    ArgumentList made(arguments);
    gluonc_kernel_options options =
        optionsOf(maxRegisters, debug, fpFusion, programmaticDependent, cooperative);
    options.num_warps = warps;
    options.num_ctas = ctas;
    options.num_stages = stages;
    options.sanitizer = sanitizer.c_str();
    RareOptions rare(given);
    rare.apply(options);
    options.language = isGluon ? GLUONC_LANGUAGE_GLUON : GLUONC_LANGUAGE_TRITON;
    gluonc_specialization *raw = nullptr;
    check([&](gluonc_error **error) {
      return gluonc_kernel_specialize(handle.get(), made.items.data(), made.items.size(), &options,
                                      &raw, error);
    });
    return new Specialization(raw, owner);
  }

  nb::object owner;

private:
  std::unique_ptr<gluonc_kernel, Destroyer<gluonc_kernel_destroy>> handle;
};

class Source {
public:
  explicit Source(gluonc_module *raw, nb::object owner = {})
      : owner(std::move(owner)), handle(raw) {}

  Kernel *kernel(const std::string &name) const {
    gluonc_kernel *raw = nullptr;
    check([&](gluonc_error **error) {
      return gluonc_module_kernel(handle.get(), name.c_str(), &raw, error);
    });
    return new Kernel(raw, owner);
  }

  /// The function whose definition starts at a line.
  Kernel *kernelAt(const std::string &name, unsigned line) const {
    gluonc_kernel *raw = nullptr;
    check([&](gluonc_error **error) {
      return gluonc_module_kernel_at(handle.get(), name.c_str(), line, &raw, error);
    });
    return new Kernel(raw, owner);
  }

  nb::object owner;

private:
  std::unique_ptr<gluonc_module, Destroyer<gluonc_module_destroy>> handle;
};

/// Asks a Python callable what names are bound to: resolve(scope, name) gives None or
/// (kind, text, path, name, line, scope, object, attributes).
///
/// What the compiler has is out of the garbage collector's sight, so it knows the callable weakly;
/// the objects of Python that lead here own it.
class Resolver {
public:
  explicit Resolver(nb::handle callable) : callable(nb::weakref(callable)) {}

  static int resolve(void *context, uint64_t scope, const char *name, gluonc_binding *binding) {
    nb::gil_scoped_acquire held;
    auto &self = *static_cast<Resolver *>(context);
    *binding = {GLUONC_BINDING_OPAQUE, "its kernel is gone", "", "", 0, 0, 0, ""};
    try {
      nb::object resolver = self.callable();
      if (resolver.is_none())
        return 1;
      nb::object found = resolver(scope, name);
      if (found.is_none())
        return 0;
      nb::tuple parts = nb::cast<nb::tuple>(found);
      self.text = nb::cast<std::string>(parts[1]);
      self.path = nb::cast<std::string>(parts[2]);
      self.name = nb::cast<std::string>(parts[3]);
      self.attributes = nb::cast<std::string>(parts[7]);
      *binding = {static_cast<gluonc_binding_kind>(nb::cast<int>(parts[0])),
                  self.text.c_str(),
                  self.path.c_str(),
                  self.name.c_str(),
                  nb::cast<unsigned>(parts[4]),
                  nb::cast<uint64_t>(parts[5]),
                  nb::cast<uint64_t>(parts[6]),
                  self.attributes.c_str()};
    } catch (nb::python_error &error) {
      // Nothing may be thrown through the compiler.
      self.text = error.what();
      binding->text = self.text.c_str();
      // Ctrl-C came while Python ran: again, for who asks next.
      if (error.matches(PyExc_KeyboardInterrupt))
        PyErr_SetInterrupt();
    } catch (nb::cast_error &) {
    }
    return 1;
  }

  static void release(void *context) {
    nb::gil_scoped_acquire held;
    delete static_cast<Resolver *>(context);
  }

private:
  nb::weakref callable;
  std::string text, path, name, attributes;
};

/// What Python's garbage collector has to know of objects that own a resolver, as `owner`.
template <typename T> int traverseOwner(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self))
    Py_VISIT(nb::inst_ptr<T>(self)->owner.ptr());
  return 0;
}
template <typename T> int clearOwner(PyObject *self) {
  nb::inst_ptr<T>(self)->owner.reset();
  return 0;
}
template <typename T>
PyType_Slot ownerSlots[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverseOwner<T>)},
                            {Py_tp_clear, reinterpret_cast<void *>(clearOwner<T>)},
                            {0, nullptr}};

gluonc_verdict verdictOf(const std::string &text) {
  if (text == "ignore")
    return GLUONC_VERDICT_IGNORE;
  if (text == "warn")
    return GLUONC_VERDICT_WARN;
  if (text == "fault")
    return GLUONC_VERDICT_FAULT;
  throw nb::value_error("a verdict is one of ignore, warn and fault");
}

/// An object with get(name) -> bytes or None and put(name, bytes), for the library's threads.
class Storage {
public:
  /// Owned by the engine, which releases it.
  static gluonc_cache_storage of(nb::object object) {
    return {sizeof(gluonc_cache_storage), new Storage{std::move(object)}, get, put, release};
  }

private:
  explicit Storage(nb::object object) : object(std::move(object)) {}

  /// What goes wrong is a failure of the storage: there is nobody to raise it to.
  template <typename Call> static int guarded(Call &&call) {
    nb::gil_scoped_acquire held;
    try {
      call();
      return 0;
    } catch (nb::python_error &error) {
      error.discard_as_unraisable("a remote cache of gluonc");
    } catch (const std::exception &) {
    }
    return 1;
  }

  static int get(void *user, const char *name, void (*give)(void *, const void *, size_t),
                 void *receiver) {
    return guarded([&] {
      nb::object found = static_cast<Storage *>(user)->object.attr("get")(name);
      if (found.is_none())
        return;
      nb::bytes bytes = nb::cast<nb::bytes>(found);
      give(receiver, bytes.data(), bytes.size());
    });
  }
  static int put(void *user, const char *name, const void *bytes, size_t count) {
    return guarded(
        [&] { static_cast<Storage *>(user)->object.attr("put")(name, nb::bytes(bytes, count)); });
  }
  static void release(void *user) {
    nb::gil_scoped_acquire held;
    delete static_cast<Storage *>(user);
  }

  nb::object object;
};

class Engine {
public:
  Engine(const std::string &cacheDirectory, const std::string &ptxas,
         const std::string &remoteCache, const std::string &remoteKeys, bool remoteIsReadOnly,
         nb::object storage) {
    gluonc_engine_options options = {};
    options.size = sizeof options;
    options.cache_directory = cacheDirectory.c_str();
    options.ptxas = ptxas.c_str();
    options.remote_cache = remoteCache.c_str();
    options.remote_cache_keys = remoteKeys.c_str();
    options.remote_cache_read_only = remoteIsReadOnly;
    gluonc_cache_storage functions = {};
    if (!storage.is_none()) {
      functions = Storage::of(std::move(storage));
      options.remote_cache_storage = &functions;
    }
    gluonc_engine *raw = nullptr;
    check([&](gluonc_error **error) { return gluonc_engine_create(&options, &raw, error); });
    handle.reset(raw);
  }

  Source *loadText(const std::string &path, const std::string &text) const {
    gluonc_module *raw = nullptr;
    check([&](gluonc_error **error) {
      return gluonc_engine_load_text(handle.get(), path.c_str(), text.data(), text.size(), &raw,
                                     error);
    });
    return new Source(raw);
  }

  Source *loadScope(const std::string &path, const std::string &text, uint64_t scope,
                    nb::object resolve) const {
    gluonc_module *raw = nullptr;
    auto *resolver = new Resolver(resolve);
    check([&](gluonc_error **error) {
      return gluonc_engine_load_scope(handle.get(), path.c_str(), text.data(), text.size(), scope,
                                      Resolver::resolve, resolver, Resolver::release, &raw, error);
    });
    return new Source(raw, std::move(resolve));
  }

  /// A kernel from the text of its IR.
  Specialization *loadIr(const std::string &path, const std::string &text, unsigned maxRegisters,
                         bool debug, bool fpFusion, bool programmaticDependent, bool cooperative,
                         const nb::dict &given) const {
    gluonc_kernel_options options =
        optionsOf(maxRegisters, debug, fpFusion, programmaticDependent, cooperative);
    RareOptions rare(given);
    rare.apply(options);
    gluonc_specialization *raw = nullptr;
    check([&](gluonc_error **error) {
      return gluonc_engine_load_ir_text(handle.get(), path.c_str(), text.data(), text.size(),
                                        &options, &raw, error);
    });
    return new Specialization(raw);
  }

  /// Of what Executable.save gave, in any process.
  Executable *loadExecutable(nb::bytes saved) const {
    gluonc_executable *executable = nullptr;
    check([&](gluonc_error **error) {
      return gluonc_engine_load_executable(handle.get(), saved.c_str(), saved.size(), &executable,
                                           error);
    });
    return new Executable(executable, {});
  }

  Executable *make(const Specialization &specialization, const std::string &target,
                   bool simulated) const {
    gluonc_executable *raw = nullptr;
    auto *build = simulated ? gluonc_engine_simulate : gluonc_engine_compile;
    check([&](gluonc_error **error) {
      return build(handle.get(), specialization.handle.get(), target.c_str(), &raw, error);
    });
    return new Executable(raw, specialization.owner);
  }

  std::string evaluate(const std::string &expression) const {
    std::string text;
    check([&](gluonc_error **error) {
      const char *printed = nullptr;
      gluonc_status status =
          gluonc_engine_evaluate(handle.get(), expression.c_str(), &printed, error);
      if (status == GLUONC_OK)
        text = printed;
      return status;
    });
    return text;
  }

  void seal() const {
    nb::gil_scoped_release released;
    gluonc_engine_seal(handle.get());
  }

  /// What simulated kernels print goes to sys.stdout, as print() finds it, and warnings to
  /// sys.stderr.
  void printToPython() const {
    gluonc_engine_set_output(handle.get(), writeTo, const_cast<char *>("stdout"));
    gluonc_engine_set_warnings(handle.get(), writeTo, const_cast<char *>("stderr"));
  }

  std::string remoteCacheStatistics() const {
    std::string json;
    auto receive = [](void *user, const char *text, size_t size) {
      static_cast<std::string *>(user)->assign(text, size);
    };
    check([&](gluonc_error **error) {
      return gluonc_engine_remote_cache_statistics(handle.get(), receive, &json, error);
    });
    return json;
  }

  /// Lets Python's handlers of signals run while a simulated launch or a compilation does, so that
  /// Ctrl-C ends it.
  void checkSignals() const {
    gluonc_engine_set_interrupt(
        handle.get(),
        [](void *) -> int {
          nb::gil_scoped_acquire held;
          return PyErr_CheckSignals();
        },
        nullptr);
  }

  /// Ends the simulated launches and the compilations of all threads.
  void cancelLaunches() const { gluonc_engine_cancel_launches(handle.get()); }

  void setScheduleSeed(std::optional<uint64_t> seed) const {
    gluonc_engine_set_schedule_seed(handle.get(), seed ? &*seed : nullptr);
  }

  void setRaces(const std::string &verdict) const {
    gluonc_engine_set_races(handle.get(), verdictOf(verdict));
  }
  void setMaskedOff(const std::string &verdict) const {
    gluonc_engine_set_masked_off(handle.get(), verdictOf(verdict));
  }
  void setUnknownReads(const std::string &verdict) const {
    gluonc_engine_set_unknown_reads(handle.get(), verdictOf(verdict));
  }
  void setMaxBranches(uint64_t count) const { gluonc_engine_set_max_branches(handle.get(), count); }
  void setExecutesPtx(bool executesPtx) const {
    gluonc_engine_set_executes_ptx(handle.get(), executesPtx);
  }

  void beginPrediction() const { gluonc_engine_begin_prediction(handle.get()); }
  void beginTrace() const { gluonc_engine_begin_trace(handle.get()); }
  /// (milliseconds, launches, limit, chip, whether its figures were measured, timeline, page)
  nb::tuple endPrediction() const {
    gluonc_prediction made = {};
    gluonc_engine_end_prediction(handle.get(), &made);
    return nb::make_tuple(made.milliseconds, made.launches, made.limit, made.chip,
                          made.is_measured != 0, made.timeline, made.timeline_page);
  }

  template <auto find> std::string deviceTarget(int device) const {
    const char *name = nullptr;
    check([&](gluonc_error **error) { return find(handle.get(), device, &name, error); });
    return name;
  }

  template <auto count> int deviceCount() const {
    nb::gil_scoped_release released;
    return count(handle.get());
  }

private:
  /// To a stream of `sys`.
  static void writeTo(void *name, const char *text, size_t size) {
    nb::gil_scoped_acquire held;
    PyObject *out = PySys_GetObject(static_cast<const char *>(name));
    PyObject *line = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(size), "replace");
    if (!out || out == Py_None || !line || PyFile_WriteObject(line, out, Py_PRINT_RAW) != 0)
      PyErr_Clear();
    Py_XDECREF(line);
  }

  std::unique_ptr<gluonc_engine, Destroyer<gluonc_engine_destroy>> handle;
};

/// A tensor descriptor's argument, for launches that the dispatcher does not prepare.
class TensorRecord {
public:
  /// `shape` and `strides` have the rank; the last three are for im2col, or empty.
  TensorRecord(uintptr_t base, const std::vector<int64_t> &shape,
               const std::vector<int64_t> &strides, bool nanPadding, bool roundToTf32,
               const std::vector<uint32_t> &elementStrides, const std::vector<int32_t> &lower,
               const std::vector<int32_t> &upper, std::string dtype)
      : dtype(std::move(dtype)) {
    tensor.base = reinterpret_cast<const void *>(base);
    tensor.rank = static_cast<unsigned>(shape.size());
    tensor.nan_padding = nanPadding;
    tensor.round_to_tf32 = roundToTf32;
    tensor.dtype = this->dtype.c_str();
    fill(tensor.shape, shape);
    fill(tensor.strides, strides);
    fill(tensor.element_strides, elementStrides);
    fill(tensor.lower_corner, lower);
    fill(tensor.upper_corner, upper);
  }
  TensorRecord(const TensorRecord &) = delete;

  uintptr_t address() const { return reinterpret_cast<uintptr_t>(&tensor); }

  /// Why there can be no descriptor of such blocks of the tensor; "" if there can be one.
  std::string whyNot(const std::vector<int64_t> &shape, bool isIm2Col, unsigned layoutRank,
                     unsigned swizzleBytes, unsigned elementBits, bool transposed,
                     bool fp4Padded) const {
    gluonc_tensor_block block = {};
    block.rank = static_cast<unsigned>(shape.size());
    fill(block.shape, shape);
    block.is_im2col = isIm2Col;
    block.layout_rank = layoutRank;
    block.swizzle_bytes = swizzleBytes;
    block.element_bits = elementBits;
    block.transposed = transposed;
    block.fp4_padded = fp4Padded;
    gluonc_error *raw = nullptr;
    gluonc_check_descriptor(&tensor, &block, &raw);
    ErrorHandle error(raw);
    return raw ? gluonc_error_text(raw) : "";
  }

private:
  /// What is too long the library refuses, by its rank.
  template <typename T, size_t n> static void fill(T (&to)[n], const std::vector<T> &from) {
    std::copy_n(from.begin(), std::min(n, from.size()), to);
  }

  gluonc_tensor tensor = {};
  std::string dtype;
};

/// Signature name of a DLPack type; empty for types that kernels do not have.
std::string dtypeName(nb::dlpack::dtype dtype) {
  const numeric::DTypeFacts *facts = numeric::findDlpack(dtype.code, dtype.bits);
  return facts && dtype.lanes == 1 ? std::string(facts->signature) : "";
}

/// (signature, name, member of gl, other names, bits, kind of number, NumPy's type string or "") of
/// each scalar type.
nb::list dtypes() {
  static constexpr const char *numbers[] = {"", "bool", "signed", "unsigned", "float"};
  nb::list rows;
  for (const numeric::DTypeFacts &facts : numeric::dtypes) {
    if (facts.kind == numeric::ScalarKind::Void)
      continue;
    std::string array;
    if (facts.arrayLetter() != 'V')
      array = facts.arrayLetter() + std::to_string(facts.bytes());
    rows.append(nb::make_tuple(std::string(facts.signature), std::string(facts.name()),
                               std::string(facts.member), std::string(facts.others),
                               unsigned(facts.bits), numbers[static_cast<unsigned>(facts.number)],
                               array));
  }
  return rows;
}

/// What a chip has, by the names of gluonc_target_info.
nb::dict targetInfo(const std::string &target) {
  gluonc_target_info info = {};
  check([&](gluonc_error **error) { return gluonc_target_get_info(target.c_str(), &info, error); });
  nb::dict facts;
  facts["warp_size"] = info.warp_size;
  facts["max_threads"] = info.max_threads;
  facts["max_shared_bytes"] = info.max_shared_bytes;
  facts["max_ctas"] = info.max_ctas;
  return facts;
}

/// What a launch needs to know of an array that speaks DLPack or the buffer protocol:
/// (address, dtype name, first byte, bytes, GPU or -1).
nb::tuple describe(nb::ndarray<nb::ro> array) {
  int64_t item = array.itemsize(), low = 0, high = 0;
  bool isEmpty = false;
  for (size_t i = 0; i != array.ndim(); ++i) {
    int64_t reach = (int64_t(array.shape(i)) - 1) * array.stride(i) * item;
    (reach < 0 ? low : high) += reach;
    isEmpty |= array.shape(i) == 0;
  }
  auto address = reinterpret_cast<uintptr_t>(array.data());
  bool isOnGpu = array.device_type() == nb::device::cuda::value ||
                 array.device_type() == nb::device::rocm::value;
  return nb::make_tuple(address, dtypeName(array.dtype()), address + low,
                        isEmpty ? 0 : high - low + item, isOnGpu ? array.device_id() : -1);
}

} // namespace

NB_MODULE(_native, m) {
  m.doc() = "The C API of gluonc.";
  // Kernels live as long as the process; that is no leak.
  nb::set_leak_warnings(false);
  m.attr("__version__") = gluonc_version();
  m.attr("build_id") = gluonc_build_id();
  m.def("find_ptxas", &gluonc_find_ptxas);
  m.def("is_predicted",
        [](const std::string &target) { return gluonc_target_is_predicted(target.c_str()) != 0; });
  m.def("language_names", &gluonc_language_names);
  m.def("language_doc", &gluonc_language_doc);
  m.def("language_layouts", &gluonc_language_layouts);
  m.def("describe", &describe);
  m.def("dtypes", &dtypes);
  m.def("target_info", &targetInfo);
  m.def("float_kind", [](const std::string &type) { return unsigned(standardFloat(type)); });
  m.def("watch_launches", &gluonc::python::watchLaunches);
  m.def("announce_change", &gluonc::python::Watch::announceChange);
  m.def("set_hooks", [](nb::handle numbersType, nb::handle describe, nb::handle constexprType) {
    // Kept for the life of the process.
    gluonc::python::Hooks::get().numbersType = numbersType.inc_ref().ptr();
    gluonc::python::Hooks::get().describe = describe.inc_ref().ptr();
    gluonc::python::Hooks::get().constexprType =
        reinterpret_cast<PyTypeObject *>(constexprType.inc_ref().ptr());
  });
  m.def("ask_for_reachable", [](nb::handle reachable) {
    if (!gluonc::python::Hooks::get().reachable)
      gluonc::python::Hooks::get().reachable = reachable.inc_ref().ptr();
  });
  nb::class_<Executable>(m, "Executable", nb::type_slots(ownerSlots<Executable>))
      .def("code", &Executable::code)
      .def("resources", &Executable::resources)
      .def("load", &Executable::load)
      .def("launch", &Executable::launch)
      .def("launch_on_ranges", &Executable::launchOnRanges)
      .def("key", &Executable::key)
      .def("save", &Executable::save)
      .def("function",
           [](const Executable &self) { return reinterpret_cast<uintptr_t>(self.info().function); })
      .def_prop_ro("shared_bytes", [](const Executable &self) { return self.info().shared_bytes; })
      .def_prop_ro("scratch_bytes",
                   [](const Executable &self) { return self.info().scratch_bytes; })
      .def_prop_ro("num_warps", [](const Executable &self) { return self.info().num_warps; })
      .def_ro("parameter_types", &Executable::types);
  nb::class_<Specialization>(m, "Specialization", nb::type_slots(ownerSlots<Specialization>))
      .def("ir", &Specialization::ir)
      .def("replace_code", &Specialization::replaceCode)
      .def_ro("resolver", &Specialization::owner)
      .def("info", &Specialization::info);
  nb::class_<TensorRecord>(m, "TensorRecord")
      .def(nb::init<uintptr_t, const std::vector<int64_t> &, const std::vector<int64_t> &, bool,
                    bool, const std::vector<uint32_t> &, const std::vector<int32_t> &,
                    const std::vector<int32_t> &, std::string>())
      .def_prop_ro("address", &TensorRecord::address)
      .def("why_not", &TensorRecord::whyNot);
  nb::class_<Kernel>(m, "Kernel", nb::type_slots(ownerSlots<Kernel>))
      .def("specialize", &Kernel::specialize);
  nb::class_<Source>(m, "Source", nb::type_slots(ownerSlots<Source>))
      .def("kernel", &Source::kernel)
      .def("kernel_at", &Source::kernelAt);
  nb::class_<Engine>(m, "Engine")
      .def(nb::init<const std::string &, const std::string &, const std::string &,
                    const std::string &, bool, nb::object>(),
           nb::arg("cache_directory"), nb::arg("ptxas"), nb::arg("remote_cache") = "",
           nb::arg("remote_keys") = "", nb::arg("remote_is_read_only") = false,
           nb::arg("storage") = nb::none())
      .def("remote_cache_statistics", &Engine::remoteCacheStatistics)
      .def("load_text", &Engine::loadText)
      .def("load_scope", &Engine::loadScope)
      .def("load_ir", &Engine::loadIr)
      .def("make", &Engine::make)
      .def("load_executable", &Engine::loadExecutable)
      .def("evaluate", &Engine::evaluate)
      .def("seal", &Engine::seal)
      .def("print_to_python", &Engine::printToPython)
      .def("check_signals", &Engine::checkSignals)
      .def("cancel_launches", &Engine::cancelLaunches)
      .def("set_schedule_seed", &Engine::setScheduleSeed)
      .def("set_races", &Engine::setRaces)
      .def("set_masked_off", &Engine::setMaskedOff)
      .def("set_unknown_reads", &Engine::setUnknownReads)
      .def("set_max_branches", &Engine::setMaxBranches)
      .def("set_executes_ptx", &Engine::setExecutesPtx)
      .def("begin_prediction", &Engine::beginPrediction)
      .def("begin_trace", &Engine::beginTrace)
      .def("end_prediction", &Engine::endPrediction)
      .def("cuda_target", &Engine::deviceTarget<gluonc_engine_cuda_target>)
      .def("cuda_device_count", &Engine::deviceCount<gluonc_engine_cuda_device_count>)
      .def("hip_target", &Engine::deviceTarget<gluonc_engine_hip_target>)
      .def("hip_device_count", &Engine::deviceCount<gluonc_engine_hip_device_count>);

  gluonc::python::raise = setException;
  gluonc::python::executableOf = [](PyObject *object) {
    return nb::inst_check(object) ? nb::inst_ptr<Executable>(object)->raw() : nullptr;
  };
  if (!gluonc::python::addWatch(m.ptr()) || !gluonc::python::addDispatcher(m.ptr()))
    throw nb::python_error();
}

//===- gluonc.hpp - C++ API of gluonc ---------------------------------------===//
//
//   gluonc::Engine engine;
//   auto kernel = engine.load("memcpy.py").andThen([](auto &m) { return m.kernel("memcpy"); });
//   auto spec = kernel->specialize({gluonc::pointer("fp32").align(16),
//                                   gluonc::pointer("fp32").align(16), gluonc::scalar("i32"),
//                                   gluonc::constant(2048),
//                                   gluonc::expression("gl.BlockedLayout([4], [32], [4], [0])")},
//                                  {.numWarps = 4});
//   auto exe = engine.compile(*spec, gluonc::Target::cuda(90, 'a'));
//   auto done = exe->launch({grid, 1, 1}, stream, src, dst, n);
//
// Header-only over the C API: one stable binary interface, no C++ types across
// it. Errors are values (`Expected`); nothing throws, prints or exits. Handles are
// move-only and may be destroyed in any order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gluonc/gluonc.h"

#include <array>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gluonc {

enum class Status {
  Ok = GLUONC_OK,
  InputError = GLUONC_INPUT_ERROR,
  UsageError = GLUONC_USAGE_ERROR,
  Fault = GLUONC_FAULT,
  Unavailable = GLUONC_UNAVAILABLE,
  Cancelled = GLUONC_CANCELLED,
  InternalError = GLUONC_INTERNAL_ERROR,
};

/// What went wrong: the diagnostics as text, with places and carets, and as JSON lines.
struct Error {
  Status status = Status::UsageError;
  std::string text;
  std::string json;
  /// Of an internal error: a file that shows the bug.
  std::string reproducer = {};
};

/// A value, or the error that there is instead.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }
  /// Only where there is no value.
  const Error &error() const { return std::get<1>(state); }
  /// The result of `next` on the value, or our error.
  template <typename Fn> auto andThen(Fn &&next) -> decltype(next(std::declval<T &>())) {
    if (*this)
      return next(**this);
    return error();
  }

private:
  std::variant<T, Error> state;
};

/// Success of something that has no value.
struct Done {};

namespace detail {
struct Deleter {
  void operator()(gluonc_engine *p) const { gluonc_engine_destroy(p); }
  void operator()(gluonc_module *p) const { gluonc_module_destroy(p); }
  void operator()(gluonc_kernel *p) const { gluonc_kernel_destroy(p); }
  void operator()(gluonc_specialization *p) const { gluonc_specialization_destroy(p); }
  void operator()(gluonc_executable *p) const { gluonc_executable_destroy(p); }
  void operator()(gluonc_error *p) const { gluonc_error_destroy(p); }
};
template <typename T> using Handle = std::unique_ptr<T, Deleter>;

inline Error take(gluonc_status status, gluonc_error *error) {
  Handle<gluonc_error> owned(error);
  if (!owned)
    return {static_cast<Status>(status), "gluonc failed", "{}"};
  return {static_cast<Status>(status), gluonc_error_text(error), gluonc_error_json(error),
          gluonc_error_reproducer(error)};
}
} // namespace detail

/// What machine code is made for, or what the simulator pretends to be.
class Target {
public:
  /// Compute capability times ten and the suffix of its architecture-specific form.
  static Target cuda(unsigned capability, char suffix = '\0') {
    return Target("cuda:" + std::to_string(capability) + (suffix ? std::string(1, suffix) : ""));
  }
  static Target hip(std::string_view chip) { return Target("hip:" + std::string(chip)); }
  /// "cuda:90a", "hip:gfx942".
  static Target named(std::string_view name) { return Target(std::string(name)); }
  static Target simulator(Target pretended = cuda(90, 'a')) {
    pretended.simulated = true;
    return pretended;
  }
  const std::string &name() const { return text; }
  bool isSimulator() const { return simulated; }

private:
  explicit Target(std::string name) : text(std::move(name)) {}
  std::string text;
  bool simulated = false;
};

/// What a specialization knows about one argument.
class Argument {
public:
  /// Promises that the value is a multiple of 16. Nothing else can be promised.
  Argument align(unsigned alignment) const {
    Argument copy = *this;
    if (alignment % 16 == 0 && kind == GLUONC_ARGUMENT_TYPE)
      copy.text += ":16";
    return copy;
  }
  gluonc_argument raw() const { return {kind, text.c_str(), integer, real, nullptr, 0}; }

  gluonc_argument_kind kind = GLUONC_ARGUMENT_NONE;
  std::string text;
  int64_t integer = 0;
  double real = 0;
};

/// A pointer to elements of `dtype` ("fp32", "bf16", "i8", …).
inline Argument pointer(std::string_view dtype) {
  return {GLUONC_ARGUMENT_TYPE, "*" + std::string(dtype), 0, 0};
}
inline Argument scalar(std::string_view dtype) {
  return {GLUONC_ARGUMENT_TYPE, std::string(dtype), 0, 0};
}
/// A tensor that the kernel moves blocks of; a launch gives the address of a `gluonc_tensor`.
///   descriptor("fp16", {128, 64}, "gl.NVMMASharedLayout(128, 16)")
inline Argument descriptor(std::string_view dtype, std::initializer_list<int64_t> block,
                           std::string_view layout) {
  std::string text = "tensordesc<" + std::string(dtype) + "[";
  for (int64_t length : block)
    text += (text.back() == '[' ? "" : ", ") + std::to_string(length);
  return {GLUONC_ARGUMENT_TYPE, text + "]," + std::string(layout) + ">", 0, 0};
}
/// A compile-time value.
template <typename T> Argument constant(T value) {
  static_assert(std::is_arithmetic_v<T>);
  if constexpr (std::is_same_v<T, bool>)
    return {GLUONC_ARGUMENT_BOOLEAN, "", value, 0};
  else if constexpr (std::is_integral_v<T>)
    return {GLUONC_ARGUMENT_INTEGER, "", static_cast<int64_t>(value), 0};
  else
    return {GLUONC_ARGUMENT_REAL, "", 0, static_cast<double>(value)};
}
inline Argument none() { return {}; }
/// An expression in the scope of the kernel's module: "gl.BlockedLayout([1], [32], [4], [0])".
inline Argument expression(std::string_view text) {
  return {GLUONC_ARGUMENT_EXPRESSION, std::string(text), 0, 0};
}

struct Options {
  unsigned numWarps = 4;
  unsigned numCtas = 1;
  /// 0: no limit.
  unsigned maxRegisters = 0;
  bool debug = false;
  bool fpFusion = true;
  bool lineInfo = false;
  /// Launches may begin before the one ahead of them in the stream is complete; the kernel waits
  /// for it (`gdc_wait`).
  bool programmaticDependentLaunch = false;
  /// All programs of a launch run at the same time.
  bool cooperativeLaunch = false;

  gluonc_kernel_options raw() const {
    return {numWarps,
            numCtas,
            maxRegisters,
            debug,
            !fpFusion,
            lineInfo,
            programmaticDependentLaunch,
            cooperativeLaunch};
  }
};

struct Grid {
  unsigned x = 1, y = 1, z = 1;
};

class Specialization {
public:
  explicit Specialization(gluonc_specialization *raw) : handle(raw) {}
  gluonc_specialization *raw() const { return handle.get(); }

private:
  detail::Handle<gluonc_specialization> handle;
};

/// A compiled kernel. Launches may come from several threads.
class Executable {
public:
  explicit Executable(gluonc_executable *raw) : handle(raw) {
    for (size_t i = 0; i != gluonc_executable_parameter_count(raw); ++i)
      formats.push_back(formatOf(gluonc_executable_parameter_type(raw, i)));
  }

  /// Loads on a CUDA device ahead of the first launch, which would take device 0.
  Expected<Done> load(int device = 0) {
    gluonc_error *error = nullptr;
    gluonc_status status = gluonc_executable_load(handle.get(), device, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Done{};
  }

  /// `values` are the run-time arguments in order: pointers, or numbers, which take the parameter's
  /// own type. `stream` is a CUstream (or null).
  template <typename... Values>
  Expected<Done> launch(Grid grid, void *stream, const Values &...values) const {
    if (sizeof...(Values) != formats.size())
      return Error{Status::UsageError,
                   "the kernel takes " + std::to_string(formats.size()) +
                       " launch arguments, not " + std::to_string(sizeof...(Values)),
                   "{}"};
    size_t next = 0;
    std::array<uint64_t, sizeof...(Values) + 1> slots = {slotOf(formats[next++], values)..., 0};
    gluonc_error *error = nullptr;
    gluonc_status status = gluonc_launch(handle.get(), grid.x, grid.y, grid.z, stream, slots.data(),
                                         sizeof...(Values), &error);
    if (status != GLUONC_OK) [[unlikely]]
      return detail::take(status, error);
    return Done{};
  }

  /// "ttgir", "assembly" or "binary" (for CUDA also "ptx" and "cubin"); nothing where the
  /// executable has no such form.
  std::optional<std::string_view> code(const char *form) const {
    size_t size = 0;
    const char *bytes = gluonc_executable_code(handle.get(), form, &size);
    if (!bytes)
      return std::nullopt;
    return std::string_view(bytes, size);
  }
  unsigned sharedBytes() const {
    gluonc_executable_info info;
    gluonc_executable_get_info(handle.get(), &info);
    return info.shared_bytes;
  }
  gluonc_executable *raw() const { return handle.get(); }

private:
  enum class Format : uint8_t { Integer, Half, BFloat, Single, Double };
  static Format formatOf(std::string_view type) {
    return type == "fp16"   ? Format::Half
           : type == "bf16" ? Format::BFloat
           : type == "fp32" ? Format::Single
           : type == "fp64" ? Format::Double
                            : Format::Integer;
  }
  /// fp16 and bf16 parameters take their bits as an integer; C++20 has no such numbers.
  template <typename T> static uint64_t slotOf(Format format, const T &value) {
    if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<uint64_t>(value);
    } else if constexpr (std::is_null_pointer_v<T>) {
      return 0;
    } else {
      static_assert(std::is_arithmetic_v<T>, "a launch takes pointers and numbers");
      if (format == Format::Single)
        return std::bit_cast<uint32_t>(static_cast<float>(value));
      if (format == Format::Double)
        return std::bit_cast<uint64_t>(static_cast<double>(value));
      if constexpr (std::is_floating_point_v<T>)
        return static_cast<uint64_t>(static_cast<int64_t>(value));
      else
        return static_cast<uint64_t>(value);
    }
  }

  detail::Handle<gluonc_executable> handle;
  std::vector<Format> formats;
};

class Kernel {
public:
  explicit Kernel(gluonc_kernel *raw) : handle(raw) {}

  Expected<Specialization> specialize(std::initializer_list<Argument> arguments,
                                      const Options &options = {}) const {
    return specialize(std::vector<Argument>(arguments), options);
  }
  Expected<Specialization> specialize(const std::vector<Argument> &arguments,
                                      const Options &options = {}) const {
    std::vector<gluonc_argument> raw;
    for (const Argument &argument : arguments)
      raw.push_back(argument.raw());
    gluonc_kernel_options rawOptions = options.raw();
    gluonc_specialization *made = nullptr;
    gluonc_error *error = nullptr;
    gluonc_status status =
        gluonc_kernel_specialize(handle.get(), raw.data(), raw.size(), &rawOptions, &made, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Specialization(made);
  }

private:
  detail::Handle<gluonc_kernel> handle;
};

class Module {
public:
  explicit Module(gluonc_module *raw) : handle(raw) {}

  Expected<Kernel> kernel(const std::string &name) const {
    gluonc_kernel *found = nullptr;
    gluonc_error *error = nullptr;
    gluonc_status status = gluonc_module_kernel(handle.get(), name.c_str(), &found, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Kernel(found);
  }

private:
  detail::Handle<gluonc_module> handle;
};

struct EngineOptions {
  /// Empty: no cache.
  std::string cacheDirectory;
  /// Empty: the CUDA driver compiles PTX. `gluonc_find_ptxas()` looks for it.
  std::string ptxas;
};

/// Compiler, cache and devices. Thread-safe.
class Engine {
public:
  Engine() : Engine(EngineOptions()) {}
  explicit Engine(const EngineOptions &options) {
    gluonc_engine_options raw = {options.cacheDirectory.c_str(), options.ptxas.c_str()};
    gluonc_engine *made = nullptr;
    gluonc_engine_create(&raw, &made, nullptr);
    handle.reset(made);
  }

  Expected<Module> load(const std::string &path) const {
    gluonc_module *made = nullptr;
    gluonc_error *error = nullptr;
    gluonc_status status = gluonc_engine_load(handle.get(), path.c_str(), &made, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Module(made);
  }
  /// Source text that lies in no file; `path` names it in diagnostics.
  Expected<Module> loadText(const std::string &path, std::string_view text) const {
    gluonc_module *made = nullptr;
    gluonc_error *error = nullptr;
    gluonc_status status = gluonc_engine_load_text(handle.get(), path.c_str(), text.data(),
                                                   text.size(), &made, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Module(made);
  }

  /// A kernel from a file of ttg IR, which says itself what its parameters are, and how many warps
  /// and CTAs it is for.
  Expected<Specialization> loadIr(const std::string &path, const Options &options = {}) const {
    gluonc_specialization *made = nullptr;
    gluonc_error *error = nullptr;
    gluonc_kernel_options raw = options.raw();
    gluonc_status status = gluonc_engine_load_ir(handle.get(), path.c_str(), &raw, &made, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Specialization(made);
  }
  Expected<Specialization> loadIrText(const std::string &path, std::string_view text,
                                      const Options &options = {}) const {
    gluonc_specialization *made = nullptr;
    gluonc_error *error = nullptr;
    gluonc_kernel_options raw = options.raw();
    gluonc_status status = gluonc_engine_load_ir_text(handle.get(), path.c_str(), text.data(),
                                                      text.size(), &raw, &made, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Specialization(made);
  }

  Expected<Executable> compile(const Specialization &specialization, const Target &target) const {
    gluonc_executable *made = nullptr;
    gluonc_error *error = nullptr;
    auto function = target.isSimulator() ? gluonc_engine_simulate : gluonc_engine_compile;
    gluonc_status status =
        function(handle.get(), specialization.raw(), target.name().c_str(), &made, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Executable(made);
  }

  int deviceCount() const { return gluonc_engine_device_count(handle.get()); }
  Expected<Target> deviceTarget(int device = 0) const {
    return targetOf(gluonc_engine_device_target, device);
  }
  /// The same for devices of CUDA only.
  int cudaDeviceCount() const { return gluonc_engine_cuda_device_count(handle.get()); }
  Expected<Target> cudaTarget(int device = 0) const {
    return targetOf(gluonc_engine_cuda_target, device);
  }

  /// Ends the simulated launches that run now, on whichever threads.
  void cancelLaunches() const { gluonc_engine_cancel_launches(handle.get()); }
  /// How the simulator interleaves partitions; see the C function.
  void setScheduleSeed(std::optional<uint64_t> seed) const {
    gluonc_engine_set_schedule_seed(handle.get(), seed ? &*seed : nullptr);
  }
  /// Host memory that simulated kernels may access; not while one runs.
  Expected<Done> addMemory(const std::string &name, const void *base, size_t bytes) const {
    gluonc_error *error = nullptr;
    gluonc_status status =
        gluonc_engine_add_memory(handle.get(), name.c_str(), base, bytes, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Done{};
  }
  void removeMemory(const void *base) const { gluonc_engine_remove_memory(handle.get(), base); }

private:
  template <typename Function> Expected<Target> targetOf(Function function, int device) const {
    const char *name = nullptr;
    gluonc_error *error = nullptr;
    gluonc_status status = function(handle.get(), device, &name, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Target::named(name);
  }

  detail::Handle<gluonc_engine> handle;
};

} // namespace gluonc

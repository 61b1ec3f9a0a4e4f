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
// it. Errors are values (`Expected`); nothing throws but std::bad_alloc, prints or
// exits. Handles are move-only and may be destroyed in any order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gluonc/gluonc.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <functional>
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

/// A value, or the error that there is instead. Taking the value where there is none ends the
/// program, as std::abort does.
template <typename T> class [[nodiscard]] Expected {
  static_assert(std::is_nothrow_move_constructible_v<T>);

public:
  Expected(T value) noexcept : state(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) noexcept : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const noexcept { return state.index() == 0; }
  T &operator*() noexcept { return *value(state); }
  T *operator->() noexcept { return value(state); }
  const T &operator*() const noexcept { return *value(state); }
  const T *operator->() const noexcept { return value(state); }
  /// Of a value: one with Status::Ok.
  const Error &error() const noexcept {
    static const Error none = {Status::Ok, {}, {}};
    const Error *found = std::get_if<1>(&state);
    return found ? *found : none;
  }
  /// The result of `next` on the value, or our error.
  template <typename Fn> auto andThen(Fn &&next) -> decltype(next(std::declval<T &>())) {
    if (*this)
      return next(**this);
    return error();
  }

private:
  template <typename State> static auto *value(State &state) noexcept {
    auto *found = std::get_if<0>(&state);
    if (!found)
      std::abort();
    return found;
  }

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

/// What is known of a chip; see the C structure.
inline Expected<gluonc_target_info> targetInfo(const Target &target) {
  gluonc_target_info info = {};
  gluonc_error *error = nullptr;
  gluonc_status status = gluonc_target_get_info(target.name().c_str(), &info, &error);
  if (status != GLUONC_OK)
    return detail::take(status, error);
  return info;
}
inline std::string version() { return gluonc_version(); }
inline std::string buildId() { return gluonc_build_id(); }
/// Where ptxas is; empty where it is not found. Reads the environment.
inline std::string findPtxas() { return gluonc_find_ptxas(); }
/// What `gluonc doc` says about a name of the language; empty where there is none.
inline std::string languageDoc(const std::string &path) {
  return gluonc_language_doc(path.c_str());
}
/// Every function and class of the language, one a line; and the classes of layouts with fields.
inline std::string languageNames() { return gluonc_language_names(); }
inline std::string languageLayouts() { return gluonc_language_layouts(); }
/// Whether there can be a descriptor of such blocks of a tensor.
inline Expected<Done> checkDescriptor(const gluonc_tensor &tensor,
                                      const gluonc_tensor_block &block) {
  gluonc_error *error = nullptr;
  gluonc_status status = gluonc_check_descriptor(&tensor, &block, &error);
  if (status != GLUONC_OK)
    return detail::take(status, error);
  return Done{};
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
  /// What the kernel is written in, if not in what its decorator says.
  gluonc_language language = GLUONC_LANGUAGE_AS_DECORATED;
  /// Of loops in Triton that load ahead; 1 to 64, 0: 3.
  unsigned numStages = 0;
  /// "consan", "fpsan", "gsan" or "iisan": simulated launches give the verdicts of Triton's
  /// sanitizer of that name (docs/sanitizers.md). Empty: none.
  std::string sanitizer;
  /// Files of LLVM IR whose functions the kernel calls, one path a line; each may call functions of
  /// those behind it.
  std::string libraries;
  /// Whether approximations of NVIDIA's chips and libraries may take subnormal float32 for zero.
  bool flushesSubnormals = true;
  /// With `debug`: whether signed integers of up to 32 bits must not overflow.
  bool checksOverflow = true;
  std::string ptxasOptions;
  /// Times ten; 0: the least.
  unsigned ptxVersion = 0;
  /// Of AMD's chips; 0: as many as come.
  unsigned wavesPerSimd = 0;

  gluonc_kernel_options raw() const {
    gluonc_kernel_options raw = {};
    raw.size = sizeof raw;
    raw.num_warps = numWarps;
    raw.num_ctas = numCtas;
    raw.max_registers = maxRegisters;
    raw.debug = debug;
    raw.no_fp_fusion = !fpFusion;
    raw.line_info = lineInfo;
    raw.programmatic_dependent_launch = programmaticDependentLaunch;
    raw.cooperative_launch = cooperativeLaunch;
    raw.num_stages = numStages;
    raw.language = language;
    raw.sanitizer = sanitizer.c_str();
    raw.libraries = libraries.c_str();
    raw.keep_subnormals = !flushesSubnormals;
    raw.no_overflow_checks = !checksOverflow;
    raw.ptxas_options = ptxasOptions.c_str();
    raw.ptx_version = ptxVersion;
    raw.waves_per_simd = wavesPerSimd;
    return raw;
  }
};

struct Grid {
  unsigned x = 1, y = 1, z = 1;
};

/// Of one simulated launch: what is left out is as the engine has it.
struct LaunchOptions {
  /// The memory that it may access, in place of the engine's.
  std::optional<std::vector<gluonc_memory_range>> ranges;
  std::optional<uint64_t> scheduleSeed;
  /// What the kernel prints.
  std::function<void(std::string_view)> output;
  /// Whether to end the launch; asked about every 50 ms.
  std::function<bool()> interrupt;
  std::function<void(std::string_view)> warnings;
};

class Specialization {
public:
  explicit Specialization(gluonc_specialization *raw) : handle(raw) {}
  gluonc_specialization *raw() const { return handle.get(); }

  /// Name, warps, CTAs and registers; the name is valid as long as this.
  gluonc_specialization_info info() const {
    gluonc_specialization_info info;
    gluonc_specialization_get_info(handle.get(), &info);
    return info;
  }
  /// The IR before any pass.
  Expected<std::string> ir(const Target &target) const {
    const char *text = nullptr;
    gluonc_error *error = nullptr;
    gluonc_status status =
        gluonc_specialization_ir(handle.get(), target.name().c_str(), &text, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return std::string(text);
  }

private:
  detail::Handle<gluonc_specialization> handle;
};

namespace detail {

/// What a launch's slot holds, by the parameter's type.
struct SlotFormat {
  enum class Kind : uint8_t { Integer, Pointer, Half, Single, Double };
  Kind kind = Kind::Integer;
  /// Of an integer.
  unsigned bits = 64;

  static SlotFormat of(std::string_view type) {
    if (type.starts_with("*") || type.starts_with("tensordesc"))
      return {Kind::Pointer};
    if (type == "fp32")
      return {Kind::Single};
    if (type == "fp64")
      return {Kind::Double};
    if (type == "fp16" || type == "bf16")
      return {Kind::Half};
    unsigned bits = 0;
    for (char c : type.substr(type.empty() ? 0 : 1))
      bits = c >= '0' && c <= '9' ? bits * 10 + static_cast<unsigned>(c - '0') : 64;
    return {Kind::Integer, bits ? bits : 64};
  }
};

/// Puts a value into a slot; what keeps it from that, else null. fp16 and bf16 take their bits as
/// an unsigned integer: C++20 has no such numbers.
template <typename T>
const char *fillSlot(SlotFormat format, const T &value, uint64_t &slot) noexcept {
  using Kind = SlotFormat::Kind;
  if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
    if (format.kind != Kind::Pointer)
      return "is a pointer";
    if constexpr (std::is_null_pointer_v<T>)
      slot = 0;
    else
      slot = reinterpret_cast<uint64_t>(value);
    return nullptr;
  } else {
    static_assert(std::is_arithmetic_v<T>, "a launch takes pointers and numbers");
    if (format.kind == Kind::Pointer) {
      // A CUdeviceptr is one.
      constexpr bool isAddress =
          std::is_unsigned_v<T> && std::is_integral_v<T> && sizeof(T) == sizeof(uint64_t);
      slot = static_cast<uint64_t>(value);
      return isAddress ? nullptr : "is a number";
    }
    if (format.kind == Kind::Single)
      slot = std::bit_cast<uint32_t>(static_cast<float>(value));
    else if (format.kind == Kind::Double)
      slot = std::bit_cast<uint64_t>(static_cast<double>(value));
    else if constexpr (std::is_floating_point_v<T>)
      return format.kind == Kind::Half ? "is a number, not the bits of one" : "has a fraction";
    else {
      slot = static_cast<uint64_t>(value);
      if constexpr (std::is_signed_v<T>)
        if (value < 0)
          return format.kind == Kind::Half || ~slot >> (format.bits - 1) ? "is out of range"
                                                                         : nullptr;
      unsigned bits = format.kind == Kind::Half ? 16 : format.bits;
      if (bits < 64 && slot >> bits)
        return "is out of range";
    }
    return nullptr;
  }
}

} // namespace detail

/// A compiled kernel. Launches may come from several threads.
class Executable {
public:
  explicit Executable(gluonc_executable *raw) : handle(raw) {
    for (size_t i = 0; i != gluonc_executable_parameter_count(raw); ++i)
      formats.push_back(detail::SlotFormat::of(gluonc_executable_parameter_type(raw, i)));
  }

  /// Loads on a device of its target's driver ahead of the first launch, which would take the
  /// thread's current one. Where it is loaded on another one already, that is an error.
  Expected<Done> load(int device = 0) {
    gluonc_error *error = nullptr;
    gluonc_status status = gluonc_executable_load(handle.get(), device, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Done{};
  }

  /// `values` are the run-time arguments in order: pointers (or a CUdeviceptr), and numbers that
  /// the parameter's own type holds. `stream` is a CUstream (or null).
  template <typename... Values>
  Expected<Done> launch(Grid grid, void *stream, const Values &...values) const {
    std::array<uint64_t, sizeof...(Values) + 1> slots = {};
    if (std::optional<Error> wrong = fill(slots.data(), values...)) [[unlikely]]
      return *std::move(wrong);
    gluonc_error *error = nullptr;
    gluonc_status status = gluonc_launch(handle.get(), grid.x, grid.y, grid.z, stream, slots.data(),
                                         sizeof...(Values), &error);
    if (status != GLUONC_OK) [[unlikely]]
      return detail::take(status, error);
    return Done{};
  }

  /// A simulated launch with memory, output and schedule of its own.
  template <typename... Values>
  Expected<Done> simulate(Grid grid, const LaunchOptions &options, const Values &...values) const {
    std::array<uint64_t, sizeof...(Values) + 1> slots = {};
    if (std::optional<Error> wrong = fill(slots.data(), values...))
      return *std::move(wrong);
    static constexpr gluonc_memory_range nothing = {};
    gluonc_launch_options raw = {};
    raw.size = sizeof raw;
    if (options.ranges) {
      raw.ranges = options.ranges->empty() ? &nothing : options.ranges->data();
      raw.range_count = options.ranges->size();
    }
    raw.schedule_seed = options.scheduleSeed ? &*options.scheduleSeed : nullptr;
    raw.output_user = raw.interrupt_user = raw.warnings_user =
        const_cast<LaunchOptions *>(&options);
    if (options.output)
      raw.output = [](void *user, const char *text, size_t size) {
        static_cast<LaunchOptions *>(user)->output({text, size});
      };
    if (options.interrupt)
      raw.interrupt = [](void *user) -> int {
        return static_cast<LaunchOptions *>(user)->interrupt();
      };
    if (options.warnings)
      raw.warnings = [](void *user, const char *text, size_t size) {
        static_cast<LaunchOptions *>(user)->warnings({text, size});
      };
    gluonc_error *error = nullptr;
    gluonc_status status = gluonc_launch_simulated(handle.get(), grid.x, grid.y, grid.z,
                                                   slots.data(), sizeof...(Values), &raw, &error);
    if (status != GLUONC_OK)
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
  /// The same, and "llir"; what is not at hand is made from the source.
  Expected<std::string_view> makeCode(const char *form) const {
    return bytesOf([&](const char **bytes, size_t *size, gluonc_error **error) {
      return gluonc_executable_make_code(handle.get(), form, bytes, size, error);
    });
  }
  /// What Engine::loadExecutable makes this again of, without source and compiler.
  Expected<std::string_view> save() const {
    return bytesOf([&](const char **bytes, size_t *size, gluonc_error **error) {
      return gluonc_executable_save(handle.get(), bytes, size, error);
    });
  }
  gluonc_executable_info info() const {
    gluonc_executable_info info;
    gluonc_executable_get_info(handle.get(), &info);
    return info;
  }
  unsigned sharedBytes() const { return info().shared_bytes; }
  /// Under what the machine code is cached.
  std::string key() const { return gluonc_executable_key(handle.get()); }
  /// "*fp32", "i32", …: what a launch gives.
  std::vector<std::string> parameterTypes() const {
    std::vector<std::string> types;
    for (size_t i = 0; i != formats.size(); ++i)
      types.emplace_back(gluonc_executable_parameter_type(handle.get(), i));
    return types;
  }
  gluonc_executable *raw() const { return handle.get(); }

private:
  template <typename... Values>
  std::optional<Error> fill(uint64_t *slots, const Values &...values) const {
    if (sizeof...(Values) != formats.size())
      return Error{Status::UsageError,
                   "the kernel takes " + std::to_string(formats.size()) +
                       " launch arguments, not " + std::to_string(sizeof...(Values)),
                   "{}"};
    size_t next = 0, wrongOne = 0;
    const char *wrong = nullptr;
    auto put = [&](const auto &value) {
      const char *problem = detail::fillSlot(formats[next], value, slots[next]);
      if (problem && !wrong) {
        wrong = problem;
        wrongOne = next;
      }
      ++next;
    };
    (put(values), ...);
    if (!wrong) [[likely]]
      return std::nullopt;
    return Error{Status::UsageError,
                 "launch argument " + std::to_string(wrongOne) + " " + wrong +
                     ", and the parameter is " +
                     gluonc_executable_parameter_type(handle.get(), wrongOne),
                 "{}"};
  }

  template <typename Call> Expected<std::string_view> bytesOf(Call &&call) const {
    const char *bytes = nullptr;
    size_t size = 0;
    gluonc_error *error = nullptr;
    gluonc_status status = call(&bytes, &size, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return std::string_view(bytes, size);
  }

  detail::Handle<gluonc_executable> handle;
  std::vector<detail::SlotFormat> formats;
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
  /// The function whose definition starts at a line, nested or not.
  Expected<Kernel> kernelAt(const std::string &name, unsigned line) const {
    gluonc_kernel *found = nullptr;
    gluonc_error *error = nullptr;
    gluonc_status status =
        gluonc_module_kernel_at(handle.get(), name.c_str(), line, &found, &error);
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
  /// Empty: the CUDA driver compiles PTX. `findPtxas()` looks for it.
  std::string ptxas;
  /// Where imports of kernel files are looked for, behind the file's own folder and package.
  std::vector<std::string> importFolders;
  /// Kernels that machines share: a folder's absolute path or a URL; docs/remote-cache.md.
  std::string remoteCache;
  /// File of keys: whose entries are believed, and by which they are signed.
  std::string remoteCacheKeys;
  /// Nothing is put there, even with a key that signs.
  bool remoteCacheIsReadOnly = false;
};

/// Compiler, cache and devices. Thread-safe.
class Engine {
public:
  Engine() : Engine(EngineOptions()) {}
  /// Where `create` fails, an engine whose calls fail.
  explicit Engine(const EngineOptions &options) {
    gluonc_error *error = nullptr;
    make(options, &error);
    gluonc_error_destroy(error);
  }
  /// Fails where the remote cache or its keys are not to be used.
  static Expected<Engine> create(const EngineOptions &options) {
    Engine engine(nullptr);
    gluonc_error *error = nullptr;
    gluonc_status status = engine.make(options, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return engine;
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

  /// What Executable::save gave, of this version of gluonc. Such bytes are code.
  Expected<Executable> loadExecutable(std::string_view bytes) const {
    gluonc_executable *made = nullptr;
    gluonc_error *error = nullptr;
    gluonc_status status =
        gluonc_engine_load_executable(handle.get(), bytes.data(), bytes.size(), &made, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return Executable(made);
  }

  /// The printed value of an expression of the language's compile-time subset.
  Expected<std::string> evaluate(const std::string &expression) const {
    const char *text = nullptr;
    gluonc_error *error = nullptr;
    gluonc_status status = gluonc_engine_evaluate(handle.get(), expression.c_str(), &text, &error);
    if (status != GLUONC_OK)
      return detail::take(status, error);
    return std::string(text);
  }
  /// From now on nothing is compiled.
  void seal() const { gluonc_engine_seal(handle.get()); }
  /// As the C functions do; null turns it off.
  void setOutput(gluonc_output output, void *user = nullptr) const {
    gluonc_engine_set_output(handle.get(), output, user);
  }
  void setWarnings(gluonc_output warnings, void *user = nullptr) const {
    gluonc_engine_set_warnings(handle.get(), warnings, user);
  }
  void setInterrupt(gluonc_interrupt interrupt, void *user = nullptr) const {
    gluonc_engine_set_interrupt(handle.get(), interrupt, user);
  }
  gluonc_engine *raw() const { return handle.get(); }

  int deviceCount() const { return gluonc_engine_device_count(handle.get()); }
  Expected<Target> deviceTarget(int device = 0) const {
    return targetOf(gluonc_engine_device_target, device);
  }
  /// The same for devices of CUDA only.
  int cudaDeviceCount() const { return gluonc_engine_cuda_device_count(handle.get()); }
  Expected<Target> cudaTarget(int device = 0) const {
    return targetOf(gluonc_engine_cuda_target, device);
  }
  /// And of HIP, for AMD's.
  int hipDeviceCount() const { return gluonc_engine_hip_device_count(handle.get()); }
  Expected<Target> hipTarget(int device = 0) const {
    return targetOf(gluonc_engine_hip_target, device);
  }

  /// Ends the simulated launches and the compilations that run now, on whichever threads.
  void cancelLaunches() const { gluonc_engine_cancel_launches(handle.get()); }
  /// How the simulator interleaves partitions; see the C function.
  void setScheduleSeed(std::optional<uint64_t> seed) const {
    gluonc_engine_set_schedule_seed(handle.get(), seed ? &*seed : nullptr);
  }
  /// What the simulator makes of races between programs, of masked-off elements that something
  /// depends on, and of loads that nobody knows the result of; see the C functions.
  void setRaces(gluonc_verdict verdict) const { gluonc_engine_set_races(handle.get(), verdict); }
  void setMaskedOff(gluonc_verdict verdict) const {
    gluonc_engine_set_masked_off(handle.get(), verdict);
  }
  void setUnknownReads(gluonc_verdict verdict) const {
    gluonc_engine_set_unknown_reads(handle.get(), verdict);
  }
  /// Branches that a simulated program may execute; 0: any number.
  void setMaxBranches(uint64_t count) const { gluonc_engine_set_max_branches(handle.get(), count); }
  /// Whether simulated launches for NVIDIA's GPUs execute PTX in place of the kernel's IR.
  void setExecutesPtx(bool executesPtx) const {
    gluonc_engine_set_executes_ptx(handle.get(), executesPtx);
  }
  /// Host memory that simulated kernels may access from the next launch on.
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
  explicit Engine(std::nullptr_t) {}
  gluonc_status make(const EngineOptions &options, gluonc_error **error) {
    std::vector<const char *> folders;
    for (const std::string &folder : options.importFolders)
      folders.push_back(folder.c_str());
    gluonc_engine_options raw = {};
    raw.size = sizeof raw;
    raw.cache_directory = options.cacheDirectory.c_str();
    raw.ptxas = options.ptxas.c_str();
    raw.import_folders = folders.data();
    raw.import_folder_count = folders.size();
    raw.remote_cache = options.remoteCache.c_str();
    raw.remote_cache_keys = options.remoteCacheKeys.c_str();
    raw.remote_cache_read_only = options.remoteCacheIsReadOnly;
    gluonc_engine *made = nullptr;
    gluonc_status status = gluonc_engine_create(&raw, &made, error);
    handle.reset(made);
    return status;
  }

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

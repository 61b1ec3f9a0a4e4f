//===- gluonc_rt.hpp - C++ API of gluonc's launcher --------------------------===//
//
//   auto bundle = gluonc::rt::Bundle::open("kernels.gluonpack");
//   auto copy = bundle->kernel("copy");
//   auto done = copy->launch({blocks}, stream, src, dst, n);
//
// Header-only over gluonc_rt.h, in C++17. Headers that `gluonc build --header` writes have a typed
// function for each kernel, made of this. Errors are values; nothing throws but std::bad_alloc.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gluonc/gluonc_rt.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace gluonc::rt {

enum class Status {
  Ok = GLUONC_RT_OK,
  InputError = GLUONC_RT_INPUT_ERROR,
  UsageError = GLUONC_RT_USAGE_ERROR,
  Unavailable = GLUONC_RT_UNAVAILABLE,
};

struct Error {
  Status status = Status::Ok;
  std::string text;
};

/// A value, or the error that there is instead. Taking the value where there is none ends the
/// program, as std::abort does.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) noexcept : state(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) noexcept : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const noexcept { return state.index() == 0; }
  T &operator*() noexcept { return *value(); }
  T *operator->() noexcept { return value(); }
  /// Of a value: one with Status::Ok.
  Error error() const {
    const Error *found = std::get_if<1>(&state);
    return found ? *found : Error();
  }

private:
  T *value() noexcept {
    T *found = std::get_if<0>(&state);
    if (!found)
      std::abort();
    return found;
  }

  std::variant<T, Error> state;
};

/// Success of something that has no value.
struct Done {};

namespace detail {
inline Error take(gluonc_rt_status status, gluonc_rt_error *error) {
  Error made = {static_cast<Status>(status), gluonc_rt_error_text(error)};
  gluonc_rt_error_destroy(error);
  return made;
}
struct Deleter {
  void operator()(gluonc_rt_bundle *bundle) const { gluonc_rt_bundle_destroy(bundle); }
};
} // namespace detail

/// Programs of a launch.
struct Grid {
  unsigned x = 1, y = 1, z = 1;
};

/// Elements that C++ has no type for: pointers to them are given as such, or as void pointers.
struct fp16;
struct bf16;
struct fp8e4nv;
struct fp8e4b8;
struct fp8e5;
struct fp8e5b16;

/// The address of memory that the device reaches.
template <typename T> class Pointer {
public:
  Pointer(T *address) noexcept : bits(reinterpret_cast<std::uintptr_t>(address)) {}
  template <typename Any, typename = std::enable_if_t<
                              std::is_void_v<Any> &&
                              (std::is_const_v<T> || !std::is_const_v<Any>) && !std::is_void_v<T>>>
  Pointer(Any *address) noexcept : bits(reinterpret_cast<std::uintptr_t>(address)) {}
  Pointer(std::nullptr_t) noexcept {}
  /// A CUdeviceptr.
  explicit Pointer(std::uint64_t address) noexcept : bits(address) {}
  std::uint64_t address() const noexcept { return bits; }

private:
  std::uint64_t bits = 0;
};

/// A tensor that a descriptor is made of.
class Tensor {
public:
  /// Dims are outermost first, strides count elements; at most five.
  Tensor(const void *base, std::initializer_list<std::int64_t> shape,
         std::initializer_list<std::int64_t> strides) noexcept
      : raw() {
    raw.base = base;
    // Another count of strides fits no kernel.
    raw.rank = shape.size() == strides.size() ? static_cast<unsigned>(shape.size()) : 0;
    for (std::size_t i = 0; i < raw.rank && i < 5; ++i) {
      raw.shape[i] = shape.begin()[i];
      raw.strides[i] = strides.begin()[i];
    }
  }
  /// Of the kernel's own settings: elements outside read as NaN; fp32 is rounded on the way.
  Tensor &nanPadding(bool is = true) noexcept {
    raw.nan_padding = is;
    return *this;
  }
  Tensor &roundToTf32(bool is = true) noexcept {
    raw.round_to_tf32 = is;
    return *this;
  }

  gluonc_rt_tensor raw;
};

/// The slot of an argument.
template <typename T> std::uint64_t slotOf(const Pointer<T> &pointer) noexcept {
  return pointer.address();
}
inline std::uint64_t slotOf(const Tensor &tensor) noexcept {
  return reinterpret_cast<std::uintptr_t>(&tensor.raw);
}
template <typename T>
std::enable_if_t<std::is_arithmetic_v<T>, std::uint64_t> slotOf(T number) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint64_t>(number);
  } else {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof number);
    return bits;
  }
}

/// Of a bundle, which it must not outlive.
class Kernel {
public:
  Kernel() = default;
  explicit Kernel(gluonc_rt_kernel *raw) : handle(raw) {}
  gluonc_rt_kernel *raw() const noexcept { return handle; }

  /// One slot for each argument.
  Expected<Done> launchSlots(Grid grid, void *stream, const std::uint64_t *slots,
                             std::size_t count) const {
    gluonc_rt_error *error = nullptr;
    gluonc_rt_status status =
        gluonc_rt_launch(handle, grid.x, grid.y, grid.z, stream, slots, count, &error);
    if (status == GLUONC_RT_OK)
      return Done();
    return detail::take(status, error);
  }
  /// Numbers, Pointers and Tensors, of the parameters' own types.
  template <typename... Values>
  Expected<Done> launch(Grid grid, void *stream, const Values &...values) const {
    const std::uint64_t slots[sizeof...(Values) + 1] = {slotOf(values)...};
    return launchSlots(grid, stream, slots, sizeof...(Values));
  }
  /// Which variant a launch on `target` takes.
  template <typename... Values>
  Expected<std::size_t> select(const char *target, const Values &...values) const {
    const std::uint64_t slots[sizeof...(Values) + 1] = {slotOf(values)...};
    gluonc_rt_error *error = nullptr;
    std::size_t variant = 0;
    gluonc_rt_status status =
        gluonc_rt_kernel_select(handle, target, slots, sizeof...(Values), &variant, &error);
    if (status == GLUONC_RT_OK)
      return variant;
    return detail::take(status, error);
  }
  /// Loads all variants for a device ahead of the first launch.
  Expected<Done> load(int device = 0) const {
    gluonc_rt_error *error = nullptr;
    gluonc_rt_status status = gluonc_rt_kernel_load(handle, device, &error);
    if (status == GLUONC_RT_OK)
      return Done();
    return detail::take(status, error);
  }

private:
  gluonc_rt_kernel *handle = nullptr;
};

struct BundleOptions {
  /// What the bundle's digest must be; empty: anything.
  std::string digest;
  /// Nothing is compiled by anybody.
  bool sealed = false;
  /// The CUDA driver, by a path or by the name under which the loader finds it; empty:
  /// libcuda.so.1.
  std::string cudaLibrary = {};
};

class Bundle {
public:
  /// Owns it from now on: one that gluonc_engine_build_bundle made.
  static Bundle take(gluonc_rt_bundle *raw) { return Bundle(raw); }
  static Expected<Bundle> open(const std::string &path, const BundleOptions &options = {}) {
    return make(
        [&](const gluonc_rt_bundle_options &raw, gluonc_rt_bundle **made, gluonc_rt_error **error) {
          return gluonc_rt_bundle_open(path.c_str(), &raw, made, error);
        },
        options);
  }
  /// Of bytes that live as long, on a multiple of 8.
  static Expected<Bundle> open(const void *bytes, std::size_t size,
                               const BundleOptions &options = {}) {
    return make(
        [&](const gluonc_rt_bundle_options &raw, gluonc_rt_bundle **made, gluonc_rt_error **error) {
          return gluonc_rt_bundle_open_memory(bytes, size, &raw, made, error);
        },
        options);
  }

  /// `parameters` are the types that the caller believes it takes; null: any.
  Expected<Kernel> kernel(const char *name, const char *parameters = nullptr) const {
    gluonc_rt_kernel *found = nullptr;
    gluonc_rt_error *error = nullptr;
    gluonc_rt_status status =
        gluonc_rt_bundle_kernel(handle.get(), name, parameters, &found, &error);
    if (status == GLUONC_RT_OK)
      return Kernel(found);
    return detail::take(status, error);
  }
  std::string digest() const { return gluonc_rt_bundle_digest(handle.get()); }
  gluonc_rt_bundle *raw() const noexcept { return handle.get(); }

private:
  explicit Bundle(gluonc_rt_bundle *raw) : handle(raw) {}

  template <typename Open>
  static Expected<Bundle> make(const Open &open, const BundleOptions &options) {
    gluonc_rt_bundle_options raw = {};
    raw.size = sizeof raw;
    raw.digest = options.digest.empty() ? nullptr : options.digest.c_str();
    raw.sealed = options.sealed;
    raw.cuda_library = options.cudaLibrary.empty() ? nullptr : options.cudaLibrary.c_str();
    gluonc_rt_bundle *made = nullptr;
    gluonc_rt_error *error = nullptr;
    gluonc_rt_status status = open(raw, &made, &error);
    if (status == GLUONC_RT_OK)
      return Bundle(made);
    return detail::take(status, error);
  }

  std::unique_ptr<gluonc_rt_bundle, detail::Deleter> handle;
};

} // namespace gluonc::rt

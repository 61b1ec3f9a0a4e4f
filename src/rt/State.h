//===- State.h - What handles of the launcher's API are -------------------------===//
//
// A bundle owns its kernels, and for each device on which one was launched what it has there.
// A launch finds that by two loads and no lock; the bundle's lock is taken where a driver is opened
// or a variant is loaded.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "bundle/Choice.h"
#include "rt/Mapping.h"
#include "runtime/Apis.h"
#include "runtime/TensorParameter.h"

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

struct gluonc_rt_error {
  std::string text;
};

namespace gluonc::rt {

/// A variant that a device can take.
template <class Api> struct Candidate {
  uint32_t place = 0;
  const bundle::format::Variant *variant = nullptr;
  llvm::ArrayRef<bundle::format::Condition> conditions;
  llvm::ArrayRef<bundle::format::Argument> arguments;
  /// What the machine's kernel takes is the caller's slots, as they are.
  bool takesSlots = false;
  /// One for each argument, and how many of them take a map.
  std::vector<runtime::TensorParameter> tensors;
  unsigned maps = 0;
  /// Null before it is loaded.
  std::atomic<const typename Api::Launcher *> launcher = nullptr;
  std::unique_ptr<const typename Api::Launcher> owned;
};

/// Candidates side by side that begin with an equality of one parameter, as most do that differ in
/// a compile-time value, or with something else: a launch looks at none of their records before
/// their numbers agree.
struct Run {
  uint32_t begin = 0, end = 0;
  uint32_t parameter = 0;
  /// Of the parameter; 0 where they begin with something else.
  uint32_t bits = 0;
};

/// A kernel on one device.
template <class Api> struct OnDevice {
  std::shared_ptr<const typename Api::Device> device;
  target::Target chip;
  /// In the order in which they are tried.
  std::vector<std::unique_ptr<Candidate<Api>>> candidates;
  /// All of them, in their order, and the number that each of a run asks for.
  std::vector<Run> runs;
  std::vector<int64_t> operands;
};

/// Devices that a process can see are fewer.
constexpr int mostDevices = 64;

template <class Api> struct Places {
  std::atomic<OnDevice<Api> *> byDevice[mostDevices] = {};
  std::vector<std::unique_ptr<OnDevice<Api>>> owned;
};

/// What a bundle has of one vendor's driver.
template <class Api> struct Vendor {
  std::shared_ptr<const typename Api::Driver> driver;
  int deviceCount = 0;
  /// By device and piece.
  std::map<std::pair<int, uint32_t>, std::shared_ptr<const typename Api::Module>> modules;
};

enum class Vendors : uint8_t { Unknown, Cuda, Hip };

gluonc_rt_status fail(gluonc_rt_status status, std::string text, gluonc_rt_error **error);
gluonc_rt_status fail(gluonc_rt_status status, llvm::Error failure, gluonc_rt_error **error);

} // namespace gluonc::rt

struct gluonc_rt_kernel {
  gluonc_rt_bundle *owner = nullptr;
  const gluonc::bundle::format::Kernel *record = nullptr;
  llvm::ArrayRef<gluonc::bundle::format::Parameter> parameters;
  /// (index, bits) of those that are integers of less than 64 bits.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 0> narrowIntegers;
  llvm::SmallVector<unsigned, 0> tensors;
  gluonc::rt::Places<gluonc::runtime::CudaApi> cuda;
  gluonc::rt::Places<gluonc::runtime::HipApi> hip;
};

struct gluonc_rt_bundle {
  explicit gluonc_rt_bundle(gluonc::bundle::Bundle bundle) : bundle(bundle) {}

  /// What it lies in, where it does not belong to the caller.
  gluonc::rt::Mapping mapping;
  std::vector<uint64_t> words;
  gluonc::bundle::Bundle bundle;
  std::string digest;
  std::mutex lock;
  /// Whose devices launches go to, once it is known.
  std::atomic<gluonc::rt::Vendors> vendor = gluonc::rt::Vendors::Unknown;
  std::string cudaLibrary = "libcuda.so.1";
  gluonc::rt::Vendor<gluonc::runtime::CudaApi> cuda;
  gluonc::rt::Vendor<gluonc::runtime::HipApi> hip;
  /// In the order of their records. Before what they use goes.
  std::vector<std::unique_ptr<gluonc_rt_kernel>> kernels;
};

namespace gluonc::rt {

/// A bundle that has a copy of its bytes.
llvm::Expected<std::unique_ptr<gluonc_rt_bundle>> openCopy(llvm::StringRef bytes);

} // namespace gluonc::rt

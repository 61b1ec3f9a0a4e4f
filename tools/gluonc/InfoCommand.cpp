#include "Session.h"
#include "remote/RemoteCache.h"
#include "runtime/cuda/Device.h"
#include "runtime/hip/Device.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <thread>

namespace gluonc::tool {

namespace {

/// A GPU, or why there is none to be seen.
struct DeviceInfo {
  target::Vendor vendor;
  std::string ordinal, problem = "", name = "";
  /// The compute capability, or the chip's name.
  std::string chip = "";
  /// The driver's version of CUDA or HIP.
  std::string driver = "";
  uint64_t bytes = 0;

  bool isAmd() const { return vendor == target::Vendor::Amd; }
};

std::string dotted(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

void describe(const cuda::Device &device, DeviceInfo &info) {
  info.chip = dotted(static_cast<int>(device.computeCapability()));
  info.driver = dotted(device.driver().version());
}

void describe(const hip::Device &device, DeviceInfo &info) {
  info.chip = device.chip();
  info.driver = dotted(device.driver().version());
}

/// Appends the GPUs of one vendor, or why there is none.
template <class Driver, class Device>
void findDevices(std::vector<DeviceInfo> &found, target::Vendor vendor) {
  std::string prefix = vendor == target::Vendor::Amd ? "hip:" : "cuda:";
  llvm::Expected<std::shared_ptr<const Driver>> driver = Driver::open();
  llvm::Expected<int> count = driver ? Device::count(**driver) : driver.takeError();
  if (!count) {
    found.push_back({vendor, prefix, llvm::toString(count.takeError())});
    return;
  }
  for (int i = 0; i != *count; ++i) {
    DeviceInfo &info = found.emplace_back(DeviceInfo{vendor, prefix + std::to_string(i)});
    llvm::Expected<std::shared_ptr<const Device>> device = Device::open(*driver, i);
    if (!device) {
      info.problem = llvm::toString(device.takeError());
      continue;
    }
    info.name = (*device)->name();
    info.bytes = (*device)->totalBytes();
    describe(**device, info);
  }
}

std::vector<DeviceInfo> findDevices() {
  std::vector<DeviceInfo> found;
  findDevices<cuda::Driver, cuda::Device>(found, target::Vendor::Nvidia);
  findDevices<hip::Driver, hip::Device>(found, target::Vendor::Amd);
  return found;
}

void printText(const std::vector<DeviceInfo> &devices, const std::string &ptxas,
               const driver::Cache &cache) {
  llvm::raw_ostream &out = llvm::outs();
  out << "gluonc " << GLUONC_VERSION << "\nbuild " << driver::buildId() << "\ntargets\n";
  for (const target::Target &target : target::Target::all())
    out << "  " << target.name() << (target.hasCodegen() ? "" : "  (simulator only)") << '\n';
  out << "devices\n  cpu    simulator on " << std::thread::hardware_concurrency()
      << " host threads\n";
  for (const DeviceInfo &device : devices) {
    out << "  " << device.ordinal << " ";
    if (!device.problem.empty())
      out << device.problem << '\n';
    else
      out << device.name << (device.isAmd() ? ", " : ", compute capability ") << device.chip << ", "
          << (device.bytes >> 30) << " GiB, driver for " << (device.isAmd() ? "HIP " : "CUDA ")
          << device.driver << '\n';
  }
  out << "ptxas  " << (ptxas.empty() ? "not found (the driver compiles PTX)" : ptxas) << '\n';
  driver::Cache::Usage usage = cache.usage();
  out << "cache  " << (cache.isOn() ? cache.path() : "off");
  if (cache.isOn())
    out << ", " << usage.entries << " kernels, " << llvm::format("%.1f", double(usage.bytes) / 1e6)
        << " MB";
  out << '\n';
  if (const remote::RemoteCache *remote = cache.remote())
    out << "remote cache  " << remote->place()
        << (remote->canStore() ? ", read and written" : ", read") << '\n';
}

void printJson(const std::vector<DeviceInfo> &devices, const std::string &ptxas,
               const driver::Cache &cache) {
  llvm::json::OStream json(llvm::outs());
  json.object([&] {
    json.attribute("version", GLUONC_VERSION);
    json.attribute("build", driver::buildId());
    json.attributeArray("targets", [&] {
      for (const target::Target &target : target::Target::all())
        json.object([&] {
          json.attribute("name", target.name());
          json.attribute("machine_code", target.hasCodegen());
        });
    });
    json.attribute("host_threads", int64_t(std::thread::hardware_concurrency()));
    json.attributeArray("devices", [&] {
      for (const DeviceInfo &device : devices)
        json.object([&] {
          if (!device.problem.empty()) {
            json.attribute("problem", device.problem);
            return;
          }
          json.attribute("device", device.ordinal);
          json.attribute("name", device.name);
          json.attribute(device.isAmd() ? "chip" : "compute_capability", device.chip);
          json.attribute("bytes", int64_t(device.bytes));
          json.attribute(device.isAmd() ? "driver_hip" : "driver_cuda", device.driver);
        });
    });
    json.attribute("ptxas", ptxas.empty() ? llvm::json::Value(nullptr) : llvm::json::Value(ptxas));
    json.attributeBegin("cache");
    if (cache.isOn()) {
      driver::Cache::Usage usage = cache.usage();
      json.object([&] {
        json.attribute("path", cache.path());
        json.attribute("kernels", int64_t(usage.entries));
        json.attribute("bytes", int64_t(usage.bytes));
      });
    } else
      json.value(nullptr);
    json.attributeEnd();
    json.attributeBegin("remote_cache");
    if (const remote::RemoteCache *remote = cache.remote())
      json.object([&] {
        json.attribute("place", llvm::json::fixUTF8(remote->place()));
        json.attribute("written", remote->canStore());
      });
    else
      json.value(nullptr);
    json.attributeEnd();
  });
  llvm::outs() << '\n';
}

} // namespace

int infoCommand(Session &session) {
  if (!session.line.positional().empty())
    return session.usage("info takes no arguments");
  std::optional<bool> json = session.wantsJson();
  if (!json)
    return 2;
  driver::Cache cache = session.openCache().value_or(driver::Cache(cacheDirectory()));
  (*json ? printJson : printText)(findDevices(), findPtxasHere(), cache);
  if (std::optional<std::string> why =
          cache.remote() ? cache.remote()->takeProblem() : std::nullopt)
    session.sink.report(diag::Kind::KernelWarning, {}, "remote cache: " + *why).end();
  return session.status();
}

} // namespace gluonc::tool

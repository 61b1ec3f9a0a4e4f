#include "Session.h"
#include "runtime/cuda/Device.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <thread>

namespace gluonc::tool {

namespace {

/// A GPU, or why there is none to be seen.
struct DeviceInfo {
  std::string ordinal, problem = "", name = "";
  int capability = 0, driverVersion = 0;
  uint64_t bytes = 0;
};

std::vector<DeviceInfo> findDevices() {
  llvm::Expected<std::shared_ptr<const cuda::Driver>> driver = cuda::Driver::open();
  if (!driver)
    return {{"cuda:", llvm::toString(driver.takeError())}};
  llvm::Expected<int> count = cuda::Device::count(**driver);
  if (!count)
    return {{"cuda:", llvm::toString(count.takeError())}};
  std::vector<DeviceInfo> found;
  for (int i = 0; i != *count; ++i) {
    DeviceInfo &info = found.emplace_back(DeviceInfo{"cuda:" + std::to_string(i)});
    llvm::Expected<std::shared_ptr<const cuda::Device>> device = cuda::Device::open(*driver, i);
    if (!device) {
      info.problem = llvm::toString(device.takeError());
      continue;
    }
    info.name = (*device)->name();
    info.capability = (*device)->computeCapability();
    info.bytes = (*device)->totalBytes();
    info.driverVersion = (*driver)->version();
  }
  return found;
}

std::string dotted(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
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
      out << device.name << ", compute capability " << dotted(device.capability) << ", "
          << (device.bytes >> 30) << " GiB, driver for CUDA " << dotted(device.driverVersion)
          << '\n';
  }
  out << "ptxas  " << (ptxas.empty() ? "not found (the driver compiles PTX)" : ptxas) << '\n';
  driver::Cache::Usage usage = cache.usage();
  out << "cache  " << (cache.isOn() ? cache.path() : "off");
  if (cache.isOn())
    out << ", " << usage.entries << " kernels, " << llvm::format("%.1f", double(usage.bytes) / 1e6)
        << " MB";
  out << '\n';
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
          json.attribute("compute_capability", dotted(device.capability));
          json.attribute("bytes", int64_t(device.bytes));
          json.attribute("driver_cuda", dotted(device.driverVersion));
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
  (*json ? printJson : printText)(findDevices(), findPtxasHere(), driver::Cache(cacheDirectory()));
  return session.status();
}

} // namespace gluonc::tool

#include "Session.h"
#include "runtime/cuda/Device.h"

#include "llvm/Support/Format.h"

#include <thread>

namespace gluonc::tool {

static void printDevices() {
  llvm::Expected<std::shared_ptr<const cuda::Driver>> driver = cuda::Driver::open();
  if (!driver) {
    llvm::outs() << "  cuda: " << llvm::toString(driver.takeError()) << '\n';
    return;
  }
  llvm::Expected<int> count = cuda::Device::count(**driver);
  if (!count) {
    llvm::outs() << "  cuda: " << llvm::toString(count.takeError()) << '\n';
    return;
  }
  for (int i = 0; i != *count; ++i) {
    llvm::Expected<std::shared_ptr<const cuda::Device>> device = cuda::Device::open(*driver, i);
    if (!device) {
      llvm::outs() << "  cuda:" << i << " " << llvm::toString(device.takeError()) << '\n';
      continue;
    }
    llvm::outs() << "  cuda:" << i << " " << (*device)->name() << ", compute capability "
                 << (*device)->computeCapability() / 10 << '.'
                 << (*device)->computeCapability() % 10 << ", " << ((*device)->totalBytes() >> 30)
                 << " GiB, driver for CUDA " << (*driver)->version() / 10 << '.'
                 << (*driver)->version() % 10 << '\n';
  }
}

int infoCommand(Session &session) {
  if (!session.line.positional().empty())
    return session.usage("info takes no arguments");
  llvm::raw_ostream &out = llvm::outs();
  out << "gluonc " << GLUONC_VERSION << "\nbuild " << driver::buildId() << "\ntargets\n";
  for (const target::Target &target : target::Target::all())
    out << "  " << target.name() << (target.hasCodegen() ? "" : "  (simulator only)") << '\n';
  out << "devices\n  cpu    simulator on " << std::thread::hardware_concurrency()
      << " host threads\n";
  printDevices();
  std::string ptxas = findPtxasHere();
  out << "ptxas  " << (ptxas.empty() ? "not found (the driver compiles PTX)" : ptxas) << '\n';
  driver::Cache cache(cacheDirectory());
  driver::Cache::Usage usage = cache.usage();
  out << "cache  " << (cache.isOn() ? cache.path() : "off");
  if (cache.isOn())
    out << ", " << usage.entries << " kernels, " << llvm::format("%.1f", double(usage.bytes) / 1e6)
        << " MB";
  out << '\n';
  return session.status();
}

} // namespace gluonc::tool

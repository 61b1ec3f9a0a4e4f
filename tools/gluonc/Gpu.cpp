#include "Gpu.h"

namespace gluonc::tool {

std::optional<GpuName> GpuName::parse(llvm::StringRef text) {
  GpuName name;
  if (text.consume_front("hip"))
    name.vendor = target::Vendor::Amd;
  else if (!text.consume_front("cuda"))
    return std::nullopt;
  if (text.empty())
    return name;
  if (!text.consume_front(":") || text.getAsInteger(10, name.ordinal) || name.ordinal < 0)
    return std::nullopt;
  return name;
}

std::string GpuName::text() const {
  return (vendor == target::Vendor::Amd ? "hip:" : "cuda:") + std::to_string(ordinal);
}

static llvm::Error noCode(const std::string &chip) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "gluonc has no code generator for " + chip);
}

template <class Driver, class Device>
static llvm::Error openDevice(int ordinal, std::shared_ptr<const Device> &device) {
  llvm::Expected<std::shared_ptr<const Driver>> driver = Driver::open();
  if (!driver)
    return driver.takeError();
  llvm::Expected<std::shared_ptr<const Device>> opened = Device::open(*driver, ordinal);
  if (!opened)
    return opened.takeError();
  device = *opened;
  return llvm::Error::success();
}

static llvm::Expected<Gpu> openCuda(int ordinal) {
  Gpu gpu;
  if (llvm::Error error = openDevice<cuda::Driver>(ordinal, gpu.cuda))
    return std::move(error);
  unsigned capability = gpu.cuda->computeCapability();
  std::optional<target::Target> target = target::Target::cuda(capability);
  if (!target)
    return noCode("compute capability " + std::to_string(capability / 10) + "." +
                  std::to_string(capability % 10));
  gpu.target = *target;
  return gpu;
}

static llvm::Expected<Gpu> openHip(int ordinal) {
  Gpu gpu;
  if (llvm::Error error = openDevice<hip::Driver>(ordinal, gpu.hip))
    return std::move(error);
  std::optional<target::Target> target = target::Target::parse("hip:" + gpu.hip->chip());
  if (!target)
    return noCode(gpu.hip->chip());
  gpu.target = *target;
  return gpu;
}

llvm::Expected<Gpu> Gpu::open(GpuName name) {
  return name.vendor == target::Vendor::Amd ? openHip(name.ordinal) : openCuda(name.ordinal);
}

std::string Gpu::text() const {
  if (hip)
    return GpuName{target::Vendor::Amd, hip->ordinal()}.text() + " (" + hip->name() + ")";
  return GpuName{target::Vendor::Nvidia, cuda->ordinal()}.text() + " (" + cuda->name() + ")";
}

} // namespace gluonc::tool

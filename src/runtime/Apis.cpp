#include "runtime/Apis.h"

namespace gluonc::runtime {

std::optional<target::Target> targetOf(const cuda::Device &device) {
  return target::Target::cuda(device.computeCapability());
}

std::optional<target::Target> targetOf(const hip::Device &device) {
  return target::Target::parse("hip:" + device.chip());
}

std::string chipOf(const cuda::Device &device) {
  return "compute capability " + std::to_string(device.computeCapability());
}

std::string chipOf(const hip::Device &device) { return device.chip(); }

} // namespace gluonc::runtime

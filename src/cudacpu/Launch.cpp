//===- Launch.cpp - Launches, and faults of kernels ---------------------------------===//
#include "cudacpu/Launch.h"

#include "cudacpu/Graph.h"
#include "cudacpu/Simulated.h"
#include "target/Features.h"
#include "target/Limits.h"
#include "target/nvidia/Chips.h"
#include "target/nvidia/Occupancy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace gluonc;
using namespace gluonc::cudacpu;

namespace nvidia = target::nvidia;

namespace gluonc::cudacpu {

// -- What fits -------------------------------------------------------------------

unsigned residentCtas(const Driver &driver, Function &function, unsigned threads,
                      unsigned dynamicBytes) {
  nvidia::CtaNeeds needs;
  needs.warps = static_cast<unsigned>(llvm::divideCeil(threads, nvidia::warpSize));
  needs.registers = registersOf(function);
  needs.sharedBytes = dynamicBytes + function.module->code->staticSharedBytes;
  if (threads > maxThreadsOf(function) || dynamicBytes > function.mostDynamicBytes)
    return 0;
  std::optional<nvidia::Occupancy> found = nvidia::occupancyOf(driver.settings.target, needs);
  return found ? found->ctas : 1;
}

uint64_t residentClusters(const Driver &driver, Function &function, const Shape &shape) {
  uint64_t ctas = residentCtas(driver, function, shape.threads, shape.dynamicBytes);
  return ctas * multiprocessors / shape.ctasPerCluster;
}

// -- Configurations --------------------------------------------------------------

/// Numbers of CUlaunchAttributeID.
static Result takeAttribute(const cuda::LaunchAttribute &attribute, Shape &shape) {
  switch (static_cast<int>(attribute.id)) {
  case 0: // none
  case 1: // which memory to keep in the cache
  case 3: // how the host waits
  case 5: // which clusters come first
  case 6: // a grid that begins before the last one ends
  case 8: // priority
  case 9: // domains of memory's order
  case 10:
  case 14: // shared memory or cache
    return success;
  case 2:
    shape.isCooperative = attribute.flag != 0;
    return success;
  case 4:
    if (attribute.clusterDimension[1] != 1 || attribute.clusterDimension[2] != 1)
      return refuse(notSupported, "a cluster of CTAs along y or z is not executed here");
    shape.ctasPerCluster = attribute.clusterDimension[0];
    return success;
  default:
    return refuse(notSupported, "launch attribute " + llvm::itostr(static_cast<int>(attribute.id)) +
                                    " is not known here");
  }
}

Result shapeOf(const Function &function, const LaunchConfig &config, Shape &shape) {
  shape.grid = {config.gridX, config.gridY, config.gridZ};
  shape.threads = config.blockX;
  shape.dynamicBytes = config.sharedBytes;
  if (function.kernel->clusterCtas)
    shape.ctasPerCluster = function.kernel->clusterCtas;
  if (!config.blockX || !config.blockY || !config.blockZ)
    return invalidValue;
  if (config.blockY != 1 || config.blockZ != 1)
    return refuse(notSupported, "threads along y or z are not executed here");
  if (config.attributeCount && !config.attributes)
    return invalidValue;
  for (unsigned i = 0; i != config.attributeCount; ++i)
    if (Result failure = takeAttribute(config.attributes[i], shape))
      return failure;
  return shape.ctasPerCluster ? success : invalidClusterSize;
}

/// What a GPU would refuse, with the numbers.
static Result check(Call &call, Function &function, const Shape &shape) {
  const target::Target &chip = call->settings.target;
  const std::string &name = function.kernel->name;
  const auto &[x, y, z] = shape.grid;
  if (!x || !y || !z || x > target::maxGridX || y > target::maxGridYZ || z > target::maxGridYZ)
    return refuse(invalidValue, name + ": a grid of " + llvm::utostr(x) + " x " + llvm::utostr(y) +
                                    " x " + llvm::utostr(z) + " CTAs");
  unsigned most = maxThreadsOf(function), exact = function.kernel->exactThreads;
  if (shape.threads > most || (exact && shape.threads != exact))
    return refuse(shape.threads > target::maxThreadsPerCta || exact ? invalidValue
                                                                    : launchOutOfResources,
                  name + " is for " + (exact ? "" : "up to ") + llvm::utostr(most) +
                      " threads a CTA, not " + llvm::utostr(shape.threads));
  if (shape.dynamicBytes > function.mostDynamicBytes)
    return refuse(invalidValue, name + ": " + llvm::utostr(shape.dynamicBytes) +
                                    " bytes of dynamic shared memory; it may have " +
                                    llvm::utostr(function.mostDynamicBytes) +
                                    " (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)");
  unsigned cluster = shape.ctasPerCluster;
  unsigned largest = !target::has(chip, target::Feature::Clusters) ? 1
                     : function.allowsLargeClusters                ? target::maxCtasPerCluster
                                                                   : nvidia::portableCtasPerCluster;
  if (cluster > largest || x % cluster)
    return refuse(cluster > largest ? invalidClusterSize : invalidValue,
                  name + ": clusters of " + llvm::utostr(cluster) + " CTAs in a grid of " +
                      llvm::utostr(x) + "; at most " + llvm::utostr(largest) + " are possible");
  uint64_t resident = residentClusters(*call, function, shape);
  if (!resident)
    return refuse(cluster > 1 ? invalidClusterSize : launchOutOfResources,
                  name + ": nothing of this size fits on the GPU");
  if (shape.isCooperative && uint64_t(x / cluster) * y * z > resident)
    return refuse(cooperativeLaunchTooLarge,
                  name + ": a cooperative launch of " + llvm::utostr(uint64_t(x) * y * z) +
                      " CTAs, where " + llvm::utostr(resident * cluster) + " are at a time");
  return success;
}

// -- Arguments -------------------------------------------------------------------

/// Values of all parameters, where the kernel has them.
static Result takeArguments(const ptx::Function &kernel, void **parameters, void **extra,
                            std::vector<uint8_t> &bytes) {
  bytes.assign(kernel.parameterBytes, 0);
  if (kernel.parameters.empty())
    return success;
  if (parameters) {
    for (size_t i = 0; i != kernel.parameters.size(); ++i) {
      if (!parameters[i])
        return invalidValue;
      std::memcpy(bytes.data() + kernel.parameters[i].offset, parameters[i],
                  kernel.parameters[i].bytes);
    }
    return success;
  }
  // Pairs of a key and a value: the buffer, and where its size is.
  constexpr uintptr_t end = 0, buffer = 1, size = 2;
  const void *from = nullptr;
  size_t count = 0;
  for (; extra && reinterpret_cast<uintptr_t>(*extra) != end; extra += 2) {
    auto key = reinterpret_cast<uintptr_t>(extra[0]);
    if (key == buffer)
      from = extra[1];
    else if (key == size && extra[1])
      count = *static_cast<const size_t *>(extra[1]);
    else
      return invalidValue;
  }
  if (!from || count < bytes.size())
    return invalidValue;
  std::memcpy(bytes.data(), from, bytes.size());
  return success;
}

// -- Faults ----------------------------------------------------------------------

static Result resultOf(const ptx::Fault &fault) {
  switch (fault.kind) {
  case ptx::FaultKind::Address:
    return illegalAddress;
  case ptx::FaultKind::Alignment:
    return misalignedAddress;
  case ptx::FaultKind::Assertion:
    return assertion;
  case ptx::FaultKind::Endless:
    return launchTimeout;
  case ptx::FaultKind::Other:
    break;
  }
  return launchFailed;
}

static std::string describe(const Memory &memory, const Context &context,
                            const ptx::Function &kernel, const ptx::Fault &fault) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "kernel " << kernel.name << ": " << fault.message;
  int device = context.device->ordinal;
  if (fault.bytes)
    out << ": " << memory.describe(fault.address, fault.bytes, device);
  if (!fault.sourceFile.empty())
    out << "\n  at " << fault.sourceFile << ':' << fault.sourceLine << ':' << fault.sourceColumn;
  out << "\n  device " << device << ", CTA (" << fault.cta[0] << ", " << fault.cta[1] << ", "
      << fault.cta[2] << "), thread " << fault.thread << "\n  PTX line " << fault.line << ": "
      << fault.instruction;
  for (const ptx::Fault::Register &reg : fault.registers)
    out << (&reg == &fault.registers.front() ? "\n  " : ", ") << reg.name << " = 0x"
        << llvm::utohexstr(reg.value, /*LowerCase=*/true);
  return text;
}

// -- Launches --------------------------------------------------------------------

namespace {

/// A launch with the values that its arguments had when it was made.
struct Prepared {
  std::shared_ptr<const ptx::Module> code;
  const ptx::Function *kernel = nullptr;
  Shape shape;
  uint64_t resident = 1;
  std::vector<uint8_t> arguments;
};

Result run(Call &call, const Prepared &prepared) {
  const ptx::Function &kernel = *prepared.kernel;
  std::vector<uint64_t> slots;
  for (const ptx::Parameter &parameter : kernel.parameters) {
    const uint8_t *from = prepared.arguments.data() + parameter.offset;
    uint64_t slot = reinterpret_cast<uint64_t>(from);
    if (parameter.bytes <= sizeof slot) {
      slot = 0;
      std::memcpy(&slot, from, parameter.bytes);
    }
    slots.push_back(slot);
  }
  std::shared_ptr<const std::vector<ptx::Range>> memory = call->rangesOf(call.context());
  std::string printed;
  llvm::raw_string_ostream output(printed);
  ptx::Launch launch;
  launch.grid = prepared.shape.grid;
  launch.threads = prepared.shape.threads;
  launch.ctasPerCluster = prepared.shape.ctasPerCluster;
  launch.sharedBytes = prepared.shape.dynamicBytes;
  launch.slots = slots;
  launch.memory = *memory;
  launch.output = &output;
  launch.residentClusters = prepared.resident;
  launch.hostThreads = call->settings.threads;
  call.unlock();
  std::optional<ptx::Fault> fault = ptx::execute(kernel, *prepared.code, launch);
  if (!printed.empty()) {
    std::fwrite(printed.data(), 1, printed.size(), stdout);
    std::fflush(stdout);
  }
  call.lock();
  if (!fault)
    return success;
  // Destroyed meanwhile by another thread: nobody will ask.
  Context *context = call->contexts.find(&call.context());
  Result result = resultOf(*fault);
  if (!context)
    return result;
  context->fault = result;
  return refuse(result, describe(call->memory, *context, kernel, *fault));
}

Result launch(Call &call, Function &function, const Shape &shape, const void *stream,
              void **parameters, void **extra) {
  if (function.module->context != &call.context())
    return invalidHandle;
  if (Result failure = check(call, function, shape))
    return failure;
  auto prepared = std::make_shared<Prepared>();
  prepared->code = function.module->code;
  prepared->kernel = function.kernel;
  prepared->shape = shape;
  prepared->resident = residentClusters(*call, function, shape);
  if (Result failure = takeArguments(*function.kernel, parameters, extra, prepared->arguments))
    return failure;
  return submit(call, stream,
                [prepared = std::move(prepared)](Call &later) { return run(later, *prepared); });
}

} // namespace
} // namespace gluonc::cudacpu

static Result launchAs(const LaunchConfig &config, void *handle, void **parameters, void **extra,
                       bool isCooperative) {
  GL_ENTER(call, AContext);
  Function *function = call->functions.lookup(handle);
  if (!function)
    return invalidHandle;
  Shape shape;
  shape.isCooperative = isCooperative;
  if (Result failure = shapeOf(*function, config, shape))
    return failure;
  return launch(call, *function, shape, config.stream, parameters, extra);
}

int cuLaunchKernelEx(const LaunchConfig *config, void *handle, void **parameters, void **extra) {
  return config ? launchAs(*config, handle, parameters, extra, /*isCooperative=*/false)
                : invalidValue;
}

static LaunchConfig configOf(unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned bytes, void *stream) {
  LaunchConfig config;
  config.gridX = gridX;
  config.gridY = gridY;
  config.gridZ = gridZ;
  config.blockX = blockX;
  config.blockY = blockY;
  config.blockZ = blockZ;
  config.sharedBytes = bytes;
  config.stream = static_cast<cuda::CUstream>(stream);
  return config;
}

int cuLaunchKernel(void *handle, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned bytes, void *stream,
                   void **parameters, void **extra) {
  return launchAs(configOf(gridX, gridY, gridZ, blockX, blockY, blockZ, bytes, stream), handle,
                  parameters, extra, /*isCooperative=*/false);
}

int cuLaunchCooperativeKernel(void *handle, unsigned gridX, unsigned gridY, unsigned gridZ,
                              unsigned blockX, unsigned blockY, unsigned blockZ, unsigned bytes,
                              void *stream, void **parameters) {
  return launchAs(configOf(gridX, gridY, gridZ, blockX, blockY, blockZ, bytes, stream), handle,
                  parameters, nullptr, /*isCooperative=*/true);
}

//===- Modules.cpp - PTX that is loaded, and its functions -------------------------===//
#include "cudacpu/Api.h"
#include "cudacpu/Launch.h"
#include "cudacpu/Simulated.h"

#include "explain/Liveness.h"
#include "support/File.h"
#include "target/Compatibility.h"
#include "target/Limits.h"
#include "target/nvidia/Chips.h"
#include "target/nvidia/Registers.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

using namespace gluonc;
using namespace gluonc::cudacpu;

namespace nvidia = target::nvidia;

static constexpr const char *howToBuild =
    ": this driver executes PTX on the CPU; build the bundle with --ptx, or load PTX";

/// What an image begins with, little-endian.
enum : uint32_t { elfMagic = 0x464c457f, fatBinaryMagic = 0xba55ed50, wrapperMagic = 0x466243b1 };

/// Parsed, or known already. Null, and why.
static std::shared_ptr<const ptx::Module> read(Driver &driver, llvm::StringRef text, Result &result,
                                               std::string &why) {
  std::weak_ptr<const ptx::Module> &known = driver.texts[text.str()];
  if (std::shared_ptr<const ptx::Module> found = known.lock())
    return found;
  ptx::ParseError error;
  std::shared_ptr<const ptx::Module> module = ptx::parse(text, error);
  if (!module) {
    result = invalidPtx;
    why = "PTX line " + llvm::utostr(error.line) + ": " + error.message;
    return nullptr;
  }
  if (!target::runsPtx(driver.settings.target, module->target)) {
    result = noBinaryForGpu;
    why = "PTX for " + module->target + " does not run on " + driver.settings.target.chip();
    return nullptr;
  }
  // Each module has variables of its own.
  if (module->variables.empty())
    known = module;
  return module;
}

static Result load(Call &call, void **handle, const void *image, std::string &why) {
  if (!handle || !image)
    return invalidValue;
  uint32_t magic = 0;
  // A text may be shorter.
  std::memcpy(&magic, image, strnlen(static_cast<const char *>(image), sizeof magic));
  if (magic == elfMagic || magic == fatBinaryMagic || magic == wrapperMagic) {
    why = std::string(magic == elfMagic ? "a cubin" : "a fat binary") + howToBuild;
    return noBinaryForGpu;
  }
  Result result = success;
  Module module;
  module.context = &call.context();
  module.code = read(*call, static_cast<const char *>(image), result, why);
  if (!module.code)
    return result;
  *handle = call->modules.add(std::move(module));
  return success;
}

static Result loadAndReport(void **handle, const void *image, unsigned count, int *options,
                            void **values) {
  GL_ENTER(call, AContext);
  std::string why;
  Result result = load(call, handle, image, why);
  if (why.empty())
    return result;
  char *log = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i != count; ++i) {
    if (options[i] == static_cast<int>(cuda::JitOption::ErrorLogBuffer))
      log = static_cast<char *>(values[i]);
    if (options[i] == static_cast<int>(cuda::JitOption::ErrorLogBufferSizeBytes))
      bytes = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
  }
  if (!log || !bytes)
    return refuse(result, why);
  size_t length = std::min(why.size(), bytes - 1);
  std::memcpy(log, why.data(), length);
  log[length] = 0;
  return result;
}

int cuModuleLoadDataEx(void **handle, const void *image, unsigned count, int *options,
                       void **values) {
  if (count && (!options || !values))
    return invalidValue;
  return loadAndReport(handle, image, count, options, values);
}
int cuModuleLoadData(void **handle, const void *image) {
  return loadAndReport(handle, image, 0, nullptr, nullptr);
}
int cuModuleLoadFatBinary(void **handle, const void *image) {
  return loadAndReport(handle, image, 0, nullptr, nullptr);
}
int cuModuleLoad(void **handle, const char *path) {
  if (!path)
    return invalidValue;
  constexpr uint64_t mostBytes = uint64_t(1) << 30;
  llvm::Expected<std::string> text = readFile(path, mostBytes, Accept::RegularFiles);
  if (!text)
    return refuse(fileNotFound, llvm::toString(text.takeError()));
  return loadAndReport(handle, text->c_str(), 0, nullptr, nullptr);
}

int cuModuleUnload(void *handle) {
  GL_ENTER(call, AContext);
  Module *module = call->modules.find(handle);
  if (!module)
    return invalidHandle;
  for (const auto &[name, function] : module->functions)
    call->functions.erase(function.get());
  call->modules.remove(handle);
  return success;
}

int cuModuleGetFunction(void **handle, void *moduleHandle, const char *name) {
  GL_ENTER(call, AContext);
  Module *module = call->modules.find(moduleHandle);
  if (!module)
    return invalidHandle;
  if (!handle || !name)
    return invalidValue;
  const ptx::Function *kernel = module->code->kernel(name);
  if (!kernel)
    return refuse(notFound, std::string("the module has no kernel ") + name);
  std::unique_ptr<Function> &function = module->functions[name];
  if (!function) {
    function = std::make_unique<Function>();
    function->module = module;
    function->kernel = kernel;
    function->mostDynamicBytes = nvidia::plainSharedBytes - module->code->staticSharedBytes;
    call->functions[function.get()] = function.get();
  }
  *handle = function.get();
  return success;
}

int cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, void *handle, const char *name) {
  GL_ENTER(call, AContext);
  Module *module = call->modules.find(handle);
  if (!module)
    return invalidHandle;
  if (!name)
    return invalidValue;
  auto found = module->code->variablePlaces.find(name);
  if (found == module->code->variablePlaces.end())
    return notFound;
  if (address)
    *address = found->second.address;
  if (bytes)
    *bytes = found->second.bytes;
  return success;
}

int cuModuleGetLoadingMode(int *mode) {
  GL_ENTER(call, TheDriver);
  constexpr int eager = 1;
  if (!mode)
    return invalidValue;
  *mode = eager;
  return success;
}

// -- Functions -------------------------------------------------------------------

#define GL_FUNCTION(call, name, handle)                                                            \
  GL_ENTER(call, AContext);                                                                        \
  Function *name = call->functions.lookup(handle);                                                 \
  if (!name)                                                                                       \
  return invalidHandle

unsigned cudacpu::registersOf(Function &function) {
  if (!function.registers) {
    std::vector<unsigned> live = explain::liveRegisters(*function.kernel);
    unsigned most = live.empty() ? 0 : *std::max_element(live.begin(), live.end());
    unsigned limit = function.kernel->maxRegisters ? function.kernel->maxRegisters
                                                   : nvidia::maxRegistersPerThread;
    function.registers = std::min(std::max(most, 1u), limit);
  }
  return *function.registers;
}

unsigned cudacpu::maxThreadsOf(Function &function) {
  const ptx::Function &kernel = *function.kernel;
  unsigned said = kernel.exactThreads ? kernel.exactThreads : kernel.maxThreads;
  return said ? std::min(said, target::maxThreadsPerCta) : target::maxThreadsPerCta;
}

int cuFuncGetAttribute(int *value, int which, void *handle) {
  GL_FUNCTION(call, function, handle);
  if (!value)
    return invalidValue;
  const ptx::Module &code = *function->module->code;
  unsigned capability = call->settings.target.computeCapability();
  switch (which) {
  case 0: // most threads of a CTA
    *value = static_cast<int>(maxThreadsOf(*function));
    return success;
  case 1: // static shared memory
    *value = static_cast<int>(code.staticSharedBytes);
    return success;
  case 2: // constants, whose bytes count as variables
  case 7: // how caches compile
    *value = 0;
    return success;
  case 3: // local memory
    *value = static_cast<int>(code.laneMemoryBytes);
    return success;
  case 4:
    *value = static_cast<int>(registersOf(*function));
    return success;
  case 5: // versions of PTX and of machine code
  case 6:
    *value = static_cast<int>(capability);
    return success;
  case 8: // dynamic shared memory
    *value = static_cast<int>(function->mostDynamicBytes);
    return success;
  case 11: // the cluster's width
    *value = static_cast<int>(function->kernel->clusterCtas);
    return success;
  case 14: // clusters of more than 8 CTAs
    *value = function->allowsLargeClusters;
    return success;
  default:
    if (which < 0 || which > 15)
      return invalidValue;
    *value = function->otherAttributes.count(which) ? function->otherAttributes[which] : 0;
    return success;
  }
}

int cuFuncSetAttribute(void *handle, int which, int value) {
  GL_FUNCTION(call, function, handle);
  switch (which) {
  case 8: {
    unsigned most =
        call->settings.target.maxSharedBytes() - function->module->code->staticSharedBytes;
    if (value < 0 || static_cast<unsigned>(value) > most)
      return invalidValue;
    function->mostDynamicBytes = static_cast<unsigned>(value);
    return success;
  }
  case 14:
    function->allowsLargeClusters = value != 0;
    return success;
  case 9:  // how much of the cache is shared memory
  case 15: // which clusters come first
    function->otherAttributes[which] = value;
    return success;
  default:
    return which >= 10 && which <= 13 ? notSupported : invalidValue;
  }
}

int cuFuncSetCacheConfig(void *handle, int) {
  GL_FUNCTION(call, function, handle);
  return success;
}

int cuFuncGetModule(void **module, void *handle) {
  GL_FUNCTION(call, function, handle);
  if (!module)
    return invalidValue;
  *module = function->module;
  return success;
}

int cuFuncGetName(const char **name, void *handle) {
  GL_FUNCTION(call, function, handle);
  if (!name)
    return invalidValue;
  *name = function->kernel->name.c_str();
  return success;
}

int cuFuncGetParamInfo(void *handle, size_t index, size_t *offset, size_t *bytes) {
  GL_FUNCTION(call, function, handle);
  if (!offset || index >= function->kernel->parameters.size())
    return invalidValue;
  const ptx::Parameter &parameter = function->kernel->parameters[index];
  *offset = parameter.offset;
  if (bytes)
    *bytes = parameter.bytes;
  return success;
}

// -- What fits -------------------------------------------------------------------

static Result occupancy(int *count, void *handle, int threads, size_t dynamicBytes) {
  GL_FUNCTION(call, function, handle);
  if (!count || threads < 1 || dynamicBytes > INT32_MAX)
    return invalidValue;
  *count = static_cast<int>(residentCtas(*call, *function, static_cast<unsigned>(threads),
                                         static_cast<unsigned>(dynamicBytes)));
  return success;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, void *handle, int threads,
                                                size_t dynamicBytes) {
  return occupancy(count, handle, threads, dynamicBytes);
}
int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, void *handle, int threads,
                                                         size_t dynamicBytes, unsigned) {
  return occupancy(count, handle, threads, dynamicBytes);
}

int cuOccupancyMaxActiveClusters(int *count, void *handle, const LaunchConfig *config) {
  GL_FUNCTION(call, function, handle);
  if (!count || !config)
    return invalidValue;
  Shape shape;
  if (Result failure = shapeOf(*function, *config, shape))
    return failure;
  *count = static_cast<int>(residentClusters(*call, *function, shape));
  return success;
}

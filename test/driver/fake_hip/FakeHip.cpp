//===- FakeHip.cpp - A HIP driver that is not one ---------------------------===//
//
// A shared library with the entry points of runtime/hip/Symbols.def, over host memory,
// for tests on machines without an AMD GPU. It records every call and every launch,
// lays arguments out as the code object says, and executes code objects on the CPU
// with src/amdgcn, so that results are real; an image that is no ELF file is only
// recorded. That it behaves as AMD's library does is what HIP's documentation says
// and nobody has seen.
//
// Tests in the same process reach its state through `fakeHip()`. For whole programs:
//   FAKE_HIP_CHIP    the chip's name
//   FAKE_HIP_FAIL    CALL or CALL=CODE: the call that fails
//   FAKE_HIP_LOG     a file to which each call adds a line
//
//===----------------------------------------------------------------------===//
#include "FakeHip.h"

#include "amdgcn/Module.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace gluonc;
using namespace gluonc::hip;

static FakeHip state;

/// What handles of modules and functions point to.
struct gluonc::hip::ihipModule_t {
  std::shared_ptr<const amdgcn::Module> code;
};
struct gluonc::hip::ihipModuleSymbol_t {
  std::shared_ptr<const amdgcn::Module> code;
  std::string name;
};
static std::vector<std::unique_ptr<ihipModule_t>> modules;
/// Of modules that may be unloaded, too.
static std::vector<std::unique_ptr<ihipModuleSymbol_t>> functions;

static void readEnvironment() {
  if (const char *chip = getenv("FAKE_HIP_CHIP"))
    state.chip = chip;
  if (const char *fail = getenv("FAKE_HIP_FAIL")) {
    auto [call, code] = llvm::StringRef(fail).split('=');
    state.failing = call.str();
    if (!code.empty())
      code.getAsInteger(10, state.failure);
  }
}

/// Records the call; what it shall fail with.
static Result called(const char *name) {
  state.calls.push_back(name);
  if (const char *path = getenv("FAKE_HIP_LOG"))
    if (FILE *file = fopen(path, "a")) {
      fprintf(file, "%s\n", name);
      fclose(file);
    }
  if (state.failing != name || state.successes-- > 0)
    return success;
  return state.failure;
}
#define CALLED                                                                                     \
  if (Result failure = called(__func__))                                                           \
  return failure

static Result take(void **pointer, size_t bytes) {
  if (bytes > (size_t(1) << 40))
    return errorOutOfMemory;
  std::shared_ptr<void> owned(aligned_alloc(256, (bytes + 255) / 256 * 256), free);
  *pointer = owned.get();
  state.memory[reinterpret_cast<uintptr_t>(*pointer)] = {bytes, state.current, std::move(owned)};
  return success;
}

static Result giveBack(void *pointer) {
  return state.memory.erase(reinterpret_cast<uintptr_t>(pointer)) ? success : errorInvalidValue;
}

/// Whether all bytes lie in one piece of memory.
static bool owns(const void *pointer, size_t bytes) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto piece = state.memory.upper_bound(address);
  return piece != state.memory.begin() && address + bytes <= (--piece)->first + piece->second.bytes;
}

/// From its header: the sections' table lies at a file's end.
static size_t bytesOfElf(const void *image) {
  llvm::ELF::Elf64_Ehdr header;
  memcpy(&header, image, sizeof header);
  return header.e_shoff + size_t(header.e_shnum) * header.e_shentsize;
}

/// The visible arguments, as the driver copies them. `slots` receives their bytes, eight at a time.
static std::vector<uint8_t> layOut(const ihipModuleSymbol_t &function, void **parameters,
                                   std::vector<uint64_t> &slots) {
  std::vector<amdgcn::Argument> arguments;
  if (function.code)
    arguments = function.code->kernels.lookup(function.name).arguments;
  else
    for (unsigned i = 0; i != state.parametersToRead; ++i)
      arguments.push_back({i * 8, 8, "by_value"});
  std::vector<uint8_t> bytes;
  unsigned number = 0;
  for (const amdgcn::Argument &argument : arguments) {
    if (llvm::StringRef(argument.kind).starts_with("hidden_"))
      break;
    const auto *from = static_cast<const uint8_t *>(parameters[number++]);
    bytes.resize(argument.offset + argument.size);
    memcpy(bytes.data() + argument.offset, from, argument.size);
    for (unsigned at = 0; at < argument.size; at += 8)
      memcpy(&slots.emplace_back(), from + at, std::min(argument.size - at, 8u));
  }
  return bytes;
}

/// Faults come up when someone waits.
static void execute(const ihipModuleSymbol_t &function, const FakeHip::Launch &launch,
                    llvm::ArrayRef<uint64_t> slots) {
  std::vector<amdgcn::Range> memory;
  for (auto &[address, piece] : state.memory)
    if (piece.device == launch.device)
      memory.push_back({address, address + piece.bytes});
  amdgcn::Launch executed;
  executed.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  executed.threads = launch.block[0];
  executed.workgroupsPerCluster = launch.cluster;
  executed.sharedBytes = launch.sharedBytes;
  executed.slots = slots;
  executed.memory = memory;
  if (std::optional<amdgcn::Fault> fault =
          amdgcn::execute(*function.code, function.name, executed)) {
    fprintf(stderr, "fake HIP: %s in %s\n", fault->message.c_str(), fault->instruction.c_str());
    state.pending = errorIllegalAddress;
  }
}

static Result launch(FunctionHandle function, FakeHip::Launch launch, void **parameters) {
  for (unsigned axis : {0, 1, 2})
    if (!launch.grid[axis] || !launch.block[axis] ||
        uint64_t(launch.grid[axis]) * launch.block[axis] > 0xffffffff)
      return errorInvalidConfiguration;
  launch.device = state.current;
  std::vector<uint64_t> slots;
  launch.arguments = layOut(*function, parameters, slots);
  if (function->code)
    execute(*function, launch, slots);
  state.launches.push_back(std::move(launch));
  return success;
}

extern "C" {
FakeHip *fakeHip() { return &state; }

Result hipInit(unsigned) {
  readEnvironment();
  CALLED;
  return success;
}
Result hipDriverGetVersion(int *version) {
  CALLED;
  *version = state.version;
  return success;
}
const char *hipGetErrorName(Result code) {
  return code == errorOutOfMemory      ? "hipErrorOutOfMemory"
         : code == errorNoDevice       ? "hipErrorNoDevice"
         : code == errorIllegalAddress ? "hipErrorIllegalAddress"
                                       : "hipErrorUnknown";
}
const char *hipGetErrorString(Result code) {
  return code == errorOutOfMemory ? "out of memory" : "some text";
}
Result hipGetDeviceCount(int *count) {
  CALLED;
  *count = state.devices;
  return success;
}
Result hipDeviceGet(DeviceHandle *device, int ordinal) {
  CALLED;
  *device = ordinal;
  return success;
}
Result hipDeviceGetName(char *name, int length, DeviceHandle) {
  CALLED;
  strncpy(name, "Fake Instinct", static_cast<size_t>(length));
  return success;
}
Result hipDeviceGetAttribute(int *value, int attribute, DeviceHandle) {
  CALLED;
  switch (static_cast<DeviceAttribute>(attribute)) {
  case DeviceAttribute::MaxSharedPerBlock:
    *value = 64 * 1024;
    break;
  case DeviceAttribute::MultiprocessorCount:
    *value = 304;
    break;
  default:
    *value = 1;
  }
  return success;
}
Result hipDeviceTotalMem(size_t *bytes, DeviceHandle) {
  CALLED;
  *bytes = size_t(192) << 30;
  return success;
}
Result hipGetDevicePropertiesR0600(DeviceProperties *properties, int) {
  CALLED;
  memset(properties, 0x55, sizeof *properties);
  strncpy(properties->chipName, state.chip.c_str(), sizeof properties->chipName);
  return success;
}
Result hipGetDevice(int *ordinal) {
  CALLED;
  *ordinal = state.current;
  return success;
}
Result hipSetDevice(int ordinal) {
  CALLED;
  if (ordinal >= state.devices)
    return errorInvalidDevice;
  state.current = ordinal;
  return success;
}
Result hipDeviceSynchronize() {
  CALLED;
  return state.pending;
}

Result hipModuleLoadData(ModuleHandle *module, const void *image) {
  CALLED;
  auto made = std::make_unique<ihipModule_t>();
  if (!memcmp(image, llvm::ELF::ElfMagic, 4)) {
    std::string error;
    made->code = amdgcn::load({static_cast<const char *>(image), bytesOfElf(image)}, error);
    if (!made->code || made->code->chip.name != llvm::StringRef(state.chip).split(':').first)
      return errorNoBinaryForGpu;
  } else if (!strncmp(static_cast<const char *>(image), "bad", 3))
    return errorInvalidImage;
  *module = modules.emplace_back(std::move(made)).get();
  ++state.modules;
  state.moduleDevice = state.current;
  return success;
}
Result hipModuleUnload(ModuleHandle module) {
  CALLED;
  llvm::erase_if(modules, [&](const auto &loaded) { return loaded.get() == module; });
  --state.modules;
  return success;
}
Result hipModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  CALLED;
  if (module->code ? !module->code->kernels.contains(name) : !strcmp(name, "missing"))
    return errorNotFound;
  functions.push_back(std::make_unique<ihipModuleSymbol_t>(module->code, name));
  *function = functions.back().get();
  return success;
}
Result hipFuncGetAttribute(int *value, int attribute, FunctionHandle function) {
  CALLED;
  bool isThreads = attribute == static_cast<int>(FunctionAttribute::MaxThreadsPerBlock);
  *value = !isThreads ? 24 : function->code ? 1024 : 512;
  return success;
}
Result hipModuleLaunchKernel(FunctionHandle function, unsigned gridX, unsigned gridY,
                             unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,
                             unsigned sharedBytes, Stream stream, void **parameters, void **extra) {
  CALLED;
  if (extra)
    return errorNotSupported;
  return launch(function,
                {.call = __func__,
                 .grid = {gridX, gridY, gridZ},
                 .block = {blockX, blockY, blockZ},
                 .sharedBytes = sharedBytes,
                 .stream = stream},
                parameters);
}
Result hipModuleLaunchCooperativeKernel(FunctionHandle function, unsigned gridX, unsigned gridY,
                                        unsigned gridZ, unsigned blockX, unsigned blockY,
                                        unsigned blockZ, unsigned sharedBytes, Stream stream,
                                        void **parameters) {
  CALLED;
  return launch(function,
                {.call = __func__,
                 .grid = {gridX, gridY, gridZ},
                 .block = {blockX, blockY, blockZ},
                 .sharedBytes = sharedBytes,
                 .isCooperative = true,
                 .stream = stream},
                parameters);
}
Result hipDrvLaunchKernelEx(const LaunchConfig *config, FunctionHandle function, void **parameters,
                            void **) {
  CALLED;
  FakeHip::Launch made{.call = __func__,
                       .grid = {config->gridX, config->gridY, config->gridZ},
                       .block = {config->blockX, config->blockY, config->blockZ},
                       .sharedBytes = config->sharedBytes,
                       .stream = config->stream};
  for (unsigned i = 0; i != config->attributeCount; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == LaunchAttribute::ClusterDimension)
      made.cluster = attribute.clusterDimension[0];
    if (attribute.id == LaunchAttribute::Cooperative)
      made.isCooperative = attribute.flag;
  }
  return launch(function, std::move(made), parameters);
}
Result hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *count, FunctionHandle, int, size_t) {
  CALLED;
  *count = 2;
  return success;
}

Result hipMalloc(void **pointer, size_t bytes) {
  CALLED;
  return take(pointer, bytes);
}
Result hipFree(void *pointer) {
  CALLED;
  return giveBack(pointer);
}
Result hipMemcpyHtoD(DevicePointer to, const void *from, size_t bytes) {
  CALLED;
  if (!owns(to, bytes))
    return errorInvalidValue;
  memcpy(to, from, bytes);
  return success;
}
Result hipMemcpyDtoH(void *to, DevicePointer from, size_t bytes) {
  CALLED;
  if (!owns(from, bytes))
    return errorInvalidValue;
  memcpy(to, from, bytes);
  return state.pending;
}
Result hipMemsetD8(DevicePointer to, unsigned char value, size_t bytes) {
  CALLED;
  if (!owns(to, bytes))
    return errorInvalidValue;
  memset(to, value, bytes);
  return success;
}
Result hipMemPoolCreate(MemoryPoolHandle *pool, const MemoryPoolProperties *properties) {
  CALLED;
  *pool =
      reinterpret_cast<MemoryPoolHandle>(size_t(4000) + static_cast<size_t>(properties->device));
  ++state.pools;
  return success;
}
Result hipMemPoolDestroy(MemoryPoolHandle) {
  CALLED;
  --state.pools;
  return success;
}
Result hipMemPoolSetAttribute(MemoryPoolHandle, int, void *) {
  CALLED;
  return success;
}
Result hipMallocFromPoolAsync(void **pointer, size_t bytes, MemoryPoolHandle, Stream) {
  CALLED;
  return take(pointer, bytes);
}
Result hipFreeAsync(void *pointer, Stream) {
  CALLED;
  return giveBack(pointer);
}

Result hipEventCreate(Event *event) {
  CALLED;
  *event = reinterpret_cast<Event>(size_t(5000));
  ++state.events;
  return success;
}
Result hipEventDestroy(Event) {
  CALLED;
  --state.events;
  return success;
}
Result hipEventRecord(Event, Stream) {
  CALLED;
  return success;
}
Result hipEventSynchronize(Event) {
  CALLED;
  return state.pending;
}
Result hipEventElapsedTime(float *value, Event, Event) {
  CALLED;
  *value = 0.5f;
  return success;
}
Result hipStreamIsCapturing(Stream, int *status) {
  CALLED;
  *status = state.isCapturing;
  return success;
}
}

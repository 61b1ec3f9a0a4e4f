//===- Record.cpp - The C API: launches on a GPU that record ---------------------===//
#include "driver/api/Record.h"

#include "driver/api/Guard.h"
#include "driver/api/Load.h"
#include "driver/api/Predict.h"

#include "llvm/Support/MathExtras.h"

using namespace gluonc;
using namespace gluonc::api;

using ptx::TimestampedKernel;

/// Launches of it, one at a time, record in memory of its own.
struct api::RecordedKernel {
  std::mutex lock;
  driver::StampedKernel stamped;
  cuda::Buffer memory;
  /// Where records begin in it: at a multiple of what a warp has.
  uint64_t begin = 0;
  std::optional<cuda::Launcher> launcher;
};

namespace {

llvm::Error load(RecordedKernel &made, const gluonc_executable &executable,
                 const cuda::Device &device) {
  std::shared_ptr<const cuda::Device> shared = device.shared_from_this();
  constexpr uint64_t align = TimestampedKernel::bytesOfWarp;
  llvm::Expected<cuda::Buffer> memory =
      cuda::Buffer::allocate(shared, made.stamped.timed.bytes(TimestampedKernel::mostCtas) + align);
  if (!memory)
    return memory.takeError();
  made.memory = std::move(*memory);
  made.begin = llvm::alignTo(made.memory.address(), align);
  auto module = cuda::Module::load(shared, made.stamped.kernel.artifact.bytes);
  if (!module)
    return module.takeError();
  runtime::LaunchShape shape = shapeOf(executable);
  shape.sharedBytes = made.stamped.kernel.kernel.sharedBytes;
  shape.profileAddress = made.begin;
  llvm::Expected<cuda::Launcher> launcher = cuda::Launcher::create(
      *module, made.stamped.kernel.kernel.name, shape, executable.parameters.machineCount);
  if (!launcher)
    return launcher.takeError();
  made.launcher.emplace(std::move(*launcher));
  return llvm::Error::success();
}

/// Made at the first launch.
gluonc_status find(gluonc_executable &executable, const cuda::Device &device,
                   std::shared_ptr<RecordedKernel> &found, gluonc_error **error) {
  {
    std::lock_guard guard(executable.making);
    if ((found = executable.recorded))
      return GLUONC_OK;
  }
  std::optional<driver::StampedKernel> stamped;
  if (gluonc_status status = stampedCode(executable, stamped, error))
    return status;
  found = std::make_shared<RecordedKernel>();
  found->stamped = std::move(*stamped);
  if (llvm::Error failure = load(*found, executable, device))
    return unavailable(std::move(failure), error);
  std::lock_guard guard(executable.making);
  executable.recorded = found;
  return GLUONC_OK;
}

/// What a launch leaves in memory.
llvm::Expected<std::vector<uint8_t>> download(const RecordedKernel &kernel, size_t bytes) {
  std::vector<uint8_t> records(bytes);
  if (llvm::Error error =
          kernel.memory.download(records.data(), bytes, kernel.begin - kernel.memory.address()))
    return std::move(error);
  return records;
}

void add(EngineState &engine, const RecordedKernel &kernel, const cuda::Device &device,
         llvm::ArrayRef<uint8_t> records, double milliseconds) {
  const driver::StampedKernel &stamped = kernel.stamped;
  model::MeasuredLaunch launch = model::readRecords(stamped.timed, records, stamped.partitions);
  std::lock_guard guard(engine.settings);
  Predictions &all = engine.predictions;
  all.timeline.add(launch, stamped.timed, stamped.partitions, stamped.kernel.kernel.name,
                   device.name(), milliseconds * 1e3, std::nullopt);
  all.device = device.name();
  all.total.milliseconds += milliseconds;
  ++all.total.launches;
  all.total.chip = all.device.c_str();
  all.total.is_measured = 1;
}

/// Whether launches of the stream become a graph, and run later.
bool isCaptured(const cuda::Driver &driver, cuda::CUstream stream) {
  int state = 0;
  auto *ask = driver.api().cuStreamIsCapturing;
  return stream && ask && ask(stream, &state) == cuda::success && state;
}

} // namespace

gluonc_status api::record(gluonc_executable &executable, runtime::Grid grid, cuda::CUstream stream,
                          llvm::function_ref<gluonc_status(const cuda::Launcher &)> launch,
                          gluonc_error **error) {
  if (!executable.hasSource())
    return fail(GLUONC_UNAVAILABLE,
                "what was saved has machine code only, which no timestamps can be put into", error);
  if (gluonc_status status = api::load(&executable, std::nullopt, error);
      !executable.launcher && status)
    return status;
  const cuda::Device &device = executable.launcher.load()->device();
  cuda::ContextKeeper kept(device.driver());
  if (isCaptured(device.driver(), stream))
    return fail(GLUONC_UNAVAILABLE, "launches that a graph captures are not traced", error);
  std::shared_ptr<RecordedKernel> kernel;
  if (gluonc_status status = find(executable, device, kernel, error))
    return status;
  std::lock_guard oneAtATime(kernel->lock);
  llvm::Expected<cuda::Stopwatch> watch = cuda::Stopwatch::create(device.shared_from_this());
  if (!watch)
    return unavailable(watch.takeError(), error);
  // The zeros lie in no order with streams that do not wait for the default one.
  if (llvm::Error failure = kernel->memory.fill(0))
    return unavailable(std::move(failure), error);
  if (llvm::Error failure = device.synchronize())
    return unavailable(std::move(failure), error);
  if (llvm::Error failure = watch->start(stream))
    return unavailable(std::move(failure), error);
  if (gluonc_status status = launch(*kernel->launcher))
    return status;
  if (llvm::Error failure = watch->stop(stream))
    return unavailable(std::move(failure), error);
  llvm::Expected<float> milliseconds = watch->milliseconds();
  if (!milliseconds)
    return unavailable(milliseconds.takeError(), error);
  const uint64_t ctas = uint64_t(grid.x) * grid.y * grid.z * kernel->stamped.kernel.kernel.numCtas;
  llvm::Expected<std::vector<uint8_t>> records =
      download(*kernel, kernel->stamped.timed.bytes(ctas));
  if (!records)
    return unavailable(records.takeError(), error);
  add(*executable.engine, *kernel, device, *records, *milliseconds);
  return GLUONC_OK;
}

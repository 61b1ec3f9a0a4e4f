#include "driver/predict/LaunchModel.h"

#include "ptx/Scopes.h"
#include "ptx/TensorMap.h"
#include "target/amd/Chips.h"
#include "target/amd/Occupancy.h"
#include "target/nvidia/BoxCopies.h"
#include "target/nvidia/Occupancy.h"

namespace gluonc::driver {

LaunchModel::LaunchModel(const target::nvidia::Speeds &chip, const model::Launch &launch,
                         std::vector<uint64_t> sample)
    : chip(chip), launch(launch), sampled(std::move(sample)), sharing(launch.ctasPerCluster) {}

static const target::nvidia::Speeds *figuresOf(const target::Target &target) {
  return target.isNvidia() ? target::nvidia::speedsOf(target) : model::waveSpeedsOf(target);
}

bool LaunchModel::knows(const target::Target &target) { return figuresOf(target) != nullptr; }

std::vector<uint64_t> LaunchModel::wave() const {
  return model::waveOf(launch.clusters, uint64_t(chip.multiprocessors) / launch.ctasPerCluster *
                                            launch.residentCtas);
}

std::vector<model::Partition> partitionsOf(llvm::StringRef ptx) {
  std::vector<model::Partition> made;
  for (size_t at = 0; (at = ptx.find("// warps ", at)) != llvm::StringRef::npos; ++at) {
    llvm::StringRef line = ptx.substr(at).split('\n').first;
    model::Partition partition;
    if (line.consume_front("// warps ") && !line.consumeInteger(10, partition.firstWarp) &&
        line.consume_front(" to ") && !line.consumeInteger(10, partition.lastWarp) &&
        line.consume_front(": ")) {
      partition.name = line.str();
      made.push_back(std::move(partition));
    }
  }
  return made;
}

std::unique_ptr<LaunchModel> LaunchModel::make(const target::Target &target,
                                               const CompiledKernel &kernel, Grid grid,
                                               uint64_t tensorBytes, unsigned samples) {
  const target::nvidia::Speeds *chip = figuresOf(target);
  if (!chip)
    return nullptr;
  const codegen::KernelInfo &info = kernel.kernel;
  model::Launch launch;
  launch.clusters = uint64_t(grid[0]) * grid[1] * grid[2];
  launch.ctasPerCluster = info.numCtas;
  launch.sharedBytes = info.sharedBytes;
  launch.tensorBytes = tensorBytes;
  unsigned registers = 0;
  if (const std::optional<codegen::ResourceUsage> &used = kernel.artifact.resources) {
    registers = used->registers;
    launch.sharedBytes += used->sharedBytes;
  }
  if (auto occupancy =
          target.isNvidia()
              ? target::nvidia::occupancyOf(target, {info.numWarps, registers, launch.sharedBytes})
              : target::amd::occupancyOf(target, {info.numWarps, registers, launch.sharedBytes}))
    launch.residentCtas = occupancy->ctas;
  std::unique_ptr<LaunchModel> made(new LaunchModel(*chip, launch, model::sampleOf(grid, samples)));
  grid[0] *= info.numCtas;
  const model::Recorder::Launch recorded{grid, info.numWarps, info.numCtas};
  const std::string &assembly =
      kernel.assembly.bytes.empty() ? kernel.artifact.bytes : kernel.assembly.bytes;
  made->scopes = ptx::scopeNames(assembly);
  if (!target.isNvidia()) {
    made->waveRecorder.emplace(*target::amd::speedsOf(target), recorded, made->sampled,
                               kernel.artifact.bytes, target.amdChip()->ldsBanks);
    return made;
  }
  made->recorder.emplace(*chip, recorded, made->sampled);
  made->partitions = partitionsOf(assembly);
  return made;
}

std::optional<model::Predicted> LaunchModel::predict(unsigned recorded) {
  recordedTrace = waveRecorder ? waveRecorder->take() : recorder->take();
  if (!waveRecorder)
    recordedTrace.sharers = sharing.sharers();
  recordedTrace.partitions = partitions;
  recordedTrace.scopes = scopes;
  if (recordedTrace.isCut)
    return std::nullopt;
  return model::predict(recordedTrace, chip, launch, recorded);
}

void Observers::begin(const ptx::Function &kernel, const ptx::Module &module) {
  for (ptx::Observer *one : list)
    one->begin(kernel, module);
}

void Observers::executed(const ptx::Observed &what) {
  for (ptx::Observer *one : list)
    one->executed(what);
}

/// Who waits for programs that are not in the sample does not end.
static constexpr uint64_t mostSteps = uint64_t(1) << 24;

std::optional<model::Predicted> predictExecuted(LaunchModel &model, unsigned recorded,
                                                diag::Sink &sink) {
  std::optional<model::Predicted> predicted = model.predict(recorded);
  if (!predicted)
    sink.report(diag::Kind::DeviceFault, {},
                "a program executes more instructions than the performance model keeps")
        .end();
  return predicted;
}

/// The same of AMD's machine code.
static std::optional<model::Predicted> predictWaves(LaunchModel &model,
                                                    const CompiledKernel &kernel, unsigned warpSize,
                                                    ExecutedLaunch &launch, unsigned recorded,
                                                    diag::Sink &sink) {
  model::WaveRecorder &waves = *model.waves();
  if (!observeWaves(kernel, warpSize, launch, waves.together(), model.wave(), model::sharingSteps,
                    mostSteps, sink) ||
      !observeWaves(kernel, warpSize, launch, waves.observer(), model.sample(), 0, mostSteps, sink))
    return std::nullopt;
  return predictExecuted(model, recorded, sink);
}

std::optional<model::Predicted> predict(LaunchModel &model, const CompiledKernel &kernel,
                                        unsigned warpSize, ExecutedLaunch &launch,
                                        unsigned recorded, diag::Sink &sink) {
  if (model.waves())
    return predictWaves(model, kernel, warpSize, launch, recorded, sink);
  std::vector<uint64_t> wave = model.wave();
  ExecutedRun how;
  how.skipsProducts = true;
  how.observer = &model.together();
  how.clusters = wave;
  how.stepsOfWarp = model::sharingSteps;
  if (!executePtx(kernel, warpSize, launch, how, sink))
    return std::nullopt;
  how.observer = &model.observer();
  how.stepLimit = mostSteps;
  how.clusters = model.sample();
  how.stepsOfWarp = 0;
  if (!executePtx(kernel, warpSize, launch, how, sink))
    return std::nullopt;
  return predictExecuted(model, recorded, sink);
}

/// The number that tensormap.replace gives a type.
static uint8_t elementType(cuda::TensorMapType type, bool roundsToTf32) {
  constexpr uint8_t float64 = 9, bfloat16 = 10, tf32 = 11;
  if (roundsToTf32 && type == cuda::TensorMapType::Float32)
    return tf32;
  return type == cuda::TensorMapType::Float64    ? float64
         : type == cuda::TensorMapType::BFloat16 ? bfloat16
                                                 : static_cast<uint8_t>(type);
}

ptx::TensorMap executedMap(const cuda::TensorBox &box, const TensorDescription &tensor) {
  ptx::TensorMap map = {};
  map.address = tensor.base;
  map.rank = static_cast<uint8_t>(box.rank - 1);
  map.elementType = elementType(box.type, tensor.roundToTf32);
  map.swizzle = static_cast<uint8_t>(target::nvidia::tma::swizzleCode(box.swizzleBytes));
  map.fill = tensor.nanPadding;
  map.isIm2col = box.isIm2Col;
  // A map counts dims from the innermost.
  for (unsigned i = 0; i != box.rank; ++i) {
    unsigned dim = box.rank - 1 - i;
    map.dims[i] = static_cast<uint32_t>(tensor.shape[dim]);
    if (i)
      map.strides[i - 1] = static_cast<uint64_t>(tensor.strides[dim]) * box.elementBytes;
    map.elementStrides[i] = std::max(tensor.elementStrides[dim], 1u);
    if (!box.isIm2Col)
      map.box[i] = box.box[dim];
  }
  if (box.type == cuda::TensorMapType::Padded4Bits)
    map.dims[0] *= 2;
  if (box.isIm2Col) {
    std::copy_n(std::make_reverse_iterator(box.box.begin() + 2), 2, map.box);
    for (unsigned i = 0; i != box.rank - 2; ++i) {
      map.lower[i] = static_cast<int16_t>(tensor.lowerCorner[box.rank - 3 - i]);
      map.upper[i] = static_cast<int16_t>(tensor.upperCorner[box.rank - 3 - i]);
    }
  }
  return map;
}

} // namespace gluonc::driver

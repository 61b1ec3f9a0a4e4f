//===- LaunchModel.h - The performance model of one launch ------------------------===//
//
//   kernel + launch ─▶ sample of clusters ─▶ executor of PTX, or of AMD's ─▶ trace ─▶ prediction
//                       or of machine code   (observed)         (room model)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "driver/ExecutedLaunch.h"
#include "model/Prediction.h"
#include "model/Recorder.h"
#include "model/Sharing.h"
#include "model/WaveRecorder.h"
#include "runtime/cuda/TensorMap.h"

namespace gluonc::ptx {
struct TensorMap;
}

namespace gluonc::driver {

class LaunchModel {
public:
  /// Whether the model has figures of a chip.
  static bool knows(const target::Target &target);
  /// Null for a chip of which the model has no figures. `grid` is in programs.
  static std::unique_ptr<LaunchModel> make(const target::Target &target,
                                           const CompiledKernel &kernel, Grid grid,
                                           uint64_t tensorBytes,
                                           unsigned samples = model::sampledClusters);

  /// Both have to be told of executions: the first one of clusters that run together, at least
  /// their beginnings, the other one of those of the sample.
  ptx::Observer &together() { return sharing; }
  ptx::Observer &observer() { return *recorder; }
  /// On AMD's chips these have to be told; null on others.
  model::WaveRecorder *waves() { return waveRecorder ? &*waveRecorder : nullptr; }
  /// Where a tensor begins, as allocations of a GPU do; see Recorder.
  void setOrigin(uint64_t address) {
    if (recorder)
      recorder->setOrigin(address);
  }
  /// The clusters that have to be executed, by number.
  std::vector<uint64_t> wave() const;
  llvm::ArrayRef<uint64_t> sample() const { return sampled; }
  /// After the execution. The timeline has `recorded` clusters. Nullopt where the sample executed
  /// more than a trace keeps.
  std::optional<model::Predicted> predict(unsigned recorded = 0);
  /// What `predict` was from.
  const model::Trace &trace() const { return recordedTrace; }

private:
  LaunchModel(const target::nvidia::Speeds &chip, const model::Launch &launch,
              std::vector<uint64_t> sample);

  const target::nvidia::Speeds &chip;
  model::Launch launch;
  std::vector<uint64_t> sampled;
  model::Sharing sharing;
  /// One of them.
  std::optional<model::Recorder> recorder;
  std::optional<model::WaveRecorder> waveRecorder;
  model::Trace recordedTrace;
  std::vector<model::Partition> partitions;
  std::vector<std::string> scopes;
};

/// Several observers of one launch.
struct Observers : ptx::Observer {
  llvm::SmallVector<ptx::Observer *, 3> list;

  void add(LaunchModel &model) { list.append({&model.together(), &model.observer()}); }
  void begin(const ptx::Function &kernel, const ptx::Module &module) override;
  void executed(const ptx::Observed &what) override;
};

/// The same of a launch on an AMD chip.
struct WaveObservers : amdgcn::Observer {
  llvm::SmallVector<amdgcn::Observer *, 3> list;

  void add(model::WaveRecorder &waves) { list.append({&waves.together(), &waves.observer()}); }
  void executed(const amdgcn::Observed &what) override {
    for (amdgcn::Observer *one : list)
      one->executed(what);
  }
};

/// What comments in PTX say of partitions (codegen/Codegen.cpp).
std::vector<model::Partition> partitionsOf(llvm::StringRef ptx);

/// Clusters that timelines show.
inline constexpr unsigned shownClusters = 4;

/// Executes AMD's machine code of some workgroups on the CPU: `stepsOfWave` instructions of each
/// wave, 0 for all; more than `stepLimit` are a fault. False after a report.
bool observeWaves(const CompiledKernel &kernel, unsigned warpSize, const ExecutedLaunch &launch,
                  amdgcn::Observer &observer, llvm::ArrayRef<uint64_t> workgroups,
                  uint64_t stepsOfWave, uint64_t stepLimit, diag::Sink &sink);

/// `LaunchModel::predict` of a launch that was executed. Nullopt after a report.
std::optional<model::Predicted> predictExecuted(LaunchModel &model, unsigned recorded,
                                                diag::Sink &sink);

/// Executes the sample, without the results of products, and predicts, with `recorded` clusters in
/// the timeline. Nullopt after a report.
std::optional<model::Predicted> predict(LaunchModel &model, const CompiledKernel &kernel,
                                        unsigned warpSize, ExecutedLaunch &launch,
                                        unsigned recorded, diag::Sink &sink);

/// A tensor map as the executor of PTX reads it.
ptx::TensorMap executedMap(const cuda::TensorBox &box, const TensorDescription &tensor);

} // namespace gluonc::driver

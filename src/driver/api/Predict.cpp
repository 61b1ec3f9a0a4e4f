//===- Predict.cpp - The C API: launches whose machine code is executed --------===//
//
// For their results, or for the time that they would take.
//
//===----------------------------------------------------------------------===//
#include "driver/api/Predict.h"

#include "driver/api/Guard.h"
#include "driver/api/Load.h"
#include "driver/predict/LaunchModel.h"
#include "ptx/TensorMap.h"

#include <deque>

using namespace gluonc;
using namespace gluonc::api;

namespace {

/// What stands between the executor and the host's memory.
using Memory = std::vector<std::pair<uint64_t, uint64_t>>;

uint64_t addRanges(Memory &memory, const gluonc_memory_range *ranges, size_t count) {
  uint64_t bytes = 0;
  for (const gluonc_memory_range &range : llvm::ArrayRef(ranges, count)) {
    auto begin = reinterpret_cast<uint64_t>(range.base);
    if (range.bytes)
      memory.push_back({begin, begin + range.bytes});
    bytes += range.bytes;
  }
  return bytes;
}

/// Where the largest tensor begins; 0 where there is none.
uint64_t largestOf(llvm::ArrayRef<gluonc_memory_range> ranges) {
  const gluonc_memory_range *largest = nullptr;
  for (const gluonc_memory_range &range : ranges)
    if (range.bytes && (!largest || range.bytes > largest->bytes))
      largest = &range;
  return largest ? reinterpret_cast<uint64_t>(largest->base) : 0;
}

/// The machine's slots; `maps` holds what some of them point to.
std::vector<uint64_t> slotsOf(const gluonc_executable &executable, const uint64_t *values,
                              std::deque<ptx::TensorMap> &maps) {
  std::vector<uint64_t> slots;
  for (auto [i, parameter] : llvm::enumerate(executable.parameters.visible)) {
    if (!parameter.rank()) {
      slots.push_back(values[i]);
      continue;
    }
    const auto *tensor = reinterpret_cast<const gluonc_tensor *>(values[i]);
    driver::appendExecuted(parameter, describe(*tensor), maps, slots);
  }
  return slots;
}

void add(EngineState &engine, const model::Predicted &predicted, const driver::LaunchModel &model,
         llvm::StringRef kernel) {
  const model::Prediction &one = predicted.prediction;
  std::lock_guard guard(engine.settings);
  engine.predictions.timeline.add(predicted, model.trace(), kernel);
  gluonc_prediction &total = engine.predictions.total;
  double &longest = engine.predictions.longest;
  total.milliseconds += one.microseconds / 1e3;
  ++total.launches;
  total.chip = one.chip->name;
  total.is_measured = one.chip->areMeasured;
  if (one.microseconds < longest)
    return;
  longest = one.microseconds;
  total.limit = one.limit().data();
}

} // namespace

gluonc_status api::predict(gluonc_executable &executable, driver::Grid grid, const uint64_t *values,
                           const gluonc_launch_options &options, gluonc_error **error) {
  const driver::CompiledKernel *kernel = nullptr;
  if (gluonc_status status = machineCode(executable, executable.engine->isRecording, kernel, error))
    return status;
  Memory memory;
  uint64_t tensorBytes = addRanges(memory, options.ranges, options.range_count);
  addRanges(memory, options.reachable, options.reachable_count);
  std::unique_ptr<driver::LaunchModel> model =
      driver::LaunchModel::make(executable.target, *kernel, grid, tensorBytes);
  if (!model)
    return fail(GLUONC_UNAVAILABLE,
                "the performance model has no figures of " + executable.target.name(), error);
  model->setOrigin(largestOf({options.ranges, options.range_count}));
  std::deque<ptx::TensorMap> maps;
  driver::ExecutedLaunch launch(*kernel, slotsOf(executable, values, maps), std::move(memory),
                                grid);
  diag::Collector collector;
  std::optional<model::Predicted> predicted = driver::predict(
      *model, *kernel, executable.target.warpSize(), launch, driver::shownClusters, collector);
  if (!predicted)
    return fail(collector, error);
  add(*executable.engine, *predicted, *model, kernel->kernel.name);
  return GLUONC_OK;
}

gluonc_status api::executePtx(gluonc_executable &executable, driver::Grid grid,
                              const uint64_t *values, const gluonc_launch_options &options,
                              const LaunchSettings &settings, gluonc_error **error) {
  // As on a GPU an empty grid runs nothing.
  if (!grid[0] || !grid[1] || !grid[2])
    return GLUONC_OK;
  const driver::CompiledKernel *kernel = nullptr;
  if (gluonc_status status = machineCode(executable, /*isTraced=*/false, kernel, error))
    return status;
  Memory memory;
  addRanges(memory, options.ranges, options.range_count);
  addRanges(memory, options.reachable, options.reachable_count);
  std::deque<ptx::TensorMap> maps;
  driver::ExecutedLaunch launch(*kernel, slotsOf(executable, values, maps), std::move(memory),
                                grid);
  std::string printed;
  llvm::raw_string_ostream out(printed);
  diag::Collector collector;
  const bool fine = driver::executePtx(*kernel, executable.target.warpSize(), launch,
                                       {.printed = settings.output ? &out : nullptr}, collector)
                        .has_value();
  // Before the error: it tells what came before it.
  if (!printed.empty()) {
    AtRest telling;
    settings.output(settings.outputUser, printed.data(), printed.size());
  }
  return fine ? GLUONC_OK : fail(collector, error);
}

void gluonc_engine_begin_prediction(gluonc_engine *engine) {
  if (!engine)
    return;
  std::lock_guard guard(engine->state->settings);
  engine->state->predictions = {};
  engine->state->isPredicting = true;
}

void gluonc_engine_begin_trace(gluonc_engine *engine) {
  gluonc_engine_begin_prediction(engine);
  if (engine)
    engine->state->isRecording = true;
}

void gluonc_engine_end_prediction(gluonc_engine *engine, gluonc_prediction *prediction) {
  if (!engine || !prediction)
    return;
  std::lock_guard guard(engine->state->settings);
  engine->state->isPredicting = engine->state->isRecording = false;
  Predictions &found = engine->state->predictions;
  found.json = found.timeline.file(".json");
  found.page = found.timeline.file(".html");
  found.total.timeline = found.json.c_str();
  found.total.timeline_page = found.page.c_str();
  *prediction = found.total;
}

int gluonc_target_is_predicted(const char *name) {
  std::optional<target::Target> target = target::Target::parse(name ? name : "");
  return target && driver::LaunchModel::knows(*target);
}

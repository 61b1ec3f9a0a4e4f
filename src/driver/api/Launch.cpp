//===- Launch.cpp - The C API: launches on GPUs and the simulator -----------===//
#include "driver/api/Guard.h"
#include "driver/api/Load.h"
#include "driver/api/Predict.h"
#include "driver/api/Record.h"

#include "host/NumberFormat.h"
#include "layout/plan/TensorBlock.h"

using namespace gluonc;
using namespace gluonc::api;

TensorDescription api::describe(const gluonc_tensor &tensor) {
  TensorDescription made;
  made.base = reinterpret_cast<uintptr_t>(tensor.base);
  made.rank = tensor.rank;
  llvm::copy(tensor.shape, made.shape.begin());
  llvm::copy(tensor.strides, made.strides.begin());
  made.nanPadding = tensor.nan_padding != 0;
  made.roundToTf32 = tensor.round_to_tf32 != 0;
  llvm::transform(tensor.element_strides, made.elementStrides.begin(),
                  [](uint32_t step) { return std::max(step, 1u); });
  llvm::copy(tensor.lower_corner, made.lowerCorner.begin());
  llvm::copy(tensor.upper_corner, made.upperCorner.begin());
  return made;
}

namespace {

gluonc_status wrongCount(const gluonc_executable &executable, size_t count, gluonc_error **error) {
  return fail(GLUONC_USAGE_ERROR,
              "the kernel takes " + std::to_string(executable.parameters.visible.size()) +
                  " launch arguments, not " + std::to_string(count),
              error);
}

/// The number in a slot, in the low `bits`: what is above repeats the sign, or is zero.
bool fits(uint64_t slot, unsigned bits) {
  return slot >> bits == 0 || static_cast<int64_t>(slot) >> (bits - 1) == -1;
}

/// The first integer that its parameter cannot hold, if there is one.
std::optional<size_t> findTooLarge(const driver::LaunchParameters &parameters,
                                   const uint64_t *values) {
  for (const auto &[index, bits] : parameters.narrowIntegers)
    if (!fits(values[index], bits)) [[unlikely]]
      return index;
  return std::nullopt;
}

gluonc_status tooLarge(const gluonc_executable &executable, size_t index, uint64_t slot,
                       gluonc_error **error) {
  return fail(GLUONC_USAGE_ERROR,
              "launch argument " + std::to_string(index) + " is " +
                  std::to_string(static_cast<int64_t>(slot)) + ", which " +
                  executable.parameters.visible[index].type + " cannot hold",
              error);
}

/// Memory under a name; several ranges where they overlap.
struct Piece {
  std::string name;
  uintptr_t begin, end;
  bool readOnly;
  bool isArgument;
};

void addPieces(llvm::ArrayRef<gluonc_memory_range> ranges, bool areArguments,
               std::vector<Piece> &pieces) {
  for (const gluonc_memory_range &range : ranges)
    if (range.bytes) {
      auto begin = reinterpret_cast<uintptr_t>(range.base);
      // One that reaches beyond the last address ends there.
      uintptr_t end = begin + std::min<uintptr_t>(range.bytes, ~begin);
      pieces.push_back(
          {range.name ? range.name : "", begin, end, range.read_only != 0, areArguments});
    }
}

/// Those that share a byte become one, which has the name of what lies in an argument from that.
std::vector<Piece> merged(std::vector<Piece> pieces) {
  llvm::stable_sort(pieces, [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
  std::vector<Piece> wholes;
  for (Piece &piece : pieces) {
    if (wholes.empty() || piece.begin >= wholes.back().end) {
      wholes.push_back(std::move(piece));
      continue;
    }
    Piece &whole = wholes.back();
    if (piece.isArgument || piece.end > whole.end)
      whole.name += ", " + piece.name;
    whole.end = std::max(whole.end, piece.end);
    whole.readOnly &= piece.readOnly;
  }
  return wholes;
}

/// Registers ranges that may overlap: those of arguments, and others that addresses lead to.
void addRanges(llvm::ArrayRef<gluonc_memory_range> arguments,
               llvm::ArrayRef<gluonc_memory_range> others, sim::Memory &memory) {
  auto forEach = [](std::vector<Piece> pieces, auto &&add) {
    for (const Piece &piece : merged(std::move(pieces)))
      add(piece.name, reinterpret_cast<const void *>(piece.begin), piece.end - piece.begin,
          piece.readOnly ? sim::Memory::Access::ReadOnly : sim::Memory::Access::ReadWrite);
  };
  std::vector<Piece> pieces;
  addPieces(arguments, /*areArguments=*/true, pieces);
  if (!others.empty())
    forEach(pieces, [&](auto... part) { memory.addPart(part...); });
  addPieces(others, /*areArguments=*/false, pieces);
  forEach(std::move(pieces), [&](auto... range) { memory.add(range...); });
}

const gluonc_tensor *tensorAt(uint64_t slot) {
  return reinterpret_cast<const gluonc_tensor *>(slot);
}

/// What keeps a caller's tensor from being what the kernel was compiled for; "" if nothing does.
std::string mismatch(const driver::LaunchParameter &parameter, const gluonc_tensor *tensor) {
  if (!tensor)
    return "is null";
  if (tensor->rank != parameter.rank())
    return "has rank " + std::to_string(tensor->rank) + ", not " + std::to_string(parameter.rank());
  if (!tensor->dtype || sema::DType::parse(tensor->dtype) == parameter.dtype)
    return "";
  return std::string("has elements of type ") + tensor->dtype + ", not " +
         parameter.dtype.shortName();
}

gluonc_status checkDescriptor(const gluonc_tensor &tensor, const gluonc_tensor_block &given,
                              gluonc_error **error) {
  std::optional<sema::DType> dtype = sema::DType::parse(tensor.dtype);
  if (!dtype)
    return fail(GLUONC_USAGE_ERROR, std::string("unknown dtype ") + tensor.dtype, error);
  layout::TensorBlock block;
  if (given.rank <= std::size(given.shape))
    block.shape.assign(given.shape, given.shape + given.rank);
  block.layout = {given.swizzle_bytes,   given.element_bits,    given.layout_rank,
                  given.transposed != 0, given.fp4_padded != 0, {}};
  block.elementBits = dtype->byteSize() * 8;
  block.isFloat = dtype->isFloat();
  block.isIm2Col = given.is_im2col != 0;
  std::string why = layout::checkDescriptor(describe(tensor), block);
  return why.empty() ? GLUONC_OK : fail(GLUONC_USAGE_ERROR, std::move(why), error);
}

/// Whether the kernel can work on the tensor at `slot`: GLUONC_OK, or the error that says why not.
gluonc_status checkTensor(const driver::LaunchParameter &parameter, size_t i, uint64_t slot,
                          gluonc_error **error) {
  const gluonc_tensor *tensor = tensorAt(slot);
  auto refuse = [&](const std::string &why) {
    return fail(GLUONC_USAGE_ERROR, "launch argument " + std::to_string(i) + ": " + why, error);
  };
  if (std::string wrong = mismatch(parameter, tensor); !wrong.empty())
    return refuse("the tensor " + wrong + ", which " + parameter.type + " describes");
  if (llvm::Error failure = runtime::check(parameter, describe(*tensor)))
    return refuse(llvm::toString(std::move(failure)));
  return GLUONC_OK;
}

sim::Argument argumentOf(sema::DType dtype, const uint64_t &slot) {
  if (dtype.isPointer())
    return sim::Argument::pointer(reinterpret_cast<const void *>(slot));
  if (dtype.isFloat())
    return sim::Argument::floating(host::decodeElement(dtype, &slot));
  return sim::Argument::integer(static_cast<int64_t>(slot));
}

/// Why no GPU of the target's vendor launches such a grid; "" if one does.
std::string whyNotPossible(const gluonc_executable &executable, runtime::Grid grid) {
  unsigned numCtas = executable.origin.options.numCtas;
  if (executable.target.isNvidia())
    return cuda::Launcher::whyNotPossible(grid, numCtas);
  unsigned threads = executable.compiled.kernel.numWarps * executable.target.warpSize();
  return hip::Launcher::whyNotPossible(grid, {.threads = threads, .ctasPerCluster = numCtas});
}

/// The launch of a simulated executable.
gluonc_status simulate(const gluonc_executable &executable, std::array<uint32_t, 3> grid,
                       const uint64_t *values, const LaunchSettings &settings,
                       gluonc_error **error) {
  // As a GPU would.
  if (std::string problem = whyNotPossible(executable, {grid[0], grid[1], grid[2]});
      !problem.empty())
    return fail(GLUONC_UNAVAILABLE, std::move(problem), error);
  sim::Launch launch;
  launch.grid = grid;
  launch.memory = settings.memory.get();
  llvm::ArrayRef<driver::LaunchParameter> parameters = executable.parameters.visible;
  std::vector<TensorDescription> tensors(parameters.size());
  for (size_t i = 0; i != parameters.size(); ++i) {
    if (!parameters[i].rank()) {
      launch.arguments.push_back(argumentOf(parameters[i].dtype, values[i]));
      continue;
    }
    // As a GPU would.
    if (gluonc_status status = checkTensor(parameters[i], i, values[i], error))
      return status;
    tensors[i] = describe(*tensorAt(values[i]));
    driver::appendSimulated(parameters[i], tensors[i], launch.arguments);
  }
  std::string printed;
  llvm::raw_string_ostream out(printed);
  const EngineState &engine = *executable.engine;
  bool isCancelled = false;
  launch.shouldStop = [&, before = engine.cancellations.load()] {
    AtRest asking;
    return isCancelled = engine.cancellations != before ||
                         (settings.interrupt && settings.interrupt(settings.interruptUser));
  };
  launch.scheduleSeed = settings.scheduleSeed;
  launch.races = settings.races;
  launch.maskedOff = settings.maskedOff;
  launch.unknownReads = settings.unknownReads;
  launch.maxBranches = settings.maxBranches;
  if (settings.output)
    launch.output = &out;
  diag::Collector collector;
  bool fine = executable.simulated->run(launch, collector);
  if (isCancelled)
    return fail(GLUONC_CANCELLED, "the launch was cancelled", error);
  // Before the error: it tells what came before it.
  if (!printed.empty()) {
    AtRest telling;
    settings.output(settings.outputUser, printed.data(), printed.size());
  }
  if (!fine)
    return fail(collector, error);
  passOn(settings, collector);
  return GLUONC_OK;
}

/// The machine's slots of a launch with descriptors, whose own `append` adds.
gluonc_status
expand(const gluonc_executable &executable, const uint64_t *values, runtime::Slots &slots,
       gluonc_error **error,
       llvm::function_ref<llvm::Error(const driver::LaunchParameter &, const TensorDescription &)>
           append) {
  llvm::ArrayRef<driver::LaunchParameter> parameters = executable.parameters.visible;
  for (size_t i = 0; i != parameters.size(); ++i) {
    if (!parameters[i].rank()) {
      slots.push_back(values[i]);
      continue;
    }
    if (gluonc_status status = checkTensor(parameters[i], i, values[i], error))
      return status;
    if (llvm::Error failure = append(parameters[i], describe(*tensorAt(values[i]))))
      return unavailable(std::move(failure), error);
  }
  return GLUONC_OK;
}

/// `maps` holds what some slots point to.
gluonc_status expandForCuda(const gluonc_executable &executable, const cuda::Driver &driver,
                            const uint64_t *values, llvm::SmallVectorImpl<cuda::TensorMap> &maps,
                            runtime::Slots &slots, gluonc_error **error) {
  // Never grows again: slots point into it.
  maps.resize_for_overwrite(executable.parameters.machineDescriptors.size());
  cuda::TensorMap *next = maps.begin();
  return expand(executable, values, slots, error,
                [&](const driver::LaunchParameter &parameter, const TensorDescription &tensor) {
                  return runtime::append(driver, parameter, tensor, next, slots);
                });
}

gluonc_status expandForHip(const gluonc_executable &executable, const uint64_t *values,
                           runtime::Slots &slots, gluonc_error **error) {
  return expand(executable, values, slots, error,
                [&](const driver::LaunchParameter &parameter, const TensorDescription &tensor) {
                  runtime::append(parameter, tensor, slots);
                  return llvm::Error::success();
                });
}

gluonc_status launchMachineCode(const gluonc_executable &executable, const cuda::Launcher &launcher,
                                cuda::Grid grid, void *stream, const uint64_t *values,
                                gluonc_error **error) {
  // As in Triton, an empty grid runs nothing; the driver would call it an error.
  if (!grid.x || !grid.y || !grid.z)
    return GLUONC_OK;
  const cuda::Driver &driver = launcher.device().driver();
  cuda::CUresult result;
  if (!executable.parameters.hasDescriptors) [[likely]]
    result = launcher.launch(grid, static_cast<cuda::CUstream>(stream), values);
  else {
    llvm::SmallVector<cuda::TensorMap, 4> maps;
    runtime::Slots slots;
    gluonc_status status = expandForCuda(executable, driver, values, maps, slots, error);
    if (status != GLUONC_OK)
      return status;
    result = launcher.launch(grid, static_cast<cuda::CUstream>(stream), slots.data());
  }
  if (result == cuda::success) [[likely]]
    return GLUONC_OK;
  std::string call = launcher.describeFailure(result, grid);
  // The driver was initialized, or there would be no launcher.
  if (result == cuda::errorNotInitialized)
    call = "launching the kernel in a process that was forked after CUDA was used, which CUDA "
           "does not support (start processes with the method spawn)";
  return unavailable(driver.fail(result, call), error);
}

gluonc_status launchMachineCode(const gluonc_executable &executable, const hip::Launcher &launcher,
                                hip::Grid grid, void *stream, const uint64_t *values,
                                gluonc_error **error) {
  if (!grid.x || !grid.y || !grid.z)
    return GLUONC_OK;
  runtime::Slots slots;
  if (executable.parameters.hasDescriptors) {
    if (gluonc_status status = expandForHip(executable, values, slots, error))
      return status;
    values = slots.data();
  }
  hip::Result result = launcher.launch(grid, static_cast<hip::Stream>(stream), values);
  if (result == hip::success) [[likely]]
    return GLUONC_OK;
  return unavailable(
      launcher.device().driver().fail(result, launcher.describeFailure(result, grid)), error);
}

} // namespace

gluonc_status gluonc_check_descriptor(const gluonc_tensor *tensor, const gluonc_tensor_block *block,
                                      gluonc_error **error) {
  return guarded(
      error, {{"tensor", tensor}, {"block", block}, {"dtype", tensor ? tensor->dtype : nullptr}},
      [&] { return checkDescriptor(*tensor, *block, error); });
}

/// A launch that goes into a timeline.
static gluonc_status launchRecorded(gluonc_executable &executable, cuda::Grid grid, void *stream,
                                    const uint64_t *values, gluonc_error **error) {
  if (!grid.x || !grid.y || !grid.z)
    return GLUONC_OK;
  auto launch = [&](const cuda::Launcher &launcher) {
    return launchMachineCode(executable, launcher, grid, stream, values, error);
  };
  return guarded(
      error, {},
      [&] {
        return stoppable(*executable.engine, error, [&] {
          return record(executable, grid, static_cast<cuda::CUstream>(stream), launch, error);
        });
      },
      subjectOf(&executable));
}

gluonc_status gluonc_launch(gluonc_executable *executable, unsigned x, unsigned y, unsigned z,
                            void *stream, const uint64_t *values, size_t count,
                            gluonc_error **error) {
  if (!executable || (count && !values)) [[unlikely]]
    return guarded(error, {{"executable", executable}, {"values", values}},
                   [] { return GLUONC_OK; });
  if (count != executable->parameters.visible.size()) [[unlikely]]
    return wrongCount(*executable, count, error);
  if (std::optional<size_t> index = findTooLarge(executable->parameters, values)) [[unlikely]]
    return tooLarge(*executable, *index, values[*index], error);
  if (executable->engine->isRecording.load(std::memory_order_relaxed) && !executable->simulated &&
      executable->target.isNvidia()) [[unlikely]]
    return launchRecorded(*executable, {x, y, z}, stream, values, error);
  const cuda::Launcher *launcher = executable->launcher.load(std::memory_order_acquire);
  if (launcher) [[likely]]
    return launchMachineCode(*executable, *launcher, {x, y, z}, stream, values, error);
  if (const hip::Launcher *hip = executable->hipLauncher.load(std::memory_order_acquire))
    return launchMachineCode(*executable, *hip, {x, y, z}, stream, values, error);
  if (executable->simulated)
    return gluonc_launch_simulated(executable, x, y, z, values, count, nullptr, error);
  gluonc_status status = guarded(error, {}, [&] { return load(executable, std::nullopt, error); });
  if (status != GLUONC_OK)
    return status;
  return gluonc_launch(executable, x, y, z, stream, values, count, error);
}

/// Those of one launch: what `options` (may be null) leaves out is the engine's. Nullopt after a
/// report.
static std::optional<LaunchSettings>
settingsOf(EngineState &engine, const gluonc_launch_options *options, gluonc_error **error) {
  std::optional<gluonc_launch_options> chosen = readSized(options, error);
  if (!chosen)
    return std::nullopt;
  LaunchSettings settings = engine.launchSettings();
  if (chosen->ranges) {
    auto memory = std::make_shared<sim::Memory>();
    addRanges({chosen->ranges, chosen->range_count}, {chosen->reachable, chosen->reachable_count},
              *memory);
    settings.memory = std::move(memory);
  }
  if (chosen->schedule_seed)
    settings.scheduleSeed = *chosen->schedule_seed;
  if (chosen->output) {
    settings.output = chosen->output;
    settings.outputUser = chosen->output_user;
  }
  if (chosen->interrupt) {
    settings.interrupt = chosen->interrupt;
    settings.interruptUser = chosen->interrupt_user;
  }
  if (chosen->warnings) {
    settings.warnings = chosen->warnings;
    settings.warningsUser = chosen->warnings_user;
  }
  return settings;
}

/// As a GPU would refuse it, or its time, or what its PTX gives.
static gluonc_status launchCode(gluonc_executable &executable, std::array<uint32_t, 3> grid,
                                const uint64_t *values, const gluonc_launch_options *options,
                                const LaunchSettings &settings, gluonc_error **error) {
  auto [x, y, z] = grid;
  if (std::string problem = whyNotPossible(executable, {x, y, z}); !problem.empty())
    return fail(GLUONC_UNAVAILABLE, std::move(problem), error);
  for (auto [i, parameter] : llvm::enumerate(executable.parameters.visible))
    if (parameter.rank())
      if (gluonc_status status = checkTensor(parameter, i, values[i], error))
        return status;
  const gluonc_launch_options chosen = options ? *options : gluonc_launch_options{};
  return executable.engine->isPredicting
             ? predict(executable, grid, values, chosen, error)
             : executePtx(executable, grid, values, chosen, settings, error);
}

gluonc_status gluonc_launch_simulated(gluonc_executable *executable, unsigned x, unsigned y,
                                      unsigned z, const uint64_t *values, size_t count,
                                      const gluonc_launch_options *options, gluonc_error **error) {
  const void *someValues = count ? static_cast<const void *>(values) : executable;
  auto launch = [&] {
    if (!executable->simulated)
      return fail(GLUONC_USAGE_ERROR, "this is machine code, and nothing to simulate", error);
    if (count != executable->parameters.visible.size())
      return wrongCount(*executable, count, error);
    if (std::optional<size_t> index = findTooLarge(executable->parameters, values))
      return tooLarge(*executable, *index, values[*index], error);
    std::optional<LaunchSettings> settings = settingsOf(*executable->engine, options, error);
    if (!settings)
      return GLUONC_USAGE_ERROR;
    if (executable->engine->isPredicting ||
        (settings->executesPtx && executable->target.isNvidia()))
      return launchCode(*executable, {x, y, z}, values, options, *settings, error);
    return simulate(*executable, {x, y, z}, values, *settings, error);
  };
  return guarded(error, {{"executable", executable}, {"values", someValues}}, launch,
                 subjectOf(executable));
}

gluonc_status gluonc_launch_on_ranges(gluonc_executable *executable, unsigned x, unsigned y,
                                      unsigned z, const uint64_t *values, size_t count,
                                      const gluonc_memory_range *ranges, size_t range_count,
                                      gluonc_error **error) {
  if (range_count && !ranges)
    return guarded(error, {{"ranges", ranges}}, [] { return GLUONC_OK; });
  static constexpr gluonc_memory_range nothing = {};
  gluonc_launch_options options = {};
  options.size = sizeof options;
  options.ranges = ranges ? ranges : &nothing;
  options.range_count = range_count;
  return gluonc_launch_simulated(executable, x, y, z, values, count, &options, error);
}

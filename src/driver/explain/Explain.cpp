#include "driver/explain/Explain.h"

#include "driver/Disassemble.h"
#include "driver/ExecutedLaunch.h"
#include "driver/Scopes.h"
#include "driver/explain/Facts.h"
#include "driver/predict/LaunchModel.h"
#include "explain/Executions.h"
#include "explain/MachineFlow.h"
#include "explain/WaveCounter.h"
#include "explain/WaveTiming.h"
#include "ir/OpenLayouts.h"
#include "target/amd/Chips.h"
#include "target/amd/Occupancy.h"
#include "target/nvidia/Occupancy.h"

namespace gluonc::driver {

using diag::Kind;

/// Of AMD's chips machine code is executed as soon as there is some.
bool isExplained(const target::Target &target) { return target.hasCodegen(); }

namespace {

/// Passes on what is said, but for registers that spill: a finding says that.
class WithoutSpills : public diag::Sink {
public:
  explicit WithoutSpills(diag::Sink &sink) : sink(sink) {}

protected:
  void handle(diag::Diagnostic diagnostic) override {
    if (diagnostic.kind != Kind::RegisterSpills)
      sink.submit(std::move(diagnostic));
  }

private:
  diag::Sink &sink;
};

} // namespace

static explain::Timing timingOf(const model::Prediction &prediction) {
  explain::Timing timing;
  timing.chip = prediction.chip->name;
  timing.isMeasured = prediction.chip->areMeasured;
  timing.microseconds = prediction.microseconds;
  timing.cycles = prediction.cycles;
  timing.megahertz = prediction.megahertz;
  timing.clusters = prediction.onBusiest;
  timing.resident = prediction.resident;
  timing.sampled = prediction.sampled;
  timing.limit = prediction.limit().str();
  for (unsigned i = 0; i != model::unitCount; ++i)
    timing.busy.push_back({nameOf(model::Unit(i)).str(), prediction.busy[i]});
  for (unsigned i = 0; i != model::spentCount; ++i)
    timing.spent.push_back({nameOf(model::Spent(i)).str(), prediction.spent[i]});
  for (auto *list : {&timing.busy, &timing.spent})
    llvm::stable_sort(*list, [](const auto &a, const auto &b) { return a.second > b.second; });
  return timing;
}

static std::string noFiguresOf(const target::Target &target) {
  return "the performance model has no figures of " + target.name();
}

static explain::Resources resourcesOf(const CompiledKernel &compiled) {
  explain::Resources resources;
  resources.sharedBytes = compiled.kernel.sharedBytes;
  resources.warps = compiled.kernel.numWarps;
  resources.ctasOfCluster = compiled.kernel.numCtas;
  if (const std::optional<codegen::ResourceUsage> &used = compiled.artifact.resources) {
    resources.registers = {used->registers, used->spillStoreBytes, used->spillLoadBytes};
    resources.sharedBytes += used->sharedBytes;
  }
  return resources;
}

/// A program that fails, or prints what nobody can read, leaves the profile as it is.
static void countMachineCode(explain::Profile &profile, const explain::Counts &counts,
                             llvm::StringRef disassembler, const CompiledKernel &compiled,
                             const ExecutedLaunch &executed) {
  llvm::Expected<std::string> text = disassemble(
      disassembler, {"--print-code", "--print-line-info-inline"}, compiled.artifact.bytes);
  if (!text) {
    llvm::consumeError(text.takeError());
    return;
  }
  std::vector<explain::MachineInstruction> instructions = explain::readDisassembly(*text);
  if (instructions.empty())
    return;
  std::vector<double> executions = explain::estimateExecutions(instructions, counts);
  ptx::ParseError error;
  std::unique_ptr<ptx::Module> module = ptx::parse(compiled.assembly.bytes, error);
  std::optional<explain::MachineFlow> flow;
  if (const ptx::Function *kernel = module ? module->kernel(compiled.kernel.name) : nullptr) {
    explain::MachineLaunch launch;
    launch.grid = executed.grid;
    launch.ctasOfCluster = compiled.kernel.numCtas;
    launch.threads = executed.threads(profile.target.warpSize());
    launch.memory = executed.memory;
    launch.constants = constantsOf(profile.target, launch, *kernel, executed.slots);
    launch.tables = explain::tablesOf(compiled.artifact.bytes, compiled.kernel.name);
    flow = explain::followMachineCode(instructions, launch, executions);
    if (flow) {
      executions = flow->executions;
      profile.guessedBranches = flow->guessed;
    }
  }
  explain::addMachineCode(profile, instructions, executions, flow ? &*flow : nullptr);
}

/// The number behind `key:` in the metadata at the end of an assembly; 0 where absent.
static unsigned metadataOf(llvm::StringRef assembly, llvm::StringRef key) {
  llvm::StringRef value = assembly.split(".amdgpu_metadata").second;
  value = value.split(("." + key + ":").str()).second.ltrim();
  unsigned number = 0;
  return value.consumeInteger(10, number) ? 0 : number;
}

/// Executes AMD's machine code and counts. False after a report.
static bool countWaves(explain::Profile &profile, const CompiledKernel &compiled,
                       const KernelArguments &arguments, llvm::raw_ostream *printed,
                       model::Timeline *timeline, const diag::SourceManager &sources,
                       diag::Sink &sink) {
  const target::amd::Chip &chip = *profile.target.amdChip();
  if (auto &registers = profile.resources.registers) {
    registers->accumulators = metadataOf(compiled.assembly.bytes, "agpr_count");
    registers->scalars = metadataOf(compiled.assembly.bytes, "sgpr_count");
  }
  profile.occupancy = target::amd::occupancyOf(
      profile.target, {profile.resources.warps,
                       profile.resources.registers ? profile.resources.registers->count : 0,
                       profile.resources.sharedBytes});
  explain::WaveCounter counter(compiled.artifact.bytes, chip.ldsBanks);
  WaveObservers observers;
  observers.list.push_back(&counter);
  std::unique_ptr<LaunchModel> model;
  if (timeline)
    model = LaunchModel::make(profile.target, compiled, profile.grid, tensorBytes(arguments));
  if (model)
    observers.add(*model->waves());
  if (!executeAmdgcn(compiled, profile.target.warpSize(), arguments, profile.grid, printed,
                     &observers, sink))
    return false;
  if (model)
    if (auto predicted = model->predict(shownClusters))
      timeline->add(*predicted, model->trace(), profile.facts.kernel);
  const explain::Counts counts = counter.take();
  addCounts(profile, counts, sources);
  if (const target::amd::Speeds *speeds = target::amd::speedsOf(profile.target))
    profile.timing = explain::leastTimeOf(counts, *speeds, profile.ctas(), profile.resources.warps);
  else
    profile.whyNoTiming = noFiguresOf(profile.target);
  return true;
}

std::optional<explain::Profile> explainLaunch(Compiler &compiler, const KernelSource &source,
                                              CodeOptions code, const KernelArguments &arguments,
                                              Grid grid, llvm::raw_ostream *printed,
                                              model::Timeline *timeline, diag::Sink &sink,
                                              llvm::StringRef disassembler) {
  const diag::SourceManager &sources = source.program.sources();
  const target::Target &target = source.options.target;
  code.backend.lineInfo = true;
  KernelSource named = source;
  named.options.namesVariables = true;
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.makeIr(named, sink);
  bool hasChosenLayouts = module && choosesLayouts(*module);
  if (module && timeline)
    keepScopes(*module);
  if (!module || !compiler.transform(*module, target, sources, sink))
    return std::nullopt;

  explain::Profile profile;
  profile.target = target;
  profile.grid = grid;
  profile.facts = factsOf(*module, target, arguments, sources);
  profile.facts.hasChosenLayouts = hasChosenLayouts;
  Stage last = code.launchedStage(target);
  WithoutSpills others(sink);
  std::optional<CompiledKernel> compiled =
      compiler.generate(*module, target, last, code, sources, others);
  if (!compiled)
    return std::nullopt;
  profile.resources = resourcesOf(*compiled);
  if (profile.isAmd())
    return countWaves(profile, *compiled, arguments, printed, timeline, sources, sink)
               ? std::optional(std::move(profile))
               : std::nullopt;
  profile.occupancy = target::nvidia::occupancyOf(
      target, {profile.resources.warps,
               profile.resources.registers ? profile.resources.registers->count : 0,
               profile.resources.sharedBytes});

  explain::Counter counter;
  Observers observers;
  observers.list.push_back(&counter);
  std::unique_ptr<LaunchModel> model =
      LaunchModel::make(target, *compiled, grid, tensorBytes(arguments));
  if (model)
    observers.add(*model);
  ExecutedRun how = {.printed = printed, .observer = &observers};
  ExecutedLaunch executed(*compiled, arguments, grid);
  if (!executePtx(*compiled, target.warpSize(), executed, how, sink))
    return std::nullopt;
  const explain::Counts counts = counter.take();
  addCounts(profile, counts, sources);
  if (!disassembler.empty() && compiled->artifact.kind == "cubin")
    countMachineCode(profile, counts, disassembler, *compiled, executed);
  if (!model) {
    profile.whyNoTiming = noFiguresOf(target);
    return profile;
  }
  std::optional<model::Predicted> predicted = model->predict(timeline ? shownClusters : 0);
  if (!predicted) {
    profile.whyNoTiming = "a program executes more instructions than the performance model keeps";
    return profile;
  }
  profile.timing = timingOf(predicted->prediction);
  if (timeline)
    timeline->add(*predicted, model->trace(), profile.facts.kernel);
  return profile;
}

} // namespace gluonc::driver

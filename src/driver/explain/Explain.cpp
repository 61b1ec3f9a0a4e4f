#include "driver/explain/Explain.h"

#include "driver/Disassemble.h"
#include "driver/explain/Facts.h"
#include "driver/predict/LaunchModel.h"
#include "explain/MachineCode.h"
#include "ir/OpenLayouts.h"

namespace gluonc::driver {

using diag::Kind;

bool isExplained(const target::Target &target) { return target.isNvidia() && target.hasCodegen(); }

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
static void countMachineCode(explain::Profile &profile, llvm::StringRef disassembler,
                             llvm::StringRef cubin) {
  llvm::Expected<std::string> text =
      disassemble(disassembler, {"--print-code", "--print-line-info"}, cubin);
  if (!text) {
    llvm::consumeError(text.takeError());
    return;
  }
  std::vector<explain::MachineInstruction> instructions = explain::readDisassembly(*text);
  if (!instructions.empty())
    explain::addMachineCode(profile, instructions);
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
  if (!runOnPtx(*compiled, target.warpSize(), arguments, grid, how, sink))
    return std::nullopt;
  addCounts(profile, counter.take(), sources);
  if (!disassembler.empty() && compiled->artifact.kind == "cubin")
    countMachineCode(profile, disassembler, compiled->artifact.bytes);
  if (!model)
    return profile;
  model::Predicted predicted = model->predict(timeline ? shownClusters : 0);
  profile.timing = timingOf(predicted.prediction);
  if (timeline)
    timeline->add(predicted, model->trace(), profile.facts.kernel);
  return profile;
}

} // namespace gluonc::driver

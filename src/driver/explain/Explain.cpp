#include "driver/explain/Explain.h"

#include "driver/explain/Facts.h"
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

std::optional<explain::Profile> explainLaunch(Compiler &compiler, const KernelSource &source,
                                              CodeOptions code, const KernelArguments &arguments,
                                              Grid grid, llvm::raw_ostream *printed,
                                              diag::Sink &sink) {
  const diag::SourceManager &sources = source.program.sources();
  const target::Target &target = source.options.target;
  code.backend.lineInfo = true;
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.makeIr(source, sink);
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

  CompiledKernel assembly = {
      compiled->kernel, last == Stage::Assembly ? compiled->artifact : compiled->assembly, {}};
  explain::Counter counter;
  ExecutedRun how = {.printed = printed, .observer = &counter};
  if (!runOnPtx(assembly, target.warpSize(), arguments, grid, how, sink))
    return std::nullopt;
  addCounts(profile, counter.take(), sources);
  return profile;
}

} // namespace gluonc::driver

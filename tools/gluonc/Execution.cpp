#include "Execution.h"
#include "driver/IrSignature.h"
#include "driver/KernelCache.h"
#include "driver/KernelOptions.h"
#include "driver/Scopes.h"
#include "driver/Stamped.h"
#include "driver/UserLibraries.h"
#include "model/Timeline.h"

#include "llvm/Support/Format.h"

namespace gluonc::tool {

using diag::Kind;

/// With --time: of which the time is the median.
static constexpr unsigned timedLaunches = 20;

bool Execution::choose(std::string &problem) {
  const Word *wanted = session.line.find("--device");
  bool traces = session.line.has("--trace");
  const bool isMeasured = traces && wanted && llvm::StringRef(wanted->text).starts_with("cuda");
  if (traces && wanted && !isMeasured && wanted->text != "ptx" && wanted->text != "amdgcn") {
    problem = "--trace goes with --device ptx, amdgcn or cuda";
    return false;
  }
  const Word *chip = session.line.find("--target");
  const bool isAmd = wanted ? wanted->text == "amdgcn"
                            : traces && chip && llvm::StringRef(chip->text).starts_with("hip:");
  if (isAmd)
    executed = Executed::Amdgcn;
  else if ((traces && !isMeasured) || (wanted && wanted->text == "ptx"))
    executed = Executed::Ptx;
  if (executed != Executed::Nothing || (wanted && wanted->text == "cpu"))
    return chooseTarget(problem);
  if (!wanted)
    return chooseFirstGpu() || chooseTarget(problem);
  std::optional<GpuName> name = GpuName::parse(wanted->text);
  if (!name) {
    problem = "--device takes cpu, ptx, amdgcn, cuda, cuda:N, hip or hip:N";
    return false;
  }
  llvm::Error error = open(*name);
  if (!error)
    return true;
  session.sink.report(Kind::DeviceMissing, wanted->span, llvm::toString(std::move(error))).end();
  return false;
}

bool Execution::chooseFirstGpu() {
  const Word *word = session.line.find("--target");
  std::optional<target::Target> named = target::Target::parse(word ? word->text : "");
  for (target::Vendor vendor : {target::Vendor::Nvidia, target::Vendor::Amd}) {
    if (named && named->vendor() != vendor)
      continue;
    llvm::Error error = open({vendor, 0});
    if (!error)
      return true;
    llvm::consumeError(std::move(error));
  }
  return false;
}

llvm::Error Execution::open(GpuName name) {
  llvm::Expected<Gpu> opened = Gpu::open(name);
  if (!opened)
    return opened.takeError();
  gpu = std::move(*opened);
  options.target = gpu->target;
  return llvm::Error::success();
}

/// What the CPU pretends to be. False after a report, or with a usage problem.
bool Execution::chooseTarget(std::string &problem) {
  bool isAmd = executed == Executed::Amdgcn;
  options.target = *target::Target::parse(isAmd ? "hip:gfx942" : "cuda:90a");
  if (const Word *word = session.line.find("--target")) {
    std::optional<target::Target> target = driver::parseTarget(*word, session.sink);
    if (!target)
      return false;
    options.target = *target;
  }
  if (executed == Executed::Nothing || options.target.isNvidia() != isAmd)
    return true;
  problem = std::string("--device ") + (isAmd ? "amdgcn" : "ptx") + " executes no code for " +
            options.target.name();
  return false;
}

std::string Execution::deviceText() const {
  if (gpu)
    return gpu->text();
  std::string_view what = executed == Executed::Ptx      ? "PTX of "
                          : executed == Executed::Amdgcn ? "machine code of "
                                                         : "simulator, as ";
  return "cpu (" + std::string(what) + options.target.name() + ")";
}

/// Takes the IR that `--ttgir` names in place of what the function says. False after a report.
bool Execution::readIr(driver::Compiler &compiler, const driver::KernelArguments &arguments,
                       driver::KernelSource &source) {
  const Word &path = *session.line.find("--ttgir");
  std::optional<std::string> text = session.readFile(path);
  if (!text)
    return false;
  source.ir = session.sources.add(path.text, std::move(*text));
  // Read here for the signature, and again by the compilation.
  mlir::OwningOpRef<mlir::ModuleOp> module =
      compiler.parseIr(*source.ir, session.sources, session.sink);
  if (!module || !driver::takesArguments(*module, arguments, session.sink))
    return false;
  std::optional<driver::IrSignature> signature =
      driver::readSignature(*module, session.sources, session.sink);
  if (!signature)
    return false;
  options.numWarps = signature->options.numWarps;
  options.numCtas = signature->options.numCtas;
  source.options = options;
  return true;
}

std::optional<driver::RunTime> Execution::launch(sema::Program &program,
                                                 const sema::Function &kernel,
                                                 const driver::KernelArguments &bound,
                                                 driver::Grid grid, Timings *timings) {
  driver::Compiler compiler;
  driver::KernelArguments arguments = bound;
  if (!driver::describeOn(arguments, options.target, options.numCtas, session.sink))
    return std::nullopt;
  driver::KernelSource source = {program, &kernel, arguments.specs, options};
  if (session.line.has("--ttgir") && !readIr(compiler, arguments, source))
    return std::nullopt;
  return gpu || executed != Executed::Nothing
             ? launchCode(compiler, source, arguments, grid, timings)
             : simulate(compiler, source, arguments, grid, timings);
}

/// On a GPU, or by executing what one would.
std::optional<driver::RunTime> Execution::launchCode(driver::Compiler &compiler,
                                                     const driver::KernelSource &source,
                                                     const driver::KernelArguments &arguments,
                                                     driver::Grid grid, Timings *timings) {
  std::optional<driver::Cache> cache = session.openCache();
  if (!cache)
    return std::nullopt;
  driver::CodeOptions code = session.codeOptions();
  if (!session.readLibraries(code.backend))
    return std::nullopt;
  const Word *trace = session.line.find("--trace");
  if (trace && !gpu && !session.canBeTraced(options.target, *trace))
    return std::nullopt;
  // A timeline has lines, and how many CTAs are resident depends on registers.
  code.backend.lineInfo |= trace != nullptr;
  driver::Stage last = executed == Executed::Ptx && !trace ? driver::Stage::Assembly
                                                           : code.launchedStage(options.target);
  mlir::OwningOpRef<mlir::ModuleOp> ir = compiler.makeIr(source, session.sink, timings);
  if (!ir)
    return std::nullopt;
  if (executed == Executed::Amdgcn && session.line.has("--hsaco"))
    return executeCodeObject(*ir, arguments, grid);
  if (trace && !gpu)
    driver::keepScopes(*ir);
  driver::KernelRequest request = {*ir, options.target, code, last};
  std::optional<driver::CompiledKernel> compiled =
      driver::compileCached(compiler, *cache, request, driver::cacheKey(request),
                            driver::label(source), session.sources, session.sink, timings);
  if (!compiled)
    return std::nullopt;
  if (executed == Executed::Ptx)
    return executePtx(*compiled, arguments, grid);
  if (executed == Executed::Amdgcn)
    return executeWaves(*compiled, arguments, grid);
  if (trace)
    return measureTimeline(compiler, *cache, source, *compiled, code, arguments, grid, *trace);
  unsigned launches = session.line.has("--time") ? timedLaunches : 0;
  if (gpu->hip)
    return driver::runOnHip(gpu->hip, *compiled, options.target.warpSize(), arguments, grid,
                            launches, session.sink);
  return driver::runOnCuda(gpu->cuda, *compiled, options.target.warpSize(), arguments, grid,
                           launches, session.sink);
}

/// `source` with timestamps; `kernel` is what it gave without. Nullopt after a report.
std::optional<driver::StampedKernel> Execution::stamp(driver::Compiler &compiler,
                                                      const driver::Cache &cache,
                                                      const driver::KernelSource &source,
                                                      const driver::CompiledKernel &kernel,
                                                      const driver::CodeOptions &code) {
  const driver::Stage last = code.launchedStage(options.target);
  mlir::OwningOpRef<mlir::ModuleOp> ir = compiler.makeIr(source, session.sink);
  if (!ir)
    return std::nullopt;
  std::optional<driver::CompiledKernel> named;
  if (driver::keepScopes(*ir)) {
    driver::KernelRequest request = {*ir, options.target, code, last};
    named = driver::compileCached(compiler, cache, request, driver::cacheKey(request),
                                  driver::label(source), session.sources, session.sink);
    if (!named || !(ir = compiler.makeIr(source, session.sink)))
      return std::nullopt;
    driver::keepScopes(*ir);
  }
  driver::KernelRequest request = {*ir, options.target, code, last};
  return driver::stamp(compiler, named ? *named : kernel, request, session.sources, session.sink);
}

/// Writes what the kernel's warps recorded on the GPU, of code with timestamps.
std::optional<driver::RunTime> Execution::measureTimeline(
    driver::Compiler &compiler, const driver::Cache &cache, const driver::KernelSource &source,
    const driver::CompiledKernel &kernel, const driver::CodeOptions &code,
    const driver::KernelArguments &arguments, driver::Grid grid, const Word &path) {
  std::optional<driver::StampedKernel> stamped = stamp(compiler, cache, source, kernel, code);
  if (!stamped)
    return std::nullopt;
  driver::StampedRun recorded = {*stamped};
  std::optional<driver::RunTime> time =
      driver::runOnCuda(gpu->cuda, kernel, options.target.warpSize(), arguments, grid,
                        timedLaunches, session.sink, &recorded);
  if (!time)
    return std::nullopt;
  const model::MeasuredLaunch launch =
      model::readRecords(stamped->timed, recorded.records, stamped->partitions);
  const double plain = time->milliseconds * 1e3, taken = recorded.milliseconds * 1e3;
  llvm::outs() << llvm::format("%.2f us, with timestamps %.2f us (%+.1f %%)\n", plain, taken,
                               (taken / plain - 1) * 100);
  if (launch.full)
    llvm::outs() << launch.full << " warps had more to record than there is room for\n";
  if (stamped->timed.leftOut)
    llvm::outs() << stamped->timed.leftOut
                 << " places have no timestamps: the kernel has too many\n";
  model::Timeline timeline;
  timeline.add(launch, stamped->timed, stamped->partitions, kernel.kernel.name, gpu->text(), taken,
               plain);
  session.writeFile(path, timeline.file(path.text));
  return time;
}

/// Executes the code object that `--hsaco` names, which has the kernel's name and parameters. How
/// much dynamic LDS it wants is said nowhere in it: it gets all there is.
std::optional<driver::RunTime>
Execution::executeCodeObject(mlir::ModuleOp ir, const driver::KernelArguments &arguments,
                             driver::Grid grid) {
  std::optional<std::string> bytes = session.readFile(*session.line.find("--hsaco"));
  if (!bytes)
    return std::nullopt;
  driver::CompiledKernel kernel;
  kernel.kernel = {.name = driver::kernelNameOf(ir),
                   .numWarps = options.numWarps,
                   .numCtas = options.numCtas,
                   .sharedBytes = options.target.maxSharedBytes()};
  kernel.artifact.bytes = std::move(*bytes);
  return driver::runOnAmdgcn(kernel, options.target.warpSize(), arguments, grid, how.printed,
                             session.sink);
}

void Execution::writeTimeline(driver::LaunchModel &model, llvm::StringRef kernel,
                              const Word &path) {
  std::optional<model::Predicted> predicted =
      driver::predictExecuted(model, driver::shownClusters, session.sink);
  if (!predicted)
    return;
  const model::Prediction &prediction = predicted->prediction;
  llvm::outs() << llvm::format("predicted %.2f us on ", prediction.microseconds)
               << prediction.chip->name << " (a model); limit: " << prediction.limit() << '\n';
  model::Timeline timeline;
  timeline.add(*predicted, model.trace(), kernel);
  session.writeFile(path, timeline.file(path.text));
}

std::optional<driver::RunTime> Execution::executeWaves(const driver::CompiledKernel &kernel,
                                                       const driver::KernelArguments &arguments,
                                                       driver::Grid grid) {
  const Word *trace = session.line.find("--trace");
  std::unique_ptr<driver::LaunchModel> model;
  driver::WaveObservers observers;
  if (trace) {
    model = driver::LaunchModel::make(options.target, kernel, grid, driver::tensorBytes(arguments));
    observers.add(*model->waves());
  }
  std::optional<driver::RunTime> time =
      driver::executeAmdgcn(kernel, options.target.warpSize(), arguments, grid, how.printed,
                            trace ? &observers : nullptr, session.sink);
  if (time && trace)
    writeTimeline(*model, kernel.kernel.name, *trace);
  return time;
}

std::optional<driver::RunTime> Execution::executePtx(const driver::CompiledKernel &kernel,
                                                     const driver::KernelArguments &arguments,
                                                     driver::Grid grid) {
  std::string state;
  llvm::raw_string_ostream stream(state);
  const Word *path = session.line.find("--state");
  driver::ExecutedRun executedHow = {how.printed, path ? &stream : nullptr};
  const Word *trace = session.line.find("--trace");
  std::unique_ptr<driver::LaunchModel> model;
  driver::Observers observers;
  if (trace) {
    model = driver::LaunchModel::make(options.target, kernel, grid, driver::tensorBytes(arguments));
    observers.add(*model);
    executedHow.observer = &observers;
  }
  std::optional<driver::RunTime> time = driver::runOnPtx(
      kernel, options.target.warpSize(), arguments, grid, executedHow, session.sink);
  if (time && trace)
    writeTimeline(*model, kernel.kernel.name, *trace);
  if (!state.empty())
    session.writeFile(*path, state);
  return time;
}

std::optional<driver::RunTime> Execution::simulate(driver::Compiler &compiler,
                                                   const driver::KernelSource &source,
                                                   const driver::KernelArguments &arguments,
                                                   driver::Grid grid, Timings *timings) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      driver::makeSimulatedIr(compiler, source, session.sources, session.sink, timings);
  if (!module)
    return std::nullopt;
  if (seesIr)
    seesIr(*module);
  driver::CodeOptions code = session.codeOptions();
  if (!session.readLibraries(code.backend))
    return std::nullopt;
  std::optional<bitcode::Libraries> libraries =
      driver::librariesOf(code.backend, options.target, session.sink);
  if (!libraries && !code.backend.libraries.empty())
    return std::nullopt;
  return driver::runOnCpu(*module, arguments, grid, session.sources, how, session.sink,
                          libraries ? &*libraries : nullptr);
}

} // namespace gluonc::tool

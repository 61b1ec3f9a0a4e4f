//===- Api.cpp - The C API over the driver ----------------------------------===//
//
// A handle is a struct around shared state, so that handles may be destroyed in any
// order. The engine's lock covers everything that touches MLIR or a Program; a
// launch takes no lock.
//
//===----------------------------------------------------------------------===//
#include "gluonc/gluonc.h"

#include "diag/Render.h"
#include "driver/FindPtxas.h"
#include "driver/KernelCache.h"
#include "driver/Run.h"
#include "driver/Status.h"
#include "driver/host/NumberFormat.h"
#include "sema/Evaluator.h"
#include "sema/Language.h"
#include "sema/ops/Ops.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <cstdlib>
#include <mutex>

using namespace gluonc;
using driver::Outcome;

struct gluonc_error {
  std::string text, json;
};

namespace {

struct EngineState {
  std::mutex lock;
  std::string ptxas;
  driver::Cache cache{""};
  /// Made when the first kernel is compiled.
  std::unique_ptr<driver::Compiler> compiler;
  sim::Memory memory;
  std::shared_ptr<const cuda::Driver> driver;
  std::vector<std::string> targetNames;

  driver::Compiler &getCompiler() {
    if (!compiler)
      compiler = std::make_unique<driver::Compiler>();
    return *compiler;
  }
  llvm::Expected<std::shared_ptr<const cuda::Device>> openDevice(int ordinal) {
    if (!driver) {
      llvm::Expected<std::shared_ptr<const cuda::Driver>> opened = cuda::Driver::open();
      if (!opened)
        return opened.takeError();
      driver = *opened;
    }
    return cuda::Device::open(driver, ordinal);
  }
};

struct ModuleState {
  std::shared_ptr<EngineState> engine;
  diag::SourceManager sources;
  sema::Program program{sources};
  sema::Module *module = nullptr;
};

struct Parameter {
  sema::DType dtype;
  std::string type;
};

} // namespace

struct gluonc_engine {
  std::shared_ptr<EngineState> state;
};
struct gluonc_module {
  std::shared_ptr<ModuleState> state;
};
struct gluonc_kernel {
  std::shared_ptr<ModuleState> module;
  std::shared_ptr<const sema::Function> function;
};
struct gluonc_specialization {
  std::shared_ptr<ModuleState> module;
  std::shared_ptr<const sema::Function> function;
  std::vector<sema::ArgSpec> arguments;
  sema::Options options;
  driver::CodeOptions code;
};
struct gluonc_executable {
  std::shared_ptr<EngineState> engine;
  /// Keeps the source alive for the simulator's reports.
  std::shared_ptr<ModuleState> module;
  target::Target target;
  /// What it was made from, with `target` in the options.
  gluonc_specialization origin;
  driver::CompiledKernel compiled;
  std::string ttgir;
  /// Made when asked for, under the engine's lock.
  llvm::StringMap<std::string> madeCode;
  std::vector<Parameter> parameters;
  std::unique_ptr<sim::Executable> simulated;
  /// Set once under `loading`; read without a lock afterwards.
  std::mutex loading;
  std::unique_ptr<cuda::Launcher> loaded;
  std::atomic<const cuda::Launcher *> launcher = nullptr;
};

namespace {

gluonc_status fail(gluonc_status status, std::string text, gluonc_error **error) {
  if (error) {
    std::string json;
    llvm::raw_string_ostream(json) << llvm::json::Value(llvm::json::Object{{"message", text}});
    *error = new gluonc_error{std::move(text), std::move(json)};
  }
  return status;
}

gluonc_status unavailable(llvm::Error failure, gluonc_error **error) {
  return fail(GLUONC_UNAVAILABLE, llvm::toString(std::move(failure)), error);
}

/// The diagnostics of one call as an error.
gluonc_status fail(const diag::Collector &collector, gluonc_error **error) {
  Outcome outcome = Outcome::Fine;
  std::string text, json;
  llvm::raw_string_ostream textOut(text), jsonOut(json);
  for (const diag::Diagnostic &diagnostic : collector.diagnostics) {
    outcome = driver::combine(outcome, diagnostic);
    diag::renderText(diagnostic, textOut);
    diag::renderJson(diagnostic, jsonOut);
  }
  if (error)
    *error = new gluonc_error{std::move(text), std::move(json)};
  return static_cast<gluonc_status>(outcome == Outcome::Fine ? Outcome::InputError : outcome);
}

std::optional<target::Target> parseTarget(const char *name, diag::Sink &sink) {
  std::optional<target::Target> target = target::Target::parse(name ? name : "");
  if (!target)
    sink.report(diag::Kind::UnknownTarget, {}, name ? name : "").end();
  return target;
}

void addParameters(const std::vector<sema::ArgSpec> &arguments, std::vector<Parameter> &out) {
  std::vector<const sema::ArgSpec *> flat;
  for (const sema::ArgSpec &argument : arguments)
    argument.flatten(flat);
  for (const sema::ArgSpec *argument : flat)
    out.push_back({argument->dtype, argument->dtype.shortName()});
}

/// Argument `i` of a specialization; nullopt after a report.
std::optional<sema::ArgSpec> readArgument(const gluonc_kernel &kernel,
                                          const gluonc_argument &argument, size_t i,
                                          diag::Sink &sink) {
  std::string name =
      i < kernel.function->parameters.size() ? kernel.function->parameters[i].name.str() : "*";
  switch (argument.kind) {
  case GLUONC_ARGUMENT_TYPE:
    if (std::optional<sema::ArgSpec> spec = sema::ArgSpec::parse(argument.text))
      return spec;
    sink.report(diag::Kind::BadArgumentValue, {}, name,
                "`" + std::string(argument.text) + "` is no type of an argument")
        .end();
    return std::nullopt;
  case GLUONC_ARGUMENT_INTEGER:
    return sema::ArgSpec::compileTime(sema::Value::integer(argument.integer));
  case GLUONC_ARGUMENT_REAL:
    return sema::ArgSpec::compileTime(sema::Value::real(argument.real));
  case GLUONC_ARGUMENT_BOOLEAN:
    return sema::ArgSpec::compileTime(sema::Value::boolean(argument.integer != 0));
  case GLUONC_ARGUMENT_NONE:
    return sema::ArgSpec::none();
  case GLUONC_ARGUMENT_EXPRESSION: {
    ModuleState &module = *kernel.module;
    std::optional<sema::Value> value =
        sema::evaluate(module.program, *module.module, argument.text, {}, "<" + name + ">", sink);
    if (!value)
      return std::nullopt;
    return sema::ArgSpec::compileTime(*value);
  }
  }
  sink.report(diag::Kind::BadArgumentValue, {}, name, "unknown kind of argument").end();
  return std::nullopt;
}

/// One form of a specialization, from its source. Nullopt after a report.
std::optional<std::string> makeCode(EngineState &engine, const gluonc_specialization &origin,
                                    driver::Stage stage, diag::Sink &sink) {
  driver::Compiler &compiler = engine.getCompiler();
  ModuleState &module = *origin.module;
  mlir::OwningOpRef<mlir::ModuleOp> ir =
      compiler.specialize(module.program, *origin.function, origin.arguments, origin.options, sink);
  const target::Target &target = origin.options.target;
  if (!ir || !compiler.transform(*ir, target, module.sources, sink))
    return std::nullopt;
  if (stage <= driver::Stage::TtgirOpt)
    return driver::printIr(*ir);
  driver::CodeOptions code = origin.code;
  code.ptxas = engine.ptxas;
  std::optional<driver::CompiledKernel> compiled =
      compiler.generate(*ir, target, stage, code, module.sources, sink);
  if (!compiled)
    return std::nullopt;
  return std::move(compiled->output);
}

gluonc_status loadText(gluonc_engine *engine, std::string path, std::string text,
                       gluonc_module **module, gluonc_error **error) {
  auto state = std::make_shared<ModuleState>();
  state->engine = engine->state;
  diag::Collector collector;
  {
    std::lock_guard guard(engine->state->lock);
    state->module = state->program.load(std::move(path), std::move(text), collector);
  }
  if (collector.hasErrors())
    return fail(collector, error);
  *module = new gluonc_module{std::move(state)};
  return GLUONC_OK;
}

gluonc_status wrongCount(const gluonc_executable &executable, size_t count, gluonc_error **error) {
  return fail(GLUONC_USAGE_ERROR,
              "the kernel takes " + std::to_string(executable.parameters.size()) +
                  " launch arguments, not " + std::to_string(count),
              error);
}

/// Registers ranges that may overlap: those that share a byte become one range.
void addRanges(llvm::ArrayRef<gluonc_memory_range> ranges, sim::Memory &memory) {
  struct Piece {
    std::string name;
    uintptr_t begin, end;
    bool readOnly;
  };
  std::vector<Piece> pieces;
  for (const gluonc_memory_range &range : ranges)
    if (range.bytes) {
      auto begin = reinterpret_cast<uintptr_t>(range.base);
      pieces.push_back(
          {range.name ? range.name : "", begin, begin + range.bytes, range.read_only != 0});
    }
  llvm::sort(pieces, [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
  for (size_t i = 0; i != pieces.size();) {
    Piece whole = pieces[i++];
    for (; i != pieces.size() && pieces[i].begin < whole.end; ++i) {
      whole.end = std::max(whole.end, pieces[i].end);
      whole.readOnly &= pieces[i].readOnly;
      whole.name += ", " + pieces[i].name;
    }
    memory.add(whole.name, reinterpret_cast<const void *>(whole.begin), whole.end - whole.begin,
               whole.readOnly ? sim::Memory::Access::ReadOnly : sim::Memory::Access::ReadWrite);
  }
}

/// The launch of a simulated executable.
gluonc_status simulate(const gluonc_executable &executable, std::array<uint32_t, 3> grid,
                       const uint64_t *values, const sim::Memory &memory, gluonc_error **error) {
  sim::Launch launch;
  launch.grid = grid;
  launch.memory = &memory;
  for (size_t i = 0; i != executable.parameters.size(); ++i) {
    sema::DType dtype = executable.parameters[i].dtype;
    if (dtype.isPointer())
      launch.arguments.push_back(sim::Argument::pointer(reinterpret_cast<const void *>(values[i])));
    else if (dtype.isFloat())
      launch.arguments.push_back(sim::Argument::floating(driver::decodeElement(dtype, values + i)));
    else
      launch.arguments.push_back(sim::Argument::integer(static_cast<int64_t>(values[i])));
  }
  diag::Collector collector;
  if (!executable.simulated->run(launch, collector))
    return fail(collector, error);
  return GLUONC_OK;
}

} // namespace

const char *gluonc_version(void) { return GLUONC_VERSION; }

const char *gluonc_error_text(const gluonc_error *error) { return error->text.c_str(); }
const char *gluonc_error_json(const gluonc_error *error) { return error->json.c_str(); }
void gluonc_error_destroy(gluonc_error *error) { delete error; }

gluonc_status gluonc_engine_create(const gluonc_engine_options *options, gluonc_engine **engine,
                                   gluonc_error **) {
  auto state = std::make_shared<EngineState>();
  if (options && options->ptxas)
    state->ptxas = options->ptxas;
  if (options && options->cache_directory)
    state->cache = driver::Cache(options->cache_directory);
  *engine = new gluonc_engine{std::move(state)};
  return GLUONC_OK;
}

void gluonc_engine_destroy(gluonc_engine *engine) { delete engine; }

const char *gluonc_find_ptxas(void) {
  auto variable = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  static const std::string found = [&] {
    driver::PtxasPlaces places;
    places.explicitPath = variable("GLUONC_PTXAS");
    places.path = variable("PATH");
    places.cudaHome = variable("CUDA_HOME");
    for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
      if (std::string prefix = variable(name); !prefix.empty())
        places.pythonPrefixes.push_back(prefix);
    return driver::findPtxas(places);
  }();
  return found.c_str();
}

int gluonc_engine_cuda_device_count(gluonc_engine *engine) {
  std::lock_guard guard(engine->state->lock);
  std::shared_ptr<const cuda::Driver> driver = engine->state->driver;
  if (!driver) {
    llvm::Expected<std::shared_ptr<const cuda::Driver>> opened = cuda::Driver::open();
    if (!opened) {
      llvm::consumeError(opened.takeError());
      return 0;
    }
    driver = engine->state->driver = *opened;
  }
  llvm::Expected<int> count = cuda::Device::count(*driver);
  if (count)
    return *count;
  llvm::consumeError(count.takeError());
  return 0;
}

gluonc_status gluonc_engine_cuda_target(gluonc_engine *engine, int device, const char **target,
                                        gluonc_error **error) {
  std::lock_guard guard(engine->state->lock);
  llvm::Expected<std::shared_ptr<const cuda::Device>> opened = engine->state->openDevice(device);
  if (!opened)
    return unavailable(opened.takeError(), error);
  std::optional<target::Target> found = target::Target::cuda((*opened)->computeCapability());
  if (!found)
    return fail(GLUONC_UNAVAILABLE,
                "no code generator for " + (*opened)->name() + ", compute capability " +
                    std::to_string((*opened)->computeCapability()),
                error);
  // Kept by the engine; reserved so that earlier pointers stay good.
  std::vector<std::string> &names = engine->state->targetNames;
  names.reserve(64);
  std::string name = found->name();
  auto at = llvm::find(names, name);
  if (at == names.end())
    at = names.insert(names.end(), std::move(name));
  *target = at->c_str();
  return GLUONC_OK;
}

gluonc_status gluonc_engine_add_memory(gluonc_engine *engine, const char *name, const void *base,
                                       size_t bytes, gluonc_error **error) {
  std::lock_guard guard(engine->state->lock);
  if (engine->state->memory.add(name, base, bytes))
    return GLUONC_OK;
  return fail(GLUONC_USAGE_ERROR,
              "`" + std::string(name) + "` overlaps memory that was added before", error);
}

void gluonc_engine_remove_memory(gluonc_engine *engine, const void *base) {
  std::lock_guard guard(engine->state->lock);
  engine->state->memory.remove(base);
}

gluonc_status gluonc_engine_load(gluonc_engine *engine, const char *path, gluonc_module **module,
                                 gluonc_error **error) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file) {
    diag::Collector collector;
    collector.report(diag::Kind::UnreadableFile, {}, path, file.getError().message()).end();
    return fail(collector, error);
  }
  return loadText(engine, path, (*file)->getBuffer().str(), module, error);
}

gluonc_status gluonc_engine_load_text(gluonc_engine *engine, const char *path, const char *text,
                                      size_t size, gluonc_module **module, gluonc_error **error) {
  return loadText(engine, path, std::string(text, size), module, error);
}

void gluonc_module_destroy(gluonc_module *module) { delete module; }

gluonc_status gluonc_module_kernel(gluonc_module *module, const char *name, gluonc_kernel **kernel,
                                   gluonc_error **error) {
  ModuleState &state = *module->state;
  std::lock_guard guard(state.engine->lock);
  diag::Collector collector;
  std::shared_ptr<const sema::Function> function =
      state.program.kernel(*state.module, name, collector);
  if (!function)
    return fail(collector, error);
  *kernel = new gluonc_kernel{module->state, std::move(function)};
  return GLUONC_OK;
}

void gluonc_kernel_destroy(gluonc_kernel *kernel) { delete kernel; }

gluonc_status gluonc_engine_evaluate(gluonc_engine *engine, const char *expression,
                                     const char **text, gluonc_error **error) {
  std::lock_guard guard(engine->state->lock);
  diag::SourceManager sources;
  sema::Program program(sources);
  diag::Collector collector;
  sema::Module *module = program.load("<expression>", "", collector);
  std::optional<sema::Value> value =
      sema::evaluate(program, *module, expression, {}, "<expression>", collector);
  if (!value)
    return fail(collector, error);
  thread_local std::string printed;
  printed = value->repr();
  *text = printed.c_str();
  return GLUONC_OK;
}

const char *gluonc_language_names(void) {
  static const std::string names = [] {
    std::vector<llvm::StringRef> all;
    sema::appendLanguageNames(all);
    sema::appendLayoutNames(all);
    sema::ops::appendBuiltinNames(all);
    llvm::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return llvm::join(all, "\n");
  }();
  return names.c_str();
}

gluonc_status gluonc_kernel_specialize(gluonc_kernel *kernel, const gluonc_argument *arguments,
                                       size_t count, const gluonc_kernel_options *options,
                                       gluonc_specialization **specialization,
                                       gluonc_error **error) {
  std::lock_guard guard(kernel->module->engine->lock);
  auto made = std::make_unique<gluonc_specialization>();
  made->module = kernel->module;
  made->function = kernel->function;
  if (options) {
    made->options.numWarps = options->num_warps;
    made->options.numCtas = options->num_ctas;
    if (options->max_registers)
      made->options.maxnreg = options->max_registers;
    made->options.debug = options->debug;
    made->options.enableFpFusion = made->code.fpFusion = !options->no_fp_fusion;
    made->code.lineInfo = options->line_info;
  }
  if (!llvm::isPowerOf2_32(made->options.numWarps) || made->options.numWarps > 32 ||
      !llvm::isPowerOf2_32(made->options.numCtas) || made->options.numCtas > 16)
    return fail(GLUONC_USAGE_ERROR, "num_warps is 1 to 32 and num_ctas 1 to 16, powers of two",
                error);
  diag::Collector collector;
  for (size_t i = 0; i != count; ++i)
    if (std::optional<sema::ArgSpec> spec = readArgument(*kernel, arguments[i], i, collector))
      made->arguments.push_back(std::move(*spec));
  if (collector.hasErrors())
    return fail(collector, error);
  *specialization = made.release();
  return GLUONC_OK;
}

void gluonc_specialization_destroy(gluonc_specialization *specialization) { delete specialization; }

/// An executable of `specialization` for `target`, still without code; null for an unknown target.
static std::unique_ptr<gluonc_executable>
startExecutable(gluonc_engine *engine, const gluonc_specialization &specialization,
                const char *target, diag::Sink &diags) {
  std::optional<target::Target> chip = parseTarget(target, diags);
  if (!chip)
    return nullptr;
  auto made = std::make_unique<gluonc_executable>();
  made->engine = engine->state;
  made->module = specialization.module;
  made->target = *chip;
  made->origin = specialization;
  made->origin.options.target = *chip;
  return made;
}

gluonc_status gluonc_engine_compile(gluonc_engine *engine, gluonc_specialization *specialization,
                                    const char *target, gluonc_executable **executable,
                                    gluonc_error **error) {
  std::lock_guard guard(engine->state->lock);
  diag::Collector collector;
  std::unique_ptr<gluonc_executable> made =
      startExecutable(engine, *specialization, target, collector);
  if (!made)
    return fail(collector, error);
  const sema::Options &options = made->origin.options;
  driver::CodeOptions code = specialization->code;
  code.ptxas = engine->state->ptxas;
  driver::Stage last = code.ptxas.empty() ? driver::Stage::Ptx : driver::Stage::Cubin;
  std::optional<driver::CompiledKernel> compiled =
      driver::compileCached(engine->state->getCompiler(), engine->state->cache,
                            {specialization->module->program, *specialization->function,
                             specialization->arguments, options, code, last},
                            collector);
  if (!compiled)
    return fail(collector, error);
  made->compiled = std::move(*compiled);
  addParameters(specialization->arguments, made->parameters);
  *executable = made.release();
  return GLUONC_OK;
}

gluonc_status gluonc_engine_simulate(gluonc_engine *engine, gluonc_specialization *specialization,
                                     const char *target, gluonc_executable **executable,
                                     gluonc_error **error) {
  std::lock_guard guard(engine->state->lock);
  diag::Collector collector;
  std::unique_ptr<gluonc_executable> made =
      startExecutable(engine, *specialization, target, collector);
  if (!made)
    return fail(collector, error);
  const sema::Options &options = made->origin.options;
  driver::Compiler &compiler = engine->state->getCompiler();
  const diag::SourceManager &sources = specialization->module->sources;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      compiler.specialize(specialization->module->program, *specialization->function,
                          specialization->arguments, options, collector);
  if (!module || !compiler.transform(*module, made->target, sources, collector))
    return fail(collector, error);
  made->simulated =
      sim::Executable::prepare(*module, driver::kernelNameOf(*module), collector, sources);
  if (!made->simulated)
    return fail(collector, error);
  made->ttgir = driver::printIr(*module);
  addParameters(specialization->arguments, made->parameters);
  *executable = made.release();
  return GLUONC_OK;
}

void gluonc_executable_destroy(gluonc_executable *executable) { delete executable; }

const char *gluonc_executable_code(const gluonc_executable *executable, const char *form,
                                   size_t *size) {
  llvm::StringRef wanted(form);
  bool isCubin = llvm::StringRef(executable->compiled.output)
                     .starts_with("\x7F"
                                  "ELF");
  const std::string *found = nullptr;
  if (wanted == "ttgir")
    found = &executable->ttgir;
  else if (wanted == "ptx")
    found = &executable->compiled.ptx;
  else if (wanted == "cubin" && isCubin)
    found = &executable->compiled.output;
  if (!found || found->empty())
    return nullptr;
  *size = found->size();
  return found->data();
}

gluonc_status gluonc_executable_make_code(gluonc_executable *executable, const char *form,
                                          const char **code, size_t *size, gluonc_error **error) {
  if (const char *found = gluonc_executable_code(executable, form, size)) {
    *code = found;
    return GLUONC_OK;
  }
  std::optional<driver::Stage> stage = driver::parseStage(form);
  if (!stage || *stage < driver::Stage::Ttgir)
    return fail(GLUONC_USAGE_ERROR, "an executable has no form `" + std::string(form) + "`", error);
  EngineState &engine = *executable->engine;
  std::lock_guard guard(engine.lock);
  auto [at, isNew] = executable->madeCode.try_emplace(form);
  if (isNew) {
    diag::Collector collector;
    std::optional<std::string> made = makeCode(engine, executable->origin, *stage, collector);
    if (!made) {
      executable->madeCode.erase(at);
      return fail(collector, error);
    }
    at->second = std::move(*made);
  }
  *code = at->second.data();
  *size = at->second.size();
  return GLUONC_OK;
}

int gluonc_executable_resources(const gluonc_executable *executable, unsigned *registers,
                                unsigned *spilled_bytes) {
  const std::optional<codegen::nvidia::ResourceUsage> &usage = executable->compiled.resources;
  *registers = usage ? usage->registers : 0;
  *spilled_bytes = usage ? usage->spillStoreBytes : 0;
  return usage.has_value();
}

unsigned gluonc_executable_shared_bytes(const gluonc_executable *executable) {
  return executable->compiled.kernel.sharedBytes;
}

size_t gluonc_executable_parameter_count(const gluonc_executable *executable) {
  return executable->parameters.size();
}

const char *gluonc_executable_parameter_type(const gluonc_executable *executable, size_t index) {
  return index < executable->parameters.size() ? executable->parameters[index].type.c_str()
                                               : nullptr;
}

gluonc_status gluonc_executable_load(gluonc_executable *executable, int device,
                                     gluonc_error **error) {
  if (executable->simulated || executable->launcher)
    return GLUONC_OK;
  std::lock_guard guard(executable->loading);
  if (executable->launcher)
    return GLUONC_OK;
  llvm::Expected<std::shared_ptr<const cuda::Device>> opened = [&] {
    std::lock_guard engineGuard(executable->engine->lock);
    return executable->engine->openDevice(device);
  }();
  if (!opened)
    return unavailable(opened.takeError(), error);
  llvm::Expected<std::shared_ptr<const cuda::Module>> module =
      cuda::Module::load(*opened, executable->compiled.output);
  if (!module)
    return unavailable(module.takeError(), error);
  const codegen::KernelInfo &kernel = executable->compiled.kernel;
  cuda::LaunchShape shape;
  shape.threads = kernel.numWarps * executable->target.warpSize();
  shape.ctasPerCluster = kernel.numCtas;
  shape.sharedBytes = kernel.sharedBytes;
  llvm::Expected<cuda::Launcher> launcher = cuda::Launcher::create(
      *module, kernel.name, shape, static_cast<unsigned>(executable->parameters.size()));
  if (!launcher)
    return unavailable(launcher.takeError(), error);
  executable->loaded = std::make_unique<cuda::Launcher>(std::move(*launcher));
  executable->launcher = executable->loaded.get();
  return GLUONC_OK;
}

gluonc_status gluonc_launch(gluonc_executable *executable, unsigned x, unsigned y, unsigned z,
                            void *stream, const uint64_t *values, size_t count,
                            gluonc_error **error) {
  if (count != executable->parameters.size()) [[unlikely]]
    return wrongCount(*executable, count, error);
  const cuda::Launcher *launcher = executable->launcher.load(std::memory_order_acquire);
  if (launcher) [[likely]] {
    if (!x || !y || !z)
      return GLUONC_OK;
    cuda::CUresult result =
        launcher->launch({x, y, z}, static_cast<cuda::CUstream>(stream), values);
    if (result == cuda::success) [[likely]]
      return GLUONC_OK;
    return unavailable(launcher->device().driver().fail(result, "launching the kernel"), error);
  }
  if (executable->simulated)
    return simulate(*executable, {x, y, z}, values, executable->engine->memory, error);
  gluonc_status status = gluonc_executable_load(executable, 0, error);
  if (status != GLUONC_OK)
    return status;
  return gluonc_launch(executable, x, y, z, stream, values, count, error);
}

gluonc_status gluonc_launch_on_ranges(gluonc_executable *executable, unsigned x, unsigned y,
                                      unsigned z, const uint64_t *values, size_t count,
                                      const gluonc_memory_range *ranges, size_t range_count,
                                      gluonc_error **error) {
  if (!executable->simulated)
    return fail(GLUONC_USAGE_ERROR, "ranges are for the simulator; this is machine code", error);
  if (count != executable->parameters.size())
    return wrongCount(*executable, count, error);
  sim::Memory memory;
  addRanges({ranges, range_count}, memory);
  return simulate(*executable, {x, y, z}, values, memory, error);
}

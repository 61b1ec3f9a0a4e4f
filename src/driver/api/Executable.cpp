//===- Executable.cpp - The C API: code for a target ------------------------===//
#include "driver/api/Guard.h"

#include "driver/Run.h"
#include "driver/Scopes.h"
#include "driver/UserLibraries.h"
#include "driver/api/Predict.h"
#include "ir/Dialects.h"
#include "target/Limits.h"

using namespace gluonc;
using namespace gluonc::api;

static std::optional<target::Target> parseTarget(const char *name, diag::Sink &sink) {
  std::optional<target::Target> target = target::Target::parse(name ? name : "");
  if (!target)
    sink.report(diag::Kind::UnknownTarget, {}, name ? name : "").end();
  return target;
}

gluonc_status gluonc_target_get_info(const char *target, gluonc_target_info *info,
                                     gluonc_error **error) {
  return guarded(error, {{"target", target}, {"info", info}}, [&] {
    diag::Collector collector;
    std::optional<target::Target> chip = parseTarget(target, collector);
    if (!chip)
      return fail(collector, error);
    *info = {chip->warpSize(), target::maxThreadsPerCta, chip->maxSharedBytes(),
             chip->maxCtasPerCluster()};
    return GLUONC_OK;
  });
}

/// Transformed IR as users read it, and may edit it: without the places in shared memory, which are
/// found anew when the text is compiled. `module` is of no use afterwards.
static std::string printForUsers(mlir::ModuleOp module) {
  module.walk([](mlir::Operation *op) {
    op->removeAttr(ttg::allocationOffsetAttr);
    op->removeAttr(ttg::allocationSizeAttr);
  });
  return driver::printIr(module);
}

/// Null after a report.
static mlir::OwningOpRef<mlir::ModuleOp>
makeIr(driver::Compiler &compiler, const gluonc_specialization &origin, diag::Sink &sink) {
  EngineLock lock(*origin.module->engine, origin.module);
  return compiler.makeIr(origin.source(), sink);
}

/// One form of a specialization, from its source. Nullopt after a report.
static std::optional<std::string> makeCode(const std::shared_ptr<EngineState> &engine,
                                           const gluonc_specialization &origin, driver::Stage stage,
                                           diag::Sink &sink) {
  CompilerLease compiler(engine);
  ModuleState &module = *origin.module;
  mlir::OwningOpRef<mlir::ModuleOp> ir = makeIr(*compiler, origin, sink);
  const target::Target &target = origin.options.target;
  if (!ir || !compiler->transform(*ir, target, module.sources, sink))
    return std::nullopt;
  if (stage <= driver::Stage::TtgirOpt)
    return printForUsers(*ir);
  driver::CodeOptions code = origin.code;
  code.assembler = engine->ptxas;
  std::optional<driver::CompiledKernel> compiled =
      compiler->generate(*ir, target, stage, code, module.sources, sink);
  if (!compiled)
    return std::nullopt;
  return std::move(compiled->artifact.bytes);
}

/// What machine code is made from for `made`, whose IR is `ir`.
static driver::KernelRequest makeRequest(const gluonc_executable &made, mlir::ModuleOp ir) {
  driver::CodeOptions code = made.origin.code;
  code.assembler = made.engine->ptxas;
  driver::Stage last = code.launchedStage(made.target);
  return {ir, made.target, std::move(code), last};
}

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

/// What a sealed engine says in place of compiling.
static gluonc_status refuse(const gluonc_executable &made, const char *what, gluonc_error **error) {
  return fail(GLUONC_UNAVAILABLE,
              std::string("sealed: ") + what + " for " + driver::label(made.origin.source()) +
                  "\n  key " + made.key + "\nadd it before the engine is sealed",
              error);
}

static gluonc_status compile(gluonc_engine *engine, gluonc_specialization *specialization,
                             const char *target, gluonc_executable **executable,
                             gluonc_error **error) {
  diag::Collector collector;
  std::unique_ptr<gluonc_executable> made =
      startExecutable(engine, *specialization, target, collector);
  if (!made)
    return fail(collector, error);
  EngineState &state = *engine->state;
  CompilerLease compiler(engine->state);
  mlir::OwningOpRef<mlir::ModuleOp> ir = makeIr(*compiler, made->origin, collector);
  if (!ir)
    return fail(collector, error);
  driver::KernelRequest request = makeRequest(*made, *ir);
  driver::KernelKey key = driver::cacheKey(request);
  made->key = key.text;
  std::optional<driver::CompiledKernel> compiled;
  if (!state.isSealed)
    compiled = driver::compileCached(*compiler, state.cache, request, key,
                                     driver::label(made->origin.source()), made->module->sources,
                                     collector);
  else if (!(compiled = driver::findCached(state.cache, request, key)))
    return refuse(*made, "the cache has no machine code", error);
  if (!compiled)
    return fail(collector, error);
  passOn(state.launchSettings(), collector);
  made->compiled = std::move(*compiled);
  made->parameters = driver::launchParameters(
      sema::onTarget(specialization->arguments, made->target, specialization->options.numCtas));
  *executable = made.release();
  return GLUONC_OK;
}

gluonc_status api::machineCode(gluonc_executable &executable, bool isTraced,
                               const driver::CompiledKernel *&kernel, gluonc_error **error) {
  std::lock_guard guard(executable.making);
  std::optional<driver::CompiledKernel> &made = isTraced ? executable.traced : executable.predicted;
  if (!made) {
    diag::Collector collector;
    CompilerLease compiler(executable.engine);
    mlir::OwningOpRef<mlir::ModuleOp> ir = makeIr(*compiler, executable.origin, collector);
    if (!ir)
      return fail(collector, error);
    if (isTraced)
      driver::keepScopes(*ir);
    driver::KernelRequest request = makeRequest(executable, *ir);
    // For timelines.
    request.code.backend.lineInfo = true;
    made = driver::compileCached(
        *compiler, executable.engine->cache, request, driver::cacheKey(request),
        driver::label(executable.origin.source()), executable.module->sources, collector);
    if (!made)
      return fail(collector, error);
  }
  kernel = &*made;
  return GLUONC_OK;
}

gluonc_status api::stampedCode(gluonc_executable &executable,
                               std::optional<driver::StampedKernel> &stamped,
                               gluonc_error **error) {
  const driver::CompiledKernel *plain = nullptr;
  if (gluonc_status status = machineCode(executable, /*isTraced=*/true, plain, error))
    return status;
  diag::Collector collector;
  CompilerLease compiler(executable.engine);
  mlir::OwningOpRef<mlir::ModuleOp> ir = makeIr(*compiler, executable.origin, collector);
  if (!ir)
    return fail(collector, error);
  driver::keepScopes(*ir);
  driver::KernelRequest request = makeRequest(executable, *ir);
  request.code.backend.lineInfo = true;
  stamped = driver::stamp(*compiler, *plain, request, executable.module->sources, collector);
  return stamped ? GLUONC_OK : fail(collector, error);
}

gluonc_status gluonc_engine_compile(gluonc_engine *engine, gluonc_specialization *specialization,
                                    const char *target, gluonc_executable **executable,
                                    gluonc_error **error) {
  return guarded(
      error, {{"engine", engine}, {"specialization", specialization}, {"executable", executable}},
      [&] {
        return stoppable(*engine->state, error, [&] {
          return compile(engine, specialization, target, executable, error);
        });
      },
      {specialization, target ? target : ""});
}

static gluonc_status simulate(gluonc_engine *engine, gluonc_specialization *specialization,
                              const char *target, gluonc_executable **executable,
                              gluonc_error **error) {
  if (specialization->code.given)
    return fail(GLUONC_USAGE_ERROR, "the simulator executes kernels, and no code in their place",
                error);
  diag::Collector collector;
  std::unique_ptr<gluonc_executable> made =
      startExecutable(engine, *specialization, target, collector);
  if (!made)
    return fail(collector, error);
  CompilerLease compiler(engine->state);
  mlir::OwningOpRef<mlir::ModuleOp> module = makeIr(*compiler, made->origin, collector);
  if (!module)
    return fail(collector, error);
  made->key = driver::cacheKey(makeRequest(*made, *module)).text;
  if (engine->state->isSealed)
    return refuse(*made, "nothing was made", error);
  const diag::SourceManager &sources = specialization->module->sources;
  if (!compiler->transform(*module, made->target, sources, collector) ||
      !compiler->isLegal(*module, made->target, sources, collector))
    return fail(collector, error);
  std::optional<bitcode::Libraries> libraries =
      driver::librariesOf(specialization->code.backend, made->target, collector);
  if (collector.hasErrors())
    return fail(collector, error);
  made->simulated =
      sim::Executable::prepare(*module, driver::kernelNameOf(*module), collector, sources,
                               sim::Purpose::Run, libraries ? &*libraries : nullptr);
  if (!made->simulated)
    return fail(collector, error);
  passOn(engine->state->launchSettings(), collector);
  if (auto bytes = (*module)->getAttrOfType<mlir::IntegerAttr>(ttg::sharedAttr))
    made->compiled.kernel.sharedBytes = unsigned(bytes.getInt());
  made->compiled.kernel.numWarps = specialization->options.numWarps;
  if (auto warps = (*module)->getAttrOfType<mlir::IntegerAttr>(ttg::totalNumWarpsAttr))
    made->compiled.kernel.numWarps = unsigned(warps.getInt());
  made->ttgir = printForUsers(*module);
  made->parameters = driver::launchParameters(
      sema::onTarget(specialization->arguments, made->target, specialization->options.numCtas));
  *executable = made.release();
  return GLUONC_OK;
}

gluonc_status gluonc_engine_simulate(gluonc_engine *engine, gluonc_specialization *specialization,
                                     const char *target, gluonc_executable **executable,
                                     gluonc_error **error) {
  return guarded(
      error, {{"engine", engine}, {"specialization", specialization}, {"executable", executable}},
      [&] {
        return stoppable(*engine->state, error, [&] {
          return simulate(engine, specialization, target, executable, error);
        });
      },
      {specialization, target ? target : ""});
}

void gluonc_executable_destroy(gluonc_executable *executable) { delete executable; }

const char *gluonc_executable_code(const gluonc_executable *executable, const char *form,
                                   size_t *size) {
  if (!executable || !form)
    return nullptr;
  std::optional<driver::Stage> stage = driver::parseStage(form);
  llvm::StringRef wanted = stage ? driver::info(*stage).nameFor(executable->target) : "";
  const std::string *found = nullptr;
  if (wanted == "ttgir")
    found = &executable->ttgir;
  for (const codegen::Artifact *made :
       {&executable->compiled.artifact, &executable->compiled.assembly})
    if (wanted == made->kind)
      found = &made->bytes;
  if (!found || found->empty())
    return nullptr;
  if (size)
    *size = found->size();
  return found->data();
}

static gluonc_status makeCode(gluonc_executable *executable, const char *form, const char **code,
                              size_t *size, gluonc_error **error) {
  if (const char *found = gluonc_executable_code(executable, form, size)) {
    *code = found;
    return GLUONC_OK;
  }
  std::optional<driver::Stage> stage = driver::parseStage(form);
  if (!stage || *stage < driver::Stage::Ttgir)
    return fail(GLUONC_USAGE_ERROR, "an executable has no form `" + std::string(form) + "`", error);
  if (!executable->hasSource())
    return fail(GLUONC_USAGE_ERROR,
                "what was saved has machine code only, no `" + std::string(form) + "`", error);
  std::lock_guard guard(executable->making);
  auto at = executable->madeCode.find(form);
  if (at == executable->madeCode.end()) {
    diag::Collector collector;
    std::optional<std::string> made =
        makeCode(executable->engine, executable->origin, *stage, collector);
    if (!made)
      return fail(collector, error);
    at = executable->madeCode.try_emplace(form, std::move(*made)).first;
  }
  *code = at->second.data();
  if (size)
    *size = at->second.size();
  return GLUONC_OK;
}

gluonc_status gluonc_executable_make_code(gluonc_executable *executable, const char *form,
                                          const char **code, size_t *size, gluonc_error **error) {
  return guarded(
      error, {{"executable", executable}, {"form", form}, {"code", code}},
      [&] {
        return stoppable(*executable->engine, error,
                         [&] { return makeCode(executable, form, code, size, error); });
      },
      subjectOf(executable));
}

void gluonc_executable_get_info(const gluonc_executable *executable, gluonc_executable_info *info) {
  if (!info)
    return;
  *info = {};
  if (!executable)
    return;
  const driver::CompiledKernel &compiled = executable->compiled;
  info->num_warps = compiled.kernel.numWarps;
  info->shared_bytes = compiled.kernel.sharedBytes;
  info->scratch_bytes = compiled.kernel.globalScratchBytes;
  if (const std::optional<codegen::ResourceUsage> &used = compiled.artifact.resources) {
    info->registers = used->registers;
    info->spilled_bytes = used->spillStoreBytes;
  }
  auto tell = [&](const auto *launcher) {
    if (!launcher)
      return;
    const auto &function = launcher->function();
    info->registers = static_cast<unsigned>(function.registers);
    info->spilled_bytes = static_cast<unsigned>(function.localBytes);
    info->max_threads = static_cast<unsigned>(function.maxThreads);
    info->function = function.handle;
  };
  tell(executable->launcher.load());
  tell(executable->hipLauncher.load());
}

const char *gluonc_executable_key(const gluonc_executable *executable) {
  return executable ? executable->key.c_str() : nullptr;
}

size_t gluonc_executable_parameter_count(const gluonc_executable *executable) {
  return executable ? executable->parameters.visible.size() : 0;
}

const char *gluonc_executable_parameter_type(const gluonc_executable *executable, size_t index) {
  return index < gluonc_executable_parameter_count(executable)
             ? executable->parameters.visible[index].type.c_str()
             : nullptr;
}

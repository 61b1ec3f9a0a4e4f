//===- Engine.cpp - The C API: errors, engines, source ----------------------===//
#include "driver/api/Guard.h"

#include "diag/Render.h"
#include "driver/FindPtxas.h"
#include "driver/Status.h"
#include "remote/RemoteCache.h"
#include "sema/builtins/Ops.h"
#include "sema/builtins/Reference.h"
#include "sema/names/Imports.h"
#include "sema/names/Language.h"
#include "support/File.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <cstdlib>

using namespace gluonc;
using namespace gluonc::api;

namespace gluonc::api {

using driver::Outcome;

gluonc_status fail(gluonc_status status, std::string text, gluonc_error **error) {
  if (error) {
    std::string json;
    llvm::raw_string_ostream(json)
        << llvm::json::Value(llvm::json::Object{{"message", llvm::json::fixUTF8(text)}});
    *error = new gluonc_error{std::move(text), std::move(json)};
  }
  return status;
}

gluonc_status unavailable(llvm::Error failure, gluonc_error **error) {
  return fail(GLUONC_UNAVAILABLE, llvm::toString(std::move(failure)), error);
}

void passOn(const LaunchSettings &settings, const diag::Collector &collector) {
  std::string printed, warned;
  llvm::raw_string_ostream output(printed), warnings(warned);
  for (const diag::Diagnostic &diagnostic : collector.diagnostics)
    if (diagnostic.kind == diag::Kind::StaticPrint)
      output << diagnostic.message << '\n';
    else
      diag::renderText(diagnostic, settings.warnings ? warnings : output);
  AtRest telling;
  if (settings.output && !printed.empty())
    settings.output(settings.outputUser, printed.data(), printed.size());
  if (!warned.empty())
    settings.warnings(settings.warningsUser, warned.data(), warned.size());
}

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

std::optional<std::string> readFile(const char *path, diag::Sink &sink) {
  llvm::Expected<std::string> text = gluonc::readFile(path, mostSourceBytes);
  if (text)
    return std::move(*text);
  sink.report(diag::Kind::UnreadableFile, {}, path, llvm::toString(text.takeError())).end();
  return std::nullopt;
}

} // namespace gluonc::api

static gluonc_status loadText(gluonc_engine *engine, std::string path, std::string text,
                              gluonc_module **module, gluonc_error **error) {
  auto state = std::make_shared<ModuleState>();
  state->engine = engine->state;
  sema::setSearchPath(state->program, engine->state->importFolders);
  diag::Collector collector;
  {
    EngineLock lock(*engine->state, state);
    state->module = state->program.load(std::move(path), std::move(text), collector);
    state->arguments = state->module;
  }
  if (collector.hasErrors())
    return fail(collector, error);
  *module = new gluonc_module{std::move(state)};
  return GLUONC_OK;
}

const char *gluonc_version(void) { return GLUONC_VERSION; }

const char *gluonc_build_id(void) {
  static const std::string id = driver::buildId();
  return id.c_str();
}

const char *gluonc_error_text(const gluonc_error *error) {
  return error ? error->text.c_str() : "";
}
const char *gluonc_error_json(const gluonc_error *error) {
  return error ? error->json.c_str() : "";
}
const char *gluonc_error_reproducer(const gluonc_error *error) {
  return error ? error->reproducer.c_str() : "";
}
void gluonc_error_destroy(gluonc_error *error) { delete error; }

namespace {
/// The host's, by its functions.
class HostStorage : public remote::Storage {
public:
  explicit HostStorage(const gluonc_cache_storage &functions) : functions(functions) {}
  ~HostStorage() override {
    if (functions.release)
      functions.release(functions.user);
  }

  llvm::Expected<std::optional<std::string>> get(const std::string &name, uint64_t) override {
    std::optional<std::string> got;
    auto give = [](void *receiver, const void *bytes, size_t count) {
      static_cast<std::optional<std::string> *>(receiver)->emplace(static_cast<const char *>(bytes),
                                                                   count);
    };
    if (functions.get(functions.user, name.c_str(), give, &got))
      return failed();
    return got;
  }
  llvm::Error put(const std::string &name, llvm::StringRef bytes) override {
    return functions.put(functions.user, name.c_str(), bytes.data(), bytes.size())
               ? failed()
               : llvm::Error::success();
  }

private:
  static llvm::Error failed() {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "the storage failed");
  }

  gluonc_cache_storage functions;
};
} // namespace

static llvm::Expected<driver::Cache> openCache(const gluonc_engine_options &options) {
  auto text = [](const char *given) { return std::string(given ? given : ""); };
  std::string directory = text(options.cache_directory);
  remote::Settings settings;
  settings.place = text(options.remote_cache);
  settings.keyFile = text(options.remote_cache_keys);
  settings.readOnly = options.remote_cache_read_only;
  settings.stateFolder = directory;
  if (const gluonc_cache_storage *storage = options.remote_cache_storage) {
    if (storage->size < sizeof *storage || !storage->get || !storage->put)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "`remote_cache_storage` has no size, get or put");
    settings.storage = std::make_shared<HostStorage>(*storage);
  }
  if (settings.place.empty() && !settings.storage)
    return driver::Cache(directory);
  auto opened = remote::RemoteCache::open(std::move(settings));
  if (!opened)
    return opened.takeError();
  return driver::Cache(directory, std::move(*opened));
}

gluonc_status gluonc_engine_remote_cache_statistics(gluonc_engine *engine, gluonc_output receive,
                                                    void *user, gluonc_error **error) {
  return guarded(error, {{"engine", engine}, {"receive", reinterpret_cast<const void *>(receive)}},
                 [&] {
                   llvm::json::Object object;
                   if (const remote::RemoteCache *remote = engine->state->cache.remote()) {
                     remote::Statistics now = remote->statistics();
                     llvm::json::Object refused;
                     for (unsigned i = 0; i != remote::refusalCount; ++i)
                       refused[remote::wordOf(static_cast<remote::Refusal>(i))] = now.refused[i];
                     object = llvm::json::Object{{"place", llvm::json::fixUTF8(remote->place())},
                                                 {"hits", now.hits},
                                                 {"misses", now.misses},
                                                 {"stores", now.stores},
                                                 {"failures", now.failures},
                                                 {"refused", std::move(refused)}};
                   }
                   std::string json;
                   llvm::raw_string_ostream(json) << llvm::json::Value(std::move(object));
                   AtRest telling;
                   receive(user, json.data(), json.size());
                   return GLUONC_OK;
                 });
}

gluonc_status gluonc_engine_create(const gluonc_engine_options *options, gluonc_engine **engine,
                                   gluonc_error **error) {
  return guarded(error, {{"engine", engine}}, [&] {
    std::optional<gluonc_engine_options> chosen = readSized(options, error);
    if (!chosen)
      return GLUONC_USAGE_ERROR;
    if (chosen->import_folder_count && !chosen->import_folders)
      return fail(GLUONC_USAGE_ERROR, "`import_folders` is null", error);
    auto state = std::make_shared<EngineState>();
    if (chosen->ptxas)
      state->ptxas = chosen->ptxas;
    llvm::Expected<driver::Cache> cache = openCache(*chosen);
    if (!cache)
      return fail(GLUONC_USAGE_ERROR, llvm::toString(cache.takeError()), error);
    state->cache = std::move(*cache);
    for (size_t i = 0; i != chosen->import_folder_count; ++i)
      if (const char *folder = chosen->import_folders[i])
        state->importFolders.push_back(folder);
    *engine = new gluonc_engine{std::move(state)};
    return GLUONC_OK;
  });
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
    if (places.cudaHome.empty())
      places.cudaHome = variable("CUDA_PATH");
    for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
      if (std::string prefix = variable(name); !prefix.empty())
        places.pythonPrefixes.push_back(prefix);
    if (std::string home = variable("HOME"); !home.empty())
      places.pythonPrefixes.push_back(home + "/.local");
    return driver::findPtxas(places);
  }();
  return found.c_str();
}

void gluonc_engine_seal(gluonc_engine *engine) {
  if (engine)
    engine->state->isSealed = true;
}

void gluonc_engine_set_schedule_seed(gluonc_engine *engine, const uint64_t *seed) {
  guarded(nullptr, {{"engine", engine}}, [&] {
    std::lock_guard guard(engine->state->settings);
    engine->state->forLaunches.scheduleSeed = seed ? std::optional(*seed) : std::nullopt;
    return GLUONC_OK;
  });
}

/// Numbers that are none count as faults.
static sim::Verdict verdictOf(gluonc_verdict verdict) {
  return verdict == GLUONC_VERDICT_IGNORE ? sim::Verdict::Ignore
         : verdict == GLUONC_VERDICT_WARN ? sim::Verdict::Warn
                                          : sim::Verdict::Fault;
}

/// Changes something for the launches from now on.
template <class Change> static void setForLaunches(gluonc_engine *engine, Change change) {
  guarded(nullptr, {{"engine", engine}}, [&] {
    std::lock_guard guard(engine->state->settings);
    change(engine->state->forLaunches);
    return GLUONC_OK;
  });
}

void gluonc_engine_set_races(gluonc_engine *engine, gluonc_verdict verdict) {
  setForLaunches(engine, [&](LaunchSettings &launches) { launches.races = verdictOf(verdict); });
}

void gluonc_engine_set_masked_off(gluonc_engine *engine, gluonc_verdict verdict) {
  setForLaunches(engine,
                 [&](LaunchSettings &launches) { launches.maskedOff = verdictOf(verdict); });
}

void gluonc_engine_set_unknown_reads(gluonc_engine *engine, gluonc_verdict verdict) {
  setForLaunches(engine,
                 [&](LaunchSettings &launches) { launches.unknownReads = verdictOf(verdict); });
}

void gluonc_engine_set_max_branches(gluonc_engine *engine, uint64_t count) {
  setForLaunches(engine, [&](LaunchSettings &launches) { launches.maxBranches = count; });
}

void gluonc_engine_set_executes_ptx(gluonc_engine *engine, int executesPtx) {
  setForLaunches(engine, [&](LaunchSettings &launches) { launches.executesPtx = executesPtx; });
}

void gluonc_engine_set_output(gluonc_engine *engine, gluonc_output output, void *user) {
  setForLaunches(engine, [&](LaunchSettings &launches) {
    launches.output = output;
    launches.outputUser = user;
  });
}

void gluonc_engine_set_warnings(gluonc_engine *engine, gluonc_output warnings, void *user) {
  setForLaunches(engine, [&](LaunchSettings &launches) {
    launches.warnings = warnings;
    launches.warningsUser = user;
  });
}

void gluonc_engine_set_interrupt(gluonc_engine *engine, gluonc_interrupt interrupt, void *user) {
  setForLaunches(engine, [&](LaunchSettings &launches) {
    launches.interrupt = interrupt;
    launches.interruptUser = user;
  });
}

void gluonc_engine_cancel_launches(gluonc_engine *engine) {
  if (engine)
    ++engine->state->cancellations;
}

/// The engine's ranges as launches look into them; null where two of them overlap.
static std::shared_ptr<const sim::Memory> memoryOf(llvm::ArrayRef<HostRange> ranges) {
  auto memory = std::make_shared<sim::Memory>();
  for (const HostRange &range : ranges)
    if (!memory->add(range.name, range.base, range.bytes))
      return nullptr;
  return memory;
}

gluonc_status gluonc_engine_add_memory(gluonc_engine *engine, const char *name, const void *base,
                                       size_t bytes, gluonc_error **error) {
  return guarded(error, {{"engine", engine}, {"base", base}}, [&] {
    std::string shown = name ? name : "";
    if (reinterpret_cast<uintptr_t>(base) + bytes < bytes)
      return fail(GLUONC_USAGE_ERROR, "`" + shown + "` reaches beyond the last address", error);
    EngineState &state = *engine->state;
    std::lock_guard guard(state.settings);
    std::vector<HostRange> ranges = state.ranges;
    ranges.push_back({shown, base, bytes});
    // Launches that run keep what they began with.
    std::shared_ptr<const sim::Memory> memory = memoryOf(ranges);
    if (!memory)
      return fail(GLUONC_USAGE_ERROR, "`" + shown + "` overlaps memory that was added before",
                  error);
    state.ranges = std::move(ranges);
    state.forLaunches.memory = std::move(memory);
    return GLUONC_OK;
  });
}

void gluonc_engine_remove_memory(gluonc_engine *engine, const void *base) {
  guarded(nullptr, {{"engine", engine}}, [&] {
    EngineState &state = *engine->state;
    std::lock_guard guard(state.settings);
    llvm::erase_if(state.ranges, [&](const HostRange &range) { return range.base == base; });
    state.forLaunches.memory = memoryOf(state.ranges);
    return GLUONC_OK;
  });
}

gluonc_status gluonc_engine_load(gluonc_engine *engine, const char *path, gluonc_module **module,
                                 gluonc_error **error) {
  return guarded(error, {{"engine", engine}, {"path", path}, {"module", module}}, [&] {
    diag::Collector collector;
    std::optional<std::string> text = readFile(path, collector);
    if (!text)
      return fail(collector, error);
    return loadText(engine, path, std::move(*text), module, error);
  });
}

gluonc_status gluonc_engine_load_text(gluonc_engine *engine, const char *path, const char *text,
                                      size_t size, gluonc_module **module, gluonc_error **error) {
  return guarded(error, {{"engine", engine}, {"path", path}, {"text", text}, {"module", module}},
                 [&] { return loadText(engine, path, std::string(text, size), module, error); });
}

/// `resolve` as the compiler asks it.
static sema::HostResolver resolverFor(gluonc_resolver resolve, void *context) {
  return [resolve, context](uint64_t scope, llvm::StringRef name) {
    gluonc_binding binding = {};
    std::optional<sema::HostBinding> found;
    {
      AtRest asking;
      if (!resolve(context, scope, name.str().c_str(), &binding))
        return found;
    }
    auto text = [](const char *value) { return std::string(value ? value : ""); };
    found.emplace(sema::HostBinding{
        static_cast<sema::HostBindingKind>(binding.kind), text(binding.text), text(binding.path),
        text(binding.name), binding.line, binding.scope, binding.object, text(binding.attributes)});
    return found;
  };
}

gluonc_status gluonc_engine_load_scope(gluonc_engine *engine, const char *path, const char *text,
                                       size_t size, uint64_t scope, gluonc_resolver resolve,
                                       void *context, void (*release)(void *),
                                       gluonc_module **module, gluonc_error **error) {
  // Whatever happens, the context is released.
  auto free = [release](void *context) {
    AtRest releasing;
    if (release)
      release(context);
  };
  std::shared_ptr<void> kept(context, free);
  return guarded(
      error, {{"engine", engine}, {"path", path}, {"text", text}, {"module", module}}, [&] {
        auto state = std::make_shared<ModuleState>();
        state->engine = engine->state;
        state->resolverContext = std::move(kept);
        if (!resolve || !scope)
          return fail(GLUONC_USAGE_ERROR, "a scope needs a resolver and a number other than 0",
                      error);
        sema::setSearchPath(state->program, engine->state->importFolders);
        state->program.setResolver(resolverFor(resolve, context));
        diag::Collector collector;
        {
          EngineLock lock(*engine->state, state);
          state->module = state->program.load(path, std::string(text, size), collector, scope);
          // Not in the file, whose names may mean anything.
          state->arguments = state->program.load("<value>", "", collector);
        }
        if (collector.hasErrors())
          return fail(collector, error);
        *module = new gluonc_module{std::move(state)};
        return GLUONC_OK;
      });
}

void gluonc_module_destroy(gluonc_module *module) { delete module; }

/// `find` looks for the function in the module's program.
static gluonc_status findKernel(
    gluonc_module *module, gluonc_kernel **kernel, gluonc_error **error,
    llvm::function_ref<std::shared_ptr<const sema::Function>(ModuleState &, diag::Sink &)> find) {
  diag::Collector collector;
  std::shared_ptr<const sema::Function> function;
  {
    EngineLock lock(*module->state->engine, module->state);
    function = find(*module->state, collector);
  }
  if (!function)
    return fail(collector, error);
  *kernel = new gluonc_kernel{module->state, std::move(function)};
  return GLUONC_OK;
}

gluonc_status gluonc_module_kernel(gluonc_module *module, const char *name, gluonc_kernel **kernel,
                                   gluonc_error **error) {
  return guarded(error, {{"module", module}, {"name", name}, {"kernel", kernel}}, [&] {
    return findKernel(module, kernel, error, [&](ModuleState &state, diag::Sink &sink) {
      return state.program.kernel(*state.module, name, sink);
    });
  });
}

gluonc_status gluonc_module_kernel_at(gluonc_module *module, const char *name, unsigned line,
                                      gluonc_kernel **kernel, gluonc_error **error) {
  return guarded(error, {{"module", module}, {"name", name}, {"kernel", kernel}}, [&] {
    return findKernel(module, kernel, error, [&](ModuleState &state, diag::Sink &sink) {
      return state.program.kernelAt(*state.module, name, line, sink);
    });
  });
}

void gluonc_kernel_destroy(gluonc_kernel *kernel) { delete kernel; }

gluonc_status gluonc_engine_evaluate(gluonc_engine *engine, const char *expression,
                                     const char **text, gluonc_error **error) {
  return guarded(error, {{"engine", engine}, {"expression", expression}, {"text", text}}, [&] {
    EngineLock lock(*engine->state);
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
  });
}

const char *gluonc_language_doc(const char *path) {
  static thread_local std::string text;
  text.clear();
  if (path)
    for (const sema::ReferenceEntry *entry : sema::findReference(std::string("gl.") + path))
      text += (text.empty() ? "" : "\n") + sema::referenceText(*entry);
  return text.c_str();
}

const char *gluonc_language_layouts(void) {
  static const std::string schemas = sema::layoutSchemas();
  return schemas.c_str();
}

const char *gluonc_language_names(void) {
  static const std::string names = [] {
    std::vector<llvm::StringRef> all;
    sema::appendLanguageNames(all);
    sema::appendLayoutNames(all);
    sema::appendCachePolicyNames(all);
    sema::ops::appendBuiltinNames(all);
    llvm::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return llvm::join(all, "\n");
  }();
  return names.c_str();
}

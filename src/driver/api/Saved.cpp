//===- Saved.cpp - The C API: executables in files ---------------------------===//
//
// A saved executable is what the cache has of a kernel, and beside it what the cache finds out
// again each time: target, launch mode and parameters, these as the text of their types.
//
//===----------------------------------------------------------------------===//
#include "driver/api/Guard.h"

using namespace gluonc;
using namespace gluonc::api;

/// Changes with what follows it.
static constexpr llvm::StringLiteral magic = "gluonc executable 1";

static std::string encode(const gluonc_executable &executable) {
  std::vector<const sema::ArgSpec *> parameters;
  for (const sema::ArgSpec &argument : executable.origin.arguments)
    argument.flatten(parameters);
  std::vector<std::string> types;
  for (size_t i = 0; i != parameters.size(); ++i) {
    types.push_back(parameters[i]->text());
    // Those that follow a descriptor come from it.
    if (parameters[i]->kind != sema::ArgSpec::Kind::Runtime)
      i += parameters[i]->items.size();
  }
  RecordWriter writer;
  writer.add(magic).add(GLUONC_VERSION).add(executable.target.name()).add(executable.key);
  writer.add(uint64_t(executable.origin.launch.programmaticDependent))
      .add(uint64_t(executable.origin.launch.cooperative))
      .add(uint64_t(types.size()));
  for (const std::string &type : types)
    writer.add(type);
  writer.add(driver::encodeKernel(executable.compiled));
  return writer.take();
}

/// A parameter's type as an executable has it. Nullopt after a report.
static std::optional<sema::ArgSpec> readParameter(llvm::StringRef text, sema::Program &program,
                                                  diag::Sink &sink) {
  if (!text.starts_with("tensordesc"))
    return sema::ArgSpec::parse(text);
  std::string problem;
  auto layoutOf = [&](llvm::StringRef expression) {
    sema::Module *module = program.load("<saved>", "", sink);
    return sema::evaluate(program, *module, "gl." + expression.str(), {}, "<saved>", sink);
  };
  return sema::ArgSpec::parseDescriptor(text, layoutOf, problem);
}

/// Null where `bytes` are no executable of this version.
static std::unique_ptr<gluonc_executable> decode(gluonc_engine &engine, llvm::StringRef bytes) {
  RecordReader reader(bytes);
  if (reader.text() != magic || reader.text() != GLUONC_VERSION)
    return nullptr;
  auto made = std::make_unique<gluonc_executable>();
  made->engine = engine.state;
  made->module = std::make_shared<ModuleState>();
  made->module->engine = engine.state;
  std::optional<target::Target> target = target::Target::parse(reader.text());
  made->key = reader.text().str();
  made->origin.module = made->module;
  made->origin.launch.programmaticDependent = reader.number() != 0;
  made->origin.launch.cooperative = reader.number() != 0;
  uint64_t count = reader.number();
  std::vector<sema::ArgSpec> &parameters = made->origin.arguments;
  diag::Collector ignored;
  EngineLock lock(*engine.state, made->module);
  while (!reader.failed() && parameters.size() != count) {
    std::optional<sema::ArgSpec> spec =
        readParameter(reader.text(), made->module->program, ignored);
    if (!spec)
      return nullptr;
    parameters.push_back(std::move(*spec));
  }
  std::optional<driver::CompiledKernel> compiled = driver::decodeKernel(reader.text());
  if (!target || !compiled || reader.failed() || !reader.atEnd())
    return nullptr;
  made->target = made->origin.options.target = *target;
  made->origin.options.numWarps = compiled->kernel.numWarps;
  made->origin.options.numCtas = compiled->kernel.numCtas;
  made->origin.kernelName = compiled->kernel.name;
  made->compiled = std::move(*compiled);
  made->parameters =
      driver::launchParameters(sema::onTarget(parameters, *target, made->origin.options.numCtas));
  return made;
}

gluonc_status gluonc_executable_save(gluonc_executable *executable, const char **bytes,
                                     size_t *size, gluonc_error **error) {
  return guarded(error, {{"executable", executable}, {"bytes", bytes}, {"size", size}}, [&] {
    if (executable->simulated)
      return fail(GLUONC_USAGE_ERROR, "machine code is saved, no program of the simulator", error);
    std::lock_guard guard(executable->making);
    if (executable->saved.empty())
      executable->saved = encode(*executable);
    *bytes = executable->saved.data();
    *size = executable->saved.size();
    return GLUONC_OK;
  });
}

gluonc_status gluonc_engine_load_executable(gluonc_engine *engine, const char *bytes, size_t size,
                                            gluonc_executable **executable, gluonc_error **error) {
  return guarded(error, {{"engine", engine}, {"bytes", bytes}, {"executable", executable}}, [&] {
    std::unique_ptr<gluonc_executable> made = decode(*engine, {bytes, size});
    if (!made)
      return fail(GLUONC_USAGE_ERROR,
                  "these bytes are no executable that gluonc " GLUONC_VERSION " saved", error);
    *executable = made.release();
    return GLUONC_OK;
  });
}

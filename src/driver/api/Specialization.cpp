//===- Specialization.cpp - The C API: arguments and options of a kernel ----===//
#include "driver/Arguments.h"
#include "driver/IrSignature.h"
#include "driver/api/Guard.h"
#include "ir/Sanitizer.h"
#include "target/Limits.h"
#include "target/nvidia/Registers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace gluonc;
using namespace gluonc::api;

namespace {

/// Turns the arguments of one call into specs. Methods return nullopt after a report.
class ArgumentReader {
public:
  ArgumentReader(const gluonc_kernel &kernel, diag::Sink &sink) : kernel(kernel), sink(sink) {}

  std::optional<sema::ArgSpec> read(const gluonc_argument &argument, size_t index) {
    llvm::ArrayRef<sema::Parameter> parameters = kernel.function->parameters;
    name = index < parameters.size() ? parameters[index].name.str() : "*";
    return read(argument);
  }

  /// Whether arguments that follow can be read; false after a report that there are too many.
  bool mayGoOn() const { return left != 0; }

private:
  /// Far above what kernels take. Tuples of C may hold themselves.
  static constexpr unsigned maxDepth = 64, maxValues = 1 << 16;

  std::optional<sema::ArgSpec> read(const gluonc_argument &argument) {
    if (!left)
      return std::nullopt;
    if (!--left)
      return bad("a launch has at most " + llvm::Twine(maxValues) +
                 " values, those in tuples included");
    llvm::StringRef text = argument.text ? argument.text : "";
    switch (argument.kind) {
    case GLUONC_ARGUMENT_TYPE:
      return text.starts_with("tensordesc") ? descriptor(text) : type(text);
    case GLUONC_ARGUMENT_INTEGER:
      return sema::ArgSpec::compileTime(sema::Value::integer(argument.integer));
    case GLUONC_ARGUMENT_REAL:
      return sema::ArgSpec::compileTime(sema::Value::real(argument.real));
    case GLUONC_ARGUMENT_BOOLEAN:
      return sema::ArgSpec::compileTime(sema::Value::boolean(argument.integer != 0));
    case GLUONC_ARGUMENT_NONE:
      return sema::ArgSpec::none();
    case GLUONC_ARGUMENT_EXPRESSION:
      if (std::optional<sema::Value> value = evaluate(text))
        return sema::ArgSpec::compileTime(*value);
      return std::nullopt;
    case GLUONC_ARGUMENT_TUPLE:
      return tuple(argument);
    }
    return bad("unknown kind of argument");
  }

  std::optional<sema::ArgSpec> type(llvm::StringRef text) {
    std::optional<sema::ArgSpec> spec = sema::ArgSpec::parse(text);
    if (!spec)
      driver::reportBadType(name, text, "is no type of an argument", {}, sink);
    return spec;
  }

  std::optional<sema::ArgSpec> tuple(const gluonc_argument &argument) {
    if (argument.item_count && !argument.items)
      return bad("a tuple of " + llvm::Twine(argument.item_count) + " items has none");
    if (depth == maxDepth)
      return bad("tuples are nested more than " + llvm::Twine(maxDepth) + " deep");
    llvm::SaveAndRestore deeper(depth, depth + 1);
    std::vector<sema::ArgSpec> items;
    for (const gluonc_argument &item : llvm::ArrayRef(argument.items, argument.item_count)) {
      std::optional<sema::ArgSpec> spec = read(item);
      if (!spec)
        return std::nullopt;
      items.push_back(std::move(*spec));
    }
    std::vector<std::string> names;
    if (argument.text)
      for (llvm::StringRef field : llvm::split(argument.text, ','))
        names.push_back(field.str());
    if (!names.empty() && names.size() != items.size())
      return bad("a tuple has one field name for each item, or none");
    return sema::ArgSpec::tuple(std::move(items), std::move(names));
  }

  /// `tensordesc<fp16[64, 64],layout>`, `tensordesc_im2col<fp16[64, 64],input_rank=4,layout>`.
  std::optional<sema::ArgSpec> descriptor(llvm::StringRef text) {
    std::string problem;
    std::optional<sema::ArgSpec> spec = sema::ArgSpec::parseDescriptor(
        text, [&](llvm::StringRef expression) { return evaluate(expression); }, problem);
    if (!spec && !problem.empty())
      return bad(problem);
    return spec;
  }

  std::optional<sema::Value> evaluate(llvm::StringRef expression) {
    ModuleState &module = *kernel.module;
    return sema::evaluate(module.program, *module.arguments, expression.str(), {}, "<" + name + ">",
                          sink);
  }

  std::nullopt_t bad(const llvm::Twine &what) {
    sink.report(diag::Kind::BadArgumentValue, {}, name, what.str()).end();
    return std::nullopt;
  }

  const gluonc_kernel &kernel;
  diag::Sink &sink;
  /// The parameter, for reports.
  std::string name;
  unsigned depth = 0, left = maxValues;
};

} // namespace

/// Reads those of a list of paths. False after a report.
static bool readLibraries(llvm::StringRef paths, std::vector<codegen::Library> &libraries,
                          diag::Sink &sink) {
  llvm::SmallVector<llvm::StringRef> each;
  paths.split(each, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef path : each) {
    std::optional<std::string> contents = readFile(path.str().c_str(), sink);
    if (!contents)
      return false;
    libraries.push_back({path.str(), std::make_shared<std::string>(std::move(*contents))});
  }
  return true;
}

/// Those that IR does not say itself. False after a report.
static bool takeOptions(const gluonc_kernel_options &options, gluonc_specialization &made,
                        diag::Sink &sink) {
  if (options.max_registers)
    made.options.maxnreg = options.max_registers;
  if (options.num_stages)
    made.options.numStages = options.num_stages;
  made.options.debug = options.debug;
  if (options.sanitizer)
    made.options.sanitizer = options.sanitizer;
  made.code.backend.fpFusion = !options.no_fp_fusion;
  made.code.backend.lineInfo = options.line_info;
  made.code.backend.flushesSubnormals = !options.keep_subnormals;
  made.code.backend.ptxVersion = options.ptx_version;
  made.code.backend.wavesPerSimd = options.waves_per_simd;
  made.options.sanitizeOverflow = !options.no_overflow_checks;
  if (options.ptxas_options)
    made.code.backend.assemblerOptions = options.ptxas_options;
  made.launch.programmaticDependent = options.programmatic_dependent_launch;
  made.launch.cooperative = options.cooperative_launch;
  return !options.libraries || readLibraries(options.libraries, made.code.backend.libraries, sink);
}

/// The kernel in the language that a launch says.
static std::shared_ptr<const sema::Function>
inLanguage(const std::shared_ptr<const sema::Function> &kernel, gluonc_language language) {
  sema::Dialect dialect =
      language == GLUONC_LANGUAGE_TRITON ? sema::Dialect::Triton : sema::Dialect::Gluon;
  if (language == GLUONC_LANGUAGE_AS_DECORATED || kernel->dialect == dialect)
    return kernel;
  auto copy = std::make_shared<sema::Function>(*kernel);
  copy->dialect = dialect;
  return copy;
}

/// What is wrong with options; "" if nothing is.
static std::string problemOf(const sema::Options &options) {
  using namespace target::nvidia;
  if (!target::isNumWarps(options.numWarps) || !target::isNumCtas(options.numCtas))
    return llvm::formatv("num_warps is 1 to {0} and num_ctas 1 to {1}, powers of two",
                         target::maxWarpsPerCta(target::minWarpSize), target::maxCtasPerCluster);
  if (!target::isNumStages(options.numStages))
    return llvm::formatv("num_stages is 1 to {0}, not {1}", target::maxStages, options.numStages);
  if (std::optional<unsigned> most = options.maxnreg; most && !isRegisterLimit(*most))
    return llvm::formatv("maxnreg is {0} to {1} registers of a thread, not {2}", minRegisterLimit,
                         maxRegisterLimit, *most);
  if (!parseSanitizer(options.sanitizer))
    return "there is no sanitizer `" + options.sanitizer + "`";
  return "";
}

static gluonc_status specialize(const gluonc_kernel &kernel,
                                llvm::ArrayRef<gluonc_argument> arguments,
                                const gluonc_kernel_options *options,
                                gluonc_specialization **specialization, gluonc_error **error) {
  auto made = std::make_unique<gluonc_specialization>();
  made->module = kernel.module;
  made->kernelName = kernel.function->name;
  std::optional<gluonc_kernel_options> chosen = readSized(options, error);
  if (!chosen)
    return GLUONC_USAGE_ERROR;
  made->function = inLanguage(kernel.function, chosen->language);
  if (chosen->num_warps)
    made->options.numWarps = chosen->num_warps;
  if (chosen->num_ctas)
    made->options.numCtas = chosen->num_ctas;
  diag::Collector collector;
  if (!takeOptions(*chosen, *made, collector))
    return fail(collector, error);
  if (std::string problem = problemOf(made->options); !problem.empty())
    return fail(GLUONC_USAGE_ERROR, std::move(problem), error);
  if (unsigned(chosen->language) > GLUONC_LANGUAGE_TRITON)
    return fail(GLUONC_USAGE_ERROR, "`language` is none of gluonc_language", error);
  {
    EngineLock lock(*kernel.module->engine, kernel.module);
    ArgumentReader reader(kernel, collector);
    for (size_t i = 0; i != arguments.size() && reader.mayGoOn(); ++i)
      if (std::optional<sema::ArgSpec> spec = reader.read(arguments[i], i))
        made->arguments.push_back(std::move(*spec));
  }
  if (collector.hasErrors())
    return fail(collector, error);
  *specialization = made.release();
  return GLUONC_OK;
}

gluonc_status gluonc_kernel_specialize(gluonc_kernel *kernel, const gluonc_argument *arguments,
                                       size_t count, const gluonc_kernel_options *options,
                                       gluonc_specialization **specialization,
                                       gluonc_error **error) {
  const void *given = count ? static_cast<const void *>(arguments) : kernel;
  return guarded(
      error, {{"kernel", kernel}, {"arguments", given}, {"specialization", specialization}},
      [&] { return specialize(*kernel, {arguments, count}, options, specialization, error); });
}

static gluonc_status loadIr(gluonc_engine *engine, std::string path, std::string text,
                            const gluonc_kernel_options *options,
                            gluonc_specialization **specialization, gluonc_error **error) {
  std::optional<gluonc_kernel_options> chosen = readSized(options, error);
  if (!chosen)
    return GLUONC_USAGE_ERROR;
  auto made = std::make_unique<gluonc_specialization>();
  made->module = std::make_shared<ModuleState>();
  made->module->engine = engine->state;
  diag::SourceManager &sources = made->module->sources;
  made->ir = sources.add(std::move(path), std::move(text));
  diag::Collector collector;
  CompilerLease compiler(engine->state);
  // Read here for the signature, and again by each compilation, in a context of its own.
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler->parseIr(*made->ir, sources, collector);
  std::optional<driver::IrSignature> signature;
  if (module)
    signature = driver::readSignature(*module, sources, collector);
  if (!signature)
    return fail(collector, error);
  made->kernelName = std::move(signature->kernel);
  made->arguments = std::move(signature->arguments);
  made->options = signature->options;
  if (!takeOptions(*chosen, *made, collector))
    return fail(collector, error);
  *specialization = made.release();
  return GLUONC_OK;
}

gluonc_status gluonc_engine_load_ir(gluonc_engine *engine, const char *path,
                                    const gluonc_kernel_options *options,
                                    gluonc_specialization **specialization, gluonc_error **error) {
  return guarded(error, {{"engine", engine}, {"path", path}, {"specialization", specialization}},
                 [&] {
                   diag::Collector collector;
                   std::optional<std::string> text = readFile(path, collector);
                   if (!text)
                     return fail(collector, error);
                   return loadIr(engine, path, std::move(*text), options, specialization, error);
                 });
}

gluonc_status gluonc_engine_load_ir_text(gluonc_engine *engine, const char *path, const char *text,
                                         size_t size, const gluonc_kernel_options *options,
                                         gluonc_specialization **specialization,
                                         gluonc_error **error) {
  return guarded(
      error,
      {{"engine", engine}, {"path", path}, {"text", text}, {"specialization", specialization}},
      [&] {
        return loadIr(engine, path, std::string(text, size), options, specialization, error);
      });
}

void gluonc_specialization_get_info(const gluonc_specialization *specialization,
                                    gluonc_specialization_info *info) {
  if (!info)
    return;
  *info = {"", 0, 0, 0};
  if (specialization)
    *info = {specialization->kernelName.c_str(), specialization->options.numWarps,
             specialization->options.numCtas, specialization->options.maxnreg.value_or(0)};
}

/// The IR of a specialization for a target, as text; nullopt after a report.
static std::optional<std::string> printSpecialized(const gluonc_specialization &specialization,
                                                   const char *target, diag::Sink &sink) {
  std::optional<target::Target> chip = target::Target::parse(target);
  if (!chip) {
    sink.report(diag::Kind::UnknownTarget, {}, target).end();
    return std::nullopt;
  }
  const std::shared_ptr<ModuleState> &module = specialization.module;
  CompilerLease compiler(module->engine);
  driver::KernelSource source = specialization.source();
  source.options.target = *chip;
  EngineLock lock(*module->engine, module);
  mlir::OwningOpRef<mlir::ModuleOp> ir = compiler->makeIr(source, sink);
  if (!ir)
    return std::nullopt;
  return driver::printIr(*ir, /*withNames=*/true);
}

static gluonc_status print(const gluonc_specialization &specialization, const char *target,
                           const char **text, gluonc_error **error) {
  diag::Collector collector;
  std::optional<std::string> made = printSpecialized(specialization, target, collector);
  if (!made)
    return fail(collector, error);
  passOn(specialization.module->engine->launchSettings(), collector);
  thread_local std::string printed;
  printed = std::move(*made);
  *text = printed.c_str();
  return GLUONC_OK;
}

gluonc_status gluonc_specialization_ir(gluonc_specialization *specialization, const char *target,
                                       const char **text, gluonc_error **error) {
  return guarded(error, {{"specialization", specialization}, {"text", text}},
                 [&] {
                   EngineState &engine = *specialization->module->engine;
                   return stoppable(engine, error, [&] {
                     return print(*specialization, target ? target : "", text, error);
                   });
                 },
                 {specialization, target ? target : ""});
}

gluonc_status gluonc_specialization_replace_code(gluonc_specialization *specialization,
                                                 const char *form, const char *text, size_t size,
                                                 gluonc_error **error) {
  return guarded(error, {{"specialization", specialization}, {"form", form}, {"text", text}}, [&] {
    std::optional<driver::Stage> stage = driver::parseStage(form);
    if (stage != driver::Stage::Llir && stage != driver::Stage::Assembly)
      return fail(GLUONC_USAGE_ERROR,
                  "machine code is made of llir or assembly, not of " + std::string(form), error);
    specialization->code.given = driver::GivenCode{*stage, std::string(text, size)};
    return GLUONC_OK;
  });
}

void gluonc_specialization_destroy(gluonc_specialization *specialization) { delete specialization; }

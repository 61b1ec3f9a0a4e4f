//===- Specialization.cpp - The C API: arguments and options of a kernel ----===//
#include "driver/IrSignature.h"
#include "driver/api/Handles.h"

#include "llvm/ADT/StringExtras.h"

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

private:
  std::optional<sema::ArgSpec> read(const gluonc_argument &argument) {
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
    return spec ? spec : bad("`" + text + "` is no type of an argument");
  }

  std::optional<sema::ArgSpec> tuple(const gluonc_argument &argument) {
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
    return sema::evaluate(module.program, *module.module, expression.str(), {}, "<" + name + ">",
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
};

} // namespace

/// Those that IR does not say itself.
static void takeOptions(const gluonc_kernel_options &options, gluonc_specialization &made) {
  if (options.max_registers)
    made.options.maxnreg = options.max_registers;
  made.options.debug = options.debug;
  made.code.fpFusion = !options.no_fp_fusion;
  made.code.lineInfo = options.line_info;
  made.programmaticDependent = options.programmatic_dependent_launch;
  made.cooperative = options.cooperative_launch;
}

gluonc_status gluonc_kernel_specialize(gluonc_kernel *kernel, const gluonc_argument *arguments,
                                       size_t count, const gluonc_kernel_options *options,
                                       gluonc_specialization **specialization,
                                       gluonc_error **error) {
  std::lock_guard guard(kernel->module->engine->lock);
  auto made = std::make_unique<gluonc_specialization>();
  made->module = kernel->module;
  made->function = kernel->function;
  made->kernelName = kernel->function->name;
  if (options) {
    made->options.numWarps = options->num_warps;
    made->options.numCtas = options->num_ctas;
    takeOptions(*options, *made);
  }
  if (!llvm::isPowerOf2_32(made->options.numWarps) || made->options.numWarps > 32 ||
      !llvm::isPowerOf2_32(made->options.numCtas) || made->options.numCtas > 16)
    return fail(GLUONC_USAGE_ERROR, "num_warps is 1 to 32 and num_ctas 1 to 16, powers of two",
                error);
  if (std::optional<unsigned> most = made->options.maxnreg; most && (*most < 8 || *most > 255))
    return fail(GLUONC_USAGE_ERROR,
                "maxnreg is 8 to 255 registers of a thread, not " + std::to_string(*most), error);
  diag::Collector collector;
  ArgumentReader reader(*kernel, collector);
  for (size_t i = 0; i != count; ++i)
    if (std::optional<sema::ArgSpec> spec = reader.read(arguments[i], i))
      made->arguments.push_back(std::move(*spec));
  if (collector.hasErrors())
    return fail(collector, error);
  *specialization = made.release();
  return GLUONC_OK;
}

static gluonc_status loadIr(gluonc_engine *engine, std::string path, std::string text,
                            const gluonc_kernel_options *options,
                            gluonc_specialization **specialization, gluonc_error **error) {
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
  if (options)
    takeOptions(*options, *made);
  *specialization = made.release();
  return GLUONC_OK;
}

gluonc_status gluonc_engine_load_ir(gluonc_engine *engine, const char *path,
                                    const gluonc_kernel_options *options,
                                    gluonc_specialization **specialization, gluonc_error **error) {
  diag::Collector collector;
  std::optional<std::string> text = readFile(path, collector);
  if (!text)
    return fail(collector, error);
  return loadIr(engine, path, std::move(*text), options, specialization, error);
}

gluonc_status gluonc_engine_load_ir_text(gluonc_engine *engine, const char *path, const char *text,
                                         size_t size, const gluonc_kernel_options *options,
                                         gluonc_specialization **specialization,
                                         gluonc_error **error) {
  return loadIr(engine, path, std::string(text, size), options, specialization, error);
}

void gluonc_specialization_get_info(const gluonc_specialization *specialization,
                                    gluonc_specialization_info *info) {
  *info = {specialization->kernelName.c_str(), specialization->options.numWarps,
           specialization->options.numCtas, specialization->options.maxnreg.value_or(0)};
}

gluonc_status gluonc_specialization_ir(gluonc_specialization *specialization, const char *target,
                                       const char **text, gluonc_error **error) {
  ModuleState &module = *specialization->module;
  EngineState &engine = *module.engine;
  CompilerLease compiler(module.engine);
  diag::Collector collector;
  std::optional<target::Target> chip = target::Target::parse(target ? target : "");
  if (!chip) {
    collector.report(diag::Kind::UnknownTarget, {}, target ? target : "").end();
    return fail(collector, error);
  }
  driver::KernelSource source = specialization->source();
  source.options.target = *chip;
  std::unique_lock lock(engine.lock);
  mlir::OwningOpRef<mlir::ModuleOp> ir = compiler->makeIr(source, collector);
  lock.unlock();
  if (!ir)
    return fail(collector, error);
  passOn(engine, collector);
  thread_local std::string printed;
  printed = driver::printIr(*ir);
  *text = printed.c_str();
  return GLUONC_OK;
}

void gluonc_specialization_destroy(gluonc_specialization *specialization) { delete specialization; }

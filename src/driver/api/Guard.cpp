#include "driver/api/Guard.h"

#include "ir/SourceLocation.h"

#include "llvm/Support/JSON.h"

#include <exception>

using namespace gluonc;
using namespace gluonc::api;

namespace {

/// What makes the compiler do the same, as a file that says so in its first lines.
std::string reproducerOf(const Subject &subject, const std::string &what) {
  if (!subject.specialization)
    return "";
  const gluonc_specialization &made = *subject.specialization;
  const diag::SourceFile &file = made.ir ? *made.ir : *made.function->span.file;
  std::string text;
  llvm::raw_string_ostream out(text);
  const char *comment = made.ir ? "// " : "# ";
  out << comment << "gluonc " << gluonc_version() << ": " << what << '\n';
  out << comment << "gluonc compile " << file.path();
  if (made.function) {
    out << "::" << made.kernelName;
    llvm::ArrayRef<sema::Parameter> parameters = made.function->parameters;
    for (size_t i = 0; i != std::min(parameters.size(), made.arguments.size()); ++i) {
      std::string value = made.arguments[i].text();
      llvm::StringRef shown = value;
      if (shown.consume_front("constexpr("))
        shown = shown.drop_back();
      out << " '" << parameters[i].name << '=' << shown << '\'';
    }
    out << " --num-warps " << made.options.numWarps << " --num-ctas " << made.options.numCtas;
  }
  if (made.options.numStages != sema::Options().numStages)
    out << " --num-stages " << made.options.numStages;
  if (made.options.maxnreg)
    out << " --maxnreg " << *made.options.maxnreg;
  out << (made.options.debug ? " --debug" : "")
      << (made.code.backend.lineInfo ? " --line-info" : "")
      << (made.code.backend.fpFusion ? "" : " --no-fp-fusion")
      << (made.code.backend.flushesSubnormals ? "" : " --keep-subnormals");
  for (const codegen::Library &library : made.code.backend.libraries)
    out << " --library '" << library.path << '\'';
  if (!subject.target.empty())
    out << " --target " << subject.target;
  out << '\n' << std::string_view(file.text());
  return text;
}

/// The line of the kernel that this thread was at work on, else the kernel's own.
diag::Span placeOf(const Subject &subject) {
  const WorkPlace &place = WorkPlace::current();
  diag::Span span;
  if (place.file)
    span = {static_cast<const diag::SourceFile *>(place.file), place.begin, place.end};
  else if (place.location && subject.specialization)
    span = spanOf(mlir::Location::getFromOpaquePointer(place.location),
                  subject.specialization->module->sources);
  if (!span && subject.specialization && subject.specialization->function)
    span = subject.specialization->function->span;
  return span;
}

gluonc_error *makeInternalError(const std::string &what, const Subject &subject) {
  std::string text, json;
  llvm::raw_string_ostream textOut(text), jsonOut(json);
  llvm::json::Object object{
      {"kind", "InternalError"}, {"severity", "error"}, {"message", llvm::json::fixUTF8(what)}};
  if (diag::Span span = placeOf(subject)) {
    diag::LineColumn at = span.file->position(span.begin);
    textOut << span.file->path() << ':' << at.line << ':' << at.column << ": ";
    object["file"] = llvm::json::fixUTF8(span.file->path());
    object["line"] = at.line;
    object["column"] = at.column;
  }
  textOut << "internal error: " << what << "\nthis is a bug of gluonc, unless memory is short";
  std::string reproducer = reproducerOf(subject, what);
  if (!reproducer.empty())
    textOut << "; to reproduce it:\n  "
            << llvm::StringRef(reproducer).split('\n').second.split('\n').first.ltrim("#/ ");
  textOut << '\n';
  jsonOut << llvm::json::Value(std::move(object)) << '\n';
  return new gluonc_error{std::move(text), std::move(json), std::move(reproducer)};
}

} // namespace

Subject api::subjectOf(const gluonc_executable *executable) {
  if (!executable)
    return {};
  return {executable->hasSource() ? &executable->origin : nullptr, executable->target.name()};
}

gluonc_status api::failStopped(gluonc_error **error) {
  return fail(GLUONC_CANCELLED, "the compilation was stopped", error);
}

gluonc_status api::reportInternalError(const char *what, const Subject &subject,
                                       gluonc_error **error) {
  try {
    Recovery recovery;
    if (error)
      *error = makeInternalError(what, subject);
  } catch (const std::exception &) {
    // No memory to say more.
  } catch (const InternalError &) {
  }
  return GLUONC_INTERNAL_ERROR;
}

gluonc_status api::checkCall(std::initializer_list<Needed> needed, gluonc_error **error) {
  for (const Needed &each : needed)
    if (!each.value)
      return fail(GLUONC_USAGE_ERROR, std::string("`") + each.name + "` is null", error);
  if (lostWork())
    return fail(GLUONC_UNAVAILABLE,
                "this process was forked while another thread compiled, for longer than a fork "
                "waits: start processes with the method spawn, or before kernels are compiled",
                error);
  return GLUONC_OK;
}

/// For tests of what hosts make of an internal error: the next `sema`, `transform`, `codegen` or
/// `simulate` of the process is one. Not in gluonc.h. `stage` is kept.
extern "C" GLUONC_API void gluonc_plant_internal_error(const char *stage) {
  plantInternalError(stage);
}

EngineLock::EngineLock(EngineState &engine, std::shared_ptr<ModuleState> module)
    : engine(engine), module(std::move(module)), exceptions(std::uncaught_exceptions()) {
  engine.lock.lock();
  if (engine.lock.takeAbandoned())
    for (const std::shared_ptr<ModuleState> &left : std::exchange(engine.evaluating, {}))
      sema::forgetUnfinished(left->program);
  if (this->module)
    engine.evaluating.push_back(this->module);
}

EngineLock::~EngineLock() {
  bool isBroken = std::uncaught_exceptions() > exceptions;
  if (isBroken)
    mark.goBack();
  if (module) {
    engine.evaluating.pop_back();
    if (isBroken)
      sema::forgetUnfinished(module->program);
  }
  engine.lock.unlock();
}

CompilerLease::CompilerLease(std::shared_ptr<EngineState> engine)
    : engine(std::move(engine)), exceptions(std::uncaught_exceptions()) {
  EngineLock lock(*this->engine);
  std::vector<IdleCompiler> &idle = this->engine->idleCompilers;
  if (idle.empty()) {
    leased.compiler = std::make_unique<driver::Compiler>();
    return;
  }
  leased = std::move(idle.back());
  idle.pop_back();
}

CompilerLease::~CompilerLease() {
  if (std::uncaught_exceptions() > exceptions) {
    (void)leased.compiler.release();
    return;
  }
  if (++leased.uses == mostUses)
    return;
  EngineLock lock(*engine);
  engine->idleCompilers.push_back(std::move(leased));
}

#include "PictureFormat.h"
#include "driver/Arguments.h"
#include "driver/KernelOptions.h"
#include "driver/KernelPipeline.h"
#include "picture/Draw.h"

namespace gluonc::tool {

int writePicture(Session &session, const picture::Picture &picture) {
  std::string text;
  const Word *format = session.line.find("--format");
  if (!format || format->text == "text")
    text = picture::toText(picture);
  else if (format->text == "svg")
    text = picture::toSvg(picture);
  else if (format->text == "html")
    text = picture::toHtml(picture);
  else
    return session.usage("--format takes text, svg or html");
  const Word *out = session.line.find("-o");
  session.writeFile(out ? *out : Word{"-", {}}, text);
  return session.status();
}

/// "load@0"; nullopt if it is something else.
static std::optional<picture::Pipeline::Step> parseStep(llvm::StringRef text) {
  constexpr unsigned mostStages = 16;
  auto [name, stageText] = text.rsplit('@');
  unsigned stage = 0;
  if (name.empty() || stageText.getAsInteger(10, stage) || stage >= mostStages)
    return std::nullopt;
  return picture::Pipeline::Step{name.str(), stage};
}

/// The transformed kernel that `input` names, or that a file of IR has. Null after a report.
static mlir::OwningOpRef<mlir::ModuleOp> readKernel(Session &session, driver::Compiler &compiler,
                                                    const Session::Input &input,
                                                    llvm::ArrayRef<driver::ArgumentText> arguments,
                                                    sema::Options options) {
  options.namesVariables = true;
  sema::Program program(session.sources);
  driver::KernelSource source = {program, nullptr, {}, options, nullptr};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<LoadedKernel> loaded;
  if (input.isIr()) {
    std::optional<std::string> text = session.readFile(input.path);
    if (!text)
      return nullptr;
    source.ir = session.sources.add(input.path.text, std::move(*text));
    module = compiler.makeIr(source, session.sink);
  } else if ((loaded = session.loadKernel(input))) {
    std::optional<driver::KernelArguments> bound =
        session.line.has("--values")
            ? driver::bindValues(*loaded->scope, *loaded->kernel, arguments, {}, loaded->place,
                                 session.sink)
            : driver::bindTypes(*loaded->scope, *loaded->kernel, arguments, loaded->place,
                                session.sink);
    if (bound)
      module = compiler.makeIr({loaded->program, loaded->kernel.get(), bound->specs, options},
                               session.sink);
  }
  if (!module || !compiler.transform(*module, options.target, session.sources, session.sink))
    return nullptr;
  return module;
}

static int drawKernel(Session &session, const Session::Input &input) {
  std::vector<driver::ArgumentText> arguments;
  sema::Options options;
  std::string problem;
  if (!session.line.namedValues(1, arguments, problem) ||
      !driver::readOptions(session.line, options, problem))
    return session.usage(problem);
  const Word *target = session.line.find("--target");
  if (!target)
    return session.usage("--target is needed for a kernel, e.g. --target cuda:90a");
  if (session.line.has("--iterations"))
    return session.usage(
        "--iterations is for steps; a kernel says itself how far copies run ahead");
  std::optional<target::Target> parsed = driver::parseTarget(*target, session.sink);
  if (!parsed)
    return session.status();
  options.target = *parsed;
  driver::Compiler compiler;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      readKernel(session, compiler, input, arguments, options);
  if (!module)
    return session.status();
  const picture::KernelPipeline pipeline = driver::pipelineOf(*module, session.sources);
  if (pipeline.steps.empty()) {
    llvm::errs() << "gluonc: nothing of " << pipeline.kernel << " runs beside its threads\n";
    return session.status();
  }
  return writePicture(session, picture::drawKernelPipeline(pipeline));
}

int pipelineCommand(Session &session) {
  if (!session.line.positional().empty()) {
    const Word &first = session.line.positional().front();
    const Session::Input input = Session::splitInput(first);
    if (input.kernel || input.isIr() || llvm::StringRef(first.text).ends_with(".py"))
      return drawKernel(session, input);
  }
  picture::Pipeline pipeline;
  for (const Word &word : session.line.positional()) {
    std::optional<picture::Pipeline::Step> step = parseStep(word.text);
    if (!step)
      return session.usage(
          "a step is NAME@STAGE with a stage of 0 to 15, such as load@0, but this is " + word.text);
    pipeline.steps.push_back(std::move(*step));
  }
  if (pipeline.steps.empty())
    return session.usage("steps are needed, such as load@0 product@2");
  std::string problem;
  std::optional<uint64_t> iterations;
  if (!session.line.integer("--iterations", iterations, problem))
    return session.usage(problem);
  constexpr uint64_t mostIterations = 64;
  if (iterations && (*iterations < 1 || *iterations > mostIterations))
    return session.usage("--iterations takes 1 to 64");
  if (iterations)
    pipeline.iterations = static_cast<unsigned>(*iterations);
  return writePicture(session, picture::drawPipeline(pipeline));
}

} // namespace gluonc::tool

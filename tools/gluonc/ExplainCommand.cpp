#include "Session.h"
#include "driver/explain/Explain.h"
#include "explain/Report.h"

namespace gluonc::tool {

using diag::Kind;

/// Explains the kernel that `input` names, launched as `request` says. Nullopt after a report.
static std::optional<explain::Explained>
explainKernel(Session &session, driver::Compiler &compiler, const Session::Input &input,
              const SourceRequest &request, llvm::raw_ostream *printed, model::Timeline *timeline) {
  std::unique_ptr<LoadedKernel> loaded = session.loadKernel(input);
  if (!loaded)
    return std::nullopt;
  std::optional<BoundLaunch> launch = session.bindLaunch(*loaded, request.arguments);
  if (!launch)
    return std::nullopt;
  auto &[arguments, grid] = *launch;
  if (!driver::describeOn(arguments, request.options.target, request.options.numCtas, session.sink))
    return std::nullopt;
  std::optional<explain::Profile> profile = driver::explainLaunch(
      compiler, {loaded->program, loaded->kernel.get(), arguments.specs, request.options},
      session.codeOptions(), arguments, grid, printed, timeline, session.sink,
      findCudaToolHere("nvdisasm"));
  if (!profile)
    return std::nullopt;
  return explain::Explained{std::move(*profile)};
}

/// To the file of -o, else to the standard output.
static void writeReport(Session &session, const explain::Explained &launch, bool page, bool json) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (page)
    explain::printPage(launch, out);
  else if (json)
    out << llvm::formatv("{0:2}\n", llvm::json::Value(explain::toJson(launch)));
  else
    explain::printText(launch, out);
  const Word *path = session.line.find("-o");
  session.writeFile(path ? *path : Word{"-", {}}, text);
}

int explainCommand(Session &session) {
  SourceRequest request;
  if (int status = session.readRequest(request))
    return status;
  const Word *format = session.line.find("--format");
  const bool page = format && format->text == "html", json = format && format->text == "json";
  if (format && !page && !json && format->text != "text")
    return session.usage("--format takes text, json or html");
  const target::Target &target = request.options.target;
  if (!driver::isExplained(target)) {
    session.sink
        .report(Kind::InvalidOption, session.line.find("--target")->span,
                "explain executes PTX or AMD's machine code, and there is none for " +
                    target.name())
        .hint("it explains chips that have machine code: `gluonc info` lists them");
    return session.status();
  }
  const Word *other = session.line.find("--diff"), *trace = session.line.find("--trace");
  if (other && page)
    return session.usage("--format html is of one launch, --diff of two");
  if (other && trace)
    return session.usage("--trace is of one launch, --diff of two");
  if (trace && !session.canBeTraced(target, *trace))
    return session.status();
  driver::Compiler compiler;
  if (session.line.has("--remarks"))
    compiler.wantRemarks();
  model::Timeline timeline;
  llvm::raw_ostream *printed = json || page ? nullptr : &llvm::outs();
  std::optional<explain::Explained> launch = explainKernel(
      session, compiler, request.input, request, printed, trace ? &timeline : nullptr);
  if (!launch)
    return session.status();
  if (trace)
    session.writeFile(*trace, timeline.file(trace->text));
  if (!other) {
    writeReport(session, *launch, page, json);
    return session.status();
  }
  std::optional<explain::Explained> after =
      explainKernel(session, compiler, Session::splitInput(*other), request, printed, nullptr);
  if (!after)
    return session.status();
  if (json)
    llvm::outs() << llvm::formatv(
        "{0:2}\n", llvm::json::Value(llvm::json::Object{{"before", explain::toJson(*launch)},
                                                        {"after", explain::toJson(*after)}}));
  else
    explain::printDiff(*launch, *after, llvm::outs());
  return session.status();
}

} // namespace gluonc::tool

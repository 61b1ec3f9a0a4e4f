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
  std::optional<explain::Profile> profile = driver::explainLaunch(
      compiler, {loaded->program, loaded->kernel.get(), arguments.specs, request.options},
      session.codeOptions(), arguments, grid, printed, timeline, session.sink);
  if (!profile)
    return std::nullopt;
  return explain::Explained{std::move(*profile)};
}

static void print(const llvm::json::Value &json) { llvm::outs() << llvm::formatv("{0:2}\n", json); }

int explainCommand(Session &session) {
  SourceRequest request;
  if (int status = session.readRequest(request))
    return status;
  std::optional<bool> json = session.wantsJson();
  if (!json)
    return 2;
  const target::Target &target = request.options.target;
  if (!driver::isExplained(target)) {
    session.sink
        .report(Kind::InvalidOption, session.line.find("--target")->span,
                "explain executes PTX, and there is none for " + target.name())
        .hint("it explains NVIDIA's chips that have machine code: `gluonc info` lists them");
    return session.status();
  }
  const Word *other = session.line.find("--diff"), *trace = session.line.find("--trace");
  if (other && trace)
    return session.usage("--trace is of one launch, --diff of two");
  if (trace && !session.canBeTraced(target, *trace))
    return session.status();
  driver::Compiler compiler;
  if (session.line.has("--remarks"))
    compiler.wantRemarks();
  model::Timeline timeline;
  llvm::raw_ostream *printed = *json ? nullptr : &llvm::outs();
  std::optional<explain::Explained> launch = explainKernel(
      session, compiler, request.input, request, printed, trace ? &timeline : nullptr);
  if (!launch)
    return session.status();
  if (trace)
    session.writeFile(*trace, timeline.file(trace->text));
  if (!other) {
    if (*json)
      print(explain::toJson(*launch));
    else
      explain::printText(*launch, llvm::outs());
    return session.status();
  }
  std::optional<explain::Explained> after =
      explainKernel(session, compiler, Session::splitInput(*other), request, printed, nullptr);
  if (!after)
    return session.status();
  if (*json)
    print(llvm::json::Object{{"before", explain::toJson(*launch)},
                             {"after", explain::toJson(*after)}});
  else
    explain::printDiff(*launch, *after, llvm::outs());
  return session.status();
}

} // namespace gluonc::tool

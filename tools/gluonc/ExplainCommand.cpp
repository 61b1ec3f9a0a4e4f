#include "Session.h"
#include "driver/explain/Explain.h"
#include "explain/Report.h"

namespace gluonc::tool {

using diag::Kind;

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
  std::unique_ptr<LoadedKernel> loaded = session.loadKernel(request.input);
  if (!loaded)
    return session.status();
  std::optional<BoundLaunch> launch = session.bindLaunch(*loaded, request.arguments);
  if (!launch)
    return session.status();
  auto &[arguments, grid] = *launch;
  driver::Compiler compiler;
  if (session.line.has("--remarks"))
    compiler.wantRemarks();
  const Word *trace = session.line.find("--trace");
  if (trace && !session.canBeTraced(target, *trace))
    return session.status();
  model::Timeline timeline;
  std::optional<explain::Profile> profile = driver::explainLaunch(
      compiler, {loaded->program, loaded->kernel.get(), arguments.specs, request.options},
      session.codeOptions(), arguments, grid, *json ? nullptr : &llvm::outs(),
      trace ? &timeline : nullptr, session.sink);
  if (trace && profile)
    session.writeFile(*trace, timeline.file(trace->text));
  if (!profile)
    return session.status();
  std::vector<explain::Finding> findings = explain::findWaste(*profile);
  if (*json)
    llvm::outs() << llvm::formatv("{0:2}\n",
                                  llvm::json::Value(explain::toJson(*profile, findings)));
  else
    explain::printText(*profile, findings, llvm::outs());
  return session.status();
}

} // namespace gluonc::tool

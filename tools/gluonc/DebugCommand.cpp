#include "DebugPrompt.h"
#include "Session.h"

namespace gluonc::tool {

int debugCommand(Session &session) {
  SourceRequest request;
  if (int status = session.readRequest(request, target::Target::parse("cuda:90a")))
    return status;
  driver::SimulatedRun how;
  std::string problem;
  if (!session.readSimulation(how, problem))
    return session.usage(problem);
  std::unique_ptr<LoadedKernel> loaded = session.loadKernel(request.input);
  std::optional<BoundLaunch> launch =
      loaded ? session.bindLaunch(*loaded, request.arguments) : std::nullopt;
  if (!launch)
    return session.status();
  std::unique_ptr<sim::Executable> executable = debug::prepare(
      {loaded->program, loaded->kernel.get(), launch->arguments.specs, request.options},
      session.sources, session.sink);
  if (!executable)
    return session.status();
  debug::Debugger debugger(*executable, launch->arguments, launch->grid, how, *loaded->scope);
  std::vector<std::string> commands;
  for (const Word &word : session.line.all("--command"))
    commands.push_back(word.text);
  DebugPrompt(debugger, llvm::outs()).run(std::move(commands));
  return session.status();
}

} // namespace gluonc::tool

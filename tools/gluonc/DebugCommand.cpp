#include "DebugCommand.h"

#include "DebugPrompt.h"

namespace gluonc::tool {

std::unique_ptr<DebuggedKernel> debugKernel(Session &session, int &status) {
  SourceRequest request;
  if ((status = session.readRequest(request, target::Target::parse("cuda:90a"))))
    return nullptr;
  driver::SimulatedRun how;
  std::string problem;
  if (!session.readSimulation(how, problem)) {
    status = session.usage(problem);
    return nullptr;
  }
  auto kernel = std::make_unique<DebuggedKernel>();
  kernel->loaded = session.loadKernel(request.input);
  std::optional<BoundLaunch> launch =
      kernel->loaded ? session.bindLaunch(*kernel->loaded, request.arguments) : std::nullopt;
  if (launch && driver::describeOn(launch->arguments, request.options.target,
                                   request.options.numCtas, session.sink)) {
    kernel->launch = std::move(*launch);
    kernel->executable = debug::prepare({kernel->loaded->program, kernel->loaded->kernel.get(),
                                         kernel->launch.arguments.specs, request.options},
                                        session.sources, session.sink);
  }
  status = session.status();
  if (!kernel->executable)
    return nullptr;
  kernel->debugger.emplace(*kernel->executable, kernel->launch.arguments, kernel->launch.grid, how,
                           *kernel->loaded->scope);
  return kernel;
}

int debugCommand(Session &session) {
  if (session.line.has("--dap"))
    return serveDebugAdapter(session);
  int status = 0;
  std::unique_ptr<DebuggedKernel> kernel = debugKernel(session, status);
  if (!kernel)
    return status;
  std::vector<std::string> commands;
  for (const Word &word : session.line.all("--command"))
    commands.push_back(word.text);
  DebugPrompt(*kernel->debugger, llvm::outs()).run(std::move(commands));
  return status;
}

} // namespace gluonc::tool

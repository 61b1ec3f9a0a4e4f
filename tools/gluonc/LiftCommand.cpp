#include "Session.h"
#include "driver/Arguments.h"
#include "driver/LiftKernel.h"

namespace gluonc::tool {

/// What was asked for, so that a shell takes it again.
static std::string commandLine(const Session &session) {
  std::string text = "gluonc lift";
  for (const Word &word : session.line.positional())
    text += " " + quotedForShell(word.text);
  for (const OptionSpec &option : session.command->options)
    for (const Word &word : session.line.all(option.name))
      if (option.name != "-o")
        text +=
            " " + option.name.str() + (option.value.empty() ? "" : " " + quotedForShell(word.text));
  return text;
}

int liftCommand(Session &session) {
  SourceRequest request;
  if (int status = session.readRequest(request))
    return status;
  std::unique_ptr<LoadedKernel> loaded = session.loadKernel(request.input);
  if (!loaded)
    return session.status();

  const sema::Function &kernel = *loaded->kernel;
  std::optional<driver::KernelArguments> bound =
      session.line.has("--values") ? driver::bindValues(*loaded->scope, kernel, request.arguments,
                                                        {}, loaded->place, session.sink)
                                   : driver::bindTypes(*loaded->scope, kernel, request.arguments,
                                                       loaded->place, session.sink);
  if (!bound)
    return session.status();
  driver::Compiler compiler;
  std::optional<std::string> lifted = driver::liftKernel(
      compiler, {loaded->program, &kernel, bound->specs, request.options},
      {session.codeOptions(), commandLine(session), session.line.has("--unchecked")}, session.sink);
  const Word *out = session.line.find("-o");
  if (lifted)
    session.writeFile(out ? *out : Word{"-", {}}, *lifted);
  return session.status();
}

} // namespace gluonc::tool

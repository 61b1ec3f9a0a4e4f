#include "Session.h"

namespace gluonc::tool {

int checkCommand(Session &session) {
  if (session.line.positional().empty())
    return session.usage("no file given");
  for (const Word &path : session.line.positional()) {
    std::optional<std::string> text = session.readFile(path);
    if (!text)
      continue;
    unsigned before = session.sink.errorCount();
    sema::Program program(session.sources);
    session.prepare(program);
    sema::Module *module = program.load(path.text, std::move(*text), session.sink);
    // After a syntax error names would be missing that the user did write.
    if (session.sink.errorCount() == before)
      sema::check(program, *module, session.sink);
    unsigned errors = session.sink.errorCount() - before;
    if (session.sink.json)
      continue;
    llvm::outs() << path.text << ": ";
    if (errors)
      llvm::outs() << errors << (errors == 1 ? " error\n" : " errors\n");
    else
      llvm::outs() << program.kernels(*module, session.sink).size() << " jit functions, fine\n";
  }
  return session.status();
}

} // namespace gluonc::tool

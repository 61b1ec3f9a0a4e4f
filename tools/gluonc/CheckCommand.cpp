#include "Session.h"
#include "driver/CheckFile.h"
#include "driver/KernelFiles.h"

#include "llvm/Support/FileSystem.h"

namespace gluonc::tool {

static void checkFile(Session &session, driver::Compiler &compiler, const std::string &path,
                      std::string text) {
  unsigned before = session.sink.errorCount();
  sema::Program program(session.sources);
  session.prepare(program);
  sema::Module *module = program.load(path, std::move(text), session.sink);
  // After a syntax error names would be missing that the user did write.
  if (session.sink.errorCount() == before)
    (void)driver::checkFile(compiler, program, *module, session.sink);
  unsigned errors = session.sink.errorCount() - before;
  if (session.sink.json)
    return;
  llvm::outs() << path << ": ";
  if (errors)
    llvm::outs() << errors << (errors == 1 ? " error\n" : " errors\n");
  else
    llvm::outs() << program.kernels(*module, session.sink).size() << " jit functions, fine\n";
}

static void checkFolder(Session &session, driver::Compiler &compiler, const Word &folder) {
  unsigned found = 0;
  for (const std::string &path : driver::pythonFiles(folder.text)) {
    std::optional<std::string> text = session.readFile({path, folder.span});
    if (!text || !driver::importsLanguage(*text))
      continue;
    ++found;
    checkFile(session, compiler, path, std::move(*text));
  }
  if (!found && !session.sink.json)
    llvm::outs() << folder.text << ": no Python file here imports gluon or triton.language\n";
}

int checkCommand(Session &session) {
  if (session.line.positional().empty())
    return session.usage("no file given");
  driver::Compiler compiler;
  for (const Word &path : session.line.positional())
    if (llvm::sys::fs::is_directory(path.text))
      checkFolder(session, compiler, path);
    else if (std::optional<std::string> text = session.readFile(path))
      checkFile(session, compiler, path.text, std::move(*text));
  return session.status();
}

} // namespace gluonc::tool

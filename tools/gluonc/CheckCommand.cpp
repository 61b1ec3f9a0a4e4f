#include "Session.h"
#include "driver/CheckFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace gluonc::tool {

/// Whether a line of a Python file imports Gluon or Triton's language in one way or another.
static bool importsLanguage(llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    line = line.trim();
    if ((line.starts_with("import ") || line.starts_with("from ")) &&
        (line.contains("gluon") || line.contains("triton.language")))
      return true;
    text = rest;
  }
  return false;
}

/// The Python files in `folder`, in alphabetical order; hidden folders are left out.
static std::vector<std::string> pythonFiles(llvm::StringRef folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(folder, error, /*follow_symlinks=*/false),
       end;
       !error && it != end; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    bool isFolder = llvm::sys::fs::is_directory(it->path());
    if (isFolder && (name.starts_with(".") || name == "__pycache__"))
      it.no_push();
    else if (!isFolder && name.ends_with(".py"))
      files.push_back(it->path());
  }
  llvm::sort(files);
  return files;
}

static void checkFile(Session &session, const std::string &path, std::string text) {
  unsigned before = session.sink.errorCount();
  sema::Program program(session.sources);
  session.prepare(program);
  sema::Module *module = program.load(path, std::move(text), session.sink);
  // After a syntax error names would be missing that the user did write.
  if (session.sink.errorCount() == before) {
    driver::Compiler compiler;
    (void)driver::checkFile(compiler, program, *module, session.sink);
  }
  unsigned errors = session.sink.errorCount() - before;
  if (session.sink.json)
    return;
  llvm::outs() << path << ": ";
  if (errors)
    llvm::outs() << errors << (errors == 1 ? " error\n" : " errors\n");
  else
    llvm::outs() << program.kernels(*module, session.sink).size() << " jit functions, fine\n";
}

static void checkFolder(Session &session, const Word &folder) {
  unsigned found = 0;
  for (const std::string &path : pythonFiles(folder.text)) {
    std::optional<std::string> text = session.readFile({path, folder.span});
    if (!text || !importsLanguage(*text))
      continue;
    ++found;
    checkFile(session, path, std::move(*text));
  }
  if (!found && !session.sink.json)
    llvm::outs() << folder.text << ": no Python file here imports gluon or triton.language\n";
}

int checkCommand(Session &session) {
  if (session.line.positional().empty())
    return session.usage("no file given");
  for (const Word &path : session.line.positional())
    if (llvm::sys::fs::is_directory(path.text))
      checkFolder(session, path);
    else if (std::optional<std::string> text = session.readFile(path))
      checkFile(session, path.text, std::move(*text));
  return session.status();
}

} // namespace gluonc::tool

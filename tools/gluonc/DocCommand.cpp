#include "Session.h"

#include "sema/builtins/Reference.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

namespace gluonc::tool {

static void printIndex(llvm::raw_ostream &out) {
  out << "gluonc doc NAME explains a function, a method, a layout or a module:\n\n";
  for (const sema::ReferencePage &page : sema::referencePages())
    if (!page.sections.empty())
      out << "  " << llvm::left_justify(page.path, 32) << " " << page.about << "\n";
}

/// One name; false after a report.
static bool printName(Session &session, const Word &name, llvm::raw_ostream &out) {
  std::vector<const sema::ReferenceEntry *> found = sema::findReference(name.text);
  if (found.empty())
    if (const sema::ReferencePage *page = sema::findReferencePage(name.text)) {
      out << sema::referenceText(*page);
      return true;
    }
  if (found.empty()) {
    diag::Builder builder = session.sink.report(diag::Kind::UnknownName, name.span, name.text);
    if (std::string best = sema::nearestReference(name.text); !best.empty())
      std::move(builder).hint("did you mean `{0}`?", best);
    else
      std::move(builder).hint("`gluonc doc` lists the modules, `gluonc doc MODULE` what is in one");
    return false;
  }
  llvm::ListSeparator line("\n----\n\n");
  for (const sema::ReferenceEntry *entry : found)
    out << line << sema::referenceText(*entry);
  return true;
}

static int writeFiles(Session &session, const Word &folder,
                      llvm::ArrayRef<std::pair<std::string, std::string>> files) {
  for (const auto &[name, text] : files) {
    std::string path = folder.text + "/" + name;
    // One that cannot be made is told by the file that cannot be written.
    (void)llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
    if (!session.writeFile({path, folder.span}, text))
      break;
  }
  return session.status();
}

int docCommand(Session &session) {
  const Word *pages = session.line.find("--pages"), *stubs = session.line.find("--stubs");
  if ((pages || stubs) && !session.line.positional().empty())
    return session.usage("--pages and --stubs take no names");
  if (pages)
    writeFiles(session, *pages, sema::referenceFiles());
  if (stubs)
    writeFiles(session, *stubs, sema::stubFiles());
  if (pages || stubs)
    return session.status();
  if (session.line.positional().empty())
    printIndex(llvm::outs());
  llvm::ListSeparator line("\n");
  for (const Word &name : session.line.positional()) {
    llvm::outs() << llvm::StringRef(line);
    printName(session, name, llvm::outs());
  }
  return session.status();
}

} // namespace gluonc::tool

//===- Imports.cpp - Where the modules of `import` and `from` are -------------===//
#include "sema/eval/Interpreter.h"
#include "sema/names/ProgramState.h"

#include "llvm/Support/Path.h"

namespace gluonc::sema {

using diag::Kind;

/// The folder that holds `folder`, as its path says; links are not resolved, as in Python.
static void toParent(llvm::SmallString<128> &folder) {
  llvm::StringRef last = llvm::sys::path::filename(folder);
  if (last.empty() || last == "." || last == "..")
    llvm::sys::path::append(folder, "..");
  else
    llvm::sys::path::remove_filename(folder);
}

unsigned SourceModule::packageDepth() {
  if (knownPackageDepth)
    return *knownPackageDepth;
  // A file that nobody imported may use its neighbours, package or not. Above that, Python knows
  // packages by the names that they are imported by, and a path tells them by their __init__.py.
  unsigned depth = 0;
  llvm::SmallString<128> folder(llvm::sys::path::parent_path(file.path()));
  constexpr unsigned deepest = 64;
  for (; depth != deepest; ++depth, toParent(folder)) {
    llvm::SmallString<128> mark(folder);
    llvm::sys::path::append(mark, "__init__.py");
    if (!program.state().reader(mark))
      break;
  }
  knownPackageDepth = std::max(depth, 1u);
  return *knownPackageDepth;
}

bool SourceModule::staysInPackage(const ast::ImportFrom &node, Interpreter &interpreter) {
  if (node.level <= 1 || static_cast<unsigned>(node.level) <= packageDepth())
    return true;
  std::string source = std::string(static_cast<size_t>(node.level), '.') + node.module.str();
  interpreter.report(Kind::BadModuleImport, node.span, node.names[0]->name, source)
      .hint("attempted relative import beyond top-level package");
  return false;
}

Value importModule(Program &program, SourceModule &from, llvm::StringRef dotted, int level,
                   Interpreter &interpreter) {
  if (level == 0)
    if (Module *module = findLanguageModule(program, dotted))
      return Value::module(module);
  llvm::SmallString<128> base(llvm::sys::path::parent_path(from.file.path()));
  for (int i = 1; i < level; ++i)
    toParent(base);
  llvm::SmallVector<llvm::StringRef, 4> parts;
  dotted.split(parts, '.', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts)
    llvm::sys::path::append(base, part);
  // Packages around `base`, which is one itself if it has an __init__.py.
  unsigned depth = static_cast<unsigned>(parts.size());
  if (level > 0)
    depth += from.packageDepth() - static_cast<unsigned>(level) + 1;
  llvm::SmallString<128> package(base);
  llvm::sys::path::append(package, "__init__.py");
  std::vector<std::pair<std::string, unsigned>> candidates = {{package.str().str(), depth}};
  // `from . import m` names the package itself.
  if (!parts.empty())
    candidates.insert(candidates.begin(), {(base + ".py").str(), depth - 1});
  for (auto &[path, packages] : candidates) {
    std::optional<std::string> text;
    if (const diag::SourceFile *known = program.sources().find(path))
      text = std::string(known->text());
    else
      text = program.state().reader(path);
    if (!text)
      continue;
    Module *module = program.load(path, std::move(*text), *interpreter.sink);
    std::optional<unsigned> &known = static_cast<SourceModule *>(module)->knownPackageDepth;
    known = known.value_or(packages);
    return Value::module(module);
  }
  return Value::opaque(dotted.str());
}

} // namespace gluonc::sema

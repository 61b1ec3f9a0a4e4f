#include "sema/names/Imports.h"

#include "sema/eval/Interpreter.h"
#include "sema/names/ProgramState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace gluonc::sema {

using diag::Kind;

using Folder = llvm::SmallString<128>;

/// The folder that holds `folder`, as its path says; links are not resolved, as in Python.
static void toParent(Folder &folder) {
  llvm::StringRef last = llvm::sys::path::filename(folder);
  if (last.empty() || last == "." || last == "..")
    llvm::sys::path::append(folder, "..");
  else
    llvm::sys::path::remove_filename(folder);
}

static std::string joined(llvm::StringRef folder, llvm::StringRef name) {
  Folder path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

void setSearchPath(Program &program, std::vector<std::string> folders) {
  program.state().searchPath = std::move(folders);
}

// -- Packages ------------------------------------------------------------------------

static bool isPackage(Program &program, const Folder &folder) {
  return program.state().reader(joined(folder, "__init__.py")).has_value();
}

/// Climbs from `folder` to the first one that is no package. Returns how many were; `outermost` is
/// the last of them.
static unsigned climbPackages(Program &program, Folder &folder, Folder &outermost) {
  constexpr unsigned deepest = 64;
  unsigned depth = 0;
  for (; depth != deepest && isPackage(program, folder); ++depth, toParent(folder))
    outermost = folder;
  return depth;
}

/// Inside of a package, folders need no __init__.py to be packages. Climbs from `folder` to the
/// first package, if one is near, and returns how many folders lie between.
static unsigned climbPlainFolders(Program &program, Folder &folder) {
  constexpr unsigned most = 4;
  Folder start = folder;
  for (unsigned i = 0; i != most; ++i, toParent(folder))
    if (isPackage(program, folder))
      return i;
  folder = start;
  return 0;
}

/// How many folders `path` lies below `folder`; 0 where it does not.
static unsigned depthBelow(llvm::StringRef folder, llvm::StringRef path) {
  Folder plain(folder);
  llvm::sys::path::remove_dots(plain);
  while (plain.ends_with("/"))
    plain.pop_back();
  path.consume_front("./");
  bool isBelow = plain.empty() ? path.starts_with("/") == folder.starts_with("/")
                               : path.consume_front(plain) && path.consume_front("/");
  return isBelow ? static_cast<unsigned>(path.ltrim('/').count('/')) : 0;
}

unsigned SourceModule::packageDepth() {
  // A file that nobody imported may use its neighbours, package or not. Above that, Python knows
  // packages by the names that they are imported by: a path tells them by an __init__.py, and by
  // the folders in which Python looks.
  if (!knownPackageDepth) {
    Folder folder(llvm::sys::path::parent_path(file.path())), outermost;
    unsigned depth = climbPlainFolders(program, folder);
    depth += climbPackages(program, folder, outermost);
    for (const std::string &searched : program.state().searchPath)
      depth = std::max(depth, depthBelow(searched, file.path()));
    knownPackageDepth = std::max(depth, 1u);
  }
  return *knownPackageDepth;
}

const SourceModule::Package &SourceModule::outermostPackage() {
  if (knownPackage)
    return *knownPackage;
  Folder folder(llvm::sys::path::parent_path(file.path())), outermost;
  climbPlainFolders(program, folder);
  climbPackages(program, folder, outermost);
  return knownPackage.emplace(
      Package{llvm::sys::path::filename(outermost).str(), folder.str().str()});
}

bool SourceModule::staysInPackage(const ast::ImportFrom &node, Interpreter &interpreter) {
  if (node.level <= 1 || static_cast<unsigned>(node.level) <= packageDepth())
    return true;
  std::string source = std::string(static_cast<size_t>(node.level), '.') + node.module.str();
  interpreter.report(Kind::BadModuleImport, node.span, node.names[0]->name, source)
      .hint("attempted relative import beyond top-level package");
  return false;
}

// -- Where to look -------------------------------------------------------------------

namespace {

/// Looks for one module. What is tried is kept, to be told.
struct Search {
  Program &program;
  SourceModule &from;
  Interpreter &interpreter;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  std::vector<std::string> tried;

  /// The module in the folder `root`, or null. `depth` packages hold what is in that folder.
  Module *findIn(llvm::StringRef root, unsigned depth) {
    if (llvm::is_contained(tried, root))
      return nullptr;
    tried.push_back(root.str());
    Folder base(root);
    for (llvm::StringRef part : parts)
      llvm::sys::path::append(base, part);
    depth += static_cast<unsigned>(parts.size());
    // A package comes before a file of its name. `from . import m` names the package itself.
    if (Module *package = load(joined(base, "__init__.py"), depth))
      return package;
    return parts.empty() ? nullptr : load((base + ".py").str(), depth - 1);
  }

  /// As for `findIn`, where the folder is among those that Python would look in.
  Module *findAbsolute() {
    // A module may have the name of a package that it imports.
    for (const std::string &folder : folders())
      if (Module *module = findIn(folder, 0); module && module != &from)
        return module;
    return nullptr;
  }

private:
  Module *load(const std::string &path, unsigned depth) {
    std::optional<std::string> text;
    if (const diag::SourceFile *known = program.sources().find(path))
      text = std::string(known->text());
    else
      text = program.state().reader(path);
    if (!text)
      return nullptr;
    size_t before = program.state().files.size();
    auto *module =
        static_cast<SourceModule *>(program.load(path, std::move(*text), *interpreter.sink));
    module->knownPackageDepth = module->knownPackageDepth.value_or(depth);
    if (program.state().files.size() != before)
      module->importer = &from;
    return module;
  }

  std::vector<std::string> folders() {
    std::vector<std::string> all;
    // The file that the host named, and what was imported on the way from there.
    llvm::SmallVector<SourceModule *, 8> chain = {&from};
    while (chain.back()->importer)
      chain.push_back(chain.back()->importer);
    for (SourceModule *module : llvm::reverse(chain)) {
      // A package is looked for where it is around a file, nothing else there: files do not reach
      // beyond their package.
      if (const auto &package = module->outermostPackage(); package.name == parts.front())
        all.push_back(package.holder);
      all.push_back(llvm::sys::path::parent_path(module->file.path()).str());
    }
    llvm::append_range(all, program.state().searchPath);
    return all;
  }
};

/// Modules of which kernels use nothing, and whose files would be long to read.
bool isOfHost(llvm::StringRef dotted) {
  // Kernels that PyTorch and Triton's translator write call functions of files of theirs.
  if (dotted.starts_with("torch._inductor.runtime.") ||
      dotted.starts_with("triton.tools.triton_to_gluon_translator."))
    return false;
  static constexpr llvm::StringLiteral names[] = {"torch", "numpy", "triton", "jax"};
  return llvm::is_contained(names, dotted.split('.').first);
}

} // namespace

Value importModule(Program &program, SourceModule &from, llvm::StringRef dotted, int level,
                   Interpreter &interpreter, std::string *missing) {
  if (level == 0)
    if (Module *module = findLanguageModule(program, dotted))
      return Value::module(module);
  Search search{program, from, interpreter, {}, {}};
  dotted.split(search.parts, '.', -1, /*KeepEmpty=*/false);
  Module *module = nullptr;
  if (level > 0) {
    Folder base(llvm::sys::path::parent_path(from.file.path()));
    for (int i = 1; i < level; ++i)
      toParent(base);
    module = search.findIn(base, from.packageDepth() - static_cast<unsigned>(level) + 1);
  } else if (!search.parts.empty() && !isOfHost(dotted)) {
    module = search.findAbsolute();
  }
  if (module)
    return Value::module(module);
  if (missing && !search.tried.empty()) {
    for (std::string &folder : search.tried)
      folder = folder.empty() ? "." : folder;
    *missing = "module `" + std::string(static_cast<size_t>(level), '.') + dotted.str() +
               "` was not found; looked in " + llvm::join(search.tried, ", ");
  }
  return Value::opaque(dotted.str());
}

// -- `import m` ----------------------------------------------------------------------

std::optional<Value> PlainFolder::lookup(llvm::StringRef member, Interpreter &interpreter) {
  std::string dotted = (name() + "." + member).str();
  Value found = importModule(importer.program, importer, dotted, /*level=*/0, interpreter);
  if (found.is(ValueKind::Module))
    return found;
  if (!llvm::StringRef(inside).starts_with(dotted + "."))
    return std::nullopt;
  auto &folders = importer.program.state().folders;
  folders.push_back(std::make_unique<PlainFolder>(importer, std::move(dotted), inside));
  return Value::module(folders.back().get());
}

Value SourceModule::evaluateImport(const ast::Alias &alias, llvm::StringRef name,
                                   Interpreter &interpreter) {
  // `import a.b` binds `a`; `import a.b as c` binds the submodule.
  llvm::StringRef dotted = alias.asname.data() ? alias.name : alias.name.split('.').first;
  std::string missing;
  Value module = importModule(program, *this, dotted, 0, interpreter, &missing);
  if (module.is(ValueKind::Module))
    return module;
  if (dotted != alias.name &&
      importModule(program, *this, alias.name, 0, interpreter, &missing).is(ValueKind::Module)) {
    auto &folders = program.state().folders;
    folders.push_back(std::make_unique<PlainFolder>(*this, dotted.str(), alias.name.str()));
    return Value::module(folders.back().get());
  }
  explain(name, std::move(missing));
  return module;
}

// -- `from m import name` -------------------------------------------------------------

static SourceModule *asSource(Module &module) {
  return module.isBuiltin() ? nullptr : static_cast<SourceModule *>(&module);
}

std::optional<Value> SourceModule::evaluateImport(const ast::ImportFrom &node, llvm::StringRef name,
                                                  Interpreter &interpreter) {
  if (!staysInPackage(node, interpreter))
    return std::nullopt;
  for (const ast::Alias *alias : node.names) {
    if ((alias->asname.data() ? alias->asname : alias->name) != name)
      continue;
    std::string missing;
    Value module = importModule(program, *this, node.module, node.level, interpreter, &missing);
    // `from . import m` of a package itself: what it binds is the module.
    bool bindsItself =
        module.is(ValueKind::Module) && &module.asModule() == this && alias->name == name;
    if (module.is(ValueKind::Module) && !bindsItself)
      if (MaybeValue value = module.asModule().lookup(alias->name, interpreter)) {
        // Why it is no good is known there.
        if (value->is(ValueKind::Opaque)) {
          explain(name, module.asModule().opaqueReason(alias->name).str());
          if (SourceModule *source = asSource(module.asModule());
              source && source->isUndecided(alias->name))
            leaveUndecided(name);
        }
        return value;
      }
    // `from package import submodule`.
    std::string dotted =
        node.module.empty() ? alias->name.str() : (node.module + "." + alias->name).str();
    Value submodule = importModule(program, *this, dotted, node.level, interpreter,
                                   node.module.empty() ? &missing : nullptr);
    if (submodule.is(ValueKind::Opaque))
      explain(name, missing);
    if (submodule.is(ValueKind::Module) || module.is(ValueKind::Opaque))
      return submodule;
    // Of another module, or made when it is asked for.
    if (SourceModule *source = asSource(module.asModule()); source && source->hasNamesOfOthers()) {
      leaveUndecided(name);
      return Value::opaque(name.str());
    }
    interpreter.report(Kind::BadModuleImport, alias->span, alias->name, node.module).end();
    return std::nullopt;
  }
  return std::nullopt;
}

void SourceModule::checkImport(const ast::ImportFrom &node, Interpreter &interpreter) {
  for (const ast::Alias *alias : node.names)
    if (alias->name == "*")
      (void)staysInPackage(node, interpreter);
    else
      (void)evaluateImport(node, alias->asname.data() ? alias->asname : alias->name, interpreter);
}

std::optional<Value> SourceModule::starImport(const ast::ImportFrom &node, llvm::StringRef name,
                                              Interpreter &interpreter, bool isChosen) {
  if (name.starts_with("_") || !staysInPackage(node, interpreter))
    return std::nullopt;
  Value module = importModule(program, *this, node.module, node.level, interpreter);
  if (!module.is(ValueKind::Module) || &module.asModule() == this)
    return std::nullopt;
  // Modules may import each other's names: mark this one while looking there.
  auto [entry, isNew] = entries.try_emplace(name);
  if (!isNew && entry->second.isEvaluating && !isChosen)
    return std::nullopt;
  bool wasEvaluating = std::exchange(entry->second.isEvaluating, true);
  MaybeValue value = module.asModule().lookup(name, interpreter);
  if (isNew)
    entries.erase(name);
  else
    entries[name].isEvaluating = wasEvaluating;
  if (!value || !value->is(ValueKind::Opaque))
    return value;
  SourceModule *source = asSource(module.asModule());
  return source && source->isUndecided(name) ? value : std::nullopt;
}

std::optional<Value> SourceModule::submodule(llvm::StringRef name, Interpreter &interpreter) {
  if (!llvm::StringRef(file.path()).ends_with("__init__.py"))
    return std::nullopt;
  Value module = importModule(program, *this, name, /*level=*/1, interpreter);
  return module.is(ValueKind::Module) && &module.asModule() != this ? MaybeValue(module)
                                                                    : std::nullopt;
}

} // namespace gluonc::sema

#include "sema/names/Program.h"

#include "sema/eval/Unfinished.h"
#include "sema/names/ProgramState.h"
#include "support/File.h"
#include "syntax/Parser.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

static std::optional<std::string> readFromDisk(llvm::StringRef path) {
  llvm::Expected<std::string> text = readFile(path.str(), mostSourceBytes, Accept::RegularFiles);
  if (text)
    return std::move(*text);
  // Python's own import goes on to the next place, too.
  llvm::consumeError(text.takeError());
  return std::nullopt;
}

Program::Program(diag::SourceManager &sources, FileReader reader)
    : sourceManager(sources), impl(std::make_unique<State>()) {
  impl->reader = reader ? std::move(reader) : FileReader(readFromDisk);
}

Program::~Program() = default;

Module *Program::load(std::string path, std::string text, diag::Sink &sink, uint64_t scope) {
  const diag::SourceFile *file = sourceManager.add(path, std::move(text));
  std::shared_ptr<ast::Module> tree;
  for (const auto &loaded : impl->files) {
    if (&loaded->file != file)
      continue;
    if (loaded->scope == scope)
      return loaded.get();
    tree = loaded->tree;
  }
  if (!tree)
    tree = ast::parse(*file, sink);
  std::string name = llvm::sys::path::stem(path).str();
  impl->files.push_back(
      std::make_unique<SourceModule>(*this, std::move(name), *file, std::move(tree), scope));
  return impl->files.back().get();
}

std::vector<const diag::SourceFile *> Program::files() const {
  std::vector<const diag::SourceFile *> result;
  for (const auto &loaded : impl->files)
    result.push_back(&loaded->file);
  return result;
}

void Program::define(Module &module, llvm::StringRef name, Value value) {
  if (!module.isBuiltin())
    static_cast<SourceModule &>(module).overrides[name] = std::move(value);
}

/// Behind `@triton.autotune(…)` and other host decorators stands the kernel itself.
static const Function *kernelOf(const std::optional<Value> &value) {
  if (!value || !value->is(ValueKind::Function) || value->asFunction().kind != FunctionKind::Jit)
    return nullptr;
  return &value->asFunction();
}

std::shared_ptr<const Function> Program::kernel(Module &module, llvm::StringRef name,
                                                diag::Sink &sink) {
  Interpreter interpreter(*this, sink);
  std::optional<Value> value = module.lookup(name, interpreter);
  if (kernelOf(value))
    return value->sharedFunction();
  auto &source = static_cast<SourceModule &>(module);
  if (value && !value->is(ValueKind::Opaque)) {
    sink.report(Kind::NotAKernel, source.definition(name), name)
        .hint("kernels are functions decorated with `@gluon.jit`");
    return nullptr;
  }
  diag::Builder builder = sink.report(Kind::MissingKernel, Span(), name, source.file.path());
  std::string known;
  for (const std::shared_ptr<const Function> &kernel : kernels(module, sink))
    known += (known.empty() ? "" : ", ") + kernel->name;
  if (!known.empty())
    (void)std::move(builder).hint("the file has {0}", known);
  return nullptr;
}

std::vector<std::shared_ptr<const Function>> Program::kernels(Module &module, diag::Sink &sink) {
  std::vector<std::shared_ptr<const Function>> result;
  Interpreter interpreter(*this, sink);
  auto &source = static_cast<SourceModule &>(module);
  for (const ast::Stmt *stmt : source.tree->body) {
    const auto *def = llvm::dyn_cast<ast::FunctionDef>(stmt);
    if (!def || def->decorator_list.empty())
      continue;
    std::optional<Value> value = module.lookup(def->name, interpreter);
    // A later definition of the same name is listed once, at its own place.
    if (kernelOf(value) && value->asFunction().def == def)
      result.push_back(value->sharedFunction());
  }
  return result;
}

// -- Module scope --------------------------------------------------------------------

static bool targetBinds(const ast::Expr *target, llvm::StringRef name) {
  if (const auto *id = llvm::dyn_cast<ast::Name>(target))
    return id->id == name;
  if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    return llvm::any_of(tuple->elts, [&](const ast::Expr *e) { return targetBinds(e, name); });
  if (const auto *list = llvm::dyn_cast<ast::List>(target))
    return llvm::any_of(list->elts, [&](const ast::Expr *e) { return targetBinds(e, name); });
  if (const auto *starred = llvm::dyn_cast<ast::Starred>(target))
    return targetBinds(starred->value, name);
  return false;
}

static const ast::ImportFrom *asStarImport(const ast::Stmt &stmt) {
  const auto *import = llvm::dyn_cast<ast::ImportFrom>(&stmt);
  return import && import->names.size() == 1 && import->names[0]->name == "*" ? import : nullptr;
}

static bool isImport(const ast::Stmt &stmt) {
  return llvm::isa<ast::Import, ast::ImportFrom>(&stmt);
}

static bool aliasBinds(const ast::Alias &alias, llvm::StringRef name) {
  return (alias.asname.data() ? alias.asname : alias.name.split('.').first) == name;
}

/// Does this statement itself (not one inside it) bind `name`?
static bool binds(const ast::Stmt &stmt, llvm::StringRef name) {
  if (const auto *def = llvm::dyn_cast<ast::FunctionDef>(&stmt))
    return def->name == name;
  if (const auto *cls = llvm::dyn_cast<ast::ClassDef>(&stmt))
    return cls->name == name;
  if (const auto *assign = llvm::dyn_cast<ast::Assign>(&stmt))
    return llvm::any_of(assign->targets,
                        [&](const ast::Expr *target) { return targetBinds(target, name); });
  if (const auto *assign = llvm::dyn_cast<ast::AnnAssign>(&stmt))
    return assign->value && targetBinds(assign->target, name);
  if (const auto *assign = llvm::dyn_cast<ast::AugAssign>(&stmt))
    return targetBinds(assign->target, name);
  if (const auto *import = llvm::dyn_cast<ast::Import>(&stmt))
    return llvm::any_of(import->names,
                        [&](const ast::Alias *alias) { return aliasBinds(*alias, name); });
  if (const auto *import = llvm::dyn_cast<ast::ImportFrom>(&stmt))
    return llvm::any_of(import->names,
                        [&](const ast::Alias *alias) { return aliasBinds(*alias, name); });
  if (const auto *loop = llvm::dyn_cast<ast::For>(&stmt))
    return targetBinds(loop->target, name);
  return false;
}

std::optional<bool> SourceModule::takenBranch(const ast::If &branch, Interpreter &interpreter) {
  // Remembered, since names in the test are looked for in the branches before it, and so on. While
  // it is evaluated it is not known.
  auto [known, isNew] = branches.try_emplace(&branch, std::nullopt);
  if (!isNew)
    return known->second;
  diag::Collector ignored;
  Interpreter::SinkScope quiet(interpreter, ignored);
  Frame frame;
  frame.module = this;
  frame.isModuleScope = true;
  Interpreter::FrameScope active(interpreter, frame);
  llvm::SaveAndRestore at(now, branch.span.begin);
  MaybeValue test = interpreter.eval(branch.test);
  std::optional<bool> taken = test ? interpreter.truth(*test, branch.test->span) : std::nullopt;
  branches[&branch] = taken;
  return taken;
}

const ast::Stmt *SourceModule::findInside(const ast::Stmt &stmt, llvm::StringRef name,
                                          Interpreter &interpreter, uint32_t end) {
  auto find = [&](ast::Stmts body) { return findBinding(body, name, interpreter, end); };
  if (const auto *branch = llvm::dyn_cast<ast::If>(&stmt)) {
    const ast::Stmt *first = find(branch->body);
    const ast::Stmt *second = find(branch->orelse);
    if (!first && !second)
      return nullptr;
    // Which branch runs may depend on the host: then the name is known where one of them has it,
    // or imports it and the other stands in for what is not installed.
    if (std::optional<bool> taken = takenBranch(*branch, interpreter))
      return *taken ? first : second;
    if (!first || !second)
      return first ? first : second;
    return isImport(*first) ? first : isImport(*second) ? second : &stmt;
  }
  if (const auto *attempt = llvm::dyn_cast<ast::Try>(&stmt)) {
    // As if nothing were raised. What only handlers bind may or may not be.
    for (ast::Stmts body : {attempt->finalbody, attempt->orelse, attempt->body})
      if (const ast::Stmt *found = find(body))
        return found;
    for (const ast::ExceptHandler *handler : attempt->handlers)
      if (find(handler->body))
        return &stmt;
    return nullptr;
  }
  if (const auto *with = llvm::dyn_cast<ast::With>(&stmt))
    return find(with->body);
  if (const auto *loop = llvm::dyn_cast<ast::For>(&stmt))
    return find(loop->body) || find(loop->orelse) ? &stmt : nullptr;
  if (const auto *loop = llvm::dyn_cast<ast::While>(&stmt))
    return find(loop->body) || find(loop->orelse) ? &stmt : nullptr;
  if (const auto *match = llvm::dyn_cast<ast::Match>(&stmt))
    return llvm::any_of(match->cases, [&](const ast::MatchCase *each) { return find(each->body); })
               ? &stmt
               : nullptr;
  return nullptr;
}

const ast::Stmt *SourceModule::findBinding(ast::Stmts body, llvm::StringRef name,
                                           Interpreter &interpreter, uint32_t end) {
  for (const ast::Stmt *stmt : llvm::reverse(body)) {
    if (stmt->span.begin >= end)
      continue;
    if (binds(*stmt, name) || changes().rebinds(*stmt, name))
      return stmt;
    if (const ast::ImportFrom *star = asStarImport(*stmt);
        star && starImport(*star, name, interpreter))
      return stmt;
    if (const ast::Stmt *found = findInside(*stmt, name, interpreter, end))
      return found;
  }
  return nullptr;
}

std::optional<Value> SourceModule::lookup(llvm::StringRef name, Interpreter &interpreter) {
  if (auto found = overrides.find(name); found != overrides.end())
    return found->second;
  if (std::optional<std::optional<Value>> answer = lookupHost(name, interpreter))
    return *answer;
  if (now != afterAll)
    if (std::optional<Value> value = lookupEarlier(name, interpreter))
      return value;
  if (auto found = entries.find(name); found != entries.end()) {
    // Defined by itself, and nothing before.
    if (found->second.isEvaluating)
      return Value::opaque(name.str());
    if (found->second.value)
      return found->second.value;
    return std::nullopt;
  }
  if (name == "__name__")
    return Value::string(this->name().str());
  if (name == "__file__")
    return Value::string(file.path());
  const ast::Stmt *stmt = findBinding(tree->body, name, interpreter, afterAll);
  if (!stmt)
    return submodule(name, interpreter);
  entries[name].isEvaluating = true;
  entries[name].definition = stmt->span;
  diag::Collector problems;
  MaybeValue value;
  {
    Interpreter::SinkScope quiet(interpreter, problems);
    value = evaluateBinding(*stmt, name, interpreter);
  }
  Entry &entry = entries[name];
  entry.isEvaluating = false;
  entry.definition = stmt->span;
  if (const auto *def = llvm::dyn_cast<ast::FunctionDef>(stmt))
    entry.definition = def->nameSpan;
  if (!value && !problems.diagnostics.empty())
    entry.reason = problems.diagnostics.front().message;
  entry.value = value ? unlessChanged(name, *value) : Value::opaque(name.str());
  if (!value || value->is(ValueKind::Opaque)) {
    bool isUndecided = isLeftToHost(*stmt, name, interpreter);
    entries[name].isUndecided |= isUndecided;
  }
  return entries[name].value;
}

bool SourceModule::isUndecided(llvm::StringRef name) const {
  auto found = entries.find(name);
  return found != entries.end() && found->second.isUndecided;
}

bool SourceModule::isLeftToHost(const ast::Stmt &stmt, llvm::StringRef name,
                                Interpreter &interpreter) {
  // What `from m import name` binds was asked of m.
  if (isImport(stmt))
    return asStarImport(stmt) != nullptr;
  if (!binds(stmt, name))
    return true;
  const ast::Expr *value = nullptr;
  if (const auto *assign = llvm::dyn_cast<ast::Assign>(&stmt))
    value = assign->value;
  else if (const auto *annotated = llvm::dyn_cast<ast::AnnAssign>(&stmt))
    value = annotated->value;
  llvm::SaveAndRestore at(now, stmt.span.begin);
  return value && mayBeOfKernels(value, interpreter);
}

bool SourceModule::mayBeOfKernels(const ast::Expr *value, Interpreter &interpreter) {
  if (llvm::isa<ast::IfExp, ast::BoolOp>(value))
    return true;
  bool isMade = false;
  for (;; isMade = true) {
    if (const auto *call = llvm::dyn_cast<ast::Call>(value))
      value = call->func;
    else if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(value))
      value = attribute->value;
    else if (const auto *subscript = llvm::dyn_cast<ast::Subscript>(value))
      value = subscript->value;
    else
      break;
  }
  const auto *root = llvm::dyn_cast<ast::Name>(value);
  if (!root)
    return false;
  diag::Collector ignored;
  Interpreter::SinkScope quiet(interpreter, ignored);
  MaybeValue found = lookup(root->id, interpreter);
  if (!found)
    return isMade && root->id == "getattr";
  if (found->is(ValueKind::Opaque))
    return isUndecided(root->id);
  return isMade && (found->is(ValueKind::Function) || found->is(ValueKind::Class) ||
                    (found->is(ValueKind::Module) && found->asModule().name() != "os"));
}

bool SourceModule::hasNamesOfOthers() {
  return llvm::any_of(tree->body, [](const ast::Stmt *stmt) {
    const auto *def = llvm::dyn_cast<ast::FunctionDef>(stmt);
    return asStarImport(*stmt) || (def && def->name == "__getattr__");
  });
}

std::optional<Value> SourceModule::lookupEarlier(llvm::StringRef name, Interpreter &interpreter) {
  const ast::Stmt *stmt = findBinding(tree->body, name, interpreter, now);
  if (!stmt || stmt == findBinding(tree->body, name, interpreter, afterAll))
    return std::nullopt;
  auto [at, isNew] = earlier.try_emplace({stmt, name.str()}, std::nullopt);
  if (isNew) {
    // Statements only get earlier, so this ends.
    MaybeValue value = evaluateBinding(*stmt, name, interpreter);
    at->second = value ? unlessChanged(name, *value) : Value::opaque(name.str());
  }
  return at->second ? at->second : Value::opaque(name.str());
}

void SourceModule::forgetUnfinished() {
  llvm::SmallVector<llvm::StringRef> unfinished;
  for (const auto &[name, entry] : entries)
    if (entry.isEvaluating)
      unfinished.push_back(name);
  for (llvm::StringRef name : unfinished)
    entries.erase(name);
  earlier.clear();
  branches.clear();
  now = afterAll;
  // Classes among them may lack members: the host is asked again for all.
  hostValues.clear();
}

void forgetUnfinished(Program &program) {
  for (const std::unique_ptr<SourceModule> &file : program.state().files)
    file->forgetUnfinished();
  for (const auto &entry : program.state().library)
    entry.second->forgetUnfinished();
  program.state().hostObjects.clear();
}

diag::Span SourceModule::definition(llvm::StringRef name) const {
  auto found = entries.find(name);
  return found == entries.end() ? Span() : found->second.definition;
}

llvm::StringRef SourceModule::opaqueReason(llvm::StringRef name) const {
  auto found = entries.find(name);
  return found == entries.end() ? llvm::StringRef() : llvm::StringRef(found->second.reason);
}

void SourceModule::explain(llvm::StringRef name, std::string reason) {
  if (auto found = entries.find(name); found != entries.end())
    found->second.reason = std::move(reason);
}

void SourceModule::leaveUndecided(llvm::StringRef name) {
  if (auto found = entries.find(name); found != entries.end())
    found->second.isUndecided = true;
}

std::vector<llvm::StringRef> SourceModule::names() const {
  std::vector<llvm::StringRef> result;
  for (const ast::Stmt *stmt : tree->body) {
    if (const auto *def = llvm::dyn_cast<ast::FunctionDef>(stmt))
      result.push_back(def->name);
    else if (const auto *cls = llvm::dyn_cast<ast::ClassDef>(stmt))
      result.push_back(cls->name);
    else if (const auto *assign = llvm::dyn_cast<ast::Assign>(stmt)) {
      for (const ast::Expr *target : assign->targets)
        if (const auto *id = llvm::dyn_cast<ast::Name>(target))
          result.push_back(id->id);
    } else if (const auto *import = llvm::dyn_cast<ast::Import>(stmt)) {
      for (const ast::Alias *alias : import->names)
        result.push_back(alias->asname.data() ? alias->asname : alias->name.split('.').first);
    } else if (const auto *from = llvm::dyn_cast<ast::ImportFrom>(stmt)) {
      for (const ast::Alias *alias : from->names)
        result.push_back(alias->asname.data() ? alias->asname : alias->name);
    }
  }
  return result;
}

/// The part of an unpacked value that a pattern gives to `name`.
static MaybeValue unpackFor(const ast::Expr *target, llvm::StringRef name, const Value &value,
                            Interpreter &interpreter) {
  if (llvm::isa<ast::Name>(target))
    return value;
  llvm::ArrayRef<const ast::Expr *> elements;
  if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    elements = tuple->elts;
  else if (const auto *list = llvm::dyn_cast<ast::List>(target))
    elements = list->elts;
  if (value.is(ValueKind::Opaque))
    return value;
  std::optional<std::vector<Value>> items = interpreter.iterate(value, target->span);
  if (!items || items->size() != elements.size())
    return std::nullopt;
  for (size_t i = 0; i < elements.size(); ++i)
    if (targetBinds(elements[i], name))
      return unpackFor(elements[i], name, (*items)[i], interpreter);
  return std::nullopt;
}

void fixKnownDefaults(Interpreter &interpreter, Function &function) {
  diag::Collector ignored;
  Interpreter::SinkScope quiet(interpreter, ignored);
  for (Parameter &parameter : function.parameters)
    if (parameter.defaultValue)
      if (MaybeValue value = interpreter.eval(parameter.defaultValue);
          value && !value->is(ValueKind::Opaque))
        parameter.constant = *value;
}

std::optional<Value> SourceModule::evaluateBinding(const ast::Stmt &stmt, llvm::StringRef name,
                                                   Interpreter &interpreter) {
  if (const ast::ImportFrom *star = asStarImport(stmt))
    return starImport(*star, name, interpreter, /*isChosen=*/true);
  if (!binds(stmt, name))
    return std::nullopt;
  Frame frame;
  frame.module = this;
  frame.isModuleScope = true;
  Interpreter::FrameScope active(interpreter, frame);
  llvm::SaveAndRestore at(now, stmt.span.begin);
  if (const auto *def = llvm::dyn_cast<ast::FunctionDef>(&stmt)) {
    std::shared_ptr<Function> function = makeFunction(interpreter, *this, *def, nullptr);
    fixKnownDefaults(interpreter, *function);
    return Value::function(std::move(function));
  }
  if (const auto *assign = llvm::dyn_cast<ast::Assign>(&stmt)) {
    MaybeValue value = interpreter.eval(assign->value);
    if (!value)
      return std::nullopt;
    for (const ast::Expr *target : assign->targets)
      if (targetBinds(target, name))
        return unpackFor(target, name, *value, interpreter);
  }
  if (const auto *assign = llvm::dyn_cast<ast::AnnAssign>(&stmt))
    return interpreter.eval(assign->value);
  if (const auto *import = llvm::dyn_cast<ast::Import>(&stmt)) {
    for (const ast::Alias *alias : import->names)
      if (aliasBinds(*alias, name))
        return evaluateImport(*alias, name, interpreter);
  }
  if (const auto *import = llvm::dyn_cast<ast::ImportFrom>(&stmt))
    return evaluateImport(*import, name, interpreter);
  if (const auto *cls = llvm::dyn_cast<ast::ClassDef>(&stmt); cls)
    return Value::classValue(makeClass(interpreter, *this, *cls, nullptr));
  // Loops, augmented assignments: values of the host program.
  return std::nullopt;
}

const ModuleChanges &SourceModule::changes() {
  if (!knownChanges)
    knownChanges.emplace(tree->body);
  return *knownChanges;
}

static bool canBeChanged(const Value &value) {
  switch (value.kind()) {
  case ValueKind::List:
  case ValueKind::Dict:
  case ValueKind::Set:
  case ValueKind::Instance:
  case ValueKind::Class:
    return true;
  case ValueKind::Tuple:
    return llvm::any_of(value.items(), canBeChanged);
  default:
    return false;
  }
}

Value SourceModule::unlessChanged(llvm::StringRef name, Value value) {
  // None holds the place of what a function is to find out.
  if (value.isNone() && changes().isBoundByFunction(name)) {
    if (auto entry = entries.find(name); entry != entries.end())
      entry->second.reason = "a function binds it later";
    leaveUndecided(name);
    return Value::opaque(name.str());
  }
  if (!canBeChanged(value))
    return value;
  // Functions that get a class make instances of it.
  std::optional<Span> change = changes().changeOf(name, !value.is(ValueKind::Class));
  if (!change)
    return value;
  if (auto entry = entries.find(name); entry != entries.end())
    entry->second.reason = "line " + std::to_string(file.position(change->begin).line) +
                           " may change what it is bound to";
  return Value::opaque(name.str());
}

} // namespace gluonc::sema

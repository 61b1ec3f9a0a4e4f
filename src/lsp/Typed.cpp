#include "lsp/Typed.h"

#include "ir/Dialects.h"
#include "lsp/Definitions.h"
#include "sema/eval/Interpreter.h"

#include "llvm/ADT/SetVector.h"

namespace gluonc::lsp {

using sema::Value;
using sema::ValueKind;

static KnownValue method(const sema::Builtin &row) {
  return {ValueKind::BoundMethod, Value::builtin(&row)};
}

template <typename Rows> static void addRows(const Rows &rows, std::vector<Member> &members) {
  for (auto [name, row] : rows)
    members.push_back({name.str(), method(*row)});
}

static void addMethods(const KnownValue &object, std::vector<Member> &members) {
  using namespace sema::ops;
  switch (object.kind) {
  case ValueKind::Tensor:
    return addRows(tensorMethodRows(), members);
  case ValueKind::MemDesc: {
    auto buffer = mlir::dyn_cast<ttg::MemDescType>(object.value.irType());
    bool inTensorMemory = buffer && buffer.isTensorMemory();
    return addRows(inTensorMemory ? tensorMemoryMethodRows() : memDescMethodRows(), members);
  }
  default:
    for (const sema::Builtin &row : ownMethodRows(object.kind))
      members.push_back({row.name.str(), method(row)});
  }
}

static void addClassMembers(const sema::Class &cls, std::vector<Member> &members) {
  for (const sema::Class::Field &field : cls.fields)
    members.push_back({field.name.str(), {}});
  std::vector<Member> functions;
  for (const auto &entry : cls.members)
    functions.push_back({entry.getKey().str(), {ValueKind::BoundMethod, entry.getValue().value}});
  llvm::sort(functions, [](const Member &a, const Member &b) { return a.name < b.name; });
  llvm::append_range(members, functions);
}

/// The names of a module. The language's root lists those of all modules below, with their paths.
static llvm::SetVector<llvm::StringRef> namesOf(const View &view, const sema::Module &module) {
  llvm::SetVector<llvm::StringRef> names;
  if (!module.isBuiltin()) {
    names.insert_range(module.names());
    return names;
  }
  auto [root, path] = module.name().split('.');
  const sema::Module *all = sema::findLanguageModule(
      view.analysis.program, root == "tl" ? "triton.language" : "gluonc.language");
  for (llvm::StringRef name : all->names())
    if (path.empty() || (name.consume_front(path) && name.consume_front(".")))
      if (!name.starts_with("_"))
        names.insert(name.split('.').first);
  return names;
}

static void addNames(const View &view, sema::Module &module, std::vector<Member> &members) {
  diag::Collector ignored;
  sema::Interpreter interpreter(view.analysis.program, ignored);
  for (llvm::StringRef name : namesOf(view, module)) {
    std::optional<Value> value = module.lookup(name, interpreter);
    if (value)
      members.push_back({name.str(), {value->kind(), *value}});
    else if (!module.isBuiltin())
      members.push_back({name.str(), {}});
  }
}

std::vector<Member> membersOf(const View &view, const KnownValue &object) {
  std::vector<Member> members;
  if (object.value.is(ValueKind::Module)) {
    addNames(view, object.value.asModule(), members);
  } else if (const sema::Class *cls = classOf(object.value)) {
    addClassMembers(*cls, members);
  } else {
    addMethods(object, members);
  }
  return members;
}

std::optional<KnownValue> knownChain(const View &view, llvm::StringRef chain, uint32_t offset) {
  auto [root, rest] = chain.split('.');
  const unsigned scope = view.mentions.scopeAt(offset);
  if (view.mentions.resolve(root, scope) == 0) {
    std::optional<Value> value = view.evaluate(chain);
    return value ? std::optional(KnownValue{value->kind(), *value}) : std::nullopt;
  }
  const KnownValue *known = view.variable(root, scope, offset);
  std::optional<KnownValue> object;
  if (known)
    object = *known;
  while (object && !rest.empty()) {
    llvm::StringRef name;
    std::tie(name, rest) = rest.split('.');
    std::vector<Member> members = membersOf(view, *object);
    auto found = llvm::find_if(members, [&](const Member &member) { return member.name == name; });
    object = found == members.end() ? std::nullopt : std::optional(found->value);
  }
  return object;
}

} // namespace gluonc::lsp

// Name lookup: locals, closures, module scope, Python's builtins.

#include "sema/names/Language.h"

namespace gluonc::sema {

using diag::Kind;
using diag::Span;

static bool checkReadable(Interpreter &interpreter, llvm::StringRef name, const Value &value,
                          Span span) {
  switch (value.kind()) {
  case ValueKind::Module:
  case ValueKind::Function:
  case ValueKind::Builtin:
  case ValueKind::BoundMethod:
  case ValueKind::DType:
  case ValueKind::Layout:
  case ValueKind::None:
    return true;
  case ValueKind::Opaque:
    reportHostValue(interpreter, span, name.str(), name);
    return false;
  case ValueKind::Class:
    if (value.asClass().kind != ClassKind::Plain)
      return true;
    break;
  default:
    break;
  }
  if (value.isWrapped())
    return true;
  interpreter.report(Kind::NonConstexprGlobal, span, name)
      .label(interpreter.frame().module->definition(name), "defined here as a plain {0}",
             value.typeName())
      .hint("define it as `{0} = gl.constexpr({1})`", name, value);
  return false;
}

void reportHostValue(Interpreter &interpreter, Span span, const std::string &what,
                     llvm::StringRef name) {
  diag::Builder builder = interpreter.report(Kind::HostValue, span, what);
  Module *module = interpreter.frame().module;
  if (!module)
    return;
  if (Span definition = module->definition(name))
    (void)std::move(builder).label(definition, "defined here");
  if (llvm::StringRef reason = module->opaqueReason(name); !reason.empty())
    (void)std::move(builder).note("it could not be evaluated: {0}", reason);
}

llvm::StringRef nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef best;
  unsigned bestDistance = name.size() <= 3 ? 1 : 2;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, /*AllowReplacements=*/true, bestDistance + 1);
    // Letters in the wrong order are one slip, not two.
    if (distance == 2 && name.size() == candidate.size() &&
        std::is_permutation(name.begin(), name.end(), candidate.begin()))
      distance = 1;
    if (distance <= bestDistance && (best.empty() || distance < bestDistance)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

static void reportUnknownName(Interpreter &interpreter, llvm::StringRef name, Span span) {
  std::vector<llvm::StringRef> candidates;
  for (const Binding &binding : interpreter.frame().scope.all())
    candidates.push_back(binding.name);
  if (interpreter.frame().module)
    llvm::append_range(candidates, interpreter.frame().module->names());
  diag::Builder builder = interpreter.report(Kind::UnknownName, span, name);
  if (llvm::StringRef best = nearestName(name, candidates); !best.empty())
    (void)std::move(builder).hint("did you mean `{0}`?", best);
  else if (interpreter.inKernel() && findPythonBuiltin(name))
    (void)std::move(builder).hint("Python's `{0}` is available in compile-time code only", name);
}

static MaybeValue lookupGlobal(Interpreter &interpreter, llvm::StringRef name, Span span) {
  // A name that a branch or loop took away is an error even where a global has the same name.
  if (const Scope::Lost *lost = interpreter.frame().scope.findLost(name)) {
    interpreter.report(Kind::UndefinedAfterControlFlow, span, name, lost->why)
        .label(lost->span, "assigned here");
    return std::nullopt;
  }
  if (Module *module = interpreter.frame().module)
    if (MaybeValue value = module->lookup(name, interpreter))
      return !interpreter.inKernel() || checkReadable(interpreter, name, *value, span)
                 ? value
                 : std::nullopt;
  if (const Intrinsic *builtin = findPythonBuiltin(name))
    if (!interpreter.inKernel() || builtin->visibility == Visibility::Everywhere)
      return Value::builtin(builtin);
  if (interpreter.frame().isModuleScope)
    return Value::opaque(name.str());
  reportUnknownName(interpreter, name, span);
  return std::nullopt;
}

MaybeValue Interpreter::lookup(llvm::StringRef name, Span span) {
  if (const Binding *binding = frame().scope.find(name))
    return binding->isPoison() ? std::nullopt : MaybeValue(binding->value);
  for (const Closure *closure = frame().closure; closure; closure = closure->outer.get())
    if (const Binding *binding = closure->scope->find(name))
      return binding->value;
  // A nested class is a variable of no closure, which would have to own it in a circle.
  if (frame().function && frame().closure)
    if (std::shared_ptr<const Class> owner = frame().function->owner.lock();
        owner && owner->name == name)
      return Value::classValue(std::move(owner));
  return lookupGlobal(*this, name, span);
}

} // namespace gluonc::sema

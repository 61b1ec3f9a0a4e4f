#include "sema/host/HostScope.h"

#include "sema/eval/Evaluator.h"
#include "sema/names/Language.h"
#include "sema/names/ProgramState.h"

#include "llvm/ADT/StringExtras.h"

namespace gluonc::sema {

using diag::Kind;

/// The line that Python gives as a definition's first: of its first decorator, if it has any.
static unsigned firstLine(llvm::ArrayRef<const ast::Expr *> decorators, diag::Span name) {
  diag::Span first = decorators.empty() ? name : decorators.front()->span;
  return first.file->position(first.begin).line;
}

/// Every node of a kind that `matches`, at any depth, outer ones first.
template <typename Node, typename Matches>
static void collect(const ast::Node &node, Matches &&matches, std::vector<const Node *> &found) {
  if (const auto *wanted = llvm::dyn_cast<Node>(&node); wanted && matches(*wanted))
    found.push_back(wanted);
  ast::forEachChild(node, [&](const ast::Node &child) {
    // Definitions are statements: no expression holds one.
    if (std::is_same_v<Node, ast::Lambda> || llvm::isa<ast::Stmt, ast::ExceptHandler>(child))
      collect(child, matches, found);
  });
}

static const ast::FunctionDef *findFunction(const ast::Module &tree, llvm::StringRef name,
                                            unsigned line) {
  std::vector<const ast::FunctionDef *> found;
  collect(
      tree,
      [&](const ast::FunctionDef &def) {
        return def.name == name && firstLine(def.decorator_list, def.nameSpan) == line;
      },
      found);
  return found.empty() ? nullptr : found.front();
}

/// Every class that Python calls `wanted` (`outer.<locals>.Name`) in what is inside of `prefix`.
static void collectClasses(const ast::Node &node, const std::string &prefix, llvm::StringRef wanted,
                           std::vector<const ast::ClassDef *> &found) {
  ast::forEachChild(node, [&](const ast::Node &child) {
    std::string inside = prefix;
    if (const auto *cls = llvm::dyn_cast<ast::ClassDef>(&child)) {
      if (prefix + cls->name.str() == wanted)
        found.push_back(cls);
      inside += cls->name.str() + ".";
    } else if (const auto *def = llvm::dyn_cast<ast::FunctionDef>(&child)) {
      inside += def->name.str() + ".<locals>.";
    } else if (!llvm::isa<ast::Stmt, ast::ExceptHandler>(child)) {
      return;
    }
    if (wanted.starts_with(inside))
      collectClasses(child, inside, wanted, found);
  });
}

/// The class around `line`, or null.
static const ast::ClassDef *findClass(const ast::Module &tree, llvm::StringRef name,
                                      unsigned line) {
  std::vector<const ast::ClassDef *> found;
  collectClasses(tree, "", name, found);
  auto holdsLine = [&](const ast::ClassDef *def) {
    return firstLine(def->decorator_list, def->nameSpan) <= line &&
           line <= def->span.file->position(def->span.end).line;
  };
  auto at = llvm::find_if(found, holdsLine);
  return at == found.end() ? nullptr : *at;
}

/// The innermost lambda of `line` whose body is at `place` (line, column in bytes from 0); without
/// one, the only lambda of the line.
static const ast::Lambda *findLambda(const ast::Module &tree, unsigned line, const Value *place) {
  std::optional<uint32_t> offset;
  if (place && place->is(ValueKind::Tuple) && place->items().size() == 2)
    if (auto at = place->items()[0].asInt64(), column = place->items()[1].asInt64(); at && column)
      offset = tree.span.file->lineStart(uint32_t(*at)) + uint32_t(*column);
  std::vector<const ast::Lambda *> found;
  collect(
      tree,
      [&](const ast::Lambda &lambda) {
        diag::Span span = lambda.span, body = lambda.body->span;
        return span.file->position(span.begin).line == line &&
               (!offset || (span.begin <= *offset && *offset < body.end));
      },
      found);
  return found.empty() || (!offset && found.size() != 1) ? nullptr : found.back();
}

/// The value of a key of a dict, or null.
static const Value *item(const std::optional<Value> &dict, llvm::StringRef key) {
  if (dict && dict->is(ValueKind::Dict))
    for (const auto &[name, value] : dict->dictItems())
      if (name.is(ValueKind::String) && name.asString() == key)
        return &value;
  return nullptr;
}

static llvm::ArrayRef<std::pair<Value, Value>> items(const Value *dict) {
  if (dict && dict->is(ValueKind::Dict))
    return dict->dictItems();
  return {};
}

static FunctionKind functionKind(HostBindingKind kind) {
  switch (kind) {
  case HostBindingKind::JitFunction:
    return FunctionKind::Jit;
  case HostBindingKind::ConstexprFunction:
    return FunctionKind::Constexpr;
  default:
    return FunctionKind::Host;
  }
}

namespace {

/// Makes the value of one binding. Methods return nullopt where the binding is no good.
struct HostValueMaker {
  Program &program;
  Interpreter &interpreter;
  const HostBinding &binding;
  /// Why there is no value.
  std::string reason;

  std::optional<Value> make() {
    switch (binding.kind) {
    case HostBindingKind::Expression:
      return evaluated(binding.text);
    case HostBindingKind::Module:
      return module();
    case HostBindingKind::Class:
      return classValue();
    case HostBindingKind::Instance:
      return instance();
    case HostBindingKind::JitFunction:
    case HostBindingKind::ConstexprFunction:
    case HostBindingKind::HostFunction:
      return function();
    case HostBindingKind::Opaque:
      reason = binding.text;
      return std::nullopt;
    case HostBindingKind::Unbound:
      break;
    }
    return std::nullopt;
  }

private:
  std::optional<Value> evaluated(llvm::StringRef text) {
    diag::Collector problems;
    Module *values = program.load("<value>", "", problems);
    std::optional<Value> value = evaluate(program, *values, text, {}, "<value>", problems);
    if (!value && !problems.diagnostics.empty())
      reason = problems.diagnostics.front().message;
    return value;
  }

  SourceModule &file() {
    diag::Collector ignored;
    return static_cast<SourceModule &>(
        *program.load(binding.path, binding.text, ignored, binding.scope));
  }

  std::optional<Value> module() {
    if (!binding.path.empty())
      return Value::module(&file());
    if (Module *known = findLanguageModule(program, binding.name))
      return Value::module(known);
    reason = "the module " + binding.name + " is not Python source";
    return std::nullopt;
  }

  std::optional<Value> function() {
    SourceModule &module = file();
    Frame frame;
    frame.module = &module;
    frame.isModuleScope = true;
    std::optional<Value> attributes;
    if (!binding.attributes.empty())
      attributes = evaluated(binding.attributes);
    std::shared_ptr<Function> made;
    {
      Interpreter::FrameScope active(interpreter, frame);
      if (binding.name == "<lambda>") {
        if (const auto *lambda = findLambda(*module.tree, binding.line, item(attributes, "body")))
          made = makeLambda(interpreter, module, *lambda, nullptr);
      } else if (const auto *def = findFunction(*module.tree, binding.name, binding.line)) {
        made = makeFunction(interpreter, module, *def, nullptr, functionKind(binding.kind));
      }
    }
    if (!made) {
      reason = notFound();
      return std::nullopt;
    }
    made->kind = functionKind(binding.kind);
    if (attributes)
      takeAttributes(*made, attributes);
    return Value::function(std::move(made));
  }

  static void takeAttributes(Function &function, const std::optional<Value> &attributes) {
    const Value *noinline_ = item(attributes, "noinline");
    function.isNoinline = noinline_ && noinline_->is(ValueKind::Bool) && noinline_->asBool();
    const Value *language = item(attributes, "language");
    if (language && language->is(ValueKind::String))
      function.dialect = language->asString() == "triton" ? Dialect::Triton : Dialect::Gluon;
    const Value *defaults = item(attributes, "defaults");
    for (Parameter &parameter : function.parameters) {
      parameter.defaultValue = nullptr;
      for (const auto &[name, value] : items(defaults))
        if (name.is(ValueKind::String) && name.asString() == parameter.name)
          parameter.constant = value;
    }
  }

  std::optional<Value> classValue() {
    std::optional<Value> attributes = evaluated(binding.attributes);
    std::shared_ptr<Class> cls = binding.path.empty() ? plainClass(attributes) : aggregate();
    if (!cls) {
      reason = notFound();
      return std::nullopt;
    }
    takeFields(*cls, item(attributes, "fields"));
    if (const Value *bases = item(attributes, "bases"))
      addBases(*cls, bases->items());
    // Members may name the class.
    if (binding.object)
      program.state().hostObjects[binding.object] = Value::classValue(cls);
    for (const auto &[name, types] : late(attributes, "types"))
      if (std::optional<size_t> field = cls->findField(name.str());
          field && types.is(ValueKind::Tuple))
        cls->fields[*field].types = types;
    for (const auto &[name, member] : late(attributes, "members"))
      if (name.is(ValueKind::String) && member.is(ValueKind::Tuple) && member.items().size() == 2)
        addMember(cls, name.asString(), member.items()[0], member.items()[1]);
    if (const Class::Member *init = cls->findMember("__init__");
        init && cls->kind == ClassKind::Plain && init->value.is(ValueKind::Function))
      if (const ast::FunctionDef *def = init->value.asFunction().def)
        addAssignedFields(*cls, *def);
    return Value::classValue(std::move(cls));
  }

  /// A class of which the object says everything.
  std::shared_ptr<Class> plainClass(const std::optional<Value> &attributes) {
    auto cls = std::make_shared<Class>();
    const Value *isTuple = item(attributes, "named_tuple");
    bool isNamedTuple = isTuple && isTuple->is(ValueKind::Bool) && isTuple->asBool();
    cls->kind = isNamedTuple ? ClassKind::NamedTuple : ClassKind::Plain;
    cls->name = llvm::StringRef(binding.name).rsplit('.').second.str();
    if (cls->name.empty())
      cls->name = binding.name;
    diag::Collector ignored;
    cls->module = program.load("<value>", "", ignored);
    return cls;
  }

  /// Exchanges the fields of a class for those of the object; the text may say where they are.
  void takeFields(Class &cls, const Value *names) {
    if (!names || !(names->is(ValueKind::Tuple) || names->is(ValueKind::List)))
      return;
    std::vector<Class::Field> written = std::exchange(cls.fields, {});
    for (const Value &name : names->items()) {
      Class::Field field{program.state().names.insert(name.str()).first->first(), cls.span};
      for (const Class::Field &other : written)
        if (other.name == field.name)
          field = other;
      cls.fields.push_back(std::move(field));
    }
  }

  /// The items of a dict whose text is among the attributes.
  std::vector<std::pair<Value, Value>> late(const std::optional<Value> &attributes,
                                            llvm::StringRef key) {
    const Value *text = item(attributes, key);
    std::optional<Value> dict;
    if (text && text->is(ValueKind::String))
      dict = evaluated(text->asString());
    return dict ? items(&*dict).vec() : std::vector<std::pair<Value, Value>>();
  }

  std::shared_ptr<Class> aggregate() {
    SourceModule &module = file();
    const auto *def = findClass(*module.tree, binding.name, binding.line);
    if (!def)
      return nullptr;
    Frame frame;
    frame.module = &module;
    frame.isModuleScope = true;
    Interpreter::FrameScope active(interpreter, frame);
    return startHostAggregate(interpreter, module, *def);
  }

  static void addMember(const std::shared_ptr<Class> &cls, llvm::StringRef name,
                        const Value &access, const Value &value) {
    Class::Member member{value, Class::Access::Static};
    if (access.str() == "class")
      member.access = Class::Access::OfClass;
    else if (access.str() == "property")
      member.access = Class::Access::Property;
    else if (value.is(ValueKind::Function) && access.str() != "static")
      member.access = Class::Access::Bound;
    if (value.is(ValueKind::Function)) {
      // A function of its own: what belongs to a class is called otherwise.
      auto method = std::make_shared<Function>(value.asFunction());
      method->owner = cls;
      member.value = Value::function(std::move(method));
    } else if (std::optional<size_t> field = cls->findField(name)) {
      cls->fields[*field].constant = asKernelArgument(value);
    }
    cls->members[name] = std::move(member);
  }

  std::optional<Value> instance() {
    std::optional<Value> cls = evaluated(binding.name);
    if (!cls || !cls->is(ValueKind::Class)) {
      reason = reason.empty() ? "its class is not to be had" : reason;
      return std::nullopt;
    }
    // Members of a class may be instances of it, and then made it, too.
    auto [known, isNew] = program.state().hostObjects.try_emplace(binding.object);
    if (!isNew)
      return known->second;
    std::optional<Value> attributes = evaluated(binding.attributes);
    llvm::ArrayRef<Class::Field> fields = cls->asClass().fields;
    std::vector<Value> values(fields.size());
    for (auto [field, value] : llvm::zip(fields, values))
      value = field.constant;
    for (const auto &[name, value] : items(item(attributes, "fields"))) {
      std::optional<size_t> at = cls->asClass().findField(name.str());
      if (!at) {
        reason = "its class does not declare `" + name.str() + "`";
        return std::nullopt;
      }
      values[*at] = value;
    }
    Value made = Value::instance(cls->sharedClass(), std::move(values));
    made.closeFields();
    return made;
  }

  std::string notFound() const {
    return binding.path + " does not have `" + binding.name + "` at line " +
           std::to_string(binding.line);
  }
};

} // namespace

std::optional<std::optional<Value>> SourceModule::lookupHost(llvm::StringRef name,
                                                             Interpreter &interpreter) {
  const HostResolver &resolver = program.state().resolver;
  if (!resolver || (!scope && !name.starts_with(hostObjectPrefix)))
    return std::nullopt;
  auto &objects = program.state().hostObjects;
  uint64_t number = 0;
  if (name.starts_with(hostObjectPrefix) &&
      !name.drop_front(hostObjectPrefix.size()).getAsInteger(10, number))
    if (auto known = objects.find(number); known != objects.end() && known->second)
      return known->second;
  // While a value is made, its name has none.
  auto [entry, isNew] = hostValues.try_emplace(name, std::in_place);
  if (!isNew)
    return entry->second;
  std::optional<HostBinding> binding = resolver(scope, name);
  if (!binding)
    return hostValues[name] = std::nullopt;
  if (binding->kind == HostBindingKind::Unbound)
    return entry->second;
  std::optional<Value> value;
  if (auto known = objects.find(binding->object); binding->object && known != objects.end()) {
    value = known->second;
  } else {
    if (binding->kind == HostBindingKind::Instance)
      hostValues.erase(name);
    else if (binding->object)
      objects[binding->object] = std::nullopt;
    diag::Collector problems;
    Interpreter::SinkScope quiet(interpreter, problems);
    HostValueMaker maker{program, interpreter, *binding, {}};
    value = maker.make();
    entries[name].reason = maker.reason;
    if (binding->object)
      objects[binding->object] = value;
  }
  return hostValues[name] = value ? *value : Value::opaque(name.str());
}

void Program::setResolver(HostResolver resolver) { impl->resolver = std::move(resolver); }

std::shared_ptr<const Function> Program::kernelAt(Module &module, llvm::StringRef name,
                                                  unsigned line, diag::Sink &sink) {
  auto &source = static_cast<SourceModule &>(module);
  if (const auto *def = findFunction(*source.tree, name, line)) {
    Interpreter interpreter(*this, sink);
    Frame frame;
    frame.module = &module;
    frame.isModuleScope = true;
    Interpreter::FrameScope active(interpreter, frame);
    return makeFunction(interpreter, module, *def, nullptr, FunctionKind::Jit);
  }
  sink.report(Kind::MissingKernel, {}, name, source.file.path())
      .note("no function of that name begins at line {0}", line);
  return nullptr;
}

} // namespace gluonc::sema
